/* Caller and thread hold it together; the last one to leave drops and frees. */
#include "probes/links/helper_thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <uv.h>

#include "base/alloc.h"
#include "host/clock.h"

struct pt_aside {
	void (*drop)(void *arg);
	void *arg;
	uv_thread_t thread;
	uv_mutex_t lock;
	uv_cond_t change;
	void (*run)(void *arg);	/* NULL: nothing to do, or it is done */
	bool quit, late;	/* late: the caller has left a call behind */
};

static void drop(struct pt_aside *aside)
{
	aside->drop(aside->arg);
	uv_cond_destroy(&aside->change);
	uv_mutex_destroy(&aside->lock);
	free(aside);
}

static void work(void *arg)
{
	struct pt_aside *aside = arg;
	bool late;

	uv_mutex_lock(&aside->lock);
	while (!aside->quit) {
		if (aside->run == NULL) {
			uv_cond_wait(&aside->change, &aside->lock);
			continue;
		}
		uv_mutex_unlock(&aside->lock);
		aside->run(aside->arg);
		uv_mutex_lock(&aside->lock);
		aside->run = NULL;
		uv_cond_broadcast(&aside->change);
	}
	late = aside->late;
	uv_mutex_unlock(&aside->lock);
	if (late)
		drop(aside);
}

struct pt_aside *pt_aside_new(void (*drop_arg)(void *arg), void *arg, struct pt_err *err)
{
	struct pt_aside *aside = pt_alloc(sizeof(*aside));

	aside->drop = drop_arg;
	aside->arg = arg;
	if (uv_mutex_init(&aside->lock) != 0)
		goto free_aside;
	if (uv_cond_init(&aside->change) != 0)
		goto destroy_lock;
	if (uv_thread_create(&aside->thread, work, aside) == 0)
		return aside;
	uv_cond_destroy(&aside->change);
destroy_lock:
	uv_mutex_destroy(&aside->lock);
free_aside:
	free(aside);
	pt_fail(err, PT_ENOMEM, "no memory for another thread");
	return NULL;
}

bool pt_aside_call(struct pt_aside *aside, void (*run)(void *arg), uint64_t until_ns)
{
	bool done;

	uv_mutex_lock(&aside->lock);
	aside->run = run;
	uv_cond_broadcast(&aside->change);
	for (uint64_t now_ns = pt_host_now_ns(); aside->run != NULL && now_ns < until_ns; now_ns = pt_host_now_ns())
		uv_cond_timedwait(&aside->change, &aside->lock, until_ns - now_ns);
	done = aside->run == NULL;
	aside->late = !done;
	uv_mutex_unlock(&aside->lock);
	return done;
}

void pt_aside_free(struct pt_aside *aside)
{
	uv_thread_t thread;
	bool late;

	if (aside == NULL)
		return;
	uv_mutex_lock(&aside->lock);
	thread = aside->thread;
	late = aside->late;
	aside->quit = true;
	uv_cond_broadcast(&aside->change);
	uv_mutex_unlock(&aside->lock);
	if (late) {
		pthread_detach(thread);
		return;
	}
	uv_thread_join(&thread);
	drop(aside);
}
