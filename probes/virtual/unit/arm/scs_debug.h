/* Model of the core debug registers (DDI 0419 and DDI 0403, C1.6): DFSR, DHCSR, DCRSR, DCRDR, DEMCR, and the system
 * control space's identification: 0xe000ed30..0xe000efff. It decides who may halt the core and says why it stopped. The
 * registers of ARMv7-M that lie between them are the core's. */
#ifndef PT_VIRTUAL_UNIT_SCS_DEBUG_H
#define PT_VIRTUAL_UNIT_SCS_DEBUG_H

#include "probes/virtual/cpu/cortexm/cortexm.h"
#include "probes/virtual/frame/wires.h"

enum { PT_VSCS_BASE = 0xed30, PT_VSCS_BYTES = 0x2d0 };	/* offset of the unit in the 64 KiB of 0xe0000000's SCS page */

struct pt_vscs_debug {
	const struct pt_vwires *wires;
	struct pt_vcpu *cpu;
	void *arg;
	void (*enabled)(void *arg, bool traced, bool debugging);	/* DEMCR.TRCENA, C_DEBUGEN. To the DWT */
	unsigned skid;			/* instructions that still run after EDBGRQ rose: 1 or more */
	struct pt_vobserver observer;		/* counts the skid; the chip hangs it on its core; empty otherwise */
	uint32_t control;		/* DHCSR[3:0] */
	uint32_t dfsr, demcr, dcrdr;
	bool reset_seen, in_reset;	/* S_RESET_ST; the chip says when reset lasts */
	bool external;			/* level of EDBGRQ */
	unsigned skid_left;
	uint64_t skid_until;		/* halt by then, as a sleeping core counts nothing; PT_VNEVER: no request */
	uint64_t retired;		/* instructions at the last read of DHCSR, for S_RETIRE_ST */
};

extern const struct pt_vunit_ops pt_vscs_debug_ops;	/* the unit is a struct pt_vscs_debug */

void pt_vscs_debug_init(struct pt_vscs_debug *scs, const struct pt_vwires *wires, struct pt_vcpu *cpu, unsigned skid);

/* What the core asks; the chip's struct pt_vcpu_hooks lead here, with the unit as arg. */
bool pt_vscs_debug_bkpt(void *scs, uint32_t pc);
bool pt_vscs_debug_vector_catch(void *scs, unsigned exception);
void pt_vscs_debug_halted(void *scs, uint32_t why);
bool pt_vscs_debug_monitor(void *scs, uint32_t why);

void pt_vscs_debug_edbgrq(struct pt_vscs_debug *scs, bool level);
/* The core has just been reset (pt_vcpu_reset): catch its first instruction if VC_CORERESET says so. */
void pt_vscs_debug_after_reset(struct pt_vscs_debug *scs);
/* MDM-AP's debug request: halts as EDBGRQ does, and enables halting debug. */
void pt_vscs_debug_force_halt(struct pt_vscs_debug *scs);

#endif
