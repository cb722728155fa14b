/* The target e500 behind one GDB server with two cores, of two virtual boards, and of one: what is done on one is not
 * done on the other, and a debugger that has chosen one finds it chosen. */
#include "e500_agent_rig.h"
#include "probes/rsp/rsp_stream.h"

enum { N_CORES = 2 };

static struct pt_vboard *boards[N_CORES];
static struct pt_vrsp_target both;

/* --- two boards behind one server: thread n + 1 is board n */

static void *chip_of(unsigned thread)
{
	return pt_e500_of(boards[thread]);
}

static const struct pt_vrsp_target *one(unsigned thread)
{
	return pt_vboard_e500.rsp(boards[thread]);
}

static uint64_t get_reg(void *arg, unsigned thread, unsigned n)
{
	(void)arg;
	return one(thread)->reg(chip_of(thread), 0, n);
}

static void put_reg(void *arg, unsigned thread, unsigned n, uint64_t value)
{
	(void)arg;
	one(thread)->set_reg(chip_of(thread), 0, n, value);
}

static bool read_ram(void *arg, unsigned thread, uint32_t addr, uint8_t *bytes, size_t n_bytes)
{
	(void)arg;
	return one(thread)->read(chip_of(thread), 0, addr, bytes, n_bytes);
}

static bool write_ram(void *arg, unsigned thread, uint32_t addr, const uint8_t *bytes, size_t n_bytes)
{
	(void)arg;
	return one(thread)->write(chip_of(thread), 0, addr, bytes, n_bytes);
}

static bool is_halted(void *arg, unsigned thread, struct pt_vrsp_stop *stop)
{
	(void)arg;
	return one(thread)->halted(chip_of(thread), 0, stop);
}

static void halt_one(void *arg, unsigned thread)
{
	(void)arg;
	one(thread)->halt(chip_of(thread), 0);
}

static void resume_one(void *arg, unsigned thread, bool step)
{
	(void)arg;
	one(thread)->resume(chip_of(thread), 0, step);
}

static void attach_both(void *arg, bool on)
{
	(void)arg;
	for (unsigned i = 0; i < N_CORES; i++)
		one(i)->attached(chip_of(i), on);
}

static const struct pt_vrsp_target *serve_both(struct pt_vboard *board)
{
	both = *pt_vboard_e500.rsp(board);
	both.n_threads = N_CORES;
	both.reg = get_reg;
	both.set_reg = put_reg;
	both.read = read_ram;
	both.write = write_ram;
	both.halted = is_halted;
	both.halt = halt_one;
	both.resume = resume_one;
	both.attached = attach_both;
	return &both;
}

static void advance_both(struct pt_vboard *board, uint64_t to_ns)
{
	(void)board;
	for (unsigned i = 0; i < N_CORES; i++)
		pt_vboard_e500.advance(boards[i], to_ns);
}

/* The first is the rig's, once that has made it. */
static const struct pt_vrsp_target *serve_the_rigs(struct pt_vboard *board)
{
	boards[0] = board;
	return serve_both(board);
}

static struct pt_vboard_ops two;

static void attach_two(void)
{
	struct pt_err err = { .msg = "" };

	two = pt_vboard_e500;
	two.rsp = serve_the_rigs;
	two.advance = advance_both;
	there.ops = &two;
	boards[1] = pt_vboard_e500.make(NULL, NULL, 0, &err);
	ck_assert_msg(boards[1] != NULL, "%s", err.msg);
	attach("modern", with_ram, PT_LEN(with_ram));
	ck_assert_uint_eq(target->ops->n_cores(target->state), N_CORES);
}

static void leave_two(void)
{
	leave();
	pt_vboard_e500.free(boards[1]);
}

/* --- */

struct image { uint64_t reg[PT_VE500_REGS]; uint8_t ram[PT_E500_RAM_BYTES]; };
static struct image before[N_CORES];

static void keep(void)
{
	for (unsigned i = 0; i < N_CORES; i++) {
		for (unsigned reg = 0; reg < PT_VE500_REGS; reg++)
			before[i].reg[reg] = get_reg(NULL, i, reg);
		memcpy(before[i].ram, pt_e500_bytes(chip_of(i), 0, PT_E500_RAM_BYTES), PT_E500_RAM_BYTES);
	}
}

static void check_kept(void)
{
	for (unsigned i = 0; i < N_CORES; i++) {
		for (unsigned reg = 0; reg < PT_VE500_REGS; reg++)
			ck_assert_msg(get_reg(NULL, i, reg) == before[i].reg[reg], "core %u, register %u", i, reg);
		ck_assert_int_eq(memcmp(before[i].ram, pt_e500_bytes(chip_of(i), 0, PT_E500_RAM_BYTES),
					PT_E500_RAM_BYTES),
				 0);
	}
}

START_TEST(a_pass_is_of_its_core_alone)
{
	const struct pt_target_upstream *upstream;
	struct pt_e500_op ops[] = {
		{ PT_E500_PMC0, true, 0 }, { PT_E500_PMLCA0, true, FCM1 | 2 << 16 }, { PT_E500_PMGC0, true, 0 },
	}, read;
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;
	char r1[32], want[32];

	attach_two();
	put_reg(NULL, 1, 1, 0x54321);
	strcpy(pt_rsp_stream_lock(pt_rsp_link_stream(pt_probe_link(probe)))->thread, "Hg1");
	pt_rsp_stream_unlock(pt_rsp_link_stream(pt_probe_link(probe)));
	pthread_mutex_lock(&there.lock);
	keep();
	pthread_mutex_unlock(&there.lock);
	ck_assert_msg(pt_e500_pass(e500, 1, ops, PT_LEN(ops), &pass, &err) == 0, "%s", err.msg);
	pthread_mutex_lock(&there.lock);
	check_kept();
	ck_assert_uint_eq(pt_e500_of(boards[0])->pm->pmlca[0], 0);
	ck_assert_uint_eq(pt_e500_of(boards[1])->pm->pmlca[0], FCM1 | 2 << 16);
	pthread_mutex_unlock(&there.lock);
	ck_assert_int_ge(pt_remote_ask(&e500->remote, "p1", r1, sizeof(r1), &err), 8);	/* of the client's choice */
	snprintf(want, sizeof(want), "%08x", (unsigned)get_reg(NULL, 0, 1));
	ck_assert_str_eq(r1, want);
	upstream = target->ops->upstream(target->state);
	ck_assert_int_eq(upstream->core_of(target->state, "2"), 1);
	ck_assert_int_eq(upstream->core_of(target->state, "0"), 0);
	ck_assert_int_eq(upstream->core_of(target->state, "7"), -1);
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		read = (struct pt_e500_op){ .pmr = PT_E500_PMC0 };
		ck_assert_msg(pt_e500_pass(e500, 1, &read, 1, &pass, &err) == 0, "%s", err.msg);
		ck_assert(pass.halted);
	}
	ck_assert_int_eq(target->ops->halt(target->state, 0, &err), 0);
	ck_assert_int_eq(pt_e500_pass(e500, 1, &read, 1, &pass, &err), 0);
	ck_assert_uint_eq(read.value, pt_e500_of(boards[1])->pm->pmc[0]);
	ck_assert_uint_gt(read.value, 1000);
	leave_two();
}
END_TEST

/* --- one board with two cores, which share their RAM */

static uint32_t pmr_of(unsigned node, unsigned pmr)
{
	uint32_t value = 0;

	ck_assert(pt_ve500_pm_read(&there.chip->node[node].pm, pmr, &value));
	return value;
}

/* A block of the agent's for each: each core counts what it is told to, while both run. */
START_TEST(each_core_has_its_agent)
{
	static const char *const board_words[] = { "cores=2", NULL };
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;
	uint32_t last[N_CORES] = { 0 };

	begin_on("e500_agents", board_words, "e500.path=agent");
	ck_assert_uint_eq(target->ops->n_cores(target->state), N_CORES);
	run_it();
	for (unsigned core = 0; core < N_CORES; core++) {
		struct pt_e500_op ops[] = {
			{ PT_E500_PMGC0, true, FAC }, { PT_E500_PMC0, true, 0 },
			{ PT_E500_PMLCA0, true, FCM1 | (uint32_t)events[core] << 16 }, { PT_E500_PMGC0, true, 0 },
		};

		ck_assert_msg(pt_e500_pass(e500, core, ops, PT_LEN(ops), &pass, &err) == 0, "%s", err.msg);
	}
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned core = 0; core < N_CORES; core++) {
			struct pt_e500_op read = { .pmr = PT_E500_PMC0 };

			ck_assert_msg(pt_e500_pass(e500, core, &read, 1, &pass, &err) == 0, "%s", err.msg);
			ck_assert_uint_gt(read.value, last[core]);
			last[core] = read.value;
		}
	pthread_mutex_lock(&there.lock);
	for (unsigned core = 0; core < N_CORES; core++) {
		ck_assert_uint_eq(pmr_of(core, PT_E500_PMLCA0), FCM1 | (uint32_t)events[core] << 16);
		ck_assert_uint_ge(pmr_of(core, PT_E500_PMC0), last[core]);
	}
	pthread_mutex_unlock(&there.lock);
	ck_assert_uint_eq(there.n_runs, 1);
	end();
}
END_TEST

/* By scratch code, in the RAM that they share: the other core's PMRs and registers stay as they are. */
START_TEST(each_core_has_its_pmrs)
{
	static const char *const board_words[] = { "cores=2", NULL };
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;
	uint64_t want = 0;

	attach_to("modern", board_words, with_ram, PT_LEN(with_ram));
	for (unsigned core = 0; core < N_CORES; core++) {
		struct pt_e500_op ops[] = {
			{ PT_E500_PMC0, true, 0 }, { PT_E500_PMLCA0, true, FCM1 | (uint32_t)(2 + 6 * core) << 16 },
		};

		ck_assert_msg(pt_e500_pass(e500, core, ops, PT_LEN(ops), &pass, &err) == 0, "%s", err.msg);
	}
	pthread_mutex_lock(&there.lock);
	want = pmr_of(1, PT_E500_PMC0) - pt_ve500_events(there.chip->node[1].cpu)[8];
	pthread_mutex_unlock(&there.lock);
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
	ck_assert_int_eq(target->ops->halt(target->state, 0, &err), 0);
	for (unsigned core = 0; core < N_CORES; core++) {
		struct pt_e500_op read = { .pmr = PT_E500_PMC0 };

		pthread_mutex_lock(&there.lock);
		if (core == 1)
			want = (uint32_t)(want + pt_ve500_events(there.chip->node[1].cpu)[8]);
		pthread_mutex_unlock(&there.lock);
		ck_assert_int_eq(pt_e500_pass(e500, core, &read, 1, &pass, &err), 0);
		ck_assert_uint_eq(read.value, pmr_of(core, PT_E500_PMC0));
		ck_assert_uint_gt(read.value, 0);
		if (core == 1)
			ck_assert_uint_eq(read.value, want);
	}
	leave();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_cores");
	TCase *tc = tcase_create("boards");

	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, a_pass_is_of_its_core_alone);
	tcase_add_test(tc, each_core_has_its_agent);
	tcase_add_test(tc, each_core_has_its_pmrs);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
