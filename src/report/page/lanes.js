/* What the timeline shows from top to bottom: interrupts, stacks, states, lines, variables. A lane draws its rows into a view:
 * { g, u0, u1, k, gutter, width }: the part of the axis that is shown, and pixels per unit of it. */

const DEPTH_ROW = 15, DEPTHS = 40, MOST_INTERRUPTS = 16, MOST_STATES = 16;

/* A lane for each value, so that tasks are told apart by their places; of many values one lane, with their names in it. */
function stateLanes(title, core, row) {
	const { values } = page.data.timeline, found = [...new Set(row.id)].sort((a, b) => a - b);
	if (found.length > MOST_STATES) return [{ kind: 'states', title, core, rows: [row], height: 16 }];
	return found.map((id) => {
		const part = new Row();
		for (let i = 0; i < row.n; i++) if (row.id[i] === id) part.add(row.start[i], row.end[i], id, row.flags[i]);
		part.close();
		return { kind: 'states', title: String(values[id]), of: title, core, rows: [part], height: 14 };
	});
}

function makeLanes(t) {
	const { tracks, values } = page.data.timeline, lanes = [], several = new Set(tracks.map((x) => x.core)).size > 1;
	const title = (x) => (several ? `core ${x.core}: ` : '') + (x.name || '?');
	for (const { id, row } of t.interrupts.slice(0, MOST_INTERRUPTS)) lanes.push({ kind: 'interrupt', title: functionName(id), id, rows: [row], height: 14 });
	tracks.forEach((x, i) => {
		const rows = x.kind === 'stack' ? t.tracks[i].rows.slice(0, DEPTHS) : [t.tracks[i].row];
		if (!rows.length || !rows[0].n) return;
		if (x.kind === 'stack') lanes.push({ kind: 'stack', title: title(x), core: x.core, rows, height: rows.length * DEPTH_ROW + 2 });
		else if (x.kind === 'variable' || x.kind === 'looks') {
			const numbers = Array.from(rows[0].id, (id) => values[id]);
			lanes.push({ kind: x.kind, title: title(x), core: x.core, rows, height: 44, low: numbers.reduce((a, b) => Math.min(a, b)), high: numbers.reduce((a, b) => Math.max(a, b)) });
		} else if (x.kind === 'states') lanes.push(...stateLanes(title(x), x.core, rows[0]));
		else lanes.push({ kind: x.kind, title: title(x), core: x.core, rows, height: 20, low: 0, high: 1 });
	});
	const order = ['states', 'interrupt', 'stack', 'line', 'variable', 'looks'];
	lanes.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
	return lanes;
}

/* Columns of pixels with many slices in them: how full it is decides how strong its colour is. Neighbours that look the same
 * become one rectangle: rectangles are what costs. */
class Columns {
	constructor(g, x0, y, h) {
		Object.assign(this, { g, x0, y, h, from: 0, to: 0, level: 0, colour: null });
	}

	add(column, fullness, colour) {
		const level = Math.min(5, 2 + Math.floor(4 * fullness));
		if (column !== this.to || level !== this.level || colour !== this.colour) {
			this.flush();
			Object.assign(this, { from: column, level, colour });
		}
		this.to = column + 1;
	}

	flush() {
		if (this.to > this.from) {
			this.g.fillStyle = this.colour;
			this.g.globalAlpha = this.level / 5;
			this.g.fillRect(this.x0 + this.from, this.y, this.to - this.from, this.h);
			this.g.globalAlpha = 1;
		}
		this.from = this.to = 0;
	}
}

/* Slices that are wide enough one by one, with labels; the others column by column, so that the work is that of the pixels,
 * however many slices there are. ink: { one(id), many(id), label(id) or null, text, alpha } */
function drawSlices(view, row, y, h, ink) {
	const { g, u0, u1, k, gutter, width } = view, { s, e, sum, id, n } = row, columns = new Columns(g, gutter, y, h);
	let i = firstAbove(e, u0, 0, n);
	while (i < n && s[i] < u1) {
		const left = (s[i] - u0) * k, right = (e[i] - u0) * k;
		if (right - left >= 1.5) {
			const x = Math.max(gutter, gutter + left), w = Math.min(width, gutter + right) - x;
			columns.flush();
			g.fillStyle = ink.one(id[i]);
			g.globalAlpha = ink.alpha || 1;
			g.fillRect(x, y, w > 3 ? w - 0.7 : w, h);
			g.globalAlpha = 1;
			if (ink.label && w > 24) drawLabel(g, ink.label(id[i]), x, y, w, h, view.character, ink.text);
			i++;
		} else {
			const column = Math.floor(left), upto = nextAbove(s, u0 + (column + 1) / k, i, n);
			const next = Math.max(i + 1, (e[upto - 1] - s[upto - 1]) * k >= 1.5 ? upto - 1 : upto);	/* the last may be wide: it is drawn by itself */
			columns.add(column, (sum[next] - sum[i]) * k, ink.many(id[(i + next) >> 1]));
			i = next;
		}
	}
	columns.flush();
}

/* The least and the most of a column's values: all of them, or some 64. */
function extremes(row, values, from, to) {
	let low = Infinity, high = -Infinity;
	for (let j = from; j < to; j += Math.max(1, (to - from) >> 6)) {
		low = Math.min(low, values[row.id[j]]);
		high = Math.max(high, values[row.id[j]]);
	}
	return [low, high];
}

/* A value is a level until the next one; nothing is drawn where it was not known. */
function drawSteps(view, lane, colour) {
	const { g, u0, u1, k, gutter, width } = view, row = lane.rows[0], { s, e, id, n } = row, { values } = page.data.timeline;
	const y = (v) => lane.y + lane.height - 2 - (v - lane.low) / (lane.high - lane.low || 1) * (lane.height - 5);
	let i = firstAbove(e, u0, 0, n), last = null;
	g.strokeStyle = colour;
	g.lineWidth = 1.3;
	g.beginPath();
	while (i < n && s[i] < u1) {
		const column = Math.floor((s[i] - u0) * k), next = Math.max(i + 1, nextAbove(s, u0 + (column + 1) / k, i, n));
		const x = Math.max(gutter, gutter + (s[i] - u0) * k), right = Math.min(width, gutter + (e[next - 1] - u0) * k);
		const [low, high] = extremes(row, values, i, next), end = values[id[next - 1]];
		if (last === null || s[i] > e[i - 1]) g.moveTo(x, y(values[id[i]]));
		else g.lineTo(x, y(last));
		for (const v of [low, high, end]) g.lineTo(x, y(v));
		g.lineTo(right, y(end));
		last = end;
		i = next;
	}
	g.stroke();
}

/* What looks found: a dot each, as nothing tells what was between them; of many in a column of pixels the least and the most. */
function drawLooks(view, lane, colour) {
	const { g, u0, u1, k, gutter } = view, row = lane.rows[0], { s, n } = row, { values } = page.data.timeline;
	const y = (v) => lane.y + lane.height - 4 - (v - lane.low) / (lane.high - lane.low || 1) * (lane.height - 8);
	g.fillStyle = colour;
	for (let i = firstAbove(s, u0, 0, n); i < n && s[i] < u1;) {
		const column = Math.floor((s[i] - u0) * k), next = Math.max(i + 1, nextAbove(s, u0 + (column + 1) / k, i, n));
		for (const v of new Set(extremes(row, values, i, next))) g.fillRect(gutter + column - 1, y(v) - 1, 3, 3);
		i = next;
	}
}
