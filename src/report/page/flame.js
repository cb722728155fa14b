/* Flame graph: the root on top, the heaviest child on the left. Widths are the times of the tree table. */

const FLAME_ROW = 19, FLAME_DEPTH = 60;

/* Nodes of page.data.tree as objects; `fold` draws recursion as one frame. */
function buildFlame(tree, fold) {
	const root = { id: tree.name[0], self: tree.self[0], total: 0, count: 0, parent: null, depth: 0, children: [], byId: new Map() }, nodes = [root];
	for (let i = 1; i < tree.parent.length; i++) {
		const id = tree.name[i], parent = nodes[tree.parent[i]];
		let node = fold && parent.id === id && parent !== root ? parent : parent.byId.get(id);
		if (!node) {
			node = { id, self: 0, total: 0, count: 0, parent, depth: parent.depth + 1, children: [], byId: new Map() };
			parent.children.push(node);
			parent.byId.set(id, node);
		}
		node.self += tree.self[i];
		node.count += tree.count[i];
		nodes.push(node);
	}
	const add = (node) => {
		node.total = node.self;
		for (const child of node.children) node.total += add(child);
		return node.total;
	};
	add(root);
	return root;
}

/* Gives each node x, in units of the root's total, and lists them; heaviest first, or by name. */
function layoutFlame(root, byName) {
	const list = [];
	const place = (node, x) => {
		node.x = x;
		list.push(node);
		node.children.sort(byName ? (a, b) => functionName(a.id).localeCompare(functionName(b.id)) : (a, b) => (a.id < 0) - (b.id < 0) || b.total - a.total);
		for (const child of node.children) {
			place(child, x);
			x += child.total;
		}
	};
	place(root, 0);
	return list;
}

class Flame {
	constructor() {
		this.fold = page.data.tree.parent.length > 300;
		this.byName = false;
		this.hint = element('div', { class: 'hint' }, 'Click the graph, then use the wheel to zoom');
		this.readout = element('div', { class: 'readout', 'aria-live': 'polite' });
		this.matched = element('span', { class: 'note num' });
		this.missing = element('p', { class: 'note' }, element('span', { class: 'swatch fill-unobserved' }),
			'[caller not seen]: these calls were running already when they were first seen. Who called them is not known.');
		this.it = makeCanvas('Flame graph. Arrow keys move, Enter zooms, Escape resets.', 100, (g, width, height) => this.draw(g, width, height));
		this.listenToPointer();
		this.it.canvas.addEventListener('keydown', (e) => this.onKey(e));
	}

	rebuild() {
		this.root = buildFlame(page.data.tree, this.fold);
		this.list = layoutFlame(this.root, this.byName);
		this.focus = this.hover = this.zoomed = null;
		[this.x0, this.x1] = [0, this.root.total];
		this.missing.hidden = !this.list.some((n) => n.id < 0 && n.total > 0);
		this.it.height = (Math.min(this.list.reduce((most, n) => Math.max(most, n.depth), 0), FLAME_DEPTH) + 1) * FLAME_ROW + 6;
		this.mark();
	}

	/* The share of what is searched for, or selected: of each path only the topmost counts. */
	mark() {
		const test = page.search !== '' ? (n) => isMatch(n.id) : page.selected >= 0 ? (n) => n.id === page.selected : null;
		let sum = 0;
		const walk = (n) => {
			if (test(n)) sum += n.total;
			else n.children.forEach(walk);
		};
		if (test) walk(this.root);
		const part = formatPercent(sum / this.root.total);
		fill(this.matched, !test ? '' : page.search !== '' ? `found: ${part}` : `${functionName(page.selected)}: ${part} with all it calls`);
		this.it.redraw();
	}

	fillOf(g, n) {
		if (isSelected(n.id)) return colours.select;
		if (isMatch(n.id)) return colours.match;
		return n.id < 0 ? pattern(g, colours.unobserved, colours.hatch, 1) : n.depth === 0 ? colours.unknown : shadeOf(n.id);
	}

	draw(g, width, height) {
		const k = width / (this.x1 - this.x0);
		g.fillStyle = colours.bg;
		g.fillRect(0, 0, width, height);
		g.font = '12px ' + colours.mono;
		g.textBaseline = 'middle';
		const character = g.measureText('m').width;
		for (const n of this.list) {
			const left = (n.x - this.x0) * k, right = (n.x + n.total - this.x0) * k;
			if (right < 0 || left > width || right - left < 0.4) continue;
			const x = Math.max(0, left), w = Math.min(width, right) - x, y = 3 + n.depth * FLAME_ROW;
			const isOn = isSelected(n.id) || isMatch(n.id);
			g.globalAlpha = page.search !== '' && !isOn ? 0.45 : this.zoomed && n.depth < this.zoomed.depth ? 0.6 : 1;
			g.fillStyle = this.fillOf(g, n);
			g.fillRect(x, y, w > 2 ? w - 1 : w, FLAME_ROW - 1);
			if (n === this.hover || n === this.focus) this.frame(g, x, y, w);
			drawLabel(g, functionName(n.id), x, y, w, FLAME_ROW, character, isSelected(n.id) ? colours['select-text'] : isMatch(n.id) ? colours['match-text'] : colours['frame-text']);
		}
		g.globalAlpha = 1;
	}

	frame(g, x, y, w) {
		g.strokeStyle = colours.text;
		g.lineWidth = 1.5;
		g.strokeRect(x + 0.75, y + 0.75, Math.max(1, w - 2.5), FLAME_ROW - 2.5);
	}

	nodeAt(event) {
		const box = this.it.canvas.getBoundingClientRect(), depth = Math.floor((event.clientY - box.top - 3) / FLAME_ROW);
		const x = this.x0 + (event.clientX - box.left) / this.it.width * (this.x1 - this.x0);
		return this.list.find((n) => n.depth === depth && x >= n.x && x < n.x + n.total) || null;
	}

	amount(ticks) {
		const { tree, ns_per_tick: tick } = page.data;
		return tree.unit === 'cycles' && tick !== null ? formatTime(ticks * tick, 4) : `${formatCount(ticks)} ${tree.unit}`;
	}

	tip(event, n) {
		const share = (v) => `${this.amount(v)} \u00b7 ${formatPercent(v / this.root.total)}`;
		showTooltip(event.clientX, event.clientY, functionName(n.id), [['total', share(n.total)], ['self', share(n.self)], ['entered', n.count ? formatCount(n.count) : '']],
			n.id < 0 ? 'It was running already when it was first seen: who called it is not known.' : null);
	}

	zoom(n) {
		this.zoomed = n && n.depth ? n : null;
		[this.x0, this.x1] = this.zoomed ? [n.x, n.x + n.total] : [0, this.root.total];
		this.it.redraw();
	}

	setView(from, width) {
		width = Math.min(this.root.total, Math.max(this.root.total / 5000, width));
		this.x0 = Math.max(0, Math.min(this.root.total - width, from));
		this.x1 = this.x0 + width;
		this.zoomed = null;
		this.it.redraw();
	}

	/* The first click selects, the second zooms; where nothing can be selected the first zooms. */
	onClick(n) {
		this.focus = n;
		if (n && n.depth && n.id >= 0 && n.id !== page.selected) select(n.id);
		else this.zoom(n);
		this.it.redraw();
	}

	onMove(e, drag) {
		const n = this.nodeAt(e);
		if (drag && Math.abs(e.clientX - drag.x) > 4) drag.moved = true;
		if (drag && drag.moved) this.setView(drag.from - (e.clientX - drag.x) / this.it.width * (this.x1 - this.x0), this.x1 - this.x0);
		if (n !== this.hover) this.it.redraw();
		this.hover = n;
		if (n && !(drag && drag.moved)) this.tip(e, n);
		else hideTooltip();
	}

	listenToPointer() {
		const { canvas } = this.it;
		let drag = null;
		canvas.addEventListener('pointerdown', (e) => {
			drag = { x: e.clientX, from: this.x0, moved: false };
			canvas.setPointerCapture(e.pointerId);
		});
		canvas.addEventListener('pointermove', (e) => this.onMove(e, drag));
		canvas.addEventListener('pointerup', (e) => {
			if (drag && !drag.moved) this.onClick(this.nodeAt(e));
			drag = null;
		});
		canvas.addEventListener('pointerleave', () => {
			this.hover = null;
			hideTooltip();
			this.it.redraw();
		});
		canvas.addEventListener('dblclick', (e) => this.zoom(this.nodeAt(e)));
		canvas.addEventListener('wheel', (e) => {
			if (!wheelIsOurs(e, canvas, this.hint)) return;
			e.preventDefault();
			const w = this.x1 - this.x0, to = Math.min(this.root.total, w * Math.exp(e.deltaY * 0.002));
			if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) this.setView(this.x0 + e.deltaX / this.it.width * w, w);
			else this.setView(this.x0 + (e.clientX - canvas.getBoundingClientRect().left) / this.it.width * (w - to), to);
		}, { passive: false });
	}

	onKey(e) {
		const n = this.focus || this.zoomed || this.root, among = n.parent ? n.parent.children : [n], w = this.x1 - this.x0;
		const step = { ArrowUp: n.parent, ArrowDown: n.children[0], ArrowLeft: among[among.indexOf(n) - 1], ArrowRight: among[among.indexOf(n) + 1] }[e.key];
		const factor = { '+': 0.6, '=': 0.6, '-': 1 / 0.6 }[e.key];
		if (e.key.startsWith('Arrow')) {
			this.focus = step || n;
			fill(this.readout, `${functionName(this.focus.id)}: total ${formatPercent(this.focus.total / this.root.total)}, self ${formatPercent(this.focus.self / this.root.total)}`);
		} else if (e.key === 'Enter' && this.focus) this.zoom(this.focus);
		else if (e.key === '0' || (e.key === 'Escape' && w < this.root.total)) {
			this.zoom(null);
			e.stopPropagation();
		} else if (factor) this.setView((this.x0 + this.x1) / 2 - w * factor / 2, w * factor);
		else return;
		e.preventDefault();
		this.it.redraw();
	}
}

function toggleButton(text, on, set) {
	const button = element('button', { class: 'button', 'aria-pressed': String(on), click: () => {
		on = !on;
		button.setAttribute('aria-pressed', String(on));
		set(on);
	} }, text);
	return button;
}

function showFlame(box) {
	if (page.data.tree.parent.length < 2) {
		fill(box, element('div', { class: 'head' }, element('h2', null, 'Flame graph')), element('p', { class: 'empty' },
			'Nothing tells who called whom: samples, bins and counters do not see it. A trace of branches does.'));
		return null;
	}
	const flame = new Flame(), set = (key) => (on) => {
		flame[key] = on;
		flame.rebuild();
	};
	fill(box, element('div', { class: 'head' }, element('h2', null, 'Flame graph'), flame.matched, element('span', { class: 'spacer' }),
		toggleButton('Fold recursion', flame.fold, set('fold')), toggleButton('By name', false, set('byName')),
		element('button', { class: 'button', click: () => flame.zoom(null) }, 'Reset zoom')),
	element('div', { class: 'canvas-box' }, flame.it.canvas, flame.hint), flame.readout, flame.missing);
	flame.rebuild();
	listen(() => flame.mark());
	return flame;
}
