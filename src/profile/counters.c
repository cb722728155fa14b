#include "profile/counters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decoder.h"
#include "profile/analysis.h"
#include "profile/durations.h"
#include "profile/formula.h"
#include "profile/metrics.h"
#include "profile/stat.h"
#include "profile/together.h"

static const struct pt_param params[] = {
	{ "metric", PT_PARAM_LIST, NULL, NULL, 0, 0, "figures derived from counters (NAME:instructions/cycles)" },
};

enum { NAME_BYTES = 64, NOTE_BYTES = 160, FORMULA_BYTES = 240, MEANS = 16, SOURCES = 32, CORES = 32, ANY = UINT16_MAX };

struct counter {
	size_t number;			/* of all counters */
	char name[NAME_BYTES], alias[NAME_BYTES], of[NAME_BYTES], note[NOTE_BYTES];
	uint64_t id;
	struct pt_counter_row row;
	struct turn { uint64_t counted, ns; } turn;	/* the one that it has */
	struct turn last;		/* between the last two readings that follow each other */
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
	struct config {
		uint16_t source;
		char *config;			/* for the names in it */
		size_t len_bytes;
		uint64_t span_ns;		/* in which its counters were read, gaps left out */
		uint64_t last_ns;		/* the last reading; PT_UNKNOWN: there was none since the gap */
	} config[SOURCES];
	size_t n_configs;
	uint16_t core[CORES];		/* that counters are of */
	struct pt_counters result;
	struct pt_counter_row rows[PT_COUNTERS_MAX];
	struct pt_metric_row metrics[PT_METRICS_MAX];
	struct pt_durations durations;
	char mean_name[MEANS][NAME_BYTES];	/* of durations */
	struct pt_together together;
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
		pt_config_text(config->config, config->len_bytes, key, text, room);
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
	n->row.over = look_up(c, n, ".over", over, sizeof(over)) != NULL ? strtoull(over, NULL, 10) : 0;
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
	c->config[i] = (struct config){ source, copy, len_bytes, 0, PT_UNKNOWN };
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
	n->row = (struct pt_counter_row){
		.source = e->source, .core = e->core,
		.rate_min = NAN, .rate_max = NAN, .rate_min_at = PT_UNKNOWN,
		.rate_last = NAN, .rate_max_at = PT_UNKNOWN, .least_ns = PT_UNKNOWN, .series = &n->series, .scaled = NAN,
		.scaled_error = NAN, .active = NAN, .value = PT_UNKNOWN,
	};
	name_counter(c, n);
	n->number = c->n_counters;
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
			pt_together_add(&c->together, n->row.source, n->number, n->read.ns, at.ns, e->counter.count);
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
	for (size_t i = 0; i < c->n_configs; i++)
		if (c->config[i].source == source)
			c->config[i].last_ns = PT_UNKNOWN;
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
	char word[NAME_BYTES + FORMULA_BYTES];

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

/* metric.N=NAME:FORMULA of the sources that read counters of this core. */
static void add_of_config(struct of_core *of, const struct config *config)
{
	char key[24], word[NAME_BYTES + FORMULA_BYTES], *colon;

	for (unsigned i = 0; i < PT_METRICS_MAX; i++) {
		snprintf(key, sizeof(key), "metric.%u", i);
		pt_config_text(config->config, config->len_bytes, key, word, sizeof(word));
		colon = strchr(word, ':');
		if (colon == NULL)
			return;
		*colon = '\0';
		if (*word != '\0' && strlen(word) < NAME_BYTES && pt_metrics_fits(colon + 1, has_counter, of))
			add_one(of, word, colon + 1);
	}
}

static void add_of_sources(struct of_core *of)
{
	for (size_t i = 0; i < of->c->n_configs; i++)
		for (size_t k = 0; k < of->c->n_counters; k++)
			if (of->c->counter[k]->row.core == of->core &&
			    of->c->counter[k]->row.source == of->c->config[i].source) {
				add_of_config(of, &of->c->config[i]);
				break;
			}
}

/* Counters turn up as their first readings come. */
static void add_metrics(struct counters *c)
{
	for (size_t core = 0; core < c->result.n_cores; core++) {
		struct of_core of = { c, c->core[core] };

		add_asked_for(&of);
		add_of_sources(&of);
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

struct look {
	const struct counters *c;
	uint16_t core;
	size_t bucket;
	enum { ALL, BUCKET, LAST } over;	/* all of the time, one bucket of the grid, or the last readings */
	bool together;		/* the counters take turns, and what they counted at the same time is known: */
	double count[PT_TOGETHER_COUNTERS], ns;
};

static double ns_of(const struct look *look, const struct counter *n)
{
	return look->over == ALL ? (double)n->row.timed_ns :
	       look->over == LAST ? (double)n->last.ns : n->ns[look->bucket];
}

static double counted_of(const struct look *look, const struct counter *n)
{
	return look->over == ALL ? (double)n->row.timed :
	       look->over == LAST ? (double)n->last.counted : n->count[look->bucket];
}

static const struct counter *counter_named(const struct counters *c, uint16_t core, const char *name)
{
	const struct counter *found = NULL;

	for (size_t i = 0; i < c->n_counters; i++) {
		const struct counter *n = c->counter[i];

		if (n->row.core != core)
			continue;
		if (strcmp(n->name, name) == 0)
			return n;
		if (strcmp(n->alias, name) == 0)
			found = n;
	}
	return found;
}

/* The time in which all counters of the formula counted, where they take turns and there is such a time. */
static void look_together(struct look *look, const struct pt_formula *formula)
{
	bool shared = false;
	uint64_t members = 0;
	uint16_t source = 0;

	for (unsigned i = 0; i < formula->n_ops; i++) {
		const struct counter *n;

		if (formula->op[i].what != 'v' || strcmp(formula->op[i].name, "seconds") == 0)
			continue;
		n = counter_named(look->c, look->core, formula->op[i].name);
		if (n == NULL || n->number >= PT_TOGETHER_COUNTERS || (members != 0 && n->row.source != source))
			return;
		source = n->row.source;
		members |= UINT64_C(1) << n->number;
		shared |= n->row.shared;
	}
	look->together = shared && pt_together_sum(&look->c->together, source, members, look->count, &look->ns);
}

/* Counts that go together: what a counter that took turns counted is scaled to the time that the
 * longest was counting. */
static double value_of(void *arg, const char *name)
{
	const struct look *look = arg;
	const struct counter *found = counter_named(look->c, look->core, name);
	double longest = 0;

	if (look->over == ALL && look->together)
		return found != NULL ? look->count[found->number] : look->ns > 0 ? look->ns / 1e9 : NAN;
	for (size_t i = 0; i < look->c->n_counters; i++) {
		const struct counter *n = look->c->counter[i];

		if (n->row.core == look->core && ns_of(look, n) > longest)
			longest = ns_of(look, n);
	}
	if (found == NULL)
		return strcmp(name, "seconds") == 0 && longest > 0 ? longest / 1e9 : NAN;
	if (ns_of(look, found) <= 0)
		return NAN;
	return counted_of(look, found) * (found->row.shared ? longest / ns_of(look, found) : 1);
}

/* What it would have counted, had it been counting all the time that its source was read in. */
static void scale(const struct counters *c, struct counter *n)
{
	const struct config *config = config_of(c, n->row.source);
	double span = config != NULL ? (double)config->span_ns : 0;
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

static void give_metric(struct counters *c, struct metric *m, struct pt_metric_row *row)
{
	struct look look = { .c = c, .core = m->core, .over = ALL };
	double value;

	*row = (struct pt_metric_row){ .name = m->name, .formula = m->text, .core = m->core,
				       .min = NAN, .max = NAN, .series = &m->series };
	look_together(&look, &m->formula);
	row->value = pt_formula_value(&m->formula, value_of, &look);
	look.over = LAST;
	row->last = pt_formula_value(&m->formula, value_of, &look);
	row->last = isfinite(row->last) ? row->last : NAN;
	look.over = BUCKET;
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

/* Of durations: two figures for each thing that lasts. */
static void give_means(struct counters *c)
{
	static const struct pt_series none;
	static const char *const which[] = { "least", "most" };
	size_t n = 0;

	for (size_t i = 0, next; i < c->durations.n; i = next) {
		const struct pt_duration_row *row = &c->durations.row[i];
		double value[2];

		next = pt_durations_mean(&c->durations, i, &value[0], &value[1]);
		for (size_t k = 0; k < 2 && n < MEANS && c->result.n_metrics < PT_METRICS_MAX; k++, n++) {
			snprintf(c->mean_name[n], NAME_BYTES, "%.50s.mean.%s", row->of, which[k]);
			c->metrics[c->result.n_metrics++] = (struct pt_metric_row){ .name = c->mean_name[n],
				.formula = "by thresholds", .core = row->core, .value = value[k], .min = NAN, .max = NAN, .last = NAN,
				.series = &none };
		}
	}
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
	pt_durations_make(&c->durations, c->rows, c->n_counters);
	give_means(c);
	c->result.duration = c->durations.row;
	c->result.n_durations = c->durations.n;
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
