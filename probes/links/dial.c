/* From an address to a connected socket, for links to probes on the network; all within one deadline, whatever name
 * servers and hosts do. */
#include "probes/links/dial.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "probes/links/helper_thread.h"
#include "host/clock.h"
#include "base/util.h"

enum { CONNECT_MS = 2000 };

/* "HOST:PORT" into its halves; an address in brackets may have colons of its own. */
static bool split(const char *host_port, unsigned default_port, char *host, size_t host_bytes, char *port,
		  size_t port_bytes)
{
	const char *begin = host_port, *end, *colon;

	if (*begin == '[') {
		end = strchr(++begin, ']');
		colon = end != NULL ? end + 1 : NULL;
	} else {
		end = colon = begin + strcspn(begin, ":");
	}
	if (end == NULL || end == begin || (size_t)(end - begin) >= host_bytes || (*colon != 0 && *colon != ':'))
		return false;
	memcpy(host, begin, (size_t)(end - begin));
	host[end - begin] = 0;
	if (*colon == 0)
		return default_port != 0 && (size_t)snprintf(port, port_bytes, "%u", default_port) < port_bytes;
	return colon[1] != 0 && (size_t)snprintf(port, port_bytes, "%s", colon + 1) < port_bytes;
}

static int finish_connect(int fd, uint64_t deadline_ns)
{
	struct pollfd wait_for = { .fd = fd, .events = POLLOUT };
	socklen_t len = sizeof(int);
	int error = 0;

	while (poll(&wait_for, 1, pt_host_ms_until(deadline_ns)) == 0)
		if (pt_host_now_ns() >= deadline_ns)
			return ETIMEDOUT;
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 ? errno : error;
}

/* A connected socket, or -1 with errno. */
static int connect_one(const struct addrinfo *to, uint64_t deadline_ns)
{
	int fd = socket(to->ai_family, to->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, to->ai_protocol);
	int one = 1, error = 0;

	if (fd < 0)
		return -1;
	if (connect(fd, to->ai_addr, to->ai_addrlen) < 0)
		error = errno == EINPROGRESS ? finish_connect(fd, deadline_ns) : errno;
	if (error != 0) {
		close(fd);
		errno = error;
		return -1;
	}
	if (to->ai_family != AF_UNIX) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	}
	return fd;
}

struct question {
	char host[256], port[16];
	int rc;
	struct addrinfo *found;		/* NULL: nothing, or somebody has taken it */
};

static void resolve(void *arg)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	struct question *question = arg;

	question->rc = getaddrinfo(question->host, question->port, &hints, &question->found);
}

static void drop_question(void *arg)
{
	struct question *question = arg;

	if (question->found != NULL)
		freeaddrinfo(question->found);
	free(question);
}

/* Addresses, the caller's to free. Name servers may be silent for longer than anybody wants to wait. */
static int look_up(const char *host_port, unsigned default_port, uint64_t deadline_ns, struct addrinfo **found,
		   struct pt_err *err)
{
	struct question *question = pt_alloc(sizeof(*question));
	struct pt_aside *aside;
	int rc;

	if (!split(host_port, default_port, question->host, sizeof(question->host), question->port,
		   sizeof(question->port))) {
		free(question);
		return pt_fail(err, PT_EARG, "\"%s\" is not HOST:PORT", host_port);
	}
	aside = pt_aside_new(drop_question, question, err);
	if (aside == NULL) {
		free(question);
		return PT_ENOMEM;
	}
	if (!pt_aside_call(aside, resolve, deadline_ns)) {
		rc = pt_fail(err, PT_EIO, "probe at %s: no name server answers", host_port);
	} else if (question->rc != 0) {
		rc = pt_fail(err, PT_EIO, "probe at %s: %s", host_port, gai_strerror(question->rc));
	} else {
		*found = question->found;
		question->found = NULL;
		rc = 0;
	}
	pt_aside_free(aside);
	return rc;
}

static int dial_unix(const char *path, uint64_t deadline_ns, struct pt_err *err)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const struct addrinfo to = {
		.ai_family = AF_UNIX, .ai_socktype = SOCK_STREAM, .ai_addr = (struct sockaddr *)&at,
		.ai_addrlen = sizeof(at),
	};
	int fd;

	if (path[0] == 0 || strlen(path) >= sizeof(at.sun_path))
		return pt_fail(err, PT_EARG, "unix:%s is not the path of a socket", path);
	strcpy(at.sun_path, path);
	fd = connect_one(&to, deadline_ns);
	return fd >= 0 ? fd : pt_fail(err, PT_EIO, "probe at unix:%s: %s", path, strerror(errno));
}

int pt_dial(const char *address, unsigned default_port, struct pt_err *err)
{
	uint64_t deadline_ns = pt_host_now_ns() + CONNECT_MS * PT_NS_PER_MS;
	struct addrinfo *found = NULL;
	int fd = -1, why;

	if (strncmp(address, "unix:", 5) == 0)
		return dial_unix(address + 5, deadline_ns, err);
	why = look_up(address, default_port, deadline_ns, &found, err);
	if (why < 0)
		return why;
	for (const struct addrinfo *a = found; a != NULL && fd < 0; a = a->ai_next)
		fd = connect_one(a, deadline_ns);
	why = errno;
	freeaddrinfo(found);
	return fd >= 0 ? fd
		       : pt_fail(err, PT_EIO, "probe at %s: %s%s", address, strerror(why),
				 why == ECONNREFUSED ? ": no server listens there; start it, or name its port" : "");
}
