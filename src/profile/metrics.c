#include "profile/metrics.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "profile/formula.h"
#include "util.h"

static const struct { const char *name, *formula; } standard[] = {
	{ "CPI", "cycles/instructions" },
	{ "stalled", "stalls/cycles" },
	{ "stalled.operand", "stalls.operand/cycles" },
	{ "stalled.execute", "stalls.execute/cycles" },
	{ "stalled.memory", "stalls.memory/cycles" },
	{ "icache.hit.rate", "icache.hits/icache.requests" },
	{ "dcache.hit.rate", "dcache.hits/dcache.requests" },
	{ "dcache.read.hit.rate", "dcache.read.hits/dcache.reads" },
	{ "dcache.write.hit.rate", "dcache.write.hits/dcache.writes" },
	{ "branch.taken.rate", "branches.taken/(branches.taken+branches.not_taken)" },
	{ "btc.hit.rate", "btc.hits/branches" },
	{ "loads.share", "loads/instructions" },
	{ "stores.share", "stores/instructions" },
	{ "branches.share", "branches/instructions" },
};

void pt_metrics_standard(pt_metrics_has has, pt_metrics_add add, void *arg)
{
	struct pt_formula formula;
	struct pt_err ignored;

	for (size_t i = 0; i < PT_LEN(standard); i++) {
		bool all = pt_formula_parse(&formula, standard[i].formula, &ignored) == 0;

		for (unsigned k = 0; all && k < formula.n_ops; k++)
			all = formula.op[k].what != 'v' || has(arg, formula.op[k].name);
		if (all)
			add(arg, standard[i].name, standard[i].formula);
	}
}

void pt_metrics_of_latency(const char *counter, pt_metrics_has has, pt_metrics_add add, void *arg)
{
	char name[PT_FORMULA_NAME], sum[PT_FORMULA_NAME], squares[PT_FORMULA_NAME], formula[5 * PT_FORMULA_NAME];
	size_t len = strlen(counter);
	int base = (int)len - 2;

	if (len < 3 || len + sizeof(".squares") > PT_FORMULA_NAME || strcmp(counter + base, ".n") != 0)
		return;
	snprintf(sum, sizeof(sum), "%.*s.sum", base, counter);
	snprintf(squares, sizeof(squares), "%.*s.squares", base, counter);
	if (!has(arg, sum) || !has(arg, squares))
		return;
	snprintf(name, sizeof(name), "%.*s.mean", base, counter);
	snprintf(formula, sizeof(formula), "%s/%s", sum, counter);
	add(arg, name, formula);
	snprintf(name, sizeof(name), "%.*s.sigma", base, counter);
	snprintf(formula, sizeof(formula), "sqrt(%s/%s-(%s/%s)*(%s/%s))", squares, counter, sum, counter, sum, counter);
	add(arg, name, formula);
}
