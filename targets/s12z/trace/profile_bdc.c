/* Mode bdc repeats: arm, wait, disarm, read the lines, wait for a random time. The core never halts: all of these BDC
 * commands are non-intrusive. Arming, the wait, disarming and as much of the read as a step of the link allows are one
 * batch, with delays in the probe if it supports them. So a snapshot takes one round trip on a fast wire.
 *
 * What a snapshot shows: if the buffer wraps while armed, it holds the last 64 lines before the end, which random
 * timing chose. If lines do not leave it without PDOE (UNVERIFIED), it holds the first 64 lines from the beginning, and
 * the hardware ends the session. A trial at the start finds out which applies (or pdoe0-drains= says it), and CONFIG
 * records it: chosen=end or chosen=begin. There is no trial if the core was halted at the start. And a program may
 * produce lines faster than they leave: such a session has lost its beginning and is full before its end, so the
 * program has chosen both ends. So each DATA chunk says which of its ends was chosen by random timing, according to its
 * lines: a PTS first, or TERM without TBOVF last. The window has the same length for all, whatever the program does:
 * otherwise its busy parts would be underrepresented. How much of the window the buffer covers is not known; the time
 * of a DATA chunk is an upper bound.
 *
 * The session is located in the buffer by its lines alone (pt_s12z_locate), because the meaning of DBGCNT in profiling
 * is not documented. */
#include <string.h>

#include "targets/s12z/trace/profile.h"
#include "base/util.h"

enum { PROBE_DELAY_US = 20000, STEP_US = 30000, DRAINED_US = 20000, LINE_CYCLES = 1184, LEAST_LINES = 8 };
enum { TRIAL_US = 5000, WRITE_CYCLES = 656, GIVE_UP_NS = 2000000000 };

enum { ARM_OFF, ARM_ON };
static const uint8_t c1_value[] = { [ARM_OFF] = 0, [ARM_ON] = C1_ARM };
static const uint8_t profile_on = TCRL_PROFILE;

struct round {			/* a batch, and the indices of its operations */
	struct pt_bdc_op op[12];
	unsigned n, delay, arm, window, disarm, poll, data, n_lines;
};

enum { NOWHERE = 0xff };

/* --- contents of a snapshot -------------------------------------------------------------------------------------- */

/* A whole session has both ends. All whole sessions must use the same one, because the program decides which sessions
 * are whole: the end if lines leave the buffer (then not all are whole), else the beginning. */
static uint16_t chosen_of(struct pt_s12z_profile *p, const struct pt_s12z_session *session)
{
	if (session->whole && session->overflow)
		p->chosen_end = false;
	else if (!session->whole)
		p->chosen_end = true;
	if (session->overflow)
		return session->whole ? PT_DATA_CHOSEN_BEGIN : PT_DATA_CHOSEN_NEITHER;
	return p->chosen_end || !session->whole ? PT_DATA_CHOSEN_END : PT_DATA_CHOSEN_BEGIN;
}

static void deliver(struct pt_s12z_profile *p)
{
	struct pt_snap *snap = &p->snap;
	struct pt_s12z_session session = pt_s12z_locate(snap->lines, PT_S12Z_LINES);
	uint8_t lines[PT_PROFILE_BUFFER_BYTES];

	snap->state = SNAP_READY;
	snap->n_read = 0;
	if (session.n == 0) {
		snap->state = SNAP_UNSURE;	/* the registers may have been changed by another */
		return;
	}
	for (size_t i = 0; i < session.n; i++)
		memcpy(lines + PT_S12Z_LINE_BYTES * i,
		       snap->lines + PT_S12Z_LINE_BYTES * ((session.first + i) % PT_S12Z_LINES), PT_S12Z_LINE_BYTES);
	pt_emit_loss(&p->out, PT_LOSS_REARM, snap->armed_ns);
	p->out.restarts = true;
	p->out.restarts_as = chosen_of(p, &session);
	pt_emit_data_about(&p->out, snap->armed_ns, snap->disarmed_ns, snap->slack_ns, lines,
			   PT_S12Z_LINE_BYTES * session.n);
	p->n_taken = 0;
}

/* --- one round ---------------------------------------------------------------------------------------------------- */

static unsigned put(struct round *r, const struct pt_bdc_op *op)
{
	r->op[r->n] = *op;
	return r->n++;
}

static unsigned put_write(struct round *r, uint32_t addr, const uint8_t *byte)
{
	return put(r, &(struct pt_bdc_op){ .what = PT_BDC_WRITE_MEM,
					   .size_bytes = 1,
					   .addr = addr,
					   .n = 1,
					   .bytes = (void *)(uintptr_t)byte });	/* not changed */
}

static unsigned put_delay(struct round *r, uint32_t time_us)
{
	return put(r, &(struct pt_bdc_op){ .what = PT_BDC_DELAY, .time_us = time_us, .n = 1 });
}

static void put_waiting(struct round *r)
{
	r->poll = put(r, &(struct pt_bdc_op){ .what = PT_BDC_POLL,
					      .size_bytes = 1,
					      .addr = DBG_SR,
					      .mask = SR_PTACT,
					      .n = 1,
					      .time_us = DRAINED_US });
}

static void put_recording(struct pt_s12z_profile *p, struct round *r)
{
	if (p->snap.delay_us != 0)
		r->delay = put_delay(r, (uint32_t)p->snap.delay_us);
	r->arm = put_write(r, DBG_C1, &c1_value[ARM_ON]);
	r->window = put_delay(r, p->snap.window_us);
	r->disarm = put_write(r, DBG_C1, &c1_value[ARM_OFF]);
	put_waiting(r);
}

/* Reads the buffer from its oldest line on, or continues the previous step. */
static void put_reading(struct pt_s12z_profile *p, struct round *r)
{
	uint64_t hz = p->z->wire.bdcsi_hz != 0 ? p->z->wire.bdcsi_hz : 1000000;
	uint64_t most = STEP_US * hz / 1000000 / LINE_CYCLES;
	unsigned left = PT_S12Z_LINES - p->snap.n_read;

	if (p->snap.n_read == 0)
		r->n += pt_profile_put_open(p, r->op + r->n);
	most = most < LEAST_LINES ? LEAST_LINES : most;
	r->n_lines = left < most ? left : (unsigned)most;
	r->data = put(r, &(struct pt_bdc_op){ .what = PT_BDC_READ_DBGTB,
					      .n = r->n_lines,
					      .bytes = p->snap.lines + PT_S12Z_LINE_BYTES * p->snap.n_read });
	if (p->clear_profile && r->n_lines == left)
		put_write(r, DBG_TCRL, &profile_on);
}

/* The module was armed for the window plus the duration of the disarming command; twice that, to allow for the
 * firmware. This is an estimate, not a bound: the latest time is that of the answer (slack_ns). */
static void take_times(struct pt_s12z_profile *p, const struct round *r)
{
	uint64_t hz = p->z->wire.bdcsi_hz != 0 ? p->z->wire.bdcsi_hz : 1000000;
	uint64_t least_ns = p->snap.window_us * UINT64_C(1000) + 2 * WRITE_CYCLES * UINT64_C(1000000000) / hz;
	uint64_t armed_ns = r->op[r->arm].sent_ns, disarmed_ns;

	if (r->delay != NOWHERE && r->op[r->delay].sent_ns + p->snap.delay_us * 1000 > armed_ns)
		armed_ns = r->op[r->delay].sent_ns + p->snap.delay_us * 1000;
	disarmed_ns = armed_ns + least_ns > r->op[r->disarm].sent_ns ? armed_ns + least_ns : r->op[r->disarm].sent_ns;
	p->snap.disarmed_ns = disarmed_ns < r->op[r->disarm].done_ns ? disarmed_ns : r->op[r->disarm].done_ns;
	p->snap.armed_ns = armed_ns < p->snap.disarmed_ns ? armed_ns : p->snap.disarmed_ns;
	p->snap.slack_ns = r->op[r->disarm].done_ns - p->snap.disarmed_ns;
}

/* Notes how far the round was executed, also if it ended early. An interrupted read starts again, because the position
 * of the buffer's read pointer is unknown. */
static void take_progress(struct pt_s12z_profile *p, const struct round *r, size_t n_done)
{
	struct pt_snap *snap = &p->snap;

	if (r->arm != NOWHERE && n_done > r->disarm) {
		take_times(p, r);
		snap->delay_us = PT_UNKNOWN;
		snap->state = SNAP_ENDING;
	} else if (r->arm != NOWHERE) {
		snap->state = SNAP_UNSURE;
	}
	if (r->poll != NOWHERE && n_done > r->poll)
		snap->state = SNAP_FULL;
	if (r->data != NOWHERE && n_done > r->data)
		snap->n_read += r->n_lines;
	else
		snap->n_read = 0;
}

static int run_round(struct pt_s12z_profile *p, struct round *r, struct pt_err *err)
{
	size_t n_done = 0;
	int rc = pt_wire_s12z_run(&p->z->wire, r->op, r->n, &n_done, err);

	if (rc == 0 && r->poll != NOWHERE) {
		rc = pt_dbg_believe_sr(p->z, r->op[r->poll].value, err);
		n_done = rc < 0 ? 0 : n_done;
	}
	take_progress(p, r, n_done);
	if (rc == 0)
		pt_emit_works(&p->out, r->op[0].sent_ns, p->z->was_reset);
	if (rc == 0 && n_done < r->n && pt_wire_s12z_now_ns(&p->z->wire) - p->snap.disarmed_ns > GIVE_UP_NS) {
		pt_emit_loss(&p->out, PT_LOSS_PROBE, pt_wire_s12z_now_ns(&p->z->wire));
		pt_emit_end(&p->out);
		return pt_fail(err, PT_ETIMEOUT, "dbg-profile: the DBG goes on transmitting for ever (DBGSR.PTACT)");
	}
	if (p->snap.n_read == PT_S12Z_LINES)
		deliver(p);
	if (rc == 0)
		return 0;
	if (p->snap.state == SNAP_READY)
		p->snap.state = SNAP_UNSURE;	/* PROFILE may not be set */
	return pt_profile_failed(p, rc, err);
}

/* --- the steps ---------------------------------------------------------------------------------------------------- */

/* Checks whether another has changed the registers. If not, sets up and goes on. */
static int look(struct pt_s12z_profile *p, struct pt_err *err)
{
	uint8_t seen[3] = { 0 };
	struct pt_bdc_op op = { .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = DBG_C1, .n = 3, .bytes = seen };
	bool ours;
	int rc = pt_wire_s12z_run(&p->z->wire, &op, 1, NULL, err);

	if (rc == 0)
		rc = pt_dbg_believe(p->z, seen[0], seen[2], err);
	if (rc < 0)
		return pt_profile_failed(p, rc, err);
	pt_emit_works(&p->out, op.sent_ns, p->z->was_reset);
	ours = (seen[0] & ~C1_ARM) == 0 && (seen[2] & TCRH_TSOURCE) != 0;	/* ARM: our interrupted round */
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

/* Draws the delay before the next arming. The part that is too long for the probe is waited for here; all of it if
 * other sources share the link. Returns microseconds to wait. */
static int draw_delay(struct pt_s12z_profile *p)
{
	uint64_t in_probe_us = p->shares_link ? 0 : PROBE_DELAY_US, rest_us;

	if (p->snap.delay_us == PT_UNKNOWN)
		p->snap.delay_us = pt_random_delay(&p->random, p->period_us);
	if (p->snap.delay_us <= in_probe_us)
		return 0;
	rest_us = p->snap.delay_us - in_probe_us < PROBE_DELAY_US ? p->snap.delay_us - in_probe_us : PROBE_DELAY_US;
	p->snap.delay_us -= rest_us;
	return (int)rest_us;
}

static int drain(struct pt_s12z_profile *p, struct pt_err *err)
{
	struct round r = { .delay = NOWHERE, .arm = NOWHERE, .poll = NOWHERE, .data = NOWHERE };
	int rest_us;

	if (p->snap.state == SNAP_UNSURE)
		return look(p, err);
	if (p->snap.state == SNAP_READY) {
		rest_us = draw_delay(p);
		if (rest_us > 0)
			return rest_us;
		put_recording(p, &r);
	}
	if (p->snap.state == SNAP_ENDING)
		put_waiting(&r);
	put_reading(p, &r);
	return run_round(p, &r, err);
}

/* The trial: arms so long that a buffer whose lines do not leave is full, unless the program is almost idle. Its
 * recording is not emitted, because its time was not random. */
static int find_out(struct pt_s12z_profile *p, struct pt_err *err)
{
	struct round r = { .delay = NOWHERE, .arm = NOWHERE, .poll = NOWHERE, .data = NOWHERE };
	uint32_t window_us = p->snap.window_us;
	struct pt_s12z_session session;
	size_t n_done = 0;
	int rc;

	p->snap.window_us = TRIAL_US;
	p->snap.delay_us = 0;
	put_recording(p, &r);
	r.n += pt_profile_put_open(p, r.op + r.n);
	r.data = put(&r, &(struct pt_bdc_op){ .what = PT_BDC_READ_DBGTB, .n = PT_S12Z_LINES, .bytes = p->snap.lines });
	rc = pt_wire_s12z_run(&p->z->wire, r.op, r.n, &n_done, err);
	if (rc == 0)
		rc = pt_dbg_believe_sr(p->z, r.op[r.poll].value, err);
	p->snap.window_us = window_us;
	p->snap.delay_us = PT_UNKNOWN;
	if (rc < 0)
		return pt_wrap(err, "try out a snapshot");
	session = pt_s12z_locate(p->snap.lines, PT_S12Z_LINES);
	p->chosen_end = n_done < r.n || !session.overflow || !session.whole;
	p->drains_by = PT_DRAINS_TRIED;
	return 0;
}

static int start(struct pt_s12z_profile *p, const struct pt_source_setup *setup, struct pt_err *err)
{
	const char *drains = pt_params_text(setup->settings, &pt_profile_params[PT_PROFILE_DRAINS]);
	uint64_t window_ns = pt_params_number(setup->settings, &pt_profile_params[PT_PROFILE_WINDOW]);

	p->snap = (struct pt_snap){ .delay_us = PT_UNKNOWN, .window_us = (uint32_t)(window_ns / 1000) };
	p->chosen_end = strcmp(drains, "no") != 0;
	p->drains_by = strcmp(drains, "learn") != 0 ? PT_DRAINS_SET : PT_DRAINS_UNKNOWN;
	if (!pt_wire_s12z_can(&p->z->wire, PT_BDC_READ_DBGTB))
		return pt_fail(err, PT_EUNSUPPORTED, "this probe cannot read the trace buffer");
	if (pt_profile_set_up(p, false, err) < 0)
		return err->code;
	if (!p->halt.held && p->drains_by == PT_DRAINS_UNKNOWN &&
	    (find_out(p, err) < 0 || pt_profile_set_up(p, false, err) < 0))
		return err->code;
	p->snap.state = SNAP_READY;
	return 0;
}

static bool pending(const struct pt_s12z_profile *p)
{
	return p->snap.state == SNAP_ENDING || p->snap.state == SNAP_FULL;
}

static int flush(struct pt_s12z_profile *p, struct pt_err *err)
{
	int rc = 0;

	while (rc == 0 && pending(p)) {
		struct round r = { .delay = NOWHERE, .arm = NOWHERE, .poll = NOWHERE, .data = NOWHERE };

		if (p->snap.state == SNAP_ENDING)
			put_waiting(&r);
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
	.cost = "the core never halts; the profile uses the DBG module, so GDB has no hardware breakpoints meanwhile",
	.start = start,
	.drain = drain,
	.pending = pending,
	.flush = flush,
	.was_reset = was_reset,
};
