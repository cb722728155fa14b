/* S12Z for following code. Source of the rows: binutils' gas/testsuite/gas/s12z, and the encoding tables by hand. */
#include <string.h>

#include "harness.h"
#include "isa/isa.h"
#include "probes/virtual/cpu/s12z/decode.h"

#define AT 0xff8000u
#define NONE PT_UNKNOWN

enum { DOUBTFUL = 0x80 };

static const struct {
	const char *text;
	uint8_t byte[12];
	unsigned len, flow;	/* enum pt_flow_class, DOUBTFUL */
	uint64_t target;
} cases[] = {
	/* as the assembler's own tests have them */
	{ "bra +15", { 0x20, 0x80, 0x0f }, 3, PT_FLOW_BRANCH, AT + 15 },
	{ "bsr -3", { 0x21, 0xff, 0xfd }, 3, PT_FLOW_CALL, AT - 3 },
	{ "bhi -6", { 0x22, 0xff, 0xfa }, 3, PT_FLOW_BRANCH_IF, AT - 6 },
	{ "bra +2", { 0x20, 0x02 }, 2, PT_FLOW_BRANCH, AT + 2 },
	{ "bra -4", { 0x20, 0x7c }, 2, PT_FLOW_BRANCH, AT - 4 },
	{ "brset.w 0x1004, d4, +6", { 0x03, 0xa5, 0x10, 0x04, 0x06 }, 5, PT_FLOW_BRANCH_IF, AT + 6 },
	{ "brset d1, #4, +18", { 0x03, 0x65, 0x12 }, 3, PT_FLOW_BRANCH_IF, AT + 18 },
	{ "jsr d2", { 0xab, 0xb8 }, 2, PT_FLOW_INDIRECT_CALL, NONE },
	{ "jsr (2,y)", { 0xab, 0x52 }, 2, PT_FLOW_INDIRECT_CALL, NONE },
	{ "jsr (d3,x)", { 0xab, 0x89 }, 2, PT_FLOW_INDIRECT_CALL, NONE },
	{ "jsr (30,d6)", { 0xab, 0x86, 0x00, 0x1e }, 4, PT_FLOW_INDIRECT_CALL, NONE },
	{ "jsr (93,p)", { 0xab, 0xf0, 0x5d }, 3, PT_FLOW_INDIRECT_CALL | DOUBTFUL, AT + 93 },
	{ "jsr [45,y]", { 0xab, 0xd4, 0x2d }, 3, PT_FLOW_INDIRECT_CALL, NONE },
	{ "jsr 12", { 0xab, 0x00, 0x0c }, 3, PT_FLOW_CALL | DOUBTFUL, 12 },
	{ "jsr 4021", { 0xab, 0x0f, 0xb5 }, 3, PT_FLOW_CALL | DOUBTFUL, 4021 },
	{ "jsr 114321", { 0xab, 0xf9, 0xbe, 0x91 }, 4, PT_FLOW_CALL | DOUBTFUL, 114321 },
	{ "jsr [492134]", { 0xab, 0xfe, 0x07, 0x82, 0x66 }, 5, PT_FLOW_INDIRECT_CALL, NONE },
	{ "lsr d0, d3, d5", { 0x14, 0x11, 0xbb }, 3, PT_FLOW_NEXT, NONE },
	{ "asr d1, d4, #13", { 0x15, 0x9a, 0x76 }, 3, PT_FLOW_NEXT, NONE },
	{ "asr d1, d0, #1", { 0x15, 0x84 }, 2, PT_FLOW_NEXT, NONE },
	{ "a shift of an operand by 1 or 2", { 0x17, 0x68, 0xfb }, 3, PT_FLOW_NEXT, NONE },
	{ "lsr.w (+y), #2", { 0x10, 0x3d, 0xf3 }, 3, PT_FLOW_NEXT, NONE },
	{ "asl d7, #1", { 0x10, 0xf4, 0xbf }, 3, PT_FLOW_NEXT, NONE },
	/* by hand from the tables */
	{ "dbne d2, -3", { 0x0b, 0x80, 0x7d }, 3, PT_FLOW_BRANCH_IF, AT - 3 },
	{ "tbeq.b 0x1004, +10", { 0x0b, 0x1c, 0x10, 0x04, 0x0a }, 5, PT_FLOW_BRANCH_IF, AT + 10 },
	{ "brset.b 0x001004, #3, +32", { 0x03, 0xb0, 0xfa, 0x00, 0x10, 0x04, 0x80, 0x20 }, 8, PT_FLOW_BRANCH_IF, AT + 32 },
	{ "rti", { 0x1b, 0x90 }, 2, PT_FLOW_EXCEPTION_RETURN, NONE },
	{ "rts", { 0x05 }, 1, PT_FLOW_RETURN, NONE },
	{ "jmp 0xff8000", { 0xba, 0xff, 0x80, 0x00 }, 4, PT_FLOW_BRANCH, 0xff8000 },
	{ "jsr 0xff8100", { 0xbb, 0xff, 0x81, 0x00 }, 4, PT_FLOW_CALL, 0xff8100 },
	{ "swi", { 0xff }, 1, PT_FLOW_TRAP, NONE },
	{ "stop", { 0x1b, 0x05 }, 2, PT_FLOW_NEXT, NONE },
	{ "wai", { 0x1b, 0x06 }, 2, PT_FLOW_NEXT, NONE },
	{ "sys", { 0x1b, 0x07 }, 2, PT_FLOW_TRAP, NONE },
	{ "trap #$92", { 0x1b, 0x92 }, 2, PT_FLOW_TRAP, NONE },
	{ "trap #$ff", { 0x1b, 0xff }, 2, PT_FLOW_TRAP, NONE },
	{ "spare", { 0xef }, 1, PT_FLOW_TRAP, NONE },
	{ "bgnd", { 0x00 }, 1, PT_FLOW_TRAP, NONE },
	{ "nop", { 0x01 }, 1, PT_FLOW_NEXT, NONE },
	{ "ld s, #0x001fff", { 0x1b, 0x03, 0x00, 0x1f, 0xff }, 5, PT_FLOW_NEXT, NONE },
	{ "mov.w #0x1234, 0x1004", { 0x0d, 0x12, 0x34, 0x10, 0x04 }, 5, PT_FLOW_NEXT, NONE },
	{ "mov.b 0x1004, 0x1005", { 0x1c, 0x10, 0x04, 0x10, 0x05 }, 5, PT_FLOW_NEXT, NONE },
	{ "ld d2, #", { 0x90, 0x12, 0x34 }, 3, PT_FLOW_NEXT, NONE },
	{ "ld d0, #", { 0x94, 0x05 }, 2, PT_FLOW_NEXT, NONE },
	{ "ld d6, #", { 0x96, 0x00, 0x00, 0x00, 0x01 }, 5, PT_FLOW_NEXT, NONE },
	{ "bset.b 0x1004, #3", { 0xed, 0xb0, 0x10, 0x04 }, 4, PT_FLOW_NEXT, NONE },
	{ "bset d0, #1: no operand", { 0xed, 0x14 }, 2, PT_FLOW_NEXT, NONE },
	{ "bfext, registers", { 0x1b, 0x08, 0x20, 0x05 }, 4, PT_FLOW_NEXT, NONE },
	{ "bfext, all in registers", { 0x1b, 0x08, 0x00 }, 3, PT_FLOW_NEXT, NONE },
	{ "bfext, an operand", { 0x1b, 0x08, 0x40, 0x10, 0x04 }, 5, PT_FLOW_NEXT, NONE },
	{ "bfins, an operand, constants", { 0x1b, 0x08, 0x60, 0x05, 0xfa, 0, 0, 1 }, 8, PT_FLOW_NEXT, NONE },
	{ "mul, registers", { 0x48, 0x01 }, 2, PT_FLOW_NEXT, NONE },
	{ "mul, a constant of 4 bytes", { 0x48, 0x47, 0, 0, 0, 1 }, 6, PT_FLOW_NEXT, NONE },
	{ "mul, an operand", { 0x48, 0x41, 0xfa, 0, 0, 1 }, 6, PT_FLOW_NEXT, NONE },
	{ "mul, two operands", { 0x48, 0x42, 0xfa, 0, 0, 1, 0x52 }, 7, PT_FLOW_NEXT, NONE },
	{ "div on page 2", { 0x1b, 0x30, 0x45, 0x12, 0x34 }, 5, PT_FLOW_NEXT, NONE },
	{ "the longest: asl d2, 4 bytes, 4 bytes",
	  { 0x10, 0x30, 0xfa, 0, 0x10, 0, 0xfa, 0, 0x10, 4 }, 10, PT_FLOW_NEXT, NONE },
	{ "ld x, #18 bits", { 0xca, 0x12, 0x34 }, 3, PT_FLOW_NEXT, NONE },
	{ "lea s, (s8, s)", { 0x1a, 0xf0 }, 2, PT_FLOW_NEXT, NONE },
	{ "jmp (-2,p): two bytes back", { 0xaa, 0xf1, 0xfe }, 3, PT_FLOW_INDIRECT | DOUBTFUL, AT - 2 },
	{ "jmp (o24,p)", { 0xaa, 0xf2, 0x00, 0x10, 0x00 }, 5, PT_FLOW_INDIRECT | DOUBTFUL, AT + 0x1000 },
	{ "jmp [s9,p]: through memory", { 0xaa, 0xf4, 0x10 }, 3, PT_FLOW_INDIRECT, NONE },
	{ "jmp ext18 above 0x20000", { 0xaa, 0xfc, 0x12, 0x34 }, 4, PT_FLOW_BRANCH | DOUBTFUL, 0x21234 },
	{ "jmp ext24", { 0xaa, 0xfa, 0xff, 0x12, 0x34 }, 5, PT_FLOW_BRANCH | DOUBTFUL, 0xff1234 },
	{ "jmp #1: a constant is no address", { 0xaa, 0x71 }, 2, PT_FLOW_INDIRECT, NONE },
	{ "a branch that wraps", { 0x20, 0xbf, 0xff }, 3, PT_FLOW_BRANCH, (AT + 0x3fff) & 0xffffff },
};

static void check_case(size_t i, struct pt_insn got)
{
	const char *text = cases[i].text;

	ck_assert_msg(got.len_bytes == cases[i].len, "%s: %u bytes", text, got.len_bytes);
	ck_assert_msg(got.flow == (cases[i].flow & 15), "%s: flow %u", text, got.flow);
	ck_assert_msg(got.doubtful == ((cases[i].flow & DOUBTFUL) != 0), "%s: doubt", text);
	ck_assert_msg(got.target == cases[i].target, "%s: to 0x%llx", text, (unsigned long long)got.target);
}

START_TEST(decodes_case)
{
	struct pt_insn got;

	pt_isa_s12z.decode(AT, cases[_i].byte, sizeof(cases[_i].byte), &got);
	check_case((size_t)_i, got);
	pt_isa_s12z.decode(AT, cases[_i].byte, cases[_i].len, &got);
	check_case((size_t)_i, got);
	for (size_t len = 0; len < cases[_i].len; len++) {	/* cut anywhere it is none */
		pt_isa_s12z.decode(AT, cases[_i].byte, len, &got);
		ck_assert_msg(got.flow == PT_FLOW_INVALID && got.len_bytes == 1, "%s cut to %zu", cases[_i].text, len);
	}
}
END_TEST

static bool is_bounded(const struct pt_insn *got)
{
	bool direct = got->flow == PT_FLOW_BRANCH || got->flow == PT_FLOW_CALL || got->flow == PT_FLOW_BRANCH_IF;

	return got->flow != PT_FLOW_INVALID && got->len_bytes >= 1 && got->len_bytes <= pt_isa_s12z.most_bytes &&
	       (direct || got->doubtful ? got->target <= 0xffffff : got->target == PT_UNKNOWN);
}

/* All first two bytes, followed by any byte: bounded, and it has a target where its class says so. */
START_TEST(all_are_bounded)
{
	uint8_t bytes[12];
	struct pt_insn got;

	for (unsigned op = 0; op < 65536; op++)
		for (unsigned rest = 0; rest < 256; rest += 5) {
			memset(bytes, (int)rest, sizeof(bytes));
			bytes[0] = (uint8_t)(op >> 8);
			bytes[1] = (uint8_t)op;
			pt_isa_s12z.decode(AT, bytes, sizeof(bytes), &got);
			if (!is_bounded(&got))
				ck_abort_msg("%04x %02x...: %u bytes, flow %u", op, rest, got.len_bytes, got.flow);
		}
}
END_TEST

/* Where the virtual CPU says that it goes. */
static uint64_t target_of(const struct op *op)
{
	switch ((enum op_kind)op->kind) {
	case OP_BRA: case OP_BSR: case OP_BCC: case OP_JMP_EXT: case OP_JSR_EXT: case OP_LOOP:
		return op->imm;
	case OP_BRCLR: case OP_BRSET:
		return op->b.value;
	case OP_JMP: case OP_JSR:
		return op->a.mode == AT_ADDR || op->a.mode == AT_P ? op->a.value : PT_UNKNOWN;
	default:
		return PT_UNKNOWN;
	}
}

/* The virtual CPU's decoder was written apart from ours, and objdump is asked whether it is right (tests/system/
 * test_s12z_objdump): all first two bytes, each with a few of what can follow, must read the same. */
START_TEST(the_virtual_cpu_reads_the_same)
{
	uint8_t bytes[16];
	uint32_t dice = 1;
	struct pt_insn got;

	for (uint32_t i = 0; i < 65536 * 24; i++) {
		struct op want;

		bytes[0] = (uint8_t)(i >> 8);
		bytes[1] = (uint8_t)i;
		for (size_t k = 2; k < sizeof(bytes); k++) {
			dice = dice * 1664525 + 1013904223;
			bytes[k] = (uint8_t)(dice >> 24);
		}
		want = pt_z_decode(AT, bytes, sizeof(bytes));
		pt_isa_s12z.decode(AT, bytes, sizeof(bytes), &got);
		if (got.len_bytes != want.n_bytes || got.target != target_of(&want))
			ck_abort_msg("%02x %02x %02x %02x %02x: %u and %u bytes, to 0x%llx and 0x%llx", bytes[0],
				     bytes[1], bytes[2], bytes[3], bytes[4], got.len_bytes, want.n_bytes,
				     (unsigned long long)got.target, (unsigned long long)target_of(&want));
	}
}
END_TEST

static const struct { uint8_t byte[2]; size_t len; bool want; } waiting[] = {
	{ { 0x1b, 0x05 }, 2, true }, { { 0x1b, 0x06 }, 2, true }, { { 0x1b, 0x07 }, 2, false },
	{ { 0x1b, 0x05 }, 1, false }, { { 0x01, 0x05 }, 2, false },
};

START_TEST(tells_what_waits)
{
	ck_assert_int_eq(pt_isa_s12z.waits(waiting[_i].byte, waiting[_i].len), waiting[_i].want);
}
END_TEST

/* Source: the vendor's headers; number n is at 0xfffffc - 4n. */
/* A switch as people write it, and one through addresses: at 0xff8000, in a function that ends at 0xff8040. */
static const struct { const char *name; uint8_t code[48]; uint64_t jump, before[2]; size_t n; uint64_t targets[3]; } switches[] = {
	{ "a row of jumps behind LEA X", { 0x08, 0xf0, 0x05, 0xaa, 0x88, 0xba, 0xff, 0x80, 0x20, 0xba, 0xff, 0x80, 0x22, 0x05 },
	  0xff8003, { 0xff8000 }, 2, { 0xff8005, 0xff8009 } },
	{ "behind LD Y", { 0x99, 0xff, 0x80, 0x06, 0xaa, 0x9a, 0xba, 0xff, 0x80, 0x20, 0x05 }, 0xff8004, { 0xff8000 }, 1, { 0xff8006 } },
	{ "a row of addresses", { 0x08, 0xfa, 0xff, 0x80, 0x07, 0xaa, 0xc8, 0xff, 0x80, 0x10, 0xff, 0x80, 0x12, 0x12, 0x34, 0x56 },
	  0xff8005, { 0xff8000 }, 2, { 0xff8010, 0xff8012 } },
	{ "X of the other register", { 0x09, 0xf0, 0x05, 0xaa, 0x88, 0xba, 0xff, 0x80, 0x20 }, 0xff8003, { 0xff8000 }, 0, { 0 } },
	{ "X from memory", { 0x08, 0x41, 0x01, 0xaa, 0x88, 0xba, 0xff, 0x80, 0x20 }, 0xff8003, { 0xff8000 }, 0, { 0 } },
	{ "a call is none", { 0x08, 0xf0, 0x05, 0xab, 0x88, 0xba, 0xff, 0x80, 0x20 }, 0xff8003, { 0xff8000 }, 0, { 0 } },
	{ "the table lies elsewhere", { 0x08, 0xfa, 0xfe, 0x00, 0x00, 0xaa, 0x88, 0xba }, 0xff8005, { 0xff8000 }, 0, { 0 } },
};

static const uint8_t *bytes_of_switch(const void *arg, uint64_t addr, size_t len_bytes)
{
	return addr >= 0xff8000 && addr + len_bytes <= 0xff8000 + sizeof(switches[0].code)
		       ? (const uint8_t *)arg + (addr - 0xff8000)
		       : NULL;
}

START_TEST(follows_a_switch)
{
	struct pt_isa_jump jump = {
		.addr = switches[_i].jump, .before = switches[_i].before, .n_before = 1, .from = 0xff8000,
		.to = 0xff8040,
		.bytes = bytes_of_switch, .arg = switches[_i].code,
	};
	uint64_t targets[8];
	size_t n = pt_isa_s12z.jump_targets(&jump, targets, 8);

	ck_assert_msg(n == switches[_i].n, "%s: %zu targets", switches[_i].name, n);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(targets[i], switches[_i].targets[i]);
	ck_assert_uint_le(pt_isa_s12z.jump_targets(&jump, targets, 1), 1);
}
END_TEST

START_TEST(has_vectors)
{
	static const uint8_t entry[4] = { 0x00, 0xff, 0x81, 0x23 }, erased[4] = { 0xff, 0xff, 0xff, 0xff }, empty[4] = { 0 };
	char name[24];

	ck_assert_uint_eq(pt_isa_s12z.vector_table(0xff0000, false), 0xfffe00);
	ck_assert_uint_eq(pt_isa_s12z.vector_table(0xfffe10, true), 0xfffe00);
	ck_assert_uint_eq(pt_isa_s12z.vector_table(0x1e10, true), 0x1e00);
	ck_assert_uint_eq(pt_isa_s12z.vector_entry(0xfffe00, 0), 0xfffffc);
	ck_assert_uint_eq(pt_isa_s12z.vector_entry(0xfffe00, 10), 0xffffd4);
	ck_assert_uint_eq(pt_isa_s12z.vector_target(entry, 1), 0xff8123);
	ck_assert_uint_eq(pt_isa_s12z.vector_target(entry, 0), 0x00ff81);
	ck_assert_uint_eq(pt_isa_s12z.vector_offset, 1);
	ck_assert_uint_eq(pt_isa_s12z.vector_target(erased, 1), PT_UNKNOWN);
	ck_assert_uint_eq(pt_isa_s12z.vector_target(empty, 1), PT_UNKNOWN);
	pt_isa_s12z.vector_name(10, name, sizeof(name));
	ck_assert_str_eq(name, "IRQ");
	pt_isa_s12z.vector_name(12, name, sizeof(name));
	ck_assert_str_eq(name, "vector 0x1CC");
	ck_assert_ptr_eq(pt_isa_find(&(struct pt_arch){ .elf_machine = 249, .big_endian = true }), &pt_isa_s12z);
}
END_TEST

START_TEST(prints_bytes)
{
	char text[40];

	ck_assert(pt_isa_print(&pt_isa_s12z, AT, (const uint8_t[]){ 0x94, 0x05, 0x01 }, 3, text, sizeof(text)));
	ck_assert_str_eq(text, "94 05");
	ck_assert(!pt_isa_print(&pt_isa_s12z, AT, (const uint8_t[]){ 0x94 }, 1, text, sizeof(text)));
	ck_assert(pt_isa_print(&pt_isa_s12z, AT, (const uint8_t[]){ 0x94, 0x05 }, 2, text, 4));
	ck_assert_str_eq(text, "94");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa_s12z");
	TCase *tc = tcase_create("s12z");

	tcase_add_loop_test(tc, decodes_case, 0, PT_LEN(cases));
	tcase_add_test(tc, all_are_bounded);
	tcase_add_test(tc, the_virtual_cpu_reads_the_same);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, tells_what_waits, 0, PT_LEN(waiting));
	tcase_add_test(tc, has_vectors);
	tcase_add_loop_test(tc, follows_a_switch, 0, PT_LEN(switches));
	tcase_add_test(tc, prints_bytes);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
