/* Where functions end: those of shapes.elf and shapes_m4.elf (checked by hand against their listings, and by
 * tests/system/test_binutils against objdump), and small pieces of code with one trait each. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "program/code/exits.h"
#include "small_program.h"
#include "tests/golden.h"

static struct pt_err err;

static struct pt_codemap *map_firmware(const char *name)
{
	const char *srcdir = getenv("srcdir");
	struct pt_program *p;
	struct pt_codemap *map;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/firmware/%s", srcdir != NULL ? srcdir : ".", name);
	p = pt_program_open(path, 0, &err);
	ck_assert_msg(p != NULL, "%s", err.msg);
	map = pt_codemap_new(p, &pt_isa_thumb_v6m);
	pt_program_unref(p);
	return map;
}

/* "bx lr" and the like depend on a library that need not be there: no instructions here. */
static void print_exits(const struct pt_codemap *map, const char *by_hand, FILE *out)
{
	static const char *const by[] = { "return", "tail", "into", "computed", "falls", "symbol", "hand", "never" };
	struct pt_exits *exits = pt_exits_new(map, by_hand, &err);
	const struct pt_function *functions;
	size_t n_functions, n;

	ck_assert_msg(exits != NULL, "%s", err.msg);
	functions = pt_program_functions(map->program, &n_functions);
	for (size_t id = 1; id <= n_functions; id++) {
		const struct pt_function_exit *e = pt_exits_of(exits, id, &n);

		fprintf(out, "%s\n", functions[id - 1].name);
		for (; n > 0; n--, e++) {
			fprintf(out, "  %04x %s%s", (unsigned)e->addr, by[e->by], e->conditional ? "?" : "");
			if (e->target != PT_UNKNOWN)
				fprintf(out, " %04x", (unsigned)e->target);
			fprintf(out, " %s\n", e->name != NULL ? e->name : "-");
		}
	}
	pt_exits_free(exits);
}

static const struct { const char *elf, *golden; } golden[] = {
	{ "shapes.elf", "shapes.exits" }, { "shapes_m4.elf", "shapes_m4.exits" }, { "demo.elf", "demo.exits" },
};

START_TEST(finds_exits_of_firmware)
{
	struct pt_codemap *map = map_firmware(golden[_i].elf);
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	print_exits(map, NULL, out);
	fclose(out);
	expect_golden_bytes(golden[_i].golden, (const uint8_t *)text, len);
	free(text);
	pt_codemap_free(map);
}
END_TEST

/* --- small pieces */

enum { AT = 0x100, NEXT_FUNCTION = 0x140 };

static const struct {
	const char *name;
	uint16_t code[16];
	size_t n_code;
	const char *exits;	/* of the function at AT */
} pieces[] = {
	{ "return", { 0x4770 }, 1, "100 return" },
	{ "two ways", { 0x2800, 0xd000, 0x4770, 0xbd10 }, 4, "104 return, 106 return" },
	{ "an endless loop", { 0x3001, 0xe7fd }, 2, "" },
	{ "filler behind a return", { 0x4770, 0x46c0 }, 2, "100 return" },
	{ "code that only a computed jump reaches", { 0x4697, 0x2001, 0x4770 }, 3, "100 computed, 104 return" },
	{ "a call at the end", { 0xf7ff, 0xfffe }, 2, "100 never" },
	{ "a call and filler", { 0xf7ff, 0xfffe, 0x46c0 }, 3, "100 never" },
	{ "a trap at the end", { 0xde00 }, 1, "100 never" },
	{ "a trap that is passed", { 0xdf00, 0x4770 }, 2, "102 return" },
	{ "a tail call", { 0xe01e }, 1, "100 tail 140" },
	{ "a conditional tail call", { 0xd01e, 0x4770 }, 2, "100 tail? 140, 102 return" },
	{ "into the middle", { 0xe01f }, 1, "100 into 142" },
	{ "to no function", { 0xe01d }, 1, "100 into 13e" },
	{ "itself from the top", { 0x2800, 0xd1fd, 0x4770 }, 3, "104 return" },
	{ "jump to a constant", { 0x4b00, 0x4718, 0x0141, 0x0000 }, 4, "102 tail 140" },	/* ldr r3, =0x141; bx r3 */
	{ "jump to a constant in itself", { 0x4b00, 0x4718, 0x0109, 0x0000, 0x4770 }, 5, "108 return" },
	{ "jump to an address that is read", { 0x6803, 0x4718 }, 2, "102 computed" },
	{ "constant overwritten", { 0x4b01, 0x3301, 0x4718, 0x0000, 0x0141, 0x0000 }, 6, "104 computed" },
	{ "runs to its end", { 0x2001, 0x2002 }, 2, "102 never" },
};

static void print_piece(const struct pt_exits *exits, char *text, size_t room)
{
	static const char *const by[] = { "return", "tail", "into", "computed", "falls", "symbol", "hand", "never" };
	const struct pt_function_exit *e;
	size_t n, at = 0;

	text[0] = '\0';
	e = pt_exits_of(exits, 1, &n);
	for (size_t i = 0; i < n; i++) {
		at += (size_t)snprintf(text + at, room - at, "%s%x %s%s", i > 0 ? ", " : "", (unsigned)e[i].addr,
				       by[e[i].by], e[i].conditional ? "?" : "");
		if (e[i].target != PT_UNKNOWN)
			at += (size_t)snprintf(text + at, room - at, " %x", (unsigned)e[i].target);
	}
}

/* The piece at AT, and a function of two instructions at NEXT_FUNCTION; constants behind the code are no code. */
static struct pt_codemap *map_piece(const uint16_t *code, size_t n_code, size_t n_data)
{
	uint8_t bytes[NEXT_FUNCTION + 4] = { 0 };
	const struct pt_segment segment = { .size = sizeof(bytes), .bytes = bytes, .code = true };
	const struct pt_function functions[] = {
		{ .name = "f", .address = AT, .size = 2 * n_code }, { .name = "g", .address = NEXT_FUNCTION, .size = 4 },
	};
	const struct pt_code_mark marks[] = {
		{ AT, true }, { AT + 2 * (n_code - n_data), false }, { 0x13e, true }, { NEXT_FUNCTION + 4, false },
	};
	struct pt_program_desc desc = {
		.elf_machine = PT_MACHINE_ARM,
		.name = "piece", .segments = &segment, .n_segments = 1, .functions = functions, .n_functions = 2,
		.marks = marks, .n_marks = PT_LEN(marks), .vectors = PT_UNKNOWN,
	};
	struct pt_program *p;
	struct pt_codemap *map;

	for (size_t i = 0; i < n_code; i++)
		pt_put_le16(bytes + AT + 2 * i, code[i]);
	pt_put_le16(bytes + 0x13e, 0x46c0);
	pt_put_le16(bytes + NEXT_FUNCTION, 0x3001);
	pt_put_le16(bytes + NEXT_FUNCTION + 2, 0x4770);
	p = pt_program_from_desc(&desc);
	map = pt_codemap_new(p, &pt_isa_thumb_v6m);
	pt_program_unref(p);
	return map;
}

START_TEST(finds_exits_of_piece)
{
	struct pt_codemap *map = map_piece(pieces[_i].code, pieces[_i].n_code, 0);
	struct pt_exits *exits = pt_exits_new(map, NULL, &err);
	char text[256];

	print_piece(exits, text, sizeof(text));
	ck_assert_msg(strcmp(text, pieces[_i].exits) == 0, "%s: %s", pieces[_i].name, text);
	pt_exits_free(exits);
	pt_codemap_free(map);
}
END_TEST

/* bx through a table of addresses in the code: cmp r0, #1; bhi end; lsls r0, #2; adr r1, table; ldr r0, [r1, r0];
 * mov pc, r0; movs; bx lr; end: bx lr; table */
START_TEST(follows_a_table_in_the_code)
{
	static const uint16_t good[] = { 0x2801, 0xd805, 0x0080, 0xa102, 0x5808, 0x4687, 0x2001, 0x4770, 0x4770, 0x46c0,
					 0x010d, 0, 0x010f, 0 };
	uint16_t code[PT_LEN(good)];
	char text[256];

	for (int outside = 0; outside < 2; outside++) {
		struct pt_codemap *map;
		struct pt_exits *exits;

		memcpy(code, good, sizeof(code));
		code[3] = 0xa103;
		code[12] = outside ? 0x0141 : 0x010f;
		map = map_piece(code, PT_LEN(code), 4);
		exits = pt_exits_new(map, NULL, &err);
		print_piece(exits, text, sizeof(text));
		ck_assert_str_eq(text, outside ? "10a computed, 10e return, 110 return" : "10e return, 110 return");
		pt_exits_free(exits);
		pt_codemap_free(map);
	}
}
END_TEST

/* --- by hand */

static const struct { const char *by_hand, *exits; } hands[] = {
	{ "main:0x104", "104 hand" }, { "main:0x110+0x102", "102 hand, 110 hand" }, { "main:4", "104 hand" },
	{ "leaf:0x122", "110 return" }, { "", "110 return" }, { "main:0x104,leaf:0x120", "104 hand" },
	{ "main:0x110+0x110", "110 hand" },
};

START_TEST(takes_exits_by_hand)
{
	struct pt_program *p = small_program();
	struct pt_codemap *map = pt_codemap_new(p, &pt_isa_thumb_v6m);
	struct pt_exits *exits = pt_exits_new(map, hands[_i].by_hand, &err);
	char text[256];

	ck_assert_msg(exits != NULL, "%s", err.msg);
	print_piece(exits, text, sizeof(text));
	ck_assert_str_eq(text, hands[_i].exits);
	pt_exits_free(exits);
	pt_codemap_free(map);
	pt_program_unref(p);
}
END_TEST

static const struct { const char *by_hand, *says; } wrong[] = {
	{ "main", "'main' is not FUNCTION:ADDRESS+ADDRESS" },
	{ "main:", "'main:' is not FUNCTION:ADDRESS+ADDRESS" },
	{ ":1", "':1' is not FUNCTION" },
	{ "none:0x104", "no function is called 'none'" },
	{ "main:x", "'x' is not an address in main" },
	{ "main:0x104+", "'' is not an address in main" },
	{ "main:-4", "'-4' is not an address in main" },
	{ "main:0x122", "0x122 is not at an instruction of main" },
	{ "main:0x106", "0x106 is not at an instruction of main" },	/* inside one */
	{ "main:99999999999999999999999999999999999999", "'99" },
};

START_TEST(refuses_what_makes_no_sense)
{
	struct pt_program *p = small_program();
	struct pt_codemap *map = pt_codemap_new(p, &pt_isa_thumb_v6m);

	ck_assert_ptr_null(pt_exits_new(map, wrong[_i].by_hand, &err));
	ck_assert_int_eq(err.code, PT_EARG);
	ck_assert_msg(strstr(err.msg, wrong[_i].says) == err.msg, "%s", err.msg);
	pt_codemap_free(map);
	pt_program_unref(p);
}
END_TEST

START_TEST(has_none_without_a_program)
{
	struct pt_codemap *map = pt_codemap_new(NULL, &pt_isa_thumb_v6m);
	struct pt_exits *exits = pt_exits_new(map, NULL, &err);
	size_t n;

	ck_assert_ptr_null(pt_exits_of(exits, 0, &n));
	ck_assert_uint_eq(n, 0);
	ck_assert_ptr_null(pt_exits_of(exits, 1, &n));
	pt_exits_list(exits, 1, NULL, NULL);
	pt_exits_free(exits);
	pt_exits_free(NULL);
	pt_codemap_free(map);
}
END_TEST

/* --- the listing */

struct lines { char text[8192]; size_t n; };

static void keep(void *arg, const char *line)
{
	struct lines *lines = arg;

	lines->n += (size_t)snprintf(lines->text + lines->n, sizeof(lines->text) - lines->n, "%s\n", line);
}

START_TEST(lists_for_people)
{
	static const char *const says[] = {
		"by_hand, 0x00000358: 2 exits\n", "\nby_hand_EXIT_   0x0000035e  ", "a symbol of the ELF\n",
		"hang() never ends\n", "fatal(int) never ends\n-  0x000002a4  ", "does not come back; no exit\n",
		"\njump_by_table_EXIT_2  0x00000372  ", "jumps into shared+0x2\n", "tail call to shared, or goes on\n",
	};
	struct pt_codemap *map = map_firmware("shapes.elf");
	struct pt_exits *exits = pt_exits_new(map, NULL, &err);
	static struct lines lines;
	size_t n;

	pt_exits_list(exits, 0, keep, &lines);
	ck_assert_uint_eq(lines.n, 0);
	pt_program_functions(map->program, &n);
	for (size_t id = 1; id <= n + 1; id++)
		pt_exits_list(exits, id, keep, &lines);
	ck_assert_uint_lt(lines.n, sizeof(lines.text));
	for (size_t k = 0; k < PT_LEN(says); k++)
		ck_assert_msg(strstr(lines.text, says[k]) != NULL, "%s\n%s", says[k], lines.text);
	pt_exits_free(exits);
	pt_codemap_free(map);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exits");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, finds_exits_of_firmware, 0, PT_LEN(golden));
	tcase_add_loop_test(tc, finds_exits_of_piece, 0, PT_LEN(pieces));
	tcase_add_test(tc, follows_a_table_in_the_code);
	tcase_add_loop_test(tc, takes_exits_by_hand, 0, PT_LEN(hands));
	tcase_add_loop_test(tc, refuses_what_makes_no_sense, 0, PT_LEN(wrong));
	tcase_add_test(tc, has_none_without_a_program);
	tcase_add_test(tc, lists_for_people);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
