/* One source of several cores of an MDM (targets/contract/cores.h). A debug register access goes to the core that Which
 * MicroBlaze selects (PG115). If the access method can select several cores, one write to all of them starts or stops
 * counting, so that their counts cover the same time. */
#include "targets/microblaze/microblaze.h"
#include "base/util.h"

/* --- all at once */

/* The command for each core, and the mask of the cores; false: the commands differ. */
static bool same_command(const struct pt_mb_cores *s, bool on, struct pt_mdm_op *op, uint32_t *mask)
{
	struct pt_mdm_op own;

	*mask = 0;
	for (unsigned i = 0; i < s->cores.n; i++) {
		if (!s->one->command(s->cores.core[i].state, on, &own))
			continue;
		if (*mask != 0 && (own.command != op->command || own.bits != op->bits || own.value != op->value))
			return false;
		*op = own;
		*mask |= UINT32_C(1) << s->cores.core[i].number;
	}
	return true;
}

static int command_together(struct pt_mb_cores *s, bool on, const struct pt_mdm_op *op, uint32_t mask,
			    struct pt_err *err)
{
	uint64_t sent_ns = pt_mdm_now_ns(&s->mb->mdm);

	if (pt_mdm_select_several(&s->mb->mdm, mask, err) < 0 ||
	    pt_mdm_put(&s->mb->mdm, false, op->command, op->bits, op->value, err) < 0)
		return err->code;
	for (unsigned i = 0; i < s->cores.n; i++)
		s->one->commanded(s->cores.core[i].state, on, sent_ns);
	return 0;
}

static int command_each(struct pt_mb_cores *s, bool on, struct pt_err *err)
{
	for (unsigned i = 0; i < s->cores.n; i++) {
		uint64_t sent_ns = pt_mdm_now_ns(&s->mb->mdm);
		struct pt_mdm_op op;

		if (s->one->command(s->cores.core[i].state, on, &op) &&
		    (pt_mdm_select(&s->mb->mdm, s->cores.core[i].number, err) < 0 ||
		     pt_mdm_put(&s->mb->mdm, false, op.command, op.bits, op.value, err) < 0))
			return err->code;
		s->one->commanded(s->cores.core[i].state, on, sent_ns);
	}
	return 0;
}

/* Starts or stops counting. */
static int command(struct pt_mb_cores *s, bool on, struct pt_err *err)
{
	struct pt_mdm_op op = { .command = 0 };
	uint32_t mask;

	if (s->one->command == NULL)
		return 0;
	if (s->cores.n > 1 && pt_mdm_selects_several(&s->mb->mdm) && same_command(s, on, &op, &mask) && mask != 0)
		return command_together(s, on, &op, mask, err);
	return command_each(s, on, err);
}

const char *pt_mb_cores_say(const struct pt_mb *mb)
{
	return mb->cores_starting < 2		  ? ""
	       : pt_mdm_selects_several(&mb->mdm) ? "; cores start and stop by one command"
						  : "; cores start and stop one after the other";
}

/* --- start, stop */

static uint64_t now_ns(const void *mb)
{
	return pt_mdm_now_ns(&((const struct pt_mb *)mb)->mdm);
}

static unsigned thread_of(const void *mb, unsigned number)
{
	return pt_mb_thread_of(mb, number);
}

int pt_mb_cores_start(struct pt_mb_cores *s, const struct pt_mb_one *one, const char *word, struct pt_target *target,
		      const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_mb *mb = target->state;
	struct pt_err ignored = { 0 };
	unsigned first, n;

	*s = (struct pt_mb_cores){ .mb = mb, .one = one, .kind = { .one = &one->ops, .each = 1, .now_ns = now_ns, .thread_of = thread_of } };
	if (one->ops.available(target, err) < 0 ||
	    pt_cores_read(word, "the MDM", mb->mdm.n_cores, mb->core, &first, &n, err) < 0)
		return err->code;
	mb->cores_starting = n;
	if (pt_cores_start(&s->cores, &s->kind, mb, first, n, target, setup, err) < 0)
		return err->code;
	if (command(s, true, err) == 0)
		return 0;
	pt_cores_stop(&s->cores, &ignored);
	return pt_wrap(err, "start counting");
}

int pt_mb_cores_drain(void *state, struct pt_err *err)
{
	return pt_cores_drain(&((struct pt_mb_cores *)state)->cores, err);
}

int pt_mb_cores_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct pt_mb_cores *s = state;

	return pt_cores_on_state(&s->cores, what, core, pc, err);
}

int pt_mb_cores_stop(void *state, struct pt_err *err)
{
	struct pt_mb_cores *s = state;
	struct pt_err ignored = { 0 };

	command(s, false, &ignored);	/* on failure each core's stop() tries again, and reports it */
	return pt_cores_stop(&s->cores, err);
}
