/* Preloaded (LD_PRELOAD) into proftap: a clock of the day that jumps, and files and connections that take and give few bytes
 * at a time. PT_CLOCK_JUMPS="200:3600,350:-7200": so many ms after the first look at a clock it is so many seconds further on.
 * PT_SLEEPS, in the same form: so long the machine is suspended then, which CLOCK_BOOTTIME alone counts.
 * PT_MOST_BYTES=9: no call moves more. Built by host.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* The next one of that name, which is the C library's. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static long long ms_of(const struct timespec *t)
{
	return (long long)t->tv_sec * 1000 + t->tv_nsec / 1000000;
}

static time_t jumped(const char *list)
{
	static long long began = -1;
	const char *at = getenv(list);
	struct timespec now;
	time_t by = 0;

	NEXT(clock_gettime)(CLOCK_MONOTONIC, &now);
	if (began < 0)
		began = ms_of(&now);
	while (at != NULL && *at != '\0') {
		char *end;
		long long when = strtoll(at, &end, 10), seconds = *end == ':' ? strtoll(end + 1, &end, 10) : 0;

		if (ms_of(&now) - began >= when)
			by += (time_t)seconds;
		at = *end == ',' ? end + 1 : NULL;
	}
	return by;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
	int rc = NEXT(clock_gettime)(clock, out);

	if (rc == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		out->tv_sec += jumped("PT_CLOCK_JUMPS");
	if (rc == 0 && clock == CLOCK_BOOTTIME)
		out->tv_sec += jumped("PT_SLEEPS");
	return rc;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
	int rc = NEXT(gettimeofday)(out, zone);

	if (rc == 0)
		out->tv_sec += jumped("PT_CLOCK_JUMPS");
	return rc;
}

time_t time(time_t *out)
{
	time_t now = NEXT(time)(NULL) + jumped("PT_CLOCK_JUMPS");

	if (out != NULL)
		*out = now;
	return now;
}

enum { EVENT_BYTES = 8 };	/* of an eventfd, which takes no fewer */

static size_t some(size_t n)
{
	const char *most = getenv("PT_MOST_BYTES");
	size_t bytes = most != NULL && n > EVENT_BYTES ? strtoul(most, NULL, 10) : n;

	return bytes < n ? bytes : n;
}

ssize_t read(int fd, void *buf, size_t n)
{
	return NEXT(read)(fd, buf, some(n));
}

ssize_t write(int fd, const void *buf, size_t n)
{
	return NEXT(write)(fd, buf, some(n));
}

ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
	return NEXT(pread)(fd, buf, some(n), at);
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
	return NEXT(pwrite)(fd, buf, some(n), at);
}

ssize_t recv(int fd, void *buf, size_t n, int flags)
{
	return NEXT(recv)(fd, buf, some(n), flags);
}

ssize_t send(int fd, const void *buf, size_t n, int flags)
{
	return NEXT(send)(fd, buf, some(n), flags);
}

/* The beginning of the first piece. */
ssize_t writev(int fd, const struct iovec *iov, int n)
{
	if (n > 0 && getenv("PT_MOST_BYTES") != NULL && iov[0].iov_len > 0)
		return write(fd, iov[0].iov_base, iov[0].iov_len);
	return NEXT(writev)(fd, iov, n);
}
