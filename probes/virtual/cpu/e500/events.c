/* Which events the cores count: rows of numbers that stand for the same on all cores named. What a core lacks reads 0.
 * Spec columns count what was flushed, too; this core flushes nothing, so finished is completed here. The e6500's L2 is
 * shared; alone with it, a thread's accesses are all accesses. Source: OProfile's event files; AN3636 Rev. 2, 2.1 */
#include "probes/virtual/cpu/e500/core.h"

enum {
	V1_V2 = 1 << PT_VE500_CORE_V1 | 1 << PT_VE500_CORE_V2, E6500 = 1 << PT_VE500_CORE_E6500,
	MC_E5500 = 1 << PT_VE500_CORE_MC | 1 << PT_VE500_CORE_E5500, OLD = V1_V2 | MC_E5500, QORIQ = MC_E5500 | E6500,
	ALL = OLD | E6500,
};

static const struct { uint16_t first, last; uint8_t cores; } rows[] = {
	{ EV_CYCLES, EV_OPS, ALL }, { EV_FETCHED, EV_FETCHED, OLD }, { EV_DECODED, EV_DECODED, ALL },
	{ EV_BRANCHES, EV_TAKEN_FINISHED, ALL }, { EV_BTB_UNKNOWN, EV_BTB_UNKNOWN, E6500 },
	{ EV_MISPREDICTED, EV_BTB_HITS, ALL }, { EV_TRANSLATED, EV_MISALIGNED, ALL },
	{ EV_STORES_COMPLETED, EV_STORES_COMPLETED, OLD }, { EV_DL1_RELOADS, EV_DL1_RELOADS, ALL },
	{ EV_DL1_CASTOUTS, EV_DL1_CASTOUTS, OLD }, { EV_IL1_RELOADS, EV_FETCHES, ALL },
	{ EV_L2MMU_MISSES, EV_L2MMU_MISSES, ALL }, { EV_BUS, EV_BUS_CASTOUTS, OLD },
	{ EV_TAKEN, EV_BTB_TARGET, E6500 }, { EV_TAKEN_UNKNOWN, EV_TAKEN_UNKNOWN, E6500 },
	{ EV_INTERRUPTS, EV_SC_TRAP, ALL }, { EV_L2_LINEFILLS, EV_L2_VICTIMS, MC_E5500 },
	{ EV_L2_ACCESSES, EV_L2_FETCH_ALLOCATIONS, MC_E5500 }, { EV_L2_CASTOUTS, EV_L2_DIRTY_HITS, MC_E5500 },
	{ EV_CYCLES_0_OPS, EV_CYCLES_2_OPS, E6500 }, { EV_DVT0, EV_DVT0 + 7, QORIQ },
	{ EV_DECORATED_LOADS, EV_DECORATED_STORES, QORIQ }, { EV_STWCX_DONE, EV_STWCX_FAILED, QORIQ },
	{ EV_GPR_LOADS, EV_BARRIERS, E6500 }, { EV_FPR_LOADS, EV_FPR_DOUBLES, E6500 },
	{ EV_L1_MISSES, EV_LOAD_QUEUE, E6500 }, { EV_L1_FETCH_MISSES, EV_L1_FETCH_MISSES, E6500 },
	{ EV_TLB_MISSES, EV_TLB_MISSES, E6500 }, { EV_LINK_D, EV_LINK_I, E6500 },
	{ EV_S2_HITS, EV_S2_OWN_DATA_MISSES, E6500 },
	{ EV_S2_RELOADS, EV_S2_RELOADS, E6500 }, { EV_COREQ, EV_COREQ, E6500 }, { EV_COREQ_D, EV_COREQ_I, E6500 },
};

bool pt_ve500_counts(enum pt_ve500_core core, unsigned event)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (event >= rows[i].first && event <= rows[i].last && (rows[i].cores >> core & 1) != 0)
			return true;
	return false;
}
