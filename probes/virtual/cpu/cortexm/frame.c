/* Exception frames: eight words, and with the FPU in use 18 more, written at once or when the handler first uses it.
 * Source: DDI 0403, B1.5.6, B1.5.7, B1.5.8. */
#include <string.h>

#include "probes/virtual/cpu/cortexm/memory.h"

enum { BASIC_BYTES = 32, EXTENDED_BYTES = 104, FLOATS_AT = 32, FPSCR_AT = 96 };
enum { PADDED = 1 << 9 };	/* in the stacked xPSR: four bytes were skipped to align the frame to eight */
enum { CCR_STKALIGN = 1 << 9 };
/* FPCCR */
enum { LSPACT = 1, USER = 2, THREAD = 8, HFRDY = 16, MMRDY = 32, BFRDY = 64, MONRDY = 256, LSPEN = 1 << 30 };
#define ASPEN (UINT32_C(1) << 31)

/* An access of the frame that fails is not the one of an instruction: it has bits of its own. */
static uint32_t renamed(uint32_t cause, uint32_t protection, uint32_t bus)
{
	return (cause & DACCVIOL) != 0 ? protection : bus;
}

static bool push(struct pt_vcpu *cpu, uint32_t addr, uint32_t value)
{
	if (pt_cpu_store(cpu, addr, 4, value))
		return true;
	return pt_cpu_fails(cpu, renamed(cpu->fault.cause, MSTKERR, STKERR));
}

static bool pop(struct pt_vcpu *cpu, uint32_t addr, uint32_t *value)
{
	if (pt_cpu_load(cpu, addr, 4, value))
		return true;
	return pt_cpu_fails(cpu, renamed(cpu->fault.cause, MUNSTKERR, UNSTKERR));
}

/* Which faults lazy stacking could take: decided now, for what executes now. */
static bool is_ready(const struct pt_vcpu *cpu, unsigned exception, int priority)
{
	return pt_vset_has(&cpu->enabled, exception) && pt_cpu_group(cpu, cpu->priority[exception]) < priority;
}

static uint32_t ready_bits(const struct pt_vcpu *cpu)
{
	int priority = pt_cpu_priority(cpu, true);

	return (pt_cpu_privileged(cpu) ? 0 : USER) | (cpu->ipsr == 0 ? THREAD : 0) | (priority > -1 ? HFRDY : 0) |
	       (is_ready(cpu, PT_VEX_MEMMANAGE, priority) ? MMRDY : 0) |
	       (is_ready(cpu, PT_VEX_BUSFAULT, priority) ? BFRDY : 0) |
	       (is_ready(cpu, PT_VEX_DEBUGMON, priority) ? MONRDY : 0);
}

static bool push_floats(struct pt_vcpu *cpu, uint32_t frame)
{
	struct fpu *fpu = &cpu->fpu;
	bool done = true;

	if ((fpu->fpccr & LSPEN) != 0) {
		fpu->fpcar = frame + FLOATS_AT;
		fpu->fpccr = (fpu->fpccr & (ASPEN | LSPEN)) | LSPACT | ready_bits(cpu);
		return true;
	}
	for (unsigned i = 0; i < 16; i++)
		done &= push(cpu, frame + FLOATS_AT + 4 * i, fpu->s[i]);
	done &= push(cpu, frame + FPSCR_AT, fpu->fpscr);
	memset(fpu->s, 0, 16 * sizeof(fpu->s[0]));	/* the architecture leaves them unknown */
	fpu->fpscr = 0;
	return done;
}

bool pt_cpu_push_frame(struct pt_vcpu *cpu, uint32_t return_addr, bool *extended)
{
	uint32_t skipped = (cpu->ccr & CCR_STKALIGN) != 0 || cpu->fpu.active ? cpu->r[SP] & 4 : 0;
	uint32_t xpsr = pt_cpu_xpsr(cpu) | (skipped != 0 ? PADDED : 0);
	uint32_t frame[8] = { cpu->r[0], cpu->r[1], cpu->r[2], cpu->r[3], cpu->r[12], cpu->r[LR], return_addr, xpsr };
	bool done = true;

	*extended = cpu->fpu.active;
	cpu->r[SP] = cpu->r[SP] - skipped - (*extended ? EXTENDED_BYTES : BASIC_BYTES);
	for (unsigned i = 0; i < 8; i++)
		done &= push(cpu, cpu->r[SP] + 4 * i, frame[i]);
	if (*extended)
		done &= push_floats(cpu, cpu->r[SP]);
	return done;
}

static bool pop_floats(struct pt_vcpu *cpu, uint32_t frame)
{
	struct fpu *fpu = &cpu->fpu;
	uint32_t floats[16], fpscr;

	if ((fpu->fpccr & LSPACT) != 0) {	/* the handler did not use the FPU, which still has all of it */
		fpu->fpccr &= ~(uint32_t)LSPACT;
		return true;
	}
	for (unsigned i = 0; i < 16; i++)
		if (!pop(cpu, frame + FLOATS_AT + 4 * i, &floats[i]))
			return false;
	if (!pop(cpu, frame + FPSCR_AT, &fpscr))
		return false;
	for (unsigned i = 0; i < 16; i++)
		fpu->s[i] = floats[i];
	fpu->fpscr = fpscr & FPSCR_BITS;
	return true;
}

static uint32_t exception_mask(const struct pt_vcpu *cpu)
{
	return cpu->model->mainline ? 0x1ff : 0x3f;
}

bool pt_cpu_pop_frame(struct pt_vcpu *cpu, bool to_handler, bool extended)
{
	uint32_t frame[8], sp = cpu->r[SP];

	for (unsigned i = 0; i < 8; i++)
		if (!pop(cpu, sp + 4 * i, &frame[i]))
			return false;
	if (((frame[7] & exception_mask(cpu)) != 0) != to_handler)
		return pt_cpu_fails(cpu, INVPC);
	if (extended && !pop_floats(cpu, sp))
		return false;
	cpu->fpu.active = extended;
	for (unsigned i = 0; i < 4; i++)
		cpu->r[i] = frame[i];
	cpu->r[12] = frame[4];
	cpu->r[LR] = frame[5];
	cpu->pc = frame[6] & ~1u;
	cpu->r[SP] = sp + (extended ? EXTENDED_BYTES : BASIC_BYTES) + ((frame[7] & PADDED) != 0 ? 4 : 0);
	pt_cpu_set_xpsr(cpu, frame[7]);
	cpu->ipsr = frame[7] & exception_mask(cpu);
	return true;
}

/* As the code that was interrupted would have: its privilege counts, not the handler's. */
bool pt_cpu_save_floats(struct pt_vcpu *cpu)
{
	struct fpu *fpu = &cpu->fpu;
	bool user = (fpu->fpccr & USER) != 0, done = true;

	fpu->fpccr &= ~(uint32_t)LSPACT;
	if (user && cpu->mpu.on && !pt_cpu_mpu_allows(cpu, fpu->fpcar, ACCESS_WRITE, false))
		return pt_cpu_fails(cpu, MLSPERR);
	for (unsigned i = 0; i < 16; i++)
		done &= pt_cpu_store(cpu, fpu->fpcar + 4 * i, 4, fpu->s[i]);
	done &= pt_cpu_store(cpu, fpu->fpcar + FPSCR_AT - FLOATS_AT, 4, fpu->fpscr);
	return done || pt_cpu_fails(cpu, renamed(cpu->fault.cause, MLSPERR, LSPERR));
}
