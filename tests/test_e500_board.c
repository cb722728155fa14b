/* The virtual board e500 as a whole: the demo's own counters against the calls that a tap saw, the server's registers,
 * breakpoints and traps, and the performance monitor read through it against what the core counted. */
#include <stdio.h>
#include <string.h>

#include "demo_calls.h"
#include "harness.h"
#include "probes/virtual/chip/e500.h"
#include "rsp_rig.h"

enum { PMC0 = 16, PMLCA0 = 144, SCRATCH = 0x800000, TRAP = 0x7fe00008, GDB_TRAP = 0x7d821008 };

enum { STARTED_NS = 10000000 };		/* the demo has cleared its memory and taken its vectors by then */

static struct pt_params *settings;
static struct pt_vboard *board;
static struct pt_e500 *chip;

static void make(const char *word)
{
	struct pt_err err = { .msg = "" };
	size_t elf_bytes;
	const uint8_t *elf = pt_vboard_e500.demo(&elf_bytes);

	settings = pt_params_new();
	if (word != NULL)
		ck_assert_int_eq(pt_vboard_add_word(&pt_vboard_e500, settings, word, &err), 0);
	board = pt_vboard_e500.make(settings, NULL, 0, &err);
	ck_assert_msg(board != NULL, "%s", err.msg);
	chip = pt_e500_of(board);
	read_symbols(elf, elf_bytes);
}

static void done(void)
{
	pt_vboard_e500.free(board);
	pt_params_free(settings);
}

static uint32_t peek(uint32_t addr)
{
	return pt_e500_peek(chip, addr);
}

/* --- firmware */

START_TEST(the_demos_counters_are_its_calls)
{
	struct pt_vobserver observer = { .insn = count_call };
	uint64_t ticks;

	make(NULL);
	pt_ve500_add_observer(chip->cpu, &observer);
	pt_vboard_e500.advance(board, STARTED_NS);
	ticks = function_of("tick")->n_calls;
	pt_vboard_e500.advance(board, STARTED_NS + 16000000);	/* 1.6 million cycles: 100 periods of 16000 */
	function_of("unexpected")->counter = 0;
	ck_assert_uint_eq(function_of("unexpected")->n_calls, 0);
	ck_assert_uint_eq(check_calls(peek), 15);
	ck_assert_uint_ge(function_of("tick")->n_calls - ticks, 99);
	ck_assert_uint_le(function_of("tick")->n_calls - ticks, 101);
	ck_assert_uint_eq(chip->uart.log[0], 'e');
	pt_ve500_remove_observer(chip->cpu, &observer);
	done();
}
END_TEST

static uint32_t end_of(uint32_t begin)
{
	uint32_t end = 0x20000;		/* behind the text */

	for (size_t i = 0; i < n_functions; i++)
		if (functions[i].addr > begin && functions[i].addr < end)
			end = functions[i].addr;
	return end;
}

static uint64_t event(unsigned n)
{
	return pt_ve500_events(chip->cpu)[n];
}

/* What the core counts is what its functions executed, and no function is without. */
START_TEST(functions_add_up_to_what_the_core_counts)
{
	struct pt_vtruth truth;
	uint64_t sum = 0, begin;

	make(NULL);
	pt_vboard_e500.advance(board, STARTED_NS);
	begin = event(2);
	ck_assert(pt_e500_watch(chip, &truth, 0));
	pt_vboard_e500.advance(board, STARTED_NS + 5000000);
	for (size_t i = 0; i < n_functions; i++)
		sum += pt_vtruth_sum(&truth, functions[i].addr, end_of(functions[i].addr)).instructions;
	ck_assert_uint_eq(truth.elsewhere.instructions, 0);
	ck_assert_uint_eq(sum, event(2) - begin);	/* event 2: instructions completed */
	ck_assert_uint_gt(pt_vtruth_sum(&truth, function_of("tick")->addr, end_of(function_of("tick")->addr))
				  .instructions,
			  0);
	pt_vtruth_fini(&truth);
	done();
}
END_TEST

/* What a function is for can be seen in the events while it runs: misses, mispredictions. */
static uint64_t events_of(const char *name, unsigned n)
{
	uint32_t begin = function_of(name)->addr;
	uint64_t before;

	pt_ve500_set_breakpoint(chip->cpu, 0, true, begin);
	pt_vboard_e500.advance(board, chip->power.now_ns + 5000000);
	ck_assert_uint_eq(pt_ve500_pc(chip->cpu), begin);
	before = event(n);
	pt_ve500_set_breakpoint(chip->cpu, 0, true, (uint32_t)pt_ve500_reg(chip->cpu, PT_VE500_LR));
	pt_ve500_resume(chip->cpu, false);
	pt_vboard_e500.advance(board, chip->power.now_ns + 1000000);
	ck_assert_int_eq(pt_ve500_state(chip->cpu), PT_VE500_HALT);
	pt_ve500_set_breakpoint(chip->cpu, 0, false, 0);
	before = event(n) - before;
	pt_ve500_resume(chip->cpu, false);
	return before;
}

START_TEST(functions_differ_in_what_they_cost)
{
	enum { DL1_RELOADS = 41, CASTOUTS = 42, MISPREDICTED = 15 };

	make(NULL);
	pt_vboard_e500.advance(board, STARTED_NS + 1000000);	/* caches and predictor know the program */
	ck_assert_uint_ge(events_of("walk_far", DL1_RELOADS), 500);
	ck_assert_uint_ge(events_of("store_far", DL1_RELOADS), 500);
	ck_assert_uint_le(events_of("regular", DL1_RELOADS), 4);
	ck_assert_uint_ge(events_of("walk_far", CASTOUTS) + events_of("store_far", CASTOUTS), 300);
	ck_assert_uint_ge(events_of("guess", MISPREDICTED), 20);
	ck_assert_uint_le(events_of("regular", MISPREDICTED), 6);
	done();
}
END_TEST

/* --- the GDB server */

static void halt_the_demo(void)
{
	begin_serving(&pt_vboard_e500, board, "modern");
	now_ns = STARTED_NS;
	ck_assert_str_eq(payload("?"), "T02thread:1;");
}

static void write_words(uint32_t addr, const uint32_t *words, size_t n_words)
{
	char packet[200];
	int n = snprintf(packet, sizeof(packet), "M%x,%zx:", addr, 4 * n_words);

	for (size_t i = 0; i < n_words; i++)
		n += snprintf(packet + n, sizeof(packet) - (size_t)n, "%08x", words[i]);
	ck_assert_str_eq(payload(packet), "OK");
}

static void set_reg(unsigned n, uint32_t value)
{
	char packet[32];

	snprintf(packet, sizeof(packet), "P%x=%08x", n, value);
	ck_assert_str_eq(payload(packet), "OK");
}

static const struct { const char *packet, *want; } talk[] = {
	{ "?", "T02thread:1;" }, { "P49=1122334455667788", "OK" }, { "p49", "1122334455667788" },
	{ "P4a=0000003c", "OK" }, { "p4a", "0000003c" }, { "p46", "E01" }, { "p4b", "80210030" }, { "p4c", "E01" },
	{ "P3f=89abcdef", "OK" },
	{ "p3f", "89abcdef" }, { "M800000,4:12345678", "OK" }, { "m800002,2", "5678" }, { "m40000000,4", "E0e" },
	{ "mf0004508,4", "00000004" }, { "Mf0004504,4:00000041", "OK" }, { "mf0004508,4", "00000000" },	/* the UART */
	{ "Z0,100,4", "" }, { "Z1,100,4", "OK" }, { "z1,100,4", "OK" },
	{ "Z2,100,4", "OK" }, { "Z3,200,2", "OK" }, { "Z2,100,4", "OK" }, { "Z4,300,1", "E1c" }, { "z3,200,2", "OK" },
	{ "Z4,300,1", "OK" }, { "z4,300,1", "OK" }, { "z2,100,4", "OK" },
};

START_TEST(the_server_answers)
{
	char g[PT_VRSP_MOST_BYTES + 1] = "G";

	make(NULL);
	begin_serving(&pt_vboard_e500, board, _i == 1 ? "bare" : "modern");
	ck_assert((strstr(ask("qSupported"), "features:read+") != NULL) == (_i == 0));
	for (size_t i = 0; i < PT_LEN(talk); i++)
		ck_assert_msg(strcmp(payload(talk[i].packet), talk[i].want) == 0, "%s: %s", talk[i].packet, answer);
	memcpy(g + 1, payload("g"), PT_VRSP_MOST_BYTES);
	ck_assert_uint_eq(strlen(g), 1 + 2 * 292);	/* measured: GDB 13 accepts no other length */
	ck_assert_int_eq(strncmp(g + 1 + 2 * 280, "11223344556677880000003c", 24), 0);
	ck_assert_int_eq(strncmp(g + 1 + 2 * (128 + 31 * 4), "89abcdef", 8), 0);
	memcpy(g + 1 + 2 * 280, "8877665544332211", 16);
	ck_assert_str_eq(payload(g), "OK");
	ck_assert_str_eq(payload("p49"), "8877665544332211");
	end_serving();
	done();
}
END_TEST

START_TEST(breakpoints_have_their_slots)
{
	char packet[32];

	make(NULL);
	begin_serving(&pt_vboard_e500, board, "modern");
	for (unsigned i = 0; i < PT_VE500_BREAKPOINTS; i++) {
		snprintf(packet, sizeof(packet), "Z1,%x,4", 0x100 + 4 * i);
		ck_assert_str_eq(payload(packet), "OK");
	}
	ck_assert_str_eq(payload("Z1,100,4"), "OK");	/* again, which changes nothing */
	ck_assert_str_eq(payload("Z1,200,4"), "E1c");
	ck_assert_str_eq(payload("z1,104,4"), "OK");
	ck_assert_str_eq(payload("Z1,200,4"), "OK");
	end_serving();
	ck_assert_uint_eq(chip->breaks_set, 0);		/* whoever leaves takes them out */
	done();
}
END_TEST

static const struct { const char *watch, *stop; unsigned at; } watched[] = {	/* which of the words below it is */
	{ "Z2,801001,1", "T05thread:1;watch:801001;", 1 }, { "Z3,801000,4", "T05thread:1;rwatch:801000;", 0 },
	{ "Z4,800ffe,4", "T05thread:1;awatch:800ffe;", 0 }, { "Z2,801004,4", "T05thread:1;", 2 },
};

/* In front of the access; the resume that follows lets it pass. */
START_TEST(watchpoints_halt_in_front_of_the_access)
{
	const uint32_t words[] = { 0x80640000, 0x90640000, TRAP };	/* lwz r3,0(r4), stw r3,0(r4) */
	char packet[32];

	make(NULL);
	halt_the_demo();
	set_reg(PT_VE500_MSR, 0);
	write_words(SCRATCH, words, 3);
	set_reg(4, SCRATCH + 0x1000);
	set_reg(PT_VE500_PC, SCRATCH);
	ck_assert_str_eq(payload(watched[_i].watch), "OK");
	ck_assert_str_eq(payload("c"), watched[_i].stop);
	snprintf(packet, sizeof(packet), "%08x", SCRATCH + 4 * watched[_i].at);
	ck_assert_str_eq(payload("p40"), packet);
	if (watched[_i].at < 2) {
		ck_assert_str_eq(payload("s"), "T05thread:1;");
		snprintf(packet, sizeof(packet), "%08x", SCRATCH + 4 * watched[_i].at + 4);
		ck_assert_str_eq(payload("p40"), packet);
	}
	end_serving();
	done();
}
END_TEST

/* Both kinds of trap halt before themselves while a debugger is there; without one they are the program's. */
START_TEST(traps_halt_for_a_debugger)
{
	const uint32_t words[] = { 0x60000000, _i == 0 ? TRAP : GDB_TRAP };
	uint32_t handler;

	make(NULL);
	handler = function_of("unexpected")->addr;
	halt_the_demo();
	set_reg(PT_VE500_MSR, 0);
	write_words(SCRATCH, words, 2);
	set_reg(PT_VE500_PC, SCRATCH);
	ck_assert_str_eq(ask("c"), "+$T05thread:1;#d7");
	ck_assert_str_eq(payload("p40"), "00800004");
	end_serving();
	pt_vboard_e500.advance(board, chip->power.now_ns + 100000);
	ck_assert_uint_ge(pt_ve500_pc(chip->cpu), handler);
	ck_assert_uint_lt(pt_ve500_pc(chip->cpu), handler + 64);
	done();
}
END_TEST

/* A supervisor's register through the core: mfpmr r3,n or mtpmr n,r3, then a trap: E500CORERM Rev. 1, Table 7-2 */
static uint32_t through_the_core(unsigned pmr, bool write, uint32_t value)
{
	const uint32_t words[] = { (write ? 0x7c60039cu : 0x7c60029cu) | (pmr & 31) << 16 | (pmr >> 5) << 11, GDB_TRAP };
	uint32_t pc = (uint32_t)pt_ve500_reg(chip->cpu, PT_VE500_PC), r3 = (uint32_t)pt_ve500_reg(chip->cpu, 3);
	uint32_t msr = (uint32_t)pt_ve500_reg(chip->cpu, PT_VE500_MSR);
	unsigned got;

	write_words(SCRATCH, words, 2);
	set_reg(PT_VE500_MSR, msr & ~(uint32_t)PT_VE500_MSR_EE);
	set_reg(PT_VE500_PC, SCRATCH);
	set_reg(3, value);
	ck_assert_str_eq(ask("s"), "+$T05thread:1;#d7");
	ck_assert_int_eq(sscanf(payload("p3"), "%8x", &got), 1);
	set_reg(3, r3);
	set_reg(PT_VE500_PC, pc);
	set_reg(PT_VE500_MSR, msr);
	return got;
}

/* Counters that code in scratch memory set and read, against the core's own counts: each event of the demo's. */
START_TEST(counters_through_the_server_are_the_truth)
{
	static const uint8_t events[] = { 2, 12, 41, 15 };	/* instructions, branches, reloads, mispredictions */
	uint64_t begin[4];

	make(NULL);
	halt_the_demo();
	for (unsigned n = 0; n < 4; n++)
		through_the_core(PMLCA0 + n, true, (uint32_t)events[n] << 16);
	for (unsigned n = 0; n < 4; n++)
		through_the_core(PMC0 + n, true, 0);
	for (unsigned n = 0; n < 4; n++)
		begin[n] = event(events[n]) - chip->pm->pmc[n];
	ck_assert_str_eq(ask("c"), "+");
	now_ns += 5000000;
	ask_raw("\x03", 1);
	for (unsigned n = 0; n < 4; n++) {
		uint64_t want = event(events[n]) - begin[n];
		uint32_t got = through_the_core(PMC0 + n, false, 0);

		/* The one that reads is executed while the counters run: it counts behind its own reading. */
		ck_assert_msg(got >= want && got <= want + 1, "event %u: %u, not %llu", events[n], got,
			      (unsigned long long)want);
		ck_assert_uint_gt(got, 100);
	}
	end_serving();
	done();
}
END_TEST

/* The time base goes on while the core is halted, but what it missed is one interrupt, not one for each period. */
START_TEST(a_long_halt_costs_one_tick)
{
	uint32_t counter, before;

	make(NULL);
	counter = function_of("tick")->counter;
	pt_vboard_e500.advance(board, STARTED_NS);
	pt_ve500_request_halt(chip->cpu);
	pt_vboard_e500.advance(board, 1000000000);
	before = peek(counter);
	pt_ve500_resume(chip->cpu, false);
	pt_vboard_e500.advance(board, 1000000000 + 1600000);	/* 10 periods */
	ck_assert_uint_ge(peek(counter) - before, 10);
	ck_assert_uint_le(peek(counter) - before, 11);
	done();
}
END_TEST

/* A debugger that steps off a breakpoint gets somewhere, although the decrementer has been due since the halt. */
static uint32_t pc_after_step(const char *words, uint32_t *before)
{
	uint32_t after;

	make(words);
	pt_vboard_e500.advance(board, STARTED_NS);
	pt_ve500_set_breakpoint(chip->cpu, 0, true, function_of("store_far")->addr);
	pt_vboard_e500.advance(board, chip->power.now_ns + 100000000);
	ck_assert_int_eq(pt_ve500_state(chip->cpu), PT_VE500_HALT);
	*before = pt_ve500_pc(chip->cpu);
	pt_vboard_e500.advance(board, chip->power.now_ns + 100000000);
	pt_ve500_resume(chip->cpu, true);
	pt_vboard_e500.advance(board, chip->power.now_ns + 1000000);
	ck_assert_int_eq(pt_ve500_state(chip->cpu), PT_VE500_HALT);
	after = pt_ve500_pc(chip->cpu);
	done();
	return after;
}

START_TEST(a_step_lets_interrupts_wait)
{
	uint32_t before, after = pc_after_step(NULL, &before);

	ck_assert_uint_eq(after, before + 4);
	after = pc_after_step("step=interrupts", &before);
	ck_assert_uint_ne(after, before + 4);
}
END_TEST

/* One instruction may take longer than the server first waits for. */
START_TEST(a_slow_core_halts_when_asked)
{
	make("freq=1000000");
	pt_vboard_e500.advance(board, 100 * (uint64_t)STARTED_NS);
	begin_serving(&pt_vboard_e500, board, "modern");
	now_ns = 100 * (uint64_t)STARTED_NS;
	ck_assert_str_eq(payload("?"), "T02thread:1;");
	for (unsigned i = 0; i < 300; i++) {
		ck_assert_str_eq(ask("c"), "+");
		now_ns += 1000 * (i % 50);
		ck_assert_str_eq(ask_raw("\x03", 1), "$T02thread:1;#d4");
	}
	end_serving();
	done();
}
END_TEST

/* --- reset */

START_TEST(a_reset_begins_anew)
{
	make(_i == 1 ? "held=on" : NULL);
	pt_vboard_e500.advance(board, 1000000);
	ck_assert_int_eq(pt_ve500_state(chip->cpu), _i == 1 ? PT_VE500_HELD : PT_VE500_RUN);
	pt_ve500_pm_write(chip->pm, PMC0, 77);
	begin_serving(&pt_vboard_e500, board, "modern");
	ck_assert_str_eq(payload("qRcmd,72657365742068616c74"), "OK");	/* reset halt */
	now_ns = 1010000;
	if (_i == 0) {
		ck_assert_str_eq(payload("?"), "T02thread:1;");
		ck_assert_uint_eq(pt_ve500_pc(chip->cpu), chip->entry);
	}
	ck_assert_uint_eq(chip->pm->pmc[0], 0);
	end_serving();
	done();
}
END_TEST

START_TEST(variants_are_refused)
{
	struct pt_params *words = pt_params_new();
	struct pt_err err;

	ck_assert_int_eq(pt_vboard_add_word(&pt_vboard_e500, words, "variant=x", &err), 0);
	ck_assert_ptr_null(pt_vboard_e500.make(words, NULL, 0, &err));
	ck_assert_str_eq(err.msg, "e500 has no variants, but words of its own; `proftap boards` lists them");
	pt_params_free(words);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_board");
	TCase *tc = tcase_create("board");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, the_demos_counters_are_its_calls);
	tcase_add_test(tc, functions_add_up_to_what_the_core_counts);
	tcase_add_test(tc, functions_differ_in_what_they_cost);
	tcase_add_loop_test(tc, the_server_answers, 0, 2);
	tcase_add_test(tc, breakpoints_have_their_slots);
	tcase_add_loop_test(tc, watchpoints_halt_in_front_of_the_access, 0, PT_LEN(watched));
	tcase_add_loop_test(tc, traps_halt_for_a_debugger, 0, 2);
	tcase_add_test(tc, counters_through_the_server_are_the_truth);
	tcase_add_test(tc, a_long_halt_costs_one_tick);
	tcase_add_test(tc, a_step_lets_interrupts_wait);
	tcase_add_test(tc, a_slow_core_halts_when_asked);
	tcase_add_loop_test(tc, a_reset_begins_anew, 0, 2);
	tcase_add_test(tc, variants_are_refused);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
