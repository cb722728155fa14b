/* S12Z instructions, decoded once per address: operands are taken apart, and whatever depends on the address alone
 * (branch targets, P-relative operands) is worked out. */
#ifndef PT_VIRTUAL_CPU_S12Z_DECODE_H
#define PT_VIRTUAL_CPU_S12Z_DECODE_H

#include "probes/virtual/cpu/s12z/core.h"

/* a, b: general operands; d, m: registers; size: bytes of the operation. */
enum op_kind {
	OP_NEW,				/* not decoded */
	OP_FETCH_FAULT,			/* a byte of it cannot be read */

	OP_BGND, OP_NOP, OP_RTS, OP_RTI, OP_WAI, OP_STOP,
	OP_EXCEPTION,			/* imm: the vector: SWI, SYS, SPARE, TRAP (whose number is how) */
	OP_PSH, OP_PUL,			/* how: the postbyte */
	OP_TFR, OP_EXG,			/* d to m; EXG to a wider register is SEX */
	OP_ANDCC, OP_ORCC,		/* imm */

	OP_BRA, OP_BSR,			/* imm: the target */
	OP_BCC,				/* how: low nibble of the op-code */
	OP_JMP_EXT, OP_JSR_EXT,		/* imm */
	OP_JMP, OP_JSR,			/* a */
	OP_LOOP,			/* TBcc, DBcc: a, size; how: bits 6:4 of lb; flags: LOOP_DECREMENTS; imm */

	OP_LEA,				/* d = address of a */
	OP_LD, OP_ST,			/* d, a */
	OP_MOV,				/* a to b */
	OP_ADD, OP_ADC, OP_SUB, OP_SBC, OP_CMP, OP_AND, OP_OR, OP_EOR, OP_BIT,	/* d = d op a */
	OP_MINU, OP_MAXU, OP_MINS, OP_MAXS,
	OP_SUB_XY,			/* d = register a - register b: SUB D6,X,Y and D6,Y,X */
	OP_INC, OP_DEC, OP_CLR, OP_COM, OP_NEG,	/* a */
	OP_ABS, OP_SAT,			/* d */
	OP_CLB,				/* m = leading bits of d */

	OP_BCLR, OP_BSET, OP_BTGL,	/* bit of a: imm, or with BIT_IN_REGISTER in register m */
	OP_BRCLR, OP_BRSET,		/* the same; the target is b.value */
	OP_BFEXT, OP_BFINS,		/* a to b; width and offset: imm = w << 5 | o, or with FIELD_IN_REGISTER in m */

	OP_SHIFT,			/* d (flags SHIFT_IN_PLACE: a) = a by b; how: SHIFT_* */
	OP_ROTATE,			/* a; how: SHIFT_LEFT */
	OP_MUL, OP_MAC, OP_QMUL, OP_DIV, OP_MOD,	/* d, a of size, b of size_b; flags: MATH_SIGNED */
	OP_KINDS
};

enum {
	LOOP_DECREMENTS = 1,
	BIT_IN_REGISTER = 1,
	FIELD_IN_REGISTER = 1,
	SHIFT_IN_PLACE = 1,
	MATH_SIGNED = 1,
	SIZE_CODED = 2,			/* size is in the encoding: it is not that of a register */
};
enum { SHIFT_LEFT = 1, SHIFT_ARITHMETIC = 2 };

/* Decode the instruction at addr, of which n_bytes can be read (MAX_OP_BYTES are always enough). Too few: kind
 * OP_FETCH_FAULT, and n_bytes of the result is how many it would have had, as far as can be told. */
struct op pt_z_decode(uint32_t addr, const uint8_t *bytes, size_t n_bytes);

#endif
