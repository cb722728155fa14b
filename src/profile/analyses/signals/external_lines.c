#include "profile/analyses/signals/external_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "profile/analyses/signals/exceptions.h"
#include "profile/result/analysis.h"

enum { BLIND = 4 };		/* more than one, as what was seen before may come after it */

static const struct pt_param params[] = {
	{ "latency", PT_PARAM_LIST, NULL, NULL, 0, 0, "times from a line's edge to a function or an edge (LINE:rise->FUNCTION, A:rise->B:fall)" },
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

struct edge_at { struct pt_timestamp at; uint64_t ticks; uint16_t source; };

/* The line whose edge answers. */
struct answer_line {
	const char *name;		/* NULL: a function answers */
	bool falls;
	bool found, known;		/* its level, now: an edge would be seen */
	uint16_t id, source;
	struct edge_at last;		/* ns PT_UNKNOWN: none since its source saw nothing */
};

struct latency {
	char *name, *line;		/* the word, and its first part */
	bool falls, begin_found;
	uint16_t function;		/* id; PT_NO_FUNCTION: none, or an exception alone is meant */
	unsigned exception;		/* that it handles; PT_EXCEPTION_NUMBERS: none */
	struct answer_line to;
	bool waits;			/* for the answer */
	struct edge_at edge;
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
	struct pt_signal_gaps gaps;
	bool reports[PT_SIGNAL_SOURCES];	/* source: exceptions */
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

/* It has not risen again up to then. */
static void add_wait(struct pt_aux_line *row, const struct edge *rose, struct pt_timestamp until)
{
	if (rose->at.ns != PT_UNKNOWN && until.ns != PT_UNKNOWN && until.ns > rose->at.ns)
		pt_stat_add_unended(&row->period, until.ns - rose->at.ns, rose->at.error_ns + until.error_ns);
}

static void forget(struct line *l, struct pt_timestamp at)
{
	add_unended(&l->row, l->since, at);
	add_wait(&l->row, &l->rose, at);
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
		row->missing |= row->level != PT_UNKNOWN;	/* it may have had edges until it is known again */
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
static void add_not_entered(const struct aux *a, const struct latency *l, struct pt_aux_latency *row)
{
	struct pt_timestamp upto = never.at;

	for (uint16_t core = 0; core < PT_RUN_CORES; core++)
		if (a->stepped[core].ns != 0 && a->stepped[core].ns < upto.ns)
			upto = a->stepped[core];
	for (uint16_t core = 0; core < PT_RUN_CORES; core++)
		if (a->stepped[core].ns != 0 && over_gap(a, core, l->edge.at, upto))
			return;
	if (l->waits && upto.ns != PT_UNKNOWN && upto.ns > l->edge.at.ns)
		pt_stat_add_unended(&row->time, upto.ns - l->edge.at.ns, l->edge.at.error_ns + upto.error_ns);
}

/* The other line has had no edge since, up to where its source has seen it. */
static void add_unanswered(const struct aux *a, const struct latency *l, struct pt_aux_latency *row)
{
	struct pt_timestamp upto;

	if (l->to.name == NULL) {
		add_not_entered(a, l, row);
		return;
	}
	if (!l->waits)
		return;
	upto = a->line[l->to.id].seen;
	if (upto.ns > l->edge.at.ns)
		pt_stat_add_unended(&row->time, upto.ns - l->edge.at.ns, l->edge.at.error_ns + upto.error_ns);
}

static void end_waiting(struct latency *l)
{
	l->row.over_gap += l->waits;
	l->waits = false;
}

/* The stamps of one source are in order; those of two are by the errors of both. */
static bool one_clock(const struct edge_at *x, const struct edge_at *y)
{
	return x->source == y->source && x->ticks != PT_UNKNOWN && y->ticks != PT_UNKNOWN;
}

static bool was_before(const struct edge_at *x, const struct edge_at *y)
{
	return one_clock(x, y) ? x->at.ns < y->at.ns : pt_timestamp_before(x->at, y->at);
}

/* The answer to the edge that waits, or one that came beside it. */
static void add_answer(struct latency *l, const struct edge_at *from, const struct edge_at *to)
{
	uint64_t error_ns = one_clock(from, to) ? 0 : from->at.error_ns + to->at.error_ns;

	l->waits = false;
	if (was_before(from, to)) {
		pt_stat_add(&l->row.time, to->at.ns - from->at.ns, from->at.ns);
	} else {
		l->row.undecided++;
		if (l->row.time.n > 0)
			return;		/* the times that are known may be better */
	}
	if (error_ns > l->row.error_ns)
		l->row.error_ns = error_ns;
}

static void take_answer(struct latency *l, const struct pt_signal *s, bool is_edge)
{
	struct edge_at now = { s->at, s->ticks, s->source };

	l->to.found = true;
	l->to.known = s->value != PT_UNKNOWN;
	l->to.id = s->id;
	l->to.source = s->source;
	if (!l->to.known) {
		l->to.last.at = never.at;
		end_waiting(l);
	}
	if (!is_edge || (s->value == 0) != l->to.falls)
		return;
	l->to.last = now;
	if (l->waits)
		add_answer(l, &l->edge, &now);
}

/* An edge of the first line. Where the other one's level is not known, its next edge may not be the first. */
static void take_begin(const struct aux *a, struct latency *l, const struct pt_signal *s)
{
	l->row.unanswered += l->waits;
	add_unanswered(a, l, &l->row);
	l->waits = s->at.ns != PT_UNKNOWN;
	l->edge = (struct edge_at){ s->at, s->ticks, s->source };
	if (l->to.name == NULL || !l->waits)
		return;
	if (!l->to.known)
		end_waiting(l);
	else if (l->to.last.at.ns != PT_UNKNOWN && !was_before(&l->to.last, &l->edge))
		add_answer(l, &l->edge, &l->to.last);
}

static bool is_line(const struct aux *a, const struct pt_signal *s, const char *name)
{
	return strcmp(a->set->definition[s->id].name, name) == 0;
}

/* A level; an edge only where the one before it was known. */
static void take_level_of_latencies(struct aux *a, const struct pt_signal *s, bool is_edge)
{
	for (size_t i = 0; i < a->n_latencies; i++) {
		struct latency *l = &a->latency[i];

		if (l->to.name != NULL && is_line(a, s, l->to.name))
			take_answer(l, s, is_edge);
		if (s->value == PT_UNKNOWN &&
		    (is_line(a, s, l->line) || (l->to.name != NULL && is_line(a, s, l->to.name))))
			l->row.missing |= l->row.found;
		if (is_edge && is_line(a, s, l->line)) {
			l->begin_found = true;
			l->edge.source = s->source;
			if ((s->value == 0) == l->falls)
				take_begin(a, l, s);
		}
		l->row.found = l->begin_found && (l->to.name == NULL || l->to.found);
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
	if (over_gap(a, core, l->edge.at, at))
		end_waiting(l);
	else
		add_answer(l, &l->edge, &(struct edge_at){ at, PT_UNKNOWN, l->edge.source });
}

static void note_step(struct aux *a, const struct pt_call_event *step)
{
	struct pt_timestamp *last = step->core < PT_RUN_CORES ? &a->stepped[step->core] : NULL;

	if (last != NULL && step->at.ns != PT_UNKNOWN && step->at.error_ns < PT_NO_BOUND_NS && step->at.ns > last->ns)
		*last = step->at;
}

static void take_step(struct aux *a, struct latency *l, const struct pt_call_event *step)
{
	if (l->to.name != NULL)
		return;
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

/* An exception as the chip reports it: its handler is entered. */
static void take_events(void *analysis, const struct pt_event *event, const struct pt_timestamp *at, size_t n)
{
	struct aux *a = analysis;

	for (size_t k = 0; k < n; k++) {
		if (event[k].kind == PT_EV_EXCEPTION)
			a->reports[event[k].source % PT_SIGNAL_SOURCES] = true;
		for (size_t i = 0; i < a->n_latencies; i++) {
			struct latency *l = &a->latency[i];

			if (l->to.name != NULL || l->exception == PT_EXCEPTION_NUMBERS || !l->waits)
				continue;
			if (event[k].kind == PT_EV_EXCEPTION && event[k].cause == PT_EXC_ENTER &&
			    event[k].value.at == l->exception)
				take_entry(a, l, event[k].core, at[k]);
			else if (event[k].kind == PT_EV_GAP && a->reports[event[k].source % PT_SIGNAL_SOURCES])
				end_waiting(l);	/* a report may be missing */
		}
	}
}

static bool wants_steps(const void *analysis)
{
	const struct aux *a = analysis;

	for (size_t i = 0; i < a->n_latencies; i++)
		if (a->latency[i].to.name == NULL)
			return true;
	return false;
}

/* --- signals */

static void take_gap(struct aux *a, const struct pt_signal *s)
{
	uint16_t source = s->source;
	bool known = false;

	for (size_t i = 0; i < PT_SIGNALS_MAX; i++)
		if (a->line[i].used && a->line[i].source == source) {
			forget(&a->line[i], s->at);
			known = true;
		}
	pt_signal_gaps_take(&a->gaps, s, known);
	for (size_t i = 0; i < a->n_latencies; i++) {
		struct latency *l = &a->latency[i];
		bool answers = l->to.found && l->to.source == source;

		if (answers) {
			l->to.known = false;
			l->to.last.at = never.at;
			add_unanswered(a, l, &l->row);
		}
		if (answers || (l->begin_found && l->edge.source == source))
			end_waiting(l);
	}
}

static void take_signals(void *analysis, const struct pt_signal *s, size_t n)
{
	struct aux *a = analysis;

	for (; n-- > 0; s++) {
		if (s->kind == PT_SIGNAL_GAP)
			take_gap(a, s);
		if (s->kind != PT_SIGNAL_LEVEL || s->id >= PT_SIGNALS_MAX || s->id >= a->set->n_definitions)
			continue;
		uint64_t before = a->line[s->id].used ? a->line[s->id].row.level : PT_UNKNOWN;

		line_of(a, s)->source = s->source;
		take_level(&a->line[s->id], s);
		take_level_of_latencies(a, s, before != PT_UNKNOWN && s->value != PT_UNKNOWN);
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

/* LINE:rise or LINE:fall, cut in two; "ns::fall" is a name. */
static bool take_edge_word(char *word, bool *falls)
{
	char *colon = strrchr(word, ':');

	if (colon == NULL || colon == word || colon[-1] == ':' ||
	    (strcmp(colon, ":rise") != 0 && strcmp(colon, ":fall") != 0))
		return false;
	*falls = strcmp(colon, ":fall") == 0;
	*colon = '\0';
	return true;
}

/* What answers: a function, or a line's edge. */
static int read_answer(struct latency *l, const struct pt_analysis_setup *setup, char *word, struct pt_err *err)
{
	struct pt_nearest near;

	pt_nearest_init(&near, "", 0);
	l->function = function_of(setup, word);
	l->exception = pt_exception_find(setup->program, setup->map, word, &near);
	if (l->function != PT_NO_FUNCTION || l->exception != PT_EXCEPTION_NUMBERS)
		return 0;
	if (!take_edge_word(word, &l->to.falls))
		return pt_fail(
			err, PT_EARG,
			"latency: the program has no function '%.80s', nor is it an edge of a line (LINE:rise, LINE:fall)",
			word);
	l->to.name = word;
	l->to.last.at = never.at;
	if (strcmp(l->line, word) == 0 && l->falls == l->to.falls)
		return pt_fail(err, PT_EARG,
			       "latency: from an edge to the same edge is a period, which the table has of each line");
	return 0;
}

static int add_latency(struct aux *a, const struct pt_analysis_setup *setup, const char *word, size_t len,
		       struct pt_err *err)
{
	struct latency *l = &a->latency[a->n_latencies];
	char *arrow;

	if (a->n_latencies == PT_AUX_LATENCIES)
		return pt_fail(err, PT_EARG, "latency: more than %d", PT_AUX_LATENCIES);
	l->name = pt_strndup(word, len);
	l->line = pt_strndup(word, len);
	a->n_latencies++;		/* aux_free() frees them */
	arrow = strstr(l->line, "->");
	if (arrow != NULL)
		*arrow = '\0';
	if (arrow == NULL || !take_edge_word(l->line, &l->falls))
		return pt_fail(
			err, PT_EARG,
			"latency: %.80s is not LINE:rise->FUNCTION or LINE:fall->FUNCTION, nor to an edge as in A:rise->B:fall",
			l->name);
	if (read_answer(l, setup, arrow + 2, err) < 0)
		return PT_EARG;
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

static void give_lines(struct aux *a)
{
	bool counted[PT_SIGNAL_SOURCES] = { false };

	a->result.n_lines = 0;
	a->result.lost = 0;
	for (size_t i = 0; i < PT_SIGNALS_MAX; i++) {
		const struct line *l = &a->line[i];
		struct pt_aux_line *row = &a->lines[a->result.n_lines];

		if (!l->used)
			continue;
		*row = l->row;
		add_unended(row, l->since, l->seen);
		add_wait(row, &l->rose, l->seen);
		row->partial += l->row.level != PT_UNKNOWN;
		row->missing |= pt_signal_gaps_of(&a->gaps, l->source) > 0;
		a->result.n_lines++;
		if (l->source < PT_SIGNAL_SOURCES && !counted[l->source])
			a->result.lost += a->gaps.n[l->source];
		if (l->source < PT_SIGNAL_SOURCES)
			counted[l->source] = true;
	}
}

/* Of either line, or of the core: what was seen whole may be the short ones alone. */
static bool is_missing(const struct aux *a, const struct latency *l)
{
	return l->row.missing || l->row.over_gap > 0 ||
	       (l->begin_found && pt_signal_gaps_of(&a->gaps, l->edge.source) > 0) ||
	       (l->to.found && pt_signal_gaps_of(&a->gaps, l->to.source) > 0);
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct aux *a = analysis;

	give_lines(a);
	for (size_t i = 0; i < a->n_latencies; i++) {
		a->latencies[i] = a->latency[i].row;
		a->latencies[i].partial += a->latency[i].waits;
		a->latencies[i].missing = is_missing(a, &a->latency[i]);
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
	.name = "aux", .help = "external lines: widths, periods, latency to a function or an edge", .standard = true,
	.params = params, .n_params = PT_LEN(params), .open = aux_new, .close = aux_free, .signals = take_signals, .seen = take_seen,
	.steps = take_steps, .events = take_events, .blind = take_blind, .wants_steps = wants_steps, .result = give,
};
