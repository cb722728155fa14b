/* An eventfd: it stays readable until the interrupt is taken, so none is lost between a check and a wait. */
#define _GNU_SOURCE	/* ppoll */
#include "probes/links/wake.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "host/clock.h"

int pt_wake_init(struct pt_wake *wake, struct pt_err *err)
{
	wake->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return wake->fd < 0 ? pt_fail(err, PT_ENOMEM, "no more file descriptors") : 0;
}

void pt_wake_fini(struct pt_wake *wake)
{
	close(wake->fd);
}

void pt_wake_set(struct pt_wake *wake)
{
	uint64_t one = 1;
	ssize_t n = write(wake->fd, &one, sizeof(one));

	(void)n;	/* fails only when 2^64 - 2 are pending already */
}

bool pt_wake_take(struct pt_wake *wake)
{
	uint64_t pending;

	return read(wake->fd, &pending, sizeof(pending)) == (ssize_t)sizeof(pending);
}

int pt_wake_sleep(struct pt_wake *wake, uint64_t until_ns, struct pt_err *err)
{
	struct pollfd fd = { .fd = wake->fd, .events = POLLIN };

	for (;;) {
		uint64_t now_ns = pt_host_now_ns(), left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
		struct timespec t = { (time_t)(left_ns / PT_NS_PER_S), (long)(left_ns % PT_NS_PER_S) };

		if (pt_wake_take(wake))
			return pt_fail(err, PT_EINTERRUPTED, "interrupted");
		if (left_ns == 0)
			return 0;
		ppoll(&fd, 1, &t, NULL);
	}
}
