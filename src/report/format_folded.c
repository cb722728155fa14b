/* Folded stacks (facts: one line per chain, frames from the root joined by ';', a blank, a number), as flamegraph.pl and
 * speedscope read them. The number is time on the profile's clock, or samples.
 *
 * No line can say anything but a chain: speedscope would not know the file again. So what no hardware made says so in
 * the root of each chain. */
#include <inttypes.h>
#include <string.h>

#include "profile/profile.h"
#include "report/report.h"
#include "report/stacks.h"

extern const struct pt_format pt_format_folded;

/* A name can hold anything but the separators. */
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

static int write_folded(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
			struct pt_text *out, struct pt_err *err)
{
	struct pt_stacks stacks;

	(void)view;
	(void)query;
	if (pt_stacks_make(&stacks, profile, PT_STACKS_BY_NAME, err) < 0)
		return err != NULL ? err->code : PT_ESTATE;
	for (uint32_t i = 0; i < stacks.n_nodes; i++) {
		if (stacks.node[i].self == 0)
			continue;
		if (profile->from_virtual)
			pt_text_add(out, "VIRTUAL board;");
		if (i == 0)
			pt_text_add(out, "(unknown)");
		chain(out, &stacks, i);
		pt_text_add(out, " %" PRIu64 "\n", stacks.node[i].self);
	}
	pt_stacks_free(&stacks);
	return 0;
}

const struct pt_format pt_format_folded = {
	.name = "folded", .help = "chains of calls, a line each, for flamegraph.pl and speedscope", .needs = "tree",
	.write = write_folded,
};
