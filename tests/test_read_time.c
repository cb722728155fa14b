/* How long does a read of memory wait that comes while a profile drains? For the drain step under way, which it cuts
 * short, and for no other, nor for a look at the cores. Behind the step it is one probe batch late: the answers to what
 * the probe was given before the step was cut. The other batch is its own. Batches are round trips: what the probe is
 * given before its host has to wait for an answer. Counted on the virtual clock, and asked for from inside whatever the
 * board thread is doing then: so the figures are the same on any machine. */
#include <stdio.h>

#include "board/board_parts.h"
#include "probes/virtual/boards.h"
#include "session_rig.h"

enum { PROMISE_BATCHES = 2, READ_ADDR = 0x20002000, READ_BYTES = 64 };
/* From one read to the next moment: a whole step fits in between, so that the source is not owed one. */
enum { MOMENTS = PT_SANITIZED ? 6 : 24, MOST_MOMENTS = 48, FIRST_US = 200000, APART_US = 1700 };	/* most: until a step is met */

static const char *const links[] = { "hid-fs", "bulk-fs", "bulk-hs", "tcp" };
static const char *const profiles[] = { "mode=burst", "mode=stream", "mode=halt", "source=pcsr" };

static struct session_rig rig;

/* --- the drain, watched ------------------------------------------------------------------------------------------- */

/* The board thread's. */
static struct watch {
	struct pt_board_drain drain;	/* the session's own */
	struct pt_link *link;
	bool at_work;
	uint64_t n_begun, ended_ns, ended_trips;
} watch;

static uint64_t trips(void)
{
	struct pt_link_traffic traffic;

	pt_link_traffic(watch.link, &traffic);
	return traffic.round_trips;
}

static int64_t drain_watched(void *arg, struct pt_target *target)
{
	int64_t wait_us;

	watch.n_begun++;
	watch.at_work = true;
	wait_us = watch.drain.drain(arg, target);
	watch.at_work = false;
	watch.ended_ns = pt_link_now_ns(watch.link);
	watch.ended_trips = trips();
	return wait_us;
}

static int watch_drain(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *err)
{
	(void)arg;
	(void)err;
	watch = (struct watch){ .drain = board->drain, .link = pt_probe_link(target->probe) };
	board->drain.drain = drain_watched;
	return 0;
}

/* --- one read ----------------------------------------------------------------------------------------------------- */

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static struct look {
	struct pt_job job;		/* what `m` posts */
	struct pt_board *board;
	uint64_t after_us;
	bool in_step;			/* asked for in the midst of one */
	uint64_t n_steps;		/* begun since it was asked for */
	uint64_t asked_ns, asked_trips;
	uint64_t from_ns, from_trips;	/* nothing was under way any more */
	uint64_t answered_ns, answered_trips;
	bool done;
	int rc;
	struct pt_err err;
} look;

static int read_some(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	uint8_t bytes[READ_BYTES];

	(void)job;
	look.n_steps = watch.n_begun - look.n_steps;
	look.from_ns = look.in_step ? watch.ended_ns : look.asked_ns;
	look.from_trips = look.in_step ? watch.ended_trips : look.asked_trips;
	if (pt_mem_read(target->ops->mem(target->state, 0), READ_ADDR, bytes, sizeof(bytes), err) < 0)
		return err->code;
	look.answered_ns = pt_board_now_ns(board);
	look.answered_trips = trips();
	return 0;
}

static void on_read(struct pt_job *job, int rc, const struct pt_err *err)
{
	(void)job;
	look.done = true;
	look.rc = rc;
	look.err = *err;
}

static void on_moment(void *arg)
{
	(void)arg;
	look.asked_ns = pt_board_now_ns(look.board);
	look.asked_trips = trips();
	look.in_step = watch.at_work;
	look.n_steps = watch.n_begun;
	pt_board_post(look.board, &look.job);
}

static int set_moment(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *err)
{
	(void)arg;
	(void)err;
	look.board = board;
	(void)target;
	pt_model_link_at(watch.link, pt_board_now_ns(board) + look.after_us * 1000, on_moment, NULL);
	return 0;
}

static void read_after(uint64_t after_us)
{
	struct pt_err err;

	look = (struct look){ .job = { .run = read_some, .done = on_read }, .after_us = after_us };
	ck_assert_msg(board_rig_do(&rig.board, set_moment, NULL, false, &err) == 0, "%s", err.msg);
	board_rig_await(&rig.board, &look.done, "the read");
	ck_assert_msg(look.rc == 0, "%s", look.err.msg);
}

/* --- every link, every profile ------------------------------------------------------------------------------------ */

static int resume(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *err)
{
	(void)target;
	(void)arg;
	return pt_board_resume(board, 0, err);
}

static void open_running(const char *link, const char *profile)
{
	session_rig_open(&rig, link);
	session_rig_start(&rig, profile);
	board_rig_do(&rig.board, resume, NULL, false, NULL);
	board_rig_do(&rig.board, watch_drain, NULL, false, NULL);
}

START_TEST(is_behind_one_step)
{
	const char *link = links[_i / PT_LEN(profiles)], *profile = profiles[_i % PT_LEN(profiles)];
	uint64_t most_step_ns = 0, most_read_ns = 0;
	unsigned n_in_step = 0;

	open_running(link, profile);
	for (unsigned i = 0; i < MOMENTS || (n_in_step == 0 && i < MOST_MOMENTS); i++) {
		read_after(FIRST_US + i * APART_US);
		ck_assert_msg(look.n_steps == 0, "%s, %s, moment %u: %u drain steps came before the read", link,
			      profile, i, (unsigned)look.n_steps);
		ck_assert_msg(look.answered_trips - look.from_trips <= PROMISE_BATCHES, "%s, %s, moment %u: %u batches",
			      link, profile, i, (unsigned)(look.answered_trips - look.from_trips));
		n_in_step += look.in_step;
		most_step_ns = greater(most_step_ns, look.from_ns - look.asked_ns);
		most_read_ns = greater(most_read_ns, look.answered_ns - look.from_ns);
	}
	ck_assert_uint_gt(n_in_step, 0);
	printf("%s, %s: %u of %d asked in a drain step, its rest took %.3f ms at most, the read %.3f ms\n", link,
	       profile, n_in_step, MOMENTS, (double)most_step_ns / 1e6, (double)most_read_ns / 1e6);
	session_rig_stop(&rig);
	session_rig_close(&rig);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("read_time");
	TCase *tc = tcase_create("read_time");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, is_behind_one_step, 0, (int)(PT_LEN(links) * PT_LEN(profiles)));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
