/* What every source does with its chunks: DATA and LOSS that tile the session, STATE, END, and the patience with a wire
 * that fails for a moment. Board thread only. */
#ifndef PT_TARGETS_EMIT_H
#define PT_TARGETS_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "targets/contract/source.h"
#include "trace/chunk.h"
#include "trace/cost.h"
#include "trace/loss.h"

struct pt_emit {
	struct pt_sink *sink;
	uint16_t source, core;
	uint64_t told_ns;		/* DATA and LOSS tile the session up to here */
	bool restarts;			/* the next DATA does not continue the one before */
	uint16_t restarts_as;		/* and says this (PT_DATA_CHOSEN_...); 0: PT_DATA_RESTARTS */
	bool ended;			/* END is out: nothing more follows */
	uint64_t failing_since_ns;	/* PT_UNKNOWN: all is well */
	enum pt_loss fault;		/* while it fails: what that makes of the time */
	struct pt_chunk *reserved[3];	/* taken from the pool ahead, so that what is to come cannot fail */
	unsigned n_reserved;
	uint64_t batch_ns;		/* pt_emit_batch_from(): how long batches take; 0: there was none */
	/* pt_emit_costs(): the function that fills it in, since when, and the time that was reported last */
	void (*tell_cost)(void *arg, struct pt_cost *cost);
	void *cost_arg;
	uint64_t cost_from_ns, cost_told_ns;
};

void pt_emit_init(struct pt_emit *out, const struct pt_source_setup *setup, uint64_t now_ns);

/* "format=...\n" and so on; lines are the source's own, behind the setup's. PT_ENOMEM: the pool is full. */
int pt_emit_config(struct pt_emit *out, const struct pt_source_setup *setup, const char *format, const char *lines,
		   struct pt_err *err);
/* from_ns and to_ns are moved up to told_ns where they lie before it. Without room it is a LOSS. */
void pt_emit_data(struct pt_emit *out, uint64_t from_ns, uint64_t to_ns, const void *bytes, size_t len_bytes);
/* The same where from_ns, to_ns are the likeliest times and no bounds: it may have taken slack_ns more. */
void pt_emit_data_about(struct pt_emit *out, uint64_t from_ns, uint64_t to_ns, uint64_t slack_ns, const void *bytes,
			size_t len_bytes);
/* Samples in a row were read from from_ns to to_ns. Returns from when on they observe: from_ns, or later where the
 * host, or what is between it and the probe, was held up meanwhile, so that a row took many times as long as others do.
 * Until then nothing was observed. */
uint64_t pt_emit_batch_from(struct pt_emit *out, uint64_t from_ns, uint64_t to_ns);
/* from told_ns; nothing if that is no time */
void pt_emit_loss(struct pt_emit *out, enum pt_loss cause, uint64_t to_ns);
/* The same where it is known of how many bytes. */
void pt_emit_loss_of(struct pt_emit *out, enum pt_loss cause, uint64_t lost_bytes, uint64_t to_ns);
void pt_emit_state(struct pt_emit *out, enum pt_state what, uint64_t ns, uint64_t pc);
/* At ns the source found the core halted, without a request of proftap (by a breakpoint, for example). The core ran until
 * since_ns; between since_ns and ns it may have run or been halted. */
void pt_emit_found_halted(struct pt_emit *out, uint64_t since_ns, uint64_t ns, uint64_t pc);
/* The core is halted when the source begins: says so, with its pc. Errors: the target's. */
int pt_emit_halted(struct pt_emit *out, struct pt_target *target, unsigned core, struct pt_err *err);
/* Ticks of the source's stamps were at ns, plus or minus. Nothing without room: an anchor more or less. */
void pt_emit_clock(struct pt_emit *out, uint64_t ticks, uint64_t ns, uint64_t error_ns);
/* From now on the source's overhead is reported: now and then, about once in a second, and before END, so
 * that a capture that is cut short has it, too. tell() fills in the parts of cost, which is zeroed. */
void pt_emit_costs(struct pt_emit *out, void (*tell)(void *arg, struct pt_cost *cost), void *arg);
/* Waits up to 1 s for room, because the analysis thread waits for nothing else. Only the first one counts. */
void pt_emit_end(struct pt_emit *out);
/* For a source that holds the core: room for the next n (0..3) chunks, or false: try again later, lose nothing. */
bool pt_emit_reserve(struct pt_emit *out, unsigned n);

/* A batch failed with rc; PT_EPROTO: the target gave no answer. PT_EINTERRUPTED: call again. More than 0: a reset or a
 * short loss of power, try again in so many microseconds. Else it is fatal: the LOSS and END are out. */
int pt_emit_failed(struct pt_emit *out, uint64_t now_ns, int rc);
/* The profile ends: what was not accounted for yet is a loss, by what fails at present, else of that cause. rc: of the
 * attempt to fetch the rest. */
void pt_emit_rest(struct pt_emit *out, uint64_t now_ns, int rc, enum pt_loss cause);
/* It works again: what was missed is a LOSS, to a reset, to a target that gave no answer, or to the wire. */
void pt_emit_works(struct pt_emit *out, uint64_t now_ns, bool was_reset);
/* The batch failed because the core sleeps so deep that nothing can be reached: unobserved by design, for as long as it
 * likes. Returns the microseconds to rest. */
int pt_emit_asleep(struct pt_emit *out, uint64_t now_ns);

/* splitmix64: the next of a row of numbers from 0 to below - 1 that only the seed in *state decides. */
uint64_t pt_random(uint64_t *state, uint64_t below);
/* How long to wait before the next look at a program whose longest period is `period`: 0 to twice that, the sum of two
 * random times. One alone meets some phases of shorter periods twice as often as others, and where the moment of a look
 * depends on the program (a burst ends behind a wake-up), that is a bias of the shares. */
uint64_t pt_random_delay(uint64_t *state, uint64_t period);

#endif
