/* DHCSR and DEMCR: their original values, what we have written, and the meaning of a read. Source: Arm DDI 0419
 * (ARMv6-M), C1.6. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "targets/cortexm/core/cortexm.h"

enum { STATE_MS = 1000 };

const char *pt_cortexm_unit(const struct pt_cortexm *cm, char unit[PT_PENDING_UNIT], const char *format, ...)
{
	va_list words;
	size_t len;

	unit[0] = '\0';
	if (cm->number != 0)
		snprintf(unit, PT_PENDING_UNIT, "core%u.", cm->number);
	len = strlen(unit);
	va_start(words, format);
	vsnprintf(unit + len, PT_PENDING_UNIT - len, format, words);
	va_end(words);
	return unit;
}

static void settle(struct pt_cortexm *cm, const char *name)
{
	char unit[PT_PENDING_UNIT];

	pt_pending_settle(cm->target, pt_cortexm_unit(cm, unit, "%s", name));
}

void pt_cortexm_saw(struct pt_cortexm *cm, uint32_t dhcsr)
{
	if ((dhcsr & DHCSR_S_RESET_ST) != 0)
		cm->was_reset = true;
	cm->debug_on = (dhcsr & DHCSR_C_DEBUGEN) != 0;
	if ((dhcsr & DHCSR_S_HALT) == 0)
		cm->halted = false;
}

uint64_t pt_cortexm_halted_since(const struct pt_cortexm *cm, uint64_t now_ns)
{
	bool asked = cm->halted && cm->stop.reason == PT_HALT_REQUEST;

	return asked || cm->ran_ns > now_ns ? now_ns : cm->ran_ns;
}

int pt_cortexm_read_dhcsr(struct pt_cortexm *cm, uint32_t *dhcsr, struct pt_err *err)
{
	int rc = pt_mem_read32(cm->mem, pt_cortexm_reg(cm, SCS_DHCSR), dhcsr, err);

	if (rc == 0)
		pt_cortexm_saw(cm, *dhcsr);
	return rc;
}

/* The original value and ours; of DEMCR only the bits that differ. */
static struct pt_pending_row pending_row(const struct pt_cortexm *cm, const char *unit, uint32_t offset, uint32_t was,
					 uint32_t ours, uint32_t mask)
{
	struct pt_pending_row row = { .width_bytes = 4, .at = pt_cortexm_reg(cm, offset), .was = was, .ours = ours,
				      .check = was ^ ours, .mask = mask, .core = (uint8_t)cm->number };

	pt_cortexm_unit(cm, row.unit, "%s", unit);
	return row;
}

/* Keeps a halted core halted: without halting debug it would run. */
static void note_debug(struct pt_cortexm *cm)
{
	struct pt_pending_row row = pending_row(cm, "dhcsr", SCS_DHCSR, DHCSR_KEY, DHCSR_C_DEBUGEN, UINT32_MAX);

	if (!cm->found_saved || cm->debug_on || (cm->found_dhcsr & DHCSR_C_DEBUGEN) != 0)
		return;
	row.check = DHCSR_C_DEBUGEN;
	row.when = PT_PENDING_RUNNING;
	pt_pending_note(cm->target, &row, 1);
}

static void note_demcr(struct pt_cortexm *cm, uint32_t demcr)
{
	struct pt_pending_row row =
		pending_row(cm, "demcr", SCS_DEMCR, cm->found_demcr, demcr, (cm->found_demcr ^ demcr) & ~DEMCR_MON);

	if (cm->found_saved && row.mask != 0)
		pt_pending_note(cm->target, &row, 1);
}

int pt_cortexm_write_dhcsr(struct pt_cortexm *cm, uint32_t bits, struct pt_err *err)
{
	int rc;

	if ((bits & DHCSR_C_DEBUGEN) != 0)
		note_debug(cm);
	rc = pt_mem_write32(cm->mem, pt_cortexm_reg(cm, SCS_DHCSR), DHCSR_KEY | bits, err);
	if (rc == 0 && (bits & DHCSR_C_DEBUGEN) == 0)
		settle(cm, "dhcsr");
	return rc;
}

/* The bits of DebugMonitor are kept as the program has set them meanwhile. ARMv6-M has none. */
static int keep_monitor(struct pt_cortexm *cm, uint32_t *demcr, struct pt_err *err)
{
	uint32_t now = 0;

	if (!pt_cortexm_is_mainline(&cm->chip) || cm->demcr_is_new)
		return 0;
	if (pt_mem_read32(cm->mem, pt_cortexm_reg(cm, SCS_DEMCR), &now, err) < 0)
		return pt_wrap(err, "read DEMCR");
	*demcr = (*demcr & ~DEMCR_MON) | (now & DEMCR_MON);
	return 0;
}

int pt_cortexm_plan_demcr(struct pt_cortexm *cm, uint32_t set, uint32_t clear, uint32_t *demcr, struct pt_err *err)
{
	*demcr = (cm->demcr & ~(clear & ~DEMCR_MON)) | (set & ~DEMCR_MON);
	if (*demcr == cm->demcr)
		return 0;
	if (keep_monitor(cm, demcr, err) < 0)
		return err->code;
	note_demcr(cm, *demcr);
	return 1;
}

void pt_cortexm_wrote_demcr(struct pt_cortexm *cm, uint32_t demcr)
{
	cm->demcr = demcr;
	if (((demcr ^ cm->found_demcr) & ~DEMCR_MON) == 0)
		settle(cm, "demcr");
}

int pt_cortexm_set_demcr(struct pt_cortexm *cm, uint32_t set, uint32_t clear, struct pt_err *err)
{
	uint32_t demcr;
	int rc = pt_cortexm_plan_demcr(cm, set, clear, &demcr, err);

	if (rc <= 0)
		return rc;
	if (pt_mem_write32(cm->mem, pt_cortexm_reg(cm, SCS_DEMCR), demcr, err) < 0)
		return pt_wrap(err, "write DEMCR");
	pt_cortexm_wrote_demcr(cm, demcr);
	return 0;
}

uint32_t pt_cortexm_vector_catch(const struct pt_cortexm *cm)
{
	if (!cm->catch_faults)
		return 0;
	return DEMCR_VC_HARDERR | (pt_cortexm_is_mainline(&cm->chip) ? DEMCR_VC_FAULTS : 0);
}

int pt_cortexm_enable_debug(struct pt_cortexm *cm, struct pt_err *err)
{
	if (!cm->debug_on && pt_cortexm_write_dhcsr(cm, DHCSR_C_DEBUGEN, err) < 0)
		return pt_wrap(err, "turn halting debug on");
	cm->debug_on = true;
	return pt_cortexm_set_demcr(cm, pt_cortexm_vector_catch(cm), 0, err);
}

int pt_cortexm_save(struct pt_cortexm *cm, struct pt_err *err)
{
	uint8_t dhcsr[4], demcr[4];
	struct pt_mem_op ops[] = {
		pt_mem_words(PT_MEM_READ, pt_cortexm_reg(cm, SCS_DHCSR), dhcsr, sizeof(dhcsr)),
		pt_mem_words(PT_MEM_READ, pt_cortexm_reg(cm, SCS_DEMCR), demcr, sizeof(demcr)),
	};

	if (pt_mem_run(cm->mem, ops, PT_LEN(ops), STATE_MS, NULL, err) < 0)
		return pt_wrap(err, "read the state of the core");
	cm->found_dhcsr = pt_le32(dhcsr);
	cm->found_demcr = pt_le32(demcr);
	cm->demcr = cm->found_demcr;
	cm->debug_on = (cm->found_dhcsr & DHCSR_C_DEBUGEN) != 0;
	cm->found_saved = cm->demcr_is_new = true;
	return 0;
}
