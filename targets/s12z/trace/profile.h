/* Shared by the files of the source dbg-profile: code profiling by the DBG module.
 *
 *   source_profile.c    settings, start, stop, what every mode needs
 *   profile_bdc.c       snapshots of the trace buffer over the BDC
 *   profile_pdo.c       the stream on the pins PDO and PDOCLK
 *
 * Board thread only. Source: ZVHY 6.4.6 (code profiling). */
#ifndef PT_S12Z_PROFILE_H
#define PT_S12Z_PROFILE_H

#include "targets/contract/emit.h"
#include "trace/pdo_bits.h"
#include "trace/pdo_lines.h"
#include "targets/s12z/trace/halts.h"
#include "targets/contract/source.h"
#include "trace/s12z_lines.h"

enum { PT_PROFILE_HELD_REST_US = 200000, PT_PROFILE_BUFFER_BYTES = PT_S12Z_LINES * PT_S12Z_LINE_BYTES };

struct pt_s12z_profile;

struct pt_profile_mode {
	const char *name, *stream, *cost;
	/* Must not emit: CONFIG is emitted after it. */
	int (*start)(struct pt_s12z_profile *p, const struct pt_source_setup *setup, struct pt_err *err);
	int (*drain)(struct pt_s12z_profile *p, struct pt_err *err);
	/* True: recorded data is not reported yet. Then flush must be called before a halt is reported. */
	bool (*pending)(const struct pt_s12z_profile *p);
	/* Stops recording and emits the rest. After PT_EINTERRUPTED the next call continues. */
	int (*flush)(struct pt_s12z_profile *p, struct pt_err *err);
	int (*run)(struct pt_s12z_profile *p,
		   struct pt_err *err); /* the core is about to run again; NULL: nothing to do */
	void (*was_reset)(struct pt_s12z_profile *p);
	int (*leave)(struct pt_s12z_profile *p,
		     struct pt_err *err); /* called at the end, also without a probe. NULL: nothing to do */
};
extern const struct pt_profile_mode pt_profile_bdc, pt_profile_pdo;

/* Snapshots. */
enum pt_snap_state {
	SNAP_UNSURE,		/* interrupted: the contents of the registers are unknown */
	SNAP_READY,		/* set up, not armed */
	SNAP_ENDING,		/* disarmed; the module may still be busy */
	SNAP_FULL,		/* disarmed, must be read */
};
struct pt_snap {
	enum pt_snap_state state;
	uint64_t delay_us; /* rest of the delay before the next arming; PT_UNKNOWN: not drawn yet */
	uint64_t armed_ns, disarmed_ns;
	uint64_t slack_ns;		/* the disarming may have been this much later */
	uint32_t window_us;		/* how long it is armed */
	unsigned n_read;		/* lines of the buffer read so far */
	uint8_t lines[PT_PROFILE_BUFFER_BYTES];
};

/* How we know whether lines leave the buffer without PDOE: setting, or trial. */
enum pt_drains { PT_DRAINS_UNKNOWN, PT_DRAINS_SET, PT_DRAINS_TRIED };

/* The stream. */
enum pt_stream_state {
	STREAM_IDLE,		/* not armed: the next drain arms */
	STREAM_ARMED,
	STREAM_ENDING,		/* disarmed; waits for data still in transit */
};
enum { PT_STREAM_RUNS = 8192 };
struct pt_stream {
	const struct pt_pins_ops *pins;
	void *pins_state;
	enum pt_stream_state state;
	bool capturing, overflow;	/* overflow: the hardware ended the session */
	bool lost;			/* samples were lost: the rest of the session is unusable */
	bool silent;			/* PTACT was 0: nothing more is sent on the pins */
	enum pt_loss gap;		/* cause of loss from the end of a session to the next arming */
	uint32_t sample_hz;
	struct pt_pdo_bits bits;
	struct pt_pdo_lines lines;
	uint64_t armed_ns;		/* the last time the module was seen armed */
	uint64_t captured_ns;		/* the pins have been read up to this time */
	uint64_t disarmed_ns;		/* when we ended the session; PT_UNKNOWN: not yet */
	uint64_t ended_ns, looked_ns;	/* when the end of the session was seen; the last read of the DBG */
	unsigned n_empty;
	pt_pins_run runs[PT_STREAM_RUNS];
	uint8_t bytes[PT_STREAM_RUNS / 8 + 1];
};

struct pt_s12z_profile {
	struct pt_s12z *z;
	struct pt_emit out;
	const struct pt_profile_mode *mode;
	uint64_t random, period_us;
	bool unlock, clear_profile;	/* done before the buffer is read */
	bool shares_link;		/* as in struct pt_source_setup */
	enum pt_drains drains_by;	/* bdc */
	bool chosen_end;		/* bdc: random timing chose the sessions' ends, not their beginnings */
	struct pt_s12z_halts halt;
	unsigned n_taken;
	bool leased;
	struct pt_snap snap;
	struct pt_stream stream;
};

enum pt_profile_param {
	PT_PROFILE_MODE,
	PT_PROFILE_PERIOD,
	PT_PROFILE_WINDOW, PT_PROFILE_DRAINS,
	PT_PROFILE_UNLOCK,
	PT_PROFILE_CLEAR,
	PT_PROFILE_PDO,
	PT_PROFILE_PDOCLK,
	PT_PROFILE_EDGE,
	PT_PROFILE_SAMPLE_RATE,
	PT_PROFILE_BUS_CLOCK,
	PT_PROFILE_PTHF,
	PT_PROFILE_SWAP24,
	PT_PROFILE_STAMP_FROM,
	PT_PROFILE_N_PARAMS
};
extern const struct pt_param pt_profile_params[];

/* Sets DBGTCRH and DBGTCRL for profiling, with or without PDOE, and turns off everything else that could interfere.
 * Disarmed. */
int pt_profile_set_up(struct pt_s12z_profile *p, bool pdoe, struct pt_err *err);
int pt_profile_failed(struct pt_s12z_profile *p, int rc, struct pt_err *err);	/* pt_emit_failed() now */
/* The registers do not hold what we wrote: finds the cause, and reports the time until now as a LOSS. 0: go on. c1,
 * tcrh: values read. */
int pt_profile_disturbed(struct pt_s12z_profile *p, uint8_t c1, uint8_t tcrh, struct pt_err *err);

/* Puts the ops that open the trace buffer for reading from the oldest line on. Returns their number (at most 2). */
unsigned pt_profile_put_open(const struct pt_s12z_profile *p, struct pt_bdc_op *op);

#endif
