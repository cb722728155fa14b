/* Mode halt misses nothing: what the profile says of a run is what the board did. The witnesses are the model's log of
 * executed pcs, and the counters that the demo firmware keeps in RAM. */
#include "harness.h"
#include "profile/analyses/code/lines.h"
#include "tests/inline_profile.h"

enum { MORE_US = 20, LOG_ROOM = 8 << 20, FLASH_BYTES = 256 << 10 };

static const struct {
	const char *name, *link, *window, *variant;
	uint64_t ms, seed;
	unsigned running_us;	/* the profile ends while the core runs, so long after the start,
				 * or at a watermark; 0: it is halted before */
} rows[] = {
	{ "bulk-hs, 4 KiB", "bulk-hs", "mtb-size=4096", NULL, 3000, 0, 0 },
	{ "bulk-hs, 1 KiB", "bulk-hs", "mtb-size=1024", NULL, 333, 1, 0 },
	{ "bulk-hs, 128 bytes", "bulk-hs", "mtb-size=128", NULL, 150, 2, 0 },
	{ "bulk-hs, 72 bytes: hardly more than the skid", "bulk-hs", "mtb-size=72", NULL, 100, 3, 0 },
	{ "bulk-hs, a stretch, no ring", "bulk-hs", "mtb-ram=0x20002008:3000", NULL, 200, 4, 0 },
	{ "bulk-hs, at once", "bulk-hs", "mtb-size=4096", NULL, 0, 0, 0 },
	{ "bulk-hs, ends while the core runs", "bulk-hs", "mtb-size=16384", NULL, 0, 5, 20 },
	{ "bulk-hs, slow to halt", "bulk-hs", "mtb-size=512", "skid-8", 200, 6, 0 },
	{ "bulk-hs, tail-chaining in one packet", "bulk-hs", "mtb-size=4096", "mtb-tail-single", 401, 7, 0 },
	{ "bulk-fs, 4 KiB", "bulk-fs", "mtb-size=4096", NULL, 1000, 0, 0 },
	{ "bulk-fs, 2 KiB", "bulk-fs", "mtb-size=2048", NULL, 777, 1, 0 },
	{ "bulk-fs, 256 bytes", "bulk-fs", "mtb-size=256", NULL, 300, 2, 0 },
	{ "hid-fs, 4 KiB", "hid-fs", "mtb-size=4096", NULL, 4000, 0, 0 },
	{ "hid-fs, 512 bytes", "hid-fs", "mtb-size=512", NULL, 1000, 1, 0 },
	{ "hid-fs, watermark at the end", "hid-fs", "mtb-size=4096", NULL, 0, 2, 45 },
	{ "tcp, 4 KiB", "tcp", "mtb-size=4096", NULL, 2000, 0, 0 },
	{ "tcp, 256 bytes", "tcp", "mtb-size=256", NULL, 200, 1, 0 },
	{ "tcp, ends while the core runs", "tcp", "mtb-size=16384", NULL, 0, 2, 45 },
};

static int wait_us(struct inline_profile *p, unsigned us)
{
	return pt_link_wait(p->link, inline_now_ns(p) + us * UINT64_C(1000), NULL);
}

static void run(struct inline_profile *p, size_t row)
{
	struct inline_setup setup = {
		.link = rows[row].link, .variant = rows[row].variant, .words = { "mode=halt", rows[row].window },
		.seed = rows[row].seed, .log_room = LOG_ROOM, .truth = true, .reset = true,
	};

	inline_open(p, &setup);
	inline_start(p, &setup);
	inline_drain(p, rows[row].ms * PT_NS_PER_MS);
	if (rows[row].running_us == 0)
		inline_halt(p);
	else
		ck_assert_int_eq(wait_us(p, rows[row].running_us), 0);
	inline_stop(p);
}

/* How many of the logged pcs [first, last) lie in so many bytes from begin on. */
static uint64_t logged(const struct inline_profile *p, uint64_t first, uint64_t last, uint64_t begin, uint64_t size)
{
	uint64_t n = 0;

	for (uint64_t i = first; i < last; i++)
		n += p->truth.log[i] - begin < size;
	return n;
}

static void check_instructions(const struct inline_profile *p, const struct pt_profile *f)
{
	uint64_t elsewhere = f->instructions;

	for (size_t i = 0; i < f->n_functions; i++) {
		const struct pt_profile_function *row = &f->function[i];

		if (row->function == NULL)
			continue;
		elsewhere -= row->run->instructions;
		ck_assert_msg(row->run->instructions ==
				      logged(p, 0, f->instructions, row->function->address, row->function->size),
			      "%s: net instructions", row->function->name);
	}
	ck_assert_uint_eq(elsewhere, 0);
}

/* Every instruction as often as the log has it; the lines' sums are those of the functions. */
static void check_lines(const struct inline_profile *p, const struct pt_profile *f)
{
	const struct pt_lines *lines = f->lines;
	uint32_t *executed = calloc(FLASH_BYTES / 2, sizeof(*executed));
	uint64_t instructions = 0, cycles = 0;

	for (uint64_t i = 0; i < f->instructions; i++)
		executed[p->truth.log[i] % FLASH_BYTES / 2]++;
	for (size_t i = 0; i < lines->n_insns; i++) {
		ck_assert_uint_lt(lines->insn[i].address, FLASH_BYTES);
		ck_assert_uint_eq(lines->insn[i].count, executed[lines->insn[i].address / 2]);
		instructions += lines->insn[i].count;
		cycles += lines->insn[i].cycles;
	}
	ck_assert_uint_eq(instructions, f->instructions);
	ck_assert_uint_eq(cycles, f->cycles);
	for (size_t i = instructions = cycles = 0; i < lines->n_lines; i++) {
		ck_assert_uint_le(lines->line[i].n_observed, lines->line[i].n_insns);
		ck_assert((lines->line[i].instructions > 0) == (lines->line[i].n_observed > 0));
		instructions += lines->line[i].instructions;
		cycles += lines->line[i].cycles;
	}
	ck_assert_uint_le(instructions, f->instructions);	/* start-up code may have no lines */
	ck_assert_uint_ge(instructions, f->instructions * 9 / 10);
	ck_assert_uint_le(cycles, f->cycles);
	free(executed);
}

/* A function counts some instructions behind its entry: let the core run on until it sleeps, when all have. */
static void run_on(struct inline_profile *p, bool halted)
{
	if (halted)
		ck_assert_int_eq(p->target->ops->resume(p->target->state, 0, NULL), 0);
	while (pt_vcpu_state(p->chip->cpu) != PT_VCPU_SLEEP)
		ck_assert_int_eq(wait_us(p, MORE_US), 0);
	ck_assert_uint_le(p->truth.n_logged, LOG_ROOM);
}

/* What was called after the profile's end is not the profile's. The core had arrived at end_pc, though not executed it:
 * this call is. */
static void check_counters(const struct inline_profile *p, const struct pt_profile *f, uint64_t end_pc)
{
	size_t n_functions, n = 0;
	const struct pt_function *function = pt_program_functions(p->program, &n_functions);
	uint64_t later, profiled;
	uint32_t calls;

	for (size_t i = 0; i < n_functions; i++) {
		if (!inline_counter(p, function[i].address, &calls))
			continue;
		later = logged(p, f->instructions, p->truth.n_logged, function[i].address, 1) -
			(function[i].address == end_pc);
		profiled = f->by_id[i + 1] != NULL ? f->by_id[i + 1]->run->count : 0;
		ck_assert_msg(profiled + later == calls, "%s: %u calls counted, %u profiled and %u later",
			      function[i].name, (unsigned)calls, (unsigned)profiled, (unsigned)later);
		n++;
	}
	ck_assert_uint_ge(n, 39);
}

START_TEST(says_what_the_board_did)
{
	struct inline_profile p;
	const struct pt_profile *f;
	uint64_t end_pc = PT_UNKNOWN;

	run(&p, (size_t)_i);
	f = pt_pipeline_profile(p.pipeline);
	if (rows[_i].running_us == 0) {
		ck_assert_uint_eq(f->instructions, p.truth.n_logged);
		ck_assert_int_eq(p.target->ops->pc(p.target->state, 0, &end_pc, NULL), 0);
	}
	if (rows[_i].running_us == 0)
		check_lines(&p, f);
	run_on(&p, rows[_i].running_us == 0);
	check_instructions(&p, f);
	check_counters(&p, f, rows[_i].running_us != 0 ? p.truth.log[f->instructions] : end_pc);
	ck_assert(rows[_i].running_us != 0 || f->counts == PT_BASIS_EXACT);
	ck_assert_uint_eq(f->loss.lost_ns, 0);
	ck_assert_uint_eq(f->mismatch_ns, 0);
	for (unsigned e = 0; e < PT_N_EXECUTION_ERRORS; e++)
		ck_assert_uint_eq(f->errors.n[e], 0);
	inline_close(&p);
}
END_TEST

static void write_pc(struct inline_profile *p, uint64_t pc)
{
	size_t n;
	const struct pt_register *registers = p->target->ops->registers(p->target->state, &n);

	for (uint16_t i = 0; i < n; i++)
		if (strcmp(registers[i].name, "pc") == 0)
			ck_assert_int_eq(p->target->ops->write_registers(p->target->state, 0, &i, 1, &pc, NULL), 0);
	ck_assert_int_eq(p->source->on_state(p->state, PT_STATE_PC_WRITTEN, 0, pc, NULL), 0);
}

/* A debugger that moves the pc makes a packet like an exception's; STATE tells which it is. */
static const char *const modes[] = { "mode=halt", "mode=ring", "mode=burst" };

START_TEST(a_pc_that_was_written_is_no_exception)
{
	struct inline_setup setup = { .words = { modes[_i] }, .reset = true };
	struct inline_profile p;
	const struct pt_profile *f;
	uint64_t reset, size;

	inline_open(&p, &setup);
	ck_assert(pt_program_symbol(p.program, "Reset_Handler", &reset, &size));
	reset &= ~UINT64_C(1);
	inline_start(&p, &setup);
	inline_drain(&p, 5 * PT_NS_PER_MS);
	for (int i = 0; i < 3; i++) {
		inline_halt(&p);
		write_pc(&p, reset + 4);
		write_pc(&p, reset);
		inline_resume(&p);
		inline_drain(&p, 5 * PT_NS_PER_MS);
	}
	inline_halt(&p);
	inline_stop(&p);
	f = pt_pipeline_profile(p.pipeline);
	ck_assert_uint_eq(f->not_code, 0);
	for (size_t i = 0; i < f->n_irqs; i++)
		ck_assert_uint_ne(f->irq[i].function->function->address, reset);
	inline_close(&p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exactness");
	TCase *tc = tcase_create("halt");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, says_what_the_board_did, 0, PT_LEN(rows));
	tcase_add_loop_test(tc, a_pc_that_was_written_is_no_exception, 0, PT_LEN(modes));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
