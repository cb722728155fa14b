/* The way to the performance monitor by the program's agent: what it counts while the program runs is what the core
 * itself counted, nothing halts, and what goes wrong has its sentence. */
#include "e500_agent_rig.h"

static void pass_by_agent(struct pt_e500_op *ops, size_t n, struct pt_e500_pass *pass)
{
	struct pt_err err = { .msg = "" };

	ck_assert_msg(pt_e500_pass(e500, 0, ops, n, pass, &err) == 0, "%s", err.msg);
	ck_assert(!pass->halted);
	ck_assert_uint_eq(pass->halted_ns, 0);
}

static struct pt_e500_op set(unsigned pmr, uint32_t value)
{
	return (struct pt_e500_op){ .pmr = (uint16_t)pmr, .write = true, .value = value };
}

static struct pt_e500_op get(unsigned pmr)
{
	return (struct pt_e500_op){ .pmr = (uint16_t)pmr };
}

/* A chain near its carry, of each event: read over and over, it never goes back, and frozen it is the truth exactly. */
static const struct { const char *elf, *board_words[2]; } cores[] = {
	{ "e500_agent", { NULL } }, { "e500mc_agent", { "core=mc", NULL } }, { "e6500_agent", { "core=e6500", NULL } },
};

START_TEST(chains_are_what_the_core_counted)
{
	const unsigned event = events[_i % (int)PT_LEN(events)], core = (unsigned)_i / PT_LEN(events);
	enum { PMC0 = PT_E500_PMC0, A0 = PT_E500_PMLCA0, PMGC0 = PT_E500_PMGC0, READS = 200 };
	const uint32_t start = UINT32_MAX - 20000;
	struct pt_e500_op up[] = { set(PMGC0, FAC),
				   set(A0, FCM1 | event << 16),
				   set(A0 + 1, FCM1 | 82 << 16),
				   set(PMC0, start),
				   set(PMC0 + 1, 0),
				   set(PMGC0, 0) };
	struct pt_e500_op freeze[] = { set(PMGC0, FAC), get(PMC0 + 1), get(PMC0) };
	uint64_t before = start, value = 0, timebase = 0;
	struct pt_e500_pass pass;

	begin_on(cores[core].elf, cores[core].board_words, "e500.path=agent");
	run_it();
	pass_by_agent(up, 1, &pass);		/* frozen: the truth begins with the second */
	watch(event);
	pass_by_agent(up, PT_LEN(up), &pass);
	for (unsigned i = 0; i < READS; i++) {
		struct pt_e500_op chain[] = { get(PMC0 + 1), get(PMC0), get(PMC0 + 1) };

		pass_by_agent(chain, PT_LEN(chain), &pass);
		ck_assert_uint_gt(pass.timebase, timebase);
		timebase = pass.timebase;
		if (chain[0].value != chain[2].value)
			continue;
		value = (uint64_t)chain[0].value << 32 | chain[1].value;
		ck_assert_uint_ge(value, before);
		pthread_mutex_lock(&there.lock);
		ck_assert_uint_le(value - start,
				  truth.total + (pt_ve500_events(there.chip->cpu)[event] - truth.before));
		pthread_mutex_unlock(&there.lock);
		before = value;
	}
	ck_assert_uint_gt(value, UINT32_MAX);	/* over the carry */
	pass_by_agent(freeze, PT_LEN(freeze), &pass);
	pthread_mutex_lock(&there.lock);
	pt_ve500_remove_observer(there.chip->cpu, &observer);
	ck_assert_uint_eq(((uint64_t)freeze[1].value << 32 | freeze[2].value) - start, truth.total);
	pthread_mutex_unlock(&there.lock);
	ck_assert_uint_eq(there.n_runs, 1);
	end();
}
END_TEST

/* --- nobody answers */

/* Halted: what the agent has published before says that it is there, but PMRs are not read; by scratch code they
 * are. */
START_TEST(a_halted_core_has_no_agent)
{
	struct pt_e500_op op = get(PT_E500_PMLCA0);
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;
	char line[400];

	begin();
	ck_assert_int_eq(pt_e500_pass(e500, 0, &op, 1, &pass, &err), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, "the core is halted, and the agent is a part of its program") != NULL, "%s",
		      err.msg);
	run_it();
	pass_by_agent(&op, 1, &pass);
	pt_e500_describe_way(e500, line, sizeof(line));
	ck_assert_msg(strstr(line, "1 accesses so far without a halt") != NULL, "%s", line);
	end();
}
END_TEST

START_TEST(an_agent_that_hangs_is_told_in_time)
{
	struct pt_e500_op op = get(PT_E500_PMC0), write = set(PT_E500_PMC0, 5);
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;
	uint32_t msr;

	begin_with("e500.agent.deadline=300ms");
	run_it();
	while (pt_e500_pass(e500, 0, &op, 1, &pass, &err) != 0)
		ck_assert_msg(strstr(err.msg, "within 300 ms") != NULL, "%s", err.msg);		/* a busy machine */
	pthread_mutex_lock(&there.lock);
	msr = (uint32_t)pt_ve500_reg(there.chip->cpu, PT_VE500_MSR);
	pt_ve500_set_reg(there.chip->cpu, PT_VE500_MSR, msr & ~(uint32_t)PT_VE500_MSR_EE);
	pthread_mutex_unlock(&there.lock);
	ck_assert_int_eq(pt_e500_pass(e500, 0, &op, 1, &pass, &err), PT_EBUSY);
	ck_assert_msg(strstr(err.msg, "it published nothing new within 300 ms") != NULL, "%s", err.msg);
	ck_assert_int_eq(pt_e500_pass(e500, 0, &write, 1, &pass, &err), PT_EBUSY);
	end();
}
END_TEST

/* A debugger's breakpoint, while the agent is asked: nobody waits for what cannot come, and it does not come later. */
START_TEST(a_core_that_halts_meanwhile)
{
	struct pt_e500_op op = get(PT_E500_PMC0), write = set(PT_E500_PMC0, 5);
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;
	uint64_t poll, size;

	begin();
	run_it();
	pass_by_agent(&op, 1, &pass);
	ck_assert(pt_program_symbol(program, "proftap_agent_poll", &poll, &size));
	pthread_mutex_lock(&there.lock);
	pt_ve500_set_breakpoint(there.chip->cpu, 0, true, (uint32_t)poll);
	pthread_mutex_unlock(&there.lock);
	ck_assert_int_eq(pt_e500_pass(e500, 0, &write, 1, &pass, &err), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, "the core was halted before the agent at 0x") != NULL, "%s", err.msg);
	pthread_mutex_lock(&there.lock);
	pt_ve500_set_breakpoint(there.chip->cpu, 0, false, 0);
	pthread_mutex_unlock(&there.lock);
	run_it();
	pass_by_agent(&op, 1, &pass);
	ck_assert_uint_eq(op.value, 0);
	end();
}
END_TEST

/* A block that the program has overwritten, or one of another version. */
static const struct { unsigned word; uint32_t value; const char *says; } damage[] = {
	{ PT_E500_BOX_MAGIC, 0, "no agent is there" }, { PT_E500_BOX_VERSION, 7, "is of version 7" },
};

START_TEST(a_block_that_is_no_more)
{
	struct pt_e500_op op = get(PT_E500_PMC0);
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;

	begin();
	run_it();
	pass_by_agent(&op, 1, &pass);
	ck_assert_int_eq(pt_mem_write32(&e500->remote.mem, e500->agent_addr + 4 * damage[_i].word,
					__builtin_bswap32(damage[_i].value), &err),
			 0);
	ck_assert_int_eq(pt_e500_pass(e500, 0, &op, 1, &pass, &err), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, damage[_i].says) != NULL, "%s", err.msg);
	end();
}
END_TEST

/* Somebody asked before the program was known, and another program has its agent elsewhere: no way that was is kept. */
START_TEST(the_program_is_told_later)
{
	struct pt_e500_op op = get(PT_E500_PMC0);
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;

	begin();
	run_it();
	pass_by_agent(&op, 1, &pass);
	target->ops->symbol(target->state, 0, PT_UNKNOWN);
	ck_assert(!pt_e500_agent_awaited(e500));
	ck_assert_int_eq(pt_e500_pass(e500, 0, &op, 1, &pass, &err), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, "no symbol proftap_agent") != NULL, "%s", err.msg);
	tell_symbol();
	ck_assert(pt_e500_agent_awaited(e500));
	pass_by_agent(&op, 1, &pass);		/* at once: it is not the answer of before */
	end();
}
END_TEST

/* A server that is not known to read memory while the core runs: the sentence says which setting does. */
START_TEST(memory_at_a_halt_only)
{
	struct pt_e500_op op = get(PT_E500_PMC0);
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;

	begin_with("upstream-memory=halted");
	run_it();
	ck_assert_int_eq(pt_e500_pass(e500, 0, &op, 1, &pass, &err), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, "upstream-memory=running if it does") != NULL, "%s", err.msg);
	end();
}
END_TEST

/* One that hears nothing until the program stops, whatever the setting says: that costs the first access its time, and
 * no other one. */
START_TEST(a_server_that_hears_nothing_while_it_runs)
{
	struct pt_e500_op op = get(PT_E500_PMC0);
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;
	uint8_t word[4];

	patience = "upstream-patience=4s";
	begin();
	there.deaf = true;
	run_it();
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(pt_e500_pass(e500, 0, &op, 1, &pass, &err), PT_EUNSUPPORTED);
		ck_assert_msg(strstr(err.msg, "did not answer while the core ran") != NULL, "%s", err.msg);
		ck_assert_int_lt(pt_mem_read(&e500->remote.mem, e500->agent_addr, word, sizeof(word), &err), 0);
	}
	ck_assert(!pt_e500_agent_awaited(e500) && !e500->remote.mem.ops->while_running);
	pthread_mutex_lock(&there.lock);
	ck_assert_uint_eq(there.n_unheard, 1);
	pthread_mutex_unlock(&there.lock);
	ck_assert_msg(target->ops->halt(target->state, 0, &err) == 0, "%s", err.msg);
	ck_assert_msg(pt_mem_read(&e500->remote.mem, e500->agent_addr, word, sizeof(word), &err) == 0, "%s", err.msg);
	there.deaf = false;
	disconnect();
	connect_there();	/* attached anew, it is believed again */
	tell_symbol();
	run_it();
	pass_by_agent(&op, 1, &pass);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_by_agent");
	TCase *tc = tcase_create("agent");

	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, chains_are_what_the_core_counted, 0, (int)(PT_LEN(events) * PT_LEN(cores)));
	tcase_add_test(tc, a_halted_core_has_no_agent);
	tcase_add_test(tc, an_agent_that_hangs_is_told_in_time);
	tcase_add_test(tc, a_core_that_halts_meanwhile);
	tcase_add_loop_test(tc, a_block_that_is_no_more, 0, PT_LEN(damage));
	tcase_add_test(tc, the_program_is_told_later);
	tcase_add_test(tc, memory_at_a_halt_only);
	tcase_add_test(tc, a_server_that_hears_nothing_while_it_runs);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
