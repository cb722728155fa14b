/* Special registers. Source: binutils' microblaze-opc.h (numbers), UG984's tables of the PVRs (bits). */
#include "probes/virtual/cpu/microblaze/core.h"

enum { SR_PC = 0x0, SR_MSR = 0x1, SR_EAR = 0x3, SR_ESR = 0x5, SR_BTR = 0xb, SR_EDR = 0xd, SR_SLR = 0x800,
       SR_SHR = 0x802, SR_PID = 0x1000, SR_ZPR = 0x1001, SR_PVR0 = 0x2000, N_PVRS = 13 };

enum { ANY_MODE = PT_VMB_IE | PT_VMB_BIP | PT_VMB_FSL | PT_VMB_ICE | PT_VMB_DZO | PT_VMB_DCE | PT_VMB_EE | PT_VMB_EIP,
       MODES = PT_VMB_UM | PT_VMB_UMS | PT_VMB_VM | PT_VMB_VMS };

void pt_mb_write_msr(struct pt_vmb *cpu, uint32_t value)
{
	uint32_t mask = ANY_MODE | (cpu->options.use_mmu_privileges ? MODES : 0);

	if ((cpu->msr & PT_VMB_UM) != 0)
		mask = 0;	/* user mode has C, and nothing else */
	cpu->msr = (cpu->msr & ~mask) | (value & mask);
	cpu->carry = (value & PT_VMB_C) != 0;
	pt_vcore_attend(&cpu->core);
}

/* Version code 0x28 is MicroBlaze 11.0 in UG984's table of PVR0's MBV (recalled, UNVERIFIED). */
static uint32_t pvr0(const struct pt_vmb *cpu)
{
	const struct pt_vmb_options *o = &cpu->options;
	bool exceptions = o->ill_opcode_exception || o->unaligned_exceptions || o->div_zero_exception ||
			  o->i_bus_exception || o->d_bus_exception;

	return (uint32_t)(o->pvr > 1) << 31 | (uint32_t)o->use_barrel << 30 | (uint32_t)o->use_div << 29 |
	       (uint32_t)(o->use_hw_mul > 0) << 28 | (uint32_t)exceptions << 26 |
	       (uint32_t)o->use_mmu_privileges << 23 | (uint32_t)!cpu->core.bus->big_endian << 21 |
	       (uint32_t)o->use_stack_protection << 19 | (uint32_t)o->use_reorder << 18 | 0x28u << 8 | o->pvr_user1;
}

static uint32_t pvr2(const struct pt_vmb_options *o)
{
	return 1u << 30 | 1u << 28 | (uint32_t)o->use_msr_instr << 17 | (uint32_t)o->use_pcmp << 16 |
	       (uint32_t)o->use_barrel << 14 | (uint32_t)o->use_div << 13 | (uint32_t)(o->use_hw_mul > 0) << 12 |
	       (uint32_t)(o->use_hw_mul > 1) << 10 | (uint32_t)o->opcode_0x0_illegal << 6 |
	       (uint32_t)o->unaligned_exceptions << 5 | (uint32_t)o->ill_opcode_exception << 4 |
	       (uint32_t)o->i_bus_exception << 3 | (uint32_t)o->d_bus_exception << 2 |
	       (uint32_t)o->div_zero_exception << 1;
}

/* PVR0 and 1 belong to the user, 2 says what the core has, 12 where its vectors are; of caches and MMU there is nothing
 * to tell. */
uint32_t pt_mb_pvr(const struct pt_vmb *cpu, unsigned n)
{
	const struct pt_vmb_options *o = &cpu->options;

	if (o->pvr == 0 || (o->pvr == 1 && n > 0))
		return 0;
	switch (n) {
	case 0: return pvr0(cpu);
	case 1: return o->pvr_user2;
	case 2: return pvr2(o);
	case 12: return o->base_vectors;
	default: return 0;
	}
}

uint32_t pt_mb_special(const struct pt_vmb *cpu, unsigned sreg)
{
	switch (sreg) {
	case SR_PC: return cpu->pc;
	case SR_MSR: return pt_mb_msr(cpu);
	case SR_EAR: return cpu->ear;
	case SR_ESR: return cpu->esr;
	case SR_BTR: return cpu->btr;
	case SR_EDR: return cpu->edr;
	case SR_SLR: return cpu->slr;
	case SR_SHR: return cpu->shr;
	case SR_PID: return cpu->pid;
	case SR_ZPR: return cpu->zpr;
	default: return sreg - SR_PVR0 < N_PVRS ? pt_mb_pvr(cpu, sreg - SR_PVR0) : 0;
	}
}

void pt_mb_set_special(struct pt_vmb *cpu, unsigned sreg, uint32_t value)
{
	switch (sreg) {
	case SR_MSR: pt_mb_write_msr(cpu, value); break;
	case SR_SLR: cpu->slr = cpu->options.use_stack_protection ? value : 0; break;
	case SR_SHR: cpu->shr = cpu->options.use_stack_protection ? value : 0; break;
	case SR_PID: cpu->pid = cpu->options.use_mmu_privileges ? value & 0xff : 0; break;
	case SR_ZPR: cpu->zpr = cpu->options.use_mmu_privileges ? value : 0; break;
	default: break;		/* read-only, or not there */
	}
}

uint32_t pt_vmb_reg(const struct pt_vmb *cpu, unsigned reg)
{
	if (reg < 32)
		return cpu->r[reg];
	if (reg >= PT_VMB_PVR0 && reg < PT_VMB_EDR)
		return pt_mb_pvr(cpu, reg - PT_VMB_PVR0);
	switch (reg) {
	case PT_VMB_PC: return cpu->pc;
	case PT_VMB_MSR: return pt_mb_msr(cpu);
	case PT_VMB_EAR: return cpu->ear;
	case PT_VMB_ESR: return cpu->esr;
	case PT_VMB_BTR: return cpu->btr;
	case PT_VMB_EDR: return cpu->edr;
	case PT_VMB_PID: return cpu->pid;
	case PT_VMB_ZPR: return cpu->zpr;
	case PT_VMB_SLR: return cpu->slr;
	case PT_VMB_SHR: return cpu->shr;
	default: return 0;
	}
}

/* A pc that changes leaves the slot, and the prefix, of what was there. */
static void set_pc(struct pt_vmb *cpu, uint32_t value)
{
	uint32_t from = cpu->pc;

	cpu->pc = value & ~3u;
	if (cpu->pc == from)
		return;
	cpu->in_slot = cpu->prefixed = false;
	cpu->slot_returns = 0;
	if (cpu->core.observers.jump)
		pt_vobservers_tell_jump(&cpu->core.observers, PT_VJUMP_DEBUG, from, 0, cpu->pc);
}

/* The debugger is no program: it may write what mts cannot. */
void pt_vmb_set_reg(struct pt_vmb *cpu, unsigned reg, uint32_t value)
{
	if (reg > 0 && reg < 32)
		cpu->r[reg] = value;
	switch (reg) {
	case PT_VMB_PC: set_pc(cpu, value); break;
	case PT_VMB_MSR:
		cpu->msr &= PT_VMB_PVR;
		cpu->msr |= value & (ANY_MODE | (cpu->options.use_mmu_privileges ? MODES : 0));
		cpu->carry = (value & PT_VMB_C) != 0;
		pt_vcore_attend(&cpu->core);
		break;
	case PT_VMB_EAR: cpu->ear = value; break;
	case PT_VMB_ESR: cpu->esr = value; break;
	case PT_VMB_BTR: cpu->btr = value; break;
	case PT_VMB_EDR: cpu->edr = value; break;
	case PT_VMB_PID: pt_mb_set_special(cpu, SR_PID, value); break;
	case PT_VMB_ZPR: pt_mb_set_special(cpu, SR_ZPR, value); break;
	case PT_VMB_SLR: pt_mb_set_special(cpu, SR_SLR, value); break;
	case PT_VMB_SHR: pt_mb_set_special(cpu, SR_SHR, value); break;
	default: break;
	}
}
