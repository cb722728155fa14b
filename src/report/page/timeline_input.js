/* The timeline's pointer, wheel and keys. */

function onTimelineMove(timeline, e, drag) {
	const { it } = timeline, [x, y] = placeOf(it.canvas, e), k = (it.width - timeline.gutter) / (timeline.u1 - timeline.u0), span = timeline.u1 - timeline.u0;
	timeline.cursor = x;
	if (drag && Math.abs(x - drag.x) > 3) drag.moved = true;
	if (drag && drag.what === 'map') timeline.setView((x - timeline.gutter) / (it.width - timeline.gutter) * timeline.axis.length - span / 2, span);
	else if (drag && drag.moved && drag.what === 'pan') timeline.setView(drag.u0 - (x - drag.x) / k, span);
	else if (drag && drag.moved && drag.what === 'measure') {
		timeline.range = [drag.x, x].map((at) => timeline.u0 + Math.max(0, at - timeline.gutter) / k);
		timeline.tellRange();
	}
	const hit = drag && drag.moved ? null : timeline.sliceAt(x, y);
	if (hit) timeline.tip(e, hit);
	else hideTooltip();
	it.canvas.style.cursor = drag && drag.moved && drag.what === 'pan' ? 'grabbing' : timeline.measuring ? 'crosshair' : hit ? 'pointer' : 'default';
	it.redraw();
}

function onTimelineClick(timeline, x, y) {
	const hit = timeline.sliceAt(x, y);
	if (hit && (hit.lane.kind === 'stack' || hit.lane.kind === 'interrupt')) select(hit.row.id[hit.i]);
	else if (timeline.range) {
		timeline.range = null;
		timeline.tellRange();
	}
}

function onTimelineKey(timeline, e) {
	const { it, axis, u0, u1 } = timeline, span = u1 - u0, middle = timeline.cursor !== null ? timeline.cursor : (timeline.gutter + it.width) / 2;
	const actions = {
		'+': () => timeline.zoomAt(middle, 0.6), '=': () => timeline.zoomAt(middle, 0.6), '-': () => timeline.zoomAt(middle, 1 / 0.6),
		ArrowLeft: () => timeline.setView(u0 - span * 0.15, span), ArrowRight: () => timeline.setView(u0 + span * 0.15, span),
		Home: () => timeline.setView(0, span), End: () => timeline.setView(axis.length - span, span), 0: () => timeline.setView(0, axis.length),
		']': () => timeline.step(true), '[': () => timeline.step(false), m: () => timeline.measureButton.click(),
	};
	if (e.key === 'Escape' && timeline.range) {
		timeline.range = null;
		timeline.tellRange();
		e.stopPropagation();
	} else if (actions[e.key] && !e.ctrlKey && !e.metaKey) actions[e.key]();
	else return;
	e.preventDefault();
	it.redraw();
}

function onTimelineWheel(timeline, e) {
	const { it, u0, u1 } = timeline;
	if (!wheelIsOurs(e, it.canvas, timeline.hint)) return;
	e.preventDefault();
	if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) timeline.setView(u0 + e.deltaX / it.width * (u1 - u0), u1 - u0);
	else timeline.zoomAt(placeOf(it.canvas, e)[0], Math.exp(Math.max(-120, Math.min(120, e.deltaY)) * 0.004));
}

function placeOf(canvas, e) {
	const box = canvas.getBoundingClientRect();
	return [e.clientX - box.left, e.clientY - box.top];
}

/* Two fingers zoom: the span shrinks as they move apart. */
function pinch(timeline, pointers, e) {
	const before = [...pointers.values()], spread = (p) => Math.max(20, Math.abs(p[0][0] - p[1][0]));
	pointers.set(e.pointerId, placeOf(timeline.it.canvas, e));
	timeline.zoomAt((before[0][0] + before[1][0]) / 2, spread(before) / spread([...pointers.values()]));
}

function listenToTimeline(timeline) {
	const { canvas } = timeline.it, pointers = new Map();
	let drag = null;
	const release = (e) => {
		pointers.delete(e.pointerId);
		if (e.type === 'pointerup' && drag && !drag.moved && drag.what !== 'map') onTimelineClick(timeline, ...placeOf(canvas, e));
		drag = null;
		timeline.it.redraw();
	};
	canvas.addEventListener('pointerdown', (e) => {
		const [x, y] = placeOf(canvas, e);
		pointers.set(e.pointerId, [x, y]);
		canvas.setPointerCapture(e.pointerId);
		drag = { x, u0: timeline.u0, moved: pointers.size > 1, what: y < MINIMAP ? 'map' : e.shiftKey || timeline.measuring ? 'measure' : 'pan' };
	});
	canvas.addEventListener('pointermove', (e) => (pointers.size === 2 && pointers.has(e.pointerId) ? pinch(timeline, pointers, e) : onTimelineMove(timeline, e, drag)));
	canvas.addEventListener('pointerup', release);
	canvas.addEventListener('pointercancel', release);
	canvas.addEventListener('pointerleave', () => {
		timeline.cursor = null;
		hideTooltip();
		timeline.it.redraw();
	});
	canvas.addEventListener('dblclick', (e) => {
		const hit = timeline.sliceAt(...placeOf(canvas, e));
		if (hit) timeline.setView(hit.row.s[hit.i] - (hit.row.e[hit.i] - hit.row.s[hit.i]) * 0.1, (hit.row.e[hit.i] - hit.row.s[hit.i]) * 1.2);
	});
	canvas.addEventListener('wheel', (e) => onTimelineWheel(timeline, e), { passive: false });
	canvas.addEventListener('keydown', (e) => onTimelineKey(timeline, e));
}
