/* The virtual boards' Cortex-M: executes ARMv6-M, or ARMv7E-M with FPv4-SP or FPv5, over a bus, with its NVIC, SysTick and
 * system control block (0xe000e000..0xe000ed2f, a unit that pt_vcpu_new adds to the bus). The registers from DFSR on
 * (0xe000ed30..) are the chip's debug unit, which drives the core through the calls below, and asks it for those that
 * lie among its own (pt_vcpu_read_system).
 * One thread at a time. Deterministic: the same bus, calls and settings give the same instructions and cycles.
 * Sources: DDI 0419 (ARMv6-M architecture), DDI 0403 (ARMv7-M), DDI 0484 (Cortex-M0+ TRM), 100166 (Cortex-M4 TRM);
 * cycles as in their instruction set summaries, UNVERIFIED one by one. Interrupts are taken between instructions: a
 * list of registers is never interrupted and continued.
 *
 * Time is the core clock. It passes while the core sleeps, is halted, locked up or held in reset; then the count jumps
 * from one unit's tick to the next, and nothing is executed. */
#ifndef PT_VIRTUAL_CPU_CORTEXM_H
#define PT_VIRTUAL_CPU_CORTEXM_H

#include <stddef.h>

#include "probes/virtual/frame/cpu.h"

enum { PT_VCPU_IRQS = 240 };	/* at most; a model has fewer */

enum pt_vexception {		/* IPSR numbers; external interrupt n is PT_VEX_IRQ0 + n. Source: DDI 0403, B1.5.2 */
	PT_VEX_RESET = 1,
	PT_VEX_NMI = 2,
	PT_VEX_HARDFAULT = 3,
	PT_VEX_MEMMANAGE = 4,		/* 4, 5, 6 and 12: ARMv7-M */
	PT_VEX_BUSFAULT = 5,
	PT_VEX_USAGEFAULT = 6,
	PT_VEX_SVCALL = 11,
	PT_VEX_DEBUGMON = 12,
	PT_VEX_PENDSV = 14,
	PT_VEX_SYSTICK = 15,
	PT_VEX_IRQ0 = 16,
};

enum pt_vcpu_state {
	PT_VCPU_RUN,
	PT_VCPU_SLEEP,		/* in WFI, WFE or sleep-on-exit */
	PT_VCPU_HALT,		/* Debug state */
	PT_VCPU_LOCKUP,		/* until reset, NMI (if priority allows) or a halt request */
	PT_VCPU_HELD,		/* in reset: pt_vcpu_hold() */
};

/* Why the core enters Debug state: DFSR's bits. Source: DDI 0419, C1.6.1 */
enum pt_vhalt {
	PT_VHALT_HALTED = 1,	/* C_HALT or C_STEP */
	PT_VHALT_BKPT = 2,	/* BKPT instruction or breakpoint unit */
	PT_VHALT_DWTTRAP = 4,
	PT_VHALT_VCATCH = 8,
	PT_VHALT_EXTERNAL = 16,	/* EDBGRQ */
};

/* What the core asks of the chip. NULL members: no. Called between instructions unless said otherwise. */
struct pt_vcpu_hooks {
	void *arg;
	/* A BKPT at pc, or a breakpoint address was reached. True: enter Debug state before it, for PT_VHALT_BKPT.
	 * False: BKPT is a HardFault (or lockup); a breakpoint address is executed as if nothing stood there. */
	bool (*bkpt)(void *arg, uint32_t pc);
	bool (*breakpoint)(void *arg, uint32_t pc);
	/* Exception n is being entered: pc is its handler's first instruction. True: halt there for VCATCH. */
	bool (*vector_catch)(void *arg, unsigned exception);
	/* A debug event, why, for which Debug state is not entered. True: it is DebugMonitor's. ARMv7-M; NULL: never. */
	bool (*monitor)(void *arg, uint32_t why);
	/* Debug state was entered; why: enum pt_vhalt bits. */
	void (*halted)(void *arg, uint32_t why);
	/* AIRCR.SYSRESETREQ was written, by software or debugger. Comes from pt_vcpu_run(), at the first instruction
	 * boundary; the chip resets its units and calls pt_vcpu_reset(). */
	void (*reset_request)(void *arg);
	/* The same for AIRCR.VECTRESET (ARMv7-M, from a debugger): only the core is reset, and the chip
	 * calls pt_vcpu_reset(). */
	void (*core_reset_request)(void *arg);
	/* The core sleeps for n_cycles from now on: called before they pass. */
	void (*sleeps)(void *arg, uint64_t n_cycles);
};

enum pt_vfpu { PT_VFPU_NONE, PT_VFPU_V4, PT_VFPU_V5 };	/* FPv4-SP; FPv5 with double precision */

/* What tells one Cortex-M from another. */
struct pt_vcpu_model {
	uint32_t cpuid;
	bool mainline;			/* ARMv7E-M; else ARMv6-M */
	enum pt_vfpu fpu;		/* mainline only */
	bool caches;			/* its registers, and what an instruction cache has kept is executed */
	bool second_fpb;		/* version 2: eight comparators, each for any address */
	uint8_t priority_bits;		/* 2..8 */
	uint16_t n_irqs;		/* multiple of 32, at most PT_VCPU_IRQS */
	uint8_t mpu_regions;		/* 0 or 8; mainline only */
	uint8_t reference_divider;	/* SysTick's external clock is the core clock divided by it; 0: there is none */
	/* cycles of what the instruction table does not say */
	uint8_t entry;			/* exception entry */
	uint8_t tail_chain;		/* instead of a return and an entry */
	uint8_t exception_return;	/* besides the returning instruction's own */
	uint8_t muls;			/* 1 or 32 */
	uint8_t taken;			/* more for a conditional branch that is taken */
	uint32_t ioport_base, ioport_bytes;	/* single-cycle I/O port: loads and stores take 1; 0 bytes: none */
};
extern const struct pt_vcpu_model pt_vcpu_m0plus;	/* the KL27's: 32 interrupts, I/O port at 0xf8000000 */
extern const struct pt_vcpu_model pt_vcpu_m4f;		/* with FPU and MPU, 96 interrupts, 4 priority bits */
/* The same with double precision and caches. Its cycles are those of the M4: no model of a core that issues two
 * instructions at once is honest. */
extern const struct pt_vcpu_model pt_vcpu_m4f_as_m33, pt_vcpu_m7f;

/* Make a core on a bus that already has its RAM and flash; units may be added later. Adds the system control space to
 * the bus, listens to it and lends it its cycle counter. Bus and model outlive the core. In state HELD until reset. NULL: no
 * memory, or no room on the bus. */
struct pt_vcpu *pt_vcpu_new(struct pt_vbus *bus, const struct pt_vcpu_model *model);
void pt_vcpu_free(struct pt_vcpu *cpu);			/* NULL is fine */
const struct pt_vcpu_model *pt_vcpu_model(const struct pt_vcpu *cpu);
void pt_vcpu_set_hooks(struct pt_vcpu *cpu, const struct pt_vcpu_hooks *hooks);	/* copied */

/* Reset: registers, NVIC, SysTick, SCB; sp and pc from the vectors at 0. The cycle and instruction counts go on, except
 * at power_on. State RUN (LOCKUP if the vectors cannot be read), HELD if held. */
void pt_vcpu_reset(struct pt_vcpu *cpu, bool power_on);
void pt_vcpu_hold(struct pt_vcpu *cpu, bool held);	/* reset line; letting go resets */

/* Pass time until the cycle count is at least until_cycle (an instruction is finished, so a little more), or until
 * pt_vcpu_stop() was called during it. Ticks units on their cycles. */
void pt_vcpu_run(struct pt_vcpu *cpu, uint64_t until_cycle);
/* Leave pt_vcpu_run() after the present instruction. For observers, hooks and units. */
void pt_vcpu_stop(struct pt_vcpu *cpu);

enum pt_vcpu_state pt_vcpu_state(const struct pt_vcpu *cpu);
bool pt_vcpu_deep_sleep(const struct pt_vcpu *cpu);	/* asleep, with SCR.SLEEPDEEP */
uint64_t pt_vcpu_cycle(const struct pt_vcpu *cpu);
uint64_t pt_vcpu_sleep_cycles(const struct pt_vcpu *cpu);	/* of them, asleep */
uint64_t pt_vcpu_halt_cycles(const struct pt_vcpu *cpu);	/* of them, in Debug state */
uint64_t pt_vcpu_awake_cycles(const struct pt_vcpu *cpu);	/* of them, the rest */
uint64_t pt_vcpu_instructions(const struct pt_vcpu *cpu);	/* executed since power-on */
/* What the event counters of a DWT count, since power-on. ARMv7-M. Source: DDI 0403, C1.8.9 to C1.8.13 */
enum pt_vevent { PT_VEVENT_CPI, PT_VEVENT_EXCEPTIONS, PT_VEVENT_SLEEP, PT_VEVENT_LSU, PT_VEVENT_FOLDED };
uint64_t pt_vcpu_events(const struct pt_vcpu *cpu, enum pt_vevent event);
uint32_t pt_vcpu_last_pc(const struct pt_vcpu *cpu);	/* most recently executed instruction, for DWT_PCSR */
uint32_t pt_vcpu_pc(const struct pt_vcpu *cpu);		/* next to execute; also while running, between two runs */

/* --- debug: halt, step, registers */
/* Enter Debug state before the next instruction (wakes a sleeping core, ends lockup). From anywhere. */
void pt_vcpu_request_halt(struct pt_vcpu *cpu, uint32_t why);
void pt_vcpu_cancel_halt(struct pt_vcpu *cpu, uint32_t why);	/* a request not yet served */
/* Leave Debug state. step: execute one instruction (or take one pending exception) and enter it again, for HALTED.
 * mask_interrupts: PendSV, SysTick and external interrupts stay pending (C_MASKINTS). The next pt_vcpu_run() acts. */
void pt_vcpu_resume(struct pt_vcpu *cpu, bool step, bool mask_interrupts);
/* REGSEL numbers: 0-12 r0-r12, 13 sp, 14 lr, 15 pc, 16 xPSR, 17 MSP, 18 PSP, 20 CONTROL[31:24] FAULTMASK[23:16]
 * BASEPRI[15:8] PRIMASK[7:0], 33 FPSCR, 64-95 s0-s31; others read 0. Reading is harmless at any time; writing is for Debug state.
 * Writing another pc calls the jump observers.
 * xPSR: flags, IT and T can be written, the exception number cannot. */
uint32_t pt_vcpu_reg(const struct pt_vcpu *cpu, unsigned regsel);
void pt_vcpu_set_reg(struct pt_vcpu *cpu, unsigned regsel, uint32_t value);

/* Breakpoint comparators: hooks.breakpoint is asked before an instruction at one of these addresses is executed. Costs
 * nothing elsewhere. slot < PT_VCPU_BREAKPOINTS; addr is even. */
enum { PT_VCPU_BREAKPOINTS = 12 };
void pt_vcpu_set_breakpoint(struct pt_vcpu *cpu, unsigned slot, bool enabled, uint32_t addr);

/* The region at addr, RAM or flash when the core was made, is not plain memory for now, or is again: a flash that runs
 * a command, a guarded RAM. data: loads and stores there go over the bus, whose row the chip has changed. code: fetches
 * from there are bus faults. */
void pt_vcpu_detour(struct pt_vcpu *cpu, uint32_t addr, bool data, bool code);

/* --- observers: called in the order they were added; the caller's memory until removed. Any time, also from a unit. */
void pt_vcpu_add_observer(struct pt_vcpu *cpu, struct pt_vobserver *observer);
void pt_vcpu_remove_observer(struct pt_vcpu *cpu, struct pt_vobserver *observer);
/* An observer's members were changed in place (set to NULL, or to a function). */
void pt_vcpu_taps_changed(struct pt_vcpu *cpu);

/* --- system registers that lie in the debug unit's range (offset 0xd30..0xfff from 0xe000e000): fault addresses, feature
 * registers, CPACR, MPU, STIR, FPCCR. False: none of the core's. Words. */
bool pt_vcpu_read_system(struct pt_vcpu *cpu, uint32_t offset, uint32_t *value);
bool pt_vcpu_write_system(struct pt_vcpu *cpu, uint32_t offset, uint32_t value);

/* --- interrupts: line < model.n_irqs. Level: pends while high and not active, again on return if still high. */
void pt_vcpu_set_irq(struct pt_vcpu *cpu, unsigned line, bool level);
void pt_vcpu_pend_nmi(struct pt_vcpu *cpu);
void pt_vcpu_enable_monitor(struct pt_vcpu *cpu, bool enabled);	/* DEMCR.MON_EN without halting debug */
void pt_vcpu_pend_monitor(struct pt_vcpu *cpu, bool pending);		/* DEMCR.MON_PEND */
bool pt_vcpu_monitor_pends(const struct pt_vcpu *cpu);
/* A debug event, why, that does not halt the core: pends DebugMonitor if that is enabled (hooks.monitor) and may preempt
 * what is executed. Else false. Source: DDI 0403, C1.5.1; that a watchpoint is forgotten then UNVERIFIED. */
bool pt_vcpu_monitor(struct pt_vcpu *cpu, uint32_t why);

/* Test hook: PendSV, SysTick and external interrupts come from a list instead of the NVIC. Before instruction number
 * insn (pt_vcpu_instructions() counts them) exception vector is entered, whatever is pending or masked. The list is the
 * caller's, ordered by insn, and stays; NULL: back to the NVIC. */
struct pt_vimposed {
	uint64_t insn;
	uint16_t vector;
};
void pt_vcpu_impose(struct pt_vcpu *cpu, const struct pt_vimposed *list, size_t n_entries);

#endif
