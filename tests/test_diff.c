/* Comparing profiles: noise is no change, a change is one, and blocks add up to what was fed. The programs under test
 * run here: a loop that calls its functions in an order and for times that depend on each other, as real ones do. */
#include <math.h>
#include <string.h>

#include "harness.h"
#include "profile/result/analysis.h"
#include "profile/analyses/calls/blocks.h"
#include "profile/diff.h"

enum { MAIN = 1, STEADY, NOISY, PHASED, RARE, N_FUNCTIONS = RARE, N_IDS };

static const struct pt_function functions[N_FUNCTIONS] = {
	{ .name = "main", .address = 0x100 }, { .name = "steady", .address = 0x200 },
	{ .name = "noisy", .address = 0x300 },
	{ .name = "phased", .address = 0x400 }, { .name = "rare", .address = 0x500 },
};

struct run {
	void *blocks;
	uint64_t clock, state;
	double slower[N_IDS];	/* factor of a function's time */
	uint16_t without;	/* a function that is not called; 0: none */
	struct pt_profile profile;
};

static uint32_t random_of(struct run *r)
{
	r->state = r->state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(r->state >> 33);
}

static void step(struct run *r, uint8_t kind, uint16_t function, uint64_t time)
{
	const struct pt_call_event s = {
		.kind = kind, .entry = PT_ENTRY_CALL, .function = function, .clock = r->clock, .net = time,
		.gross = time,
		.call = time, .period = PT_UNKNOWN, .task = PT_NO_TASK,
	};

	pt_analysis_blocks.steps(r->blocks, &s, 1);
}

static void call(struct run *r, uint16_t function, uint64_t time)
{
	if (function == r->without)
		return;
	time = (uint64_t)((double)time * (r->slower[function] != 0 ? r->slower[function] : 1));
	step(r, PT_CALL_ENTER, function, 0);
	r->clock += time;
	step(r, PT_CALL_LEAVE, function, time);
	r->clock += 20;
}

/* phased is slow for a while and fast for a while: neighbours are alike, which single invocations would take for
 * precision. */
static void go(struct run *r, unsigned rounds)
{
	uint64_t phase = 500;

	step(r, PT_CALL_ENTER, MAIN, 0);
	for (unsigned i = 0; i < rounds; i++) {
		if (random_of(r) % 200 == 0)
			phase = 300 + random_of(r) % 400;
		call(r, STEADY, 100);
		call(r, NOISY, 50 + random_of(r) % 400);
		call(r, PHASED, phase);
		if (random_of(r) % 2000 == 0)
			call(r, RARE, 1000 + random_of(r) % 1000);
	}
	step(r, PT_CALL_CLOCK, 0, 0);
}

static struct pt_program *program;

static void begin(struct run *r, uint64_t seed)
{
	const struct pt_analysis_setup setup = { .n_functions = N_IDS };

	*r = (struct run){ .state = seed * 77 + 1, .blocks = pt_analysis_blocks.open(&setup, NULL) };
	r->profile.program = program;
	r->profile.counts = PT_BASIS_EXACT;
	r->profile.times = r->profile.shares = PT_BASIS_MODELLED;
}

static const struct pt_profile *end(struct run *r)
{
	pt_analysis_blocks.result(r->blocks, &r->profile);
	return &r->profile;
}

static void build(void)
{
	static const struct pt_program_desc desc = { .elf_machine = PT_MACHINE_ARM, .name = "diff", .functions = functions, .n_functions = N_FUNCTIONS,
						      .vectors = PT_UNKNOWN };

	program = pt_program_from_desc(&desc);
}

static void drop(void)
{
	pt_program_unref(program);
}

static enum pt_change change_of(const struct pt_diff *d, const char *name)
{
	for (size_t i = 0; i < d->n_functions; i++)
		if (strcmp(d->function[i].name, name) == 0)
			return d->function[i].change;
	ck_abort_msg("no row of %s", name);
	return PT_CHANGE_NONE;
}

START_TEST(blocks_add_up)
{
	const struct pt_blocks *blocks;
	uint64_t ticks = 0, time = 0;
	struct run r;

	begin(&r, 1);
	go(&r, 3000);
	blocks = end(&r)->blocks;
	ck_assert_uint_le(blocks->n_blocks, PT_BLOCKS);
	ck_assert_uint_ge(blocks->n_blocks, PT_BLOCKS / 2);
	for (size_t i = 0; i < blocks->n_blocks; i++) {
		ticks += blocks->ticks[i];
		for (size_t f = 0; f < N_IDS; f++)
			time += blocks->block[i * blocks->n_functions + f].time;
	}
	ck_assert_uint_eq(ticks, r.clock);
	ck_assert_uint_eq(time, r.clock);
	for (uint64_t count = 0, f = STEADY; f == STEADY; f++) {
		for (size_t i = 0; i < blocks->n_blocks; i++)
			count += blocks->block[i * blocks->n_functions + f].count;
		ck_assert_uint_eq(count, 3000);
	}
	pt_analysis_blocks.close(r.blocks);
}
END_TEST

/* What ends exactly where a block does counts in it, also where that block is the last and all are joined: calls of a
 * power of two ticks, nothing in between. */
START_TEST(calls_up_to_the_end_of_a_block)
{
	enum { TICKS = 4096, CALLS = 3 * PT_BLOCKS };
	const struct pt_blocks *blocks;
	uint64_t count = 0, net = 0;
	struct run r;

	begin(&r, 1);
	for (unsigned i = 0; i < CALLS; i++) {
		step(&r, PT_CALL_ENTER, STEADY, 0);
		r.clock += TICKS;
		step(&r, PT_CALL_LEAVE, STEADY, TICKS);
	}
	blocks = end(&r)->blocks;
	ck_assert_uint_eq(blocks->n_blocks, 3 * PT_BLOCKS / 4);
	for (size_t i = 0; i < blocks->n_blocks; i++) {
		ck_assert_uint_eq(blocks->ticks[i], 4 * TICKS);
		count += blocks->block[i * blocks->n_functions + STEADY].count;
		net += blocks->block[i * blocks->n_functions + STEADY].net;
	}
	ck_assert_uint_eq(count, CALLS);
	ck_assert_uint_eq(net, (uint64_t)CALLS * TICKS);
	pt_analysis_blocks.close(r.blocks);
}
END_TEST

/* Two hundred comparisons of the same program, 99 % sure for all functions of each together: about two may err. */
START_TEST(noise_is_no_change)
{
	unsigned wrong = 0;

	for (uint64_t i = 0; i < 200; i++) {
		struct pt_diff *d;
		struct run a, b;

		begin(&a, 2 * i);
		begin(&b, 2 * i + 1);
		go(&a, 10000);
		go(&b, 10000);
		d = pt_diff_new(end(&a), end(&b), 0, NULL);
		for (size_t k = 0; k < d->n_functions; k++)
			if (d->function[k].change < PT_CHANGE_ONLY_B) {
				wrong++;
				break;
			}
		pt_diff_free(d);
		pt_analysis_blocks.close(a.blocks);
		pt_analysis_blocks.close(b.blocks);
	}
	ck_assert_msg(wrong <= 6, "%u of 200", wrong);
}
END_TEST

static const struct { uint16_t function; double slower; double threshold; enum pt_change want; } changes[] = {
	{ STEADY, 1.05, 0.01, PT_CHANGE_SLOWER }, { STEADY, 0.95, 0.01, PT_CHANGE_FASTER },
	{ STEADY, 1.05, 0.10, PT_CHANGE_SAME }, { NOISY, 1.20, 0.01, PT_CHANGE_SLOWER },
	{ NOISY, 0.7, 0.01, PT_CHANGE_FASTER },
	{ PHASED, 2, 0.01, PT_CHANGE_SLOWER }, { MAIN, 1, 0.01, PT_CHANGE_NONE },
};

START_TEST(change_is_one)
{
	struct run a, b;
	struct pt_diff *d;

	begin(&a, 5);
	begin(&b, 6);
	b.slower[changes[_i].function] = changes[_i].slower;
	go(&a, 20000);
	go(&b, 20000);
	d = pt_diff_new(end(&a), end(&b), changes[_i].threshold, NULL);
	ck_assert_ptr_nonnull(d);
	ck_assert_str_eq(pt_change_name(change_of(d, functions[changes[_i].function - 1].name)),
			 pt_change_name(changes[_i].want));
	pt_diff_free(d);
	pt_analysis_blocks.close(a.blocks);
	pt_analysis_blocks.close(b.blocks);
}
END_TEST

START_TEST(little_data_is_unsure)
{
	struct run a, b;
	struct pt_diff *d;

	begin(&a, 1);
	begin(&b, 2);
	go(&a, 2);
	go(&b, 2);
	d = pt_diff_new(end(&a), end(&b), 0.01, NULL);
	ck_assert_int_eq(change_of(d, "noisy"), PT_CHANGE_UNKNOWN);
	pt_diff_free(d);
	pt_analysis_blocks.close(a.blocks);
	pt_analysis_blocks.close(b.blocks);
}
END_TEST

/* Whether what was never seen in one of them is gone or was missed, no p can say. */
START_TEST(seen_in_one_only)
{
	struct run a, b;
	struct pt_diff *d;

	begin(&a, 5);
	begin(&b, 6);
	(_i == 0 ? &b : &a)->without = NOISY;
	go(&a, 20000);
	go(&b, 20000);
	d = pt_diff_new(end(&a), end(&b), 0.01, NULL);
	ck_assert_ptr_nonnull(d);
	ck_assert_int_eq(change_of(d, "noisy"), _i == 0 ? PT_CHANGE_ONLY_A : PT_CHANGE_ONLY_B);
	for (size_t i = 0; i < d->n_functions; i++)
		ck_assert_int_eq(isnan(d->function[i].share.p) != 0, strcmp(d->function[i].name, "noisy") == 0);
	pt_diff_free(d);
	pt_analysis_blocks.close(a.blocks);
	pt_analysis_blocks.close(b.blocks);
}
END_TEST

/* Shares of two profiles of samples: hand-made rows, each of 100 batches and worth so many independent samples. */
static const struct { double a, b, worth; enum pt_change want; } sampled[] = {
	{ 0.30, 0.31, 5000, PT_CHANGE_NONE },		/* 1.1 sigma */
	{ 0.30, 0.50, 5000, PT_CHANGE_MORE }, { 0.50, 0.30, 5000, PT_CHANGE_LESS },	/* 21 sigma */
	{ 0.30, 0.50, 20, PT_CHANGE_NONE },		/* 1.3 sigma */
	{ 0.30, 0.301, 1e7, PT_CHANGE_NONE },		/* worth no more than there were: 0.15 sigma */
	{ 0.30, 0, 5000, PT_CHANGE_ONLY_A }, { 0, 0.30, 5000, PT_CHANGE_ONLY_B },
};

static void take_samples(struct run *r, struct pt_profile_function *row, double share, double worth)
{
	static const struct pt_profile_function *ids[2][N_IDS];
	static unsigned side;

	double error = 1.96 * sqrt(share * (1 - share) / fmin(worth, 10000));

	*row = (struct pt_profile_function){ .id = NOISY, .samples = (uint64_t)(share * 10000),
					      .share = { .share = share, .lo = fmax(0, share - error),
							 .hi = share + error } };
	memset(ids[side], 0, sizeof(ids[side]));
	ids[side][NOISY] = share > 0 ? row : NULL;
	r->profile.shares = PT_BASIS_ESTIMATED;
	r->profile.samples = 10000;
	r->profile.batches = 100;
	r->profile.by_id = ids[side];
	r->profile.n_ids = N_IDS;
	side ^= 1;
}

START_TEST(shares_of_samples)
{
	struct pt_profile_function row_a, row_b;
	struct run a, b;
	struct pt_diff *d;

	begin(&a, 1);
	begin(&b, 2);
	end(&a);
	end(&b);
	take_samples(&a, &row_a, sampled[_i].a, sampled[_i].worth);
	take_samples(&b, &row_b, sampled[_i].b, sampled[_i].worth);
	d = pt_diff_new(&a.profile, &b.profile, 0.001, NULL);
	ck_assert_ptr_nonnull(d);
	ck_assert_uint_eq(d->n_functions, 1);
	ck_assert_str_eq(pt_change_name(change_of(d, "noisy")), pt_change_name(sampled[_i].want));
	ck_assert_uint_eq(d->function[0].count_a.n, (uint64_t)(sampled[_i].a * 10000));
	ck_assert(sampled[_i].a == 0 || d->function[0].share.a.lo < d->function[0].share.a.hi);
	ck_assert(isnan(d->function[0].gross.p) && isnan(d->function[0].net.p));
	pt_diff_free(d);
	pt_analysis_blocks.close(a.blocks);
	pt_analysis_blocks.close(b.blocks);
}
END_TEST

/* Of bursts: the shares of all other tables, whatever blocks of what the bursts saw say; calls that are longer than a burst
 * have no total. */
START_TEST(shares_of_bursts)
{
	static const struct pt_execution_function seen = { .count = 7 };
	const struct pt_profile_core core = { .windowed = true, .windows = { .n = 50 } };
	struct pt_profile_function row_a, row_b;
	struct run a, b;
	struct pt_diff *d;

	begin(&a, 1);
	begin(&b, 2);
	go(&a, 10000);
	go(&b, 10000);
	end(&a);
	end(&b);
	take_samples(&a, &row_a, sampled[_i].a, sampled[_i].worth);
	take_samples(&b, &row_b, sampled[_i].b, sampled[_i].worth);
	row_a.seen = row_b.seen = &seen;
	row_a.per_call = (struct pt_estimate){ 100, 90, 110 };
	row_b.per_call = (struct pt_estimate){ 102, 90, 115 };
	a.profile.samples = b.profile.samples = 0;
	a.profile.core = b.profile.core = &core;
	a.profile.n_cores = b.profile.n_cores = 1;
	d = pt_diff_new(&a.profile, &b.profile, 0.001, NULL);
	ck_assert_uint_eq(d->n_functions, 1);
	ck_assert_str_eq(pt_change_name(change_of(d, "noisy")), pt_change_name(sampled[_i].want));
	ck_assert_double_eq(d->function[0].share.a.value, sampled[_i].a);
	ck_assert_double_eq(d->function[0].share.b.value, sampled[_i].b);
	ck_assert(d->function[0].share.a.lo < d->function[0].share.a.hi);
	ck_assert(d->function[0].net.change_lo < 0.02 && 0.02 < d->function[0].net.change_hi);
	ck_assert(isnan(d->function[0].gross.p));
	pt_diff_free(d);
	pt_analysis_blocks.close(a.blocks);
	pt_analysis_blocks.close(b.blocks);
}
END_TEST

/* Too few bursts for shares: what they happened to see is no share of anything, and their whole calls are no fair part. */
START_TEST(too_few_bursts_have_no_shares)
{
	const struct pt_profile_core core = { .in_pieces = true, .tallied = true };
	struct pt_diff *d;
	struct run a, b;

	begin(&a, 1);
	begin(&b, 2);
	go(&a, 10000);
	go(&b, 10000);
	end(&a);
	end(&b);
	b.profile.shares = PT_BASIS_NONE;
	b.profile.counts = PT_BASIS_ESTIMATED;
	b.profile.core = &core;
	b.profile.n_cores = 1;
	d = pt_diff_new(&a.profile, &b.profile, 0.001, NULL);
	ck_assert_uint_eq(d->n_functions, N_FUNCTIONS);
	for (size_t i = 0; i < d->n_functions; i++) {
		const struct pt_diff_function *f = &d->function[i];

		ck_assert_msg(!isnan(f->share.a.value) && isnan(f->share.b.value) && isnan(f->share.p), "%s", f->name);
		ck_assert(isnan(f->gross.b.value) && isnan(f->net.b.value) && isnan(f->gross.change));
		ck_assert(f->count_b.at_least && !f->count_a.at_least);
		ck_assert(f->change == PT_CHANGE_UNKNOWN || f->change == PT_CHANGE_ONLY_A);
	}
	pt_diff_free(d);
	pt_analysis_blocks.close(a.blocks);
	pt_analysis_blocks.close(b.blocks);
}
END_TEST

/* Most of the run was recorded: shares are within what the rest leaves open, and only what is beyond that is a change. */
START_TEST(bounds_are_no_change)
{
	static const struct { double b; enum pt_change want; } rows[] = {
		{ 0.36, PT_CHANGE_NONE }, { 0.80, PT_CHANGE_MORE },
	};
	const struct pt_profile_core core = { .seen_part = 0.9 };
	struct pt_profile_function row_a, row_b;
	struct run a, b;
	struct pt_diff *d;

	begin(&a, 5);
	begin(&b, 6);
	go(&a, 20000);
	go(&b, 20000);
	end(&a);
	end(&b);
	take_samples(&a, &row_a, 0.3, 1);
	take_samples(&b, &row_b, rows[_i].b, 1);
	a.profile.samples = b.profile.samples = 0;
	row_a.share = pt_profile_bounded(0.9, 0.3);
	row_b.share = pt_profile_bounded(0.9, rows[_i].b);
	a.profile.core = b.profile.core = &core;
	a.profile.n_cores = b.profile.n_cores = 1;
	d = pt_diff_new(&a.profile, &b.profile, 0.001, NULL);
	for (size_t i = 0; i < d->n_functions; i++)
		if (strcmp(d->function[i].name, "noisy") == 0) {
			ck_assert(d->function[i].share.a.bounds);
			ck_assert_double_eq(d->function[i].share.a.hi, row_a.share.hi);
		}
	ck_assert_str_eq(pt_change_name(change_of(d, "noisy")), pt_change_name(rows[_i].want));
	ck_assert_str_eq(pt_change_name(change_of(d, "steady")), "same");
	pt_diff_free(d);
	pt_analysis_blocks.close(a.blocks);
	pt_analysis_blocks.close(b.blocks);
}
END_TEST

START_TEST(needs_blocks)
{
	struct pt_profile none = { .program = program };
	struct pt_err err = { 0 };

	ck_assert_ptr_null(pt_diff_new(&none, &none, 0.01, &err));
	ck_assert_int_eq(err.code, PT_ESTATE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("diff");
	TCase *tc = tcase_create("diff");

	tcase_set_timeout(tc, 600);
	tcase_add_checked_fixture(tc, build, drop);
	tcase_add_test(tc, blocks_add_up);
	tcase_add_test(tc, calls_up_to_the_end_of_a_block);
	tcase_add_test(tc, noise_is_no_change);
	tcase_add_loop_test(tc, change_is_one, 0, PT_LEN(changes));
	tcase_add_test(tc, little_data_is_unsure);
	tcase_add_loop_test(tc, seen_in_one_only, 0, 2);
	tcase_add_loop_test(tc, shares_of_samples, 0, PT_LEN(sampled));
	tcase_add_loop_test(tc, shares_of_bursts, 0, 4);
	tcase_add_test(tc, too_few_bursts_have_no_shares);
	tcase_add_loop_test(tc, bounds_are_no_change, 0, 2);
	tcase_add_test(tc, needs_blocks);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
