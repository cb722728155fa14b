#include "profile/analyses/signals/external_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/result/analysis.h"

enum { BLIND = 4 };		/* more than one, as what was seen before may come after it */

static const struct pt_param params[] = {
	{ "latency", PT_PARAM_LIST, NULL, NULL, 0, 0, "times from a line's edge to a function (LINE:rise->FUNCTION)" },
};

struct line {
	uint64_t last_high_ns;		/* width of the last high pulse */
	bool used;
	struct pt_aux_line row;
	struct edge { struct pt_timestamp at; uint64_t ticks; } changed, rose;	/* ns PT_UNKNOWN: not since the gap */
	struct pt_timestamp since;	/* it is known to have the level; ns PT_UNKNOWN */
	struct pt_timestamp seen;	/* up to then its source has seen it; ns 0: not since it was opened */
	uint16_t source;
};

struct latency {
	char *name, *line;		/* the word, and its first part */
	bool falls;
	uint16_t function;		/* id */
	bool waits;			/* for the function */
	struct pt_timestamp edge;
	uint16_t source;		/* of the line */
	struct pt_aux_latency row;
	struct pt_hist hist;
};

struct blind { uint64_t from_ns, to_ns; };

struct aux {
	const struct pt_signal_set *set;
	struct line line[PT_SIGNALS_MAX];
	struct latency *latency;
	size_t n_latencies;
	struct blind blind[PT_RUN_CORES][BLIND];	/* of each core, the last ones */
	uint8_t next_blind[PT_RUN_CORES];
	struct pt_timestamp stepped[PT_RUN_CORES];	/* up to then entries were seen; ns 0: none of the core */
	struct pt_aux result;
	struct pt_aux_line lines[PT_SIGNALS_MAX];
	struct pt_aux_latency latencies[PT_AUX_LATENCIES];
};

static const struct edge never = { { PT_UNKNOWN, 0 }, PT_UNKNOWN };

/* --- pulses */

/* A time that ends at s; false: its beginning is not known. */
static bool since(const struct edge *from, const struct pt_signal *s, uint64_t *ns, uint64_t *error_ns)
{
	uint64_t error = from->at.error_ns + s->at.error_ns;

	if (from->at.ns == PT_UNKNOWN || s->at.ns == PT_UNKNOWN || s->at.ns < from->at.ns)
		return false;
	*ns = s->at.ns - from->at.ns;
	if ((from->ticks == PT_UNKNOWN || s->ticks == PT_UNKNOWN) && error > *error_ns)
		*error_ns = error;
	return true;
}

static struct line *line_of(struct aux *a, const struct pt_signal *s)
{
	struct line *l = &a->line[s->id];

	if (l->used)
		return l;
	*l = (struct line){
		.used = true, .changed = never, .rose = never, .since = never.at,
		.row = { .line = s->id, .level = PT_UNKNOWN, .high = pt_stat_empty(), .low = pt_stat_empty(),
			 .period = pt_stat_empty() },
	};
	return l;
}

/* It has this level up to then, at least. */
static void add_unended(struct pt_aux_line *row, struct pt_timestamp since, struct pt_timestamp until)
{
	if (row->level != PT_UNKNOWN && since.ns != PT_UNKNOWN && until.ns != PT_UNKNOWN && until.ns > since.ns)
		pt_stat_add_unended(row->level != 0 ? &row->high : &row->low, until.ns - since.ns,
				    since.error_ns + until.error_ns);
}

static void forget(struct line *l, struct pt_timestamp at)
{
	add_unended(&l->row, l->since, at);
	l->row.partial += l->row.level != PT_UNKNOWN;
	l->row.level = PT_UNKNOWN;
	l->changed = l->rose = never;
	l->since = never.at;
}

/* The first level that is known began at some time before. */
static void take_level(struct line *l, const struct pt_signal *s)
{
	struct pt_aux_line *row = &l->row;
	struct edge now = { s->at, s->ticks };
	uint64_t ns;

	if (s->at.ns != PT_UNKNOWN && s->at.ns >= l->seen.ns)
		l->seen = s->at;
	if (s->value == PT_UNKNOWN) {
		forget(l, s->at);
		return;
	}
	if (row->level == PT_UNKNOWN) {
		row->level = s->value;
		l->since = s->at;
		return;
	}
	if (since(&l->changed, s, &ns, &row->error_ns)) {
		pt_stat_add(row->level != 0 ? &row->high : &row->low, ns, l->changed.at.ns);
		l->last_high_ns = row->level != 0 ? ns : l->last_high_ns;
	} else {
		row->partial++;
		add_unended(row, l->since, s->at);
	}
	row->level = s->value;
	l->changed = now;
	l->since = s->at;
	row->rises += s->value != 0;
	row->falls += s->value == 0;
	if (s->value == 0)
		return;
	if (since(&l->rose, s, &ns, &row->error_ns)) {
		pt_stat_add(&row->period, ns, l->rose.at.ns);
		row->high_ns += l->last_high_ns;
	}
	l->rose = now;
}

/* --- latencies */

/* Something of the core was not seen between the two. */
static bool over_gap(const struct aux *a, uint16_t core, struct pt_timestamp edge, struct pt_timestamp entry)
{
	bool any = core >= PT_RUN_CORES;

	for (size_t i = 0; !any && i < BLIND; i++)
		any = a->blind[core][i].from_ns < entry.ns && a->blind[core][i].to_ns > edge.ns;
	return any;
}

/* No core has entered the function since the edge, as far as all of them were seen. */
static void add_unanswered(const struct aux *a, const struct latency *l, struct pt_aux_latency *row)
{
	struct pt_timestamp upto = never.at;

	for (uint16_t core = 0; core < PT_RUN_CORES; core++)
		if (a->stepped[core].ns != 0 && a->stepped[core].ns < upto.ns)
			upto = a->stepped[core];
	for (uint16_t core = 0; core < PT_RUN_CORES; core++)
		if (a->stepped[core].ns != 0 && over_gap(a, core, l->edge, upto))
			return;
	if (l->waits && upto.ns != PT_UNKNOWN && upto.ns > l->edge.ns)
		pt_stat_add_unended(&row->time, upto.ns - l->edge.ns, l->edge.error_ns + upto.error_ns);
}

static void take_edge(struct aux *a, const struct pt_signal *s)
{
	for (size_t i = 0; i < a->n_latencies; i++) {
		struct latency *l = &a->latency[i];

		if (strcmp(a->set->definition[s->id].name, l->line) != 0)
			continue;
		l->row.found = true;
		l->source = s->source;
		if ((s->value == 0) != l->falls)
			continue;
		l->row.unanswered += l->waits;
		add_unanswered(a, l, &l->row);
		l->waits = s->at.ns != PT_UNKNOWN;
		l->edge = s->at;
	}
}

static void take_blind(void *analysis, uint16_t core, unsigned cause, uint64_t from_ns, uint64_t to_ns)
{
	struct aux *a = analysis;

	if (core < PT_RUN_CORES && cause != PT_LOSS_SLEEP)
		a->blind[core][a->next_blind[core]++ % BLIND] = (struct blind){ from_ns, to_ns };
}

static void take_entry(const struct aux *a, struct latency *l, uint16_t core, struct pt_timestamp at)
{
	uint64_t error_ns = l->edge.error_ns + at.error_ns;

	l->waits = false;
	if (over_gap(a, core, l->edge, at)) {
		l->row.over_gap++;
		return;
	}
	if (pt_timestamp_before(l->edge, at)) {
		pt_stat_add(&l->row.time, at.ns - l->edge.ns, l->edge.ns);
	} else {
		l->row.undecided++;
		if (l->row.time.n > 0)
			return;		/* the times that are known may be better */
	}
	if (error_ns > l->row.error_ns)
		l->row.error_ns = error_ns;
}

static void end_waiting(struct latency *l)
{
	l->row.over_gap += l->waits;
	l->waits = false;
}

static void note_step(struct aux *a, const struct pt_call_event *step)
{
	struct pt_timestamp *last = step->core < PT_RUN_CORES ? &a->stepped[step->core] : NULL;

	if (last != NULL && step->at.ns != PT_UNKNOWN && step->at.error_ns < PT_NO_BOUND_NS && step->at.ns > last->ns)
		*last = step->at;
}

static void take_step(struct aux *a, struct latency *l, const struct pt_call_event *step)
{
	if (l->waits && step->kind == PT_CALL_ENTER && step->function == l->function &&
	    step->entry != PT_ENTRY_UNSEEN) {
		take_entry(a, l, step->core, step->at);
	} else if (step->kind == PT_CALL_FORGET) {
		add_unanswered(a, l, &l->row);
		end_waiting(l);
	}
}

static void take_steps(void *analysis, const struct pt_call_event *step, size_t n)
{
	struct aux *a = analysis;

	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < a->n_latencies; i++)
			take_step(a, &a->latency[i], &step[k]);
		if (step[k].kind != PT_CALL_FORGET)
			note_step(a, &step[k]);
	}
}

static bool wants_steps(const void *analysis)
{
	return ((const struct aux *)analysis)->n_latencies > 0;
}

/* --- signals */

static void take_gap(struct aux *a, uint16_t source, struct pt_timestamp at)
{
	for (size_t i = 0; i < PT_SIGNALS_MAX; i++)
		if (a->line[i].used && a->line[i].source == source)
			forget(&a->line[i], at);
	for (size_t i = 0; i < a->n_latencies; i++)
		if (a->latency[i].row.found && a->latency[i].source == source)
			end_waiting(&a->latency[i]);
}

static void take_signals(void *analysis, const struct pt_signal *s, size_t n)
{
	struct aux *a = analysis;

	for (; n-- > 0; s++) {
		if (s->kind == PT_SIGNAL_GAP)
			take_gap(a, s->source, s->at);
		if (s->kind != PT_SIGNAL_LEVEL || s->id >= PT_SIGNALS_MAX || s->id >= a->set->n_definitions)
			continue;
		bool known = a->line[s->id].used && a->line[s->id].row.level != PT_UNKNOWN;

		line_of(a, s)->source = s->source;
		take_level(&a->line[s->id], s);
		if (known && s->value != PT_UNKNOWN)	/* else it is no edge */
			take_edge(a, s);
	}
}

static void take_seen(void *analysis, uint16_t source, uint64_t upto_ns)
{
	struct aux *a = analysis;

	for (size_t i = 0; i < PT_SIGNALS_MAX; i++)
		if (a->line[i].used && a->line[i].source == source && upto_ns > a->line[i].seen.ns)
			a->line[i].seen = (struct pt_timestamp){ upto_ns, 0 };
}

/* --- words */

static uint16_t function_of(const struct pt_analysis_setup *setup, const char *name)
{
	size_t n = 0;
	const struct pt_function *functions = setup->program != NULL ? pt_program_functions(setup->program, &n) : NULL;

	for (size_t i = 0; i < n && i + 1 < setup->n_functions; i++)
		if (pt_function_is(&functions[i], name, strlen(name)))
			return (uint16_t)(i + 1);
	return PT_NO_FUNCTION;
}

static int add_latency(struct aux *a, const struct pt_analysis_setup *setup, const char *word, size_t len,
		       struct pt_err *err)
{
	struct latency *l = &a->latency[a->n_latencies];
	char *arrow, *colon;

	if (a->n_latencies == PT_AUX_LATENCIES)
		return pt_fail(err, PT_EARG, "latency: more than %d", PT_AUX_LATENCIES);
	l->name = pt_strndup(word, len);
	l->line = pt_strndup(word, len);
	a->n_latencies++;		/* aux_free() frees them */
	arrow = strstr(l->line, "->");
	if (arrow != NULL)
		*arrow = '\0';
	colon = strrchr(l->line, ':');
	if (arrow == NULL || colon == NULL || (strcmp(colon, ":rise") != 0 && strcmp(colon, ":fall") != 0))
		return pt_fail(err, PT_EARG, "latency: %.80s is not LINE:rise->FUNCTION or LINE:fall->FUNCTION",
			       l->name);
	*colon = '\0';
	l->falls = strcmp(colon + 1, "fall") == 0;
	l->function = function_of(setup, arrow + 2);
	if (l->function == PT_NO_FUNCTION)
		return pt_fail(err, PT_EARG, "latency: the program has no function '%.80s'", arrow + 2);
	l->row = (struct pt_aux_latency){ .name = l->name, .time = pt_stat_empty() };
	l->row.time.hist = &l->hist;
	return 0;
}

static int read_words(struct aux *a, const struct pt_analysis_setup *setup, struct pt_err *err)
{
	const char *list = pt_params_text(setup->words, &params[0]);

	for (size_t len; list != NULL && *list != '\0'; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (len > 0 && add_latency(a, setup, list, len, err) < 0)
			return PT_EARG;
	}
	return 0;
}

/* --- result, life */

static void give(void *analysis, struct pt_profile *profile)
{
	struct aux *a = analysis;

	a->result.n_lines = 0;
	for (size_t i = 0; i < PT_SIGNALS_MAX; i++) {
		if (!a->line[i].used)
			continue;
		a->lines[a->result.n_lines] = a->line[i].row;
		add_unended(&a->lines[a->result.n_lines], a->line[i].since, a->line[i].seen);
		a->lines[a->result.n_lines++].partial += a->line[i].row.level != PT_UNKNOWN;
	}
	for (size_t i = 0; i < a->n_latencies; i++) {
		a->latencies[i] = a->latency[i].row;
		a->latencies[i].partial += a->latency[i].waits;
		add_unanswered(a, &a->latency[i], &a->latencies[i]);
	}
	a->result.n_latencies = a->n_latencies;
	profile->aux = &a->result;
}

static void aux_free(void *analysis)
{
	struct aux *a = analysis;

	for (size_t i = 0; i < a->n_latencies; i++) {
		free(a->latency[i].name);
		free(a->latency[i].line);
		pt_hist_fini(&a->latency[i].hist);
	}
	free(a->latency);
	free(a);
}

static void *aux_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct aux *a = pt_alloc(sizeof(*a));

	a->latency = pt_alloc_array(PT_AUX_LATENCIES, sizeof(*a->latency));
	a->set = setup->signals;
	a->result = (struct pt_aux){ .line = a->lines, .latency = a->latencies, .signals = setup->signals };
	if (read_words(a, setup, err) == 0)
		return a;
	aux_free(a);
	return NULL;
}

const struct pt_analysis pt_analysis_aux = {
	.name = "aux", .help = "external lines: widths, periods, latency to a function", .standard = true,
	.params = params, .n_params = PT_LEN(params), .open = aux_new, .close = aux_free, .signals = take_signals, .seen = take_seen,
	.steps = take_steps, .blind = take_blind, .wants_steps = wants_steps, .result = give,
};
