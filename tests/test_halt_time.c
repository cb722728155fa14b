/* How long does whoever presses Ctrl-C wait? At most 50 ms of the probe's clock on every link, with and without a
 * profile, whenever the key is pressed after a resume. The clock is virtual, and the halt is asked for from inside
 * whatever the board thread is doing at that time: so the figures are the same on any machine. */
#include <stdio.h>

#include "probes/virtual/boards.h"
#include "session_rig.h"

enum { PROMISE_US = 50000, REGISTERS = 17 };

static const char *const links[] = { "hid-fs", "bulk-fs", "bulk-hs", "tcp" };
static const char *const profiles[] = { NULL, "mode=burst", "mode=stream", "mode=halt", "source=pcsr" };
/* After the resume. What the last halt left in the buffer takes 70 ms on hid-fs, a full buffer of mode halt as long. */
static const uint32_t moments_us[] = { 1, 700, 3000, 11000, 26000, 40000, 57000, 69000, 75000, 90000, 111000, 160000 };

static struct session_rig rig;

/* --- one key press ------------------------------------------------------------------------------------------------ */

static struct press {
	struct pt_job job;		/* the halt, and what a stop reply wants to know */
	struct pt_board *board;
	uint64_t after_us, asked_ns, stopped_ns;
	bool done;
	int rc;
	struct pt_err err;
} press;

static int halt_and_look(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	uint64_t values[REGISTERS];
	uint16_t rows[REGISTERS];

	(void)job;
	for (uint16_t i = 0; i < REGISTERS; i++)
		rows[i] = i;
	if (pt_board_halt(board, 0, err) < 0 ||
	    target->ops->read_registers(target->state, 0, rows, REGISTERS, values, err) < 0)
		return err->code;
	press.stopped_ns = pt_board_now_ns(board);
	return 0;
}

static void on_halted(struct pt_job *job, int rc, const struct pt_err *err)
{
	(void)job;
	press.done = true;
	press.rc = rc;
	press.err = *err;
}

static void on_key(void *arg)
{
	(void)arg;
	press.asked_ns = pt_board_now_ns(press.board);
	pt_board_post(press.board, &press.job);
}

static int resume(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *err)
{
	(void)arg;
	press.board = board;
	pt_model_link_at(pt_probe_link(target->probe), pt_board_now_ns(board) + press.after_us * 1000, on_key, NULL);
	return pt_board_resume(board, 0, err);
}

static uint32_t halted_after_us(uint32_t after_us)
{
	struct pt_err err;

	press = (struct press){ .job = { .run = halt_and_look, .done = on_halted, .urgent = true }, .after_us = after_us };
	ck_assert_msg(board_rig_do(&rig.board, resume, NULL, false, &err) == 0, "%s", err.msg);
	board_rig_await(&rig.board, &press.done, "the halt");
	ck_assert_msg(press.rc == 0, "%s", press.err.msg);
	ck_assert_int_eq(pt_board_last_status(rig.board.board, 0).state, PT_HALTED);
	return (uint32_t)((press.stopped_ns - press.asked_ns) / 1000);
}

/* --- every link, every profile ------------------------------------------------------------------------------------ */

static int halt(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *err)
{
	(void)target;
	(void)arg;
	return pt_board_halt(board, 0, err);
}

START_TEST(is_kept)
{
	const char *link = links[_i / PT_LEN(profiles)], *profile = profiles[_i % PT_LEN(profiles)];
	uint32_t most_us = 0;

	session_rig_open(&rig, link);
	ck_assert_int_eq(board_rig_do(&rig.board, halt, NULL, false, NULL), 0);
	if (profile != NULL)
		session_rig_start(&rig, profile);
	for (size_t i = 0; i < PT_LEN(moments_us); i++) {
		uint32_t took_us = halted_after_us(moments_us[i]);

		ck_assert_msg(took_us <= PROMISE_US, "%s, %s, %u us after a resume: %u us", link,
			      profile != NULL ? profile : "no profile", moments_us[i], took_us);
		most_us = took_us > most_us ? took_us : most_us;
	}
	printf("%s, %s: %.1f ms at most\n", link, profile != NULL ? profile : "no profile", most_us / 1000.0);
	if (profile != NULL)
		session_rig_stop(&rig);
	session_rig_close(&rig);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("halt_time");
	TCase *tc = tcase_create("halt_time");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, is_kept, 0, (int)(PT_LEN(links) * PT_LEN(profiles)));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
