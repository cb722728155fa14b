/* The code map of a hand-made program, entry by entry and as sums. */
#include <stdlib.h>
#include <uv.h>

#include "harness.h"
#include "program/code/codemap.h"
#include "small_program.h"

static struct pt_program *program;
static struct pt_codemap *map;

static void build(void)
{
	program = small_program();
	map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	ck_assert_ptr_nonnull(map);
	pt_program_unref(program);	/* the map holds it */
}

static void drop(void)
{
	pt_codemap_free(map);
}

static const struct {
	uint64_t addr;
	unsigned flow, len_units, leave, reach;
	bool departs;
	uint64_t target;
	const char *function;
} entries[] = {
	{ 0x100, PT_FLOW_NEXT, 1, 0, 2, false, PT_UNKNOWN, "main" },
	{ 0x104, PT_FLOW_CALL, 2, 3, 0, true, LEAF, "main" },
	{ 0x106, PT_FLOW_INVALID, 0, 0, 0, false, PT_UNKNOWN, "main" },
	{ 0x108, PT_FLOW_NEXT, 1, 0, 2, false, PT_UNKNOWN, "main" },
	{ 0x10a, PT_FLOW_BRANCH_IF, 1, 2, 1, false, 0x102, "main" },
	{ 0x10c, PT_FLOW_INDIRECT_CALL, 1, 2, 0, true, PT_UNKNOWN, "main" },
	{ 0x10e, PT_FLOW_BRANCH, 1, 2, 0, false, 0x102, "main" },
	{ 0x110, PT_FLOW_RETURN, 1, 4, 0, true, PT_UNKNOWN, "main" },
	{ 0x112, PT_FLOW_INVALID, 0, 0, 0, false, PT_UNKNOWN, NULL },	/* reads as movs, but is a literal pool */
	{ 0x118, PT_FLOW_INVALID, 0, 0, 0, false, PT_UNKNOWN, NULL },	/* reads as b . */
	{ 0x124, PT_FLOW_NEXT, 1, 0, 1, false, PT_UNKNOWN, "isr" },
	{ 0x126, PT_FLOW_TRAP, 1, 0, 0, false, PT_UNKNOWN, "isr" },
	{ 0x12c, PT_FLOW_BRANCH, 1, 2, 0, true, LEAF, "tail" },
	{ 0x12e, PT_FLOW_CALL, 2, 3, 0, true, RECURSIVE, "recursive" },
	{ 0x134, PT_FLOW_INDIRECT, 1, 2, 0, true, PT_UNKNOWN, "jump" },
	{ 0x136, PT_FLOW_NEXT, 2, 0, 0, false, PT_UNKNOWN, NULL },	/* behind the last function */
	{ RAM_LEAF, PT_FLOW_NEXT, 1, 0, 1, false, PT_UNKNOWN, "ram_leaf" },
	{ RAM_LEAF + 2, PT_FLOW_RETURN, 1, 2, 0, true, PT_UNKNOWN, "ram_leaf" },
};

START_TEST(knows_instruction)
{
	const struct pt_code_unit *unit = pt_codemap_at(map, entries[_i].addr);
	const struct pt_function *functions;
	size_t n;

	functions = pt_program_functions(map->program, &n);
	ck_assert_ptr_nonnull(unit);
	ck_assert_uint_eq(unit->flow, entries[_i].flow);
	ck_assert_uint_eq(unit->len_units, entries[_i].len_units);
	ck_assert_uint_eq(unit->leave_cycles, entries[_i].leave);
	ck_assert_uint_eq(pt_codemap_reach(unit), entries[_i].reach);
	ck_assert_uint_eq(unit->departs, entries[_i].departs);
	if (unit->target >= PT_CALL_SITE && unit->target != PT_ANY_TARGET)	/* only inside a call */
		ck_assert(unit->len_units == 0 && unit[-1].flow == PT_FLOW_CALL &&
			  unit->target - PT_CALL_SITE < map->n_sites);
	else if (entries[_i].target == PT_UNKNOWN)
		ck_assert_uint_eq(unit->target, (unit->flow & PT_FLOW_LEAVES) != 0 ? PT_ANY_TARGET : PT_FAR_TARGET);
	else
		ck_assert_uint_eq(MAIN + unit->target - 1, entries[_i].target);
	ck_assert_uint_eq(pt_codemap_target(map, entries[_i].addr), entries[_i].target);
	if (entries[_i].function == NULL)
		ck_assert_uint_eq(unit->function, PT_NO_FUNCTION);
	else
		ck_assert_str_eq(functions[unit->function - 1].name, entries[_i].function);
}
END_TEST

static const struct { uint64_t from, to; unsigned instructions, cycles, breaks; } sums[] = {
	{ 0x100, 0x100, 0, 0, 0 },
	{ 0x100, 0x104, 2, 4, 0 },
	{ 0x100, 0x108, 3, 7, 1 },
	{ 0x108, 0x10c, 2, 2, 0 },
	{ 0x100, 0x112, 8, 17, 4 },	/* bl, blx, b, pop */
	{ 0x112, 0x120, 0, 0, 7 },	/* data cannot be passed */
	{ 0x124, 0x128, 2, 3, 1 },	/* nor can svc */
};

START_TEST(sums_straight_code)
{
	const struct pt_code_unit *from = pt_codemap_at(map, sums[_i].from), *to = pt_codemap_at(map, sums[_i].to);

	ck_assert_uint_eq(pt_sum_instructions(to->sums - from->sums), sums[_i].instructions);
	ck_assert_uint_eq(pt_sum_cycles(to->sums - from->sums), sums[_i].cycles);
	ck_assert_uint_eq(pt_sum_breaks(to->sums - from->sums), sums[_i].breaks);
}
END_TEST

START_TEST(ends_where_code_ends)
{
	ck_assert_uint_eq(map->n_spans, 2);
	ck_assert_uint_eq(map->span[0].base, MAIN);	/* the vectors are not code */
	ck_assert_uint_eq(map->span[0].end, SMALL_END);
	ck_assert_uint_eq(map->span[1].base, RAM_CODE);
	ck_assert_ptr_null(pt_codemap_at(map, MAIN - 2));
	ck_assert_ptr_null(pt_codemap_at(map, SMALL_END));
	ck_assert_ptr_null(pt_codemap_at(map, PT_UNKNOWN));
	ck_assert_uint_eq(pt_sum_instructions(map->span[1].code[2].sums), 2);	/* the sums at the end */
	ck_assert_uint_eq(pt_sum_cycles(map->span[1].code[2].sums), 3);
	ck_assert_uint_eq(map->span[1].code[2 + PT_CODEMAP_PAD].len_units, 0);
}
END_TEST

static bool is_handler(uint64_t addr)
{
	return pt_codemap_at(map, addr)->len_units > 0 && !pt_codemap_at(map, addr)->plain;
}

START_TEST(knows_handlers)
{
	ck_assert(is_handler(ISR));
	ck_assert(is_handler(SVC_HANDLER));
	ck_assert(!is_handler(MAIN));	/* reset is not entered as an exception */
	ck_assert(!is_handler(LEAF));
}
END_TEST

START_TEST(is_empty_without_a_program)
{
	struct pt_codemap *empty = pt_codemap_new(NULL, &pt_isa_thumb_v6m);

	ck_assert_ptr_null(pt_codemap_at(empty, 0));
	ck_assert_uint_eq(pt_codemap_target(empty, 0), PT_UNKNOWN);
	pt_codemap_free(empty);
	pt_codemap_free(NULL);
}
END_TEST

START_TEST(without_marks_all_is_code)
{
	static const uint8_t bytes[] = { 0, 0x00, 0x20, 0x70, 0x47, 0x00, 0xf0 };	/* movs; bx lr; half of a bl */
	const struct pt_segment segment = { .addr = 0x201, .size = 7, .bytes = bytes, .code = true, .run = 0x201 };
	struct pt_program_desc desc = { .elf_machine = PT_MACHINE_ARM, .name = "odd", .segments = &segment, .n_segments = 1, .vectors = PT_UNKNOWN };
	struct pt_program *odd = pt_program_from_desc(&desc);
	struct pt_codemap *m = pt_codemap_new(odd, &pt_isa_thumb_v6m);

	ck_assert_uint_eq(m->span[0].base, 0x202);	/* instructions are even */
	ck_assert_uint_eq(m->span[0].end, 0x208);
	ck_assert_uint_eq(pt_codemap_at(m, 0x204)->flow, PT_FLOW_RETURN);
	ck_assert_uint_eq(pt_codemap_at(m, 0x206)->flow, PT_FLOW_INVALID);
	pt_codemap_free(m);
	pt_program_unref(odd);
}
END_TEST

/* 300 instructions that a run may pass, then a return: the reach of the first ones is what the map can say, and no
 * more; and no short run goes from one function into the next. */
START_TEST(reaches_so_far)
{
	enum { N = 300, BASE = 0x1000, SECOND = BASE + 2 * 280 };
	uint8_t bytes[2 * N + 2];
	const struct pt_segment segment = { .addr = BASE, .size = sizeof(bytes), .bytes = bytes, .code = true,
					    .run = BASE };
	const struct pt_function functions[] = {
		{ "first", BASE, SECOND - BASE, NULL, 0, NULL },
		{ "second", SECOND, BASE + sizeof(bytes) - SECOND, NULL, 0, NULL },
	};
	struct pt_program_desc desc = { .elf_machine = PT_MACHINE_ARM, .name = "long", .segments = &segment, .n_segments = 1, .vectors = PT_UNKNOWN,
					.functions = functions, .n_functions = 2 };
	struct pt_program *straight;
	struct pt_codemap *m;

	for (size_t i = 0; i < N; i++)
		pt_put_le16(bytes + 2 * i, 0x2000);
	pt_put_le16(bytes + sizeof(bytes) - 2, 0x4770);
	straight = pt_program_from_desc(&desc);
	m = pt_codemap_new(straight, &pt_isa_thumb_v6m);
	ck_assert_uint_eq(pt_codemap_reach(pt_codemap_at(m, BASE)), PT_MOST_REACH);
	ck_assert_uint_eq(pt_codemap_reach(pt_codemap_at(m, SECOND - 4)), 1);
	ck_assert_uint_eq(pt_codemap_reach(pt_codemap_at(m, SECOND - 2)), 0);
	ck_assert_uint_eq(pt_codemap_reach(pt_codemap_at(m, SECOND)), N - 280);
	ck_assert_uint_eq(m->span[0].offset_mask, 1023);
	pt_codemap_free(m);
	pt_program_unref(straight);
}
END_TEST

/* A function with another one inside, a gap, and one more; each unit is the innermost one's. Two of them wait for an
 * interrupt. */
START_TEST(functions_inside_functions)
{
	enum { N = 16, BASE = 0x100, OUTER = 1, INNER, LAST };
	static const uint16_t want[N] = {
		0, OUTER, OUTER, OUTER, INNER, INNER, OUTER, OUTER, OUTER, 0, 0, 0, LAST, LAST, 0, 0,
	};
	uint8_t bytes[2 * N];
	const struct pt_segment segment = { .addr = BASE, .size = sizeof(bytes), .bytes = bytes, .code = true,
					    .run = BASE };
	const struct pt_function functions[] = {
		{ "outer", BASE + 2, 16, NULL, 0, NULL }, { "inner", BASE + 8, 4, NULL, 0, NULL },
		{ "last", BASE + 24, 4, NULL, 0, NULL },
	};
	struct pt_program_desc desc = { .elf_machine = PT_MACHINE_ARM, .name = "nested", .segments = &segment, .n_segments = 1, .vectors = PT_UNKNOWN,
					.functions = functions, .n_functions = PT_LEN(functions) };
	struct pt_program *nested;
	struct pt_codemap *m;

	for (size_t i = 0; i < N; i++)
		pt_put_le16(bytes + 2 * i, i == 5 || i == 13 ? 0xbf30 : 0x2000);	/* wfi, movs */
	nested = pt_program_from_desc(&desc);
	m = pt_codemap_new(nested, &pt_isa_thumb_v6m);
	for (size_t i = 0; i < N; i++)
		ck_assert_uint_eq(pt_codemap_at(m, BASE + 2 * i)->function, want[i]);
	ck_assert_uint_eq(m->n_waits, 2);
	ck_assert_uint_eq(m->wait[0], BASE + 10);
	ck_assert_uint_eq(m->wait[1], BASE + 26);
	pt_codemap_free(m);
	pt_program_unref(nested);
}
END_TEST

/* A straight run goes on over what is executed under a condition (IT), and over nothing else that leaves. */
START_TEST(runs_pass_what_may_not_be_executed)
{
	enum { BASE = 0x100 };
	static const uint16_t code[] = { 0xbf04, 0x2000, 0xbd00, 0x2000, 0xbf08, 0xe7fe, 0x2000, 0x4770 };
	uint8_t bytes[2 * PT_LEN(code)];	/* itt eq: moveq, popeq {pc}; movs; it eq: beq; movs; bx lr */
	const struct pt_segment segment = { .addr = BASE, .size = sizeof(bytes), .bytes = bytes, .code = true,
					    .run = BASE };
	struct pt_program_desc desc = { .elf_machine = PT_MACHINE_ARM, .name = "blocks", .segments = &segment, .n_segments = 1, .vectors = PT_UNKNOWN };
	struct pt_program *blocks;
	struct pt_codemap *m;

	for (size_t i = 0; i < PT_LEN(code); i++)
		pt_put_le16(bytes + 2 * i, code[i]);
	blocks = pt_program_from_desc(&desc);
	m = pt_codemap_new(blocks, &pt_isa_thumb);
	ck_assert_uint_eq(pt_codemap_reach(pt_codemap_at(m, BASE)), PT_LEN(code) - 1);
	ck_assert_uint_eq(pt_codemap_at(m, BASE + 4)->flow, PT_FLOW_RETURN);
	ck_assert_uint_eq(pt_codemap_at(m, BASE + 10)->flow, PT_FLOW_BRANCH_IF);
	ck_assert_uint_eq(pt_codemap_target(m, BASE + 10), BASE + 10);
	pt_codemap_free(m);
	pt_program_unref(blocks);
}
END_TEST

/* It is made once, and is like one that was made for somebody alone; under a sanitizer it goes with the program. */
START_TEST(a_program_has_one_of_its_own)
{
	struct pt_program *p = small_program();
	struct pt_codemap *own = pt_codemap_of(p, &pt_isa_thumb_v6m), *other = pt_codemap_new(p, &pt_isa_thumb_v6m);

	ck_assert_ptr_nonnull(own);
	ck_assert_ptr_eq(pt_codemap_of(p, &pt_isa_thumb_v6m), own);
	ck_assert_ptr_ne(other, own);
	ck_assert_uint_eq(other->n_spans, own->n_spans);
	for (size_t i = 0; i < own->n_spans; i++)
		ck_assert_mem_eq(other->span[i].code, own->span[i].code,
				 (own->span[i].end - own->span[i].base) / 2 * sizeof(struct pt_code_unit));
	pt_codemap_free(other);
	pt_program_unref(p);
}
END_TEST

/* Also if several threads are the first to ask. */
static void ask(void *program_of_all)
{
	struct pt_program *p = program_of_all;
	const struct pt_codemap *first = pt_codemap_of(p, &pt_isa_thumb_v6m);

	if (first == NULL || first->n_spans == 0 || pt_codemap_of(p, &pt_isa_thumb_v6m) != first)
		abort();
}

START_TEST(many_ask_for_it_at_once)
{
	enum { THREADS = 4, ROUNDS = 50 };

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct pt_program *p = small_program();
		uv_thread_t thread[THREADS];

		for (size_t i = 0; i < THREADS; i++)
			ck_assert_int_eq(uv_thread_create(&thread[i], ask, p), 0);
		for (size_t i = 0; i < THREADS; i++)
			uv_thread_join(&thread[i]);
		pt_program_unref(p);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("codemap");
	TCase *tc = tcase_create("small");

	tcase_add_checked_fixture(tc, build, drop);
	tcase_add_loop_test(tc, knows_instruction, 0, PT_LEN(entries));
	tcase_add_loop_test(tc, sums_straight_code, 0, PT_LEN(sums));
	tcase_add_test(tc, ends_where_code_ends);
	tcase_add_test(tc, knows_handlers);
	suite_add_tcase(suite, tc);
	tc = tcase_create("edges");
	tcase_add_test(tc, is_empty_without_a_program);
	tcase_add_test(tc, without_marks_all_is_code);
	tcase_add_test(tc, reaches_so_far);
	tcase_add_test(tc, functions_inside_functions);
	tcase_add_test(tc, runs_pass_what_may_not_be_executed);
	tcase_add_test(tc, a_program_has_one_of_its_own);
	tcase_add_test(tc, many_ask_for_it_at_once);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
