/* Special registers: program status, the two stack pointers, CONTROL and the masks, as MRS, MSR and the debugger see
 * them. Source: DDI 0419 and DDI 0403, B1.4 and B5.2. */
#include "probes/virtual/cpu/cortexm/core.h"

static uint32_t apsr(const struct pt_vcpu *cpu)
{
	return (cpu->neg & 0x80000000) | (cpu->zero == 0) << 30 | cpu->carry << 29 | cpu->overflow << 28 |
	       cpu->saturated << 27 | (uint32_t)cpu->ge << 16;
}

/* ITSTATE lies in two parts: [7:2] in 15..10, [1:0] in 26..25. */
uint32_t pt_cpu_xpsr(const struct pt_vcpu *cpu)
{
	return apsr(cpu) | (cpu->it & 3u) << 25 | cpu->thumb << 24 | (cpu->it & 0xfcu) << 8 | cpu->ipsr;
}

void pt_cpu_set_flags(struct pt_vcpu *cpu, uint32_t nzcv)
{
	cpu->neg = nzcv & 0x80000000;
	cpu->zero = (nzcv & 0x40000000) == 0;
	cpu->carry = nzcv >> 29 & 1;
	cpu->overflow = nzcv >> 28 & 1;
}

void pt_cpu_set_xpsr(struct pt_vcpu *cpu, uint32_t value)
{
	pt_cpu_set_flags(cpu, value);
	cpu->thumb = value >> 24 & 1;
	if (!cpu->model->mainline)
		return;
	cpu->saturated = value >> 27 & 1;
	cpu->ge = value >> 16 & 15;
	cpu->it = (uint8_t)((value >> 25 & 3) | (value >> 8 & 0xfc));
}

static uint32_t stack_pointer(const struct pt_vcpu *cpu, bool psp)
{
	return psp == cpu->on_psp ? cpu->r[SP] : cpu->bank[psp];
}

static void set_stack_pointer(struct pt_vcpu *cpu, bool psp, uint32_t value)
{
	if (psp == cpu->on_psp)
		cpu->r[SP] = value & ~3u;
	else
		cpu->bank[psp] = value & ~3u;
}

void pt_cpu_use_sp(struct pt_vcpu *cpu, bool psp)
{
	if (psp == cpu->on_psp)
		return;
	cpu->bank[cpu->on_psp] = cpu->r[SP];
	cpu->r[SP] = cpu->bank[psp];
	cpu->on_psp = psp;
}

static uint32_t control(const struct pt_vcpu *cpu)
{
	return (uint32_t)cpu->fpu.active << 2 | cpu->spsel << 1 | cpu->unprivileged;
}

/* Handler mode always runs on the main stack, so SPSEL cannot be written there. */
static void set_control(struct pt_vcpu *cpu, uint32_t value)
{
	cpu->unprivileged = value & 1;
	if (cpu->model->fpu)
		cpu->fpu.active = value >> 2 & 1;
	if (cpu->ipsr != 0)
		return;
	cpu->spsel = value >> 1 & 1;
	pt_cpu_use_sp(cpu, cpu->spsel);
}

static uint8_t priority_mask(const struct pt_vcpu *cpu)
{
	return (uint8_t)(0xff00 >> cpu->model->priority_bits);
}

enum { PRIMASK = 16, BASEPRI = 17, BASEPRI_MAX = 18, FAULTMASK = 19, CONTROL = 20 };	/* SYSm */

/* Source: DDI 0403, B5.2.2: EPSR reads as 0; unprivileged code reads 0 from what it may not see. */
uint32_t pt_cpu_mrs(const struct pt_vcpu *cpu, unsigned sysm)
{
	bool allowed = pt_cpu_privileged(cpu);

	switch (sysm) {
	case 0: case 1: case 2: case 3: case 5: case 6: case 7:
		return ((sysm & 4) == 0 ? apsr(cpu) : 0) | ((sysm & 1) != 0 && allowed ? cpu->ipsr : 0);
	case 8: case 9:
		return allowed ? stack_pointer(cpu, sysm == 9) : 0;
	case PRIMASK:
		return allowed && cpu->primask;
	case BASEPRI: case BASEPRI_MAX:
		return allowed ? cpu->basepri : 0;
	case FAULTMASK:
		return allowed && cpu->faultmask;
	case CONTROL:
		return control(cpu);
	default:
		return 0;
	}
}

/* What ARMv7-M has besides. FAULTMASK cannot be set where execution is more urgent already. */
static void set_mask(struct pt_vcpu *cpu, unsigned sysm, uint32_t value)
{
	uint8_t base = value & priority_mask(cpu);

	if (!cpu->model->mainline)
		return;
	if (sysm == FAULTMASK && (pt_cpu_priority(cpu, true) > -1 || cpu->faultmask))
		cpu->faultmask = value & 1;
	if (sysm == BASEPRI || (sysm == BASEPRI_MAX && base != 0 && (cpu->basepri == 0 || base < cpu->basepri)))
		cpu->basepri = base;
}

void pt_cpu_msr(struct pt_vcpu *cpu, unsigned sysm, unsigned mask, uint32_t value)
{
	if (sysm <= 3 && (mask & 2) != 0) {
		pt_cpu_set_flags(cpu, value);
		if (cpu->model->mainline)
			cpu->saturated = value >> 27 & 1;
	}
	if (sysm <= 3 && (mask & 1) != 0)
		cpu->ge = value >> 16 & 15;
	if (!pt_cpu_privileged(cpu))
		return;
	if (sysm == 8 || sysm == 9)
		set_stack_pointer(cpu, sysm == 9, value);
	else if (sysm == PRIMASK)
		cpu->primask = value & 1;
	else if (sysm == CONTROL)
		set_control(cpu, value);
	else
		set_mask(cpu, sysm, value);
	pt_cpu_mpu_changed(cpu);
	pt_vcore_attend(&cpu->core);	/* an interrupt may have been let through */
}

enum { REG_PC = 15, REG_XPSR, REG_MSP, REG_PSP, REG_MASKS = 20, REG_FPSCR = 33, REG_S0 = 64, REG_S31 = 95 };

uint32_t pt_vcpu_reg(const struct pt_vcpu *cpu, unsigned regsel)
{
	if (regsel <= LR)
		return cpu->r[regsel];
	if (regsel >= REG_S0 && regsel <= REG_S31)
		return cpu->fpu.s[regsel - REG_S0];
	switch (regsel) {
	case REG_PC:
		return cpu->pc;
	case REG_XPSR:
		return pt_cpu_xpsr(cpu);
	case REG_MSP: case REG_PSP:
		return stack_pointer(cpu, regsel == REG_PSP);
	case REG_MASKS:
		return control(cpu) << 24 | (uint32_t)cpu->faultmask << 16 | (uint32_t)cpu->basepri << 8 | cpu->primask;
	case REG_FPSCR:
		return cpu->fpu.fpscr;
	default:
		return 0;
	}
}

static void set_pc(struct pt_vcpu *cpu, uint32_t to)
{
	uint32_t from = cpu->pc;

	cpu->pc = to & ~1u;
	if (cpu->pc != from && cpu->core.observers.jump)
		pt_vobservers_tell_jump(&cpu->core.observers, PT_VJUMP_DEBUG, from, 0, cpu->pc);
}

static void set_masks(struct pt_vcpu *cpu, uint32_t value)
{
	cpu->primask = value & 1;
	set_control(cpu, value >> 24);
	if (!cpu->model->mainline)
		return;
	cpu->basepri = value >> 8 & priority_mask(cpu);
	cpu->faultmask = value >> 16 & 1;
}

void pt_vcpu_set_reg(struct pt_vcpu *cpu, unsigned regsel, uint32_t value)
{
	if (regsel < SP || regsel == LR) {
		cpu->r[regsel] = value;
		return;
	}
	if (regsel >= REG_S0 && regsel <= REG_S31) {
		if (cpu->model->fpu)
			cpu->fpu.s[regsel - REG_S0] = value;
		return;
	}
	switch (regsel) {
	case SP:
		set_stack_pointer(cpu, cpu->on_psp, value);
		break;
	case REG_PC:
		set_pc(cpu, value);
		break;
	case REG_XPSR:
		pt_cpu_set_xpsr(cpu, value);
		break;
	case REG_MSP: case REG_PSP:
		set_stack_pointer(cpu, regsel == REG_PSP, value);
		break;
	case REG_MASKS:
		set_masks(cpu, value);
		break;
	case REG_FPSCR:
		if (cpu->model->fpu)
			cpu->fpu.fpscr = value & FPSCR_BITS;
		break;
	}
	pt_cpu_mpu_changed(cpu);
	pt_vcore_attend(&cpu->core);
}
