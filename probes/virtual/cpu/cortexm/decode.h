/* Thumb instructions, decoded once per address: registers and immediates are taken apart, and whatever depends on the
 * address alone (branch targets, literal addresses) is worked out. decode.c has those of ARMv6-M and all 16-bit ones,
 * decode_wide.c the other 32-bit ones of ARMv7-M. */
#ifndef PT_VIRTUAL_CPU_CORTEXM_DECODE_H
#define PT_VIRTUAL_CPU_CORTEXM_DECODE_H

#include "probes/virtual/cpu/cortexm/core.h"

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
	OP_B,
	OP_BX, OP_BLX,		/* m, may be PC for BX */

	OP_SVC, OP_UNDEFINED,
	OP_FETCH_FAULT,		/* the second halfword cannot be read */
	OP_NOP, OP_WFI, OP_WFE, OP_SEV,
	OP_CPS,			/* imm: bit 0 = off, bit 1 = PRIMASK, bit 2 = FAULTMASK */
	OP_CBZ, OP_CBNZ,	/* n; imm: the target */
	OP_IT,			/* imm: ITSTATE of the next instruction */

	/* 32-bit from here on */
	OP_BL, OP_FIRST_WIDE = OP_BL,
	OP_MRS, OP_MSR, OP_BARRIER,	/* d or n, and imm = SYSm; MSR m: mask, flags 2, GE 1 */
	OP_LAST_V6M = OP_BARRIER,

	OP_WIDE_UNDEFINED, OP_WIDE_NOCP,
	OP_WIDE_NOP, OP_WIDE_WFI, OP_WIDE_WFE, OP_WIDE_SEV, OP_WIDE_CLREX,
	OP_WIDE_B, OP_WIDE_B_IF,	/* imm: the target; d: the condition */
	/* d = n op operand; m: enum data_op | FLAGS. Operand imm: its bit 31 is the carry if m has CARRY; of register m:
	 * shifted by imm: the op | FLAGS, how << 8, by << 16 */
	OP_WIDE_IMM, OP_WIDE_REG,
	OP_WIDE_CONST, OP_WIDE_ADD_CONST, OP_WIDE_MOVT,		/* d = imm, n + imm, imm in the upper half */
	OP_WIDE_SATURATE,	/* d, n; m: bits that remain, unsigned 128; imm: how << 8 | by << 16 */
	OP_WIDE_FIELD, OP_WIDE_FIELD_SIGNED,	/* d = bits of n; m: the lowest, imm: how many */
	OP_WIDE_INSERT,		/* bits of d = n, PC: 0; m: the lowest, imm: a mask of them */
	OP_WIDE_SHIFT,		/* d = n shifted by m; imm: how << 8 | FLAGS */
	OP_WIDE_EXTEND,		/* d = n + m extended, n PC: without; imm: op1 << 8 | how far rotated */
	OP_WIDE_SIMD, OP_WIDE_MULTIPLY,				/* imm: both halfwords, first one on top */
	/* d and [n + imm], [n + (m << imm)], [imm]; size, sign and load in the low bits of m or on top of imm */
	OP_WIDE_LOAD, OP_WIDE_STORE, OP_WIDE_LOAD_LITERAL,	/* m: enum transfer */
	OP_WIDE_MEMORY_REG,	/* imm: enum transfer << 8 | shift */
	OP_WIDE_INDEXED,	/* m: enum transfer | PRE or POST or AS_USER; imm: signed */
	OP_WIDE_DUAL,		/* d, m and [n]; imm: DUAL_... on top, signed 16 bits */
	OP_WIDE_LIST,		/* n; m: LIST_...; imm: the registers */
	OP_WIDE_EXCLUSIVE,	/* imm: both halfwords */
	OP_WIDE_TABLE,		/* n, m; imm: 1 halfwords */
	OP_WIDE_FLOAT, OP_WIDE_FLOAT_MEMORY,			/* imm: both halfwords */
	OP_KINDS
};

/* Bits 8..5 of the first halfword. Source: DDI 0403, A5.3.1 and A5.3.11 */
enum data_op { DATA_AND, DATA_BIC, DATA_ORR, DATA_ORN, DATA_EOR, DATA_PKH = 6, DATA_ADD = 8, DATA_ADC = 10, DATA_SBC,
	       DATA_SUB = 13, DATA_RSB };
enum { DATA_OP = 15, FLAGS = 16, CARRY = 32 };
enum transfer { BYTES_LOG2 = 3, SIGNED = 4, LOAD = 8, PRE = 16, POST = 32, AS_USER = 64 };
enum { DUAL_LOAD = 1 << 16, DUAL_PRE = 1 << 17, DUAL_POST = 1 << 18 };
enum { LIST_LOAD = 1, LIST_BEFORE = 2, LIST_WRITE_BACK = 4 };	/* before: decrement before */

extern const uint8_t pt_op_cycles_m0plus[OP_KINDS], pt_op_cycles_m4[OP_KINDS];

static inline bool is_memory(unsigned kind)	/* loads and stores, as DWT_LSUCNT counts them */
{
	return (kind >= OP_LDR_LIT && kind <= OP_STM) || (kind >= OP_WIDE_LOAD && kind <= OP_WIDE_EXCLUSIVE) ||
	       kind == OP_WIDE_FLOAT_MEMORY;
}

/* Decode the instruction at addr. Of a 32-bit one both halfwords count; second is ignored otherwise. has_second false:
 * behind the first there is no memory. */
struct op pt_op_decode(uint32_t addr, uint16_t first, uint16_t second, bool has_second, bool mainline);
/* The same for 32-bit ones of ARMv7-M that decode.c does not know. */
struct op pt_op_decode_wide(uint32_t addr, uint16_t first, uint16_t second);

#endif
