#include "cli/waiting.h"

#include "host/log.h"

enum { FIRST_MS = 2000, NEXT_MS = 1000 };

static void on_tick(uv_timer_t *timer)
{
	struct pt_waiting *waiting = timer->data;

	waiting->say(waiting->arg);
}

void pt_waiting_begin(struct pt_waiting *waiting, uv_loop_t *loop, void (*say)(void *arg), void *arg)
{
	waiting->say = say;
	waiting->arg = arg;
	uv_timer_init(loop, &waiting->timer);
	waiting->timer.data = waiting;
	uv_unref((uv_handle_t *)&waiting->timer);	/* it is no reason to go on */
	if (pt_progress_shows())
		uv_timer_start(&waiting->timer, on_tick, FIRST_MS, NEXT_MS);
}

void pt_waiting_end(struct pt_waiting *waiting)
{
	pt_progress("%s", "");
	uv_close((uv_handle_t *)&waiting->timer, NULL);
}
