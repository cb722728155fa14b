/* Armv6-M Thumb: the cycles of every instruction on a Cortex-M0+, with zero wait states and the fast multiplier.
 * Instructions that Armv6-M does not have are not modelled: they count as 1 cycle. Source: Arm DDI 0484 (Cortex-M0+),
 * instruction set summary. */
#include "isa/thumb.h"
#include "base/util.h"

enum { ENTRY_CYCLES = 15, RETURN_CYCLES = 13, TAIL_CHAIN_CYCLES = 6 };	/* the last two UNVERIFIED: config keys */

/* Loads, stores and other instructions that continue with the next one. */
static unsigned cycles_of_next(uint16_t op)
{
	unsigned n = (unsigned)__builtin_popcount(op & 0xff);	/* number of registers in a list */

	if (op >> 11 == 9 || (op >> 12 >= 5 && op >> 12 <= 9))	/* LDR literal; LDR and STR of all sizes */
		return 2;
	if (op >> 12 == 0xc || op >> 8 == 0xb4 || op >> 8 == 0xbc)	/* LDM, STM, PUSH, POP */
		return 1 + n;
	if (op >> 8 == 0xb5)					/* PUSH: lr is one more register */
		return 2 + n;
	return op == 0xbf20 || op == 0xbf30 ? 2 : 1;		/* WFE, WFI: plus the sleep */
}

static void set_narrow(uint16_t op, struct pt_insn *out)
{
	unsigned cycles;

	switch (out->flow) {
	case PT_FLOW_NEXT:
		cycles = cycles_of_next(op);
		break;
	case PT_FLOW_BRANCH_IF:
		cycles = 1;
		break;
	case PT_FLOW_TRAP:
		cycles = op >> 8 != 0xdf;		/* SVC: only the exception entry takes time */
		break;
	case PT_FLOW_RETURN:
		cycles = op >> 8 == 0xbd ? 3 + (unsigned)__builtin_popcount(op & 0xff) : 2;
		break;
	default:
		cycles = 2;
	}
	out->cycles = (uint8_t)cycles;
	out->taken_cycles = (uint8_t)(out->flow == PT_FLOW_BRANCH_IF ? 2 : cycles);
}

/* BL, MSR, MRS, DSB, DMB, ISB. */
static void set_wide(uint16_t op, struct pt_insn *out)
{
	if (out->flow == PT_FLOW_CALL || (out->flow == PT_FLOW_NEXT && (op & 0xfb80) == 0xf380))
		out->cycles = out->taken_cycles = 3;
}

static void decode(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_insn *out)
{
	pt_thumb_decode(addr, bytes, len_bytes, out);
	if (out->flow == PT_FLOW_INVALID)
		return;
	if (out->len_bytes == 2)
		set_narrow(pt_le16(bytes), out);
	else
		set_wide(pt_le16(bytes), out);
}

/* An Arm without more information is taken for the core with the model, unless its profile is not M. */
static unsigned fits(const struct pt_arch *arch)
{
	if (arch->cpu_arch == PT_ARM_UNKNOWN)
		return arch->profile == 0 || arch->profile == 'M';
	return arch->cpu_arch == PT_ARM_V6_M || arch->cpu_arch == PT_ARM_V6S_M ? 2 : 0;
}

const struct pt_isa pt_isa_thumb_v6m = {
	.name = "thumb-v6m",
	.fits = fits,
	.timing = "Cortex-M0+, zero wait states",
	.exception_entry_cycles = ENTRY_CYCLES,
	.exception_return_cycles = RETURN_CYCLES,
	.tail_chain_cycles = TAIL_CHAIN_CYCLES,
	.decode = decode,
	.n_vectors = PT_THUMB_FIRST_IRQ + 240,
	PT_THUMB_COMMON
};
