#include "profile/analyses/signals/watched.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "profile/result/analysis.h"

struct state {
	uint64_t value, looks, in_batch, found;
	struct pt_timestamp first;
	struct pt_cluster_sum sum;
};

struct variable {
	struct pt_watched_variable row;	/* but for what give() adds */
	struct state state[PT_WATCHED_STATES + 1];	/* the last for all others */
	size_t n_states;
	struct pt_cluster_total batches;
	uint64_t in_batch;		/* looks of the batch so far */
	uint64_t before;		/* what the last look found */
	struct pt_timestamp first, latest;	/* looks; ns PT_UNKNOWN: none, or none with a moment */
	uint16_t source;
	struct pt_series series;
	struct pt_watched_state rows[PT_WATCHED_STATES + 1];
};

struct watched {
	const struct pt_signal_set *set;
	struct variable *variable[PT_SIGNALS_MAX];	/* NULL: it was never looked at */
	struct pt_watched_variable rows[PT_SIGNALS_MAX];
	struct pt_watched result;
};

/* --- looks -------------------------------------------------------------------------------------------------------- */

static struct variable *variable_of(struct watched *w, const struct pt_signal *s)
{
	const struct pt_signal_definition *d;
	struct variable *v;

	if (s->id >= w->set->n_definitions || s->id >= PT_SIGNALS_MAX)
		return NULL;
	if (w->variable[s->id] != NULL)
		return w->variable[s->id];
	d = &w->set->definition[s->id];
	v = w->variable[s->id] = pt_alloc(sizeof(*v));
	v->source = s->source;
	v->first.ns = v->latest.ns = PT_UNKNOWN;
	v->row = (struct pt_watched_variable){
		.variable = s->id, .counts = !pt_signal_of_system(d) && d->n_values == 0, .least = NAN, .most = NAN, .last = NAN,
		.series = &v->series,
	};
	return v;
}

static struct state *state_of(struct variable *v, uint64_t value)
{
	size_t i = 0;

	while (i < v->n_states && i < PT_WATCHED_STATES && v->state[i].value != value)
		i++;
	if (i == v->n_states) {
		v->state[v->n_states].first.ns = PT_UNKNOWN;
		v->state[v->n_states++].value = value;
	}
	return &v->state[i];
}

static void take_number(struct variable *v, double value, uint64_t ns)
{
	struct pt_watched_variable *row = &v->row;

	if (!isfinite(value))
		return;
	row->least = fmin(row->least, value);	/* NAN counts for nothing */
	row->most = fmax(row->most, value);
	row->sum += value;
	row->last = value;
	row->numbers++;
	if (ns != PT_UNKNOWN)
		pt_series_add(&v->series, ns, value);
}

/* From the earliest moment that the look before can have been of to the latest of this one. */
static void take_time(struct variable *v, struct pt_timestamp at)
{
	uint64_t apart_ns;

	if (at.ns == PT_UNKNOWN)
		return;
	if (v->first.ns == PT_UNKNOWN)
		v->first = at;
	if (v->latest.ns != PT_UNKNOWN && at.ns >= v->latest.ns) {
		apart_ns = at.ns - v->latest.ns + at.error_ns + v->latest.error_ns;
		v->row.longest_ns = apart_ns > v->row.longest_ns ? apart_ns : v->row.longest_ns;
	}
	v->latest = at;
}

static void take_look(struct watched *w, const struct pt_signal *s)
{
	struct variable *v = variable_of(w, s);
	struct state *st;

	if (v == NULL)
		return;
	if (s->torn) {
		v->row.torn++;
		return;
	}
	st = state_of(v, s->value);
	if (st->looks++ == 0)
		st->first = s->at;
	st->found += v->row.looks == 0 || s->value != v->before;
	st->in_batch++;
	v->in_batch++;
	v->row.changes += v->row.looks > 0 && s->value != v->before;
	v->row.looks++;
	v->before = s->value;
	take_time(v, s->at);
	if (v->row.counts)
		take_number(v, pt_signal_real(&w->set->definition[s->id], s->value), s->at.ns);
}

static void take_signals(void *analysis, const struct pt_signal *signal, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (signal[i].kind == PT_SIGNAL_LOOK)
			take_look(analysis, &signal[i]);
}

static void end_batch_of(struct variable *v)
{
	double y = (double)v->in_batch;

	if (v->in_batch == 0)
		return;
	pt_cluster_add_total(&v->batches, y);
	for (size_t i = 0; i < v->n_states; i++) {
		if (v->state[i].in_batch > 0)
			pt_cluster_add(&v->state[i].sum, (double)v->state[i].in_batch, y);
		v->state[i].in_batch = 0;
	}
	v->in_batch = 0;
}

static void end_batch(void *analysis, uint16_t source)
{
	struct watched *w = analysis;

	for (size_t i = 0; i < w->set->n_definitions && i < PT_SIGNALS_MAX; i++)
		if (w->variable[i] != NULL && w->variable[i]->source == source)
			end_batch_of(w->variable[i]);
}

/* --- result ------------------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	const struct pt_watched_state *x = a, *y = b;

	if (x->others != y->others)
		return x->others ? 1 : -1;
	return ((int64_t)x->value > (int64_t)y->value) - ((int64_t)x->value < (int64_t)y->value);
}

static void name_state(const struct pt_signal_definition *d, struct pt_watched_state *row)
{
	row->name = row->others ? "(others)" : pt_signal_value_name(d, row->value);
	if (row->name != NULL)
		return;
	pt_signal_print(d, row->value, row->number, sizeof(row->number));
	row->name = row->number;
}

static void give_states(const struct pt_signal_definition *d, struct variable *v)
{
	v->row.n_states = v->row.counts && v->n_states > PT_WATCHED_STATES ? 0 : v->n_states;
	for (size_t i = 0; i < v->row.n_states; i++)
		v->rows[i] = (struct pt_watched_state){
			.value = v->state[i].value, .others = i == PT_WATCHED_STATES, .looks = v->state[i].looks,
			.found = v->state[i].found, .first = v->state[i].first,
			.share = pt_cluster_share(&v->batches, &v->state[i].sum),
		};
	qsort(v->rows, v->row.n_states, sizeof(v->rows[0]), by_value);
	for (size_t i = 0; i < v->row.n_states; i++)
		name_state(d, &v->rows[i]);
	v->row.state = v->rows;
	v->row.unseen = pt_cluster_unseen(&v->batches);
}

static void give_times(struct pt_watched_variable *row, const struct variable *v)
{
	bool known = row->looks > 1 && v->first.ns != PT_UNKNOWN && v->latest.ns > v->first.ns;

	row->mean_ns = known ? (v->latest.ns - v->first.ns) / (row->looks - 1) : PT_UNKNOWN;
	row->longest_ns = known ? row->longest_ns : PT_UNKNOWN;
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct watched *w = analysis;

	w->result.n_variables = 0;
	for (size_t i = 0; i < PT_SIGNALS_MAX; i++) {
		struct variable *v = w->variable[i];

		if (v == NULL)
			continue;
		give_states(&w->set->definition[i], v);
		w->rows[w->result.n_variables] = v->row;
		give_times(&w->rows[w->result.n_variables++], v);
	}
	profile->watched = &w->result;
}

/* --- life --------------------------------------------------------------------------------------------------------- */

static void watched_free(void *analysis)
{
	struct watched *w = analysis;

	for (size_t i = 0; i < PT_SIGNALS_MAX; i++)
		if (w->variable[i] != NULL) {
			pt_series_fini(&w->variable[i]->series);
			free(w->variable[i]);
		}
	free(w);
}

static void *watched_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct watched *w = pt_alloc(sizeof(*w));

	(void)err;
	w->set = setup->signals;
	w->result = (struct pt_watched){ .variable = w->rows, .signals = setup->signals };
	return w;
}

const struct pt_analysis pt_analysis_watched = {
	.name = "watch", .help = "variables that are looked at now and then: the time in each state, and what they were",
	.standard = true, .open = watched_new, .close = watched_free, .signals = take_signals, .batch_end = end_batch,
	.result = give,
};
