/* See board_rig.h. */
#include <stdio.h>
#include <string.h>

#include "board_rig.h"

enum { PATIENCE_MS = 120000 };

/* --- what the listener hears */

static void keep(struct board_rig *rig, const struct rig_event *event)
{
	if (rig->n_events < RIG_MAX_EVENTS)
		rig->event[rig->n_events++] = *event;
}

static void on_state(void *arg, enum pt_board_state state, const char *why)
{
	struct rig_event event = { .kind = RIG_STATE, .state = state };

	snprintf(event.why, sizeof(event.why), "%s", why);
	keep(arg, &event);
}

static void on_stop(void *arg, unsigned core, const struct pt_core_status *status)
{
	(void)core;
	keep(arg, &(struct rig_event){ .kind = RIG_STOP, .status = *status });
}

static void on_run(void *arg, unsigned core)
{
	(void)core;
	keep(arg, &(struct rig_event){ .kind = RIG_RUN });
}

static void on_reset(void *arg)
{
	keep(arg, &(struct rig_event){ .kind = RIG_RESET });
}

/* --- waiting */

static void on_deadline(uv_timer_t *timer)
{
	((struct board_rig *)timer->data)->too_late = true;
}

static void step(struct board_rig *rig, const char *name)
{
	uv_run(&rig->loop, UV_RUN_ONCE);
	ck_assert_msg(!rig->too_late, "%s does not come", name);
}

static void set_deadline(struct board_rig *rig, uint64_t ms)
{
	rig->too_late = false;
	uv_timer_start(&rig->deadline, on_deadline, ms, 0);
}

void board_rig_await(struct board_rig *rig, const bool *what, const char *name)
{
	set_deadline(rig, PATIENCE_MS);
	while (!*what)
		step(rig, name);
	uv_timer_stop(&rig->deadline);
}

static size_t await(struct board_rig *rig, enum rig_event_kind kind, enum pt_board_state state, size_t from)
{
	set_deadline(rig, PATIENCE_MS);
	for (size_t i = from;; i++) {
		while (i >= rig->n_events)
			step(rig, "the event");
		if (rig->event[i].kind != kind || (state != 0 && rig->event[i].state != state))
			continue;
		uv_timer_stop(&rig->deadline);
		return i;
	}
}

size_t board_rig_await_state(struct board_rig *rig, enum pt_board_state state, size_t from)
{
	return await(rig, RIG_STATE, state, from);
}

size_t board_rig_await_event(struct board_rig *rig, enum rig_event_kind kind, size_t from)
{
	return await(rig, kind, 0, from);
}

void board_rig_pause(struct board_rig *rig, uint64_t ms)
{
	set_deadline(rig, ms);
	while (!rig->too_late)
		uv_run(&rig->loop, UV_RUN_ONCE);
}

/* --- jobs */

struct errand {
	struct pt_job job;
	board_rig_run *run;
	void *arg;
	bool done;
	int rc;
	struct pt_err err;
};

static int run_errand(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct errand *errand = (struct errand *)job;

	return target != NULL ? errand->run(board, target, errand->arg, err) : pt_fail(err, PT_ESTATE, "no target");
}

static void errand_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct errand *errand = (struct errand *)job;

	errand->done = true;
	errand->rc = rc;
	errand->err = *err;
}

int board_rig_do(struct board_rig *rig, board_rig_run *run, void *arg, bool even_locked, struct pt_err *err)
{
	struct errand errand = {
		.job = { .run = run_errand, .done = errand_done, .even_locked = even_locked }, .run = run, .arg = arg,
	};

	pt_board_post(rig->board, &errand.job);
	board_rig_await(rig, &errand.done, "the job's end");
	if (err != NULL)
		*err = errand.err;
	return errand.rc;
}

/* --- life */

void board_rig_open(struct board_rig *rig, const char *uri, bool reopen)
{
	board_rig_open_all(rig, (const char *const[]){ uri, NULL }, reopen);
}

void board_rig_open_all(struct board_rig *rig, const char *const *uris, bool reopen)
{
	struct pt_params *settings = pt_params_new();
	struct pt_board_config config = { .name = "", .settings = settings, .reopen = reopen };
	struct pt_err err;

	for (size_t i = 0; i < PT_BOARD_PROBES && uris[i] != NULL; i++)
		config.probe_uri[i] = uris[i];
	memset(rig, 0, sizeof(*rig));
	uv_loop_init(&rig->loop);
	uv_timer_init(&rig->loop, &rig->deadline);
	rig->deadline.data = rig;
	rig->board = pt_board_new(&rig->loop, &config, &err);
	ck_assert_ptr_nonnull(rig->board);
	rig->listener = (struct pt_board_listener){
		.arg = rig, .on_state = on_state, .on_stop = on_stop, .on_run = on_run, .on_reset = on_reset,
	};
	pt_board_listen(rig->board, &rig->listener);
	pt_params_free(settings);
}

static void on_closed(void *arg)
{
	((struct board_rig *)arg)->board = NULL;
}

void board_rig_close(struct board_rig *rig)
{
	if (rig->board != NULL)
		pt_board_close(rig->board, on_closed, rig);
	set_deadline(rig, PATIENCE_MS);
	while (rig->board != NULL)
		step(rig, "the end of the board");
	uv_close((uv_handle_t *)&rig->deadline, NULL);
	uv_run(&rig->loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&rig->loop), 0);
}
