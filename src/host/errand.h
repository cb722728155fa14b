/* Work that a file may hold up for ever: on a thread of its own, with a deadline, so that a disk that does not answer
 * takes no thread from others and no client waits without end. At most PT_ERRANDS of each place hang at once. */
#ifndef PT_ERRAND_H
#define PT_ERRAND_H

#include <stdbool.h>
#include <uv.h>

#include "base/error.h"

enum { PT_ERRANDS = 16, PT_ERRAND_MS = 60000 };

/* Where the file is: what hangs at one place takes nothing from the others. */
enum pt_errand_place {
	PT_ERRAND_NAMED,	/* a user or a client named it, and chose its disk */
	PT_ERRAND_OWN,		/* proftap's own folder */
	PT_ERRAND_PLACES,
};

struct pt_errand;

struct pt_errand_kind {
	void (*run)(void *data);		/* on the thread: touches data alone */
	/* Loop thread, once. late: the deadline has passed, and data is not to be touched any more: the thread has it
	 * until run() returns, and then calls drop(). */
	void (*done)(void *data, void *arg, bool late);
	void (*drop)(void *data);
	uint64_t timeout_ms;
	enum pt_errand_place place;
	bool always;				/* counts, but is never refused: it ends what another one began */
};

/* Loop thread. kind and arg stay the caller's; arg is for done() alone. PT_EBUSY: PT_ERRANDS hang; PT_ENOMEM: no
 * thread. Then nothing of kind is called. */
int pt_errand_start(uv_loop_t *loop, const struct pt_errand_kind *kind, void *data, void *arg, struct pt_err *err);
/* The same, for one that may be cancelled; NULL with err. The errand is there until done() is called. */
struct pt_errand *pt_errand_new(uv_loop_t *loop, const struct pt_errand_kind *kind, void *data, void *arg,
				struct pt_err *err);
/* Its deadline has come: done() is called before this returns, as late unless run() has just returned. */
void pt_errand_cancel(struct pt_errand *errand);

/* The sentence for one that is late. */
int pt_errand_late(struct pt_err *err, const char *what);

#endif
