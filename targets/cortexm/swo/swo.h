/* The parts of the source swo, for its own files alone. Board thread.
 *
 *   source_swo.c	settings, start, drain, stop
 *   swo_setup.c	which registers hold what, the rate of the pin
 *   swo_core_clock.c	the core's clock, and whether it stands while the core sleeps
 *   swo_watch.c	clock and registers while it works
 *   swo_stream.c	bytes of the pin to chunks: whole packets, time, what is lost
 *   swo_clock.c	the clock of the stamps against the probe's
 *   swo_close.c		the end
 *   swo_data.c		variables that are followed
 *   swo_load.c		the period of samples beside all else, what is predicted
 *   swo_budget.c	what fits through the pin
 *   swo_doctor.c	monitor swo doctor
 *   swo_regs.c		registers, there and back */
#ifndef PT_CORTEXM_SWO_H
#define PT_CORTEXM_SWO_H

#include "base/text.h"
#include "probes/wires/stream.h"
#include "targets/contract/emit.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/core/swo_recipe.h"
#include "targets/cortexm/swo/swo_budget.h"
#include "targets/cortexm/swo/swo_clock.h"
#include "targets/cortexm/swo/swo_regs.h"
#include "trace/itm_packets.h"

enum pt_swo_kind { PT_SWO_EXCEPTIONS = 1, PT_SWO_PC_SAMPLES = 2, PT_SWO_DATA = 4, PT_SWO_TASK = 8, PT_SWO_INSTRUMENTATION = 16,
		   PT_SWO_EVENTS = 32 };

#define PT_SWO_MOST_OFF 0.02	/* of the pin's rate against the probe's: more, and bytes are misread */

#define PT_SWO_PC_LOAD 0.1	/* of samples alone, where the user says none */

enum { PT_SWO_FIRST_BPS = 4000000 };	/* that is tried first where the user says none */
enum { PT_SWO_READ_BYTES = 8192, PT_SWO_PART_BYTES = 64 };

struct pt_swo_stream {			/* swo_stream.c */
	const struct pt_stream_ops *ops;
	void *wire;
	struct pt_emit *out;
	struct pt_swo_clock clock;
	struct pt_itm_packets packets;
	struct pt_itm_limits limits;
	uint32_t bits_per_s;
	bool stamped;			/* the ITM sends local stamps */
	bool lost;			/* up to the next packet that is believed nothing is */
	uint64_t ticks;			/* as the decoder counts them */
	uint64_t dropped;		/* bytes, since the last LOSS; PT_UNKNOWN */
	uint8_t bytes[PT_SWO_PART_BYTES + PT_SWO_READ_BYTES];
	size_t len_bytes, whole_bytes;	/* of bytes; of these in whole packets */
	bool expects;			/* samples are sent, whatever the program does: silence is none of it */
	bool warned;			/* that nothing comes, or nothing that can be read */
	bool unsaid;			/* the probe has no way to say that it lost something */
	/* so far */
	uint64_t n_bytes, n_reports, n_samples, n_asleep, n_overflows, n_dropped, n_bad_frames, n_impossible;
	uint64_t n_disagree;		/* stamps that cannot have come when they came */
	uint64_t began_ns;		/* the trace was turned on */
	uint64_t until_ns;		/* and was turned off, or the core halted: what comes later was sent before; 0: it is on */
};

struct pt_swo_sleep {
	unsigned n_reads, n_asleep;
	bool stands;			/* CYCCNT does, while the core sleeps */
};

struct pt_swo {
	struct pt_cortexm *cm;
	struct pt_mem *mem;
	struct pt_emit out;
	struct pt_swo_stream stream;
	struct pt_swo_regs regs;
	const struct pt_swo_recipe *recipe;
	unsigned kinds;			/* enum pt_swo_kind */
	size_t ctrl, tcr, sppr_row, acpr_row;	/* rows of regs */
	double core_hz, core_wrong, trace_hz;
	struct pt_swo_sleep sleep;	/* while the clock was measured */
	bool hz_given;			/* core_hz is as the user says, and agrees with what was measured */
	double least_hz, most_hz;	/* where it lies, if that is not the user's word alone; 0 */
	uint32_t wanted_bps, acpr;
	enum pt_stream_coding coding;
	struct pt_swo_period period;	/* in the mean */
	struct pt_swo_cadence cadence;
	struct pt_swo_cycles cycles;
	uint64_t random;
	uint64_t on_ns;			/* the trace was turned on for the last time */
	uint64_t edges_ns;		/* on and off: how well all these times are known, in sum */
	uint64_t access_ns;		/* the longest of the accesses that turned it on or off */
	uint64_t checked_ns, changed_ns;	/* the registers were; the period was */
	unsigned n_steps, n_slept;	/* reads of DHCSR; that showed the core asleep */
	unsigned n_stood;		/* times that the core's clock stood for a moment */
	unsigned n_taken;		/* times that registers were found changed */
	enum pt_loss renew;		/* not 0: all has to be set anew, because of this */
	struct pt_source_setup setup;
	struct pt_source_place follows[PT_MAX_DWT];	/* by comparator; size_bytes 0: none */
	bool data_pc, named;		/* with the pc of each write; the user said what to trace */
	char *config;			/* its, a copy */
	bool put_off;			/* the core was halted, its clock is not known: all is set up when it runs */
	bool held, leased, receiving, naps, uncounted;	/* uncounted: not all samples were reckoned */
	double pc_load;			/* the part of the pin that samples may take */
	unsigned fed;			/* the doctor's: one more than the stimulus port that it writes to; 0: none */
	bool load_given, rest_known;	/* pc_load is as the user says; rest_load was measured */
	double rest_load;		/* the part that what else is traced takes */
	bool chosen;			/* period is */
	struct pt_swo_crowd { uint64_t ns, n_reports, n_overflows; bool warned; } crowd;	/* when it was looked at last */
	char unit[PT_PENDING_UNIT];
};

/* --- swo_setup.c -------------------------------------------------------------------------------------------------- */
/* What is to be in the registers, but for what depends on the rate. Reads them. */
int pt_swo_plan(struct pt_swo *s, struct pt_err *err);
static inline uint64_t pt_swo_dwt(const struct pt_swo *s, uint32_t offset)
{
	return s->cm->found.unit[PT_UNIT_DWT] + (uint64_t)offset;
}
/* When a register was accessed, give or take half the time that the access took. */
static inline uint64_t pt_swo_midway_ns(const struct pt_mem_op *op)
{
	return op->sent_ns + (op->done_ns - op->sent_ns) / 2;
}
static inline void pt_swo_note_edge(struct pt_swo *s, const struct pt_mem_op *op)
{
	uint64_t took_ns = op->done_ns - op->sent_ns;

	s->edges_ns += took_ns / 2 + 1;
	s->access_ns = took_ns > s->access_ns ? took_ns : s->access_ns;
}
/* Its parts, for the doctor: no trace and no receiver; a receiver at this rate (as struct pt_stream_ops' start()); the
 * port's divider as s->acpr has it, and the trace on. */
int pt_swo_pause(struct pt_swo *s, struct pt_err *err);
int pt_swo_receive(struct pt_swo *s, uint32_t bits_per_s, uint32_t *actual, struct pt_err *err);
int pt_swo_program(struct pt_swo *s, struct pt_err *err);
void pt_swo_use_manchester(struct pt_swo *s);	/* instead of the coding that was planned, from the next pause on */
int pt_swo_check_written(struct pt_swo *s, struct pt_err *err);	/* PT_EUNSUPPORTED, PT_EBUSY: not, and why */
/* Receive at the rate next to this one that pin and probe both have. PT_EARG: there is none. */
int pt_swo_try_rate(struct pt_swo *s, uint32_t wanted_bps, struct pt_err *err);
void pt_swo_add_exceptions(struct pt_swo *s);	/* exceptions and stamps, of a plan that has none */
/* Set the port's rate, receive at it, and turn the trace on: what came before is dropped. */
int pt_swo_begin(struct pt_swo *s, struct pt_err *err);
/* No more packets: wait until the ITM is idle. */
int pt_swo_quiet(struct pt_swo *s, struct pt_err *err);
/* All back as it was found. The first error is the one to report. */
int pt_swo_end(struct pt_swo *s, struct pt_err *err);

/* --- swo_core_clock.c --------------------------------------------------------------------------------------------- */
/* The core's clock, by CYCCNT against the probe's clock, and the clock of the pin. given_hz: as the user says; 0. */
int pt_swo_find_clocks(struct pt_swo *s, uint64_t given_hz, uint64_t trace_hz, struct pt_err *err);
static inline uint64_t pt_swo_missed_ns(const struct pt_swo *s)
{
	return s->cm->target->probe != NULL ? pt_link_missed_ns(pt_probe_link(s->cm->target->probe)) : 0;
}
int pt_swo_read_cyccnt(struct pt_swo *s, struct pt_swo_cycles *cycles, struct pt_err *err);	/* one more reading of it */
/* PT_ESTATE: CYCCNT stands in sleep, so that it does not show the core's clock. */
int pt_swo_fail_of_sleep(unsigned n_asleep, unsigned n_reads, struct pt_err *err);
/* The core's alone, until it is known as well as that part of it; for 4 s at most. Where it stands in sleep (s->sleep), it is
 * what CYCCNT counts, and the clock is faster. */
int pt_swo_find_core_clock(struct pt_swo *s, double wrong, struct pt_err *err);

/* --- swo_watch.c -------------------------------------------------------------------------------------------------- */
/* Before each read of the pin: sets renew where all has to be set anew, and does so where it was. Another period for the
 * samples to come. PT_EBUSY: the registers are written again and again. */
int pt_swo_watch(struct pt_swo *s, struct pt_err *err);
void pt_swo_follow(struct pt_swo *s);	/* the stamps' clock: as fast as the core's is known to be */

/* --- swo_data.c --------------------------------------------------------------------------------------------------- */
/* A comparator for each variable that is to be followed. PT_EBUSY: there are too few; PT_EUNSUPPORTED, PT_EARG. */
int pt_swo_take_places(struct pt_swo *s, struct pt_err *err);
void pt_swo_plan_places(struct pt_swo *s);	/* rows for regs */
void pt_swo_drop_places(struct pt_swo *s);
size_t pt_swo_print_places(const struct pt_swo *s, char *lines, size_t room);	/* for CONFIG */

/* --- swo_load.c --------------------------------------------------------------------------------------------------- */
/* How much of the pin what else is traced takes, before the period is chosen: 0.1 s without samples. Nothing where the core is
 * halted, or the user says the load of samples. */
int pt_swo_measure_rest(struct pt_swo *s, struct pt_err *err);
/* The load of samples beside which no more than that part of all is lost. */
double pt_swo_load_beside(double rest_load, double most_lost);
/* For monitor sources: what fits at this rate; limit: why it is this one, as half a sentence. */
void pt_swo_print_room(uint32_t bits_per_s, const char *limit, char *text, size_t room);
/* The period of samples for the rate of the pin. PT_EUNSUPPORTED: the longest takes too much of it, and what to do. */
int pt_swo_choose(struct pt_swo *s, struct pt_err *err);
/* Warns once if the chip drops more than was aimed at: what else is traced is more than it was before the profile. */
void pt_swo_watch_load(struct pt_swo *s, uint64_t now_ns);
/* What is predicted, as half a sentence. */
void pt_swo_predict(const struct pt_swo *s, char *line, size_t room);

/* --- swo_close.c -------------------------------------------------------------------------------------------------- */
int pt_swo_fetch_rest(struct pt_swo *s, struct pt_err *err);	/* no more trace, and what was on its way */
/* How many samples were taken, and how many came: a loss where the difference has no other reason. */
void pt_swo_tell_count(struct pt_swo *s, uint64_t now_ns);
void pt_swo_tell_cost(void *s, struct pt_cost *cost);	/* for pt_emit_costs() */

/* --- swo_stream.c ------------------------------------------------------------------------------------------------- */
/* What came since the last call becomes chunks. cause: of what is lost in it; 0: nothing is, unless the probe says so.
 * Returns how many bytes, or the error of the probe. */
int pt_swo_take(struct pt_swo_stream *s, enum pt_loss cause, uint32_t timeout_ms, struct pt_err *err);
/* The next bytes begin a packet, and stamps begin anew: behind a LOSS, or at the beginning. */
void pt_swo_anew(struct pt_swo_stream *s, uint64_t now_ns);
/* How long packets may wait in the chip for those in front of them, at most. */
uint64_t pt_swo_wait_ns(const struct pt_swo_stream *s);
/* Read and drop what there is; returns how many bytes. */
int pt_swo_drop(struct pt_swo_stream *s, struct pt_err *err);

#endif
