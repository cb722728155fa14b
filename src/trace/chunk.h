/* The first waist: raw bytes as the hardware delivered them, with the time that they account for.
 *
 * Sources (board thread) make chunks, the analysis thread decodes them, and a capture file consists of them. Everything that
 * a report shows comes from chunks. Chunks of one source are in order. DATA and LOSS of a source cover the session without
 * gaps: each starts where the previous one ended. */
#ifndef PT_TRACE_CHUNK_H
#define PT_TRACE_CHUNK_H

#include <stddef.h>
#include <stdint.h>

enum { PT_CHUNK_BYTES = 16384 };	/* the largest payload; longer data is several chunks */

enum pt_chunk_kind {
	/* opens a source: payload is "key=value\n" lines, the first "format=NAME" (formats.h); empty: its record in a
	 * capture is damaged */
	PT_CHUNK_CONFIG = 1,
	PT_CHUNK_DATA,		/* trace bytes in the order in which the hardware made them */
	PT_CHUNK_LOSS,		/* time without trace: cause says why, lost_bytes how much, if known */
	PT_CHUNK_STATE,		/* the core changed its state: cause is enum pt_state, payload pt_state_layout. It follows
				 * the DATA recorded before the change; the DATA behind it FOLLOWS if no branch is
				 * missing */
	PT_CHUNK_IMAGE,		/* code that is not in the ELF: payload is a le64 address, then the bytes */
	PT_CHUNK_CLOCK,		/* simultaneous times of two clocks: payload pt_clock_layout */
	PT_CHUNK_END,		/* the source is closed; no chunk of it follows */
	PT_CHUNK_COST,		/* the overhead of the source so far (cost.h), text as in formats.h; the last one counts.
				 * Accounts for no time; comes now and then, and before END. Empty: damaged */
};

enum pt_state {
	PT_STATE_RUN = 1,	/* resumed at pc */
	PT_STATE_HALT,		/* stopped before executing pc */
	PT_STATE_RESET,		/* went through reset; execution, if any, starts at pc */
	PT_STATE_SLEEP,		/* found asleep */
	PT_STATE_PC_WRITTEN,	/* a debugger moved the halted core to pc */
};

/* Cause of DATA: continues the previous chunk, or does not. For a burst also: which of its ends was chosen by a clock that
 * is independent of the program, if that differs from CONFIG's chosen=. */
enum { PT_DATA_FOLLOWS, PT_DATA_RESTARTS, PT_DATA_CHOSEN_BEGIN, PT_DATA_CHOSEN_END, PT_DATA_CHOSEN_NEITHER };

struct pt_chunk {
	uint64_t from_ns, to_ns;	/* probe's clock: the time that this chunk accounts for */
	uint64_t lost_bytes;		/* LOSS; PT_UNKNOWN: not known. DATA: pt_chunk_slack_ns() */
	uint16_t source;		/* number of the source in this session, from 0 */
	uint16_t core;			/* from 0 */
	uint16_t kind;			/* enum pt_chunk_kind */
	uint16_t cause;			/* LOSS: enum pt_loss (loss.h); STATE: enum pt_state; DATA: see above; else 0 */
	uint32_t len_bytes;		/* payload, 0..PT_CHUNK_BYTES */
	uint8_t bytes[];
};

/* By so much more than from_ns..to_ns the trace of a DATA chunk may have taken: the host reads the probe's clock earlier or
 * later than what it stamps happens. 0 (in lost_bytes also PT_UNKNOWN): the two are bounds. */
static inline uint64_t pt_chunk_slack_ns(const struct pt_chunk *data)
{
	return data->lost_bytes != UINT64_MAX ? data->lost_bytes : 0;
}

/* Receives the chunks of a source. The session implements it with a pool of limited size, tests with an array. Board
 * thread only. */
struct pt_sink {
	/* A chunk with zeroed fields and room for PT_CHUNK_BYTES, which the caller fills and passes to put(). NULL: the
	 * pool is full; report it by lose(). If the source can wait without losing trace (virtual clock, or the core is
	 * halted), the session's sink waits for the analysis thread instead of returning NULL. */
	struct pt_chunk *(*take)(struct pt_sink *sink);
	/* Takes over the chunk. */
	void (*put)(struct pt_sink *sink, struct pt_chunk *chunk);
	/* Records a LOSS chunk. Always succeeds: the pool reserves room for it, and joins neighbours of the same cause. */
	void (*lose)(struct pt_sink *sink, const struct pt_chunk *loss);
};

#endif
