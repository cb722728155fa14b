#include "profile/analyses/counters/metrics.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "profile/analyses/counters/formula.h"
#include "base/util.h"

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
	/* e500 family. Source: AN3636 Rev. 2, Table 1, and derived from what the events count */
	{ "IPC", "COMPLETED_INSNS/CPU_CLK" },
	{ "ops.per.instruction", "COMPLETED_OPS/COMPLETED_INSNS" },
	{ "branch.mispredict.rate", "BRANCHES_MISPREDICTED/BRANCHES_FINISHED" },
	{ "branch.btb.miss.rate", "(BRANCHES_FINISHED-BTB_HITS)/BRANCHES_FINISHED" },
	{ "branches.per.1000", "1000*BRANCHES_FINISHED/COMPLETED_INSNS" },
	{ "l1i.miss.rate", "IL1_FETCH_RELOADS/COMPLETED_INSNS" },
	{ "l1i.demand.miss.rate", "L1_CACHE_IM/COMPLETED_INSNS" },
	{ "l1d.miss.rate", "DL1_RELOADS/(COMPLETED_LOAD_OPS+COMPLETED_STORE_OPS)" },
	{ "l1d.miss.rate.all", "L1_CACHE_MISSES/(COMPLETED_LOAD_OPS+COMPLETED_STORE_OPS)" },
	{ "l1d.load.miss.rate", "L1_CACHE_LOAD_MISSES/COMPLETED_LOAD_OPS" },
	{ "l1d.store.miss.rate", "L1_CACHE_STORE_MISSES/COMPLETED_STORE_OPS" },
	{ "l2.hit.rate", "L2_HIT_ACCESS/L2_ACCESS" },
	{ "l2.miss.rate", "(L2_ACCESS-L2_HIT_ACCESS)/L2_ACCESS" },
	{ "l2.data.hit.rate", "L2_HIT_DATA_ACCESS/L2_DATA_ACCESS" },
	{ "l2.instruction.hit.rate", "L2_HIT_INST_ACCESS/L2_INST_ACCESS" },
	{ "l2.shared.hit.rate", "L2_HITS/(L2_HITS+L2_MISSES)" },
	{ "l2.shared.miss.rate", "L2_MISSES/(L2_HITS+L2_MISSES)" },
	{ "l2.thread.hit.rate", "L2_HITS_PER_THREAD/(L2_HITS_PER_THREAD+L2_MISSES_PER_THREAD)" },
	{ "l2.shared.data.miss.rate", "L2_DATA_MISSES/L2_DATA_ACCESS" },
	{ "l2.shared.inst.miss.rate", "L2_INSTRUCTIONS_MISSES/L2_INSTRUCTIONS_ACCESS" },
	{ "tlb.misses.per.1000", "1000*L2MMU_MISSES/COMPLETED_INSNS" },
	{ "stalled.decode", "DECODE_STALLED/CPU_CLK" },
	{ "stalled.issue", "ISSUE_STALLED/CPU_CLK" },
	{ "stalled.branch.issue", "BRANCH_ISSUE_STALLED/CPU_CLK" },
	{ "stalled.simple.0", "SRS0_SCHEDULE_STALLED/CPU_CLK" },
	{ "stalled.simple.1", "SRS1_SCHEDULE_STALLED/CPU_CLK" },
	{ "stalled.multiple", "VRS_SCHEDULE_STALLED/CPU_CLK" },
	{ "stalled.load.store", "LRS_SCHEDULE_STALLED/CPU_CLK" },
	{ "stalled.branch", "BRS_SCHEDULE_STALLED/CPU_CLK" },
	{ "stalled.sfx0", "SFX0_SCHEDULE_STALLED/CPU_CLK" },
	{ "stalled.sfx1", "SFX1_SCHEDULE_STALLED/CPU_CLK" },
	{ "stalled.cfx", "CFX_SCHEDULE_STALLED/CPU_CLK" },
	{ "stalled.lsu", "LSU_SCHEDULE_STALLED/CPU_CLK" },
	{ "stalled.bu", "BU_SCHEDULE_STALLED/CPU_CLK" },
	{ "interrupts.per.second", "INTERRUPTS/seconds" },
	{ "external.interrupts.per.second", "EXTERNAL_INTERRUPTS/seconds" },
};

bool pt_metrics_fits(const char *text, pt_metrics_has has, void *arg)
{
	struct pt_formula formula;
	struct pt_err ignored;
	bool all = pt_formula_parse(&formula, text, &ignored) == 0;

	for (unsigned k = 0; all && k < formula.n_ops; k++)
		all = formula.op[k].what != 'v' || has(arg, formula.op[k].name);
	return all;
}

void pt_metrics_standard(pt_metrics_has has, pt_metrics_add add, void *arg)
{
	for (size_t i = 0; i < PT_LEN(standard); i++)
		if (pt_metrics_fits(standard[i].formula, has, arg))
			add(arg, standard[i].name, standard[i].formula);
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
