/* A table that sorts, filters and hides columns. A cell of the data is null, a text, [text, indent], or
 * [number, as people read it, lower limit, upper limit]. */

const SHOWN_ROWS = 100;	/* until more are asked for */

function isKnown(value) {
	return value !== null && value !== undefined;
}

/* What a cell is sorted by. */
function sortValue(cell) {
	return Array.isArray(cell) ? cell[0] : cell;
}

function cellText(cell) {
	return typeof cell === 'string' ? cell : Array.isArray(cell) && typeof cell[0] === 'string' ? cell[0] : '';
}

function svgLine(path) {
	return element('path', { d: path, stroke: 'var(--whisker)', 'stroke-width': 1, fill: 'none', 'vector-effect': 'non-scaling-stroke' });
}

/* A share as a bar, with its interval as a whisker over it; all bars of a column have one scale. */
function shareCell([share, shown, low, high], scale) {
	const width = 100, x = (value) => (width * Math.max(0, Math.min(value, scale)) / scale).toFixed(1);
	const svg = element('svg', { class: 'bar', width, height: 14, viewBox: `0 0 ${width} 14`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
	if (isKnown(share)) svg.append(element('rect', { x: 0, y: 3, width: Math.max(0.8, +x(share)), height: 8, fill: 'var(--bar)' }));
	if (isKnown(high)) svg.append(svgLine(`M${x(low)} 7H${x(high)}M${x(low)} 4V10M${x(high)} 4V10`));
	return element('span', { class: 'share' }, svg, element('span', null, shown),
		isKnown(high) ? element('span', { class: 'ci' }, `${(100 * low).toFixed(1)}\u2013${(100 * high).toFixed(1)}`) : null);
}

/* How sure a number is: its interval in parts of the number, which is the dot; what goes beyond three times of it, ends there. */
function whisker([value, , low, high]) {
	if (!isKnown(high) || !(value > 0)) return null;
	const x = (v) => (2 + 36 * Math.min(3, Math.max(0, v / value)) / 3).toFixed(1);
	return element('svg', { class: 'whisker', width: 40, height: 10, viewBox: '0 0 40 10', 'aria-hidden': 'true' },
		svgLine(`M${x(low)} 5H${x(high)}M${x(low)} 2V8` + (high <= 3 * value ? `M${x(high)} 2V8` : '')),
		element('rect', { x: +x(value) - 1, y: 3, width: 3, height: 4, fill: 'var(--bar-strong)' }));
}

/* The text with what was searched for marked. */
function marked(text) {
	const at = page.search === '' ? -1 : text.toLowerCase().indexOf(page.search);
	return at < 0 ? [text] : [text.slice(0, at), element('mark', null, text.slice(at, at + page.search.length)), text.slice(at + page.search.length)];
}

function textCell(cell) {
	const text = cellText(cell), id = page.idOf.get(text);
	const tag = id === undefined ? null : element('span', { class: isInterrupt(id) ? 'tag interrupt' : 'tag', title: isInterrupt(id) ? 'interrupt' : 'function' });
	const inner = element('span', null, tag, marked(text));
	if (Array.isArray(cell)) inner.style.paddingLeft = Math.min(cell[1], 40) * 12 + 'px';
	return inner;
}

/* A moment leads to its place in the timeline. */
function stampCell([value, shown]) {
	const t = page.timeline;
	if (!t || page.data.timeline.unit !== 'ns' || value < t.from || value > t.to) return shown;
	return element('button', { class: 'link', title: 'Show it in the timeline', click: (e) => {
		e.stopPropagation();
		t.showMoment(value);
	} }, shown);
}

function cellOf(column, cell, scale) {
	if (!isKnown(cell)) return '';
	if (column.unit === 'text') return textCell(cell);
	if (column.unit === 'code') return element('code', null, cell);
	if (column.unit === 'share') return shareCell(cell, scale);
	if (column.unit === 'stamp') return stampCell(cell);
	return [whisker(cell), cell[1]];
}

class Table {
	constructor(box, data, onDraw) {
		Object.assign(this, { box, data, onDraw, all: false, sort: -1, descending: true });
		this.hidden = data.columns.map((c) => c.rank === 2);
		this.key = ['name', 'function', 'from', 'caller'].map((key) => data.columns.findIndex((c) => c.key === key)).find((c) => c >= 0);
		this.scales = data.columns.map((c, i) => (c.unit !== 'share' ? 1
			: Math.min(1, data.rows.reduce((most, row) => Math.max(most, (row[i] && (row[i][3] || row[i][0])) || 0), 0)) || 1));
	}

	idOf(row) {
		const id = this.key === undefined ? undefined : page.idOf.get(cellText(row[this.key]));
		return id === undefined ? -1 : id;
	}

	columns() {
		const narrow = innerWidth <= 600;
		return this.data.columns.map((_, i) => i).filter((i) => !this.hidden[i] && !(narrow && i > 0 && this.data.columns[i].rank === 1 && this.data.columns[i].unit === 'text'));
	}

	rows() {
		const texts = this.data.columns.map((_, i) => i).filter((i) => this.data.columns[i].unit === 'text');
		const rows = page.search === '' ? this.data.rows.slice() : this.data.rows.filter((row) => texts.some((i) => cellText(row[i]).toLowerCase().includes(page.search)));
		if (this.sort < 0) return rows;
		return rows.sort((a, b) => {
			const x = sortValue(a[this.sort]), y = sortValue(b[this.sort]);
			if (!isKnown(x) || !isKnown(y)) return isKnown(y) - isKnown(x);
			const order = typeof x === 'string' ? x.localeCompare(y) : x - y;
			return this.descending ? -order : order;
		});
	}

	sortBy(i) {
		this.descending = i === this.sort ? !this.descending : this.data.columns[i].unit !== 'text';
		this.sort = i;
		this.draw();
		this.box.querySelector(`button[data-column="${i}"]`).focus();
	}

	header(i) {
		const c = this.data.columns[i], is = i === this.sort;
		const button = element('button', { 'data-column': i, click: () => this.sortBy(i) }, c.title,
			element('span', { class: 'arrow', 'aria-hidden': 'true' }, is ? (this.descending ? '\u25be' : '\u25b4') : ''));
		return element('th', { class: c.unit === 'text' || c.unit === 'code' ? 'text' : null, scope: 'col', 'aria-sort': is ? (this.descending ? 'descending' : 'ascending') : null }, button);
	}

	row(row, columns, isFirst) {
		const id = this.idOf(row);
		const tr = element('tr', { tabindex: isFirst ? 0 : -1, 'data-id': id, 'aria-selected': String(id >= 0 && id === page.selected),
			click: () => select(id === page.selected ? -1 : id), keydown: (e) => this.onKey(e, id) });
		for (const i of columns) {
			const c = this.data.columns[i], isText = c.unit === 'text', isLeft = isText || c.unit === 'code';
			tr.append(element('td', { class: isLeft ? (i === columns[0] ? 'text name' : 'text place') : null, title: isText ? cellText(row[i]) : null },
				cellOf(c, row[i], this.scales[i])));
		}
		return tr;
	}

	draw() {
		const columns = this.columns(), rows = this.rows(), shown = this.all ? rows : rows.slice(0, SHOWN_ROWS);
		this.box.replaceChildren(element('table', null, element('thead', null, element('tr', null, columns.map((i) => this.header(i)))),
			element('tbody', null, shown.map((row, n) => this.row(row, columns, n === 0)))));
		if (!rows.length) this.box.append(element('p', { class: 'empty' }, page.search ? `Nothing here has \u201c${page.search}\u201d in its name.` : 'No rows.'));
		if (rows.length > shown.length) {
			this.box.append(element('button', { class: 'button more', click: () => {
				this.all = true;
				this.draw();
			} }, `Show all ${rows.length}`));
		}
		this.onDraw(rows.length, this.data.rows.length, this.data.of);
	}

	mark() {
		for (const tr of this.box.querySelectorAll('tbody tr')) tr.setAttribute('aria-selected', String(page.selected >= 0 && +tr.dataset.id === page.selected));
	}

	onKey(event, id) {
		const tr = event.currentTarget;
		const to = { ArrowDown: tr.nextElementSibling, ArrowUp: tr.previousElementSibling, Home: tr.parentNode.firstElementChild, End: tr.parentNode.lastElementChild }[event.key];
		if (to) {
			tr.tabIndex = -1;
			to.tabIndex = 0;
			to.focus();
			select(+to.dataset.id);
		} else if (event.key === 'Enter' || event.key === ' ') select(id);
		else return;
		event.preventDefault();
	}
}
