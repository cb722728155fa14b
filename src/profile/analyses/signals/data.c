#include "profile/analyses/signals/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/result/analysis.h"

struct instant {			/* at.ns PT_UNKNOWN: not since the gap */
	struct pt_timestamp at;
	uint64_t own_ns;	/* PT_UNKNOWN: it has no ticks */
	uint64_t own_error_ns;	/* not 0: behind the last ticks, by the probe's clock */
};

struct state {
	struct pt_data_state row;	/* share, open ones: filled in for the result */
	struct instant entered;		/* last */
	struct instant since;		/* the same, whatever came */
	struct pt_hist hist;		/* of durations */
};

struct variable {
	bool quantity, states;		/* what is made of it */
	bool open;			/* a state is: current */
	bool whole;			/* its beginning was seen */
	bool read;			/* it was, at some time: what it was between two of these is not known */
	bool behind_gap;		/* there was one since its last value: that may have become any other, and this again */
	size_t current;
	size_t n_states;
	struct state *state;		/* PT_DATA_STATES + 1, the last for all others; NULL: none yet */
	struct pt_data_quantity row;
	struct pt_series series;
	struct instant known, wrote, changed;	/* last time that it was seen to have a value; that one was written;
						 * that it was another than before */
	double before;
	uint16_t source;
	struct pt_writers writers;
	struct instant seen;		/* its source has come to; at.ns 0: not since it was opened */
};

struct data {
	const struct pt_signal_set *set;
	struct variable *variable[PT_SIGNALS_MAX];	/* NULL: nothing came of it yet */
	struct pt_signal_gaps gaps;
	struct pt_data result;
	struct pt_data_state *states;
	struct pt_data_quantity *quantities;
	struct pt_writer *writers;
	bool came;		/* a write of memory did */
	struct pt_series no_series;
};

/* --- time */

static const struct instant never = { .at = { PT_UNKNOWN, 0 }, .own_ns = PT_UNKNOWN };

static struct instant instant_of(const struct pt_signal *s)
{
	return (struct instant){ .at = s->at, .own_ns = s->ticks != PT_UNKNOWN ? s->own_ns : PT_UNKNOWN };
}

/* Between two signals of one source; false: not known. */
static bool since(const struct instant *from, const struct pt_signal *s, uint64_t *ns, uint64_t *error_ns)
{
	uint64_t error = from->at.error_ns + s->at.error_ns, to_ns = instant_of(s).own_ns;

	if (from->at.ns == PT_UNKNOWN || s->at.ns == PT_UNKNOWN || s->at.ns < from->at.ns)
		return false;
	if (from->own_ns != PT_UNKNOWN && to_ns != PT_UNKNOWN) {
		*ns = to_ns - from->own_ns;
		return true;
	}
	*ns = s->at.ns - from->at.ns;
	*error_ns = error > *error_ns ? error : *error_ns;
	return true;
}

/* --- states */

static bool same_value(const struct pt_data_state *row, uint64_t value)
{
	return !row->others && row->value == value;
}

static struct state *state_of(struct variable *v, uint16_t id, uint64_t value)
{
	struct state *st;

	if (v->state == NULL)
		v->state = pt_alloc_array(PT_DATA_STATES + 1, sizeof(*v->state));
	if (v->open && same_value(&v->state[v->current].row, value))
		return &v->state[v->current];
	for (size_t i = 0; i < v->n_states; i++)
		if (same_value(&v->state[i].row, value))
			return &v->state[i];
	st = &v->state[v->n_states < PT_DATA_STATES ? v->n_states : PT_DATA_STATES];
	if (v->n_states <= PT_DATA_STATES && (v->n_states < PT_DATA_STATES || !st->row.others)) {
		st->row = (struct pt_data_state){ .variable = id, .value = value,
						  .others = v->n_states == PT_DATA_STATES,
						  .duration = pt_stat_empty(), .period = pt_stat_empty() };
		st->row.duration.hist = &st->hist;
		st->entered = never;
		v->n_states++;
	}
	return st;
}

/* From one to the other; 0: not known. error_ns: of that. */
static uint64_t between(const struct instant *from, const struct instant *until, uint64_t *error_ns)
{
	bool own = from->own_ns != PT_UNKNOWN && until->own_ns != PT_UNKNOWN;

	if (from->at.ns == PT_UNKNOWN || until->at.ns == PT_UNKNOWN)
		return 0;
	*error_ns = own ? until->own_error_ns : from->at.error_ns + until->at.error_ns;
	if (own)
		return until->own_ns > from->own_ns ? until->own_ns - from->own_ns : 0;
	return until->at.ns > from->at.ns ? until->at.ns - from->at.ns : 0;
}

/* So long nothing like it came, at least. */
static void add_wait(struct pt_stat *period, const struct instant *last, const struct instant *until)
{
	uint64_t error_ns = 0, ns = between(last, until, &error_ns);

	pt_stat_add_unended(period, ns, error_ns);
}

static void add_waits(const struct variable *v, struct pt_data_quantity *q, const struct instant *until)
{
	if (v->read)
		return;
	add_wait(&q->period, &v->wrote, until);
	add_wait(&q->change_period, &v->changed, until);
}

/* It was seen up to then, but not its end, or not its beginning. */
static void cut(const struct variable *v, struct state *st, const struct instant *until)
{
	const struct instant *since = &st->since;
	uint64_t error_ns = 0, ns = between(since, until, &error_ns);

	st->row.partial++;
	if (since->at.ns == PT_UNKNOWN || until->at.ns == PT_UNKNOWN)
		return;
	if (since->own_ns != PT_UNKNOWN && until->own_ns != PT_UNKNOWN)
		st->row.partial_error_ns += error_ns;
	else
		st->row.error_ns = error_ns > st->row.error_ns ? error_ns : st->row.error_ns;
	st->row.partial_ns += ns;
	if (!v->read)
		pt_stat_add_unended(&st->row.duration, ns, error_ns);
}

static void leave(struct variable *v, const struct pt_signal *s)
{
	struct state *st = &v->state[v->current];
	uint64_t ns;

	if (!v->open)
		return;
	v->open = false;
	if (v->whole && since(&st->entered, s, &ns, &st->row.error_ns)) {
		pt_stat_add(&st->row.duration, ns, st->entered.at.ns);
	} else {
		const struct instant until = instant_of(s);

		cut(v, st, &until);
	}
}

/* The first that is known of a line: it had this before. */
static void find(struct variable *v, struct state *st, const struct pt_signal *s)
{
	st->entered = never;
	st->since = instant_of(s);
	v->current = (size_t)(st - v->state);
	v->open = true;
	v->whole = v->behind_gap = false;
}

static void enter(struct variable *v, struct state *st, const struct pt_signal *s)
{
	uint64_t ns;

	if (since(&st->entered, s, &ns, &st->row.error_ns))
		pt_stat_add(&st->row.period, ns, s->at.ns);
	st->entered = st->since = instant_of(s);
	st->row.count++;
	v->current = (size_t)(st - v->state);
	v->open = true;
	v->whole = !s->read && !v->behind_gap;	/* a look finds it: it began before */
	st->row.unsure += v->behind_gap;
	v->behind_gap = false;
}

static void take_state(struct variable *v, const struct pt_signal *s, bool line)
{
	struct state *st = state_of(v, s->id, s->value);

	if (v->open && st == &v->state[v->current] && !st->row.others)
		return;
	if (line && !v->open) {
		find(v, st, s);
		return;
	}
	leave(v, s);
	enter(v, st, s);
}

/* --- quantities */

/* One more period that ends now. */
static void add_period(struct pt_stat *period, struct instant *last, const struct pt_signal *s, uint64_t *error_ns)
{
	uint64_t ns;

	if (since(last, s, &ns, error_ns))
		pt_stat_add(period, ns, s->at.ns);
	*last = instant_of(s);
}

static void take_change(struct variable *v, double value, const struct pt_signal *s)
{
	struct pt_data_quantity *q = &v->row;
	double by = fabs(value - v->before);
	uint64_t ns;

	if (!since(&v->known, s, &ns, &q->error_ns) || !isfinite(by) || ns == 0)
		return;
	q->rate_sum += by;
	q->rate_ns += ns;
	if (by * 1e9 / (double)ns > q->rate_most)
		q->rate_most = by * 1e9 / (double)ns;
}

static void take_value(struct data *d, struct variable *v, const struct pt_signal *s)
{
	struct pt_data_quantity *q = &v->row;
	double value = pt_signal_real(&d->set->definition[s->id], s->value);

	bool line = d->set->definition[s->id].space == PT_SPACE_LINE;
	bool changed = v->known.at.ns != PT_UNKNOWN && value != v->before;

	q->writes += !s->read && !line;
	q->reads += s->read;
	q->changes += changed;
	take_change(v, value, s);
	if (!s->read && !line)
		add_period(&q->period, &v->wrote, s, &q->error_ns);
	if (changed)
		add_period(&q->change_period, &v->changed, s, &q->error_ns);
	v->known = instant_of(s);
	v->before = value;
	if (!isfinite(value)) {
		q->unordered++;
		return;
	}
	if (isnan(q->least) || value < q->least) {
		q->least = value;
		q->least_at = s->at.ns;
	}
	if (isnan(q->most) || value > q->most) {
		q->most = value;
		q->most_at = s->at.ns;
	}
	q->values++;
	q->sum += value;
	q->last = value;
	if (s->at.ns != PT_UNKNOWN)
		pt_series_add(&v->series, s->at.ns, value);
}

/* --- signals */

static void forget_last(struct variable *v)
{
	v->known = v->wrote = v->changed = never;
	v->before = NAN;
}

static struct variable *variable_of(struct data *d, const struct pt_signal *s)
{
	enum pt_signal_form form;
	struct variable *v;

	if (s->id >= d->set->n_definitions || s->id >= PT_SIGNALS_MAX)
		return NULL;
	form = d->set->definition[s->id].form;
	if (d->variable[s->id] != NULL)
		return d->variable[s->id];
	v = d->variable[s->id] = pt_alloc(sizeof(*v));
	v->states = form == PT_FORM_STATE || form == PT_FORM_EITHER;
	v->quantity = form == PT_FORM_REGULAR || form == PT_FORM_EITHER;
	v->behind_gap = pt_signal_gaps_of(&d->gaps, s->source) > 0;
	forget_last(v);
	v->row = (struct pt_data_quantity){
		.variable = s->id, .broken = d->set->definition[s->id].is_float, .least = NAN, .most = NAN, .last = NAN,
		.least_at = PT_UNKNOWN, .most_at = PT_UNKNOWN, .period = pt_stat_empty(),
		.change_period = pt_stat_empty(), .series = &v->series,
	};
	return v;
}

/* What is written of the variable from now on is not seen: its stay ends as unknown, and nothing is measured from before. */
static void lose_sight(struct variable *v, const struct instant *until)
{
	if (v->open)
		cut(v, &v->state[v->current], until);
	v->open = false;
	add_waits(v, &v->row, until);
	forget_last(v);
	for (size_t k = 0; k < v->n_states; k++) {
		if (!v->read)
			add_wait(&v->state[k].row.period, &v->state[k].entered, until);
		v->state[k].entered = never;	/* it may have had the value again meanwhile */
	}
}

static void take_gap(struct data *d, const struct pt_signal *s)
{
	const struct instant until = instant_of(s);
	bool known = false;

	for (size_t i = 0; i < d->set->n_definitions && i < PT_SIGNALS_MAX; i++) {
		struct variable *v = d->variable[i];

		if (v == NULL || v->source != s->source)
			continue;
		known = v->behind_gap = true;
		lose_sight(v, &until);
	}
	pt_signal_gaps_take(&d->gaps, s, known);
}

static void take_signal(struct data *d, const struct pt_signal *s)
{
	const struct instant at = instant_of(s);
	struct variable *v;

	if (s->kind == PT_SIGNAL_GAP) {
		take_gap(d, s);
		return;
	}
	if (s->kind != PT_SIGNAL_STATE && s->kind != PT_SIGNAL_VALUE)
		return;
	v = variable_of(d, s);
	if (v == NULL)
		return;
	v->source = s->source;
	v->read |= s->read;
	d->came |= !s->read && d->set->definition[s->id].space == PT_SPACE_MEMORY;
	if (!s->read)
		pt_writers_take(&v->writers, s->id, s->pc);
	d->result.undated += s->ticks == PT_UNKNOWN && s->at.error_ns > 0;
	if (s->at.ns != PT_UNKNOWN && s->at.ns >= v->seen.at.ns)
		v->seen = at;
	if (d->set->definition[s->id].space == PT_SPACE_LINE && s->value == PT_UNKNOWN) {
		lose_sight(v, &at);
		return;
	}
	if (v->quantity)
		take_value(d, v, s);
	if (v->states)
		take_state(v, s, d->set->definition[s->id].space == PT_SPACE_LINE);
	if (v->quantity && v->n_states > PT_DATA_STATES)	/* too many for states: a quantity */
		v->states = false;
}

static void take_signals(void *analysis, const struct pt_signal *signal, size_t n)
{
	for (size_t i = 0; i < n; i++)
		take_signal(analysis, &signal[i]);
}

/* Silence, up to a moment that the probe's clock has. */
static void extend(struct instant *seen, uint64_t upto_ns)
{
	if (seen->own_ns != PT_UNKNOWN) {
		seen->own_ns += upto_ns - seen->at.ns;
		seen->own_error_ns += seen->at.error_ns;
	}
	seen->at = (struct pt_timestamp){ upto_ns, 0 };
}

static void take_seen(void *analysis, uint16_t source, uint64_t upto_ns)
{
	struct data *d = analysis;

	for (size_t i = 0; i < d->set->n_definitions && i < PT_SIGNALS_MAX; i++) {
		struct variable *v = d->variable[i];

		if (v != NULL && v->source == source && upto_ns > v->seen.at.ns)
			extend(&v->seen, upto_ns);
	}
}

/* --- result */

static int by_value(const void *a, const void *b)
{
	const struct pt_data_state *x = a, *y = b;

	if (x->others != y->others)
		return x->others ? 1 : -1;
	return ((int64_t)x->value > (int64_t)y->value) - ((int64_t)x->value < (int64_t)y->value);
}

static void name_state(const struct data *d, struct pt_data_state *row)
{
	const struct pt_signal_definition *def = &d->set->definition[row->variable];

	row->name = row->others ? "(others)" : pt_signal_value_name(def, row->value);
	if (row->name != NULL)
		return;
	pt_signal_print(def, row->value, row->number, sizeof(row->number));
	row->name = row->number;
}

static void give_states(struct data *d, const struct variable *v)
{
	struct pt_data_state *rows = d->states + d->result.n_states;
	uint64_t all = 0;

	for (size_t i = 0; i < v->n_states; i++) {
		struct state copy = v->state[i];

		if (v->open && v->current == i)
			cut(v, &copy, &v->seen);
		if (!v->read)
			add_wait(&copy.row.period, &copy.entered, &v->seen);
		rows[i] = copy.row;
		rows[i].missing = pt_signal_gaps_of(&d->gaps, v->source) > 0;
		all += rows[i].duration.total + rows[i].partial_ns;
	}
	for (size_t i = 0; i < v->n_states; i++)
		rows[i].share = all > 0 ? (double)(rows[i].duration.total + rows[i].partial_ns) / (double)all : NAN;
	qsort(rows, v->n_states, sizeof(*rows), by_value);
	for (size_t i = 0; i < v->n_states; i++)
		name_state(d, &rows[i]);
	d->result.n_states += v->n_states;
}

/* A variable of which nothing came has a row, too: it was asked for. */
static void give_silent(struct data *d, size_t i)
{
	const struct pt_signal_definition *def = i < d->set->n_definitions ? &d->set->definition[i] : NULL;
	struct pt_data_quantity *q = &d->quantities[d->result.n_quantities];
	bool is_data = def != NULL &&
		       (def->form == PT_FORM_STATE || def->form == PT_FORM_REGULAR || def->form == PT_FORM_EITHER);

	if (!is_data || def->space != PT_SPACE_MEMORY || def->task != NULL || !d->came)
		return;
	*q = (struct pt_data_quantity){
		.variable = (uint16_t)i, .silent = true, .least = NAN, .most = NAN, .last = NAN, .least_at = PT_UNKNOWN,
		.most_at = PT_UNKNOWN, .period = pt_stat_empty(), .change_period = pt_stat_empty(), .series = &d->no_series,
	};
	for (size_t k = 0; k < PT_SIGNAL_SOURCES; k++)
		q->missing |= d->gaps.n[k] > 0;
	d->result.n_quantities++;
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct data *d = analysis;

	bool counted[PT_SIGNAL_SOURCES] = { false };

	d->result.n_states = d->result.n_quantities = d->result.n_writers = 0;
	d->result.lost = 0;
	for (size_t i = 0; i < PT_SIGNALS_MAX; i++) {
		const struct variable *v = d->variable[i];

		if (v == NULL) {
			give_silent(d, i);
			continue;
		}
		d->result.n_writers += pt_writers_give(&v->writers, d->writers + d->result.n_writers);
		if (v->states)
			give_states(d, v);
		if (v->quantity) {
			d->quantities[d->result.n_quantities] = v->row;
			add_waits(v, &d->quantities[d->result.n_quantities], &v->seen);
			d->quantities[d->result.n_quantities++].missing = pt_signal_gaps_of(&d->gaps, v->source) > 0;
		}
		if (v->source < PT_SIGNAL_SOURCES && !counted[v->source])
			d->result.lost += d->gaps.n[v->source];
		if (v->source < PT_SIGNAL_SOURCES)
			counted[v->source] = true;
	}
	profile->data = &d->result;
}

static void data_free(void *analysis)
{
	struct data *d = analysis;

	for (size_t i = 0; i < PT_SIGNALS_MAX; i++) {
		if (d->variable[i] == NULL)
			continue;
		pt_series_fini(&d->variable[i]->series);
		for (size_t k = 0; k < d->variable[i]->n_states; k++)
			pt_hist_fini(&d->variable[i]->state[k].hist);
		free(d->variable[i]->state);
		free(d->variable[i]);
	}
	free(d->states);
	free(d->quantities);
	free(d->writers);
	free(d);
}

static void *data_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct data *d = pt_alloc(sizeof(*d));

	(void)err;
	d->states = pt_realloc_array(NULL, (size_t)PT_SIGNALS_MAX * (PT_DATA_STATES + 1), sizeof(*d->states));
	d->quantities = pt_realloc_array(NULL, PT_SIGNALS_MAX, sizeof(*d->quantities));
	d->writers = pt_realloc_array(NULL, (size_t)PT_SIGNALS_MAX * (PT_WRITERS + 1), sizeof(*d->writers));
	d->set = setup->signals;
	d->result = (struct pt_data){ .state = d->states, .quantity = d->quantities, .writer = d->writers,
				      .signals = setup->signals };
	return d;
}

const struct pt_analysis pt_analysis_data = {
	.name = "data", .help = "variables: states, and quantities over time", .standard = true, .open = data_new,
	.close = data_free, .signals = take_signals, .seen = take_seen, .result = give,
};
