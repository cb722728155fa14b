/* File work that may block forever runs on a thread of its own, with a deadline: a disk that does not answer blocks no
 * other thread, and no client waits forever. At most PT_ERRANDS per place can hang at the same time. */
#ifndef PT_ERRAND_H
#define PT_ERRAND_H

#include <stdbool.h>
#include <uv.h>

#include "base/error.h"

enum { PT_ERRANDS = 16, PT_ERRAND_MS = 60000 };

/* Where the file is. Each place has its own limit. */
enum pt_errand_place {
	PT_ERRAND_NAMED,	/* a user or a client named it, and chose its disk */
	PT_ERRAND_OWN,		/* proftap's own folder */
	PT_ERRAND_PLACES,
};

struct pt_errand;

struct pt_errand_kind {
	void (*run)(void *data);		/* on its own thread; uses only data */
	/* Loop thread, once. late: the deadline has passed, and done() must not use data: it belongs to the thread
	 * until run() returns, which then calls drop(). */
	void (*done)(void *data, void *arg, bool late);
	void (*drop)(void *data);
	uint64_t timeout_ms;
	enum pt_errand_place place;
	bool always;				/* is counted, but never refused: it completes an earlier errand */
};

/* Loop thread. kind and arg stay the caller's; arg is passed to done(). PT_EBUSY: PT_ERRANDS hang; PT_ENOMEM: no thread.
 * After an error no function of kind is called. */
int pt_errand_start(uv_loop_t *loop, const struct pt_errand_kind *kind, void *data, void *arg, struct pt_err *err);
/* The same, for an errand that can be cancelled; NULL with err. It is valid until done() is called. */
struct pt_errand *pt_errand_new(uv_loop_t *loop, const struct pt_errand_kind *kind, void *data, void *arg,
				struct pt_err *err);
/* Ends the wait now: calls done() before it returns, with late true unless run() has just returned. */
void pt_errand_cancel(struct pt_errand *errand);

/* The error message for an errand that is late. Returns its code. */
int pt_errand_late(struct pt_err *err, const char *what);

#endif
