/* Two directions, each with a buffer that is filled when empty and emptied before it is filled again. */
#include "cli/stdio_bridge.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct direction {
	int from, to;
	size_t begin, end;
	char bytes[16384];
};

/* --- connecting --------------------------------------------------------------------------------------------------- */

static int connect_to(int family, const struct sockaddr *at, socklen_t len, const char *address, struct pt_err *err)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, at, len) == 0)
		return fd;
	pt_fail(err, PT_EIO, "%s: %s", address, strerror(errno));
	if (fd >= 0)
		close(fd);
	return PT_EIO;
}

static int connect_unix(const char *address, struct pt_err *err)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int n = snprintf(at.sun_path, sizeof(at.sun_path), "%s", address + strlen("unix:"));

	if (n < 0 || (size_t)n >= sizeof(at.sun_path))
		return pt_fail(err, PT_EARG, "%s: too long a path", address);
	return connect_to(AF_UNIX, (struct sockaddr *)&at, sizeof(at), address, err);
}

/* Numeric addresses only: no name server is asked. */
static int connect_tcp(const char *address, struct pt_err *err)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | AI_NUMERICHOST };
	const char *colon = strrchr(address, ':');
	struct addrinfo *found;
	char host[NI_MAXHOST];
	size_t len;
	int fd;

	if (colon == NULL || colon - address >= (ptrdiff_t)sizeof(host))
		return pt_fail(err, PT_EARG, "\"%s\" is no address", address);
	len = (size_t)(colon - address);
	if (len >= 2 && address[0] == '[' && colon[-1] == ']')
		snprintf(host, sizeof(host), "%.*s", (int)len - 2, address + 1);
	else
		snprintf(host, sizeof(host), "%.*s", (int)len, address);
	if (getaddrinfo(host, colon + 1, &hints, &found) != 0)
		return pt_fail(err, PT_EARG, "\"%s\" is no address", address);
	fd = connect_to(found->ai_family, found->ai_addr, found->ai_addrlen, address, err);
	freeaddrinfo(found);
	return fd;
}

int pt_stdio_bridge_connect(const char *address, struct pt_err *err)
{
	return strncmp(address, "unix:", 5) == 0 ? connect_unix(address, err) : connect_tcp(address, err);
}

/* --- to and fro --------------------------------------------------------------------------------------------------- */

static bool is_empty(const struct direction *d)
{
	return d->begin == d->end;
}

static bool again(void)
{
	return errno == EAGAIN || errno == EINTR;
}

/* Called when its descriptor is ready. False: that side has ended. */
static bool move(struct direction *d)
{
	ssize_t n;

	if (is_empty(d)) {
		n = read(d->from, d->bytes, sizeof(d->bytes));
		d->begin = 0;
		d->end = n > 0 ? (size_t)n : 0;
		return n > 0 || (n < 0 && again());
	}
	n = write(d->to, d->bytes + d->begin, d->end - d->begin);
	if (n > 0)
		d->begin += (size_t)n;
	return n >= 0 || again();
}

static struct pollfd waits_for(const struct direction *d)
{
	return (struct pollfd){ .fd = is_empty(d) ? d->from : d->to, .events = is_empty(d) ? POLLIN : POLLOUT };
}

static bool set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

int pt_stdio_bridge(int in, int out, int socket, struct pt_err *err)
{
	struct direction to = { .from = in, .to = socket }, fro = { .from = socket, .to = out };
	bool more = set_nonblocking(in) && set_nonblocking(out) && set_nonblocking(socket);
	int rc = more ? 0 : pt_fail(err, PT_EIO, "relay: %s", strerror(errno));

	while (more) {
		struct pollfd fds[] = { waits_for(&to), waits_for(&fro) };

		if (poll(fds, 2, -1) < 0) {
			more = errno == EINTR;
			continue;
		}
		if (fds[1].revents != 0)	/* first: may be the last message of a daemon that ends */
			more = move(&fro);
		if (more && fds[0].revents != 0)
			more = move(&to);
	}
	close(socket);
	return rc;
}
