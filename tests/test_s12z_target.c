/* The target s12z over a wire that ends in arrays: attach, control, registers, memory, breakpoints, reset, flash, and
 * what it does when something is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "targets/s12z/core/s12z.h"
#include "targets/registry.h"
#include "tests/fake_s12z.h"

static struct fake_s12z bdc;
static struct pt_probe *probe;
static struct pt_target *target;
static const struct pt_target_ops *ops = &pt_s12z_ops;
static struct pt_s12z *z;
static struct pt_params *settings;
static struct pt_err err;

#define OK(call) ck_assert_msg((call) == 0, "%s: %s", #call, err.msg)

static void setup(void)
{
	fake_s12z_init(&bdc);
	settings = pt_params_new();
	memset(&err, 0, sizeof(err));
	probe = pt_probe_open_link(&fake_s12z_probe_ops, bdc.link, NULL, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	bdc.link = NULL;
	target = NULL;
}

static void teardown(void)
{
	if (target != NULL)
		pt_target_detach(target, true, &err);
	pt_probe_close(probe);
	pt_params_free(settings);
	fake_s12z_fini(&bdc);
}

static void set(const char *word)
{
	OK(pt_params_add(settings, ops->params, ops->n_params, word, &err));
}

static void attach(void)
{
	target = pt_target_attach(probe, "s12z", settings, &err);
	ck_assert_msg(target != NULL && err.code == 0, "%s", err.msg);
	z = target->state;
}

static void halt(void)
{
	OK(ops->halt(z, 0, &err));
}

static struct pt_core_status status(void)
{
	struct pt_core_status out;

	OK(ops->status(z, 0, &out, &err));
	return out;
}

/* --- attach ------------------------------------------------------------------------------------------------------- */

START_TEST(attaches_without_stopping)
{
	size_t n;

	attach();
	ck_assert_int_eq(bdc.csr & PT_BDC_BDMACT, 0);
	ck_assert_int_eq(bdc.csr & (PT_BDC_ENBDC | PT_BDC_CLKSW), PT_BDC_ENBDC | PT_BDC_CLKSW);	/* CLKSW as it was */
	ck_assert_uint_eq(bdc.n_reset, 0);
	ck_assert_uint_eq(z->chip.ram_bytes, FAKE_RAM_BYTES);
	ck_assert_uint_eq(z->chip.eeprom_bytes, FAKE_EEPROM_BYTES);
	ck_assert_uint_eq(z->chip.flash_bytes, FAKE_FLASH_BYTES);
	ck_assert_str_eq(ops->chip(z), "S12Z part 0x00170000");
	ck_assert_int_eq(z->dbg.kind, PT_DBG_PROFILE);
	ck_assert_uint_eq(bdc.io[DBG_TCRH] | bdc.io[DBG_TCRL], 0);	/* tried out, and left as they were */
	ops->regions(z, &n);
	ck_assert_uint_eq(n, 4);
	ck_assert_int_eq(status().state, PT_RUNNING);
	OK(pt_target_detach(target, true, &err));
	target = NULL;
	ck_assert_int_eq(bdc.csr & (PT_BDC_ENBDC | PT_BDC_CLKSW), PT_BDC_CLKSW);	/* as found */
}
END_TEST

START_TEST(secured_part_only_says_so)
{
	bdc.csr = 0;
	target = pt_target_attach(probe, "s12z", NULL, &err);
	ck_assert_ptr_nonnull(target);
	ck_assert_int_eq(err.code, PT_ESTATE);
	ck_assert_msg(strstr(err.msg, "monitor erase everything") != NULL, "%s", err.msg);
	ck_assert_uint_eq(bdc.n_clear + bdc.n_log + bdc.n_erase, 0);	/* nothing was written, nothing erased */
	OK(ops->mass_erase(target->state, &err));
	ck_assert_uint_eq(bdc.n_erase, 1);
}
END_TEST

static void no_trace(bool lite, const char *what)
{
	bdc.lite = lite;
	bdc.no_profile = true;
	attach();
	ck_assert_int_eq(pt_source_s12z_profile.available(target, &err), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, what) != NULL && strstr(err.msg, "sync-pc") != NULL, "%s", err.msg);
	OK(pt_source_s12z_pc.available(target, &err));
}

START_TEST(says_why_there_is_no_profiling)
{
	no_trace(_i == 0, _i == 0 ? "DebugLite" : "PROFILE in DBGTCRL");
	ck_assert_int_eq(pt_source_s12z_trace.available(target, &err), _i == 0 ? PT_EUNSUPPORTED : 0);
}
END_TEST

START_TEST(no_answer_is_told_with_what_to_look_at)
{
	bdc.fail_code = _i == 0 ? PT_EPROTO : PT_EIO;
	bdc.fail_always = true;
	target = pt_target_attach(probe, "s12z", NULL, &err);
	ck_assert_ptr_null(target);
	ck_assert_int_eq(err.code, _i == 0 ? PT_EPROTO : PT_EIO);
	ck_assert_msg(strstr(err.msg, "power") != NULL, "%s", err.msg);
}
END_TEST

/* --- control ------------------------------------------------------------------------------------------------------ */

START_TEST(halts_steps_and_goes)
{
	uint64_t pc;

	attach();
	halt();
	ck_assert_int_eq(status().state, PT_HALTED);
	ck_assert_int_eq(status().reason, PT_HALT_REQUEST);
	OK(ops->step(z, 0, &err));
	OK(ops->pc(z, 0, &pc, &err));
	ck_assert_uint_eq(pc, 0xff8001);
	ck_assert_int_eq(status().reason, PT_HALT_STEP);
	OK(ops->resume(z, 0, &err));
	ck_assert_int_eq(status().state, PT_RUNNING);
}
END_TEST

START_TEST(halt_in_wai_stays_pending)
{
	attach();
	bdc.waits = true;
	ck_assert_int_eq(ops->halt(z, 0, &err), PT_ETIMEOUT);
	ck_assert_msg(strstr(err.msg, "WAI") != NULL, "%s", err.msg);
	bdc.csr |= PT_BDC_WAIT;
	ck_assert_int_eq(status().state, PT_SLEEPING);
	bdc.waits = false;		/* the interrupt comes, and then the halt */
	fake_s12z_stop(&bdc, 0xff9000);
	ck_assert_int_eq(status().reason, PT_HALT_REQUEST);
}
END_TEST

START_TEST(registers_have_gdbs_sizes)
{
	uint16_t which[PT_S12Z_ROWS];
	uint64_t values[PT_S12Z_ROWS];
	unsigned bits = 0;
	size_t n;
	const struct pt_register *rows = ops->registers(NULL, &n);

	attach();
	for (uint16_t i = 0; i < n; i++) {
		which[i] = i;
		bits += rows[i].bits;
		bdc.reg[i] = 0xa1b2c3d4u + i;
	}
	ck_assert_uint_eq(bits, 8 * 32);
	ck_assert_int_eq(ops->read_registers(z, 0, which, n, values, &err), PT_ESTATE);
	bdc.pc_of_run = 0xb2c3d4;
	halt();
	OK(ops->read_registers(z, 0, which, n, values, &err));
	ck_assert_uint_eq(values[0], 0xd4);
	ck_assert_uint_eq(values[2], 0xc3d6);
	ck_assert_uint_eq(values[7], 0xa1b2c3db);
	ck_assert_uint_eq(values[10], 0xb2c3de);
	values[11] = 0xfffe1234;
	OK(ops->write_registers(z, 0, &which[11], 1, &values[11], &err));
	ck_assert_uint_eq(bdc.reg[11], 0xfe1234);
}
END_TEST

START_TEST(leaving_turns_enbdc_off_until_it_is_needed)
{
	uint8_t byte;

	attach();
	OK(ops->leave(z, &err));
	ck_assert_int_eq(bdc.csr & PT_BDC_ENBDC, 0);
	ck_assert(!status().was_reset);
	OK(pt_mem_read(&z->mem, FAKE_RAM, &byte, 1, &err));
	ck_assert_int_ne(bdc.csr & PT_BDC_ENBDC, 0);
}
END_TEST

/* --- killed ------------------------------------------------------------------------------------------------------- */

static char *kept, said[200];

static void keep(void *arg, const char *text, size_t len_bytes)
{
	(void)arg;
	free(kept);
	kept = text != NULL ? strndup(text, len_bytes) : NULL;
}

static void hear(void *arg, bool done, const char *sentence)
{
	(void)arg;
	(void)done;
	snprintf(said, sizeof(said), "%s", sentence);
}

/* As the board begins: notes are kept once it is known what chip it is. */
static void attach_with_notes(void)
{
	attach();
	target->pending = pt_pending_new(keep, NULL);
	ops->note_changes(z);
}

/* Nothing is written any more, and nothing noted. */
static void kill_it(void)
{
	struct pt_err ignored;

	pt_pending_free(target->pending);
	target->pending = NULL;
	bdc.dark = true;
	pt_target_detach(target, true, &ignored);
	bdc.dark = false;
	target = NULL;
}

/* The next process, which knows nothing but the text. */
static void come_again(void)
{
	struct pt_pending *noted = pt_pending_new(keep, NULL);

	said[0] = '\0';
	attach();
	OK(pt_pending_parse(noted, kept, strlen(kept), &err));
	OK(pt_pending_put_back(noted, target, hear, NULL, &err));
	target->pending = noted;
	ops->note_changes(z);
}

static void go_for_good(void)
{
	struct pt_pending *pending = target->pending;

	OK(pt_target_detach(target, true, &err));
	target = NULL;
	pt_pending_free(pending);
}

static const struct { const char *does, *set; uint16_t found, after; const char *says; } killed[] = {
	{ "", NULL, PT_BDC_CLKSW, PT_BDC_CLKSW, "bdc is as it was before" },
	{ "", NULL, 0, 0, "bdc is as it was before" },
	{ "", "run-in-stop=on", 0, 0, "bdc is as it was before" },
	{ "", "steal=on", PT_BDC_CLKSW, PT_BDC_CLKSW, "bdc is as it was before" },
	{ "", "connect=under-reset", 0, PT_BDC_ENBDC, "bdc is left alone, because the core is halted" },
	{ "leave, read", NULL, 0, 0, "bdc is as it was before" },
	{ "reset", NULL, PT_BDC_CLKSW, 0, "bdc is left alone: 0x0 holds 0x0, not 0x8400 as was written" },
	{ "reset", NULL, 0, 0, "bdc is as it was before" },
	{ "halt", NULL, 0, PT_BDC_ENBDC, "bdc is left alone, because the core is halted" },
};

/* ENBDC and what is set besides it: what needs it sets it again, and what was before the first of both is put back. */
START_TEST(enbdc_of_one_that_was_killed_is_put_back)
{
	uint16_t mine = PT_BDC_ENBDC | PT_BDC_BDCCIS | PT_BDC_STEAL | PT_BDC_CLKSW;
	uint8_t byte;

	bdc.csr = PT_BDC_UNSEC | killed[_i].found;
	if (killed[_i].set != NULL)
		set(killed[_i].set);
	attach_with_notes();
	if (strstr(killed[_i].does, "leave") != NULL) {
		OK(ops->leave(z, &err));
		ck_assert_ptr_null(kept);
	}
	if (strstr(killed[_i].does, "read") != NULL)
		OK(pt_mem_read(&z->mem, FAKE_RAM, &byte, 1, &err));
	if (strcmp(killed[_i].does, "halt") == 0)
		halt();
	ck_assert_msg(kept != NULL && strstr(kept, "\nrow bdc ") != NULL, "%s", kept != NULL ? kept : "nothing");
	kill_it();
	if (strcmp(killed[_i].does, "reset") == 0)	/* into normal mode, by somebody else */
		bdc.csr = PT_BDC_UNSEC;
	pt_params_free(settings);
	settings = pt_params_new();
	come_again();
	ck_assert_msg(strncmp(said, killed[_i].says, strlen(killed[_i].says)) == 0, "%s", said);
	OK(pt_mem_read(&z->mem, FAKE_RAM, &byte, 1, &err));
	go_for_good();
	ck_assert_uint_eq(bdc.csr & mine, killed[_i].after);
	ck_assert_ptr_null(kept);
}
END_TEST

/* The next one may be told to set the same: that is its own, then. */
START_TEST(what_the_next_one_wants_is_its_own)
{
	bdc.csr = PT_BDC_UNSEC;
	set("steal=on");
	attach_with_notes();
	kill_it();
	come_again();
	ck_assert_str_eq(said, "bdc is as it was before");
	ck_assert_uint_ne(bdc.csr & PT_BDC_STEAL, 0);
	go_for_good();
	ck_assert_uint_eq(bdc.csr, PT_BDC_UNSEC);
	ck_assert_ptr_null(kept);
}
END_TEST

/* --- memory ------------------------------------------------------------------------------------------------------- */

static const struct { uint32_t off; uint8_t len, n_accesses;
} spans[] = {
	{ 0, 1, 1 }, { 1, 1, 1 }, { 3, 1, 1 }, { 0, 2, 1 }, { 2, 2, 1 }, { 0, 4, 1 },  { 4, 4, 1 },
	{ 1, 2, 2 }, { 3, 2, 2 }, { 1, 3, 2 }, { 2, 4, 2 }, { 3, 8, 4 }, { 1, 14, 6 },
};

START_TEST(accesses_are_as_few_and_as_wide_as_can_be)
{
	uint8_t out[16], in[16] = { 0 };

	attach();
	for (unsigned i = 0; i < sizeof(out); i++)
		out[i] = (uint8_t)(0x31 + i);
	OK(pt_mem_write(&z->mem, FAKE_RAM + spans[_i].off, out, spans[_i].len, &err));
	bdc.n_log = 0;
	OK(pt_mem_read(&z->mem, FAKE_RAM + spans[_i].off, in, spans[_i].len, &err));
	ck_assert_mem_eq(in, out, spans[_i].len);
	ck_assert_mem_eq(bdc.ram + spans[_i].off, out, spans[_i].len);
	ck_assert_uint_eq(bdc.n_log, spans[_i].n_accesses);
}
END_TEST

START_TEST(large_reads_come_in_longs)
{
	static uint8_t in[5000];
	unsigned n;

	attach();
	for (unsigned i = 0; i < FAKE_FLASH_BYTES; i++)
		bdc.flash[i] = (uint8_t)(i * 7 + (i >> 8));
	n = bdc.n_runs_called;
	bdc.n_log = 0;
	OK(pt_mem_read(&z->mem, FAKE_FLASH + 3, in, sizeof(in), &err));
	ck_assert_mem_eq(in, bdc.flash + 3, sizeof(in));
	ck_assert_uint_le(bdc.n_log, sizeof(in) / 4 + 3);
	ck_assert_uint_eq(bdc.n_runs_called - n, 1);
}
END_TEST

START_TEST(fault_is_told_and_does_not_stick)
{
	uint8_t byte;

	attach();
	ck_assert_int_eq(pt_mem_read(&z->mem, 0x200000, &byte, 1, &err), PT_EFAULT);
	ck_assert_msg(strstr(err.msg, "0x200000") != NULL && strstr(err.msg, "ILLACC") != NULL, "%s", err.msg);
	ck_assert_int_eq(bdc.csr & PT_BDC_FLAGS, 0);
	OK(pt_mem_read(&z->mem, FAKE_RAM, &byte, 1, &err));
	ck_assert_int_eq(pt_mem_read(&z->mem, 0x1000000, &byte, 1, &err), PT_EFAULT);
	ck_assert_msg(strstr(err.msg, "24 bits") != NULL, "%s", err.msg);
}
END_TEST

START_TEST(polls_a_byte_of_a_word)
{
	struct pt_mem_op op[] = {
		{ .what = PT_MEM_POLL, .addr = FAKE_RAM, .mask = 0xff00, .match = 0x4200, .time_us = 10 },
		{ .what = PT_MEM_READ, .addr = FAKE_RAM, .len_bytes = 4, .bytes = (uint8_t[4]){ 0 } },
	};
	size_t n_done;

	attach();
	OK(pt_mem_run(&z->mem, op, 2, 100, &n_done, &err));
	ck_assert_uint_eq(n_done, 0);		/* expired */
	bdc.ram[2] = 0x42;
	OK(pt_mem_run(&z->mem, op, 2, 100, &n_done, &err));
	ck_assert_uint_eq(n_done, 2);
	ck_assert_uint_eq(op[0].match_seen & 0xff00, 0x4200);
	op[0].mask = 0xfff;
	ck_assert_int_eq(pt_mem_run(&z->mem, op, 2, 100, &n_done, &err), PT_EARG);
}
END_TEST

/* --- breakpoints -------------------------------------------------------------------------------------------------- */

static void insert(enum pt_break_kind kind, uint64_t addr, uint32_t len)
{
	OK(ops->break_insert(z, &(struct pt_break){ kind, addr, len }, &err));
}

static void drop(enum pt_break_kind kind, uint64_t addr, uint32_t len)
{
	OK(ops->break_remove(z, &(struct pt_break){ kind, addr, len }, &err));
}

START_TEST(breakpoint_takes_a_comparator_and_gives_all_back)
{
	uint8_t before[0x48];

	bdc.io[DBG_SCR1] = 0x55;
	bdc.io[0x140] = 0x20;
	attach();
	memcpy(before, bdc.io + DBG_C1, sizeof(before));
	insert(PT_BREAK_HW, 0xff8123, 1);
	insert(PT_BREAK_HW, 0xff8123, 1);
	ck_assert_uint_eq(bdc.io[DBG_C1], C1_ARM | C1_BDMBP | C1_BRKCPU);
	ck_assert_uint_eq(bdc.io[0x140], CTL_INST | CTL_COMPE);
	ck_assert_uint_eq(pt_be24(bdc.io + 0x145), 0xff8123);
	ck_assert_uint_eq(bdc.io[DBG_SCR1], 0xc0);	/* D: State1 to Final State, and no other */
	drop(PT_BREAK_HW, 0xff8123, 1);
	ck_assert_mem_eq(bdc.io + DBG_C1, before, sizeof(before));
	ck_assert(!pt_lease_held(target, "dbg"));
}
END_TEST

static void stop_at_break(struct fake_s12z *core)
{
	core->io[DBG_C1] &= (uint8_t)~C1_ARM;
	core->io[DBG_EFR] = 8;		/* ME3: D */
	fake_s12z_stop(core, 0xff8123);
}

START_TEST(breakpoint_stops_and_is_armed_again)
{
	attach();
	halt();
	insert(PT_BREAK_HW, 0xff8123, 1);
	bdc.on_go = stop_at_break;
	OK(ops->resume(z, 0, &err));
	ck_assert_int_eq(status().reason, PT_HALT_BREAK_HW);
	ck_assert_uint_eq(status().addr, 0xff8123);
	bdc.on_go = NULL;
	OK(ops->resume(z, 0, &err));
	ck_assert_uint_ne(bdc.io[DBG_C1] & C1_ARM, 0);
	ck_assert_uint_eq(fake_s12z_count(&bdc, PT_BDC_STEP1, 0), 1);	/* off the breakpoint first */
}
END_TEST

START_TEST(watchpoints_take_what_they_need)
{
	attach();
	insert(PT_WATCH_WRITE, FAKE_RAM + 6, 2);
	ck_assert_uint_eq(bdc.io[0x110], CTL_COMPE | CTL_RWE);
	ck_assert_uint_eq(pt_be24(bdc.io + 0x115), FAKE_RAM + 6);
	ck_assert_uint_eq(pt_be24(bdc.io + 0x125), FAKE_RAM + 7);
	ck_assert_uint_eq(bdc.io[DBG_C2], 1);		/* A and B: inside */
	insert(PT_WATCH_READ, FAKE_RAM, 1);
	ck_assert_uint_eq(bdc.io[0x140], CTL_COMPE | CTL_RWE | CTL_RW);
	ck_assert_int_eq(ops->break_insert(z, &(struct pt_break){ PT_WATCH_ACCESS, FAKE_RAM, 4 }, &err), PT_EBUSY);
	ck_assert_msg(strstr(err.msg, "side by side") != NULL, "%s", err.msg);
	insert(PT_BREAK_HW, 0xff8000, 1);
	ck_assert_int_eq(ops->break_insert(z, &(struct pt_break){ PT_BREAK_HW, 0xff8001, 1 }, &err), PT_EBUSY);
	drop(PT_WATCH_WRITE, FAKE_RAM + 6, 2);
	drop(PT_WATCH_READ, FAKE_RAM, 1);
	drop(PT_BREAK_HW, 0xff8000, 1);
	ck_assert(!pt_lease_held(target, "dbg"));
}
END_TEST

static void stop_at_watch(struct fake_s12z *core)
{
	core->io[DBG_C1] &= (uint8_t)~C1_ARM;
	core->io[DBG_EFR] = 2;		/* ME1: the upper end of the pair */
	fake_s12z_stop(core, 0xff8130);
}

START_TEST(watchpoint_says_what_it_watches)
{
	attach();
	halt();
	insert(PT_WATCH_WRITE, FAKE_RAM + 6, 2);
	bdc.on_go = stop_at_watch;
	OK(ops->resume(z, 0, &err));
	ck_assert_int_eq(status().reason, PT_HALT_WATCH_WRITE);
	ck_assert_uint_eq(status().addr, FAKE_RAM + 6);
}
END_TEST

static void stop_at_bgnd(struct fake_s12z *core)
{
	fake_s12z_stop(core, FAKE_RAM + 0x40 + (core->bgnd_behind ? 1 : 0));
}

START_TEST(bgnd_in_ram_is_hidden_and_reported_where_it_is)
{
	uint8_t seen[4], code[4] = { 0x11, 0x22, 0x33, 0x44 };
	uint64_t pc;

	bdc.bgnd_behind = _i == 1;
	memcpy(bdc.ram + 0x3f, code, sizeof(code));
	attach();
	halt();
	insert(PT_BREAK_SW, FAKE_RAM + 0x40, 1);
	ck_assert_uint_eq(bdc.ram[0x40], 0x00);
	OK(pt_mem_read(&z->mem, FAKE_RAM + 0x3f, seen, 4, &err));
	ck_assert_mem_eq(seen, code, 4);
	OK(pt_mem_write(&z->mem, FAKE_RAM + 0x3f, "\x55\x66\x77\x88", 4, &err));
	ck_assert_uint_eq(bdc.ram[0x40], 0x00);
	ck_assert_uint_eq(bdc.ram[0x41], 0x77);
	bdc.on_go = stop_at_bgnd;
	OK(ops->resume(z, 0, &err));
	ck_assert_int_eq(status().reason, PT_HALT_BREAK_SW);
	OK(ops->pc(z, 0, &pc, &err));
	ck_assert_uint_eq(pc, FAKE_RAM + 0x40);
	drop(PT_BREAK_SW, FAKE_RAM + 0x40, 1);
	ck_assert_uint_eq(bdc.ram[0x40], 0x66);
}
END_TEST

START_TEST(dbg_that_the_application_armed_is_left_alone)
{
	bdc.io[DBG_C1] = C1_ARM | C1_BRKCPU;
	if (_i == 1)
		set("dbg-take=on");
	attach();
	ck_assert_uint_eq(bdc.io[DBG_C1], C1_ARM | C1_BRKCPU);
	if (_i == 0) {
		ck_assert_int_eq(ops->break_insert(z, &(struct pt_break){ PT_BREAK_HW, 0xff8000, 1 }, &err), PT_EBUSY);
		ck_assert_msg(strstr(err.msg, "application itself") != NULL, "%s", err.msg);
	} else {
		insert(PT_BREAK_HW, 0xff8000, 1);
		drop(PT_BREAK_HW, 0xff8000, 1);
	}
	ck_assert_uint_eq(bdc.io[DBG_C1], C1_ARM | C1_BRKCPU);
}
END_TEST

/* --- reset, flash ------------------------------------------------------------------------------------------------- */

START_TEST(resets_as_asked_and_sets_breakpoints_again)
{
	attach();
	insert(PT_BREAK_HW, 0xff8000, 1);
	OK(ops->reset(z, PT_RESET_HALT, &err));
	ck_assert_int_eq(bdc.reset_mode, PT_BDC_SPECIAL);
	ck_assert_int_eq(status().state, PT_HALTED);
	ck_assert_uint_eq(bdc.io[0x140], CTL_INST | CTL_COMPE);
	OK(ops->reset(z, PT_RESET_RUN, &err));
	ck_assert_int_eq(bdc.reset_mode, PT_BDC_NORMAL);
	ck_assert_int_eq(status().state, PT_RUNNING);
	ck_assert(!status().was_reset);
	ck_assert_uint_ne(bdc.io[DBG_C1] & C1_ARM, 0);
}
END_TEST

START_TEST(sees_a_reset_by_somebody_else)
{
	attach();
	fake_s12z_ops.reset(&(struct fake_s12z *){ &bdc }, PT_BDC_NORMAL, &err);
	ck_assert(status().was_reset);
	ck_assert(!status().was_reset);
}
END_TEST

START_TEST(programs_flash_and_eeprom)
{
	uint8_t bytes[300];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 3 + 1);
	memset(bdc.flash, 0x55, 1024);
	attach();
	halt();
	OK(ops->flash_erase(z, FAKE_FLASH, 1024, &err));
	OK(ops->flash_write(z, FAKE_FLASH + 13, bytes, sizeof(bytes), &err));
	OK(ops->flash_erase(z, FAKE_EEPROM + 8, 8, &err));
	OK(ops->flash_write(z, FAKE_EEPROM + 9, bytes, 5, &err));
	OK(ops->flash_done(z, NULL, &err));
	ck_assert_mem_eq(bdc.flash + 13, bytes, sizeof(bytes));
	ck_assert_uint_eq(bdc.flash[12], 0xff);
	ck_assert_uint_eq(bdc.flash[1023], 0xff);
	ck_assert_mem_eq(bdc.eeprom + 9, bytes, 5);
	ck_assert_uint_eq(bdc.io[0x380] & 0x7f, 5);	/* 6.25 MHz */
}
END_TEST

START_TEST(flash_stays_open)
{
	uint8_t lock = 0xff;

	attach();
	halt();
	OK(ops->flash_erase(z, 0xfffe00, 512, &err));
	ck_assert_int_eq(ops->flash_write(z, 0xfffe0f, &lock, 1, &err), PT_EPERM);
	bdc.flash[FAKE_FLASH_BYTES - 0x100] = 0;
	OK(ops->flash_done(z, NULL, &err));
	ck_assert_uint_eq(bdc.flash[FAKE_FLASH_BYTES - 0x1f1], 0xfe);
	ck_assert_int_eq(ops->flash_write(z, FAKE_RAM, &lock, 1, &err), PT_EARG);
}
END_TEST

/* --- what is not verified is a word ------------------------------------------------------------------------------- */

START_TEST(bits_of_bdccsr_are_where_the_user_says)
{
	set("bdccsr=ENBDC,BDMACT,STEAL,-,BDCCIS,CLKSW,UNSEC,ERASE,STOP,WAIT,ILLCMD,OVRUN,NORESP,RDINV,ILLACC,RAMWF");
	set("run-in-stop=on");
	bdc.csr |= 0x20;	/* where ILLCMD is now, from before we came */
	attach();
	ck_assert_uint_eq(z->wire.csr & PT_BDC_ILLCMD, 0);
	ck_assert_uint_eq(bdc.csr & 0x20, 0);
	ck_assert_uint_eq(bdc.errors, 0x3f);
	ck_assert_uint_eq(bdc.csr & (PT_BDC_BDCCIS | PT_BDC_STEAL), PT_BDC_STEAL);
	ck_assert_int_eq(pt_bdccsr_seen(&z->bits, 0x0880), PT_BDC_BDCCIS | PT_BDC_STOP);
	ck_assert_int_eq(pt_bdccsr_sent(&z->bits, PT_BDC_BDCCIS | PT_BDC_STOP), 0x0880);
	for (unsigned value = 0; value < 0x10000; value += 0x0101)
		ck_assert_uint_eq(pt_bdccsr_seen(&z->bits, pt_bdccsr_sent(&z->bits, (uint16_t)value)), value);
}
END_TEST

static const char *const no_words[] = {
	"bdccsr=ENBDC,BDMACT", "bdccsr=" "ENBDC,ENBDC,BDCCIS,-,STEAL,CLKSW,UNSEC,ERASE,WAIT,STOP,RAMWF,OVRUN,NORESP,RDINV,ILLACC,ILLCMD",
	"dbg-trcmod=012", "dbg-trcmod=0122", "dbg-trcmod=01234", "dbg-talign=04",
};

START_TEST(words_that_cannot_be_are_refused)
{
	set(no_words[_i]);
	ck_assert_ptr_null(pt_target_attach(probe, "s12z", settings, &err));
	ck_assert_int_eq(err.code, PT_EARG);
	ck_assert_msg(strstr(err.msg, _i < 2 ? "bdccsr" : "digits") != NULL, "%s", err.msg);
}
END_TEST

START_TEST(codes_of_the_dbg_are_what_the_user_says)
{
	struct pt_break at = { PT_BREAK_HW, 0xff8000, 1 };

	set("dbg-final=2");
	set("dbg-trcmod=3210");
	attach();
	ck_assert_uint_eq(z->dbg.codes.trcmod[PT_DBG_NORMAL], 3);
	ck_assert_uint_eq(z->dbg.codes.align_begin, 1);
	halt();
	ck_assert_int_eq(ops->break_insert(z, &at, &err), 0);
	ck_assert_int_eq(ops->resume(z, 0, &err), 0);
	ck_assert_uint_eq(bdc.io[DBG_SCR1], 0x80);	/* of comparator D */
}
END_TEST

/* --- trouble ------------------------------------------------------------------------------------------------------ */

START_TEST(trouble_of_the_wire_is_a_state)
{
	attach();
	bdc.fail_code = PT_ETIMEOUT;
	bdc.fail_always = true;
	ck_assert_int_eq(status().state, PT_LOST);
	bdc.fail_code = 0;
	ck_assert_int_eq(status().state, PT_RUNNING);
	bdc.dark = true;		/* BDCCSR of all ones is no answer, and nothing waits for one */
	bdc.n_runs_called = 0;
	ck_assert_int_eq(status().state, PT_LOST);
	ck_assert_int_eq(target->ops->halt(z, 0, &err), PT_EPROTO);
	ck_assert_msg(strstr(err.msg, "0xffff") != NULL && strstr(err.msg, "no clock, no power") != NULL, "%s",
		      err.msg);
	ck_assert_uint_lt(bdc.n_runs_called, 10);
	bdc.dark = false;
	ck_assert_int_eq(status().state, PT_RUNNING);
}
END_TEST

/* It stays asleep for every look, not for the first alone; what cannot be reached is said to be asleep. */
START_TEST(stop_mode_is_sleep)
{
	uint8_t byte;

	attach();
	bdc.stopped = bdc.waits = true;	/* SYNC_PC fails in both */
	bdc.csr |= PT_BDC_STOP;
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(status().state, PT_SLEEPING);
	ck_assert_int_eq(pt_mem_read(&z->mem, FAKE_RAM, &byte, 1, &err), PT_EFAULT);
	ck_assert_msg(strstr(err.msg, "STOP mode") != NULL && strstr(err.msg, "run-in-stop") != NULL, "%s", err.msg);
	ck_assert_int_eq(status().state, PT_SLEEPING);
	bdc.stopped = bdc.waits = false;
	ck_assert_int_eq(status().state, PT_RUNNING);
	ck_assert_int_eq(pt_mem_read(&z->mem, FAKE_RAM, &byte, 1, &err), 0);
}
END_TEST

/* A client's request interrupts the look at a core in WAI, and what failed there is not blamed on the request. */
START_TEST(interrupted_look_spoils_no_read)
{
	struct pt_core_status seen;
	uint8_t byte;

	attach();
	bdc.waits = true;
	bdc.csr |= PT_BDC_WAIT;
	bdc.fail_code = PT_EINTERRUPTED;
	bdc.fail_after = 2;		/* behind BDCCSR and SYNC_PC, before the flags are cleared */
	ck_assert_int_eq(ops->status(z, 0, &seen, &err), PT_EINTERRUPTED);
	ck_assert_uint_ne(bdc.csr & PT_BDC_NORESP, 0);
	OK(pt_mem_read(&z->mem, FAKE_RAM, &byte, 1, &err));
	ck_assert_uint_eq(bdc.csr & PT_BDC_ERRORS, 0);
	ck_assert_uint_ne(bdc.csr & PT_BDC_WAIT, 0);
	ck_assert_int_eq(status().state, PT_SLEEPING);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("s12z target");
	TCase *tc = tcase_create("target");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, attaches_without_stopping);
	tcase_add_test(tc, secured_part_only_says_so);
	tcase_add_loop_test(tc, says_why_there_is_no_profiling, 0, 2);
	tcase_add_loop_test(tc, no_answer_is_told_with_what_to_look_at, 0, 2);
	tcase_add_test(tc, halts_steps_and_goes);
	tcase_add_test(tc, halt_in_wai_stays_pending);
	tcase_add_test(tc, registers_have_gdbs_sizes);
	tcase_add_test(tc, leaving_turns_enbdc_off_until_it_is_needed);
	tcase_add_loop_test(tc, accesses_are_as_few_and_as_wide_as_can_be, 0, PT_LEN(spans));
	tcase_add_test(tc, large_reads_come_in_longs);
	tcase_add_test(tc, fault_is_told_and_does_not_stick);
	tcase_add_test(tc, polls_a_byte_of_a_word);
	tcase_add_test(tc, breakpoint_takes_a_comparator_and_gives_all_back);
	tcase_add_test(tc, breakpoint_stops_and_is_armed_again);
	tcase_add_test(tc, watchpoints_take_what_they_need);
	tcase_add_test(tc, watchpoint_says_what_it_watches);
	tcase_add_loop_test(tc, bgnd_in_ram_is_hidden_and_reported_where_it_is, 0, 2);
	tcase_add_loop_test(tc, dbg_that_the_application_armed_is_left_alone, 0, 2);
	tcase_add_test(tc, resets_as_asked_and_sets_breakpoints_again);
	tcase_add_test(tc, sees_a_reset_by_somebody_else);
	tcase_add_test(tc, programs_flash_and_eeprom);
	tcase_add_test(tc, flash_stays_open);
	tcase_add_test(tc, trouble_of_the_wire_is_a_state);
	tcase_add_test(tc, stop_mode_is_sleep);
	tcase_add_test(tc, interrupted_look_spoils_no_read);
	tcase_add_test(tc, bits_of_bdccsr_are_where_the_user_says);
	tcase_add_loop_test(tc, enbdc_of_one_that_was_killed_is_put_back, 0, PT_LEN(killed));
	tcase_add_test(tc, what_the_next_one_wants_is_its_own);
	tcase_add_loop_test(tc, words_that_cannot_be_are_refused, 0, (int)PT_LEN(no_words));
	tcase_add_test(tc, codes_of_the_dbg_are_what_the_user_says);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
