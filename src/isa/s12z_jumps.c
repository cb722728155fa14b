/* Jump tables of the S12Z: JMP (Di,X) into a following table of jumps, as compilers and people write a switch, and JMP
 * [Di,X] through a table of 3-byte addresses. X or Y gets the table's address from a LEA or LD before the jump. The
 * number of entries is not stated, so entries are read as long as they are plausible. */
#include "isa/s12z.h"
#include "base/util.h"

enum { LEA_X = 0x08, LEA_Y = 0x09, LD_X_24 = 0x98, LD_Y_24 = 0x99, JMP_OPR = 0xaa, JMP_24 = 0xba };
enum { JMP_BYTES = 4, ADDRESS_BYTES = 3, MOST_BACK = 8 };

static const uint8_t *bytes_at(const struct pt_isa_jump *jump, uint64_t addr, size_t n)
{
	return jump->bytes(jump->arg, addr, n);
}

/* The address of a fixed operand after the op-code at addr; PT_UNKNOWN: another kind of operand. */
static uint64_t fixed_operand(const struct pt_isa_jump *jump, uint64_t addr)
{
	const uint8_t *xb = bytes_at(jump, addr + 1, 1), *rest;

	if (xb == NULL)
		return PT_UNKNOWN;
	if (*xb < 0x40) {			/* EXT14 */
		rest = bytes_at(jump, addr + 2, 1);
		return rest != NULL ? (uint64_t)*xb << 8 | *rest : PT_UNKNOWN;
	}
	if (*xb == 0xfa) {			/* EXT24 */
		rest = bytes_at(jump, addr + 2, 3);
		return rest != NULL ? pt_be24(rest) : PT_UNKNOWN;
	}
	if (*xb >= 0xf8 && (*xb & 2) == 0) {	/* EXT18: bit 17 is bit 2 of the post-byte, bit 16 is bit 0 */
		rest = bytes_at(jump, addr + 2, 2);
		return rest != NULL ? (uint64_t)(*xb & 4) << 15 | (uint64_t)(*xb & 1) << 16 | pt_be16(rest)
				    : PT_UNKNOWN;
	}
	if (*xb == 0xf0 || *xb == 0xf1) {	/* (s9,P) */
		rest = bytes_at(jump, addr + 2, 1);
		return rest != NULL ? addr + *rest - ((*xb & 1) != 0 ? 0x100 : 0) : PT_UNKNOWN;
	}
	return PT_UNKNOWN;
}

/* The last value set in X or Y before the jump. */
static uint64_t index_register(const struct pt_isa_jump *jump, bool y)
{
	for (size_t i = 0; i < jump->n_before && i < MOST_BACK; i++) {
		const uint8_t *op = bytes_at(jump, jump->before[i], 1), *imm;

		if (op == NULL)
			return PT_UNKNOWN;
		if (*op == (y ? LEA_Y : LEA_X))
			return fixed_operand(jump, jump->before[i]);
		if (*op != (y ? LD_Y_24 : LD_X_24))
			continue;
		imm = bytes_at(jump, jump->before[i] + 1, 3);
		return imm != NULL ? pt_be24(imm) : PT_UNKNOWN;
	}
	return PT_UNKNOWN;
}

static bool inside(const struct pt_isa_jump *jump, uint64_t addr)
{
	return addr >= jump->from && addr < jump->to;
}

static size_t row_of_jumps(const struct pt_isa_jump *jump, uint64_t at, uint64_t *targets, size_t room)
{
	const uint8_t *op;
	size_t n = 0;

	for (; n < room && inside(jump, at) && (op = bytes_at(jump, at, 1)) != NULL && *op == JMP_24; at += JMP_BYTES)
		targets[n++] = at;
	return n;
}

static size_t row_of_addresses(const struct pt_isa_jump *jump, uint64_t at, uint64_t *targets, size_t room)
{
	const uint8_t *entry;
	size_t n = 0;

	for (; n < room && (entry = bytes_at(jump, at, ADDRESS_BYTES)) != NULL && inside(jump, pt_be24(entry));
	     at += ADDRESS_BYTES)
		targets[n++] = pt_be24(entry);
	return n;
}

size_t pt_s12z_jump_targets(const struct pt_isa_jump *jump, uint64_t *targets, size_t room)
{
	const uint8_t *code = bytes_at(jump, jump->addr, 2);
	uint64_t table;
	uint8_t xb;

	if (code == NULL || code[0] != JMP_OPR)
		return 0;
	xb = code[1];
	if ((xb & 0xe8) != 0x88 && (xb & 0xe8) != 0xc8)	/* (Di,X), (Di,Y); [Di,X], [Di,Y] */
		return 0;
	table = index_register(jump, (xb & 0x10) != 0);
	if (table == PT_UNKNOWN)
		return 0;
	return xb < 0xc0 ? row_of_jumps(jump, table, targets, room) : row_of_addresses(jump, table, targets, room);
}
