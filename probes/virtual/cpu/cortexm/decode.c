/* One function per group of the Thumb encoding tables. Source: DDI 0419 and DDI 0403, A5.2 (16-bit) and A5.3 (32-bit). */
#include "probes/virtual/cpu/cortexm/decode.h"

static unsigned bits(uint32_t value, unsigned lsb, unsigned n)
{
	return value >> lsb & ((1u << n) - 1);
}

static uint32_t sign_extend(uint32_t value, unsigned n_bits)
{
	uint32_t sign = UINT32_C(1) << (n_bits - 1);

	return (value ^ sign) - sign;
}

static struct op undefined(void)
{
	return (struct op){ .kind = OP_UNDEFINED };
}

/* 00xxxx: shift by immediate, add, subtract, move, compare */
static struct op shift_add_move(uint16_t w)
{
	static const uint8_t imm8[] = { OP_MOV_IMM, OP_CMP_IMM, OP_ADD_IMM, OP_SUB_IMM };
	uint8_t d = bits(w, 0, 3), n = bits(w, 3, 3), imm5 = bits(w, 6, 5);

	if (w >= 0x2000)
		return (struct op){ imm8[bits(w, 11, 2)], bits(w, 8, 3), bits(w, 8, 3), 0, bits(w, 0, 8) };
	if (w >= 0x1c00)
		return (struct op){ w & 0x200 ? OP_SUB_IMM : OP_ADD_IMM, d, n, 0, bits(w, 6, 3) };
	if (w >= 0x1800)
		return (struct op){ w & 0x200 ? OP_SUB : OP_ADD, d, n, bits(w, 6, 3), 0 };
	if (w >= 0x1000)
		return (struct op){ OP_ASR_IMM, d, 0, n, imm5 == 0 ? 32 : imm5 };
	if (w >= 0x0800)
		return (struct op){ OP_LSR_IMM, d, 0, n, imm5 == 0 ? 32 : imm5 };
	return (struct op){ imm5 == 0 ? OP_MOVS : OP_LSL_IMM, d, 0, n, imm5 };
}

/* 010000: register data processing */
static struct op data_processing(uint16_t w)
{
	static const uint8_t kind[16] = {
		OP_AND, OP_EOR, OP_LSL, OP_LSR, OP_ASR, OP_ADC, OP_SBC, OP_ROR,
		OP_TST, OP_RSB, OP_CMP, OP_CMN, OP_ORR, OP_MUL, OP_BIC, OP_MVN,
	};

	return (struct op){ kind[bits(w, 6, 4)], bits(w, 0, 3), bits(w, 0, 3), bits(w, 3, 3), 0 };
}

/* 010001: high registers, BX, BLX. Reads of pc give the address + 4. */
static struct op high_registers(uint32_t addr, uint16_t w)
{
	uint8_t d = bits(w, 0, 3) | bits(w, 7, 1) << 3, m = bits(w, 3, 4);

	switch (bits(w, 8, 2)) {
	case 0:
		if (d == PC)
			return (struct op){ OP_ADD_PC, d, PC, m, 0 };
		return (struct op){ m == PC ? OP_ADD_CONST : OP_ADD_HI, d, d, m, addr + 4 };
	case 1:
		return (struct op){ OP_CMP_HI, 0, d, m, 0 };
	case 2:
		if (d == PC)
			return (struct op){ OP_MOV_PC, d, 0, m, 0 };
		return (struct op){ m == PC ? OP_CONST : OP_MOV_HI, d, 0, m, addr + 4 };
	default:
		if ((w & 0x80) == 0)
			return (struct op){ OP_BX, 0, 0, m, 0 };
		return m == PC ? undefined() : (struct op){ OP_BLX, 0, 0, m, 0 };
	}
}

/* 0101 to 1001: single loads and stores */
static struct op load_store(uint16_t w)
{
	static const uint8_t by_register[8] = {
		OP_STR_REG, OP_STRH_REG, OP_STRB_REG, OP_LDRSB_REG, OP_LDR_REG, OP_LDRH_REG, OP_LDRB_REG, OP_LDRSH_REG,
	};
	uint8_t d = bits(w, 0, 3), n = bits(w, 3, 3), imm5 = bits(w, 6, 5);
	bool load = (w & 0x800) != 0;

	switch (w >> 12) {
	case 5:
		return (struct op){ by_register[bits(w, 9, 3)], d, n, bits(w, 6, 3), 0 };
	case 6:
		return (struct op){ load ? OP_LDR_IMM : OP_STR_IMM, d, n, 0, imm5 * 4u };
	case 7:
		return (struct op){ load ? OP_LDRB_IMM : OP_STRB_IMM, d, n, 0, imm5 };
	case 8:
		return (struct op){ load ? OP_LDRH_IMM : OP_STRH_IMM, d, n, 0, imm5 * 2u };
	default:
		return (struct op){ load ? OP_LDR_IMM : OP_STR_IMM, bits(w, 8, 3), SP, 0, bits(w, 0, 8) * 4 };
	}
}

static uint8_t count(uint32_t list)
{
	return (uint8_t)__builtin_popcount(list);
}

static struct op push_pop(uint16_t w)
{
	uint32_t list = bits(w, 0, 8);
	bool extra = (w & 0x100) != 0;

	if ((w & 0x800) != 0)
		return (struct op){ extra ? OP_POP_PC : OP_POP, count(list), 0, 0, list };
	list |= extra ? 1u << LR : 0;
	return (struct op){ OP_PUSH, count(list), 0, 0, list };
}

static struct op hint(uint16_t w, bool mainline)
{
	static const uint8_t kind[] = { OP_NOP, OP_NOP, OP_WFE, OP_WFI, OP_SEV };	/* NOP, YIELD, ... */
	unsigned which = bits(w, 4, 4);

	if (bits(w, 0, 4) != 0)
		return mainline ? (struct op){ OP_IT, 0, 0, 0, bits(w, 0, 8) } : undefined();
	return (struct op){ .kind = which < sizeof(kind) ? kind[which] : OP_NOP };
}

static struct op change_state(uint16_t w, bool mainline)
{
	uint32_t masks = bits(w, 1, 1) << 1 | bits(w, 0, 1) << 2;

	if ((w & 0xffec) != 0xb660 || (!mainline && masks != 2))
		return undefined();
	return (struct op){ OP_CPS, 0, 0, 0, bits(w, 4, 1) | masks };
}

static struct op compare_and_branch(uint32_t addr, uint16_t w, bool mainline)
{
	uint32_t offset = bits(w, 9, 1) << 6 | bits(w, 3, 5) << 1;

	if (!mainline)
		return undefined();
	return (struct op){ (w & 0x800) != 0 ? OP_CBNZ : OP_CBZ, 0, bits(w, 0, 3), 0, addr + 4 + offset };
}

/* 1011: miscellaneous */
static struct op miscellaneous(uint32_t addr, uint16_t w, bool mainline)
{
	static const uint8_t extend[] = { OP_SXTH, OP_SXTB, OP_UXTH, OP_UXTB };
	static const uint8_t reverse[] = { OP_REV, OP_REV16, OP_UNDEFINED, OP_REVSH };
	uint32_t imm = bits(w, 0, 7) * 4;

	switch (bits(w, 8, 4)) {
	case 0:
		return (struct op){ OP_ADD_CONST, SP, SP, 0, w & 0x80 ? 0 - imm : imm };
	case 2:
		return (struct op){ extend[bits(w, 6, 2)], bits(w, 0, 3), 0, bits(w, 3, 3), 0 };
	case 4: case 5: case 12: case 13:
		return push_pop(w);
	case 1: case 3: case 9: case 11:
		return compare_and_branch(addr, w, mainline);
	case 6:
		return change_state(w, mainline);
	case 10:
		return (struct op){ reverse[bits(w, 6, 2)], bits(w, 0, 3), 0, bits(w, 3, 3), 0 };
	case 14:
		return (struct op){ OP_BKPT, 0, 0, 0, bits(w, 0, 8) };
	case 15:
		return hint(w, mainline);
	default:
		return undefined();
	}
}

/* 1010: address of a literal or of a stack slot; 1100: lists */
static struct op address_of(uint32_t addr, uint16_t w)
{
	uint32_t imm = bits(w, 0, 8) * 4;

	if ((w & 0x800) != 0)
		return (struct op){ OP_ADD_CONST, bits(w, 8, 3), SP, 0, imm };
	return (struct op){ OP_CONST, bits(w, 8, 3), 0, 0, ((addr + 4) & ~3u) + imm };
}

static struct op load_store_list(uint16_t w)
{
	uint32_t list = bits(w, 0, 8);
	uint8_t n = bits(w, 8, 3);

	if ((w & 0x800) == 0)
		return (struct op){ OP_STM, count(list), n, 1, list };
	return (struct op){ OP_LDM, count(list), n, (list >> n & 1) == 0, list };
}

static struct op conditional_branch(uint32_t addr, uint16_t w)
{
	unsigned condition = bits(w, 8, 4);

	if (condition == 15)
		return (struct op){ OP_SVC, 0, 0, 0, bits(w, 0, 8) };
	if (condition == 14)
		return undefined();
	return (struct op){ OP_BEQ + condition, 0, 0, 0, addr + 4 + sign_extend(bits(w, 0, 8) << 1, 9) };
}

/* BL: S, J1 and J2 hold the top of the offset. Source: DDI 0419, A6.7.13 */
static struct op branch_link(uint32_t addr, uint16_t w, uint16_t w2)
{
	uint32_t s = bits(w, 10, 1), i1 = 1 ^ bits(w2, 13, 1) ^ s, i2 = 1 ^ bits(w2, 11, 1) ^ s;
	uint32_t offset = s << 24 | i1 << 23 | i2 << 22 | bits(w, 0, 10) << 12 | bits(w2, 0, 11) << 1;

	return (struct op){ OP_BL, 0, 0, 0, addr + 4 + sign_extend(offset, 25) };
}

static struct op decode_32bit(uint32_t addr, uint16_t w, uint16_t w2, bool mainline)
{
	if ((w & 0xf800) == 0xf000 && (w2 & 0xd000) == 0xd000)
		return branch_link(addr, w, w2);
	if ((w & 0xfff0) == 0xf380 && (w2 & 0xf300) == 0x8000)
		return (struct op){ OP_MSR, 0, bits(w, 0, 4), bits(w2, 10, 2), bits(w2, 0, 8) };
	if (w == 0xf3ef && (w2 & 0xf000) == 0x8000)
		return (struct op){ OP_MRS, bits(w2, 8, 4), 0, 0, bits(w2, 0, 8) };
	if (w == 0xf3bf && (w2 & 0xff00) == 0x8f00 && bits(w2, 4, 4) >= 4 && bits(w2, 4, 4) <= 6)
		return (struct op){ .kind = OP_BARRIER };
	return mainline ? pt_op_decode_wide(addr, w, w2) : undefined();
}

struct op pt_op_decode(uint32_t addr, uint16_t first, uint16_t second, bool has_second, bool mainline)
{
	switch (first >> 12) {
	case 0: case 1: case 2: case 3:
		return shift_add_move(first);
	case 4:
		if ((first & 0x800) != 0)
			return (struct op){ OP_LDR_LIT, bits(first, 8, 3), 0, 0,
					    ((addr + 4) & ~3u) + bits(first, 0, 8) * 4 };
		return (first & 0x400) != 0 ? high_registers(addr, first) : data_processing(first);
	case 5: case 6: case 7: case 8: case 9:
		return load_store(first);
	case 10:
		return address_of(addr, first);
	case 11:
		return miscellaneous(addr, first, mainline);
	case 12:
		return load_store_list(first);
	case 13:
		return conditional_branch(addr, first);
	default:
		if ((first & 0xf800) == 0xe000)
			return (struct op){ OP_B, 0, 0, 0, addr + 4 + sign_extend(bits(first, 0, 11) << 1, 12) };
		return has_second ? decode_32bit(addr, first, second, mainline) : (struct op){ .kind = OP_FETCH_FAULT };
	}
}
