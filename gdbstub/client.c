/* When the connection ends, for whatever reason, the board is put back into the state before the session, then the
 * client is freed. */
#include "gdbstub/client.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/first_bytes.h"
#include "gdbstub/files/hostio.h"
#include "gdbstub/packets/dispatch.h"
#include "gdbstub/packets/monitor.h"
#include "gdbstub/packets/run.h"
#include "gdbstub/proxy/proxy.h"
#include "gdbstub/tables/branch_trace.h"
#include "gdbstub/tables/document.h"
#include "gdbstub/rsp/admit.h"
#include "gdbstub/tables/live.h"
#include "host/log.h"

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void free_client(struct pt_gdb_client *client)
{
	struct pt_gdbstub *stub = client->stub;
	struct pt_gdb_client **at = &stub->clients;
	bool was_stdio = pt_rsp_is_stdio(&client->rsp);

	while (*at != client)
		at = &(*at)->next;
	*at = client->next;
	pt_gdb_files_free(stub->loop, client->files);
	pt_gdb_document_free(client->document);
	free(client->history);
	pt_rsp_free(&client->request.frame);
	pt_rsp_free(&client->resume.halt.frame);
	pt_rsp_free(&client->resume.stop.frame);
	free(client);
	if (was_stdio && !stub->closing && stub->config.on_quit != NULL)
		stub->config.on_quit(stub->config.arg);
	pt_gdbstub_wake(stub);
}

static void on_timer_closed(uv_handle_t *handle)
{
	struct pt_gdb_client *client = handle->data;

	if (--client->n_timers == 0)
		free_client(client);
}

static void on_connection_closed(void *arg)
{
	struct pt_gdb_client *client = arg;

	client->n_timers = 3;
	uv_close((uv_handle_t *)&client->command.timer, on_timer_closed);
	uv_close((uv_handle_t *)&client->command.live_timer, on_timer_closed);
	uv_close((uv_handle_t *)&client->nonstop.timer, on_timer_closed);
}

static void close_client(struct pt_gdb_client *client)
{
	pt_board_unlisten(client->stub->config.board, &client->inferior.listener);
	pt_rsp_close(&client->rsp, on_connection_closed);
}

static void on_hangup(void *arg, const char *why)
{
	struct pt_gdb_client *client = arg;

	if (why != NULL) {
		if (client->rsp.known)
			pt_sparing_info(client->stub->sparing, "a client that left", "gdb: %s left: %s",
					client->rsp.peer, why);
		pt_gdb_live_stop(client);
		pt_monitor_abandon(client);
		return;
	}
	pt_gdb_pass_end(client);
	if (client->inferior.run != PT_GDB_NONE)
		pt_gdb_end_session(client);	/* holds the connection until the board is restored */
	if (client->rsp.holds == 0)
		close_client(client);
}

void pt_gdb_clients_leave(struct pt_gdbstub *stub, const char *why)
{
	for (struct pt_gdb_client *client = stub->clients; client != NULL; client = client->next)
		pt_rsp_hang_up(&client->rsp, why);
}

/* --- in between --------------------------------------------------------------------------------------------------- */

enum { TOKEN_PATIENCE = 5 };	/* times as long as for the first bytes: a person may be typing */

enum { MOST_CLIENTS = 64 };

/* Clients use the daemon's descriptors and memory: strangers must not use them up, or keep its own user out. The list
 * has the newest first. */
static void limit_clients(struct pt_gdb_client *newest)
{
	struct pt_gdbstub *stub = newest->stub;
	struct pt_gdb_client *leaves = newest;
	size_t n = 0;

	for (struct pt_gdb_client *client = stub->clients; client != NULL; client = client->next) {
		if (!client->rsp.known || client->rsp.closing)
			continue;
		n++;
		if (newest->rsp.own && !client->rsp.own && client != stub->owner)
			leaves = client;
	}
	if (n <= MOST_CLIENTS)
		return;
	pt_sparing_warn(stub->sparing, "more clients than are served", "gdb: %s is closed: %d clients are served",
			leaves->rsp.peer, MOST_CLIENTS);
	pt_rsp_hang_up(&leaves->rsp, "there are too many");
}

static void on_known(void *arg)
{
	struct pt_gdb_client *client = arg;

	limit_clients(client);
	if (client->auth.locked)
		pt_rsp_admit_within(&client->rsp, TOKEN_PATIENCE * (uint64_t)client->stub->config.patience_ms);
}

static void on_packet(void *arg)
{
	pt_gdb_handle_packet(arg);
}

/* A GDB that sends a new packet no longer waits for the old command. */
static void on_arrived(void *arg)
{
	pt_gdb_hear_packet(arg);
	pt_monitor_abandon(arg);
}

static void on_interrupt(void *arg)
{
	struct pt_gdb_client *client = arg;

	if (client->command.call != NULL)
		pt_monitor_interrupt(client);
	else if (pt_gdb_is_proxied(client))
		pt_gdb_pass_interrupt(client);
	else
		pt_gdb_interrupt(client);
}

static void on_alive(void *arg)
{
	pt_monitor_alive(arg);
}

void pt_gdb_clients_wake(struct pt_gdbstub *stub)
{
	for (struct pt_gdb_client *client = stub->clients, *next; client != NULL; client = next) {
		next = client->next;
		if (client->parked) {
			client->parked = false;
			pt_rsp_redeliver(&client->rsp);
		}
	}
}

/* --- the beginning ------------------------------------------------------------------------------------------------ */

static struct pt_gdb_client *new_client(struct pt_gdbstub *stub)
{
	static const struct pt_rsp_handler handler = {
		.known = on_known,
		.packet = on_packet,
		.arrived = on_arrived,
		.interrupt = on_interrupt,
		.alive = on_alive,
		.hangup = on_hangup,
	};
	struct pt_gdb_client *client = pt_alloc(sizeof(*client));

	client->stub = stub;
	client->since_ms = uv_now(stub->loop);
	client->files = pt_gdb_files_new();
	client->document = pt_gdb_document_new();
	client->history = pt_gdb_history_new();
	client->inferior.n_cores = 1;
	client->auth.locked = stub->config.token != NULL;
	pt_rsp_connection_init(&client->rsp, stub->loop, &handler, client);
	client->rsp.secret = client->auth.locked;
	client->rsp.sparing = stub->sparing;
	pt_gdb_request_init(&client->request, client, false);
	pt_gdb_request_init(&client->resume.halt, client, true);
	pt_gdb_request_init(&client->resume.stop, client, false);
	uv_timer_init(stub->loop, &client->command.timer);
	uv_timer_init(stub->loop, &client->command.live_timer);
	uv_timer_init(stub->loop, &client->nonstop.timer);
	client->command.timer.data = client->command.live_timer.data = client->nonstop.timer.data = client;
	client->next = stub->clients;
	stub->clients = client;
	pt_gdb_listen_to_board(client);
	return client;
}

/* A browser opens connections in reserve, and a page can open many: a GDB must still get in. The list has the newest
 * first. */
static void limit_unknown(struct pt_gdbstub *stub)
{
	struct pt_gdb_client *oldest = NULL;
	size_t n = 0;

	for (struct pt_gdb_client *client = stub->clients; client != NULL; client = client->next) {
		if ((client->rsp.known && !client->auth.locked) || client->rsp.closing || pt_rsp_is_stdio(&client->rsp))
			continue;
		oldest = client;
		n++;
	}
	if (n <= PT_FIRST_MOST_PEERS)
		return;
	pt_sparing_info(stub->sparing, "a connection that made place",
			"gdb: %s is closed: with it %d connections have sent no GDB packet, or no token",
			oldest->rsp.peer, PT_FIRST_MOST_PEERS + 1);
	pt_rsp_hang_up(&oldest->rsp, "it makes place");
}

int pt_gdb_client_accept(struct pt_gdbstub *stub, struct pt_listener *listener, struct pt_err *err)
{
	struct pt_gdb_client *client = new_client(stub);

	if (pt_rsp_accept(&client->rsp, listener, err) < 0) {
		close_client(client);
		return err->code;
	}
	pt_rsp_admit_within(&client->rsp, stub->config.patience_ms);
	limit_unknown(stub);
	return 0;
}

int pt_gdb_client_stdio(struct pt_gdbstub *stub, struct pt_err *err)
{
	struct pt_gdb_client *client = new_client(stub);

	if (pt_rsp_open_stdio(&client->rsp, err) < 0) {
		close_client(client);
		return err->code;
	}
	return 0;
}
