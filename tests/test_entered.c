/* Which code of handlers is executed once for each entry, and how many cycles of it there are. */
#include "harness.h"
#include "profile/flow/entered.h"

enum { MAIN = 0x100, PLAIN = 0x140, LOOP = 0x160, JOINED = 0x180, SVC = 11, PENDSV = 14, SYSTICK = 15 };
enum { ENTRY = 15, RETURN = 13 };

static const struct pt_function functions[] = {
	{ "main", MAIN, 0x20, NULL, 0, NULL }, { "plain", PLAIN, 0x20, NULL, 0, NULL },
	{ "loop", LOOP, 0x20, NULL, 0, NULL }, { "joined", JOINED, 0x20, NULL, 0, NULL },
};

static const struct { uint16_t at, code; } code[] = {
	{ MAIN, 0x4770 },		/* bx lr */
	{ PLAIN, 0xb510 },		/* push {r4, lr}: 3 */
	{ PLAIN + 2, 0x2004 },		/* movs r0, #4: 1 */
	{ PLAIN + 4, 0xf7ff },		/* bl main: 3 */
	{ PLAIN + 6, 0xffdc },
	{ PLAIN + 8, 0xbd10 },		/* pop {r4, pc}: 4, and the return */
	{ LOOP, 0x2108 },		/* movs r1, #8: 1 */
	{ LOOP + 2, 0x3901 },		/* subs r1, #1 */
	{ LOOP + 4, 0xd1fd },		/* bne to it */
	{ LOOP + 6, 0x4770 },
	{ JOINED, 0x2108 },		/* movs r1, #8: 1 */
	{ JOINED + 2, 0x2900 },		/* cmp r1, #0: 1 */
	{ JOINED + 4, 0xd000 },		/* beq over the next */
	{ JOINED + 6, 0x3901 },
	{ JOINED + 8, 0x4770 },
};

static const struct { unsigned exception; uint32_t handler; } vectors[] = {
	{ 1, MAIN + 1 }, { SVC, PLAIN + 1 }, { PENDSV, JOINED + 1 }, { SYSTICK, LOOP + 1 }, { 16, LOOP + 1 },
};

static struct pt_codemap *build(const struct pt_isa *isa)
{
	static uint8_t bytes[0x200];
	const struct pt_segment segment = { .addr = 0, .size = sizeof(bytes), .bytes = bytes, .code = true };
	const struct pt_program_desc desc = {
		.elf_machine = PT_MACHINE_ARM, .name = "entered", .segments = &segment, .n_segments = 1,
		.functions = functions, .n_functions = PT_LEN(functions), .vectors = 0,
	};
	struct pt_program *program;
	struct pt_codemap *map;

	for (size_t i = MAIN; i < sizeof(bytes); i += 2)
		pt_put_le16(bytes + i, 0xbf00);
	for (size_t i = 0; i < PT_LEN(code); i++)
		pt_put_le16(bytes + code[i].at, code[i].code);
	for (size_t i = 0; i < PT_LEN(vectors); i++)
		pt_put_le32(bytes + 4 * vectors[i].exception, vectors[i].handler);
	program = pt_program_from_desc(&desc);
	map = pt_codemap_new(program, isa);
	pt_program_unref(program);
	return map;
}

static const struct { uint64_t address; unsigned handler; double per_cycle; } rows[] = {
	{ MAIN, 0, 0 },
	{ PLAIN, 2, (double)ENTRY / (11 + RETURN) },
	{ PLAIN + 8, 2, (double)ENTRY / (11 + RETURN) },
	{ PLAIN + 10, 0, 0 },
	{ LOOP, 3, ENTRY },		/* what is in the loop is executed any number of times */
	{ LOOP + 2, 0, 0 },
	{ JOINED + 2, 4, (double)ENTRY / 2 },	/* what a branch costs depends on where it goes */
	{ JOINED + 4, 0, 0 },
	{ JOINED + 8, 0, 0 },
};

START_TEST(first_pieces)
{
	const struct pt_flow_settings settings = {
		.clock = PT_FLOW_CYCLES, .sampled_entry_cycles = ENTRY, .exception_return_cycles = RETURN,
	};
	struct pt_codemap *map = build(&pt_isa_thumb_v6m);
	struct pt_entered *e = pt_entered_new(map, &settings);
	uint16_t handler = 0;

	ck_assert_ptr_nonnull(e);
	ck_assert_double_eq_tol(pt_entered_at(e, rows[_i].address, &handler), rows[_i].per_cycle, 1e-12);
	ck_assert_uint_eq(handler, rows[_i].handler);
	ck_assert_uint_eq(pt_entered_handler(e, 0, &handler), PLAIN);
	ck_assert_uint_eq(pt_entered_handler(e, 2, &handler), LOOP);
	ck_assert_uint_eq(handler, 3);
	ck_assert_uint_eq(pt_entered_handler(e, 3, &handler), PT_UNKNOWN);	/* two vectors, one handler */
	pt_entered_free(e);
	pt_codemap_free(map);
}
END_TEST

/* Each instruction takes a cycle at least, so that there were at most so many entries. */
START_TEST(without_a_cycle_model)
{
	enum { M4_ENTRY = 12, MINE = 30 };
	struct pt_flow_settings settings = pt_flow_standards(&pt_isa_thumb);
	struct pt_codemap *map = build(&pt_isa_thumb);
	struct pt_entered *e;
	uint16_t handler = 0;

	ck_assert_uint_eq(settings.exception_entry_cycles, 0);	/* in no time that is counted */
	if (_i != 0)
		settings.sampled_entry_cycles = MINE;
	e = pt_entered_new(map, &settings);
	ck_assert_ptr_nonnull(e);
	ck_assert_double_eq_tol(pt_entered_at(e, PLAIN + 2, &handler), (_i == 0 ? M4_ENTRY : MINE) / 4.0, 1e-12);
	ck_assert_double_eq_tol(pt_entered_at(e, JOINED, &handler), (_i == 0 ? M4_ENTRY : MINE) / 2.0, 1e-12);
	pt_entered_free(e);
	pt_codemap_free(map);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("entered");
	TCase *tc = tcase_create("entered");

	tcase_add_loop_test(tc, first_pieces, 0, PT_LEN(rows));
	tcase_add_loop_test(tc, without_a_cycle_model, 0, 2);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
