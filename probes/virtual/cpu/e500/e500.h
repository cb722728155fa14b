/* The virtual boards' cores of the e500 family: execute the Book E integer set and isel over a bus, big-endian, behind
 * TLB1; e500v1 and v2 the SPE's loads, stores and moves, the others those of FPRs, wait, decorated accesses and DEVENT.
 * e5500 and e6500 run in 32-bit mode, with 32 bits of each GPR; of an e6500's two threads this is one, and the other
 * never runs. The performance monitor is a unit (unit/e500/e500_pm.h) that watches what this core counts.
 * One thread at a time. Deterministic: the same bus, calls and settings give the same instructions and cycles.
 * Sources: E500CORERM Rev. 1 (registers, interrupts, MMU; chapter 7: performance monitor), OProfile's event files,
 * Power ISA 2.06 Book I and III-E (instructions); for e500mc and later also Linux' reg_booke.h and cputable, NXP's
 * qoriq-debug, and binutils' op-codes.
 *
 * Not there: arithmetic of SPE and FPU (a Program interrupt; v1 and v2 have no FPU at all), AltiVec, TLB0 (what is
 * written there is lost), watchdog, debug interrupts (DBCR0 and its kin only hold bits), string instructions (the parts
 * have none either). Of the hypervisor MSR[GS] alone: interrupts clear it, and guests see the same registers.
 *
 * While the core sleeps by wait the processor's clock is stopped, as by MSR[WE]; for e500mc and later that is
 * UNVERIFIED.
 *
 * Time is the core clock; it passes while the core is halted or held in reset, too. Cycles are a model: one for each
 * instruction, and what timing below adds. Nothing may rely on a count being the chip's. */
#ifndef PT_VIRTUAL_CPU_E500_H
#define PT_VIRTUAL_CPU_E500_H

#include <stddef.h>

#include "probes/virtual/frame/cpu.h"

struct pt_ve500;

enum pt_ve500_core {
	PT_VE500_CORE_V1, PT_VE500_CORE_V2, PT_VE500_CORE_MC, PT_VE500_CORE_E5500, PT_VE500_CORE_E6500,
	PT_VE500_CORES,
};

/* What tells them apart. Sources: Linux' core-fsl-emb.c and NXP's qoriq-debug for counters and event fields; PVRs as
 * QEMU has them; caches: the manuals of the parts with these cores. UNVERIFIED: the L1 of an e6500 as modelled
 * (cache.c). */
struct pt_ve500_kind {
	const char *name, *word;	/* "e500mc", "mc": as the board's core= has it */
	uint32_t pvr;
	bool qoriq;			/* e500mc and later: FPU and wait instead of SPE and MSR[WE]; MSR[GS], DEVENT */
	uint8_t tlb1_entries;
	uint8_t line_shift;		/* of the cache lines: 2^5 or 2^6 bytes */
	uint16_t l2_kib;		/* 0: there is none that belongs to the core */
	uint8_t l2_ways;
	bool writes_through;		/* the L1 data cache: all stores are accesses of the L2 */
	uint8_t n_pmcs, event_bits;	/* of the performance monitor */
	bool time_events;		/* PMGC0[TBSEL, TBEE] */
};
extern const struct pt_ve500_kind pt_ve500_kinds[PT_VE500_CORES];

enum pt_ve500_state {
	PT_VE500_RUN,
	PT_VE500_DOZE,		/* MSR[WE] was set, or wait executed: until an interrupt */
	PT_VE500_HALT,		/* stopped by the debugger */
	PT_VE500_HELD,		/* in reset */
};

/* IVOR numbers. Source: E500CORERM table 5-2 */
enum pt_ve500_interrupt {
	PT_VE500_CRITICAL, PT_VE500_MACHINE_CHECK, PT_VE500_DATA_STORAGE, PT_VE500_INSTRUCTION_STORAGE,
	PT_VE500_EXTERNAL,
	PT_VE500_ALIGNMENT, PT_VE500_PROGRAM, PT_VE500_NO_FP, PT_VE500_SYSTEM_CALL, PT_VE500_NO_AP,
	PT_VE500_DECREMENTER,
	PT_VE500_FIXED_INTERVAL, PT_VE500_WATCHDOG, PT_VE500_DATA_TLB, PT_VE500_INSTRUCTION_TLB, PT_VE500_DEBUG,
	PT_VE500_NO_SPE = 32, PT_VE500_PERFORMANCE = 35,
	PT_VE500_IVORS = 36,
};

/* Register numbers are GDB's. Those from EV0H on, ACC and SPEFSCR are of e500v1 and v2; the others have FPRs of 64 bits
 * from F0 on, and FPSCR. Source: GDB's powerpc-e500.xml, powerpc-32.xml. */
enum pt_ve500_reg {
	PT_VE500_R0 = 0, PT_VE500_EV0H = 32, PT_VE500_F0 = 32, PT_VE500_PC = 64, PT_VE500_MSR, PT_VE500_CR, PT_VE500_LR,
	PT_VE500_CTR, PT_VE500_XER, PT_VE500_FPSCR, PT_VE500_ACC = 73, PT_VE500_SPEFSCR = 74,
	PT_VE500_REGS,
	PT_VE500_PVR = PT_VE500_REGS,	/* read-only, and in no g packet */
};

/* MSR. Source: E500CORERM Rev. 1, 2.5.1; GS: Power ISA 2.06 Book III-E, 4.2.1 */
enum {
	PT_VE500_MSR_GS = 0x10000000,
	PT_VE500_MSR_SPE = 0x02000000, PT_VE500_MSR_WE = 0x00040000, PT_VE500_MSR_CE = 0x00020000,
	PT_VE500_MSR_EE = 0x00008000, PT_VE500_MSR_PR = 0x00004000, PT_VE500_MSR_FP = 0x00002000,
	PT_VE500_MSR_ME = 0x00001000, PT_VE500_MSR_DE = 0x00000200, PT_VE500_MSR_IS = 0x20, PT_VE500_MSR_DS = 0x10,
	PT_VE500_MSR_PMM = 0x04,
};

/* What the core counts since power-on, whether or not a performance monitor looks: by event number of OProfile's files.
 * Those that this model cannot know stay 0; which they are pt_ve500_counts() says (events.c). */
enum { PT_VE500_EVENTS = 512 };

/* Something took a while: the threshold events 76..81. */
struct pt_ve500_watcher {	/* the performance monitor */
	void *arg;
	/* After each instruction, and after each interrupt was entered. msr is what it ran under. True: its
	 * interrupt may be asserted now. */
	bool (*step)(void *arg, uint32_t msr);
	void (*lasted)(void *arg, unsigned event, uint32_t cycles, uint32_t msr);
	bool (*read)(void *arg, unsigned pmr, uint32_t *value);		/* mfpmr; false: no such register */
	bool (*write)(void *arg, unsigned pmr, uint32_t value);
	bool (*interrupt)(void *arg);					/* its interrupt is asserted */
	/* The cycle at which the time base makes something happen in it; PT_VNEVER: none. */
	uint64_t (*next)(void *arg, uint64_t now_cycle);
};

/* Cycles on top of one per instruction. */
struct pt_ve500_timing {
	uint8_t load_hit, multiply, divide, mispredict, interrupt;
	uint8_t l1_miss;	/* data: until the line is there; the core waits for it */
	uint8_t fetch_miss;
	uint8_t l2_hit;		/* instead of these two, where the core has an L2 and that has the line */
	uint8_t tb_cycles;	/* core cycles per tick of the time base */
};
extern const struct pt_ve500_timing pt_ve500_default_timing;	/* 0, 3, 18, 5, 8, 20, 12, 6, 8 */

struct pt_ve500_hooks {
	void *arg;
	/* A trap instruction whose condition holds, at pc. True: halt before it; false: a Program interrupt. */
	bool (*trap)(void *arg, uint32_t pc);
	void (*halted)(void *arg);	/* by whatever reason; also at the end of a step */
};

/* Make a core on a bus that already has its RAM (at least one region of bytes, at most 8) and is big-endian. Listens to
 * it and lends it its cycle counter; the bus outlives the core. In state HELD until reset. NULL: no memory, no RAM. */
struct pt_ve500 *pt_ve500_new(struct pt_vbus *bus, enum pt_ve500_core core, const struct pt_ve500_timing *timing);
void pt_ve500_free(struct pt_ve500 *cpu);	/* NULL is fine */
void pt_ve500_set_number(struct pt_ve500 *cpu, uint32_t pir);	/* what PIR has after a reset; 0 without it */
void pt_ve500_set_hooks(struct pt_ve500 *cpu, const struct pt_ve500_hooks *hooks);		/* copied */
void pt_ve500_set_watcher(struct pt_ve500 *cpu, const struct pt_ve500_watcher *watcher);	/* copied */

/* Hard reset: MSR 0, counts and cycles from 0 at power_on. TLB1 entry 0 maps entry's 256 MiB one to one, cached, and
 * entry 1 the last 256 MiB uncached and guarded, as a boot loader leaves it; execution begins at entry. */
void pt_ve500_reset(struct pt_ve500 *cpu, bool power_on, uint32_t entry);
void pt_ve500_hold(struct pt_ve500 *cpu);

/* Pass time until the cycle count is at least until_cycle, or pt_ve500_stop() was called. */
void pt_ve500_run(struct pt_ve500 *cpu, uint64_t until_cycle);
void pt_ve500_stop(struct pt_ve500 *cpu);
void pt_ve500_lose_reservation(struct pt_ve500 *cpu);	/* another core may have stored there */

enum pt_ve500_state pt_ve500_state(const struct pt_ve500 *cpu);
uint64_t pt_ve500_cycle(const struct pt_ve500 *cpu);
uint64_t pt_ve500_idle_cycles(const struct pt_ve500 *cpu);		/* of them, in DOZE */
uint64_t pt_ve500_halt_cycles(const struct pt_ve500 *cpu);		/* of them, halted */
uint64_t pt_ve500_instructions(const struct pt_ve500 *cpu);
uint32_t pt_ve500_pc(const struct pt_ve500 *cpu);			/* next to execute */
uint64_t pt_ve500_time_base(const struct pt_ve500 *cpu);
/* The cycle at which bit (0: the lowest) of the time base next goes from 0 to 1; PT_VNEVER: it stands still. */
uint64_t pt_ve500_next_edge(const struct pt_ve500 *cpu, unsigned bit);
enum pt_ve500_core pt_ve500_core(const struct pt_ve500 *cpu);
const uint64_t *pt_ve500_events(const struct pt_ve500 *cpu);		/* PT_VE500_EVENTS counts; the core's */
bool pt_ve500_counts(enum pt_ve500_core core, unsigned event);		/* false: not modelled, stays 0 */

/* --- interrupts: levels of the external and the critical input */
void pt_ve500_set_external(struct pt_ve500 *cpu, bool asserted);
void pt_ve500_set_critical(struct pt_ve500 *cpu, bool asserted);

/* --- debug: halt, step, registers, memory as the core sees it */
void pt_ve500_request_halt(struct pt_ve500 *cpu);
void pt_ve500_resume(struct pt_ve500 *cpu, bool step);
/* By enum pt_ve500_reg; ACC and FPRs have 64 bits. Unknown ones read 0. Writing is for HALT. */
uint64_t pt_ve500_reg(const struct pt_ve500 *cpu, unsigned reg);
void pt_ve500_set_reg(struct pt_ve500 *cpu, unsigned reg, uint64_t value);
/* Bytes at effective addresses, as supervisor data. False: not mapped, or the bus refused; earlier bytes are done. */
bool pt_ve500_peek(struct pt_ve500 *cpu, uint32_t ea, uint8_t *bytes, size_t n_bytes);
bool pt_ve500_poke(struct pt_ve500 *cpu, uint32_t ea, const uint8_t *bytes, size_t n_bytes);

/* A step lets interrupts wait, as debuggers have it; not at first: then the entry of one is a step. */
void pt_ve500_mask_steps(struct pt_ve500 *cpu, bool on);
/* Whether processor cycles are counted (event 1) while it is halted; UNVERIFIED, and not at first. */
void pt_ve500_count_halted(struct pt_ve500 *cpu, bool on);

enum { PT_VE500_BREAKPOINTS = 8 };
void pt_ve500_set_breakpoint(struct pt_ve500 *cpu, unsigned slot, bool enabled, uint32_t addr);

/* Data address compares, DAC1 and DAC2: the core halts in front of an instruction that loads from, or stores to, any of
 * len_bytes at addr, and is let over it once by the resume that follows. Neither: the slot is free. */
enum { PT_VE500_WATCHPOINTS = 2 };
void pt_ve500_set_watchpoint(struct pt_ve500 *cpu, unsigned slot, bool loads, bool stores, uint32_t addr,
			     uint32_t len_bytes);
bool pt_ve500_at_watchpoint(const struct pt_ve500 *cpu, unsigned *slot);	/* it is why the core halted */

/* --- observers (cpu.h): called in the order they were added; the caller's memory until removed.
 * jump: BRANCH conditional and taken, GOTO b, CALL bl, *_OPERAND bctr and bctrl, RETURN blr, EXCEPTION (detail: the
 * IVOR number, from: SRR0), EXC_RETURN rfi and its kin, DEBUG. */
void pt_ve500_add_observer(struct pt_ve500 *cpu, struct pt_vobserver *observer);
void pt_ve500_remove_observer(struct pt_ve500 *cpu, struct pt_vobserver *observer);

#endif
