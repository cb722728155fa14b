/* Vectors: exceptions of instructions, interrupts, breaks, and the way back. Source: UG984 2018.2, "Reset, Interrupts,
 * Exceptions, and Break". */
#include "probes/virtual/cpu/microblaze/core.h"

static void enter(struct pt_vmb *cpu, uint32_t set, uint32_t clear, uint32_t to, uint32_t from, uint32_t detail)
{
	uint32_t old = cpu->msr & (PT_VMB_UM | PT_VMB_VM);

	cpu->msr = (cpu->msr & ~(clear | PT_VMB_UM | PT_VMB_VM | PT_VMB_UMS | PT_VMB_VMS)) | set | old << 1;
	cpu->in_slot = cpu->prefixed = cpu->reserved = false;
	cpu->slot_returns = 0;
	cpu->pc = to;
	if (cpu->core.observers.jump)
		pt_vobservers_tell_jump(&cpu->core.observers, PT_VJUMP_EXCEPTION, from, detail, to);
	pt_vcore_attend(&cpu->core);
}

static void vector(struct pt_vmb *cpu, unsigned offset, unsigned link, uint32_t set, uint32_t clear, unsigned kind)
{
	cpu->core.cycle += cpu->options.timing.vector;
	enter(cpu, set, clear, cpu->options.base_vectors + offset, cpu->r[link], offset);
	if (cpu->observing)
		pt_mb_entered(cpu, kind, cpu->options.timing.vector);
}

bool pt_mb_raise(struct pt_vmb *cpu, bool has_it, uint32_t esr)
{
	if (!has_it || (cpu->msr & PT_VMB_EE) == 0)
		return true;
	cpu->esr = esr;
	if (cpu->in_slot) {
		cpu->esr |= PT_VMB_ESR_DS;
		cpu->btr = cpu->slot_to;
	}
	cpu->r[17] = cpu->pc + 4;
	cpu->raised = true;
	vector(cpu, PT_VMB_EXCEPTION, 17, PT_VMB_EIP, PT_VMB_EE, esr & 31);
	return false;
}

bool pt_mb_illegal(struct pt_vmb *cpu)
{
	return pt_mb_raise(cpu, cpu->options.ill_opcode_exception, PT_VMB_EC_ILLEGAL);
}

bool pt_mb_privileged(struct pt_vmb *cpu)
{
	return (cpu->msr & PT_VMB_UM) == 0 || pt_mb_raise(cpu, true, PT_VMB_EC_PRIVILEGED);
}

static bool take_break(struct pt_vmb *cpu)
{
	bool non_maskable = cpu->nm_brk;

	if (!non_maskable && (!cpu->brk || (cpu->msr & (PT_VMB_BIP | PT_VMB_EIP)) != 0))
		return false;
	cpu->nm_brk = false;
	cpu->r[16] = cpu->pc;
	vector(cpu, PT_VMB_BREAK, 16, PT_VMB_BIP, 0, non_maskable ? PT_VMB_KIND_NM_BREAK : PT_VMB_KIND_BREAK);
	return true;
}

static bool interrupt_due(struct pt_vmb *cpu)
{
	if (cpu->imposing) {
		if (cpu->n_imposed == 0 || *cpu->imposed != cpu->core.instructions)
			return false;
		cpu->imposed++;
		cpu->n_imposed--;
		return true;
	}
	return cpu->interrupt && (cpu->msr & (PT_VMB_IE | PT_VMB_BIP | PT_VMB_EIP)) == PT_VMB_IE;
}

bool pt_mb_take_interrupt(struct pt_vmb *cpu)
{
	if (take_break(cpu))
		return true;
	if (!interrupt_due(cpu))
		return false;
	cpu->r[14] = cpu->pc;
	vector(cpu, PT_VMB_INTERRUPT, 14, 0, PT_VMB_IE, PT_VMB_KIND_INTERRUPT);
	return true;
}

/* A system call or the debugger's break leaves user mode. Source: UG984 2018.2, "Software Breaks" (BIP stays clear of
 * 0x18). */
void pt_mb_brk(struct pt_vmb *cpu, unsigned rd, uint32_t to)
{
	bool debug = to == PT_VMB_BREAK && cpu->options.debug_enabled != 0;

	if (rd != 0)
		cpu->r[rd] = cpu->pc;
	cpu->raised = true;
	enter(cpu, debug ? 0 : PT_VMB_BIP, 0, to, cpu->pc, to);
}

void pt_mb_restore(struct pt_vmb *cpu, uint32_t set, uint32_t clear)
{
	uint32_t saved = cpu->msr & (PT_VMB_UMS | PT_VMB_VMS);

	cpu->msr = (cpu->msr & ~(clear | PT_VMB_UM | PT_VMB_VM)) | set | saved >> 1;
	pt_vcore_attend(&cpu->core);
}

void pt_vmb_interrupt(struct pt_vmb *cpu, bool level)
{
	cpu->interrupt = level;
	pt_vcore_attend(&cpu->core);
}

void pt_vmb_break(struct pt_vmb *cpu, bool level)
{
	cpu->brk = level;
	pt_vcore_attend(&cpu->core);
}

void pt_vmb_nm_break(struct pt_vmb *cpu)
{
	cpu->nm_brk = true;
	pt_vcore_attend(&cpu->core);
}

void pt_vmb_impose(struct pt_vmb *cpu, const uint64_t *list, size_t n_entries)
{
	cpu->imposed = list;
	cpu->n_imposed = n_entries;
	cpu->imposing = list != NULL;
	pt_vcore_attend(&cpu->core);
}
