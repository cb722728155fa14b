/* Shared by the files of the core alone. e500.c runs it, execute.c knows the primary op-codes and branches, integer.c
 * what op-code 31 computes, storage.c loads, stores and cache instructions, spe.c op-code 4, float.c the FPRs,
 * decorated.c decorated accesses, spr.c the special registers, time.c the time base and its interrupts, mmu.c
 * translation and the bus, cache.c and predict.c what hits and what misses, exception.c the interrupts, events.c
 * which events are counted.
 *
 * Fields of an instruction are in fixed places, so nothing is decoded ahead. */
#ifndef PT_VIRTUAL_CPU_E500_CORE_H
#define PT_VIRTUAL_CPU_E500_CORE_H

#include <stddef.h>

#include "probes/virtual/cpu/e500/e500.h"
#include "probes/virtual/frame/core.h"

/* Source of the bits: E500CORERM 2.5.1; e500mc and later: Power ISA 2.06 Book III-E, 4.2.1, without CM */
enum { MAX_WINDOWS = 8, TLB1_ENTRIES = 64, MSR_BITS = 0x0206f236, MSR_BITS_QORIQ = 0x1002fb36 };

/* SPR numbers. Source: E500CORERM table 2-2 */
enum {
	SPR_XER = 1, SPR_LR = 8, SPR_CTR = 9, SPR_DEC = 22, SPR_SRR0 = 26, SPR_SRR1 = 27, SPR_PID0 = 48,
	SPR_DECAR = 54, SPR_CSRR0 = 58, SPR_CSRR1 = 59, SPR_DEAR = 61, SPR_ESR = 62, SPR_IVPR = 63,
	SPR_USPRG0 = 256, SPR_TBL = 268, SPR_TBU = 269, SPR_SPRG0 = 272, SPR_TBL_W = 284, SPR_TBU_W = 285,
	SPR_PIR = 286, SPR_PVR = 287, SPR_DBSR = 304, SPR_EPCR = 307, SPR_DBCR0 = 308, SPR_IAC1 = 312,
	SPR_IAC2 = 313, SPR_DAC1 = 316, SPR_DAC2 = 317, SPR_TSR = 336, SPR_TCR = 340, SPR_IVOR0 = 400,
	SPR_SPEFSCR = 512, SPR_BBEAR = 513, SPR_BBTAR = 514, SPR_L1CFG0 = 515, SPR_L1CFG1 = 516, SPR_IVOR32 = 528,
	SPR_MCSRR0 = 570, SPR_MCSRR1 = 571, SPR_MCSR = 572, SPR_MCAR = 573, SPR_DSRR0 = 574, SPR_SPRG8 = 604,
	SPR_MAS0 = 624, SPR_MAS1 = 625, SPR_MAS2 = 626, SPR_MAS3 = 627, SPR_MAS4 = 628, SPR_MAS6 = 630,
	SPR_PID1 = 633, SPR_PID2 = 634, SPR_TLB0CFG = 688, SPR_TLB1CFG = 689, SPR_MAS7 = 944, SPR_DEVENT = 975,
	SPR_HID0 = 1008, SPR_HID1 = 1009, SPR_L1CSR0 = 1010, SPR_L1CSR1 = 1011, SPR_MMUCSR0 = 1012,
	SPR_BUCSR = 1013, SPR_MMUCFG = 1015, SPR_SVR = 1023,
	N_SPRS = 1024,
};

/* XER and CR fields */
#define XER_SO UINT32_C(0x80000000)
#define XER_OV UINT32_C(0x40000000)
#define XER_CA UINT32_C(0x20000000)
enum { CR_LT = 8, CR_GT = 4, CR_EQ = 2, CR_SO = 1 };

/* ESR. Source: E500CORERM table 2-11 */
enum {
	ESR_PIL = 0x08000000, ESR_PPR = 0x04000000, ESR_PTR = 0x02000000, ESR_ST = 0x00800000, ESR_BO = 0x00020000,
	ESR_SPV = 0x00000080,
};

/* Event numbers that the core counts. Source: OProfile's event files; E500CORERM Rev. 1, Table 7-10 */
enum {
	EV_CYCLES = 1, EV_INSTRUCTIONS = 2, EV_OPS = 3, EV_FETCHED = 4, EV_DECODED = 5, EV_BRANCHES = 8, EV_LOADS = 9,
	EV_STORES = 10, EV_REDIRECTS = 11, EV_BRANCHES_FINISHED = 12, EV_TAKEN_FINISHED = 13, EV_MISPREDICTED = 15,
	EV_MISPREDICTED_DIRECTION = 16, EV_BTB_HITS = 17, EV_TRANSLATED = 26, EV_LOADS_TRANSLATED = 27,
	EV_STORES_TRANSLATED = 28, EV_TOUCHES = 29, EV_CACHEOPS = 30, EV_INHIBITED = 31, EV_GUARDED_LOADS = 32,
	EV_WRITETHROUGH = 33, EV_MISALIGNED = 34, EV_STORES_COMPLETED = 39, EV_DL1_RELOADS = 41, EV_DL1_CASTOUTS = 42,
	EV_IL1_RELOADS = 60, EV_FETCHES = 61, EV_L2MMU_MISSES = 66, EV_BUS = 67, EV_BUS_I = 68, EV_BUS_D = 69,
	EV_BUS_CASTOUTS = 70, EV_LONG_LOAD_MISS = 76, EV_LONG_FETCH_MISS = 77, EV_LONG_EXTERNAL = 78,
	EV_LONG_CRITICAL = 79, EV_LONG_EXTERNAL_PENDING = 80, EV_LONG_CRITICAL_PENDING = 81, EV_INTERRUPTS = 86,
	EV_EXTERNAL = 87, EV_CRITICAL = 88, EV_SC_TRAP = 89,
	/* e500mc and e5500 */
	EV_L2_LINEFILLS = 91, EV_L2_VICTIMS = 92, EV_L2_ACCESSES = 110, EV_L2_HITS = 111, EV_L2_DATA = 112,
	EV_L2_DATA_HITS = 113, EV_L2_FETCHES = 114, EV_L2_FETCH_HITS = 115, EV_L2_ALLOCATIONS = 116,
	EV_L2_DATA_ALLOCATIONS = 117, EV_L2_DIRTY_ALLOCATIONS = 118, EV_L2_FETCH_ALLOCATIONS = 119,
	EV_L2_CASTOUTS = 126, EV_L2_DIRTY_HITS = 127,
	/* e500mc and later */
	EV_DVT0 = 148, EV_DECORATED_LOADS = 176, EV_DECORATED_STORES = 177, EV_STWCX_DONE = 179, EV_STWCX_FAILED = 180,
	/* e6500 */
	EV_BTB_UNKNOWN = 14, EV_TAKEN = 67, EV_TAKEN_BLR = 68, EV_BTB_TARGET = 69, EV_TAKEN_UNKNOWN = 71,
	EV_CYCLES_0_OPS = 127, EV_CYCLES_1_OP = 128, EV_CYCLES_2_OPS = 129, EV_GPR_LOADS = 182, EV_GPR_STORES = 183,
	EV_CACHEOPS_DONE = 184, EV_BARRIERS = 185, EV_FPR_LOADS = 193, EV_FPR_STORES = 194, EV_FPR_MOVED = 195,
	EV_FPR_SINGLES = 196, EV_FPR_DOUBLES = 197, EV_L1_MISSES = 221, EV_L1_LOAD_MISSES = 222,
	EV_L1_STORE_MISSES = 223, EV_LOAD_QUEUE = 224, EV_L1_FETCH_MISSES = 254, EV_TLB_MISSES = 264, EV_LINK_D = 443,
	EV_LINK_I = 444, EV_S2_HITS = 456, EV_S2_MISSES = 457, EV_S2_ACCESSES = 459, EV_S2_STORE_ALLOCATIONS = 460,
	EV_S2_DEMAND = 458, EV_S2_FETCHES = 461, EV_S2_DATA = 462, EV_S2_FETCH_MISSES = 463, EV_S2_DATA_MISSES = 464,
	EV_S2_OWN_HITS = 465, EV_S2_OWN_DATA_MISSES = 472,
	EV_S2_RELOADS = 473, EV_COREQ = 506, EV_COREQ_D = 508, EV_COREQ_I = 509,
};

/* TLB1 entry, as MAS1..MAS3 hold it. Source: E500CORERM table 2-35 ff. */
struct tlb {
	bool valid, space;		/* TS */
	uint8_t pid, wimge;
	uint32_t mask, ea, pa;		/* mask: of the bits inside the page */
	uint8_t size;			/* TSIZE: 4^size KiB */
	uint8_t access;			/* UX SX UW SW UR SR, as in MAS3 */
	uint32_t mas[4];		/* as written, MAS0..MAS3, for tlbre */
};
enum { W_THROUGH = 0x10, I_NHIBITED = 0x08, G_UARDED = 0x02 };	/* wimge */

enum access { FETCH, LOAD, STORE };

struct window {			/* RAM, reached without the bus */
	uint32_t base, size;
	uint8_t *bytes;
	bool read_only;
};

/* L1: 32 KiB, 8 ways; pseudo LRU is a plain one here. Source: E500CORERM 11.1 */
enum { L1_BYTES = 32 << 10, L1_WAYS = 8 };
struct cache {
	unsigned n_sets, n_ways;		/* 0: there is none */
	struct line { uint32_t tag; bool dirty; } *line;	/* tag: physical line number + 1; 0: empty. By sets, the
								 * first of each is the newest */
};

/* 512 entries, 4 ways, two-bit counters. Source: E500CORERM 4.3.2 */
enum { BTB_SETS = 128, BTB_WAYS = 4 };
struct btb {
	struct { uint32_t from, to; uint8_t counter; bool valid; } entry[BTB_SETS][BTB_WAYS];
	uint8_t oldest[BTB_SETS];
};

struct pt_ve500 {
	struct pt_vcore core;			/* first: the frame casts */
	enum pt_ve500_core variant;
	const struct pt_ve500_kind *kind;
	uint32_t number;			/* PIR's */
	uint32_t r[32], high[32];		/* high: upper halves of the SPE's registers */
	uint64_t acc;
	uint64_t fpr[32];
	uint32_t fpscr;
	uint32_t pc, cr, lr, ctr, xer, msr;
	uint32_t spr[N_SPRS];			/* those that only hold bits, or are not above */

	uint32_t at;				/* the instruction being executed */
	bool failed;				/* it entered an interrupt instead of completing */
	enum pt_ve500_state state;
	bool halt_wanted, stepping, masks_steps, counts_halted;

	uint64_t tb_base, tb_base_cycle;	/* the time base was tb_base at that cycle */
	uint64_t dec_zero;			/* cycle at which DEC reaches 0; PT_VNEVER: it stands at 0 */
	uint64_t fit_next;			/* cycle of the next edge that the fixed-interval timer waits for */

	bool external, critical;		/* the inputs */
	uint64_t external_since, critical_since;
	uint64_t external_enabled_since, critical_enabled_since;	/* and nothing masked it any more; PT_VNEVER */

	bool reserved;
	uint32_t reservation;			/* physical line */

	struct tlb tlb1[TLB1_ENTRIES];
	const struct tlb *fetch_page, *data_page;	/* hit last; in front of the search */
	struct window window[MAX_WINDOWS];
	size_t n_windows;
	struct cache icache, dcache, l2;
	bool pair;				/* the instruction under way is two micro-ops in one cycle */
	bool further_part;			/* of an access that is counted already */
	struct btb btb;
	uint32_t fetch_line;			/* the line that is being fetched from, + 1 */

	bool breakpoint_on[PT_VE500_BREAKPOINTS], any_breakpoint, passes_breakpoint;
	uint32_t breakpoint[PT_VE500_BREAKPOINTS];
	struct { uint32_t addr, len_bytes; bool loads, stores; } watchpoint[PT_VE500_WATCHPOINTS];
	bool any_watchpoint, at_watchpoint, passes_watchpoint;	/* at: halted in front of an access to the one hit */
	unsigned watchpoint_hit;

	uint64_t events[PT_VE500_EVENTS];
	struct pt_ve500_hooks hooks;
	struct pt_ve500_watcher watcher;
	struct pt_ve500_timing timing;
};
_Static_assert(offsetof(struct pt_ve500, core) == 0, "the frame takes the one for the other");

/* Fields of an instruction word */
static inline unsigned rd(uint32_t op) { return op >> 21 & 31; }
static inline unsigned ra(uint32_t op) { return op >> 16 & 31; }
static inline unsigned rb(uint32_t op) { return op >> 11 & 31; }
static inline unsigned xo(uint32_t op) { return op >> 1 & 0x3ff; }
static inline bool rc(uint32_t op) { return op & 1; }
static inline uint32_t simm(uint32_t op) { return (uint32_t)(int32_t)(int16_t)op; }
static inline uint32_t ra_or_0(const struct pt_ve500 *cpu, uint32_t op) { return ra(op) != 0 ? cpu->r[ra(op)] : 0; }

static inline bool pt_e5_user(const struct pt_ve500 *cpu) { return (cpu->msr & PT_VE500_MSR_PR) != 0; }

/* The second micro-op of a load or store with update. */
static inline void pt_e5_update(struct pt_ve500 *cpu, uint32_t op, uint32_t ea)
{
	cpu->r[ra(op)] = ea;
	cpu->events[EV_OPS]++;
	cpu->pair = true;
}

/* CR field f takes value and XER[SO]. */
static inline void pt_e5_set_cr(struct pt_ve500 *cpu, unsigned f, unsigned value)
{
	unsigned shift = 28 - 4 * f;

	cpu->cr = (cpu->cr & ~(UINT32_C(15) << shift)) | (value | (cpu->xer >> 31)) << shift;
}

static inline void pt_e5_record(struct pt_ve500 *cpu, uint32_t value)
{
	pt_e5_set_cr(cpu, 0, (int32_t)value < 0 ? CR_LT : value == 0 ? CR_EQ : CR_GT);
}

void pt_e5_execute(struct pt_ve500 *cpu);			/* one instruction */
/* False: there is no such instruction. What went wrong otherwise is in cpu->failed. */
bool pt_e5_op31(struct pt_ve500 *cpu, uint32_t op);
bool pt_e5_integer31(struct pt_ve500 *cpu, uint32_t op);
/* tw, twi. The core halts in front of it, or enters an interrupt, which cpu->failed says; true. */
bool pt_e5_trap(struct pt_ve500 *cpu, uint32_t to, uint32_t a, uint32_t b);
bool pt_e5_storage31(struct pt_ve500 *cpu, uint32_t op);
bool pt_e5_storage(struct pt_ve500 *cpu, uint32_t op);		/* primary op-codes 32..47 */
bool pt_e5_spe(struct pt_ve500 *cpu, uint32_t op);		/* primary op-code 4 */
bool pt_e5_float(struct pt_ve500 *cpu, uint32_t op);		/* primary op-codes 48..55, 59, 63 */
bool pt_e5_float31(struct pt_ve500 *cpu, uint32_t op);
bool pt_e5_decorated31(struct pt_ve500 *cpu, uint32_t op);
bool pt_e5_system31(struct pt_ve500 *cpu, uint32_t op);		/* special registers, TLB, MSR */

/* Memory, mmu.c. False: an interrupt was entered. Data has the value right-aligned; 1, 2, 4 bytes, any address. */
bool pt_e5_fetch(struct pt_ve500 *cpu, uint32_t ea, uint32_t *op);
bool pt_e5_load(struct pt_ve500 *cpu, uint32_t ea, unsigned size, uint32_t *value);
bool pt_e5_store(struct pt_ve500 *cpu, uint32_t ea, unsigned size, uint32_t value);
/* The physical line at ea for an access of that kind; for cache instructions and reservations. */
bool pt_e5_translate(struct pt_ve500 *cpu, uint32_t ea, enum access access, uint32_t *pa, uint8_t *wimge);
void pt_e5_tlb_fixed(struct pt_ve500 *cpu, uint32_t entry);
bool pt_e5_tlb(struct pt_ve500 *cpu, uint32_t op);		/* tlbre, tlbwe, tlbsx, tlbivax */
void pt_e5_forget_pages(struct pt_ve500 *cpu);

/* flow.c */
/* Goes to to, and tells the observers. */
void pt_e5_jump(struct pt_ve500 *cpu, enum pt_vjump how, uint32_t from, uint32_t detail, uint32_t to);
/* An access that a watchpoint waits for: the core halts in front of the instruction. */
bool pt_e5_watched(struct pt_ve500 *cpu, uint32_t ea, unsigned size, enum access access);

/* Caches, cache.c: count, and take the time it takes. */
bool pt_e5_caches_new(struct pt_ve500 *cpu);			/* false: no memory */
void pt_e5_caches_free(struct pt_ve500 *cpu);
void pt_e5_caches_reset(struct pt_ve500 *cpu);
void pt_e5_data_line(struct pt_ve500 *cpu, uint32_t pa, uint8_t wimge, enum access access);
void pt_e5_fetch_line(struct pt_ve500 *cpu, uint32_t pa, uint8_t wimge);
void pt_e5_data_flush(struct pt_ve500 *cpu, uint32_t pa);	/* dcbf, dcbi: out of the cache */
void pt_e5_fetch_flush(struct pt_ve500 *cpu, uint32_t pa);	/* icbi */

/* predict.c: what the branch unit thought of it. unconditional ones are always taken. */
void pt_e5_predict(struct pt_ve500 *cpu, uint32_t from, uint32_t to, bool taken, bool conditional);

/* spr.c. False: no such register. */
bool pt_e5_read_spr(struct pt_ve500 *cpu, unsigned n, uint32_t *value);
bool pt_e5_write_spr(struct pt_ve500 *cpu, unsigned n, uint32_t value);
void pt_e5_reset_sprs(struct pt_ve500 *cpu);

/* time.c */
void pt_e5_time_reset(struct pt_ve500 *cpu);
bool pt_e5_time_spr(unsigned n);				/* belongs to time.c */
uint32_t pt_e5_time_read(const struct pt_ve500 *cpu, unsigned n);
void pt_e5_time_write(struct pt_ve500 *cpu, unsigned n, uint32_t value);
uint64_t pt_e5_time_next(const struct pt_ve500 *cpu);		/* cycle of the next thing that happens by itself */
void pt_e5_time_pass(struct pt_ve500 *cpu);			/* what has become due sets its bit in TSR */

/* exception.c */
void pt_e5_write_msr(struct pt_ve500 *cpu, uint32_t value);
void pt_e5_enter(struct pt_ve500 *cpu, unsigned interrupt, uint32_t return_addr);
void pt_e5_fault(struct pt_ve500 *cpu, unsigned interrupt, uint32_t esr);	/* of the present instruction */
void pt_e5_return(struct pt_ve500 *cpu, uint32_t to, uint32_t msr);
bool pt_e5_take_interrupt(struct pt_ve500 *cpu);		/* one that is asserted and enabled */
void pt_e5_masks_changed(struct pt_ve500 *cpu);			/* since when the inputs are enabled */

/* Telling the performance monitor. */
static inline void pt_e5_tell_step(struct pt_ve500 *cpu, uint32_t msr)
{
	if (cpu->watcher.step != NULL && cpu->watcher.step(cpu->watcher.arg, msr))
		pt_vcore_attend(&cpu->core);
}

/* Cycles in which the processor's clock ran; in all but n_completing of them no micro-op completed. */
static inline void pt_e5_count_cycles(struct pt_ve500 *cpu, uint64_t n_cycles, uint64_t n_completing)
{
	cpu->events[EV_CYCLES] += n_cycles;
	if (cpu->variant == PT_VE500_CORE_E6500)
		cpu->events[EV_CYCLES_0_OPS] += n_cycles - n_completing;
}

#endif
