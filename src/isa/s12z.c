/* S12Z: length and effect on the flow of every instruction. Lengths depend on post-bytes of operands, so they are
 * computed operand by operand; an instruction has one to eleven bytes. Source: the encodings of binutils
 * (opcodes/s12z-opc.c, gas/testsuite/gas/s12z); the CPU reference manual CPUS12ZRM was not available. So its cycle
 * counts are not known, either. The model, UNVERIFIED: one bus cycle for each instruction, and one for each access of
 * up to four bytes to an operand or to the stack; the 29 bytes of an exception's frame are eight of them. It only
 * spreads time over instructions; the total comes from the DBG's timestamps where there are any. */
#include <stdio.h>

#include "isa/s12z.h"
#include "base/util.h"

enum { MASK = 0xffffff };	/* addresses have 24 bits */
enum { FRAME_ACCESSES = 8, VECTOR_ACCESSES = 1 };

/* The unread rest of an instruction. */
struct rest {
	const uint8_t *byte;
	size_t n;
	unsigned used;
	unsigned accesses;	/* memory accesses of what was read so far */
	bool cut;		/* the bytes end inside the instruction */
};

static uint8_t peek(struct rest *r, unsigned ahead)
{
	if (r->used + ahead < r->n)
		return r->byte[r->used + ahead];
	r->cut = true;
	return 0;
}

static uint8_t next(struct rest *r)
{
	uint8_t byte = peek(r, 0);

	r->used++;
	return byte;
}

static uint32_t next_be(struct rest *r, unsigned n_bytes)
{
	uint32_t value = 0;

	while (n_bytes-- > 0)
		value = value << 8 | next(r);
	return value;
}

/* Length of the operand that begins with post-byte xb, including xb. */
static unsigned operand_bytes(uint8_t xb)
{
	static const uint8_t high[2][16] = {	/* from 0xc0 on, by the low nibble: below 0xe0, above */
		{ 2, 2, 4, 1, 2, 2, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
		{ 2, 2, 4, 1, 2, 2, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0 },
	};
	static const uint8_t highest[8] = { 3, 3, 4, 1, 3, 3, 4, 1 };	/* from 0xf8 on */

	if (xb < 0x40)
		return 2;		/* EXT14 */
	if (xb < 0x80)
		return 1;		/* u4 of X, Y, S; small constants */
	if (xb < 0xc0)
		return (xb & 8) == 0 ? 3 : 1;	/* u18 of a register; register of X, Y, S; a register */
	if (xb >= 0xf8)
		return highest[xb & 7];
	if (xb >= 0xe8 && xb < 0xf0)
		return 4;		/* u24 of a register */
	return high[xb >= 0xe0][xb & 15];
}

/* Number of memory accesses to find an operand's address. */
static unsigned pointers_of(uint8_t xb)
{
	if (xb < 0xc0)
		return 0;
	if (xb < 0xe0 && (xb & 8) != 0)
		return 1;			/* [Di,X], [Di,Y] */
	if (xb >= 0xf8 || (xb >= 0xe8 && xb < 0xf0))
		return xb == 0xfe;
	return (xb & 7) >= 4 && (xb & 7) <= 6;	/* [s9,...], [o24,...] */
}

static bool in_memory(uint8_t xb)	/* not a small constant, not a register */
{
	return (xb & 0xf0) != 0x70 && (xb & 0xf8) != 0xb8;
}

/* Reads an operand; accesses: to the operand itself, if it is in memory. */
static void operand_of(struct rest *r, unsigned accesses)
{
	uint8_t xb = peek(r, 0);

	r->accesses += pointers_of(xb) + (in_memory(xb) ? accesses : 0);
	r->used += operand_bytes(xb);
}

static void operand(struct rest *r)
{
	operand_of(r, 1);
}

/* The address that an operand encodes itself; PT_UNKNOWN: it depends on registers or memory. *relative: relative to the
 * pc. */
static uint64_t operand_address(struct rest r, uint64_t addr, bool *relative)
{
	uint8_t xb = next(&r);

	*relative = false;
	if (xb < 0x40)
		return (uint64_t)xb << 8 | next(&r);
	if (xb == 0xfa)
		return next_be(&r, 3);
	if (xb >= 0xf8 && (xb & 2) == 0)	/* bit 17 is bit 2 of the post-byte, bit 16 is bit 0 */
		return (uint64_t)(xb & 4) << 15 | (uint64_t)(xb & 1) << 16 | next_be(&r, 2);
	*relative = true;
	if (xb == 0xf0 || xb == 0xf1)
		return (addr + next(&r) - ((xb & 1) != 0 ? 0x100 : 0)) & MASK;
	if (xb == 0xf2)
		return (addr + next_be(&r, 3)) & MASK;
	return PT_UNKNOWN;
}

/* A displacement of 7 or 15 bits, from the first byte of the instruction. */
static void relative(struct rest *r, uint64_t addr, enum pt_flow_class flow, struct pt_insn *out)
{
	uint32_t byte = next(r), disp = byte;
	uint32_t sign = 0x40;

	if ((byte & 0x80) != 0) {
		disp = (byte & 0x7f) << 8 | next(r);
		sign = 0x4000;
	}
	out->flow = (uint8_t)flow;
	out->target = (addr + (disp ^ sign) - sign) & MASK;
}

/* BRCLR, BRSET: true if the bit is in an operand, not in a register. */
static bool bit_has_operand(uint8_t bm)
{
	return (bm & 0x80) != 0 && (bm & 6) != 6;
}

static void bit_branch(struct rest *r, uint64_t addr, struct pt_insn *out)
{
	if (bit_has_operand(next(r)))
		operand(r);
	relative(r, addr, PT_FLOW_BRANCH_IF, out);
}

/* TBcc, DBcc. */
static void loop(struct rest *r, uint64_t addr, struct pt_insn *out)
{
	uint8_t lb = next(r);

	if ((lb & 0x0c) == 0x0c)
		operand_of(r, (lb & 0x80) != 0 ? 2 : 1);
	relative(r, addr, PT_FLOW_BRANCH_IF, out);
}

static void shift(struct rest *r)
{
	uint8_t sb = next(r);

	if ((sb & 0x30) == 0)
		return;
	operand_of(r, (sb & 0x24) == 0x24 ? 2 : 1);	/* shifted in place */
	if ((sb & 0x34) == 0x30)
		operand(r);
}

/* MUL and instructions with its encoding: two registers, two operands, a constant or an operand. */
static void multiply(struct rest *r)
{
	uint8_t mb = next(r);

	if ((mb & 0x40) == 0)
		return;
	if ((mb & 3) == 2) {
		operand(r);
		operand(r);
	} else if ((mb & 4) != 0) {
		r->used += (mb & 3) + 1u;
	} else {
		operand(r);
	}
}

static void bit_field(struct rest *r)
{
	uint8_t bb = next(r);

	if ((bb & 0x20) != 0)
		r->used++;		/* width and offset as a constant */
	if ((bb & 0x40) != 0)
		operand(r);
}

/* JMP, JSR with an operand. What the trace records of one with an address as operand is not documented, so both target
 * and doubtful are set. */
static void jump(struct rest *r, uint64_t addr, bool call, struct pt_insn *out)
{
	bool pc_relative;

	out->target = operand_address(*r, addr, &pc_relative);
	out->doubtful = out->target != PT_UNKNOWN;
	if (out->doubtful && !pc_relative)
		out->flow = call ? PT_FLOW_CALL : PT_FLOW_BRANCH;
	else
		out->flow = call ? PT_FLOW_INDIRECT_CALL : PT_FLOW_INDIRECT;
	operand_of(r, 0);
	r->accesses += call;
}

static void jump_far(struct rest *r, enum pt_flow_class flow, struct pt_insn *out)
{
	out->target = next_be(r, 3);
	out->flow = (uint8_t)flow;
	r->accesses += flow == PT_FLOW_CALL;
}

/* What follows an op-code. */
enum form {
	NONE,			/* it is not */
	B1, B2, B3, B4,		/* so many bytes */
	OPR, OPR2,		/* one operand, two operands */
	LEA, RMW,		/* an operand that is not accessed; one that is read and written */
	FAR,			/* an operand's address in three bytes */
	STACK,			/* a mask of registers to push or pull */
	MOV1, MOV2, MOV3, MOV4,	/* a constant of so many bytes and an operand */
	IMM,			/* a constant of the size of the register in the low three bits */
	MUL, SHIFT, FIELD,
	BIT,			/* BCLR, BSET, BTGL */
	BIT_BRANCH, LOOP, BRA, BSR, BCC, JMP, JSR, JMP24, JSR24, RTS, RTI, TRAP, PAGE2,
};

#define R8(form) form, form, form, form, form, form, form, form

static const uint8_t page1[256] = {
	/* 00 */ TRAP, NONE, BIT_BRANCH, BIT_BRANCH, STACK, RTS, LEA, LEA,
	/* 08 */ LEA, LEA, LEA, LOOP, MOV1, MOV2, MOV3, MOV4,
	/* 10 */ R8(SHIFT),
	/* 18 */ B1, B1, B1, PAGE2, OPR2, OPR2, OPR2, OPR2,
	/* 20 */ BRA, BSR, BCC, BCC, BCC, BCC, BCC, BCC, R8(BCC),
	/* 30 */ R8(NONE), R8(NONE),
	/* 40 */ R8(NONE), R8(MUL),
	/* 50 */ R8(IMM), R8(IMM),
	/* 60 */ R8(OPR), R8(OPR),
	/* 70 */ R8(IMM), R8(IMM),
	/* 80 */ R8(OPR), R8(OPR),
	/* 90 */ R8(IMM),
	/* 98 */ B3, B3, NONE, NONE, RMW, RMW, B1, RMW,
	/* a0 */ R8(OPR),
	/* a8 */ OPR, OPR, JMP, JSR, RMW, RMW, B1, RMW,
	/* b0 */ R8(FAR),
	/* b8 */ FAR, FAR, JMP24, JSR24, OPR, OPR, OPR, OPR,
	/* c0 */ R8(OPR),
	/* c8 */ OPR, OPR, B2, B2, RMW, RMW, B1, RMW,
	/* d0 */ R8(FAR),
	/* d8 */ FAR, FAR, B2, B2, RMW, RMW, B1, RMW,
	/* e0 */ R8(IMM),
	/* e8 */ B3, B3, B2, B2, BIT, BIT, BIT, TRAP,
	/* f0 */ R8(OPR),
	/* f8 */ OPR, OPR, B2, B2, NONE, NONE, NONE, TRAP,
};

/* Op-codes after the prefix 1b. STOP and WAI continue in line; SYS and unused codes raise exceptions. */
static const uint8_t page2[256] = {
	/* 00 */ OPR, OPR, OPR, B3, B3, NONE, NONE, TRAP,
	/* 08 */ R8(FIELD),
	/* 10 */ R8(OPR), R8(OPR),
	/* 20 */ R8(OPR), R8(OPR),
	/* 30 */ R8(MUL), R8(MUL),
	/* 40 */ R8(NONE), R8(MUL),
	/* 50 */ R8(IMM), R8(IMM),
	/* 60 */ R8(OPR), R8(OPR),
	/* 70 */ R8(IMM), R8(IMM),
	/* 80 */ R8(OPR), R8(OPR),
	/* 90 */ RTI, B1, TRAP, TRAP, TRAP, TRAP, TRAP, TRAP, R8(TRAP),
	/* a0 */ R8(NONE), R8(TRAP),
	/* b0 */ R8(MUL), R8(TRAP),
	/* c0 */ R8(TRAP), R8(TRAP),
	/* d0 */ R8(TRAP), R8(TRAP),
	/* e0 */ R8(TRAP), R8(TRAP),
	/* f0 */ R8(TRAP), R8(TRAP),
};

static void flow_form(enum form form, uint64_t addr, struct rest *r, struct pt_insn *out)
{
	switch (form) {
	case BIT_BRANCH:
		bit_branch(r, addr, out);
		break;
	case LOOP:
		loop(r, addr, out);
		break;
	case BRA:
	case BSR:
	case BCC:
		relative(r, addr, form == BRA ? PT_FLOW_BRANCH : form == BSR ? PT_FLOW_CALL : PT_FLOW_BRANCH_IF, out);
		r->accesses += form == BSR;
		break;
	case JMP:
	case JSR:
		jump(r, addr, form == JSR, out);
		break;
	case JMP24:
	case JSR24:
		jump_far(r, form == JMP24 ? PT_FLOW_BRANCH : PT_FLOW_CALL, out);
		break;
	case RTS:
	case RTI:
		out->flow = form == RTS ? PT_FLOW_RETURN : PT_FLOW_EXCEPTION_RETURN;
		r->accesses += form == RTS ? 1 : FRAME_ACCESSES;
		break;
	case TRAP:
		out->flow = PT_FLOW_TRAP;
		break;
	default:
		break;
	}
}

/* Number of registers of a PSH or PUL. No bit set: all registers, or with bit 6 the four of 16 bits. */
static unsigned registers_of(uint8_t mask)
{
	if ((mask & 0x3f) == 0)
		return (mask & 0x40) != 0 ? 4 : 12;
	return (unsigned)__builtin_popcount(mask & 0x3f);
}

static void read_form(enum form form, uint8_t op, uint64_t addr, struct rest *r, struct pt_insn *out)
{
	static const uint8_t constant_bytes[8] = { 2, 2, 2, 2, 1, 1, 4, 4 };	/* D2 to D5, D0, D1, D6, D7 */

	switch (form) {
	case B1: case B2: case B3: case B4:
		r->used += form - B1 + 1u;
		break;
	case MOV1: case MOV2: case MOV3: case MOV4:
		r->used += form - MOV1 + 1u;
		operand(r);
		break;
	case OPR2:
		operand(r);
		operand(r);
		break;
	case OPR:
		operand(r);
		break;
	case LEA:
		operand_of(r, 0);
		break;
	case RMW:
		operand_of(r, 2);
		break;
	case FAR:
		r->used += 3;
		r->accesses++;
		break;
	case STACK:
		r->accesses += registers_of(next(r));
		break;
	case IMM:
		r->used += constant_bytes[op & 7];
		break;
	case MUL:
		multiply(r);
		break;
	case SHIFT:
		shift(r);
		break;
	case FIELD:
		bit_field(r);
		break;
	case BIT:
		if (bit_has_operand(next(r)))
			operand_of(r, 2);
		break;
	default:
		flow_form(form, addr, r, out);
	}
}

static void decode(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_insn *out)
{
	const struct pt_insn invalid = { .target = PT_UNKNOWN, .len_bytes = 1, .flow = PT_FLOW_INVALID };
	struct rest r = { .byte = bytes, .n = len_bytes };
	uint8_t op = next(&r);

	*out = (struct pt_insn){ .target = PT_UNKNOWN, .flow = PT_FLOW_NEXT };
	if (page1[op] == PAGE2) {
		op = next(&r);
		read_form((enum form)page2[op], op, addr, &r, out);
	} else {
		read_form((enum form)page1[op], op, addr, &r, out);
	}
	out->len_bytes = (uint8_t)r.used;
	out->cycles = out->taken_cycles = (uint8_t)(1 + r.accesses);
	if (r.cut || r.used > len_bytes)
		*out = invalid;
}

/* STOP, WAI. */
static bool waits(const uint8_t *bytes, size_t len_bytes)
{
	return len_bytes >= 2 && bytes[0] == 0x1b && (bytes[1] == 5 || bytes[1] == 6);
}

/* --- vectors. Number n is 4n below the last entry, which is the reset vector. Source: the vendor's header files. */

enum { VECTORS = 128, TABLE_BYTES = 4 * VECTORS };
#define TABLE UINT64_C(0xfffe00)	/* as IVBR has it after reset */

static uint64_t vector_table(uint64_t found, bool named)
{
	return named ? found & ~(uint64_t)(TABLE_BYTES - 1) : TABLE;	/* its first entries may be reserved */
}

static uint64_t vector_entry(uint64_t table, unsigned n)
{
	return table + TABLE_BYTES - 4 - 4 * (uint64_t)n;
}

static uint64_t vector_target(const uint8_t entry[4], unsigned offset)
{
	const uint8_t *at = entry + (offset == 0 ? 0 : 1);
	uint32_t to = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];

	return to == 0 || to == MASK ? PT_UNKNOWN : to;	/* empty, erased */
}

static void vector_name(unsigned n, char *name, size_t room)
{
	static const char *const names[] = {
		"reset", "SPARE", "TRAP", "SWI", "SYS", "machine exception", NULL, NULL, "spurious", "XIRQ", "IRQ",
	};

	if (n < PT_LEN(names) && names[n] != NULL)
		snprintf(name, room, "%s", names[n]);
	else
		snprintf(name, room, "vector 0x%X", n < VECTORS ? TABLE_BYTES - 4 - 4 * n : n);
}

const struct pt_isa pt_isa_s12z = {
	.name = "s12z",
	.elf_machine = 249,	/* EM_S12Z */
	.unit_bytes = 1,
	.most_bytes = 11,	/* a shift: op-code, post-byte and two operands of 4 bytes; instructions with a prefix
				 * are shorter */
	.printed_as_bytes = true,
	.decode = decode,
	.waits = waits,
	.jump_targets = pt_s12z_jump_targets,
	.n_vectors = VECTORS,
	.trap_vectors = 0x1e,	/* SPARE, TRAP, SWI, SYS */
	.silent_jumps = true,
	.time_by_stamps = true,
	.vector_table = vector_table,
	.timing = "S12Z, a bus cycle for each instruction and access (unverified)",
	.exception_entry_cycles = FRAME_ACCESSES + VECTOR_ACCESSES,
	.vector_entry = vector_entry,
	.vector_target = vector_target,
	.vector_offset = 1,	/* not verified; the device headers show entries of 4 bytes whose first is 0 */
	.vector_name = vector_name,
};
