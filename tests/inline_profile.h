/* A profile of a virtual board (the KL27, or another) in one thread, without board and session: the source's chunks go
 * straight into a pipeline. Beside it the model's own truth, and the counters that the demo firmware keeps in RAM. For
 * tests and bench; what cannot fail there ends the program with the reason. Everything is on the virtual clock. */
#ifndef PT_TESTS_INLINE_PROFILE_H
#define PT_TESTS_INLINE_PROFILE_H

#include "report/laws/law_clock.h"
#include "session/acquire/freeram.h"
#include "pipeline/pipeline.h"
#include "probes/wires/probe.h"
#include "probes/virtual/chip/kl27.h"
#include "probes/virtual/chip/s12zvm.h"
#include "profile/result/profile.h"
#include "program/model/program.h"
#include "targets/contract/target.h"

struct inline_setup {
	const char *board;		/* "s12zvm"; NULL: kl27 */
	const char *uri;		/* more of its words, "&probe=osbdm"; NULL: none */
	const char *link;		/* of the link table; NULL: bulk-hs */
	const char *variant;		/* of the chip; NULL: the plain one */
	const char *elf;		/* firmware; NULL: the built-in demo */
	const char *source;		/* NULL: the board's first, of those that work alone */
	const char *words[8];		/* the source's settings, "mode=halt"; ends with NULL */
	const char *analysis;		/* a setting of the pipeline, "analysis=tasks"; NULL: none */
	uint64_t seed;			/* of the board's head start and of the source's jitter */
	size_t log_room;		/* pcs that the truth logs */
	bool truth;			/* the model counts what it executes, from the start of the profile on */
	bool reset;			/* from the reset vector; else from wherever the program is */
};

struct inline_profile {
	struct pt_sink sink;		/* first: what the source puts into is this */
	struct pt_probe *probe;
	struct pt_link *link;
	struct pt_target *target;
	struct pt_program *program;
	struct pt_pipeline *pipeline;
	struct pt_params *settings;
	struct pt_free_ram free_ram;
	const struct pt_source_ops *source;
	void *state;
	struct pt_kl27 *chip;		/* NULL: another board */
	struct pt_s12zvm *s12zvm;	/* NULL: another board */
	struct pt_vtruth truth;
	bool has_truth;
	struct pt_chunk *chunk;		/* the one that the source is filling */
	/* Sees every chunk before the pipeline does; may be NULL. */
	void (*see)(void *arg, const struct pt_chunk *chunk);
	void *see_arg;
	struct pt_law_clock clock;	/* of all chunks */
	char config[1024];
};

/* Opens the board, attaches and prepares; nothing is recorded yet. p must not move until inline_close(). */
void inline_open(struct inline_profile *p, const struct inline_setup *setup);
void inline_close(struct inline_profile *p);

/* The source records from here on; a core that the reset holds is let go. */
void inline_start(struct inline_profile *p, const struct inline_setup *setup);
/* Let the source work for so much time of the link's clock. */
void inline_drain(struct inline_profile *p, uint64_t ns);
/* Halt the core, let it run, or one instruction of it, as a debugger does: the source is told. */
void inline_halt(struct inline_profile *p);
void inline_resume(struct inline_profile *p);
void inline_step(struct inline_profile *p);
uint64_t inline_pc(struct inline_profile *p);	/* while halted */
void inline_stop(struct inline_profile *p);

uint64_t inline_now_ns(const struct inline_profile *p);

/* Once it is stopped: of each function the share that the profile estimates, and the one that the model counted. One
 * that was not seen has the share that the report says it may have taken all the same. id: as pt_profile.by_id has it.
 */
void inline_shares(struct inline_profile *p,
		   void (*see)(void *arg, size_t id, const char *name, struct pt_share share, double truth), void *arg);

/* The demo's counter of the function with this entry; false: it has none. */
bool inline_counter(const struct inline_profile *p, uint64_t entry, uint32_t *calls);

#endif
