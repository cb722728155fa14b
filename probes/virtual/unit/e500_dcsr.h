/* Model of the core proxy in the debug space (DCSR) of a QorIQ: registers of the core as other bus masters see them. Of
 * an e500mc copies that are captured, of its counters and of its program counter; of an e6500 the performance monitor
 * itself. What captures is not published, so it is an option. Registers of the debug state read 0: their bits are not
 * published either.
 * Source: facts/e500.md 7.3. */
#ifndef PT_VIRTUAL_UNIT_E500_DCSR_H
#define PT_VIRTUAL_UNIT_E500_DCSR_H

#include "probes/virtual/bus.h"
#include "probes/virtual/unit/e500_pm.h"

enum { PT_VDCSR_PROXY = 0x40000, PT_VDCSR_BYTES = 0x41000 };	/* of the first core; from the start of the space */

enum pt_vdcsr_capture {
	PT_VDCSR_ALWAYS,	/* copies are as new as the read */
	PT_VDCSR_BY_PCCL,	/* a read of the lower half of the program counter takes all of them */
	PT_VDCSR_BY_WRITE,	/* a write of any value to offset 0x4c8 of the block */
	PT_VDCSR_NEVER,
};

struct pt_vdcsr {
	struct pt_ve500 *cpu;
	struct pt_ve500_pm *pm;
	enum pt_vdcsr_capture capture;
	uint32_t pcc, pmcc[PT_VE500_MOST_PMCS];
	uint64_t n_reads, n_writes;	/* for tests */
};

extern const struct pt_vunit_ops pt_vdcsr_ops;

#endif
