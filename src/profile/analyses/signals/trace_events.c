/* Events as they come, in a ring that grows to its bound. */
#include "profile/analyses/signals/trace_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "profile/result/analysis.h"
#include "trace/formats.h"

enum { FIRST_ROOM = 1024 };

static const struct pt_param params[] = {
	{ "trace-events", PT_PARAM_NUMBER, "1048576", NULL, FIRST_ROOM, 1 << 24,
	  "how many events of the chip's trace the format cmsis.ctf has: the last ones" },
};

struct trace_events {
	struct pt_trace_events result;
	struct pt_trace_event *ring;	/* result.ring */
	size_t most;
	bool has_source;
};

static void take_config(void *analysis, uint16_t source, const struct pt_config *config)
{
	struct trace_events *t = analysis;
	char format[16];

	if (t->has_source || strcmp(pt_config_text(config, "format", format, sizeof(format)), PT_FORMAT_ITM) != 0)
		return;
	t->has_source = true;
	t->result.source = source;
	t->result.tick_hz = pt_config_number(config, "tick_hz", 0);
}

/* Before the ring is full its oldest event is the first. */
static void make_room(struct trace_events *t)
{
	struct pt_trace_events *r = &t->result;
	size_t room = r->room == 0 ? FIRST_ROOM : 2 * r->room < t->most ? 2 * r->room : t->most;

	t->ring = pt_realloc_array(t->ring, room, sizeof(*t->ring));
	r->ring = t->ring;
	r->room = room;
}

static void add(struct trace_events *t, const struct pt_event *event, const struct pt_timestamp *at)
{
	struct pt_trace_events *r = &t->result;

	if (r->n == r->room && r->room < t->most)
		make_room(t);
	r->seen++;
	t->ring[(r->first + r->n) % r->room] = (struct pt_trace_event){ .event = *event, .at_ns = at->ns };
	if (r->n < r->room)
		r->n++;
	else
		r->first = (r->first + 1) % r->room;
}

static void take_events(void *analysis, const struct pt_event *event, const struct pt_timestamp *at, size_t n)
{
	struct trace_events *t = analysis;

	for (size_t i = 0; i < n; i++)
		if (t->has_source && event[i].source == t->result.source)
			add(t, &event[i], &at[i]);
		else
			t->result.others++;
}

static void give(void *analysis, struct pt_profile *profile)
{
	profile->trace_events = &((struct trace_events *)analysis)->result;
}

static void trace_events_free(void *analysis)
{
	struct trace_events *t = analysis;

	free(t->ring);
	free(t);
}

static void *trace_events_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct trace_events *t = pt_alloc(sizeof(*t));

	(void)err;
	t->most = (size_t)pt_params_number(setup->words, &params[0]);
	return t;
}

const struct pt_analysis pt_analysis_trace_events = {
	.name = "trace-events", .help = "what the ITM and the DWT reported, event by event, for the format cmsis.ctf",
	.params = params, .n_params = PT_LEN(params), .open = trace_events_new, .close = trace_events_free,
	.events = take_events, .takes_values = true, .config = take_config, .result = give,
};
