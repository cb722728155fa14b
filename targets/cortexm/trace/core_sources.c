#include "targets/cortexm/trace/core_sources.h"

#include <stdio.h>

#include "base/text.h"
#include "host/log.h"

static uint64_t now_ns(const void *s)
{
	return pt_mem_now_ns(((const struct pt_core_sources *)s)->first->mem);
}

static unsigned thread_of(const void *s, unsigned number)
{
	(void)s;
	return number;
}

/* Why this core cannot take part. */
static int check(struct pt_cortexm *cm, const struct pt_core_source_kind *kind, struct pt_err *err)
{
	if (cm->away[0] != '\0' && !(kind->waits && cm->known))
		return pt_fail(err, PT_ESTATE, "core %u is not available: %s", cm->number, cm->away);
	return kind->fits(cm, err);
}

static bool left_out(const void *arg, unsigned number)
{
	const struct pt_core_sources *s = arg;
	struct pt_err ignored = { 0 };

	return check(pt_cortexm_core(s->first, number), s->one, &ignored) < 0;
}

int pt_core_sources_take(struct pt_cortexm **cm, const struct pt_core_source_kind *kind, struct pt_target *target,
			 unsigned core, struct pt_err *err)
{
	*cm = pt_cortexm_core(pt_cortexm_of(target), core);
	return check(*cm, kind, err);
}

int pt_core_sources_available(struct pt_target *target, const struct pt_core_source_kind *kind, struct pt_err *err)
{
	struct pt_cortexm *first = pt_cortexm_of(target);
	struct pt_err ignored = { 0 };

	if (pt_cortexm_reaches(target, err) < 0)
		return err->code;
	for (unsigned i = 1; i < pt_cortexm_n_cores(first); i++)
		if (check(pt_cortexm_core(first, i), kind, &ignored) == 0)
			return 0;
	return check(first, kind, err);
}

/* Reports name the cores that take no part. */
static void say_left_out(const struct pt_core_sources *s, struct pt_text *config)
{
	for (unsigned i = 0; i < pt_cortexm_n_cores(s->first); i++) {
		struct pt_cortexm *cm = pt_cortexm_core(s->first, i);
		struct pt_err why = { 0 };

		if (check(cm, s->one, &why) == 0)
			continue;
		pt_warn("profile: core %u is left out: %s", i, cm->away[0] != '\0' ? cm->away : why.msg);
		pt_text_add(config, "assumed=core %u is left out: %s\n", i, cm->away[0] != '\0' ? cm->away : why.msg);
	}
}

static int start(struct pt_core_sources *s, const char *word, struct pt_target *target,
		 const struct pt_source_setup *setup, struct pt_err *err)
{
	unsigned from = setup->core, n = 1, n_cores = pt_cortexm_n_cores(s->first);
	struct pt_source_setup own = *setup;
	struct pt_text config = { 0 };
	int rc;

	if (pt_cores_read(word != NULL ? word : "all", s->first->chip.name, n_cores, 0, &from, &n, err) < 0)
		return err->code;
	pt_text_add(&config, "%s", setup->config != NULL ? setup->config : "");
	if (n > 1)
		say_left_out(s, &config);
	own.config = config.bytes != NULL ? config.bytes : "";
	s->kind.left_out = n > 1 ? left_out : NULL;
	rc = pt_cores_start(&s->cores, &s->kind, s, from, n, target, &own, err);
	pt_text_free(&config);
	return rc;
}

int pt_core_sources_start(void *state, const struct pt_core_source_kind *kind, const char *word,
			  struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_core_sources *s = state;

	if (pt_core_sources_available(target, kind, err) < 0)
		return err->code;
	s->first = pt_cortexm_of(target);
	s->one = kind;
	s->kind = (struct pt_cores_kind){ .one = &kind->ops, .each = 1, .now_ns = now_ns, .thread_of = thread_of };
	return start(s, word, target, setup, err);
}

int pt_core_sources_drain(void *state, struct pt_err *err)
{
	return pt_cores_drain(&((struct pt_core_sources *)state)->cores, err);
}

int pt_core_sources_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	return pt_cores_on_state(&((struct pt_core_sources *)state)->cores, what, core, pc, err);
}

int pt_core_sources_stop(void *state, struct pt_err *err)
{
	return pt_cores_stop(&((struct pt_core_sources *)state)->cores, err);
}
