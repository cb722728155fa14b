/* The board thread's half of a session: one source at work, from start to stop. It is between the source and the
 * queue, where it keeps account of the time in which the core was held, and ends the waiting of `profile run TIME`. */
#ifndef PT_LIVE_H
#define PT_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "board/board.h"
#include "session/acquire/image.h"
#include "program/model/program.h"
#include "session/acquire/queue.h"

struct pt_live_news {		/* from the board thread to the listener; the callback must not block */
	void (*on_time_up)(void *arg);	/* for_ns of running time have passed; the source rests */
	void (*on_dead)(void *arg);	/* the source ended by itself, END is in the queue; stop takes it out */
	void *arg;
};

struct pt_live;

/* The settings of every start that a source has no part in: source, mode, seed, for. NULL behind the last. */
const struct pt_param *pt_live_param(size_t i);

/* Loop thread; words are copied. queue and program (may be NULL) must live longer. seed: for the source's jitter. */
struct pt_live *pt_live_new(struct pt_queue *queue, struct pt_program *program, const char *const *words,
			    size_t n_words, uint64_t core_hz, bool measures, const struct pt_live_news *news);
/* Variables that the profile follows (targets/contract/source.h); copied. Before the start. */
struct pt_source_place;
void pt_live_follow(struct pt_live *live, const struct pt_source_place *places, size_t n);
/* Settings of every profile, which others take, with blanks between: a refusal of a word lists them beside the source's. */
void pt_live_name_others(struct pt_live *live, const char *settings);
void pt_live_free(struct pt_live *live);	/* stopped, or never started */

/* Board thread, from a job. Chooses the source by the words "source=" and "mode=" or takes the first that the chip
 * offers, checks the other words against its rows and arms it. say gets sentences for the user (room bytes). On
 * failure nothing is armed; what the sentence lists is right for this chip. */
int pt_live_start(struct pt_live *live, struct pt_board *board, struct pt_target *target, char *say, size_t room,
		  struct pt_err *err);
/* Fetch the rest, restore everything, END. 0 also when the source had ended by itself. */
int pt_live_stop(struct pt_live *live, struct pt_board *board, struct pt_err *err);
/* Loop thread, after stop; "" when there is nothing to say: why it had ended by itself, and how ELF and chip differ. */
const char *pt_live_why_ended(const struct pt_live *live);
const char *pt_live_mismatch(const struct pt_live *live);
void pt_live_run_for(struct pt_live *live, struct pt_board *board, uint64_t for_ns); /* from now; PT_UNKNOWN: no end */
/* Board thread: fetch what was recorded before the core halted, if that is still to come. */
int pt_live_catch_up(struct pt_live *live, struct pt_err *err);
/* Board thread: these bytes to addr, while the source is at work, which says so in its trace. */
int pt_live_write(struct pt_live *live, uint64_t addr, const void *bytes, size_t len_bytes, struct pt_err *err);
/* Loop thread, after start: is the source in a mode that only makes sense with a branch history? */
bool pt_live_is_recorder(const struct pt_live *live);
/* Board thread: where the program has what this target looks for by its name. NULL: nothing is known. */
void pt_live_tell_symbols(const struct pt_program *program, struct pt_target *target);
/* One paragraph: what it does and for how long it has; any time after start. */
void pt_live_describe(struct pt_live *live, struct pt_board *board, char *say, size_t room);

#endif
