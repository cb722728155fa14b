/* What is noted to be put back: its text, and what becomes of it on a chip that may have changed meanwhile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "base/util.h"
#include "targets/contract/pending.h"
#include "targets/contract/target.h"

enum { BYTES = 64 };

static struct pt_err err;
static uint8_t memory[BYTES];
static bool halted, deaf;		/* deaf: the bus refuses */
static unsigned n_writes, stuck;	/* so many writes of the register at 8 are not taken */
static char *kept, said[2000];

/* --- a target that is an array ------------------------------------------------------------------------------------ */

static int run(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       uint64_t *fault_addr, struct pt_err *why)
{
	(void)state, (void)timeout_ms;
	for (*n_done = 0; *n_done < n_ops; ++*n_done, ops++) {
		if (deaf || ops->addr + ops->len_bytes > BYTES) {
			*fault_addr = ops->addr;
			return pt_fail(why, PT_EFAULT, "bus fault at 0x%x", (unsigned)ops->addr);
		}
		if (ops->what == PT_MEM_READ)
			memcpy(ops->bytes, memory + ops->addr, ops->len_bytes);
		n_writes += ops->what == PT_MEM_WRITE;
		if (ops->what == PT_MEM_WRITE && ops->addr == 8 && stuck > 0)
			stuck--;
		else if (ops->what == PT_MEM_WRITE)
			memcpy(memory + ops->addr, ops->bytes, ops->len_bytes);
	}
	return 0;
}

static uint64_t now_ns(void *state)
{
	(void)state;
	return 0;
}

static int wait_until(void *state, uint64_t until_ns, struct pt_err *why)
{
	(void)state, (void)until_ns, (void)why;
	return 0;
}

static const struct pt_mem_ops mem_ops = { .run = run, .now_ns = now_ns, .wait = wait_until };
static struct pt_mem mem = { &mem_ops, NULL };

static struct pt_mem *mem_of(void *state, unsigned core)
{
	(void)state, (void)core;
	return &mem;
}

static int status(void *state, unsigned core, struct pt_core_status *out, struct pt_err *why)
{
	(void)state, (void)core, (void)why;
	out->state = halted ? PT_HALTED : PT_RUNNING;
	return 0;
}

static const char *chip(void *state)
{
	(void)state;
	return "ARRAY (64 bytes)";
}

static const struct pt_target_ops ops = { .name = "array", .mem = mem_of, .status = status, .chip = chip };
static struct pt_target target;

static void keep(void *arg, const char *text, size_t len_bytes)
{
	(void)arg;
	free(kept);
	kept = text != NULL ? strndup(text, len_bytes) : NULL;
}

static void tell(void *arg, bool done, const char *sentence)
{
	(void)arg, (void)done;
	strncat(said, sentence, sizeof(said) - strlen(said) - 1);
}

static void setup(void)
{
	memset(memory, 0, sizeof(memory));
	halted = deaf = false;
	n_writes = stuck = 0;
	said[0] = '\0';
	target = (struct pt_target){ .ops = &ops, .pending = pt_pending_new(keep, NULL) };
}

static void teardown(void)
{
	pt_pending_free(target.pending);
	keep(NULL, NULL, 0);
}

static struct pt_pending_row row_at(const char *unit, uint32_t at, uint32_t was, uint32_t ours)
{
	struct pt_pending_row row = { .width_bytes = 4, .at = at, .was = was, .ours = ours, .check = UINT32_MAX,
				      .mask = UINT32_MAX };

	strcpy(row.unit, unit);
	return row;
}

/* Noted, and as far as the row says so written. */
static void change(const struct pt_pending_row *row)
{
	pt_pending_note(&target, row, 1);
	pt_put_le32(memory + row->at, row->ours);
}

/* As the next process has it. */
static struct pt_pending *read_kept(void)
{
	struct pt_pending *p = pt_pending_new(keep, NULL);

	ck_assert_ptr_nonnull(kept);
	ck_assert_msg(pt_pending_parse(p, kept, strlen(kept), &err) == 0, "%s", err.msg);
	return p;
}

/* --- notes -------------------------------------------------------------------------------------------------------- */

START_TEST(is_kept_while_it_is_pending)
{
	struct pt_pending_row a = row_at("mtb", 0, 1, 2), b = row_at("bpu.0", 4, 3, 4);

	pt_pending_note(&target, &a, 1);
	ck_assert_msg(strstr(kept, "row mtb 0 0 4 0 0 1 2 ffffffff ffffffff 2\n") != NULL, "%s", kept);
	ck_assert(strstr(kept, "target array\nchip ARRAY (64 bytes)\n") != NULL);
	pt_pending_note(&target, &b, 1);
	a.ours = 5;			/* in place of the first */
	pt_pending_note(&target, &a, 1);
	ck_assert_uint_eq(pt_pending_rows(target.pending), 2);
	pt_pending_settle(&target, "bpu.0");
	ck_assert(strstr(kept, "bpu") == NULL && strstr(kept, " 1 5 ") != NULL);
	pt_pending_settle(&target, "mtb");
	ck_assert_ptr_null(kept);
	target.pending = (pt_pending_free(target.pending), NULL);	/* where nobody keeps anything */
	pt_pending_note(&target, &a, 1);
	pt_pending_settle(&target, "mtb");
	pt_pending_note(NULL, &a, 1);
}
END_TEST

START_TEST(no_part_of_a_text_is_believed)
{
	struct pt_pending_row row = row_at("mtb", 0, 1, 2), ram = { .at = 16, .width_bytes = 1, .bytes = memory,
								    .len_bytes = 5 };
	struct pt_pending *p = pt_pending_new(NULL, NULL);
	size_t len;

	strcpy(ram.unit, "ram");
	pt_pending_note(&target, &row, 1);
	pt_pending_note(&target, &ram, 1);
	len = strlen(kept);
	ck_assert_int_eq(pt_pending_parse(p, kept, len, &err), 0);
	ck_assert_uint_eq(pt_pending_rows(p), 2);
	for (size_t i = 0; i < len; i++) {
		ck_assert_int_eq(pt_pending_parse(p, kept, i, &err), PT_EARG);
		ck_assert_uint_eq(pt_pending_rows(p), 0);
	}
	for (size_t i = 0; i < len; i++) {
		kept[i] ^= 1;
		ck_assert_int_eq(pt_pending_parse(p, kept, len, &err), PT_EARG);
		kept[i] ^= 1;
	}
	pt_pending_free(p);
}
END_TEST

/* With a right sum: who can write the file can make one. */
static const struct { const char *body; } odd[] = {
	{ "" }, { "proftap-pending 2\ntarget a\nchip b\n" }, { "proftap-pending 1\n" },
	{ "proftap-pending 1\ntarget a\n" }, { "proftap-pending 1\nchip b\ntarget a\n" },
	{ "proftap-pending 1\ntarget a\nchip \033[2J\n" },
	{ "proftap-pending 1\ntarget aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nchip b\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nrow\n" }, { "proftap-pending 1\ntarget a\nchip b\nrow mtb 0 0 4 0 0 1 2 3\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nrow mtb 0 0 3 0 0 1 2 3 4\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nrow mtb 3 0 4 0 0 1 2 3 4\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nbytes mtb 2 0 0 0 00\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nbytes mtb 4 0 0 0 00\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nrow mtb 0 8 4 0 0 1 2 3 4\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nrow mtb 0 0 4 3 0 1 2 3 4\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nrow mtb 0 0 4 0 0 100000000 2 3 4\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nrow mtb 0 0 4 0 11112222333344445 1 2 3 4\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nrow MTB 0 0 4 0 0 1 2 3 4\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nrow aaaaaaaaaaaaaaaaaaaaaaaaaaaa 0 0 4 0 0 1 2 3 4\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nrow mtb 0 0 4 0 0 1 2 3 4" },
	{ "proftap-pending 1\ntarget a\nchip b\nbytes ram 0 0 0 0 \n" },
	{ "proftap-pending 1\ntarget a\nchip b\nbytes ram 0 0 0 0 0\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nbytes ram 0 0 0 0 0g\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nnonsense\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nrow mtb 0 0 4 0 0 1 2 3 4 5 6\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nrow mtb 0 0 4 0 0 1 2 3 4 100000000\n" },
	{ "proftap-pending 1\ntarget a\nchip b\nrow mtb 0 0 4 0 0 1 2 3 4 \n" },
};

/* A note of a version that did not have the last number. */
START_TEST(an_older_note_is_read)
{
	static const char body[] = "proftap-pending 1\ntarget array\nchip b\nrow mtb 0 0 4 0 8 1 2 3 4\n";
	struct pt_pending *p = pt_pending_new(NULL, NULL);
	uint64_t sum = UINT64_C(0xcbf29ce484222325);
	char text[200];

	for (const char *c = body; *c != '\0'; c++)
		sum = (sum ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
	snprintf(text, sizeof(text), "%send %016llx\n", body, (unsigned long long)sum);
	ck_assert_int_eq(pt_pending_parse(p, text, strlen(text), &err), 0);
	ck_assert_uint_eq(pt_pending_rows(p), 1);
	pt_pending_free(p);
}
END_TEST

START_TEST(what_makes_no_sense_is_refused)
{
	struct pt_pending *p = pt_pending_new(NULL, NULL);
	uint64_t sum = UINT64_C(0xcbf29ce484222325);
	char text[400];
	int len;

	for (const char *c = odd[_i].body; *c != '\0'; c++)
		sum = (sum ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
	len = snprintf(text, sizeof(text), "%send %016llx\n", odd[_i].body, (unsigned long long)sum);
	ck_assert_msg(pt_pending_parse(p, text, (size_t)len, &err) == PT_EARG, "%s", text);
	ck_assert_uint_eq(pt_pending_rows(p), 0);
	pt_pending_free(p);
}
END_TEST

/* --- put back ----------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t check, mask, now, want;
	uint8_t when;
	bool is_halted;
	unsigned stuck;
	const char *says;
	bool stays;			/* noted */
} chips[] = {		/* was 0x12, ours 0x345 */
	{ "as it was left", ~0u, ~0u, 0x345, 0x12, 0, false, 0, "u is as it was before", false },
	{ "written too late", ~0u, ~0u, 0x12, 0x12, 0, false, 0, "u is as it was before", false },
	{ "reset", ~0u, ~0u, 0, 0, 0, false, 0, "u is left alone: 0x8 holds 0x0, not 0x345", false },
	{ "another's", ~0u, ~0u, 0x346, 0x346, 0, false, 0, "left alone", false },
	{ "bits that change by themselves", 0xff, ~0u, 0xff000045, 0x12, 0, false, 0, "as it was before", false },
	{ "bits of others", 0xf, 0xf, 0xff000045, 0xff000042, 0, false, 0, "as it was before", false },
	{ "only while it runs", ~0u, ~0u, 0x345, 0x345, PT_PENDING_RUNNING, true, 0, "because the core is halted", false },
	{ "only while it is halted", ~0u, ~0u, 0x345, 0x345, PT_PENDING_HALTED, false, 0, "because the core runs", false },
	{ "it runs", ~0u, ~0u, 0x345, 0x12, PT_PENDING_RUNNING, false, 0, "as it was before", false },
	{ "at the third try", ~0u, ~0u, 0x345, 0x12, 0, false, 2, "as it was before", false },
	{ "never", ~0u, ~0u, 0x345, 0x345, 0, false, 99, "does not take what is written", true },
};

START_TEST(is_put_back_where_it_is_ours)
{
	struct pt_pending_row row = row_at("u", 8, 0x12, 0x345);
	struct pt_pending *p;

	row.check = chips[_i].check;
	row.mask = chips[_i].mask;
	row.when = chips[_i].when;
	change(&row);
	pt_put_le32(memory + 8, chips[_i].now);
	halted = chips[_i].is_halted;
	stuck = chips[_i].stuck;
	p = read_kept();
	ck_assert_int_eq(pt_pending_put_back(p, &target, tell, NULL, &err), chips[_i].stays ? PT_ETIMEOUT : 0);
	ck_assert_msg(strstr(said, chips[_i].says) != NULL, "%s: %s", chips[_i].name, said);
	ck_assert_msg(pt_le32(memory + 8) == chips[_i].want, "%s: 0x%x", chips[_i].name, pt_le32(memory + 8));
	ck_assert_msg((kept != NULL) == chips[_i].stays, "%s", chips[_i].name);
	if (chips[_i].now == chips[_i].want)
		ck_assert_uint_eq(n_writes, chips[_i].stays ? 5 : 0);
	pt_pending_free(p);
}
END_TEST

START_TEST(a_unit_goes_together)
{
	uint8_t ram[] = { 1, 2, 3 };
	struct pt_pending_row rows[] = {
		row_at("mtb", 8, 1, 2), row_at("mtb", 12, 3, 4),
		{ .unit = "mtb", .at = 16, .width_bytes = 1, .bytes = ram, .len_bytes = 3, .when = PT_PENDING_HALTED },
	};

	for (int other = 0; other < 2; other++) {
		struct pt_pending *p;

		rows[1].check = 0;
		pt_pending_note(&target, rows, PT_LEN(rows));
		pt_put_le32(memory + 8, other == 0 ? 2 : 7);
		pt_put_le32(memory + 12, 99);
		memset(memory + 16, 0, 4);
		halted = true;
		p = read_kept();
		ck_assert_int_eq(pt_pending_put_back(p, &target, tell, NULL, &err), 0);
		ck_assert_uint_eq(pt_le32(memory + 8), other == 0 ? 1 : 7);
		ck_assert_uint_eq(pt_le32(memory + 12), other == 0 ? 3 : 99);
		ck_assert_int_eq(memcmp(memory + 16, other == 0 ? "\1\2\3" : "\0\0\0", 4), 0);
		pt_pending_free(p);
		pt_pending_settle(&target, "mtb");
	}
}
END_TEST

/* Killed while a unit of two is written, for the first time (was 1 and 3, to be 2 and 4) or the second (to be 5 and 6). */
static const struct { const char *name; bool second; uint32_t now[2]; bool is_ours; } midst[] = {
	{ "nothing is written", false, { 1, 3 }, false },
	{ "the first is, or a reset left it", false, { 2, 3 }, false },
	{ "both are", false, { 2, 4 }, true },
	{ "one is another's", false, { 2, 7 }, false },
	{ "the second time nothing is", true, { 2, 4 }, true },
	{ "the second time the first is", true, { 5, 4 }, true },
	{ "the second time both are", true, { 5, 6 }, true },
	{ "a reset between", true, { 0, 0 }, false },
};

START_TEST(who_is_killed_in_the_midst_has_it_put_back)
{
	struct pt_pending_row rows[] = { row_at("u", 8, 1, 2), row_at("u", 12, 3, 4) };
	struct pt_pending *p;

	pt_pending_note(&target, rows, PT_LEN(rows));
	if (midst[_i].second) {
		rows[0].ours = 5;
		rows[1].ours = 6;
		pt_pending_note(&target, rows, PT_LEN(rows));
	}
	for (size_t i = 0; i < 2; i++)
		pt_put_le32(memory + 8 + 4 * i, midst[_i].now[i]);
	p = read_kept();
	ck_assert_uint_eq(pt_pending_rows(p), 2);
	ck_assert_int_eq(pt_pending_put_back(p, &target, tell, NULL, &err), 0);
	for (size_t i = 0; i < 2; i++)
		ck_assert_msg(pt_le32(memory + 8 + 4 * i) == (midst[_i].is_ours ? 1 + 2 * i : midst[_i].now[i]), "%s",
			      midst[_i].name);
	ck_assert_uint_eq(n_writes, midst[_i].is_ours ? 2 : 0);
	pt_pending_free(p);
	pt_pending_settle(&target, "u");
}
END_TEST

START_TEST(what_the_wire_refuses_stays_noted)
{
	struct pt_pending_row a = row_at("a", 8, 1, 2), b = row_at("b", 4, 1, 2);
	struct pt_pending *p;

	change(&a);
	change(&b);
	p = read_kept();
	deaf = true;
	ck_assert_int_eq(pt_pending_put_back(p, &target, tell, NULL, &err), PT_EFAULT);
	ck_assert_uint_eq(pt_pending_rows(p), 2);
	deaf = false;
	said[0] = '\0';
	ck_assert_int_eq(pt_pending_put_back(p, &target, tell, NULL, &err), 0);
	ck_assert_str_eq(said, "b is as it was beforea is as it was before");	/* the last one first */
	ck_assert_ptr_null(kept);
	pt_pending_free(p);
}
END_TEST

START_TEST(registers_that_the_target_does_not_have_are_left)
{
	struct pt_pending_row row = row_at("pm.0", 16, 1, 2);
	struct pt_pending *p;

	row.kind = PT_PENDING_REG;
	pt_pending_note(&target, &row, 1);
	p = read_kept();
	ck_assert_int_eq(pt_pending_put_back(p, &target, tell, NULL, &err), 0);
	ck_assert(strstr(said, "the target has no such registers") != NULL);
	pt_pending_free(p);
	row.kind = PT_PENDING_OWN;
	row.bytes = (uint8_t[]){ 1, 2, 3 };
	row.len_bytes = 3;
	pt_pending_note(&target, &row, 1);
	p = read_kept();
	said[0] = '\0';
	ck_assert_int_eq(pt_pending_put_back(p, &target, tell, NULL, &err), 0);
	ck_assert(strstr(said, "the target has no such registers") != NULL);
	pt_pending_free(p);
}
END_TEST

static int write_only(void *state, const struct pt_pending_row *rows, size_t n, const uint32_t *values,
		      struct pt_err *why)
{
	(void)state;
	if (deaf)
		return pt_fail(why, PT_EUNSUPPORTED, "no way to it is set");
	for (size_t i = 0; i < n; i++)
		pt_put_le32(memory + rows[i].at, values[i]);
	return 0;
}

/* What it held is not known: it is ended, and that no more is put back is said. Without a way to it, it stays noted. */
START_TEST(what_cannot_be_read_is_stopped)
{
	struct pt_target_ops with = ops;
	struct pt_pending_row row = row_at("mb.trace.0", 16, 2, 2);
	struct pt_pending *p;

	with.pending_write = write_only;
	target.ops = &with;
	row.kind = PT_PENDING_STOP;
	row.check = 0;
	change(&row);
	pt_put_le32(memory + 16, 0x1234);	/* whatever it does by then */
	p = read_kept();
	deaf = true;
	ck_assert_int_eq(pt_pending_put_back(p, &target, tell, NULL, &err), PT_EUNSUPPORTED);
	ck_assert_str_eq(said, "mb.trace.0 is not put back: no way to it is set");
	ck_assert_ptr_nonnull(kept);
	deaf = false;
	said[0] = '\0';
	ck_assert_int_eq(pt_pending_put_back(p, &target, tell, NULL, &err), 0);
	ck_assert_str_eq(said,
			 "mb.trace.0 is stopped; what its registers held before cannot be read, and is not put back");
	ck_assert_uint_eq(pt_le32(memory + 16), 2);
	ck_assert_ptr_null(kept);
	pt_pending_free(p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pending");
	TCase *tc = tcase_create("pending");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, is_kept_while_it_is_pending);
	tcase_add_test(tc, no_part_of_a_text_is_believed);
	tcase_add_test(tc, an_older_note_is_read);
	tcase_add_loop_test(tc, what_makes_no_sense_is_refused, 0, (int)PT_LEN(odd));
	tcase_add_loop_test(tc, is_put_back_where_it_is_ours, 0, (int)PT_LEN(chips));
	tcase_add_test(tc, a_unit_goes_together);
	tcase_add_loop_test(tc, who_is_killed_in_the_midst_has_it_put_back, 0, PT_LEN(midst));
	tcase_add_test(tc, what_the_wire_refuses_stays_noted);
	tcase_add_test(tc, registers_that_the_target_does_not_have_are_left);
	tcase_add_test(tc, what_cannot_be_read_is_stopped);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
