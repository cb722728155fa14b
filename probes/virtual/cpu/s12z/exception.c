/* CCW, exceptions and interrupts. Priorities: MC9S12ZVM RM 4.4.2 (level above IPL, I clear; the lower vector number
 * first on one level; what is not maskable by I leaves IPL as it is).
 * UNVERIFIED:
 *   - the order of the frame is that of PSH and PUL
 *   - every entry sets I and clears U, XIRQ sets X as well
 *   - in user state instructions and RTI change N Z V C alone; X cannot be set by any
 *   - an instruction that clears I lets the next one execute before an interrupt, as in the HC12; RTI does not
 *   - SWI, SYS, TRAP and SPARE return behind themselves; a machine exception is entered with the pc behind the access
 *   - where X masks it, XIRQ ends WAI and STOP (MC9S12ZVM RM 4.5.3.1), and execution goes on behind them */
#include "probes/virtual/cpu/s12z/alu.h"
#include "probes/virtual/cpu/s12z/memory.h"

enum { FRAME_BYTES = 29, RESET_ENTRY = 0xfffffc, FLAGS = N | Z | V | C };
enum { SYSTEM_BITS = PT_VS12Z_U | PT_VS12Z_IPL | PT_VS12Z_S_STOP | PT_VS12Z_X_MASK | PT_VS12Z_I_MASK };

uint32_t pt_z_ccw(const struct pt_vs12z *cpu)
{
	return cpu->system | cpu->flags;
}

static void set_ccw(struct pt_vs12z *cpu, uint32_t value)
{
	if (((cpu->system ^ value) & SYSTEM_BITS) != 0)
		pt_vcore_attend(&cpu->core);
	cpu->system = value & SYSTEM_BITS;
	cpu->flags = value & FLAGS;
}

/* What may be written of it, and how. */
static uint32_t allowed(const struct pt_vs12z *cpu, uint32_t value, uint32_t mask)
{
	uint32_t old = pt_z_ccw(cpu);

	if ((cpu->system & PT_VS12Z_U) != 0)
		mask &= FLAGS;
	if ((old & PT_VS12Z_X_MASK) == 0)
		mask &= ~(uint32_t)PT_VS12Z_X_MASK;
	return (old & ~mask) | (value & mask);
}

void pt_z_write_ccw(struct pt_vs12z *cpu, uint32_t value, uint32_t mask)
{
	uint32_t old = cpu->system;

	set_ccw(cpu, allowed(cpu, value, mask));
	if ((old & ~cpu->system & PT_VS12Z_I_MASK) != 0)
		cpu->irqs_from = cpu->core.instructions + 1;
}

uint32_t pt_z_get(const struct pt_vs12z *cpu, unsigned reg)
{
	switch (reg) {
	case R_P: return cpu->last_pc;	/* of the instruction that asks */
	case R_CCH: return pt_z_ccw(cpu) >> 8;
	case R_CCL: return pt_z_ccw(cpu) & 0xff;
	case R_CCW: return pt_z_ccw(cpu);
	case R_NONE: return 0;
	default: return cpu->r[reg];
	}
}

void pt_z_put(struct pt_vs12z *cpu, unsigned reg, uint32_t value)
{
	switch (reg) {
	case R_P: case R_NONE: break;
	case R_CCH: pt_z_write_ccw(cpu, value << 8, 0xff00); break;
	case R_CCL: pt_z_write_ccw(cpu, value, 0xff); break;
	case R_CCW: pt_z_write_ccw(cpu, value, 0xffff); break;
	default: cpu->r[reg] = value & pt_z_mask(pt_z_width[reg]);
	}
}

/* --- entry and return */

static const uint8_t frame[] = { R_D0, R_D1, R_D2, R_D3, R_D4, R_D5, R_D6, R_D7, R_X, R_Y };

static bool push_frame(struct pt_vs12z *cpu, uint32_t return_addr)
{
	uint32_t at = (cpu->r[R_S] - FRAME_BYTES) & ADDR_MASK, addr = at;
	uint64_t cycle = cpu->core.cycle;
	bool done = pt_z_store(cpu, addr, 2, pt_z_ccw(cpu));

	addr += 2;
	for (size_t i = 0; done && i < PT_LEN(frame); i++) {
		done = pt_z_store(cpu, addr, pt_z_width[frame[i]], cpu->r[frame[i]]);
		addr += pt_z_width[frame[i]];
	}
	done = done && pt_z_store(cpu, addr, 3, return_addr);
	cpu->core.cycle = cycle + FRAME_ACCESSES * CYCLES_ACCESS;
	if (done)
		cpu->r[R_S] = at;
	return done;
}

static bool pull_frame(struct pt_vs12z *cpu, uint32_t *ccw, uint32_t *return_addr)
{
	uint32_t addr = cpu->r[R_S], value[PT_LEN(frame)] = { 0 };
	uint64_t cycle = cpu->core.cycle;
	bool done = pt_z_load(cpu, addr, 2, ccw);

	addr += 2;
	for (size_t i = 0; done && i < PT_LEN(frame); i++) {
		done = pt_z_load(cpu, addr, pt_z_width[frame[i]], &value[i]);
		addr += pt_z_width[frame[i]];
	}
	done = done && pt_z_load(cpu, addr, 3, return_addr);
	cpu->core.cycle = cycle + FRAME_ACCESSES * CYCLES_ACCESS;
	for (size_t i = 0; done && i < PT_LEN(frame); i++)
		cpu->r[frame[i]] = value[i];
	if (done)
		cpu->r[R_S] = (cpu->r[R_S] + FRAME_BYTES) & ADDR_MASK;
	return done;
}

/* An entry that cannot be read leads to address 0, where no code can be: the core goes from one machine exception to
 * the next until somebody resets it. */
static void vector_to(struct pt_vs12z *cpu, unsigned vector, uint32_t from)
{
	uint32_t entry = (((uint32_t)cpu->ivbr & 0xfffe) << 8) + 0x1fc - 4 * vector, handler = 0;

	if (!pt_z_load(cpu, entry + 1, 3, &handler))
		handler = 0;
	cpu->pc = handler;
	if (cpu->core.observers.jump)
		pt_vobservers_tell_jump(&cpu->core.observers, PT_VJUMP_EXCEPTION, from, entry, handler);
}

static void masks_of(struct pt_vs12z *cpu, unsigned vector)
{
	uint32_t ccw = (pt_z_ccw(cpu) | PT_VS12Z_I_MASK) & ~(uint32_t)PT_VS12Z_U;

	if (vector == PT_VS12Z_XIRQ)
		ccw |= PT_VS12Z_X_MASK;
	if (vector >= PT_VS12Z_IRQ && vector < PT_VS12Z_VECTORS)
		ccw = (ccw & ~(uint32_t)PT_VS12Z_IPL) | (uint32_t)cpu->priority[vector] << 8;
	set_ccw(cpu, ccw);
}

void pt_z_enter(struct pt_vs12z *cpu, unsigned vector, uint32_t return_addr)
{
	if (!push_frame(cpu, return_addr)) {
		vector = PT_VS12Z_MACHINE;	/* and the frame is lost */
		cpu->machine_pending = false;
	}
	masks_of(cpu, vector);
	vector_to(cpu, vector, return_addr);
	pt_vcore_attend(&cpu->core);
}

void pt_z_machine(struct pt_vs12z *cpu, uint32_t return_addr)
{
	cpu->machine_pending = false;
	if (cpu->options.machine_stacks) {
		pt_z_enter(cpu, PT_VS12Z_MACHINE, return_addr);
		return;
	}
	masks_of(cpu, PT_VS12Z_MACHINE);
	vector_to(cpu, PT_VS12Z_MACHINE, return_addr);
	pt_vcore_attend(&cpu->core);
}

void pt_z_return(struct pt_vs12z *cpu, uint32_t from)
{
	uint32_t ccw, to;

	if (!pull_frame(cpu, &ccw, &to)) {
		pt_z_machine(cpu, cpu->pc);
		return;
	}
	set_ccw(cpu, allowed(cpu, ccw, 0xffff));
	cpu->pc = to & ADDR_MASK;
	if (cpu->core.observers.jump)
		pt_vobservers_tell_jump(&cpu->core.observers, PT_VJUMP_EXC_RETURN, from, 0, cpu->pc);
}

void pt_z_reset_vector(struct pt_vs12z *cpu)
{
	uint64_t cycle = cpu->core.cycle;
	uint32_t pc;

	cpu->last_pc = cpu->pc = pt_z_load(cpu, RESET_ENTRY + 1, 3, &pc) ? pc : 0;
	cpu->core.cycle = cycle;	/* how long a reset takes is the chip's business */
}

/* --- which is next */

static bool asserted(const struct pt_vs12z *cpu, unsigned vector)
{
	return cpu->lines[vector / 64] >> vector % 64 & 1;
}

/* Highest level first, then the lowest number; 0: none is enabled above IPL. */
static unsigned maskable(const struct pt_vs12z *cpu)
{
	unsigned level = (cpu->system & PT_VS12Z_IPL) >> 8, best = 0;

	for (unsigned half = 0; half < PT_LEN(cpu->lines); half++) {
		for (uint64_t rest = cpu->lines[half]; rest != 0; rest &= rest - 1) {
			unsigned vector = 64 * half + (unsigned)__builtin_ctzll(rest);

			if (vector >= PT_VS12Z_IRQ && cpu->priority[vector] > level) {
				level = cpu->priority[vector];
				best = vector;
			}
		}
	}
	return best;
}

unsigned pt_z_pick(const struct pt_vs12z *cpu, bool wake)
{
	if (cpu->machine_pending)
		return PT_VS12Z_MACHINE;
	if (asserted(cpu, PT_VS12Z_XIRQ) && (wake || (cpu->system & PT_VS12Z_X_MASK) == 0))
		return PT_VS12Z_XIRQ;
	return (cpu->system & PT_VS12Z_I_MASK) == 0 ? maskable(cpu) : 0;
}

void pt_vs12z_interrupt(struct pt_vs12z *cpu, unsigned vector, bool is_asserted)
{
	uint64_t bit;

	if (vector < PT_VS12Z_XIRQ || vector >= PT_VS12Z_VECTORS)
		return;
	bit = UINT64_C(1) << vector % 64;
	if (is_asserted)
		cpu->lines[vector / 64] |= bit;
	else
		cpu->lines[vector / 64] &= ~bit;
	pt_vcore_attend(&cpu->core);
}

void pt_vs12z_set_priority(struct pt_vs12z *cpu, unsigned vector, unsigned level)
{
	if (vector < PT_VS12Z_IRQ || vector >= PT_VS12Z_VECTORS)
		return;
	cpu->priority[vector] = level & 7;
	pt_vcore_attend(&cpu->core);
}

unsigned pt_vs12z_priority(const struct pt_vs12z *cpu, unsigned vector)
{
	return vector < PT_VS12Z_VECTORS ? cpu->priority[vector] : 0;
}

void pt_vs12z_set_ivbr(struct pt_vs12z *cpu, uint16_t ivbr)
{
	cpu->ivbr = ivbr & 0xfffe;
}

uint16_t pt_vs12z_ivbr(const struct pt_vs12z *cpu)
{
	return cpu->ivbr;
}

void pt_vs12z_machine_exception(struct pt_vs12z *cpu)
{
	cpu->machine_pending = true;
	pt_vcore_attend(&cpu->core);
}
