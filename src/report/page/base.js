'use strict';
/* Elements, numbers with units, and what all parts of the page share: the data, the selection, the search. */

/* Text from an ELF reaches the document through textContent and setAttribute only; this is the only place that makes
 * elements. `props` are attributes, and listeners where the value is a function. */
function element(tag, props, ...children) {
	const e = tag === 'svg' || tag === 'rect' || tag === 'path' ? document.createElementNS('http://www.w3.org/2000/svg', tag)
		: document.createElement(tag);
	for (const [key, value] of Object.entries(props || {})) {
		if (typeof value === 'function') e.addEventListener(key, value);
		else if (value === true) e.setAttribute(key, '');
		else if (value !== null && value !== undefined && value !== false) e.setAttribute(key, value);
	}
	for (const child of children.flat(Infinity)) {
		if (child !== null && child !== undefined && child !== false) e.append(child);	/* strings become text nodes */
	}
	return e;
}

function fill(box, ...children) {
	box.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

function byId(id) {
	return document.getElementById(id);
}

/* --- numbers */

const NARROW = '\u202f';	/* between a number and its unit */

function digits(value, n) {
	if (value === 0) return '0';
	const whole = Math.max(1, Math.floor(Math.log10(Math.abs(value))) + 1);
	return value.toFixed(Math.max(0, n - whole));
}

function scaled(value, steps, n) {
	for (const [limit, divisor, unit] of steps) {
		if (Math.abs(value) < limit) return digits(value / divisor, n) + (unit ? NARROW + unit : '');
	}
	return '';
}

const NS = [[999.5, 1, 'ns'], [999.5e3, 1e3, 'us'], [999.5e6, 1e6, 'ms'], [Infinity, 1e9, 's']];
const SI = [[9999.5, 1, ''], [999.5e3, 1e3, 'k'], [999.5e6, 1e6, 'M'], [Infinity, 1e9, 'G']];

function formatTime(ns, n) {
	return ns === null || ns === undefined ? '' : scaled(ns, NS, n || 3);
}

/* Of the timeline's clock: ns, or cycles and instructions where the core clock is not known. */
function formatMoment(value, n) {
	const unit = page.data.timeline.unit;
	return unit === 'ns' ? formatTime(value, n) : `${scaled(value, SI, n || 4)}${NARROW}${unit}`;
}

function formatCount(value) {
	return value === null || value === undefined ? '' : scaled(value, SI, value < 9999.5 && Number.isInteger(value) ? 1 : 3);
}

/* A part of all, in percent; small parts do not look like none. */
function formatPercent(part) {
	const percent = 100 * part;
	if (percent === 0) return '0' + NARROW + '%';
	if (percent >= 99.95) return (percent < 100 ? '> 99.9' : '100') + NARROW + '%';
	return (percent < 0.005 ? '< 0.01' : percent < 10 ? percent.toFixed(2) : percent.toFixed(1)) + NARROW + '%';
}

/* --- what is selected, searched and hovered; the parts listen */

const page = { data: null, idOf: new Map(), timeline: null, selected: -1, search: '', listeners: [] };

function listen(listener) {
	page.listeners.push(listener);
}

function notify(what) {
	for (const listener of page.listeners) listener(what);
}

function select(id) {
	if (id === page.selected) return;
	page.selected = id;
	notify('selection');
}

function search(text) {
	page.search = text.trim().toLowerCase();
	notify('search');
}

function isMatch(id) {
	return page.search !== '' && id >= 0 && functionName(id).toLowerCase().includes(page.search);
}

function isSelected(id) {
	return id >= 0 && id === page.selected;
}

function functionName(id) {
	return id < 0 ? '[caller not seen]' : page.data.functions[id].name || '?';
}

function isInterrupt(id) {
	return id >= 0 && page.data.functions[id].irq === true;
}

/* --- colours of canvases: the variables of the style sheet, read again when the scheme changes */

const colours = {};

function readColours() {
	const style = getComputedStyle(document.documentElement);
	for (const name of ['bg', 'surface', 'raised', 'line', 'line-soft', 'text', 'muted', 'faint', 'accent', 'unknown', 'frame-text', 'select',
		'select-text', 'match', 'match-text', 'observed', 'asleep', 'unobserved', 'hatch', 'lost', 'lost-hatch', 'cursor', 'range', 'wave', 'var', 'bar', 'mono', 'sans']) {
		colours[name] = style.getPropertyValue('--' + name).trim();
	}
	/* Lightness tells neighbours apart, hue tells what kind it is: safe for the colour-blind and in print. */
	const shades = (kind) => {
		const value = (what) => parseFloat(style.getPropertyValue(`--${kind}-${what}`));
		const step = parseFloat(style.getPropertyValue('--thread-step'));
		return [0, 1, 2, 3, 4].map((n) => `hsl(${value('hue')} ${value('sat')}% ${value('light') + n * step}%)`);
	};
	colours.thread = shades('thread');
	colours.irq = shades('irq');
	colours.state = shades('state');
	colours.patterns = {};
	colours.shades = [];
}

function shadeOf(id) {
	if (id < 0) return colours.unknown;
	if (!colours.shades[id]) {
		const name = functionName(id);
		let hash = 7;
		for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
		colours.shades[id] = (isInterrupt(id) ? colours.irq : colours.thread)[hash % 5];
	}
	return colours.shades[id];
}

/* A hatched pattern: unobserved, lost, a caller that was not seen. */
function pattern(g, background, line, leaning) {
	const key = background + line + leaning;
	if (!colours.patterns[key]) {
		const tile = document.createElement('canvas');
		tile.width = tile.height = 8;
		const t = tile.getContext('2d');
		t.fillStyle = background;
		t.fillRect(0, 0, 8, 8);
		t.strokeStyle = line;
		t.lineWidth = leaning > 0 ? 1 : 2.4;
		for (const at of [-8, 0, 8]) {
			t.beginPath();
			t.moveTo(at - 2, leaning > 0 ? 10 : -2);
			t.lineTo(at + 10, leaning > 0 ? -2 : 10);
			t.stroke();
		}
		colours.patterns[key] = g.createPattern(tile, 'repeat');
	}
	return colours.patterns[key];
}

/* --- canvases: sized for the screen's pixels, drawn once a frame and only when something changed */

function makeCanvas(label, height, draw) {
	const canvas = element('canvas', { tabindex: 0, role: 'application', 'aria-label': label });
	const it = { canvas, width: 0, height, drawn_ms: 0, asked: false };

	it.redraw = () => {
		if (it.asked) return;
		it.asked = true;
		requestAnimationFrame(() => {
			it.asked = false;
			it.now();
		});
	};
	it.now = () => {
		const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth;
		if (!width) return;
		if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(it.height * ratio)) {
			canvas.style.height = it.height + 'px';
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(it.height * ratio);
		}
		it.width = width;
		const g = canvas.getContext('2d');
		g.setTransform(ratio, 0, 0, ratio, 0, 0);
		const before = performance.now();
		draw(g, width, it.height);
		it.drawn_ms = performance.now() - before;
	};
	new ResizeObserver(it.redraw).observe(canvas);
	return it;
}

/* --- tooltip: rows of [label, value], and a last line */

const tooltip = element('div', { class: 'tooltip', role: 'status' });

function showTooltip(x, y, title, rows, last) {
	tooltip.replaceChildren(element('b', null, title),
		...rows.filter((row) => row[1] !== '' && row[1] !== null && row[1] !== undefined).map(([k, v]) => element('div', null, element('span', null, k), element('span', null, v))),
		...(last ? [element('p', null, last)] : []));
	tooltip.style.display = 'block';
	const box = tooltip.getBoundingClientRect();
	tooltip.style.left = Math.max(6, Math.min(x + 14, innerWidth - box.width - 6)) + 'px';
	tooltip.style.top = (y + 18 + box.height > innerHeight ? Math.max(6, y - box.height - 10) : y + 18) + 'px';
}

function hideTooltip() {
	tooltip.style.display = 'none';
}

/* Whether the wheel belongs to the canvas: it does once the canvas has the focus, or with Ctrl; else the page scrolls. */
function wheelIsOurs(event, canvas, hint) {
	if (event.ctrlKey || event.metaKey || document.activeElement === canvas || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return true;
	hint.classList.add('on');
	clearTimeout(hint.timer);
	hint.timer = setTimeout(() => hint.classList.remove('on'), 1400);
	return false;
}

/* First index in [from, to) whose value is above `value`; the array is sorted. */
function firstAbove(array, value, from, to) {
	while (from < to) {
		const middle = (from + to) >>> 1;
		if (array[middle] > value) to = middle;
		else from = middle + 1;
	}
	return from;
}

/* The same, where the answer is likely near `from`: the steps double until they are too far. */
function nextAbove(array, value, from, to) {
	let step = 1, low = from;
	while (low + step < to && array[low + step] <= value) {
		low += step;
		step *= 2;
	}
	return firstAbove(array, value, low, Math.min(to, low + step + 1));
}

/* As much of a text as fits into a rectangle. */
function drawLabel(g, text, x, y, w, h, character, colour) {
	const fits = Math.floor((w - 6) / character);
	if (fits < 2) return;
	g.fillStyle = colour;
	g.fillText(text.length <= fits ? text : text.slice(0, fits - 1) + '\u2026', x + 3, y + h / 2 + 0.5);
}
