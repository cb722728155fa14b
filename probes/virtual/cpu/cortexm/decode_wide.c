/* The 32-bit instructions of ARMv7E-M. w and w2 are the two halfwords. Source: DDI 0403, A5.3. */
#include "probes/virtual/cpu/cortexm/alu.h"
#include "probes/virtual/cpu/cortexm/decode.h"

static uint32_t bits(uint32_t value, unsigned lsb, unsigned n)
{
	return value >> lsb & ((1u << n) - 1);
}

static uint32_t sign_extend(uint32_t value, unsigned n_bits)
{
	uint32_t sign = UINT32_C(1) << (n_bits - 1);

	return (value ^ sign) - sign;
}

static struct op plain(enum op_kind kind)
{
	return (struct op){ .kind = kind };
}

static struct op undefined(void)
{
	return plain(OP_WIDE_UNDEFINED);
}

/* i:imm3:imm8 */
static uint32_t imm12(uint16_t w, uint16_t w2)
{
	return bits(w, 10, 1) << 11 | bits(w2, 12, 3) << 8 | bits(w2, 0, 8);
}

/* imm3:imm2 */
static uint32_t imm5(uint16_t w2)
{
	return bits(w2, 12, 3) << 2 | bits(w2, 6, 2);
}

/* A byte in one of four patterns, or a byte with its top bit set turned right. Source: DDI 0403, A5.3.2 */
static uint32_t expand(uint32_t imm, bool *turned)
{
	uint32_t byte = imm & 0xff, full = 0x80 | (imm & 0x7f);

	*turned = imm >> 10 != 0;
	if (*turned)
		return full >> (imm >> 7) | full << (32 - (imm >> 7));
	switch (imm >> 8) {
	case 0: return byte;
	case 1: return byte << 16 | byte;
	case 2: return byte << 24 | byte << 8;
	default: return byte * 0x01010101u;
	}
}

static bool is_data_op(unsigned op)
{
	return (1u << op & (0x1f | 1 << DATA_ADD | 1 << DATA_ADC | 1 << DATA_SBC | 1 << DATA_SUB | 1 << DATA_RSB)) != 0;
}

static struct op data_immediate(uint16_t w, uint16_t w2)
{
	unsigned op = bits(w, 5, 4);
	bool turned;
	uint32_t value = expand(imm12(w, w2), &turned);

	if (!is_data_op(op))
		return undefined();
	return (struct op){ OP_WIDE_IMM, bits(w2, 8, 4), bits(w, 0, 4),
			    (uint8_t)(op | (bits(w, 4, 1) ? FLAGS : 0) | (turned ? CARRY : 0)), value };
}

/* How a register is shifted by a constant: 0 means 32 for the right ones, and RRX for ROR. */
static uint32_t constant_shift(unsigned how, uint32_t by)
{
	if (by == 0 && (how == SHIFT_LSR || how == SHIFT_ASR))
		by = 32;
	return how << 8 | by << 16;
}

static struct op data_register(uint16_t w, uint16_t w2)
{
	unsigned op = bits(w, 5, 4);

	if (!is_data_op(op) && op != DATA_PKH)
		return undefined();
	return (struct op){ OP_WIDE_REG, bits(w2, 8, 4), bits(w, 0, 4), bits(w2, 0, 4),
			    op | (bits(w, 4, 1) ? FLAGS : 0) | constant_shift(bits(w2, 4, 2), imm5(w2)) };
}

static struct op saturate(uint16_t w, uint16_t w2)
{
	bool is_unsigned = (w & 0x80) != 0;
	unsigned keep = bits(w2, 0, 5) + !is_unsigned;

	if ((w & 0x20) != 0 && imm5(w2) == 0)
		return (struct op){ OP_WIDE_SIMD, 0, 0, 0, (uint32_t)w << 16 | w2 };	/* SSAT16, USAT16 */
	return (struct op){ OP_WIDE_SATURATE, bits(w2, 8, 4), bits(w, 0, 4), (uint8_t)(keep | (is_unsigned ? 128 : 0)),
			    constant_shift((w & 0x20) != 0 ? SHIFT_ASR : SHIFT_LSL, imm5(w2)) };
}

static struct op insert(uint16_t w, uint16_t w2)
{
	unsigned msb = bits(w2, 0, 5), lsb = imm5(w2);

	if (msb < lsb)
		return undefined();
	return (struct op){ OP_WIDE_INSERT, bits(w2, 8, 4), bits(w, 0, 4), (uint8_t)lsb,
			    (uint32_t)(((UINT64_C(1) << (msb - lsb + 1)) - 1) << lsb) };
}

static struct op plain_immediate(uint32_t addr, uint16_t w, uint16_t w2)
{
	uint8_t d = bits(w2, 8, 4), n = bits(w, 0, 4);
	uint32_t imm16 = bits(w, 0, 4) << 12 | imm12(w, w2), base = (addr + 4) & ~3u;

	switch (bits(w, 4, 5)) {
	case 0: case 10: {
		uint32_t imm = bits(w, 4, 5) == 0 ? imm12(w, w2) : 0 - imm12(w, w2);

		return n == PC ? (struct op){ OP_WIDE_CONST, d, 0, 0, base + imm } :
				 (struct op){ OP_WIDE_ADD_CONST, d, n, 0, imm };
	}
	case 4: return (struct op){ OP_WIDE_CONST, d, 0, 0, imm16 };
	case 12: return (struct op){ OP_WIDE_MOVT, d, 0, 0, imm16 };
	case 16: case 18: case 24: case 26: return saturate(w, w2);
	case 20: return (struct op){ OP_WIDE_FIELD_SIGNED, d, n, (uint8_t)imm5(w2), bits(w2, 0, 5) + 1 };
	case 28: return (struct op){ OP_WIDE_FIELD, d, n, (uint8_t)imm5(w2), bits(w2, 0, 5) + 1 };
	case 22: return insert(w, w2);
	default: return undefined();
	}
}

static struct op hint(uint16_t w2)
{
	static const uint8_t kind[] = { OP_WIDE_NOP, OP_WIDE_NOP, OP_WIDE_WFE, OP_WIDE_WFI, OP_WIDE_SEV };

	return plain(bits(w2, 0, 8) < sizeof(kind) ? kind[bits(w2, 0, 8)] : OP_WIDE_NOP);
}

static struct op branch_or_system(uint32_t addr, uint16_t w, uint16_t w2)
{
	uint32_t s = bits(w, 10, 1), j1 = bits(w2, 13, 1), j2 = bits(w2, 11, 1);

	if ((w2 & 0x1000) != 0) {
		uint32_t offset =
			s << 24 | (1 ^ j1 ^ s) << 23 | (1 ^ j2 ^ s) << 22 | bits(w, 0, 10) << 12 | bits(w2, 0, 11) << 1;

		return (w2 & 0x4000) != 0 ? undefined() :
					    (struct op){ OP_WIDE_B, 14, 0, 0, addr + 4 + sign_extend(offset, 25) };
	}
	if ((w2 & 0x4000) != 0)
		return undefined();
	if (bits(w, 6, 4) < 14) {
		uint32_t offset = s << 20 | j2 << 19 | j1 << 18 | bits(w, 0, 6) << 12 | bits(w2, 0, 11) << 1;

		return (struct op){ OP_WIDE_B_IF, bits(w, 6, 4), 0, 0, addr + 4 + sign_extend(offset, 21) };
	}
	if (w == 0xf3af && (w2 & 0xff00) == 0x8000)
		return hint(w2);
	return w == 0xf3bf && (w2 & 0xfff0) == 0x8f20 ? plain(OP_WIDE_CLREX) : undefined();
}

static struct op load_store_list(uint16_t w, uint16_t w2)
{
	unsigned how = bits(w, 7, 2), flags = bits(w, 4, 1) ? LIST_LOAD : 0;

	if (how == 0 || how == 3)
		return undefined();
	flags |= (how == 2 ? LIST_BEFORE : 0) | (bits(w, 5, 1) ? LIST_WRITE_BACK : 0);
	return (struct op){ OP_WIDE_LIST, (uint8_t)__builtin_popcount(w2), bits(w, 0, 4), (uint8_t)flags, w2 };
}

/* LDRD, STRD, exclusives, table branches. Source: DDI 0403, A5.3.6 */
static struct op dual_or_exclusive(uint16_t w, uint16_t w2)
{
	bool pre = (w & 0x100) != 0, back = (w & 0x20) != 0, load = (w & 0x10) != 0;
	uint32_t imm = bits(w2, 0, 8) * 4, offset = (w & 0x80) != 0 ? imm : 0 - imm;

	if (pre || back)
		return (struct op){ OP_WIDE_DUAL, bits(w2, 12, 4), bits(w, 0, 4), bits(w2, 8, 4),
				    (offset & 0xffff) | (load ? DUAL_LOAD : 0) | (back ? pre ? DUAL_PRE : DUAL_POST : 0) };
	if ((w & 0xfff0) == 0xe8d0 && (w2 & 0xffe0) == 0xf000)
		return (struct op){ OP_WIDE_TABLE, 0, bits(w, 0, 4), bits(w2, 0, 4), bits(w2, 4, 1) };
	if ((w & 0x80) != 0 && (bits(w2, 4, 4) < 4 || bits(w2, 4, 4) > 5))
		return undefined();
	return (struct op){ OP_WIDE_EXCLUSIVE, 0, 0, 0, (uint32_t)w << 16 | w2 };
}

static unsigned transfer_of(uint16_t w)
{
	return bits(w, 5, 2) | (bits(w, 8, 1) ? SIGNED : 0) | (bits(w, 4, 1) ? LOAD : 0);
}

/* imm8 with U, P and W, or a register. */
static struct op load_store_short(uint16_t w, uint16_t w2)
{
	bool pre = (w2 & 0x400) != 0, up = (w2 & 0x200) != 0, back = (w2 & 0x100) != 0;
	uint32_t imm = up ? bits(w2, 0, 8) : 0 - bits(w2, 0, 8);
	unsigned transfer = transfer_of(w);
	uint8_t d = bits(w2, 12, 4), n = bits(w, 0, 4);

	if ((w2 & 0x800) == 0)
		return (w2 & 0x7c0) != 0 ? undefined() :
					   (struct op){ OP_WIDE_MEMORY_REG, d, n, bits(w2, 0, 4),
							transfer << 8 | bits(w2, 4, 2) };
	if (pre && !back && !up)
		return (struct op){ (transfer & LOAD) != 0 ? OP_WIDE_LOAD : OP_WIDE_STORE, d, n, (uint8_t)transfer, imm };
	if (!pre && !back)
		return undefined();
	transfer |= !pre ? POST : back ? PRE : AS_USER;
	return (struct op){ OP_WIDE_INDEXED, d, n, (uint8_t)transfer, imm };
}

static struct op load_store(uint32_t addr, uint16_t w, uint16_t w2)
{
	unsigned transfer = transfer_of(w), size = transfer & BYTES_LOG2;
	uint8_t d = bits(w2, 12, 4), n = bits(w, 0, 4);
	bool load = (transfer & LOAD) != 0;

	if (size == 3 || ((transfer & SIGNED) != 0 && (size == 2 || !load)) || (n == PC && !load))
		return undefined();
	if (load && d == PC && size < 2)
		return plain(OP_WIDE_NOP);	/* PLD, PLI and hints that are not allocated */
	if (n == PC) {
		uint32_t imm = bits(w2, 0, 12);

		return (struct op){ OP_WIDE_LOAD_LITERAL, d, 0, (uint8_t)transfer,
				    ((addr + 4) & ~3u) + ((w & 0x80) != 0 ? imm : 0 - imm) };
	}
	if ((w & 0x80) != 0)
		return (struct op){ load ? OP_WIDE_LOAD : OP_WIDE_STORE, d, n, (uint8_t)transfer, bits(w2, 0, 12) };
	return load_store_short(w, w2);
}

/* Source: DDI 0403, A5.3.12: shifts and extensions; the rest are the DSP's and the miscellaneous. */
static struct op register_operation(uint16_t w, uint16_t w2)
{
	uint8_t d = bits(w2, 8, 4), n = bits(w, 0, 4), m = bits(w2, 0, 4);

	if ((w2 & 0xf000) != 0xf000)
		return undefined();
	if ((w & 0x80) == 0 && (w2 & 0xf0) == 0)
		return (struct op){ OP_WIDE_SHIFT, d, n, m, bits(w, 5, 2) << 8 | (bits(w, 4, 1) ? FLAGS : 0) };
	if ((w & 0x80) == 0 && (w2 & 0x80) != 0 && bits(w, 4, 3) < 6)
		return (struct op){ OP_WIDE_EXTEND, d, n, m, bits(w, 4, 3) << 8 | bits(w2, 4, 2) * 8 };
	if ((w & 0x80) != 0)
		return (struct op){ OP_WIDE_SIMD, 0, 0, 0, (uint32_t)w << 16 | w2 };
	return undefined();
}

/* Coprocessors 10 and 11 are the FPU; there are no others. */
static struct op coprocessor(uint16_t w, uint16_t w2)
{
	uint32_t raw = (uint32_t)w << 16 | w2;
	bool memory = (w & 0x0200) == 0;	/* 110x: VLDM and the like, and moves of two registers */

	if (bits(w2, 9, 3) != 5)
		return plain(OP_WIDE_NOCP);
	if ((w & 0x0f00) == 0x0f00 || (w & 0x1f00) == 0x1c00 || (w & 0x1f00) == 0x1d00)
		return undefined();
	return (struct op){ memory && (raw & 0x0fe00000) != 0x0c400000 ? OP_WIDE_FLOAT_MEMORY : OP_WIDE_FLOAT, 0, 0, 0, raw };
}

struct op pt_op_decode_wide(uint32_t addr, uint16_t w, uint16_t w2)
{
	if ((w & 0xfe40) == 0xe800)
		return load_store_list(w, w2);
	if ((w & 0xfe40) == 0xe840)
		return dual_or_exclusive(w, w2);
	if ((w & 0xfe00) == 0xea00)
		return data_register(w, w2);
	if ((w & 0xec00) == 0xec00)
		return coprocessor(w, w2);
	if ((w & 0xf800) == 0xf000) {
		if ((w2 & 0x8000) != 0)
			return branch_or_system(addr, w, w2);
		return (w & 0x200) != 0 ? plain_immediate(addr, w, w2) : data_immediate(w, w2);
	}
	if ((w & 0xfe00) == 0xf800)
		return load_store(addr, w, w2);
	if ((w & 0xff00) == 0xfa00)
		return register_operation(w, w2);
	return (struct op){ OP_WIDE_MULTIPLY, 0, 0, 0, (uint32_t)w << 16 | w2 };
}
