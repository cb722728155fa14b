/* Addresses to sockets. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "host/listen.h"

#include "base/alloc.h"
#include "host/service.h"

enum { BACKLOG = 128 };

static int refused(struct pt_err *err, int rc, const char *address)
{
	if (rc == UV_EADDRINUSE)
		return pt_fail(err, PT_EBUSY,
			       "%s is in use, perhaps by another proftap: end that, or choose another "
			       "address (port 0, as in 127.0.0.1:0, takes any free one)",
			       address);
	if (rc == UV_EACCES || rc == UV_EPERM)
		return pt_fail(err, PT_EPERM,
			       "no permission to listen on %s: choose a port above 1023, or a socket "
			       "in a folder of yours",
			       address);
	return pt_fail(err, PT_EARG, "cannot listen on %s: %s", address, uv_strerror(rc));
}

static int start(struct pt_listener *listener, int rc, uv_connection_cb on_connection, const char *address,
		 struct pt_err *err)
{
	if (rc == 0)
		rc = uv_listen(&listener->socket.stream, BACKLOG, on_connection);
	return rc < 0 ? refused(err, rc, address) : 0;
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

static bool is_loopback(const struct sockaddr *at)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)at;
	const struct in6_addr *v6 = &((const struct sockaddr_in6 *)at)->sin6_addr;

	if (at->sa_family == AF_INET)
		return ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return at->sa_family == AF_INET6 &&
	       (IN6_IS_ADDR_LOOPBACK(v6) || (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == IN_LOOPBACKNET));
}

static char *name_of(const uv_tcp_t *tcp)
{
	struct sockaddr_storage at;
	char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?", name[NI_MAXHOST + NI_MAXSERV + 4];
	int len = sizeof(at);

	uv_tcp_getsockname(tcp, (struct sockaddr *)&at, &len);
	getnameinfo((struct sockaddr *)&at, (socklen_t)len, host, sizeof(host), port, sizeof(port),
		    NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(name, sizeof(name), at.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
	return pt_strdup(name);
}

/* Many other servers accept a port without a host, so the message suggests one. */
static int not_an_address(const char *address, struct pt_err *err)
{
	const char *port = address + (address[0] == ':');
	bool is_port = port[0] != '\0' && strspn(port, "0123456789") == strlen(port) && strlen(port) <= 5 &&
		       atoi(port) <= 65535;

	if (is_port)
		return pt_fail(err, PT_EARG,
			       "\"%s\" is not an address: HOST:PORT or unix:PATH; did you mean 127.0.0.1:%s?", address,
			       port);
	return pt_fail(err, PT_EARG,
		       "\"%s\" is not an address: HOST:PORT (port 0 to 65535; 127.0.0.1:0 takes any free one) or "
		       "unix:PATH",
		       address);
}

int pt_listen_check(const char *address, struct pt_err *err)
{
	char host[NI_MAXHOST], port[8];

	if (strncmp(address, "unix:", strlen("unix:")) == 0 || strncmp(address, "systemd:", strlen("systemd:")) == 0)
		return strchr(address, ':')[1] != '\0' ? 0 : not_an_address(address, err);
	return split_host_port(address, host, sizeof(host), port, sizeof(port)) < 0 ? not_an_address(address, err) : 0;
}

static int check_reach(struct pt_listener *listener, const struct sockaddr *at, const char *address, struct pt_err *err)
{
	listener->is_remote = !is_loopback(at);
	if (!listener->is_remote || listener->allow_remote)
		return 0;
	return pt_fail(err, PT_EARG,
		       "%s can be reached from other machines: listen on 127.0.0.1 or unix:PATH "
		       "and use ssh -L; or give --allow-remote",
		       address);
}

static int listen_tcp(struct pt_listener *listener, uv_loop_t *loop, const char *address,
		      uv_connection_cb on_connection, struct pt_err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *found;
	char host[NI_MAXHOST], port[8];
	int rc;

	if (split_host_port(address, host, sizeof(host), port, sizeof(port)) < 0)
		return not_an_address(address, err);
	rc = getaddrinfo(host[0] != '\0' ? host : "127.0.0.1", port, &hints, &found);
	if (rc != 0)
		return pt_fail(err, PT_EARG, "%s: %s", address, gai_strerror(rc));
	if (check_reach(listener, found->ai_addr, address, err) < 0) {
		freeaddrinfo(found);
		return err->code;
	}
	uv_tcp_init(loop, &listener->socket.tcp);
	listener->open = true;
	rc = uv_tcp_bind(&listener->socket.tcp, found->ai_addr, 0);
	freeaddrinfo(found);
	if (start(listener, rc, on_connection, address, err) < 0)
		return err->code;
	listener->address = name_of(&listener->socket.tcp);
	return 0;
}

/* --- unix socket -------------------------------------------------------------------------------------------------- */

/* Removes a socket file that no process serves any more: bind would fail. Other files are kept. */
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

/* The list of all socket files, for a process that must end without its loop. */
struct pt_socket_file {
	struct pt_socket_file *next;
	char *path;
	dev_t device;
	ino_t inode;
};

static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pt_socket_file *files;	/* under the lock */

/* Another process may have replaced the file since. */
static void remove_file(const struct pt_socket_file *file)
{
	struct stat st;

	if (lstat(file->path, &st) == 0 && st.st_dev == file->device && st.st_ino == file->inode)
		unlink(file->path);
}

static struct pt_socket_file *keep_file(const char *path)
{
	struct pt_socket_file *file;
	struct stat st;

	if (lstat(path, &st) < 0)
		return NULL;
	file = pt_alloc(sizeof(*file));
	*file = (struct pt_socket_file){ .path = pt_strdup(path), .device = st.st_dev, .inode = st.st_ino };
	pthread_mutex_lock(&files_lock);
	file->next = files;
	files = file;
	pthread_mutex_unlock(&files_lock);
	return file;
}

static void forget_file(struct pt_socket_file *file)
{
	struct pt_socket_file **at = &files;

	pthread_mutex_lock(&files_lock);
	while (*at != file)
		at = &(*at)->next;
	*at = file->next;
	pthread_mutex_unlock(&files_lock);
	remove_file(file);
	free(file->path);
	free(file);
}

void pt_listen_remove_files(void)
{
	pthread_mutex_lock(&files_lock);
	for (const struct pt_socket_file *file = files; file != NULL; file = file->next)
		remove_file(file);
	pthread_mutex_unlock(&files_lock);
}

/* Not with libuv, which on close removes whatever file has the name then. */
static int bind_unix(uv_pipe_t *pipe, const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc;

	if (fd < 0)
		return uv_translate_sys_error(errno);
	strcpy(at.sun_path, path);
	rc = bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ? uv_translate_sys_error(errno) : uv_pipe_open(pipe, fd);
	if (rc < 0)
		close(fd);
	return rc;
}

static int listen_unix(struct pt_listener *listener, uv_loop_t *loop, const char *address,
		       uv_connection_cb on_connection, struct pt_err *err)
{
	const char *path = address + strlen("unix:");
	int rc;

	if (path[0] == '\0' || strlen(path) >= sizeof(((struct sockaddr_un *)NULL)->sun_path))
		return pt_fail(err, PT_EARG, "%s: the path must have 1 to %zu characters", address,
			       sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1);
	remove_stale(path);
	uv_pipe_init(loop, &listener->socket.pipe, 0);
	listener->open = true;
	rc = bind_unix(&listener->socket.pipe, path);
	if (rc == 0)
		listener->file = keep_file(path);
	if (rc == 0)	/* the permissions of the file do not matter: the kernel tells which user connects */
		chmod(path, listener->peers != NULL ? 0666 : 0600);
	if (start(listener, rc, on_connection, address, err) < 0)
		return err->code;
	listener->address = pt_strdup(address);
	return 0;
}

/* --- a socket of the service manager ------------------------------------------------------------------------------ */

static int open_passed(struct pt_listener *listener, uv_loop_t *loop, int fd, const char *address, struct pt_err *err)
{
	struct sockaddr_storage at = { 0 };
	socklen_t len = sizeof(at);
	int rc = getsockname(fd, (struct sockaddr *)&at, &len) < 0 ? uv_translate_sys_error(errno) : 0;

	if (rc == 0 && at.ss_family != AF_UNIX && check_reach(listener, (struct sockaddr *)&at, address, err) < 0)
		return err->code;
	if (rc == 0 && at.ss_family == AF_UNIX) {
		uv_pipe_init(loop, &listener->socket.pipe, 0);
		listener->open = true;
		rc = uv_pipe_open(&listener->socket.pipe, fd);
	} else if (rc == 0) {
		uv_tcp_init(loop, &listener->socket.tcp);
		listener->open = true;
		rc = uv_tcp_open(&listener->socket.tcp, fd);
	}
	return rc < 0 ? refused(err, rc, address) : 0;
}

static char *name_of_pipe(const uv_pipe_t *pipe)
{
	char name[sizeof(((struct sockaddr_un *)NULL)->sun_path) + sizeof("unix:")] = "unix:";
	size_t room = sizeof(name) - sizeof("unix:");

	uv_pipe_getsockname(pipe, name + strlen("unix:"), &room);
	return pt_strdup(name);
}

static int listen_passed(struct pt_listener *listener, uv_loop_t *loop, const char *address,
			 uv_connection_cb on_connection, struct pt_err *err)
{
	const char *name = address + strlen("systemd:");
	int fd = pt_service_take_socket(name);

	if (fd < 0)
		return pt_fail(
			err, PT_EARG,
			"%s: systemd passed no listening socket of this name; it is passed by a .socket unit with "
			"FileDescriptorName=%s and Service=proftap.service (doc/service.md)",
			address, name);
	if (open_passed(listener, loop, fd, address, err) < 0) {
		close(fd);
		return err->code;
	}
	if (start(listener, 0, on_connection, address, err) < 0)
		return err->code;
	listener->address = listener->socket.handle.type == UV_TCP ? name_of(&listener->socket.tcp)
								   : name_of_pipe(&listener->socket.pipe);
	return 0;
}

int pt_listen(struct pt_listener *listener, uv_loop_t *loop, const char *address, uv_connection_cb on_connection,
	      void *data, struct pt_err *err)
{
	struct pt_err local;

	if (err == NULL)
		err = &local;
	listener->socket.handle.data = data;	/* the init functions below do not change it */
	if (strncmp(address, "unix:", 5) == 0)
		return listen_unix(listener, loop, address, on_connection, err);
	if (strncmp(address, "systemd:", strlen("systemd:")) == 0)
		return listen_passed(listener, loop, address, on_connection, err);
	return listen_tcp(listener, loop, address, on_connection, err);
}

static int check_peer(struct pt_listener *listener, const union pt_stream *peer)
{
	int fd, rc = uv_fileno(&peer->handle, &fd);

	if (rc < 0)
		return rc;
	listener->peer_is_own = pt_peer_is_own(fd);
	if (listener->socket.handle.type == UV_TCP)
		return 0;
	return pt_peers_may(listener->peers, fd, listener->peer) ? 0 : UV_EACCES;
}

int pt_listener_accept(struct pt_listener *listener, union pt_stream *peer, void *data)
{
	uv_loop_t *loop = listener->socket.handle.loop;
	int rc;

	if (listener->socket.handle.type == UV_TCP)
		uv_tcp_init(loop, &peer->tcp);
	else
		uv_pipe_init(loop, &peer->pipe, 0);
	peer->handle.data = data;
	rc = uv_accept(&listener->socket.stream, &peer->stream);
	listener->peer_is_own = false;
	return rc == 0 ? check_peer(listener, peer) : rc;
}

void pt_listener_close(struct pt_listener *listener, uv_close_cb on_closed)
{
	if (listener->file != NULL)
		forget_file(listener->file);
	free(listener->address);
	listener->file = NULL;
	listener->address = NULL;
	listener->open = false;
	uv_close(&listener->socket.handle, on_closed);
}
