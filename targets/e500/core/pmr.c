#include "targets/e500/core/pmr.h"

#include <stdio.h>
#include <strings.h>

/* Bits are counted from the right here; the manual counts from 32 (left) to 63. */
static const struct pt_field pmgc0[] = {		/* PMR 400. Source: E1 Table 7-3 */
	[PT_E500_FAC]   = { "FAC",   31, 1, "all counters are frozen" },
	[PT_E500_PMIE]  = { "PMIE",  30, 1, "an enabled condition interrupts; the condition clears this" },
	[PT_E500_FCECE] = { "FCECE", 29, 1, "an enabled condition sets FAC" },
	[PT_E500_TBSEL] = { "TBSEL", 11, 2, "time-base bit: TBL[31], [23], [19] or [15]" },
	[PT_E500_TBEE]  = { "TBEE",   8, 1, "a rise of that bit is an enabled condition" },
};

#define PMLCA_COMMON \
	[PT_E500_FC]    = { "FC",    31, 1, "the counter is frozen" }, \
	[PT_E500_FCS]   = { "FCS",   30, 1, "frozen while MSR[PR] is 0: supervisor" }, \
	[PT_E500_FCU]   = { "FCU",   29, 1, "frozen while MSR[PR] is 1: user" }, \
	[PT_E500_FCM1]  = { "FCM1",  28, 1, "frozen while MSR[PMM] is 1" }, \
	[PT_E500_FCM0]  = { "FCM0",  27, 1, "frozen while MSR[PMM] is 0" }, \
	[PT_E500_CE]    = { "CE",    26, 1, "overflow is an enabled condition; 0 in a chain" }
#define PMLCA_GUEST \
	[PT_E500_FGCS1] = { "FGCS1",  1, 1, "frozen in guest state" }, \
	[PT_E500_FGCS0] = { "FGCS0",  0, 1, "frozen in hypervisor state" }

static const struct pt_field pmlca_v1[] = {		/* PMR 144 on. Source: E1 Table 7-4 */
	PMLCA_COMMON,
	[PT_E500_EVENT] = { "EVENT", 16, 7, "what is counted" },
};
static const struct pt_field pmlca_mc[] = {		/* Source: E5 */
	PMLCA_COMMON,
	[PT_E500_EVENT] = { "EVENT", 16, 8, "what is counted" },
	PMLCA_GUEST,
};
static const struct pt_field pmlca_e6500[] = {		/* Source: E5 */
	PMLCA_COMMON,
	[PT_E500_EVENT] = { "EVENT", 16, 9, "what is counted" },
	PMLCA_GUEST,
};

static const struct pt_field pmlcb[] = {		/* PMR 272 on. Source: E1 Table 7-5; from TRIGONCTL on E5 */
	[PT_E500_THRESHMUL]  = { "THRESHMUL",   8, 3, "THRESHOLD is multiplied by 2 to this power" },
	[PT_E500_THRESHOLD]  = { "THRESHOLD",   0, 6, "a threshold event counts when it lasts longer" },
	[PT_E500_TRIGONCTL]  = { "TRIGONCTL",  28, 4, "what starts the counter; left 0" },
	[PT_E500_TRIGOFFCTL] = { "TRIGOFFCTL", 24, 4, "what stops the counter; left 0" },
	[PT_E500_PMCC]       = { "PMCC",       23, 1, "the counter is captured" },
	[PT_E500_PMP]        = { "PMP",        13, 3, "watchpoint or pulse; left 0" },
};

static void set_fields(enum pt_e500_core core, unsigned pmr, struct pt_e500_register *reg)
{
	bool qoriq = core >= PT_E500_MC;

	if (pmr == PT_E500_PMGC0) {
		reg->field = pmgc0;
		reg->n_fields = core == PT_E500_V1 ? PT_E500_TBSEL : PT_E500_TBEE + 1;
	} else if (pmr >= PT_E500_PMLCB0) {
		reg->field = pmlcb;
		reg->n_fields = qoriq ? PT_E500_PMP + 1 : PT_E500_THRESHOLD + 1;
	} else if (pmr >= PT_E500_PMLCA0) {
		reg->field = core == PT_E500_E6500 ? pmlca_e6500 : qoriq ? pmlca_mc : pmlca_v1;
		reg->n_fields = qoriq ? PT_E500_FGCS0 + 1 : PT_E500_EVENT + 1;
	} else {
		reg->field = NULL;
		reg->n_fields = 0;
	}
}

bool pt_e500_pmr(enum pt_e500_core core, unsigned pmr, struct pt_e500_register *reg)
{
	static const struct { const char *name; unsigned first, n; } groups[] = {	/* n 0: one per counter */
		{ "PMC", PT_E500_PMC0, 0 }, { "PMLCa", PT_E500_PMLCA0, 0 },
		{ "PMLCb", PT_E500_PMLCB0, 0 }, { "PMGC", PT_E500_PMGC0, 1 },
	};

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		unsigned n = groups[i].n != 0 ? groups[i].n : pt_e500_kinds[core].n_pmcs;

		for (unsigned less = 0; less <= PT_E500_USER_LESS; less += PT_E500_USER_LESS) {
			unsigned first = groups[i].first - less;

			if (pmr < first || pmr >= first + n)
				continue;
			reg->user = less != 0;
			snprintf(reg->name, sizeof(reg->name), "%s%s%u", less != 0 ? "U" : "", groups[i].name,
				 (pmr - first) % 10);
			set_fields(core, pmr + less, reg);
			return true;
		}
	}
	return false;
}

int pt_e500_pmr_find(enum pt_e500_core core, const char *name)
{
	struct pt_e500_register reg;

	for (unsigned pmr = 0; pmr < PT_E500_PMRS; pmr++)
		if (pt_e500_pmr(core, pmr, &reg) && strcasecmp(reg.name, name) == 0)
			return (int)pmr;
	return -1;
}

static uint32_t split(unsigned pmr)
{
	return (pmr & 31) << 16 | (pmr >> 5 & 31) << 11;
}

uint32_t pt_e500_mfpmr(unsigned gpr, unsigned pmr)
{
	return UINT32_C(0x7c00029c) | (gpr & 31) << 21 | split(pmr);	/* opcode 31, XO 334 */
}

uint32_t pt_e500_mtpmr(unsigned pmr, unsigned gpr)
{
	return UINT32_C(0x7c00039c) | (gpr & 31) << 21 | split(pmr);	/* opcode 31, XO 462 */
}
