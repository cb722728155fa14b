#include "import/named_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/harmless.h"
#include "base/util.h"

void pt_named_fini(struct pt_named_lines *n)
{
	for (size_t i = 0; i < PT_NAMED_HASH; i++)
		free(n->known[i].name);
	free(n->change);
	pt_stream_fini(&n->stream);
}

uint16_t pt_named_line(struct pt_named_lines *n, char *name, bool wide)
{
	uint32_t hash = 5381;

	pt_harmless(name, "");
	for (char *c = name; *c != '\0'; c++) {
		*c = *c == ',' ? ';' : *c;	/* lists of lines have commas */
		hash = hash * 33 ^ (uint8_t)*c;
	}
	for (hash %= PT_NAMED_HASH; n->known[hash].name != NULL; hash = (hash + 1) % PT_NAMED_HASH)
		if (strcmp(n->known[hash].name, name) == 0)
			return n->known[hash].line;
	if (n->n_names == PT_NAMED_LINES)
		return PT_NAMED_LINES;
	n->known[hash].name = pt_strdup(name);
	n->known[hash].line = (uint16_t)n->n_names;
	n->wide[n->n_names] = wide;
	return (uint16_t)n->n_names++;
}

static void add_change(struct pt_named_lines *n, struct pt_named_change change)
{
	if (n->n_changes == PT_NAMED_CHANGES) {
		n->left_out++;
		return;
	}
	if (n->n_changes == n->room) {
		n->room = n->room > 0 ? 2 * n->room : 1024;
		n->change = pt_realloc_array(n->change, n->room, sizeof(*n->change));
	}
	n->end = change.ticks > n->end ? change.ticks : n->end;
	n->change[n->n_changes++] = change;
}

void pt_named_level(struct pt_named_lines *n, uint64_t ticks, uint16_t line, bool high)
{
	if (!n->wide[line])
		add_change(n, (struct pt_named_change){ ticks, high, line, high });
}

void pt_named_value(struct pt_named_lines *n, uint64_t ticks, uint16_t line, uint64_t value)
{
	if (n->wide[line])
		add_change(n, (struct pt_named_change){ ticks, value, line, false });
}

/* What ends at a time comes before what begins. */
static int compare(const void *a, const void *b)
{
	const struct pt_named_change *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? -1 : 1;
	return x->high - y->high;
}

/* False: the level stays. */
static bool take_change(struct pt_named_lines *n, const struct pt_named_change *c, struct pt_stream_record *record)
{
	uint16_t *depth = &n->depth[c->line];

	if (n->wide[c->line]) {
		pt_stream_line(record, c->ticks, c->line, c->value, 8);
		return true;
	}
	if (!c->high && *depth == 0)
		return false;		/* it has not begun in the file */
	*depth = c->high ? (uint16_t)(*depth + 1) : (uint16_t)(*depth - 1);
	if (*depth != (c->high ? 1 : 0))
		return false;
	pt_stream_line(record, c->ticks, c->line, c->high, 1);
	return true;
}

/* First all levels are low. */
static int pull(void *state, struct pt_stream_record *record, struct pt_err *err)
{
	struct pt_named_lines *n = state;

	(void)err;
	while (n->next < n->lines.n_lines) {
		unsigned line = (unsigned)n->next++;

		pt_stream_line(record, n->n_changes > 0 ? n->change[0].ticks : 0, line, 0, 1);
		if (!n->wide[line])
			return 1;
	}
	while (n->next - n->lines.n_lines < n->n_changes)
		if (take_change(n, &n->change[n->next++ - n->lines.n_lines], record))
			return 1;
	if (n->left_out > 0)
		pt_stream_lose(&n->stream, PT_UNKNOWN);
	n->left_out = 0;
	record->ticks = n->end;
	pt_notes_end(&n->notes);
	return 0;
}

int pt_named_begin(struct pt_named_lines *n, uint64_t tick_hz, const char *what, struct pt_err *err)
{
	const char *name[PT_NAMED_LINES + 1] = { [PT_NAMED_LINES] = "(others)" };

	if (n->n_changes == 0)
		return pt_fail(err, PT_EARG, "there are no %s in it", what);
	if (n->left_out > 0)
		pt_notes_add(&n->notes,
			     "the first %d ends and beginnings of %s are taken, %" PRIu64 " behind them are left out",
			     PT_NAMED_CHANGES, what, n->left_out);
	qsort(n->change, n->n_changes, sizeof(*n->change), compare);
	for (size_t i = 0; i < PT_NAMED_HASH; i++)
		if (n->known[i].name != NULL)
			name[n->known[i].line] = n->known[i].name;
	n->stream.pull = pull;
	n->stream.state = n;
	n->stream.tick_hz = tick_hz;
	pt_text_add(&n->stream.config, "tick_hz=%" PRIu64 "\n", tick_hz);
	for (size_t i = 0; i < n->n_names + (n->n_names == PT_NAMED_LINES); i++)
		pt_lines_add(&n->lines, &n->stream.config, name[i], "", n->wide[i] ? 64 : 1);
	return pt_lines_finish(&n->lines, &n->stream.config, &n->notes, err);
}
