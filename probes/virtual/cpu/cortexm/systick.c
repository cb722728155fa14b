/* SysTick, counted when a register is read or when it is due. Source: DDI 0419 and DDI 0403, B3.3. */
#include "probes/virtual/cpu/cortexm/core.h"

enum { ENABLE = 1, TICKINT = 2, CLKSOURCE = 4, COUNTFLAG = 1 << 16 };
enum { CSR = 0x10, RVR = 0x14, CVR = 0x18, CALIB = 0x1c };
enum { COUNT_MASK = 0xffffff };
#define CALIB_SKEW UINT32_C(0x40000000)		/* no calibration value is known */
#define CALIB_NOREF UINT32_C(0x80000000)

/* A core without a reference clock has CLKSOURCE always set. */
static uint32_t divider(const struct pt_vcpu *cpu)
{
	return (cpu->systick.csr & CLKSOURCE) != 0 || cpu->model->reference_divider == 0
		       ? 1
		       : cpu->model->reference_divider;
}

/* It stands still in Debug state and in reset. */
static bool counts(const struct pt_vcpu *cpu)
{
	return (cpu->systick.csr & ENABLE) != 0 && cpu->state != PT_VCPU_HALT && cpu->state != PT_VCPU_HELD;
}

/* Clocks to the next change from 1 to 0: from 0 it takes one to reload. 0: never. */
static uint64_t clocks_to_zero(const struct systick *t)
{
	if (t->value != 0)
		return t->value;
	return t->reload != 0 ? (uint64_t)t->reload + 1 : 0;
}

static void expire(struct pt_vcpu *cpu)
{
	cpu->systick.count_flag = true;
	if ((cpu->systick.csr & TICKINT) != 0)
		pt_cpu_set_pending(cpu, PT_VEX_SYSTICK, true);
}

static void count(struct pt_vcpu *cpu, uint64_t clocks)
{
	struct systick *t = &cpu->systick;
	uint64_t to_zero = clocks_to_zero(t), period = (uint64_t)t->reload + 1;

	if (to_zero == 0 || clocks == 0)
		return;
	if (clocks < to_zero) {
		t->value = (uint32_t)(t->value != 0 ? t->value - clocks : period - clocks);
		return;
	}
	clocks = (clocks - to_zero) % period;
	t->value = (uint32_t)(clocks != 0 ? period - clocks : 0);
	expire(cpu);
}

void pt_cpu_systick_sync(struct pt_vcpu *cpu)
{
	struct systick *t = &cpu->systick;
	uint64_t clocks = (cpu->core.cycle - t->stamp) / divider(cpu);

	if (!counts(cpu)) {
		t->stamp = cpu->core.cycle;
		return;
	}
	t->stamp += clocks * divider(cpu);
	count(cpu, clocks);
}

uint64_t pt_cpu_systick_next(const struct pt_vcpu *cpu)
{
	const struct systick *t = &cpu->systick;
	uint64_t clocks = clocks_to_zero(t);

	if (!counts(cpu) || clocks == 0)
		return PT_VNEVER;
	return t->stamp + clocks * divider(cpu);
}

void pt_cpu_systick_reset(struct pt_vcpu *cpu)
{
	cpu->systick = (struct systick){ .stamp = cpu->core.cycle };
}

uint32_t pt_cpu_systick_read(struct pt_vcpu *cpu, uint32_t offset)
{
	struct systick *t = &cpu->systick;
	uint32_t csr;

	pt_cpu_systick_sync(cpu);
	switch (offset) {
	case CSR:
		csr = t->csr | (t->count_flag ? COUNTFLAG : 0) | (cpu->model->reference_divider == 0 ? CLKSOURCE : 0);
		t->count_flag = false;
		return csr;
	case RVR:
		return t->reload;
	case CVR:
		return t->value;
	default:
		return offset != CALIB ? 0 : CALIB_SKEW | (cpu->model->reference_divider == 0 ? CALIB_NOREF : 0);
	}
}

void pt_cpu_systick_write(struct pt_vcpu *cpu, uint32_t offset, uint32_t value)
{
	struct systick *t = &cpu->systick;

	pt_cpu_systick_sync(cpu);
	switch (offset) {
	case CSR:
		t->csr = value & (ENABLE | TICKINT | CLKSOURCE);
		t->stamp = cpu->core.cycle;
		break;
	case RVR:
		t->reload = value & COUNT_MASK;
		break;
	case CVR:	/* any value clears it */
		t->value = 0;
		t->count_flag = false;
		t->stamp = cpu->core.cycle;
		break;
	}
}
