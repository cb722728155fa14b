/* Invocations are drawn when they end, from where they began; those whose begin is no longer in the ring, or that have
 * not ended, reach to the edges. The horizontal axis is the profile's clock, which stands still over gaps. Each core
 * has a clock of its own, and so a chart. */
#include "report/page/chart.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "profile/result/profile.h"
#include "profile/analyses/calls/timeline.h"
#include "report/page/flame.h"
#include "report/table/names.h"
#include "report/table/units.h"
#include "report/shared/xml.h"

enum { EVENTS = 2000, ROW_PX = 16, HEAD_PX = 22, SIDE_PX = 10, MOST_DEPTH = 24, GAP_PX = 3 };

struct open { uint64_t from; uint16_t id; bool exception, known; };

struct chart {
	struct pt_text *out;
	const struct pt_profile *profile;
	const struct pt_timeline *timeline;
	uint16_t core;			/* whose events are drawn */
	size_t first;			/* event that the chart begins with */
	uint64_t from, to;		/* on the profile's clock */
	double px_per_tick;
	unsigned deepest;
	struct open open[MOST_DEPTH + 1];	/* by depth */
};

static bool is_drawn(const struct chart *c, const struct pt_timeline_event *event)
{
	return event->clock != PT_UNKNOWN && event->core == c->core;
}

/* The last events of the core. */
static size_t find_first(const struct chart *c)
{
	size_t i = c->timeline->n;

	for (size_t n = 0; i > 0 && n < EVENTS; i--)
		n += is_drawn(c, pt_timeline_at(c->timeline, i - 1));
	return i;
}

static bool measure(struct chart *c)
{
	size_t n = c->timeline->n;

	c->first = find_first(c);
	c->from = PT_UNKNOWN;
	for (size_t i = c->first; i < n; i++) {
		const struct pt_timeline_event *event = pt_timeline_at(c->timeline, i);

		if (!is_drawn(c, event))
			continue;
		if (c->from == PT_UNKNOWN)
			c->from = event->clock;
		c->to = event->clock;
		if (event->depth > c->deepest)
			c->deepest = event->depth < MOST_DEPTH ? event->depth : MOST_DEPTH;
	}
	if (c->from == PT_UNKNOWN || c->to <= c->from || c->deepest == 0)
		return false;
	c->px_per_tick = (double)(PT_FLAME_WIDTH_PX - 2 * SIDE_PX) / (double)(c->to - c->from);
	return true;
}

static double x_of(const struct chart *c, uint64_t clock)
{
	return SIDE_PX + (double)(clock - c->from) * c->px_per_tick;
}

static void ticks(const struct chart *c, uint64_t value, char *out, size_t size)
{
	static const struct pt_column column = { "", "", PT_UNIT_TICKS, true };
	const struct pt_value v = { .u = value };

	pt_print_cell(out, size, c->profile, &column, &v);
}

static void slice(struct chart *c, const struct open *o, unsigned depth, uint64_t to, bool whole)
{
	double x = x_of(c, o->from), width = x_of(c, to) - x;
	const char *name = pt_name_of_function(c->profile, o->id);
	char length[PT_CELL_BYTES];

	ticks(c, to - o->from, length, sizeof(length));
	pt_text_add(c->out, "<g><title>");
	pt_xml_text(c->out, name);
	pt_text_add(c->out, ": %s%s</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"%s\"%s/>",
		    length, whole ? "" : " and more", x, HEAD_PX + (depth - 1) * ROW_PX, width > 0.3 ? width : 0.3,
		    ROW_PX - 1,
		    o->exception     ? "#80b4f0"
		    : depth % 2 == 0 ? "#f0b050"
				     : "#f5c878",
		    whole ? "" : " opacity=\"0.6\"");
	if (width > 40) {
		pt_text_add(c->out, "<text x=\"%.1f\" y=\"%u\">", x + 3, HEAD_PX + (depth - 1) * ROW_PX + 12);
		pt_flame_label(c->out, name, width - 6);
		pt_text_add(c->out, "</text>");
	}
	pt_text_add(c->out, "</g>\n");
}

static void gap(struct chart *c, uint64_t at)
{
	pt_text_add(c->out,
		    "<rect x=\"%.2f\" y=\"%d\" width=\"%d\" height=\"%u\" fill=\"#c03030\"><title>gap: what ran here "
		    "is not known</title></rect>\n",
		    x_of(c, at), HEAD_PX - 4, GAP_PX, c->deepest * ROW_PX + 4);
}

static void take(struct chart *c, const struct pt_timeline_event *event)
{
	unsigned depth = event->depth < MOST_DEPTH ? event->depth : MOST_DEPTH;
	struct open *o = &c->open[depth];

	switch (event->kind) {
	case PT_TIMELINE_CALL: case PT_TIMELINE_TAIL_CALL: case PT_TIMELINE_EXCEPTION: case PT_TIMELINE_UNSEEN:
		*o = (struct open){ event->clock, event->id, event->kind == PT_TIMELINE_EXCEPTION, true };
		break;
	case PT_TIMELINE_LEAVE: case PT_TIMELINE_CUT:
		if (!o->known || o->id != event->id)
			*o = (struct open){ c->from, event->id, false, true };
		if (depth > 0)
			slice(c, o, depth, event->clock, event->kind == PT_TIMELINE_LEAVE && o->from > c->from);
		o->known = false;
		break;
	case PT_TIMELINE_GAP:
		gap(c, event->clock);
		break;
	default:
		break;
	}
}

static void still_open(struct chart *c)
{
	for (unsigned depth = 1; depth <= c->deepest; depth++)
		if (c->open[depth].known)
			slice(c, &c->open[depth], depth, c->to, false);
}

/* several: which core it is of needs to be said. */
static void draw(struct chart *c, bool several)
{
	char length[PT_CELL_BYTES], whose[24] = "";

	if (!measure(c))
		return;
	if (several)
		snprintf(whose, sizeof(whose), "core %u: ", c->core);
	ticks(c, c->to - c->from, length, sizeof(length));
	pt_text_add(c->out,
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" font-family=\"Verdana,DejaVu "
		    "Sans,sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#f4f4f0\"/>\n"
		    "<text x=\"%d\" y=\"14\">%sthe last %s; gaps (red) have no time</text>\n",
		    PT_FLAME_WIDTH_PX, HEAD_PX + (c->deepest + 1) * ROW_PX, SIDE_PX, whose, length);
	for (size_t i = c->first; i < c->timeline->n; i++)
		if (is_drawn(c, pt_timeline_at(c->timeline, i)))
			take(c, pt_timeline_at(c->timeline, i));
	still_open(c);
	pt_text_add(c->out, "</svg>\n");
}

void pt_chart_svg(struct pt_text *out, const struct pt_profile *profile)
{
	struct chart *c = profile->timeline != NULL ? pt_alloc(sizeof(*c)) : NULL;
	bool has[PT_PROFILE_CORES] = { false };
	unsigned n = 0;

	if (c == NULL)
		return;
	for (size_t i = 0; i < profile->timeline->n; i++) {
		const struct pt_timeline_event *event = pt_timeline_at(profile->timeline, i);

		if (event->clock == PT_UNKNOWN || event->core >= PT_PROFILE_CORES || has[event->core])
			continue;
		has[event->core] = true;
		n++;
	}
	for (uint16_t core = 0; core < PT_PROFILE_CORES; core++) {
		*c = (struct chart){ .out = out, .profile = profile, .timeline = profile->timeline, .core = core };
		if (has[core])
			draw(c, n > 1);
	}
	free(c);
}
