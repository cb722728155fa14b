/* Special registers: program status, the two stack pointers, CONTROL and PRIMASK, as MRS, MSR and the debugger see
 * them. Source: DDI 0419, B1.4 and B5.2. */
#include "probes/virtual/cpu/armv6m/core.h"

static uint32_t apsr(const struct pt_vcpu *cpu)
{
	return (cpu->neg & 0x80000000) | (cpu->zero == 0) << 30 | cpu->carry << 29 | cpu->overflow << 28;
}

uint32_t pt_cpu_xpsr(const struct pt_vcpu *cpu)
{
	return apsr(cpu) | cpu->thumb << 24 | cpu->ipsr;
}

void pt_cpu_set_apsr(struct pt_vcpu *cpu, uint32_t value)
{
	cpu->neg = value & 0x80000000;
	cpu->zero = (value & 0x40000000) == 0;
	cpu->carry = value >> 29 & 1;
	cpu->overflow = value >> 28 & 1;
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

/* Handler mode always runs on the main stack, so SPSEL cannot be written there. */
static void set_control(struct pt_vcpu *cpu, uint32_t value)
{
	cpu->unprivileged = value & 1;
	if (cpu->ipsr != 0)
		return;
	cpu->spsel = value >> 1 & 1;
	pt_cpu_use_sp(cpu, cpu->spsel);
}

/* SYSm. Source: DDI 0419, B5.1.1: EPSR reads as 0; unprivileged code reads 0 from what it may not see. */
uint32_t pt_cpu_mrs(const struct pt_vcpu *cpu, unsigned sysm)
{
	switch (sysm) {
	case 0: case 1: case 2: case 3: case 5: case 6: case 7:
		return ((sysm & 4) == 0 ? apsr(cpu) : 0) | ((sysm & 1) != 0 ? cpu->ipsr : 0);
	case 8: case 9:
		return pt_cpu_privileged(cpu) ? stack_pointer(cpu, sysm == 9) : 0;
	case 16:
		return pt_cpu_privileged(cpu) ? cpu->primask : 0;
	case 20:
		return cpu->spsel << 1 | cpu->unprivileged;
	default:
		return 0;
	}
}

void pt_cpu_msr(struct pt_vcpu *cpu, unsigned sysm, uint32_t value)
{
	if (sysm <= 3)
		pt_cpu_set_apsr(cpu, value);
	if (!pt_cpu_privileged(cpu))
		return;
	if (sysm == 8 || sysm == 9)
		set_stack_pointer(cpu, sysm == 9, value);
	else if (sysm == 16)
		cpu->primask = value & 1;
	else if (sysm == 20)
		set_control(cpu, value);
	pt_vcore_attend(&cpu->core);	/* PRIMASK may have let an interrupt through */
}

uint32_t pt_vcpu_reg(const struct pt_vcpu *cpu, unsigned regsel)
{
	if (regsel <= LR)
		return cpu->r[regsel];
	switch (regsel) {
	case 15:
		return cpu->pc;
	case 16:
		return pt_cpu_xpsr(cpu);
	case 17: case 18:
		return stack_pointer(cpu, regsel == 18);
	case 20:
		return (uint32_t)(cpu->spsel << 1 | cpu->unprivileged) << 24 | cpu->primask;
	default:
		return 0;
	}
}

static void set_pc(struct pt_vcpu *cpu, uint32_t to)
{
	uint32_t from = cpu->pc;

	cpu->pc = to & ~1u;
	if (cpu->pc != from && cpu->core.taps.jump)
		pt_vtaps_tell_jump(&cpu->core.taps, PT_VJUMP_DEBUG, from, 0, cpu->pc);
}

void pt_vcpu_set_reg(struct pt_vcpu *cpu, unsigned regsel, uint32_t value)
{
	if (regsel < SP || regsel == LR) {
		cpu->r[regsel] = value;
		return;
	}
	switch (regsel) {
	case 13:
		set_stack_pointer(cpu, cpu->on_psp, value);
		break;
	case 15:
		set_pc(cpu, value);
		break;
	case 16:
		pt_cpu_set_apsr(cpu, value);
		cpu->thumb = value >> 24 & 1;
		break;
	case 17: case 18:
		set_stack_pointer(cpu, regsel == 18, value);
		break;
	case 20:
		cpu->primask = value & 1;
		set_control(cpu, value >> 24);
		break;
	}
	pt_vcore_attend(&cpu->core);
}
