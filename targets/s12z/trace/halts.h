/* What a source reports of halts and runs when it has a buffer to fetch at a halt: first what was recorded before,
 * then the halt. The client that halted the core waits for the report, so fetching is for the next drain, or for the
 * next change of state. Board thread only. */
#ifndef PT_S12Z_HALTS_H
#define PT_S12Z_HALTS_H

#include "targets/contract/emit.h"
#include "targets/s12z/core/s12z.h"

struct pt_s12z_halts {
	struct pt_s12z *z;
	struct pt_emit *out;
	const char *who;	/* in errors: "trace" */
	/* Stop recording, tell what is left. Cut short (PT_EINTERRUPTED) it goes on at the next call. */
	int (*flush)(void *source, struct pt_err *err);
	void *source;
	bool held;		/* a client halted the core */
	bool untold;		/* and what was recorded before that, and the halt, are still to be told */
	uint64_t pc, ns;	/* then */
};

/* The core was halted at pc, if that was not told already. pending: something was recorded that is not told. */
void pt_halts_s12z_halted(struct pt_s12z_halts *halts, uint64_t pc, bool pending);
/* What is untold, one attempt: as a drain returns. PT_EINTERRUPTED: call again. */
int pt_halts_s12z_tell(struct pt_s12z_halts *halts, struct pt_err *err);
/* All of it. Negative: the source is at its end. */
int pt_halts_s12z_catch_up(struct pt_s12z_halts *halts, struct pt_err *err);
/* It is about to run from pc. rc: of getting ready for that. */
int pt_halts_s12z_runs(struct pt_s12z_halts *halts, uint64_t pc, int rc, struct pt_err *err);
/* A batch failed with rc, as pt_source_s12z_failed(); err says whose it was. */
int pt_halts_s12z_failed(struct pt_s12z_halts *halts, int rc, struct pt_err *err);
/* The source ends, and fetching the rest gave rc: as pt_emit_rest(). Returns rc, or 0 where the core is in STOP mode,
 * from which nothing can be fetched. */
int pt_halts_s12z_rest(struct pt_s12z_halts *halts, int rc);

#endif
