/* Encodings as a table of op-codes whose rows say what else must be there. An encoding that no row allows, and one of a
 * unit that the core does not have, is illegal. */
#include "probes/virtual/cpu/microblaze/decode.h"

static uint32_t fn(uint32_t word)
{
	return word & 0x7ff;
}

static uint8_t if_has(bool has_it, enum op_kind kind)
{
	return has_it ? (uint8_t)kind : OP_ILLEGAL;
}

/* Op-codes 00 to 07. */
static uint8_t arithmetic(uint32_t word)
{
	unsigned op = word >> 26;

	if (op == 5 && (fn(word) == 1 || fn(word) == 3))
		return fn(word) == 1 ? OP_CMP : OP_CMPU;
	return fn(word) == 0 ? (uint8_t)(OP_ADD + op) : OP_ILLEGAL;
}

static uint8_t multiply(uint32_t word, const struct pt_vmb_options *o)
{
	if (fn(word) > 3)
		return OP_ILLEGAL;
	return if_has(o->use_hw_mul > (fn(word) == 0 ? 0 : 1), (enum op_kind)(OP_MUL + fn(word)));
}

static uint8_t divide(uint32_t word, const struct pt_vmb_options *o)
{
	if (fn(word) != 0 && fn(word) != 2)
		return OP_ILLEGAL;
	return if_has(o->use_div, fn(word) == 0 ? OP_IDIV : OP_IDIVU);
}

static uint8_t barrel(uint32_t word, const struct pt_vmb_options *o)
{
	switch (fn(word)) {
	case 0x400: return if_has(o->use_barrel, OP_BSLL);
	case 0x200: return if_has(o->use_barrel, OP_BSRA);
	case 0x000: return if_has(o->use_barrel, OP_BSRL);
	default: return OP_ILLEGAL;
	}
}

static uint8_t barrel_immediate(uint32_t word, const struct pt_vmb_options *o)
{
	if ((word & 0xf820) == 0x4000)
		return if_has(o->use_barrel, OP_BSEFI);
	if ((word & 0xf820) == 0x8000)
		return if_has(o->use_barrel, OP_BSIFI);
	switch (word & 0xffe0) {
	case 0x400: return if_has(o->use_barrel, OP_BSLL);
	case 0x200: return if_has(o->use_barrel, OP_BSRA);
	case 0x000: return if_has(o->use_barrel, OP_BSRL);
	default: return OP_ILLEGAL;
	}
}

/* Op-codes 20 to 23. */
static uint8_t logic(uint32_t word, const struct pt_vmb_options *o)
{
	static const uint8_t compare[] = { OP_PCMPBF, OP_ILLEGAL, OP_PCMPEQ, OP_PCMPNE };

	if (fn(word) == 0x400)
		return if_has(o->use_pcmp, (enum op_kind)compare[word >> 26 & 3]);
	return fn(word) == 0 ? (uint8_t)(OP_OR + (word >> 26 & 3)) : OP_ILLEGAL;
}

static uint8_t shift(uint32_t word, const struct pt_vmb_options *o)
{
	switch (fn(word)) {
	case 0x064: case 0x066: case 0x068: case 0x074: case 0x466: case 0x476:	/* wdc, wic and their forms */
		return OP_CACHE;
	}
	switch (word & 0xffff) {
	case 0x0001: return OP_SRA;
	case 0x0021: return OP_SRC;
	case 0x0041: return OP_SRL;
	case 0x0060: return OP_SEXT8;
	case 0x0061: return OP_SEXT16;
	case 0x00e0: return if_has(o->use_pcmp, OP_CLZ);
	case 0x01e0: return if_has(o->use_reorder, OP_SWAPB);
	case 0x01e2: return if_has(o->use_reorder, OP_SWAPH);
	default: return OP_ILLEGAL;
	}
}

static uint8_t special(uint32_t word, const struct pt_vmb_options *o)
{
	unsigned ra = word >> 16 & 31, rd = word >> 21 & 31;

	if ((word & 0xc000) == 0x8000)
		return ra == 0 ? OP_MFS : OP_ILLEGAL;
	if ((word & 0xc000) == 0xc000)
		return rd == 0 ? OP_MTS : OP_ILLEGAL;
	if ((word & 0x8000) != 0 || (ra != 0x10 && ra != 0x11))
		return OP_ILLEGAL;
	return if_has(o->use_msr_instr, ra == 0x10 ? OP_MSRSET : OP_MSRCLR);
}

/* Op-codes 26 and 2e. */
static uint8_t branch(uint32_t word, bool immediate)
{
	unsigned dal = word >> 16 & 31, rd = word >> 21 & 31;

	if (!immediate && fn(word) != 0)
		return OP_ILLEGAL;
	if (immediate && dal == 2)
		return (word & 0xffff) == 4 ? OP_MBAR : OP_ILLEGAL;
	switch (dal) {
	case 0x0c: return OP_BRK;
	case 0x14: case 0x1c: return OP_BR;
	case 0x00: case 0x08: case 0x10: case 0x18: return rd == 0 ? OP_BR : OP_ILLEGAL;
	default: return OP_ILLEGAL;
	}
}

/* Op-codes 27 and 2f. */
static uint8_t branch_if(uint32_t word, bool immediate)
{
	return (immediate || fn(word) == 0) && (word >> 21 & 15) <= 5 ? OP_BCC : OP_ILLEGAL;
}

static uint8_t return_from(uint32_t word)
{
	switch (word >> 21 & 31) {
	case 0x10: return OP_RTSD;
	case 0x11: return OP_RTID;
	case 0x12: return OP_RTBD;
	case 0x14: return OP_RTED;
	default: return OP_ILLEGAL;
	}
}

/* Op-codes 30 to 32 and 34 to 36, with ra + rb. */
static uint8_t access(uint32_t word, const struct pt_vmb_options *o)
{
	static const uint8_t plain[] = { OP_LBU, OP_LHU, OP_LW, OP_ILLEGAL, OP_SB, OP_SH, OP_SW, OP_ILLEGAL };
	static const uint8_t reversed[] = { OP_LBUR, OP_LHUR, OP_LWR, OP_ILLEGAL, OP_SBR, OP_SHR, OP_SWR, OP_ILLEGAL };
	unsigned which = word >> 26 & 7;

	switch (fn(word)) {
	case 0x000: return plain[which];
	case 0x200: return if_has(o->use_reorder, (enum op_kind)reversed[which]);
	case 0x400: return which == 2 ? OP_LWX : which == 6 ? OP_SWX : OP_ILLEGAL;
	default: return OP_ILLEGAL;
	}
}

static uint8_t kind_of(uint32_t word, const struct pt_vmb_options *o)
{
	static const uint8_t immediate_access[] = {
		OP_LBU, OP_LHU, OP_LW, OP_ILLEGAL, OP_SB, OP_SH, OP_SW, OP_ILLEGAL,
	};
	unsigned op = word >> 26;

	if (op < 0x08)
		return word == 0 && o->opcode_0x0_illegal ? OP_ILLEGAL : arithmetic(word);
	if (op < 0x10)
		return (uint8_t)(OP_ADD + (op & 7));
	switch (op) {
	case 0x10: return multiply(word, o);
	case 0x11: return barrel(word, o);
	case 0x12: return divide(word, o);
	case 0x18: return if_has(o->use_hw_mul > 0, OP_MUL);
	case 0x19: return barrel_immediate(word, o);
	case 0x20: case 0x21: case 0x22: case 0x23: return logic(word, o);
	case 0x24: return shift(word, o);
	case 0x25: return special(word, o);
	case 0x26: case 0x2e: return branch(word, op == 0x2e);
	case 0x27: case 0x2f: return branch_if(word, op == 0x2f);
	case 0x28: case 0x29: case 0x2a: case 0x2b: return (uint8_t)(OP_OR + (op & 3));
	case 0x2c: return (word >> 16 & 0x3ff) == 0 ? OP_IMM : OP_ILLEGAL;
	case 0x2d: return return_from(word);
	case 0x30: case 0x31: case 0x32: case 0x34: case 0x35: case 0x36: return access(word, o);
	default: return op >= 0x38 ? immediate_access[op & 7] : OP_ILLEGAL;
	}
}

struct op pt_mb_decode(uint32_t word, const struct pt_vmb_options *options)
{
	return (struct op){
		.kind = kind_of(word, options), .d = word >> 21 & 31, .a = word >> 16 & 31,
		.b = (word >> 29 & 1) != 0 ? IMMEDIATE : word >> 11 & 31, .word = word,
	};
}
