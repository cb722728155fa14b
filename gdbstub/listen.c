/* Where clients come from: a TCP port, a unix socket, or our own standard input and output. */
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "gdbstub/client.h"
#include "gdbstub/stub.h"
#include "log.h"

enum { BACKLOG = 8 };

static void on_connection(uv_stream_t *listener, int status)
{
	struct pt_gdbstub *stub = listener->data;
	struct pt_err err;

	if (status < 0)
		pt_warn("gdb: a connection failed: %s", uv_strerror(status));
	else if (pt_gdb_client_accept(stub, listener, &err) < 0)
		pt_warn("gdb: %s", err.msg);
}

static int refused(struct pt_err *err, int rc, const char *address)
{
	if (rc == UV_EADDRINUSE)
		return pt_fail(err, PT_EBUSY, "%s is in use, perhaps by another proftap: end that, or choose another "
			       "address (--gdb 127.0.0.1:0 takes any free port)", address);
	if (rc == UV_EACCES || rc == UV_EPERM)
		return pt_fail(err, PT_EPERM, "no permission to listen on %s: choose a port above 1023, or a socket "
			       "in a folder of yours", address);
	return pt_fail(err, PT_EARG, "cannot listen on %s: %s", address, uv_strerror(rc));
}

/* --- TCP ---------------------------------------------------------------------------------------------------------- */

static int split_host_port(const char *address, char *host, size_t host_bytes, char *port, size_t port_bytes)
{
	const char *colon = strrchr(address, ':');
	const char *from = address;
	size_t len;

	if (colon == NULL || colon[1] == '\0' || strlen(colon + 1) >= port_bytes ||
	    strspn(colon + 1, "0123456789") != strlen(colon + 1) || atoi(colon + 1) > UINT16_MAX)
		return PT_EARG;
	len = (size_t)(colon - address);
	if (len >= 2 && from[0] == '[' && from[len - 1] == ']') {	/* [::1]:3333 */
		from++;
		len -= 2;
	}
	if (len >= host_bytes)
		return PT_EARG;
	snprintf(host, host_bytes, "%.*s", (int)len, from);
	strcpy(port, colon + 1);
	return 0;
}

static void name_tcp(struct pt_gdbstub *stub)
{
	struct sockaddr_storage at;
	char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?", name[NI_MAXHOST + NI_MAXSERV + 4];
	int len = sizeof(at);

	uv_tcp_getsockname(&stub->listener.tcp, (struct sockaddr *)&at, &len);
	getnameinfo((struct sockaddr *)&at, (socklen_t)len, host, sizeof(host), port, sizeof(port),
		    NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(name, sizeof(name), at.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
	free(stub->address);
	stub->address = strdup(name);
}

static int listen_tcp(struct pt_gdbstub *stub, const char *address, struct pt_err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *found;
	char host[NI_MAXHOST], port[8];
	int rc;

	if (split_host_port(address, host, sizeof(host), port, sizeof(port)) < 0)
		return pt_fail(err, PT_EARG, "\"%s\" is not an address: HOST:PORT, unix:PATH or stdio", address);
	rc = getaddrinfo(host[0] != '\0' ? host : "127.0.0.1", port, &hints, &found);
	if (rc != 0)
		return pt_fail(err, PT_EARG, "%s: %s", address, gai_strerror(rc));
	uv_tcp_init(stub->loop, &stub->listener.tcp);
	stub->listener.handle.data = stub;
	stub->listens = true;
	rc = uv_tcp_bind(&stub->listener.tcp, found->ai_addr, 0);
	freeaddrinfo(found);
	if (rc == 0)
		rc = uv_listen(&stub->listener.stream, BACKLOG, on_connection);
	if (rc < 0)
		return refused(err, rc, address);
	name_tcp(stub);
	return 0;
}

/* --- unix socket -------------------------------------------------------------------------------------------------- */

/* A socket file that nobody serves any more is in the way of bind: take it out. Anything else stays. */
static void remove_stale(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct stat st;
	int fd;

	if (lstat(path, &st) < 0 || !S_ISSOCK(st.st_mode))
		return;
	strcpy(at.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0 && errno == ECONNREFUSED)
		unlink(path);
	close(fd);
}

static int listen_unix(struct pt_gdbstub *stub, const char *path, struct pt_err *err)
{
	int rc;

	if (path[0] == '\0' || strlen(path) >= sizeof(((struct sockaddr_un *)NULL)->sun_path))
		return pt_fail(err, PT_EARG, "unix:%s: the path must have 1 to %zu characters", path,
			       sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1);
	remove_stale(path);
	uv_pipe_init(stub->loop, &stub->listener.pipe, 0);
	stub->listener.handle.data = stub;
	stub->listens = true;
	rc = uv_pipe_bind(&stub->listener.pipe, path);
	if (rc == 0)
		stub->socket_path = strdup(path);
	if (rc == 0)
		rc = uv_listen(&stub->listener.stream, BACKLOG, on_connection);
	return rc < 0 ? refused(err, rc, stub->address) : 0;
}

/* --- life --------------------------------------------------------------------------------------------------------- */

static int start(struct pt_gdbstub *stub, struct pt_err *err)
{
	if (strcmp(stub->address, "stdio") == 0)
		return pt_gdb_client_stdio(stub, err);
	if (strncmp(stub->address, "unix:", 5) == 0)
		return listen_unix(stub, stub->address + 5, err);
	return listen_tcp(stub, stub->config.address, err);
}

struct pt_gdbstub *pt_gdbstub_new(uv_loop_t *loop, const struct pt_gdbstub_config *config, struct pt_err *err)
{
	struct pt_gdbstub *stub = calloc(1, sizeof(*stub));

	if (stub == NULL) {
		pt_fail(err, PT_ENOMEM, "no memory for the GDB server");
		return NULL;
	}
	signal(SIGPIPE, SIG_IGN);	/* a client that is gone is an error of the write, not the end of the daemon */
	stub->loop = loop;
	stub->config = *config;
	stub->address = strdup(config->address);
	if (start(stub, err) < 0) {
		pt_gdbstub_close(stub, NULL, NULL);
		return NULL;
	}
	return stub;
}

const char *pt_gdbstub_address(const struct pt_gdbstub *stub)
{
	return stub->address;
}

static void on_listener_closed(uv_handle_t *handle)
{
	struct pt_gdbstub *stub = handle->data;

	stub->listens = false;
	pt_gdbstub_check(stub);
}

void pt_gdbstub_check(struct pt_gdbstub *stub)
{
	if (!stub->closing) {
		pt_gdb_clients_wake(stub);
		return;
	}
	if (stub->clients != NULL || stub->listens)
		return;
	if (stub->on_closed != NULL)
		stub->on_closed(stub->on_closed_arg);
	free(stub->socket_path);
	free(stub->address);
	free(stub);
}

void pt_gdbstub_close(struct pt_gdbstub *stub, void (*on_closed)(void *arg), void *arg)
{
	stub->closing = true;
	stub->on_closed = on_closed;
	stub->on_closed_arg = arg;
	if (stub->socket_path != NULL)
		unlink(stub->socket_path);
	pt_gdb_clients_leave(stub, "the server ends");
	if (stub->listens)
		uv_close(&stub->listener.handle, on_listener_closed);
	else
		pt_gdbstub_check(stub);
}
