#include "profile/counters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decoder.h"
#include "profile/analysis.h"
#include "profile/formula.h"
#include "profile/metrics.h"
#include "profile/stat.h"

static const struct pt_param params[] = {
	{ "metric", PT_PARAM_LIST, NULL, NULL, 0, 0, "figures derived from counters (NAME:instructions/cycles)" },
};

enum { NAME_BYTES = 64, SOURCES = 32, CORES = 32, ANY = UINT16_MAX };

struct counter {
	char name[NAME_BYTES];
	uint64_t id;
	struct pt_counter_row row;
	struct turn { uint64_t counted, ns; } turn;	/* the one that it has */
	double xx, xy, yy;		/* of the turns before: counted and ns, squared */
	struct pt_moment read;		/* the last reading; ns PT_UNKNOWN: not since the gap */
	uint64_t read_ticks;
	double count[PT_SERIES_BUCKETS], ns[PT_SERIES_BUCKETS];	/* on the grid: counted, and the time that this is of */
	struct pt_series series;
	struct pt_series_bucket bucket[PT_SERIES_BUCKETS];
};

struct metric {
	char *name;			/* "IPC" */
	const char *text;		/* its formula, in the same memory */
	bool asked;			/* by the user */
	uint16_t core;			/* whose counters it takes; ANY: not said yet */
	struct pt_formula formula;
	struct pt_series series;
	struct pt_series_bucket bucket[PT_SERIES_BUCKETS];
};

struct counters {
	struct counter *counter[PT_COUNTERS_MAX];
	size_t n_counters;
	struct metric *metric[PT_METRICS_MAX];
	size_t n_metrics;
	struct grid { bool begun; uint64_t from_ns, width_ns; } grid;
	struct config { uint16_t source; char *config; size_t len_bytes; uint64_t from_ns, to_ns; } config[SOURCES];	/* for
								* the names in them; and when its counters were read */
	size_t n_configs;
	uint16_t core[CORES];		/* that counters are of */
	struct pt_counters result;
	struct pt_counter_row rows[PT_COUNTERS_MAX];
	struct pt_metric_row metrics[PT_METRICS_MAX];
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

static void name_counter(const struct counters *c, uint16_t source, uint64_t id, char *name)
{
	char key[40];

	name[0] = '\0';
	snprintf(key, sizeof(key), "counter.%" PRIu64, id - PT_COUNTER_NAMED);
	for (size_t i = 0; i < c->n_configs && id >= PT_COUNTER_NAMED; i++)
		if (c->config[i].source == source)
			pt_config_text(c->config[i].config, c->config[i].len_bytes, key, name, NAME_BYTES);
	if (name[0] == '\0')
		snprintf(name, NAME_BYTES, "counter %" PRIu64, id < PT_COUNTER_NAMED ? id : id - PT_COUNTER_NAMED);
}

static void take_config(void *analysis, uint16_t source, const char *config, size_t len_bytes)
{
	struct counters *c = analysis;
	size_t i = 0;
	char *copy;

	while (i < c->n_configs && c->config[i].source != source)
		i++;
	copy = i < SOURCES ? malloc(len_bytes + 1) : NULL;
	if (copy == NULL)
		return;
	memcpy(copy, config, len_bytes);
	if (i < c->n_configs)
		free(c->config[i].config);
	else
		c->n_configs++;
	c->config[i] = (struct config){ source, copy, len_bytes, PT_UNKNOWN, 0 };
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
	n = c->n_counters < PT_COUNTERS_MAX ? calloc(1, sizeof(*n)) : NULL;
	if (n == NULL) {
		c->result.refused++;
		return NULL;
	}
	n->id = e->counter.id;
	n->read = (struct pt_moment){ PT_UNKNOWN, 0 };
	name_counter(c, e->source, n->id, n->name);
	n->row = (struct pt_counter_row){
		.name = n->name, .source = e->source, .core = e->core,
		.rate_min = NAN, .rate_max = NAN, .rate_min_at = PT_UNKNOWN,
		.rate_max_at = PT_UNKNOWN, .least_ns = PT_UNKNOWN, .series = &n->series, .scaled = NAN,
		.scaled_error = NAN, .active = NAN, .value = PT_UNKNOWN,
	};
	c->counter[c->n_counters++] = n;
	note_core(c, e->core);
	return n;
}

/* --- counts */

static void take_rate(struct counter *n, uint64_t ns, uint64_t counted, uint64_t at_ns)
{
	double rate = (double)counted * 1e9 / (double)ns;

	n->row.timed += counted;
	n->row.timed_ns += ns;
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

static void end_turn(struct counter *n)
{
	double x = (double)n->turn.counted, y = (double)n->turn.ns;

	n->row.turns += n->turn.ns > 0;
	n->xx += x * x;
	n->xy += x * y;
	n->yy += y * y;
	n->turn = (struct turn){ 0 };
}

/* When the counters of the source were read, first and last: what a shared one's count is scaled to. */
static void take_moment(struct counters *c, uint16_t source, uint64_t ns)
{
	for (size_t i = 0; i < c->n_configs && ns != PT_UNKNOWN; i++)
		if (c->config[i].source == source) {
			if (c->config[i].from_ns == PT_UNKNOWN)
				c->config[i].from_ns = ns;
			c->config[i].to_ns = ns > c->config[i].to_ns ? ns : c->config[i].to_ns;
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

static void take_count(struct counters *c, struct counter *n, const struct pt_event *e, struct pt_moment at)
{
	uint64_t error = n->read.error_ns + at.error_ns;
	bool follows = e->cause == PT_COUNTING_GOES_ON && n->read.ns != PT_UNKNOWN && at.ns != PT_UNKNOWN &&
		       at.ns > n->read.ns;

	n->row.readings++;
	n->row.shared |= e->cause == PT_COUNTING_RESUMES;
	if (e->cause != PT_COUNTING_GOES_ON)
		end_turn(n);
	if (e->counter.count == PT_UNKNOWN) {
		n->row.unknown++;
	} else {
		n->row.total += e->counter.count;
		if (follows && (n->read_ticks == PT_UNKNOWN || e->ticks == PT_UNKNOWN) && error > n->row.error_ns)
			n->row.error_ns = error;
		if (follows) {
			take_rate(n, at.ns - n->read.ns, e->counter.count, at.ns);
			spread(c, n, n->read.ns, at.ns, (double)e->counter.count);
			n->turn.counted += e->counter.count;
			n->turn.ns += at.ns - n->read.ns;
		}
	}
	n->read = at;
	n->read_ticks = e->ticks;
}

static void take_reading(struct counters *c, const struct pt_event *e, struct pt_moment at)
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

static void take_gap(struct counters *c, uint16_t source)
{
	for (size_t i = 0; i < c->n_counters; i++)
		if (c->counter[i]->row.source == source)
			c->counter[i]->read = (struct pt_moment){ PT_UNKNOWN, 0 };
}

static void take_events(void *analysis, const struct pt_event *e, const struct pt_moment *at, size_t n)
{
	struct counters *c = analysis;

	for (size_t i = 0; i < n; i++) {
		if (e[i].kind == PT_EV_GAP)
			take_gap(c, e[i].source);
		else if (e[i].kind == PT_EV_COUNTER && e[i].counter.id != PT_COUNTER_REFUSED)
			take_reading(c, &e[i], at[i]);
	}
}

/* --- words */

static int add_metric(struct counters *c, const char *word, size_t len, struct pt_err *err)
{
	struct metric *m = c->n_metrics < PT_METRICS_MAX ? calloc(1, sizeof(*m)) : NULL;
	char *colon;

	if (m == NULL)
		return pt_fail(err, PT_EARG, "metric: more than %d", PT_METRICS_MAX);
	c->metric[c->n_metrics++] = m;		/* counters_free() frees it */
	m->core = ANY;
	m->name = strndup(word, len);
	if (m->name == NULL)
		return pt_fail(err, PT_ENOMEM, "not enough memory for a metric");
	colon = strchr(m->name, ':');
	if (colon == NULL || colon == m->name || colon[1] == '\0')
		return pt_fail(err, PT_EARG, "metric: %.60s is not NAME:FORMULA, such as IPC:instructions/cycles", m->name);
	*colon = '\0';
	m->text = colon + 1;
	return pt_formula_parse(&m->formula, m->text, err) == 0 ? 0 : pt_wrap(err, "metric %s", m->name);
}

static int read_words(struct counters *c, const struct pt_params *words, struct pt_err *err)
{
	const char *list = pt_params_text(words, &params[0]);

	for (size_t len; list != NULL && *list != '\0'; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (len > 0 && add_metric(c, list, len, err) < 0)
			return PT_EARG;
		if (len > 0)
			c->metric[c->n_metrics - 1]->asked = true;
	}
	return 0;
}

struct of_core { struct counters *c; uint16_t core; };

static bool has_counter(void *arg, const char *name)
{
	const struct of_core *of = arg;

	for (size_t i = 0; i < of->c->n_counters; i++)
		if (of->c->counter[i]->row.core == of->core && strcmp(of->c->counter[i]->name, name) == 0)
			return true;
	return strcmp(name, "seconds") == 0;
}

/* Once for each core; or the user's own of that name stands. */
static void add_one(void *arg, const char *name, const char *formula)
{
	const struct of_core *of = arg;
	struct counters *c = of->c;
	struct pt_err ignored = { 0 };
	char word[2 * NAME_BYTES + 200];

	for (size_t i = 0; i < c->n_metrics; i++)
		if (c->metric[i]->core == of->core && strcmp(c->metric[i]->name, name) == 0)
			return;
	if ((size_t)snprintf(word, sizeof(word), "%s:%s", name, formula) < sizeof(word) &&
	    c->n_metrics < PT_METRICS_MAX && add_metric(c, word, strlen(word), &ignored) == 0)
		c->metric[c->n_metrics - 1]->core = of->core;
}

/* The user's are of the first core that there is, and then once more for each other. */
static void add_asked_for(struct of_core *of)
{
	struct counters *c = of->c;

	for (size_t i = 0, n = c->n_metrics; i < n; i++)
		if (c->metric[i]->core == ANY)
			c->metric[i]->core = of->core;
		else if (c->metric[i]->asked)
			add_one(of, c->metric[i]->name, c->metric[i]->text);
}

/* Counters turn up as their first readings come. */
static void add_metrics(struct counters *c)
{
	for (size_t core = 0; core < c->result.n_cores; core++) {
		struct of_core of = { c, c->core[core] };

		add_asked_for(&of);
		pt_metrics_standard(has_counter, add_one, &of);
		for (size_t i = 0; i < c->n_counters; i++)
			if (c->counter[i]->row.core == of.core)
				pt_metrics_of_latency(c->counter[i]->name, has_counter, add_one, &of);
	}
}

/* --- result */

static struct pt_series_bucket one(double value)
{
	return (struct pt_series_bucket){ 1, value, value, value, value, value };
}

static void fill(const struct grid *grid, struct pt_series *s, struct pt_series_bucket *bucket, size_t b, double value)
{
	if (b == 0)
		*s = (struct pt_series){ .from_ns = grid->from_ns, .width_ns = grid->width_ns, .bucket = bucket };
	bucket[b] = (struct pt_series_bucket){ 0 };
	if (!isnan(value))
		bucket[b] = one(value);
	s->n_used += bucket[b].n > 0;
	s->n_buckets = bucket[b].n > 0 ? b + 1 : s->n_buckets;
}

struct look { const struct counters *c; uint16_t core; size_t bucket; bool all; };	/* all: not in one bucket */

static double ns_of(const struct look *look, const struct counter *n)
{
	return look->all ? (double)n->row.timed_ns : n->ns[look->bucket];
}

/* Counts that go together: what a counter that took turns counted is scaled to the time that the
 * longest was counting. */
static double value_of(void *arg, const char *name)
{
	const struct look *look = arg;
	const struct counter *found = NULL;
	double longest = 0, counted;

	for (size_t i = 0; i < look->c->n_counters; i++) {
		const struct counter *n = look->c->counter[i];

		if (n->row.core != look->core)
			continue;
		if (strcmp(n->name, name) == 0)
			found = n;
		longest = ns_of(look, n) > longest ? ns_of(look, n) : longest;
	}
	if (found == NULL)
		return strcmp(name, "seconds") == 0 && longest > 0 ? longest / 1e9 : NAN;
	if (ns_of(look, found) <= 0)
		return NAN;
	counted = look->all ? (double)found->row.timed : found->count[look->bucket];
	return found->row.shared ? counted * longest / ns_of(look, found) : counted;
}

/* What it would have counted, had it been counting all the time that its source was read in. */
static void scale(const struct counters *c, struct counter *n)
{
	double span = 0, y = (double)n->row.timed_ns, x = (double)n->row.timed, r, residuals, k;

	for (size_t i = 0; i < c->n_configs; i++)
		if (c->config[i].source == n->row.source && c->config[i].from_ns != PT_UNKNOWN)
			span = (double)(c->config[i].to_ns - c->config[i].from_ns);
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

static void give_metric(struct counters *c, struct metric *m, struct pt_metric_row *row)
{
	struct look look = { .c = c, .core = m->core, .all = true };
	double value;

	*row = (struct pt_metric_row){ .name = m->name, .formula = m->text, .core = m->core,
				       .min = NAN, .max = NAN, .series = &m->series };
	row->value = pt_formula_value(&m->formula, value_of, &look);
	look.all = false;
	for (size_t b = 0; b < PT_SERIES_BUCKETS; b++) {
		look.bucket = b;
		value = c->grid.begun ? pt_formula_value(&m->formula, value_of, &look) : NAN;
		value = isfinite(value) ? value : NAN;
		fill(&c->grid, &m->series, m->bucket, b, value);
		row->min = isnan(row->min) || value < row->min ? value : row->min;
		row->max = isnan(row->max) || value > row->max ? value : row->max;
	}
	row->value = isfinite(row->value) ? row->value : NAN;
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct counters *c = analysis;

	for (size_t i = 0; i < c->n_counters; i++) {
		struct counter *n = c->counter[i];

		for (size_t b = 0; b < PT_SERIES_BUCKETS; b++)
			fill(&c->grid, &n->series, n->bucket, b, n->ns[b] > 0 ? n->count[b] * 1e9 / n->ns[b] : NAN);
		scale(c, n);
		c->rows[i] = n->row;
	}
	add_metrics(c);
	for (size_t i = 0; i < c->n_metrics; i++)
		give_metric(c, c->metric[i], &c->metrics[i]);
	c->result.n_counters = c->n_counters;
	c->result.n_metrics = c->n_metrics;
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
		free(c->config[i].config);
	free(c);
}

static void *counters_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct counters *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		pt_fail(err, PT_ENOMEM, "not enough memory for counters");
		return NULL;
	}
	c->result = (struct pt_counters){ .counter = c->rows, .metric = c->metrics };
	if (read_words(c, setup->words, err) == 0)
		return c;
	counters_free(c);
	return NULL;
}

const struct pt_analysis pt_analysis_counters = {
	.name = "counters", .help = "counters: totals, rates over time, derived metrics", .standard = true,
	.params = params,
	.n_params = PT_LEN(params), .open = counters_new, .close = counters_free, .events = take_events,
	.config = take_config, .result = give,
};
