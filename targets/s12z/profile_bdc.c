/* Mode bdc: arm, wait, disarm, read the lines, wait for a random time, again. The core never halts: everything that
 * the BDC does for it is non-intrusive. Arming, the wait, disarming and as much of the read as a step of the link
 * allows are one batch, with the delays in the probe where it can; so a snapshot costs one round trip on a fast wire.
 *
 * How long it is armed must not depend on what the program does just then, or the busy parts would count for less. So
 * the window is looked for in the first snapshots, by what the fullest of them held, and then changes only when a
 * snapshot does not fit any more. A session that did not fit has lost its beginning (the buffer went on around) or
 * its end (TBOVF); how much of the window is left in it nobody can say, and none of it is claimed to be observed.
 *
 * What is in the buffer is told from its lines alone (pt_s12z_locate): what DBGCNT counts in profiling is not
 * documented. */
#include <string.h>

#include "targets/s12z/profile.h"
#include "util.h"

enum { PROBE_DELAY_US = 20000, STEP_US = 30000, DRAINED_US = 20000, LINE_CYCLES = 1184, LEAST_LINES = 8 };
enum { FIRST_WINDOW_US = 100, LEAST_WINDOW_US = 10, MOST_WINDOW_US = 20000 };
enum {
	SEARCH_SNAPSHOTS = 64,
	SEARCH_EACH = 4,
	WATCH_EACH = 256,
	FEW_LINES = 20
}; /* FEW: twice that, and it is still whole */

enum { ARM_OFF, ARM_ON };
static const uint8_t c1_value[] = { [ARM_OFF] = 0, [ARM_ON] = C1_ARM };
static const uint8_t profile_on = TCRL_PROFILE;

struct round {			/* a batch, and what stands where in it */
	struct pt_bdc_op op[12];
	unsigned n, delay, arm, window, disarm, poll, data, n_lines;
};

enum { NOWHERE = 0xff };

/* --- what a snapshot brought -------------------------------------------------------------------------------------- */

/* The window for the next ones. */
static void adapt(struct pt_snap *snap, const struct pt_s12z_session *session)
{
	bool fits = session->whole && !session->overflow;
	bool searching = snap->n_all < SEARCH_SNAPSHOTS;
	uint32_t window_us = snap->window_us;

	snap->n_all += searching;
	snap->n_since++;
	snap->most_lines = session->n > snap->most_lines ? (unsigned)session->n : snap->most_lines;
	if (!fits)
		window_us /= 2;
	else if (snap->n_since >= (searching ? SEARCH_EACH : WATCH_EACH) && snap->most_lines < FEW_LINES)
		window_us *= 2;
	window_us = window_us < LEAST_WINDOW_US	 ? LEAST_WINDOW_US
		    : window_us > MOST_WINDOW_US ? MOST_WINDOW_US
						 : window_us;
	if (window_us == snap->window_us && snap->n_since < WATCH_EACH)
		return;
	snap->window_us = window_us;
	snap->n_since = snap->most_lines = 0;
}

static void deliver(struct pt_s12z_profile *p)
{
	struct pt_snap *snap = &p->snap;
	struct pt_s12z_session session = pt_s12z_locate(snap->lines, PT_S12Z_LINES);
	uint8_t lines[PT_PROFILE_BUFFER_BYTES];
	bool fits = session.whole && !session.overflow;

	snap->state = SNAP_READY;
	snap->n_read = 0;
	if (session.n == 0) {
		snap->state = SNAP_UNSURE;	/* who has been here? */
		return;
	}
	for (size_t i = 0; i < session.n; i++)
		memcpy(lines + PT_S12Z_LINE_BYTES * i,
		       snap->lines + PT_S12Z_LINE_BYTES * ((session.first + i) % PT_S12Z_LINES), PT_S12Z_LINE_BYTES);
	pt_emit_loss(&p->out, PT_LOSS_REARM, fits ? snap->armed_ns : snap->disarmed_ns);
	p->out.restarts = true;
	pt_emit_data(&p->out, fits ? snap->armed_ns : snap->disarmed_ns, snap->disarmed_ns, lines,
		     PT_S12Z_LINE_BYTES * session.n);
	p->n_taken = 0;
	if (!snap->window_given)
		adapt(snap, &session);
}

/* --- one round ---------------------------------------------------------------------------------------------------- */

static unsigned put(struct round *r, const struct pt_bdc_op *op)
{
	r->op[r->n] = *op;
	return r->n++;
}

static unsigned put_write(struct round *r, uint32_t addr, const uint8_t *byte)
{
	return put(r, &(struct pt_bdc_op){ .what = PT_BDC_WRITE_MEM, .size_bytes = 1, .addr = addr, .n = 1,
					   .bytes = (void *)(uintptr_t)byte });	/* not changed */
}

static unsigned put_delay(struct round *r, uint32_t time_us)
{
	return put(r, &(struct pt_bdc_op){ .what = PT_BDC_DELAY, .time_us = time_us, .n = 1 });
}

static void put_recording(struct pt_s12z_profile *p, struct round *r)
{
	if (p->snap.delay_us != 0)
		r->delay = put_delay(r, (uint32_t)p->snap.delay_us);
	r->arm = put_write(r, DBG_C1, &c1_value[ARM_ON]);
	r->window = put_delay(r, p->snap.window_us);
	r->disarm = put_write(r, DBG_C1, &c1_value[ARM_OFF]);
	r->poll = put(r, &(struct pt_bdc_op){ .what = PT_BDC_POLL,
					      .size_bytes = 1,
					      .addr = DBG_SR,
					      .mask = SR_PTACT,
					      .n = 1,
					      .time_us = DRAINED_US });
}

/* The buffer from its oldest line on, or from where the step before got to. */
static void put_reading(struct pt_s12z_profile *p, struct round *r)
{
	uint64_t hz = p->z->wire.bdcsi_hz != 0 ? p->z->wire.bdcsi_hz : 1000000;
	uint64_t most = STEP_US * hz / 1000000 / LINE_CYCLES;
	unsigned left = PT_S12Z_LINES - p->snap.n_read;

	if (p->snap.n_read == 0)
		r->n += pt_profile_put_open(p, r->op + r->n);
	most = most < LEAST_LINES ? LEAST_LINES : most;
	r->n_lines = left < most ? left : (unsigned)most;
	r->data = put(r, &(struct pt_bdc_op){ .what = PT_BDC_READ_DBGTB, .n = r->n_lines,
					      .bytes = p->snap.lines + PT_S12Z_LINE_BYTES * p->snap.n_read });
	if (p->clear_profile && r->n_lines == left)
		put_write(r, DBG_TCRL, &profile_on);
}

/* The delays are known best: it was armed for at least its window, which ended before the answer. */
static void take_times(struct pt_s12z_profile *p, const struct round *r)
{
	uint64_t armed_ns = r->op[r->arm].sent_ns;

	if (r->delay != NOWHERE && r->op[r->delay].sent_ns + p->snap.delay_us * 1000 > armed_ns)
		armed_ns = r->op[r->delay].sent_ns + p->snap.delay_us * 1000;
	p->snap.armed_ns = armed_ns;
	p->snap.disarmed_ns = armed_ns + p->snap.window_us * UINT64_C(1000);
	if (p->snap.disarmed_ns > r->op[r->disarm].done_ns)
		p->snap.disarmed_ns = r->op[r->disarm].done_ns;
	if (p->snap.armed_ns > p->snap.disarmed_ns)
		p->snap.armed_ns = p->snap.disarmed_ns;
}

/* What of the round was done, also when it ended early. A read that was cut short begins again: how far the buffer's
 * own pointer got is not known. */
static void take_progress(struct pt_s12z_profile *p, const struct round *r, size_t n_done)
{
	struct pt_snap *snap = &p->snap;

	if (r->arm != NOWHERE && n_done > r->poll) {
		take_times(p, r);
		snap->delay_us = PT_UNKNOWN;
		snap->state = SNAP_FULL;
	} else if (r->arm != NOWHERE) {
		snap->state = SNAP_UNSURE;
	}
	if (r->data != NOWHERE && n_done > r->data)
		snap->n_read += r->n_lines;
	else
		snap->n_read = 0;
}

static int run_round(struct pt_s12z_profile *p, struct round *r, struct pt_err *err)
{
	size_t n_done = 0;
	int rc = pt_wire_s12z_run(&p->z->wire, r->op, r->n, &n_done, err);

	take_progress(p, r, n_done);
	if (rc == 0)
		pt_emit_works(&p->out, r->op[0].sent_ns, p->z->was_reset);
	if (rc == 0 && n_done < r->n)
		rc = pt_fail(err, PT_ETIMEOUT, "the DBG goes on transmitting (DBGSR.PTACT)");
	if (p->snap.n_read == PT_S12Z_LINES)
		deliver(p);
	if (rc == 0)
		return 0;
	if (p->snap.state == SNAP_READY)
		p->snap.state = SNAP_UNSURE;	/* PROFILE may not be set */
	return pt_profile_failed(p, rc, err);
}

/* --- the steps ---------------------------------------------------------------------------------------------------- */

/* Who was here? If it was nobody, set up and go on. */
static int look(struct pt_s12z_profile *p, struct pt_err *err)
{
	uint8_t seen[3] = { 0 };
	struct pt_bdc_op op = { .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = DBG_C1, .n = 3, .bytes = seen };
	bool ours;
	int rc = pt_wire_s12z_run(&p->z->wire, &op, 1, NULL, err);

	if (rc < 0)
		return pt_profile_failed(p, rc, err);
	pt_emit_works(&p->out, op.sent_ns, p->z->was_reset);
	ours = (seen[0] & ~C1_ARM) == 0 && (seen[2] & TCRH_TSOURCE) != 0;	/* ARM: an interrupted round of ours */
	if (!ours) {
		rc = pt_profile_disturbed(p, seen[0], seen[2], err);
		if (rc < 0)
			return rc;
	}
	rc = pt_profile_set_up(p, false, err);
	if (rc < 0)
		return pt_profile_failed(p, rc, err);
	p->snap.state = SNAP_READY;
	p->snap.n_read = 0;
	return 0;
}

/* The delay before the next arming: what is too long for the probe passes here. Returns the microseconds to rest. */
static int draw_delay(struct pt_s12z_profile *p)
{
	uint64_t rest_us;

	if (p->snap.delay_us == PT_UNKNOWN)
		p->snap.delay_us = pt_random(&p->random, p->period_us + 1);
	if (p->snap.delay_us <= PROBE_DELAY_US)
		return 0;
	rest_us =
		p->snap.delay_us - PROBE_DELAY_US < PROBE_DELAY_US ? p->snap.delay_us - PROBE_DELAY_US : PROBE_DELAY_US;
	p->snap.delay_us -= rest_us;
	return (int)rest_us;
}

static int drain(struct pt_s12z_profile *p, struct pt_err *err)
{
	struct round r = { .delay = NOWHERE, .arm = NOWHERE, .data = NOWHERE };
	int rest_us;

	if (p->snap.state == SNAP_UNSURE)
		return look(p, err);
	if (p->snap.state == SNAP_READY) {
		rest_us = draw_delay(p);
		if (rest_us > 0)
			return rest_us;
		put_recording(p, &r);
	}
	put_reading(p, &r);
	return run_round(p, &r, err);
}

static int start(struct pt_s12z_profile *p, const struct pt_source_setup *setup, struct pt_err *err)
{
	uint64_t window_ns = pt_params_number(setup->settings, &pt_profile_params[PT_PROFILE_WINDOW]);

	p->snap = (struct pt_snap){ .delay_us = PT_UNKNOWN, .window_us = FIRST_WINDOW_US };
	if (pt_params_given(setup->settings, &pt_profile_params[PT_PROFILE_WINDOW])) {
		p->snap.window_us = (uint32_t)(window_ns / 1000);
		p->snap.window_given = true;
	}
	if (!pt_wire_s12z_can(&p->z->wire, PT_BDC_READ_DBGTB))
		return pt_fail(err, PT_EUNSUPPORTED, "this probe cannot read the trace buffer");
	if (pt_profile_set_up(p, false, err) < 0)
		return err->code;
	p->snap.state = SNAP_READY;
	return 0;
}

static bool pending(const struct pt_s12z_profile *p)
{
	return p->snap.state == SNAP_FULL;
}

static int flush(struct pt_s12z_profile *p, struct pt_err *err)
{
	int rc = 0;

	while (rc == 0 && p->snap.state == SNAP_FULL) {
		struct round r = { .delay = NOWHERE, .arm = NOWHERE, .data = NOWHERE };

		put_reading(p, &r);
		rc = run_round(p, &r, err);
	}
	return rc < 0 ? rc : 0;
}

static void was_reset(struct pt_s12z_profile *p)
{
	p->snap.state = SNAP_UNSURE;
	p->snap.delay_us = PT_UNKNOWN;
}

const struct pt_profile_mode pt_profile_bdc = {
	.name = "bdc",
	.stream = "buffer",
	.cost = "the core never halts; the DBG module is ours, so there are no hardware breakpoints meanwhile",
	.start = start,
	.drain = drain,
	.pending = pending,
	.flush = flush,
	.was_reset = was_reset,
};
