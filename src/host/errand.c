/* Loop and thread each hold a reference to the errand: the one that releases it last frees it. */
#include "host/errand.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"

static atomic_uint n_under_way[PT_ERRAND_PLACES]; /* threads, including late ones */

struct pt_errand {
	const struct pt_errand_kind *kind;
	void *data, *arg;
	uv_async_t async;
	uv_timer_t timer;
	unsigned n_handles; /* open handles of the loop */
	pthread_mutex_t lock; /* guards the members below */
	unsigned refs;
	bool ran, late;
};

static void unref(struct pt_errand *e)
{
	bool last;

	pthread_mutex_lock(&e->lock);
	last = --e->refs == 0;
	pthread_mutex_unlock(&e->lock);
	if (!last)
		return;
	pthread_mutex_destroy(&e->lock);
	free(e);
}

static void *run(void *arg)
{
	struct pt_errand *e = arg;
	bool late;

	e->kind->run(e->data);
	pthread_mutex_lock(&e->lock);
	e->ran = true;
	late = e->late;
	if (!late)
		uv_async_send(&e->async); /* under the lock, so that it cannot be closed meanwhile */
	pthread_mutex_unlock(&e->lock);
	if (late)
		e->kind->drop(e->data);
	atomic_fetch_sub(&n_under_way[e->kind->place], 1);
	unref(e);
	return NULL;
}

static void on_closed(uv_handle_t *handle)
{
	struct pt_errand *e = handle->data;

	if (--e->n_handles == 0)
		unref(e);
}

static void end(struct pt_errand *e)
{
	bool late;

	pthread_mutex_lock(&e->lock);
	late = e->late = !e->ran;
	pthread_mutex_unlock(&e->lock);
	uv_close((uv_handle_t *)&e->async, on_closed);
	uv_close((uv_handle_t *)&e->timer, on_closed);
	e->kind->done(e->data, e->arg, late);
}

static void on_ran(uv_async_t *async)
{
	struct pt_errand *e = async->data;

	if (!uv_is_closing((uv_handle_t *)async))
		end(e);
}

static void on_deadline(uv_timer_t *timer)
{
	end(timer->data);
}

static bool start_thread(struct pt_errand *e)
{
	pthread_attr_t attributes;
	pthread_t thread;
	bool started;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	started = pthread_create(&thread, &attributes, run, e) == 0;
	pthread_attr_destroy(&attributes);
	return started;
}

static bool take_place(const struct pt_errand_kind *kind)
{
	if (atomic_fetch_add(&n_under_way[kind->place], 1) < PT_ERRANDS || kind->always)
		return true;
	atomic_fetch_sub(&n_under_way[kind->place], 1);
	return false;
}

struct pt_errand *pt_errand_new(uv_loop_t *loop, const struct pt_errand_kind *kind, void *data, void *arg,
				struct pt_err *err)
{
	struct pt_errand *e;

	if (!take_place(kind)) {
		pt_fail(err, PT_EBUSY, "a disk does not answer: %d files are waited for already", PT_ERRANDS);
		return NULL;
	}
	e = pt_alloc(sizeof(*e));
	*e = (struct pt_errand){ .kind = kind, .data = data, .arg = arg, .refs = 2, .n_handles = 2 };
	pthread_mutex_init(&e->lock, NULL);
	uv_async_init(loop, &e->async, on_ran);
	uv_timer_init(loop, &e->timer);
	e->async.data = e->timer.data = e;
	uv_timer_start(&e->timer, on_deadline, kind->timeout_ms, 0);
	if (start_thread(e))
		return e;
	atomic_fetch_sub(&n_under_way[kind->place], 1);
	uv_close((uv_handle_t *)&e->async, on_closed);
	uv_close((uv_handle_t *)&e->timer, on_closed);
	unref(e);
	pt_fail(err, PT_ENOMEM, "no thread to read the file");
	return NULL;
}

int pt_errand_start(uv_loop_t *loop, const struct pt_errand_kind *kind, void *data, void *arg, struct pt_err *err)
{
	return pt_errand_new(loop, kind, data, arg, err) != NULL ? 0 : err->code;
}

void pt_errand_cancel(struct pt_errand *errand)
{
	end(errand);
}

int pt_errand_late(struct pt_err *err, const char *what)
{
	return pt_fail(err, PT_ETIMEOUT, "%s: no answer from its disk for %d s", what, PT_ERRAND_MS / 1000);
}
