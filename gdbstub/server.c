/* Accepts clients: from a TCP port, a unix socket, or standard input and output. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/first_bytes.h"
#include "gdbstub/packet_tables.h"
#include "gdbstub/client.h"
#include "gdbstub/files/files.h"
#include "gdbstub/gdbstub.h"
#include "gdbstub/proxy/proxy.h"
#include "gdbstub/packets/stub.h"
#include "host/log.h"

const char *pt_gdbstub_warning(const struct pt_gdbstub *stub)
{
	if (!stub->listener.is_remote && !stub->also.is_remote)
		return NULL;
	if (stub->config.token != NULL)
		return "other machines may reach this address, and the token goes there unencrypted (doc/security.md)";
	return "other machines may reach this address, and any client there controls the target (doc/security.md)";
}

static void on_listener_closed(uv_handle_t *handle)
{
	struct pt_gdbstub *stub = handle->data;

	stub->listeners_closing--;
	pt_gdbstub_wake(stub);
}

static void on_wake_closed(uv_handle_t *handle)
{
	struct pt_gdbstub *stub = handle->data;

	if (stub->on_closed != NULL)
		stub->on_closed(stub->on_closed_arg);
	pt_program_unref(stub->found_program);
	pt_files_unref(stub->files);
	free(stub);
}

static void close_rest(struct pt_gdbstub *stub)
{
	if (stub->clients != NULL || stub->listener.open || stub->also.open || stub->listeners_closing > 0)
		return;
	if (!pt_gdb_pass_close(stub))
		return;
	pt_files_remove(stub->files);
	pt_sparing_close(stub->sparing);
	uv_close((uv_handle_t *)&stub->wake, on_wake_closed);
}

/* A client is gone, or something else has ended that others waited for. */
static void on_wake(uv_timer_t *timer)
{
	struct pt_gdbstub *stub = timer->data;

	if (stub->closing)
		close_rest(stub);
	else
		pt_gdb_clients_wake(stub);
}

static void close_listener(struct pt_gdbstub *stub, struct pt_listener *listener)
{
	if (!listener->open)
		return;
	stub->listeners_closing++;
	pt_listener_close(listener, on_listener_closed);
}

void pt_gdbstub_close(struct pt_gdbstub *stub, void (*on_closed)(void *arg), void *arg)
{
	stub->closing = true;
	stub->on_closed = on_closed;
	stub->on_closed_arg = arg;
	close_listener(stub, &stub->listener);
	close_listener(stub, &stub->also);
	pt_gdb_clients_leave(stub, "the server ends");
	if (stub->listeners_closing == 0)
		pt_gdbstub_wake(stub);
}

/* --- the beginning ------------------------------------------------------------------------------------------------ */

static void on_connection(uv_stream_t *socket, int status)
{
	struct pt_gdbstub *stub = socket->data;
	struct pt_listener *listener = socket == &stub->also.socket.stream ? &stub->also : &stub->listener;
	struct pt_err err;

	if (status < 0)
		pt_sparing_warn(stub->sparing, "a connection that failed", "gdb: a connection failed: %s",
				uv_strerror(status));
	else if (pt_gdb_client_accept(stub, listener, &err) < 0)
		pt_sparing_warn(stub->sparing,
				err.code == PT_EPERM ? "a user who may not connect" : "a connection that failed",
				"gdb: %s", err.msg);
}

static int start_listener(struct pt_gdbstub *stub, struct pt_listener *listener, const char *address,
			  struct pt_err *err)
{
	listener->peers = stub->config.allow;
	listener->allow_remote = stub->config.allow_remote;
	return pt_listen(listener, stub->loop, address, on_connection, stub, err);
}

static int start(struct pt_gdbstub *stub, struct pt_err *err)
{
	if (strcmp(stub->config.address, "stdio") == 0)
		return pt_gdb_client_stdio(stub, err);
	if (start_listener(stub, &stub->listener, stub->config.address, err) < 0)
		return err->code;
	return stub->config.also != NULL ? start_listener(stub, &stub->also, stub->config.also, err) : 0;
}

struct pt_gdbstub *pt_gdbstub_new(uv_loop_t *loop, const struct pt_gdbstub_config *config, struct pt_err *err)
{
	struct pt_gdbstub *stub = pt_alloc(sizeof(*stub));

	signal(SIGPIPE, SIG_IGN); /* if the peer has closed the connection the write fails; the daemon must not
					 * end */
	stub->loop = loop;
	stub->files = pt_files_new();
	stub->sparing = pt_sparing_new(loop, "gdb");
	stub->packets = pt_packet_tables;
	stub->filter = &pt_gdb_proxy;
	stub->config = *config;
	uv_timer_init(loop, &stub->wake);
	stub->wake.data = stub;
	stub->on_wake = on_wake;
	if (stub->config.patience_ms == 0)
		stub->config.patience_ms = PT_FIRST_PATIENCE_MS;
	stub->door = &pt_gdb_door;
	if (start(stub, err) < 0) {
		pt_gdbstub_close(stub, NULL, NULL);
		return NULL;
	}
	return stub;
}

const char *pt_gdbstub_also(const struct pt_gdbstub *stub)
{
	return stub->also.address;
}

const char *pt_gdbstub_address(const struct pt_gdbstub *stub)
{
	return stub->listener.address != NULL ? stub->listener.address : "stdio";
}

const char *pt_gdbstub_owner(const struct pt_gdbstub *stub)
{
	return stub->owner != NULL ? stub->owner->rsp.peer : NULL;
}

void pt_gdbstub_each_user(const struct pt_gdbstub *stub, void (*each)(void *arg, const struct pt_gdbstub_user *user),
			  void *arg)
{
	for (const struct pt_gdb_client *client = stub->clients; client != NULL; client = client->next) {
		const struct pt_gdbstub_user user = {
			.peer = client->rsp.peer, .has_program = client == stub->owner,
			.connected_s = (uv_now(stub->loop) - client->since_ms) / 1000,
		};

		if (client->rsp.known)
			each(arg, &user);
	}
}
