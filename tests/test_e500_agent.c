/* The agent of scripts/agent as the virtual e500 executes it (tests/firmware/e500_agent.elf), and its reader: what it
 * publishes and does is what the model counts, nothing halts, and the program is none the wiser. */
#include <stdio.h>
#include <string.h>

#include "demo_calls.h"
#include "harness.h"
#include "probes/virtual/chip/e500.h"
#include "targets/e500/perfmon/mailbox.h"

enum { PMC0 = PT_E500_PMC0, PMLCA0 = PT_E500_PMLCA0, PMGC0 = PT_E500_PMGC0, DEADLINE_MS = 100 };
enum { ACCESS_NS = 30000, STARTED_NS = 10000000, TICK_NS = 160000 };
enum { INSTRUCTIONS = 2, RELOADS = 41, INTERRUPTS = 86 };
#define FCM1 UINT32_C(0x10000000)
#define CE UINT32_C(0x04000000)
#define PMIE UINT32_C(0x40000000)

static uint8_t firmware[1 << 16];
static size_t firmware_bytes;
static struct pt_params *settings;
static struct pt_vboard *board;
static struct pt_e500 *chip;
static struct pt_e500_mailbox box;
static uint64_t agent_addr;
static struct pt_err err;

/* --- memory as a probe reaches it: each access takes its time, in which the core goes on */

static int run(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       uint64_t *fault_addr, struct pt_err *e)
{
	(void)state;
	(void)timeout_ms;
	(void)fault_addr;
	for (*n_done = 0; *n_done < n_ops; ++*n_done) {
		struct pt_mem_op *op = &ops[*n_done];
		bool fine;

		op->sent_ns = chip->power.now_ns;
		pt_vboard_e500.advance(board, chip->power.now_ns + ACCESS_NS);
		fine = op->what == PT_MEM_READ ? pt_ve500_peek(chip->cpu, (uint32_t)op->addr, op->bytes, op->len_bytes)
					       : pt_ve500_poke(chip->cpu, (uint32_t)op->addr, op->bytes, op->len_bytes);
		op->done_ns = chip->power.now_ns;
		if (!fine)
			return pt_fail(e, PT_EFAULT, "refused");
	}
	return 0;
}

static uint64_t clock_ns(void *state)
{
	(void)state;
	return chip->power.now_ns;
}

static int wait(void *state, uint64_t until_ns, struct pt_err *e)
{
	(void)state;
	(void)e;
	pt_vboard_e500.advance(board, until_ns);
	return 0;
}

static const struct pt_mem_ops mem_ops = { .run = run, .now_ns = clock_ns, .wait = wait, .while_running = true };
static struct pt_mem mem = { .ops = &mem_ops };

/* --- the rig */

static uint32_t address_of(const char *name)
{
	Elf *file = elf_memory((char *)firmware, firmware_bytes);
	Elf_Scn *section = NULL;
	uint32_t found = 0;

	while ((section = elf_nextscn(file, section)) != NULL) {
		GElf_Shdr header;
		GElf_Sym symbol;

		gelf_getshdr(section, &header);
		if (header.sh_type != SHT_SYMTAB)
			continue;
		for (int i = 0; gelf_getsym(elf_getdata(section, NULL), i, &symbol) != NULL; i++)
			if (strcmp(elf_strptr(file, header.sh_link, symbol.st_name), name) == 0)
				found = (uint32_t)symbol.st_value;
	}
	elf_end(file);
	return found;
}

static void make(void)
{
	const char *srcdir = getenv("srcdir");
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/firmware/e500_agent.elf", srcdir != NULL ? srcdir : ".");
	f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "%s", path);
	firmware_bytes = fread(firmware, 1, sizeof(firmware), f);
	fclose(f);
	settings = pt_params_new();
	board = pt_vboard_e500.make(settings, firmware, firmware_bytes, &err);
	ck_assert_msg(board != NULL, "%s", err.msg);
	chip = pt_e500_of(board);
	read_symbols(firmware, firmware_bytes);
	agent_addr = address_of("proftap_agent");
	ck_assert_uint_ne(agent_addr, 0);
	pt_vboard_e500.advance(board, STARTED_NS);
}

static void open_box(void)
{
	ck_assert_msg(pt_e500_box_open(&box, &mem, agent_addr, DEADLINE_MS, &err) == 0, "%s", err.msg);
}

static void done(void)
{
	ck_assert_uint_eq(pt_ve500_halt_cycles(chip->cpu), 0);
	ck_assert_uint_eq(pt_e500_peek(chip, address_of("n_unexpected")), 0);
	pt_vboard_e500.free(board);
	pt_params_free(settings);
}

static struct pt_e500_op get(unsigned pmr)
{
	return (struct pt_e500_op){ .pmr = (uint16_t)pmr };
}

static struct pt_e500_op set(unsigned pmr, uint32_t value)
{
	return (struct pt_e500_op){ .pmr = (uint16_t)pmr, .write = true, .value = value };
}

static struct pt_e500_block request(struct pt_e500_op *ops, size_t n_ops)
{
	struct pt_e500_block now;
	uint64_t from_ns, to_ns;

	ck_assert_msg(pt_e500_box_run(&box, ops, n_ops, &now, &from_ns, &to_ns, &err) == 0, "%s", err.msg);
	ck_assert_uint_lt(from_ns, to_ns);
	return now;
}

/* --- publishing */

START_TEST(publishes_what_the_registers_hold)
{
	struct pt_e500_block now, later;
	uint64_t from_ns, to_ns, error;

	make();
	open_box();
	pt_ve500_pm_write(chip->pm, PMLCA0 + 1, FCM1 | INSTRUCTIONS << 16);
	pt_ve500_pm_write(chip->pm, PMLCA0 + 3, 0x80290000);
	pt_ve500_pm_write(chip->pm, PMC0 + 3, 0x12345678);
	ck_assert_int_eq(pt_e500_box_fresh(&box, &now, &from_ns, &to_ns, &err), 0);
	ck_assert_uint_eq(now.pmlca[1], FCM1 | INSTRUCTIONS << 16);
	ck_assert_uint_eq(now.first[3], 0x12345678);
	ck_assert_uint_eq(now.n_pmcs, 4);
	ck_assert_uint_ge(now.timebase, from_ns / 80);		/* 8 cycles of 10 ns a tick */
	ck_assert_uint_le(now.timebase, to_ns / 80);
	ck_assert_uint_le(to_ns - from_ns, 2 * (ACCESS_NS + 5000000));
	ck_assert_int_eq(pt_e500_box_fresh(&box, &later, &from_ns, &to_ns, &err), 0);
	/* Marked: none of its own instructions, but the interrupt's entry and end are the program's. */
	error = later.second[1] - now.second[1];
	ck_assert_uint_gt(error, 1000);
	ck_assert_uint_eq(later.first[1], later.second[1]);
	done();
}
END_TEST

/* A poll is 16000 cycles behind the last; the agent's own instructions are a part of the interrupt that can be told. */
START_TEST(keeps_itself_out_of_the_counts)
{
	struct pt_e500_op ops[] = { set(PMGC0, 0x80000000), set(PMLCA0, INSTRUCTIONS << 16),
				    set(PMLCA0 + 1, FCM1 | INSTRUCTIONS << 16), set(PMC0, 0), set(PMC0 + 1, 0),
				    set(PMGC0, 0) };
	struct pt_e500_block a, b;
	uint64_t from_ns, to_ns, ticks, all, ours;

	make();
	open_box();
	request(ops, PT_LEN(ops));
	ck_assert_int_eq(pt_e500_box_fresh(&box, &a, &from_ns, &to_ns, &err), 0);
	pt_vboard_e500.advance(board, chip->power.now_ns + 100 * (uint64_t)TICK_NS);
	ck_assert_int_eq(pt_e500_box_fresh(&box, &b, &from_ns, &to_ns, &err), 0);
	ticks = (b.sequence - a.sequence) / 2;
	all = b.first[0] - a.first[0];
	ours = all - (b.first[1] - a.first[1]);
	ck_assert_uint_ge(ticks, 100);
	ck_assert_uint_ge(ours / ticks, 150);
	ck_assert_uint_le(ours / ticks, 250);		/* README: what a poll costs */
	done();
}
END_TEST

/* --- requests */

START_TEST(does_what_it_is_asked_for)
{
	struct pt_e500_op ops[] = { set(PMGC0, 0x80000000), set(PMLCA0, 0x00290000), get(PMLCA0), set(PMC0, 77),
				    get(PMC0), get(PMGC0), set(PMC0, 5), get(PMC0), set(PT_E500_BOX_PERIOD, 1000),
				    get(PT_E500_BOX_PERIOD) };

	make();
	open_box();
	ck_assert_uint_eq(request(ops, PT_LEN(ops)).pmgc0, 0x80000000);
	ck_assert_uint_eq(ops[2].value, 0x00290000);
	ck_assert_uint_eq(ops[4].value, 77);
	ck_assert_uint_eq(ops[5].value, 0);		/* as it was: a new value comes into force last */
	ck_assert_uint_eq(ops[7].value, 5);
	ck_assert_uint_eq(ops[9].value, 1000);
	ck_assert_uint_eq(chip->pm->pmc[0], 5);
	ck_assert_uint_eq(chip->pm->pmgc0, 0x80000000);
	done();
}
END_TEST

static const uint16_t unknown[] = { PMC0 + 4, PMLCA0 + 4, 0, 399, 401, 0x404, 0x414, 0x420, 0x3ff };

START_TEST(an_unknown_register_is_refused_and_nothing_is_done)
{
	struct pt_e500_op ops[] = { set(PMC0, 77), set(unknown[_i], 1), set(PMC0 + 1, 78) };
	struct pt_e500_block now;
	uint64_t from_ns, to_ns;
	char want[40];

	make();
	open_box();
	snprintf(want, sizeof(want), "has no register %u", unknown[_i]);
	ck_assert_int_eq(pt_e500_box_run(&box, ops, PT_LEN(ops), &now, &from_ns, &to_ns, &err), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, want) != NULL, "%s", err.msg);
	ck_assert_uint_eq(chip->pm->pmc[0] | chip->pm->pmc[1], 0);
	ck_assert_uint_eq(chip->pm->pmgc0, 0);
	ops[1] = get(PMC0);
	request(ops, PT_LEN(ops));		/* and it works on */
	ck_assert_uint_eq(ops[1].value, 77);
	done();
}
END_TEST

START_TEST(most_of_what_fits)
{
	struct pt_e500_op ops[PT_E500_BOX_OPS_MAX + 1];
	struct pt_e500_block now;
	uint64_t from_ns, to_ns;

	make();
	open_box();
	for (unsigned i = 0; i < PT_LEN(ops); i++)
		ops[i] = i % 2 == 0 ? set(PMC0 + 2, i) : get(PMC0 + 2);
	ck_assert_int_eq(pt_e500_box_run(&box, ops, PT_LEN(ops), &now, &from_ns, &to_ns, &err), PT_EARG);
	request(ops, PT_LEN(ops) - 1);
	for (unsigned i = 1; i < PT_LEN(ops) - 1; i += 2)
		ck_assert_uint_eq(ops[i].value, i - 1);
	done();
}
END_TEST

/* What was left for a core that stood is not overwritten by what is asked next. */
START_TEST(what_was_left_is_done_first)
{
	struct pt_e500_op left[] = { set(PMC0, 1), set(PMC0 + 1, 2) }, next[] = { set(PMC0, 3), get(PMC0 + 1) };

	make();
	open_box();
	ck_assert_int_eq(pt_e500_box_leave(&box, left, PT_LEN(left), &err), 0);
	request(next, PT_LEN(next));
	ck_assert_uint_eq(next[1].value, 2);
	ck_assert_uint_eq(chip->pm->pmc[0], 3);
	done();
}
END_TEST

/* A chain of a counter that wraps at nearly every poll, by both ways, against what the core counted. */
START_TEST(chains_are_whole)
{
	enum { READS = 300 };
	struct pt_e500_op ops[] = { set(PMGC0, 0x80000000), set(PMLCA0 + _i, FCM1 | INSTRUCTIONS << 16),
				    set(PMLCA0 + 1 - _i, FCM1 | (uint32_t)(82 + _i) << 16), set(PMC0 + _i, 0xfffff000),
				    set(PMC0 + 1 - _i, 0), set(PMGC0, 0) };
	uint64_t before = 0xfffff000, begin, base, value;

	make();
	open_box();
	request(ops, PT_LEN(ops));
	begin = pt_ve500_events(chip->cpu)[INSTRUCTIONS];
	base = chip->pm->pmc[_i] | (uint64_t)chip->pm->pmc[1 - _i] << 32;
	for (unsigned i = 0; i < READS; i++) {
		struct pt_e500_op chain[] = { get(PMC0 + 1 - _i), get(PMC0 + _i), get(PMC0 + 1 - _i) };
		struct pt_e500_block now;
		uint64_t from_ns, to_ns;

		if (i % 2 == 0) {
			ck_assert_int_eq(pt_e500_box_fresh(&box, &now, &from_ns, &to_ns, &err), 0);
			ck_assert(pt_e500_block_serve(&now, chain, PT_LEN(chain)));
		} else {
			request(chain, PT_LEN(chain));
		}
		ck_assert_uint_eq(chain[0].value, chain[2].value);
		value = (uint64_t)chain[0].value << 32 | chain[1].value;
		ck_assert_uint_ge(value, before);
		ck_assert_uint_le(value - base, pt_ve500_events(chip->cpu)[INSTRUCTIONS] - begin);
		before = value;
		/* To where the next poll is near a carry: the counter is moved, as if so much had been counted. */
		pt_ve500_pm_write(chip->pm, PMC0 + (unsigned)_i, 0xffffd000 + 37 * i);
		before = (uint64_t)chip->pm->pmc[1 - _i] << 32 | chip->pm->pmc[_i];
		base = before;
		begin = pt_ve500_events(chip->cpu)[INSTRUCTIONS];
	}
	ck_assert_uint_ge(chip->pm->pmc[1 - _i], READS / 3);	/* so many carries there were */
	done();
}
END_TEST

/* --- sampling */

struct histogram { uint64_t samples, of[MOST_FUNCTIONS]; };

static size_t function_at(uint32_t pc)
{
	size_t best = 0;

	for (size_t i = 1; i < n_functions; i++)
		if (functions[i].addr <= pc && (functions[best].addr > pc || functions[i].addr > functions[best].addr))
			best = i;
	return best;
}

static uint64_t drain(struct histogram *h, uint32_t *next, unsigned n_pmc, unsigned event)
{
	struct pt_e500_sample samples[PT_E500_BOX_SAMPLES_MAX];
	struct pt_e500_block now;
	uint64_t lost;
	int n = pt_e500_box_samples(&box, next, samples, PT_LEN(samples), &lost, &now, &err);

	ck_assert_msg(n >= 0, "%s", err.msg);
	for (int i = 0; i < n; i++) {
		ck_assert_uint_eq(samples[i].counter, n_pmc);
		ck_assert_uint_eq(samples[i].event, event);
		ck_assert(!samples[i].user);
		h->of[function_at(samples[i].pc)]++;
		h->samples++;
	}
	return lost;
}

/* Each function has as many samples as periods of the event happened in it, and none is lost. */
START_TEST(samples_find_who_takes_the_events)
{
	enum { PERIOD = 400 };
	struct pt_e500_op ops[] = { set(PT_E500_BOX_PERIOD + 2, PERIOD), set(PT_E500_BOX_JITTER + 2, 127),
				    set(PMGC0, 0x80000000), set(PMLCA0 + 2, FCM1 | CE | RELOADS << 16),
				    set(PMC0 + 2, 0x80000000 - PERIOD), set(PMGC0, PMIE) };
	struct histogram h = { 0 };
	uint32_t next;
	uint64_t begin, total, far;

	make();
	open_box();
	next = request(ops, PT_LEN(ops)).head;
	begin = pt_ve500_events(chip->cpu)[RELOADS];
	for (unsigned i = 0; i < 300; i++) {
		pt_vboard_e500.advance(board, chip->power.now_ns + 500000);
		ck_assert_uint_eq(drain(&h, &next, 2, RELOADS), 0);
	}
	total = pt_ve500_events(chip->cpu)[RELOADS] - begin;
	ck_assert_uint_gt(h.samples, 200);
	ck_assert_uint_le(h.samples, total / PERIOD + total / PERIOD / 20);
	ck_assert_uint_ge(h.samples, total / PERIOD - total / PERIOD / 10);	/* its own misses are not counted */
	far = h.of[function_of("walk_far") - functions] + h.of[function_of("store_far") - functions];
	ck_assert_uint_gt(100 * far, 90 * h.samples);
	ck_assert_uint_eq(h.of[function_of("proftap_agent_overflow") - functions], 0);
	done();
}
END_TEST

/* Nobody fetches: the ring holds the last, and how many are gone is told. */
START_TEST(what_nobody_fetches_is_counted_as_lost)
{
	struct pt_e500_op ops[] = { set(PT_E500_BOX_PERIOD, 2000), set(PT_E500_BOX_JITTER, 0), set(PMGC0, 0x80000000),
				    set(PMLCA0, FCM1 | CE | INSTRUCTIONS << 16), set(PMC0, 0x80000000 - 2000),
				    set(PMGC0, PMIE) };
	struct histogram h = { 0 };
	uint32_t next, first;
	uint64_t lost = 0;

	make();
	open_box();
	next = first = request(ops, PT_LEN(ops)).head;
	pt_vboard_e500.advance(board, chip->power.now_ns + 50000000);
	do
		lost += drain(&h, &next, 0, INSTRUCTIONS);
	while (next != pt_e500_peek(chip, (uint32_t)agent_addr + 4 * PT_E500_BOX_HEAD));
	ck_assert_uint_gt(lost, 0);
	ck_assert_uint_gt(h.samples, 200);
	ck_assert_uint_eq(h.samples + lost, next - first);
	done();
}
END_TEST

/* --- nobody there */

START_TEST(an_agent_that_is_not_there)
{
	make();
	ck_assert_int_eq(pt_e500_box_open(&box, &mem, 0x800000, DEADLINE_MS, &err), PT_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.msg, "agent at 0x00800000: no agent is there"));
	ck_assert_int_eq(pt_e500_box_open(&box, &mem, 0x40000000, DEADLINE_MS, &err), PT_EFAULT);
	ck_assert_int_eq(pt_e500_box_open(&box, &mem, 0x800002, DEADLINE_MS, &err), PT_EARG);
	ck_assert_int_eq(pt_e500_box_open(&box, &mem, UINT64_C(1) << 32, DEADLINE_MS, &err), PT_EARG);
	done();
}
END_TEST

/* Interrupts off: within the deadline, and what was asked for does not happen when they are on again. */
START_TEST(an_agent_that_hangs)
{
	struct pt_e500_op ops[] = { set(PMC0, 77) };
	struct pt_e500_block now;
	uint64_t from_ns, to_ns, began;
	uint32_t msr;

	make();
	open_box();
	msr = (uint32_t)pt_ve500_reg(chip->cpu, PT_VE500_MSR);
	pt_ve500_set_reg(chip->cpu, PT_VE500_MSR, msr & ~(uint32_t)PT_VE500_MSR_EE);
	began = chip->power.now_ns;
	ck_assert_int_eq(pt_e500_box_fresh(&box, &now, &from_ns, &to_ns, &err), PT_EBUSY);
	ck_assert_ptr_nonnull(strstr(err.msg, "it published nothing new within 100 ms"));
	ck_assert_uint_le(chip->power.now_ns - began, (DEADLINE_MS + 10) * PT_NS_PER_MS);
	ck_assert_int_eq(pt_e500_box_run(&box, ops, 1, &now, &from_ns, &to_ns, &err), PT_EBUSY);
	ck_assert_ptr_nonnull(strstr(err.msg, "it did not do what it was asked for within 100 ms"));
	pt_ve500_set_reg(chip->cpu, PT_VE500_MSR, msr | PT_VE500_MSR_EE);
	pt_vboard_e500.advance(board, chip->power.now_ns + 10 * (uint64_t)TICK_NS);
	ck_assert_uint_eq(chip->pm->pmc[0], 0);
	request(ops, 1);
	ck_assert_uint_eq(chip->pm->pmc[0], 77);
	done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_agent");
	TCase *tc = tcase_create("agent");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, publishes_what_the_registers_hold);
	tcase_add_test(tc, keeps_itself_out_of_the_counts);
	tcase_add_test(tc, does_what_it_is_asked_for);
	tcase_add_loop_test(tc, an_unknown_register_is_refused_and_nothing_is_done, 0, PT_LEN(unknown));
	tcase_add_test(tc, most_of_what_fits);
	tcase_add_test(tc, what_was_left_is_done_first);
	tcase_add_loop_test(tc, chains_are_whole, 0, 2);
	tcase_add_test(tc, samples_find_who_takes_the_events);
	tcase_add_test(tc, what_nobody_fetches_is_counted_as_lost);
	tcase_add_test(tc, an_agent_that_is_not_there);
	tcase_add_test(tc, an_agent_that_hangs);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
