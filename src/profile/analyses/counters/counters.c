#include "profile/analyses/counters/counters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/analyses/counters/counters_parts.h"
#include "profile/stats/stat.h"
#include "trace/config.h"

const struct pt_param pt_counters_params[] = {
	{ "metric", PT_PARAM_LIST, NULL, NULL, 0, 0, "figures derived from counters (NAME:instructions/cycles)" },
};

/* --- the grid */

static void widen(struct counters *c)
{
	for (size_t i = 0; i < c->n_counters; i++) {
		double *count = c->counter[i]->count, *ns = c->counter[i]->ns;

		for (size_t b = 0; b < PT_SERIES_BUCKETS; b++) {
			bool kept = b < PT_SERIES_BUCKETS / 2;

			count[b] = kept ? count[2 * b] + count[2 * b + 1] : 0;
			ns[b] = kept ? ns[2 * b] + ns[2 * b + 1] : 0;
		}
	}
	c->grid.width_ns *= 2;
}

/* counted so much between from_ns and to_ns. */
static void spread(struct counters *c, struct counter *counter, uint64_t from_ns, uint64_t to_ns, double counted)
{
	struct grid *g = &c->grid;
	double whole = (double)(to_ns - from_ns);

	if (!g->begun)
		*g = (struct grid){ true, from_ns, 1 };
	if (from_ns < g->from_ns)
		from_ns = g->from_ns;
	if (to_ns <= from_ns)
		return;
	while ((to_ns - 1 - g->from_ns) / g->width_ns >= PT_SERIES_BUCKETS)
		widen(c);
	for (uint64_t at = from_ns, until; at < to_ns; at = until) {
		size_t b = (size_t)((at - g->from_ns) / g->width_ns);

		until = g->from_ns + (b + 1) * g->width_ns;
		until = until < to_ns && until > at ? until : to_ns;
		counter->count[b] += counted * (double)(until - at) / whole;
		counter->ns[b] += (double)(until - at);
	}
}

/* --- names */

static const struct config *config_of(const struct counters *c, uint16_t source)
{
	for (size_t i = 0; i < c->n_configs; i++)
		if (c->config[i].source == source)
			return &c->config[i];
	return NULL;
}

/* The value of counter.N and what follows; empty: the source does not say. */
static const char *look_up(const struct counters *c, const struct counter *n, const char *what, char *text, size_t room)
{
	const struct config *config = config_of(c, n->row.source);
	char key[40];

	text[0] = '\0';
	snprintf(key, sizeof(key), "counter.%" PRIu64 "%s", n->id - PT_COUNTER_NAMED, what);
	if (config != NULL && n->id >= PT_COUNTER_NAMED)
		pt_config_text(&config->keys, key, text, room);
	return text[0] != '\0' ? text : NULL;
}

static void name_counter(const struct counters *c, struct counter *n)
{
	char over[24];

	if (look_up(c, n, "", n->name, sizeof(n->name)) == NULL)
		snprintf(n->name, sizeof(n->name), "counter %" PRIu64,
			 n->id < PT_COUNTER_NAMED ? n->id : n->id - PT_COUNTER_NAMED);
	n->row.name = n->name;
	n->row.note = look_up(c, n, ".note", n->note, sizeof(n->note));
	look_up(c, n, ".alias", n->alias, sizeof(n->alias));
	n->row.of = look_up(c, n, ".of", n->of, sizeof(n->of));
	n->row.max_hz = look_up(c, n, ".max_hz", over, sizeof(over)) != NULL ? strtoull(over, NULL, 10) : 0;
	n->row.rest = look_up(c, n, ".rest", over, sizeof(over)) != NULL ? strtoull(over, NULL, 10) : 0;
	n->row.over = look_up(c, n, ".over", over, sizeof(over)) != NULL ? strtoull(over, NULL, 10) : 0;
}

static void forget_config(struct config *config)
{
	pt_config_fini(&config->keys);
	free(config->text);
}

static void take_config(void *analysis, uint16_t source, const struct pt_config *config)
{
	struct counters *c = analysis;
	struct pt_config keys;
	size_t i = 0;
	uint64_t lost;
	char *copy;

	while (i < c->n_configs && c->config[i].source != source)
		i++;
	if (i == SOURCES)
		return;
	copy = pt_alloc(config->len_bytes + 1);
	memcpy(copy, config->text, config->len_bytes);
	if (!pt_config_init(&keys, copy, config->len_bytes)) {
		free(copy);
		return;
	}
	lost = i < c->n_configs ? c->config[i].lost : 0;
	if (i < c->n_configs)
		forget_config(&c->config[i]);
	else
		c->n_configs++;
	c->config[i] = (struct config){ .source = source, .text = copy, .keys = keys, .lost = lost, .last_ns = PT_UNKNOWN };
}

static void note_core(struct counters *c, uint16_t core)
{
	size_t n = c->result.n_cores;

	for (size_t i = 0; i < n; i++)
		if (c->core[i] == core)
			return;
	if (n < CORES)
		c->core[c->result.n_cores++] = core;
}

static struct counter *counter_of(struct counters *c, const struct pt_event *e)
{
	struct counter *n;

	for (size_t i = 0; i < c->n_counters; i++)
		if (c->counter[i]->id == e->counter.id && c->counter[i]->row.source == e->source)
			return c->counter[i];
	if (c->n_counters == PT_COUNTERS_MAX) {
		c->result.refused++;
		return NULL;
	}
	n = pt_alloc(sizeof(*n));
	n->id = e->counter.id;
	n->read = (struct pt_timestamp){ PT_UNKNOWN, 0 };
	n->row = (struct pt_counter_row){
		.source = e->source, .core = e->core, .rate_min = NAN, .rate_max = NAN, .rate_min_at = PT_UNKNOWN,
		.rate_last = NAN, .rate_max_at = PT_UNKNOWN, .least_ns = PT_UNKNOWN, .series = &n->series,
		.scaled = NAN, .scaled_error = NAN, .active = NAN, .value = PT_UNKNOWN,
	};
	name_counter(c, n);
	n->number = c->n_counters;
	c->counter[c->n_counters++] = n;
	note_core(c, e->core);
	return n;
}

/* --- counts */

enum { EARLY = 4 };	/* that much sooner than the reading before */

/* Readings have errors in time, and one that a halt or the end of the profile wants comes soon after the one before:
 * what was counted in between is counted, but makes no extreme of a rate, nor the last one. */
static void take_rate(struct counter *n, uint64_t ns, uint64_t counted, uint64_t at_ns)
{
	double rate = (double)counted * 1e9 / (double)ns;
	bool early = ns < n->before_ns / EARLY;

	n->before_ns = ns;
	n->row.timed += counted;
	n->row.timed_ns += ns;
	if (early)
		return;
	n->row.rate_last = rate;
	n->last = (struct turn){ counted, ns };
	if (ns < n->row.least_ns)
		n->row.least_ns = ns;
	if (isnan(n->row.rate_min) || rate < n->row.rate_min) {
		n->row.rate_min = rate;
		n->row.rate_min_at = at_ns;
	}
	if (isnan(n->row.rate_max) || rate > n->row.rate_max) {
		n->row.rate_max = rate;
		n->row.rate_max_at = at_ns;
	}
}

/* From the reading before to one at at_ns, both with their errors: behind a stretch that ended at the former, that one's
 * error is none of the longer stretch. */
static void take_ends(struct counter *n, uint64_t at_ns, uint64_t from_error_ns, uint64_t to_error_ns, bool stamped)
{
	bool goes_on = n->in_stretch && n->stretch_stamped == stamped;

	if (n->row.timed_to_ns == 0)
		n->row.timed_from_ns = n->read.ns - from_error_ns;
	if (at_ns + to_error_ns > n->row.timed_to_ns)
		n->row.timed_to_ns = at_ns + to_error_ns;
	n->row.timed_error_ns += to_error_ns + (goes_on ? 0 : from_error_ns) - (goes_on ? n->end_error_ns : 0);
	n->in_stretch = true;
	n->stretch_stamped = stamped;
	n->end_error_ns = to_error_ns;
}

static void end_turn(struct counter *n)
{
	double x = (double)n->turn.counted, y = (double)n->turn.ns;

	n->row.turns += n->turn.ns > 0;
	n->xx += x * x;
	n->xy += x * y;
	n->yy += y * y;
	n->turn = (struct turn){ 0 };
}

/* How long the counters of the source were read: what a shared one's count is scaled to. */
static void take_moment(struct counters *c, uint16_t source, uint64_t ns)
{
	for (size_t i = 0; i < c->n_configs && ns != PT_UNKNOWN; i++) {
		struct config *config = &c->config[i];

		if (config->source != source)
			continue;
		if (config->last_ns != PT_UNKNOWN && ns > config->last_ns)
			config->span_ns += ns - config->last_ns;
		if (config->last_ns == PT_UNKNOWN || ns > config->last_ns)
			config->last_ns = ns;
	}
}

static void take_value(struct counter *n, const struct pt_event *e)
{
	bool least = e->cause == PT_COUNTING_LEAST;

	n->row.readings++;
	n->row.is_value = true;
	if (n->row.value == PT_UNKNOWN || (e->counter.count < n->row.value) == least)
		n->row.value = e->counter.count;
}

/* Behind a halt for a reading a source says once more what it read: counting goes on from there. */
static bool is_said_again(const struct counter *n, const struct pt_event *e)
{
	return e->cause != PT_COUNTING_RESUMES && e->counter.count == 0 && n->read.ns == PT_UNKNOWN &&
	       n->row.readings > 0;
}

/* What was counted since the reading before. */
static void take_counted(struct counters *c, struct counter *n, uint64_t counted, struct pt_timestamp at)
{
	if (at.ns > n->read.ns) {
		take_rate(n, at.ns - n->read.ns, counted, at.ns);
		spread(c, n, n->read.ns, at.ns, (double)counted);
		pt_together_add(&c->together, n->row.source, n->number, n->read.ns, at.ns, counted);
		n->turn.ns += at.ns - n->read.ns;
	} else {
		n->row.timed += counted;	/* the clock does not tell the two apart */
	}
	n->turn.counted += counted;
}

static void take_count(struct counters *c, struct counter *n, const struct pt_event *e, struct pt_timestamp at)
{
	bool stamped = n->read_ticks != PT_UNKNOWN && e->ticks != PT_UNKNOWN;	/* both by one clock */
	uint64_t from_error = (stamped ? 0 : n->read.error_ns) + n->read_error_ns;
	uint64_t to_error = (stamped ? 0 : at.error_ns) + e->counter.error_ns, error = from_error + to_error;
	bool goes_on = e->cause == PT_COUNTING_GOES_ON && n->read.ns != PT_UNKNOWN && at.ns != PT_UNKNOWN;
	bool follows = goes_on && at.ns >= n->read.ns && e->counter.count != PT_UNKNOWN;

	n->row.readings += !is_said_again(n, e);
	n->row.shared |= e->cause == PT_COUNTING_RESUMES;
	if (e->cause != PT_COUNTING_GOES_ON)
		end_turn(n);
	n->row.total += e->counter.count != PT_UNKNOWN ? e->counter.count : 0;
	n->row.unknown += e->counter.count == PT_UNKNOWN;
	if (goes_on && n->read_ticks != PT_UNKNOWN && e->ticks == PT_UNKNOWN && e->counter.count != PT_UNKNOWN) {
		n->unstamped += e->counter.count;
		return;
	}
	if (follows) {
		if (at.ns > n->read.ns && error > n->row.error_ns)
			n->row.error_ns = error;
		take_ends(n, at.ns, from_error, to_error, stamped);
		take_counted(c, n, e->counter.count + n->unstamped, at);
	}
	n->in_stretch = follows;
	n->unstamped = 0;
	n->read = at;
	n->read_ticks = e->ticks;
	n->read_error_ns = e->counter.error_ns;
}

static void take_reading(struct counters *c, const struct pt_event *e, struct pt_timestamp at)
{
	struct counter *n = counter_of(c, e);

	if (n == NULL)
		return;
	take_moment(c, e->source, at.ns);
	if (e->cause == PT_COUNTING_LEAST || e->cause == PT_COUNTING_MOST)
		take_value(n, e);
	else
		take_count(c, n, e, at);
}

/* A fresh start before the first reading is the beginning. */
static void take_gap(struct counters *c, uint16_t source, enum pt_gap cause)
{
	bool known = false;

	for (size_t i = 0; i < c->n_counters; i++)
		if (c->counter[i]->row.source == source) {
			c->counter[i]->read = (struct pt_timestamp){ PT_UNKNOWN, 0 };
			known = true;
		}
	for (size_t i = 0; i < c->n_configs; i++)
		if (c->config[i].source == source) {
			c->config[i].last_ns = PT_UNKNOWN;
			c->config[i].lost += known || cause != PT_GAP_RESTART;
		}
}

static void take_events(void *analysis, const struct pt_event *e, const struct pt_timestamp *at, size_t n)
{
	struct counters *c = analysis;

	for (size_t i = 0; i < n; i++) {
		if (e[i].kind == PT_EV_GAP)
			take_gap(c, e[i].source, (enum pt_gap)e[i].cause);
		else if (e[i].kind == PT_EV_COUNTER && e[i].counter.id != PT_COUNTER_REFUSED)
			take_reading(c, &e[i], at[i]);
	}
}

/* --- result */

static struct pt_series_bucket one(double value)
{
	return (struct pt_series_bucket){ 1, value, value, value, value, value };
}

void pt_counters_fill(const struct grid *grid, struct pt_series *s, struct pt_series_bucket *bucket, size_t b,
		      double value)
{
	if (b == 0)
		*s = (struct pt_series){ .from_ns = grid->from_ns, .width_ns = grid->width_ns, .bucket = bucket };
	bucket[b] = (struct pt_series_bucket){ 0 };
	if (!isnan(value))
		bucket[b] = one(value);
	s->n_used += bucket[b].n > 0;
	s->n_buckets = bucket[b].n > 0 ? b + 1 : s->n_buckets;
}

double pt_counters_span_ns(const struct counters *c, const struct counter *n)
{
	const struct config *config = config_of(c, n->row.source);

	return config != NULL ? (double)config->span_ns : 0;
}

/* What it would have counted, had it been counting all the time that its source was read in. */
static void scale(const struct counters *c, struct counter *n)
{
	double span = pt_counters_span_ns(c, n);
	double y = (double)n->row.timed_ns, x = (double)n->row.timed, r, residuals, k;

	if (!n->row.shared || y <= 0 || span <= 0)
		return;
	r = x / y;
	k = (double)n->row.turns + (n->turn.ns > 0);
	residuals = n->xx - 2 * r * n->xy + r * r * n->yy;
	if (n->turn.ns > 0)		/* the one that is not over */
		residuals += pow((double)n->turn.counted - r * (double)n->turn.ns, 2);
	n->row.scaled = r * span;
	n->row.active = y < span ? y / span : 1;
	if (k >= 2)
		n->row.scaled_error = pt_student_95((uint64_t)k - 1) * span / y *
				      sqrt(fmax(residuals, 0) * k / (k - 1) * (1 - n->row.active));
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct counters *c = analysis;

	for (size_t i = 0; i < c->n_counters; i++) {
		struct counter *n = c->counter[i];

		for (size_t b = 0; b < PT_SERIES_BUCKETS; b++)
			pt_counters_fill(&c->grid, &n->series, n->bucket, b,
					 n->ns[b] > 0 ? n->count[b] * 1e9 / n->ns[b] : NAN);
		scale(c, n);
		if (n->row.rest > 0 && config_of(c, n->row.source) != NULL)
			n->row.lost = config_of(c, n->row.source)->lost;
		c->rows[i] = n->row;
	}
	c->result.n_counters = c->n_counters;
	pt_counters_give_figures(c);
	profile->counters = &c->result;
}

/* --- life */

static void counters_free(void *analysis)
{
	struct counters *c = analysis;

	for (size_t i = 0; i < c->n_counters; i++)
		free(c->counter[i]);
	for (size_t i = 0; i < c->n_metrics; i++) {
		free(c->metric[i]->name);
		free(c->metric[i]);
	}
	for (size_t i = 0; i < c->n_configs; i++)
		forget_config(&c->config[i]);
	free(c);
}

static void *counters_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct counters *c = pt_alloc(sizeof(*c));

	c->result = (struct pt_counters){ .counter = c->rows, .metric = c->metrics };
	if (pt_counters_read_words(c, setup->words, err) == 0)
		return c;
	counters_free(c);
	return NULL;
}

const struct pt_analysis pt_analysis_counters = {
	.name = "counters", .help = "counters: totals, rates over time, derived metrics", .standard = true,
	.params = pt_counters_params,
	.n_params = PT_LEN(pt_counters_params), .open = counters_new, .close = counters_free, .events = take_events,
	.config = take_config, .result = give,
};
