/* The MEM-AP driver over a register file: which accesses reach the bus, how many registers it takes, which address
 * a fault names, and what it does to breakpoints in the way. */
#include <string.h>

#include "harness.h"
#include "targets/arm/mem_ap.h"
#include "tests/fake_dap.h"

enum { RAM = 0x20000000, RAM_BYTES = 0x4000, REGISTERS = 0x40000000 };

static struct fake_dap dap;
static struct pt_adi adi;
static struct pt_mem_ap ap;
static uint8_t *ram;

static void setup(void)
{
	struct pt_err err = { 0 };

	fake_dap_init(&dap);
	ram = array_mem_add(&dap.memory, RAM, RAM_BYTES);
	array_mem_add(&dap.memory, REGISTERS, 0x1000);
	for (int i = 0; i < RAM_BYTES; i++)
		ram[i] = (uint8_t)(i ^ i >> 8);
	pt_adi_init(&adi, &fake_dap_ops, &dap, dap.link);
	ck_assert_int_eq(pt_adi_connect(&adi, &err), 0);
	pt_mem_ap_init(&ap, &adi, 0);
	dap.n_runs = 0;
}

static void teardown(void)
{
	fake_dap_fini(&dap);
}

/* --- sizes and alignments ----------------------------------------------------------------------------------------- */

static const struct {
	uint32_t offset, len_bytes;
	uint8_t width_bytes;
	const char *widths;	/* of the accesses, in order */
} cases[] = {
	{ 0, 1, 0, "1" }, { 1, 1, 0, "1" }, { 3, 1, 0, "1" },
	{ 0, 2, 0, "2" }, { 2, 2, 0, "2" }, { 1, 2, 0, "11" }, { 3, 2, 0, "11" },
	{ 0, 4, 0, "4" }, { 2, 4, 0, "22" }, { 1, 4, 0, "121" }, { 3, 4, 0, "121" },
	{ 0, 3, 0, "21" }, { 0, 8, 0, "44" }, { 2, 8, 0, "242" }, { 1, 10, 0, "12421" },
	{ 0x3fe, 4, 0, "22" }, { 0x3fc, 8, 0, "44" }, { 0x3ff, 3, 0, "12" },
	{ 0, 4, 1, "1111" }, { 2, 4, 2, "22" }, { 4, 8, 4, "44" }, { 0x3fe, 4, 1, "1111" }, { 0x3fc, 8, 2, "2222" },
};

static void expect_accesses(const char *widths, uint64_t addr, size_t from, bool write)
{
	ck_assert_uint_eq(dap.memory.n_log - from, strlen(widths));
	for (size_t i = 0; widths[i] != '\0'; i++) {
		const struct array_access *access = &dap.memory.log[from + i];

		ck_assert_uint_eq(access->width_bytes, widths[i] - '0');
		ck_assert_uint_eq(access->addr, addr);
		ck_assert_int_eq(access->write, write);
		addr += access->width_bytes;
	}
}

START_TEST(accesses_are_exact)
{
	uint64_t addr = RAM + cases[_i].offset;
	uint8_t bytes[16], pattern[16];
	size_t n_done = 0, from = dap.memory.n_log;
	struct pt_err err = { 0 };
	struct pt_mem_op op = {
		.what = PT_MEM_READ, .width_bytes = cases[_i].width_bytes, .addr = addr, .bytes = bytes,
		.len_bytes = cases[_i].len_bytes,
	};

	ck_assert_msg(pt_mem_run(&ap.mem, &op, 1, 100, &n_done, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(n_done, 1);
	expect_accesses(cases[_i].widths, addr, from, false);
	ck_assert_mem_eq(bytes, ram + cases[_i].offset, cases[_i].len_bytes);
	ck_assert_uint_eq(dap.n_runs, 1);

	for (unsigned i = 0; i < sizeof(pattern); i++)
		pattern[i] = (uint8_t)(0xa0 + i);
	op.what = PT_MEM_WRITE;
	op.bytes = pattern;
	from = dap.memory.n_log;
	ck_assert_msg(pt_mem_run(&ap.mem, &op, 1, 100, &n_done, &err) == 0, "%s", err.msg);
	expect_accesses(cases[_i].widths, addr, from, true);
	ck_assert_mem_eq(pattern, ram + cases[_i].offset, cases[_i].len_bytes);
	ck_assert_uint_eq(dap.n_runs, 2);
}
END_TEST

/* --- batches ------------------------------------------------------------------------------------------------------ */

START_TEST(a_large_read_is_one_batch)
{
	static uint8_t bytes[RAM_BYTES];
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_mem_read(&ap.mem, RAM, bytes, sizeof(bytes), &err), 0);
	ck_assert_mem_eq(bytes, ram, sizeof(bytes));
	ck_assert_uint_eq(dap.n_runs, 1);
	ck_assert_uint_eq(dap.n_tar, RAM_BYTES / 1024);
	ck_assert_uint_eq(dap.n_csw, 1);
	ck_assert_uint_eq(dap.n_select, 1);	/* by connect; AP 0, bank 0 ever since */
}
END_TEST

START_TEST(sequential_reads_need_no_tar)
{
	uint32_t value;
	struct pt_err err = { 0 };

	for (unsigned i = 0; i < 8; i++)
		ck_assert_int_eq(pt_mem_read32(&ap.mem, RAM + 4 * i, &value, &err), 0);
	ck_assert_uint_eq(dap.n_tar, 1);
}
END_TEST

START_TEST(registers_of_a_line_share_tar)
{
	uint8_t a[4] = { 1 }, b[4] = { 2 }, c[4], d[4];
	struct pt_mem_op ops[] = {
		{ .what = PT_MEM_WRITE, .width_bytes = 4, .addr = REGISTERS + 8, .bytes = a, .len_bytes = 4 },
		{ .what = PT_MEM_WRITE, .width_bytes = 4, .addr = REGISTERS + 0, .bytes = b, .len_bytes = 4 },
		{ .what = PT_MEM_POLL, .addr = REGISTERS + 8, .mask = 1, .match = 1, .time_us = 1000 },
		{ .what = PT_MEM_READ, .width_bytes = 4, .addr = REGISTERS + 0, .bytes = c, .len_bytes = 4 },
		{ .what = PT_MEM_READ, .width_bytes = 4, .addr = REGISTERS + 8, .bytes = d, .len_bytes = 4 },
	};
	struct pt_err err = { 0 };
	size_t n_done = 0;

	ck_assert_int_eq(pt_mem_run(&ap.mem, ops, PT_LEN(ops), 100, &n_done, &err), 0);
	ck_assert_uint_eq(n_done, PT_LEN(ops));
	ck_assert_uint_eq(dap.n_runs, 1);
	ck_assert_uint_eq(dap.n_tar, 1);
	ck_assert_uint_eq(c[0], 2);
	ck_assert_uint_eq(d[0], 1);
	ck_assert_uint_eq(ops[2].match_seen, 1);
	ck_assert_uint_ge(ops[4].done_ns, ops[0].sent_ns);
}
END_TEST

START_TEST(an_expired_poll_voids_what_follows)
{
	uint8_t before[4], after[4] = { 0 };
	struct pt_mem_op ops[] = {
		{ .what = PT_MEM_READ, .addr = RAM, .bytes = before, .len_bytes = 4 },
		{ .what = PT_MEM_POLL, .addr = REGISTERS + 4, .mask = 1, .match = 1, .time_us = 500 },
		{ .what = PT_MEM_READ, .addr = RAM + 64, .bytes = after, .len_bytes = 4 },	/* needs TAR: waits */
	};
	size_t n_done = 9;
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_mem_run(&ap.mem, ops, PT_LEN(ops), 100, &n_done, &err), 0);
	ck_assert_uint_eq(n_done, 1);
	ck_assert_mem_eq(before, ram, 4);
	ck_assert_uint_eq(after[1], 0);
	array_mem_set_word(&dap.memory, REGISTERS + 4, 1);
	ck_assert_int_eq(pt_mem_run(&ap.mem, ops, PT_LEN(ops), 100, &n_done, &err), 0);
	ck_assert_uint_eq(n_done, 3);
	ck_assert_mem_eq(after, ram + 64, 4);
}
END_TEST

START_TEST(a_fixed_address_does_not_move)
{
	uint8_t bytes[5000], one[4];
	struct pt_mem_op op = {
		.what = PT_MEM_READ, .width_bytes = 4, .fixed = true, .addr = RAM + 8, .bytes = bytes,
		.len_bytes = sizeof(bytes),
	};
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_mem_run(&ap.mem, &op, 1, 100, NULL, &err), 0);
	for (size_t i = 0; i < sizeof(bytes); i += 4)
		ck_assert_mem_eq(bytes + i, ram + 8, 4);
	ck_assert_int_eq(pt_mem_read(&ap.mem, RAM + 72, one, 4, &err), 0);
	ck_assert_mem_eq(one, ram + 72, 4);
	ck_assert_uint_eq(dap.n_tar, 2);
	ck_assert_uint_eq(dap.n_runs, 2);
}
END_TEST

static const struct { const char *why; struct pt_mem_op op[2]; } wrong[] = {
	{ "misaligned", { { .what = PT_MEM_READ, .width_bytes = 4, .addr = RAM + 2, .len_bytes = 4 } } },
	{ "width", { { .what = PT_MEM_READ, .width_bytes = 3, .addr = RAM, .len_bytes = 3 } } },
	{ "beyond", { { .what = PT_MEM_READ, .addr = UINT64_C(0xffffffff), .len_bytes = 2 } } },
	{ "far beyond", { { .what = PT_MEM_READ, .addr = UINT64_C(0x100000000), .len_bytes = 1 } } },
	{ "fixed bytes", { { .what = PT_MEM_READ, .width_bytes = 1, .fixed = true, .addr = RAM, .len_bytes = 1 } } },
	{ "nonsense", { { .what = 77 } } },
	{ "write behind poll", { { .what = PT_MEM_POLL, .addr = RAM }, { .what = PT_MEM_WRITE, .addr = RAM, .len_bytes = 4 } } },
};

START_TEST(refuses_before_it_sends)
{
	struct pt_mem_op ops[2] = { wrong[_i].op[0], wrong[_i].op[1] };
	struct pt_err err = { 0 };
	size_t n_done = 9;

	ck_assert_int_eq(pt_mem_run(&ap.mem, ops, ops[1].what != 0 ? 2 : 1, 100, &n_done, &err), PT_EARG);
	ck_assert_uint_eq(n_done, 0);
	ck_assert_uint_eq(dap.n_runs, 0);
}
END_TEST

/* --- faults ------------------------------------------------------------------------------------------------------- */

static const struct { uint8_t what; bool tar_moves; uint32_t addr, len_bytes; uint64_t fault; } faults[] = {
	{ PT_MEM_READ, false, RAM + RAM_BYTES - 64, 128, RAM + RAM_BYTES },
	{ PT_MEM_READ, true, RAM + RAM_BYTES - 64, 128, RAM + RAM_BYTES },
	{ PT_MEM_READ, false, 0x30000000, 4, 0x30000000 },
	{ PT_MEM_READ, true, 0x30000001, 1, 0x30000001 },
	{ PT_MEM_READ, true, RAM - 8, 64, RAM - 8 },
	{ PT_MEM_WRITE, false, RAM + RAM_BYTES - 64, 128, RAM + RAM_BYTES },
	{ PT_MEM_WRITE, true, RAM + RAM_BYTES - 64, 128, RAM + RAM_BYTES },
	{ PT_MEM_WRITE, false, 0x30000004, 4, 0x30000004 },
	{ PT_MEM_WRITE, true, 0x30000004, 4, 0x30000004 },
};

START_TEST(names_the_address_that_failed)
{
	uint8_t bytes[128] = { 0 }, ok[4];
	struct pt_mem_op ops[] = {
		{ .what = PT_MEM_READ, .addr = RAM, .bytes = ok, .len_bytes = 4 },
		{ .what = faults[_i].what, .addr = faults[_i].addr, .bytes = bytes, .len_bytes = faults[_i].len_bytes },
	};
	uint64_t fault = 0;
	size_t n_done = 0;
	struct pt_err err = { 0 };

	dap.tar_moves_on_fault = faults[_i].tar_moves;
	ck_assert_int_eq(ap.mem.ops->run(&ap, ops, 2, 100, &n_done, &fault, &err), PT_EFAULT);
	ck_assert_uint_eq(n_done, 1);
	ck_assert_mem_eq(ok, ram, 4);
	ck_assert_uint_eq(fault, faults[_i].fault);
	ck_assert(strstr(err.msg, "bus fault at 0x") != NULL);
	ck_assert_int_eq(pt_mem_read(&ap.mem, RAM + 4, ok, 4, &err), 0);	/* and it goes on */
	ck_assert_mem_eq(ok, ram + 4, 4);
}
END_TEST

START_TEST(a_dead_wire_is_tried_anew)
{
	uint8_t bytes[4];
	struct pt_err err = { 0 };
	unsigned n = dap.n_connects;

	dap.absent = true;
	ck_assert_int_eq(pt_mem_read(&ap.mem, RAM, bytes, 4, &err), PT_EPROTO);
	ck_assert_uint_eq(dap.n_connects, n + 1);
	dap.absent = false;
	dap.ctrl_stat = 0;	/* power was lost meanwhile */
	adi.power_losses = 0;
	pt_mem_read(&ap.mem, RAM, bytes, 4, &err);
	ck_assert_int_eq(pt_adi_connect(&adi, &err), 0);
	ck_assert_uint_eq(adi.power_losses, 1);
	ck_assert_int_eq(pt_mem_read(&ap.mem, RAM, bytes, 4, &err), 0);
	ck_assert_mem_eq(bytes, ram, 4);
}
END_TEST

/* --- breakpoints in the way --------------------------------------------------------------------------------------- */

static uint8_t original[2];
enum { AT = RAM + 6 };

static void hide(void *arg, uint64_t addr, uint8_t *bytes, size_t len_bytes)
{
	(void)arg;
	for (uint64_t i = 0; i < 2; i++)
		if (AT + i >= addr && AT + i < addr + len_bytes)
			bytes[AT + i - addr] = original[i];
}

static void keep(void *arg, uint64_t addr, uint8_t *bytes, size_t len_bytes)
{
	(void)arg;
	for (uint64_t i = 0; i < 2; i++)
		if (AT + i >= addr && AT + i < addr + len_bytes) {
			original[i] = bytes[AT + i - addr];
			bytes[AT + i - addr] = i == 0 ? 0x00 : 0xbe;
		}
}

START_TEST(sees_through_breakpoints)
{
	uint8_t bytes[16], seven[3] = { 7, 7, 7 };
	struct pt_mem_op raw = { .what = PT_MEM_READ, .code = true, .addr = AT, .bytes = bytes, .len_bytes = 2 };
	struct pt_err err = { 0 };

	ap.hooks = (struct pt_mem_ap_hooks){ .hide = hide, .keep = keep };
	memcpy(original, ram + 6, 2);
	ram[6] = 0x00;
	ram[7] = 0xbe;
	ck_assert_int_eq(pt_mem_read(&ap.mem, RAM, bytes, 16, &err), 0);
	ck_assert_mem_eq(bytes + 6, original, 2);
	ck_assert_int_eq(pt_mem_write(&ap.mem, AT, seven, 3, &err), 0);
	ck_assert_int_eq(pt_mem_run(&ap.mem, &raw, 1, 100, NULL, &err), 0);
	ck_assert_uint_eq(pt_le16(bytes), 0xbe00);
	ck_assert_int_eq(pt_mem_read(&ap.mem, AT, bytes, 3, &err), 0);
	ck_assert_mem_eq(bytes, seven, 3);
	ck_assert_uint_eq(ram[8], 7);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target mem_ap");
	TCase *tc = tcase_create("mem_ap");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, accesses_are_exact, 0, PT_LEN(cases));
	tcase_add_test(tc, a_large_read_is_one_batch);
	tcase_add_test(tc, sequential_reads_need_no_tar);
	tcase_add_test(tc, registers_of_a_line_share_tar);
	tcase_add_test(tc, an_expired_poll_voids_what_follows);
	tcase_add_test(tc, a_fixed_address_does_not_move);
	tcase_add_loop_test(tc, refuses_before_it_sends, 0, PT_LEN(wrong));
	tcase_add_loop_test(tc, names_the_address_that_failed, 0, PT_LEN(faults));
	tcase_add_test(tc, a_dead_wire_is_tried_anew);
	tcase_add_test(tc, sees_through_breakpoints);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
