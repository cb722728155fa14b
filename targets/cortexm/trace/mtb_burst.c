/* Mode burst: records until a watermark stops the unit, reads, waits for a random time, and repeats. The core never
 * halts.
 *
 * The arming, the wait for the end and the read of the registers are one batch, which begins with the rest of the
 * previous burst's data: a round trip per burst, and one more per further 2 KiB. The probe makes the delay, so the
 * host's jitter has no influence. A poll that expires (the core sleeps) leaves the burst armed.
 *
 * If a debugger halts the core, the burst stays armed, and continues with the core.
 *
 * With from= the unit is armed without EN: the comparators of the MTB_DWT switch it on and off, each time the program
 * passes, until the buffer is full. The times of this are not recorded: all of the time counts as outside the trigger,
 * and the data are not a burst at a random time.
 *
 * WATERMARK is one packet before the end: were it the initial pointer, the level compare could stop the unit at once,
 * and so the window is never quite full and never wraps. */
#include "targets/cortexm/trace/mtb.h"
#include "base/util.h"

enum { PROBE_DELAY_US = 20000, HELD_REST_US = 200000, EXPIRED_REST_US = 1000, MOST_RESTS = 5,
       SHORT_POLL_US = 1000 };

struct round {			/* a batch, and the indices of its accesses; PT_LEN(op) = not there */
	struct pt_mtb_batch batch;
	size_t data, delay, arm, poll, position, master, flow;
	uint32_t data_bytes, delay_us;
};

static uint32_t end_pointer(const struct pt_mtb *m)
{
	return m->win.pointer + m->win.len_bytes - PACKET_BYTES;
}

/* --- what a burst brought ----------------------------------------------------------------------------------------- */

static void deliver(struct pt_mtb *m)
{
	pt_emit_loss(&m->out, PT_LOSS_REARM, m->armed_ns);
	if (m->trigger.on) {
		pt_emit_loss(&m->out, PT_LOSS_OUTSIDE, m->stopped_ns);
		m->out.restarts_as = PT_DATA_CHOSEN_NEITHER;
		m->triggered |= m->len_bytes > 0;
		m->armed_ns = m->stopped_ns;
	}
	if (m->not_random)
		m->out.restarts_as = PT_DATA_CHOSEN_NEITHER;
	m->out.restarts = true;
	pt_emit_data_about(&m->out, m->armed_ns, m->stopped_ns, m->armed_slack_ns, m->data, m->len_bytes);
	m->state = MTB_IDLE;
	m->n_taken = 0;
}

static void begin_reading(struct pt_mtb *m, uint32_t len_bytes, uint64_t stopped_ns)
{
	m->stopped_ns = stopped_ns;
	m->len_bytes = len_bytes;
	m->read_offset = 0;
	m->state = MTB_FULL;
	m->n_expired = 0;
}

/* --- one round ---------------------------------------------------------------------------------------------------- */

static void put_data(struct pt_mtb *m, struct round *r)
{
	uint32_t left = m->len_bytes - m->read_offset;

	r->data_bytes = left < PT_MTB_STEP_BYTES ? left : PT_MTB_STEP_BYTES;
	r->data = pt_mtb_put_data(&r->batch, m->win.addr + m->read_offset, m->data + m->read_offset, r->data_bytes);
}

static void put_arming(struct pt_mtb *m, struct round *r)
{
	if (m->delay_us != 0) {
		r->delay_us = (uint32_t)m->delay_us;
		r->delay = pt_mtb_put_delay(&r->batch, r->delay_us);
	}
	r->arm = pt_mtb_put_arm(m, &r->batch, end_pointer(m) | FLOW_AUTOSTOP);
}

static void put_waiting(struct pt_mtb *m, struct round *r)
{
	if (m->trigger.on)	/* outside the trigger EN is 0, too */
		r->poll =
			pt_mtb_put_poll(&r->batch, m->regs + MTB_POSITION, (uint32_t)POSITION_POINTER, end_pointer(m));
	else
		r->poll = pt_mtb_put_poll(&r->batch, m->regs + MTB_MASTER, MASTER_EN, 0);
	if (m->shares_link)
		r->batch.op[r->poll].time_us = SHORT_POLL_US;	/* longer than a burst, unless the core sleeps */
	r->position = pt_mtb_put_read(&r->batch, m->regs + MTB_POSITION);
	r->master = pt_mtb_put_read(&r->batch, m->regs + MTB_MASTER);
	r->flow = pt_mtb_put_read(&r->batch, m->regs + MTB_FLOW);
}

/* The earliest time at which the unit can have been armed: its packet was sent, and the delay had passed. The arrival
 * of the previous answer is no such bound: the next packet is in the probe by then, and a late host sees both answers
 * at once. But behind a long read the packets in flight delay the arming, probably as much as the fastest answer has
 * shown: this is the uncertainty of the time, since all answers may have been late so far. */
static void take_arming(struct pt_mtb *m, const struct round *r)
{
	const struct pt_mem_op *op = r->batch.op;
	uint64_t ns = op[r->arm].sent_ns, ahead_ns = 0;

	if (r->delay != PT_MTB_BATCH && op[r->delay].sent_ns + r->delay_us * UINT64_C(1000) > ns)
		ns = op[r->delay].sent_ns + r->delay_us * UINT64_C(1000);
	m->armed_ns = ns;
	m->armed_slack_ns = 0;
	if (r->data == PT_MTB_BATCH)
		return;
	if (op[r->arm - 3].done_ns > ns && op[r->arm - 3].done_ns != op[r->arm].done_ns)
		ahead_ns = op[r->arm - 3].done_ns - ns;
	if (m->ahead_bytes != r->data_bytes || ahead_ns < m->ahead_ns)
		m->ahead_ns = ahead_ns;
	m->ahead_bytes = r->data_bytes;
	m->armed_ns += m->ahead_ns;
	m->armed_slack_ns = m->ahead_ns;
}

/* Evaluates what was done of the round, even if it ended early. */
static void take_progress(struct pt_mtb *m, struct round *r)
{
	size_t n_done = r->batch.n_done;

	if (r->data != PT_MTB_BATCH && n_done > r->data) {
		m->read_offset += r->data_bytes;
		if (m->read_offset == m->len_bytes)
			deliver(m);
	}
	if (r->arm != PT_MTB_BATCH && n_done > r->arm) {
		m->state = MTB_ARMED;
		m->not_random = false;
		m->delay_us = PT_UNKNOWN;
		take_arming(m, r);
	}
}

/* The unit has stopped: at the watermark, or by something else. */
static int take_end(struct pt_mtb *m, struct round *r, struct pt_err *err)
{
	struct pt_mtb_regs seen = {
		.position = pt_mtb_value(&r->batch, r->position), .master = pt_mtb_value(&r->batch, r->master),
		.flow = pt_mtb_value(&r->batch, r->flow),
	};
	uint64_t stopped_ns = r->batch.op[r->poll].done_ns;

	uint32_t master = pt_mtb_master(m) | (pt_mtb_armed(m) & ~MASTER_EN);

	if (seen.position != end_pointer(m) || seen.master != master || seen.flow != m->watermark)
		return pt_mtb_disturbed(m, &seen, err);
	if (m->armed_ns > stopped_ns) {
		m->armed_slack_ns -=
			m->armed_ns - stopped_ns < m->armed_slack_ns ? m->armed_ns - stopped_ns : m->armed_slack_ns;
		m->armed_ns = stopped_ns;
	}
	begin_reading(m, m->win.len_bytes - PACKET_BYTES, stopped_ns);
	return 0;
}

static int run_round(struct pt_mtb *m, struct round *r, struct pt_err *err)
{
	int rc = pt_mtb_run(m, &r->batch, err);

	take_progress(m, r);
	if (rc < 0) {	/* accesses in progress may have been done: also an arming, over data not yet read */
		bool was_arming = r->arm != PT_MTB_BATCH && m->state != MTB_ARMED;

		if (was_arming || (m->state == MTB_ARMED && rc != PT_EINTERRUPTED) || rc == PT_EPROTO)
			m->state = MTB_UNSURE;	/* EPROTO: after a loss of power the unread data are lost, too */
		return pt_mtb_failed(m, rc, err);
	}
	m->out.failing_since_ns = PT_UNKNOWN;
	if (r->poll == PT_MTB_BATCH)
		return 0;
	if (r->batch.n_done == r->batch.n)
		return take_end(m, r, err);
	m->n_expired += m->n_expired < MOST_RESTS;
	return (int)m->n_expired * EXPIRED_REST_US;
}

/* --- the steps ---------------------------------------------------------------------------------------------------- */

/* After an error or an interrupt: finds out whether the unit is armed. A burst that has ended meanwhile cannot be told
 * from the previous one. */
static int look(struct pt_mtb *m, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	size_t master = pt_mtb_put_read(&batch, m->regs + MTB_MASTER);
	size_t dhcsr = pt_mtb_put_read(&batch, pt_cortexm_reg(m->cm, SCS_DHCSR));
	int rc = pt_mtb_run(m, &batch, err);

	if (rc < 0)
		return pt_mtb_failed(m, rc, err);
	pt_mtb_works(m, pt_mtb_value(&batch, dhcsr));
	m->state = (pt_mtb_value(&batch, master) & pt_mtb_armed(m)) != 0 ? MTB_ARMED : MTB_IDLE;
	m->armed_ns = pt_mem_now_ns(m->mem);	/* latest possible time */
	m->armed_slack_ns = m->armed_ns - m->out.told_ns;
	if (m->state == MTB_IDLE && pt_mtb_trigger_set(&m->trigger, m->mem, true, err) < 0)	/* a reset cleared it */
		return pt_mtb_failed(m, err->code, err);
	return 0;
}

static uint64_t most_in_probe(const struct pt_mtb *m)
{
	return m->shares_link ? 0 : PROBE_DELAY_US;
}

/* Draws the delay before the next arming; none if the program chooses the windows. True: the probe may make the
 * delay. */
static bool draw_delay(struct pt_mtb *m)
{
	if (m->delay_us == PT_UNKNOWN)
		m->delay_us = m->trigger.on ? 0 : pt_random_delay(&m->random, m->period_us);
	return m->delay_us <= most_in_probe(m);
}

/* The part of the delay that is too long for the probe passes here. Returns the microseconds until the next call. */
static int rest(struct pt_mtb *m)
{
	uint64_t long_us = m->delay_us - most_in_probe(m),
		 rest_us = long_us < PROBE_DELAY_US ? long_us : PROBE_DELAY_US;

	m->delay_us -= rest_us;
	return (int)rest_us;
}

static bool more_than_a_step(const struct pt_mtb *m)
{
	return m->state == MTB_FULL && m->len_bytes - m->read_offset > PT_MTB_STEP_BYTES;
}

static int drain(struct pt_mtb *m, struct pt_err *err)
{
	struct round r = { .data = PT_MTB_BATCH, .delay = PT_MTB_BATCH, .arm = PT_MTB_BATCH, .poll = PT_MTB_BATCH };

	if (m->state == MTB_UNSURE)
		return look(m, err);
	if (m->held && m->state != MTB_FULL)
		return HELD_REST_US;
	if (m->state == MTB_FULL)
		put_data(m, &r);
	if (m->held)
		return run_round(m, &r, err);
	if (m->state == MTB_IDLE || (m->state == MTB_FULL && !more_than_a_step(m))) {
		if (!draw_delay(m))
			return m->state == MTB_IDLE ? rest(m) : run_round(m, &r, err);
		put_arming(m, &r);
	}
	if (r.data == PT_MTB_BATCH || r.arm != PT_MTB_BATCH)
		put_waiting(m, &r);
	return run_round(m, &r, err);
}

/* Stops the unit at its position. The data of an unfinished burst are a shorter burst. */
static int stop_unit(struct pt_mtb *m, struct pt_err *err)
{
	struct pt_mtb_end end;
	uint32_t offset;
	int rc = pt_mtb_stop_unit(m, &end, err);

	if (rc < 0)
		return rc;
	offset = pt_mtb_offset(m, end.position);
	if (offset > m->win.len_bytes)
		offset = 0;	/* another user has it now */
	begin_reading(m, offset, end.done_ns);
	return 0;
}

static int flush(struct pt_mtb *m, struct pt_err *err)
{
	int rc = m->state == MTB_UNSURE ? look(m, err) : 0;

	if (rc == 0 && m->state == MTB_ARMED)
		rc = stop_unit(m, err);
	while (rc == 0 && m->state == MTB_FULL) {
		struct round r = { .delay = PT_MTB_BATCH, .arm = PT_MTB_BATCH, .poll = PT_MTB_BATCH };

		if (m->len_bytes == 0) {
			deliver(m);
			break;
		}
		put_data(m, &r);
		rc = run_round(m, &r, err);
	}
	if (m->state == MTB_IDLE)
		pt_emit_loss(&m->out, m->held ? PT_LOSS_HALTED : PT_LOSS_REARM, pt_mem_now_ns(m->mem));
	return rc < 0 ? rc : 0;
}

static int start(struct pt_mtb *m, struct pt_err *err)
{
	(void)m;
	(void)err;
	return 0;	/* the first drain arms it */
}

/* The core was found halted, and may have been since since_ns. A burst that was armed later may have been armed while it
 * stood, so that it begins where the core is resumed: no random place. What it has recorded so far is in the times before this
 * halt. */
static void was_halted(struct pt_mtb *m, uint64_t since_ns)
{
	uint64_t ran_from_ns = m->armed_ns > m->resumed_ns ? m->armed_ns : m->resumed_ns;

	if (m->state != MTB_ARMED)
		return;
	m->not_random |= m->armed_ns >= since_ns && since_ns < m->halt_ns;
	m->armed_slack_ns += m->halt_ns > ran_from_ns ? m->halt_ns - ran_from_ns : 0;
}

/* The report of a reset may be late: the unit may have been armed again since. */
static void was_reset(struct pt_mtb *m)
{
	m->state = MTB_UNSURE;
	m->delay_us = PT_UNKNOWN;
}

const struct pt_mtb_mode pt_mtb_burst = {
	.name = "burst",
	.apart = true,
	.cost = "the core never halts; while it records (bursts of up to %u branches), each taken branch writes 8 "
		"bytes to RAM and may delay an access to it",
	.start = start,
	.drain = drain,
	.flush = flush,
	.was_reset = was_reset,
	.was_halted = was_halted,
};
