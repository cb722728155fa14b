/* Which core it is, and what its architecture gives it, read from its ID registers: rows, so that a new core is one.
 * Board thread. */
#ifndef PT_CORTEXM_ARCHITECTURE_H
#define PT_CORTEXM_ARCHITECTURE_H

#include "targets/contract/mem.h"
#include "targets/cortexm/core/chip.h"

/* Fills chip->core, cpu_arch, fpu, caches and secure from the SCS at this address. PT_EIO, PT_EPROTO, PT_ETIMEOUT and
 * PT_EFAULT from below: CPUID cannot be read. */
int pt_cortexm_identify_core(struct pt_cortexm_chip *chip, struct pt_mem *mem, uint64_t scs, struct pt_err *err);

/* The chip and its core as messages and reports have them: "MKL27Z256 (Cortex-M0+ r0p1)", and where the chip is not
 * known "Cortex-M4 (r0p1, unknown chip)". */
void pt_cortexm_full_name(const struct pt_cortexm_chip *chip, char *out, size_t room);
/* The chip is not known: it has the core's name. */
void pt_cortexm_name_by_core(struct pt_cortexm_chip *chip);

/* PT_EARG: the chip says that it is another than expected, which is how its name begins. A chip that no register identifies
 * may be any: *unchecked. */
int pt_cortexm_check_expected(const struct pt_cortexm_chip *chip, const char *expected, bool *unchecked,
			      struct pt_err *err);

/* Has it BASEPRI, FAULTMASK and fault status registers: ARMv7-M and the main line of ARMv8-M. */
static inline bool pt_cortexm_is_mainline(const struct pt_cortexm_chip *chip)
{
	return chip->cpu_arch != PT_ARM_UNKNOWN && chip->cpu_arch != PT_ARM_V6_M && chip->cpu_arch != PT_ARM_V6S_M &&
	       chip->cpu_arch != PT_ARM_V8_M_BASE;
}

static inline bool pt_cortexm_is_v8(const struct pt_cortexm_chip *chip)
{
	return chip->cpu_arch >= PT_ARM_V8_M_BASE;
}

#endif
