/* Model of the DWT at 0xe0001000: watchpoint comparators and the pc sample register; of ARMv7-M also the cycle counter
 * and the eight-bit event counters (DDI 0419 C1.8, DDI 0403 C1.8), and with an ITM behind it trace (dwt_trace.h). Of
 * FUNCTION there is no comparison of values, none with the cycle counter. The DWT of ARMv8-M (DDI 0553) is there as far as it
 * traces data. */
#ifndef PT_VIRTUAL_UNIT_DWT_H
#define PT_VIRTUAL_UNIT_DWT_H

#include "probes/virtual/cpu/cortexm/cortexm.h"
#include "probes/virtual/unit/arm/comparator.h"
#include "probes/virtual/unit/arm/dwt_trace.h"
#include "probes/virtual/unit/arm/itm.h"
#include "probes/virtual/frame/wires.h"

enum { PT_VDWT_CTRL = 0x00, PT_VDWT_CYCCNT = 0x04, PT_VDWT_CPICNT = 0x08, PT_VDWT_FOLDCNT = 0x18, PT_VDWT_PCSR = 0x1c,
       PT_VDWT_COMP0 = 0x20, PT_VDWT_MAX_COMPARATORS = 4, PT_VDWT_COUNTERS = 6 };

/* A counter that stands while it is not enabled: what it had, and what its source had counted then. */
struct pt_vdwt_counter {
	uint32_t value;
	uint64_t since;
	bool on;
};

struct pt_vdwt {
	const struct pt_vwires *wires;
	struct pt_vcpu *cpu;
	struct pt_vitm *itm;			/* the chip's; NULL: no trace */
	struct pt_vobserver observer;		/* the chip hangs it on its core; empty while no comparator can fire */
	struct pt_vcomparator comparator[PT_VDWT_MAX_COMPARATORS];
	unsigned n_comparators;		/* 2; ARMv7-M: 4 */
	uint32_t ctrl;			/* ARMv7-M: the bits that software writes */
	struct pt_vdwt_counter counter[PT_VDWT_COUNTERS];	/* in the order of their registers, CYCCNT first */
	struct pt_vdwt_trace trace;
	bool v2;			/* ARMv8-M: FUNCTION has MATCH, ACTION and DATAVSIZE, and there is no MASK */
	bool omits_exits;		/* exceptions are traced without their exits */
	bool stands_asleep;		/* CYCCNT stands while the core sleeps, as its clock is gated then */
	bool traced;			/* DEMCR.TRCENA */
	bool debugging;			/* DHCSR.C_DEBUGEN: a match halts; without it, it only sets MATCHED */
};

/* Bits of CTRL. */
#define PT_VDWT_CYCCNTENA UINT32_C(1)
#define PT_VDWT_CYCTAP (UINT32_C(1) << 9)
#define PT_VDWT_PCSAMPLENA (UINT32_C(1) << 12)
#define PT_VDWT_EXCTRCENA (UINT32_C(1) << 16)
#define PT_VDWT_CPIEVTENA (UINT32_C(1) << 17)
#define PT_VDWT_CYCEVTENA (UINT32_C(1) << 22)
#define PT_VDWT_NOTRCPKT (UINT32_C(1) << 27)

extern const struct pt_vunit_ops pt_vdwt_ops;	/* a 4 KiB page; the unit is a struct pt_vdwt */

void pt_vdwt_init(struct pt_vdwt *dwt, const struct pt_vwires *wires, struct pt_vcpu *cpu);
/* From the debug unit, when DEMCR.TRCENA or C_DEBUGEN change. */
void pt_vdwt_enable(struct pt_vdwt *dwt, bool traced, bool debugging);

/* For dwt_trace.c: what counter n has, without end, and what its source has counted since power-on. */
uint64_t pt_vdwt_count(const struct pt_vdwt *dwt, unsigned n);
uint64_t pt_vdwt_counted(const struct pt_vdwt *dwt, unsigned n);
uint64_t pt_vdwt_stood(const struct pt_vdwt *dwt);	/* cycles in which CYCCNT stood: in Debug state, or asleep */

#endif
