/* The inside of a profile's half on the board thread, for its own files alone. Board thread. */
#ifndef PT_LIVE_PARTS_H
#define PT_LIVE_PARTS_H

#include "session/acquire/freeram.h"
#include "session/acquire/acquisition.h"
#include "base/params.h"
#include "targets/contract/with_watch.h"

struct pt_live {
	struct pt_sink sink;	/* first: what the source puts into is this */
	struct pt_sink *queue_sink;
	struct pt_queue *queue;
	struct pt_program *program;
	char **words;
	size_t n_words;
	uint64_t core_hz;			/* as the user says; 0: not at all */
	bool measures;				/* core-clock=measure */
	struct pt_measured_clock {		/* most_hz 0: nothing measured it, or it may be faster */
		double least_hz, most_hz;
	} clock;
	bool clock_late;			/* the core did not run at the start: it may be measured behind the end */
	bool ending;				/* so END chunks wait for that */
	struct pt_chunk *end[32];
	size_t n_ends;
	struct pt_live_news news;
	struct pt_source_place *places;
	size_t n_places;
	char others[600];			/* settings of every profile */

	const struct pt_source_ops *ops;	/* NULL: no source at work */
	const struct pt_source_ops *beside;	/* ops is with's: this source, and looks at variables; else NULL */
	struct pt_with_watch with;
	void *state;
	struct pt_param *rows;		/* of settings: the source's, and those of its members */
	size_t n_rows;
	struct pt_params *settings, *own;
	struct pt_target *target;
	struct pt_free_ram free_ram;
	struct pt_image image;
	uint64_t checked_ns;			/* a piece of the image, when last */
	char mismatch[200];			/* of image and chip; "": none known */
	char unread[120];			/* why they were not compared; "": they were, or there is no ELF */
	char instead[sizeof(((struct pt_err *)NULL)->msg)];	/* why it is not the first source; "": it is */
	char unwatched[240];		/* why the variables that are named are not looked at; "": they are, or none is */
	bool lacks;	/* as this chip has no such source: nothing that a user could change */
	char config[4096], cost[1024], chip[96];

	uint64_t started_ns, held_ns, held_since_ns;	/* held_since: PT_UNKNOWN while it runs: any of its cores */
	uint32_t cores, halted;		/* a bit each: that the source has something of; and that stand */
	uint64_t run_until_ns;				/* of running time; PT_UNKNOWN: no end */
	bool resting;			/* time was up, and the source is not drained until there is more */
	bool is_recorder;				/* it keeps the last branches, and is no profile */
	struct pt_err died;				/* code 0: it did not */
};

/* --- choose_source.c: the words of the start, and what they choose */

enum { SOURCE, MODE, SEED, FOR, RECORDER };
extern const struct pt_param pt_live_rows[RECORDER + 1];	/* the settings of live->own */

/* Sets own, ops, rows, settings, instead and is_recorder. */
int pt_live_choose(struct pt_live *live, struct pt_target *target, struct pt_err *err);
/* The chosen one did not start, and why: the next that fits, where the user named neither source nor mode. False: there
 * is none, or it was not the source's fault. */
bool pt_live_choose_next(struct pt_live *live, struct pt_target *target, const struct pt_err *why);
const char *pt_live_mode(const struct pt_live *live, char *mode, size_t room);	/* chosen; as the source spells it */
void pt_live_title(const struct pt_live *live, char *title, size_t room);	/* of the source in that mode, for reports */

/* --- check_clock.c */

/* Beside a clock that the user says, or because he asked for it: sets clock, or clock_late. */
int pt_live_measure_clock(struct pt_live *live, struct pt_target *target, struct pt_err *err);
/* A chunk of a source that stops. True: it is an END that comes with pt_live_measure_late(). */
bool pt_live_hold_end(struct pt_live *live, struct pt_chunk *chunk);
/* The sources have let go of the core. */
void pt_live_measure_late(struct pt_live *live);

/* --- check_image.c */

/* A sample of it, before the start. Memory that cannot be read is no error: then nothing is known. */
int pt_live_check_image(struct pt_live *live, struct pt_target *target, struct pt_err *err);

/* One piece more, where the source rests, or when it is due all the same. */
void pt_live_check_more(struct pt_live *live, uint64_t now_ns, bool rests);

#endif
