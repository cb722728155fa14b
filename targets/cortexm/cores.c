/* What is done to one core, and to all of them. */
#include "targets/cortexm/cores.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "targets/cortexm/core/fault.h"

enum { OUT_OF_RESET_MS = 20, LOOK_MS = 1 };

/* --- one of them -------------------------------------------------------------------------------------------------- */

/* NULL: the core is away, and the error says why. */
static struct pt_cortexm *core_here(void *state, unsigned core, struct pt_err *err)
{
	struct pt_cortexm *cm = pt_cortexm_core(state, core);

	if (pt_cortexm_core_is_here(cm))
		return cm;
	pt_fail(err, PT_ESTATE, "core %u is not available: %s", core, cm->away);
	return NULL;
}

unsigned pt_cortexm_cores_count(void *state)
{
	return pt_cortexm_n_cores(state);
}

void pt_cortexm_cores_about(void *state, unsigned core, struct pt_core_about *out)
{
	const struct pt_cortexm *first = state, *cm = pt_cortexm_core(state, core);
	const char *revision = strstr(cm->chip.core, " r");

	*out = (struct pt_core_about){ .away = pt_cortexm_core_is_here(cm) ? NULL : cm->away };
	if (first->n_others == 0 || cm->chip.core[0] == '\0')
		return;
	snprintf(out->name, sizeof(out->name), "%.*s",
		 revision != NULL ? (int)(revision - cm->chip.core) : (int)sizeof(out->name) - 1, cm->chip.core);
}

int pt_cortexm_cores_status(void *state, unsigned core, struct pt_core_status *out, struct pt_err *err)
{
	struct pt_cortexm *cm = pt_cortexm_core(state, core);

	return cm->first == NULL ? pt_cortexm_status(cm, 0, out, err) : pt_cortexm_core_status(cm, out, err);
}

int pt_cortexm_cores_halt(void *state, unsigned core, struct pt_err *err)
{
	struct pt_cortexm *cm = core_here(state, core, err);

	return cm != NULL ? pt_cortexm_halt(cm, 0, err) : PT_ESTATE;
}

int pt_cortexm_cores_resume(void *state, unsigned core, struct pt_err *err)
{
	struct pt_cortexm *cm = core_here(state, core, err);

	return cm != NULL ? pt_cortexm_resume(cm, 0, err) : PT_ESTATE;
}

int pt_cortexm_cores_step(void *state, unsigned core, struct pt_err *err)
{
	struct pt_cortexm *cm = core_here(state, core, err);

	return cm != NULL ? pt_cortexm_step(cm, 0, err) : PT_ESTATE;
}

int pt_cortexm_cores_read(void *state, unsigned core, const uint16_t *rows, size_t n, uint64_t *values,
			  struct pt_err *err)
{
	struct pt_cortexm *cm = core_here(state, core, err);

	return cm != NULL ? pt_cortexm_read_registers(cm, 0, rows, n, values, err) : PT_ESTATE;
}

int pt_cortexm_cores_write(void *state, unsigned core, const uint16_t *rows, size_t n, const uint64_t *values,
			   struct pt_err *err)
{
	struct pt_cortexm *cm = core_here(state, core, err);

	return cm != NULL ? pt_cortexm_write_registers(cm, 0, rows, n, values, err) : PT_ESTATE;
}

int pt_cortexm_cores_pc(void *state, unsigned core, uint64_t *pc, struct pt_err *err)
{
	struct pt_cortexm *cm = core_here(state, core, err);

	return cm != NULL ? pt_cortexm_pc(cm, 0, pc, err) : PT_ESTATE;
}

struct pt_mem *pt_cortexm_cores_mem(void *state, unsigned core)
{
	return pt_cortexm_core(state, core)->mem;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static void keep_first(struct pt_err *first, int rc, const struct pt_err *err)
{
	if (rc < 0 && first->code == 0)
		*first = *err;
}

static int first_error(const struct pt_err *first, struct pt_err *err)
{
	if (first->code != 0)
		*err = *first;
	return first->code;
}

/* GDB has one description for all threads: the registers that every core has. The registers of each architecture are
 * the first of the rows. */
const struct pt_register *pt_cortexm_cores_registers(void *state, size_t *n)
{
	struct pt_cortexm *first = state;
	const struct pt_register *rows = pt_cortexm_registers(first, n);

	for (unsigned i = 0; i < first->n_others; i++) {
		size_t own = *n;

		if (first->other[i]->known)
			pt_cortexm_registers(first->other[i], &own);
		*n = own < *n ? own : *n;
	}
	return rows;
}

/* On all cores or none: GDB's breakpoints are for the program, not for a thread. */
int pt_cortexm_cores_insert(void *state, const struct pt_break *at, struct pt_err *err)
{
	struct pt_err ignored = { 0 };
	int rc = 0;

	for (unsigned i = 0; i < pt_cortexm_n_cores(state) && rc == 0; i++) {
		struct pt_cortexm *cm = pt_cortexm_core(state, i);

		if (pt_cortexm_core_is_here(cm))
			rc = pt_cortexm_breaks_insert(cm, at, err);
		if (rc < 0 && i > 0)
			pt_wrap(err, "core %u", i);
		for (unsigned k = 0; rc < 0 && k < i; k++)
			pt_cortexm_breaks_remove(pt_cortexm_core(state, k), at, &ignored);
	}
	return rc;
}

/* Also on a core that is away: the breakpoint is not inserted when it comes back. */
int pt_cortexm_cores_remove(void *state, const struct pt_break *at, struct pt_err *err)
{
	struct pt_err first = { 0 }, own = { 0 };

	for (unsigned i = 0; i < pt_cortexm_n_cores(state); i++) {
		struct pt_cortexm *cm = pt_cortexm_core(state, i);
		int rc = pt_cortexm_breaks_remove(cm, at, &own);

		if (pt_cortexm_core_is_here(cm))
			keep_first(&first, rc, &own);
	}
	return first_error(&first, err);
}

int pt_cortexm_cores_leave(void *state, struct pt_err *err)
{
	struct pt_err first = { 0 }, own = { 0 };

	for (unsigned i = 0; i < pt_cortexm_n_cores(state); i++) {
		struct pt_cortexm *cm = pt_cortexm_core(state, i);

		if (!pt_cortexm_core_is_here(cm))
			continue;
		keep_first(&first, pt_cortexm_breaks_leave(cm, &own), &own);
		keep_first(&first, pt_cortexm_leave(cm, &own), &own);
	}
	return first_error(&first, err);
}

int pt_cortexm_cores_look_again(void *state, struct pt_err *err)
{
	for (unsigned i = 0; i < pt_cortexm_n_cores(state); i++) {
		struct pt_cortexm *cm = pt_cortexm_core(state, i);

		if (!pt_cortexm_core_is_here(cm))
			continue;
		if (!cm->under_reset && pt_cortexm_save(cm, err) < 0)
			return err->code;
		if (pt_cortexm_breaks_init(cm, err) < 0)
			return err->code;
	}
	return 0;
}

int pt_cortexm_cores_restore(struct pt_cortexm *first, bool resume, struct pt_err *err)
{
	struct pt_err found = { 0 }, own = { 0 };

	for (unsigned i = 0; i < pt_cortexm_n_cores(first); i++) {
		struct pt_cortexm *cm = pt_cortexm_core(first, i);

		if (!pt_cortexm_core_is_here(cm))
			continue;
		keep_first(&found, pt_cortexm_breaks_remove_all(cm, &own), &own);
		keep_first(&found, pt_cortexm_restore(cm, resume, &own), &own);
	}
	return first_error(&found, err);
}

/* --- reset -------------------------------------------------------------------------------------------------------- */

/* The other cores stop at their reset vectors, too, if they leave reset at once. */
static int catch_others(struct pt_cortexm *first, struct pt_err *err)
{
	for (unsigned i = 0; i < first->n_others; i++) {
		struct pt_cortexm *cm = first->other[i];

		if (pt_cortexm_core_is_here(cm) &&
		    (pt_cortexm_enable_debug(cm, err) < 0 || pt_cortexm_set_demcr(cm, DEMCR_VC_CORERESET, 0, err) < 0))
			return pt_wrap(err, "core %u: catch the reset vector", cm->number);
	}
	return 0;
}

static int wait_out_of_reset(struct pt_cortexm *cm, struct pt_core_status *status, struct pt_err *err)
{
	struct pt_link *link = pt_cortexm_port(cm)->link;
	uint64_t deadline_ns = pt_link_now_ns(link) + OUT_OF_RESET_MS * PT_NS_PER_MS;
	int rc;

	do {
		cm->look_again_ns = 0;
		rc = pt_cortexm_core_status(cm, status, err);
		if (rc == 0 && status->state == PT_IN_RESET)
			rc = pt_link_wait(link, pt_link_now_ns(link) + LOOK_MS * PT_NS_PER_MS, err);
	} while (rc == 0 && status->state == PT_IN_RESET && pt_link_now_ns(link) < deadline_ns);
	return rc;
}

/* The first core is out of reset. Another core may be held in reset longer: then it is away, and is not caught when the
 * program releases it. */
static int settle_other(struct pt_cortexm *cm, bool halt, struct pt_err *err)
{
	struct pt_core_status status = { .state = PT_IN_RESET };

	cm->halted = false;
	pt_mem_ap_forget(&cm->ap);
	if (wait_out_of_reset(cm, &status, err) < 0)
		return err->code;
	cm->was_reset = false;	/* the caller asked for the reset */
	if (halt && pt_cortexm_core_is_here(cm) && status.state != PT_HALTED && pt_cortexm_halt(cm, 0, err) < 0)
		return err->code;
	if (!halt || !cm->known)
		return 0;
	return pt_cortexm_set_demcr(cm, 0, ~cm->found_demcr & DEMCR_VC_CORERESET, err);
}

int pt_cortexm_cores_reset(void *state, enum pt_reset_kind kind, struct pt_err *err)
{
	struct pt_cortexm *first = state;
	bool halt = kind != PT_RESET_RUN;

	if ((halt && catch_others(first, err) < 0) || pt_cortexm_reset(first, kind, err) < 0)
		return err->code;
	for (unsigned i = 0; i < first->n_others; i++) {
		int rc = settle_other(first->other[i], halt, err);

		if (rc < 0 && !pt_cortexm_core_leaves(first->other[i], rc))
			return pt_wrap(err, "reset core %u", i + 1);
	}
	return 0;
}

/* --- in words ----------------------------------------------------------------------------------------------------- */

static void describe_other(struct pt_cortexm *cm, void (*say)(void *arg, const char *line), void *arg)
{
	char line[320];
	size_t n = (size_t)snprintf(line, sizeof(line), "core %u: %s", cm->number,
				    cm->known ? cm->chip.core : "what it is could not be read");

	if (cm->shared_port != NULL)
		n += (size_t)snprintf(line + n, sizeof(line) - n, ", through access port %u", cm->found.mem_ap);
	else
		n += (size_t)snprintf(line + n, sizeof(line) - n, ", debug port by TARGETSEL 0x%08x",
				      (unsigned)cm->adi.targetsel);
	if (cm->known)
		n += (size_t)snprintf(line + n, sizeof(line) - n, ", %u hardware breakpoints, %u watchpoints",
				      cm->breaks.n_bpu, cm->breaks.n_dwt);
	if (!pt_cortexm_core_is_here(cm))
		snprintf(line + n, sizeof(line) - n, "; not available: %s", cm->away);
	say(arg, line);
}

void pt_cortexm_cores_describe(struct pt_cortexm *first, void (*say)(void *arg, const char *line), void *arg)
{
	for (unsigned i = 0; i < first->n_others; i++)
		describe_other(first->other[i], say, arg);
}

int pt_cortexm_cores_fault(void *state, const char *const *words, size_t n_words,
			   void (*say)(void *arg, const char *line), void *arg, struct pt_err *err)
{
	unsigned n = pt_cortexm_n_cores(state);
	char line[160];

	for (unsigned i = 0; i < n; i++) {
		struct pt_cortexm *cm = pt_cortexm_core(state, i);

		snprintf(line, sizeof(line), "core %u:%s%s", i,
			 pt_cortexm_core_is_here(cm) ? "" : " not available: ", cm->away);
		if (n > 1)
			say(arg, line);
		if (pt_cortexm_core_is_here(cm) && pt_cortexm_print_fault(cm, words, n_words, say, arg, err) < 0)
			return err->code;
	}
	return 0;
}
