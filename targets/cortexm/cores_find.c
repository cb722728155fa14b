/* Which cores a part has, and whether each can be debugged now. */
#include "targets/cortexm/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "targets/cortexm/vendor/families.h"

enum { LOOK_AGAIN_MS = 500 };
#define CPUID UINT32_C(0xe000ed00)	/* Source: Arm DDI 0419, B3.2.3 */
enum { CSW_DEVICE_EN = 1 << 6 };	/* Source: IHI 0031, 7.6.4 */

/* --- away --------------------------------------------------------------------------------------------------------- */

static void look_later(struct pt_cortexm *cm)
{
	cm->looked_ns = pt_link_now_ns(pt_cortexm_port(cm)->link);
	cm->look_again_ns = cm->looked_ns + LOOK_AGAIN_MS * PT_NS_PER_MS;
}

/* The state of the bus, from its access port. */
bool pt_cortexm_port_is_closed(struct pt_cortexm *cm)
{
	struct pt_err ignored = { 0 };
	uint32_t csw = CSW_DEVICE_EN;
	int rc = pt_adi_read_ap(pt_cortexm_port(cm), cm->found.mem_ap, AP_CSW, &csw, &ignored);

	return rc == 0 && (csw & CSW_DEVICE_EN) == 0;
}

static void say_why_closed(struct pt_cortexm *cm)
{
	if (pt_cortexm_port_is_closed(cm))
		snprintf(cm->away, sizeof(cm->away), "its access port %u is closed: the core is locked, or off",
			 cm->found.mem_ap);
	else
		snprintf(cm->away, sizeof(cm->away), "its bus does not answer: the core is off, or held in reset");
}

/* Whether an error of the wire only means that this core is away. False: it is the probe that fails. */
bool pt_cortexm_core_leaves(struct pt_cortexm *cm, int rc)
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
	cm->halted = cm->in_reset = false;
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

/* Another access port may have anything behind it: nothing is written unless it is a core. */
static int check_core(const struct pt_cortexm *cm, struct pt_err *err)
{
	if (cm->shared_port == NULL || pt_discover_is_core(&cm->found))
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED, "behind access port %u is no core", cm->found.mem_ap);
}

/* Reads what the core is and has, for the first time or again. */
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

	if (rc < 0 && !pt_cortexm_core_leaves(cm, rc))
		return rc;
	if (rc < 0 && !cm->known)
		cm->adi.dpidr = 0;	/* forces a new connection */
	return rc < 0 ? 0 : 1;
}

/* Writes what was changed while it was away. */
static void come_back(struct pt_cortexm *cm, struct pt_core_status *now)
{
	struct pt_err ignored = { 0 };

	cm->away[0] = '\0';
	cm->in_reset = false;
	now->was_reset = false;		/* only this core was reset, not the part */
	pt_cortexm_breaks_copy(cm, cm->first, &ignored);
}

/* The core does not answer, or is still in reset. */
static int go_away(struct pt_cortexm *cm, struct pt_core_status *now, struct pt_err *err)
{
	uint32_t dhcsr = 0;
	int rc = now->state == PT_LOST ? PT_EPROTO : pt_cortexm_read_dhcsr(cm, &dhcsr, err);

	*now = (struct pt_core_status){ .state = PT_IN_RESET, .addr = PT_UNKNOWN };
	if (rc < 0)
		return pt_cortexm_core_leaves(cm, rc) ? 0 : rc;
	snprintf(cm->away, sizeof(cm->away), "held in reset");
	cm->in_reset = true;
	look_later(cm);
	return 0;
}

/* Its debug port may have lost power, and needs a new connection. 1: it answers. */
static int connect_again(struct pt_cortexm *cm, struct pt_err *err)
{
	int rc = cm->shared_port == NULL ? pt_adi_connect(&cm->adi, err) : 0;

	if (rc < 0)
		return pt_cortexm_core_leaves(cm, rc) ? 0 : rc;
	return 1;
}

int pt_cortexm_core_status(struct pt_cortexm *cm, struct pt_core_status *out, struct pt_err *err)
{
	int rc = 1;

	*out = (struct pt_core_status){ .state = PT_IN_RESET, .addr = PT_UNKNOWN };
	if (!pt_cortexm_core_is_here(cm) && pt_link_now_ns(pt_cortexm_port(cm)->link) < cm->look_again_ns)
		return 0;
	if (!cm->known)
		rc = get_to_know(cm, err);
	else if (!pt_cortexm_core_is_here(cm))
		rc = connect_again(cm, err);
	if (rc <= 0)
		return rc;
	rc = pt_cortexm_status(cm, 0, out, err);
	if (rc < 0)
		return rc;
	if (out->state == PT_LOST || out->state == PT_IN_RESET)
		return go_away(cm, out, err);
	if (!pt_cortexm_core_is_here(cm))
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

/* A core that is held in reset may be readable: its status says so. */
static int first_look(struct pt_cortexm *cm, struct pt_err *err)
{
	struct pt_core_status status;
	int rc = get_to_know(cm, err);

	if (rc <= 0 || (cm->found_dhcsr & DHCSR_S_RESET_ST) == 0)
		return rc < 0 ? rc : 0;
	return pt_cortexm_core_status(cm, &status, err);
}

/* Looks at another access port of the first core's debug port. Whether it has a core shows when its registers are
 * read. */
static int try_access_port(struct pt_cortexm *first, uint8_t ap, struct pt_err *err)
{
	struct pt_cortexm *cm = add_core(first);
	int rc;

	memcpy(cm->found.idr, first->found.idr, sizeof(cm->found.idr));
	memcpy(cm->found.base, first->found.base, sizeof(cm->found.base));
	cm->found.has_bases = first->found.has_bases;
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

/* If the user named a port, only that one is used. */
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
