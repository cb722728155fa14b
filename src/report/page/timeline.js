/* Timeline: what it shows, which part of it, and what is measured. Zoomed out, a column of pixels takes one search per row,
 * however many slices it holds, so that a frame costs about (rows x pixels x log slices). */

const MINIMAP = 30, AXIS = 22, LEAST_SPAN = 20;

class Timeline {
	constructor(t) {
		const { gaps } = page.data.timeline;
		Object.assign(this, { t, from: t.from, to: t.to, gaps, all: mergedGaps(gaps), lanes: makeLanes(t), cursor: null, range: null, measuring: false, found: [], map: null, gutter: 128 });
		this.gapsOf = new Map([null, ...this.lanes.map((lane) => lane.core)].map((core) => [core, gapRows(gaps, core === undefined ? null : core)]));
		this.gapTime = this.all.sum[this.all.from.length];
		this.isFlow = this.lanes.some((lane) => lane.kind === 'stack');	/* of looks and values alone it is not known what was not observed */
		this.skip = this.gapTime > 0.8 * (this.to - this.from);
		let y = MINIMAP + AXIS + 4;
		for (const lane of this.lanes) {
			lane.y = y;
			y += lane.height + 5;
		}
		this.height = y + 2;
		this.it = makeCanvas('Timeline. Plus and minus zoom, arrows pan, 0 shows all, brackets go to the next call of the selected function.',
			this.height, (g, width) => drawTimeline(this, g, width));
		this.hint = element('div', { class: 'hint' }, 'Click the timeline, then use the wheel to zoom');
		this.readout = element('div', { class: 'readout', 'aria-live': 'polite' });
		listenToTimeline(this);
	}

	/* Puts everything on the axis; row.sum is how much of it the slices before each take. */
	setAxis() {
		this.axis = makeAxis(this.from, this.to, this.all, this.skip);
		for (const row of [...this.lanes.flatMap((lane) => lane.rows), ...[...this.gapsOf.values()].flatMap((of) => [of.stretches, of.places])]) {
			row.s = row.start.map(this.axis.show);
			row.e = row.end.map(this.axis.show);
			row.sum = new Float64Array(row.n + 1);
			for (let i = 0; i < row.n; i++) row.sum[i + 1] = row.sum[i] + row.e[i] - row.s[i];
		}
		[this.u0, this.u1] = [0, this.axis.length];
		this.map = null;
		this.mark();
	}

	/* The slices of the selected and of the found functions, row by row: they stay visible at every zoom. */
	mark() {
		const ids = page.search === '' ? null : page.data.functions.map((_, i) => isMatch(i) && i !== page.selected);
		this.found = [];
		for (const lane of this.lanes.filter((l) => l.kind === 'stack' || l.kind === 'interrupt')) {
			lane.rows.forEach((row, depth) => {
				if (ids) this.markRow(lane, row, depth, (id) => ids[id], 'match');
				if (page.selected >= 0) this.markRow(lane, row, depth, (id) => id === page.selected, 'select');
			});
		}
		this.tellRange();
		this.it.redraw();
	}

	markRow(lane, row, depth, test, colour) {
		const index = [];
		for (let i = 0; i < row.n; i++) if (test(row.id[i])) index.push(i);
		if (!index.length) return;
		const pick = (column) => {
			const out = new Float64Array(index.length);
			for (let i = 0; i < index.length; i++) out[i] = column[index[i]];
			return out;
		};
		const part = { s: pick(row.s), e: pick(row.e), id: pick(row.id), n: index.length, sum: new Float64Array(index.length + 1) };
		for (let i = 0; i < part.n; i++) part.sum[i + 1] = part.sum[i] + part.e[i] - part.s[i];
		this.found.push({ lane, depth, row, index, part, colour });
	}

	/* --- which part is shown */

	setView(from, span) {
		span = Math.max(Math.min(LEAST_SPAN, this.axis.length), Math.min(this.axis.length, span));
		this.u0 = Math.max(0, Math.min(this.axis.length - span, from));
		this.u1 = this.u0 + span;
		this.it.redraw();
	}

	zoomAt(x, factor) {
		const span = this.u1 - this.u0, to = Math.max(LEAST_SPAN, Math.min(this.axis.length, span * factor));
		const here = Math.max(0, (x - this.gutter) / (this.it.width - this.gutter));
		this.setView(this.u0 + here * (span - to), to);
	}

	/* A moment of another table, in the middle, with the cursor's range around it. */
	showMoment(moment) {
		const at = this.axis.show(moment), span = Math.min(this.u1 - this.u0, Math.max(this.axis.length / 200, 200000));
		this.setView(at - span / 2, span);
		this.range = [at, at];
		this.tellRange();
		this.it.canvas.scrollIntoView({ block: 'center' });
	}

	/* The call of the selected function before or after the middle of the view. */
	step(forward) {
		const now = (this.u0 + this.u1) / 2, slack = (this.u1 - this.u0) * 1e-6;
		let best = null;
		for (const { part: { s, e, n } } of this.found) {
			const i = forward ? firstAbove(s, now + slack, 0, n) : firstAbove(s, now - slack, 0, n) - 1;
			if (i >= 0 && i < n && (!best || (forward ? s[i] < best[0] : s[i] > best[0]))) best = [s[i], e[i]];
		}
		if (!best) return;
		const span = Math.min(this.u1 - this.u0, Math.max(12 * (best[1] - best[0]), 2000));
		this.setView(best[0] - span / 2, span);
	}

	/* --- what is where */

	sliceAt(x, y) {
		const lane = this.lanes.find((l) => y >= l.y && y < l.y + l.height);
		if (!lane || x < this.gutter) return null;
		const row = lane.rows[lane.kind === 'stack' ? Math.floor((y - lane.y) / DEPTH_ROW) : 0];
		if (!row) return null;
		const u = this.u0 + (x - this.gutter) / (this.it.width - this.gutter) * (this.u1 - this.u0);
		const slack = 1.5 * (this.u1 - this.u0) / this.it.width;	/* a slice thinner than a pixel can be hit, too */
		const i = firstAbove(row.e, u - slack, 0, row.n);
		return i < row.n && row.s[i] <= u + slack ? { lane, row, i } : null;
	}

	/* How much of a stretch of real time was not observed. */
	hidden(from, to) {
		const { all } = this, upto = (time) => {
			const i = firstAbove(all.from, time, 0, all.from.length) - 1;
			return i < 0 ? 0 : all.sum[i] + Math.min(time, all.to[i]) - all.from[i];
		};
		return upto(to) - upto(from);
	}

	tip(event, { lane, row, i }) {
		const whole = row.flags[i] === (START_SEEN | END_SEEN), isCode = lane.kind === 'stack' || lane.kind === 'interrupt';
		const name = isCode ? functionName(row.id[i]) : `${lane.of || lane.title} = ${page.data.timeline.values[row.id[i]]}`, hidden = this.hidden(row.start[i], row.end[i]);
		if (lane.kind === 'looks') {
			showTooltip(event.clientX, event.clientY, name, [['found at', formatMoment(row.start[i], 9)], ['next look after', formatMoment(row.end[i] - row.start[i], 4)]]);
			return;
		}
		showTooltip(event.clientX, event.clientY, name, [['took', row.ticks[i] >= 0 && page.data.ns_per_tick ? formatTime(row.ticks[i] * page.data.ns_per_tick, 4) : ''],
			['lasts', (whole ? '' : '\u2265' + NARROW) + formatMoment(row.end[i] - row.start[i], 4)],
			['of it not observed', hidden ? formatMoment(hidden, 4) : ''], ['from', formatMoment(row.start[i], 9)], ['to', formatMoment(row.end[i], 9)]],
		whole ? null : !(row.flags[i] & START_SEEN) ? 'Its start was not seen.' : 'Its end was not seen.');
	}

	/* What lies between the two marks. */
	tellRange() {
		if (!this.range) {
			fill(this.readout, '');
			return;
		}
		const [a, b] = [Math.min(...this.range), Math.max(...this.range)].map(this.axis.tell), span = b - a;
		const parts = [`${formatMoment(span, 5)} from ${formatMoment(a, 9)}`];
		if (span > 0 && page.data.timeline.unit === 'ns') parts.push(`${scaled(1e9 / span, SI, 4)}${NARROW}Hz`);
		if (span > 0 && this.isFlow) parts.push(`observed ${atMost()}${formatPercent(1 - this.hidden(a, b) / span)}`);
		if (page.selected >= 0) parts.push(this.tellSelected(a, b));
		fill(this.readout, parts.join(' \u00b7 '));
	}

	tellSelected(a, b) {
		let calls = 0, time = 0;
		for (const { row, index } of this.found.filter((x) => x.colour === 'select' && x.lane.kind === 'stack')) {
			for (const i of index) {
				if (row.start[i] >= a && row.start[i] < b && row.flags[i] & START_SEEN) calls++;
				time += Math.max(0, Math.min(b, row.end[i]) - Math.max(a, row.start[i]));
			}
		}
		return `${functionName(page.selected)}: ${calls} calls begin here, in it ${time ? formatMoment(time, 4) : '0'} (recursion counted again)`;
	}
}

/* A source that finds halts late has observed less than the time between them. */
function atMost() {
	return page.data.accounts.some((account) => account.at_most) ? '\u2264' + NARROW : '';
}

function timelineNote(timeline) {
	const { t, gapTime, isFlow } = timeline, { kept, all } = page.data.timeline, span = t.to - t.from;
	const gone = kept < all ? ` The last ${formatCount(kept)} of ${formatCount(all)} events: timeline=N keeps more.` : '';
	return formatMoment(span, 4) + (isFlow ? `, observed ${atMost()}${formatPercent(span > 0 ? 1 - gapTime / span : 1)} of it.` : '.') + gone;
}

function timelineLegend({ lanes, isFlow }) {
	const entry = (is, kind, text) => (is ? element('span', null, element('span', { class: 'swatch ' + kind }), text) : null);
	return element('div', { class: 'legend muted' }, entry(isFlow, 'is-function', 'function'), entry(lanes.some((lane) => lane.kind === 'interrupt'), 'is-interrupt', 'interrupt'),
		entry(true, 'fill-unobserved', 'not observed'), entry(true, 'fill-lost', 'lost'));
}

async function showTimeline(box) {
	const data = page.data.timeline, title = element('h2', null, 'Timeline');
	if (data.missing || !data.count) {
		fill(box, element('div', { class: 'head' }, title), element('p', { class: 'empty' }, data.missing || 'The timeline is empty.'));
		return null;
	}
	const timeline = new Timeline(await decodeTimeline(data));
	timeline.setAxis();
	timeline.measureButton = toggleButton('Measure', false, (on) => { timeline.measuring = on; });
	const skip = timeline.all.from.length ? toggleButton('Skip unobserved time', timeline.skip, (on) => {
		Object.assign(timeline, { skip: on, range: null });
		timeline.setAxis();
	}) : null;
	fill(box, element('div', { class: 'head' }, title, element('span', { class: 'note num' }, timelineNote(timeline)), element('span', { class: 'spacer' }),
		element('button', { class: 'button', title: 'Call of the selected function before ([)', click: () => timeline.step(false) }, '\u2039 Previous'),
		element('button', { class: 'button', title: 'Call of the selected function after (])', click: () => timeline.step(true) }, 'Next \u203a'),
		timeline.measureButton, skip, element('button', { class: 'button', click: () => timeline.setView(0, timeline.axis.length) }, 'Show all')),
	element('div', { class: 'canvas-box' }, timeline.it.canvas, timeline.hint), timeline.readout, timelineLegend(timeline));
	listen(() => timeline.mark());
	return timeline;
}
