#include "targets/cortexm/core/cycle_counter.h"

#include "targets/cortexm/core/cortexm.h"

/* CYCCNTENA; CPIEVTENA to FOLDEVTENA enable the eight-bit counters. */
enum { CYCCNTENA = 1 << 0, EVENTS_ENA = 0x1f << 17, NOPRFCNT = 1 << 24, NOCYCCNT = 1 << 25 };

#define UNIT "dwt.cyccnt"

static uint64_t ctrl_addr(const struct pt_cortexm *cm)
{
	return cm->found.unit[PT_UNIT_DWT] + (uint64_t)DWT_CTRL;
}

static int write_ctrl(struct pt_cortexm *cm, uint32_t found, uint32_t ctrl, struct pt_err *err)
{
	struct pt_pending_row row = { .width_bytes = 4, .at = ctrl_addr(cm), .was = found, .ours = ctrl,
				      .check = ctrl ^ found, .mask = ctrl ^ found, .core = (uint8_t)cm->number };

	pt_cortexm_unit(cm, row.unit, UNIT);
	if (ctrl != found)
		pt_pending_note(cm->target, &row, 1);
	if (pt_mem_write32(cm->mem, row.at, ctrl, err) < 0)
		return pt_wrap(err, "write DWT_CTRL");
	return 0;
}

/* TRCENA goes with the last one that needs it. */
static int untrace(struct pt_cortexm *cm, struct pt_err *err)
{
	char samples[PT_PENDING_UNIT];

	if (pt_cortexm_breaks_watching(cm) || pt_lease_held(cm->target, pt_cortexm_unit(cm, samples, "dwt.pcsr")) ||
	    (cm->found_demcr & DEMCR_TRCENA) != 0)
		return 0;
	return pt_cortexm_set_demcr(cm, 0, DEMCR_TRCENA, err);
}

/* ARMv6-M and ARMv8-M Baseline do not have the counter. They lack the bits that say so, too. */
int pt_cycle_counter_on(struct pt_cortexm *cm, struct pt_cycle_counter *c, bool events, struct pt_err *err)
{
	struct pt_err ignored = { 0 };

	*c = (struct pt_cycle_counter){ .on = false };
	if (cm->found.unit[PT_UNIT_DWT] == 0 || !pt_cortexm_is_mainline(&cm->chip))
		return pt_fail(err, PT_EUNSUPPORTED, "%s has no cycle counter (DWT_CYCCNT)", cm->chip.core);
	if (pt_cortexm_set_demcr(cm, DEMCR_TRCENA, 0, err) < 0)
		return err->code;
	if (pt_mem_read32(cm->mem, ctrl_addr(cm), &c->found, err) < 0) {
		pt_wrap(err, "read DWT_CTRL");
		goto leave;
	}
	if ((c->found & NOCYCCNT) != 0) {
		pt_fail(err, PT_EUNSUPPORTED, "this %s was built without its cycle counter (DWT_CTRL.NOCYCCNT)",
			cm->chip.core);
		goto leave;
	}
	c->events = events && (c->found & NOPRFCNT) == 0;
	if (write_ctrl(cm, c->found, c->found | CYCCNTENA | (c->events ? EVENTS_ENA : 0), err) < 0)
		goto leave;
	c->on = true;
	return 0;
leave:
	untrace(cm, &ignored);
	return err->code;
}

int pt_cycle_counter_off(struct pt_cortexm *cm, struct pt_cycle_counter *c, struct pt_err *err)
{
	char name[PT_PENDING_UNIT];
	int rc;

	if (!c->on)
		return 0;
	c->on = false;
	rc = write_ctrl(cm, c->found, c->found, err);
	if (rc == 0)
		pt_pending_settle(cm->target, pt_cortexm_unit(cm, name, UNIT));
	return untrace(cm, err) < 0 ? err->code : rc;
}
