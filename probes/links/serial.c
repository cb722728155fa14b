/* A thread moves bytes between the port and a socket: what waits for a server on a socket, with its deadlines, waits
 * for one on a cable, too. Source: termios(3), tty_ioctl(4); flock is what other programs of today ask. */
#define _DEFAULT_SOURCE	/* cfmakeraw, CRTSCTS */
#include "probes/links/serial.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/util.h"
#include "host/owners.h"
#include "probes/links/links.h"

enum { BUFFER_BYTES = 4096 };

struct lane {			/* bytes on their way */
	uint8_t bytes[BUFFER_BYTES];
	size_t n;
};

struct pt_serial {
	int tty, socket;	/* socket: our end */
	struct termios before;
	pthread_t thread;
	struct lane to_tty, to_socket;
};

/* --- the port ----------------------------------------------------------------------------------------------------- */

static const struct { uint32_t baud; speed_t speed; } speeds[] = {
	{ 1200, B1200 }, { 2400, B2400 }, { 4800, B4800 }, { 9600, B9600 }, { 19200, B19200 }, { 38400, B38400 },
	{ 57600, B57600 }, { 115200, B115200 }, { 230400, B230400 }, { 460800, B460800 }, { 500000, B500000 },
	{ 576000, B576000 }, { 921600, B921600 }, { 1000000, B1000000 }, { 1152000, B1152000 }, { 1500000, B1500000 },
	{ 2000000, B2000000 }, { 2500000, B2500000 }, { 3000000, B3000000 }, { 3500000, B3500000 },
	{ 4000000, B4000000 },
};

static int refuse_open(const char *path, int why, struct pt_err *err)
{
	struct stat st;
	struct group *group;

	if (why == ENOENT || why == ENXIO || why == ENODEV)
		return pt_fail(err, PT_EIO,
			       "there is no serial port %s: plug the probe in, or see `ls /dev/serial/by-id`", path);
	if (why == EBUSY)
		return pt_link_busy(path, &path, 1, err);
	if (why != EACCES)
		return pt_fail(err, PT_EIO, "the serial port %s: %s", path, strerror(why));
	group = stat(path, &st) == 0 ? getgrgid(st.st_gid) : NULL;
	return pt_fail(err, PT_EPERM,
		       "no permission for the serial port %s: run \"sudo usermod -aG %s $USER\" and log in again, or "
		       "install the rules of `proftap drivers --udev`",
		       path, group != NULL ? group->gr_name : "dialout");
}

static int lock_port(int tty, const char *path, struct pt_err *err)
{
	if (!isatty(tty))
		return pt_fail(err, PT_EIO, "%s is not a serial port", path);
	if (flock(tty, LOCK_EX | LOCK_NB) < 0)
		return pt_link_busy(path, &path, 1, err);
	ioctl(tty, TIOCEXCL);		/* nor does any other program get it, unless it is root's */
	return 0;
}

/* A USB port takes any rate and ignores it, but the call checks. */
static int set_up(struct pt_serial *s, const char *path, uint32_t baud, struct pt_err *err)
{
	struct termios raw;
	size_t i = 0;

	while (i < PT_LEN(speeds) && speeds[i].baud != baud)
		i++;
	if (i == PT_LEN(speeds))
		return pt_fail(err, PT_EARG, "baud=%u: a serial port has 9600, 115200, 921600 and their like",
			       (unsigned)baud);
	if (tcgetattr(s->tty, &s->before) < 0)
		return pt_fail(err, PT_EIO, "the serial port %s: %s", path, strerror(errno));
	raw = s->before;
	cfmakeraw(&raw);
	raw.c_cflag = (raw.c_cflag & ~(tcflag_t)(CRTSCTS | CSTOPB)) | CLOCAL | CREAD | HUPCL;
	raw.c_cc[VMIN] = 1;	/* with O_NONBLOCK nothing waits for it; 0 would make "nothing" look like the end */
	raw.c_cc[VTIME] = 0;
	cfsetispeed(&raw, speeds[i].speed);
	cfsetospeed(&raw, speeds[i].speed);
	tcflush(s->tty, TCIOFLUSH);	/* what a host that was killed has left */
	if (tcsetattr(s->tty, TCSANOW, &raw) < 0)
		return pt_fail(err, PT_EIO, "the serial port %s: baud=%u: %s", path, (unsigned)baud, strerror(errno));
	if (tcgetattr(s->tty, &raw) < 0 || cfgetospeed(&raw) != speeds[i].speed)	/* the call does what it can */
		return pt_fail(err, PT_EARG, "the serial port %s does not have baud=%u", path, (unsigned)baud);
	return 0;
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/* False: the other end is gone. */
static bool fill(int fd, struct lane *lane)
{
	ssize_t n = read(fd, lane->bytes + lane->n, sizeof(lane->bytes) - lane->n);

	lane->n += n > 0 ? (size_t)n : 0;
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool drain(int fd, struct lane *lane)
{
	ssize_t n = lane->n > 0 ? write(fd, lane->bytes, lane->n) : 0;

	if (n > 0) {
		lane->n -= (size_t)n;
		memmove(lane->bytes, lane->bytes + n, lane->n);
	}
	return n >= 0 || errno == EAGAIN || errno == EINTR;
}

static short events_of(const struct lane *in, const struct lane *out)
{
	return (short)((in->n < BUFFER_BYTES ? POLLIN : 0) | (out->n > 0 ? POLLOUT : 0));
}

static bool move(struct pt_serial *s)
{
	struct pollfd fds[2] = { { .fd = s->tty, .events = events_of(&s->to_socket, &s->to_tty) },
				 { .fd = s->socket, .events = events_of(&s->to_tty, &s->to_socket) } };

	if (poll(fds, 2, -1) < 0)
		return errno == EINTR;
	if ((fds[0].revents & POLLIN) != 0 && !fill(s->tty, &s->to_socket))
		return false;
	if ((fds[1].revents & POLLIN) != 0 && !fill(s->socket, &s->to_tty))
		return false;
	if (!drain(s->socket, &s->to_socket) || !drain(s->tty, &s->to_tty))
		return false;
	return ((fds[0].revents | fds[1].revents) & (POLLERR | POLLHUP | POLLNVAL)) == 0;
}

static void *move_bytes(void *arg)
{
	struct pt_serial *s = arg;

	while (move(s))
		continue;
	shutdown(s->socket, SHUT_RDWR);
	return NULL;
}

/* --- start and stop ----------------------------------------------------------------------------------------------- */

static int run(struct pt_serial *s, struct pt_err *err)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
		return pt_fail(err, PT_ENOMEM, "no more file descriptors");
	s->socket = ends[1];
	if (pthread_create(&s->thread, NULL, move_bytes, s) == 0)
		return ends[0];
	close(ends[0]);
	close(ends[1]);
	return pt_fail(err, PT_ENOMEM, "no thread for a serial port");
}

int pt_serial_open_port(const char *path, struct pt_err *err)
{
	int tty = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	int rc;

	if (tty < 0)
		return refuse_open(path, errno, err);
	rc = lock_port(tty, path, err);
	if (rc < 0)
		close(tty);
	return rc < 0 ? rc : tty;
}

int pt_serial_start(const char *path, uint32_t baud, struct pt_serial **out, struct pt_err *err)
{
	struct pt_serial *s = pt_alloc(sizeof(*s));
	int fd;

	s->tty = pt_serial_open_port(path, err);
	if (s->tty < 0)
		goto free_s;
	if (set_up(s, path, baud, err) < 0)
		goto close_tty;
	fd = run(s, err);
	if (fd < 0)
		goto close_tty;
	*out = s;
	return fd;
close_tty:
	close(s->tty);
free_s:
	free(s);
	return err->code;
}

void pt_serial_stop(struct pt_serial *s)
{
	if (s == NULL)
		return;
	shutdown(s->socket, SHUT_RDWR);
	pthread_join(s->thread, NULL);
	tcsetattr(s->tty, TCSANOW, &s->before);
	ioctl(s->tty, TIOCNXCL);
	close(s->socket);
	close(s->tty);
	free(s);
}
