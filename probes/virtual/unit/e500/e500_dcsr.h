/* Model of the core proxy in the debug space (DCSR) of a QorIQ: registers of the core as other bus masters see them. Of
 * an e500mc copies that are captured, of its counters and of its program counter; of an e6500 the performance monitor
 * itself. What captures is not published, so it is an option. Registers of the debug state read 0: their bits are not
 * published either.
 * Source: NXP's qoriq-debug, dcsr_cpu_v1.h; Linux, device-tree binding fsl/dcsr. */
#ifndef PT_VIRTUAL_UNIT_E500_DCSR_H
#define PT_VIRTUAL_UNIT_E500_DCSR_H

#include "probes/virtual/frame/bus.h"
#include "probes/virtual/unit/e500/e500_pm.h"

/* Of the first core, from the start of the space; the others' follow. Source: the example of Linux' binding fsl/dcsr */
enum { PT_VDCSR_CORES = 4, PT_VDCSR_PROXY = 0x40000, PT_VDCSR_STRIDE = 0x1000,
       PT_VDCSR_BYTES = PT_VDCSR_PROXY + PT_VDCSR_CORES * PT_VDCSR_STRIDE };

enum pt_vdcsr_capture {
	PT_VDCSR_ALWAYS,	/* copies are as new as the read */
	PT_VDCSR_BY_PCCL,	/* a read of the lower half of the program counter takes all of them */
	PT_VDCSR_BY_WRITE,	/* a write of any value to offset 0x4c8 of the block */
	PT_VDCSR_NEVER,
};

struct pt_vdcsr_proxy {
	struct pt_ve500 *cpu;		/* NULL: there is no such core */
	struct pt_ve500_pm *pm;
	uint32_t pcc, pmcc[PT_VE500_MOST_PMCS];
};

struct pt_vdcsr {
	struct pt_vdcsr_proxy proxy[PT_VDCSR_CORES];
	enum pt_vdcsr_capture capture;
	uint64_t n_reads, n_writes;	/* for tests */
};

extern const struct pt_vunit_ops pt_vdcsr_ops;

#endif
