/* Registers of the System Control Space, the DWT and the BPU that core debug uses, and their fields.
 * Source: Arm DDI 0419 (ARMv6-M), C1.6 (debug), C1.8 (DWT), C1.9 (BPU); DDI 0403 (ARMv7-M), B3.2, C1.6, C1.8. */
#ifndef PT_CORTEXM_SCS_H
#define PT_CORTEXM_SCS_H

#include "targets/contract/target.h"

/* Offsets from the base of the SCS (0xe000e000). */
enum { SCS_CPUID = 0xd00, SCS_AIRCR = 0xd0c, SCS_CCR = 0xd14, SCS_CFSR = 0xd28, SCS_DFSR = 0xd30, SCS_ID_PFR1 = 0xd44,
       SCS_DHCSR = 0xdf0, SCS_DCRSR = 0xdf4, SCS_DCRDR = 0xdf8, SCS_DEMCR = 0xdfc, SCS_MVFR0 = 0xf40, SCS_ICIALLU = 0xf50 };
enum { CCR_IC = 1 << 17 };	/* the instruction cache is on. Source: DDI 0403, B3.2.8 */

#define DHCSR_KEY UINT32_C(0xa05f0000)
enum {
	DHCSR_C_DEBUGEN = 1 << 0, DHCSR_C_HALT = 1 << 1, DHCSR_C_STEP = 1 << 2, DHCSR_C_MASKINTS = 1 << 3,
	DHCSR_S_REGRDY = 1 << 16, DHCSR_S_HALT = 1 << 17, DHCSR_S_SLEEP = 1 << 18, DHCSR_S_LOCKUP = 1 << 19,
	DHCSR_S_SDE = 1 << 20,	/* ARMv8-M: a debugger reaches the Secure side, too. Source: DDI 0553, D1.2 */
	DHCSR_S_RESET_ST = 1 << 25,
};
enum { DCRSR_WRITE = 1 << 16 };
enum { DFSR_HALTED = 1 << 0, DFSR_BKPT = 1 << 1, DFSR_DWTTRAP = 1 << 2, DFSR_VCATCH = 1 << 3, DFSR_EXTERNAL = 1 << 4,
       DFSR_ALL = 0x1f };
enum { DEMCR_VC_CORERESET = 1 << 0, DEMCR_VC_HARDERR = 1 << 10, DEMCR_TRCENA = 1 << 24 };
/* Those of the faults that ARMv7-M and the main line of ARMv8-M tell apart: MMERR, NOCPERR, CHKERR, STATERR, BUSERR,
 * INTERR. Source: DDI 0403, C1.6.5 */
enum { DEMCR_VC_FAULTS = 0x3f0 };
/* MON_EN, and it with MON_PEND, MON_STEP and MON_REQ: the program's, if it debugs itself by DebugMonitor. */
enum { DEMCR_MON_EN = 1 << 16, DEMCR_MON = 0xf0000 };
#define AIRCR_SYSRESETREQ UINT32_C(0x05fa0004)

/* Offsets in the DWT: comparator n at 0x20 + 0x10 * n. */
enum { DWT_CTRL = 0x00, DWT_CYCCNT = 0x04, DWT_CPICNT = 0x08, DWT_PCSR = 0x1c, DWT_COMP = 0x20, DWT_MASK = 0x24, DWT_FUNCTION = 0x28, DWT_STRIDE = 0x10 };
enum { DWT_MATCHED = 1 << 24 };
/* FUNCTION values that ARMv6-M has. */
enum { DWT_OFF = 0, DWT_PC_MATCH = 4, DWT_WATCH_READ = 5, DWT_WATCH_WRITE = 6, DWT_WATCH_ACCESS = 7 };

/* DWT version 2: what is watched, its size, and that the core halts. Source: Arm DDI 0553 (ARMv8-M), D1.2 */
enum { DWT_V2_WATCH_ACCESS = 4, DWT_V2_WATCH_WRITE = 5, DWT_V2_WATCH_READ = 6, DWT_V2_HALTS = 1 << 4, DWT_V2_SIZE = 10,
       DWT_V2_MOST_BYTES = 4 };

/* Offsets in the BPU or FPB: comparator n at 8 + 4 * n. */
enum { BPU_CTRL = 0x00, BPU_COMP = 0x08 };
enum { BPU_ENABLE = 1 << 0, BPU_KEY = 1 << 1 };

/* DEMCR's as rows, for print-outs; ended by a row without a name. */
extern const struct pt_field pt_demcr_fields[];

/* "NAME 0xVALUE: FIELD=1 FIELD=3", fields that are not zero. Returns line. */
char *pt_fields_print(const char *name, uint32_t value, const struct pt_field *fields, char *line, size_t size);

#endif
