/* The target microblaze: AMD's soft core. A GDB server that owns the cable (hw_server, QEMU, a virtual board) does run
 * control, registers and memory; the MicroBlaze Debug Module does non-intrusive profiling: bins, counters, trace.
 * Without a server only the latter works: how an MDM halts a core is not documented. Board thread only.
 *
 *   settings.c design.c      every setting, and what they say of the design
 *   mdm.c mdm_axi.c mdm_xsdb.c mdm_jtag.c
 *                            debug registers, and access methods
 *   bins_unit.c source_bins.c
 *                            non-intrusive profiling
 *   counters_unit.c source_counters.c
 *                            performance counters
 *   source_trace.c           program and event trace
 *   source_common.c          common to the sources
 *   ending.c                 what stops the units, noted in case this process is killed
 *   cores.c                  bins and counters of several cores at once
 *   registers.c              layout of the g packet, and what the unit registers hold
 *   microblaze.c             attach, detach, and the table of it all
 *
 * Sources: UG984 (MicroBlaze Processor Reference Guide), PG115 (MDM v3.2). */
#ifndef PT_MICROBLAZE_MICROBLAZE_H
#define PT_MICROBLAZE_MICROBLAZE_H

#include "targets/contract/cores.h"
#include "targets/contract/emit.h"
#include "targets/microblaze/mdm.h"
#include "targets/microblaze/settings.h"
#include "targets/remote/remote.h"
#include "targets/contract/target.h"

/* How an address maps to a bin. UNVERIFIED which one the core uses. */
enum pt_mb_index { PT_MB_SUB_THEN_SHIFT, PT_MB_SHIFT_THEN_SUB, PT_MB_SHIFT_MASK };

/* Parameters of the design that no register shows. */
struct pt_mb_design {
	unsigned addr_bits;		/* C_ADDR_SIZE */
	uint32_t prof_bytes;		/* C_DEBUG_PROFILE_SIZE; 0: none */
	unsigned pbar_bits;		/* 0: by its size */
	enum pt_mb_index index;
	unsigned n_events, n_latencies, counter_bits;
	bool lat64;			/* the layout of 64-bit latency counters is assumed */
	bool check_counters;		/* detect counters by a mark that is written and read back */
	uint32_t trace_bytes;
	bool trace_external, short_lower_first;
	uint64_t hz;			/* 0: unknown */
};

/* What was last written to registers that cannot be read; for `monitor status` and the private registers. */
struct pt_mb_written {
	uint32_t pctrlr, plar, phar, tctrlr, xtrig;
	bool prof, trace, counters, cross;	/* at work */
};

struct pt_mb {
	struct pt_remote remote;	/* first: pt_remote_* take it */
	struct pt_target *target;
	bool behind_server;
	bool big_endian;
	bool endian_open;		/* neither a setting nor the MDM gives the byte order: the program does */
	bool step_through;
	unsigned core;			/* of the MDM */
	unsigned cores_starting;	/* number of cores of the source being started */
	struct pt_mdm mdm;
	struct pt_mb_design design;
	struct pt_mb_written written;
	struct pt_mem no_mem;		/* without a GDB server */
	char name[160];
};

/* --- design.c */
/* PT_EARG: settings that are impossible for any design. */
int pt_mb_read_settings(struct pt_mb *mb, const struct pt_params *settings, struct pt_err *err);

/* Cross Trigger Control (PG115): output `output` of the core's triggers is driven by the inputs in mask, bit 0 = input
 * 0; mask 0: by none. */
int pt_mb_cross_trigger(struct pt_mb *mb, unsigned select, uint8_t mask, bool all_of_them, unsigned output,
			struct pt_err *err);
/* The write that disconnects all inputs from that output. */
static inline struct pt_mdm_op pt_mb_cross_trigger_off(unsigned output)
{
	return (struct pt_mdm_op){ .what = PT_MDM_WRITE, .own = true, .command = MDM_XTRIG_CTRL,
				   .bits = MDM_XTRIG_CTRL_BITS, .value = output };
}

/* --- bins_unit.c: the profiling buffer */

enum { PT_BINS_MOST = 32768, PT_BIN_BITS = 36 };
#define PT_BIN_FULL ((UINT64_C(1) << PT_BIN_BITS) - 1)

struct pt_bins_unit {
	struct pt_mdm *mdm;
	struct pt_mb_written *written;
	uint32_t n_bins;
	unsigned addr_bits, pbar_bits, shift;	/* shift: a bin is 4 << shift bytes */
	bool cycles;
	uint64_t low, high;		/* byte addresses, inclusive; low is the first address of bin `first` */
	uint64_t from;			/* address of the first requested bin; bins below it are for alignment */
	uint32_t first;			/* the bin of low; 0, except with shift_mask */
	uint32_t skip, n_used;		/* bins from low's to from's; bins from from's to high's */
	uint64_t ns_per_bin;		/* measured time to read a bin */
};

/* Checks that there is a buffer of the size that the settings say. Stops profiling. Finds out by markers which half of
 * 36 bits comes first, whether the AXI slave has the window, the width of PBAR, and that each address bit works. keep:
 * restores the buffer. PT_EUNSUPPORTED: no buffer answers; PT_EARG: it has another size, or the setting is invalid;
 * PT_ESTATE: with keep, a tested bin has a value too large to be restored. */
int pt_bins_unit_check(struct pt_bins_unit *u, const struct pt_mb_design *design, bool keep, struct pt_err *err);
/* Chooses the range [low, high] with bins of 4 << shift bytes (shift below 0: the smallest possible). PT_EARG: it does
 * not fit. */
int pt_bins_unit_range(struct pt_bins_unit *u, enum pt_mb_index index, uint64_t low, uint64_t high, int shift,
		       struct pt_err *err);
int pt_bins_unit_clear(struct pt_bins_unit *u, struct pt_err *err);
/* writes range, size and what is counted; leaves it stopped */
int pt_bins_unit_program(struct pt_bins_unit *u, struct pt_err *err);
int pt_bins_unit_enable(struct pt_bins_unit *u, bool on, struct pt_err *err);
/* For a caller that writes the command itself: the write, and a notice that it was done. */
struct pt_mdm_op pt_bins_unit_command(const struct pt_bins_unit *u, bool on);
void pt_bins_unit_commanded(struct pt_bins_unit *u, bool on);
/* Reads bins first to first + n - 1. */
int pt_bins_unit_read(struct pt_bins_unit *u, uint32_t first, uint32_t n, uint64_t *values, struct pt_err *err);
/* The n-th bin that the range needs. */
static inline uint32_t pt_bins_unit_used(const struct pt_bins_unit *u, uint32_t n)
{
	return (u->first + u->skip + n) & (u->n_bins - 1);
}
/* The first byte address that bin i counts; above u->high: the bin is unused. */
static inline uint64_t pt_bins_unit_address(const struct pt_bins_unit *u, uint32_t i)
{
	return u->low + ((uint64_t)((i - u->first) & (u->n_bins - 1)) << (u->shift + 2));
}

/* --- source_common.c */

struct pt_mb_unit {			/* a unit of a core, leased for a profile */
	struct pt_target *target;
	char name[PT_PENDING_UNIT];	/* "mb.counters.0" */
	unsigned core;
	bool leased;
	bool silent;			/* all its registers read 0, as in a core in reset */
};
int pt_mb_unit_take(struct pt_mb_unit *unit, struct pt_mb *mb, const char *name, unsigned core, struct pt_err *err);
void pt_mb_unit_drop(struct pt_mb_unit *unit);	/* also if it was not taken */
/* The unit does not answer: reports the time as lost. Warns once. Returns microseconds to wait. */
int pt_mb_unit_silent(struct pt_mb_unit *unit, struct pt_emit *out, uint64_t now_ns);
void pt_mb_unit_answers(struct pt_mb_unit *unit);
/* --- ending.c */

enum { PT_MB_MOST_ENDS = 3 };
/* Called before the unit is written: ends are the writes that stop it. They stay noted until the unit has ended. */
void pt_mb_unit_begins(const struct pt_mb_unit *unit, const struct pt_mdm_op *ends, size_t n);
void pt_mb_unit_ended(const struct pt_mb_unit *unit);
int pt_mb_pending_write(void *state, const struct pt_pending_row *rows, size_t n, const uint32_t *values,
			struct pt_err *err);

/* --- source_common.c */

/* The GDB server's thread (a core of the board) for this core of the MDM: if it has as many threads as the MDM has
 * cores, the one with the same index; else its first thread for all. */
unsigned pt_mb_thread_of(const struct pt_mb *mb, unsigned core);
/* Asks the GDB server whether this core of the MDM is halted. If so, the trace begins with a halt. */
int pt_mb_look_at_core(struct pt_mb *mb, unsigned core, struct pt_emit *out, bool *held, struct pt_err *err);

/* --- sources, each in its file */

/* The source of one core. */
struct pt_mb_one {
	struct pt_source_ops ops;
	/* The write of one debug register that starts (on) or stops counting; false: no write needed. start() prepares
	 * everything else. NULL: start() and stop() do it themselves. */
	bool (*command)(const void *state, bool on, struct pt_mdm_op *op);
	/* Called after that write, if there was one; sent_ns: before the write, so not later than it took effect. */
	void (*commanded)(void *state, bool on, uint64_t sent_ns);
};

/* cores.c: one source of several cores of the MDM, each with a number in the trace from setup->source on. `one` handles
 * the core in setup->core; word is the parameter core, NULL: mdm.core. */
#define PT_MB_CORE_PARAM                                                                                               \
	{ "core", PT_PARAM_TEXT, NULL, NULL, 0, 0,                                                                     \
	  "which MicroBlaze at the MDM: its number, or all, each with figures of its own; else mdm.core" }
struct pt_mb_cores {
	struct pt_mb *mb;
	struct pt_cores_kind kind;
	const struct pt_mb_one *one;
	struct pt_cores cores;
};
int pt_mb_cores_start(struct pt_mb_cores *s, const struct pt_mb_one *one, const char *word, struct pt_target *target,
		      const struct pt_source_setup *setup, struct pt_err *err);
int pt_mb_cores_drain(void *state, struct pt_err *err);
int pt_mb_cores_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err);
int pt_mb_cores_stop(void *state, struct pt_err *err);
/* For `cost` of the source being started: how several cores start; "" for one. */
const char *pt_mb_cores_say(const struct pt_mb *mb);

extern const struct pt_source_ops pt_source_mb_bins, pt_source_mb_counters, pt_source_mb_trace;

#endif
