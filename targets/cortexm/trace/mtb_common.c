/* What all modes do about trouble: another user changed the unit, a transfer failed, recording starts again. */
#include "base/util.h"
#include "host/log.h"
#include "targets/cortexm/trace/mtb.h"

enum { MOST_TAKEN = 8 };

int pt_mtb_failed(struct pt_mtb *m, int rc, struct pt_err *err)
{
	rc = pt_emit_failed(&m->out, pt_mem_now_ns(m->mem), rc);
	return rc < 0 && rc != PT_EINTERRUPTED ? pt_wrap(err, "mtb") : rc;
}

uint32_t pt_mtb_until_halt(const struct pt_mtb *m, const uint8_t *data, uint32_t len_bytes)
{
	enum { PACKET = 8, ATOMIC = 1 };
	uint32_t at = len_bytes;

	if (!m->untold)
		return len_bytes;
	while (at >= PACKET && (pt_le32(data + at - PACKET) & ATOMIC) != 0)
		at -= PACKET;
	while (at < len_bytes && (pt_le32(data + at) & ~(uint32_t)ATOMIC) != m->halt_pc)
		at += PACKET;
	return at;
}

void pt_mtb_works(struct pt_mtb *m, uint32_t dhcsr)
{
	pt_cortexm_saw(m->cm, dhcsr);
	pt_emit_works(&m->out, pt_mem_now_ns(m->mem), m->cm->was_reset || pt_cortexm_lost_power(m->cm));
}

/* Finds out who it was. A reset leaves its mark in DHCSR; else the program itself has written the unit's registers. */
int pt_mtb_disturbed(struct pt_mtb *m, const struct pt_mtb_regs *seen, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	size_t dhcsr = pt_mtb_put_read(&batch, pt_cortexm_reg(m->cm, SCS_DHCSR));
	bool was_reset;
	int rc;

	pt_mtb_put_write(&batch, m->regs + MTB_MASTER, pt_mtb_master(m));
	rc = pt_mtb_run(m, &batch, err);
	m->mode->was_reset(m);
	m->out.restarts = true;
	if (rc < 0)
		return pt_mtb_failed(m, rc, err);
	pt_cortexm_saw(m->cm, pt_mtb_value(&batch, dhcsr));
	was_reset = m->cm->was_reset;
	pt_emit_loss(&m->out, was_reset ? PT_LOSS_RESET : PT_LOSS_TAKEN, pt_mem_now_ns(m->mem));
	if (was_reset)
		return 0;
	if (m->n_taken++ == 0)
		pt_warn("mtb: the firmware uses the MTB itself (POSITION 0x%08x, MASTER 0x%08x, FLOW 0x%08x are not "
			"ours); what it spoils counts as lost",
			(unsigned)seen->position, (unsigned)seen->master, (unsigned)seen->flow);
	if (m->n_taken < MOST_TAKEN)
		return 0;
	pt_emit_end(&m->out);
	return pt_fail(err, PT_EBUSY,
		       "mtb: the firmware uses the MTB itself and does not stop; what was recorded before is kept");
}

int pt_mtb_begin_anew(struct pt_mtb *m, enum pt_loss cause, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	size_t dhcsr = pt_mtb_put_read(&batch, pt_cortexm_reg(m->cm, SCS_DHCSR));
	int rc;

	pt_mtb_put_write(&batch, m->regs + MTB_MASTER, pt_mtb_master(m));
	rc = pt_mtb_run(m, &batch, err);
	if (rc < 0)
		return pt_mtb_failed(m, rc, err);
	pt_mtb_works(m, pt_mtb_value(&batch, dhcsr));
	pt_emit_loss(&m->out, cause, pt_mem_now_ns(m->mem));
	m->state = MTB_IDLE;
	return 0;
}
