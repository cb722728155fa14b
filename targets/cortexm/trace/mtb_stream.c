/* Mode stream: a ring that the unit writes while it is read behind the writer. AUTOSTOP with the WATERMARK two packets
 * behind the reader is the guard: a writer that catches up is stopped, all that it wrote is still there, and the gap
 * begins there. POSITION is never written while EN is 1; FLOW may be. A step reads the data that the previous step saw,
 * moves the watermark, and reads the writer's position: one round trip.
 *
 * After such a gap it waits for a random time, as between bursts: reading a full ring always takes equally long, so
 * without this the observed stretches would keep step with the program. */
#include "targets/cortexm/trace/mtb.h"
#include "base/util.h"

enum { HELD_REST_US = 200000, LITTLE_REST_US = 1000, MOST_RESTS = 5, GUARD_BYTES = 2 * PACKET_BYTES,
       PATIENCE_MS = 10 };

static uint32_t wrapped(const struct pt_mtb *m, uint32_t offset)
{
	return offset & (m->win.len_bytes - 1);
}

/* The guard for a reader at offset. */
static uint32_t flow_for(const struct pt_mtb *m, uint32_t offset)
{
	return (m->win.pointer + wrapped(m, offset - GUARD_BYTES)) | FLOW_AUTOSTOP;
}

/* The new data, as far as one step reads them, and not beyond the end of the ring. */
static uint32_t new_bytes(const struct pt_mtb *m)
{
	uint32_t writer = m->len_bytes, reader = m->read_offset;
	uint32_t n = writer >= reader ? writer - reader : m->win.len_bytes - reader;

	return n < PT_MTB_STEP_BYTES ? n : PT_MTB_STEP_BYTES;
}

/* A few packets are not worth a chunk, unless they have waited for long or no more will come. */
static bool worth_reading(const struct pt_mtb *m)
{
	return wrapped(m, m->len_bytes - m->read_offset) >= m->win.len_bytes / 4 || m->stopped_ns != PT_UNKNOWN ||
	       pt_mem_now_ns(m->mem) - m->out.told_ns >= PATIENCE_MS * PT_NS_PER_MS;
}

/* The writer's position is kept in len_bytes, as an offset in the ring. */
static int see_writer(struct pt_mtb *m, const struct pt_mtb_regs *seen, struct pt_err *err)
{
	uint32_t offset = pt_mtb_offset(m, seen->position);

	if (offset >= m->win.len_bytes || (seen->master & ~MASTER_EN) != pt_mtb_master(m) || seen->flow != m->watermark)
		return pt_mtb_disturbed(m, seen, err);
	m->len_bytes = offset;
	if ((seen->master & MASTER_EN) == 0 && m->stopped_ns == PT_UNKNOWN)
		m->stopped_ns = pt_mem_now_ns(m->mem);
	return 0;
}

static int try_arm(struct pt_mtb *m, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	size_t master = pt_mtb_put_arm(m, &batch, flow_for(m, 0));
	int rc = pt_mtb_run(m, &batch, err);

	if (rc < 0)
		return rc;
	pt_emit_loss(&m->out, PT_LOSS_REARM, batch.op[master].sent_ns);
	m->state = MTB_ARMED;
	m->out.restarts = true;
	m->read_offset = m->len_bytes = 0;
	m->stopped_ns = PT_UNKNOWN;
	return 0;
}

static int arm(struct pt_mtb *m, struct pt_err *err)
{
	int rc = try_arm(m, err);

	if (rc == 0)
		return 0;
	m->state = MTB_UNSURE;
	return pt_mtb_failed(m, rc, err);
}

struct look {			/* a batch, and the indices of its accesses */
	struct pt_mtb_batch batch;
	uint32_t n_bytes, next;
	size_t position, master, flow;
};

/* The guard is written each time, so that an interrupt between data and guard does no harm. */
static void put_look(struct pt_mtb *m, struct look *look, bool read)
{
	look->n_bytes = read ? new_bytes(m) : 0;
	look->next = wrapped(m, m->read_offset + look->n_bytes);
	if (look->n_bytes != 0)
		pt_mtb_put_data(&look->batch, m->win.addr + m->read_offset, m->data, look->n_bytes);
	pt_mtb_put_write(&look->batch, m->regs + MTB_FLOW, flow_for(m, look->next));
	look->position = pt_mtb_put_read(&look->batch, m->regs + MTB_POSITION);
	look->master = pt_mtb_put_read(&look->batch, m->regs + MTB_MASTER);
	look->flow = pt_mtb_put_read(&look->batch, m->regs + MTB_FLOW);
}

/* Data that were read after the unit was seen stopped were recorded before. */
static void take_data(struct pt_mtb *m, const struct look *look)
{
	uint64_t to_ns = look->batch.op[0].done_ns;

	if (look->n_bytes == 0 || look->batch.n_done == 0)
		return;
	if (to_ns > m->stopped_ns)
		to_ns = m->stopped_ns;
	pt_emit_data(&m->out, m->out.told_ns, to_ns, m->data, pt_mtb_until_halt(m, m->data, look->n_bytes));
	m->read_offset = look->next;
	m->n_taken = 0;
}

/* Reads new data if wanted, moves the guard, reads the position again. */
static int read_on(struct pt_mtb *m, bool read, struct pt_err *err)
{
	struct look look = { .n_bytes = 0 };
	struct pt_mtb_regs seen = { 0 };
	int rc;

	put_look(m, &look, read);
	rc = pt_mtb_run(m, &look.batch, err);
	take_data(m, &look);
	m->watermark = flow_for(m, m->read_offset);
	if (rc < 0) {
		m->state = rc == PT_EINTERRUPTED ? m->state : MTB_UNSURE;
		return pt_mtb_failed(m, rc, err);
	}
	m->out.failing_since_ns = PT_UNKNOWN;
	seen.position = pt_mtb_value(&look.batch, look.position);
	seen.master = pt_mtb_value(&look.batch, look.master);
	seen.flow = pt_mtb_value(&look.batch, look.flow);
	return see_writer(m, &seen, err);
}

static bool is_empty(const struct pt_mtb *m)
{
	return m->read_offset == m->len_bytes;
}

/* The guard has stopped the unit, and all was read: the time from there on is unobserved. */
static void end_in_overrun(struct pt_mtb *m)
{
	pt_emit_loss(&m->out, PT_LOSS_OVERRUN, pt_mem_now_ns(m->mem));
	m->out.restarts = true;
	m->state = MTB_FULL;
	m->delay_us = PT_UNKNOWN;
}

/* The random time before the unit is armed again. Returns the microseconds to rest. */
static int after_overrun(struct pt_mtb *m)
{
	if (m->delay_us != PT_UNKNOWN) {	/* the time has passed */
		m->delay_us = PT_UNKNOWN;
		m->state = MTB_IDLE;
		return 0;
	}
	m->delay_us = pt_random_delay(&m->random, m->period_us);
	return (int)m->delay_us;
}

static int drain(struct pt_mtb *m, struct pt_err *err)
{
	int rc;

	if (m->state == MTB_UNSURE)
		return pt_mtb_begin_anew(m, PT_LOSS_OVERRUN, err);
	if (m->held)
		return HELD_REST_US;
	if (m->state == MTB_FULL)
		return after_overrun(m);
	if (m->state == MTB_IDLE)
		return arm(m, err);
	if (is_empty(m) && m->stopped_ns != PT_UNKNOWN) {	/* stopped by its guard, and all was read */
		end_in_overrun(m);
		return 0;
	}
	rc = read_on(m, worth_reading(m), err);
	if (rc != 0 || m->state != MTB_ARMED)
		return rc;
	m->n_expired = worth_reading(m) ? 0 : m->n_expired + 1;
	if (m->n_expired > MOST_RESTS)
		m->n_expired = MOST_RESTS;
	return (int)m->n_expired * LITTLE_REST_US;
}

/* The core is halted, and the unit stays as it is; or the profile ends, and the unit is stopped. Then all new data are
 * read. */
static int flush(struct pt_mtb *m, struct pt_err *err)
{
	int rc = 0;

	if (m->state != MTB_ARMED)
		return 0;
	if (!m->held)
		rc = pt_mem_write32(m->mem, m->regs + MTB_MASTER, pt_mtb_master(m), err);
	if (rc == 0)
		rc = read_on(m, true, err);
	while (rc == 0 && m->state == MTB_ARMED && !is_empty(m))
		rc = read_on(m, true, err);
	if (rc == 0 && m->held && m->state == MTB_ARMED && m->stopped_ns != PT_UNKNOWN)
		end_in_overrun(m);	/* the recording ended there, not at the halt */
	return rc < 0 ? rc : 0;
}

/* The report may be late: the unit may have been armed again since. */
static void was_reset(struct pt_mtb *m)
{
	m->state = MTB_UNSURE;
}

const struct pt_mtb_mode pt_mtb_stream = {
	.name = "stream",
	.ring = true,
	.cost = "the core never halts; each taken branch writes 8 bytes to RAM and may delay an access to it; the ring "
		"holds %u branches, and what comes faster than the probe reads is a gap",
	.start = try_arm,
	.drain = drain,
	.flush = flush,
	.was_reset = was_reset,
};
