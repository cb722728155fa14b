/* A flame graph for any browser and viewer, without a script. */
#include <stdio.h>

#include "report/page/flame.h"
#include "report/table/format.h"
#include "report/text/caption.h"

extern const struct pt_format pt_format_svg;

static int write_svg(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		     struct pt_text *out, struct pt_err *err)
{
	char text[PT_CAPTION_LINES][PT_CAPTION_BYTES + 16];
	const char *lines[PT_CAPTION_LINES + 1] = { NULL };
	struct pt_stacks stacks;
	struct pt_caption caption;
	size_t n = 0;

	(void)view;
	(void)query;
	if (pt_stacks_make(&stacks, profile, PT_STACKS_BY_NAME, err) < 0)
		return err != NULL ? err->code : PT_ESTATE;
	pt_caption_make(&caption, profile);
	for (unsigned i = 0; i < PT_CAPTION_LINES; i++) {
		if (caption.line[i][0] == '\0')
			continue;
		snprintf(text[n], sizeof(text[n]), "%s%s%s", i == PT_CAPTION_PROFILE ? "" : pt_caption_key(i),
			 i == PT_CAPTION_PROFILE ? "" : ": ", caption.line[i]);
		lines[n] = text[n];
		n++;
	}
	pt_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	pt_flame_svg(out, profile, &stacks, lines);
	pt_stacks_free(&stacks);
	return 0;
}

const struct pt_format pt_format_svg = {
	.name = "svg", .suffix = ".svg", .help = "flame graph", .needs = "tree", .write = write_svg,
};
