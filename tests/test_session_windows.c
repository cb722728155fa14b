/* What a window says of a stretch of a profile is what came to the account of the whole in the same time: total, observed,
 * unobserved and lost, wherever it begins and ends. Of several sources the whole may have had some at the beginning that
 * it had not counted yet, as they are put in order: such a window adds up in itself, and is no longer than its stretch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "capture/read.h"
#include "harness.h"
#include "profile/result/profile.h"
#include "session/session_windows.h"
#include "trace/chunk.h"

static const char *const captures[] = { "kl27_mtb_burst", "kl27_mtb_lost", "kl27_mtb_halt", "kl27_mtb_pcsr", "kl27_pcsr",
					"kl27_irqs", "e500_samples", "microblaze_pc_sampling" };
enum { MOST_CHUNKS = 4000, MOST_SOURCES = 8, STEPS = 12 };

static struct pt_chunk *chunk[MOST_CHUNKS];
static size_t n_chunks;

static void read_chunks(const char *name)
{
	struct pt_chunk *room = pt_alloc(sizeof(*room) + PT_CHUNK_BYTES);
	struct pt_capture_reader *reader;
	struct pt_err err = { 0 };
	const char *top = getenv("srcdir");
	char path[300];

	snprintf(path, sizeof(path), "%s/tests/captures/%s.ptcap", top != NULL ? top : ".", name);
	reader = pt_capture_read(pt_infile_open(path, &err), NULL, NULL, &err);
	ck_assert_msg(reader != NULL, "%s: %s", path, err.msg);
	n_chunks = 0;
	while (pt_capture_read_next(reader, room, &err) == PT_CAPTURE_CHUNK) {
		ck_assert_uint_lt(n_chunks, MOST_CHUNKS);
		chunk[n_chunks] = pt_alloc(sizeof(*room) + room->len_bytes);
		memcpy(chunk[n_chunks++], room, sizeof(*room) + room->len_bytes);
	}
	pt_capture_read_close(reader);
	free(room);
}

static void free_chunks(void)
{
	while (n_chunks > 0)
		free(chunk[--n_chunks]);
}

static struct pt_pipeline *new_pipeline(void)
{
	struct pt_params *settings = pt_params_new();
	struct pt_pipeline *pipeline;
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_pipeline_add(settings, "core-clock=48M", &err), 0);
	pipeline = pt_pipeline_new(NULL, settings, &err);
	pt_params_free(settings);
	ck_assert_msg(pipeline != NULL, "%s", err.msg);
	return pipeline;
}

static size_t accounts_of(struct pt_pipeline *pipeline, struct pt_loss_sum *out)
{
	const struct pt_profile *profile = pt_pipeline_profile(pipeline);
	size_t n = profile->n_sources < MOST_SOURCES ? profile->n_sources : MOST_SOURCES;

	for (size_t i = 0; i < n; i++)
		out[i] = profile->sources[i].loss;
	return n;
}

static void equals_difference(const char *where, const struct pt_loss_sum *window, const struct pt_loss_sum *before,
			      const struct pt_loss_sum *after)
{
	const struct { const char *what; uint64_t window, difference; } rows[] = {
		{ "total", window->total_ns, after->total_ns - before->total_ns },
		{ "observed", window->observed_ns, after->observed_ns - before->observed_ns },
		{ "unobserved", window->unobserved_ns, after->unobserved_ns - before->unobserved_ns },
		{ "lost", window->lost_ns, after->lost_ns - before->lost_ns },
		{ "bytes", window->observed_bytes, after->observed_bytes - before->observed_bytes },
	};

	for (size_t k = 0; k < PT_LEN(rows); k++)
		ck_assert_msg(rows[k].window == rows[k].difference, "%s: %s: %lu, not %lu", where, rows[k].what,
			      (unsigned long)rows[k].window, (unsigned long)rows[k].difference);
}

static uint64_t longest(size_t from, size_t to)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (size_t i = from; i < to; i++) {
		begin = chunk[i]->from_ns < begin ? chunk[i]->from_ns : begin;
		end = chunk[i]->to_ns > end ? chunk[i]->to_ns : end;
	}
	return end - begin;
}

/* The window has chunks from..to; the whole has those before, too. */
static void compare(const char *name, size_t from, size_t to)
{
	struct pt_loss_sum before[MOST_SOURCES] = { 0 }, after[MOST_SOURCES] = { 0 }, window[MOST_SOURCES] = { 0 };
	struct pt_session_windows windows = { 0 };
	struct pt_pipeline *whole = new_pipeline(), *own;
	struct pt_configs configs = { 0 };
	size_t n_sources;
	char where[120];

	for (size_t i = 0; i < to; i++) {
		if (i == from) {
			accounts_of(whole, before);
			pt_session_windows_open(&windows, 7, new_pipeline(), &configs);
		}
		pt_configs_keep(&configs, chunk[i]);
		pt_pipeline_feed(whole, chunk[i]);
		pt_session_windows_feed(&windows, chunk[i]);
	}
	snprintf(where, sizeof(where), "%s, chunks %zu to %zu", name, from, to);
	n_sources = accounts_of(whole, after);
	own = pt_session_windows_take(&windows, 7);
	ck_assert_uint_eq(accounts_of(own, window), n_sources);
	for (size_t i = 0; i < n_sources; i++) {
		ck_assert_uint_eq(window[i].total_ns,
				  window[i].observed_ns + window[i].unobserved_ns + window[i].lost_ns);
		if (n_sources == 1)
			equals_difference(where, &window[i], &before[i], &after[i]);
		else
			ck_assert_msg(window[i].total_ns <= longest(from, to), "%s: longer than its stretch", where);
	}
	pt_pipeline_free(own);
	pt_pipeline_free(whole);
	pt_configs_fini(&configs);
	pt_session_windows_fini(&windows);
}

START_TEST(adds_up)
{
	size_t first = 0, step;

	read_chunks(captures[_i]);
	while (first < n_chunks && chunk[first]->kind == PT_CHUNK_CONFIG)
		first++;
	step = n_chunks / STEPS + 1;
	for (size_t from = first; from < n_chunks; from += step)
		for (size_t to = from + 1; to <= n_chunks; to += step)
			compare(captures[_i], from, to);
	free_chunks();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("windows");
	TCase *tc = tcase_create("windows");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, adds_up, 0, PT_LEN(captures));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
