#include "swodoor/swo_door.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "host/listen.h"
#include "host/log.h"
#include "swodoor/swo_bytes.h"

enum stream { RAW, TEXT, N_STREAMS };
static const char *const names[] = { [RAW] = "swo", [TEXT] = "swo text" };

struct client {
	union pt_stream socket;
	struct port *port;		/* NULL: unused */
	bool closing;
};

/* Data that have not been sent to the clients yet, which the loop does. What does not fit is lost to all clients. */
struct pending { uint8_t *bytes; size_t len_bytes; bool overflown; };

struct port {
	struct pt_swo_door *door;
	struct pt_listener listener;
	struct pending pending;
	unsigned n_clients;
};

struct pt_swo_door {
	struct port port[N_STREAMS];
	struct client client[PT_SWO_DOOR_CLIENTS];
	struct pt_swo_bytes bytes;	/* used by the thread that calls take() */
	uv_async_t async;
	uv_mutex_t lock;		/* guards what both threads use: bytes, pending, n_clients, closing */
	bool closing;
};

struct sent { uv_write_t request; uint8_t bytes[]; };

/* --- closing ------------------------------------------------------------------------------------------------------ */

static void count_client(struct port *port, int change)
{
	uv_mutex_lock(&port->door->lock);
	port->n_clients += (unsigned)change;
	uv_mutex_unlock(&port->door->lock);
}

static void on_client_closed(uv_handle_t *handle)
{
	count_client(((struct client *)handle->data)->port, -1);
	*(struct client *)handle->data = (struct client){ .port = NULL };
}

static void close_client(struct client *client)
{
	if (!client->closing)
		uv_close(&client->socket.handle, on_client_closed);
	client->closing = true;
}

/* --- clients ------------------------------------------------------------------------------------------------------ */

static void on_written(uv_write_t *request, int status)
{
	struct client *client = request->data;

	if (status < 0)
		close_client(client);
	free(request);
}

static void send_to(struct client *client, const uint8_t *bytes, size_t len_bytes)
{
	struct sent *sent;
	uv_buf_t buf;

	if (uv_stream_get_write_queue_size(&client->socket.stream) + len_bytes > PT_SWO_DOOR_UNSENT) {
		pt_warn("%s: a client reads too slowly: closed, as it would have missed something without a word",
			names[client->port - client->port->door->port]);
		close_client(client);
		return;
	}
	sent = pt_alloc(sizeof(*sent) + len_bytes);
	memcpy(sent->bytes, bytes, len_bytes);
	sent->request.data = client;
	buf = uv_buf_init((char *)sent->bytes, (unsigned)len_bytes);
	if (uv_write(&sent->request, &client->socket.stream, &buf, 1, on_written) < 0) {
		free(sent);
		close_client(client);
	}
}

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	static char bin[256];	/* input from clients is dropped */

	(void)handle;
	(void)suggested;
	*buf = uv_buf_init(bin, sizeof(bin));
}

/* A reader sends nothing: a client that does is of another kind, such as a web page that tries ports. */
static void on_read(uv_stream_t *stream, ssize_t n_bytes, const uv_buf_t *buf)
{
	struct client *client = stream->data;

	(void)buf;
	if (n_bytes > 0 && !client->closing)
		pt_warn("%s: closed a client that sends something: this door is for reading alone",
			names[client->port - client->port->door->port]);
	if (n_bytes != 0)
		close_client(client);
}

static struct client *free_place(struct pt_swo_door *door)
{
	for (size_t i = 0; i < PT_SWO_DOOR_CLIENTS; i++)
		if (door->client[i].port == NULL)
			return &door->client[i];
	return NULL;
}

static void on_refused(uv_handle_t *handle)
{
	free(handle->data);
}

static void on_connection(uv_stream_t *server, int status)
{
	struct port *port = server->data;
	struct pt_swo_door *door = port->door;
	struct client *client = status == 0 ? free_place(door) : NULL;
	bool has_place = client != NULL;
	int rc;

	if (status < 0)
		return;
	if (!has_place)
		client = pt_alloc(sizeof(*client));
	client->port = port;
	if (has_place)
		count_client(port, 1);
	rc = pt_listener_accept(&port->listener, &client->socket, client);
	if (has_place && rc == 0)
		rc = uv_read_start(&client->socket.stream, give_room, on_read);
	if (has_place && rc == 0)
		return;
	pt_warn("%s: refused a client: %s", names[port - door->port],
		has_place ? uv_strerror(rc) : "there are as many as there is room for");
	client->closing = true;
	uv_close(&client->socket.handle, has_place ? on_client_closed : on_refused);
}

/* --- bytes -------------------------------------------------------------------------------------------------------- */

static void give(struct port *port)
{
	struct pt_swo_door *door = port->door;
	struct pending had;

	uv_mutex_lock(&door->lock);
	had = port->pending;
	port->pending = (struct pending){ .bytes = NULL };
	uv_mutex_unlock(&door->lock);
	for (size_t i = 0; i < PT_SWO_DOOR_CLIENTS; i++) {
		struct client *client = &door->client[i];

		if (client->port != port || client->closing)
			continue;
		if (had.overflown)
			close_client(client);
		else if (had.len_bytes > 0)
			send_to(client, had.bytes, had.len_bytes);
	}
	free(had.bytes);
}

static void on_bytes(uv_async_t *async)
{
	struct pt_swo_door *door = async->data;

	for (size_t i = 0; i < N_STREAMS && !door->closing; i++)
		give(&door->port[i]);
}

static void put(struct port *port, const uint8_t *bytes, size_t len_bytes)
{
	struct pending *p = &port->pending;

	if (port->n_clients == 0 || p->overflown)
		return;
	if (p->bytes == NULL)
		p->bytes = pt_alloc(PT_SWO_DOOR_UNSENT);
	p->overflown = len_bytes > PT_SWO_DOOR_UNSENT - p->len_bytes;
	if (p->overflown)
		return;
	memcpy(p->bytes + p->len_bytes, bytes, len_bytes);
	p->len_bytes += len_bytes;
}

static void put_raw(void *arg, const uint8_t *bytes, size_t len_bytes)
{
	put(&((struct pt_swo_door *)arg)->port[RAW], bytes, len_bytes);
}

static void put_text(void *arg, const uint8_t *bytes, size_t len_bytes)
{
	put(&((struct pt_swo_door *)arg)->port[TEXT], bytes, len_bytes);
}

void pt_swo_door_take(void *arg, const struct pt_chunk *chunk)
{
	struct pt_swo_door *door = arg;
	const struct pt_swo_sink sink = { put_raw, put_text, door };

	uv_mutex_lock(&door->lock);
	if (!door->closing) {
		pt_swo_bytes_take(&door->bytes, chunk, &sink);
		uv_async_send(&door->async);
	}
	uv_mutex_unlock(&door->lock);
}

/* --- life --------------------------------------------------------------------------------------------------------- */

static int open_port(struct pt_swo_door *door, enum stream stream, const char *address, const struct pt_peers *allow,
		     struct pt_err *err)
{
	struct port *port = &door->port[stream];

	if (address == NULL)
		return 0;
	port->listener.peers = allow;
	if (pt_listen(&port->listener, door->async.loop, address, on_connection, port, err) < 0)
		return pt_wrap(err, "%s", stream == RAW ? "--swo" : "--swo-text");
	return 0;
}

struct pt_swo_door *pt_swo_door_new(uv_loop_t *loop)
{
	struct pt_swo_door *door = pt_alloc(sizeof(*door));

	uv_mutex_init(&door->lock);
	for (size_t i = 0; i < N_STREAMS; i++)
		door->port[i].door = door;
	door->async.data = door;
	if (uv_async_init(loop, &door->async, on_bytes) < 0)
		pt_out_of_memory(1, sizeof(*door));
	return door;
}

int pt_swo_door_open(struct pt_swo_door *door, const struct pt_swo_door_config *config, struct pt_err *err)
{
	if (open_port(door, RAW, config->raw, config->allow, err) < 0 ||
	    open_port(door, TEXT, config->text, config->allow, err) < 0)
		return err->code;
	return 0;
}

const char *pt_swo_door_raw(const struct pt_swo_door *door)
{
	return door->port[RAW].listener.address;
}

const char *pt_swo_door_text(const struct pt_swo_door *door)
{
	return door->port[TEXT].listener.address;
}

void pt_swo_door_close(struct pt_swo_door *door)
{
	uv_mutex_lock(&door->lock);
	door->closing = true;
	uv_mutex_unlock(&door->lock);
	for (size_t i = 0; i < PT_SWO_DOOR_CLIENTS; i++)
		if (door->client[i].port != NULL)
			close_client(&door->client[i]);
	for (size_t i = 0; i < N_STREAMS; i++)
		if (door->port[i].listener.open)
			pt_listener_close(&door->port[i].listener, NULL);
	uv_close((uv_handle_t *)&door->async, NULL);
}

void pt_swo_door_free(struct pt_swo_door *door)
{
	if (door == NULL)
		return;
	for (size_t i = 0; i < N_STREAMS; i++)
		free(door->port[i].pending.bytes);
	uv_mutex_destroy(&door->lock);
	free(door);
}
