#include "session_rig.h"

#include <stdio.h>

static void on_answer(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct session_rig *rig = arg;

	rig->answer.done = true;
	rig->answer.rc = rc;
	snprintf(rig->answer.text, sizeof(rig->answer.text), "%.*s", (int)len_bytes, text);
}

static void await_answer(struct session_rig *rig)
{
	board_rig_await(&rig->board, &rig->answer.done, "the answer");
	ck_assert_msg(rig->answer.rc == 0, "%s", rig->answer.text);
	rig->answer.done = false;
}

void session_rig_open(struct session_rig *rig, const char *link)
{
	char uri[80];

	snprintf(uri, sizeof(uri), "virtual:kl27?clock=virtual&link=%s", link);
	board_rig_open(&rig->board, uri, false);
	rig->session = pt_session_new(rig->board.board, &rig->board.loop);
	board_rig_await_state(&rig->board, PT_BOARD_READY, 0);
}

/* A source that has a mode writes into RAM. */
void session_rig_start(struct session_rig *rig, const char *profile)
{
	const char *words[] = { profile, "mtb-ram=0x20000000:0x1000" };

	pt_session_start(rig->session, words, profile[0] == 'm' ? 2 : 1, on_answer, rig);
	await_answer(rig);
}

void session_rig_stop(struct session_rig *rig)
{
	pt_session_stop(rig->session, on_answer, rig);
	await_answer(rig);
}

static void on_closed(void *arg)
{
	((struct session_rig *)arg)->answer.done = true;
}

void session_rig_close(struct session_rig *rig)
{
	pt_session_close(rig->session, on_closed, rig);
	board_rig_await(&rig->board, &rig->answer.done, "the end of the session");
	rig->answer.done = false;
	board_rig_close(&rig->board);
}
