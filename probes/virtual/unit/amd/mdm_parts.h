/* Shared by the files of the MDM alone: mdm.c finds registers, mdm_axi.c is the AXI slave, mdm_profile.c,
 * mdm_counters.c, mdm_trace.c and mdm_trigger.c are the units of a core. Values are right-justified. */
#ifndef PT_VIRTUAL_UNIT_MDM_PARTS_H
#define PT_VIRTUAL_UNIT_MDM_PARTS_H

#include "probes/virtual/unit/amd/mdm.h"

/* Whether anybody of the core's units wants its instructions. */
void pt_mdm_listen(struct pt_vmdm_core *core);

bool pt_mdm_profile_init(struct pt_vmdm_core *core);
unsigned pt_mdm_pbar_bits(const struct pt_vmdm_core *core);
uint64_t pt_mdm_profile_read(struct pt_vmdm_core *core);	/* PDRR */
void pt_mdm_profile_write(struct pt_vmdm_core *core, unsigned command, uint64_t value);
void pt_mdm_profile_retired(struct pt_vmdm_core *core, const struct pt_vmb_retired *what);

uint64_t pt_mdm_counters_read(struct pt_vmdm_core *core, unsigned command);
void pt_mdm_counters_write(struct pt_vmdm_core *core, unsigned command, uint64_t value);
void pt_mdm_counters_retired(struct pt_vmdm_core *core, const struct pt_vmb_retired *what);

bool pt_mdm_trace_init(struct pt_vmdm_core *core);
uint64_t pt_mdm_trace_read(struct pt_vmdm_core *core, unsigned command);
void pt_mdm_trace_write(struct pt_vmdm_core *core, unsigned command, uint64_t value);
void pt_mdm_trace_retired(struct pt_vmdm_core *core, const struct pt_vmb_retired *what);
void pt_mdm_trace_triggers(struct pt_vmdm_core *core, uint8_t mask);

void pt_mdm_trigger(struct pt_vmdm_core *core, unsigned output);	/* an edge of a trigger output of the core */
void pt_mdm_route(struct pt_vmdm_core *core, uint16_t control);		/* Cross Trigger Control */
uint32_t pt_mdm_trigger_status(const struct pt_vmdm_core *core);

#endif
