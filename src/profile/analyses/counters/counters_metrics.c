/* Figures made of counters: those that the user asked for, those that the source's CONFIG defines, the common ones
 * (metrics.h), and the means of durations. See counters.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/analyses/counters/counters_parts.h"
#include "profile/analyses/counters/metrics.h"
#include "trace/config.h"

/* --- words */

static int add_metric(struct counters *c, const char *word, size_t len, struct pt_err *err)
{
	struct metric *m;
	char *colon;

	if (c->n_metrics == PT_METRICS_MAX)
		return pt_fail(err, PT_EARG, "metric: more than %d", PT_METRICS_MAX);
	m = pt_alloc(sizeof(*m));
	c->metric[c->n_metrics++] = m;		/* counters_free() frees it */
	m->core = ANY;
	m->name = pt_strndup(word, len);
	colon = strchr(m->name, ':');
	if (colon == NULL || colon == m->name || colon[1] == '\0')
		return pt_fail(err, PT_EARG, "metric: %.60s is not NAME:FORMULA, such as IPC:instructions/cycles",
			       m->name);
	*colon = '\0';
	m->text = colon + 1;
	return pt_formula_parse(&m->formula, m->text, err) == 0 ? 0 : pt_wrap(err, "metric %s", m->name);
}

int pt_counters_read_words(struct counters *c, const struct pt_params *words, struct pt_err *err)
{
	const char *list = pt_params_text(words, &pt_counters_params[0]);

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
		pt_config_text(&config->keys, key, word, sizeof(word));
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

/* --- values */

struct look {
	const struct counters *c;
	uint16_t core;
	size_t bucket;
	enum { ALL, BUCKET, LAST } over;	/* all of the time, one bucket of the grid, or the last readings */
	double times;		/* this much of everything, to see what becomes of a figure */
	bool together;		/* the counters take turns, and what they counted at the same time is known: */
	double count[PT_TOGETHER_COUNTERS], ns;
};

static double ns_of(const struct look *look, const struct counter *n)
{
	return look->over == ALL    ? (double)n->row.timed_ns
	       : look->over == LAST ? (double)n->last.ns
				    : n->ns[look->bucket];
}

static double counted_of(const struct look *look, const struct counter *n)
{
	return look->over == ALL    ? (double)n->row.timed
	       : look->over == LAST ? (double)n->last.counted
				    : n->count[look->bucket];
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

/* The time to which counts are scaled: of counters that take turns all of it, else that of the longest. */
static double whole_ns(const struct look *look)
{
	double longest = 0, ns;

	for (size_t i = 0; i < look->c->n_counters; i++) {
		const struct counter *n = look->c->counter[i];

		if (n->row.core != look->core)
			continue;
		ns = look->over == ALL && n->row.shared ? pt_counters_span_ns(look->c, n) : ns_of(look, n);
		longest = ns > longest ? ns : longest;
	}
	return longest;
}

/* Counts that go together: each is scaled to one time. */
static double value_of(void *arg, const char *name)
{
	const struct look *look = arg;
	const struct counter *found = counter_named(look->c, look->core, name);
	double whole = whole_ns(look);

	if (found == NULL)
		return strcmp(name, "seconds") == 0 && whole > 0 ? look->times * whole / 1e9 : NAN;
	if (look->over == ALL && look->together)
		return look->ns > 0 ? look->times * look->count[found->number] * whole / look->ns : NAN;
	return ns_of(look, found) > 0 ? look->times * counted_of(look, found) * whole / ns_of(look, found) : NAN;
}

/* A sum, and no ratio: of a part of the time it says how long that part is. */
static bool is_sum(struct look *look, const struct pt_formula *formula, double value)
{
	double twice;

	look->times = 2;
	twice = pt_formula_value(formula, value_of, look);
	look->times = 1;
	return isfinite(value) && isfinite(twice) && fabs(twice - value) > 1e-6 * fabs(value);
}

static void give_metric(struct counters *c, struct metric *m, struct pt_metric_row *row)
{
	struct look look = { .c = c, .core = m->core, .over = ALL, .times = 1 };
	double value;
	bool sum;

	*row = (struct pt_metric_row){ .name = m->name, .formula = m->text, .core = m->core,
				       .min = NAN, .max = NAN, .last = NAN, .series = &m->series };
	look_together(&look, &m->formula);
	row->value = pt_formula_value(&m->formula, value_of, &look);
	sum = is_sum(&look, &m->formula, row->value);
	look.over = LAST;
	value = sum ? NAN : pt_formula_value(&m->formula, value_of, &look);
	row->last = isfinite(value) ? value : NAN;
	look.over = BUCKET;
	for (size_t b = 0; b < PT_SERIES_BUCKETS; b++) {
		look.bucket = b;
		value = c->grid.begun ? pt_formula_value(&m->formula, value_of, &look) : NAN;
		value = isfinite(value) ? value : NAN;
		pt_counters_fill(&c->grid, &m->series, m->bucket, b, value);
		value = sum ? NAN : value;
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
			c->metrics[c->result.n_metrics++] = (struct pt_metric_row){
				.name = c->mean_name[n], .formula = "by thresholds", .core = row->core,
				.value = value[k], .min = NAN, .max = NAN, .last = NAN, .series = &none,
			};
		}
	}
}

void pt_counters_give_figures(struct counters *c)
{
	add_metrics(c);
	for (size_t i = 0; i < c->n_metrics; i++)
		give_metric(c, c->metric[i], &c->metrics[i]);
	c->result.n_metrics = c->n_metrics;
	pt_durations_make(&c->durations, c->rows, c->n_counters);
	give_means(c);
	c->result.duration = c->durations.row;
	c->result.n_durations = c->durations.n;
}
