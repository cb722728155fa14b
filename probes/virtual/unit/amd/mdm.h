/* Model of a MicroBlaze Debug Module (MDM v3.2) with the debug registers of the cores behind it: profiling buffer,
 * performance counters, program and event trace, cross triggers. It is reached by commands, as JTAG and XSDB do, and
 * through its AXI slave. Run control has no public registers and is not here.
 * Source: PG115 v3.2, MDM Core User-Accessible Debug Registers, AXI Slave Register Space; UG984 2018.2, pp. 97-114;
 * what these leave open is a member of pt_vmdm_options with the stated default. */
#ifndef PT_VIRTUAL_UNIT_MDM_H
#define PT_VIRTUAL_UNIT_MDM_H

#include "probes/virtual/cpu/microblaze/microblaze.h"
#include "probes/virtual/unit/amd/uartlite.h"

enum { PT_VMDM_CORES = 32, PT_VMDM_COUNTERS = 48 + 7, PT_VMDM_AXI_BYTES = 0x8000, PT_VMDM_TRIGGERS = 8 };

enum pt_vmdm_index { PT_VMDM_SUB_THEN_SHIFT, PT_VMDM_SHIFT_THEN_SUB, PT_VMDM_SHIFT_AND_MASK };

struct pt_vmdm_options {	/* C_ parameters by their names, and what is UNVERIFIED */
	uint8_t version;		/* 0x67; anything else: of an unknown protocol */
	bool use_uart, dbg_reg_access, parallel;	/* parallel: C_DEBUG_INTERFACE > 0 */
	uint32_t profile_bytes;		/* C_DEBUG_PROFILE_SIZE: 0, 4K, 8K ... 128K */
	uint8_t pbar_bits;		/* 0: log2 of the bins */
	uint8_t index;			/* enum pt_vmdm_index */
	bool bins_wrap;			/* at 2^36; default: they saturate */
	uint8_t event_counters, latency_counters, counter_width;	/* 0..48, 0..7; 32, 48, 64 */
	bool counters_fixed;		/* PCDWR sets nothing, only steps on */
	uint32_t trace_bytes;		/* C_DEBUG_TRACE_SIZE: 0, 8K ... 128K */
	bool trace_stops;		/* when the buffer is full; default: the oldest item is lost */
	bool high_first;		/* 36 bits through DBG_DATA: the upper half first */
	uint32_t lock_code;		/* DBG_CTRL takes nothing before this was written to DBG_LOCK; 0: always */
	bool keep_ctrl;			/* one write of DBG_CTRL serves any number of accesses */
	uint32_t locked_polls;		/* so many reads of DBG_STATUS say that JTAG has the lock; PT_VMDM_FOR_EVER */
};
#define PT_VMDM_FOR_EVER UINT32_MAX
extern const struct pt_vmdm_options pt_vmdm_standard;	/* 4 KiB of bins, 5 + 1 counters of 32 bits, 8 KiB of trace */

/* Commands. Source: PG115 v3.2, MDM Core User-Accessible Debug Registers; UG984 2018.2, pp. 97-114 */
enum pt_vmdm_command {
	PT_VMDM_BREAK_RESET = 0x08, PT_VMDM_CONFIG = 0x0c, PT_VMDM_WHICH = 0x0d, PT_VMDM_XCT_EXTERNAL = 0x40,
	PT_VMDM_XCT_STATUS = 0x42, PT_VMDM_XCT_CONTROL = 0x46,
	PT_VMDM_PCCTRLR = 0x51, PT_VMDM_PCCMDR = 0x52, PT_VMDM_PCSR = 0x53, PT_VMDM_PCDRR = 0x56, PT_VMDM_PCDWR = 0x57,
	PT_VMDM_TCTRLR = 0x61, PT_VMDM_TCMDR = 0x62, PT_VMDM_TSR = 0x63, PT_VMDM_TDRR = 0x66,
	PT_VMDM_PCTRLR = 0x71, PT_VMDM_PLAR = 0x72, PT_VMDM_PHAR = 0x73, PT_VMDM_PBAR = 0x74, PT_VMDM_PDRR = 0x76,
	PT_VMDM_PDWR = 0x77,
};

/* What happens to a core by a cross trigger. Source: UG984 2018.2, "Cross Trigger Support"; numbers above 0 are
 * UNVERIFIED. */
enum pt_vmdm_action {
	PT_VMDM_STOP, PT_VMDM_CONTINUE, PT_VMDM_TRACE_STOP, PT_VMDM_TRACE_START, PT_VMDM_COUNT_STOP,
	PT_VMDM_COUNT_START, PT_VMDM_PROFILE_OFF, PT_VMDM_PROFILE_ON,
};

struct pt_vmdm_profile {
	uint64_t *bin;			/* n_bins, 36 bits each; NULL: C_DEBUG_PROFILE_SIZE is 0 */
	uint32_t n_bins, low, high, at;	/* low, high: word addresses */
	uint8_t control;
	bool on;
};

struct pt_vmdm_counter {
	uint8_t event;
	bool overflow;			/* of Full: latencies of this core do not overlap */
	uint64_t n, sum, sum2, low, high;	/* n: events; the others of latencies, low the smallest */
};

struct pt_vmdm_counters {
	struct pt_vmdm_counter now[PT_VMDM_COUNTERS], sample[PT_VMDM_COUNTERS];
	uint32_t at, item;		/* counter, and item of it, that the next access is for */
	bool on;
};

struct pt_vmdm_trace {
	uint32_t *item;			/* n_room of 18 bits; NULL: none */
	uint32_t n_room, first, n, sampled;
	uint32_t control;
	bool on, overflow;
	uint32_t outcomes, n_outcomes;	/* level 01: not yet stored */
	uint64_t cycles;		/* since the last item with a cycle count, or time stamp */
	struct { uint32_t cycles; bool taken; } waiting;	/* level 11: the first of two */
	bool has_waiting, slot_pc;	/* slot_pc: what is behind the slot goes out as a pc */
};

struct pt_vmdm;
struct pt_vmdm_core {
	struct pt_vmdm *mdm;
	struct pt_vmb *cpu;
	struct pt_vbus *bus;		/* of the core, to tell memory from peripherals */
	struct pt_vmdm_profile profile;
	struct pt_vmdm_counters counters;
	struct pt_vmdm_trace trace;
	uint64_t interrupt_cycle;	/* when the interrupt came that has not been taken; PT_VNEVER: none */
	uint8_t trigger_out;
	uint16_t route[PT_VMDM_TRIGGERS];	/* Cross Trigger Control, by output index; 0: never written */
};

struct pt_vmdm {
	struct pt_vmdm_options options;
	struct pt_vuartlite uart;
	struct pt_vmdm_core core[PT_VMDM_CORES];
	unsigned n_cores;
	uint32_t which;			/* Which MicroBlaze */
	uint32_t ctrl;			/* DBG_CTRL */
	uint64_t wide;			/* a register of more than 32 bits, between its two reads */
	bool unlocked;			/* the last that was written to DBG_LOCK is its code */
	bool armed, second;		/* DBG_CTRL was written and not used; the next read is the second half */
	uint32_t n_locked_polls;
	uint16_t external_triggers;	/* External Cross Trigger Control, as written: its bits are not documented */
};

/* wires: of the UART alone; irq: its line. No cores yet. */
void pt_vmdm_init(struct pt_vmdm *mdm, const struct pt_vmdm_options *options, const struct pt_vwires *wires,
		  unsigned irq);
/* The next port's core, PT_VMDM_CORES at most. Its hook `retired` is the MDM's: pt_vmdm_retired with the
 * returned one. NULL: no memory. */
struct pt_vmdm_core *pt_vmdm_add_core(struct pt_vmdm *mdm, struct pt_vmb *cpu, struct pt_vbus *bus);
void pt_vmdm_fini(struct pt_vmdm *mdm);
void pt_vmdm_retired(void *core, const struct pt_vmb_retired *what);
void pt_vmdm_interrupt(struct pt_vmdm_core *core, bool level);	/* the core's interrupt input, for its latency */
void pt_vmdm_halted(struct pt_vmdm_core *core, uint32_t why);	/* enum pt_vmb_halt */
void pt_vmdm_resumed(struct pt_vmdm_core *core);

/* A register by its command, as JTAG shifts it: n_bits (1..64) through a register that may be shorter or longer, bit 0
 * first. of_mdm: the MDM's own (bit 17 of DBG_CTRL). A register that does not exist, or of a core in reset, reads 0 and
 * ignores writes; so do reads while several cores are selected. */
uint64_t pt_vmdm_read(struct pt_vmdm *mdm, bool of_mdm, uint8_t command, unsigned n_bits);
void pt_vmdm_write(struct pt_vmdm *mdm, bool of_mdm, uint8_t command, unsigned n_bits, uint64_t value);

/* A write at this offset of the AXI window is one that a unit begins or ends to record or to count by. */
bool pt_vmdm_starts_or_stops(const struct pt_vmdm *mdm, uint32_t offset);

unsigned pt_vmdm_bits(const struct pt_vmdm *mdm, uint8_t command);	/* of a core's register; 0: there is none */
unsigned pt_vmdm_own_bits(const struct pt_vmdm *mdm, uint8_t command);	/* of the MDM's */

void pt_vmdm_act(struct pt_vmdm_core *core, enum pt_vmdm_action action);

/* The AXI slave: UART, DBG registers, parallel window. PT_VMDM_AXI_BYTES. */
extern const struct pt_vunit_ops pt_vmdm_ops;	/* the unit is a struct pt_vmdm */

#endif
