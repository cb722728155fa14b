/* The first waist: raw bytes as the hardware gave them, with the time they account for.
 *
 * Sources (board thread) make chunks, the analysis thread decodes them, a capture file is nothing else. What a report shows
 * is in the chunks or it is not shown. Chunks of one source are in order; DATA and LOSS of a source tile the session:
 * each starts where the one before it ended. */
#ifndef PT_TRACE_CHUNK_H
#define PT_TRACE_CHUNK_H

#include <stddef.h>
#include <stdint.h>

enum { PT_CHUNK_BYTES = 16384 };	/* the most payload one chunk carries; longer data is several chunks */

enum pt_chunk_kind {
	/* opens a source: payload is "key=value\n" lines, the first "format=NAME" (formats.h); none: its record in a
	 * capture is damaged */
	PT_CHUNK_CONFIG = 1,
	PT_CHUNK_DATA,		/* trace bytes in the order the hardware made them */
	PT_CHUNK_LOSS,		/* a stretch without trace: cause says why, lost_bytes how much if known */
	PT_CHUNK_STATE,		/* the core changed state: cause is enum pt_state, payload pt_state_layout; stands
				 * behind the DATA recorded before it; the DATA behind it FOLLOWS if no branch is
				 * missing */
	PT_CHUNK_IMAGE,		/* code that is not in the ELF: payload is a le64 address, then the bytes */
	PT_CHUNK_CLOCK,		/* an anchor between clocks: payload pt_clock_layout */
	PT_CHUNK_END,		/* the source is closed; nothing of it follows */
	PT_CHUNK_COST,		/* what the source has cost the program so far (cost.h): text as in formats.h; the last
				 * one counts. Of no time; now and then, and before END. Empty as CONFIG's */
};

enum pt_state {
	PT_STATE_RUN = 1,	/* resumed at pc */
	PT_STATE_HALT,		/* stopped before executing pc */
	PT_STATE_RESET,		/* went through reset; execution, if any, starts at pc */
	PT_STATE_SLEEP,		/* found asleep */
	PT_STATE_PC_WRITTEN,	/* a debugger moved the halted core to pc */
};

/* DATA's cause: continues the chunk before, or does not. Of a burst it says, too, which of its ends a clock chose that
 * knows nothing of the program, where that is not for all as CONFIG has it (chosen=). */
enum { PT_DATA_FOLLOWS, PT_DATA_RESTARTS, PT_DATA_CHOSEN_BEGIN, PT_DATA_CHOSEN_END, PT_DATA_CHOSEN_NEITHER };

struct pt_chunk {
	uint64_t from_ns, to_ns;	/* probe's clock: the time this chunk accounts for */
	uint64_t lost_bytes;		/* LOSS only; PT_UNKNOWN where it is not known */
	uint16_t source;		/* number of the source in this session, from 0 */
	uint16_t core;			/* from 0 */
	uint16_t kind;			/* enum pt_chunk_kind */
	uint16_t cause;			/* LOSS: enum pt_loss (loss.h); STATE: enum pt_state; DATA: see above; else 0 */
	uint32_t len_bytes;		/* payload, 0..PT_CHUNK_BYTES */
	uint8_t bytes[];
};

/* Where a source puts its chunks. The session implements it over the bounded pool, a test over an array.
 * Board thread only. */
struct pt_sink {
	/* A chunk with room for PT_CHUNK_BYTES and zeroed fields, to be filled and given to put(). NULL: the pool is
	 * full; say so with lose(). Where losing would be a choice (virtual clock, or the source holds the core)
	 * the session's sink waits for the analysis thread instead of returning NULL. */
	struct pt_chunk *(*take)(struct pt_sink *sink);
	/* Moves the chunk on: it is no longer the caller's. */
	void (*put)(struct pt_sink *sink, struct pt_chunk *chunk);
	/* A LOSS chunk; always succeeds (the pool keeps room for it, and joins one to its neighbour of the same
	 * cause). */
	void (*lose)(struct pt_sink *sink, const struct pt_chunk *loss);
};

#endif
