/* The timeline's picture, from the back to the front: minimap, axis, lanes, gaps over them, names beside them, cursor. */

const kindColour = (id) => (isInterrupt(id) ? colours.irq : colours.thread)[2];

const stateColour = (id) => colours.state[id % colours.state.length];

function drawLane(view, lane) {
	const code = { one: shadeOf, many: kindColour, label: functionName, text: colours['frame-text'] };
	if (lane.kind === 'stack') lane.rows.forEach((row, depth) => drawSlices(view, row, lane.y + depth * DEPTH_ROW, DEPTH_ROW - 1, code));
	else if (lane.kind === 'interrupt') drawSlices(view, lane.rows[0], lane.y, lane.height, { ...code, label: null });
	else if (lane.kind === 'states') {
		drawSlices(view, lane.rows[0], lane.y, lane.height, { one: stateColour, many: stateColour, label: (id) => String(page.data.timeline.values[id]), text: colours['frame-text'] });
	} else if (lane.kind === 'looks') drawLooks(view, lane, colours.var);
	else drawSteps(view, lane, lane.kind === 'line' ? colours.wave : colours.var);
}

function drawFound(view, found) {
	for (const { lane, depth, part, colour } of found) {
		const paint = () => colours[colour], isStack = lane.kind === 'stack';
		drawSlices(view, part, lane.y + depth * DEPTH_ROW, isStack ? DEPTH_ROW - 1 : lane.height,
			{ one: paint, many: paint, label: isStack ? functionName : null, text: colours[colour + '-text'] });
	}
}

/* Hatched where a core was not observed, cross-hatched where its trace was lost; a line where it is not known how much. */
function drawGaps(view, { stretches, places }, y, h, alpha) {
	const { g, u0, u1, k, gutter } = view, { causes } = page.data.timeline;
	const kind = (cause) => causes[cause].kind, plain = { lost: colours.lost, asleep: colours.asleep, unobserved: colours.hatch };
	const hatched = { lost: pattern(g, colours.lost, colours['lost-hatch'], -1), asleep: colours.asleep, unobserved: pattern(g, colours.unobserved, colours.hatch, 1) };
	const one = (cause) => hatched[kind(cause)], many = (cause) => plain[kind(cause)];
	drawSlices(view, stretches, y, h, { one, many, label: null, alpha });
	g.fillStyle = colours.muted;
	for (let i = firstAbove(places.s, u0, 0, places.n), last = -1; i < places.n && places.s[i] < u1; i++) {
		const x = Math.round(gutter + (places.s[i] - u0) * k);
		if (x !== last) g.fillRect(x, y, 1, h);
		last = x;
	}
}

/* All of the time, small: made once, until the width, the axis or the colours change. */
function makeMinimap(timeline, width) {
	const ratio = window.devicePixelRatio || 1, { gutter, axis, lanes } = timeline, map = document.createElement('canvas');
	map.width = Math.round(width * ratio);
	map.height = Math.round(MINIMAP * ratio);
	map.forWidth = width;
	const g = map.getContext('2d'), view = { g, u0: 0, u1: axis.length, k: (width - gutter) / axis.length, gutter, width };
	g.scale(ratio, ratio);
	const stacks = lanes.filter((l) => l.kind === 'stack'), colour = stacks.length ? kindColour : stateColour, shown = stacks.length ? stacks : lanes.filter((l) => l.kind === 'states');
	shown.forEach((lane, n) => {
		const part = (MINIMAP - 6) / shown.length, h = stacks.length ? part / Math.max(4, lane.rows.length) : part;
		lane.rows.forEach((row, depth) => drawSlices(view, row, 3 + n * part + depth * h, Math.max(1, h), { one: colour, many: colour, label: null }));
	});
	drawGaps(view, timeline.gapsOf.get(null), 0, MINIMAP, 1);
	return map;
}

function drawTick(view, height, x, text) {
	const { g, width } = view, y = MINIMAP + AXIS - 5;
	g.fillStyle = colours.line;
	g.fillRect(Math.round(x), y + 2, 1, height);
	g.fillStyle = colours.muted;
	if (x + g.measureText(text).width + 6 < width) g.fillText(text, x + 3, y);
}

/* Where gaps were skipped, the places where the data go on are labelled. */
function drawSkippedAxis(timeline, view) {
	const { axis, height } = timeline, { u0, u1, k, gutter } = view, gaps = timeline.gapsOf.get(null).stretches;
	let free = gutter + 84;
	drawTick(view, height, gutter, formatMoment(axis.tell(u0), 5));
	for (let i = firstAbove(gaps.e, u0, 0, gaps.n); i < gaps.n && gaps.e[i] < u1; i = nextAbove(gaps.e, u0 + (free - gutter) / k, i + 1, gaps.n)) {
		const x = gutter + (gaps.e[i] - u0) * k;
		if (x < free) continue;
		drawTick(view, height, x, formatMoment(gaps.end[i], 5));
		free = x + 84;
	}
}

/* Ticks: 1, 2 or 5 of a unit, in real time; where their digits would not fit, from the first one on. */
function drawRealAxis(timeline, view) {
	const { axis, height } = timeline, { u0, u1, k, gutter, width } = view, from = axis.tell(u0), span = axis.tell(u1) - from, most = Math.max(2, (width - gutter) / 95);
	let step = Math.pow(10, Math.floor(Math.log10(span / most)));
	while (span / step > most) step *= span / step / 2 <= most ? 2 : span / step / 5 <= most ? 5 : 10;
	const first = Math.ceil(from / step) * step, isDeep = first > step * 5000;
	for (let n = 0; first + n * step <= from + span; n++) {
		const at = first + n * step, needed = Math.max(3, Math.ceil(Math.log10(Math.max(at, 1) / step)) + 1);
		drawTick(view, height, gutter + (axis.show(at) - u0) * k, isDeep && n > 0 ? '+' + formatMoment(n * step, 3) : formatMoment(at, Math.min(12, needed)));
	}
}

function drawAxis(timeline, view) {
	const gaps = timeline.gapsOf.get(null).stretches, inside = timeline.skip ? firstAbove(gaps.s, view.u0, 0, gaps.n) : Infinity;
	view.g.font = '11px ' + colours.sans;
	view.g.textBaseline = 'alphabetic';
	if (inside < gaps.n && gaps.s[inside] < view.u1) drawSkippedAxis(timeline, view);
	else drawRealAxis(timeline, view);
}

/* Lane names, over a clean margin. */
function drawNames(timeline, view) {
	const { g, gutter } = view, most = Math.floor((gutter - 12) / view.character), cut = (text) => (text.length <= most ? text : text.slice(0, most - 1) + '\u2026');
	g.fillStyle = colours.bg;
	g.fillRect(0, 0, gutter - 1, timeline.height);
	g.fillStyle = colours.line;
	g.fillRect(gutter - 1, 0, 1, timeline.height);
	g.textBaseline = 'middle';
	for (const lane of timeline.lanes) {
		const isOn = lane.id !== undefined && lane.id === page.selected;
		g.font = (isOn ? '600 ' : '') + '10.5px ' + colours.mono;
		g.fillStyle = isOn ? colours.select : colours.muted;
		g.fillText(cut(lane.title), 6, lane.y + Math.min(lane.height, 16) / 2 + 0.5);
		if (lane.kind === 'variable' || lane.kind === 'looks') g.fillText(cut(`${lane.low}\u2026${lane.high}`), 6, lane.y + lane.height - 8);
	}
	g.fillStyle = colours.muted;
	g.font = '10.5px ' + colours.sans;
	g.fillText('all of it', 6, MINIMAP / 2);
}

/* What part the minimap's frame is of, what is measured, and where the pointer is. */
function drawMarks(timeline, view) {
	const { g, u0, u1, k, gutter, width } = view, { axis, height, range, cursor } = timeline, m = (width - gutter) / axis.length, x = (u) => gutter + (u - u0) * k;
	g.fillStyle = colours.range;
	g.fillRect(gutter + u0 * m, 0, Math.max(3, (u1 - u0) * m), MINIMAP);
	g.strokeStyle = colours.accent;
	g.strokeRect(gutter + u0 * m + 0.5, 0.5, Math.max(2, (u1 - u0) * m - 1), MINIMAP - 1);
	if (range) {
		const [a, b] = [Math.min(...range), Math.max(...range)].map(x);
		g.fillStyle = colours.range;
		g.fillRect(Math.max(gutter, a), MINIMAP + AXIS, Math.max(0, Math.min(width, b) - Math.max(gutter, a)), height);
		g.fillStyle = colours.accent;
		for (const at of [a, b]) if (at >= gutter) g.fillRect(at, MINIMAP, 1.5, height);
	}
	if (cursor === null || cursor < gutter) return;
	const text = formatMoment(axis.tell(u0 + (cursor - gutter) / k), 9);
	g.fillStyle = colours.cursor;
	g.fillRect(Math.round(cursor), MINIMAP, 1, height);
	g.font = '11px ' + colours.sans;
	const w = g.measureText(text).width + 8, left = Math.min(width - w, cursor + 1);
	g.fillRect(left, MINIMAP + 2, w, 16);
	g.fillStyle = colours.bg;
	g.fillText(text, left + 4, MINIMAP + 10.5);
}

function drawTimeline(timeline, g, width) {
	const gutter = width < 600 ? 78 : 128, { u0, u1, height } = timeline, view = { g, u0, u1, k: (width - gutter) / (u1 - u0), gutter, width };
	timeline.gutter = gutter;
	if (!timeline.map || timeline.map.forWidth !== width) timeline.map = makeMinimap(timeline, width);
	g.fillStyle = colours.bg;
	g.fillRect(0, 0, width, height);
	g.drawImage(timeline.map, 0, 0, width, MINIMAP);
	drawAxis(timeline, view);
	g.font = '10.5px ' + colours.mono;
	g.textBaseline = 'middle';
	view.character = g.measureText('m').width;
	for (const lane of timeline.lanes) {
		g.fillStyle = colours['line-soft'];
		g.fillRect(gutter, lane.y + lane.height + 2, width - gutter, 1);
		drawLane(view, lane);
	}
	drawFound(view, timeline.found);
	for (const lane of timeline.lanes) drawGaps(view, timeline.gapsOf.get(lane.core), lane.y, lane.height, 0.82);
	drawNames(timeline, view);
	drawMarks(timeline, view);
}
