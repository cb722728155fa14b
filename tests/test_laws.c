/* The laws of a report hold for every capture in the tree, and are seen to be violated where a figure is wrong: each
 * law has rows that break it, one figure at a time. */
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "chunk_feed.h"
#include "import/importers.h"
#include "pipeline/halves.h"
#include "profile/analyses/calls/timeline.h"
#include "profile/analyses/limits/limits.h"
#include "report/laws/laws.h"
#include "session/head.h"
#include "trace/loss.h"

enum { LEAST_CAPTURES = 30, SAID_BYTES = 4096 };

static glob_t captures;
static char said[SAID_BYTES];

static void on_law(void *arg, enum pt_law law, const char *sentence, const char *excepted)
{
	size_t len = strlen(said);

	(void)arg;
	if (excepted == NULL)
		snprintf(said + len, sizeof(said) - len, "%s: %s\n", pt_law_name(law), sentence);
}

/* --- captures ----------------------------------------------------------------------------------------------------- */

static unsigned n_notes;	/* that the readers gave of the file */
static char last_note[300];

static void on_note(void *arg, const char *text)
{
	(void)arg;
	n_notes++;
	snprintf(last_note, sizeof(last_note), "%s", text);
}

static const uint8_t *no_more(size_t i, size_t *len_bytes)
{
	(void)i;
	*len_bytes = 0;
	return NULL;
}

static struct pt_program *program_of(struct pt_inputs_set *set)
{
	struct pt_params *symbols = pt_params_new();
	struct pt_capture_elf elf = { NULL, symbols, no_more };
	struct pt_program *program = NULL;
	struct pt_err err = { 0 };
	size_t len_bytes;
	const char *lines = pt_inputs_lines(set, &len_bytes);

	ck_assert_msg(pt_capture_head_program(lines, len_bytes, &elf, &program, on_note, NULL, &err) == 0, "%s",
		      err.msg);
	pt_params_free(symbols);
	return program;
}

/* What the reader of a file has to say of damage is in the report, too: a user sees that, and not what a log has. */
static void check_told(const struct pt_profile *p, const char *path)
{
	bool told = p->no_end || p->n_sources == 0;

	for (size_t i = 0; i < p->n_sources; i++) {
		const struct pt_loss_sum *loss = &p->sources[i].loss;

		told |= p->sources[i].ignored == PT_SOURCE_NO_CONFIG || p->sources[i].cost.damaged ||
			loss->by[PT_LOSS_DAMAGED].events + loss->by[PT_LOSS_CUT].events > 0;
	}
	ck_assert_msg(n_notes == 0 || told, "%s: %s: the report does not say so", path, last_note);
}

/* As decode does it, with all analyses. cut_at: so many chunks, and no more. */
static void check_capture(const char *path, size_t cut_at)
{
	struct pt_inputs_set *set = pt_inputs_new(on_note, NULL);
	struct pt_params *settings = pt_params_new();
	static struct pt_law_clock clock;
	struct pt_pipeline *pipeline;
	struct pt_program *program;
	struct pt_halves halves;
	const struct pt_chunk *chunk;
	struct pt_err err = { 0 };
	size_t n = 0, len_bytes;
	const char *lines;
	int item;

	memset(&clock, 0, sizeof(clock));
	n_notes = 0;
	said[0] = '\0';
	ck_assert_msg(pt_inputs_add(set, path, NULL, 0, &err) == 0, "%s", err.msg);
	lines = pt_inputs_lines(set, &len_bytes);
	pt_capture_head_settings(lines, len_bytes, settings, NULL, NULL, NULL);
	ck_assert_int_eq(pt_pipeline_add(settings, "analysis=all", &err), 0);
	program = program_of(set);
	pipeline = pt_pipeline_new(program, settings, &err);
	ck_assert_msg(pipeline != NULL, "%s", err.msg);
	ck_assert_msg(pt_halves_init(&halves, program, settings, &err) == 0, "%s", err.msg);
	while (n++ < cut_at && (item = pt_inputs_next(set, &chunk, &err)) == PT_INPUT_CHUNK) {
		pt_law_clock_take(&clock, chunk);
		pt_pipeline_feed(pipeline, chunk);
		pt_halves_feed(&halves, chunk);
		n_notes -= chunk->kind == PT_CHUNK_COST && chunk->len_bytes == 0;	/* a later one counts */
	}
	pt_pipeline_over(pipeline);
	pt_laws_check(pt_pipeline_profile(pipeline), &clock, on_law, NULL);
	pt_laws_check_halves(pt_pipeline_profile(halves.pipeline[0]), pt_pipeline_profile(halves.pipeline[1]), on_law,
			     NULL);
	pt_halves_fini(&halves);
	check_told(pt_pipeline_profile(pipeline), path);
	ck_assert_msg(said[0] == '\0', "%s: %s", path, said);
	pt_pipeline_free(pipeline);
	pt_program_unref(program);
	pt_params_free(settings);
	pt_inputs_free(set);
}

START_TEST(hold_for_every_capture)
{
	check_capture(captures.gl_pathv[_i], SIZE_MAX);
}
END_TEST

START_TEST(hold_for_what_is_left_of_it)
{
	static const size_t at[] = { 2, 5, 9, 14 };

	for (size_t i = 0; i < PT_LEN(at); i++)
		check_capture(captures.gl_pathv[_i], at[i]);
}
END_TEST

/* One byte is another: up to the middle there is most of what all others rest on. */
START_TEST(hold_where_a_byte_is_damaged)
{
	static const double at[] = { 0.1, 0.2, 0.3, 0.4, 0.7, 0.99 };
	static char bytes[1 << 16];
	FILE *file = fopen(captures.gl_pathv[_i], "rb");
	size_t len_bytes = fread(bytes, 1, sizeof(bytes), file);
	char path[64];

	fclose(file);
	ck_assert_uint_lt(len_bytes, sizeof(bytes));
	snprintf(path, sizeof(path), "/tmp/test_laws.%d.ptcap", (int)getpid());
	for (size_t i = 0; i < PT_LEN(at); i++) {
		char *byte = &bytes[(size_t)(at[i] * (double)len_bytes)];

		file = fopen(path, "wb");
		*byte ^= 0x5a;
		ck_assert_uint_eq(fwrite(bytes, 1, len_bytes, file), len_bytes);
		*byte ^= 0x5a;
		ck_assert_int_eq(fclose(file), 0);
		check_capture(path, SIZE_MAX);
	}
	unlink(path);
}
END_TEST

/* Bits of the first records: of what the file is, what a source is, its clock, the first trace and the first losses. */
enum { FLIPS = 4, SEEDS = 6, FIRST_BYTES = 3000 };

static uint32_t next_of(uint32_t *dice)
{
	*dice = *dice * 1664525 + 1013904223;
	return *dice >> 8;
}

START_TEST(hold_where_the_first_records_are_damaged)
{
	static char bytes[1 << 16], spoilt[1 << 16];
	FILE *file = fopen(captures.gl_pathv[_i], "rb");
	size_t len_bytes = fread(bytes, 1, sizeof(bytes), file);
	size_t most = len_bytes < FIRST_BYTES ? len_bytes : FIRST_BYTES;
	char path[64];

	fclose(file);
	snprintf(path, sizeof(path), "/tmp/test_laws.%d.ptcap", (int)getpid());
	for (uint32_t i = 0; i < SEEDS; i++) {
		uint32_t seed = i, dice = seed * 2654435761u + (uint32_t)_i;
		size_t reach = most >> (seed % 3);

		memcpy(spoilt, bytes, len_bytes);
		for (unsigned k = 0; k < 1 + seed % FLIPS; k++) {
			size_t at = next_of(&dice) % (reach - 24) + 24;
			spoilt[at] ^= (char)(1 << next_of(&dice) % 8);
		}
		file = fopen(path, "wb");
		ck_assert_uint_eq(fwrite(spoilt, 1, len_bytes, file), len_bytes);
		ck_assert_int_eq(fclose(file), 0);
		check_capture(path, SIZE_MAX);
	}
	unlink(path);
}
END_TEST

/* --- what breaks them --------------------------------------------------------------------------------------------- */

static void lose_time(struct pt_profile *p) { p->loss.observed_ns += 5; }
static void more_time(struct pt_profile *p) { p->loss.total_ns += 5; }
static void say_exact(struct pt_profile *p) { p->incomplete = "a part is missing"; }
static void long_loss(struct pt_profile *p)	/* its rows last longer than what was observed */
{
	static struct pt_profile_source source;

	source = p->sources[0];
	p->loss.observed_ns = source.loss.observed_ns = 100000;
	p->loss.lost_ns = source.loss.lost_ns = p->loss.by[PT_LOSS_SILENT].ns = source.loss.by[PT_LOSS_SILENT].ns =
		p->loss.total_ns - 100000;
	p->sources = &source;
}
static void slow_clock(struct pt_profile *p) { p->core_hz = 1; }
static void more_cycles(struct pt_profile *p)
{
	static struct pt_profile_core core;

	core = p->core[0];
	core.cycles++;
	p->core = &core;
}
static void other_share(struct pt_profile *p)
{
	static struct pt_profile_function rows[64];

	ck_assert_uint_le(p->n_functions, PT_LEN(rows));
	memcpy(rows, p->function, p->n_functions * sizeof(*rows));
	for (size_t i = 0; i < p->n_functions; i++)
		rows[i].share.share /= 2;
	p->function = rows;
}
static void hide_what_is_open(struct pt_profile *p)	/* main is, from beginning to end */
{
	static struct pt_profile_function rows[64];
	static struct pt_execution_function runs[64];

	ck_assert_uint_le(p->n_functions, PT_LEN(rows));
	memcpy(rows, p->function, p->n_functions * sizeof(*rows));
	for (size_t i = 0; i < p->n_functions; i++) {
		struct pt_stat *stat = &runs[i].stat[PT_TALLY_GROSS];

		runs[i] = *rows[i].run;
		rows[i].run = &runs[i];
		if (stat->n == 0)
			pt_stat_add(stat, 1, 0);
		stat->unended = 0;
	}
	p->function = rows;
}
static void pass_a_part(struct pt_profile *p)
{
	static const struct pt_rule rule = { .text = "count(main) = 0", .figure = PT_RULE_COUNT, .hi = 0 };
	static const struct pt_limit limit = { .rule = &rule, .verdict = PT_VERDICT_PASSED };
	static const struct pt_limits limits = { .limit = &limit, .n_limits = 1 };

	p->limits = &limits;
	p->incomplete = "a part is missing";
	p->counts = PT_BASIS_ESTIMATED;
}

static const struct { const char *name, *said; void (*spoil)(struct pt_profile *p); } wrongs[] = {
	{ "nothing", "", NULL },
	{ "observed", "sums: time: ", lose_time },
	{ "total", "sums: time: ", more_time },
	{ "cycles of a core", "sums: functions: cycles", more_cycles },
	{ "shares of functions", "shares: instructions: ", other_share },
	{ "exact, and incomplete", "exact: profile: counts are exact, but a part is missing", say_exact },
	{ "a longest that is not", "exact: functions: main: the longest is 1, ", hide_what_is_open },
	{ "more than was observed", "clock: profile: ", long_loss },
	{ "a clock too slow", "clock: profile: ", slow_clock },
	{ "a rule on a part", "rules: limits: count(main) = 0: passed", pass_a_part },
};

START_TEST(are_seen_to_be_broken)
{
	struct pt_program *program = small_program();
	const char *words[] = { "analysis=all" };
	struct chunk_feed f = chunk_feed_of(program, words, 1);
	struct chunk_bytes b = { .len = 0 };
	struct pt_profile p;

	for (int i = 0; i < 600; i++) {
		add_packet(&b, 0x104, LEAF);
		add_packet(&b, 0x122, 0x108);
		add_packet(&b, 0x10a, 0x102);
	}
	chunk_config(
		&f, 0,
		"format=mtb\nsource=mtb\nmode=halt\ntarget=small\nprobe=test\nvirtual=1\ncore_hz=48000000\ncost=halts\n");
	chunk_state(&f, 0, PT_STATE_RUN, 0, 0x102);
	for (unsigned i = 0; i < 4; i++)
		chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, i * 250000000u, (i + 1) * 250000000u, b.bytes, b.len);
	chunk_state(&f, 0, PT_STATE_HALT, 1000000000, 0x102);
	chunk_end(&f, 0, 1000000000);
	p = *pt_pipeline_profile(f.pipeline);
	if (wrongs[_i].spoil != NULL)
		wrongs[_i].spoil(&p);
	said[0] = '\0';
	pt_laws_check(&p, &f.clock, on_law, NULL);
	ck_assert_msg((said[0] == '\0') == (wrongs[_i].spoil == NULL) && strstr(said, wrongs[_i].said) != NULL,
		      "%s: %s", wrongs[_i].name, said);
	chunk_feed_drop(&f);
	pt_program_unref(program);
}
END_TEST

/* A dump has no clock: each of its chunks goes on where the one before ended. */
START_TEST(a_dump_is_one_stretch)
{
	struct pt_program *program = small_program();
	const char *words[] = { "analysis=all" };
	struct chunk_feed f = chunk_feed_of(program, words, 1);
	struct chunk_bytes b = { .len = 0 };
	const struct pt_profile *p;
	uint64_t last_ns = 0;

	for (int i = 0; i < 600; i++) {
		add_packet(&b, 0x104, LEAF);
		add_packet(&b, 0x122, 0x108);
		add_packet(&b, 0x10a, 0x102);
	}
	chunk_config(&f, 0, "format=mtb\nsource=mtb\nmode=dump\nclock=none\ntarget=Cortex-M0+\ncore_hz=48000000\n");
	for (unsigned i = 0; i < 3; i++)
		chunk_put(&f, 0, PT_CHUNK_DATA, i == 0 ? PT_DATA_RESTARTS : PT_DATA_FOLLOWS, 0, 0, b.bytes, b.len);
	chunk_end(&f, 0, 0);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert(p->no_clock && p->timeline->n > 0);
	for (size_t i = 0; i < p->timeline->n; i++) {
		ck_assert_uint_ge(pt_timeline_at(p->timeline, i)->at.ns, last_ns);
		last_ns = pt_timeline_at(p->timeline, i)->at.ns;
	}
	ck_assert_uint_ge(last_ns, p->cycles * 9 / 10 * PT_NS_PER_S / p->core_hz);
	chunk_feed_drop(&f);
	pt_program_unref(program);
}
END_TEST

/* Pieces of a stream, each of some 130 000 cycles: a cycle of a window weighs some twenty. */
START_TEST(hold_where_windows_are_long)
{
	enum { PIECES = 100, CHUNKS = 10 };
	struct pt_program *program = small_program();
	const char *words[] = { "analysis=all" };
	struct chunk_feed f = chunk_feed_of(program, words, 1);
	struct chunk_bytes b = { .len = 0 };
	uint64_t ns = 0;

	for (int i = 0; i < 600; i++) {
		add_packet(&b, 0x104, LEAF);
		add_packet(&b, 0x122, 0x108);
		add_packet(&b, 0x10a, 0x102);
	}
	chunk_config(&f, 0,
		     "format=mtb\nsource=mtb\nmode=stream\ntarget=small\nprobe=test\nvirtual=1\ncore_hz=48000000\n"
		     "period_us=1000\ncost=none\n");
	for (unsigned i = 0; i < PIECES; i++) {
		chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_OVERRUN, ns, ns + 741000, NULL, 0);
		ns += 741000;
		for (unsigned k = 0; k < CHUNKS; k++, ns += 200000)
			chunk_put(&f, 0, PT_CHUNK_DATA, k == 0 ? PT_DATA_RESTARTS : PT_DATA_FOLLOWS, ns, ns + 200000,
				  b.bytes, b.len);
	}
	chunk_end(&f, 0, ns);
	ck_assert(pt_pipeline_profile(f.pipeline)->windowed);
	said[0] = '\0';
	pt_laws_check(pt_pipeline_profile(f.pipeline), &f.clock, on_law, NULL);
	ck_assert_str_eq(said, "");
	chunk_feed_drop(&f);
	pt_program_unref(program);
}
END_TEST

int main(void)
{
	const char *srcdir = getenv("srcdir");
	char pattern[512];
	Suite *suite = suite_create("laws");
	TCase *tc = tcase_create("laws");
	int status;

	snprintf(pattern, sizeof(pattern), "%s/tests/captures", srcdir != NULL ? srcdir : ".");
	if (chdir(pattern) < 0 || glob("*.ptcap", 0, NULL, &captures) != 0 || captures.gl_pathc < LEAST_CAPTURES) {
		fprintf(stderr, "%zu captures in %s\n", captures.gl_pathc, pattern);
		return EXIT_FAILURE;
	}
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, hold_for_every_capture, 0, (int)captures.gl_pathc);
	tcase_add_loop_test(tc, hold_for_what_is_left_of_it, 0, (int)captures.gl_pathc);
	tcase_add_loop_test(tc, hold_where_a_byte_is_damaged, 0, (int)captures.gl_pathc);
	tcase_add_loop_test(tc, are_seen_to_be_broken, 0, PT_LEN(wrongs));
	tcase_add_test(tc, a_dump_is_one_stretch);
	tcase_add_test(tc, hold_where_windows_are_long);
	suite_add_tcase(suite, tc);
	tc = tcase_create("damage");
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, hold_where_the_first_records_are_damaged, 0, (int)captures.gl_pathc);
	suite_add_tcase(suite, tc);
	status = pt_run_suite(suite);
	globfree(&captures);
	return status;
}
