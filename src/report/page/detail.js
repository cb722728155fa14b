/* The selected function: its figures, the histogram of its durations, its callers, callees and lines. */

const BINS = 36;

/* Durations of a function in the timeline: whole ones, on the profile's clock where that is known, as the table's; and those of which
 * only a lower bound is known. */
function durationsOf(timeline, id) {
	const whole = [], cut = [], tick = page.data.ns_per_tick || 1;
	for (const { row, index, lane } of timeline ? timeline.found : []) {
		if (lane.kind !== 'stack') continue;
		for (const i of index) {
			if (row.id[i] !== id) continue;
			const isWhole = row.flags[i] === (START_SEEN | END_SEEN), time = row.ticks[i] >= 0 ? row.ticks[i] * tick : row.end[i] - row.start[i];
			if (time > 0) (isWhole ? whole : cut).push(time);
		}
	}
	return { whole, cut };
}

/* Bins of equal width on a logarithmic scale: { edge(i), bins: [whole, cut] }. */
function makeBins(whole, cut) {
	let low = Infinity, high = 0;
	for (const list of [whole, cut]) {
		for (const v of list) {
			low = Math.min(low, v);
			high = Math.max(high, v);
		}
	}
	if (high / low < 2) [low, high] = [low / 1.5, high * 1.5];
	const a = Math.log(low), b = Math.log(high * 1.0001), bins = Array.from({ length: BINS }, () => [0, 0]);
	const bin = (v) => bins[Math.min(BINS - 1, Math.max(0, Math.floor((Math.log(v) - a) / (b - a) * BINS)))];
	for (const v of whole) bin(v)[0]++;
	for (const v of cut) bin(v)[1]++;
	return { bins, edge: (i) => Math.exp(a + (b - a) * i / BINS) };
}

/* A cut duration is hatched, where it was cut: the call lasted longer. Square root: one slow call among a thousand stays visible. */
function drawHistogram(g, width, height, { bins, edge }) {
	const w = width / BINS, floor = height - 18, most = Math.max(...bins.map((x) => x[0] + x[1]));
	g.clearRect(0, 0, width, height);
	bins.forEach(([whole, cut], i) => {
		const top = Math.sqrt((whole + cut) / most) * (floor - 6), part = whole + cut ? top * whole / (whole + cut) : 0;
		g.fillStyle = colours.bar;
		g.fillRect(i * w, floor - part, w - 1, part);
		g.fillStyle = pattern(g, colours.surface, colours.muted, 1);
		if (cut) g.fillRect(i * w, floor - top, w - 1, top - part);
	});
	g.fillStyle = colours.line;
	g.fillRect(0, floor, width, 1);
	g.fillStyle = colours.muted;
	g.font = '11px ' + colours.sans;
	g.textBaseline = 'alphabetic';
	['left', 'center', 'right'].forEach((align, i) => {
		g.textAlign = align;
		g.fillText(formatMoment(edge(i * BINS / 2)), i * width / 2, height - 4);
	});
}

function makeHistogram() {
	const it = makeCanvas('Histogram of durations', 128, (g, w, h) => it.data && drawHistogram(g, w, h, it.data));
	it.canvas.setAttribute('role', 'img');
	it.canvas.tabIndex = -1;
	it.canvas.addEventListener('pointermove', (e) => {
		const i = Math.floor(e.offsetX / it.width * BINS), bin = it.data && it.data.bins[i];
		if (bin) showTooltip(e.clientX, e.clientY, `${formatMoment(it.data.edge(i))} to ${formatMoment(it.data.edge(i + 1))}`, [['calls', bin[0]], ['cut here: lasted longer', bin[1] || '']]);
	});
	it.canvas.addEventListener('pointerleave', hideTooltip);
	return it;
}

/* A list of other functions with a figure each. */
function relatives(title, rows, key) {
	if (!rows.length) return null;
	rows.sort((a, b) => ((b.count && b.count[0]) || 0) - ((a.count && a.count[0]) || 0));
	return [element('h3', null, title), element('ul', { class: 'links' }, rows.slice(0, 8).map((row) => element('li', null,
		element('button', { click: () => select(page.idOf.get(row[key]) ?? -1) }, row[key]), element('span', null, row.count ? row.count[1] + '\u00d7' : ''))))];
}

function hottestLines(name) {
	const rows = rowsByKey('lines').filter((row) => row.function === name && row.net_share && row.net_share[0] > 0).sort((a, b) => b.net_share[0] - a.net_share[0]).slice(0, 6);
	if (!rows.length) return null;
	return [element('h3', null, 'Hottest lines, self %'), element('ul', { class: 'links' }, rows.map((row) => element('li', null,
		element('code', null, `${(row.file || '?').split('/').pop()}:${row.line ? row.line[0] : '?'}`), element('span', null, row.net_share[1]))))];
}

/* All that the functions table has of it. */
function figuresOf(name) {
	const table = page.data.tables.find((t) => t.name === 'functions'), row = table && table.rows.find((r) => cellText(r[0]) === name);
	if (!row) return [];
	return table.columns.map((c, i) => [c, row[i]]).filter(([c, cell], i) => i > 0 && isKnown(cell) && c.unit !== 'address').map(([c, cell]) => {
		const ci = c.unit === 'share' && isKnown(cell[3]) ? ` (${(100 * cell[2]).toFixed(1)}\u2013${(100 * cell[3]).toFixed(1)})` : '';
		return [element('dt', null, c.title), element('dd', null, c.unit === 'text' ? cellText(cell) : c.unit === 'stamp' ? stampCell(cell) : cell[1] + ci)];
	});
}

class Detail {
	constructor(box) {
		this.box = box;
		this.histogram = makeHistogram();
	}

	durations() {
		const { whole, cut } = durationsOf(page.timeline, page.selected);
		this.histogram.data = whole.length + cut.length ? makeBins(whole, cut) : null;
		this.histogram.redraw();
		if (!this.histogram.data) return null;
		return [element('h3', null, `Calls in the timeline, with all they call and interrupts: ${whole.length} calls${cut.length ? `, ${cut.length} not seen whole` : ''}`), this.histogram.canvas,
			element('p', { class: 'note' }, cut.length ? 'Hatched: calls that were not seen whole, where they were cut. ' : '', 'Height is the square root of the count.')];
	}

	draw() {
		if (page.selected < 0) {
			fill(this.box, element('h2', { class: 'plain' }, 'No function selected'),
				element('p', { class: 'muted' }, 'Click a function in a table, the flame graph or the timeline: it is marked everywhere, and its durations, callers and lines are shown here.'));
			return;
		}
		const name = functionName(page.selected), calls = rowsByKey('calls');
		fill(this.box, element('h2', null, name), isInterrupt(page.selected) ? element('p', { class: 'muted' }, 'interrupt') : null,
			this.durations(), relatives('Called by', calls.filter((c) => c.to === name), 'from'), relatives('Calls', calls.filter((c) => c.from === name), 'to'),
			hottestLines(name), instructionsOf(name), element('h3', null, 'All figures'), element('dl', null, figuresOf(name)));
	}
}

/* Its instructions, with what they say; no text where the build or the instruction set has no disassembler. */
function instructionsOf(name) {
	const rows = rowsByKey('instructions').filter((row) => row.function === name).sort((a, b) => a.address[0] - b.address[0]);
	if (!rows.length) return null;
	return element('details', null, element('summary', null, `Instructions (${rows.length})`), element('table', { class: 'code' }, rows.map((row) => element('tr', null,
		element('td', { class: 'text' }, row.address[1]), element('td', { class: 'text' }, row.text || ''),
		element('td', null, row.count ? row.count[1] : ''), element('td', null, row.net_share ? row.net_share[1] : '')))));
}

function showDetail(box) {
	const detail = new Detail(box);
	listen((what) => { if (what === 'selection') detail.draw(); });
	detail.draw();
	return detail;
}
