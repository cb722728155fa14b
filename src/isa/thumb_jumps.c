/* Targets of computed jumps. The instructions just before a jump show where its target comes from; if they match no
 * known pattern, nothing is guessed. Encodings: Arm DDI 0403 (Armv7-M), chapters A5 and A7. */
#include "isa/thumb.h"
#include "base/util.h"

enum { PC = PT_THUMB_PC, NO_REG = 16, MOST_ENTRIES = 1024, FEWEST_ENTRIES = 2 };

struct word { uint16_t op, op2; };	/* op2 of 32-bit instructions */

static bool fetch(const struct pt_isa_jump *j, uint64_t addr, struct word *out)
{
	const uint8_t *bytes = j->bytes(j->arg, addr, 2);

	*out = (struct word){ 0, 0 };
	if (bytes == NULL)
		return false;
	out->op = pt_le16(bytes);
	if (!pt_thumb_is_wide(out->op))
		return true;
	bytes = j->bytes(j->arg, addr + 2, 2);
	if (bytes == NULL)
		return false;
	out->op2 = pt_le16(bytes);
	return true;
}

static bool load(const struct pt_isa_jump *j, uint64_t addr, uint32_t *value)
{
	const uint8_t *bytes = j->bytes(j->arg, addr, 4);

	if (bytes != NULL)
		*value = pt_le32(bytes);
	return bytes != NULL;
}

/* The register that an instruction writes; NO_REG: none; PC: it jumps, or it is not known. */
static unsigned writes16(uint16_t op)
{
	if (op >> 13 <= 1)	/* shifts, add and subtract; move, compare, add, subtract of 8 bits */
		return op >> 11 == 5 ? NO_REG : op >> 13 == 0 ? op & 7 : op >> 8 & 7;
	if (op >> 10 == 0x10)	/* data processing; TST, CMP and CMN write none */
		return (op >> 6 & 15) == 8 || (op >> 6 & 14) == 10 ? NO_REG : op & 7;
	if (op >> 10 == 0x11)
		return (op >> 8 & 3) == 1 ? NO_REG : (op >> 8 & 3) == 3 ? PC : ((op >> 4 & 8) | (op & 7));
	if (op >> 11 == 9 || op >> 12 == 10)	/* LDR literal; ADR, ADD of sp */
		return op >> 8 & 7;
	if (op >> 12 == 5)	/* register offset: three stores first */
		return (op >> 9 & 7) < 3 ? NO_REG : op & 7;
	if (op >> 13 == 3 || op >> 12 == 8)
		return (op & 0x800) != 0 ? op & 7 : NO_REG;
	if (op >> 12 == 9)	/* sp-relative */
		return (op & 0x800) != 0 ? op >> 8 & 7 : NO_REG;
	if (op >> 8 == 0xb2)	/* extends */
		return op & 7;
	if ((op >> 12 == 13 && (op >> 8 & 15) < 14) || (op & 0xf500) == 0xb100)	/* a branch that was not taken */
		return NO_REG;
	if (op >> 9 == 0x5a || op >> 8 == 0xb0 || op == 0xbf00)	/* PUSH, ADD and SUB of sp, NOP */
		return NO_REG;
	return PC;
}

/* B<cond>.W */
static bool wide_branch_if(struct word w)
{
	return (w.op & 0xf800) == 0xf000 && (w.op2 & 0xd000) == 0x8000 && (w.op >> 7 & 7) != 7;
}

static unsigned writes32(struct word w)
{
	unsigned rd = w.op2 >> 8 & 15;

	if (wide_branch_if(w))
		return NO_REG;
	/* data processing with constants, MOVW, MOVT; with shifted registers; comparisons have pc as Rd */
	if (((w.op & 0xf800) == 0xf000 && (w.op2 & 0x8000) == 0) || (w.op & 0xfe00) == 0xea00)
		return rd == PC ? NO_REG : rd;
	if ((w.op & 0xff70) == 0xf850)				/* LDR */
		return w.op2 >> 12;
	return PC;
}

static unsigned writes(struct word w)
{
	return pt_thumb_is_wide(w.op) ? writes32(w) : writes16(w.op);
}

/* The nearest instruction from index i on that writes reg; its index in *at. */
static bool find_write(const struct pt_isa_jump *j, size_t i, unsigned reg, struct word *w, size_t *at)
{
	for (; i < j->n_before; i++) {
		unsigned rd = fetch(j, j->before[i], w) ? writes(*w) : PC;

		if (rd == PC)
			return false;
		*at = i;
		if (rd == reg)
			return true;
	}
	return false;
}

static uint32_t imm16(struct word w)
{
	return (uint32_t)(w.op & 15) << 12 | (uint32_t)(w.op & 0x400) << 1 | (uint32_t)(w.op2 >> 4 & 0x700) |
	       (w.op2 & 0xff);
}

/* The constant in reg after the instruction at index i: from a literal pool, ADR, or MOVW and MOVT. */
static bool constant(const struct pt_isa_jump *j, size_t i, unsigned reg, uint32_t *value)
{
	uint64_t base;
	struct word w, low;
	size_t at, low_at;

	if (!find_write(j, i, reg, &w, &at))
		return false;
	base = (j->before[at] + 4) & ~UINT64_C(3);
	if (w.op >> 11 == 9)
		return load(j, base + (w.op & 0xff) * 4u, value);
	if (w.op >> 11 == 0x14) {
		*value = (uint32_t)base + (w.op & 0xff) * 4u;
		return true;
	}
	if (w.op == 0xf8df)
		return load(j, base + (w.op2 & 0xfff), value);
	if ((w.op & 0xfbf0) != 0xf2c0 || !find_write(j, at + 1, reg, &low, &low_at) || (low.op & 0xfbf0) != 0xf240)
		return false;
	*value = imm16(w) << 16 | imm16(low);
	return true;
}

/* The number of a table's entries, from the comparison before the jump; 0: unknown. */
static size_t bound(const struct pt_isa_jump *j)
{
	unsigned cond = 16;
	struct word w;

	for (size_t i = 0; i < j->n_before && fetch(j, j->before[i], &w); i++) {
		uint32_t limit = 0;

		if (w.op >> 12 == 13 && (w.op >> 8 & 15) < 14)
			cond = w.op >> 8 & 15;
		else if (wide_branch_if(w))
			cond = w.op >> 6 & 15;
		if (w.op >> 11 == 5)
			limit = w.op & 0xff;
		else if ((w.op & 0xfff0) == 0xf1b0 && (w.op2 & 0xff00) == 0x0f00)
			limit = w.op2 & 0xff;
		else
			continue;
		if (cond == 8 || cond == 9)	/* HI skips the jump, LS does it */
			return limit + 1;
		return cond == 2 || cond == 3 ? limit : 0;	/* CS skips the jump, CC does it */
	}
	return 0;
}

/* Reads a table: as many entries as the bound says, or without a bound as many as lead into the function. */
static size_t read_table(const struct pt_isa_jump *j, uint64_t table, unsigned entry_bytes, uint64_t *targets,
			 size_t room)
{
	size_t wanted = bound(j), most = wanted > 0 ? wanted : MOST_ENTRIES, n = 0;
	uint64_t lowest = UINT64_MAX;

	while (n < most && n < room && (wanted > 0 || entry_bytes == 4 || table + n * entry_bytes < lowest)) {
		const uint8_t *bytes = j->bytes(j->arg, table + n * entry_bytes, entry_bytes);
		uint64_t to;

		if (bytes == NULL)
			break;
		to = entry_bytes == 4 ? pt_le32(bytes) & ~1u
				      : table + 2u * (entry_bytes == 1 ? bytes[0] : pt_le16(bytes));
		if (to < j->from || to >= j->to)
			break;
		lowest = to < lowest ? to : lowest;
		targets[n++] = to;
	}
	return n >= FEWEST_ENTRIES && (wanted == 0 || n == wanted) ? n : 0;
}

/* The target is loaded from memory at base plus an index, or at a sum computed before. */
static size_t through_load(const struct pt_isa_jump *j, size_t at, unsigned base, unsigned index, uint64_t *targets,
			   size_t room)
{
	struct word w;
	uint32_t table;
	size_t sum_at;

	if (constant(j, at, base, &table) || (index != NO_REG && constant(j, at, index, &table)))
		return read_table(j, table, 4, targets, room);
	if (index != NO_REG || !find_write(j, at, base, &w, &sum_at))
		return 0;
	if (w.op >> 9 == 0x0c) {	/* ADDS Rd, Rn, Rm */
		if (constant(j, sum_at + 1, w.op >> 3 & 7, &table) || constant(j, sum_at + 1, w.op >> 6 & 7, &table))
			return read_table(j, table, 4, targets, room);
	} else if (w.op >> 8 == 0x44) {	/* ADD Rdn, Rm */
		if (constant(j, sum_at + 1, base, &table) || constant(j, sum_at + 1, w.op >> 3 & 15, &table))
			return read_table(j, table, 4, targets, room);
	}
	return 0;
}

static size_t through_register(const struct pt_isa_jump *j, unsigned reg, uint64_t *targets, size_t room)
{
	uint32_t value;
	struct word w;
	size_t at;

	if (constant(j, 0, reg, &value)) {
		targets[0] = value & ~1u;
		return 1;
	}
	if (!find_write(j, 0, reg, &w, &at))
		return 0;
	if (w.op >> 9 == 0x2c)		/* LDR Rt, [Rn, Rm] */
		return through_load(j, at + 1, w.op >> 3 & 7, w.op >> 6 & 7, targets, room);
	if (w.op >> 11 == 0x0d && (w.op >> 6 & 31) == 0)	/* LDR Rt, [Rn] */
		return through_load(j, at + 1, w.op >> 3 & 7, NO_REG, targets, room);
	if ((w.op & 0xfff0) == 0xf850 && (w.op2 & 0x0ff0) == 0x0020)	/* LDR.W Rt, [Rn, Rm, LSL #2] */
		return through_load(j, at + 1, w.op & 15, w.op2 & 15, targets, room);
	return 0;
}

size_t pt_thumb_jump_targets(const struct pt_isa_jump *jump, uint64_t *targets, size_t room)
{
	struct word w;

	if (room == 0 || !fetch(jump, jump->addr, &w))
		return 0;
	if (w.op == 0xe8df && (w.op2 & 0xffe0) == 0xf000)	/* TBB, TBH [pc, Rm] */
		return read_table(jump, jump->addr + 4, (w.op2 & 0x10) != 0 ? 2 : 1, targets, room);
	if ((w.op & 0xff87) == 0x4700 || (w.op & 0xff87) == 0x4687)	/* BX Rm; MOV pc, Rm */
		return through_register(jump, w.op >> 3 & 15, targets, room);
	if ((w.op & 0xfff0) == 0xf850 && (w.op2 & 0xfff0) == 0xf020)	/* LDR.W pc, [Rn, Rm, LSL #2] */
		return through_load(jump, 0, w.op & 15, w.op2 & 15, targets, room);
	if (w.op == 0xf8df && w.op2 >> 12 == PC) {		/* LDR.W pc, literal */
		uint32_t value;

		if (!load(jump, ((jump->addr + 4) & ~UINT64_C(3)) + (w.op2 & 0xfff), &value))
			return 0;
		targets[0] = value & ~1u;
		return 1;
	}
	return 0;
}
