/* A flame graph that any browser and viewer shows, without a script. */
#include "report/table/facts.h"
#include "report/page/flame.h"
#include "report/table/format.h"

extern const struct pt_format pt_format_svg;

static int write_svg(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		     struct pt_text *out, struct pt_err *err)
{
	const char *lines[PT_FACTS_LINES + 1] = { NULL };
	struct pt_stacks stacks;
	struct pt_facts facts;

	(void)view;
	(void)query;
	if (pt_stacks_make(&stacks, profile, PT_STACKS_BY_NAME, err) < 0)
		return err != NULL ? err->code : PT_ESTATE;
	pt_facts_make(&facts, profile);
	for (size_t i = 0; i < PT_FACTS_LINES; i++)
		lines[i] = facts.line[i];
	pt_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	pt_flame_svg(out, profile, &stacks, lines);
	pt_stacks_free(&stacks);
	return 0;
}

const struct pt_format pt_format_svg = {
	.name = "svg", .help = "flame graph", .needs = "tree", .write = write_svg,
};
