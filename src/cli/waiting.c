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
	uv_unref((uv_handle_t *)&waiting->timer);	/* it must not keep the loop running */
	if (pt_progress_shows())
		uv_timer_start(&waiting->timer, on_tick, FIRST_MS, NEXT_MS);
}

void pt_waiting_end(struct pt_waiting *waiting)
{
	pt_progress("%s", "");
	uv_close((uv_handle_t *)&waiting->timer, NULL);
}

/* --- on a thread */

static void tick_on(void *arg)
{
	struct pt_at_work *work = arg;
	uint64_t wait_ms = FIRST_MS;

	uv_mutex_lock(&work->lock);
	while (!work->over) {
		if (uv_cond_timedwait(&work->changed, &work->lock, wait_ms * 1000000) == 0)
			continue;		/* it has ended, or nothing has changed */
		work->say(work->arg);
		wait_ms = NEXT_MS;
	}
	uv_mutex_unlock(&work->lock);
}

void pt_at_work_begin(struct pt_at_work *work, void (*say)(void *arg), void *arg)
{
	*work = (struct pt_at_work){ .say = say, .arg = arg };
	if (!pt_progress_shows())
		return;
	uv_mutex_init(&work->lock);
	uv_cond_init(&work->changed);
	work->runs = uv_thread_create(&work->thread, tick_on, work) == 0;
}

void pt_at_work_end(struct pt_at_work *work)
{
	if (!work->runs)
		return;
	uv_mutex_lock(&work->lock);
	work->over = true;
	uv_cond_signal(&work->changed);
	uv_mutex_unlock(&work->lock);
	uv_thread_join(&work->thread);
	uv_cond_destroy(&work->changed);
	uv_mutex_destroy(&work->lock);
	pt_progress("%s", "");
}
