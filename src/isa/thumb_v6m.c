/* Armv6-M Thumb: length, flow and modelled cycles of every instruction.
 * Encodings: Arm DDI 0419, chapters A5 and A6. Cycles: Arm DDI 0484 (Cortex-M0+), instruction set summary, with zero
 * wait states and the fast multiplier. What later Thumb adds is followed where that is easy, so that code for another
 * core of the M profile (pt_isa_thumb) is walked rather than refused: lengths are right, branches with a fixed target
 * are branches. Of those cores there is no cycle model. */
#include <stdio.h>

#include "isa/isa.h"
#include "isa/thumb.h"
#include "base/util.h"

enum { LR = 14, PC = 15, FIRST_IRQ = 16 };
enum { ENTRY_CYCLES = 15, RETURN_CYCLES = 13, TAIL_CHAIN_CYCLES = 6 };	/* the last two UNVERIFIED: config keys */

static void set(struct pt_insn *out, enum pt_flow_class flow, unsigned cycles)
{
	out->flow = (uint8_t)flow;
	out->cycles = out->taken_cycles = (uint8_t)cycles;
}

static void set_target(struct pt_insn *out, uint64_t addr, int32_t offset)
{
	out->target = (uint32_t)(addr + 4 + (int64_t)offset);	/* pc reads as the address plus 4; it wraps at 4 GiB */
}

static int32_t sign_extend(uint32_t value, unsigned bits)
{
	uint32_t sign = 1u << (bits - 1);

	return (int32_t)((value ^ sign) - sign);
}

/* 010001: ADD, CMP, MOV with high registers; BX and BLX. Source: A5.2.3. */
static void special_data(uint16_t op, struct pt_insn *out)
{
	unsigned rm = op >> 3 & 15, rd = (op >> 4 & 8) | (op & 7);

	switch (op >> 8 & 3) {
	case 0:
		set(out, rd == PC ? PT_FLOW_INDIRECT : PT_FLOW_NEXT, rd == PC ? 2 : 1);
		break;
	case 1:
		set(out, PT_FLOW_NEXT, 1);
		break;
	case 2:
		if (rd == PC)
			set(out, rm == LR ? PT_FLOW_RETURN : PT_FLOW_INDIRECT, 2);
		else
			set(out, PT_FLOW_NEXT, 1);
		break;
	default:	/* bits 2:0 select variants of Armv8-M's security extension and go the same way */
		if ((op & 0x80) != 0)
			set(out, PT_FLOW_INDIRECT_CALL, 2);
		else
			set(out, rm == LR ? PT_FLOW_RETURN : PT_FLOW_INDIRECT, 2);
	}
}

/* 1011: stack adjustment, extends, PUSH, POP, hints. Source: A5.2.5. */
static void miscellaneous(uint64_t addr, uint16_t op, struct pt_insn *out)
{
	unsigned n = (unsigned)__builtin_popcount(op & 0xff);

	set(out, PT_FLOW_NEXT, 1);
	switch (op >> 8 & 15) {
	case 0x1: case 0x3: case 0x9: case 0xb:	/* CBZ, CBNZ: not in Armv6-M */
		set(out, PT_FLOW_BRANCH_IF, 1);
		out->taken_cycles = 2;
		set_target(out, addr, (op >> 3 & 0x40) | (op >> 2 & 0x3e));
		break;
	case 0x4:
		set(out, PT_FLOW_NEXT, 1 + n);
		break;
	case 0x5:
		set(out, PT_FLOW_NEXT, 2 + n);	/* lr is one more */
		break;
	case 0xc:
		set(out, PT_FLOW_NEXT, 1 + n);
		break;
	case 0xd:
		set(out, PT_FLOW_RETURN, 3 + n);
		break;
	case 0xa:
		if ((op & 0xc0) == 0x80)	/* between REV16 and REVSH: HLT of Armv8 */
			set(out, PT_FLOW_TRAP, 1);
		break;
	case 0xe:
		set(out, PT_FLOW_TRAP, 1);	/* BKPT */
		break;
	case 0xf:
		if (op == 0xbf20 || op == 0xbf30)
			set(out, PT_FLOW_NEXT, 2);	/* WFE, WFI: plus the sleep */
		break;
	}
}

/* 1101: B<cond>, UDF, SVC. SVC costs what the exception entry costs. Source: A5.2.6. */
static void conditional_branch(uint64_t addr, uint16_t op, struct pt_insn *out)
{
	unsigned cond = op >> 8 & 15;

	if (cond >= 14) {
		set(out, PT_FLOW_TRAP, cond == 14 ? 1 : 0);
		return;
	}
	set(out, PT_FLOW_BRANCH_IF, 1);
	out->taken_cycles = 2;
	set_target(out, addr, sign_extend(op & 0xff, 8) * 2);
}

static void decode16(uint64_t addr, uint16_t op, struct pt_insn *out)
{
	set(out, PT_FLOW_NEXT, 1);
	switch (op >> 12) {
	case 0x4:
		if ((op & 0xfc00) == 0x4400)
			special_data(op, out);
		else if ((op & 0xf800) == 0x4800)
			set(out, PT_FLOW_NEXT, 2);	/* LDR literal */
		break;
	case 0x5: case 0x6: case 0x7: case 0x8: case 0x9:
		set(out, PT_FLOW_NEXT, 2);	/* LDR and STR of all sizes */
		break;
	case 0xb:
		miscellaneous(addr, op, out);
		break;
	case 0xc:
		set(out, PT_FLOW_NEXT, 1 + (unsigned)__builtin_popcount(op & 0xff));	/* LDM, STM */
		break;
	case 0xd:
		conditional_branch(addr, op, out);
		break;
	case 0xe:
		set(out, PT_FLOW_BRANCH, 2);
		set_target(out, addr, sign_extend(op & 0x7ff, 11) * 2);
		break;
	}
}

/* The offset of BL and B.W. Source: A6.7.13. */
static int32_t long_offset(uint16_t op, uint16_t op2)
{
	uint32_t s = op >> 10 & 1, i1 = !((op2 >> 13 & 1) ^ s), i2 = !((op2 >> 11 & 1) ^ s);

	return sign_extend(s << 24 | i1 << 23 | i2 << 22 | (uint32_t)(op & 0x3ff) << 12 | (uint32_t)(op2 & 0x7ff) << 1,
			   25);
}

/* 11110 with bit 15 of the second half: branches and control. In Armv6-M: BL, MSR, MRS, barriers, UDF. */
static void branch32(uint64_t addr, uint16_t op, uint16_t op2, struct pt_insn *out)
{
	uint32_t s = op >> 10 & 1;

	switch (op2 >> 12 & 5) {
	case 5:
		set(out, PT_FLOW_CALL, 3);
		set_target(out, addr, long_offset(op, op2));
		break;
	case 1:
		set(out, PT_FLOW_BRANCH, 2);	/* B.W: not in Armv6-M */
		set_target(out, addr, long_offset(op, op2));
		break;
	case 4:
		set(out, PT_FLOW_INVALID, 0);	/* BLX to Arm state: no M-profile core has it */
		break;
	default:
		if ((op >> 7 & 7) != 7) {	/* B<cond>.W: not in Armv6-M */
			set(out, PT_FLOW_BRANCH_IF, 1);
			out->taken_cycles = 2;
			set_target(out, addr,
				   sign_extend(s << 20 | (uint32_t)(op2 >> 11 & 1) << 19 |
						       (uint32_t)(op2 >> 13 & 1) << 18 | (uint32_t)(op & 0x3f) << 12 |
						       (uint32_t)(op2 & 0x7ff) << 1,
					       21));
		} else if ((op & 0xffe0) == 0xf7e0) {
			set(out, op2 >> 12 == 0xa ? PT_FLOW_TRAP : PT_FLOW_INVALID, 1);	/* UDF.W; HVC, SMC */
		} else {
			set(out, PT_FLOW_NEXT, 3);	/* MSR, MRS, DSB, DMB, ISB */
		}
	}
}

/* Loads into pc of Armv7-M: LDM/POP, LDR, TBB/TBH. From the stack they are returns. */
static void load32(uint16_t op, uint16_t op2, struct pt_insn *out)
{
	unsigned rn = op & 15;
	bool multiple = (op & 0xfe50) == 0xe810, word = (op & 0xff70) == 0xf850;

	set(out, PT_FLOW_NEXT, 2);
	if (multiple && (op2 & 0x8000) != 0)
		set(out, rn == 13 ? PT_FLOW_RETURN : PT_FLOW_INDIRECT, 3 + (unsigned)__builtin_popcount(op2 & 0x7fff));
	else if (multiple)
		set(out, PT_FLOW_NEXT, 1 + (unsigned)__builtin_popcount(op2 & 0x7fff));
	else if (word && op2 >> 12 == PC)
		set(out, rn == 13 ? PT_FLOW_RETURN : PT_FLOW_INDIRECT, 4);
	else if ((op & 0xfff0) == 0xe8d0 && (op2 & 0xffe0) == 0xf000)
		set(out, PT_FLOW_INDIRECT, 4);
}

static void decode32(uint64_t addr, uint16_t op, uint16_t op2, struct pt_insn *out)
{
	set(out, PT_FLOW_NEXT, 1);
	if ((op & 0xf800) == 0xf000) {
		if ((op2 & 0x8000) != 0)
			branch32(addr, op, op2, out);
	} else if ((op & 0xfe00) == 0xe800 || (op & 0xfe00) == 0xf800) {
		load32(op, op2, out);
	}
}

static void decode(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_insn *out)
{
	uint16_t op;

	*out = (struct pt_insn){ .target = PT_UNKNOWN, .len_bytes = 2, .flow = PT_FLOW_INVALID };
	if (len_bytes < 2)
		return;
	op = pt_le16(bytes);
	if (op >> 11 < 0x1d) {
		decode16(addr, op, out);
	} else if (len_bytes >= 4) {
		out->len_bytes = 4;
		decode32(addr, op, pt_le16(bytes + 2), out);
	}
}

static bool waits(const uint8_t *bytes, size_t len_bytes)
{
	return len_bytes >= 2 && (pt_le16(bytes) == 0xbf20 || pt_le16(bytes) == 0xbf30);	/* WFE, WFI */
}

/* --- vectors. Word n is the handler of exception n with the Thumb bit set. Source: Arm DDI 0419, B1.5.2 and B1.5.3 */

static uint64_t vector_table(uint64_t found, bool named)
{
	(void)named;
	return found;		/* where nobody says, the core looks at the lowest address after reset */
}

static uint64_t vector_entry(uint64_t table, unsigned n)
{
	return table + 4 * (uint64_t)n;
}

static uint64_t vector_target(const uint8_t entry[4], unsigned offset)
{
	(void)offset;
	uint32_t word = pt_le32(entry);

	return (word & 1) != 0 ? word & ~1u : PT_UNKNOWN;
}

static void vector_name(unsigned n, char *name, size_t room)
{
	static const char *const names[FIRST_IRQ] = {
		[1] = "Reset", [2] = "NMI", [3] = "HardFault", [11] = "SVCall", [14] = "PendSV", [15] = "SysTick",
	};

	if (n >= FIRST_IRQ)
		snprintf(name, room, "IRQ%u", n - FIRST_IRQ);
	else if (names[n] != NULL)
		snprintf(name, room, "%s", names[n]);
	else
		snprintf(name, room, "#%u", n);
}

/* It saves lr; or what ends a function is in front of it: BX LR, POP {..., PC}, B. */
static bool begins(const uint8_t *before, size_t before_bytes, const uint8_t *bytes, size_t len_bytes)
{
	uint16_t op = len_bytes >= 2 ? pt_le16(bytes) : 0, last = 0;

	if (op >> 8 == 0xb5 || (op == 0xe92d && len_bytes >= 4 && (pt_le16(bytes + 2) & 0x4000) != 0))
		return true;
	if (before_bytes >= 2)
		last = pt_le16(before + before_bytes - 2);
	if ((last == 0x46c0 || last == 0xbf00) && before_bytes >= 4)	/* NOP: padding */
		last = pt_le16(before + before_bytes - 4);
	return last == 0x4770 || last >> 8 == 0xbd || last >> 11 == 0x1c;
}

/* Without a cycle model all instructions count the same (isa.h). */
static void decode_uncosted(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_insn *out)
{
	decode(addr, bytes, len_bytes, out);
	if (out->flow != PT_FLOW_INVALID)
		out->cycles = out->taken_cycles = 1;
}

/* An Arm of which nothing else is known is taken for the core that has the model, unless it is of another profile. */
static unsigned fits_v6m(const struct pt_arch *arch)
{
	if (arch->cpu_arch == PT_ARM_UNKNOWN)
		return arch->profile == 0 || arch->profile == 'M';
	return arch->cpu_arch == PT_ARM_V6_M || arch->cpu_arch == PT_ARM_V6S_M ? 2 : 0;
}

/* Numbers that are younger than this table are of its kind if they say that they are of the M profile. */
static unsigned fits_later(const struct pt_arch *arch)
{
	switch (arch->cpu_arch) {
	case PT_ARM_V7E_M: case PT_ARM_V8_M_BASE: case PT_ARM_V8_M_MAIN: case PT_ARM_V8_1_M_MAIN:
		return 2;
	default:
		return arch->cpu_arch >= PT_ARM_V7 && arch->profile == 'M';
	}
}

#define THUMB							\
	.elf_machine = PT_MACHINE_ARM,				\
	.unit_bytes = 2,					\
	.most_bytes = 4,					\
	.waits = waits,						\
	.begins = begins,					\
	.jump_targets = pt_thumb_jump_targets,			\
	.n_vectors = FIRST_IRQ + 240,				\
	.reset = 1,						\
	.vector_table = vector_table,				\
	.vector_entry = vector_entry,				\
	.vector_target = vector_target,				\
	.vector_name = vector_name,				\
	.stack_in_vectors = true

const struct pt_isa pt_isa_thumb_v6m = {
	.name = "thumb-v6m",
	.fits = fits_v6m,
	.timing = "Cortex-M0+, zero wait states",
	.exception_entry_cycles = ENTRY_CYCLES,
	.exception_return_cycles = RETURN_CYCLES,
	.tail_chain_cycles = TAIL_CHAIN_CYCLES,
	.decode = decode,
	THUMB
};

const struct pt_isa pt_isa_thumb = { .name = "thumb", .fits = fits_later, .decode = decode_uncosted, THUMB };
