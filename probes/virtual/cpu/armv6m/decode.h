/* Thumb instructions of ARMv6-M, decoded once per address: registers and immediates are taken apart, and whatever
 * depends on the address alone (branch targets, literal addresses) is worked out. */
#ifndef PT_VIRTUAL_CPU_ARMV6M_DECODE_H
#define PT_VIRTUAL_CPU_ARMV6M_DECODE_H

#include "probes/virtual/cpu/armv6m/core.h"

enum op_kind {
	OP_NEW,			/* not decoded; these three are looked at before execution */
	OP_STOP_POINT,		/* a breakpoint comparator is here */
	OP_BKPT,
	OP_LAST_SPECIAL = OP_BKPT,

	/* d = n op imm, with flags */
	OP_LSL_IMM, OP_LSR_IMM, OP_ASR_IMM,	/* of m; LSR and ASR: 1..32 */
	OP_ADD_IMM, OP_SUB_IMM, OP_MOV_IMM, OP_CMP_IMM,
	/* d = n op m, with flags */
	OP_ADD, OP_SUB, OP_MOVS, OP_AND, OP_EOR, OP_LSL, OP_LSR, OP_ASR, OP_ADC, OP_SBC, OP_ROR, OP_TST, OP_RSB, OP_CMP,
	OP_CMN, OP_ORR, OP_MUL, OP_BIC, OP_MVN,
	/* without flags; d may be sp */
	OP_ADD_HI, OP_MOV_HI,	/* d = n + m, d = m */
	OP_ADD_PC, OP_MOV_PC,	/* to pc: n + m, m; n or m may be PC itself */
	OP_CMP_HI,		/* with flags; n or m may be PC */
	OP_CONST, OP_ADD_CONST,	/* d = imm, d = n + imm */
	OP_SXTH, OP_SXTB, OP_UXTH, OP_UXTB, OP_REV, OP_REV16, OP_REVSH,	/* d = op m */

	/* d and [n + m], [n + imm] or [imm] */
	OP_LDR_LIT,
	OP_LDR_REG, OP_LDRH_REG, OP_LDRB_REG, OP_LDRSH_REG, OP_LDRSB_REG, OP_STR_REG, OP_STRH_REG, OP_STRB_REG,
	OP_LDR_IMM, OP_LDRH_IMM, OP_LDRB_IMM, OP_STR_IMM, OP_STRH_IMM, OP_STRB_IMM,
	/* imm: bit n = register n; d: how many, pc not counted */
	OP_PUSH, OP_POP, OP_POP_PC, OP_LDM, OP_STM,	/* LDM and STM: base n, LDM m = 1: write back */

	/* imm: the target */
	OP_BEQ, OP_BNE, OP_BCS, OP_BCC, OP_BMI, OP_BPL, OP_BVS, OP_BVC, OP_BHI, OP_BLS, OP_BGE, OP_BLT, OP_BGT, OP_BLE,
	OP_B, OP_BL,
	OP_BX, OP_BLX,		/* m, may be PC for BX */

	OP_SVC, OP_UNDEFINED,
	OP_FETCH_FAULT,		/* the second halfword cannot be read */
	OP_NOP, OP_WFI, OP_WFE, OP_SEV, OP_CPS,	/* CPS imm: 1 = interrupts off */
	OP_MRS, OP_MSR, OP_BARRIER,		/* d or n, and imm = SYSm; 4 bytes */
	OP_KINDS
};

extern const uint8_t pt_op_cycles[OP_KINDS];

/* Decode the instruction at addr. Of a 32-bit one both halfwords count; second is ignored otherwise. has_second false:
 * behind the first there is no memory. */
struct op pt_op_decode(uint32_t addr, uint16_t first, uint16_t second, bool has_second);

#endif
