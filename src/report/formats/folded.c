/* Folded stacks (facts: one line per chain, frames from the root joined by ';', a blank, a number), as flamegraph.pl
 * and speedscope read them. The number is time on the profile's clock, or samples.
 *
 * Each line must be a chain: speedscope would not recognise the file otherwise. So profiles of virtual boards say so in
 * the root of each chain.
 *
 * A line has only names, so chains with equal names become one line, even if they differ otherwise (a handler entered
 * by an exception or found running; two functions of one name), as readers expect that add up lines by name. It is at
 * the place of the first of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/result/profile.h"
#include "report/table/format.h"
#include "report/shared/stacks.h"

extern const struct pt_format pt_format_folded;

/* Replaces the separators in a name. */
static void frame(struct pt_text *out, const char *name)
{
	for (size_t len; *name != '\0'; name += len + (name[len] != '\0')) {
		len = strcspn(name, ";\r\n");
		pt_text_bytes(out, name, len);
		if (name[len] != '\0')
			pt_text_bytes(out, ":", 1);
	}
}

static void chain(struct pt_text *out, const struct pt_stacks *stacks, uint32_t at)
{
	uint32_t path[PT_STACKS_DEPTH];
	size_t n = 0;

	for (; at != 0 && n < PT_STACKS_DEPTH; at = stacks->node[at].parent)
		path[n++] = at;
	while (n-- > 0) {
		frame(out, stacks->node[path[n]].name);
		pt_text_bytes(out, ";", n > 0);
	}
}

struct line { size_t at; const char *text; uint32_t number; uint64_t self; };

static int by_text(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static int by_number(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Makes a line for each chain with time of its own; writes their texts, NUL-terminated, to text. Returns their
 * number. */
static size_t make_lines(const struct pt_profile *profile, const struct pt_stacks *stacks, struct line *lines,
			 struct pt_text *text)
{
	size_t n = 0;

	for (uint32_t i = 0; i < stacks->n_nodes; i++) {
		if (stacks->node[i].self == 0)
			continue;
		lines[n++] = (struct line){ .at = text->len_bytes, .number = i, .self = stacks->node[i].self };
		if (profile->from_virtual)
			pt_text_add(text, "VIRTUAL board;");
		if (i == 0)
			pt_text_add(text, "(unknown)");
		chain(text, stacks, i);
		pt_text_bytes(text, "", 1);
	}
	for (size_t i = 0; i < n && !text->overflow; i++)
		lines[i].text = text->bytes + lines[i].at;
	return n;
}

/* Merges lines with the same text into the first of them. Returns the number of lines left; keeps their order. */
static size_t add_up(struct line *lines, size_t n)
{
	size_t kept = 0;

	qsort(lines, n, sizeof(*lines), by_text);
	for (size_t i = 0; i < n; i++)
		if (kept > 0 && strcmp(lines[kept - 1].text, lines[i].text) == 0)
			lines[kept - 1].self += lines[i].self;
		else
			lines[kept++] = lines[i];
	qsort(lines, kept, sizeof(*lines), by_number);
	return kept;
}

static int write_folded(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
			struct pt_text *out, struct pt_err *err)
{
	struct pt_text text = { 0 };
	struct pt_stacks stacks;
	struct line *lines;
	size_t n;

	(void)view;
	(void)query;
	if (pt_stacks_make(&stacks, profile, PT_STACKS_BY_NAME, err) < 0)
		return err != NULL ? err->code : PT_ESTATE;
	lines = pt_alloc_array(stacks.n_nodes + 1, sizeof(*lines));
	n = make_lines(profile, &stacks, lines, &text);
	out->overflow |= text.overflow;
	if (!out->overflow)
		n = add_up(lines, n);
	for (size_t i = 0; i < n && !out->overflow; i++)
		pt_text_add(out, "%s %" PRIu64 "\n", lines[i].text, lines[i].self);
	free(lines);
	pt_text_free(&text);
	pt_stacks_free(&stacks);
	return 0;
}

const struct pt_format pt_format_folded = {
	.name = "folded", .suffix = ".folded", .help = "chains of calls, a line each, for flamegraph.pl and speedscope", .needs = "tree",
	.write = write_folded,
};
