/* From chunks to a profile, with figures computed by hand. */
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "pipeline/pipeline.h"
#include "profile/stats/account.h"
#include "profile/analyses/limits/limits.h"
#include "profile/result/profile.h"
#include "small_program.h"
#include "trace/formats.h"
#include "report/text/warnings.h"

enum { ID_MAIN = 1, ID_LEAF, ID_ISR, ID_SVC, ID_TAIL, ID_RECURSIVE };	/* by address */

struct feed {
	struct pt_pipeline *pipeline;
	struct pt_chunk *chunk;
	uint64_t now_ns;
};

static struct pt_pipeline *pipeline_of(const char *const *words, size_t n_words)
{
	struct pt_params *params = pt_params_new();
	struct pt_program *program = small_program();
	struct pt_err err = { 0 };
	struct pt_pipeline *pipeline;

	for (size_t i = 0; i < n_words; i++)
		ck_assert_int_eq(pt_pipeline_add(params, words[i], &err), 0);
	pipeline = pt_pipeline_new(program, params, &err);
	ck_assert_msg(pipeline != NULL, "%s", err.msg);
	pt_params_free(params);
	pt_program_unref(program);
	return pipeline;
}

static void put(struct feed *f, unsigned kind, unsigned cause, uint64_t ns, const void *bytes, size_t len_bytes)
{
	*f->chunk = (struct pt_chunk){
		.from_ns = f->now_ns, .to_ns = f->now_ns + ns, .lost_bytes = PT_UNKNOWN, .kind = (uint16_t)kind,
		.cause = (uint16_t)cause, .len_bytes = (uint32_t)len_bytes,
	};
	if (len_bytes != 0)
		memcpy(f->chunk->bytes, bytes, len_bytes);
	f->now_ns += ns;
	pt_pipeline_feed(f->pipeline, f->chunk);
}

static void config(struct feed *f, const char *text)
{
	put(f, PT_CHUNK_CONFIG, 0, 0, text, strlen(text));
}

static void state(struct feed *f, enum pt_state what, uint64_t pc)
{
	uint8_t bytes[PT_STATE_BYTES];

	pt_put_le64(bytes, pc);
	put(f, PT_CHUNK_STATE, what, 0, bytes, sizeof(bytes));
}

/* Packets as pairs of words; bit 0 of the first of all is S, as after arming. */
static void packets(struct feed *f, uint64_t ns, unsigned cause, const uint32_t (*packet)[2], size_t n)
{
	uint8_t bytes[4096];

	for (size_t i = 0; i < n; i++) {
		pt_put_le32(bytes + 8 * i, packet[i][0]);
		pt_put_le32(bytes + 8 * i + 4, packet[i][1] | (i == 0 && cause == PT_DATA_RESTARTS));
	}
	put(f, PT_CHUNK_DATA, cause, ns, bytes, 8 * n);
}

static struct feed feed_of(const char *config_text, const char *const *words, size_t n_words)
{
	struct feed f = { .pipeline = pipeline_of(words, n_words), .now_ns = 1000000 };

	f.chunk = malloc(sizeof(*f.chunk) + PT_CHUNK_BYTES);
	config(&f, config_text);
	return f;
}

static void drop(struct feed *f)
{
	pt_pipeline_free(f->pipeline);
	free(f->chunk);
}

static const struct pt_profile_function *row(const struct pt_profile *p, uint16_t id)
{
	ck_assert_uint_lt(id, p->n_ids);
	ck_assert_ptr_nonnull(p->by_id[id]);
	return p->by_id[id];
}

#define HALT "format=mtb\nsource=mtb\nmode=halt\ntarget=small\nprobe=test\nvirtual=1\ncore_hz=1000000\ncost=halts\n"
#define BURST "format=mtb\nsource=mtb\nmode=burst\ntarget=small\nprobe=test\nvirtual=0\ncore_hz=0\ncost=RAM\n"

/* main from its entry to the first halt inside leaf, then on: nothing is lost at the halt. By hand: main 102..108 and
 * 108..10c, cycles 3+1+3 and 1+2; leaf twice 1+2. */
START_TEST(halts_lose_nothing)
{
	static const uint32_t first[][2] = { { 0x104, LEAF }, { 0x122, 0x108 }, { 0x10a, 0x102 }, { 0x104, LEAF } };
	static const uint32_t second[][2] = { { 0x122, 0x108 } };
	struct feed f = feed_of(HALT, NULL, 0);
	const struct pt_profile *p;

	state(&f, PT_STATE_RUN, MAIN);
	packets(&f, 100000, PT_DATA_RESTARTS, first, PT_LEN(first));
	state(&f, PT_STATE_HALT, 0x122);
	put(&f, PT_CHUNK_LOSS, PT_LOSS_DRAIN, 50000, NULL, 0);
	state(&f, PT_STATE_RUN, 0x122);
	packets(&f, 100000, PT_DATA_FOLLOWS, second, PT_LEN(second));
	state(&f, PT_STATE_HALT, 0x10a);
	put(&f, PT_CHUNK_END, 0, 0, NULL, 0);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_int_eq(p->counts, PT_BASIS_EXACT);
	ck_assert_int_eq(p->times, PT_BASIS_MODELLED);
	ck_assert_int_eq(p->shares, PT_BASIS_MODELLED);
	ck_assert_double_eq(p->unseen.hi, 0);
	ck_assert_uint_eq(row(p, ID_LEAF)->run->count, 2);
	ck_assert_uint_eq(row(p, ID_LEAF)->run->partial, 0);
	ck_assert_uint_eq(row(p, ID_LEAF)->run->instructions, 4);
	ck_assert_uint_eq(row(p, ID_LEAF)->run->cycles, 6);
	ck_assert_uint_eq(row(p, ID_MAIN)->run->instructions, 3 + 2 + 2 + 1);
	ck_assert_uint_eq(row(p, ID_MAIN)->run->cycles, 7 + 3 + 4 + 1);
	ck_assert_double_eq_tol(row(p, ID_LEAF)->share.share, 6.0 / 21, 1e-9);
	ck_assert_uint_eq(p->loss.total_ns, 250000);
	ck_assert_uint_eq(p->loss.observed_ns, 200000);
	ck_assert_uint_eq(p->loss.unobserved_ns, 50000);
	ck_assert_uint_eq(p->mismatch_ns, 0);
	ck_assert_uint_eq(p->n_edges, 1);
	ck_assert_uint_eq(p->edge[0].count, 2);
	ck_assert(p->observed_is_bound);	/* halts are found late */
	ck_assert(p->ended && p->from_virtual);
	ck_assert_str_eq(p->target, "small");
	ck_assert_str_eq(p->cost, "halts");
	drop(&f);
}
END_TEST

/* The same, counted in instructions: all is exact. By hand: main 3, leaf 2. */
START_TEST(instructions_are_exact)
{
	static const char *const words[] = { "clock=instructions" };
	static const uint32_t first[][2] = { { 0x104, LEAF }, { 0x122, 0x108 } };
	struct feed f = feed_of(HALT, words, 1);
	const struct pt_profile *p;

	state(&f, PT_STATE_RUN, MAIN);
	packets(&f, 100000, PT_DATA_RESTARTS, first, PT_LEN(first));
	state(&f, PT_STATE_HALT, 0x108);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_int_eq(pt_profile_weakest(p), PT_BASIS_EXACT);
	ck_assert_uint_eq(row(p, ID_LEAF)->run->stat[PT_TALLY_CALL].max, 2);
	ck_assert_double_eq_tol(row(p, ID_LEAF)->share.share, 2.0 / 5, 1e-9);
	drop(&f);
}
END_TEST

/* One turn of main's loop: 10 cycles, 3 of them leaf's. */
static const uint32_t turn[][2] = { { 0x104, LEAF }, { 0x122, 0x108 }, { 0x10a, 0x102 } };

static void burst(struct feed *f, unsigned n_turns, uint64_t ns)
{
	uint32_t packet[512][2];

	for (unsigned i = 0; i < 3 * n_turns; i++)
		memcpy(packet[i], turn[i % 3], sizeof(packet[i]));
	packets(f, ns, PT_DATA_RESTARTS, packet, 3 * n_turns);
}

/* Bursts of 10-cycle turns with 3 cycles in leaf; lengths differ, the cut does not. The first run of a burst is only
 * its branch (3 cycles), so a burst of n turns has 10 n - 1 cycles. */
START_TEST(bursts_are_cut_alike)
{
	struct feed f = feed_of(BURST, NULL, 0);
	const struct pt_profile *p;

	for (unsigned i = 0; i < 20; i++) {
		burst(&f, 60 + i % 3 * 20, 1000);
		put(&f, PT_CHUNK_LOSS, PT_LOSS_DRAIN, 9000, NULL, 0);
	}
	burst(&f, 5, 1000);
	put(&f, PT_CHUNK_END, 0, 0, NULL, 0);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->bursts, 21);
	ck_assert_uint_eq(p->bursts_used, 20);
	ck_assert_uint_eq(p->bursts_cut_short, 1);
	ck_assert_uint_eq(p->burst_cycles, 599);
	ck_assert_double_eq_tol(row(p, ID_LEAF)->share.share, 0.3, 0.005);
	ck_assert_double_le(row(p, ID_LEAF)->share.lo, 0.3);
	ck_assert_double_ge(row(p, ID_LEAF)->share.hi, 0.3);
	/* none of 19: the first one was armed when the profile began, and stands for no time */
	ck_assert_double_eq_tol(p->unseen.hi, 1 - pow(0.05, 1 / 19.0), 1e-3);
	ck_assert_int_eq(p->shares, PT_BASIS_ESTIMATED);
	ck_assert_int_eq(p->counts, PT_BASIS_ESTIMATED);
	ck_assert(p->observed_is_bound);
	ck_assert_uint_eq(p->loss.observed_ns, 21 * 1000);
	ck_assert_uint_eq(p->loss.total_ns, p->loss.observed_ns + p->loss.unobserved_ns + p->loss.lost_ns);
	drop(&f);
}
END_TEST

/* With the core clock known, a burst was observed as long as its cycles took: 599 at 1 MHz. */
START_TEST(a_burst_was_seen_no_longer_than_it_ran)
{
	static const char *const words[] = { "core-clock=1M" };
	struct feed f = feed_of(BURST, words, 1);
	const struct pt_profile *p;

	burst(&f, 60, 5000000);
	put(&f, PT_CHUNK_LOSS, PT_LOSS_REARM, 1000, NULL, 0);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert(!p->observed_is_bound);
	ck_assert_uint_ge(p->loss.observed_ns, 590000);
	ck_assert_uint_le(p->loss.observed_ns, 600000);
	ck_assert_uint_eq(p->loss.unobserved_ns, 5001000 - p->loss.observed_ns);
	ck_assert_uint_eq(p->loss.by[PT_LOSS_REARM].ns, p->loss.unobserved_ns);
	ck_assert_uint_eq(p->loss.by[PT_LOSS_REARM].events, 1);
	drop(&f);
}
END_TEST

/* 600 cycles fit into 600 us, with room for error; not into 10. */
START_TEST(a_burst_has_no_more_cycles_than_it_had_time)
{
	static const char *const words[] = { "core-clock=1M" };

	for (unsigned i = 0; i < 2; i++) {
		struct feed f = feed_of(BURST, words, 1);
		const struct pt_profile *p;

		for (unsigned k = 0; k < 3; k++) {	/* in all there is time enough */
			put(&f, PT_CHUNK_LOSS, PT_LOSS_REARM, 100000000, NULL, 0);
			burst(&f, 60, i == 0 && k == 1 ? 10000 : 600000);
		}
		p = pt_pipeline_profile(f.pipeline);
		ck_assert_int_eq(p->contradiction != NULL, i == 0);
		ck_assert_int_eq(p->times == PT_BASIS_ESTIMATED, i == 0);
		drop(&f);
	}
}
END_TEST

/* One burst of a program that ran much longer is no census, and nothing at all is none either. */
START_TEST(one_burst_is_not_exact)
{
	struct feed f = feed_of(BURST, NULL, 0);
	const struct pt_profile *p = pt_pipeline_profile(f.pipeline);

	ck_assert_int_eq(p->counts, PT_BASIS_ESTIMATED);
	ck_assert_int_eq(p->shares, PT_BASIS_NONE);
	put(&f, PT_CHUNK_LOSS, PT_LOSS_REARM, 9000, NULL, 0);
	burst(&f, 60, 1000);
	put(&f, PT_CHUNK_LOSS, PT_LOSS_REARM, 9000, NULL, 0);
	put(&f, PT_CHUNK_END, 0, 0, NULL, 0);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->bursts, 1);
	ck_assert_int_eq(p->counts, PT_BASIS_ESTIMATED);
	ck_assert_int_eq(p->shares, PT_BASIS_NONE);
	ck_assert(isnan(row(p, ID_LEAF)->share.share));
	drop(&f);
}
END_TEST

START_TEST(faults_are_lost_and_end_what_is_open)
{
	struct feed f = feed_of(HALT, NULL, 0);
	static const uint32_t first[][2] = { { 0x104, LEAF } };
	const struct pt_profile *p;

	state(&f, PT_STATE_RUN, MAIN);
	packets(&f, 1000, PT_DATA_RESTARTS, first, 1);
	put(&f, PT_CHUNK_LOSS, PT_LOSS_OVERRUN, 3000, NULL, 0);
	packets(&f, 1000, PT_DATA_RESTARTS, turn, 3);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->loss.lost_ns, 3000);
	ck_assert_uint_eq(p->loss.by[PT_LOSS_OVERRUN].events, 1);
	ck_assert_int_eq(p->counts, PT_BASIS_ESTIMATED);
	ck_assert_uint_ge(row(p, ID_LEAF)->run->partial, 1);
	drop(&f);
}
END_TEST

START_TEST(packets_outside_the_code_are_counted)
{
	static const uint32_t wild[][2] = { { 0x104, LEAF }, { 0x300000, 0x108 }, { 0x104, LEAF }, { 0x122, 0x108 } };
	struct feed f = feed_of(HALT, NULL, 0);
	const struct pt_profile *p;

	packets(&f, 1000, PT_DATA_RESTARTS, wild, PT_LEN(wild));
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_gt(p->not_code, 0);
	ck_assert_uint_eq(p->loss.by[PT_LOSS_NOT_CODE].events, p->not_code);
	ck_assert_int_eq(p->counts, PT_BASIS_ESTIMATED);
	drop(&f);
}
END_TEST

START_TEST(chunks_that_do_not_tile_are_told)
{
	struct feed f = feed_of(HALT, NULL, 0);

	packets(&f, 1000, PT_DATA_RESTARTS, turn, 3);
	f.now_ns += 77;
	put(&f, PT_CHUNK_LOSS, PT_LOSS_DRAIN, 1000, NULL, 0);
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->mismatch_ns, 77);
	drop(&f);
}
END_TEST

#define PCSR "format=pcsr\nsource=pcsr\nmode=sample\ntarget=small\nprobe=test\nvirtual=1\ncore_hz=0\ncost=bus reads\nbatch=4\n"

/* Four batches of four: leaf has 1 of 3 awake samples in each of three, the last slept. */
START_TEST(samples_make_a_flat_profile)
{
	static const uint32_t values[4] = { 0x102, 0x109, LEAF, 0xffffffff };
	struct feed f = feed_of(PCSR, NULL, 0);
	uint8_t bytes[16];
	const struct pt_profile *p;

	for (unsigned i = 0; i < 4; i++)
		pt_put_le32(bytes + 4 * i, values[i]);
	for (unsigned i = 0; i < 3; i++)
		put(&f, PT_CHUNK_DATA, PT_DATA_RESTARTS, 1000, bytes, sizeof(bytes));
	state(&f, PT_STATE_SLEEP, 0x102);
	put(&f, PT_CHUNK_DATA, PT_DATA_RESTARTS, 1000, bytes, 12);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->samples, 12);
	ck_assert_uint_eq(p->samples_asleep, 3);
	ck_assert_uint_eq(p->samples_refused, 3);
	ck_assert_uint_eq(p->batches, 4);
	ck_assert_uint_eq(row(p, ID_LEAF)->samples, 3);
	ck_assert_uint_eq(row(p, ID_MAIN)->samples, 6);
	ck_assert_ptr_null(row(p, ID_MAIN)->run);
	ck_assert_double_eq_tol(row(p, ID_LEAF)->share.share, 1.0 / 3, 1e-9);
	ck_assert_double_gt(row(p, ID_LEAF)->share.hi, 0.4);
	ck_assert_int_eq(p->shares, PT_BASIS_ESTIMATED);
	ck_assert_int_eq(p->counts, PT_BASIS_NONE);
	ck_assert_uint_eq(p->n_edges, 0);
	drop(&f);
}
END_TEST

/* Registers of the pc have that of the last instruction; a core that halts shows where it goes on. */
static const struct { const char *config; bool meets_interrupted; } looks[] = {
	{ "format=pcsr\nsource=pcsr", true }, { "format=pcsr\nsource=pcsr\nentry=handler", false },
	{ "format=pcsr\nsource=sync-pc", true }, { "format=pcsr\nsource=pc-sampling", false },
	{ "format=itm\nsource=swo", true }, { "format=itm\nsource=swo\nentry=handler", false },
};

START_TEST(samples_meet_what_is_interrupted)
{
	const struct pt_profile *p;
	char config[200];
	struct feed f;

	snprintf(config, sizeof(config), "%s\ntarget=small\nprobe=test\ncore_hz=0\nbatch=4\n", looks[_i].config);
	f = feed_of(config, NULL, 0);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->n_sources, 1);
	ck_assert_int_eq(p->sources[0].meets_interrupted, looks[_i].meets_interrupted);
	drop(&f);
}
END_TEST

START_TEST(only_chosen_functions_are_shown)
{
	static const char *const words[] = { "functions=leaf,tail" };
	struct feed f = feed_of(HALT, words, 1);
	const struct pt_profile *p;

	packets(&f, 1000, PT_DATA_RESTARTS, turn, 3);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->n_functions, 1);
	ck_assert_str_eq(p->function[0].function->name, "leaf");
	ck_assert_ptr_null(p->by_id[ID_MAIN]);
	ck_assert_double_lt(p->function[0].share.share, 0.5);	/* still of all that ran */
	drop(&f);
}
END_TEST

START_TEST(an_unknown_function_is_refused)
{
	struct pt_params *params = pt_params_new();
	struct pt_program *program = small_program();
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_pipeline_add(params, "functions=leaf,nobody", &err), 0);
	ck_assert_ptr_null(pt_pipeline_new(program, params, &err));
	ck_assert_str_eq(err.msg,
			 "functions: the program has no function 'nobody'; the view functions with top=0 lists them");
	pt_params_free(params);
	pt_program_unref(program);
}
END_TEST

/* Without symbols everything runs in code that no function owns; an unknown format only has its time counted. */
START_TEST(without_symbols_and_without_a_decoder)
{
	struct pt_err err = { 0 };
	struct feed f = { .pipeline = pt_pipeline_new(NULL, NULL, &err) };
	const struct pt_profile *p;

	f.chunk = malloc(sizeof(*f.chunk) + PT_CHUNK_BYTES);
	put(&f, PT_CHUNK_DATA, PT_DATA_RESTARTS, 1000, "before config", 8);
	config(&f, HALT);
	packets(&f, 1000, PT_DATA_RESTARTS, turn, 3);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->n_functions, 0);
	ck_assert_uint_eq(p->loss.total_ns, 2000);
	ck_assert_uint_eq(p->loss.lost_ns, 1000);	/* what came before CONFIG */
	config(&f, "format=smoke\nsource=fire\n");
	packets(&f, 1000, PT_DATA_RESTARTS, turn, 3);
	put(&f, PT_CHUNK_END, 0, 0, NULL, 0);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->loss.total_ns, 3000);
	ck_assert_uint_eq(p->loss.unobserved_ns, 1000);
	ck_assert(p->ended);
	drop(&f);
}
END_TEST

/* A look in the middle changes nothing of what comes. */
/* What the session found out about the ELF stays with the capture. */
START_TEST(an_elf_that_differs_is_told)
{
	struct feed f = feed_of(HALT "elf_mismatch=0x4c0\n", NULL, 0);
	const struct pt_profile *p = pt_pipeline_profile(f.pipeline);

	ck_assert_int_eq(p->elf_check, PT_ELF_DIFFERS);
	ck_assert_uint_eq(p->elf_differs_at, 0x4c0);
	config(&f, HALT "elf_mismatch=no\n");
	ck_assert_int_eq(pt_pipeline_profile(f.pipeline)->elf_check, PT_ELF_SAME);
	config(&f, HALT "elf_mismatch=unknown\n");
	ck_assert_int_eq(pt_pipeline_profile(f.pipeline)->elf_check, PT_ELF_UNKNOWN);
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->elf_differs_at, 0);
	config(&f, HALT "regions=flash 0x0 0x40000,RAM 0x1fffe000 0x8000,odd,ROM 1\n");
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->n_regions, 2);
	ck_assert_str_eq(pt_pipeline_profile(f.pipeline)->region[1].kind, "RAM");
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->region[1].size, 0x8000);
	config(&f, HALT "elf_mismatch=unknown\nelf_unread=the bus refused it\nfallback=source mtb: no RAM\n");
	ck_assert_str_eq(pt_pipeline_profile(f.pipeline)->elf_unread, "the bus refused it");
	ck_assert_str_eq(pt_pipeline_profile(f.pipeline)->fallback, "source mtb: no RAM");
	config(&f, HALT);
	ck_assert_int_eq(pt_pipeline_profile(f.pipeline)->elf_check, PT_ELF_UNSAID);
	ck_assert_str_eq(pt_pipeline_profile(f.pipeline)->fallback, "");
	drop(&f);
}
END_TEST

START_TEST(a_snapshot_changes_nothing)
{
	struct feed looked = feed_of(HALT, NULL, 0), left = feed_of(HALT, NULL, 0);
	const struct pt_profile *a, *b;

	for (int i = 0; i < 10; i++) {
		packets(&looked, 1000, i == 0 ? PT_DATA_RESTARTS : PT_DATA_FOLLOWS, turn, 3);
		packets(&left, 1000, i == 0 ? PT_DATA_RESTARTS : PT_DATA_FOLLOWS, turn, 3);
		pt_pipeline_profile(looked.pipeline);
	}
	a = pt_pipeline_profile(looked.pipeline);
	b = pt_pipeline_profile(left.pipeline);
	ck_assert_uint_eq(a->n_functions, b->n_functions);
	for (size_t i = 0; i < a->n_functions; i++) {
		ck_assert_uint_eq(a->function[i].run->count, b->function[i].run->count);
		ck_assert_uint_eq(a->function[i].run->cycles, b->function[i].run->cycles);
		ck_assert_uint_eq(a->function[i].run->partial, b->function[i].run->partial);
		ck_assert_uint_eq(a->function[i].run->gross_total, b->function[i].run->gross_total);
	}
	drop(&looked);
	drop(&left);
}
END_TEST

static uint32_t dice(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(*seed >> 33);
}

/* How a loss was cut into chunks does not show. */
START_TEST(a_loss_that_goes_on_is_one)
{
	struct pt_account account = { 0 };
	struct pt_chunk chunk = { .kind = PT_CHUNK_LOSS, .cause = PT_LOSS_RESET, .lost_bytes = PT_UNKNOWN, .to_ns = 10 };

	pt_account_loss(&account, &chunk);
	chunk.from_ns = 10;
	chunk.to_ns = 30;
	pt_account_loss(&account, &chunk);
	ck_assert_uint_eq(account.sum.by[PT_LOSS_RESET].events, 1);
	ck_assert_uint_eq(account.sum.by[PT_LOSS_RESET].ns, 30);
	chunk.from_ns = 30;
	chunk.to_ns = 40;
	pt_account_data(&account, &chunk, PT_UNKNOWN);
	chunk.from_ns = 40;
	chunk.to_ns = 50;
	pt_account_loss(&account, &chunk);
	ck_assert_uint_eq(account.sum.by[PT_LOSS_RESET].events, 2);
	chunk.from_ns = 50;
	chunk.to_ns = 60;
	chunk.cause = PT_LOSS_PROBE;
	pt_account_loss(&account, &chunk);
	ck_assert_uint_eq(account.sum.by[PT_LOSS_PROBE].events, 1);
	ck_assert_uint_eq(account.sum.lost_ns, 50);
}
END_TEST

/* A buffer that goes around holds the end of what was told as unobserved before: so long as its code took is not. */
START_TEST(the_end_of_a_gap_that_a_buffer_holds_is_observed)
{
	struct pt_account account = { 0 };
	struct pt_chunk loss = { .kind = PT_CHUNK_LOSS, .cause = PT_LOSS_REARM, .lost_bytes = PT_UNKNOWN, .to_ns = 1000 };
	struct pt_chunk data = { .kind = PT_CHUNK_DATA, .from_ns = 1000, .to_ns = 1000, .len_bytes = 8 };

	pt_account_loss(&account, &loss);
	pt_account_data(&account, &data, 100);
	pt_account_data(&account, &data, 50);
	ck_assert_uint_eq(account.sum.observed_ns, 150);
	ck_assert_uint_eq(account.sum.by[PT_LOSS_REARM].ns, 850);
	pt_account_data(&account, &data, 2000);		/* by a model that is wrong: no more than there was */
	ck_assert_uint_eq(account.sum.observed_ns, 1000);
	ck_assert_uint_eq(account.sum.total_ns, 1000);
	ck_assert_uint_eq(account.sum.unobserved_ns, 0);
	pt_account_data(&account, &data, PT_UNKNOWN);
	ck_assert_uint_eq(account.sum.observed_ns, 1000);
}
END_TEST

/* A look at a core that ran for 500 us, of which the host saw 10, as it was late: what the stamps leave open is taken of the
 * re-arm, and nothing is contradicted; a core that ran for longer than they leave open contradicts them. */
START_TEST(late_stamps_contradict_nothing)
{
	static const struct { uint64_t slack_ns, ran_ns, observed_ns; bool beyond; } late[] = {
		{ 0, 500000, 10000, true }, { 450000, 500000, 460000, false }, { 490000, 500000, 500000, false },
		{ 490000, 9000, 9000, false }, { 490000, 900000, 500000, true }, { PT_UNKNOWN, 500000, 10000, true },
	};

	for (size_t i = 0; i < PT_LEN(late); i++) {
		struct pt_account account = { 0 };
		struct pt_chunk loss = { .kind = PT_CHUNK_LOSS, .cause = PT_LOSS_REARM, .lost_bytes = PT_UNKNOWN, .to_ns = 5000000 };
		struct pt_chunk data = { .kind = PT_CHUNK_DATA, .from_ns = 5000000, .to_ns = 5010000, .lost_bytes = late[i].slack_ns };

		pt_account_loss(&account, &loss);
		pt_account_data(&account, &data, late[i].ran_ns);
		ck_assert_uint_eq(account.sum.total_ns, 5010000);
		ck_assert_uint_eq(account.sum.observed_ns, late[i].observed_ns);
		ck_assert_uint_eq(account.sum.observed_ns + account.sum.unobserved_ns, account.sum.total_ns);
		ck_assert_int_eq(pt_account_beyond(&account) > 0, late[i].beyond);
	}
}
END_TEST

/* A breakpoint is noticed later than it halts the core: how long the core ran has two bounds. What a burst that lasted over
 * the halt shows to have run is taken back. */
START_TEST(a_halt_that_is_found_late_has_bounds)
{
	struct pt_account account = { 0 };
	struct pt_chunk ran = { .kind = PT_CHUNK_LOSS, .cause = PT_LOSS_REARM, .lost_bytes = PT_UNKNOWN, .to_ns = 10000 };
	struct pt_chunk held = { .kind = PT_CHUNK_LOSS, .cause = PT_LOSS_HALTED, .lost_bytes = PT_UNKNOWN, .from_ns = 10000,
				 .to_ns = 15000 };
	struct pt_chunk data = { .kind = PT_CHUNK_DATA, .from_ns = 15000, .to_ns = 15100, .lost_bytes = 9000 };

	pt_account_loss(&account, &ran);
	pt_account_maybe_halted(&account, 9000);
	pt_account_loss(&account, &held);
	ck_assert_uint_eq(account.sum.by[PT_LOSS_REARM].ns, 1000);
	ck_assert_uint_eq(account.sum.by[PT_LOSS_HALTED].ns, 14000);
	pt_account_data(&account, &data, 400);
	ck_assert_uint_eq(account.sum.observed_ns, 400);
	ck_assert_uint_eq(account.sum.by[PT_LOSS_HALTED].ns, 13700);
	ck_assert_uint_eq(account.sum.observed_ns + account.sum.unobserved_ns, account.sum.total_ns);
	ck_assert_uint_eq(pt_account_beyond(&account), 0);
}
END_TEST

/* A board that is looked at every 20 ms, but for a part of the time in the middle. */
static bool warns_of_a_hole(uint64_t hole_ns, enum pt_basis shares)
{
	struct pt_account account = { 0 };
	struct pt_chunk loss = { .kind = PT_CHUNK_LOSS, .cause = PT_LOSS_REARM, .lost_bytes = PT_UNKNOWN };
	struct pt_chunk data = { .kind = PT_CHUNK_DATA, .len_bytes = 8 };
	struct pt_profile profile = { .shares = shares };
	struct pt_warnings *said = calloc(1, sizeof(*said));
	bool found = false;

	for (int i = 0; i < 100; i++) {
		loss.from_ns = data.to_ns;
		loss.to_ns = data.from_ns = loss.from_ns + (i == 50 ? hole_ns / 2 : 20000000);
		data.to_ns = data.from_ns + (i == 50 ? hole_ns / 2 : 100000);
		pt_account_loss(&account, &loss);
		pt_account_data(&account, &data, 50000);
	}
	profile.loss = account.sum;
	pt_warnings_find(said, &profile);
	for (size_t i = 0; i < said->n; i++)
		found |= strstr(said->text[i], "in one piece nothing was observed") != NULL;
	free(said);
	return found;
}

START_TEST(a_hole_is_told)
{
	ck_assert(warns_of_a_hole(12000000000, PT_BASIS_ESTIMATED));
	ck_assert(!warns_of_a_hole(20000000, PT_BASIS_ESTIMATED));
	ck_assert(!warns_of_a_hole(12000000000, PT_BASIS_EXACT));
}
END_TEST

/* Whatever comes, in whatever order: nothing breaks, and the account of time stays an identity. */
START_TEST(random_chunks)
{
	static const char *const configs[] = { HALT, BURST, PCSR, "format=\n", "", "\n\n=\nformat=mtb", "format=mtb\nmode=stream\ncore_hz=x" };
	struct feed f = feed_of(HALT, NULL, 0);
	const struct pt_profile *p;
	uint64_t seed = (uint64_t)_i + 1;
	uint8_t bytes[600];

	for (int i = 0; i < 3000; i++) {
		unsigned kind = dice(&seed) % 9, len = dice(&seed) % sizeof(bytes);

		for (unsigned k = 0; k + 4 <= len; k += 4)	/* half of it likely addresses */
			pt_put_le32(bytes + k, dice(&seed) % 2 == 0 ? dice(&seed) % 0x180 : dice(&seed));
		if (dice(&seed) % 50 == 0)
			config(&f, configs[dice(&seed) % PT_LEN(configs)]);
		else if (kind != PT_CHUNK_CONFIG && (kind != PT_CHUNK_END || dice(&seed) % 100 == 0))
			put(&f, kind, dice(&seed) % 20, dice(&seed) % 10000, bytes, len);
		if (i % 500 == 0)
			pt_pipeline_profile(f.pipeline);
	}
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->loss.total_ns, p->loss.observed_ns + p->loss.unobserved_ns + p->loss.lost_ns);
	for (size_t i = 0; i < p->n_functions; i++)
		ck_assert(!(p->function[i].share.share > 1));
	drop(&f);
}
END_TEST

/* The same bytes in chunks of any size are the same profile. */
START_TEST(any_split_is_the_same)
{
	struct feed whole = feed_of(HALT, NULL, 0), split = feed_of(HALT, NULL, 0);
	uint8_t bytes[8 * 300];
	const struct pt_profile *a, *b;
	uint64_t seed = (uint64_t)_i + 1;

	for (size_t i = 0; i < 300; i++) {
		pt_put_le32(bytes + 8 * i, turn[i % 3][0]);
		pt_put_le32(bytes + 8 * i + 4, turn[i % 3][1]);
	}
	state(&whole, PT_STATE_RUN, MAIN);
	state(&split, PT_STATE_RUN, MAIN);
	put(&whole, PT_CHUNK_DATA, PT_DATA_FOLLOWS, 1000, bytes, sizeof(bytes));
	for (size_t at = 0, n; at < sizeof(bytes); at += n) {
		n = 1 + dice(&seed) % 100;
		n = n < sizeof(bytes) - at ? n : sizeof(bytes) - at;
		put(&split, PT_CHUNK_DATA, PT_DATA_FOLLOWS, 10, bytes + at, n);
	}
	a = pt_pipeline_profile(whole.pipeline);
	b = pt_pipeline_profile(split.pipeline);
	ck_assert_uint_eq(row(a, ID_LEAF)->run->count, 100);
	ck_assert_uint_eq(a->n_functions, b->n_functions);
	for (size_t i = 0; i < a->n_functions; i++) {
		ck_assert_uint_eq(a->function[i].run->count, b->function[i].run->count);
		ck_assert_uint_eq(a->function[i].run->cycles, b->function[i].run->cycles);
		ck_assert_uint_eq(a->function[i].run->stat[PT_TALLY_PERIOD].total,
				  b->function[i].run->stat[PT_TALLY_PERIOD].total);
	}
	drop(&whole);
	drop(&split);
}
END_TEST

/* Each turn calls leaf once, which takes 3 cycles. Those before the rule came are not looked at, what was open then
 * is. */
START_TEST(rules_come_late)
{
	struct feed f = feed_of(HALT, NULL, 0);
	const struct pt_limits *limits;
	struct pt_err err;

	state(&f, PT_STATE_RUN, MAIN);
	packets(&f, 100000, PT_DATA_RESTARTS, turn, PT_LEN(turn));
	packets(&f, 100000, PT_DATA_FOLLOWS, turn, PT_LEN(turn));
	ck_assert_ptr_null(pt_pipeline_profile(f.pipeline)->limits);
	ck_assert_int_eq(pt_pipeline_set_limits(f.pipeline, "limits=gross(nobody) < 3", &err), PT_EARG);
	ck_assert_ptr_null(pt_pipeline_profile(f.pipeline)->limits);
	ck_assert_int_eq(pt_pipeline_set_limits(f.pipeline, "limits=gross(leaf) < 3;count(leaf) < 9;gross(leaf) <= 3us",
						&err),
			 0);
	limits = pt_pipeline_profile(f.pipeline)->limits;
	ck_assert_uint_eq(limits->n_limits, 3);
	ck_assert_uint_eq(limits->limit[0].looked_at, 0);
	ck_assert_int_eq(limits->limit[0].verdict, PT_VERDICT_UNDECIDED);
	packets(&f, 100000, PT_DATA_FOLLOWS, turn, 1);
	packets(&f, 100000, PT_DATA_FOLLOWS, turn + 1, 2);
	packets(&f, 100000, PT_DATA_FOLLOWS, turn, PT_LEN(turn));
	limits = pt_pipeline_profile(f.pipeline)->limits;
	ck_assert_uint_eq(limits->limit[0].looked_at, 2);
	ck_assert_uint_eq(limits->limit[0].violations, 2);
	ck_assert_int_eq(limits->limit[0].verdict, PT_VERDICT_FAILED);
	ck_assert_ptr_nonnull(strstr(limits->limit[0].why, "2 of 2 since the rule came"));
	ck_assert_ptr_nonnull(strstr(limits->limit[1].why, "4 "));	/* of the whole profile */
	ck_assert_uint_eq(limits->limit[2].violations, 0);	/* 1 MHz, as CONFIG had said */
	ck_assert_uint_eq(limits->limit[2].looked_at, 2);
	ck_assert_int_eq(pt_pipeline_set_limits(f.pipeline, "limits=#", &err), 0);
	packets(&f, 100000, PT_DATA_FOLLOWS, turn, PT_LEN(turn));
	ck_assert_ptr_null(pt_pipeline_profile(f.pipeline)->limits);
	drop(&f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pipeline");
	TCase *tc = tcase_create("pipeline");

	tcase_add_test(tc, the_end_of_a_gap_that_a_buffer_holds_is_observed);
	tcase_add_test(tc, a_loss_that_goes_on_is_one);
	tcase_add_test(tc, late_stamps_contradict_nothing);
	tcase_add_test(tc, a_halt_that_is_found_late_has_bounds);
	tcase_add_test(tc, a_hole_is_told);
	tcase_add_test(tc, halts_lose_nothing);
	tcase_add_test(tc, instructions_are_exact);
	tcase_add_test(tc, bursts_are_cut_alike);
	tcase_add_test(tc, a_burst_was_seen_no_longer_than_it_ran);
	tcase_add_test(tc, a_burst_has_no_more_cycles_than_it_had_time);
	tcase_add_test(tc, one_burst_is_not_exact);
	tcase_add_test(tc, faults_are_lost_and_end_what_is_open);
	tcase_add_test(tc, packets_outside_the_code_are_counted);
	tcase_add_test(tc, chunks_that_do_not_tile_are_told);
	tcase_add_test(tc, samples_make_a_flat_profile);
	tcase_add_loop_test(tc, samples_meet_what_is_interrupted, 0, PT_LEN(looks));
	tcase_add_test(tc, only_chosen_functions_are_shown);
	tcase_add_test(tc, an_unknown_function_is_refused);
	tcase_add_test(tc, without_symbols_and_without_a_decoder);
	tcase_add_test(tc, an_elf_that_differs_is_told);
	tcase_add_test(tc, a_snapshot_changes_nothing);
	tcase_add_loop_test(tc, random_chunks, 0, 10);
	tcase_add_loop_test(tc, any_split_is_the_same, 0, 5);
	tcase_add_test(tc, rules_come_late);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
