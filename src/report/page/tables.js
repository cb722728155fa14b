/* The tables, one shown at a time, and the tabs that choose it. */

function showColumnMenu(menu, table) {
	fill(menu, table.data.columns.map((c, i) => (i === 0 ? null : element('label', null, element('input', { type: 'checkbox', checked: !table.hidden[i], change: (e) => {
		table.hidden[i] = !e.target.checked;
		table.draw();
	} }), c.title))));
}

/* Returns { table, open(name), draw() }: the table that is shown. A snapshot of a live page opens the one that was open. */
function showTables(name) {
	const it = { table: null };
	const onDraw = (n, all, of) => fill(byId('table-count'), n === all ? `${all}` : `${n} of ${all}`, of > all ? ` (of ${of}: top=0 has all)` : '');

	it.open = (wanted) => {
		const data = page.data.tables.find((t) => t.name === wanted) || page.data.tables[0];
		if (!data) return;
		it.table = new Table(byId('table'), data, onDraw);
		for (const tab of byId('table-tabs').children) tab.setAttribute('aria-selected', String(tab.dataset.name === data.name));
		showColumnMenu(byId('table-columns'), it.table);
		fill(byId('table-note'), `${data.help}. `, data.notes.join(' '));
		it.table.draw();
	};
	it.draw = () => it.table && it.table.draw();
	fill(byId('table-tabs'), page.data.tables.map((t) => element('button', { role: 'tab', 'data-name': t.name, title: t.help, click: () => it.open(t.name) }, t.name)));
	if (!page.data.tables.length) fill(byId('table'), element('p', { class: 'empty' }, 'There is nothing in this profile that a table could show.'));
	it.open(name || page.data.view);
	listen((what) => it.table && (what === 'selection' ? it.table.mark() : it.table.draw()));
	return it;
}

/* A table's rows as objects by key of column: for what other parts of the page look up. */
function rowsByKey(name) {
	const table = page.data.tables.find((t) => t.name === name);
	return !table ? [] : table.rows.map((row) => Object.fromEntries(table.columns.map((c, i) => [c.key, row[i]])));
}
