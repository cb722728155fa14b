/* Connections of the control door, from accepting to their end. */
#include "ctldoor/ctl_door.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ctldoor/ctl_parts.h"
#include "host/log.h"

/* --- the end ------------------------------------------------------------------------------------------------------- */

static void finish(struct pt_ctl_door *door)
{
	if (!door->closing || door->n_connections > 0 || !door->listener_closed)
		return;
	pt_sparing_close(door->sparing);
	if (door->on_closed != NULL)
		door->on_closed(door->closed_arg);
	free(door);
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct pt_ctl_connection *connection = handle->data;
	struct pt_ctl_door *door = connection->door;
	struct pt_ctl_connection **at = &door->connections;

	if (--connection->n_handles > 0)
		return;
	while (*at != connection)
		at = &(*at)->next;
	*at = connection->next;
	door->n_connections--;
	free(connection);
	finish(door);
}

void pt_ctl_go_on_closing(struct pt_ctl_connection *connection)
{
	if (!connection->closing || connection->command != NULL || uv_is_closing(&connection->peer.handle))
		return;
	uv_close(&connection->peer.handle, on_handle_closed);
	uv_close((uv_handle_t *)&connection->timer, on_handle_closed);
}

void pt_ctl_hang_up(struct pt_ctl_connection *connection)
{
	if (connection->closing)
		return;
	connection->closing = true;
	uv_read_stop(&connection->peer.stream);
	if (connection->command != NULL)
		pt_command_cancel(connection->command);	/* its end calls go_on_closing() */
	else
		pt_ctl_go_on_closing(connection);
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

static void take_line(struct pt_ctl_connection *connection, const char *line)
{
	json_t *request = json_loads(line, JSON_REJECT_DUPLICATES, NULL);

	if (!json_is_object(request)) {
		json_decref(request);
		pt_ctl_refuse(connection, PT_EARG, "a request is a line of JSON: {\"status\":true}");
		return;
	}
	pt_ctl_request(connection, request);
}

static void take_lines(struct pt_ctl_connection *connection)
{
	char *end;

	while (!connection->closing && (end = memchr(connection->line, '\n', connection->len_bytes)) != NULL) {
		size_t len = (size_t)(end + 1 - connection->line);

		*end = '\0';
		connection->since_ms = uv_now(connection->door->loop);
		take_line(connection, connection->line);
		memmove(connection->line, connection->line + len, connection->len_bytes - len);
		connection->len_bytes -= len;
	}
	if (connection->len_bytes == sizeof(connection->line))
		pt_ctl_hang_up(connection);
}

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct pt_ctl_connection *connection = handle->data;

	(void)suggested;
	*buf = uv_buf_init(connection->line + connection->len_bytes,
			   (unsigned)(sizeof(connection->line) - connection->len_bytes));
}

static void on_read(uv_stream_t *stream, ssize_t n_bytes, const uv_buf_t *buf)
{
	struct pt_ctl_connection *connection = stream->data;

	(void)buf;
	if (n_bytes < 0) {
		pt_ctl_hang_up(connection);
		return;
	}
	connection->len_bytes += (size_t)n_bytes;
	take_lines(connection);
}

static void on_tick(uv_timer_t *timer)
{
	struct pt_ctl_connection *connection = timer->data;
	uint64_t waited_ms = uv_now(connection->door->loop) - connection->since_ms;

	if (connection->closing)
		return;
	if (connection->n_writes > 0) {
		if (waited_ms > PT_CTL_STALL_MS)
			pt_ctl_hang_up(connection);
	} else if (connection->command != NULL) {
		pt_ctl_progress(connection);
	} else if (waited_ms > PT_CTL_PATIENCE_MS) {
		pt_ctl_hang_up(connection);
	}
}

/* --- connections -------------------------------------------------------------------------------------------------- */

static void on_refused_closed(uv_handle_t *handle)
{
	free(((struct pt_ctl_connection *)handle->data));
}

static void on_connection(uv_stream_t *socket, int status)
{
	struct pt_ctl_door *door = socket->data;
	struct pt_ctl_connection *connection;
	int rc;

	if (status < 0)
		return;
	connection = pt_alloc(sizeof(*connection));
	rc = pt_listener_accept(&door->listener, &connection->peer, connection);
	if (rc < 0 || door->n_connections == PT_CTL_CONNECTIONS) {
		pt_sparing_warn(door->sparing, "a connection that is not served", "control: refused: %s%s",
				door->listener.peer, rc < 0 ? "" : ": too many connections");
		uv_close(&connection->peer.handle, on_refused_closed);
		return;
	}
	connection->door = door;
	connection->own = door->listener.peer_is_own;
	snprintf(connection->who, sizeof(connection->who), "%s", door->listener.peer);
	connection->since_ms = uv_now(door->loop);
	connection->next = door->connections;
	door->connections = connection;
	door->n_connections++;
	connection->n_handles = 2;
	uv_timer_init(door->loop, &connection->timer);
	connection->timer.data = connection;
	uv_timer_start(&connection->timer, on_tick, PT_CTL_PROGRESS_MS, PT_CTL_PROGRESS_MS);
	if (uv_read_start(&connection->peer.stream, on_room, on_read) < 0)
		pt_ctl_hang_up(connection);
}

static void on_listener_closed(uv_handle_t *handle)
{
	struct pt_ctl_door *door = handle->data;

	door->listener_closed = true;
	finish(door);
}

void pt_ctl_door_close(struct pt_ctl_door *door, void (*on_closed)(void *arg), void *arg)
{
	struct pt_ctl_connection *next;

	door->closing = true;
	door->on_closed = on_closed;
	door->closed_arg = arg;
	for (struct pt_ctl_connection *connection = door->connections; connection != NULL; connection = next) {
		next = connection->next;
		pt_ctl_hang_up(connection);
	}
	door->listener_closed = !door->listener.open;
	if (door->listener.open)
		pt_listener_close(&door->listener, on_listener_closed);
	else
		finish(door);
}

struct pt_ctl_door *pt_ctl_door_new(uv_loop_t *loop, const struct pt_ctl_config *config, struct pt_err *err)
{
	struct pt_ctl_door *door = pt_alloc(sizeof(*door));

	door->loop = loop;
	door->config = *config;
	door->sparing = pt_sparing_new(loop, "control");
	door->listener.peers = config->allow;
	if (strncmp(config->address, "unix:", strlen("unix:")) != 0)
		pt_fail(err, PT_EARG, "%s is no unix socket: unix:PATH", config->address);
	else if (pt_listen(&door->listener, loop, config->address, on_connection, door, err) == 0)
		return door;
	pt_ctl_door_close(door, NULL, NULL);
	return NULL;
}

const char *pt_ctl_door_address(const struct pt_ctl_door *door)
{
	return door->listener.address;
}
