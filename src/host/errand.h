/* Work that a file may hold up for ever: on a thread of its own, with a deadline, so that a disk that does not answer
 * takes no thread from others and no client waits without end. At most PT_ERRANDS of them hang at once. */
#ifndef PT_ERRAND_H
#define PT_ERRAND_H

#include <stdbool.h>
#include <uv.h>

#include "base/error.h"

enum { PT_ERRANDS = 16, PT_ERRAND_MS = 60000 };

struct pt_errand_kind {
	void (*run)(void *data);		/* on the thread: touches data alone */
	/* Loop thread, once. late: the deadline has passed, and data is not to be touched any more: the thread has it
	 * until run() returns, and then calls drop(). */
	void (*done)(void *data, void *arg, bool late);
	void (*drop)(void *data);
	uint64_t timeout_ms;
};

/* Loop thread. kind and arg stay the caller's; arg is for done() alone. PT_EBUSY: PT_ERRANDS hang; PT_ENOMEM: no
 * thread. Then nothing of kind is called. */
int pt_errand_start(uv_loop_t *loop, const struct pt_errand_kind *kind, void *data, void *arg, struct pt_err *err);

/* The sentence for one that is late. */
int pt_errand_late(struct pt_err *err, const char *what);

#endif
