/* struct termios2 is the kernel's, and its header cannot stand beside <termios.h>: so these are in a file of their own.
 * Source: ioctl_tty(2); linux/serial.h. */
#include "probes/swo/swo.h"

#include <asm/termbits.h>
#include <errno.h>
#include <limits.h>
#include <linux/serial.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/util.h"

/* A USB adapter hands over what it has each 16 ms, unless it is asked to do so soon. */
static void ask_for_low_latency(int fd)
{
	struct serial_struct serial;

	if (ioctl(fd, TIOCGSERIAL, &serial) < 0)
		return;
	serial.flags |= ASYNC_LOW_LATENCY;
	ioctl(fd, TIOCSSERIAL, &serial);
}

int pt_swo_tty_set(int fd, uint32_t bits_per_s, uint32_t *used, struct pt_err *err)
{
	struct termios2 raw;

	if (ioctl(fd, TCGETS2, &raw) < 0)
		return pt_fail(err, PT_EIO, "the serial port is gone: %s", strerror(errno));
	raw.c_iflag = raw.c_oflag = raw.c_lflag = 0;
	raw.c_iflag = INPCK;		/* some drivers count errors only then */
	raw.c_cflag = CS8 | CREAD | CLOCAL | BOTHER | (BOTHER << IBSHIFT);
	raw.c_ispeed = raw.c_ospeed = bits_per_s;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (ioctl(fd, TCSETS2, &raw) < 0)
		return pt_fail(err, PT_EARG, "the serial port does not take %u baud: %s", bits_per_s, strerror(errno));
	if (ioctl(fd, TCGETS2, &raw) < 0)
		return pt_fail(err, PT_EIO, "the serial port is gone: %s", strerror(errno));
	ask_for_low_latency(fd);
	*used = raw.c_ospeed;
	return 0;
}

void pt_swo_tty_counts(int fd, struct pt_swo_counts *out)
{
	struct serial_icounter_struct counts;
	int waiting = 0;

	*out = (struct pt_swo_counts){ .known = ioctl(fd, TIOCGICOUNT, &counts) == 0 };
	if (out->known) {
		out->bad_frames = (uint32_t)counts.frame + (uint32_t)counts.brk;
		out->overruns = (uint32_t)counts.overrun + (uint32_t)counts.buf_overrun;
	}
	if (ioctl(fd, FIONREAD, &waiting) == 0 && waiting > 0)
		out->waiting = (uint32_t)waiting;
}

bool pt_swo_tty_counts_all(const char *path)
{
	static const char *const drivers[] = { "ftdi_sio", "serial8250", "serial" };
	const char *name = strrchr(path, '/');
	char link[PATH_MAX], driver[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/sys/class/tty/%s/device/driver", name != NULL ? name + 1 : path);
	n = readlink(link, driver, sizeof(driver) - 1);
	if (n <= 0)
		return false;
	driver[n] = '\0';
	name = strrchr(driver, '/');
	for (size_t i = 0; i < PT_LEN(drivers); i++)
		if (strcmp(name != NULL ? name + 1 : driver, drivers[i]) == 0)
			return true;
	return false;
}
