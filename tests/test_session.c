/* A profile from start to end as its asker sees it: what is answered to whom, in which order, and what is kept when
 * something ends it. On the virtual KL27 with its demo firmware; time passes only with the link where the clock is
 * virtual. */
#include <stdio.h>
#include <string.h>

#include "base/door.h"
#include "board_rig.h"
#include "report/report.h"
#include "probes/virtual/boards.h"
#include "session/session.h"

#define REPEATABLE "virtual:kl27?clock=virtual"

struct answered { bool done; int rc; unsigned n; char text[8192]; };

static struct board_rig rig;
static struct pt_session *session;
static struct answered started, stopped, waited, told, other;
static struct pt_err err;
static char last[sizeof(started.text)];		/* what expect() has seen */

static void on_answer(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct answered *answered = arg;

	answered->done = true;
	answered->rc = rc;
	answered->n++;
	snprintf(answered->text, sizeof(answered->text), "%.*s", (int)len_bytes, text);
}

static void expect(struct answered *answered, int rc, const char *part)
{
	board_rig_await(&rig, &answered->done, part);
	ck_assert_msg(answered->rc == rc, "%d, not %d: %s", answered->rc, rc, answered->text);
	ck_assert_msg(strstr(answered->text, part) != NULL, "no \"%s\" in: %.2000s", part, answered->text);
	ck_assert_uint_eq(answered->n, 1);
	memcpy(last, answered->text, sizeof(last));
	*answered = (struct answered){ .done = false };
}

static void open_all(const char *uri, bool reopen)
{
	struct pt_program *program;
	const uint8_t *demo;
	size_t len_bytes;

	board_rig_open(&rig, uri, reopen);
	session = pt_session_new(rig.board, &rig.loop);
	demo = pt_vboard_demo("kl27", &len_bytes);
	program = pt_program_from_bytes("demo", demo, len_bytes, 0, &err);
	ck_assert_msg(program != NULL, "%s", err.msg);
	ck_assert_int_eq(pt_session_set_program(session, program, &err), 0);
	pt_program_unref(program);
}

static void open_ready(const char *uri)
{
	open_all(uri, false);
	board_rig_await_state(&rig, PT_BOARD_READY, 0);
}

static void on_session_closed(void *arg)
{
	(void)arg;
	session = NULL;
	other.done = true;
}

static void close_all(void)
{
	other = (struct answered){ .done = false };
	pt_session_close(session, on_session_closed, NULL);
	board_rig_await(&rig, &other.done, "the end of the session");
	board_rig_close(&rig);
}

static void start(const char *word)
{
	const char *words[] = { word };

	pt_session_start(session, words, word != NULL, on_answer, &started);
}

static void stop(void)
{
	pt_session_stop(session, on_answer, &stopped);
}

static void report(const char *part)
{
	struct pt_query query;

	ck_assert_int_eq(pt_query_parse(&query, NULL, 0, &err), 0);
	pt_session_report(session, &query, on_answer, &told);
	expect(&told, 0, part);
}

static void status(const char *part)
{
	pt_session_status(session, on_answer, &told);
	expect(&told, 0, part);
}

static void start_and_run(const char *for_word)
{
	start(for_word);
	expect(&started, 0, "profiling MKL27Z256");
	pt_session_wait(session, 0, on_answer, &waited);
	expect(&waited, 0, "");
}

/* --- the usual way */

START_TEST(profiles)
{
	open_ready(REPEATABLE);
	status("none yet");
	start_and_run("for=100ms");
	ck_assert_int_eq(pt_session_get_state(session), PT_SESSION_RUNNING);
	status("at work");
	stop();
	ck_assert_int_eq(pt_session_get_state(session), PT_SESSION_STOPPING);
	expect(&stopped, 0, "profile stopped");
	ck_assert_str_eq(pt_session_why_ended(session), "");
	ck_assert_double_eq(pt_session_loss(session), 0.0);
	report("fibonacci");
	status("ended");
	close_all();
}
END_TEST

START_TEST(waits_for_a_time_named_later)
{
	open_ready(REPEATABLE);
	start(NULL);
	expect(&started, 0, "mode together");
	pt_session_wait(session, 50 * PT_NS_PER_MS, on_answer, &waited);
	expect(&waited, 0, "");
	pt_session_wait(session, 50 * PT_NS_PER_MS, on_answer, &waited);	/* and for more */
	expect(&waited, 0, "");
	status("core ran 0.1");
	stop();
	expect(&stopped, 0, "profile stopped");
	report("fibonacci");
	close_all();
}
END_TEST

START_TEST(a_wait_can_be_cancelled)
{
	open_ready("virtual:kl27");
	start(NULL);
	expect(&started, 0, "");
	pt_session_cancel_wait(session);	/* nobody waits: nothing happens */
	pt_session_wait(session, PT_UNKNOWN, on_answer, &waited);
	board_rig_pause(&rig, 20);
	ck_assert(!waited.done);
	pt_session_cancel_wait(session);
	expect(&waited, PT_EINTERRUPTED, "cancelled");
	ck_assert_int_eq(pt_session_get_state(session), PT_SESSION_RUNNING);
	stop();
	expect(&stopped, 0, "profile stopped");
	close_all();
}
END_TEST

START_TEST(statistics_start_anew)
{
	open_ready("virtual:kl27");
	pt_session_reset(session, on_answer, &told);
	expect(&told, PT_ESTATE, "nothing was profiled yet");
	start(NULL);
	expect(&started, 0, "");
	pt_session_reset(session, on_answer, &told);
	expect(&told, 0, "anew");
	stop();
	expect(&stopped, 0, "");
	report("MKL27Z256");	/* of what the source is was not forgotten */
	pt_session_reset(session, on_answer, &told);
	expect(&told, PT_ESTATE, "the profile has ended");
	close_all();
}
END_TEST

/* --- windows ------------------------------------------------------------------------------------------------------ */

static void wait_50_ms(void)
{
	pt_session_wait(session, 50 * PT_NS_PER_MS, on_answer, &waited);
	expect(&waited, 0, "");
}

START_TEST(a_window_ends_with_its_profile)
{
	struct pt_query query = { .format = "pprof" };
	uint64_t first, second, given_up;

	open_ready(REPEATABLE);
	ck_assert_uint_eq(pt_session_begin_window(session, "tree", &err), 0);
	ck_assert_int_eq(err.code, PT_ESTATE);
	start(NULL);
	expect(&started, 0, "");
	first = pt_session_begin_window(session, "tree,lines", &err);
	second = pt_session_begin_window(session, "tree,lines", &err);
	given_up = pt_session_begin_window(session, "tree,lines", &err);
	ck_assert(first != 0 && second > first && given_up > second);
	wait_50_ms();
	pt_session_end_window(session, given_up, NULL, NULL, NULL);
	stop();
	expect(&stopped, 0, "");
	pt_session_end_window(session, first, &query, on_answer, &told);
	expect(&told, 0, "\x1f\x8b");
	start(NULL);
	expect(&started, 0, "");
	pt_session_end_window(session, second, &query, on_answer, &told);
	expect(&told, PT_ESTATE, "another profile");
	pt_session_begin_window(session, "tree", &err);	/* is left behind */
	stop();
	expect(&stopped, 0, "");
	close_all();
}
END_TEST

static void rule(const char *word, int rc, const char *part)
{
	pt_session_set_limits(session, word, on_answer, &told);
	expect(&told, rc, part);
}

static void report_limits(int rc, const char *part)
{
	const char *word = "limits";
	struct pt_query query;

	ck_assert_int_eq(pt_query_parse(&query, &word, 1, &err), 0);
	pt_session_report(session, &query, on_answer, &told);
	expect(&told, rc, part);
}

/* While the source rests, so that nothing depends on how fast the machine is. */
START_TEST(rules_reach_what_runs)
{
	open_ready(REPEATABLE);
	rule("limits=count(main) < 9", 0, "every profile is checked from its start on");
	rule(NULL, 0, "no rules for the next profile");
	start_and_run("for=500ms");	/* bursts enough that some have a whole fibonacci() */
	report_limits(PT_ESTATE, "--limits FILE");
	rule("limits=gross(nobody) < 9", PT_EARG, "has no function 'nobody'");
	report_limits(PT_ESTATE, "--limits FILE");
	rule("limits=gross(fibonacci) < 1;gross.max(fibonacci) < 1", 0, "from here on");
	report_limits(0, "no whole invocation was seen since the rule came");
	ck_assert_ptr_nonnull(strstr(last, "failed"));	/* the other rule is about the whole profile */
	pt_session_reset(session, on_answer, &told);	/* a new beginning, with the rules */
	expect(&told, 0, "anew");
	report_limits(0, "no whole invocation was seen");
	ck_assert_ptr_null(strstr(last, "since the rule came"));
	rule(NULL, 0, "no rules any more");
	report_limits(PT_ESTATE, "--limits FILE");
	stop();
	expect(&stopped, 0, "profile stopped");
	close_all();
}
END_TEST

static int reset_halt(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *e)
{
	(void)target;
	(void)arg;
	return pt_board_reset(board, PT_RESET_HALT, e);
}

/* What is read of a core that a reset leaves halted is nothing that its program did: no sample, and no time. */
START_TEST(reset_and_halted)
{
	static const char *const sources[] = { "source=pcsr", "source=mtb", "mode=halt" };
	const char *word = "gaps";
	struct pt_query query;

	open_ready("virtual:kl27");
	start(sources[_i]);
	expect(&started, 0, "profiling MKL27Z256");
	ck_assert_int_eq(board_rig_do(&rig, reset_halt, NULL, false, NULL), 0);
	stop();
	expect(&stopped, 0, "profile stopped");
	ck_assert_int_eq(pt_query_parse(&query, &word, 1, &err), 0);
	pt_session_report(session, &query, on_answer, &told);
	expect(&told, 0, "\nhalted  ");
	close_all();
}
END_TEST

/* --- at the wrong time */

START_TEST(one_profile_at_a_time)
{
	open_ready("virtual:kl27");
	stop();
	expect(&stopped, PT_ESTATE, "no profile is running");
	start(NULL);
	pt_session_start(session, NULL, 0, on_answer, &other);
	expect(&other, PT_ESTATE, "being started");
	status("being started");
	expect(&started, 0, "");
	pt_session_start(session, NULL, 0, on_answer, &other);
	expect(&other, PT_ESTATE, "running already");
	ck_assert_int_eq(pt_session_set_program(session, NULL, &err), PT_ESTATE);
	stop();
	pt_session_start(session, NULL, 0, on_answer, &other);
	expect(&other, PT_ESTATE, "being stopped");
	expect(&stopped, 0, "");
	start(NULL);
	expect(&started, 0, "");
	close_all();
}
END_TEST

START_TEST(nothing_to_report_yet)
{
	struct pt_query query;

	open_ready(REPEATABLE);
	ck_assert_int_eq(pt_query_parse(&query, NULL, 0, &err), 0);
	pt_session_report(session, &query, on_answer, &told);
	expect(&told, PT_ESTATE, "nothing was profiled yet");
	pt_session_wait(session, 1, on_answer, &waited);
	expect(&waited, PT_ESTATE, "no profile is running");
	close_all();
}
END_TEST

/* --- starts that are refused */

static const struct { const char *uri, *word; int rc; const char *part; } refusals[] = {
	{ REPEATABLE, "source=none", PT_EARG, "this target has: mtb" },
	{ REPEATABLE, "mode=none", PT_EARG, "burst|stream|halt" },
	{ REPEATABLE, "nonsense=1", PT_EARG, "nonsense" },
	{ REPEATABLE, "mtb-ram=0x0:0x1000", PT_EARG, "mtb-ram" },
	{ REPEATABLE, "core-clock=fast", PT_EARG, "fast" },
	{ REPEATABLE "&variant=mtb-in-use", "source=mtb", PT_EBUSY, "mtb-take=on" },
	{ REPEATABLE "&variant=no-mtb", "source=mtb", PT_EUNSUPPORTED, "no MTB in its ROM table" },
};

START_TEST(says_why_it_does_not_start)
{
	open_ready(refusals[_i].uri);
	start(refusals[_i].word);
	expect(&started, refusals[_i].rc, refusals[_i].part);
	ck_assert_int_eq(pt_session_get_state(session), PT_SESSION_IDLE);
	close_all();
}
END_TEST

/* Whoever names no source has what works, and is told what would give more. */
static const struct { const char *uri; bool program, in_gdb; const char *says[3]; } fallbacks[] = {
	{ REPEATABLE, true, false, { "source mtb+pcsr, mode together" } },
	{ REPEATABLE "&variant=mtb-in-use", true, false,
	  { "source pcsr, mode sample", "because source mtb: the MTB is recording already", "mtb-take=on" } },
	{ REPEATABLE, false, false, { "source pcsr, mode sample", "(--elf FILE)", "with --mtb-ram ADDR:SIZE" } },
	{ REPEATABLE, false, true, { "source pcsr, mode sample", "(monitor symbols FILE)", "with mtb-ram=ADDR:SIZE" } },
	{ REPEATABLE "&variant=no-mtb", true, false, { "source pcsr, mode sample", "no MTB in its ROM table" } },
};

START_TEST(takes_what_works)
{
	pt_door_set(fallbacks[_i].in_gdb ? PT_DOOR_GDB : PT_DOOR_OPTIONS);
	open_ready(fallbacks[_i].uri);
	if (!fallbacks[_i].program)
		ck_assert_int_eq(pt_session_set_program(session, NULL, &err), 0);
	start("for=50ms");
	expect(&started, 0, fallbacks[_i].says[0]);
	for (size_t i = 1; i < PT_LEN(fallbacks[_i].says) && fallbacks[_i].says[i] != NULL; i++)
		ck_assert_msg(strstr(last, fallbacks[_i].says[i]) != NULL, "no \"%s\" in: %s", fallbacks[_i].says[i],
			      last);
	pt_session_wait(session, 0, on_answer, &waited);
	expect(&waited, 0, "");
	stop();
	expect(&stopped, 0, "");
	report("samples");
	close_all();
}
END_TEST

START_TEST(a_refused_start_keeps_the_profile_before_it)
{
	open_ready(REPEATABLE);
	start_and_run("for=100ms");
	stop();
	expect(&stopped, 0, "");
	start("mode=none");
	expect(&started, PT_EARG, "no source with mode none");
	report("fibonacci");
	close_all();
}
END_TEST

START_TEST(a_new_start_replaces_the_profile_before_it)
{
	open_ready(REPEATABLE);
	for (int i = 0; i < 3; i++) {
		start_and_run("for=50ms");
		stop();
		expect(&stopped, 0, "");
	}
	report("fibonacci");
	close_all();
}
END_TEST

START_TEST(without_a_target_it_says_where_to_look)
{
	open_all("virtual:kl27?fault=unplug@3", false);
	board_rig_await_state(&rig, PT_BOARD_CLOSED, 0);
	start(NULL);
	expect(&started, PT_ESTATE, "monitor status");
	pt_session_sources(session, on_answer, &told);
	expect(&told, PT_ESTATE, "monitor status");
	status("none yet");
	close_all();
}
END_TEST

START_TEST(tells_what_the_chip_offers)
{
	open_ready(REPEATABLE "&variant=no-mtb");
	pt_session_sources(session, on_answer, &told);
	expect(&told, 0, "no MTB in its ROM table");
	ck_assert_ptr_nonnull(strstr(last, "  batch "));	/* settings of what can be used, of nothing else */
	ck_assert_ptr_null(strstr(last, "mtb-ram"));
	close_all();
}
END_TEST

/* --- profiles that end by themselves */

static const struct { const char *uri, *why, *word; } ends[] = {
	{ REPEATABLE "&fault=unplug@250", "unplugged", "source=mtb" },
	{ REPEATABLE "&fault=stall@250+1000000", "probe does not answer", "source=mtb" },
	{ REPEATABLE "&fault=power@20000+1000000", "the target does not answer on SWD", NULL },
	{ REPEATABLE "&fault=fault@20000+1000000", "bus fault", NULL },
	{ "virtual:kl27?fault=unplug@250", "unplugged", "source=mtb" },
	{ "virtual:kl27?fault=stall@250+1000000", "probe does not answer", "source=mtb" },
	{ "virtual:kl27?fault=power@20000+1000000", "the target does not answer on SWD", NULL },
};

/* Whoever waits hears of it; stop says why, and is no failure; what came before is in the report, and what was
 * missed. */
START_TEST(keeps_what_came_before_the_end)
{
	open_ready(ends[_i].uri);
	start(ends[_i].word);
	expect(&started, 0, "");
	pt_session_wait(session, PT_UNKNOWN, on_answer, &waited);
	expect(&waited, 0, "");
	ck_assert_int_eq(pt_session_get_state(session), PT_SESSION_IDLE);
	ck_assert_msg(strstr(pt_session_why_ended(session), ends[_i].why) != NULL, "%s", pt_session_why_ended(session));
	stop();
	expect(&stopped, 0, ends[_i].why);
	stop();
	expect(&stopped, 0, "is kept");
	status(ends[_i].why);
	report("fibonacci");
	ck_assert_msg(strstr(last, "lost       nothing") == NULL, "%.1500s",
		      last); /* be it that no time has passed since */
	close_all();
}
END_TEST

START_TEST(a_profile_on_the_probe_that_came_back)
{
	size_t at;

	open_all("virtual:kl27?fault=unplug@250", true);
	at = board_rig_await_state(&rig, PT_BOARD_READY, 0);
	start(NULL);
	expect(&started, 0, "");
	at = board_rig_await_state(&rig, PT_BOARD_CLOSED, at);
	board_rig_await_state(&rig, PT_BOARD_READY, at);
	stop();
	expect(&stopped, 0, "unplugged");
	start(NULL);
	expect(&started, 0, "profiling");
	close_all();
}
END_TEST

START_TEST(stop_meets_the_end)	/* asked for before anybody here knows that it is over */
{
	open_ready("virtual:kl27?fault=unplug@250");
	start(NULL);
	expect(&started, 0, "");
	board_rig_await_state(&rig, PT_BOARD_CLOSED, 0);
	stop();
	board_rig_await(&rig, &stopped.done, "the answer to stop");
	expect(&stopped, 0, "unplugged");
	close_all();
}
END_TEST

/* --- the end at any moment */

enum moment { BEFORE, STARTING, RUNNING, WAITING, STOPPING, OVER, N_MOMENTS };

static void get_to(enum moment moment)
{
	if (moment >= STARTING)
		start(NULL);
	if (moment >= RUNNING)
		expect(&started, 0, "");
	if (moment == WAITING)
		pt_session_wait(session, PT_UNKNOWN, on_answer, &waited);
	if (moment >= STOPPING)
		stop();
	if (moment == OVER)
		expect(&stopped, 0, "");
}

START_TEST(closes_at_any_moment)
{
	open_ready("virtual:kl27");
	get_to((enum moment)_i);
	pt_session_status(session, on_answer, &told);
	close_all();
	ck_assert_uint_eq(told.n, 1);
	ck_assert_uint_eq(started.n, _i == STARTING ? 1 : 0);
	ck_assert_uint_eq(waited.n, _i == WAITING ? 1 : 0);
	ck_assert_uint_eq(stopped.n, _i == STOPPING ? 1 : 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("session");
	TCase *tc = tcase_create("session");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, profiles);
	tcase_add_test(tc, waits_for_a_time_named_later);
	tcase_add_test(tc, a_wait_can_be_cancelled);
	tcase_add_test(tc, statistics_start_anew);
	tcase_add_test(tc, a_window_ends_with_its_profile);
	tcase_add_test(tc, rules_reach_what_runs);
	tcase_add_loop_test(tc, reset_and_halted, 0, 3);
	tcase_add_test(tc, one_profile_at_a_time);
	tcase_add_test(tc, nothing_to_report_yet);
	tcase_add_loop_test(tc, says_why_it_does_not_start, 0, (int)PT_LEN(refusals));
	tcase_add_loop_test(tc, takes_what_works, 0, PT_LEN(fallbacks));
	tcase_add_test(tc, a_refused_start_keeps_the_profile_before_it);
	tcase_add_test(tc, a_new_start_replaces_the_profile_before_it);
	tcase_add_test(tc, without_a_target_it_says_where_to_look);
	tcase_add_test(tc, tells_what_the_chip_offers);
	tcase_add_loop_test(tc, keeps_what_came_before_the_end, 0, (int)PT_LEN(ends));
	tcase_add_test(tc, a_profile_on_the_probe_that_came_back);
	tcase_add_test(tc, stop_meets_the_end);
	tcase_add_loop_test(tc, closes_at_any_moment, 0, N_MOMENTS);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
