/* Real time -> time on the screen and back. With `skip` each stretch without data is drawn equally wide, however long it
 * was: a profile of bursts observed a hundredth of the time, and would show nothing else. */
function makeAxis(from, to, gaps, skip) {
	const total = to - from, real = [from], shown = [0];
	let gapTime = 0;
	for (let i = 0; i < gaps.from.length; i++) gapTime += gaps.to[i] - gaps.from[i];
	const width = skip && gaps.from.length ? Math.max(1, (total - gapTime) * 0.12 / gaps.from.length) : 0;
	const push = (r, s) => {
		real.push(r);
		shown.push(s);
	};
	for (let i = 0; skip && i < gaps.from.length; i++) {
		const begin = Math.max(gaps.from[i], real[real.length - 1]), end = Math.max(gaps.to[i], begin);
		push(begin, shown[shown.length - 1] + begin - real[real.length - 1]);
		push(end, shown[shown.length - 1] + Math.min(width, end - begin));
	}
	push(to, shown[shown.length - 1] + to - real[real.length - 1]);
	const map = (a, b) => {
		let last = 0;	/* most questions come in order of time */
		return (v) => {
			if (v <= a[0]) return b[0];
			if (v < a[last]) last = 0;
			const i = Math.min(nextAbove(a, v, last, a.length), a.length - 1), span = a[i] - a[i - 1];
			last = i - 1;
			return span > 0 ? b[i - 1] + (v - a[i - 1]) * (b[i] - b[i - 1]) / span : b[i];
		};
	};
	return { length: shown[shown.length - 1], show: map(real, shown), tell: map(shown, real) };
}

/* The gaps of a core, or of all (null), as a row of slices; a place without length is in another. */
function gapRows(gaps, core) {
	const stretches = new Row(), places = new Row();
	for (let i = 0; i < gaps.from.length; i++) {
		if (core === null || gaps.core[i] === core) (gaps.from[i] === gaps.to[i] ? places : stretches).add(gaps.from[i], gaps.to[i], gaps.cause[i], 0);
	}
	stretches.close();
	places.close();
	return { stretches, places };
}

/* Stretches of time that no core shows: what overlaps becomes one. */
function mergedGaps(gaps) {
	const order = gaps.from.map((_, i) => i).sort((a, b) => gaps.from[a] - gaps.from[b]), from = [], to = [];
	for (const i of order) {
		if (gaps.to[i] === gaps.from[i]) continue;
		if (from.length && gaps.from[i] <= to[to.length - 1]) to[to.length - 1] = Math.max(to[to.length - 1], gaps.to[i]);
		else {
			from.push(gaps.from[i]);
			to.push(gaps.to[i]);
		}
	}
	const sum = [0];	/* time in the stretches before each */
	from.forEach((begin, i) => sum.push(sum[i] + to[i] - begin));
	return { from, to, sum };
}
