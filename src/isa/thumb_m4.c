/* Armv7E-M Thumb with the cycles of a Cortex-M4, zero wait states: a model that is used only on request (cycles=model).
 * Its first rows are from public copies of the manual's table, the others from memory (UNVERIFIED). Where the table
 * gives a range, one value is used: a pipeline refill (1 to 3) is 2, a division (2 to 12) 7, a load or store 2 (1
 * directly after another one), IT 1 (it may be folded), CPS 1 (1 to 2). On silicon the flash's wait states are added.
 * Source: Cortex-M4 TRM (Arm 100166), table 3-1 and the chapter on the FPU. */
#include "isa/thumb.h"
#include "base/util.h"

enum { ENTRY_CYCLES = 12, RETURN_CYCLES = 10, TAIL_CHAIN_CYCLES = 6 };	/* the second UNVERIFIED */
enum { REFILL = 2, DIVISION = 7, FLOAT_DIVISION = 14 };

static unsigned bits_of(uint32_t list)
{
	return (unsigned)__builtin_popcount(list);
}

/* --- 16 bits ------------------------------------------------------------------------------------------------------ */

static unsigned cycles_of_narrow(uint16_t op)
{
	if (op >> 11 == 9 || (op >> 12 >= 5 && op >> 12 <= 9))	/* LDR literal; LDR and STR of all sizes */
		return 2;
	if (op >> 12 == 0xc || op >> 9 == 0x5a || op >> 9 == 0x5e)	/* LDM, STM, PUSH, POP; bit 8: lr or pc */
		return 1 + bits_of(op & (op >> 12 == 0xc ? 0xff : 0x1ff));
	return op == 0xbf20 || op == 0xbf30 ? 2 : 1;	/* WFE, WFI */
}

/* --- 32 bits ------------------------------------------------------------------------------------------------------ */

static bool is_float(uint16_t op, uint16_t op2)
{
	return (op & 0xec00) == 0xec00 && (op2 & 0x0e00) == 0x0a00;
}

/* VLDR, VSTR; VLDM, VSTM with the number of words in their constant; moves of two core registers. */
static unsigned cycles_of_float_memory(uint16_t op, uint16_t op2)
{
	if ((op & 0xffe0) == 0xec40)	/* VMOV of a pair */
		return 2;
	if ((op & 0x0120) == 0x0100)	/* VLDR, VSTR; bit 8: of a double */
		return (op2 & 0x100) != 0 ? 3 : 2;
	return 1 + (op2 & 0xff);
}

/* By opc1 and, for VSQRT, opc2 and opc3. */
static unsigned cycles_of_float_data(uint16_t op, uint16_t op2)
{
	unsigned opc1 = op >> 4 & 0xb;

	if ((op2 & 0x10) != 0)		/* moves between registers */
		return 1;
	if (opc1 == 8 || (opc1 == 0xb && (op & 0xf) == 1 && (op2 & 0xc0) == 0xc0))
		return FLOAT_DIVISION;
	return opc1 == 2 || opc1 == 3 || opc1 == 0xb ? 1 : 3;	/* VMUL, VADD and moves; the rest: multiply-add */
}

static unsigned cycles_of_float(uint16_t op, uint16_t op2)
{
	return (op & 0xef00) >= 0xee00 ? cycles_of_float_data(op, op2) : cycles_of_float_memory(op, op2);
}

static unsigned cycles_of_wide(uint16_t op, uint16_t op2)
{
	if (is_float(op, op2))
		return cycles_of_float(op, op2);
	if ((op & 0xfe40) == 0xe800)	/* LDM, STM */
		return 1 + bits_of(op2);
	if ((op & 0xfff0) == 0xe8d0 && (op2 & 0xffe0) == 0xf000)	/* TBB, TBH */
		return 2;
	if ((op & 0xfe40) == 0xe840)	/* exclusive ones; LDRD, STRD */
		return (op & 0x0120) == 0 ? 2 : 3;
	if ((op & 0xfe00) == 0xf800)	/* LDR and STR of all sizes, PLD */
		return 2;
	if ((op & 0xffd0) == 0xfb90)	/* SDIV, UDIV */
		return DIVISION;
	return (op & 0xfb80) == 0xf380 ? 2 : 1;	/* MSR, MRS, hints, barriers */
}

/* --- both --------------------------------------------------------------------------------------------------------- */

static void decode(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_insn *out)
{
	unsigned cycles;

	pt_thumb_decode(addr, bytes, len_bytes, out);
	if (out->flow == PT_FLOW_INVALID)
		return;
	if ((out->flow & PT_FLOW_LEAVES) == 0 && out->flow == PT_FLOW_TRAP)
		cycles = 1;
	else if ((out->flow & PT_FLOW_LEAVES) != 0 && out->target != PT_UNKNOWN)
		cycles = 1;		/* direct ones */
	else if (out->len_bytes == 2)
		cycles = cycles_of_narrow(pt_le16(bytes));
	else
		cycles = cycles_of_wide(pt_le16(bytes), pt_le16(bytes + 2));
	out->taken_cycles = (uint8_t)(cycles + ((out->flow & PT_FLOW_LEAVES) != 0 ? REFILL : 0));
	out->cycles = out->flow == PT_FLOW_BRANCH_IF ? (uint8_t)cycles : out->taken_cycles;
}

const struct pt_isa pt_isa_thumb_m4 = {
	.name = "thumb",	/* the same instructions */
	.timing = "Cortex-M4, zero wait states (unverified)",
	.exception_entry_cycles = ENTRY_CYCLES,
	.exception_return_cycles = RETURN_CYCLES,
	.tail_chain_cycles = TAIL_CHAIN_CYCLES,
	.decode = decode,
	.n_vectors = PT_THUMB_FIRST_IRQ + 480,
	PT_THUMB_COMMON
};
