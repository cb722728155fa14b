/* The board thread's half of a session: one source, from start to stop. It passes chunks from the source to the queue,
 * counts the time in which the core was held, and ends the wait of `profile run TIME`. */
#ifndef PT_LIVE_H
#define PT_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "board/board.h"
#include "session/acquire/image.h"
#include "program/model/program.h"
#include "session/acquire/queue.h"

struct pt_live_news {		/* from the board thread to the listener; callbacks must not block */
	void (*on_time_up)(void *arg);	/* for_ns of running time are over; the source rests */
	void (*on_dead)(void *arg);	/* the source ended by itself, END is in the queue; call stop to remove it */
	void *arg;
};

struct pt_live;

/* The settings of every start that do not belong to a source: source, mode, seed, for. NULL: i is behind the last. */
const struct pt_param *pt_live_param(size_t i);

/* Loop thread; words are copied. queue and program (may be NULL) must live longer. seed: for the source's jitter. */
struct pt_live *pt_live_new(struct pt_queue *queue, struct pt_program *program, const char *const *words,
			    size_t n_words, uint64_t core_hz, bool measures, const struct pt_live_news *news);
/* Variables that the profile follows (targets/contract/source.h); copied. Call it before the start. */
struct pt_source_place;
void pt_live_follow(struct pt_live *live, const struct pt_source_place *places, size_t n);
/* Settings of every profile that other parts handle, separated by blanks: an error about an unknown setting lists them,
 * too. */
void pt_live_name_others(struct pt_live *live, const char *settings);
void pt_live_free(struct pt_live *live);	/* after a stop, or if never started */

/* Board thread, from a job. Selects the source given by "source=" and "mode=", or the first that the chip offers,
 * checks the other settings against its rows, and arms it. say: out, sentences for the user (room bytes). After a
 * failure nothing is armed; the sources that the sentence lists exist on this chip. */
int pt_live_start(struct pt_live *live, struct pt_board *board, struct pt_target *target, char *say, size_t room,
		  struct pt_err *err);
/* Fetches the rest of the trace, restores all registers, sends END. 0 also if the source had ended by itself. */
int pt_live_stop(struct pt_live *live, struct pt_board *board, bool proves, struct pt_err *err);
/* Loop thread, after stop: why it had ended by itself, and how ELF and chip differ; "" if neither applies. */
const char *pt_live_why_ended(const struct pt_live *live);
const char *pt_live_mismatch(const struct pt_live *live);
/* counted from now; PT_UNKNOWN: no end */
void pt_live_run_for(struct pt_live *live, struct pt_board *board, uint64_t for_ns);
/* Board thread: fetches what was recorded before the core halted, if not done yet. */
int pt_live_catch_up(struct pt_live *live, struct pt_err *err);
/* Board thread: writes bytes to addr while the source works; the source records the write in its trace. */
int pt_live_write(struct pt_live *live, uint64_t addr, const void *bytes, size_t len_bytes, struct pt_err *err);
/* Loop thread, after start: is the source in a mode that is only useful for a branch history? */
bool pt_live_is_recorder(const struct pt_live *live);
/* Board thread: passes the addresses of those symbols that this target looks for by name. NULL: nothing is known. */
void pt_live_tell_symbols(const struct pt_program *program, struct pt_target *target);
/* One paragraph: which source works, and for how long so far; any time after start. */
void pt_live_describe(struct pt_live *live, struct pt_board *board, char *say, size_t room);

#endif
