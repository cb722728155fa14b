/* What the files of this folder share, for them alone. cortexm.c is the core as its chip sees it; decode*.c,
 * execute.c, wide*.c and float*.c are the instruction set, memory.* and mpu.c the way to the bus, exception.c, frame.c
 * and fault.c entry and return, nvic.c, system.c and systick.c the registers. */
#ifndef PT_VIRTUAL_CPU_CORTEXM_CORE_H
#define PT_VIRTUAL_CPU_CORTEXM_CORE_H

#include <stddef.h>

#include "probes/virtual/cpu/cortexm/cortexm.h"
#include "probes/virtual/cpu/cortexm/set.h"
#include "probes/virtual/frame/core.h"

enum { SP = 13, LR = 14, PC = 15 };
enum { N_EXCEPTIONS = PT_VEX_IRQ0 + PT_VCPU_IRQS };
enum { PRIORITY_THREAD = 256 };	/* lower than any exception: they are a byte. Source: DDI 0403, B1.5.4 */
enum { MAX_WINDOWS = 8, PAGE_SHIFT = 8, MAX_MPU_REGIONS = 8 };

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

/* Bits of CFSR that the core sets. Source: DDI 0403, B3.2.15 */
enum {
	IACCVIOL = 1 << 0, DACCVIOL = 1 << 1, MUNSTKERR = 1 << 3, MSTKERR = 1 << 4, MLSPERR = 1 << 5, MMARVALID = 1 << 7,
	IBUSERR = 1 << 8, PRECISERR = 1 << 9, UNSTKERR = 1 << 11, STKERR = 1 << 12, LSPERR = 1 << 13, BFARVALID = 1 << 15,
	UNDEFINSTR = 1 << 16, INVSTATE = 1 << 17, INVPC = 1 << 18, NOCP = 1 << 19, UNALIGNED = 1 << 24, DIVBYZERO = 1 << 25,
};

/* Faults: exceptions 4, 5 and 6, and what is known of the last one. */
struct faults {
	uint32_t cause;			/* of the instruction that fails: CFSR bits */
	uint32_t addr;			/* with DACCVIOL, PRECISERR */
	uint32_t cfsr, hfsr, mmfar, bfar, shcsr_enabled;
};

struct mpu {
	uint32_t ctrl, rnr;
	uint32_t rbar[MAX_MPU_REGIONS], rasr[MAX_MPU_REGIONS];
	bool on;			/* asked for this mode and priority */
};

#define FPSCR_BITS UINT32_C(0xf7c0009f)	/* N Z C V, AHP, DN, FZ, RMode; IDC, IXC, UFC, OFC, DZC, IOC */

struct fpu {
	uint32_t s[32];
	uint32_t fpscr, fpccr, fpcar, fpdscr, cpacr;
	bool active;			/* CONTROL.FPCA */
};

struct pt_vcpu {
	struct pt_vcore core;		/* first: the frame casts */
	uint32_t r[16];			/* r[SP] is the one in use; r[PC] is not the pc, but what an encoding reads and
					 * writes that names it where it must not */
	uint32_t pc;			/* next to execute, once an instruction has begun its successor */
	uint32_t neg, zero;		/* N is bit 31 of neg, Z is zero == 0 */
	bool carry, overflow, thumb;
	bool saturated;			/* Q */
	uint8_t ge;
	uint8_t it, it_here;		/* ITSTATE of the next instruction, and of the one that executes */
	bool primask, unprivileged, spsel;	/* CONTROL: nPRIV and SPSEL */
	bool faultmask;
	uint8_t basepri;
	bool on_psp;
	uint32_t bank[2];		/* MSP and PSP; the entry in use is stale */
	uint32_t ipsr;			/* 0: Thread mode */
	bool event;			/* the event register of WFE */
	bool exclusive;			/* the monitor of LDREX is open */
	bool as_user;			/* LDRT, STRT and the like: an access without privilege */

	uint64_t exception_cycles;	/* of entering and leaving them */
	uint64_t memory_cycles;		/* beyond the first of loads and stores; ARMv7-M */
	uint32_t last_pc;
	bool waits_for_event;		/* asleep in WFE rather than WFI */
	enum pt_vcpu_state state;

	struct window window[MAX_WINDOWS];
	size_t n_windows;
	struct window *ram;		/* the first writable one: most data is there; nowhere while it has a detour or the
					 * MPU is asked */
	struct window *code;		/* the one that execution is in */
	struct window nowhere;		/* of no size: every access looks further */

	struct pt_vset pending, active, enabled, level;	/* level: interrupt lines that are high */
	int16_t priority[N_EXCEPTIONS];
	uint8_t priority_group;			/* AIRCR.PRIGROUP */
	uint32_t vtor, scr, ccr, csselr;
	struct systick systick;
	struct faults fault;
	struct mpu mpu;
	struct fpu fpu;

	uint32_t halt_wanted;		/* enum pt_vhalt bits */
	bool stepping, mask_interrupts, held, reset_wanted, core_reset_wanted;
	bool breakpoint_on[PT_VCPU_BREAKPOINTS];
	uint32_t breakpoint[PT_VCPU_BREAKPOINTS];

	const struct pt_vimposed *imposed;	/* NULL: interrupts come from the NVIC */
	size_t n_imposed;

	struct pt_vcpu_hooks hooks;
	const struct pt_vcpu_model *model;
};
_Static_assert(offsetof(struct pt_vcpu, core) == 0, "the frame takes the one for the other");

static inline bool pt_cpu_privileged(const struct pt_vcpu *cpu)
{
	return (cpu->ipsr != 0 || !cpu->unprivileged) && !cpu->as_user;
}

/* The instruction that executes fails, for one reason: CFSR bits. */
static inline bool pt_cpu_fails(struct pt_vcpu *cpu, uint32_t cause)
{
	cpu->fault.cause = cause;
	return false;
}

/* Cycles of an exception's own. */
static inline void pt_cpu_spend(struct pt_vcpu *cpu, unsigned cycles)
{
	cpu->core.cycle += cycles;
	cpu->exception_cycles += cycles;
}

void pt_cpu_execute(struct pt_vcpu *cpu);	/* until cycle >= deadline */

/* Special registers, special.c */
uint32_t pt_cpu_xpsr(const struct pt_vcpu *cpu);
void pt_cpu_set_flags(struct pt_vcpu *cpu, uint32_t nzcv);	/* bits 31..28 */
void pt_cpu_set_xpsr(struct pt_vcpu *cpu, uint32_t value);	/* all but the exception number */
void pt_cpu_use_sp(struct pt_vcpu *cpu, bool psp);
uint32_t pt_cpu_mrs(const struct pt_vcpu *cpu, unsigned sysm);
void pt_cpu_msr(struct pt_vcpu *cpu, unsigned sysm, unsigned mask, uint32_t value);	/* mask: flags 2, GE 1 */

/* What is pending, pending.c */
int pt_cpu_group(const struct pt_vcpu *cpu, int priority);	/* what counts for preemption */
int pt_cpu_priority(const struct pt_vcpu *cpu, bool with_primask);	/* of what executes now */
bool pt_cpu_preempts(const struct pt_vcpu *cpu, unsigned exception, bool with_primask);
unsigned pt_cpu_pick(const struct pt_vcpu *cpu, const struct pt_vset *candidates);	/* to take first; 0: none */
unsigned pt_cpu_next(const struct pt_vcpu *cpu);	/* the same of what is pending, enabled, and not held back by debug */
unsigned pt_cpu_take_due(struct pt_vcpu *cpu);	/* to be entered now, 0: none; from an imposed list it is taken */
void pt_cpu_set_pending(struct pt_vcpu *cpu, unsigned exception, bool pending);
void pt_cpu_sleep_until(struct pt_vcpu *cpu, bool event);	/* WFI; event: WFE */

/* Exceptions, exception.c. All set pc and call the jump observers. */
void pt_cpu_enter(struct pt_vcpu *cpu, unsigned exception, uint32_t return_addr);
void pt_cpu_return(struct pt_vcpu *cpu, uint32_t exc_return, uint32_t from);
void pt_cpu_svc(struct pt_vcpu *cpu, uint32_t return_addr);
void pt_cpu_lockup(struct pt_vcpu *cpu);

/* Faults, fault.c. What cpu->fault.cause says is recorded and cleared. */
unsigned pt_cpu_record_fault(struct pt_vcpu *cpu);	/* the exception that is to be taken for it */
void pt_cpu_raise(struct pt_vcpu *cpu, uint32_t return_addr);	/* record it and take it, or lock up */
void pt_cpu_bkpt(struct pt_vcpu *cpu, uint32_t pc);
/* pend it for the priority that execution has now: 4, 5, 6, or HardFault instead; 0: neither can be, lockup */
unsigned pt_cpu_pend_fault(struct pt_vcpu *cpu);

/* Stacking, frame.c. False: cpu->fault.cause says why. */
bool pt_cpu_push_frame(struct pt_vcpu *cpu, uint32_t return_addr, bool *extended);
bool pt_cpu_pop_frame(struct pt_vcpu *cpu, bool to_handler, bool extended);
bool pt_cpu_save_floats(struct pt_vcpu *cpu);		/* what lazy stacking has left */

/* System control space: nvic.c, system.c, systick.c */
extern const struct pt_vunit_ops pt_cpu_scs_ops;	/* unit: the core */
enum { PT_CPU_SCS_BASE = 0xe000e000, PT_CPU_SCS_BYTES = 0xd30 };
void pt_cpu_nvic_reset(struct pt_vcpu *cpu);
bool pt_cpu_nvic_read(struct pt_vcpu *cpu, uint32_t offset, uint32_t *value);	/* false: none of the NVIC's */
bool pt_cpu_nvic_write(struct pt_vcpu *cpu, uint32_t offset, uint32_t value);
uint32_t pt_cpu_read_priorities(const struct pt_vcpu *cpu, unsigned first);	/* of four exceptions */
void pt_cpu_write_priority(struct pt_vcpu *cpu, unsigned exception, uint8_t value);
void pt_cpu_system_reset(struct pt_vcpu *cpu);
void pt_cpu_systick_reset(struct pt_vcpu *cpu);
void pt_cpu_systick_sync(struct pt_vcpu *cpu);		/* count up to the present cycle */
uint64_t pt_cpu_systick_next(const struct pt_vcpu *cpu);
uint32_t pt_cpu_systick_read(struct pt_vcpu *cpu, uint32_t offset);
void pt_cpu_systick_write(struct pt_vcpu *cpu, uint32_t offset, uint32_t value);

/* Caches, memory.c. False: none of the registers, or the core has no caches. */
bool pt_cpu_cache_read(const struct pt_vcpu *cpu, uint32_t offset, uint32_t *value);
bool pt_cpu_cache_write(struct pt_vcpu *cpu, uint32_t offset, uint32_t value);
void pt_cpu_set_ccr(struct pt_vcpu *cpu, uint32_t value);	/* a cache that is switched off is empty */
void pt_cpu_code_changed(struct pt_vcpu *cpu, uint32_t addr, uint32_t size_bytes);	/* bytes in memory */

/* Memory protection, mpu.c */
enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_FETCH };
bool pt_cpu_mpu_allows(const struct pt_vcpu *cpu, uint32_t addr, enum access access, bool privileged);
bool pt_cpu_mpu_read(struct pt_vcpu *cpu, uint32_t offset, uint32_t *value);
bool pt_cpu_mpu_write(struct pt_vcpu *cpu, uint32_t offset, uint32_t value);
void pt_cpu_mpu_changed(struct pt_vcpu *cpu);	/* its registers, or the priority of what executes */

#endif
