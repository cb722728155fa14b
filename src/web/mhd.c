/* libmicrohttpd in the loop: no thread and no listener of its own. Its epoll is edge-triggered, so that after each run it
 * must be asked when it wants the next one: without that it sleeps on what it has already heard of. */
#include "web/web_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "host/log.h"

static void on_timer(uv_timer_t *timer);

static void run(struct pt_web *web)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (web->in_mhd || web->mhd == NULL)
		return;
	web->again = false;
	web->in_mhd = true;
	MHD_run(web->mhd);
	web->in_mhd = false;
	if (web->again)
		uv_timer_start(&web->timer, on_timer, 0, 0);
	else if (MHD_get_timeout(web->mhd, &ms) == MHD_YES)
		uv_timer_start(&web->timer, on_timer, ms, 0);
	else
		uv_timer_stop(&web->timer);
}

static void on_timer(uv_timer_t *timer)
{
	run(timer->data);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	run(poll->data);
}

void pt_web_mhd_kick(struct pt_web *web)
{
	web->again = true;
	if (!web->in_mhd && web->mhd != NULL)
		uv_timer_start(&web->timer, on_timer, 0, 0);
}

static void on_message(void *arg, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));
static void on_message(void *arg, const char *fmt, va_list args)
{
	char line[200];

	(void)arg;
	if (!pt_log_wants(PT_LOG_HTTP))
		return;
	vsnprintf(line, sizeof(line), fmt, args);
	line[strcspn(line, "\n")] = '\0';
	pt_debug(PT_LOG_HTTP, "http: %s", line);
}

/* --- connections -------------------------------------------------------------------------------------------------- */

static void add_connection(struct pt_web *web, struct MHD_Connection *mhd, void **context)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct pt_web_connection *connection = pt_alloc(sizeof(*connection));

	connection->fd = info != NULL ? info->connect_fd : -1;
	connection->is_unix = web->listener.socket.handle.type != UV_TCP;
	connection->since_ms = uv_now(web->loop);
	connection->next = web->connections;
	web->connections = connection;
	web->n_connections++;
	*context = connection;
}

static void remove_connection(struct pt_web *web, struct pt_web_connection *connection)
{
	struct pt_web_connection **at = &web->connections;

	while (*at != connection)
		at = &(*at)->next;
	*at = connection->next;
	web->n_connections--;
	free(connection);
}

static void on_connection(void *arg, struct MHD_Connection *mhd, void **context,
			  enum MHD_ConnectionNotificationCode what)
{
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		add_connection(arg, mhd, context);
	else if (*context != NULL)
		remove_connection(arg, *context);
}

/* The one that has waited longest for its client. */
static struct pt_web_connection *oldest_idle(struct pt_web *web)
{
	struct pt_web_connection *oldest = NULL;

	for (struct pt_web_connection *c = web->connections; c != NULL; c = c->next)
		if (!c->waits && (oldest == NULL || c->since_ms <= oldest->since_ms))
			oldest = c;
	return oldest;
}

/* libmicrohttpd hears of it as if the client had gone. */
static void hang_up(struct pt_web *web, struct pt_web_connection *connection)
{
	shutdown(connection->fd, SHUT_RDWR);
	connection->since_ms = uv_now(web->loop);
	pt_web_mhd_kick(web);
}

/* A client that sends its request byte by byte would keep its place for ever: each byte is a sign of life to the library. */
static void hang_up_late_ones(struct pt_web *web)
{
	for (struct pt_web_connection *c = web->connections; c != NULL; c = c->next)
		if (!c->waits && uv_now(web->loop) - c->since_ms > PT_WEB_PATIENCE_MS)
			hang_up(web, c);
}

static void on_tick(uv_timer_t *tick)
{
	struct pt_web *web = tick->data;

	hang_up_late_ones(web);
	pt_web_look(web);
	web->on_tick(web);
}

void pt_web_mhd_add(struct pt_web *web, int fd)
{
	struct sockaddr_storage at = { .ss_family = AF_UNSPEC };
	socklen_t len = sizeof(at);
	struct pt_web_connection *oldest = web->n_connections >= PT_WEB_CONNECTIONS ? oldest_idle(web) : NULL;

	if (oldest != NULL)
		hang_up(web, oldest);
	getpeername(fd, (struct sockaddr *)&at, &len);
	web->in_mhd = true;
	if (MHD_add_connection(web->mhd, fd, (struct sockaddr *)&at, len) != MHD_YES)
		pt_sparing_warn(web->sparing, "a connection beyond the limit", "http: too many connections");
	web->in_mhd = false;
	run(web);
}

/* --- life --------------------------------------------------------------------------------------------------------- */

static struct MHD_Daemon *start_daemon(struct pt_web *web)
{
	return MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG,
				0, NULL, NULL, pt_web_handle, web, MHD_OPTION_EXTERNAL_LOGGER, on_message, web,
				MHD_OPTION_CONNECTION_LIMIT, (unsigned)PT_WEB_CONNECTIONS + 8,
				MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)PT_WEB_STALL_S,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768, MHD_OPTION_STRICT_FOR_CLIENT, 1,
				MHD_OPTION_NOTIFY_COMPLETED, pt_web_on_completed, web, MHD_OPTION_NOTIFY_CONNECTION,
				on_connection, web, MHD_OPTION_END);
}

int pt_web_mhd_start(struct pt_web *web, struct pt_err *err)
{
	const union MHD_DaemonInfo *info;

	web->mhd = start_daemon(web);
	info = web->mhd != NULL ? MHD_get_daemon_info(web->mhd, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
	if (info == NULL)
		return pt_fail(err, PT_ENOMEM, "the HTTP library cannot be started");
	uv_timer_init(web->loop, &web->timer);
	uv_timer_init(web->loop, &web->tick);
	uv_timer_init(web->loop, &web->windows_timer);
	uv_poll_init(web->loop, &web->poll, info->listen_fd);
	web->timer.data = web->tick.data = web->windows_timer.data = web->poll.data = web;
	web->n_handles += 4;
	uv_poll_start(&web->poll, UV_READABLE, on_poll);
	uv_timer_start(&web->tick, on_tick, PT_WEB_TICK_MS, PT_WEB_TICK_MS);
	return 0;
}

void pt_web_mhd_stop(struct pt_web *web)
{
	struct MHD_Daemon *mhd = web->mhd;

	if (web->n_handles == 0)
		return;
	uv_close((uv_handle_t *)&web->timer, pt_web_on_handle_closed);
	uv_close((uv_handle_t *)&web->tick, pt_web_on_handle_closed);
	uv_close((uv_handle_t *)&web->windows_timer, pt_web_on_handle_closed);
	uv_close((uv_handle_t *)&web->poll, pt_web_on_handle_closed);
	MHD_run(mhd);			/* what has its answer by now; streams are resumed, */
	MHD_run(mhd);			/* and say their last */
	web->mhd = NULL;
	MHD_stop_daemon(mhd);
}
