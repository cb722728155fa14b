#include "profile/timeline.h"

#include <stdlib.h>

#include "profile/analysis.h"

enum { CORES = 16 };

static const struct pt_param params[] = {
	{ "timeline", PT_PARAM_NUMBER, "65536", NULL, 256, 16 << 20, "how many events the timeline keeps: the last ones" },
};

struct timeline {
	struct pt_timeline result;
	struct pt_timeline_event *ring;
	uint16_t depth[CORES][PT_STEP_STACKS];
};

static void add(struct timeline *t, const struct pt_timeline_event *event)
{
	struct pt_timeline *r = &t->result;
	size_t at = r->first + r->n;

	if (r->n < r->room)
		r->n++;
	else
		r->first = r->first + 1 < r->room ? r->first + 1 : 0;
	t->ring[at < r->room ? at : at - r->room] = *event;
	r->seen++;
}

static uint16_t *depth_of(struct timeline *t, const struct pt_step *step)
{
	return &t->depth[step->core < CORES ? step->core : CORES - 1][step->stack < PT_STEP_STACKS ? step->stack : 0];
}

static enum pt_timeline_kind entered_by(uint8_t entry)
{
	return entry == PT_ENTRY_TAIL ? PT_TIMELINE_TAIL_CALL : entry == PT_ENTRY_EXCEPTION ? PT_TIMELINE_EXCEPTION
	     : entry == PT_ENTRY_CALL ? PT_TIMELINE_CALL : PT_TIMELINE_UNSEEN;
}

static void take_step(struct timeline *t, const struct pt_step *step)
{
	uint16_t *depth = depth_of(t, step);
	struct pt_timeline_event event = {
		.at = step->at, .clock = step->clock, .id = step->function, .stack = step->stack, .task = step->task,
		.core = step->core,
		.value = PT_UNKNOWN,
	};

	switch (step->kind) {
	case PT_STEP_ENTER:
		event.kind = entered_by(step->entry);
		event.depth = ++*depth;
		break;
	case PT_STEP_LEAVE:
		event.kind = step->partial ? PT_TIMELINE_CUT : PT_TIMELINE_LEAVE;
		event.value = step->call;
		event.depth = *depth;
		*depth -= *depth > 0;
		break;
	case PT_STEP_SWITCH:
		event.kind = PT_TIMELINE_SWITCH;
		event.depth = *depth;
		break;
	case PT_STEP_FORGET:
		event.kind = PT_TIMELINE_GAP;
		break;
	default:
		return;
	}
	add(t, &event);
}

static void take_steps(void *analysis, const struct pt_step *step, size_t n)
{
	for (size_t i = 0; i < n; i++)
		take_step(analysis, &step[i]);
}

static void take_signals(void *analysis, const struct pt_signal *signal, size_t n)
{
	for (size_t i = 0; i < n; i++, signal++) {
		const struct pt_timeline_event event = {
			.at = signal->at, .clock = PT_UNKNOWN, .value = signal->value, .id = signal->id, .task = PT_NO_TASK,
			.core = signal->core, .kind = PT_TIMELINE_SIGNAL, .signal = signal->kind, .enters = signal->enters,
		};

		add(analysis, &event);
	}
}

static void give(void *analysis, struct pt_profile *profile)
{
	profile->timeline = &((struct timeline *)analysis)->result;
}

static void timeline_free(void *analysis)
{
	struct timeline *t = analysis;

	free(t->ring);
	free(t);
}

static void *timeline_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	size_t room = (size_t)pt_params_number(setup->words, &params[0]);
	struct timeline *t = calloc(1, sizeof(*t));

	if (t != NULL)
		t->ring = calloc(room, sizeof(*t->ring));
	if (t == NULL || t->ring == NULL) {
		free(t);
		pt_fail(err, PT_ENOMEM, "not enough memory for a timeline of %zu events", room);
		return NULL;
	}
	t->result = (struct pt_timeline){ .ring = t->ring, .room = room, .signals = setup->signals };
	return t;
}

const struct pt_analysis pt_analysis_timeline = {
	.name = "timeline", .help = "what happened, in order: the last events", .standard = true, .params = params,
	.n_params = PT_LEN(params), .open = timeline_new, .close = timeline_free, .steps = take_steps,
	.signals = take_signals, .result = give,
};
