/* Thumb of the M profile: length and flow of every instruction from Armv6-M to Armv8.1-M, as rows. A program has no
 * instructions that its core lacks, so one table serves all cores; encodings of the A and R profiles only are not
 * instructions. Cycles depend on the core (thumb_v6m.c). Encodings: Arm DDI 0403 (Armv7-M), A5 and A7; Arm DDI 0553
 * (Armv8-M), C2. */
#include "isa/thumb.h"

#include <stdio.h>

#include "base/util.h"

/* How an instruction encodes a direct branch's target. */
enum target {
	NOWHERE, BY_8_BITS, BY_11_BITS, BY_CBZ, BY_20_BITS, BY_24_BITS, LOOP_BACK, LOOP_FORWARD,
};

/* The first row that fits counts. For narrow instructions the second halfword is 0. */
struct row {
	uint32_t mask, value;
	uint8_t flow, target;
	uint16_t except_pc;	/* shift of a register field that must not be 15; 0: none */
};

static const struct row narrow[] = {
	{ 0xff87, 0x4487, PT_FLOW_INDIRECT, NOWHERE, 0 },		/* ADD pc, Rm */
	{ 0xffff, 0x46f7, PT_FLOW_RETURN, NOWHERE, 0 },			/* MOV pc, lr */
	{ 0xff87, 0x4687, PT_FLOW_INDIRECT, NOWHERE, 0 },		/* MOV pc, Rm */
	{ 0xfff8, 0x4770, PT_FLOW_RETURN, NOWHERE, 0 },			/* BX lr; BXNS lr */
	{ 0xff80, 0x4700, PT_FLOW_INDIRECT, NOWHERE, 0 },		/* BX, BXNS */
	{ 0xff80, 0x4780, PT_FLOW_INDIRECT_CALL, NOWHERE, 0 },		/* BLX, BLXNS */
	{ 0xf500, 0xb100, PT_FLOW_BRANCH_IF, BY_CBZ, 0 },		/* CBZ, CBNZ */
	{ 0xff00, 0xbd00, PT_FLOW_RETURN, NOWHERE, 0 },			/* POP {..., pc} */
	{ 0xffc0, 0xba80, PT_FLOW_TRAP, NOWHERE, 0 },			/* HLT of Armv8 */
	{ 0xff00, 0xbe00, PT_FLOW_TRAP, NOWHERE, 0 },			/* BKPT */
	{ 0xfe00, 0xde00, PT_FLOW_TRAP, NOWHERE, 0 },			/* UDF, SVC */
	{ 0xf000, 0xd000, PT_FLOW_BRANCH_IF, BY_8_BITS, 0 },		/* B<cond> */
	{ 0xf800, 0xe000, PT_FLOW_BRANCH, BY_11_BITS, 0 },		/* B */
	{ 0, 0, PT_FLOW_NEXT, NOWHERE, 0 },
};

static const struct row wide[] = {
	/* low-overhead loops of Armv8.1-M; the rest of their encoding space, branch futures, may be a NOP */
	{ 0xfffff001, 0xf00fc001, PT_FLOW_BRANCH_IF, LOOP_BACK, 0 },	/* LE lr, label */
	{ 0xfffff001, 0xf02fc001, PT_FLOW_BRANCH, LOOP_BACK, 0 },	/* LE label */
	{ 0xfffff001, 0xf01fc001, PT_FLOW_BRANCH_IF, LOOP_BACK, 0 },	/* LETP */
	{ 0xfff0f001, 0xf040c001, PT_FLOW_BRANCH_IF, LOOP_FORWARD, 16 },	/* WLS */
	{ 0xffc0f001, 0xf000c001, PT_FLOW_BRANCH_IF, LOOP_FORWARD, 16 },	/* WLSTP */
	{ 0xf800d001, 0xf000c001, PT_FLOW_NEXT, NOWHERE, 0 },
	/* branches and control */
	{ 0xf800d001, 0xf000c000, PT_FLOW_INVALID, NOWHERE, 0 },	/* BLX to Arm code */
	{ 0xf800d000, 0xf000d000, PT_FLOW_CALL, BY_24_BITS, 0 },	/* BL */
	{ 0xf800d000, 0xf0009000, PT_FLOW_BRANCH, BY_24_BITS, 0 },	/* B.W */
	{ 0xfff0f000, 0xf7f0a000, PT_FLOW_TRAP, NOWHERE, 0 },		/* UDF.W */
	{ 0xffe0d000, 0xf7e08000, PT_FLOW_INVALID, NOWHERE, 0 },	/* HVC, SMC */
	{ 0xffe0d000, 0xf3c08000, PT_FLOW_INVALID, NOWHERE, 0 },	/* BXJ, SUBS pc, lr */
	{ 0xfb80d000, 0xf3808000, PT_FLOW_NEXT, NOWHERE, 0 },		/* MSR, MRS, hints, barriers */
	{ 0xf800d000, 0xf0008000, PT_FLOW_BRANCH_IF, BY_20_BITS, 0 },	/* B<cond>.W */
	/* loads of pc */
	{ 0xfff0ffe0, 0xe8d0f000, PT_FLOW_INDIRECT, NOWHERE, 0 },	/* TBB, TBH */
	{ 0xffdf8000, 0xe89d8000, PT_FLOW_RETURN, NOWHERE, 0 },		/* LDM sp, POP.W */
	{ 0xffdf8000, 0xe91d8000, PT_FLOW_RETURN, NOWHERE, 0 },		/* LDMDB sp */
	{ 0xffd08000, 0xe8908000, PT_FLOW_INDIRECT, NOWHERE, 16 },	/* LDM; of pc: CLRM of Armv8.1-M */
	{ 0xffd08000, 0xe9108000, PT_FLOW_INDIRECT, NOWHERE, 16 },	/* LDMDB */
	{ 0xff7ff000, 0xf85ff000, PT_FLOW_INDIRECT, NOWHERE, 0 },	/* LDR pc, literal */
	{ 0xfff0f000, 0xf8d0f000, PT_FLOW_INDIRECT, NOWHERE, 0 },	/* LDR pc, [Rn, #imm] */
	{ 0xffffffff, 0xf85dfb04, PT_FLOW_RETURN, NOWHERE, 0 },		/* LDR pc, [sp], #4: POP {pc} */
	{ 0xfff0f800, 0xf850f800, PT_FLOW_INDIRECT, NOWHERE, 0 },	/* LDR pc, [Rn], #imm and such */
	{ 0xfff0ffc0, 0xf850f000, PT_FLOW_INDIRECT, NOWHERE, 0 },	/* LDR pc, [Rn, Rm] */
	/* BXAUT: a return that authenticates its address */
	{ 0xfff00ff0, 0xfb500f10, PT_FLOW_RETURN, NOWHERE, 0 },
	{ 0, 0, PT_FLOW_NEXT, NOWHERE, 0 },
};

static const struct row *find(const struct row *row, uint32_t insn)
{
	while ((insn & row->mask) != row->value ||
	       (row->except_pc != 0 && (insn >> row->except_pc & 15) == PT_THUMB_PC))
		row++;
	return row;
}

static int32_t sign_extend(uint32_t value, unsigned bits)
{
	uint32_t sign = 1u << (bits - 1);

	return (int32_t)((value ^ sign) - sign);
}

/* Bits from..from+n-1 of insn, moved to bit `at`. */
static uint32_t field(uint32_t insn, unsigned from, unsigned n, unsigned at)
{
	return (insn >> from & ((1u << n) - 1)) << at;
}

/* For short distances J1 and J2 equal the sign, so that the old BL has the same encoding. */
static int32_t by_24_bits(uint32_t insn)
{
	uint32_t s = insn >> 26 & 1, i1 = !((insn >> 13 & 1) ^ s), i2 = !((insn >> 11 & 1) ^ s);

	return sign_extend(s << 24 | i1 << 23 | i2 << 22 | field(insn, 16, 10, 12) | field(insn, 0, 11, 1), 25);
}

static int32_t offset(enum target target, uint32_t insn)
{
	switch (target) {
	case BY_8_BITS:
		return sign_extend(insn & 0xff, 8) * 2;
	case BY_11_BITS:
		return sign_extend(insn & 0x7ff, 11) * 2;
	case BY_CBZ:
		return (int32_t)(field(insn, 9, 1, 6) | field(insn, 3, 5, 1));
	case BY_20_BITS:
		return sign_extend(field(insn, 26, 1, 20) | field(insn, 11, 1, 19) | field(insn, 13, 1, 18) |
					   field(insn, 16, 6, 12) | field(insn, 0, 11, 1),
				   21);
	case BY_24_BITS:
		return by_24_bits(insn);
	case LOOP_BACK:
		return -(int32_t)(field(insn, 1, 10, 2) | field(insn, 11, 1, 1));
	case LOOP_FORWARD:
		return (int32_t)(field(insn, 1, 10, 2) | field(insn, 11, 1, 1));
	default:
		return 0;
	}
}

/* IT: number of following instructions under its condition. AL is unconditional. */
static unsigned block_of(uint16_t op)
{
	if ((op & 0xff00) != 0xbf00 || (op & 15) == 0 || (op >> 4 & 15) >= 14)
		return 0;
	return 4 - (unsigned)__builtin_ctz(op);
}

void pt_thumb_decode(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_insn *out)
{
	const struct row *row;
	uint32_t insn;

	*out = (struct pt_insn){ .target = PT_UNKNOWN, .len_bytes = 2, .flow = PT_FLOW_INVALID };
	if (len_bytes < 2)
		return;
	insn = pt_le16(bytes);
	if (!pt_thumb_is_wide((uint16_t)insn)) {
		row = find(narrow, insn);
		out->conditions = (uint8_t)block_of((uint16_t)insn);
	} else if (len_bytes >= 4) {
		insn = insn << 16 | pt_le16(bytes + 2);
		row = find(wide, insn);
		out->len_bytes = 4;
	} else {
		return;
	}
	out->flow = row->flow;
	out->cycles = out->taken_cycles = row->flow != PT_FLOW_INVALID;
	if (row->target != NOWHERE)	/* pc reads as the address plus 4; it wraps at 4 GiB */
		out->target = (uint32_t)(addr + 4 + (uint64_t)(int64_t)offset(row->target, insn));
}

bool pt_thumb_waits(const uint8_t *bytes, size_t len_bytes)
{
	uint16_t op = len_bytes >= 2 ? pt_le16(bytes) : 0;

	if (op == 0xf3af && len_bytes >= 4)
		return pt_le16(bytes + 2) == 0x8002 || pt_le16(bytes + 2) == 0x8003;	/* WFE.W, WFI.W */
	return op == 0xbf20 || op == 0xbf30;						/* WFE, WFI */
}

/* --- where functions begin */

/* PUSH {..., lr} of both widths, and the instructions of Armv8-M's extensions at a function's start. */
static bool saves_lr(uint16_t op, uint16_t op2)
{
	return op >> 8 == 0xb5 || (op == 0xe92d && (op2 & 0x4000) != 0) || (op == 0xf84d && op2 == 0xed04) ||
	       (op == 0xe97f && op2 == 0xe97f) ||						 /* SG */
	       (op == 0xf3af && (op2 == 0x800d || op2 == 0x800f || op2 == 0x801d)); /* PACBTI, BTI, PAC */
}

/* BX LR, POP {..., pc}, B, and their wide forms. */
static bool ends(uint16_t last_but_one, uint16_t last)
{
	return last == 0x4770 || last >> 8 == 0xbd || last >> 11 == 0x1c ||
	       (last_but_one == 0xe8bd && (last & 0x8000) != 0) || (last_but_one == 0xf85d && last == 0xfb04) ||
	       ((last_but_one & 0xf800) == 0xf000 && (last & 0xd000) == 0x9000);
}

bool pt_thumb_begins(const uint8_t *before, size_t before_bytes, const uint8_t *bytes, size_t len_bytes)
{
	uint16_t op = len_bytes >= 2 ? pt_le16(bytes) : 0, op2 = len_bytes >= 4 ? pt_le16(bytes + 2) : 0;
	uint16_t last[2] = { 0, 0 };

	if (saves_lr(op, op2))
		return true;
	if (before_bytes >= 4 && (pt_le16(before + before_bytes - 2) == 0x46c0 ||
				  pt_le16(before + before_bytes - 2) == 0xbf00))	/* NOP: padding */
		before_bytes -= 2;
	for (size_t i = 0; i < 2 && before_bytes >= 2 * (i + 1); i++)
		last[i] = pt_le16(before + before_bytes - 2 * (i + 1));
	return ends(last[1], last[0]);
}

/* --- vectors. Word n is the handler of exception n with the Thumb bit set. Source: Arm DDI 0403, B1.5.2 and B1.5.3 */

uint64_t pt_thumb_vector_table(uint64_t found, bool named)
{
	(void)named;
	return found;		/* without a symbol: the lowest address, where the core looks after reset */
}

uint64_t pt_thumb_vector_entry(uint64_t table, unsigned n)
{
	return table + 4 * (uint64_t)n;
}

uint64_t pt_thumb_vector_target(const uint8_t entry[4], unsigned offset_bytes)
{
	uint32_t word = pt_le32(entry);

	(void)offset_bytes;
	return (word & 1) != 0 ? word & ~1u : PT_UNKNOWN;
}

void pt_thumb_vector_name(unsigned n, char *name, size_t room)
{
	static const char *const names[PT_THUMB_FIRST_IRQ] = {
		[1] = "Reset", [2] = "NMI", [3] = "HardFault", [4] = "MemManage", [5] = "BusFault",
		[6] = "UsageFault", [7] = "SecureFault", [11] = "SVCall", [12] = "DebugMonitor", [14] = "PendSV",
		[15] = "SysTick",
	};

	if (n >= PT_THUMB_FIRST_IRQ)
		snprintf(name, room, "IRQ%u", n - PT_THUMB_FIRST_IRQ);
	else if (names[n] != NULL)
		snprintf(name, room, "%s", names[n]);
	else
		snprintf(name, room, "#%u", n);
}

/* --- cores without a cycle model */

/* Architecture numbers that this table does not know fit if their profile is M. */
static unsigned fits(const struct pt_arch *arch)
{
	switch (arch->cpu_arch) {
	case PT_ARM_V7E_M: case PT_ARM_V8_M_BASE: case PT_ARM_V8_M_MAIN: case PT_ARM_V8_1_M_MAIN:
		return 2;
	default:
		return arch->cpu_arch >= PT_ARM_V7 && arch->profile == 'M';
	}
}

/* Cortex-M3 and M4 with zero-wait memory; M7 and M33: UNVERIFIED, about the same. Setting exception-entry. Source:
 * Cortex-M4 TRM (100166), 3.9 */
enum { M4_ENTRY_CYCLES = 12 };

const struct pt_isa pt_isa_thumb = {
	.name = "thumb",
	.fits = fits,
	.decode = pt_thumb_decode,
	.n_vectors = PT_THUMB_FIRST_IRQ + 480,
	.unmodelled_entry_cycles = M4_ENTRY_CYCLES,
	PT_THUMB_COMMON
};
