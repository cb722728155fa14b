/* Two halves of one recording: what one saw is unobserved time in the other, and together they are all of it; and law 6
 * finds those that differ by more than chance. */
#include <stdio.h>

#include "chunk_feed.h"
#include "profile/analyses/signals/watched.h"
#include "pipeline/halves.h"

enum { BATCHES = 400, BATCH = 8, NS = 1000 };

static const char config[] = "format=pcsr\nsource=pcsr\nmode=sample\ntarget=small\nprobe=test\nvirtual=1\ncore_hz=0\n"
			     "cost=bus reads\nbatch=8\n";

static struct pt_chunk *chunk;
static size_t n_said;
static char said[400];

static void make(unsigned kind, unsigned cause, uint64_t from_ns, uint64_t to_ns, const void *bytes, size_t len_bytes)
{
	*chunk = (struct pt_chunk){
		.from_ns = from_ns, .to_ns = to_ns, .lost_bytes = PT_UNKNOWN, .kind = (uint16_t)kind,
		.cause = (uint16_t)cause, .len_bytes = (uint32_t)len_bytes,
	};
	if (len_bytes > 0)
		memcpy(chunk->bytes, bytes, len_bytes);
}

/* Of the samples of each batch 0 to 4 are leaf's, and so many more. */
static void feed(struct pt_halves *halves, unsigned more)
{
	uint8_t bytes[4 * BATCH];
	uint64_t ns = 0;

	make(PT_CHUNK_CONFIG, 0, 0, 0, config, sizeof(config) - 1);
	pt_halves_feed(halves, chunk);
	for (unsigned i = 0; i < BATCHES; i++, ns += 3 * NS) {
		make(PT_CHUNK_LOSS, PT_LOSS_REARM, ns, ns + NS, NULL, 0);
		pt_halves_feed(halves, chunk);
		for (unsigned k = 0; k < BATCH; k++)
			pt_put_le32(bytes + 4 * k, k < i * 7 % 5 + more ? LEAF : 0x102);
		make(PT_CHUNK_DATA, PT_DATA_RESTARTS, ns + NS, ns + 2 * NS, bytes, sizeof(bytes) / 2);
		pt_halves_feed(halves, chunk);		/* one look may be several chunks */
		make(PT_CHUNK_DATA, PT_DATA_FOLLOWS, ns + 2 * NS, ns + 3 * NS, bytes + sizeof(bytes) / 2,
		     sizeof(bytes) / 2);
		pt_halves_feed(halves, chunk);
	}
	make(PT_CHUNK_END, 0, ns, ns, NULL, 0);
	pt_halves_feed(halves, chunk);
}

static void on_law(void *arg, enum pt_law law, const char *sentence, const char *excepted)
{
	(void)arg;
	ck_assert_int_eq(law, PT_LAW_ANSWERS);
	ck_assert_ptr_null(excepted);
	n_said++;
	snprintf(said, sizeof(said), "%s", sentence);
}

static struct pt_halves fresh(void)
{
	struct pt_program *program = small_program();
	struct pt_halves halves;
	struct pt_err err = { 0 };

	chunk = calloc(1, sizeof(*chunk) + PT_CHUNK_BYTES);
	n_said = 0;
	ck_assert_msg(pt_halves_init(&halves, program, NULL, &err) == 0, "%s", err.msg);
	pt_program_unref(program);
	return halves;
}

static size_t check(const struct pt_halves *a, const struct pt_halves *b)
{
	return pt_laws_check_halves(pt_pipeline_profile(a->pipeline[0]), pt_pipeline_profile(b->pipeline[1]), on_law,
				    NULL);
}

static void drop(struct pt_halves *halves)
{
	pt_halves_fini(halves);
	free(chunk);
}

START_TEST(both_are_all_of_it)
{
	struct pt_halves halves = fresh();
	const struct pt_profile *half[PT_HALVES];

	feed(&halves, 0);
	for (unsigned i = 0; i < PT_HALVES; i++) {
		half[i] = pt_pipeline_profile(halves.pipeline[i]);
		ck_assert_uint_eq(half[i]->loss.total_ns, UINT64_C(3) * NS * BATCHES);
		ck_assert_uint_gt(half[i]->batches, BATCHES / 3);
		ck_assert_uint_eq(half[i]->samples % BATCH, 0);	/* no look is in both */
		ck_assert_uint_eq(half[i]->mismatch_ns, 0);
	}
	ck_assert_uint_eq(half[0]->samples + half[1]->samples, BATCH * BATCHES);
	ck_assert_uint_eq(half[0]->loss.observed_ns + half[1]->loss.observed_ns, UINT64_C(2) * NS * BATCHES);
	ck_assert_uint_eq(check(&halves, &halves), 0);
	drop(&halves);
}
END_TEST

START_TEST(halves_that_differ)
{
	struct pt_halves halves = fresh(), other;

	feed(&halves, 0);
	free(chunk);
	other = fresh();
	feed(&other, 1);
	ck_assert_uint_gt(check(&halves, &other), 0);
	ck_assert_ptr_nonnull(strstr(said, "in one half of what was recorded"));
	pt_halves_fini(&other);
	drop(&halves);
}
END_TEST

/* What is often in one half, and never in the other. */
START_TEST(a_row_that_only_one_has)
{
	struct pt_halves halves = fresh();
	struct pt_profile empty;

	feed(&halves, 0);
	empty = *pt_pipeline_profile(halves.pipeline[1]);
	empty.n_functions = 0;
	ck_assert_uint_eq(pt_laws_check_halves(pt_pipeline_profile(halves.pipeline[0]), &empty, on_law, NULL), 2);
	ck_assert_uint_eq(pt_laws_check_halves(&empty, pt_pipeline_profile(halves.pipeline[0]), on_law, NULL), 2);
	drop(&halves);
}
END_TEST

/* 30 % of the looks in one half, 50 % in the other; or too few of them to say that it differs. */
START_TEST(states_differ_by_chance_alone)
{
	static const struct pt_signal_definition definition = { .name = "g_state" };
	static const struct pt_signal_set set = { &definition, 1 };
	struct pt_watched_state in_a = { .value = 1, .looks = 30, .name = "RUN", .share = { 0.3, 0.28, 0.32, 2000 } };
	struct pt_watched_state in_b = { .value = 1, .looks = 50, .name = "RUN", .share = { 0.5, 0.48, 0.52, 2000 } };
	struct pt_watched_variable of_a = { .looks = 100, .state = &in_a, .n_states = 1, .unseen = 0.01 };
	struct pt_watched_variable of_b = { .looks = 100, .state = &in_b, .n_states = 1, .unseen = 0.01 };
	const struct pt_watched a = { &of_a, 1, &set }, b = { &of_b, 1, &set };
	const struct pt_profile first = { .watched = &a }, second = { .watched = &b };

	n_said = 0;
	ck_assert_uint_eq(pt_laws_check_halves(&first, &second, on_law, NULL), 1);
	ck_assert_msg(strstr(said, "g_state is RUN for 30.000 %") != NULL, "%s", said);
	in_b.share = (struct pt_share){ 0.35, 0.2, 0.5, 40 };
	ck_assert_uint_eq(pt_laws_check_halves(&first, &second, on_law, NULL), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("halves");
	TCase *tc = tcase_create("halves");

	tcase_add_test(tc, states_differ_by_chance_alone);
	tcase_add_test(tc, both_are_all_of_it);
	tcase_add_test(tc, halves_that_differ);
	tcase_add_test(tc, a_row_that_only_one_has);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
