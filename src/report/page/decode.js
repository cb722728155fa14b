/* Timeline events of the data -> rows of slices and steps. page_timeline.c says what an event is. */

const BEGINS = 0, WAS_RUNNING = 1, ENDS = 2;
const START_SEEN = 1, END_SEEN = 2;

async function unpackColumn(text, count) {
	const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
	const plain = new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
	const out = new Float64Array(count);
	let at = 0;
	for (let i = 0; i < count; i++) {
		let value = 0, factor = 1, byte;
		do {
			byte = plain[at++];
			value += (byte & 127) * factor;	/* no shifts: a dt may exceed 32 bits */
			factor *= 128;
		} while (byte > 127);
		out[i] = value;
	}
	return out;
}

/* Slices of one row, which do not overlap, in order of time: four columns that grow. */
class Row {
	constructor() {
		Object.assign(this, { start: [], end: [], id: [], flags: [], ticks: [], n: 0 });
	}

	/* ticks: of the call, on the profile's clock; -1: not known */
	add(start, end, id, flags, ticks = -1) {
		this.start.push(start);
		this.end.push(end);
		this.id.push(id);
		this.flags.push(flags);
		this.ticks.push(ticks);
	}

	/* No more come. Nested interrupts of one name end out of order: rare, and then worth a sort. */
	close() {
		const { start } = this;
		let order = null;
		for (let i = 1; i < start.length && !order; i++) if (start[i] < start[i - 1]) order = start.map((_, n) => n).sort((a, b) => start[a] - start[b]);
		const column = (Type, values) => Type.from(order ? order.map((n) => values[n]) : values);
		this.start = column(Float64Array, this.start);
		this.end = column(Float64Array, this.end);
		this.id = column(Int32Array, this.id);
		this.flags = column(Uint8Array, this.flags);
		this.ticks = column(Float64Array, this.ticks);
		this.n = this.start.length;
	}
}

/* The frames that are open on a track, and the rows of those that have ended, by depth. */
class StackTrack {
	constructor(interrupts) {
		Object.assign(this, { open: [], rows: [], interrupts });
	}

	take(time, what, ticks) {
		const code = what & 3;
		if (code <= WAS_RUNNING) this.open.push([(what - code) / 4, time, code === BEGINS ? START_SEEN : 0]);
		else if (this.open.length) this.end(time, code === ENDS ? END_SEEN : 0, ticks);
	}

	end(time, flag, ticks) {
		const [id, start, flags] = this.open.pop(), depth = this.open.length;
		while (this.rows.length <= depth) this.rows.push(new Row());
		this.rows[depth].add(start, time, id, flags | flag, ticks);
		if (!isInterrupt(id)) return;
		if (!this.interrupts.has(id)) this.interrupts.set(id, new Row());
		this.interrupts.get(id).add(start, time, id, flags | flag, ticks);
	}

	close(time) {
		while (this.open.length) this.end(time, 0);
		this.rows.forEach((row) => row.close());
	}
}

/* A value until the next one; 0 is not known, and no step. */
class StepTrack {
	constructor() {
		Object.assign(this, { row: new Row(), from: 0, value: 0 });
	}

	take(time, what) {
		if (this.value && time > this.from) this.row.add(this.from, time, this.value, START_SEEN | END_SEEN);
		[this.from, this.value] = [time, what];
	}

	close(time) {
		this.take(time, 0);
		this.row.close();
	}
}

/* { from, to, tracks, interrupts: [{ id, row }] } */
async function decodeTimeline(t) {
	const [dt, track, what, call] = await Promise.all([[t.dt, t.count], [t.track, t.count], [t.what, t.count], [t.call, t.calls]].map((column) => unpackColumn(...column)));
	const isStack = t.tracks.map((x) => x.kind === 'stack');
	const interrupts = new Map(), tracks = isStack.map((is) => (is ? new StackTrack(interrupts) : new StepTrack()));
	let time = t.from, n = 0;
	for (let i = 0; i < t.count; i++) {
		time += dt[i];
		tracks[track[i]].take(time, what[i], isStack[track[i]] && (what[i] & 3) === ENDS ? call[n++] - 1 : -1);
	}
	const to = Math.max(time, t.to), from = t.gaps.from.length ? Math.min(t.from, t.gaps.from[0]) : t.from;
	tracks.forEach((x) => x.close(to));
	for (const row of interrupts.values()) row.close();
	return { from, to, tracks, interrupts: [...interrupts].sort((a, b) => a[0] - b[0]).map(([id, row]) => ({ id, row })) };
}
