/* The target microblaze: AMD's soft core, behind a GDB server that owns the cable (hw_server, QEMU, a virtual board)
 * for run control, registers and memory, and behind the MicroBlaze Debug Module for what runs beside the program:
 * profiling bins, counters, trace. Without a server only the latter: how an MDM halts a core is not documented. Board
 * thread only.
 *
 *   settings.c design.c      every setting, and what they say of the design
 *   mdm.c mdm_axi.c mdm_xsdb.c mdm_jtag.c
 *                            debug registers, and the ways to them
 *   bins_unit.c source_bins.c
 *                            non-intrusive profiling
 *   counters_unit.c source_counters.c
 *                            performance counters
 *   source_trace.c           program and event trace
 *   source_common.c          what these have in common
 *   ending.c                 what ends their work, noted in case that this process is killed
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

/* How an address finds its bin; not verified which it is. */
enum pt_mb_index { PT_MB_SUB_THEN_SHIFT, PT_MB_SHIFT_THEN_SUB, PT_MB_SHIFT_MASK };

/* Parameters of the design that no register tells. */
struct pt_mb_design {
	unsigned addr_bits;		/* C_ADDR_SIZE */
	uint32_t prof_bytes;		/* C_DEBUG_PROFILE_SIZE; 0: none */
	unsigned pbar_bits;		/* 0: by its size */
	enum pt_mb_index index;
	unsigned n_events, n_latencies, counter_bits;
	bool lat64;			/* the layout of 64-bit latency counters is taken for granted */
	bool check_counters;		/* a mark written to one can be read back */
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
	bool endian_open;		/* neither a setting nor the MDM's window says it: it is the program's */
	bool step_through;
	unsigned core;			/* of the MDM */
	unsigned cores_starting;	/* that the source has which starts at present */
	struct pt_mdm mdm;
	struct pt_mb_design design;
	struct pt_mb_written written;
	struct pt_mem no_mem;		/* without a GDB server */
	char name[160];
};

/* --- design.c */
/* PT_EARG: settings that no design can have. */
int pt_mb_read_settings(struct pt_mb *mb, const struct pt_params *settings, struct pt_err *err);

/* Cross Trigger Control (PG115): output `output` of the core's triggers is driven by the inputs in mask, bit 0 = input
 * 0; mask 0: by none. */
int pt_mb_cross_trigger(struct pt_mb *mb, unsigned select, uint8_t mask, bool all_of_them, unsigned output,
			struct pt_err *err);
/* The write by which no input drives that output. */
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
	uint64_t low, high;		/* byte addresses, both in it; low is the first address of bin `first` */
	uint64_t from;			/* the first bin that was asked for; what lies below is there to align it */
	uint32_t first;			/* the bin of low, 0 but with shift_mask */
	uint32_t skip, n_used;		/* bins from that of low to that of from; and from there to that of high */
	uint64_t ns_per_bin;		/* of a reading, as measured */
};

/* Is there a buffer, and of the size that the settings say? Stops profiling. Finds out, by markers, which half of 36
 * bits comes first, whether the AXI slave has the window, how wide PBAR is, and that each bit of an address counts.
 * keep: what is in the buffer is put back. PT_EUNSUPPORTED: no buffer answers; PT_EARG: it has another size, or the
 * setting is none; PT_ESTATE: with keep, a bin that is looked at has more than can be put back. */
int pt_bins_unit_check(struct pt_bins_unit *u, const struct pt_mb_design *design, bool keep, struct pt_err *err);
/* The smallest bins that [low, high] takes, or of 4 << shift bytes (shift below 0: smallest). PT_EARG: it does not
 * fit. */
int pt_bins_unit_range(struct pt_bins_unit *u, enum pt_mb_index index, uint64_t low, uint64_t high, int shift,
		       struct pt_err *err);
int pt_bins_unit_clear(struct pt_bins_unit *u, struct pt_err *err);
int pt_bins_unit_program(struct pt_bins_unit *u, struct pt_err *err);	/* range, size, what is counted; stopped */
int pt_bins_unit_enable(struct pt_bins_unit *u, bool on, struct pt_err *err);
/* The same, written by another: what to write, and that it was written. */
struct pt_mdm_op pt_bins_unit_command(const struct pt_bins_unit *u, bool on);
void pt_bins_unit_commanded(struct pt_bins_unit *u, bool on);
/* Bins first to first + n - 1. */
int pt_bins_unit_read(struct pt_bins_unit *u, uint32_t first, uint32_t n, uint64_t *values, struct pt_err *err);
/* The n-th bin that the range needs. */
static inline uint32_t pt_bins_unit_used(const struct pt_bins_unit *u, uint32_t n)
{
	return (u->first + u->skip + n) & (u->n_bins - 1);
}
/* The first byte of what bin i counts; above u->high: nothing. */
static inline uint64_t pt_bins_unit_address(const struct pt_bins_unit *u, uint32_t i)
{
	return u->low + ((uint64_t)((i - u->first) & (u->n_bins - 1)) << (u->shift + 2));
}

/* --- source_common.c */

struct pt_mb_unit {			/* of a core, leased for a profile */
	struct pt_target *target;
	char name[PT_PENDING_UNIT];	/* "mb.counters.0" */
	unsigned core;
	bool leased;
	bool silent;			/* all its registers read 0, as those of a core in reset do */
};
int pt_mb_unit_take(struct pt_mb_unit *unit, struct pt_mb *mb, const char *name, unsigned core, struct pt_err *err);
void pt_mb_unit_drop(struct pt_mb_unit *unit);	/* that was taken, or not */
/* It does not answer: what was not told yet is a loss. Says so once. Returns how long to rest, in microseconds. */
int pt_mb_unit_silent(struct pt_mb_unit *unit, struct pt_emit *out, uint64_t now_ns);
void pt_mb_unit_answers(struct pt_mb_unit *unit);
/* --- ending.c */

enum { PT_MB_MOST_ENDS = 3 };
/* Before the unit is written: these end what it does. They are noted until the unit has ended. */
void pt_mb_unit_begins(const struct pt_mb_unit *unit, const struct pt_mdm_op *ends, size_t n);
void pt_mb_unit_ended(const struct pt_mb_unit *unit);
int pt_mb_pending_write(void *state, const struct pt_pending_row *rows, size_t n, const uint32_t *values,
			struct pt_err *err);

/* --- source_common.c */

/* Which of the GDB server's threads (cores, to the board) is this core of the MDM: where it has as many of them as the MDM
 * has cores, the one at the same place in the list; else its first one stands for all of them. */
unsigned pt_mb_thread_of(const struct pt_mb *mb, unsigned core);
/* Is this core of the MDM held, as far as the GDB server tells? Then the trace begins with that. */
int pt_mb_look_at_core(struct pt_mb *mb, unsigned core, struct pt_emit *out, bool *held, struct pt_err *err);

/* --- sources, each in its file */

/* The source of one core. */
struct pt_mb_one {
	struct pt_source_ops ops;
	/* What begins (on) or ends counting, if it is the write of one debug register; false: nothing is to be
	 * written. start() leaves everything ready for it. NULL: start() and stop() do it themselves. */
	bool (*command)(const void *state, bool on, struct pt_mdm_op *op);
	/* That has been written, if there was anything to write; sent_ns: just before, so no later than it took effect. */
	void (*commanded)(void *state, bool on, uint64_t sent_ns);
};

/* cores.c: one source of several cores of the MDM, each with a number in the trace from setup->source on. `one` is of
 * the core that setup->core names; word is that of the row, NULL: mdm.core. */
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
/* For `cost` of the source that starts: how several cores begin; "" of one. */
const char *pt_mb_cores_say(const struct pt_mb *mb);

extern const struct pt_source_ops pt_source_mb_bins, pt_source_mb_counters, pt_source_mb_trace;

#endif
