/* DHCSR and DEMCR: what was found in them, what we have written there, and what a look at them says.
 * Source: Arm DDI 0419 (ARMv6-M), C1.6. */
#include "targets/cortexm/core/cortexm.h"

void pt_core_saw(struct pt_cortexm *cm, uint32_t dhcsr)
{
	if ((dhcsr & DHCSR_S_RESET_ST) != 0)
		cm->was_reset = true;
	cm->debug_on = (dhcsr & DHCSR_C_DEBUGEN) != 0;
	if ((dhcsr & DHCSR_S_HALT) == 0)
		cm->halted = false;
}

int pt_core_read_dhcsr(struct pt_cortexm *cm, uint32_t *dhcsr, struct pt_err *err)
{
	int rc = pt_mem_read32(cm->mem, pt_core_reg(cm, SCS_DHCSR), dhcsr, err);

	if (rc == 0)
		pt_core_saw(cm, *dhcsr);
	return rc;
}

int pt_core_write_dhcsr(struct pt_cortexm *cm, uint32_t bits, struct pt_err *err)
{
	return pt_mem_write32(cm->mem, pt_core_reg(cm, SCS_DHCSR), DHCSR_KEY | bits, err);
}

int pt_core_set_demcr(struct pt_cortexm *cm, uint32_t set, uint32_t clear, struct pt_err *err)
{
	uint32_t demcr = (cm->demcr & ~clear) | set;

	if (demcr == cm->demcr)
		return 0;
	if (pt_mem_write32(cm->mem, pt_core_reg(cm, SCS_DEMCR), demcr, err) < 0)
		return pt_wrap(err, "write DEMCR");
	cm->demcr = demcr;
	return 0;
}

int pt_core_enable_debug(struct pt_cortexm *cm, struct pt_err *err)
{
	if (!cm->debug_on && pt_core_write_dhcsr(cm, DHCSR_C_DEBUGEN, err) < 0)
		return pt_wrap(err, "turn halting debug on");
	cm->debug_on = true;
	return pt_core_set_demcr(cm, cm->catch_faults ? DEMCR_VC_HARDERR : 0, 0, err);
}

int pt_core_save(struct pt_cortexm *cm, struct pt_err *err)
{
	if (pt_mem_read32(cm->mem, pt_core_reg(cm, SCS_DHCSR), &cm->found_dhcsr, err) < 0 ||
	    pt_mem_read32(cm->mem, pt_core_reg(cm, SCS_DEMCR), &cm->found_demcr, err) < 0)
		return pt_wrap(err, "read the state of the core");
	cm->demcr = cm->found_demcr;
	cm->debug_on = (cm->found_dhcsr & DHCSR_C_DEBUGEN) != 0;
	cm->found_saved = true;
	return 0;
}
