#include "report/laws/laws_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "profile/analyses/code/bins.h"
#include "profile/analyses/limits/limits.h"

const char *pt_law_name(enum pt_law law)
{
	static const char *const names[PT_N_LAWS] = { NULL, "sums", "shares", "exact", "clock", "rules" };

	return law > 0 && law < PT_N_LAWS ? names[law] : "?";
}

/* --- exceptions --------------------------------------------------------------------------------------------------- */

static bool of_bursts(const struct pt_profile *p)
{
	return p->shares == PT_BASIS_ESTIMATED && p->branches != 0;
}

static const char one_gate[] = "of bursts and pieces each table has an estimate of its own";

const struct pt_law_exception pt_law_exceptions[] = {
	{ PT_LAW_SHARES, "instructions", one_gate, of_bursts },
	{ PT_LAW_SHARES, "tree", one_gate, of_bursts },
	{ PT_LAW_SHARES, "chains", one_gate, of_bursts },
	{ 0 },
};

void pt_law_violated(struct pt_law_check *check, enum pt_law law, const char *table, const char *fmt, ...)
{
	const char *excepted = NULL;
	char text[400];
	va_list args;
	int n;

	for (const struct pt_law_exception *e = pt_law_exceptions; e->table != NULL; e++)
		if (e->law == law && strcmp(e->table, table) == 0 && e->applies(check->profile))
			excepted = e->why;
	n = snprintf(text, sizeof(text), "%s: ", table);
	va_start(args, fmt);
	vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, args);
	va_end(args);
	check->n += excepted == NULL;
	if (check->report != NULL)
		check->report(check->arg, law, text, excepted);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

int pt_law_column(const struct pt_view *view, const char *key)
{
	for (size_t c = 0; c < view->n_columns; c++)
		if (strcmp(view->columns[c].key, key) == 0)
			return (int)c;
	return -1;
}

size_t pt_law_rows(const struct pt_view *view, const struct pt_profile *profile)
{
	size_t n = view->n_columns <= PT_LAW_COLUMNS ? view->n_rows(profile) : 0;

	return n == (size_t)PT_NOT_MADE ? 0 : n;
}

bool pt_law_of_runs(const struct pt_profile *p)
{
	return !p->by_bins && !p->part_shown && p->branches != 0 && strcmp(p->analysis, "execution") == 0;
}

/* --- 4: the clock ------------------------------------------------------------------------------------------------- */

/* Modelled cycles may be some off; a core that ran has no more of them than its clock had. */
static void check_cycles(struct pt_law_check *check)
{
	enum { SLACK_CYCLES = 10000 };
	const struct pt_profile *p = check->profile;
	double most, seen = (double)p->cycles;

	if (p->core_hz == 0 || p->n_cores > 1 || p->n_sources != 1 || p->by_instructions)
		return;
	for (size_t i = 0; p->by_bins && p->bins->by_cycles && i < p->bins->n_cores; i++)
		seen = (double)p->bins->core[i].hits;
	most = (double)p->sources[0].loss.total_ns * 1e-9 * (double)p->core_hz;
	if (seen > most * 1.02 + SLACK_CYCLES && p->contradiction == NULL)
		pt_law_violated(check, PT_LAW_CLOCK, "profile", "%.0f cycles in the time of %.0f, and nothing says so",
				seen, most);
}

/* --- 5: rules ----------------------------------------------------------------------------------------------------- */

static bool is_open(const struct pt_rule *rule)	/* more of it would be allowed, too */
{
	return isinf(rule->hi) && !rule->excludes;
}

static void check_rules(struct pt_law_check *check)
{
	const struct pt_profile *p = check->profile;

	for (size_t i = 0; p->limits != NULL && i < p->limits->n_limits; i++) {
		const struct pt_limit *limit = &p->limits->limit[i];
		const struct pt_rule *rule = limit->rule;
		bool whole = p->incomplete == NULL && !p->no_end;

		if (limit->verdict != PT_VERDICT_PASSED || rule->seen || whole)
			continue;
		if (rule->figure == PT_RULE_COUNT && !is_open(rule))
			pt_law_violated(check, PT_LAW_RULES, "limits", "%s: passed (%s), but %s", rule->text,
					limit->why, p->incomplete);
		else if (rule->of == PT_RULE_EACH && rule->subject == PT_RULE_FUNCTION &&
			 rule->figure <= PT_RULE_INACTIVE)
			pt_law_violated(check, PT_LAW_RULES, "limits", "%s: passed (%s), but %s", rule->text,
					limit->why, p->incomplete);
		else if (p->no_end && rule->subject == PT_RULE_PROFILE)
			pt_law_violated(check, PT_LAW_RULES, "limits", "%s: passed (%s), but there is no end",
					rule->text, limit->why);
	}
}

size_t pt_laws_check(const struct pt_profile *profile, const struct pt_law_clock *clock, pt_law_report report,
		     void *arg)
{
	struct pt_law_check check = { profile, clock, report, arg, 0 };

	pt_law_sums(&check);
	pt_law_shares(&check);
	pt_law_exact(&check);
	check_cycles(&check);
	check_rules(&check);
	return check.n;
}
