/* SWO by something that is no debug probe: a serial port (an FTDI's second channel, a UART adapter), a server on the
 * network that passes it on (OpenOCD's tpiu -output, J-Link's, orbuculum), a FIFO or a file. The driver "swo" has the wire
 * stream alone and joins a probe that has the debug port. */
#ifndef PT_PROBES_SWO_H
#define PT_PROBES_SWO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "probes/wires/probe.h"

extern const struct pt_probe_ops pt_swo_ops;

/* --- swo_tty.c: rates that termios has no name for, and what the kernel counts ------------------------------------- */

/* 8N1, raw, at this rate. used: what the driver says it has set. PT_EARG: it cannot; PT_EIO. */
int pt_swo_tty_set(int fd, uint32_t bits_per_s, uint32_t *used, struct pt_err *err);

/* Since the port was opened. Source: tty_ioctl(4), TIOCGICOUNT. */
struct pt_swo_counts {
	bool known;			/* false: the port's driver has none */
	uint32_t bad_frames, overruns;
	uint32_t waiting;		/* bytes that were received and not read yet */
};
void pt_swo_tty_counts(int fd, struct pt_swo_counts *out);

/* Does this port's kernel driver count every overrun of the device? */
bool pt_swo_tty_counts_all(const char *path);

#endif
