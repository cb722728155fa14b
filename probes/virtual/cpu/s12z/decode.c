/* One function per row of the op-code tables. Source: binutils, s12z-opc.c;
 * checked against binutils by tests/system/test_s12z_objdump. */
#include "probes/virtual/cpu/s12z/decode.h"

const uint8_t pt_z_width[N_REGS] = {
	[R_D2] = 2, [R_D3] = 2, [R_D4] = 2, [R_D5] = 2, [R_D0] = 1, [R_D1] = 1, [R_D6] = 4, [R_D7] = 4,
	[R_X] = 3, [R_Y] = 3, [R_S] = 3, [R_P] = 3, [R_CCH] = 1, [R_CCL] = 1, [R_CCW] = 2, [R_NONE] = 0,
};

/* Behind the last byte zeros are read, so that the length comes out all the same. */
struct cursor {
	uint32_t addr;
	const uint8_t *bytes;
	size_t n_bytes, at;
};

static uint8_t next(struct cursor *c)
{
	size_t at = c->at++;

	return at < c->n_bytes ? c->bytes[at] : 0;
}

static uint32_t next_bytes(struct cursor *c, unsigned n_bytes)
{
	uint32_t value = 0;

	while (n_bytes-- > 0)
		value = value << 8 | next(c);
	return value;
}

static struct operand in_register(unsigned reg)
{
	return (struct operand){ .mode = AT_REG, .base = (uint8_t)reg };
}

static struct operand immediate(struct cursor *c, unsigned n_bytes)
{
	return (struct operand){ .mode = AT_IMM, .n_bytes = (uint8_t)n_bytes, .value = next_bytes(c, n_bytes) };
}

static struct operand absolute(struct cursor *c)
{
	return (struct operand){ .mode = AT_ADDR, .n_bytes = 3, .value = next_bytes(c, 3) };
}

/* value + X, Y, S or P. P is the address of the instruction, as for branches; UNVERIFIED. */
static struct operand based(const struct cursor *c, unsigned xb, uint32_t value, bool indirect)
{
	unsigned base = R_X + (xb >> 4 & 3);

	if (base == R_P)
		return (struct operand){ .mode = indirect ? IN_P : AT_P, .value = (c->addr + value) & ADDR_MASK };
	return (struct operand){ .mode = indirect ? IN_BASE : AT_BASE, .base = (uint8_t)base,
				 .value = value & ADDR_MASK };
}

/* xb 80..bf */
static struct operand with_data_register(struct cursor *c, unsigned xb)
{
	uint8_t data = xb & 7, base = (uint8_t)(R_X + (xb >> 4 & 3));

	if ((xb & 8) == 0)
		return (struct operand){ .mode = AT_DATA_BASE, .index = data,
					 .value = (xb >> 4 & 3) << 16 | next_bytes(c, 2) };
	if (xb >= 0xb8)
		return in_register(data);
	return (struct operand){ .mode = AT_INDEX, .base = base, .index = data };
}

/* xb f8..ff */
static struct operand extended(struct cursor *c, unsigned xb)
{
	switch (xb) {
	case 0xfa:
		return absolute(c);
	case 0xfe:
		return (struct operand){ .mode = IN_ADDR, .value = next_bytes(c, 3) };
	case 0xfb:
		return (struct operand){ .mode = AT_PRE_DEC, .base = R_S };
	case 0xff:
		return (struct operand){ .mode = AT_POST_INC, .base = R_S };
	default:
		return (struct operand){ .mode = AT_ADDR,
					 .value = (xb >> 2 & 1) << 17 | (xb & 1) << 16 | next_bytes(c, 2) };
	}
}

/* xb c0..ff; x3 and x7 count X and Y only: down in C and D, up in E and F */
static struct operand long_forms(struct cursor *c, unsigned xb)
{
	uint8_t xy = (uint8_t)(R_X + (xb >> 4 & 1));
	bool up = xb >= 0xe0, indirect = (xb & 4) != 0;

	switch (xb & 15) {
	case 0: case 1: case 4: case 5:
		return based(c, xb, next(c) - ((xb & 1) << 8), indirect);
	case 2: case 6:
		return based(c, xb, next_bytes(c, 3), indirect);
	case 3:
		return (struct operand){ .mode = up ? AT_PRE_INC : AT_PRE_DEC, .base = xy };
	case 7:
		return (struct operand){ .mode = up ? AT_POST_INC : AT_POST_DEC, .base = xy };
	default:
		break;
	}
	if (xb < 0xe0)
		return (struct operand){ .mode = IN_INDEX, .base = xy, .index = xb & 7 };
	if (xb < 0xf0)
		return (struct operand){ .mode = AT_DATA_BASE, .index = xb & 7, .value = next_bytes(c, 3) };
	return extended(c, xb);
}

/* The general operand. */
static struct operand operand(struct cursor *c)
{
	size_t begin = c->at;
	unsigned xb = next(c);
	struct operand o;

	if (xb < 0x40)
		o = (struct operand){ .mode = AT_ADDR, .value = xb << 8 | next(c) };
	else if (xb < 0x70)
		o = (struct operand){ .mode = AT_BASE, .base = (uint8_t)(R_X + (xb >> 4 & 3)), .value = xb & 15 };
	else if (xb < 0x80)
		o = (struct operand){ .mode = AT_IMM, .value = xb == 0x70 ? UINT32_MAX : xb & 15 };
	else if (xb < 0xc0)
		o = with_data_register(c, xb);
	else
		o = long_forms(c, xb);
	o.n_bytes = (uint8_t)(c->at - begin);
	return o;
}

/* Displacement of 7 or 15 bits from the instruction. Source: binutils, s12z-opc.c */
static uint32_t target(struct cursor *c)
{
	uint32_t r = next(c), d;

	if ((r & 0x80) == 0)
		d = (r ^ 0x40) - 0x40;
	else
		d = (((r & 0x7f) << 8 | next(c)) ^ 0x4000) - 0x4000;
	return (c->addr + d) & ADDR_MASK;
}

/* --- instructions; each gets the op-code or its postbyte where it needs it */

static struct op plain(enum op_kind kind)
{
	return (struct op){ .kind = (uint8_t)kind };
}

static struct op exception(unsigned vector, unsigned number)
{
	return (struct op){ .kind = OP_EXCEPTION, .imm = vector, .how = (uint8_t)number };
}

static struct op with(enum op_kind kind, unsigned d, struct operand a)
{
	return (struct op){ .kind = (uint8_t)kind, .d = (uint8_t)d, .size = pt_z_width[d], .a = a };
}

/* d and the operand behind, or the immediate as wide as d */
static struct op with_operand(struct cursor *c, enum op_kind kind, unsigned d)
{
	return with(kind, d, operand(c));
}

static struct op with_immediate(struct cursor *c, enum op_kind kind, unsigned d)
{
	return with(kind, d, immediate(c, pt_z_width[d]));
}

static struct op on_register(enum op_kind kind, unsigned reg)
{
	return (struct op){ .kind = (uint8_t)kind, .size = pt_z_width[reg], .a = in_register(reg) };
}

static struct op on_memory(struct cursor *c, enum op_kind kind, unsigned size)
{
	return (struct op){ .kind = (uint8_t)kind, .size = (uint8_t)size, .flags = SIZE_CODED, .a = operand(c) };
}

static struct op move(struct cursor *c, unsigned size, bool from_immediate)
{
	struct op op = { .kind = OP_MOV, .size = (uint8_t)size, .flags = SIZE_CODED };

	op.a = from_immediate ? immediate(c, size) : operand(c);
	op.b = operand(c);
	return op;
}

/* LEA X,(s8,X) and the like */
static struct op lea_short(struct cursor *c, unsigned reg)
{
	struct operand a = { .mode = AT_BASE, .base = (uint8_t)reg, .n_bytes = 1 };

	a.value = pt_z_extend(next(c), 1) & ADDR_MASK;
	return with(OP_LEA, reg, a);
}

static struct op load_18(struct cursor *c, unsigned opcode)
{
	struct operand a = { .mode = AT_IMM, .n_bytes = 2 };

	a.value = (opcode >> 4 & 3) << 16 | next_bytes(c, 2);
	return with(OP_LD, R_X + (opcode & 1), a);
}

static struct op branch(struct cursor *c, unsigned opcode)
{
	struct op op = plain(opcode == 0x20 ? OP_BRA : opcode == 0x21 ? OP_BSR : OP_BCC);

	op.how = opcode & 15;
	op.imm = target(c);
	return op;
}

static struct op jump_extended(struct cursor *c, enum op_kind kind)
{
	struct op op = plain(kind);

	op.imm = next_bytes(c, 3);
	return op;
}

static struct op jump_operand(struct cursor *c, enum op_kind kind)
{
	struct op op = plain(kind);

	op.a = operand(c);
	op.size = 3;
	return op;
}

/* Source: binutils, s12z-opc.c */
static struct op loop(struct cursor *c)
{
	uint8_t lb = next(c);
	struct op op = { .kind = OP_LOOP, .how = lb >> 4 & 7, .flags = lb >> 7 ? LOOP_DECREMENTS : 0 };

	if ((lb & 0x08) == 0) {
		op.a = in_register(lb & 7);
		op.size = pt_z_width[lb & 7];
	} else if ((lb & 0x04) == 0) {
		op.a = in_register(R_X + (lb & 1));
		op.size = 3;
	} else {
		op.size = (lb & 3) + 1;
		op.flags |= SIZE_CODED;
		op.a = operand(c);
	}
	op.imm = target(c);
	return op;
}

static struct op transfer(struct cursor *c, enum op_kind kind)
{
	uint8_t eb = next(c);

	return (struct op){ .kind = (uint8_t)kind, .d = eb >> 4, .m = eb & 15 };
}

static struct op with_byte(struct cursor *c, enum op_kind kind)
{
	struct op op = plain(kind);

	op.imm = next(c);
	op.how = (uint8_t)op.imm;
	return op;
}

/* The operand and the bit of BCLR and its like. A register's bit number is as wide as it needs. Source: binutils,
 * s12z-opc.c */
static struct op bit(struct cursor *c, enum op_kind kind)
{
	uint8_t bm = next(c), n = bm >> 4 & 7;
	struct op op = plain(kind);

	if ((bm & 0x80) == 0 || (bm & 0x06) == 0x06) {
		op.a = in_register(bm & 7);
		op.size = pt_z_width[bm & 7];
		op.imm = bm >> 3 & (8 * op.size - 1);
		return op;
	}
	if ((bm & 0x0f) == 0) {
		op.size = 1;
		op.imm = n;
	} else if ((bm & 0x0e) == 0x02) {
		op.size = 2;
		op.imm = (bm & 1) << 3 | n;
	} else if ((bm & 0x0c) == 0x08) {
		op.size = 4;
		op.imm = (bm & 3) << 3 | n;
	} else {
		op.size = (bm >> 2 & 3) + 1;
		op.m = n;
		op.flags = BIT_IN_REGISTER;
	}
	op.flags |= SIZE_CODED;
	op.a = operand(c);
	return op;
}

static struct op bit_branch(struct cursor *c, enum op_kind kind)
{
	struct op op = bit(c, kind);

	op.b.value = target(c);
	return op;
}

/* 1b 08..0f. Source: binutils, s12z-opc.c; which operand is where: binutils' listing of every bb */
static struct op bit_field(struct cursor *c, unsigned d)
{
	uint8_t bb = next(c);
	struct op op = { .kind = bb >> 7 ? OP_BFINS : OP_BFEXT, .size = 4, .m = (uint8_t)(R_D2 + (bb & 3)) };

	if ((bb & 0x20) != 0)
		op.imm = (bb & 3u) << 8 | next(c);
	else
		op.flags = FIELD_IN_REGISTER;
	if ((bb & 0x40) == 0) {
		op.a = in_register(bb >> 2 & 7);
		op.b = in_register(d);
		return op;
	}
	op.size = (bb >> 2 & 3) + 1;
	op.flags |= SIZE_CODED;
	op.a = (bb & 0x10) != 0 ? in_register(d) : operand(c);
	op.b = (bb & 0x10) != 0 ? operand(c) : in_register(d);
	return op;
}

/* The count of a shift: a short immediate is bits 4:1, and sb the lowest; anything else is a byte. */
static struct operand shift_count(struct cursor *c, unsigned sb)
{
	struct operand b = operand(c);

	if (b.mode == AT_IMM)
		b.value = (c->bytes[c->at - 1] & 15u) << 1 | (sb >> 3 & 1);
	return b;
}

static struct operand one_or_two(unsigned sb)
{
	return (struct operand){ .mode = AT_IMM, .value = 1 + (sb >> 3 & 1) };
}

/* 10..17. Source: binutils, s12z-opc.c */
static struct op shift(struct cursor *c, unsigned d)
{
	uint8_t sb = next(c);
	struct op op = { .kind = OP_SHIFT, .d = (uint8_t)d };

	op.how = (sb >> 6 & 1 ? SHIFT_LEFT : 0) | (sb >> 7 ? SHIFT_ARITHMETIC : 0);
	if ((sb & 0x20) == 0) {
		op.a = in_register(sb & 7);
		op.size = pt_z_width[sb & 7];
		op.b = (sb & 0x10) != 0 ? shift_count(c, sb) : one_or_two(sb);
		return op;
	}
	op.size = (sb & 3) + 1;
	op.flags = SIZE_CODED;
	op.a = operand(c);
	if ((sb & 0x14) == 0x04) {
		op.kind = OP_ROTATE;
	} else if ((sb & 0x14) == 0x14) {
		op.flags |= SHIFT_IN_PLACE;
		op.b = one_or_two(sb);
	} else {
		op.b = (sb & 0x10) != 0 ? shift_count(c, sb) : one_or_two(sb);
	}
	return op;
}

/* Source: binutils, s12z-opc.c */
static struct op math(struct cursor *c, enum op_kind kind, unsigned d)
{
	uint8_t mb = next(c);
	struct op op = { .kind = (uint8_t)kind, .d = (uint8_t)d, .flags = mb >> 7 ? MATH_SIGNED : 0 };

	if ((mb & 0x43) == 0x42) {
		op.flags |= SIZE_CODED;
		op.size = (mb >> 4 & 3) + 1;
		op.size_b = (mb >> 2 & 3) + 1;
		op.a = operand(c);
		op.b = operand(c);
		return op;
	}
	op.a = in_register(mb >> 3 & 7);
	op.size = pt_z_width[mb >> 3 & 7];
	if ((mb & 0x40) == 0) {
		op.b = in_register(mb & 7);
		op.size_b = pt_z_width[mb & 7];
		return op;
	}
	op.flags |= SIZE_CODED;
	op.size_b = (mb & 3) + 1;
	op.b = (mb & 4) != 0 ? immediate(c, op.size_b) : operand(c);
	return op;
}

static struct op subtract_xy(unsigned a, unsigned b)
{
	struct op op = with(OP_SUB_XY, R_D6, in_register(a));

	op.b = in_register(b);
	return op;
}

/* --- pages: eight op-codes to a row, in the order of the registers */

static struct op page_2(struct cursor *c)
{
	uint8_t opcode = next(c);
	unsigned d = opcode & 7;

	switch (opcode) {
	case 0x00: return with_operand(c, OP_LD, R_S);
	case 0x01: return with_operand(c, OP_ST, R_S);
	case 0x02: return with_operand(c, OP_CMP, R_S);
	case 0x03: return with_immediate(c, OP_LD, R_S);
	case 0x04: return with_immediate(c, OP_CMP, R_S);
	case 0x05: return plain(OP_STOP);
	case 0x06: return plain(OP_WAI);
	case 0x07: return exception(PT_VS12Z_SYS, 0);
	case 0x90: return plain(OP_RTI);
	case 0x91: return transfer(c, OP_CLB);
	default: break;
	}
	switch (opcode >> 3) {
	case 0x08 >> 3: return bit_field(c, d);
	case 0x10 >> 3: return with_operand(c, OP_MINU, d);
	case 0x18 >> 3: return with_operand(c, OP_MAXU, d);
	case 0x20 >> 3: return with_operand(c, OP_MINS, d);
	case 0x28 >> 3: return with_operand(c, OP_MAXS, d);
	case 0x30 >> 3: return math(c, OP_DIV, d);
	case 0x38 >> 3: return math(c, OP_MOD, d);
	case 0x40 >> 3: return with(OP_ABS, d, (struct operand){ 0 });
	case 0x48 >> 3: return math(c, OP_MAC, d);
	case 0x50 >> 3: return with_immediate(c, OP_ADC, d);
	case 0x58 >> 3: return with_immediate(c, OP_BIT, d);
	case 0x60 >> 3: return with_operand(c, OP_ADC, d);
	case 0x68 >> 3: return with_operand(c, OP_BIT, d);
	case 0x70 >> 3: return with_immediate(c, OP_SBC, d);
	case 0x78 >> 3: return with_immediate(c, OP_EOR, d);
	case 0x80 >> 3: return with_operand(c, OP_SBC, d);
	case 0x88 >> 3: return with_operand(c, OP_EOR, d);
	case 0xa0 >> 3: return with(OP_SAT, d, (struct operand){ 0 });
	case 0xb0 >> 3: return math(c, OP_QMUL, d);
	default: return exception(PT_VS12Z_TRAP, opcode);
	}
}

/* Rows x8..xf of 90 to f0: what is not for a data register. */
static struct op upper(struct cursor *c, unsigned opcode)
{
	unsigned xy = R_X + (opcode & 1);

	switch (opcode) {
	case 0x98: case 0x99: return with_immediate(c, OP_LD, xy);
	case 0x9a: case 0x9b: return on_register(OP_CLR, xy);
	case 0x9c: case 0x9d: case 0x9f: return on_memory(c, OP_INC, (opcode & 3) + 1);
	case 0x9e: return transfer(c, OP_TFR);
	case 0xa8: case 0xa9: return with_operand(c, OP_LD, xy);
	case 0xaa: return jump_operand(c, OP_JMP);
	case 0xab: return jump_operand(c, OP_JSR);
	case 0xac: case 0xad: case 0xaf: return on_memory(c, OP_DEC, (opcode & 3) + 1);
	case 0xae: return transfer(c, OP_EXG);
	case 0xb8: case 0xb9: return with(OP_LD, xy, absolute(c));
	case 0xba: return jump_extended(c, OP_JMP_EXT);
	case 0xbb: return jump_extended(c, OP_JSR_EXT);
	case 0xbc: case 0xbd: case 0xbe: case 0xbf: return on_memory(c, OP_CLR, (opcode & 3) + 1);
	case 0xc8: case 0xc9: return with_operand(c, OP_ST, xy);
	case 0xcc: case 0xcd: case 0xcf: return on_memory(c, OP_COM, (opcode & 3) + 1);
	case 0xce: return with_byte(c, OP_ANDCC);
	case 0xd8: case 0xd9: return with(OP_ST, xy, absolute(c));
	case 0xdc: case 0xdd: case 0xdf: return on_memory(c, OP_NEG, (opcode & 3) + 1);
	case 0xde: return with_byte(c, OP_ORCC);
	case 0xe8: case 0xe9: return with_immediate(c, OP_CMP, xy);
	case 0xec: return bit(c, OP_BCLR);
	case 0xed: return bit(c, OP_BSET);
	case 0xee: return bit(c, OP_BTGL);
	case 0xf8: case 0xf9: return with_operand(c, OP_CMP, xy);
	case 0xfc: return with(OP_CMP, R_X, in_register(R_Y));
	case 0xfd: return subtract_xy(R_X, R_Y);
	case 0xfe: return subtract_xy(R_Y, R_X);
	case 0xff: return exception(PT_VS12Z_SWI, 0);
	case 0xca: case 0xcb: case 0xda: case 0xdb: case 0xea: case 0xeb: case 0xfa: case 0xfb:
		return load_18(c, opcode);
	default:
		return exception(PT_VS12Z_SPARE, 0);	/* ef */
	}
}

static struct op first_rows(struct cursor *c, unsigned opcode)
{
	switch (opcode) {
	case 0x00: return plain(OP_BGND);
	case 0x01: return plain(OP_NOP);
	case 0x02: return bit_branch(c, OP_BRCLR);
	case 0x03: return bit_branch(c, OP_BRSET);
	case 0x04: return (c->at < c->n_bytes && c->bytes[c->at] >> 7) ? with_byte(c, OP_PUL) : with_byte(c, OP_PSH);
	case 0x05: return plain(OP_RTS);
	case 0x06: case 0x07: return with_operand(c, OP_LEA, R_D6 + (opcode & 1));
	case 0x08: case 0x09: case 0x0a: return with_operand(c, OP_LEA, R_X + (opcode & 3));
	case 0x0b: return loop(c);
	case 0x0c: case 0x0d: case 0x0e: case 0x0f: return move(c, (opcode & 3) + 1, true);
	case 0x18: case 0x19: case 0x1a: return lea_short(c, R_X + (opcode & 3));
	case 0x1b: return page_2(c);
	case 0x1c: case 0x1d: case 0x1e: case 0x1f: return move(c, (opcode & 3) + 1, false);
	default: return shift(c, opcode & 7);	/* 10..17 */
	}
}

static struct op page_1(struct cursor *c)
{
	uint8_t opcode = next(c);
	unsigned d = opcode & 7;

	if (opcode < 0x20)
		return first_rows(c, opcode);
	switch (opcode >> 3) {
	case 0x20 >> 3: case 0x28 >> 3: return branch(c, opcode);
	case 0x30 >> 3: return on_register(OP_INC, d);
	case 0x38 >> 3: return on_register(OP_CLR, d);
	case 0x40 >> 3: return on_register(OP_DEC, d);
	case 0x48 >> 3: return math(c, OP_MUL, d);
	case 0x50 >> 3: return with_immediate(c, OP_ADD, d);
	case 0x58 >> 3: return with_immediate(c, OP_AND, d);
	case 0x60 >> 3: return with_operand(c, OP_ADD, d);
	case 0x68 >> 3: return with_operand(c, OP_AND, d);
	case 0x70 >> 3: return with_immediate(c, OP_SUB, d);
	case 0x78 >> 3: return with_immediate(c, OP_OR, d);
	case 0x80 >> 3: return with_operand(c, OP_SUB, d);
	case 0x88 >> 3: return with_operand(c, OP_OR, d);
	case 0x90 >> 3: return with_immediate(c, OP_LD, d);
	case 0xa0 >> 3: return with_operand(c, OP_LD, d);
	case 0xb0 >> 3: return with(OP_LD, d, absolute(c));
	case 0xc0 >> 3: return with_operand(c, OP_ST, d);
	case 0xd0 >> 3: return with(OP_ST, d, absolute(c));
	case 0xe0 >> 3: return with_immediate(c, OP_CMP, d);
	case 0xf0 >> 3: return with_operand(c, OP_CMP, d);
	default: return upper(c, opcode);
	}
}

struct op pt_z_decode(uint32_t addr, const uint8_t *bytes, size_t n_bytes)
{
	struct cursor c = { .addr = addr, .bytes = bytes, .n_bytes = n_bytes };
	struct op op = page_1(&c);

	op.n_bytes = (uint8_t)c.at;
	if (c.at > n_bytes)
		op.kind = OP_FETCH_FAULT;
	return op;
}
