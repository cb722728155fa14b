/* Every encoding of the S12Z as our decoder reads it, for a comparison with objdump (tests/system/test_s12z_objdump).
 * s12z_listing FILE writes the code to FILE, each encoding into a slot of 32 bytes that zeros fill up (objdump passes
 * over zeros, and finds back whatever it took an encoding for), and to stdout for each: the slot's address, the length
 * and the text in objdump's words. */
#include <stdio.h>
#include <string.h>

#include "probes/virtual/cpu/s12z/decode.h"
#include "base/util.h"

enum { SLOT_BYTES = 32 };

static FILE *code;
static uint32_t addr;

/* --- the text */

static const char *const register_name[N_REGS] = {
	"d2", "d3", "d4", "d5", "d0", "d1", "d6", "d7", "x", "y", "s", "p", "cch", "ccl", "ccw", "<illegal reg num>",
};
static const char *const kind_name[OP_KINDS] = {
	[OP_BGND] = "bgnd", [OP_NOP] = "nop", [OP_RTS] = "rts", [OP_RTI] = "rti", [OP_WAI] = "wai", [OP_STOP] = "stop",
	[OP_PSH] = "psh", [OP_PUL] = "pul", [OP_TFR] = "tfr", [OP_ANDCC] = "andcc", [OP_ORCC] = "orcc",
	[OP_BRA] = "bra", [OP_BSR] = "bsr", [OP_JMP_EXT] = "jmp", [OP_JSR_EXT] = "jsr", [OP_JMP] = "jmp",
	[OP_JSR] = "jsr", [OP_LEA] = "lea", [OP_LD] = "ld", [OP_ST] = "st", [OP_MOV] = "mov",
	[OP_ADD] = "add", [OP_ADC] = "adc",
	[OP_SUB] = "sub", [OP_SBC] = "sbc", [OP_CMP] = "cmp", [OP_AND] = "and", [OP_OR] = "or", [OP_EOR] = "eor",
	[OP_BIT] = "bit", [OP_MINU] = "minu", [OP_MAXU] = "maxu", [OP_MINS] = "mins", [OP_MAXS] = "maxs",
	[OP_SUB_XY] = "sub", [OP_INC] = "inc", [OP_DEC] = "dec", [OP_CLR] = "clr", [OP_COM] = "com", [OP_NEG] = "neg",
	[OP_ABS] = "abs", [OP_SAT] = "sat", [OP_CLB] = "clb", [OP_BCLR] = "bclr", [OP_BSET] = "bset",
	[OP_BTGL] = "btgl", [OP_BRCLR] = "brclr", [OP_BRSET] = "brset", [OP_BFEXT] = "bfext", [OP_BFINS] = "bfins",
	[OP_MUL] = "mul", [OP_MAC] = "mac", [OP_QMUL] = "qmul", [OP_DIV] = "div", [OP_MOD] = "mod",
};
static const char *const branch_name[16] = {
	"", "", "bhi", "bls", "bcc", "bcs", "bne", "beq", "bvc", "bvs", "bpl", "bmi", "bge", "blt", "bgt", "ble",
};
static const char *const loop_name[8] = { "ne", "eq", "pl", "mi", "gt", "le", "(6)", "(7)" };
static const char size_letter[] = " bwpl";

static void suffix(const struct op *op)
{
	if ((op->flags & SIZE_CODED) != 0)
		printf(".%c", size_letter[op->size]);
}

static const char *separator(bool *more)
{
	const char *s = *more ? ", " : " ";

	*more = true;
	return s;
}

static void print_register(unsigned reg, bool *more)
{
	printf("%s%s", separator(more), register_name[reg]);
}

/* Displacements are signed where they have nine bits or more than eighteen. */
static int displacement(const struct operand *o)
{
	if (o->mode == AT_P || o->mode == IN_P)
		return (int)pt_z_extend(o->value - addr, 3);
	return (int)pt_z_extend(o->value, 3);
}

/* An immediate with bytes of its own has its sign; the short one and the counts of shifts are numbers already. */
static void print_immediate(const struct op *op, const struct operand *o)
{
	bool load_18 = op->kind == OP_LD && o->n_bytes == 2 && op->size == 3;

	if (o->n_bytes == 0 || load_18)
		printf("#%u", o->value);
	else
		printf("#%d", (int)(o->value == UINT32_MAX ? UINT32_MAX : pt_z_extend(o->value, o->n_bytes)));
}

static void print_operand(const struct op *op, const struct operand *o, bool *more)
{
	const char *base = register_name[o->base], *index = register_name[o->index];

	printf("%s", separator(more));
	switch ((enum operand_mode)o->mode) {
	case AT_NOTHING: break;
	case AT_IMM: print_immediate(op, o); break;
	case AT_REG: printf("%s", base); break;
	case AT_ADDR: printf("%u", o->value); break;
	case AT_P: printf("(%d,p)", displacement(o)); break;
	case AT_BASE: printf("(%d,%s)", displacement(o), base); break;
	case AT_DATA_BASE: printf("(%d,%s)", displacement(o), index); break;
	case AT_INDEX: printf("(%s,%s)", index, base); break;
	case AT_PRE_DEC: printf("(-%s)", base); break;
	case AT_PRE_INC: printf("(+%s)", base); break;
	case AT_POST_DEC: printf("(%s-)", base); break;
	case AT_POST_INC: printf("(%s+)", base); break;
	case IN_ADDR: printf("[%u]", o->value); break;
	case IN_P: printf("[%d,p]", displacement(o)); break;
	case IN_BASE: printf("[%d,%s]", displacement(o), base); break;
	case IN_INDEX: printf("[%s,%s]", index, base); break;
	}
}

static void print_target(uint32_t to, bool *more)
{
	printf("%s*%+d", separator(more), (int)pt_z_extend(to - addr, 3));
}

static void print_stacked(const struct op *op, bool *more)
{
	static const uint8_t order[2][6] = {
		{ R_CCH, R_CCL, R_D0, R_D1, R_D2, R_D3 }, { R_D4, R_D5, R_D6, R_D7, R_X, R_Y },
	};

	if ((op->how & 0x3f) == 0)
		printf(" %s", (op->how & 0x40) != 0 ? "ALL16b" : "ALL");
	for (unsigned i = 0; i < 6; i++)
		if ((op->how >> (5 - i) & 1) != 0)
			print_register(order[op->how >> 6 & 1][i], more);
}

/* No size where the bit's number is in a register and the operand is one, too. */
static void print_bit(const struct op *op, bool *more)
{
	bool by_register = (op->flags & BIT_IN_REGISTER) != 0;

	printf("%s", kind_name[op->kind]);
	if (!by_register || op->a.mode != AT_REG)
		suffix(op);
	print_operand(op, &op->a, more);
	if (by_register)
		print_register(op->m, more);
	else
		printf(", #%u", op->imm);
	if (op->kind == OP_BRCLR || op->kind == OP_BRSET)
		print_target(op->b.value, more);
}

static void print_field(const struct op *op, bool *more)
{
	printf("%s", kind_name[op->kind]);
	suffix(op);
	print_operand(op, &op->b, more);
	print_operand(op, &op->a, more);
	if ((op->flags & FIELD_IN_REGISTER) != 0)
		print_register(op->m, more);
	else
		printf(", #%u:%u", op->imm >> 5, op->imm & 31);
}

static void print_shift(const struct op *op, bool *more)
{
	if (op->kind == OP_ROTATE) {
		printf("ro%c", op->how & SHIFT_LEFT ? 'l' : 'r');
		suffix(op);
		print_operand(op, &op->a, more);
		return;
	}
	printf("%cs%c", op->how & SHIFT_ARITHMETIC ? 'a' : 'l', op->how & SHIFT_LEFT ? 'l' : 'r');
	if ((op->flags & SHIFT_IN_PLACE) == 0 || op->a.mode != AT_REG)
		suffix(op);
	if ((op->flags & SHIFT_IN_PLACE) == 0)
		print_register(op->d, more);
	print_operand(op, &op->a, more);
	print_operand(op, &op->b, more);
}

/* One size behind the mnemonic is that of the second operand; two are of both. */
static void print_math(const struct op *op, bool *more)
{
	printf("%s%c", kind_name[op->kind], op->flags & MATH_SIGNED ? 's' : 'u');
	if ((op->flags & SIZE_CODED) != 0)
		printf(".%.*s%c", op->a.n_bytes != 0, &size_letter[op->size], size_letter[op->size_b]);
	print_register(op->d, more);
	print_operand(op, &op->a, more);
	print_operand(op, &op->b, more);
}

static void print_exception(const struct op *op)
{
	if (op->imm == PT_VS12Z_TRAP)
		printf("trap #%u", op->how);
	else
		printf("%s", op->imm == PT_VS12Z_SWI ? "swi" : op->imm == PT_VS12Z_SYS ? "sys" : "!!invalid!!");
}

static void print(const struct op *op)
{
	bool more = false;

	switch ((enum op_kind)op->kind) {
	case OP_EXCEPTION: print_exception(op); return;
	case OP_BCLR: case OP_BSET: case OP_BTGL: case OP_BRCLR: case OP_BRSET: print_bit(op, &more); return;
	case OP_BFEXT: case OP_BFINS: print_field(op, &more); return;
	case OP_SHIFT: case OP_ROTATE: print_shift(op, &more); return;
	case OP_MUL: case OP_MAC: case OP_QMUL: case OP_DIV: case OP_MOD: print_math(op, &more); return;
	case OP_BCC:
		printf("%s", branch_name[op->how]);
		print_target(op->imm, &more);
		return;
	case OP_LOOP:
		printf("%cb%s", op->flags & LOOP_DECREMENTS ? 'd' : 't', loop_name[op->how]);
		suffix(op);
		print_operand(op, &op->a, &more);
		print_target(op->imm, &more);
		return;
	case OP_EXG:
		printf("%s", pt_z_width[op->d] < pt_z_width[op->m] ? "sex" : "exg");
		print_register(op->d, &more);
		print_register(op->m, &more);
		return;
	default:
		break;
	}
	printf("%s", kind_name[op->kind]);
	switch ((enum op_kind)op->kind) {
	case OP_PSH: case OP_PUL: print_stacked(op, &more); break;
	case OP_TFR: case OP_CLB:
		print_register(op->d, &more);
		print_register(op->m, &more);
		break;
	case OP_ANDCC: case OP_ORCC: printf(" #%u", op->imm); break;
	case OP_BRA: case OP_BSR: print_target(op->imm, &more); break;
	case OP_JMP_EXT: case OP_JSR_EXT: printf(" %u", op->imm); break;
	case OP_JMP: case OP_JSR: print_operand(op, &op->a, &more); break;
	case OP_MOV:
		suffix(op);
		print_operand(op, &op->a, &more);
		print_operand(op, &op->b, &more);
		break;
	case OP_INC: case OP_DEC: case OP_CLR: case OP_COM: case OP_NEG:
		suffix(op);
		print_operand(op, &op->a, &more);
		break;
	case OP_ABS: case OP_SAT: print_register(op->d, &more); break;
	case OP_LEA: case OP_LD: case OP_ST: case OP_ADD: case OP_ADC: case OP_SUB: case OP_SBC: case OP_CMP:
	case OP_AND: case OP_OR: case OP_EOR: case OP_BIT: case OP_MINU: case OP_MAXU: case OP_MINS: case OP_MAXS:
		print_register(op->d, &more);
		print_operand(op, &op->a, &more);
		break;
	case OP_SUB_XY:
		print_register(op->d, &more);
		print_operand(op, &op->a, &more);
		print_operand(op, &op->b, &more);
		break;
	default:
		break;
	}
}

/* --- the corpus */

/* Once: what does not reach into the bytes that vary comes again and again. */
static void emit(const uint8_t *bytes)
{
	static uint8_t slot[SLOT_BYTES], last[SLOT_BYTES] = { 0xff, 0xff };
	struct op op = pt_z_decode(addr, bytes, MAX_OP_BYTES);

	memset(slot, 0, sizeof(slot));
	memcpy(slot, bytes, op.n_bytes < SLOT_BYTES ? op.n_bytes : SLOT_BYTES);
	if (memcmp(slot, last, sizeof(slot)) == 0)
		return;
	memcpy(last, slot, sizeof(last));
	fwrite(slot, sizeof(slot), 1, code);
	printf("%x %u ", addr, op.n_bytes);
	print(&op);
	putchar('\n');
	addr += SLOT_BYTES;
}

/* What follows an op-code and its postbyte: two patterns, so that signs and the lengths of displacements differ. */
static const uint8_t tails[][MAX_OP_BYTES] = {
	{ 0x12, 0x34, 0x56, 0x78, 0x1a, 0x2b, 0x3c, 0x4d, 0x5e, 0x6f, 0x11 },
	{ 0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9, 0xf8, 0xf7, 0xf6, 0xf5 },
	{ 0x80, 0x00, 0x00, 0x01, 0x80, 0x7f, 0x40, 0x00, 0x00, 0x01, 0x02 },
};

/* One xb for each form of the operand, with its registers. */
static const uint8_t forms[] = {
	0x00, 0x3f, 0x40, 0x5f, 0x6a, 0x70, 0x7f, 0x80, 0xb7, 0x88, 0x9d, 0xae, 0xb8, 0xbe, 0xc0, 0xd1, 0xe0, 0xf1,
	0xc2, 0xe2, 0xf2, 0xd3, 0xe3, 0xc4, 0xf5, 0xd6, 0xf6, 0xc7, 0xf7, 0xcb, 0xdc, 0xe8, 0xef, 0xf8, 0xfd, 0xfa,
	0xfb, 0xfe, 0xff,
};

static void with_tails(const uint8_t *head, size_t n_bytes)
{
	for (size_t i = 0; i < PT_LEN(tails); i++) {
		uint8_t bytes[MAX_OP_BYTES];

		memcpy(bytes, tails[i], sizeof(bytes));
		memcpy(bytes, head, n_bytes);
		emit(bytes);
	}
}

/* Two operands, behind head: each form with each. */
static void with_two_operands(const uint8_t *head, size_t n_bytes)
{
	for (size_t i = 0; i < PT_LEN(forms); i++) {
		for (size_t k = 0; k < PT_LEN(forms); k++) {
			uint8_t bytes[MAX_OP_BYTES], one[MAX_OP_BYTES];
			size_t first;

			memcpy(bytes, tails[(i + k) % PT_LEN(tails)], sizeof(bytes));
			memcpy(bytes, head, n_bytes);
			bytes[n_bytes] = forms[i];
			memcpy(one, bytes + n_bytes - 1, 5);	/* the length of the first: as of LD D2 */
			one[0] = 0xa0;
			first = pt_z_decode(0, one, 5).n_bytes - 1u;
			bytes[n_bytes + first] = forms[k];
			emit(bytes);
		}
	}
}

/* All values of the next byte, and for those with an operand or more behind it all its forms. */
static void with_postbyte(const uint8_t *head, size_t n_bytes, bool then_operand)
{
	for (unsigned post = 0; post < 256; post++) {
		uint8_t bytes[MAX_OP_BYTES];

		memcpy(bytes, head, n_bytes);
		bytes[n_bytes] = (uint8_t)post;
		if (!then_operand) {
			with_tails(bytes, n_bytes + 1);
			continue;
		}
		for (size_t i = 0; i < PT_LEN(forms); i++) {
			uint8_t whole[MAX_OP_BYTES];

			memcpy(whole, tails[(post + i) % PT_LEN(tails)], sizeof(whole));
			memcpy(whole, bytes, n_bytes + 1);
			whole[n_bytes + 1] = forms[i];
			emit(whole);
		}
	}
}

static void one_opcode(const uint8_t *head, size_t n_bytes)
{
	uint8_t probe[MAX_OP_BYTES] = { 0 };
	struct op op;

	memcpy(probe, head, n_bytes);
	op = pt_z_decode(0, probe, sizeof(probe));
	switch ((enum op_kind)op.kind) {
	case OP_SHIFT: case OP_ROTATE: case OP_MUL: case OP_MAC: case OP_QMUL: case OP_DIV: case OP_MOD: case OP_LOOP:
	case OP_BCLR: case OP_BSET: case OP_BTGL: case OP_BRCLR: case OP_BRSET: case OP_BFEXT: case OP_BFINS:
		with_postbyte(head, n_bytes, true);
		break;
	case OP_MOV:
		with_postbyte(head, n_bytes, false);
		with_two_operands(head, n_bytes);
		break;
	default:
		with_postbyte(head, n_bytes, false);
	}
}

/* The encodings with two operands behind a postbyte. */
static void two_behind_postbyte(void)
{
	for (unsigned post = 0; post < 256; post++) {
		uint8_t shift[2] = { 0x10, (uint8_t)post }, mul[2] = { 0x48, (uint8_t)post };
		uint8_t div[3] = { 0x1b, 0x30, (uint8_t)post };

		if ((post & 0x34) == 0x30)
			with_two_operands(shift, 2);
		if ((post & 0x43) == 0x42) {
			with_two_operands(mul, 2);
			with_two_operands(div, 3);
		}
	}
}

int main(int argc, char **argv)
{
	if (argc != 2 || (code = fopen(argv[1], "wb")) == NULL)
		return 2;
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		uint8_t head[2] = { (uint8_t)opcode }, second[2] = { 0x1b, (uint8_t)opcode };

		if (opcode != 0x1b)
			one_opcode(head, 1);
		one_opcode(second, 2);
	}
	two_behind_postbyte();
	return fclose(code) == 0 && fflush(stdout) == 0 ? 0 : 1;
}
