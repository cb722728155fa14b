/* One source of several cores of an MDM: for each of them a source of its own in the trace, with the core's number, so
 * that nothing of two cores is ever summed. A debug register is of the one core that Which MicroBlaze names (PG115):
 * they take turns, whichever is due first. What begins and ends counting is one write to all of them, where the way
 * to the MDM can name several; then what they counted is of the same stretch of time. */
#include <stdlib.h>
#include <string.h>

#include "targets/microblaze/microblaze.h"
#include "util.h"

enum { MOST_REST_US = 200000 };

static int parse(const char *word, const struct pt_mb *mb, unsigned *first, unsigned *n, struct pt_err *err)
{
	char *end;
	unsigned long core;

	*first = mb->core;
	*n = 1;
	if (word == NULL)
		return 0;
	if (strcmp(word, "all") == 0) {
		*first = 0;
		*n = mb->mdm.n_cores;
		return 0;
	}
	core = strtoul(word, &end, 10);
	if (end == word || *end != '\0' || core >= mb->mdm.n_cores)
		return pt_fail(err, PT_EARG, "core=%.20s: the MDM has cores 0 to %u, or all", word,
			       mb->mdm.n_cores - 1);
	*first = (unsigned)core;
	return 0;
}

/* --- all at once */

/* What each of them would be given; false: not all the same. */
static bool same_command(const struct pt_mb_cores *s, bool on, struct pt_mdm_op *op, uint32_t *mask)
{
	struct pt_mdm_op own;

	*mask = 0;
	for (unsigned i = 0; i < s->n; i++) {
		if (!s->one->command(s->core[i].state, on, &own))
			continue;
		if (*mask != 0 && (own.command != op->command || own.bits != op->bits || own.value != op->value))
			return false;
		*op = own;
		*mask |= UINT32_C(1) << s->core[i].number;
	}
	return true;
}

static int command_together(struct pt_mb_cores *s, bool on, const struct pt_mdm_op *op, uint32_t mask,
			    struct pt_err *err)
{
	if (pt_mdm_select_several(&s->mb->mdm, mask, err) < 0 ||
	    pt_mdm_put(&s->mb->mdm, false, op->command, op->bits, op->value, err) < 0)
		return err->code;
	for (unsigned i = 0; i < s->n; i++)
		s->one->commanded(s->core[i].state, on);
	return 0;
}

static int command_each(struct pt_mb_cores *s, bool on, struct pt_err *err)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct pt_mdm_op op;

		if (s->one->command(s->core[i].state, on, &op) &&
		    (pt_mdm_select(&s->mb->mdm, s->core[i].number, err) < 0 ||
		     pt_mdm_put(&s->mb->mdm, false, op.command, op.bits, op.value, err) < 0))
			return err->code;
		s->one->commanded(s->core[i].state, on);
	}
	return 0;
}

/* Counting begins, or ends. */
static int command(struct pt_mb_cores *s, bool on, struct pt_err *err)
{
	struct pt_mdm_op op = { .command = 0 };
	uint32_t mask;

	if (s->one->command == NULL)
		return 0;
	if (s->n > 1 && pt_mdm_selects_several(&s->mb->mdm) && same_command(s, on, &op, &mask) && mask != 0)
		return command_together(s, on, &op, mask, err);
	return command_each(s, on, err);
}

const char *pt_mb_cores_say(const struct pt_mb *mb)
{
	return mb->cores_starting < 2		      ? ""
	       : pt_mdm_selects_several(&mb->mdm) ? "; cores start and stop by one command"
						  : "; cores start and stop one after the other";
}

/* --- start, stop */

/* What was started ends; the first error is the one to tell. */
static int stop_all(struct pt_mb_cores *s, struct pt_err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < s->n; i++) {
		struct pt_err own = { 0 };

		if (s->one->ops.stop(s->core[i].state, &own) < 0 && rc == 0) {
			rc = own.code;
			if (err != NULL)
				*err = own;
		}
		free(s->core[i].state);
	}
	s->n = 0;
	return rc;
}

static int start_one(struct pt_mb_cores *s, unsigned number, struct pt_target *target,
		     const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_source_setup own = *setup;
	void *state = calloc(1, s->one->ops.state_bytes);

	own.core = (uint16_t)number;
	own.source = (uint16_t)(setup->source + s->n);
	if (state == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for the source of core %u", number);
	if (s->one->ops.start(state, target, &own, err) < 0) {
		free(state);
		return err->code;
	}
	s->core[s->n++] = (struct pt_mb_core){ .state = state, .number = number };
	return 0;
}

int pt_mb_cores_start(struct pt_mb_cores *s, const struct pt_mb_one *one, const char *word,
		      struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_err ignored = { 0 };
	unsigned first, n;
	int rc = 0;

	*s = (struct pt_mb_cores){ .mb = target->state, .one = one };
	if (one->ops.available(target, err) < 0 || parse(word, s->mb, &first, &n, err) < 0)
		return err->code;
	s->mb->cores_starting = n;
	while (s->n < n && rc == 0) {
		rc = start_one(s, first + s->n, target, setup, err);
		if (rc < 0 && n > 1)
			pt_wrap(err, "core %u", first + s->n);
	}
	if (rc == 0)
		rc = command(s, true, err) < 0 ? pt_wrap(err, "start counting") : 0;
	if (rc < 0)
		stop_all(s, &ignored);
	return rc;
}

int pt_mb_cores_drain(void *state, struct pt_err *err)
{
	struct pt_mb_cores *s = state;
	uint64_t now_ns = pt_mdm_now_ns(&s->mb->mdm), least_ns = PT_UNKNOWN;
	unsigned due = 0;
	int rc;

	for (unsigned i = 0; i < s->n; i++)
		if (s->core[i].due_ns < least_ns) {
			least_ns = s->core[i].due_ns;
			due = i;
		}
	if (least_ns > now_ns)
		return (least_ns - now_ns) / 1000 < MOST_REST_US ? (int)((least_ns - now_ns) / 1000) + 1 : MOST_REST_US;
	rc = s->one->ops.drain(s->core[due].state, err);
	if (rc < 0)
		return s->n > 1 && rc != PT_EINTERRUPTED ? pt_wrap(err, "core %u", s->core[due].number) : rc;
	now_ns = pt_mdm_now_ns(&s->mb->mdm);
	s->core[due].due_ns = now_ns + (uint64_t)rc * 1000;
	return s->n == 1 ? rc : 0;
}

int pt_mb_cores_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct pt_mb_cores *s = state;
	int rc = 0;

	for (unsigned i = 0; i < s->n && rc == 0; i++) {
		if (pt_mb_thread_of(s->mb, s->core[i].number) != core)
			continue;
		rc = s->one->ops.on_state(s->core[i].state, what, core, pc, err);
		s->core[i].due_ns = 0;
	}
	return rc;
}

int pt_mb_cores_stop(void *state, struct pt_err *err)
{
	struct pt_err ignored = { 0 };

	command(state, false, &ignored);	/* what fails here is tried again, core by core, and told */
	return stop_all(state, err);
}
