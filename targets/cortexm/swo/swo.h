/* The parts of the source swo, for its own files only. Board thread.
 *
 *   source_swo.c	settings, start, drain, stop
 *   swo_setup.c	which registers hold what, the rate of the pin
 *   swo_core_clock.c	the core's clock, and whether it stands while the core sleeps
 *   swo_watch.c	clock and registers while it works
 *   swo_stream.c	bytes of the pin to chunks: whole packets, time, what is lost
 *   swo_silence.c	whether a silent pin works
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
#include "targets/cortexm/swo/swo_silence.h"
#include "trace/itm_packets.h"

enum pt_swo_kind { PT_SWO_EXCEPTIONS = 1, PT_SWO_PC_SAMPLES = 2, PT_SWO_DATA = 4, PT_SWO_TASK = 8, PT_SWO_INSTRUMENTATION = 16,
		   PT_SWO_EVENTS = 32 };

#define PT_SWO_MOST_OFF 0.02	/* if the rates of pin and probe differ by more, bytes are misread */

#define PT_SWO_PC_LOAD 0.1	/* part of the pin for samples alone, unless the user sets it */

enum { PT_SWO_FIRST_BPS = 4000000 };	/* tried first, unless the user sets a rate */
enum { PT_SWO_READ_BYTES = 8192, PT_SWO_PART_BYTES = 64 };

struct pt_swo_stream {			/* swo_stream.c */
	const struct pt_stream_ops *ops;
	void *wire;
	struct pt_emit *out;
	struct pt_swo_clock clock;
	struct pt_swo_silence silence;
	uint64_t silent_to_ns;		/* nothing came up to here since the last chunk; 0: something did */
	struct pt_itm_packets packets;
	struct pt_itm_limits limits;
	uint32_t bits_per_s;
	bool stamped;			/* the ITM sends local stamps */
	bool lost;			/* until a packet is believed, all bytes are dropped */
	uint64_t ticks;			/* as counted by the decoder */
	uint64_t dropped;		/* bytes dropped since the last LOSS; PT_UNKNOWN */
	uint8_t bytes[PT_SWO_PART_BYTES + PT_SWO_READ_BYTES];
	size_t len_bytes, whole_bytes;	/* of bytes; and the part of it that is whole packets */
	bool expects;			/* samples are sent whatever the program does: silence is an error */
	bool warned;			/* that nothing arrives, or nothing readable */
	bool unsaid;			/* the probe cannot report its losses */
	/* so far */
	uint64_t n_bytes, n_reports, n_samples, n_asleep, n_overflows, n_dropped, n_bad_frames, n_impossible;
	uint64_t n_disagree;		/* stamps that contradict their time of arrival */
	uint64_t began_ns;		/* when the trace was turned on */
	uint64_t until_ns;		/* when it was turned off, or the core halted; 0: it is on */
};

struct pt_swo_sleep {
	unsigned n_reads, n_asleep;
	bool stands;			/* CYCCNT stands while the core sleeps */
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
	bool hz_given;			/* core_hz is the user's value, and agrees with the measurement */
	double least_hz, most_hz;	/* limits of the clock, unless only the user's word is known; 0 */
	uint32_t wanted_bps, acpr;
	enum pt_stream_coding coding;
	struct pt_swo_period period;	/* the mean */
	struct pt_swo_cadence cadence;
	struct pt_swo_cycles cycles;
	uint64_t random;
	uint64_t on_ns;			/* when the trace was last turned on */
	uint64_t edges_ns;		/* uncertainty of all times when it was turned on or off, in sum */
	uint64_t access_ns;		/* the longest access that turned it on or off */
	uint64_t checked_ns, changed_ns;	/* when the registers were checked; when the period was changed */
	unsigned n_steps, n_slept;	/* reads of DHCSR; those with the core asleep */
	unsigned n_stood;		/* times that the core's clock stood briefly */
	unsigned n_taken;		/* times that registers were found changed */
	enum pt_loss renew;		/* not 0: everything must be set up again, for this reason */
	struct pt_source_setup setup;
	struct pt_source_place follows[PT_MAX_DWT];	/* variable of each comparator; size_bytes 0: none */
	bool data_pc, named;		/* with the pc of each write; the user said what to trace */
	char *config;			/* a copy, owned */
	bool put_off;			/* the core was halted, its clock is unknown: the set-up waits until it runs */
	bool held, leased, receiving, naps, uncounted;	/* uncounted: the number of samples is uncertain */
	double pc_load;			/* the part of the pin for samples */
	unsigned fed;			/* for the doctor: its stimulus port, plus one; 0: none */
	bool load_given, rest_known;	/* pc_load is the user's value; rest_load was measured */
	double rest_load;		/* the part of the pin for other packets */
	bool chosen;			/* period is */
	enum pt_swo_pin_at_end { PT_SWO_PIN_UNKNOWN, PT_SWO_PIN_WORKS, PT_SWO_PIN_SILENT } pin;
	/* since the last check */
	struct pt_swo_crowd { uint64_t ns, n_reports, n_overflows; bool warned; } crowd;
	char unit[PT_PENDING_UNIT];
};

/* --- swo_setup.c -------------------------------------------------------------------------------------------------- */
/* Plans the contents of the registers, except for what depends on the rate. Reads the registers. */
int pt_swo_plan(struct pt_swo *s, struct pt_err *err);
static inline uint64_t pt_swo_dwt(const struct pt_swo *s, uint32_t offset)
{
	return s->cm->found.unit[PT_UNIT_DWT] + (uint64_t)offset;
}
/* The time of a register access, with half the duration of the access as its uncertainty. */
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
/* Steps for the doctor: stop trace and receiver; start the receiver at this rate (as struct pt_stream_ops' start());
 * set the port's divider to s->acpr, and turn the trace on. */
int pt_swo_pause(struct pt_swo *s, struct pt_err *err);
int pt_swo_receive(struct pt_swo *s, uint32_t bits_per_s, uint32_t *actual, struct pt_err *err);
int pt_swo_program(struct pt_swo *s, struct pt_err *err);
void pt_swo_use_manchester(struct pt_swo *s);	/* from the next pause on, instead of the planned coding */
/* PT_EUNSUPPORTED, PT_EBUSY: the registers do not hold what was written, and why */
int pt_swo_check_written(struct pt_swo *s, struct pt_err *err);
/* Receives at the nearest rate that pin and probe both have. PT_EARG: there is none. */
int pt_swo_try_rate(struct pt_swo *s, uint32_t wanted_bps, struct pt_err *err);
void pt_swo_add_exceptions(struct pt_swo *s);	/* adds exceptions and stamps to a plan that has none */
/* Sets the port's rate, starts receiving, and turns the trace on: earlier bytes are dropped. */
int pt_swo_begin(struct pt_swo *s, struct pt_err *err);
/* Stops packets: waits until the ITM is idle. */
int pt_swo_quiet(struct pt_swo *s, struct pt_err *err);
/* Restores everything. Returns the first error. */
int pt_swo_end(struct pt_swo *s, struct pt_err *err);

/* --- swo_core_clock.c --------------------------------------------------------------------------------------------- */
/* Measures the core's clock, by CYCCNT against the probe's clock, and finds the clock of the pin. given_hz: the user's
 * value, or 0. */
int pt_swo_find_clocks(struct pt_swo *s, uint64_t given_hz, uint64_t trace_hz, struct pt_err *err);
static inline uint64_t pt_swo_missed_ns(const struct pt_swo *s)
{
	return s->cm->target->probe != NULL ? pt_link_missed_ns(pt_probe_link(s->cm->target->probe)) : 0;
}
/* one more reading of CYCCNT */
int pt_swo_read_cyccnt(struct pt_swo *s, struct pt_swo_cycles *cycles, struct pt_err *err);
/* PT_ESTATE: CYCCNT stands in sleep, so it does not show the core's clock. */
int pt_swo_fail_of_sleep(unsigned n_asleep, unsigned n_reads, struct pt_err *err);
/* Measures only the core's clock, until its relative error is below wrong; for 4 s at most. If CYCCNT stands in sleep
 * (s->sleep), the result is its mean rate, and the clock is faster. */
int pt_swo_find_core_clock(struct pt_swo *s, double wrong, struct pt_err *err);

/* --- swo_watch.c -------------------------------------------------------------------------------------------------- */
/* Call it before each read of the pin: if a reason to set everything up again is found (renew), it is done here. Sets
 * another period for the following samples. PT_EBUSY: somebody writes the registers repeatedly. */
int pt_swo_watch(struct pt_swo *s, struct pt_err *err);
void pt_swo_follow(struct pt_swo *s);	/* sets the clock of the stamps to what is known of the core's */

/* --- swo_data.c --------------------------------------------------------------------------------------------------- */
/* Takes a comparator for each variable to be followed. PT_EBUSY: there are too few; PT_EUNSUPPORTED, PT_EARG. */
int pt_swo_take_places(struct pt_swo *s, struct pt_err *err);
void pt_swo_plan_places(struct pt_swo *s);	/* adds rows to regs */
void pt_swo_drop_places(struct pt_swo *s);
size_t pt_swo_print_places(const struct pt_swo *s, char *lines, size_t room);	/* for CONFIG */

/* --- swo_load.c --------------------------------------------------------------------------------------------------- */
/* Measures which part of the pin other packets need, before the period is chosen: 0.1 s without samples. Does nothing
 * if the core is halted, or if the user sets the load of samples. */
int pt_swo_measure_rest(struct pt_swo *s, struct pt_err *err);
/* The load of samples at which no more than this part of all packets is lost. */
double pt_swo_load_beside(double rest_load, double most_lost);
/* For monitor sources: what fits at this rate. limit: half a sentence, why it is this one. */
void pt_swo_print_room(uint32_t bits_per_s, const char *limit, char *text, size_t room);
/* Chooses the period of samples for the rate of the pin. PT_EUNSUPPORTED: even the longest needs too much of it; the
 * sentence says what to do. */
int pt_swo_choose(struct pt_swo *s, struct pt_err *err);
/* Warns once if the chip drops more than intended: other packets are more than before the profile. */
void pt_swo_watch_load(struct pt_swo *s, uint64_t now_ns);
/* Half a sentence with the prediction. */
void pt_swo_predict(const struct pt_swo *s, char *line, size_t room);

/* --- swo_close.c -------------------------------------------------------------------------------------------------- */
/* Turns the trace off, and receives the bytes on their way. If there was a silence before, finds out whether the pin
 * works. */
int pt_swo_fetch_rest(struct pt_swo *s, struct pt_err *err);
/* Compares the number of samples taken with those received: a loss if the difference has no other reason. */
void pt_swo_tell_count(struct pt_swo *s, uint64_t now_ns);
void pt_swo_tell_cost(void *s, struct pt_cost *cost);	/* for pt_emit_costs() */

/* --- swo_stream.c ------------------------------------------------------------------------------------------------- */
/* Makes chunks of the bytes since the last call. cause: why some are lost; 0: none are, unless the probe says so.
 * Returns the number of bytes, or the error of the probe. */
int pt_swo_take(struct pt_swo_stream *s, enum pt_loss cause, uint32_t timeout_ms, struct pt_err *err);
/* The silence up to here is over, and was observed: the core is halted, or the trace ends, and the pin worked. */
void pt_swo_observe_silence(struct pt_swo_stream *s, uint64_t to_ns);
/* The next bytes begin with a packet, and stamps start again: after a LOSS, or at the beginning. */
void pt_swo_anew(struct pt_swo_stream *s, uint64_t now_ns);
/* The longest time for which a packet can wait in the chip for those before it. */
uint64_t pt_swo_wait_ns(const struct pt_swo_stream *s);
/* Reads and drops waiting bytes; returns their number. */
int pt_swo_drop(struct pt_swo_stream *s, struct pt_err *err);

#endif
