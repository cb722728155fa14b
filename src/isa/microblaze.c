/* MicroBlaze, 32 bits, both byte orders. A branch is decoded as one instruction together with the imm before it, which
 * has half of the target, and the instruction in its delay slot, which is executed before the jump. So the address
 * after it is where execution goes if it is not taken, and where a call returns to. Its parts are counted as separate
 * instructions. Source: UG984 2018.2, and binutils' microblaze-opc.h; cycles are UNVERIFIED: typical latencies. */
#include <stdio.h>

#include "isa/isa.h"
#include "base/util.h"

enum { TAKEN_CYCLES = 3, TAKEN_CYCLES_WITH_SLOT = 2, DIVIDE_CYCLES = 32, ENTRY_CYCLES = 4 };
enum { BR = 0x26, BCC = 0x27, IMM = 0x2c, RT = 0x2d, BRI = 0x2e, BCCI = 0x2f };
enum { BR_L = 0x04, BR_A = 0x08, BR_D = 0x10, BRK = 0x0c, MBAR = 0x02, BCC_D = 0x10 };
enum { RTSD = 0x10, RTID = 0x11, RTBD = 0x12, RTED = 0x14 };

static unsigned op_of(uint32_t word)
{
	return word >> 26;
}

static unsigned rd_of(uint32_t word)
{
	return word >> 21 & 31;
}

static unsigned ra_of(uint32_t word)
{
	return word >> 16 & 31;
}

static unsigned fn_of(uint32_t word)
{
	return word & 0x7ff;
}

/* --- valid encodings. Op-codes of optional units count as valid, whatever the core has. */

static bool shift_exists(uint32_t word)
{
	static const uint16_t with_rb[] = { 0x064, 0x066, 0x068, 0x074, 0x466, 0x476 };	/* wdc, wic */
	static const uint16_t low[] = { 0x01, 0x21, 0x41, 0x60, 0x61, 0xe0, 0x1e0, 0x1e2 };

	for (size_t i = 0; i < PT_LEN(with_rb); i++)
		if (fn_of(word) == with_rb[i])
			return true;
	for (size_t i = 0; i < PT_LEN(low); i++)
		if ((word & 0xffff) == low[i])
			return true;
	return false;
}

static bool special_exists(uint32_t word)
{
	if ((word & 0xc000) == 0x8000)		/* mfs */
		return ra_of(word) == 0;
	if ((word & 0xc000) == 0xc000)		/* mts */
		return rd_of(word) == 0;
	return (word & 0x8000) == 0 && (ra_of(word) == 0x10 || ra_of(word) == 0x11);	/* msrset, msrclr */
}

static bool barrel_immediate_exists(uint32_t word)
{
	unsigned form = word & 0xf820;

	return form == 0x4000 || form == 0x8000 || (word & 0xffe0) == 0 || (word & 0xffe0) == 0x200 ||
	       (word & 0xffe0) == 0x400;
}

static bool access_exists(uint32_t word)
{
	bool is_word = (word >> 26 & 3) == 2;

	return (word >> 26 & 3) != 3 && (fn_of(word) == 0 || fn_of(word) == 0x200 || (is_word && fn_of(word) == 0x400));
}

/* fadd frsub fmul fdiv; seven of fcmp; flt fint fsqrt */
static bool float_exists(unsigned fn)
{
	return (fn & 0x7f) == 0 ? fn <= 0x380 : fn > 0x200 && fn <= 0x260 && (fn & 0xf) == 0;
}

static bool jump_exists(uint32_t word)
{
	bool register_form = op_of(word) == BR;

	if (register_form && fn_of(word) != 0)
		return false;
	switch (ra_of(word)) {
	case BRK: case BR_D | BR_L: case BR_D | BR_A | BR_L: return true;
	case 0: case BR_A: case BR_D: case BR_D | BR_A: return rd_of(word) == 0;
	case MBAR: return !register_form && (word & 0xffff) == 4;
	default: return false;
	}
}

static bool return_exists(uint32_t word)
{
	return rd_of(word) == RTSD || rd_of(word) == RTID || rd_of(word) == RTBD || rd_of(word) == RTED;
}

static bool exists(uint32_t word)
{
	unsigned op = op_of(word), fn = fn_of(word);

	if (op < 0x08)
		return fn == 0 || (op == 5 && (fn == 1 || fn == 3));
	if (op < 0x10 || (op >= 0x28 && op < 0x2c))
		return true;
	if (op >= 0x30)
		return op < 0x38 ? access_exists(word) : (op & 3) != 3;
	switch (op) {
	case 0x10: return fn <= 3;
	case 0x11: return fn == 0 || fn == 0x200 || fn == 0x400;
	case 0x12: return fn == 0 || fn == 2;
	case 0x16: return float_exists(fn);
	case 0x13: case 0x18: case 0x1b: return true;	/* streams, muli */
	case 0x19: return barrel_immediate_exists(word);
	case 0x20: case 0x22: case 0x23: return fn == 0 || fn == 0x400;
	case 0x21: return fn == 0;
	case 0x24: return shift_exists(word);
	case 0x25: return special_exists(word);
	case BR: case BRI: return jump_exists(word);
	case BCC: return fn == 0 && (rd_of(word) & 15) <= 5;
	case BCCI: return (rd_of(word) & 15) <= 5;
	case IMM: return (word >> 16 & 0x3ff) == 0;
	case RT: return return_exists(word);
	default: return false;
	}
}

/* --- flow */

static bool is_barrier(uint32_t word)
{
	return op_of(word) == BRI && ra_of(word) == MBAR;
}

static bool is_branch(uint32_t word)
{
	return op_of(word) == BR || op_of(word) == BCC || op_of(word) == RT || op_of(word) == BCCI ||
	       (op_of(word) == BRI && !is_barrier(word));
}

static bool has_slot(uint32_t word)
{
	switch (op_of(word)) {
	case BR: case BRI: return (ra_of(word) & BR_D) != 0;
	case BCC: case BCCI: return (rd_of(word) & BCC_D) != 0;
	default: return true;		/* returns */
	}
}

static void set_jump(uint32_t word, uint64_t addr, uint32_t imm, struct pt_insn *out)
{
	unsigned how = ra_of(word);
	bool direct = op_of(word) == BRI;

	if (how == BRK) {
		out->flow = PT_FLOW_TRAP;
		return;
	}
	if (direct)
		out->target = (how & BR_A) != 0 ? imm : (uint32_t)(addr + imm);
	if ((how & BR_L) != 0)
		out->flow = direct ? PT_FLOW_CALL : PT_FLOW_INDIRECT_CALL;
	else
		out->flow = direct ? PT_FLOW_BRANCH : PT_FLOW_INDIRECT;
}

/* addr: of the branch itself; imm: including the prefix. */
static void set_flow(uint32_t word, uint64_t addr, uint32_t imm, struct pt_insn *out)
{
	switch (op_of(word)) {
	case BR: case BRI:
		set_jump(word, addr, imm, out);
		break;
	case BCCI:
		out->flow = PT_FLOW_BRANCH_IF;
		out->target = (uint32_t)(addr + imm);
		break;
	case BCC:			/* a register has the target, and another the condition */
		out->flow = PT_FLOW_INDIRECT;
		out->conditional = true;
		break;
	default:
		out->flow = rd_of(word) == RTSD ? PT_FLOW_RETURN : PT_FLOW_EXCEPTION_RETURN;
	}
}

static unsigned cycles_of(uint32_t word)
{
	return op_of(word) == 0x12 ? DIVIDE_CYCLES : 1;
}

static uint32_t word_at(const uint8_t *bytes, bool big_endian)
{
	return big_endian ? pt_be32(bytes) : pt_le32(bytes);
}

/* Decodes the branch at word number `at` (1: after an imm). False: not a valid branch. */
static bool decode_branch(uint64_t addr, const uint8_t *bytes, size_t len_bytes, unsigned at, bool big_endian,
			  struct pt_insn *out)
{
	uint32_t word = word_at(bytes + 4 * at, big_endian), slot;
	uint32_t imm = (uint32_t)(int32_t)(int16_t)(word & 0xffff);
	unsigned taken = TAKEN_CYCLES, not_taken = 1;

	if (at > 0)
		imm = word_at(bytes, big_endian) << 16 | (word & 0xffff);
	set_flow(word, addr + 4 * at, imm, out);
	if (has_slot(word)) {
		if (len_bytes < 4 * (at + 2))
			return false;
		slot = word_at(bytes + 4 * (at + 1), big_endian);
		if (!exists(slot) || is_branch(slot) || op_of(slot) == IMM)
			return false;
		taken = TAKEN_CYCLES_WITH_SLOT + cycles_of(slot);
		not_taken = 1 + cycles_of(slot);
	}
	out->len_bytes = (uint8_t)(4 * (at + 1 + has_slot(word)));
	out->instructions = (uint8_t)(out->len_bytes / 4);
	out->taken_cycles = (uint8_t)(at + taken);
	out->cycles = (uint8_t)(out->flow == PT_FLOW_BRANCH_IF ? at + not_taken : at + taken);
	return true;
}

static void decode(uint64_t addr, const uint8_t *bytes, size_t len_bytes, bool big_endian, struct pt_insn *out)
{
	static const struct pt_insn invalid = { .target = PT_UNKNOWN, .len_bytes = 4, .flow = PT_FLOW_INVALID };
	uint32_t word, next;

	*out = invalid;
	if (len_bytes < 4 || !exists(word = word_at(bytes, big_endian)))
		return;
	*out = (struct pt_insn){ .target = PT_UNKNOWN, .len_bytes = 4, .flow = PT_FLOW_NEXT };
	out->cycles = out->taken_cycles = (uint8_t)cycles_of(word);
	if (is_branch(word)) {
		if (!decode_branch(addr, bytes, len_bytes, 0, big_endian, out))
			*out = invalid;
	} else if (op_of(word) == IMM && len_bytes >= 8) {
		next = word_at(bytes + 4, big_endian);
		if (exists(next) && is_branch(next) && (next >> 29 & 1) != 0 &&
		    !decode_branch(addr, bytes, len_bytes, 1, big_endian, out))
			*out = invalid;
	}
}

/* --- other properties */

static bool waits(const uint8_t *bytes, size_t len_bytes, bool big_endian)
{
	uint32_t word = len_bytes >= 4 ? word_at(bytes, big_endian) : 0;

	return exists(word) && is_barrier(word) && (rd_of(word) & 16) != 0;
}

/* True: code makes a frame (addik r1,r1,-n), or a function ends just before: rtsd r15,8 and its slot. */
static bool begins(const uint8_t *before, size_t before_bytes, const uint8_t *bytes, size_t len_bytes, bool big_endian)
{
	uint32_t word = len_bytes >= 4 ? word_at(bytes, big_endian) : 0;

	if ((word & 0xffff8000) == 0x30218000)
		return true;
	return before_bytes >= 8 && word_at(before + before_bytes - 8, big_endian) == 0xb60f0008;
}

static void decode_be(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_insn *out)
{
	decode(addr, bytes, len_bytes, true, out);
}

static void decode_le(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_insn *out)
{
	decode(addr, bytes, len_bytes, false, out);
}

static bool waits_be(const uint8_t *bytes, size_t len_bytes)
{
	return waits(bytes, len_bytes, true);
}

static bool waits_le(const uint8_t *bytes, size_t len_bytes)
{
	return waits(bytes, len_bytes, false);
}

static bool begins_be(const uint8_t *before, size_t before_bytes, const uint8_t *bytes, size_t len_bytes)
{
	return begins(before, before_bytes, bytes, len_bytes, true);
}

static bool begins_le(const uint8_t *before, size_t before_bytes, const uint8_t *bytes, size_t len_bytes)
{
	return begins(before, before_bytes, bytes, len_bytes, false);
}

/* --- vectors hold instructions, not addresses: there is no table */

static uint64_t vector_table(uint64_t found, bool named)
{
	(void)named;
	return found;
}

static uint64_t vector_entry(uint64_t table, unsigned n)
{
	return table + 8 * (uint64_t)n;
}

static uint64_t vector_target(const uint8_t entry[4], unsigned offset)
{
	(void)entry, (void)offset;
	return PT_UNKNOWN;
}

static void vector_name(unsigned n, char *name, size_t room)
{
	static const char *const names[] = { "reset", "user vector", "interrupt", "break", "hardware exception" };

	if (n < PT_LEN(names))
		snprintf(name, room, "%s", names[n]);
	else
		snprintf(name, room, "vector 0x%x", 8 * n);
}

#define MICROBLAZE(order, is_big)						\
	.elf_machine = 189,	/* EM_MICROBLAZE */				\
	.big_endian = is_big,							\
	.unit_bytes = 4,							\
	.most_bytes = 12,	/* imm, branch, slot */				\
	.printed_as_bytes = true,						\
	.timing = "MicroBlaze, local memory, typical latencies (unverified)",	\
	.exception_entry_cycles = ENTRY_CYCLES,					\
	.decode = decode_##order,						\
	.waits = waits_##order,							\
	.begins = begins_##order,						\
	.vector_table = vector_table,						\
	.vector_entry = vector_entry,						\
	.vector_target = vector_target,						\
	.vector_name = vector_name,						\
	.silent_jumps = true

const struct pt_isa pt_isa_microblaze = { .name = "microblaze", MICROBLAZE(be, true) };
const struct pt_isa pt_isa_microblazeel = { .name = "microblazeel", MICROBLAZE(le, false) };
