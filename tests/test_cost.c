/* What a source cost the program, as it measured that itself: from the chunk to what people and programs read. */
#include <jansson.h>
#include <stdio.h>

#include "chunk_feed.h"
#include "pipeline/config_replay.h"
#include "harness.h"
#include "report/report.h"

#define CONFIG "format=counters\nsource=counters\nmode=poll\ntarget=small\nprobe=test\ncounters=0\n"
#define EXPECTED "cost=may halt it; by all\n"
#define NUMBERS(i, samples, packets, halts, ns, least, most, setup, setup_ns) \
	"samples." #i "=" #samples "\npackets." #i "=" #packets "\nhalts." #i "=" #halts "\nhalted_ns." #i "=" #ns \
	"\nshortest_ns." #i "=" #least "\nlongest_ns." #i "=" #most "\nsetup_halts." #i "=" #setup \
	"\nsetup_ns." #i "=" #setup_ns "\n"

static const struct { const char *config, *cost[2], *line; } cases[] = {
	{ CONFIG EXPECTED, { NULL }, "may halt it; by all" },
	{ CONFIG, { NULL }, "not stated" },
	{ CONFIG EXPECTED, { "time_ns=5\n" }, "may halt it; by all" },
	{ CONFIG EXPECTED "cost_besides=by all\n",
	  { "time_ns=1\nway.0=code\nsamples.0=1\nhalts.0=1\n",
	    "time_ns=20000000000\nway.0=code at 0x10\n"
	    NUMBERS(0, 312, 3120, 312, 600000000, 1400000, 6000000, 4, 8000000) },
	  "INTRUSIVE: code at 0x10, 312 samples: 312 halts of 1.923 ms (1.400 ms to 6.000 ms), 3 % of 20.00 s, "
	  "10.0 packets a sample; set up and put back by 4 halts of 2.000 ms; by all" },
	{ CONFIG EXPECTED,
	  { "time_ns=2000000000\nway.0=agent\n" NUMBERS(0, 300, 1200, 0, 0, 0, 0, 0, 0)
	    "way.1=code\n" NUMBERS(1, 12, 120, 12, 24000000, 2000000, 2000000, 3, 3000000) },
	  "partly INTRUSIVE: agent, 300 samples: 0 halts, 4.0 packets a sample; code, 12 samples: 12 halts of 2.000 ms "
	  "(2.000 ms to 2.000 ms), 1.2 % of 2.000 s, 10.0 packets a sample; set up and put back by 3 halts "
	  "of 1.000 ms" },
	{ CONFIG EXPECTED,
	  { "time_ns=2000000000\nway.0=agent\n" NUMBERS(0, 300, 0, 0, 0, 0, 0, 0, 0)
	    "way.1=code\n" NUMBERS(1, 0, 0, 0, 0, 0, 0, 1, 3000000) },
	  "agent, 300 samples: 0 halts; code: set up and put back by 1 halt of 3.000 ms" },
	{ CONFIG EXPECTED, { "time_ns=0\nway.0=code\nhalts.0=x\nsamples.0=-1\nway.7=no\n=\n\nway.1" },
	  "code, 0 samples: 0 halts" },
};

/* The line that begins so, with those that go on under it, in words with one blank between. */
static void line_of(const char *report, const char *label, char *out, size_t room)
{
	const char *at = strstr(report, label);
	size_t n = 0;

	ck_assert_msg(at != NULL, "%s", report);
	for (at += strlen(label); *at != '\0' && !(*at == '\n' && at[1] != ' ') && n + 1 < room; at++)
		if (*at != '\n' && !(*at == ' ' && (n == 0 || out[n - 1] == ' ')))
			out[n++] = *at;
		else if (*at == '\n')
			out[n++] = ' ';
	out[n] = '\0';
}

static void render(struct chunk_feed *f, const char *format, struct pt_text *text)
{
	struct pt_query query = { .top = 0 };
	struct pt_err err = { .msg = "" };

	snprintf(query.format, sizeof(query.format), "%s", format);
	ck_assert_msg(pt_report_render(pt_pipeline_profile(f->pipeline), &query, text, &err) == 0, "%s", err.msg);
}

static void check(struct chunk_feed *f, const char *want)
{
	struct pt_text text = { 0 };
	char line[1000];
	const char *said;
	json_t *json;

	render(f, "details", &text);
	line_of(text.bytes, "\noverhead ", line, sizeof(line));
	ck_assert_str_eq(line, want);
	pt_text_free(&text);
	render(f, "json", &text);
	json = json_loads(text.bytes, 0, NULL);
	said = json_string_value(json_object_get(json, "target_cost"));
	ck_assert_str_eq(said != NULL ? said : "not stated", want);
	json_decref(json);
	pt_text_free(&text);
}

static struct chunk_feed feed_of(size_t i)
{
	struct chunk_feed f = chunk_feed_of(NULL, NULL, 0);

	chunk_config(&f, 0, cases[i].config);
	for (size_t k = 0; k < 2 && cases[i].cost[k] != NULL; k++)
		chunk_put(&f, 0, PT_CHUNK_COST, 0, 0, 0, cases[i].cost[k], strlen(cases[i].cost[k]));
	return f;
}

START_TEST(the_last_one_counts)
{
	struct chunk_feed f = feed_of((size_t)_i);

	check(&f, cases[_i].line);
	chunk_end(&f, 0, 1);
	check(&f, cases[_i].line);
	chunk_feed_drop(&f);
}
END_TEST

/* A capture's record is damaged: until the next one comes it is at least what the one before said. */
START_TEST(a_damaged_one_leaves_a_bound)
{
	const char *sound = cases[4].cost[1] != NULL ? cases[4].cost[1] : cases[4].cost[0];
	struct chunk_feed f = feed_of(4);
	char bound[1000];

	snprintf(bound, sizeof(bound), "%s; at least, as the last record of it is damaged", cases[4].line);
	chunk_put(&f, 0, PT_CHUNK_COST, 0, 0, 0, NULL, 0);
	check(&f, bound);
	chunk_put(&f, 0, PT_CHUNK_COST, 0, 0, 0, sound, strlen(sound));
	check(&f, cases[4].line);
	chunk_feed_drop(&f);
}
END_TEST

START_TEST(programs_have_the_numbers)
{
	struct chunk_feed f = feed_of(4);
	struct pt_text text = { 0 };
	const char *way;
	json_int_t core, time, samples, packets, halts, ns, least, most, setup, setup_ns;
	json_t *json;

	render(&f, "json", &text);
	json = json_loads(text.bytes, 0, NULL);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "cost_measured")), 2);
	ck_assert_int_eq(json_unpack(json_array_get(json_object_get(json, "cost_measured"), 1),
				     "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "way", &way, "core",
				     &core, "time_ns", &time, "samples", &samples, "packets", &packets, "halts", &halts,
				     "halted_ns", &ns, "shortest_halt_ns", &least, "longest_halt_ns", &most,
				     "setup_halts", &setup, "setup_halted_ns", &setup_ns),
			 0);
	ck_assert_str_eq(way, "code");
	ck_assert_int_eq(samples + packets + halts + setup, 12 + 120 + 12 + 3);
	ck_assert_int_eq(ns, 24000000);
	ck_assert_int_eq(least + most, 4000000);
	ck_assert_int_eq(setup_ns + time + core, 2003000000);
	json_decref(json);
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* Statistics that begin anew in the middle of a session: what it cost is of the source, and stays. */
START_TEST(a_reset_keeps_it)
{
	struct chunk_feed f = feed_of(3), fresh = chunk_feed_of(NULL, NULL, 0);
	const char *const texts[] = { cases[3].config, cases[3].cost[0], cases[3].cost[1] };
	struct pt_configs configs = { .n = 0 };

	for (size_t i = 0; i < 3; i++) {
		*f.chunk = (struct pt_chunk){ .kind = i == 0 ? PT_CHUNK_CONFIG : PT_CHUNK_COST,
					      .len_bytes = (uint32_t)strlen(texts[i]) };
		memcpy(f.chunk->bytes, texts[i], strlen(texts[i]));
		pt_configs_keep(&configs, f.chunk);
	}
	pt_configs_feed(&configs, fresh.pipeline);
	check(&fresh, cases[3].line);
	pt_configs_fini(&configs);
	chunk_feed_drop(&fresh);
	chunk_feed_drop(&f);
}
END_TEST

/* Two sources that say the same besides their figures say it once; different words stay with whoever says them. */
static const struct { const char *besides[2], *line; } of_two[] = {
	{ { "by all", "by all" },
	  "counters of core 0: code, 7 samples: 0 halts counters of core 1: code, 7 samples: 0 halts "
	  "each of them: by all" },
	{ { "by all", "by one" },
	  "counters of core 0: code, 7 samples: 0 halts; by all counters of core 1: code, 7 samples: 0 halts; by one" },
};

START_TEST(what_is_alike_is_said_once)
{
	static const char cost[] = "time_ns=1000\nway.0=code\nsamples.0=7\n";
	struct chunk_feed f = chunk_feed_of(NULL, NULL, 0);
	struct pt_text text = { 0 };
	char line[1000], config[300];

	for (unsigned core = 0; core < 2; core++) {
		snprintf(config, sizeof(config), CONFIG "cost_besides=%s\n", of_two[_i].besides[core]);
		chunk_config_of(&f, core, core, config);
		chunk_put(&f, core, PT_CHUNK_COST, 0, 0, 0, cost, strlen(cost));
	}
	render(&f, "details", &text);
	line_of(text.bytes, "\noverhead ", line, sizeof(line));
	ck_assert_str_eq(line, of_two[_i].line);
	line_of(text.bytes, "\nlost ", line, sizeof(line));
	ck_assert_str_eq(line, "nothing");
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cost");
	TCase *tc = tcase_create("cost");

	tcase_add_loop_test(tc, the_last_one_counts, 0, PT_LEN(cases));
	tcase_add_test(tc, a_damaged_one_leaves_a_bound);
	tcase_add_test(tc, programs_have_the_numbers);
	tcase_add_test(tc, a_reset_keeps_it);
	tcase_add_loop_test(tc, what_is_alike_is_said_once, 0, PT_LEN(of_two));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
