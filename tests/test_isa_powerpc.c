/* PowerPC for whoever follows code: which words leave, how, and where to. */
#include "harness.h"
#include "isa/isa.h"

#define AT UINT64_C(0x1000)

/* Words as the GNU assembler makes them. Source: binutils 2.40; Power ISA 2.06, Book I 2.4 */
static const struct { const char *name; uint32_t word; uint64_t target; uint8_t flow; bool conditional; } cases[] = {
	{ "nop", 0x60000000, PT_UNKNOWN, PT_FLOW_NEXT, false },
	{ "mfpmr r3,16", 0x7c70029c, PT_UNKNOWN, PT_FLOW_NEXT, false },
	{ "evstdd", 0x11830321, PT_UNKNOWN, PT_FLOW_NEXT, false },
	{ "isync", 0x4c00012c, PT_UNKNOWN, PT_FLOW_NEXT, false },
	{ "crxor", 0x4cc63182, PT_UNKNOWN, PT_FLOW_NEXT, false },
	{ "b .", 0x48000000, AT, PT_FLOW_BRANCH, false },
	{ "b back", 0x4bffffe4, AT - 0x1c, PT_FLOW_BRANCH, false },
	{ "ba 0x100", 0x48000102, 0x100, PT_FLOW_BRANCH, false },
	{ "ba at the end", 0x4bfffffe, 0xfffffffc, PT_FLOW_BRANCH, false },
	{ "bl +8", 0x48000009, AT + 8, PT_FLOW_CALL, false },
	{ "bla 0x100", 0x48000103, 0x100, PT_FLOW_CALL, false },
	{ "bne -16", 0x4082fff0, AT - 16, PT_FLOW_BRANCH_IF, false },
	{ "bdnz -4", 0x4200fffc, AT - 4, PT_FLOW_BRANCH_IF, false },
	{ "bc 20,0,+16", 0x42800010, AT + 16, PT_FLOW_BRANCH, false },
	{ "beqla 0x200", 0x41820203, 0x200, PT_FLOW_CALL, true },
	{ "bcl 20,31,+4", 0x429f0005, PT_UNKNOWN, PT_FLOW_NEXT, false },
	{ "blr", 0x4e800020, PT_UNKNOWN, PT_FLOW_RETURN, false },
	{ "beqlr", 0x4d820020, PT_UNKNOWN, PT_FLOW_RETURN, true },
	{ "blrl", 0x4e800021, PT_UNKNOWN, PT_FLOW_INDIRECT_CALL, false },
	{ "bctr", 0x4e800420, PT_UNKNOWN, PT_FLOW_INDIRECT, false },
	{ "bctrl", 0x4e800421, PT_UNKNOWN, PT_FLOW_INDIRECT_CALL, false },
	{ "bnectr", 0x4c820420, PT_UNKNOWN, PT_FLOW_INDIRECT, true },
	{ "rfi", 0x4c000064, PT_UNKNOWN, PT_FLOW_EXCEPTION_RETURN, false },
	{ "rfci", 0x4c000066, PT_UNKNOWN, PT_FLOW_EXCEPTION_RETURN, false },
	{ "rfmci", 0x4c00004c, PT_UNKNOWN, PT_FLOW_EXCEPTION_RETURN, false },
	{ "sc", 0x44000002, PT_UNKNOWN, PT_FLOW_TRAP, false },
	{ "trap", 0x7fe00008, PT_UNKNOWN, PT_FLOW_TRAP, false },
	{ "twge r2,r2", 0x7d821008, PT_UNKNOWN, PT_FLOW_NEXT, false },
	{ "twui", 0x0fe00000, PT_UNKNOWN, PT_FLOW_TRAP, false },
	{ "nothing", 0x00000000, PT_UNKNOWN, PT_FLOW_INVALID, false },
	{ "no op-code 19", 0x4c000062, PT_UNKNOWN, PT_FLOW_INVALID, false },
};

START_TEST(decodes)
{
	struct pt_insn insn;
	uint8_t bytes[4];

	pt_put_be32(bytes, cases[_i].word);
	pt_isa_powerpc.decode(AT, bytes, 4, &insn);
	ck_assert_msg(insn.flow == cases[_i].flow && insn.target == cases[_i].target && insn.len_bytes == 4 &&
			      insn.conditional == cases[_i].conditional,
		      "%s: flow %u to %llx", cases[_i].name, insn.flow, (unsigned long long)insn.target);
	pt_isa_powerpc.decode(AT, bytes, 3, &insn);
	ck_assert_int_eq(insn.flow, PT_FLOW_INVALID);
}
END_TEST

START_TEST(knows_the_rest)
{
	static const uint8_t wait[] = { 0x7c, 0, 0, 0x7c }, frame[] = { 0x94, 0x21, 0xff, 0xf0 };
	static const uint8_t blr[] = { 0x4e, 0x80, 0, 0x20 }, nop[] = { 0x60, 0, 0, 0 };
	char name[40];

	ck_assert_ptr_eq(pt_isa_find(&(struct pt_arch){ .elf_machine = 20, .big_endian = true }), &pt_isa_powerpc);
	ck_assert(pt_isa_powerpc.waits(wait, 4) && !pt_isa_powerpc.waits(nop, 4));
	ck_assert(pt_isa_powerpc.begins(NULL, 0, frame, 4));
	ck_assert(pt_isa_powerpc.begins(blr, 4, nop, 4) && !pt_isa_powerpc.begins(nop, 4, nop, 4));
	pt_isa_powerpc.vector_name(35, name, sizeof(name));
	ck_assert_str_eq(name, "performance monitor");
	pt_isa_powerpc.vector_name(20, name, sizeof(name));
	ck_assert_str_eq(name, "IVOR20");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa_powerpc");
	TCase *tc = tcase_create("powerpc");

	tcase_add_loop_test(tc, decodes, 0, PT_LEN(cases));
	tcase_add_test(tc, knows_the_rest);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
