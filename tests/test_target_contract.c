/* What every target must do alike, whatever is behind it. To join: a row with a name and a function that opens a probe
 * to a board on which a program runs. */
#include <string.h>

#include "harness.h"
#include "probes/registry.h"
#include "probes/virtual/boards.h"
#include "targets/registry.h"

static struct pt_probe *open_kl27(struct pt_err *err)
{
	struct pt_link *link = pt_model_link_open("kl27?clock=virtual", err);

	return link != NULL ? pt_probe_open_link(&pt_cmsis_dap_ops, link, NULL, err) : NULL;
}

static struct pt_probe *open_s12zvm(struct pt_err *err)
{
	return pt_probe_open("virtual:s12zvm?clock=virtual", NULL, err);
}

static const struct {
	const char *target;
	struct pt_probe *(*open)(struct pt_err *err);
	uint64_t ram, code;	/* writable and unused; where a breakpoint may be */
} rigs[] = {
	{ "cortexm", open_kl27, 0x20000000, 0x1000 },
	{ "s12z", open_s12zvm, 0x2800, 0xff8000 },
};

static struct pt_probe *probe;
static struct pt_target *target;
static const struct pt_target_ops *ops;
static void *state;
static struct pt_err err;

#define OK(call) ck_assert_msg((call) == 0, "%s: %s", #call, err.msg)

static void begin(int rig)
{
	probe = rigs[rig].open(&err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	target = pt_target_attach(probe, rigs[rig].target, NULL, &err);
	ck_assert_msg(target != NULL && err.code == 0, "%s", err.msg);
	ops = target->ops;
	state = target->state;
}

static void end(void)
{
	OK(pt_target_detach(target, true, &err));
	pt_probe_close(probe);
}

static enum pt_run_state run_state(void)
{
	struct pt_core_status status;

	OK(ops->status(state, 0, &status, &err));
	ck_assert(status.state != PT_HALTED || status.reason != 0);
	return status.state;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

START_TEST(register_rows_are_sound)
{
	const struct pt_register *rows;
	size_t n;

	begin(_i);
	rows = ops->registers(state, &n);
	ck_assert_uint_gt(n, 0);
	for (size_t i = 0; i < n; i++) {
		ck_assert_ptr_nonnull(rows[i].name);
		ck_assert_ptr_nonnull(rows[i].feature);
		ck_assert(rows[i].bits >= 8 && rows[i].bits <= 64 && rows[i].bits % 8 == 0);
		for (size_t k = 0; k < i; k++) {
			ck_assert_str_ne(rows[i].name, rows[k].name);
			ck_assert_uint_lt(rows[k].gdb_number, rows[i].gdb_number);	/* in GDB's order */
		}
	}
	end();
}
END_TEST

START_TEST(regions_are_sound)
{
	const struct pt_region *regions;
	uint64_t at = 0;
	size_t n;

	begin(_i);
	regions = ops->regions(state, &n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_ge(regions[i].addr, at);
		ck_assert_uint_gt(regions[i].size, 0);
		ck_assert(regions[i].kind != PT_REGION_FLASH ||
			  (regions[i].block_bytes != 0 && regions[i].size % regions[i].block_bytes == 0));
		at = regions[i].addr + regions[i].size;
	}
	end();
}
END_TEST

START_TEST(sources_are_sound)
{
	const struct pt_source_ops *const *sources;
	size_t n;

	begin(_i);
	sources = ops->sources(state, &n);
	for (size_t i = 0; i < n; i++) {
		ck_assert(sources[i]->name != NULL && sources[i]->format != NULL && sources[i]->modes != NULL);
		ck_assert(sources[i]->start != NULL && sources[i]->drain != NULL && sources[i]->stop != NULL);
		ck_assert(sources[i]->available(target, &err) == 0 || err.code == PT_EUNSUPPORTED);
	}
	ck_assert_uint_gt(strlen(ops->chip(state)), 0);
	ck_assert_uint_ge(ops->n_cores(state), 1);
	end();
}
END_TEST

/* --- control ------------------------------------------------------------------------------------------------------ */

START_TEST(attach_and_detach_leave_it_running)
{
	begin(_i);
	ck_assert_int_ne(run_state(), PT_HALTED);
	OK(ops->halt(state, 0, &err));
	OK(ops->halt(state, 0, &err));	/* again is fine */
	ck_assert_int_eq(run_state(), PT_HALTED);
	OK(pt_target_detach(target, true, &err));
	target = pt_target_attach(probe, NULL, NULL, &err);
	ck_assert_ptr_nonnull(target);
	state = target->state;
	ck_assert_int_ne(run_state(), PT_HALTED);
	end();
}
END_TEST

/* No debugger any more: a halted core is somebody's, a running one goes on; the next debugger finds everything at
 * work. */
START_TEST(leaving_changes_no_state)
{
	struct pt_break at = { .kind = PT_BREAK_HW, .len = 2 };

	begin(_i);
	if (ops->leave != NULL) {
		OK(ops->leave(state, &err));
		OK(ops->halt(state, 0, &err));
		OK(ops->leave(state, &err));
		ck_assert_int_eq(run_state(), PT_HALTED);
		OK(ops->pc(state, 0, &at.addr, &err));
		OK(ops->resume(state, 0, &err));
		OK(ops->leave(state, &err));
		OK(ops->leave(state, &err));	/* again is fine */
		ck_assert_int_ne(run_state(), PT_HALTED);
		OK(ops->halt(state, 0, &err));
		OK(ops->step(state, 0, &err));
		OK(ops->break_insert(state, &at, &err));
		OK(ops->break_remove(state, &at, &err));
	}
	end();
}
END_TEST

START_TEST(registers_while_halted_only)
{
	const uint16_t row = 0;
	uint64_t value = 0, pc, next;

	begin(_i);
	ck_assert_int_eq(ops->read_registers(state, 0, &row, 1, &value, &err), PT_ESTATE);
	ck_assert_int_eq(ops->write_registers(state, 0, &row, 1, &value, &err), PT_ESTATE);
	OK(ops->halt(state, 0, &err));
	value = 0x5a;
	OK(ops->write_registers(state, 0, &row, 1, &value, &err));
	value = 0;
	OK(ops->read_registers(state, 0, &row, 1, &value, &err));
	ck_assert_uint_eq(value, 0x5a);
	OK(ops->pc(state, 0, &pc, &err));
	OK(ops->step(state, 0, &err));
	ck_assert_int_eq(run_state(), PT_HALTED);
	OK(ops->pc(state, 0, &next, &err));
	OK(ops->resume(state, 0, &err));
	ck_assert_int_ne(run_state(), PT_HALTED);
	end();
}
END_TEST

START_TEST(every_reset_ends_as_it_says)
{
	begin(_i);
	OK(ops->reset(state, PT_RESET_HALT, &err));
	ck_assert_int_eq(run_state(), PT_HALTED);
	OK(ops->reset(state, PT_RESET_INIT, &err));
	ck_assert_int_eq(run_state(), PT_HALTED);
	OK(ops->reset(state, PT_RESET_RUN, &err));
	ck_assert_int_ne(run_state(), PT_HALTED);
	end();
}
END_TEST

/* --- memory and breakpoints --------------------------------------------------------------------------------------- */

START_TEST(memory_keeps_what_is_written)
{
	uint8_t out[67], in[67];
	struct pt_mem *mem;

	begin(_i);
	mem = ops->mem(state, 0);
	for (size_t i = 0; i < sizeof(out); i++)
		out[i] = (uint8_t)(i * 13 + 1);
	for (uint64_t off = 0; off < 4; off++)
		for (size_t len = 1; len <= sizeof(out); len += 11) {
			OK(pt_mem_write(mem, rigs[_i].ram + off, out, len, &err));
			memset(in, 0, sizeof(in));
			OK(pt_mem_read(mem, rigs[_i].ram + off, in, len, &err));
			ck_assert_mem_eq(in, out, len);
		}
	end();
}
END_TEST

START_TEST(breakpoints_come_and_go)
{
	static const enum pt_break_kind kinds[] = { PT_BREAK_SW, PT_BREAK_HW, PT_WATCH_WRITE, PT_WATCH_READ, PT_WATCH_ACCESS };
	uint8_t before[8], seen[8];
	struct pt_mem *mem;

	begin(_i);
	mem = ops->mem(state, 0);
	OK(ops->halt(state, 0, &err));
	for (size_t k = 0; k < PT_LEN(kinds); k++) {
		bool code = kinds[k] == PT_BREAK_HW;
		struct pt_break at = { kinds[k], code ? rigs[_i].code : rigs[_i].ram, kinds[k] > PT_BREAK_HW ? 4 : 2 };

		OK(pt_mem_read(mem, at.addr, before, sizeof(before), &err));
		for (int i = 0; i < 2; i++)
			ck_assert(ops->break_insert(state, &at, &err) == 0 || err.code == PT_EUNSUPPORTED);
		OK(pt_mem_read(mem, at.addr, seen, sizeof(seen), &err));
		ck_assert_mem_eq(seen, before, sizeof(seen));
		for (int i = 0; i < 2; i++)
			OK(ops->break_remove(state, &at, &err));
		OK(pt_mem_read(mem, at.addr, seen, sizeof(seen), &err));
		ck_assert_mem_eq(seen, before, sizeof(seen));
	}
	end();
}
END_TEST

START_TEST(flash_refuses_what_is_not_flash)
{
	const uint8_t bytes[16] = { 0 };
	int rc;

	begin(_i);
	rc = ops->flash_write(state, rigs[_i].ram, bytes, sizeof(bytes), &err);
	ck_assert(rc == PT_EARG || rc == PT_EUNSUPPORTED);
	rc = ops->flash_erase(state, rigs[_i].ram, 0x1000, &err);
	ck_assert(rc == PT_EARG || rc == PT_EUNSUPPORTED);
	OK(ops->flash_done(state, NULL, &err));	/* nothing was begun */
	end();
}
END_TEST

/* --- leases ------------------------------------------------------------------------------------------------------- */

START_TEST(a_lease_has_one_owner)
{
	begin(_i);
	OK(pt_lease_take(target, "unit.7", "one", &err));
	OK(pt_lease_take(target, "unit.7", "one", &err));
	ck_assert_int_eq(pt_lease_take(target, "unit.7", "two", &err), PT_EBUSY);
	ck_assert_msg(strstr(err.msg, "one") != NULL, "%s", err.msg);
	pt_lease_drop(target, "unit.7", "two");
	ck_assert_int_eq(pt_lease_take(target, "unit.7", "two", &err), PT_EBUSY);
	pt_lease_drop(target, "unit.7", "one");
	OK(pt_lease_take(target, "unit.7", "two", &err));
	end();		/* frees what is still taken */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target contract");
	TCase *tc = tcase_create("contract");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, register_rows_are_sound, 0, PT_LEN(rigs));
	tcase_add_loop_test(tc, regions_are_sound, 0, PT_LEN(rigs));
	tcase_add_loop_test(tc, sources_are_sound, 0, PT_LEN(rigs));
	tcase_add_loop_test(tc, attach_and_detach_leave_it_running, 0, PT_LEN(rigs));
	tcase_add_loop_test(tc, leaving_changes_no_state, 0, PT_LEN(rigs));
	tcase_add_loop_test(tc, registers_while_halted_only, 0, PT_LEN(rigs));
	tcase_add_loop_test(tc, every_reset_ends_as_it_says, 0, PT_LEN(rigs));
	tcase_add_loop_test(tc, memory_keeps_what_is_written, 0, PT_LEN(rigs));
	tcase_add_loop_test(tc, breakpoints_come_and_go, 0, PT_LEN(rigs));
	tcase_add_loop_test(tc, flash_refuses_what_is_not_flash, 0, PT_LEN(rigs));
	tcase_add_loop_test(tc, a_lease_has_one_owner, 0, PT_LEN(rigs));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
