/* The monotonic clock of the host. Unlike uv_hrtime(), it also counts while the machine is suspended. Any thread. */
#ifndef PT_HOST_CLOCK_H
#define PT_HOST_CLOCK_H

#include <stdint.h>

uint64_t pt_host_now_ns(void);
int pt_host_ms_until(uint64_t until_ns);	/* for poll(): rounded up, 0 when past, at most a minute */

#endif
