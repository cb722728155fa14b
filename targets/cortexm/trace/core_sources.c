#include "targets/cortexm/trace/core_sources.h"

#include <stdio.h>

#include "base/text.h"
#include "host/log.h"

static uint64_t now_ns(const void *first)
{
	return pt_mem_now_ns(((const struct pt_cortexm *)first)->mem);
}

static unsigned thread_of(const void *first, unsigned number)
{
	(void)first;
	return number;
}

static bool is_away(const void *first, unsigned number)
{
	return pt_cortexm_core((struct pt_cortexm *)first, number)->away[0] != '\0';
}

int pt_core_sources_take(struct pt_cortexm **cm, struct pt_target *target, unsigned core, struct pt_err *err)
{
	*cm = pt_cortexm_core(pt_cortexm_of(target), core);
	if ((*cm)->away[0] == '\0')
		return 0;
	return pt_fail(err, PT_ESTATE, "core %u is not available: %s", core, (*cm)->away);
}

/* Reports say which core has no part in them. */
static void say_left_out(struct pt_cortexm *first, struct pt_text *config)
{
	for (unsigned i = 0; i < pt_cortexm_n_cores(first); i++) {
		const struct pt_cortexm *cm = pt_cortexm_core(first, i);

		if (cm->away[0] == '\0')
			continue;
		pt_warn("profile: core %u is left out: %s", i, cm->away);
		pt_text_add(config, "assumed=core %u is left out: %s\n", i, cm->away);
	}
}

static int start(struct pt_core_sources *s, struct pt_cortexm *first, const char *word, struct pt_target *target,
		 const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_source_setup own = *setup;
	struct pt_text config = { 0 };
	unsigned from = setup->core, n = 1;
	int rc;

	if (pt_cores_read(word != NULL ? word : "all", first->chip.name, pt_cortexm_n_cores(first), 0, &from, &n, err) <
	    0)
		return err->code;
	pt_text_add(&config, "%s", setup->config != NULL ? setup->config : "");
	if (n > 1)
		say_left_out(first, &config);
	own.config = config.bytes != NULL ? config.bytes : "";
	s->kind.left_out = n > 1 ? is_away : NULL;
	rc = pt_cores_start(&s->cores, &s->kind, first, from, n, target, &own, err);
	pt_text_free(&config);
	return rc;
}

int pt_core_sources_start(void *state, const struct pt_source_ops *one, const char *word, struct pt_target *target,
			  const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_core_sources *s = state;

	if (one->available(target, err) < 0)
		return err->code;
	s->kind = (struct pt_cores_kind){ .one = one, .each = 1, .now_ns = now_ns, .thread_of = thread_of };
	return start(s, pt_cortexm_of(target), word, target, setup, err);
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
