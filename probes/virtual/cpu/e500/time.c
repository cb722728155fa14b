/* Time base, decrementer and fixed-interval timer, computed when they are read. The watchdog is not there.
 * Source: E500CORERM 2.6, 2.15; Power ISA 2.06 Book III-E, chapter 8 */
#include "probes/virtual/cpu/e500/core.h"

enum {
	TBEN = 0x4000,			/* HID0 */
	TSR_DIS = 0x08000000, TSR_FIS = 0x04000000, TCR_ARE = 0x00400000,
};

static bool runs(const struct pt_ve500 *cpu)
{
	return (cpu->spr[SPR_HID0] & TBEN) != 0;
}

static uint64_t ticks(const struct pt_ve500 *cpu, uint64_t cycle)
{
	return runs(cpu) ? cpu->tb_base + (cycle - cpu->tb_base_cycle) / cpu->timing.tb_cycles : cpu->tb_base;
}

uint64_t pt_ve500_time_base(const struct pt_ve500 *cpu)
{
	return ticks(cpu, cpu->core.cycle);
}

/* The cycle at which the time base reaches a value above the present one. */
static uint64_t cycle_of(const struct pt_ve500 *cpu, uint64_t tb)
{
	return runs(cpu) ? cpu->tb_base_cycle + (tb - cpu->tb_base) * cpu->timing.tb_cycles : PT_VNEVER;
}

static void rebase(struct pt_ve500 *cpu, uint64_t tb)
{
	cpu->tb_base = tb;
	cpu->tb_base_cycle = cpu->core.cycle;
}

/* --- decrementer */

static uint32_t decrementer(const struct pt_ve500 *cpu)
{
	uint64_t left;

	if (cpu->dec_zero == PT_VNEVER)
		return cpu->spr[SPR_DEC];
	left = cpu->dec_zero > cpu->core.cycle ? cpu->dec_zero - cpu->core.cycle : 0;
	return (uint32_t)((left + cpu->timing.tb_cycles - 1) / cpu->timing.tb_cycles);
}

static void set_decrementer(struct pt_ve500 *cpu, uint32_t value)
{
	cpu->spr[SPR_DEC] = value;
	cpu->dec_zero = value != 0 && runs(cpu) ? cpu->core.cycle + (uint64_t)value * cpu->timing.tb_cycles : PT_VNEVER;
}

/* How often it came to 0 since anybody looked, a halted core did not notice: TSR says that it did. */
static void decrementer_at_zero(struct pt_ve500 *cpu)
{
	uint64_t period = (uint64_t)cpu->spr[SPR_DECAR] * cpu->timing.tb_cycles;

	cpu->spr[SPR_TSR] |= TSR_DIS;
	if ((cpu->spr[SPR_TCR] & TCR_ARE) != 0 && period != 0)
		cpu->dec_zero += ((cpu->core.cycle - cpu->dec_zero) / period + 1) * period;
	else
		set_decrementer(cpu, 0);
}

/* --- fixed interval: FPEXT || FP names a bit of the time base, 0 the highest; it waits for 0 to 1 */

uint64_t pt_ve500_next_edge(const struct pt_ve500 *cpu, unsigned bit)
{
	uint64_t now = pt_ve500_time_base(cpu), half = UINT64_C(1) << bit;

	if (bit >= 48)
		return PT_VNEVER;	/* days away */
	return cycle_of(cpu, ((now + half) >> (bit + 1) << (bit + 1)) + half);
}

static void schedule_fit(struct pt_ve500 *cpu)
{
	uint32_t tcr = cpu->spr[SPR_TCR];

	cpu->fit_next = pt_ve500_next_edge(cpu, 63 - ((tcr >> 13 & 15) << 2 | (tcr >> 24 & 3)));
}

/* --- together */

void pt_e5_time_reset(struct pt_ve500 *cpu)
{
	cpu->spr[SPR_TSR] = cpu->spr[SPR_TCR] = cpu->spr[SPR_DECAR] = 0;
	rebase(cpu, 0);
	set_decrementer(cpu, 0);
	schedule_fit(cpu);
}

bool pt_e5_time_spr(unsigned n)
{
	return n == SPR_DEC || n == SPR_TBL || n == SPR_TBU || n == SPR_TBL_W || n == SPR_TBU_W || n == SPR_TSR ||
	       n == SPR_TCR || n == SPR_HID0;
}

uint32_t pt_e5_time_read(const struct pt_ve500 *cpu, unsigned n)
{
	switch (n) {
	case SPR_DEC: return decrementer(cpu);
	case SPR_TBL: case SPR_TBL_W: return (uint32_t)pt_ve500_time_base(cpu);
	case SPR_TBU: case SPR_TBU_W: return (uint32_t)(pt_ve500_time_base(cpu) >> 32);
	default: return cpu->spr[n];
	}
}

static void write_hid0(struct pt_ve500 *cpu, uint32_t value)
{
	uint32_t dec = decrementer(cpu);

	rebase(cpu, pt_ve500_time_base(cpu));
	cpu->spr[SPR_HID0] = value;
	set_decrementer(cpu, dec);
}

void pt_e5_time_write(struct pt_ve500 *cpu, unsigned n, uint32_t value)
{
	uint64_t tb = pt_ve500_time_base(cpu);

	switch (n) {
	case SPR_DEC: set_decrementer(cpu, value); break;
	case SPR_TBL_W: rebase(cpu, (tb & ~UINT64_C(0xffffffff)) | value); break;
	case SPR_TBU_W: rebase(cpu, (uint64_t)value << 32 | (uint32_t)tb); break;
	case SPR_TSR: cpu->spr[n] &= ~value; break;
	case SPR_HID0: write_hid0(cpu, value); break;
	default: cpu->spr[n] = value;
	}
	schedule_fit(cpu);
	pt_vcore_attend(&cpu->core);
}

uint64_t pt_e5_time_next(const struct pt_ve500 *cpu)
{
	return cpu->dec_zero < cpu->fit_next ? cpu->dec_zero : cpu->fit_next;
}

void pt_e5_time_pass(struct pt_ve500 *cpu)
{
	if (cpu->dec_zero <= cpu->core.cycle)
		decrementer_at_zero(cpu);
	if (cpu->fit_next <= cpu->core.cycle) {
		cpu->spr[SPR_TSR] |= TSR_FIS;
		schedule_fit(cpu);
	}
}
