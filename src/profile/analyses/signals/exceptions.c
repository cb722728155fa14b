/* One stack per core. A core that goes from one exception to the next without the program between them reports an exit
 * and an entry, and no return; where exits are not reported, the entry alone. Source: Arm DDI 0403, D4.3.2 */
#include "profile/analyses/signals/exceptions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/flow/own_clock.h"
#include "profile/result/analysis.h"

enum { ROWS = 1024, SOURCES = 64 };

struct core {
	struct pt_span_stack *stack;	/* NULL: nothing came yet */
	struct pt_own_clock own;	/* of its reports: the times below are on it */
	uint64_t began_ns, last_ns;	/* of the stretch without a gap; PT_UNKNOWN: it has not begun */
	struct pt_timestamp seen;	/* so far its source has come, and reported no more */
	bool seen_all;			/* no report came behind that */
	uint64_t observed_ns;		/* in the stretches before it */
	struct pt_timestamp lead;	/* of the stretch: how long before its first report */
	uint64_t lead_from_ns;		/* when that began; 0: not known */
	bool led;			/* that was the program's time */
	bool entered[PT_EXCEPTION_NUMBERS];	/* while there is a lead */
	uint64_t led_error_ns;		/* of the leads in observed_ns, in sum */
	uint16_t source;
	bool exits;			/* are reported */
	uint16_t row[PT_EXCEPTION_NUMBERS];		/* + 1 */
};

struct exceptions {
	const struct pt_program *program;
	const struct pt_codemap *map;
	struct pt_span_set *set;
	struct core core[PT_RUN_CORES];
	char (*name)[PT_EXCEPTION_NAME];
	size_t n_rows;
	uint64_t lost[SOURCES];		/* by source: times that something of it was not seen */
	uint64_t tick_hz[SOURCES];	/* by source */
	uint64_t from_ns[SOURCES];	/* by source: sees since then; 0: not known */
	struct pt_span_core cores[PT_RUN_CORES];
	struct pt_exceptions result;
};

/* --- rows --------------------------------------------------------------------------------------------------------- */

static const struct pt_function *handler_of(const struct pt_program *program, const struct pt_codemap *map,
					    unsigned number)
{
	uint64_t address = program != NULL ? pt_program_vector(program, number) : PT_UNKNOWN;
	bool in_code;
	uint16_t id = address != PT_UNKNOWN ? pt_codemap_function(map, address, &in_code) : PT_NO_FUNCTION;
	size_t n = 0;
	const struct pt_function *functions = program != NULL ? pt_program_functions(program, &n) : NULL;

	return id != PT_NO_FUNCTION && id <= n ? &functions[id - 1] : NULL;
}

void pt_exception_name(const struct pt_codemap *map, unsigned number, char name[PT_EXCEPTION_NAME])
{
	if (number < map->isa->n_vectors && map->isa->vector_name != NULL)
		map->isa->vector_name(number, name, PT_EXCEPTION_NAME);
	else
		snprintf(name, PT_EXCEPTION_NAME, "exception %u", number);
}

unsigned pt_exception_find(const struct pt_program *program, const struct pt_codemap *map, const char *name,
			   struct pt_nearest *near)
{
	char own[PT_EXCEPTION_NAME], *end;
	unsigned long number = strtoul(name, &end, 10);

	if (*name >= '0' && *name <= '9' && *end == '\0')
		return number < PT_EXCEPTION_NUMBERS ? (unsigned)number : PT_EXCEPTION_NUMBERS;
	for (unsigned i = 1; i < PT_EXCEPTION_NUMBERS; i++) {
		const struct pt_function *handler = handler_of(program, map, i);

		pt_exception_name(map, i, own);
		if (strcmp(own, name) == 0 || (handler != NULL && pt_function_is(handler, name, strlen(name))))
			return i;
		pt_nearest_offer(near, own);
		if (handler != NULL)
			pt_nearest_offer(near, handler->name);
	}
	return PT_EXCEPTION_NUMBERS;
}

static void begin_row(struct exceptions *x, uint16_t core, unsigned number)
{
	struct pt_span_figures *row = pt_span_row(x->set, x->n_rows);
	char *name = x->name[x->n_rows];

	pt_exception_name(x->map, number, name);
	row->name = name;
	row->by = PT_SPAN_BY_SIGNAL;
	row->id = (uint16_t)number;
	row->core = core;
	row->function = handler_of(x->program, x->map, number);
}

/* PT_NO_SPAN: there is no room for another. */
static uint32_t row_of(struct exceptions *x, uint16_t core, uint64_t number)
{
	uint16_t *row = &x->core[core].row[number];

	if (*row == 0 && x->n_rows < ROWS) {
		begin_row(x, core, (unsigned)number);
		*row = (uint16_t)++x->n_rows;
		pt_span_set_use(x->set, x->n_rows);
	}
	return *row > 0 ? *row - 1u : PT_NO_SPAN;
}

/* --- reports ------------------------------------------------------------------------------------------------------ */

/* How long nothing was reported. error_ns: of that. */
static uint64_t silence(const struct core *core, uint64_t *error_ns)
{
	const struct pt_timestamp *last = &core->own.last_at;

	*error_ns = core->seen.error_ns + last->error_ns;
	return core->seen.ns > last->ns ? core->seen.ns - last->ns : 0;
}

static void end_ticks(struct core *core)
{
	uint64_t ticks;

	pt_own_clock_gap(&core->own, core->own.last_at, &ticks);
}

static void end_stretch(struct core *core)
{
	uint64_t error_ns, silent_ns = silence(core, &error_ns);
	uint64_t until_ns = core->last_ns + (silent_ns > error_ns ? silent_ns - error_ns : 0);
	struct pt_span_at at = { until_ns, until_ns, 0, PT_UNKNOWN };

	if (core->stack == NULL || core->began_ns == PT_UNKNOWN)
		return;
	pt_span_gap(core->stack, &at);
	core->observed_ns += until_ns - core->began_ns + (core->led ? core->lead.ns : 0);
	core->led_error_ns += core->led ? core->lead.error_ns : 0;
	core->began_ns = PT_UNKNOWN;
	core->lead_from_ns = 0;
	core->led = false;
	core->seen = (struct pt_timestamp){ 0 };
}

static struct core *core_of(struct exceptions *x, const struct pt_event *e)
{
	struct core *core = &x->core[e->core];

	if (core->stack == NULL) {
		core->stack = pt_span_stack_new(x->set);
		core->began_ns = PT_UNKNOWN;
	}
	core->source = e->source;
	return core;
}

/* Before the first report nothing was entered and nothing left: it was the time of what the first exception interrupted. Which
 * that was is known when it is gone back to. */
static void note_lead(struct exceptions *x, struct core *core, const struct pt_event *e,
		      const struct pt_timestamp *moment)
{
	uint64_t from_ns = e->source < SOURCES ? x->from_ns[e->source] : 0;

	core->lead = (struct pt_timestamp){ moment->ns > from_ns ? moment->ns - from_ns : 0, moment->error_ns };
	core->lead_from_ns = e->cause == PT_EXC_ENTER ? from_ns : 0;
	core->led = false;
	memset(core->entered, 0, sizeof(core->entered));
	if (e->source < SOURCES)
		x->from_ns[e->source] = 0;
}

/* Back in what was not entered behind the lead is back in what ran then. */
static void settle_lead(struct core *core, const struct pt_event *e)
{
	if (e->cause == PT_EXC_ENTER)
		core->entered[e->value.at] = true;
	if (e->cause != PT_EXC_RETURN || core->entered[e->value.at])
		return;
	core->led = e->value.at == 0;
	if (!core->led)
		core->lead_from_ns = 0;
}

static void apply(struct exceptions *x, struct core *core, const struct pt_event *e, const struct pt_span_at *at)
{
	uint32_t row = e->value.at != 0 ? row_of(x, e->core, e->value.at) : PT_NO_SPAN;

	core->exits |= e->cause == PT_EXC_EXIT;
	if (core->lead_from_ns != 0 && !core->led)
		settle_lead(core, e);
	if (e->cause == PT_EXC_RETURN && (row != PT_NO_SPAN || e->value.at == 0)) {
		if (core->exits)
			pt_span_back_to(core->stack, row, at);
		else
			pt_span_back_over(core->stack, row, at);
	} else if (row == PT_NO_SPAN) {
		x->result.spans.dropped++;
	} else if (e->cause == PT_EXC_ENTER && !core->exits) {
		pt_span_enter_over(core->stack, row, at);
	} else if (e->cause == PT_EXC_ENTER) {
		pt_span_enter(core->stack, row, false, at);
	} else {
		pt_span_leave(core->stack, row, at);
	}
}

/* Where the moment is not known, what was open may have ended before or after, and the next one as well. */
static void take_report(struct exceptions *x, const struct pt_event *e, const struct pt_timestamp *moment)
{
	struct core *core;
	struct pt_span_at at = { .address = PT_UNKNOWN };
	bool late = e->ticks == PT_UNKNOWN || moment->ns == PT_UNKNOWN || moment->error_ns >= PT_NO_BOUND_NS;

	if (e->core >= PT_RUN_CORES || e->value.at >= PT_EXCEPTION_NUMBERS)
		return;
	core = core_of(x, e);
	core->seen_all = false;
	if (late) {
		end_stretch(core);
		at.clock = at.ns = core->last_ns;
		end_ticks(core);
		x->result.late++;
	} else {
		core->own.hz = e->source < SOURCES ? x->tick_hz[e->source] : 0;
		core->last_ns = at.clock = pt_own_clock_take(&core->own, e->ticks, *moment).ns;
		at.ns = moment->ns;
	}
	if (core->began_ns == PT_UNKNOWN) {
		core->began_ns = at.clock;
		note_lead(x, core, e, moment);
	}
	apply(x, core, e, &at);
	if (late)
		end_stretch(core);
}

/* A fresh start before the first report is the beginning, and one behind a gap is no other gap. */
static void take_gap(struct exceptions *x, const struct pt_event *e)
{
	bool began = false;

	for (size_t i = 0; i < PT_RUN_CORES; i++)
		if (x->core[i].stack != NULL && x->core[i].source == e->source) {
			began |= x->core[i].began_ns != PT_UNKNOWN;
			end_ticks(&x->core[i]);
			end_stretch(&x->core[i]);
		}
	if (e->source < SOURCES && e->cause != PT_GAP_RESTART)
		x->from_ns[e->source] = 0;
	if (e->source < SOURCES && (began || e->cause != PT_GAP_RESTART))
		x->lost[e->source]++;
}

static void take_events(void *analysis, const struct pt_event *e, const struct pt_timestamp *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (e[i].kind == PT_EV_EXCEPTION)
			take_report(analysis, &e[i], &at[i]);
		else if (e[i].kind == PT_EV_GAP)
			take_gap(analysis, &e[i]);
	}
}

/* The source says nothing of cores, and what its last reports said lasts on. */
static void take_seen(void *analysis, uint16_t source, uint64_t upto_ns)
{
	struct exceptions *x = analysis;

	for (size_t i = 0; i < PT_RUN_CORES; i++) {
		struct core *core = &x->core[i];
		uint64_t error_ns, silent_ns;

		if (core->stack == NULL || core->source != source || core->began_ns == PT_UNKNOWN)
			continue;
		core->seen = (struct pt_timestamp){ upto_ns, 0 };
		core->seen_all = true;
		silent_ns = silence(core, &error_ns);
		if (error_ns < PT_NO_BOUND_NS)
			pt_span_pass_about(core->stack, core->last_ns + silent_ns, error_ns);
	}
}

static void take_begin(void *analysis, uint16_t source, uint64_t from_ns)
{
	if (source < SOURCES)
		((struct exceptions *)analysis)->from_ns[source] = from_ns;
}

static void take_config(void *analysis, uint16_t source, const struct pt_config *config)
{
	struct exceptions *x = analysis;

	if (source < SOURCES)
		x->tick_hz[source] = pt_config_number(config, "tick_hz", 0);
	x->result.silent |= pt_config_number(config, "silent_loss", 0) != 0;
}

/* --- result, life ------------------------------------------------------------------------------------------------- */

/* The stretch that goes on. From the first moment that was seen to the last, both on the probe's clock, it is certain. */
static struct pt_timestamp open_stretch(const struct core *core)
{
	uint64_t error_ns, silent_ns = silence(core, &error_ns);

	if (core->began_ns == PT_UNKNOWN)
		return (struct pt_timestamp){ 0 };
	if (core->led && core->seen_all && core->seen.ns > core->lead_from_ns)
		return (struct pt_timestamp){ core->seen.ns - core->lead_from_ns, 0 };
	return (struct pt_timestamp){ core->last_ns + silent_ns - core->began_ns + (core->led ? core->lead.ns : 0),
				      (silent_ns > 0 ? error_ns : 0) + (core->led ? core->lead.error_ns : 0) };
}

static void give_core(struct exceptions *x, uint16_t number)
{
	const struct core *core = &x->core[number];
	struct pt_timestamp open = open_stretch(core);

	if (core->stack == NULL)
		return;
	x->cores[x->result.spans.n_cores++] = (struct pt_span_core){
		.core = number,
		.observed = core->observed_ns + open.ns,
		.observed_error_ns = core->led_error_ns + open.error_ns,
	};
	x->result.lost += core->source < SOURCES ? x->lost[core->source] : 0;
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct exceptions *x = analysis;
	uint64_t dropped = x->result.spans.dropped;

	x->result.spans = *pt_span_result(x->set);
	x->result.spans.dropped = dropped;
	x->result.spans.core = x->cores;
	x->result.spans.n_cores = 0;
	x->result.lost = 0;
	for (uint16_t i = 0; i < PT_RUN_CORES; i++)
		give_core(x, i);
	profile->exceptions = &x->result;
}

const char *pt_exceptions_missing(const struct pt_profile *p)
{
	const struct pt_exceptions *x = p->exceptions;

	if (x->lost > 0)
		return "reports of the chip are missing";
	if (x->late > 0)
		return "some reports have no time";
	if (p->no_end)
		return "there is no end: what came after it is not known";
	if (p->incomplete != NULL)
		return p->incomplete;
	return x->silent ? "reports may be missing without a sign of it" : NULL;
}

static void exceptions_free(void *analysis)
{
	struct exceptions *x = analysis;

	pt_span_set_free(x->set);
	free(x->name);
	free(x);
}

static void *exceptions_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct exceptions *x = pt_alloc(sizeof(*x));

	(void)err;
	x->program = setup->program;
	x->map = setup->map;
	x->set = pt_span_set_new(ROWS);
	x->name = pt_alloc_array(ROWS, sizeof(*x->name));
	pt_span_set_use(x->set, 0);
	return x;
}

const struct pt_analysis pt_analysis_exceptions = {
	.name = "exceptions", .help = "exceptions as the chip reports them, whatever code it runs", .standard = true,
	.open = exceptions_new, .close = exceptions_free, .events = take_events, .seen = take_seen, .begins = take_begin,
	.config = take_config, .result = give,
};
