/* Internals of the acquisition, for its own files alone. Board thread. */
#ifndef PT_LIVE_PARTS_H
#define PT_LIVE_PARTS_H

#include "session/acquire/freeram.h"
#include "session/acquire/acquisition.h"
#include "base/params.h"
#include "targets/contract/with_watch.h"

struct pt_live {
	struct pt_sink sink;	/* first member: the sink into which the source puts */
	struct pt_sink *queue_sink;
	struct pt_queue *queue;
	struct pt_program *program;
	char **words;
	size_t n_words;
	uint64_t core_hz;			/* as the user gave it; 0: not given */
	bool measures;				/* core-clock=measure */
	struct pt_measured_clock {		/* most_hz 0: not measured, or it may be faster */
		double least_hz, most_hz;
	} clock;
	bool clock_late;			/* the core did not run at the start: try to measure after the end */
	bool ending;				/* END chunks wait for that, and for the rest of the image */
	struct pt_chunk *end[32];
	size_t n_ends;
	struct pt_live_news news;
	struct pt_source_place *places;
	size_t n_places;
	char others[600];			/* settings of every profile */

	const struct pt_source_ops *ops;	/* NULL: no source at work */
	const struct pt_source_ops *beside;	/* if ops is SOURCE+watch: the plain source; else NULL */
	struct pt_with_watch with;
	void *state;
	struct pt_param *rows;		/* settings of the source and of its members */
	size_t n_rows;
	struct pt_params *settings, *own;
	struct pt_target *target;
	struct pt_free_ram free_ram;
	struct pt_image image;
	uint64_t checked_ns;			/* time of the last comparison of a piece of the image */
	bool proves;				/* all of the image is compared before the end */
	char mismatch[200];			/* between image and chip; "": none found */
	char unread[120];			/* why they were not compared; "": they were, or there is no ELF */
	char instead[sizeof(((struct pt_err *)NULL)->msg)];	/* why the first source was not used; "": it was */
	char unwatched[240];		/* why the named variables are not read; "": they are, or none was named */
	bool lacks;	/* because this chip has no such source, which the user cannot change */
	char config[4096], cost[1024], chip[96];

	uint64_t started_ns, held_ns, held_since_ns;	/* held_since: PT_UNKNOWN while any of the cores runs */
	uint32_t cores, halted;		/* one bit each: cores that the source covers; those of them that are halted */
	uint64_t run_until_ns;				/* of running time; PT_UNKNOWN: no end */
	bool resting;			/* the time is over, and the source is not drained until there is a new limit */
	bool is_recorder;				/* it only keeps the last branches, and is no profile */
	struct pt_err died;				/* code 0: it has not failed */
};

/* --- choose_source.c: the words of the start, and what they choose */

enum { SOURCE, MODE, SEED, FOR, RECORDER };
extern const struct pt_param pt_live_rows[RECORDER + 1];	/* the settings of live->own */

/* Sets own, ops, rows, settings, instead and is_recorder. */
int pt_live_choose(struct pt_live *live, struct pt_target *target, struct pt_err *err);
/* The selected source did not start: selects the next that fits, if the user named neither source nor mode. False:
 * there is none, or the source was not the reason. */
bool pt_live_choose_next(struct pt_live *live, struct pt_target *target, const struct pt_err *why);
/* the selected mode, as the source spells it */
const char *pt_live_mode(const struct pt_live *live, char *mode, size_t room);
/* title of the source in that mode, for reports */
void pt_live_title(const struct pt_live *live, char *title, size_t room);

/* --- check_clock.c */

/* To check a clock that the user gave, or because he asked for it: sets clock, or clock_late. */
int pt_live_measure_clock(struct pt_live *live, struct pt_target *target, struct pt_err *err);
/* For a chunk of a source that stops. True: it is an END, which pt_live_measure_late() will send. */
bool pt_live_hold_end(struct pt_live *live, struct pt_chunk *chunk);
/* Call both when the sources have released the core; then END chunks go. */
void pt_live_measure_late(struct pt_live *live);
void pt_live_send_ends(struct pt_live *live);
/* Sends text as a COST chunk before the END that is held: it has no time and belongs to no source. */
void pt_live_tell_at_end(struct pt_live *live, const char *text);

/* --- check_image.c */

/* Compares samples of the image before the start. Memory that cannot be read is no error: the result is unknown
 * then. */
int pt_live_check_image(struct pt_live *live, struct pt_target *target, struct pt_err *err);

/* Compares one more piece, while the source rests, or when one is due. */
void pt_live_check_more(struct pt_live *live, uint64_t now_ns, bool rests);
/* When the sources have released the core: the rest, if the profile is to prove something, and what was found. */
void pt_live_check_rest(struct pt_live *live);
/* "elf_mismatch=no\nelf_compared=4096\nelf_bytes=31744\n" */
void pt_live_print_image(const struct pt_live *live, char *out, size_t size);

#endif
