/* Puts the parts on the page. A live page calls proftapPage.show(data) with each new snapshot: the table that is open, the
 * selection and the search stay. */

const parts = {};

function showChip() {
	fill(byId('chip'), page.selected < 0 ? null : element('span', { class: 'chip' }, element('span', null, functionName(page.selected)),
		element('button', { 'aria-label': 'Clear the selection', click: () => select(-1) }, '\u00d7')));
}

function redrawAll() {
	readColours();
	if (page.timeline) page.timeline.map = null;
	for (const part of [parts.flame, page.timeline]) if (part) part.it.redraw();
	if (parts.detail) parts.detail.histogram.redraw();
}

function begin(data) {
	const name = page.selected >= 0 ? functionName(page.selected) : null;
	Object.assign(page, { data, listeners: [], timeline: null, idOf: new Map(data.functions.map((f, i) => [f.name, i])) });
	page.selected = name !== null && page.idOf.has(name) ? page.idOf.get(name) : -1;
	document.title = `${data.headline.title} \u2013 proftap`;
	readColours();
}

async function show(data) {
	if (data.schema !== 'proftap-page-1') throw new Error(`This page reads proftap-page-1, and not ${data.schema}.`);
	const open = parts.tables && parts.tables.table ? parts.tables.table.data.name : null;
	begin(data);
	showAccount(byId('account'));
	showSummary(byId('summary'));
	fill(byId('made'), data.made_by || 'proftap');
	parts.flame = showFlame(byId('flame'));
	showLoss(byId('loss'));
	listen(showChip);
	showChip();
	parts.tables = showTables(open);
	page.timeline = await showTimeline(byId('timeline'));
	parts.tables.draw();	/* now moments have a place to lead to */
	parts.detail = showDetail(byId('detail'));
	byId('detail').hidden = !data.functions.length;
	document.documentElement.dataset.ready = 'yes';
}

function onKey(e) {
	const isTyping = e.target.tagName === 'INPUT';
	if (e.key === '/' && !isTyping) {
		byId('search').focus();
		byId('search').select();
		e.preventDefault();
	} else if (e.key === 'Escape' && isTyping && e.target.value !== '') {
		e.target.value = '';
		search('');
	} else if (e.key === 'Escape' && isTyping) e.target.blur();
	else if (e.key === 'Escape') select(-1);
	else if (e.key === '?' && !isTyping) byId('keys').showModal();
}

/* Paper is white: canvases are drawn again in the light colours before the browser takes their pictures. */
function forPrint(on) {
	if (on) document.documentElement.dataset.print = 'yes';
	else delete document.documentElement.dataset.print;
	redrawAll();
	for (const it of [parts.flame && parts.flame.it, page.timeline && page.timeline.it, parts.detail && parts.detail.histogram]) if (it) it.now();
}

byId('search').addEventListener('input', (e) => search(e.target.value));
addEventListener('keydown', onKey);
addEventListener('beforeprint', () => forPrint(true));
addEventListener('afterprint', () => forPrint(false));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawAll);
matchMedia('(max-width: 600px)').addEventListener('change', () => parts.tables && parts.tables.draw());
document.body.append(tooltip);
window.proftapPage = { show, parts, page, select, search };

show(JSON.parse(byId('proftap-data').textContent)).catch((error) => byId('summary').append(element('p', { class: 'warning' }, String(error.message || error))));
