/* Identifies the core and the features of its architecture by its ID registers: a row per core. Board thread. */
#ifndef PT_CORTEXM_ARCHITECTURE_H
#define PT_CORTEXM_ARCHITECTURE_H

#include "targets/contract/mem.h"
#include "targets/cortexm/core/chip.h"

/* Fills chip->core, cpu_arch, fpu, caches and secure from the SCS at this address. PT_EIO, PT_EPROTO, PT_ETIMEOUT and
 * PT_EFAULT: CPUID cannot be read. */
int pt_cortexm_identify_core(struct pt_cortexm_chip *chip, struct pt_mem *mem, uint64_t scs, struct pt_err *err);

/* The name of chip and core for messages and reports: "MKL27Z256 (Cortex-M0+ r0p1)"; for an unknown chip "Cortex-M4
 * (r0p1, unknown chip)". */
void pt_cortexm_full_name(const struct pt_cortexm_chip *chip, char *out, size_t room);
/* Names an unknown chip by its core. */
void pt_cortexm_name_by_core(struct pt_cortexm_chip *chip);

/* PT_EARG: the chip is not the expected one. expected: the beginning of its name. A chip without an ID register cannot
 * be compared: *unchecked. */
int pt_cortexm_check_expected(const struct pt_cortexm_chip *chip, const char *expected, bool *unchecked,
			      struct pt_err *err);

/* Whether it has BASEPRI, FAULTMASK and fault status registers: ARMv7-M and ARMv8-M Mainline. */
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
