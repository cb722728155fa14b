/* See halts.h. */
#include "targets/s12z/trace/halts.h"

static uint64_t now_ns(const struct pt_s12z_halts *h)
{
	return pt_wire_s12z_now_ns(&h->z->wire);
}

int pt_halts_s12z_failed(struct pt_s12z_halts *h, int rc, struct pt_err *err)
{
	rc = pt_source_s12z_failed(h->z, h->out, rc);
	return rc < 0 && rc != PT_EINTERRUPTED ? pt_wrap(err, "%s", h->who) : rc;
}

void pt_halts_s12z_halted(struct pt_s12z_halts *h, uint64_t pc, bool pending)
{
	if (h->held)
		return;		/* told already */
	h->held = true;
	h->pc = pc;
	h->ns = now_ns(h);
	h->untold = pending;
	if (h->untold)
		return;
	pt_emit_loss(h->out, PT_LOSS_REARM, h->ns);
	pt_emit_state(h->out, PT_STATE_HALT, h->ns, pc);
}

int pt_halts_s12z_tell(struct pt_s12z_halts *h, struct pt_err *err)
{
	int rc = h->flush(h->source, err);

	if (rc == PT_EINTERRUPTED)
		return rc;
	h->untold = false;
	pt_emit_loss(h->out, PT_LOSS_REARM, h->ns);
	pt_emit_state(h->out, PT_STATE_HALT, h->out->told_ns, h->pc);
	return rc < 0 ? pt_halts_s12z_failed(h, rc, err) : 0;
}

int pt_halts_s12z_catch_up(struct pt_s12z_halts *h, struct pt_err *err)
{
	int rc = 0;

	while (h->untold && (rc == 0 || rc == PT_EINTERRUPTED))
		rc = pt_halts_s12z_tell(h, err);
	return rc < 0 ? rc : 0;
}

int pt_halts_s12z_runs(struct pt_s12z_halts *h, uint64_t pc, int rc, struct pt_err *err)
{
	uint64_t at_ns = now_ns(h);

	if (h->held)
		pt_emit_loss(h->out, PT_LOSS_HALTED, at_ns);
	h->held = false;
	pt_emit_state(h->out, PT_STATE_RUN, at_ns, pc);
	rc = rc < 0 && rc != PT_EINTERRUPTED ? pt_halts_s12z_failed(h, rc, err) : 0;
	return rc < 0 ? rc : 0;
}

int pt_halts_s12z_rest(struct pt_s12z_halts *h, int rc)
{
	bool asleep = rc == PT_EFAULT && h->z->wire.asleep;

	rc = asleep ? 0 : rc;
	pt_emit_rest(h->out, now_ns(h), rc, asleep ? PT_LOSS_SLEEP : h->held ? PT_LOSS_HALTED : PT_LOSS_REARM);
	return rc;
}
