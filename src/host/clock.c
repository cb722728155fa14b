/* The monotonic clock of the host. It counts while the machine is suspended: the target does not sleep, so what it did meanwhile is
 * time that is not observed, not no time at all. */
#include "host/clock.h"

#include <time.h>

#include "base/util.h"

uint64_t pt_host_now_ns(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_BOOTTIME, &t) < 0)	/* some sandboxes have only the clocks below */
		clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * PT_NS_PER_S + (uint64_t)t.tv_nsec;
}

int pt_host_ms_until(uint64_t until_ns)
{
	uint64_t now_ns = pt_host_now_ns();

	if (until_ns <= now_ns)
		return 0;
	if (until_ns - now_ns > 60 * PT_NS_PER_S)
		return 60000;
	return (int)((until_ns - now_ns + PT_NS_PER_MS - 1) / PT_NS_PER_MS);
}
