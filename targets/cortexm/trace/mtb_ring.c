/* Mode ring: a flight recorder. The unit records in a ring that is not read meanwhile; when the core halts, or the
 * profile ends, the contents are read, and recording starts again. Overwritten data were never meant to be kept: their
 * time counts as unobserved. */
#include "targets/cortexm/trace/mtb.h"
#include "base/util.h"

enum { REST_US = 200000 };

static int arm(struct pt_mtb *m, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	size_t master = pt_mtb_put_arm(m, &batch, 0);
	int rc = pt_mtb_run(m, &batch, err);

	if (rc < 0)
		return rc;
	if (!m->held)
		pt_emit_loss(&m->out, PT_LOSS_REARM, batch.op[master].sent_ns);
	m->state = MTB_ARMED;
	m->read_offset = m->len_bytes = 0;
	m->n_taken = 0;
	return 0;
}

/* Stops the unit, and finds how much was recorded: len_bytes from read_offset on, with wrap. */
static int stop_unit(struct pt_mtb *m, struct pt_err *err)
{
	struct pt_mtb_end end;
	uint32_t offset;
	int rc = pt_mtb_stop_unit(m, &end, err);

	if (rc < 0)
		return rc;
	m->out.failing_since_ns = PT_UNKNOWN;
	offset = pt_mtb_offset(m, end.position);
	if (offset >= m->win.len_bytes)
		return pt_mtb_disturbed(m,
					&(struct pt_mtb_regs){ .position = end.position, .master = pt_mtb_master(m) },
					err);
	m->stopped_ns = m->held ? m->halt_ns : end.sent_ns;
	m->state = MTB_FULL;
	m->read_offset = (end.position & POSITION_WRAP) != 0 ? offset : 0;
	m->len_bytes = (end.position & POSITION_WRAP) != 0 ? m->win.len_bytes : offset;
	if ((end.position & POSITION_WRAP) != 0) {
		pt_emit_loss(&m->out, PT_LOSS_REARM, m->stopped_ns);
		m->out.restarts = true;
	}
	return 0;
}

static int read_piece(struct pt_mtb *m, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	uint32_t to_end = m->win.len_bytes - m->read_offset;
	uint32_t n = m->len_bytes < to_end ? m->len_bytes : to_end;
	int rc;

	n = n < PT_MTB_STEP_BYTES ? n : PT_MTB_STEP_BYTES;
	pt_mtb_put_data(&batch, m->win.addr + m->read_offset, m->data, n);
	rc = pt_mtb_run(m, &batch, err);
	if (rc < 0)
		return rc;
	pt_emit_data(&m->out, m->out.told_ns, m->stopped_ns, m->data,
		     n == m->len_bytes ? pt_mtb_until_halt(m, m->data, n) : n);
	m->read_offset = (m->read_offset + n) & (m->win.len_bytes - 1);
	m->len_bytes -= n;
	return 0;
}

/* If it is interrupted, the next call continues. */
static int flush(struct pt_mtb *m, struct pt_err *err)
{
	int rc = 0;

	if (m->state == MTB_ARMED)
		rc = stop_unit(m, err);
	while (rc == 0 && m->state == MTB_FULL && m->len_bytes > 0)
		rc = read_piece(m, err);
	if (rc == 0 && m->state == MTB_FULL && m->held)
		rc = arm(m, err);
	return rc < 0 ? rc : 0;
}

static int drain(struct pt_mtb *m, struct pt_err *err)
{
	int rc;

	if (m->state == MTB_UNSURE)
		return pt_mtb_begin_anew(m, PT_LOSS_REARM, err);
	if (m->state == MTB_ARMED || m->held)
		return REST_US;
	m->out.restarts = true;
	rc = arm(m, err);
	return rc < 0 ? pt_mtb_failed(m, rc, err) : REST_US;
}

/* The report may be late: the unit may have been armed again since. */
static void was_reset(struct pt_mtb *m)
{
	m->state = MTB_UNSURE;
}

const struct pt_mtb_mode pt_mtb_ring = {
	.name = "ring",
	.ring = true,
	.cost = "the core never halts; each taken branch writes 8 bytes to RAM and may delay an access to it; of what "
		"ran between two halts the last %u branches are kept",
	.start = arm,
	.drain = drain,
	.flush = flush,
	.was_reset = was_reset,
};
