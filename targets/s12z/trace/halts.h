/* Reports halts and runs for a source that fetches a buffer at a halt: first the data recorded before, then the halt.
 * The client that halted the core is waiting, so the buffer is fetched in the next drain, or at the next change of
 * state. Board thread only. */
#ifndef PT_S12Z_HALTS_H
#define PT_S12Z_HALTS_H

#include "targets/contract/emit.h"
#include "targets/s12z/core/s12z.h"

struct pt_s12z_halts {
	struct pt_s12z *z;
	struct pt_emit *out;
	const char *who;	/* in errors: "trace" */
	/* Stops recording and emits the rest. After PT_EINTERRUPTED the next call continues. */
	int (*flush)(void *source, struct pt_err *err);
	void *source;
	bool held;		/* a client halted the core */
	bool untold;		/* data recorded before the halt, and the halt, are not reported yet */
	uint64_t pc, ns;	/* then */
};

/* Reports a halt at pc, unless reported already. pending: recorded data is not reported yet. */
void pt_halts_s12z_halted(struct pt_s12z_halts *halts, uint64_t pc, bool pending);
/* Tries once to report what is pending; returns like a drain. PT_EINTERRUPTED: call again. */
int pt_halts_s12z_tell(struct pt_s12z_halts *halts, struct pt_err *err);
/* Repeats until everything is reported. Negative: the source has ended. */
int pt_halts_s12z_catch_up(struct pt_s12z_halts *halts, struct pt_err *err);
/* Reports that the core is about to run from pc. rc: result of the preparations for that. */
int pt_halts_s12z_runs(struct pt_s12z_halts *halts, uint64_t pc, int rc, struct pt_err *err);
/* Handles a failed batch like pt_source_s12z_failed(); adds the source's name to err. */
int pt_halts_s12z_failed(struct pt_s12z_halts *halts, int rc, struct pt_err *err);
/* At the end of the source: reports the rest of the time like pt_emit_rest(); rc is the result of the last fetch.
 * Returns rc, or 0 if the core is in STOP mode, where nothing can be fetched. */
int pt_halts_s12z_rest(struct pt_s12z_halts *halts, int rc);

#endif
