/* Arm semihosting: a program asks its debugger by BKPT 0xAB, with the operation in r0 and its parameters in r1 or at r1.
 * Source: Arm, Semihosting for AArch32 and AArch64 (2.0): operations. Board thread, the core is halted. */
#ifndef PT_ARM_SEMIHOST_H
#define PT_ARM_SEMIHOST_H

#include "targets/contract/target.h"

/* Makes a call of r0, r1 and the four words at r1. */
void pt_arm_host_decode(uint32_t r0, uint32_t r1, const uint32_t words[4], struct pt_host_call *call);

/* Whether the core is at BKPT 0xAB. Returns 1 with the call, 0, or the target's error. */
int pt_arm_host_call(struct pt_target *target, unsigned core, struct pt_host_call *call, struct pt_err *err);
/* Sets r0 to result, and the pc to after the BKPT. */
int pt_arm_host_answer(struct pt_target *target, unsigned core, int32_t result, uint64_t *pc, struct pt_err *err);

#endif
