/* What the files of the source mtb share: the unit's registers, the window in RAM, and what every mode needs.
 *
 *   mtb_unit.c      registers as rows, batches of register accesses
 *   mtb_trigger.c   from= and to=: the comparators of the MTB_DWT
 *   mtb_window.c    which RAM, which MASK, which POINTER
 *   mtb_burst.c mtb_stream.c mtb_halt.c mtb_ring.c    the modes
 *   mtb_common.c    the unit was changed by another debugger or the program, errors
 *   source_mtb.c    start, stop, chunks
 *
 * Board thread only. Source: Arm DDI 0486 (CoreSight MTB-M0+), chapters 2 and 3. */
#ifndef PT_CORTEXM_MTB_H
#define PT_CORTEXM_MTB_H

#include "targets/cortexm/core/cortexm.h"
#include "targets/contract/emit.h"
#include "targets/contract/source.h"
#include "targets/cortexm/trace/mtb_trigger.h"

/* --- registers. Source: DDI 0486, tables 3-1 to 3-6 --------------------------------------------------------------- */

enum { MTB_POSITION = 0x0, MTB_MASTER = 0x4, MTB_FLOW = 0x8, MTB_BASE = 0xc };
enum { POSITION_WRAP = 1 << 2, POSITION_POINTER = ~7 };
#define MASTER_EN UINT32_C(0x80000000)
enum { MASTER_HALTREQ = 1 << 9, MASTER_RAMPRIV = 1 << 8, MASTER_SFRWPRIV = 1 << 7,
       MASTER_TSTOPEN = 1 << 6, MASTER_TSTARTEN = 1 << 5, MASTER_MASK = 0x1f };
enum { FLOW_AUTOSTOP = 1 << 0, FLOW_AUTOHALT = 1 << 1 };
enum { PACKET_BYTES = 8 };

extern const struct pt_field pt_mtb_position_fields[], pt_mtb_master_fields[], pt_mtb_flow_fields[];

struct pt_mtb_regs { uint32_t position, master, flow, base; };

/* A batch of accesses to the unit and to other words, with memory for their bytes. */
enum { PT_MTB_BATCH = 32 };
struct pt_mtb_batch {
	struct pt_mem_op op[PT_MTB_BATCH];
	uint8_t bytes[PT_MTB_BATCH][4];
	size_t n, n_done;
};

struct pt_mtb;

/* Each returns the index of its op. */
size_t pt_mtb_put_write(struct pt_mtb_batch *batch, uint64_t addr, uint32_t value);
size_t pt_mtb_put_read(struct pt_mtb_batch *batch, uint64_t addr);
size_t pt_mtb_put_data(struct pt_mtb_batch *batch, uint64_t addr, uint8_t *bytes, size_t len_bytes);
/* for 5 ms at most */
size_t pt_mtb_put_poll(struct pt_mtb_batch *batch, uint64_t addr, uint32_t mask, uint32_t match);
size_t pt_mtb_put_delay(struct pt_mtb_batch *batch, uint32_t time_us);
uint32_t pt_mtb_value(const struct pt_mtb_batch *batch, size_t i);	/* of a completed read */
int pt_mtb_run(struct pt_mtb *m, struct pt_mtb_batch *batch, struct pt_err *err);

/* --- the window --------------------------------------------------------------------------------------------------- */

struct pt_mtb_window {
	uint32_t addr, len_bytes;	/* in the system's map; a multiple of 8 */
	uint32_t pointer;		/* of addr */
	uint32_t mask;			/* MASTER.MASK: the ring of 2^(mask + 4) bytes around it */
	bool ring;			/* it is the whole of that ring, so recording may wrap */
};

enum { PT_MTB_LEAST_BYTES = 64 };	/* smaller windows are not used */

struct pt_mtb_need {
	uint32_t awidth;	/* bits of an address that POINTER has */
	uint32_t sram_base;	/* BASE; 0: the unit does not tell it */
	uint32_t want_bytes;	/* at most */
	bool ring;		/* must be able to wrap */
};

/* Makes the window at exactly addr; PT_EARG: why it is impossible. */
int pt_mtb_window_at(struct pt_mtb_window *win, const struct pt_mtb_need *need, uint64_t addr, uint64_t size,
		     struct pt_err *err);
/* Finds the best window in the spans: the largest, and of the same size a ring. False: there is none of 64 bytes. */
bool pt_mtb_window_find(struct pt_mtb_window *win, const struct pt_mtb_need *need, const struct pt_span *spans,
			size_t n_spans);

/* For `monitor status`: prints each register that the source has changed, with its original value. */
void pt_mtb_describe(const struct pt_mtb *m, void (*say)(void *arg, const char *line), void *arg);

/* --- the source --------------------------------------------------------------------------------------------------- */

enum { PT_MTB_MAX_BYTES = PT_CHUNK_BYTES, PT_MTB_STEP_BYTES = 2048 };

struct pt_mtb_mode {
	const char *name;
	bool ring;		/* needs a window that wraps */
	bool holds;		/* halts the core */
	bool apart;		/* chunks are independent: a halt is reported before the data of before it are read */
	const char *cost;	/* sentence; one %u for the branches a buffer holds */
	int (*start)(struct pt_mtb *m, struct pt_err *err);
	int (*drain)(struct pt_mtb *m, struct pt_err *err);	/* as struct pt_source_ops */
	/* The core was halted by a debugger, or the profile ends: fetches what was recorded; afterwards nothing is
	 * pending. */
	int (*flush)(struct pt_mtb *m, struct pt_err *err);
	void (*was_reset)(struct pt_mtb *m);	/* the unit was reset: recording starts again at the next drain */
	void (*was_halted)(struct pt_mtb *m, uint64_t since_ns);	/* found at halt_ns; may be NULL */
	int (*leave)(struct pt_mtb *m, struct pt_err *err);	/* called after the unit was restored; may be NULL */
};
extern const struct pt_mtb_mode pt_mtb_burst, pt_mtb_stream, pt_mtb_halt, pt_mtb_ring;

enum pt_mtb_state {
	MTB_IDLE,		/* EN is 0 and nothing is pending */
	MTB_ARMED,		/* EN was set */
	MTB_FULL,		/* burst: stopped, being read */
	MTB_UNSURE,		/* after an error or an interrupt: the state must be read */
};

struct pt_mtb {
	struct pt_cortexm *cm;
	struct pt_mem *mem;
	struct pt_emit out;
	struct pt_cost_part cost;	/* halts caused by a full buffer */
	const struct pt_mtb_mode *mode;
	uint64_t regs;			/* base address of the unit */
	struct pt_mtb_window win;
	struct pt_mtb_regs found;	/* as found, to be restored */
	uint8_t *found_ram;		/* original contents of the window, if the core was halted; else NULL */
	struct pt_mtb_trigger trigger;	/* burst: from=, to= */
	bool triggered;			/* something was recorded after the trigger */
	uint32_t keep;			/* MASTER bits that keep their original value */
	uint64_t random, period_us;
	bool shares_link;		/* as in struct pt_source_setup */

	enum pt_mtb_state state;
	bool held;			/* a debugger halted the core */
	bool untold;			/* the data recorded before that halt, and the halt, are still to be reported */
	uint64_t halt_pc, halt_ns;	/* then */
	uint64_t resumed_ns;		/* when the debugger resumed it last; 0: never */
	bool all_told;			/* mode halt: everything was reported, up to the end, where the core slept */
	uint64_t armed_ns, stopped_ns;
	uint64_t armed_slack_ns;	/* burst: it may have been armed earlier, by up to this time */
	uint64_t ahead_ns;		/* the shortest time by which a read of ahead_bytes has delayed an arming */
	uint32_t ahead_bytes;
	bool not_random;		/* burst: armed when the core may have been halted already: it may begin at the resume */
	uint32_t watermark;		/* as written to FLOW */
	bool odd_burst;		/* mode halt: the watermark is a packet earlier */
	uint32_t read_offset;		/* in the window: data before it were read; burst: the position of the read */
	uint32_t len_bytes;		/* burst: length of what is being read */
	/* burst: the rest of the delay before the next arming; PT_UNKNOWN: not drawn yet */
	uint64_t delay_us;
	uint32_t stop_pc;		/* halt: where the core was last halted */
	unsigned n_expired, n_taken;
	bool leased;
	uint8_t data[PT_MTB_MAX_BYTES];
};

/* POSITION, FLOW, MASTER with EN, in this order, for recording from offset on; ahead of it EN must be 0. Returns the
 * index of the write of MASTER in the batch. */
size_t pt_mtb_put_arm(struct pt_mtb *m, struct pt_mtb_batch *batch, uint32_t flow);
/* Ends the recording, then reads POSITION; the times are those of this read. After an error out is unspecified. */
struct pt_mtb_end { uint32_t position; uint64_t sent_ns, done_ns; };
int pt_mtb_stop_unit(struct pt_mtb *m, struct pt_mtb_end *out, struct pt_err *err);
uint32_t pt_mtb_master(const struct pt_mtb *m);		/* as the source writes it, but not recording */
uint32_t pt_mtb_armed(const struct pt_mtb *m);		/* the bits that start recording: EN, or the trigger's */
uint32_t pt_mtb_offset(const struct pt_mtb *m, uint32_t position);	/* in the window */
/* The registers are not as they were written: reports who changed them, as a LOSS up to now, and starts again. 0, or an
 * error if it was the firmware and it repeats this. */
int pt_mtb_disturbed(struct pt_mtb *m, const struct pt_mtb_regs *seen, struct pt_err *err);
/* After an error: stops the unit, to be armed again; its data count as lost by that cause, or by the error. */
int pt_mtb_begin_anew(struct pt_mtb *m, enum pt_loss cause, struct pt_err *err);
/* How many of the last len_bytes were recorded before a halt that is not reported yet: a debugger that moved the pc
 * since then has made packets, too, the first of them from where the core was halted. They are described by STATE
 * chunks. */
uint32_t pt_mtb_until_halt(const struct pt_mtb *m, const uint8_t *data, uint32_t len_bytes);
int pt_mtb_failed(struct pt_mtb *m, int rc, struct pt_err *err);	/* pt_emit_failed() now */
void pt_mtb_works(struct pt_mtb *m, uint32_t dhcsr);	/* pt_emit_works(), and checks whether there was a reset */

#endif
