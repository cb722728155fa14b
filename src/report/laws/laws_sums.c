/* Law 1. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "profile/analyses/calls/tree.h"
#include "profile/analyses/code/bins.h"
#include "profile/analyses/code/lines.h"
#include "profile/analyses/signals/tasks.h"
#include "report/laws/laws_parts.h"
#include "report/views/views.h"
#include "trace/loss.h"

static void expect(struct pt_law_check *check, const char *table, const char *what, uint64_t rows, uint64_t all)
{
	if (rows != all)
		pt_law_violated(check, PT_LAW_SUMS, table, "%s: %" PRIu64 " in its rows, %" PRIu64 " in all", what,
				rows, all);
}

/* Each estimate is rounded to a whole number, so sums may differ. */
static void expect_rounded(struct pt_law_check *check, const char *table, const char *what, uint64_t rows, uint64_t all,
			   size_t n_rows)
{
	uint64_t off = rows > all ? rows - all : all - rows;

	if (off > n_rows / 2 + 1)
		expect(check, table, what, rows, all);
}

static void expect_ticks(struct pt_law_check *check, const char *table, const char *what, uint64_t rows, uint64_t all,
			 size_t n_rows)
{
	if (check->profile->windowed)
		expect_rounded(check, table, what, rows, all, n_rows);
	else
		expect(check, table, what, rows, all);
}

/* --- time --------------------------------------------------------------------------------------------------------- */

static void check_account(struct pt_law_check *check, const char *who, const struct pt_loss_sum *sum)
{
	uint64_t unobserved = 0, lost = 0;

	for (unsigned cause = 1; cause < PT_N_LOSSES; cause++)
		*(pt_loss_is_fault((enum pt_loss)cause) ? &lost : &unobserved) += sum->by[cause].ns;
	expect(check, who, "observed + unobserved + lost", sum->observed_ns + sum->unobserved_ns + sum->lost_ns,
	       sum->total_ns);
	expect(check, who, "unobserved, by cause", unobserved, sum->unobserved_ns);
	expect(check, who, "lost, by cause", lost, sum->lost_ns);
}

/* Several sources have one run: it lasts from the first to the last of their chunks, and no source lasts longer. */
static void check_run(struct pt_law_check *check, uint64_t longest)
{
	const struct pt_profile *p = check->profile;
	uint64_t from_ns = UINT64_MAX, to_ns = 0, run_ns = pt_profile_run_ns(p);

	for (size_t i = 0; check->clock != NULL && i < p->n_sources; i++) {
		const struct pt_law_source *seen =
			p->sources[i].number < PT_LAW_SOURCES ? &check->clock->source[p->sources[i].number] : NULL;

		if (seen == NULL || !seen->begun || p->sources[i].no_clock)
			continue;
		from_ns = seen->from_ns < from_ns ? seen->from_ns : from_ns;
		to_ns = seen->to_ns > to_ns ? seen->to_ns : to_ns;
	}
	if (to_ns > from_ns)
		expect(check, "time", "the run by its first and last chunk", run_ns, to_ns - from_ns);
	if (!p->no_clock && longest > run_ns)
		pt_law_violated(check, PT_LAW_SUMS, "time", "a source lasted %" PRIu64 " ns of %" PRIu64, longest,
				run_ns);
}

static void check_time(struct pt_law_check *check)
{
	const struct pt_profile *p = check->profile;
	uint64_t longest = 0;

	if (p->n_sources < 2)
		check_account(check, "time", &p->loss);
	for (size_t i = 0; i < p->n_sources; i++) {
		const struct pt_profile_source *s = &p->sources[i];
		const struct pt_law_source *seen =
			check->clock != NULL && s->number < PT_LAW_SOURCES ? &check->clock->source[s->number] : NULL;

		check_account(check, s->source, &s->loss);
		longest = s->loss.total_ns > longest ? s->loss.total_ns : longest;
		if (seen != NULL && seen->begun)
			expect(check, s->source, "total by its first and last chunk", s->loss.total_ns,
			       seen->to_ns - seen->from_ns);
		if (s->mismatch_ns != 0)
			pt_law_violated(check, PT_LAW_SUMS, s->source,
					"its chunks leave out, or claim twice, %" PRIu64 " ns of %" PRIu64,
					s->mismatch_ns, s->loss.total_ns);
	}
	if (p->n_sources > 1)
		check_run(check, longest);
}

/* --- what ran ----------------------------------------------------------------------------------------------------- */

static uint64_t ticks(const struct pt_profile *p, uint64_t instructions, uint64_t cycles)
{
	return p->by_instructions ? instructions : cycles;
}

/* The functions, with code that belongs to none, add up to all that ran. */
static void check_functions(struct pt_law_check *check)
{
	const struct pt_profile *p = check->profile;

	for (size_t c = 0; c < p->n_cores && pt_law_of_runs(p); c++) {
		uint64_t instructions = 0, cycles = 0;

		for (size_t i = 0; i < p->n_functions; i++)
			if (p->function[i].core == p->core[c].core && p->function[i].run != NULL) {
				instructions += p->function[i].run->instructions;
				cycles += p->function[i].run->cycles;
			}
		if (p->core[c].windowed) {
			expect_rounded(check, "functions", "time", ticks(p, instructions, cycles), p->core[c].ticks,
				       p->n_functions);
			continue;
		}
		expect(check, "functions", "instructions", instructions, p->core[c].instructions);
		expect(check, "functions", "cycles", cycles, p->core[c].cycles);
	}
}

static uint64_t ticks_in(const struct pt_view *view, const struct pt_value *values, const char *key)
{
	int column = pt_law_column(view, key);

	return column >= 0 ? values[column].u : PT_UNKNOWN;
}

/* No call is longer than all calls together; this also holds for lower bounds. */
static void check_longest(struct pt_law_check *check, const char *name)
{
	const struct pt_view *view = pt_view_find(name);
	struct pt_value values[PT_LAW_COLUMNS];

	for (size_t i = 0, n = pt_law_rows(view, check->profile); i < n; i++) {
		uint64_t longest, all;

		view->row(check->profile, i, values);
		longest = ticks_in(view, values, "gross.max");
		all = ticks_in(view, values, "gross.total");
		if (longest != PT_UNKNOWN && all != PT_UNKNOWN && longest > all)
			pt_law_violated(check, PT_LAW_SUMS, view->name,
					"%s: a call of %" PRIu64 ", and %" PRIu64 " of all its calls together",
					values[0].text, longest, all);
	}
}

/* Ticks of an instruction on a calibrated core, from its share of samples. */
static uint64_t sampled_ticks(const struct pt_profile *p, const struct pt_profile_place *at, uint16_t number)
{
	const struct pt_profile_core *core = pt_profile_calibrated(p, at->core);

	return core != NULL && at->core == number ? pt_profile_scaled(core, at->place.share.share) : 0;
}

/* The remainder is code without a line, and code outside the program. */
static void check_lines(struct pt_law_check *check, const struct pt_lines *lines)
{
	uint64_t instructions = 0, cycles = 0, in_lines = 0, all = pt_profile_ticks(check->profile, lines->core);

	for (size_t i = 0; i < lines->n_insns; i++) {
		instructions += lines->insn[i].count;
		cycles += lines->insn[i].cycles;
	}
	for (size_t i = 0; i < lines->n_seen; i++) {
		const struct pt_lines_line *line = &lines->line[lines->seen[i]];

		in_lines += ticks(check->profile, line->instructions, line->cycles);
	}
	for (size_t i = 0; i < check->profile->n_sampled_insns; i++)	/* instructions that no burst has seen */
		cycles += sampled_ticks(check->profile, &check->profile->sampled_insn[i], lines->core);
	if (lines->elsewhere == 0)
		expect_ticks(check, "instructions", "time", ticks(check->profile, instructions, cycles), all,
			     lines->n_insns + check->profile->n_sampled_insns);
	if (in_lines > ticks(check->profile, instructions, cycles) + (check->profile->windowed ? lines->n_insns : 0))
		pt_law_violated(check, PT_LAW_SUMS, "lines", "time: %" PRIu64 " in its rows, %" PRIu64 " in all",
				in_lines, all);
}

static void check_tree(struct pt_law_check *check)
{
	const struct pt_profile *p = check->profile;
	const struct pt_tree *tree = p->tree;
	uint64_t net = 0, all = p->ticks;

	for (size_t i = 0; i < tree->n_nodes; i++)
		net += tree->node[i].net;
	expect_ticks(check, "tree", "net", net, tree->node[0].gross, tree->n_nodes);
	expect_ticks(check, "tree", "all", tree->node[0].gross, all, tree->n_nodes);
}

/* The samples of the functions and those that found the core asleep add up to all samples. */
static void check_samples(struct pt_law_check *check)
{
	const struct pt_profile *p = check->profile;
	uint64_t n = p->samples_asleep;

	if (p->samples == 0 || p->part_shown || p->branches != 0 || p->by_bins)
		return;
	for (size_t i = 0; i < p->n_functions; i++)
		n += p->function[i].samples;
	expect(check, "functions", "samples, with those asleep", n, p->samples);
}

static void check_bins(struct pt_law_check *check)
{
	const struct pt_bins *bins = check->profile->bins;

	for (size_t c = 0; c < bins->n_cores; c++) {
		double hits = 0;

		for (size_t i = 0; i < bins->n_functions; i++)
			hits += bins->function[i].core == bins->core[c].core ? bins->function[i].hits : 0;
		if (fabs(hits - (double)bins->core[c].hits) > 0.5 + 1e-9 * hits)
			pt_law_violated(check, PT_LAW_SUMS, "bins", "hits: %.1f in its rows, %" PRIu64 " in all", hits,
					bins->core[c].hits);
	}
}

/* Adds up the rows of all sources; a fault that does not tell its time adds nothing to the account either. */
static void check_gaps(struct pt_law_check *check)
{
	const struct pt_view *view = pt_view_find("gaps");
	int ns = pt_law_column(view, "ns");
	struct pt_value value[PT_LAW_COLUMNS];
	const struct pt_loss_sum *account;
	uint64_t sum = 0, not_observed = 0;

	for (size_t i = 0; ns >= 0 && i < pt_law_rows(view, check->profile); i++) {
		view->row(check->profile, i, value);
		sum += value[ns].u != PT_UNKNOWN ? value[ns].u : 0;
	}
	for (size_t i = 0; (account = pt_profile_account(check->profile, i)) != NULL; i++)
		not_observed += account->unobserved_ns + account->lost_ns;
	expect(check, "gaps", "time", sum, not_observed);
}

/* --- shares that are parts of one thing --------------------------------------------------------------------------- */

static void check_parts(struct pt_law_check *check, const struct pt_view *view, const char *key)
{
	struct pt_value value[PT_LAW_COLUMNS];
	int share = pt_law_column(view, key), core = pt_law_column(view, "core");
	double sum[PT_PROFILE_CORES + 1] = { 0 };

	for (size_t i = 0; share >= 0 && i < pt_law_rows(view, check->profile); i++) {
		size_t at;

		view->row(check->profile, i, value);
		at = core >= 0 && value[core].u < PT_PROFILE_CORES ? value[core].u : PT_PROFILE_CORES;
		sum[at] += isnan(value[share].f) ? 0 : value[share].f;
		if (value[share].f < -1e-9 || value[share].f > 1 + 1e-9)
			pt_law_violated(check, PT_LAW_SUMS, view->name, "%s of row %zu is %.6f", key, i,
					value[share].f);
	}
	for (size_t at = 0; at <= PT_PROFILE_CORES; at++)
		if (sum[at] > 1 + 1e-6)
			pt_law_violated(check, PT_LAW_SUMS, view->name, "%s: %.6f in its rows, 1 in all", key, sum[at]);
}

static double figure_of(const struct pt_column *column, const struct pt_value *value)	/* NAN: not known */
{
	if (pt_unit_is_real(column->unit))
		return value->f;
	return value->u != PT_UNKNOWN ? (double)value->u : NAN;
}

/* The lower limit of a figure, by its column. */
static double least_of(const struct pt_column *column, const struct pt_value *value)
{
	double f = figure_of(column, value);

	return value->hi > value->lo && value->lo < f ? value->lo : f;
}

/* The self time of a row must not be more than its total. */
static void check_totals(struct pt_law_check *check, const char *table)
{
	static const char *const pairs[][2] = { { "net.total", "gross.total" }, { "net_share", "gross_share" } };
	const struct pt_view *view = pt_view_find(table);
	struct pt_value value[PT_LAW_COLUMNS];

	for (size_t i = 0; i < pt_law_rows(view, check->profile); i++) {
		view->row(check->profile, i, value);
		for (size_t k = 0; k < PT_LEN(pairs); k++) {
			int own = pt_law_column(view, pairs[k][0]), all = pt_law_column(view, pairs[k][1]);
			double least, most, slack;

			if (own < 0 || all < 0)
				continue;
			slack = pt_unit_is_real(view->columns[all].unit) ? 1e-6 : 1;
			least = least_of(&view->columns[own], &value[own]);
			most = figure_of(&view->columns[all], &value[all]);
			if (most < least - slack)
				pt_law_violated(check, PT_LAW_SUMS, table, "%s has %s %.9g and %s %.9g",
						value[0].text != NULL ? value[0].text : "a row", pairs[k][0], least,
						pairs[k][1], most);
		}
	}
}

void pt_law_sums(struct pt_law_check *check)
{
	static const struct { const char *view, *key; } parts[] = {
		{ "functions", "net_share" }, { "instructions", "net_share" }, { "lines", "net_share" },
		{ "tree", "net_share" }, { "bins", "share" },
	};
	const struct pt_profile *p = check->profile;

	check_time(check);
	check_functions(check);
	check_samples(check);
	for (size_t i = 0; p->lines != NULL && pt_law_of_runs(p) && i < (p->lines->n_cores < 2 ? 1 : p->lines->n_cores);
	     i++)
		check_lines(check, p->lines->n_cores < 2 ? p->lines : p->lines->cores[i]);
	if (p->tree != NULL && p->tree->n_nodes > 0 && p->tree->node[0].gross != 0 && pt_law_of_runs(p))
		check_tree(check);
	if (p->bins != NULL)
		check_bins(check);
	check_gaps(check);
	check_longest(check, "functions");
	check_longest(check, "irqs");
	check_totals(check, "functions");
	check_totals(check, "irqs");
	for (size_t i = 0; i < PT_LEN(parts); i++)
		check_parts(check, pt_view_find(parts[i].view), parts[i].key);
}
