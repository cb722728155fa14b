/* The board's thread as the loop sees it: states, jobs, listeners, loss and return of the probe. On the virtual KL27,
 * in real time unless said otherwise. */
#include <string.h>
#include <sys/resource.h>

#include "board/board_parts.h"
#include "board_rig.h"

static struct board_rig rig;
static struct pt_err err;

/* --- opening */

static const struct {
	const char *uri;
	enum pt_board_state state;
	int code;
	const char *why;
} openings[] = {
	{ "virtual:kl27", PT_BOARD_READY, 0, "MKL27Z256" },
	{ "virtual:kl99", PT_BOARD_CLOSED, PT_EARG, "there are kl27" },
	{ "virtual:kl27?elf=/nowhere/it.elf", PT_BOARD_CLOSED, PT_EARG, "/nowhere/it.elf" },
	{ "icdi:", PT_BOARD_CLOSED, PT_EARG, "not built in this version" },
	{ "nonsense", PT_BOARD_CLOSED, PT_EARG, "names no probe" },
	{ "virtual:kl27?fault=unplug@3", PT_BOARD_CLOSED, PT_EIO, "unplugged" },
	{ "virtual:kl27?fault=unplug@20", PT_BOARD_CLOSED, PT_EIO, "unplugged" },
	{ "virtual:kl27?fault=power@1+100000", PT_BOARD_CLOSED, PT_EPROTO, "check power and cable" },
	{ "virtual:kl27?variant=secured", PT_BOARD_LOCKED, PT_ESTATE, "monitor erase everything" },
};

START_TEST(says_how_opening_went)
{
	const char *why;

	board_rig_open(&rig, openings[_i].uri, false);
	ck_assert_int_eq(pt_board_get_state(rig.board, NULL), PT_BOARD_OPENING);
	board_rig_await_event(&rig, RIG_STATE, 0);
	ck_assert_int_eq(pt_board_get_state(rig.board, &why), openings[_i].state);
	ck_assert_int_eq(pt_board_get_error(rig.board), openings[_i].code);
	ck_assert_msg(strstr(why, openings[_i].why) != NULL, "%s", why);
	board_rig_close(&rig);
}
END_TEST

/* --- jobs */

enum { N_JOBS = 6 };

struct noted { struct pt_job job; bool with_target, done; int rc; };

static struct noted noted[N_JOBS];
static struct noted *order[N_JOBS];
static size_t n_ran, n_done;
static uv_sem_t begun, gate;

static int note_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *e)
{
	struct noted *n = (struct noted *)job;

	(void)board;
	(void)e;
	n->with_target = target != NULL;
	order[n_ran++] = n;
	return 0;
}

static int gate_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *e)
{
	uv_sem_post(&begun);
	uv_sem_wait(&gate);	/* until all the others are posted */
	return note_run(job, board, target, e);
}

static void note_done(struct pt_job *job, int rc, const struct pt_err *e)
{
	struct noted *n = (struct noted *)job;

	(void)e;
	ck_assert(!n->done);
	n->done = true;
	n->rc = rc;
	n_done++;
}

static void post(size_t i, bool urgent)
{
	noted[i].job.run = i == 0 ? gate_run : note_run;
	noted[i].job.done = note_done;
	noted[i].job.urgent = urgent;
	pt_board_post(rig.board, &noted[i].job);
}

static void hold_the_board(void)
{
	uv_sem_init(&begun, 0);
	uv_sem_init(&gate, 0);
	post(0, false);
	uv_sem_wait(&begun);
}

START_TEST(does_jobs_in_order_urgent_ones_first)
{
	static const size_t want[N_JOBS] = { 0, 3, 5, 1, 2, 4 };

	board_rig_open(&rig, "virtual:kl27", false);
	board_rig_await_state(&rig, PT_BOARD_READY, 0);
	hold_the_board();
	for (size_t i = 1; i < N_JOBS; i++)
		post(i, i == 3 || i == 5);
	uv_sem_post(&gate);
	for (size_t i = 0; i < N_JOBS; i++)
		board_rig_await(&rig, &noted[i].done, "a job's end");
	for (size_t i = 0; i < N_JOBS; i++) {
		ck_assert_ptr_eq(order[i], &noted[want[i]]);
		ck_assert(noted[i].with_target);
		ck_assert_int_eq(noted[i].rc, 0);
	}
	uv_sem_destroy(&gate);
	board_rig_close(&rig);
}
END_TEST

START_TEST(answers_every_job_when_it_closes)
{
	board_rig_open(&rig, "virtual:kl27", false);
	board_rig_await_state(&rig, PT_BOARD_READY, 0);
	hold_the_board();
	post(1, false);
	pt_board_close(rig.board, NULL, NULL);	/* board_rig_close() below asks again, and is told */
	post(2, false);
	post(3, true);
	uv_sem_post(&gate);
	board_rig_close(&rig);
	ck_assert_uint_eq(n_done, 4);
	ck_assert_int_eq(noted[0].rc, 0);
	for (size_t i = 1; i < 4; i++)
		ck_assert_int_eq(noted[i].rc, PT_EIO);
	ck_assert_uint_eq(n_ran, 1);
	uv_sem_destroy(&gate);
}
END_TEST

START_TEST(closes_at_any_moment)	/* while it opens, while nothing goes on, while it waits for its probe */
{
	static const struct { const char *uri; bool reopen; uint64_t pause_ms; } moments[] = {
		{ "virtual:kl27", false, 0 }, { "virtual:kl27", true, 50 }, { "virtual:kl27?fault=unplug@3", true, 20 },
		{ "virtual:kl27?fault=stall@1+100000", true, 50 }, { "virtual:kl27?clock=virtual", false, 5 },
	};

	for (size_t i = 0; i < PT_LEN(moments); i++) {
		board_rig_open(&rig, moments[i].uri, moments[i].reopen);
		if (moments[i].pause_ms > 0)
			board_rig_pause(&rig, moments[i].pause_ms);
		board_rig_close(&rig);
	}
}
END_TEST

static int nothing(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *e)
{
	(void)board;
	(void)target;
	(void)arg;
	(void)e;
	return 0;
}

static int erase(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *e)
{
	(void)board;
	(void)arg;
	return target->ops->mass_erase(target->state, e);
}

START_TEST(unlocks_a_locked_chip)
{
	board_rig_open(&rig, "virtual:kl27?variant=secured", false);
	board_rig_await_state(&rig, PT_BOARD_LOCKED, 0);
	ck_assert_int_eq(board_rig_do(&rig, nothing, NULL, false, NULL), PT_ESTATE);	/* it has no target */
	ck_assert_int_eq(board_rig_do(&rig, nothing, NULL, true, NULL), 0);
	ck_assert_msg(board_rig_do(&rig, erase, NULL, true, &err) == 0, "%s", err.msg);
	board_rig_await_state(&rig, PT_BOARD_READY, 1);
	ck_assert_int_eq(board_rig_do(&rig, nothing, NULL, false, NULL), 0);
	board_rig_close(&rig);
}
END_TEST

/* --- listeners */

struct shy { struct pt_board_listener listener; unsigned n_heard; };

static void hear_once(void *arg, enum pt_board_state state, const char *why)
{
	struct shy *shy = arg;

	(void)state;
	(void)why;
	shy->n_heard++;
	pt_board_unlisten(rig.board, &shy->listener);
}

START_TEST(a_listener_may_take_itself_out)
{
	struct shy shy[2] = { 0 };

	board_rig_open(&rig, "virtual:kl27?fault=unplug@60", true);
	for (size_t i = 0; i < PT_LEN(shy); i++) {
		shy[i].listener = (struct pt_board_listener){ .arg = &shy[i], .on_state = hear_once };
		pt_board_listen(rig.board, &shy[i].listener);
	}
	board_rig_await_state(&rig, PT_BOARD_CLOSED, board_rig_await_state(&rig, PT_BOARD_READY, 0));
	for (size_t i = 0; i < PT_LEN(shy); i++)
		ck_assert_uint_eq(shy[i].n_heard, 1);
	board_rig_close(&rig);
}
END_TEST

/* --- the core */

static int halt(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *e)
{
	(void)target;
	(void)arg;
	return pt_board_halt(board, 0, e);
}

static int step(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *e)
{
	(void)target;
	(void)arg;
	return pt_board_step(board, 0, e);
}

static int resume(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *e)
{
	(void)target;
	(void)arg;
	return pt_board_resume(board, 0, e);
}

static int reset_halt(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *e)
{
	(void)target;
	(void)arg;
	return pt_board_reset(board, PT_RESET_HALT, e);
}

static int break_where_it_is(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *e)
{
	struct pt_break at = { .kind = PT_BREAK_HW, .len = 2 };

	(void)board;
	(void)arg;
	if (target->ops->pc(target->state, 0, &at.addr, e) < 0)
		return e->code;
	return target->ops->break_insert(target->state, &at, e);
}

/* As the program itself would: AIRCR.SYSRESETREQ. Source: Arm DDI 0419 (ARMv6-M), B3.2.6 */
static int reset_from_inside(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *e)
{
	(void)board;
	(void)arg;
	pt_mem_write32(target->ops->mem(target->state, 0), 0xe000ed0c, 0x05fa0004, e);
	return 0;
}

static enum pt_run_state told(void)
{
	return pt_board_last_status(rig.board, 0).state;
}

START_TEST(tells_what_the_core_does)
{
	size_t at;

	board_rig_open(&rig, "virtual:kl27", false);
	board_rig_await_state(&rig, PT_BOARD_READY, 0);
	at = board_rig_await_event(&rig, RIG_RUN, 0);	/* as it was found */
	ck_assert_int_ne(told(), PT_HALTED);
	ck_assert_int_eq(board_rig_do(&rig, reset_halt, NULL, false, NULL), 0);
	at = board_rig_await_event(&rig, RIG_STOP, board_rig_await_event(&rig, RIG_RESET, at));
	ck_assert_int_eq(told(), PT_HALTED);
	ck_assert_int_eq(board_rig_do(&rig, step, NULL, false, NULL), 0);
	at = board_rig_await_event(&rig, RIG_STOP, at + 1);
	ck_assert_int_eq(rig.event[at].status.reason, PT_HALT_STEP);
	ck_assert_int_eq(board_rig_do(&rig, break_where_it_is, NULL, false, NULL), 0);
	ck_assert_int_eq(board_rig_do(&rig, reset_halt, NULL, false, NULL), 0);
	at = board_rig_await_event(&rig, RIG_STOP, at + 1);
	ck_assert_int_eq(board_rig_do(&rig, resume, NULL, false, NULL), 0);
	at = board_rig_await_event(&rig, RIG_STOP, board_rig_await_event(&rig, RIG_RUN, at + 1));
	ck_assert_int_eq(rig.event[at].status.reason, PT_HALT_BREAK_HW);
	ck_assert_int_eq(board_rig_do(&rig, halt, NULL, false, NULL), 0);
	board_rig_close(&rig);
}
END_TEST

START_TEST(sees_a_reset_that_nobody_asked_for)
{
	size_t at;

	board_rig_open(&rig, "virtual:kl27", false);
	at = board_rig_await_state(&rig, PT_BOARD_READY, 0);
	ck_assert_int_eq(board_rig_do(&rig, reset_from_inside, NULL, false, NULL), 0);
	board_rig_await_event(&rig, RIG_RESET, at);
	board_rig_close(&rig);
}
END_TEST

/* --- loss */

static const struct { const char *uri, *why; } losses[] = {
	{ "virtual:kl27?fault=unplug@100", "unplugged" },
	{ "virtual:kl27?fault=stall@100+1000000", "probe does not answer" },
	{ "virtual:kl27?fault=power@400+1000000", "the target does not answer" },
};

START_TEST(is_lost_and_comes_back)
{
	size_t at;

	board_rig_open(&rig, losses[_i].uri, true);
	at = board_rig_await_state(&rig, PT_BOARD_READY, 0);
	at = board_rig_await_state(&rig, PT_BOARD_CLOSED, at);
	ck_assert_msg(strstr(rig.event[at].why, losses[_i].why) != NULL, "%s", rig.event[at].why);
	ck_assert_int_eq(pt_board_get_error(rig.board), PT_EIO);
	at = board_rig_await_event(&rig, RIG_STOP, at);
	ck_assert_int_eq(rig.event[at].status.state, PT_LOST);
	board_rig_await_state(&rig, PT_BOARD_READY, at);	/* another chip of the same kind */
	board_rig_close(&rig);
}
END_TEST

static int read_in_vain(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *e)
{
	uint32_t word;
	int rc = 0;

	(void)board;
	(void)arg;
	for (int i = 0; rc == 0 && i < 10000; i++)
		rc = pt_mem_read32(target->ops->mem(target->state, 0), 0, &word, e);
	return rc;
}

START_TEST(is_lost_in_a_job)
{
	const char *why;

	board_rig_open(&rig, "virtual:kl27?fault=unplug@500", false);
	board_rig_await_state(&rig, PT_BOARD_READY, 0);
	ck_assert_int_eq(board_rig_do(&rig, read_in_vain, NULL, false, &err), PT_EIO);
	ck_assert_int_eq(pt_board_get_state(rig.board, &why), PT_BOARD_CLOSED);
	ck_assert_msg(strstr(why, "unplugged") != NULL, "%s", why);
	ck_assert_int_eq(board_rig_do(&rig, nothing, NULL, true, NULL), PT_ESTATE);
	board_rig_close(&rig);
}
END_TEST

START_TEST(survives_a_dip_in_power)	/* some looks in vain, then all is well */
{
	size_t at;

	board_rig_open(&rig, "virtual:kl27?fault=power@400+6", false);
	at = board_rig_await_state(&rig, PT_BOARD_READY, 0);
	board_rig_await_event(&rig, RIG_RESET, at);
	for (size_t i = at + 1; i < rig.n_events; i++)
		ck_assert_int_ne(rig.event[i].kind, RIG_STATE);
	ck_assert_int_eq(board_rig_do(&rig, halt, NULL, false, NULL), 0);
	board_rig_close(&rig);
}
END_TEST

/* A driver may reset a device that does not answer each time it is opened. */
START_TEST(looks_less_often_at_a_mute_probe)
{
	static const struct { int opened; uint32_t wait_ms; } tries[] = {
		{ PT_ETIMEOUT, 200 }, { PT_ETIMEOUT, 400 }, { PT_ETIMEOUT, 800 }, { PT_ETIMEOUT, 1600 }, { PT_ETIMEOUT, 3200 },
		{ PT_ETIMEOUT, 6400 }, { PT_ETIMEOUT, 10000 }, { PT_ETIMEOUT, 10000 }, { 0, 200 }, { PT_ETIMEOUT, 200 },
	};
	static struct pt_board board;

	uv_mutex_init(&board.lock);
	for (size_t i = 0; i < PT_LEN(tries); i++) {
		uint64_t before_ns = uv_hrtime();

		pt_board_reopen_later(&board, tries[i].opened);
		ck_assert_uint_ge(board.reopen_at_ns, before_ns + tries[i].wait_ms * PT_NS_PER_MS);
		ck_assert_uint_le(board.reopen_at_ns, uv_hrtime() + tries[i].wait_ms * PT_NS_PER_MS);
	}
	uv_mutex_destroy(&board.lock);
}
END_TEST

/* A stack that no address space holds. */
START_TEST(without_a_thread_there_is_no_board)
{
	struct pt_board_config config = { .name = "", .probe_uri = { "virtual:kl27" } };
	struct rlimit was, huge;
	struct pt_board *board;
	uv_loop_t loop;

	getrlimit(RLIMIT_STACK, &was);
	huge = (struct rlimit){ .rlim_cur = (rlim_t)1 << 50, .rlim_max = was.rlim_max };
	if (setrlimit(RLIMIT_STACK, &huge) < 0)
		return;		/* the administrator allows less */
	uv_loop_init(&loop);
	board = pt_board_new(&loop, &config, &err);
	setrlimit(RLIMIT_STACK, &was);
	ck_assert_ptr_null(board);
	ck_assert_int_eq(err.code, PT_ENOMEM);
	ck_assert_ptr_eq(strstr(err.msg, "board thread: "), err.msg);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("board");
	TCase *tc = tcase_create("board");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, says_how_opening_went, 0, (int)PT_LEN(openings));
	tcase_add_test(tc, does_jobs_in_order_urgent_ones_first);
	tcase_add_test(tc, answers_every_job_when_it_closes);
	tcase_add_test(tc, closes_at_any_moment);
	tcase_add_test(tc, unlocks_a_locked_chip);
	tcase_add_test(tc, a_listener_may_take_itself_out);
	tcase_add_test(tc, tells_what_the_core_does);
	tcase_add_test(tc, sees_a_reset_that_nobody_asked_for);
	tcase_add_loop_test(tc, is_lost_and_comes_back, 0, (int)PT_LEN(losses));
	tcase_add_test(tc, is_lost_in_a_job);
	tcase_add_test(tc, survives_a_dip_in_power);
	tcase_add_test(tc, looks_less_often_at_a_mute_probe);
	tcase_add_test(tc, without_a_thread_there_is_no_board);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
