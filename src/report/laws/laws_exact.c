/* Law 3. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "report/laws/laws_parts.h"
#include "report/views/times.h"
#include "report/views/views.h"
#include "trace/loss.h"

/* Checks with the chunks themselves, independently of the pipeline. */
static void check_source(struct pt_law_check *check, const struct pt_profile_source *source)
{
	const struct pt_law_source *seen =
		check->clock != NULL && source->number < PT_LAW_SOURCES ? &check->clock->source[source->number] : NULL;
	uint64_t faults = 0;

	for (unsigned cause = PT_LOSS_FIRST_FAULT; cause < PT_N_LOSSES; cause++)
		faults += pt_loss_is_fault((enum pt_loss)cause) ? source->loss.by[cause].events : 0;
	if (source->ignored != PT_SOURCE_USED || (check->profile->branches != 0 && source->branches == 0))
		return;		/* the counts do not come from this source */
	if (faults > 0 || source->loss.lost_ns > 0)
		pt_law_violated(check, PT_LAW_EXACT, "profile",
				"counts are exact, and %s has %" PRIu64 " faults of %" PRIu64 " ns", source->source,
				faults, source->loss.lost_ns);
	if (seen != NULL && seen->begun && (seen->unseen_ns > 0 || seen->faults > 0))
		pt_law_violated(check, PT_LAW_EXACT, "profile",
				"counts are exact, and for %" PRIu64 " ns of %" PRIu64
				" the core of %s may have run unseen",
				seen->unseen_ns, seen->to_ns - seen->from_ns, source->source);
	if (seen != NULL && check->profile->no_end != !seen->ended && check->profile->no_end)
		pt_law_violated(check, PT_LAW_EXACT, "profile", "%s has an end, and the report knows of none",
				source->source);
}

/* Counts of executed code in an incomplete profile must not be exact. Not for signals and counters, which count what
 * was reported. */
static void check_view(struct pt_law_check *check, const struct pt_view *view)
{
	static const char *const keys[] = { "count", "partial", "net_instructions", "instructions", "left" };
	struct pt_value value[PT_LAW_COLUMNS];

	for (size_t i = 0; i < pt_law_rows(view, check->profile); i++) {
		view->row(check->profile, i, value);
		for (size_t k = 0; k < PT_LEN(keys); k++) {
			int c = pt_law_column(view, keys[k]);

			if (c < 0 || value[c].basis != PT_BASIS_EXACT || value[c].u == PT_UNKNOWN)
				continue;
			pt_law_violated(check, PT_LAW_EXACT, view->name, "%s of row %zu, %" PRIu64 ", is exact, but %s",
					keys[k], i, value[c].u, check->profile->incomplete);
			return;
		}
	}
}

static bool is_tally(const struct pt_profile *p, const struct pt_value *value, int core)
{
	if (p->n_cores == 1)
		return pt_profile_tallied(p, p->core[0].core);
	return core >= 0 && value[core].u != PT_UNKNOWN && pt_profile_tallied(p, (uint16_t)value[core].u);
}

/* With few bursts, what they saw is only a lower bound for the profile, in every table. */
static void check_tallies(struct pt_law_check *check, const struct pt_view *view)
{
	static const char *const keys[] = { "count", "instructions", "jumped", "net", "net.total", "gross", "gross.total" };
	struct pt_value value[PT_LAW_COLUMNS];
	int core = pt_law_column(view, "core");

	for (size_t i = 0; i < pt_law_rows(view, check->profile); i++) {
		view->row(check->profile, i, value);
		for (size_t k = 0; k < PT_LEN(keys) && is_tally(check->profile, value, core); k++) {
			int c = pt_law_column(view, keys[k]);

			if (c < 0 || value[c].basis == PT_BASIS_NONE || value[c].u == PT_UNKNOWN || value[c].at_least)
				continue;
			pt_law_violated(check, PT_LAW_EXACT, view->name,
					"%s of row %zu, %" PRIu64 ", is what few bursts saw", keys[k], i, value[c].u);
			return;
		}
	}
}

static double number_in(const struct pt_view *view, const struct pt_value *values, const char *key)
{
	int column = pt_law_column(view, key);
	bool known = column >= 0 && values[column].basis != PT_BASIS_NONE && !values[column].at_least;

	return known ? pt_value_number(values[column], view->columns[column].unit) : NAN;
}

/* Violated if the total without the complete invocations is so large that a partial one was longer than the longest
 * that is printed. */
static void check_whole_longest(struct pt_law_check *check, const struct pt_view *view, const struct pt_value *values,
				const char *all, const char *mean, const char *most)
{
	int column = pt_law_column(view, most);
	double partial = number_in(view, values, "partial"), count = number_in(view, values, "count");
	double left = number_in(view, values, all) - number_in(view, values, mean) * count;
	double longest = number_in(view, values, most);

	if (!(partial > 0) || isnan(left) || isnan(longest) || number_in(view, values, "errors") > 0)
		return;
	if (values[column].hi > longest)
		longest = values[column].hi;
	if (left > (longest + 1) * partial + count)
		pt_law_violated(check, PT_LAW_EXACT, view->name,
				"%s: the longest is %.0f, and %.0f not seen whole took %.0f together", values[0].text,
				longest, partial, left);
}

/* The longest duration of a row must not be shorter than its partial invocations. Not checked after errors of
 * execution: an invocation may have ended long before the end of its time in the total. */
static void check_whole_ones(struct pt_law_check *check)
{
	static const struct { const char *view, *all, *mean, *most; } rows[] = {
		{ "functions", "gross.total", "gross.avg", "gross.max" }, { "irqs", "gross.total", "gross.avg", "gross.max" },
		{ "spans", "gross.total", "gross.avg", "gross.max" },
		{ "signalled", "gross_ns.total", "gross_ns.avg", "gross_ns.max" },
		{ "exceptions", "gross_ns.total", "gross_ns.avg", "gross_ns.max" },
		{ "tasks", "run_ns.total", "slice_ns.avg", "slice_ns.max" },
	};
	struct pt_value values[PT_LAW_COLUMNS];
	uint64_t errors = 0;

	for (size_t i = 0; i < PT_N_EXECUTION_ERRORS; i++)
		errors += check->profile->errors.n[i];
	for (size_t k = 0; errors == 0 && k < PT_LEN(rows); k++) {
		const struct pt_view *view = pt_view_find(rows[k].view);

		for (size_t i = 0, n = pt_law_rows(view, check->profile); i < n; i++) {
			view->row(check->profile, i, values);
			check_whole_longest(check, view, values, rows[k].all, rows[k].mean, rows[k].most);
		}
	}
}

void pt_law_exact(struct pt_law_check *check)
{
	static const char *const of_flow[] = { "functions", "instructions", "calls", "tree", "irqs", "inlines", "lines" };
	const struct pt_profile *p = check->profile;

	check_whole_ones(check);
	if (p->counts == PT_BASIS_EXACT && p->incomplete != NULL)
		pt_law_violated(check, PT_LAW_EXACT, "profile", "counts are exact, but %s", p->incomplete);
	if (p->counts == PT_BASIS_EXACT && p->no_end)
		pt_law_violated(check, PT_LAW_EXACT, "profile", "counts are exact, but there is no end");
	for (size_t i = 0; p->counts == PT_BASIS_EXACT && i < p->n_sources; i++)
		check_source(check, &p->sources[i]);
	for (size_t i = 0; p->incomplete != NULL && p->branches != 0 && !p->by_bins && i < PT_LEN(of_flow); i++) {
		check_view(check, pt_view_find(of_flow[i]));
		check_tallies(check, pt_view_find(of_flow[i]));
	}
}
