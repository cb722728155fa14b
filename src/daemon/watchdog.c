/* See watchdog.h. A board's thread is asked by a job that does nothing, as by any client: a thread that does not come to a client
 * does not come to us. */
#include "daemon/watchdog.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "host/service.h"

enum {
	ASKS_PER_PERIOD = 4,	/* the manager's period; sd_watchdog_enabled(3) wants a beat in half of it */
	US_PER_MS = 1000,
};

struct question {
	struct pt_job job;
	struct pt_watchdog *watchdog;
	struct pt_board *board;	/* a reference */
	struct question *next;
};

struct pt_watchdog {
	uv_timer_t timer;
	struct question *questions;
	unsigned n_open;	/* questions that wait for their board */
};

static int answer(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)job;
	(void)board;
	(void)target;
	(void)err;
	return 0;
}

/* A board that is closed has answered, too. */
static void answered(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct question *question = (struct question *)((char *)job - offsetof(struct question, job));

	(void)rc;
	(void)err;
	question->watchdog->n_open--;
	if (question->watchdog->n_open == 0)
		pt_service_beat();
}

static void ask(uv_timer_t *timer)
{
	struct pt_watchdog *watchdog = timer->data;

	if (watchdog->n_open > 0)
		return;
	if (watchdog->questions == NULL)
		pt_service_beat();
	for (struct question *question = watchdog->questions; question != NULL; question = question->next)
		watchdog->n_open++;
	for (struct question *question = watchdog->questions; question != NULL; question = question->next) {
		question->job = (struct pt_job){ .run = answer, .done = answered };
		pt_board_post(question->board, &question->job);
	}
}

struct pt_watchdog *pt_watchdog_new(uv_loop_t *loop)
{
	uint64_t period_ms = pt_service_watchdog_us() / US_PER_MS / ASKS_PER_PERIOD;
	struct pt_watchdog *watchdog;

	if (pt_service_watchdog_us() == 0)
		return NULL;
	watchdog = pt_alloc(sizeof(*watchdog));
	uv_timer_init(loop, &watchdog->timer);
	watchdog->timer.data = watchdog;
	uv_timer_start(&watchdog->timer, ask, 0, period_ms > 0 ? period_ms : 1);
	return watchdog;
}

void pt_watchdog_add(struct pt_watchdog *watchdog, struct pt_board *board)
{
	struct question *question;

	if (watchdog == NULL)
		return;
	question = pt_alloc(sizeof(*question));
	*question = (struct question){ .watchdog = watchdog, .board = pt_board_ref(board), .next = watchdog->questions };
	watchdog->questions = question;
}

void pt_watchdog_close(struct pt_watchdog *watchdog)
{
	if (watchdog != NULL)
		uv_close((uv_handle_t *)&watchdog->timer, NULL);
}

void pt_watchdog_free(struct pt_watchdog *watchdog)
{
	struct question *next;

	for (struct question *question = watchdog != NULL ? watchdog->questions : NULL; question != NULL;
	     question = next) {
		next = question->next;
		pt_board_unref(question->board);
		free(question);
	}
	free(watchdog);
}
