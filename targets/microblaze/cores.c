/* One source of several cores of an MDM: for each of them a source of its own in the trace, with the core's number, so
 * that nothing of two cores is ever summed. A debug register is of the one core that Which MicroBlaze names (PG115):
 * they take turns, whichever is due first. */
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

/* What was started ends; the first error is the one to tell. */
static int stop_all(struct pt_mb_cores *s, struct pt_err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < s->n; i++) {
		struct pt_err own = { 0 };

		if (s->one->stop(s->core[i].state, &own) < 0 && rc == 0) {
			rc = own.code;
			if (err != NULL)
				*err = own;
		}
		free(s->core[i].state);
	}
	s->n = 0;
	return rc;
}

int pt_mb_cores_start(struct pt_mb_cores *s, const struct pt_source_ops *one, const char *word,
		      struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_source_setup own = *setup;
	struct pt_err ignored = { 0 };
	unsigned first, n;

	*s = (struct pt_mb_cores){ .mb = target->state, .one = one };
	if (one->available(target, err) < 0 || parse(word, s->mb, &first, &n, err) < 0)
		return err->code;
	for (s->n = 0; s->n < n; s->n++) {
		void *state = calloc(1, one->state_bytes);

		own.core = (uint16_t)(first + s->n);
		own.source = (uint16_t)(setup->source + s->n);
		s->core[s->n] = (struct pt_mb_core){ .state = state, .number = own.core };
		if (state == NULL)
			pt_fail(err, PT_ENOMEM, "no memory for the source of core %u", own.core);
		else if (one->start(state, target, &own, err) == 0)
			continue;
		else if (n > 1)
			pt_wrap(err, "core %u", own.core);
		free(state);
		stop_all(s, &ignored);
		return err->code;
	}
	return 0;
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
	rc = s->one->drain(s->core[due].state, err);
	if (rc < 0)
		return s->n > 1 && rc != PT_EINTERRUPTED ? pt_wrap(err, "core %u", s->core[due].number) : rc;
	now_ns = pt_mdm_now_ns(&s->mb->mdm);
	s->core[due].due_ns = now_ns + (uint64_t)rc * 1000;
	return s->n == 1 ? rc : 0;
}

/* All of them stop, and go on, together, as far as the GDB server tells. */
int pt_mb_cores_on_state(void *state, enum pt_state what, uint64_t pc, struct pt_err *err)
{
	struct pt_mb_cores *s = state;
	int rc = 0;

	for (unsigned i = 0; i < s->n && rc == 0; i++) {
		rc = s->one->on_state(s->core[i].state, what, pc, err);
		s->core[i].due_ns = 0;
	}
	return rc;
}

int pt_mb_cores_stop(void *state, struct pt_err *err)
{
	return stop_all(state, err);
}
