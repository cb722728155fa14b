#include "targets/contract/cores.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "targets/contract/target.h"
#include "base/util.h"

enum { MOST_REST_US = 200000 };

int pt_cores_read(const char *word, const char *whose, unsigned n_cores, unsigned standard, unsigned *first,
		  unsigned *n, struct pt_err *err)
{
	unsigned long core;
	char *end;

	*first = standard;
	*n = 1;
	if (word == NULL)
		return 0;
	if (strcmp(word, "all") == 0) {
		*first = 0;
		*n = n_cores;
		return 0;
	}
	core = strtoul(word, &end, 10);
	if (end == word || *end != '\0' || core >= n_cores)
		return n_cores == 1 ? pt_fail(err, PT_EARG, "core=%.20s: %s has core 0 alone", word, whose)
				    : pt_fail(err, PT_EARG, "core=%.20s: %s has cores 0 to %u, or all", word, whose,
					      n_cores - 1);
	*first = (unsigned)core;
	return 0;
}

int pt_cores_stop(void *cores, struct pt_err *err)
{
	struct pt_cores *s = cores;
	int rc = 0;

	for (unsigned i = 0; i < s->n; i++) {
		struct pt_err own = { 0 };

		if (s->kind->one->stop(s->core[i].state, &own) < 0 && rc == 0) {
			rc = own.code;
			if (err != NULL)
				*err = own;
		}
		free(s->core[i].state);
	}
	s->n = 0;
	return rc;
}

static int start_one(struct pt_cores *s, unsigned number, struct pt_target *target, const struct pt_source_setup *setup,
		     struct pt_err *err)
{
	struct pt_source_setup own = *setup;
	void *state = pt_alloc(s->kind->one->state_bytes);

	own.core = (uint16_t)number;
	own.source = (uint16_t)(setup->source + s->n * s->kind->each);
	if (s->kind->one->start(state, target, &own, err) < 0) {
		free(state);
		return err->code;
	}
	s->core[s->n++] = (struct pt_core_source){ .state = state, .number = number };
	return 0;
}

int pt_cores_start(struct pt_cores *s, const struct pt_cores_kind *kind, const void *arg, unsigned first, unsigned n,
		   struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_err ignored = { 0 };
	int rc = 0;

	*s = (struct pt_cores){ .kind = kind, .arg = arg };
	if (n > PT_CORES_MAX)
		return pt_fail(err, PT_EARG, "%u cores: no more than %d at a time", n, PT_CORES_MAX);
	for (unsigned number = first; number < first + n && rc == 0; number++) {
		if (kind->left_out != NULL && kind->left_out(arg, number))
			continue;
		rc = start_one(s, number, target, setup, err);
		if (rc < 0 && n > 1)
			pt_wrap(err, "core %u", number);
	}
	if (rc < 0)
		pt_cores_stop(s, &ignored);
	return rc;
}

int pt_cores_drain(void *cores, struct pt_err *err)
{
	struct pt_cores *s = cores;
	uint64_t now_ns = s->kind->now_ns(s->arg), least_ns = PT_UNKNOWN;
	unsigned due = 0;
	int rc;

	for (unsigned i = 0; i < s->n; i++)
		if (s->core[i].due_ns < least_ns) {
			least_ns = s->core[i].due_ns;
			due = i;
		}
	if (least_ns > now_ns)
		return (least_ns - now_ns) / 1000 < MOST_REST_US ? (int)((least_ns - now_ns) / 1000) + 1 : MOST_REST_US;
	rc = s->kind->one->drain(s->core[due].state, err);
	if (rc < 0)
		return s->n > 1 && rc != PT_EINTERRUPTED ? pt_wrap(err, "core %u", s->core[due].number) : rc;
	s->core[due].due_ns = s->kind->now_ns(s->arg) + (uint64_t)rc * 1000;
	return s->n == 1 ? rc : 0;
}

int pt_cores_on_state(void *cores, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct pt_cores *s = cores;
	int rc = 0;

	for (unsigned i = 0; i < s->n && rc == 0; i++) {
		if (s->kind->thread_of(s->arg, s->core[i].number) != core)
			continue;
		rc = s->kind->one->on_state(s->core[i].state, what, core, pc, err);
		s->core[i].due_ns = 0;
	}
	return rc;
}
