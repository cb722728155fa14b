/* PowerPC of 32 bits, Book E and SPE, big-endian: every instruction is a word. To follow code only branches matter; of
 * other words only the op-code's validity is checked. There is no cycle model: an e500 issues two instructions at a
 * time, which a table cannot model. Source: Power ISA 2.06, Book I 2.4 (branches) and 3.3.11 (traps), Book III-E 4.4;
 * binutils, ppc-opc.c (encodings). */
#include <stdio.h>

#include "isa/isa.h"
#include "base/util.h"

enum { OP_TWI = 3, OP_BC = 16, OP_SC = 17, OP_B = 18, OP_19 = 19, OP_31 = 31 };
enum { XO_BCLR = 16, XO_BCCTR = 528, XO_RFMCI = 38, XO_RFDI = 39, XO_RFI = 50, XO_RFCI = 51, XO_RFGI = 102 };
enum { XO_TW = 4, XO_WAIT = 62, TRAP_ALWAYS = 31 };
enum { LK = 1, AA = 2 };
#define BLR UINT32_C(0x4e800020)

static unsigned op_of(uint32_t word)
{
	return word >> 26;
}

static unsigned xo_of(uint32_t word)
{
	return word >> 1 & 0x3ff;
}

static unsigned bo_of(uint32_t word)
{
	return word >> 21 & 31;
}

/* BO 1z1zz */
static bool is_always(uint32_t word)
{
	return (bo_of(word) & 0x14) == 0x14;
}

/* --- valid op-codes. Op-codes of units that a core may lack count as valid: FPU, AltiVec or SPE, 64 bits */

static bool exists_19(unsigned xo)
{
	static const uint16_t known[] = { 0, XO_BCLR, 33, XO_RFMCI, XO_RFDI, XO_RFI, XO_RFCI, XO_RFGI, 129, 150, 193,
		198, 225, 257, 270, 289, 402, 417, 434, 449, 466, 498, XO_BCCTR };

	for (size_t i = 0; i < PT_LEN(known); i++)
		if (known[i] == xo)
			return true;
	return false;
}

static bool exists(uint32_t word)
{
	switch (op_of(word)) {
	case 0: case 1: case 5: case 6: case 9: case 22: case 56: case 57: case 60: case 61:
		return false;
	case OP_SC:
		return (word & 2) != 0;
	case OP_19:
		return exists_19(xo_of(word));
	default:
		return true;
	}
}

/* --- flow */

static void set_conditional(uint32_t word, uint64_t addr, struct pt_insn *out)
{
	uint64_t target =
		(uint32_t)((uint32_t)(int32_t)(int16_t)(word & 0xfffc) + ((word & AA) != 0 ? 0 : (uint32_t)addr));

	if ((word & LK) != 0 && target == addr + 4)
		return;			/* bcl 20,31,$+4: code gets its own address, not a call */
	out->target = target;
	if ((word & LK) != 0) {
		out->flow = PT_FLOW_CALL;
		out->conditional = !is_always(word);
	} else {
		out->flow = is_always(word) ? PT_FLOW_BRANCH : PT_FLOW_BRANCH_IF;
	}
}

static void set_branch(uint32_t word, uint64_t addr, struct pt_insn *out)
{
	uint32_t far = (word & 0x03fffffc) | ((word & 0x02000000) != 0 ? 0xfc000000 : 0);

	out->target = (uint32_t)(far + ((word & AA) != 0 ? 0 : (uint32_t)addr));
	out->flow = (word & LK) != 0 ? PT_FLOW_CALL : PT_FLOW_BRANCH;
}

static void set_register_branch(uint32_t word, struct pt_insn *out)
{
	switch (xo_of(word)) {
	case XO_BCLR:
		out->flow = (word & LK) != 0 ? PT_FLOW_INDIRECT_CALL : PT_FLOW_RETURN;
		out->conditional = !is_always(word);
		break;
	case XO_BCCTR:
		out->flow = (word & LK) != 0 ? PT_FLOW_INDIRECT_CALL : PT_FLOW_INDIRECT;
		out->conditional = !is_always(word);
		break;
	case XO_RFI: case XO_RFCI: case XO_RFDI: case XO_RFMCI: case XO_RFGI:
		out->flow = PT_FLOW_EXCEPTION_RETURN;
		break;
	default:		/* on condition registers; isync */
		break;
	}
}

/* True: a system call, or an unconditional trap. A conditional trap is taken for an assertion that holds: execution
 * goes on. */
static bool traps(uint32_t word)
{
	if (op_of(word) == OP_SC)
		return true;
	return (op_of(word) == OP_TWI || (op_of(word) == OP_31 && xo_of(word) == XO_TW)) && bo_of(word) == TRAP_ALWAYS;
}

static void decode(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_insn *out)
{
	uint32_t word = len_bytes >= 4 ? pt_be32(bytes) : 0;

	*out = (struct pt_insn){ .target = PT_UNKNOWN, .len_bytes = 4, .flow = PT_FLOW_INVALID };
	if (!exists(word))
		return;
	out->flow = PT_FLOW_NEXT;
	out->cycles = out->taken_cycles = 1;
	if (op_of(word) == OP_B)
		set_branch(word, addr, out);
	else if (op_of(word) == OP_BC)
		set_conditional(word, addr, out);
	else if (op_of(word) == OP_19)
		set_register_branch(word, out);
	else if (traps(word))
		out->flow = PT_FLOW_TRAP;
}

/* --- other properties */

/* The instruction wait of e500mc and later. On e500v1 and v2 a core sleeps by a bit in MSR, which the instruction does
 * not show. */
static bool waits(const uint8_t *bytes, size_t len_bytes)
{
	uint32_t word = len_bytes >= 4 ? pt_be32(bytes) : 0;

	return op_of(word) == OP_31 && xo_of(word) == XO_WAIT;
}

/* True: code makes a frame (stwu r1,-n(r1)), or a function ends just before. */
static bool begins(const uint8_t *before, size_t before_bytes, const uint8_t *bytes, size_t len_bytes)
{
	uint32_t word = len_bytes >= 4 ? pt_be32(bytes) : 0;

	if ((word & 0xffff8000) == 0x94218000)
		return true;
	return before_bytes >= 4 && pt_be32(before + before_bytes - 4) == BLR;
}

/* --- vectors are addresses in registers (IVPR, IVORn), and hold instructions: there is no table */

enum { VECTORS = 42 };

static uint64_t vector_table(uint64_t found, bool named)
{
	(void)named;
	return found;
}

static uint64_t vector_entry(uint64_t table, unsigned n)
{
	return table + 4 * (uint64_t)n;
}

static uint64_t vector_target(const uint8_t entry[4], unsigned offset)
{
	(void)entry, (void)offset;
	return PT_UNKNOWN;
}

/* Source: E500CORERM Rev. 1, Table 5-2; from 36 on Power ISA 2.06, Book III-E */
static void vector_name(unsigned n, char *name, size_t room)
{
	static const char *const names[VECTORS] = {
		"critical input", "machine check", "data storage", "instruction storage", "external input",
		"alignment", "program", "FP unavailable", "system call", "AP unavailable", "decrementer",
		"fixed-interval timer", "watchdog", "data TLB error", "instruction TLB error", "debug",
		[32] = "SPE unavailable", "SPE FP data", "SPE FP round", "performance monitor", "doorbell",
		"critical doorbell", "guest doorbell", "guest critical doorbell", "hypervisor call",
		"hypervisor privilege",
	};

	if (n < VECTORS && names[n] != NULL)
		snprintf(name, room, "%s", names[n]);
	else
		snprintf(name, room, "IVOR%u", n);
}

const struct pt_isa pt_isa_powerpc = {
	.name = "powerpc",
	.elf_machine = 20,	/* EM_PPC */
	.big_endian = true,
	.unit_bytes = 4,
	.most_bytes = 4,
	.decode = decode,
	.waits = waits,
	.begins = begins,
	.n_vectors = 0,
	.vector_table = vector_table,
	.vector_entry = vector_entry,
	.vector_target = vector_target,
	.vector_name = vector_name,
};
