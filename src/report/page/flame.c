/* Nodes come depth first: the left edge of a node is that of its parent plus the widths of its siblings before it. */
#include "report/page/flame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profile/result/profile.h"
#include "report/table/units.h"
#include "report/shared/xml.h"

enum { FRAME_PX = 16, FONT_PX = 12, SIDE_PX = 10, FOOT_PX = 34, TITLE_PX = 24, LINE_PX = 16 };
static const double LETTER_PX = 0.59 * FONT_PX, NARROWEST_PX = 0.1;

struct flame {
	const struct pt_profile *profile;
	const struct pt_stacks *stacks;
	double px_per_unit;
	unsigned height_px, head_px;
};

/* 0..1 from the first letters: similar names get similar colours. */
static double hash_of(const char *name, bool backwards)
{
	double v = 0, weight = 1, most = 1;
	size_t len = strlen(name);
	unsigned mod = 10;

	for (size_t i = 0; i < 3 && i < len; i++, mod++, weight *= 0.7) {
		unsigned char c = (unsigned char)name[backwards ? len - 1 - i : i];

		v += (double)(c % mod) / (mod - 1) * weight;
		most += weight;
	}
	return 1 - v / most;
}

static void fill_of(const struct pt_stack_node *node, char *out, size_t size)
{
	double v1 = hash_of(node->name, false), v2 = hash_of(node->name, true);

	if (node->function == NULL)
		snprintf(out, size, "rgb(200,200,200)");
	else if (node->exception)	/* another colour: an exception is not part of the flow around it */
		snprintf(out, size, "rgb(%d,%d,%d)", (int)(80 + 60 * v2), (int)(150 + 60 * v1), (int)(210 + 45 * v2));
	else
		snprintf(out, size, "rgb(%d,%d,%d)", (int)(205 + 50 * v2), (int)(230 * v1), (int)(55 * v2));
}

static void amount(const struct flame *f, uint64_t value, char *out, size_t size)
{
	static const struct pt_column ticks = { "", "", PT_UNIT_TICKS, true };
	const struct pt_value v = { .u = value };
	size_t len;

	if (f->stacks->unit[0] == 's') {
		snprintf(out, size, "%" PRIu64 " samples", value);
		return;
	}
	pt_print_cell(out, size, f->profile, &ticks, &v);
	len = strlen(out);
	if (f->profile->by_instructions || f->profile->core_hz == 0)
		snprintf(out + len, size - len, " %s", f->stacks->unit);
}

static void tooltip(const struct flame *f, const struct pt_stack_node *node, struct pt_text *out)
{
	uint64_t all = f->stacks->node[0].total;
	char total[PT_CELL_BYTES], self[PT_CELL_BYTES];

	amount(f, node->total, total, sizeof(total));
	amount(f, node->self, self, sizeof(self));
	pt_text_add(out, "<title>");
	pt_xml_text(out, node->name);
	pt_text_add(out, ": %s, %.2f %%; %s of its own", total, 100.0 * (double)node->total / (double)all, self);
	if (node->count != 0)
		pt_text_add(out, "; entered %" PRIu64 " times", node->count);
	pt_text_add(out, "</title>");
}

/* The part of a name that fits into a width in pixels; nothing if that is less than three letters. */
static void label(struct pt_text *out, const char *name, double width_px)
{
	size_t room = width_px > 0 ? (size_t)(width_px / LETTER_PX) : 0, n = 0, bytes = 0, cut = 0;

	for (; name[bytes] != '\0'; bytes++) {
		if (((unsigned char)name[bytes] & 0xc0) != 0x80 && ++n == room - 1)
			cut = bytes;
	}
	if (room < 3)
		return;
	pt_xml_text_n(out, name, n <= room ? bytes : cut);
	if (n > room)
		pt_text_add(out, "..");
}

static void frame(const struct flame *f, const struct pt_stack_node *node, double from_px, struct pt_text *out)
{
	double width_px = (double)node->total * f->px_per_unit;
	double y = f->height_px - FOOT_PX - (node->depth + 1.0) * FRAME_PX + 1;
	char fill[32];

	if (width_px < NARROWEST_PX)
		return;
	fill_of(node, fill, sizeof(fill));
	pt_text_add(out, "<g>");
	tooltip(f, node, out);
	pt_text_add(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\" rx=\"2\" ry=\"2\"/>",
		    from_px, y, width_px, FRAME_PX - 1, fill);
	if (width_px >= 3 * LETTER_PX) {
		pt_text_add(out, "<text x=\"%.1f\" y=\"%.1f\">", from_px + 3, y + 10.5);
		label(out, node->name, width_px);
		pt_text_add(out, "</text>");
	}
	pt_text_add(out, "</g>\n");
}

/* end_px[d]: left edge of the next node of depth d. */
static void frames(const struct flame *f, struct pt_text *out)
{
	double end_px[PT_STACKS_DEPTH + 2] = { SIDE_PX };

	for (size_t i = 0; i < f->stacks->n_nodes; i++) {
		const struct pt_stack_node *node = &f->stacks->node[i];

		if (node->depth > PT_STACKS_DEPTH)
			continue;
		frame(f, node, end_px[node->depth], out);
		end_px[node->depth + 1] = end_px[node->depth];
		end_px[node->depth] += (double)node->total * f->px_per_unit;
	}
}

static void heading(const char *const *lines, struct pt_text *out)
{
	unsigned y = TITLE_PX;

	for (size_t i = 0; lines[i] != NULL; i++, y += LINE_PX) {
		pt_text_add(out, "<text x=\"%d\" y=\"%u\" text-anchor=\"middle\"%s>", PT_FLAME_WIDTH_PX / 2, y,
			    i == 0 ? " font-size=\"17\"" : "");
		pt_xml_text(out, lines[i]);
		pt_text_add(out, "</text>\n");
	}
}

void pt_flame_svg(struct pt_text *out, const struct pt_profile *profile, const struct pt_stacks *stacks,
		  const char *const *lines)
{
	uint64_t all = stacks->node[0].total;
	struct flame f = {
		.profile = profile, .stacks = stacks, .head_px = TITLE_PX,
		.px_per_unit = (double)(PT_FLAME_WIDTH_PX - 2 * SIDE_PX) / (double)(all != 0 ? all : 1),
	};

	for (size_t i = 0; lines[i] != NULL; i++)
		f.head_px += LINE_PX;
	f.height_px = f.head_px + FOOT_PX + (stacks->deepest + 1) * FRAME_PX;
	pt_text_add(out,
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" "
		    "font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"%d\">\n",
		    PT_FLAME_WIDTH_PX, f.height_px, PT_FLAME_WIDTH_PX, f.height_px, FONT_PX);
	pt_text_add(out, "<defs><linearGradient id=\"paper\" y1=\"0\" y2=\"1\" x1=\"0\" x2=\"0\"><stop "
			 "stop-color=\"#eeeeee\" offset=\"5%%\"/><stop stop-color=\"#eeeeb0\" "
			 "offset=\"95%%\"/></linearGradient></defs>\n"
			 "<rect width=\"100%%\" height=\"100%%\" fill=\"url(#paper)\"/>\n");
	heading(lines, out);
	if (all != 0)
		frames(&f, out);
	pt_text_add(out, "</svg>\n");
}
