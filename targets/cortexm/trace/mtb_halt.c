/* Mode halt: records until a watermark halts the core, reads, resumes the core. Nothing is missed; the program's time
 * stands still while the buffer is read. The watermark is eight packets before the end, because the core takes some
 * branches more before it obeys (skid). STATE chunks have the pc of each halt and resume, so the run between the last
 * branch and the halt is known, too.
 *
 * A breakpoint or the user may halt the core meanwhile: then the new data are read, the unit is left as it is, and
 * recording continues with the core. Every second watermark is a packet earlier: this distinguishes a core that still
 * waits from one that was resumed by an interrupted batch and has filled the buffer again. HALTREQ is cleared before
 * the core is resumed, else it halts again. */
#include "targets/cortexm/trace/mtb.h"
#include "base/util.h"

enum { HELD_REST_US = 200000, EXPIRED_REST_US = 1000, MOST_RESTS = 5, SKID_BYTES = 8 * PACKET_BYTES };
enum { REGSEL_PC = 15 };

struct stop {			/* the state of a halted core and its MTB */
	struct pt_mtb_regs seen;
	uint32_t dhcsr, dfsr, pc;
	uint32_t after;		/* DHCSR again, after the data */
	uint64_t ns;
};

static uint32_t flow(const struct pt_mtb *m)
{
	uint32_t odd = m->odd_burst ? PACKET_BYTES : 0;

	return (m->win.pointer + m->win.len_bytes - SKID_BYTES - odd) | FLOW_AUTOHALT;
}

/* Reads the state of both in one batch; of the buffer, the stretch [read_offset, room) is read with it. */
static int read_stop(struct pt_mtb *m, struct stop *stop, uint32_t room, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	size_t position = pt_mtb_put_read(&batch, m->regs + MTB_POSITION);
	size_t master = pt_mtb_put_read(&batch, m->regs + MTB_MASTER);
	size_t watermark = pt_mtb_put_read(&batch, m->regs + MTB_FLOW);
	size_t dfsr = pt_mtb_put_read(&batch, pt_cortexm_reg(m->cm, SCS_DFSR)), ready, pc, after;
	int rc;

	pt_mtb_put_write(&batch, pt_cortexm_reg(m->cm, SCS_DCRSR), REGSEL_PC);
	ready = pt_mtb_put_read(&batch, pt_cortexm_reg(m->cm, SCS_DHCSR));
	pc = pt_mtb_put_read(&batch, pt_cortexm_reg(m->cm, SCS_DCRDR));
	if (room > m->read_offset)
		pt_mtb_put_data(&batch, m->win.addr + m->read_offset, m->data + m->read_offset, room - m->read_offset);
	after = pt_mtb_put_read(&batch, pt_cortexm_reg(m->cm, SCS_DHCSR));
	rc = pt_mtb_run(m, &batch, err);
	if (rc < 0)
		return rc;
	stop->seen.position = pt_mtb_value(&batch, position);
	stop->seen.master = pt_mtb_value(&batch, master);
	stop->seen.flow = pt_mtb_value(&batch, watermark);
	stop->dfsr = pt_mtb_value(&batch, dfsr);
	stop->dhcsr = pt_mtb_value(&batch, ready);
	stop->pc = pt_mtb_value(&batch, pc);
	stop->after = pt_mtb_value(&batch, after);
	stop->ns = batch.op[position].sent_ns;
	pt_cortexm_saw(m->cm, stop->dhcsr);
	pt_cortexm_saw(m->cm, stop->after);
	return 0;
}

/* --- chunks ------------------------------------------------------------------------------------------------------- */

/* [read_offset, the pointer) is new: it is in data, or is read now. */
static int deliver(struct pt_mtb *m, const struct stop *stop, uint32_t have, struct pt_err *err)
{
	uint32_t offset = pt_mtb_offset(m, stop->seen.position);

	if (offset > have && offset <= m->win.len_bytes) {
		int rc = pt_mem_read(m->mem, m->win.addr + have, m->data + have, offset - have, err);

		if (rc < 0)
			return rc;
	}
	if ((stop->seen.position & POSITION_WRAP) != 0 || offset > m->win.len_bytes || offset < m->read_offset) {
		pt_emit_loss(&m->out, PT_LOSS_WRAP, stop->ns);
		m->out.restarts = true;
	} else {
		uint32_t n = pt_mtb_until_halt(m, m->data + m->read_offset, offset - m->read_offset);

		pt_emit_data(&m->out, m->out.told_ns, stop->ns, m->data + m->read_offset, n);
		m->read_offset += n;
		m->n_taken = 0;
	}
	return 0;
}

static bool is_disturbed(const struct pt_mtb *m, const struct stop *stop)
{
	uint32_t expected = MASTER_EN | pt_mtb_master(m);

	return (stop->seen.master & ~(uint32_t)MASTER_HALTREQ) != expected || stop->seen.flow != m->watermark;
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* Clears HALTREQ with EN, and sets everything up again. */
static void put_restart(struct pt_mtb *m, struct pt_mtb_batch *batch)
{
	pt_mtb_put_write(batch, m->regs + MTB_MASTER, pt_mtb_master(m));
	pt_mtb_put_arm(m, batch, flow(m));
}

static int run_restart(struct pt_mtb *m, struct pt_mtb_batch *batch, struct pt_err *err)
{
	int rc = pt_mtb_run(m, batch, err);

	if (rc < 0)
		return rc;
	m->state = MTB_ARMED;
	m->read_offset = 0;
	return 0;
}

static int restart(struct pt_mtb *m, uint64_t *armed_ns, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	int rc;

	put_restart(m, &batch);
	rc = run_restart(m, &batch, err);
	*armed_ns = batch.op[batch.n - 1].sent_ns;
	return rc;
}

/* Starts recording, resumes the core and waits for the next watermark, in one round trip. */
static int restart_and_resume(struct pt_mtb *m, uint64_t *resumed_ns, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	size_t resume;
	int rc;

	put_restart(m, &batch);
	pt_mtb_put_write(&batch, pt_cortexm_reg(m->cm, SCS_DFSR), DFSR_EXTERNAL);
	resume = pt_mtb_put_write(&batch, pt_cortexm_reg(m->cm, SCS_DHCSR), DHCSR_KEY | DHCSR_C_DEBUGEN);
	pt_mtb_put_poll(&batch, m->regs + MTB_MASTER, MASTER_HALTREQ, MASTER_HALTREQ);
	rc = run_restart(m, &batch, err);
	if (rc == PT_EINTERRUPTED && batch.n_done > resume) {
		m->state = MTB_ARMED;	/* only the wait was interrupted */
		m->read_offset = 0;
		rc = 0;
	}
	*resumed_ns = batch.op[resume].sent_ns;
	if (rc < 0)
		return rc;
	m->cm->halted = false;
	m->state = batch.n_done == batch.n ? MTB_FULL : MTB_ARMED;
	return 0;
}

static void tell_resumed(struct pt_mtb *m, uint64_t resumed_ns)
{
	if (resumed_ns > m->out.told_ns) {
		pt_cost_halt(&m->cost.sampling, resumed_ns - m->out.told_ns);
		m->cost.samples++;
	}
	pt_emit_loss(&m->out, PT_LOSS_DRAIN, resumed_ns);
	pt_emit_state(&m->out, PT_STATE_RUN, resumed_ns, m->stop_pc);
}

/* Everything was read: records again, and resumes the core unless somebody else holds it. If it is interrupted it is
 * repeated. */
static int go_on(struct pt_mtb *m, struct pt_err *err)
{
	uint64_t ns = 0;
	int rc = m->held ? restart(m, &ns, err) : restart_and_resume(m, &ns, err);

	if (rc < 0) {
		m->state = MTB_UNSURE;
		return pt_mtb_failed(m, rc, err);
	}
	if (!m->held)
		tell_resumed(m, ns);
	return 0;
}

/* go_on() was interrupted. Resuming is its last step: a running core was armed before; one that has halted again has
 * this burst's watermark, and data. */
static int go_on_again(struct pt_mtb *m, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	size_t core = pt_mtb_put_read(&batch, pt_cortexm_reg(m->cm, SCS_DHCSR));
	size_t position = pt_mtb_put_read(&batch, m->regs + MTB_POSITION);
	size_t master = pt_mtb_put_read(&batch, m->regs + MTB_MASTER);
	size_t watermark = pt_mtb_put_read(&batch, m->regs + MTB_FLOW);
	int rc = pt_mtb_run(m, &batch, err);
	bool ran;

	if (rc < 0)
		return pt_mtb_failed(m, rc, err);
	pt_cortexm_saw(m->cm, pt_mtb_value(&batch, core));
	ran = pt_mtb_value(&batch, watermark) == m->watermark &&
	      ((pt_mtb_value(&batch, master) & MASTER_HALTREQ) != 0 ||
	       pt_mtb_value(&batch, position) != m->win.pointer);
	if ((pt_mtb_value(&batch, core) & DHCSR_S_HALT) != 0 && !ran)
		return go_on(m, err);
	m->state = MTB_ARMED;
	m->read_offset = 0;
	tell_resumed(m, pt_mem_now_ns(m->mem));
	return 0;
}

/* Reads what the watermark stopped, reports it, and continues, unless there is another reason to stay halted. */
static int on_full(struct pt_mtb *m, struct pt_err *err)
{
	uint32_t have = m->win.len_bytes;
	struct stop stop;
	int rc = read_stop(m, &stop, have, err);

	if (rc < 0)
		return pt_mtb_failed(m, rc, err);
	if (is_disturbed(m, &stop))
		return pt_mtb_disturbed(m, &stop.seen, err);
	if ((stop.dhcsr & DHCSR_S_HALT) == 0)
		return EXPIRED_REST_US;	/* it will soon: look again */
	if (!pt_emit_reserve(&m->out, 3))
		return EXPIRED_REST_US;	/* the core waits for the analysis thread: nothing is lost */
	rc = deliver(m, &stop, have, err);
	if (rc < 0)
		return pt_mtb_failed(m, rc, err);
	pt_emit_state(&m->out, PT_STATE_HALT, stop.ns, stop.pc);
	m->stop_pc = stop.pc;
	if ((stop.after & DHCSR_S_RESET_ST) != 0 || (stop.after & DHCSR_S_HALT) == 0) {
		m->state = MTB_IDLE;	/* a reset stopped the unit while it was read */
		m->out.restarts = true;
		pt_emit_loss(&m->out, PT_LOSS_RESET, pt_mem_now_ns(m->mem));
		pt_emit_state(&m->out, PT_STATE_RESET, m->out.told_ns, PT_UNKNOWN);
		return 0;
	}
	m->odd_burst = !m->odd_burst;
	m->held = (stop.dfsr & DFSR_ALL & ~DFSR_EXTERNAL) != 0;	/* a breakpoint, too: whoever set it decides */
	return go_on(m, err);
}

/* DFSR may still show earlier halts. */
static int start(struct pt_mtb *m, struct pt_err *err)
{
	uint64_t armed_ns = 0;
	int rc;

	if (pt_cortexm_enable_debug(m->cm, err) < 0)	/* otherwise EDBGRQ does not halt the core */
		return err->code;
	m->cm->source_halts = true;
	if (!m->held && pt_mem_write32(m->mem, pt_cortexm_reg(m->cm, SCS_DFSR), DFSR_ALL, err) < 0)
		return err->code;
	rc = restart(m, &armed_ns, err);
	if (rc < 0)
		return rc;
	pt_emit_loss(&m->out, m->held ? PT_LOSS_HALTED : PT_LOSS_REARM, armed_ns);
	m->out.restarts = true;
	return 0;
}

static int wait_full(struct pt_mtb *m, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	size_t poll = pt_mtb_put_poll(&batch, m->regs + MTB_MASTER, MASTER_HALTREQ, MASTER_HALTREQ);
	int rc = pt_mtb_run(m, &batch, err);
	struct pt_mtb_regs seen = { .master = batch.op[poll].match_seen };

	if (rc < 0)
		return pt_mtb_failed(m, rc, err);
	m->out.failing_since_ns = PT_UNKNOWN;
	if (batch.n_done == batch.n) {
		m->n_expired = 0;
		return on_full(m, err);
	}
	if ((seen.master & ~(uint32_t)MASTER_HALTREQ) != (MASTER_EN | pt_mtb_master(m)))
		return pt_mtb_disturbed(m, &seen, err);	/* it no longer records */
	m->n_expired += m->n_expired < MOST_RESTS;
	return (int)m->n_expired * EXPIRED_REST_US;
}

/* After a reset or a disturbance. The report may be late: the unit may have been armed again since. */
static int look_or_start(struct pt_mtb *m, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	struct stop stop = { .pc = 0 };
	size_t master = pt_mtb_put_read(&batch, m->regs + MTB_MASTER);
	size_t watermark = pt_mtb_put_read(&batch, m->regs + MTB_FLOW);
	int rc = pt_mtb_run(m, &batch, err);

	if (rc < 0)
		return pt_mtb_failed(m, rc, err);
	stop.seen.master = pt_mtb_value(&batch, master);
	stop.seen.flow = pt_mtb_value(&batch, watermark);
	if (!is_disturbed(m, &stop)) {
		m->state = MTB_ARMED;
		return 0;
	}
	rc = start(m, err);
	return rc < 0 ? pt_mtb_failed(m, rc, err) : 0;
}

static int drain(struct pt_mtb *m, struct pt_err *err)
{
	if (m->state == MTB_UNSURE)
		return go_on_again(m, err);
	if (m->held)
		return HELD_REST_US;
	if (m->state == MTB_ARMED)
		return wait_full(m, err);
	if (m->state == MTB_FULL)
		return on_full(m, err);
	return look_or_start(m, err);
}

/* At the end of the profile the core may run: first recording is stopped, then its position is read. A sleeping core
 * that has recorded no branch since then is still at the end of its data; it is not woken to ask for its position. */
static int stop_unit(struct pt_mtb *m, struct stop *stop, bool *asleep, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	size_t position = pt_mtb_put_read(&batch, m->regs + MTB_POSITION);
	size_t core = pt_mtb_put_read(&batch, pt_cortexm_reg(m->cm, SCS_DHCSR));
	struct pt_mtb_end end;
	int rc = pt_mtb_run(m, &batch, err);

	if (rc == 0)
		pt_cortexm_saw(m->cm, pt_mtb_value(&batch, core));
	*asleep = rc == 0 && (pt_mtb_value(&batch, core) & DHCSR_S_SLEEP) != 0;
	rc = pt_mtb_stop_unit(m, &end, err);
	*asleep &= end.position == pt_mtb_value(&batch, position);

	stop->seen.position = end.position;
	stop->ns = end.sent_ns;
	m->state = MTB_IDLE;
	return rc;
}

/* Reads the data since somebody else halted the core, or until the end. A core that the watermark holds is resumed. */
static int flush(struct pt_mtb *m, struct pt_err *err)
{
	bool was_full = m->state == MTB_FULL, asleep = false;
	struct stop stop;
	int rc;

	if (m->state != MTB_ARMED && !was_full)
		return 0;
	rc = m->held || was_full ? read_stop(m, &stop, 0, err) : stop_unit(m, &stop, &asleep, err);
	if (rc == 0)
		rc = deliver(m, &stop, m->read_offset, err);
	m->all_told = rc == 0 && asleep;
	if (m->all_told)
		pt_emit_state(&m->out, PT_STATE_SLEEP, stop.ns, PT_UNKNOWN);
	if (rc == 0 && was_full)	/* a debugger may have moved the pc since then */
		pt_emit_state(&m->out, PT_STATE_HALT, stop.ns, m->untold ? m->halt_pc : stop.pc);
	return rc;
}

/* HALTREQ is 0: a core that only the watermark holds resumes. */
static int let_run(struct pt_mtb *m, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	uint32_t dhcsr = 0, dfsr = 0;

	if (pt_cortexm_read_dhcsr(m->cm, &dhcsr, err) < 0 ||
	    pt_mem_read32(m->mem, pt_cortexm_reg(m->cm, SCS_DFSR), &dfsr, err) < 0)
		return err->code;
	if ((dhcsr & DHCSR_S_HALT) == 0 || (dfsr & DFSR_ALL) != DFSR_EXTERNAL)
		return 0;
	pt_mtb_put_write(&batch, pt_cortexm_reg(m->cm, SCS_DFSR), DFSR_EXTERNAL);
	pt_mtb_put_write(&batch, pt_cortexm_reg(m->cm, SCS_DHCSR), DHCSR_KEY | DHCSR_C_DEBUGEN);
	m->cm->halted = false;
	return pt_mtb_run(m, &batch, err);
}

/* The unit was restored. Halting debug was on only for this source, unless there is a debugger. */
static int leave(struct pt_mtb *m, struct pt_err *err)
{
	m->cm->source_halts = false;
	if (m->held)
		return 0;
	if (let_run(m, err) < 0)
		return err->code;
	return m->cm->attended ? 0 : pt_cortexm_leave(m->cm, err);
}

static void was_reset(struct pt_mtb *m)
{
	m->state = MTB_IDLE;
}

const struct pt_mtb_mode pt_mtb_halt = {
	.name = "halt",
	.holds = true,
	.cost = "the core is halted for some milliseconds whenever the buffer is full, about every %u branches; time "
		"that the program measures outside the core goes on meanwhile",
	.start = start,
	.drain = drain,
	.flush = flush,
	.leave = leave,
	.was_reset = was_reset,
};
