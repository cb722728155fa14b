/* Common to the sources of a core: the lease of the unit, whether the core is halted at start, and a unit that does not
 * answer. See microblaze.h. */
#include <stdio.h>

#include "host/log.h"
#include "targets/microblaze/microblaze.h"
#include "base/util.h"

static const char owner[] = "profile";

enum { SILENT_REST_US = 50000 };

int pt_mb_unit_take(struct pt_mb_unit *unit, struct pt_mb *mb, const char *name, unsigned core, struct pt_err *err)
{
	*unit = (struct pt_mb_unit){ .target = mb->target, .core = core };
	snprintf(unit->name, sizeof(unit->name), "mb.%s.%u", name, core);
	unit->leased = pt_lease_take(mb->target, unit->name, owner, err) == 0;
	return unit->leased ? 0 : err->code;
}

void pt_mb_unit_drop(struct pt_mb_unit *unit)
{
	if (unit->leased)
		pt_lease_drop(unit->target, unit->name, owner);
	unit->leased = false;
}

unsigned pt_mb_thread_of(const struct pt_mb *mb, unsigned core)
{
	return mb->behind_server && mb->remote.n_cores == mb->mdm.n_cores ? core : 0;
}

int pt_mb_look_at_core(struct pt_mb *mb, unsigned core, struct pt_emit *out, bool *held, struct pt_err *err)
{
	const struct pt_target_ops *ops = mb->target->ops;
	struct pt_core_status status;
	unsigned thread = pt_mb_thread_of(mb, core);
	uint64_t pc = PT_UNKNOWN;

	if (ops->status(mb, thread, &status, err) < 0)
		return err->code;
	*held = status.state == PT_HALTED;
	if (!*held)
		return 0;
	ops->pc(mb, thread, &pc, err);	/* a core in reset has none */
	pt_emit_state(out, PT_STATE_HALT, out->told_ns, pc);
	return 0;
}

int pt_mb_unit_silent(struct pt_mb_unit *unit, struct pt_emit *out, uint64_t now_ns)
{
	if (!unit->silent)
		pt_warn("%s does not answer: is the core held in reset? Waiting for it", unit->name);
	unit->silent = true;
	pt_emit_loss(out, PT_LOSS_SILENT, now_ns);
	return SILENT_REST_US;
}

void pt_mb_unit_answers(struct pt_mb_unit *unit)
{
	if (unit->silent)
		pt_info("%s answers again", unit->name);
	unit->silent = false;
}
