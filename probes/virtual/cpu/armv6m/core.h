/* What the files of the core share; nobody else includes it. armv6m.c runs it, decode.c and execute.c are the
 * instruction set, memory.* the way to the bus, exception.c entry and return, nvic.c and systick.c the registers. */
#ifndef PT_VIRTUAL_CPU_ARMV6M_CORE_H
#define PT_VIRTUAL_CPU_ARMV6M_CORE_H

#include <stddef.h>

#include "probes/virtual/cpu/armv6m/armv6m.h"
#include "probes/virtual/frame/core.h"

enum { SP = 13, LR = 14, PC = 15 };
enum { N_EXCEPTIONS = PT_VEX_IRQ0 + PT_VCPU_IRQS };
enum { PRIORITY_THREAD = 4 };	/* lower than any exception: they have 2 bits, 0..3. Source: DDI 0419, B1.5.4 */
enum { MAX_WINDOWS = 8, PAGE_SHIFT = 8 };

#define BIT(n) (UINT64_C(1) << (n))
#define IRQ_BITS (UINT64_C(0xffffffff) << PT_VEX_IRQ0)
/* Exceptions that C_MASKINTS keeps pending, and that an imposed schedule replaces. */
#define MASKABLE (IRQ_BITS | BIT(PT_VEX_PENDSV) | BIT(PT_VEX_SYSTICK))

/* A decoded instruction. What the fields mean for each kind is said in decode.h. */
struct op {
	uint8_t kind, d, n, m;
	uint32_t imm;
};

/* RAM or flash, reached without the bus. */
struct window {
	uint32_t base, size;
	uint8_t *bytes;
	bool read_only, executable;
	bool by_bus, no_code;	/* pt_vcpu_detour() */
	struct op *op;		/* one per halfword; kind OP_NEW: not decoded, or forgotten */
	uint8_t *has_code;	/* one per page: something was decoded there, or just before it */
};

struct systick {
	uint32_t csr, reload, value;	/* csr without COUNTFLAG */
	bool count_flag;
	uint64_t stamp;			/* cycle at which value was true */
};

struct pt_vcpu {
	struct pt_vcore core;		/* first: the frame casts */
	uint32_t r[15];			/* r[SP] is the one in use */
	uint32_t pc;			/* next to execute, once an instruction has begun its successor */
	uint32_t neg, zero;		/* N is bit 31 of neg, Z is zero == 0 */
	bool carry, overflow, thumb;
	bool primask, unprivileged, spsel;	/* CONTROL: nPRIV and SPSEL */
	bool on_psp;
	uint32_t bank[2];		/* MSP and PSP; the entry in use is stale */
	uint32_t ipsr;			/* 0: Thread mode */
	bool event;			/* the event register of WFE */

	uint32_t last_pc;
	bool waits_for_event;		/* asleep in WFE rather than WFI */
	enum pt_vcpu_state state;

	struct window window[MAX_WINDOWS];
	size_t n_windows;
	struct window *ram;		/* the first writable one: most data is there; nowhere while it has a detour */
	struct window *code;		/* the one that execution is in */
	struct window nowhere;		/* of no size: every access looks further */

	uint64_t pending, active, enabled;	/* bit n: exception n */
	uint32_t level;				/* interrupt lines that are high */
	int8_t priority[N_EXCEPTIONS];
	uint32_t vtor, scr;
	struct systick systick;

	uint32_t halt_wanted;		/* enum pt_vhalt bits */
	bool stepping, mask_interrupts, held, reset_wanted;
	bool breakpoint_on[PT_VCPU_BREAKPOINTS];
	uint32_t breakpoint[PT_VCPU_BREAKPOINTS];

	const struct pt_vimposed *imposed;	/* NULL: interrupts come from the NVIC */
	size_t n_imposed;

	struct pt_vcpu_hooks hooks;
	struct pt_vcpu_timing timing;
};
_Static_assert(offsetof(struct pt_vcpu, core) == 0, "the frame takes the one for the other");

static inline bool pt_cpu_privileged(const struct pt_vcpu *cpu)
{
	return cpu->ipsr != 0 || !cpu->unprivileged;
}

void pt_cpu_execute(struct pt_vcpu *cpu);	/* until cycle >= deadline */

/* Special registers, special.c */
uint32_t pt_cpu_xpsr(const struct pt_vcpu *cpu);
void pt_cpu_set_apsr(struct pt_vcpu *cpu, uint32_t value);
void pt_cpu_use_sp(struct pt_vcpu *cpu, bool psp);
uint32_t pt_cpu_mrs(const struct pt_vcpu *cpu, unsigned sysm);
void pt_cpu_msr(struct pt_vcpu *cpu, unsigned sysm, uint32_t value);

/* What is pending, pending.c */
int pt_cpu_priority(const struct pt_vcpu *cpu, bool with_primask);	/* of what executes now */
unsigned pt_cpu_pick(const struct pt_vcpu *cpu, uint64_t candidates);	/* the one to take first; 0: none */
uint64_t pt_cpu_candidates(const struct pt_vcpu *cpu);			/* pending, enabled, not held back by debug */
void pt_cpu_set_pending(struct pt_vcpu *cpu, unsigned exception, bool pending);

/* Exceptions, exception.c. All set pc and call the jump taps. */
void pt_cpu_enter(struct pt_vcpu *cpu, unsigned exception, uint32_t return_addr);
void pt_cpu_return(struct pt_vcpu *cpu, uint32_t exc_return, uint32_t from);
void pt_cpu_hardfault(struct pt_vcpu *cpu, uint32_t return_addr);
void pt_cpu_svc(struct pt_vcpu *cpu, uint32_t return_addr);
void pt_cpu_lockup(struct pt_vcpu *cpu);

/* System control space: nvic.c, systick.c */
extern const struct pt_vunit_ops pt_cpu_scs_ops;	/* unit: the core */
enum { PT_CPU_SCS_BASE = 0xe000e000, PT_CPU_SCS_BYTES = 0xd30 };
void pt_cpu_nvic_reset(struct pt_vcpu *cpu);
void pt_cpu_systick_reset(struct pt_vcpu *cpu);
void pt_cpu_systick_sync(struct pt_vcpu *cpu);		/* count up to the present cycle */
uint64_t pt_cpu_systick_next(const struct pt_vcpu *cpu);
uint32_t pt_cpu_systick_read(struct pt_vcpu *cpu, uint32_t offset);
void pt_cpu_systick_write(struct pt_vcpu *cpu, uint32_t offset, uint32_t value);

#endif
