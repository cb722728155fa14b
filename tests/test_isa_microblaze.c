/* MicroBlaze for whoever follows code: lengths, classes, targets and cycles of branches with what belongs to them. */
#include <string.h>

#include "harness.h"
#include "isa/isa.h"

#define AT UINT64_C(0x1000)
#define NOP 0x80000000u
#define IMM(high) (0xb0000000u | (high))

static const struct { const char *name; uint32_t word[3]; struct pt_insn want; } cases[] = {
	{ "addik", { 0x30600001, NOP }, { PT_UNKNOWN, 4, PT_FLOW_NEXT, 1, 1, .instructions = 0 } },
	{ "idiv", { 0x48642800 }, { PT_UNKNOWN, 4, PT_FLOW_NEXT, 32, 32, .instructions = 0 } },
	{ "imm and addik", { IMM(0x1234), 0x30605678 }, { PT_UNKNOWN, 4, PT_FLOW_NEXT, 1, 1, .instructions = 0 } },
	{ "bri", { 0xb8000010 }, { AT + 16, 4, PT_FLOW_BRANCH, 3, 3, .instructions = 1 } },
	{ "bri back", { 0xb800fff0 }, { AT - 16, 4, PT_FLOW_BRANCH, 3, 3, .instructions = 1 } },
	{ "brai", { 0xb8080100 }, { 0x100, 4, PT_FLOW_BRANCH, 3, 3, .instructions = 1 } },
	{ "brid", { 0xb8100010, NOP }, { AT + 16, 8, PT_FLOW_BRANCH, 3, 3, .instructions = 2 } },
	{ "brlid", { 0xb9f40010, NOP }, { AT + 16, 8, PT_FLOW_CALL, 3, 3, .instructions = 2 } },
	{ "far brlid", { IMM(0x9000), 0xb9f40010, NOP },
	  { 0x90000000 + AT + 20, 12, PT_FLOW_CALL, 4, 4, .instructions = 3 } },
	{ "far brai", { IMM(0x9000), 0xb8088010 }, { 0x90008010, 8, PT_FLOW_BRANCH, 4, 4, .instructions = 2 } },
	{ "bralid", { 0xb9fc0200, NOP }, { 0x200, 8, PT_FLOW_CALL, 3, 3, .instructions = 2 } },
	{ "brald", { 0x99fc3000, NOP }, { PT_UNKNOWN, 8, PT_FLOW_INDIRECT_CALL, 3, 3, .instructions = 2 } },
	{ "bra", { 0x98082800 }, { PT_UNKNOWN, 4, PT_FLOW_INDIRECT, 3, 3, .instructions = 1 } },
	{ "beqi", { 0xbc030010 }, { AT + 16, 4, PT_FLOW_BRANCH_IF, 1, 3, .instructions = 1 } },
	{ "bneid", { 0xbe23fffc, NOP }, { AT - 4, 8, PT_FLOW_BRANCH_IF, 2, 3, .instructions = 2 } },
	{ "bneid with idiv", { 0xbe23fffc, 0x48642800 }, { AT - 4, 8, PT_FLOW_BRANCH_IF, 33, 34, .instructions = 2 } },
	{ "beq", { 0x9c032800 }, { PT_UNKNOWN, 4, PT_FLOW_INDIRECT, 3, 3, true, .instructions = 1 } },
	{ "rtsd", { 0xb60f0008, NOP }, { PT_UNKNOWN, 8, PT_FLOW_RETURN, 3, 3, .instructions = 2 } },
	{ "rtid", { 0xb62e0000, NOP }, { PT_UNKNOWN, 8, PT_FLOW_EXCEPTION_RETURN, 3, 3, .instructions = 2 } },
	{ "rtbd", { 0xb6500000, NOP }, { PT_UNKNOWN, 8, PT_FLOW_EXCEPTION_RETURN, 3, 3, .instructions = 2 } },
	{ "rted", { 0xb6910000, NOP }, { PT_UNKNOWN, 8, PT_FLOW_EXCEPTION_RETURN, 3, 3, .instructions = 2 } },
	{ "brki", { 0xba0c0018 }, { PT_UNKNOWN, 4, PT_FLOW_TRAP, 3, 3, .instructions = 1 } },
	{ "mbar", { 0xb8020004 }, { PT_UNKNOWN, 4, PT_FLOW_NEXT, 1, 1, .instructions = 0 } },
	{ "nothing", { 0xffffffff }, { PT_UNKNOWN, 4, PT_FLOW_INVALID, .instructions = 0 } },
	{ "a branch in a slot", { 0xb8100010, 0xb8000010 }, { PT_UNKNOWN, 4, PT_FLOW_INVALID, .instructions = 0 } },
	{ "imm in a slot", { 0xb8100010, IMM(1) }, { PT_UNKNOWN, 4, PT_FLOW_INVALID, .instructions = 0 } },
};

static void put(uint8_t *bytes, uint32_t word, bool big_endian)
{
	if (big_endian)
		pt_put_be32(bytes, word);
	else
		pt_put_le32(bytes, word);
}

static bool same(const struct pt_insn *a, const struct pt_insn *b)
{
	return a->target == b->target && a->len_bytes == b->len_bytes && a->flow == b->flow && a->cycles == b->cycles &&
	       a->taken_cycles == b->taken_cycles && a->conditional == b->conditional &&
	       a->instructions == b->instructions;
}

START_TEST(decodes)
{
	const struct pt_isa *isa = _i % 2 == 0 ? &pt_isa_microblaze : &pt_isa_microblazeel;
	size_t row = (size_t)_i / 2;
	uint8_t bytes[12];
	struct pt_insn got;

	for (size_t i = 0; i < 3; i++)
		put(bytes + 4 * i, cases[row].word[i], isa->big_endian);
	isa->decode(AT, bytes, sizeof(bytes), &got);
	ck_assert_msg(same(&got, &cases[row].want), "%s: %u bytes, class %u, target 0x%llx, %u and %u cycles",
		      cases[row].name, got.len_bytes, got.flow, (unsigned long long)got.target, got.cycles,
		      got.taken_cycles);
	for (size_t len = 0; len < got.len_bytes; len++) {	/* cut anywhere it is none, or one that is shorter */
		isa->decode(AT, bytes, len, &got);
		ck_assert(got.flow == PT_FLOW_INVALID || got.len_bytes <= len);
	}
}
END_TEST

START_TEST(is_found_by_machine_and_order)
{
	struct pt_arch arch = { .elf_machine = 189, .big_endian = true };

	ck_assert_ptr_eq(pt_isa_find(&arch), &pt_isa_microblaze);
	arch.big_endian = false;
	ck_assert_ptr_eq(pt_isa_find(&arch), &pt_isa_microblazeel);
}
END_TEST

START_TEST(waits_and_begins)
{
	uint8_t bytes[12];

	put(bytes, 0xba020004, true);
	ck_assert(pt_isa_microblaze.waits(bytes, 4));
	put(bytes, 0xb8020004, true);
	ck_assert(!pt_isa_microblaze.waits(bytes, 4));
	put(bytes, 0x3021fff8, false);
	ck_assert(pt_isa_microblazeel.begins(NULL, 0, bytes, 4));
	put(bytes, 0xb60f0008, false);
	put(bytes + 4, NOP, false);
	put(bytes + 8, NOP, false);
	ck_assert(pt_isa_microblazeel.begins(bytes, 8, bytes + 8, 4));
	ck_assert(!pt_isa_microblazeel.begins(bytes, 4, bytes + 8, 4));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa_microblaze");
	TCase *tc = tcase_create("decode");

	tcase_add_loop_test(tc, decodes, 0, 2 * PT_LEN(cases));
	tcase_add_test(tc, is_found_by_machine_and_order);
	tcase_add_test(tc, waits_and_begins);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
