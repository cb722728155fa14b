#include "profile/analyses/signals/synchronise.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "profile/analyses/signals/exceptions.h"
#include "profile/result/analysis.h"

struct marks { struct pt_fit_mark *mark; size_t n; };

struct sync {
	const struct pt_signal_set *set;
	char *line;
	const char *name;		/* of the function, in line */
	uint16_t function;		/* PT_NO_FUNCTION: an exception alone is meant */
	unsigned exception;		/* its handler, or its name; PT_EXCEPTION_NUMBERS: none */
	uint64_t level;			/* of the line; PT_UNKNOWN */
	struct marks edges, entries;
	struct pt_sync result;
};

/* In order; what does not rise is none. */
static void add_mark(struct marks *m, struct pt_timestamp at)
{
	if (m->n == PT_SYNC_MARKS || at.ns == PT_UNKNOWN || at.error_ns >= PT_NO_BOUND_NS ||
	    (m->n > 0 && at.ns <= m->mark[m->n - 1].ns))
		return;
	if ((m->n & (m->n - 1)) == 0)
		m->mark = pt_realloc_array(m->mark, m->n == 0 ? 1 : 2 * m->n, sizeof(*m->mark));
	m->mark[m->n++] = (struct pt_fit_mark){ at.ns, at.error_ns };
}

static void take_signals(void *analysis, const struct pt_signal *s, size_t n)
{
	struct sync *y = analysis;

	for (; n-- > 0; s++) {
		if (s->kind == PT_SIGNAL_GAP && s->source == y->result.source)
			y->level = PT_UNKNOWN;
		if (s->kind != PT_SIGNAL_LEVEL || s->id >= y->set->n_definitions ||
		    strcmp(y->set->definition[s->id].name, y->line) != 0)
			continue;
		y->result.source = y->result.has_line ? y->result.source : s->source;
		y->result.has_line = true;
		y->result.several |= y->result.source != s->source;
		if (y->result.source != s->source)
			continue;
		if (y->level != PT_UNKNOWN && s->value != PT_UNKNOWN && (s->value == 0) == y->result.falls)
			add_mark(&y->edges, s->at);
		y->level = s->value;
	}
}

static void take_steps(void *analysis, const struct pt_call_event *step, size_t n)
{
	struct sync *y = analysis;

	for (; n-- > 0; step++)
		if (step->kind == PT_CALL_ENTER && step->function == y->function && step->entry != PT_ENTRY_UNSEEN)
			add_mark(&y->entries, step->at);
}

/* What the chip reports of exceptions has finer times than a trace of branches. */
static void take_events(void *analysis, const struct pt_event *event, const struct pt_timestamp *at, size_t n)
{
	struct sync *y = analysis;

	for (; n-- > 0; event++, at++)
		if (event->kind == PT_EV_EXCEPTION && event->cause == PT_EXC_ENTER && event->value.at == y->exception)
			add_mark(&y->entries, *at);
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct sync *y = analysis;

	y->result.edge = y->edges.mark;
	y->result.n_edges = y->edges.n;
	y->result.entry = y->entries.mark;
	y->result.n_entries = y->entries.n;
	profile->sync = &y->result;
}

static void sync_free(void *analysis)
{
	struct sync *y = analysis;

	free(y->edges.mark);
	free(y->entries.mark);
	free(y->line);
	free(y);
}

/* Cuts the text into the two names. "ns::f" is a function's. */
static bool cut(struct sync *y)
{
	char *arrow = strstr(y->line, "->"), *colon;

	if (arrow == NULL) {
		colon = strchr(y->line, ':');
		y->name = colon != NULL ? colon + 1 : NULL;
	} else {
		*arrow = '\0';
		y->name = arrow + 2;
		colon = strrchr(y->line, ':');
		y->result.falls = colon != NULL && strcmp(colon, ":fall") == 0;
		if (colon != NULL && !y->result.falls && strcmp(colon, ":rise") != 0)
			return false;
	}
	if (colon != NULL)
		*colon = '\0';
	return y->name != NULL && *y->name != '\0' && y->line[0] != '\0';
}

static int read_wanted(struct sync *y, const struct pt_analysis_setup *setup, struct pt_err *err)
{
	const struct pt_function *functions;
	struct pt_nearest near;
	size_t n = 0;

	pt_nearest_init(&near, "", 0);
	y->line = pt_strdup(setup->sync);
	if (!cut(y))
		return pt_fail(err, PT_EARG,
			       "%.80s is not LINE:FUNCTION, nor LINE:rise->FUNCTION or LINE:fall->FUNCTION",
			       setup->sync);
	functions = setup->program != NULL ? pt_program_functions(setup->program, &n) : NULL;
	for (size_t i = 0; i < n && i + 1 < setup->n_functions && y->function == PT_NO_FUNCTION; i++)
		if (pt_function_is(&functions[i], y->name, strlen(y->name)))
			y->function = (uint16_t)(i + 1);
	y->exception = pt_exception_find(setup->program, setup->map, y->name, &near);
	if (y->function == PT_NO_FUNCTION && y->exception == PT_EXCEPTION_NUMBERS)
		return pt_fail(err, PT_EARG, "%s '%.80s'",
			       setup->program != NULL ? "the program has no function"
						      : "no ELF is known, so there is no function",
			       y->name);
	y->result.line = y->line;
	y->result.function = y->name;
	return 0;
}

static void *sync_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct sync *y = pt_alloc(sizeof(*y));

	y->set = setup->signals;
	y->function = PT_NO_FUNCTION;
	y->level = PT_UNKNOWN;
	if (read_wanted(y, setup, err) == 0)
		return y;
	sync_free(y);
	return NULL;
}

const struct pt_analysis pt_analysis_synchronise = {
	.name = "synchronise", .help = "edges and entries by which two clocks are synchronised", .open = sync_new,
	.close = sync_free, .signals = take_signals, .steps = take_steps, .events = take_events,
	.result = give,
};
