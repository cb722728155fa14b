/* Cross triggers. Every core has eight trigger outputs (0: it halted; the others are UNVERIFIED and come with what they
 * are named for below) and eight trigger inputs, which are actions. Cross Trigger Control, written for the selected
 * cores, says for one of the MDM's outputs (2:0) to a core which trigger outputs (11:4) of any core it is made of, and
 * how (3); bits 15:12 select the external outputs. Source: PG115 v3.2, MDM Core User-Accessible Debug Registers; UG984
 * 2018.2, "Cross Trigger Support". */
#include "probes/virtual/unit/amd/mdm_parts.h"

enum { OUT_HALTED, OUT_BREAKPOINT, OUT_WATCHPOINT, OUT_TRACE_FULL };
enum { ALL_OF = 8 };

void pt_vmdm_act(struct pt_vmdm_core *core, enum pt_vmdm_action action)
{
	switch (action) {
	case PT_VMDM_STOP: pt_vmb_request_halt(core->cpu, PT_VMB_HALT_STOP); break;
	case PT_VMDM_CONTINUE:
		pt_vmb_resume(core->cpu, false);
		pt_vmdm_resumed(core);
		break;
	case PT_VMDM_TRACE_STOP: pt_mdm_trace_write(core, PT_VMDM_TCMDR, 2); break;
	case PT_VMDM_TRACE_START: pt_mdm_trace_write(core, PT_VMDM_TCMDR, 4); break;
	case PT_VMDM_COUNT_STOP: pt_mdm_counters_write(core, PT_VMDM_PCCMDR, 4); break;
	case PT_VMDM_COUNT_START: pt_mdm_counters_write(core, PT_VMDM_PCCMDR, 8); break;
	case PT_VMDM_PROFILE_OFF: core->profile.on = false; break;
	case PT_VMDM_PROFILE_ON: core->profile.on = core->profile.n_bins > 0; break;
	}
	pt_mdm_trace_triggers(core, (uint8_t)(1u << action));
	pt_mdm_listen(core);
}

/* bit 11 is input 0 */
static uint8_t inputs_of(uint16_t route)
{
	uint8_t mask = 0;

	for (unsigned i = 0; i < PT_VMDM_TRIGGERS; i++)
		mask |= (uint8_t)((route >> (11 - i) & 1u) << i);
	return mask;
}

static bool fires(uint16_t route, uint8_t outputs)
{
	uint8_t mask = inputs_of(route);

	if (mask == 0)
		return false;
	return (route & ALL_OF) != 0 ? (outputs & mask) == mask : (outputs & mask) != 0;
}

void pt_mdm_trigger(struct pt_vmdm_core *from, unsigned output)
{
	struct pt_vmdm *mdm = from->mdm;
	uint8_t before = 0, after;

	for (unsigned i = 0; i < mdm->n_cores; i++)
		before |= mdm->core[i].trigger_out;
	from->trigger_out |= (uint8_t)(1u << output);
	after = before | from->trigger_out;
	for (unsigned i = 0; i < mdm->n_cores; i++)
		for (unsigned n = 0; n < PT_VMDM_TRIGGERS; n++)
			if (fires(mdm->core[i].route[n], after) && !fires(mdm->core[i].route[n], before))
				pt_vmdm_act(&mdm->core[i], (enum pt_vmdm_action)n);
}

void pt_mdm_route(struct pt_vmdm_core *core, uint16_t control)
{
	core->route[control & 7] = control;
}

/* 23:16 trigger outputs of the core, bit 23 the first; 15:8 its inputs in the same order, as they are driven now. */
uint32_t pt_mdm_trigger_status(const struct pt_vmdm_core *core)
{
	uint8_t outputs = 0;
	uint32_t status = 0;

	for (unsigned i = 0; i < core->mdm->n_cores; i++)
		outputs |= core->mdm->core[i].trigger_out;
	for (unsigned i = 0; i < PT_VMDM_TRIGGERS; i++) {
		status |= (uint32_t)(core->trigger_out >> i & 1) << (23 - i);
		status |= (uint32_t)fires(core->route[i], outputs) << (15 - i);
	}
	return status;
}

/* The core halted: its trigger output says so until it goes on. */
void pt_vmdm_halted(struct pt_vmdm_core *core, uint32_t why)
{
	pt_mdm_trigger(core, OUT_HALTED);
	if ((why & (PT_VMB_HALT_BREAKPOINT | PT_VMB_HALT_BRKI)) != 0)
		pt_mdm_trigger(core, OUT_BREAKPOINT);
	if ((why & PT_VMB_HALT_WATCH) != 0)
		pt_mdm_trigger(core, OUT_WATCHPOINT);
	if ((why & PT_VMB_HALT_TRACE) != 0)
		pt_mdm_trigger(core, OUT_TRACE_FULL);
}

void pt_vmdm_resumed(struct pt_vmdm_core *core)
{
	core->trigger_out = 0;
}
