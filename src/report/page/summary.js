/* What was profiled, how much of the time was observed, how accurate it is, what is wrong; and the account of loss. */

/* The parts of an account: [class, word, ns, sign of a bound]. */
function timeParts(account) {
	return [
		['observed', 'observed', account.observed_ns, account.at_most ? '\u2264' + NARROW : ''],
		['asleep', 'core asleep', account.asleep_ns, ''],
		['unobserved', 'not observed', account.unobserved_ns - account.asleep_ns, account.at_most ? '\u2265' + NARROW : ''],
		['lost', 'lost', account.lost_ns, ''],	/* null: of unknown length */
	];
}

function isTimed(account) {
	return account.total_ns > 0 && page.data.run_ns > 0 && account.observed_ns !== null;
}

/* In view whatever part of the page is: no figure without its loss. */
function showAccount(box) {
	const timed = page.data.accounts.filter(isTimed);
	fill(box, timed.map((account) => {
		const part = (ns) => formatPercent(ns / page.data.run_ns), lost = account.lost_ns !== 0;
		return element('span', null, element('span', { class: 'swatch fill-observed' }), account.source ? account.source + ': ' : '', 'observed ',
			account.at_most ? '\u2264' + NARROW : '', part(account.observed_ns), ', ',
			element('span', { class: lost ? 'is-lost' : null }, account.lost_ns === null ? 'lost an unknown time' : lost ? `lost ${part(account.lost_ns)}` : 'lost nothing'));
	}), timed.length ? null : element('span', null, 'observed: time not known'));
}

/* The run went on before this source began, or after its end. */
function spacer(part) {
	const piece = element('div', null);
	piece.style.flexGrow = part;
	return piece;
}

function timeBar(account) {
	const parts = timeParts(account).filter((p) => p[2] > 0 || p[0] === 'observed' || p[0] === 'lost');
	const run = page.data.run_ns, share = (ns) => ns === null ? 'not known' : formatPercent(ns / run), rest = Math.max(0, run - account.total_ns);
	return [
		element('div', { class: 'timebar', role: 'img', 'aria-label': parts.map((p) => `${p[1]} ${share(p[2])}`).join(', ') },
			parts.filter((p) => p[2] > 0).map((p) => {
				const piece = element('div', { class: 'fill-' + p[0] });
				piece.style.flexGrow = Math.max(p[2] / run, 1e-6);
				return piece;
			}), rest > 1e-6 * run ? spacer(rest / run) : null),
		element('div', { class: 'legend num' }, element('span', null, account.source ? account.source + ': ' : '', element('strong', null, formatTime(account.total_ns, 4)), ' in all'),
			parts.map((p) => element('span', null, element('span', { class: 'swatch fill-' + p[0] }), p[1], ' ', p[3], p[2] === null ? 'an unknown time' : [p[2] ? formatTime(p[2], 4) : '0', element('span', { class: 'muted' }, ' \u00b7 ' + share(p[2]))]))),
	];
}

function showSummary(box) {
	const { headline, accounts } = page.data;
	fill(box, element('h1', null, headline.title), headline.warning ? element('p', { class: 'warning' }, headline.warning) : null,
		accounts.filter(isTimed).map(timeBar),
		element('dl', { class: 'facts' }, ['observed', 'accuracy'].filter((key) => headline[key]).map((key) => [element('dt', null, key), element('dd', null, headline[key])])));
}

function lossRow(loss, total) {
	return element('tr', null,
		element('td', { class: 'text' }, element('span', { class: 'swatch fill-' + loss.kind }), loss.cause, loss.source ? ` (${loss.source})` : ''),
		element('td', { class: 'text' }, { lost: 'lost', asleep: 'core asleep', unobserved: 'not observed' }[loss.kind]),
		element('td', null, total && loss.ns !== null ? formatPercent(loss.ns / total) : ''), element('td', null, formatTime(loss.ns, 4)), element('td', null, formatCount(loss.events)),
		element('td', { class: 'text wide-only muted wraps' }, loss.meaning, loss.advice ? ` \u2013 ${loss.advice}` : ''));
}

/* Where the time went that was not observed, by cause; and how the figures were made. */
function showLoss(box) {
	const d = page.data, total = d.run_ns;
	const rows = d.loss.slice().sort((a, b) => (b.kind === 'lost') - (a.kind === 'lost') || b.ns - a.ns);
	fill(box, element('div', { class: 'head' }, element('h2', null, 'Loss'),
		element('span', { class: 'note' }, 'Lost: a fault took the trace away. Not observed: the method does not look there.')),
	rows.length ? element('div', { class: 'table-box' }, element('table', { class: 'plain' },
		element('thead', null, element('tr', null, ['Cause', 'Kind', 'Of time', 'Time', 'Times', 'Meaning'].map((title, i) =>
			element('th', { class: i < 2 ? 'text' : i === 5 ? 'text wide-only' : null }, title)))),
		element('tbody', null, rows.map((loss) => lossRow(loss, total))))) : element('p', { class: 'empty' }, 'Nothing was lost, and nothing was left unobserved.'),
	element('details', null, element('summary', null, 'How the figures were made'), element('pre', null, d.details)));
}
