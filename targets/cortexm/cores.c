#include "targets/cortexm/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "targets/cortexm/core/fault.h"
#include "targets/cortexm/vendor/families.h"

enum { LOOK_AGAIN_MS = 500, OUT_OF_RESET_MS = 20, LOOK_MS = 1 };
#define CPUID UINT32_C(0xe000ed00)	/* Source: Arm DDI 0419, B3.2.3 */
enum { CSW_DEVICE_EN = 1 << 6 };	/* Source: IHI 0031, 7.6.4 */

static bool is_here(const struct pt_cortexm *cm)
{
	return cm->away[0] == '\0';
}

/* --- away --------------------------------------------------------------------------------------------------------- */

static void look_later(struct pt_cortexm *cm)
{
	cm->look_again_ns = pt_link_now_ns(pt_cortexm_port(cm)->link) + LOOK_AGAIN_MS * PT_NS_PER_MS;
}

/* What the access port says of its own bus. */
static void say_why_closed(struct pt_cortexm *cm)
{
	struct pt_err ignored = { 0 };
	uint32_t csw = CSW_DEVICE_EN;
	int rc = pt_adi_read_ap(pt_cortexm_port(cm), cm->found.mem_ap, AP_CSW, &csw, &ignored);

	if (rc == 0 && (csw & CSW_DEVICE_EN) == 0)
		snprintf(cm->away, sizeof(cm->away), "its access port %u is closed: the core is locked, or off",
			 cm->found.mem_ap);
	else
		snprintf(cm->away, sizeof(cm->away), "its bus does not answer: the core is off, or held in reset");
}

/* An error of the wire as a state of this core alone. False: it is the probe that fails. */
static bool leaves(struct pt_cortexm *cm, int rc)
{
	if (rc != PT_EFAULT && rc != PT_EPROTO && rc != PT_ETIMEOUT)
		return false;
	if (rc == PT_EFAULT)
		say_why_closed(cm);
	else if (cm->shared_port == NULL)
		snprintf(cm->away, sizeof(cm->away), "no debug port answers to TARGETSEL 0x%08x",
			 (unsigned)cm->adi.targetsel);
	else
		snprintf(cm->away, sizeof(cm->away), "it does not answer");
	cm->halted = false;
	look_later(cm);
	return true;
}

static int connect_port(struct pt_cortexm *cm, struct pt_err *err)
{
	if (cm->shared_port != NULL || cm->adi.dpidr != 0)
		return 0;
	if (pt_adi_connect(&cm->adi, err) < 0 || pt_discover_aps(&cm->found, &cm->adi, err) < 0)
		return err->code;
	cm->ap.ap = cm->found.mem_ap;
	return 0;
}

/* Behind another access port may be anything: nothing is written there unless it is a core. */
static int check_core(const struct pt_cortexm *cm, struct pt_err *err)
{
	if (cm->shared_port == NULL || pt_discover_is_core(&cm->found))
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED, "behind access port %u is no core", cm->found.mem_ap);
}

/* Read what it is and what it has, for the first time or again. */
static int look_at_core(struct pt_cortexm *cm, struct pt_err *err)
{
	uint32_t cpuid;

	pt_mem_ap_forget(&cm->ap);
	if (connect_port(cm, err) < 0 || (cm->look_again_ns != 0 && pt_mem_read32(cm->mem, CPUID, &cpuid, err) < 0) ||
	    pt_discover_units(&cm->found, pt_cortexm_port(cm), cm->mem, err) < 0 || check_core(cm, err) < 0 ||
	    pt_cortexm_identify_core(&cm->chip, cm->mem, cm->found.unit[PT_UNIT_SCS], err) < 0 ||
	    pt_cortexm_save(cm, err) < 0 || pt_cortexm_breaks_init(cm, err) < 0)
		return err->code;
	cm->known = true;
	cm->was_reset = false;
	cm->power_losses = pt_cortexm_port(cm)->power_losses;
	return 0;
}

static int get_to_know(struct pt_cortexm *cm, struct pt_err *err)
{
	int rc = look_at_core(cm, err);

	if (rc < 0 && !leaves(cm, rc))
		return rc;
	if (rc < 0 && !cm->known)
		cm->adi.dpidr = 0;	/* connected anew the next time */
	return rc < 0 ? 0 : 1;
}

/* What was set meanwhile. */
static void come_back(struct pt_cortexm *cm, struct pt_core_status *now)
{
	struct pt_err ignored = { 0 };

	cm->away[0] = '\0';
	now->was_reset = false;		/* the part was not */
	pt_cortexm_breaks_copy(cm, cm->first, &ignored);
}

/* It does not answer, or answers that its reset lasts. */
static int go_away(struct pt_cortexm *cm, struct pt_core_status *now, struct pt_err *err)
{
	uint32_t dhcsr = 0;
	int rc = now->state == PT_LOST ? PT_EPROTO : pt_cortexm_read_dhcsr(cm, &dhcsr, err);

	*now = (struct pt_core_status){ .state = PT_IN_RESET, .addr = PT_UNKNOWN };
	if (rc < 0)
		return leaves(cm, rc) ? 0 : rc;
	snprintf(cm->away, sizeof(cm->away), "held in reset");
	look_later(cm);
	return 0;
}

static int status_of_other(struct pt_cortexm *cm, struct pt_core_status *out, struct pt_err *err)
{
	int rc = 1;

	*out = (struct pt_core_status){ .state = PT_IN_RESET, .addr = PT_UNKNOWN };
	if (!is_here(cm) && pt_link_now_ns(pt_cortexm_port(cm)->link) < cm->look_again_ns)
		return 0;
	if (!cm->known)
		rc = get_to_know(cm, err);
	if (rc <= 0)
		return rc;
	rc = pt_cortexm_status(cm, 0, out, err);
	if (rc < 0)
		return rc;
	if (out->state == PT_LOST || out->state == PT_IN_RESET)
		return go_away(cm, out, err);
	if (!is_here(cm))
		come_back(cm, out);
	return 0;
}

/* --- which there are ---------------------------------------------------------------------------------------------- */

static struct pt_cortexm *add_core(struct pt_cortexm *first)
{
	struct pt_cortexm *cm = pt_alloc(sizeof(*cm));

	first->other[first->n_others++] = cm;
	cm->number = first->n_others;
	cm->first = first;
	cm->target = first->target;
	cm->family = first->family;
	cm->chip = first->chip;
	cm->chip.core[0] = '\0';
	cm->mask_step = first->mask_step;
	cm->catch_faults = first->catch_faults;
	cm->reset_pin = first->reset_pin;
	return cm;
}

void pt_cortexm_cores_reach(struct pt_cortexm *cm, struct pt_adi *adi, uint8_t ap)
{
	pt_mem_ap_init(&cm->ap, adi, ap);
	cm->ap.hooks = (struct pt_mem_ap_hooks){ .arg = cm, .hide = pt_cortexm_breaks_hide, .keep = pt_cortexm_breaks_keep };
	cm->mem = &cm->ap.mem;
	cm->found.mem_ap = ap;
}

/* Held in reset a core may be readable all the same: its status says so. */
static int first_look(struct pt_cortexm *cm, struct pt_err *err)
{
	struct pt_core_status status;
	int rc = get_to_know(cm, err);

	return rc > 0 ? status_of_other(cm, &status, err) : rc;
}

/* Another access port of the first core's debug port. That there is a core shows when it is looked at. */
static int try_access_port(struct pt_cortexm *first, uint8_t ap, struct pt_err *err)
{
	struct pt_cortexm *cm = add_core(first);
	int rc;

	memcpy(cm->found.idr, first->found.idr, sizeof(cm->found.idr));
	cm->shared_port = &first->adi;
	pt_cortexm_cores_reach(cm, &first->adi, ap);
	rc = first_look(cm, err);
	if (rc != PT_EUNSUPPORTED)
		return rc;
	free(cm);
	first->n_others--;
	return 0;
}

static int find_access_ports(struct pt_cortexm *first, struct pt_err *err)
{
	for (uint8_t ap = 0; ap < PT_MAX_AP && first->n_others < PT_LEN(first->other); ap++)
		if (ap != first->found.mem_ap && pt_discover_has_memory(&first->found, ap) &&
		    try_access_port(first, ap, err) < 0)
			return err->code;
	return 0;
}

/* Whoever named a port has that one alone. */
static int find_debug_ports(struct pt_cortexm *first, struct pt_err *err)
{
	uint32_t ports[PT_CORTEXM_CORES - 1];
	size_t n = first->swd_target == 0 ? pt_cortexm_other_ports(first->adi.targetsel, ports, PT_LEN(ports)) : 0;

	if (n > 0) {
		first->selected = &first->adi;
		first->adi.selected = &first->selected;
	}
	for (size_t i = 0; i < n && first->n_others < PT_LEN(first->other); i++) {
		struct pt_cortexm *cm = add_core(first);

		pt_adi_init(&cm->adi, first->adi.dap, first->adi.wire, first->adi.link);
		cm->adi.targetsel = ports[i];
		cm->adi.selected = &first->selected;
		pt_cortexm_cores_reach(cm, &cm->adi, first->found.mem_ap);
		if (first_look(cm, err) < 0)
			return err->code;
	}
	return 0;
}

int pt_cortexm_cores_find(struct pt_cortexm *first, struct pt_err *err)
{
	int rc = find_access_ports(first, err);

	if (rc == 0)
		rc = find_debug_ports(first, err);
	return rc < 0 ? pt_wrap(err, "look for further cores") : 0;
}

void pt_cortexm_cores_free(struct pt_cortexm *first)
{
	while (first->n_others > 0)
		free(first->other[--first->n_others]);
	first->adi.selected = NULL;
}

/* --- one of them -------------------------------------------------------------------------------------------------- */

/* NULL: it is away, and the error says why. */
static struct pt_cortexm *core_here(void *state, unsigned core, struct pt_err *err)
{
	struct pt_cortexm *cm = pt_cortexm_core(state, core);

	if (is_here(cm))
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

	*out = (struct pt_core_about){ .away = is_here(cm) ? NULL : cm->away };
	if (first->n_others == 0 || cm->chip.core[0] == '\0')
		return;
	snprintf(out->name, sizeof(out->name), "%.*s",
		 revision != NULL ? (int)(revision - cm->chip.core) : (int)sizeof(out->name) - 1, cm->chip.core);
}

int pt_cortexm_cores_status(void *state, unsigned core, struct pt_core_status *out, struct pt_err *err)
{
	struct pt_cortexm *cm = pt_cortexm_core(state, core);

	return cm->first == NULL ? pt_cortexm_status(cm, 0, out, err) : status_of_other(cm, out, err);
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

/* GDB's description is of all threads: what every core has. Each architecture's are a beginning of the rows. */
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

/* On all of them or none: GDB's breakpoints are the program's, and not a thread's. */
int pt_cortexm_cores_insert(void *state, const struct pt_break *at, struct pt_err *err)
{
	struct pt_err ignored = { 0 };
	int rc = 0;

	for (unsigned i = 0; i < pt_cortexm_n_cores(state) && rc == 0; i++) {
		struct pt_cortexm *cm = pt_cortexm_core(state, i);

		if (is_here(cm))
			rc = pt_cortexm_breaks_insert(cm, at, err);
		if (rc < 0 && i > 0)
			pt_wrap(err, "core %u", i);
		for (unsigned k = 0; rc < 0 && k < i; k++)
			pt_cortexm_breaks_remove(pt_cortexm_core(state, k), at, &ignored);
	}
	return rc;
}

/* Also from one that is away: then it is not there when the core comes back. */
int pt_cortexm_cores_remove(void *state, const struct pt_break *at, struct pt_err *err)
{
	struct pt_err first = { 0 }, own = { 0 };

	for (unsigned i = 0; i < pt_cortexm_n_cores(state); i++) {
		struct pt_cortexm *cm = pt_cortexm_core(state, i);
		int rc = pt_cortexm_breaks_remove(cm, at, &own);

		if (is_here(cm))
			keep_first(&first, rc, &own);
	}
	return first_error(&first, err);
}

int pt_cortexm_cores_leave(void *state, struct pt_err *err)
{
	struct pt_err first = { 0 }, own = { 0 };

	for (unsigned i = 0; i < pt_cortexm_n_cores(state); i++) {
		struct pt_cortexm *cm = pt_cortexm_core(state, i);

		if (!is_here(cm))
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

		if (!is_here(cm))
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

		if (!is_here(cm))
			continue;
		keep_first(&found, pt_cortexm_breaks_remove_all(cm, &own), &own);
		keep_first(&found, pt_cortexm_restore(cm, resume, &own), &own);
	}
	return first_error(&found, err);
}

/* --- reset -------------------------------------------------------------------------------------------------------- */

/* The others stop at their reset vectors, too, where they come out of it at once. */
static int catch_others(struct pt_cortexm *first, struct pt_err *err)
{
	for (unsigned i = 0; i < first->n_others; i++) {
		struct pt_cortexm *cm = first->other[i];

		if (is_here(cm) &&
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
		rc = status_of_other(cm, status, err);
		if (rc == 0 && status->state == PT_IN_RESET)
			rc = pt_link_wait(link, pt_link_now_ns(link) + LOOK_MS * PT_NS_PER_MS, err);
	} while (rc == 0 && status->state == PT_IN_RESET && pt_link_now_ns(link) < deadline_ns);
	return rc;
}

/* The reset is over for the first core. One of the others may be held in it for longer: then it is away, and not caught
 * when the program lets it run. */
static int settle_other(struct pt_cortexm *cm, bool halt, struct pt_err *err)
{
	struct pt_core_status status = { .state = PT_IN_RESET };

	cm->halted = false;
	pt_mem_ap_forget(&cm->ap);
	if (wait_out_of_reset(cm, &status, err) < 0)
		return err->code;
	cm->was_reset = false;	/* who asked for it knows */
	if (halt && is_here(cm) && status.state != PT_HALTED && pt_cortexm_halt(cm, 0, err) < 0)
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

		if (rc < 0 && !leaves(first->other[i], rc))
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
	if (!is_here(cm))
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

		snprintf(line, sizeof(line), "core %u:%s%s", i, is_here(cm) ? "" : " not available: ", cm->away);
		if (n > 1)
			say(arg, line);
		if (is_here(cm) && pt_cortexm_print_fault(cm, words, n_words, say, arg, err) < 0)
			return err->code;
	}
	return 0;
}
