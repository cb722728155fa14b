/* C1.CLKS [7:6] shows in S.CLKST [3:2]; an oscillator that C2.EREFS0 asks for is stable at once. */
#include "probes/virtual/unit/kinetis/mcg.h"
#include "base/util.h"

enum { C1, C2, S, SC, MC };
enum { EREFS0 = 1 << 2, OSCINIT0 = 1 << 1 };

static const struct pt_vreg rows[PT_VMCG_REGISTERS] = {
	[C1] = { "C1", 0x00, 1, 0x40, 0xc3, 0 },
	[C2] = { "C2", 0x01, 1, 0x01, 0x3d, 0 },
	[S] = { "S", 0x06, 1, 0x04, 0, 0 },
	[SC] = { "SC", 0x08, 1, 0x00, 0x0e, 0 },
	[MC] = { "MC", 0x18, 1, 0x00, 0x87, 0 },
};

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	pt_vregs_read(&((struct pt_vmcg *)unit)->regs, offset, access, value);
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vmcg *mcg = unit;

	pt_vregs_write(&mcg->regs, offset, access, value);
	mcg->value[S] = (mcg->value[C1] >> 6 & 3) << 2 | ((mcg->value[C2] & EREFS0) != 0 ? OSCINIT0 : 0);
	return true;
}

static void reset(void *unit, bool power_on)
{
	(void)power_on;
	pt_vregs_reset(&((struct pt_vmcg *)unit)->regs);
}

void pt_vmcg_init(struct pt_vmcg *mcg)
{
	mcg->regs = (struct pt_vregs){ .row = rows, .n_rows = PT_LEN(rows), .value = mcg->value };
	pt_vregs_reset(&mcg->regs);
}

const struct pt_vunit_ops pt_vmcg_ops = { .name = "MCG", .read = read, .write = write, .reset = reset };
