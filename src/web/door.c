/* The door's life: where it listens, its boards, its end. Connections are accepted as all our doors do it, and handed to
 * the library. */
#include "web/web.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "host/log.h"
#include "web/rules.h"
#include "web/web_parts.h"

/* --- connections -------------------------------------------------------------------------------------------------- */

static void on_peer_closed(uv_handle_t *handle)
{
	free(handle);
}

static void on_connection(uv_stream_t *socket, int status)
{
	struct pt_web *web = socket->data;
	union pt_stream *peer;
	int rc, fd = -1;

	if (status < 0)
		return;
	peer = pt_alloc(sizeof(*peer));
	rc = pt_listener_accept(&web->listener, peer, web);
	if (rc == UV_EACCES)
		pt_sparing_warn(web->sparing, "a user who may not connect", "http: refused: %s", web->listener.peer);
	if (rc == 0 && uv_fileno(&peer->handle, &fd) == 0)
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);	/* libuv closes its own */
	uv_close(&peer->handle, on_peer_closed);
	if (rc == 0 && fd >= 0)
		pt_web_mhd_add(web, fd);
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

void pt_web_close(struct pt_web *web, void (*on_closed)(void *arg), void *arg)
{
	web->closing = true;
	web->on_closed = on_closed;
	web->closed_arg = arg;
	pt_web_drop_windows(web, NULL);
	pt_web_abandon_all(web);
	pt_web_end_streams(web);
	pt_web_mhd_stop(web);
	if (web->listener.open) {
		web->n_handles++;
		pt_listener_close(&web->listener, pt_web_on_handle_closed);
	}
	if (web->n_handles == 0)
		pt_web_finish(web);
}

void pt_web_remove(struct pt_web *web, struct pt_web_board *board)
{
	pt_web_drop_windows(web, board);
	pt_web_forget_board(web, board);
}

/* Tokens are what keeps other machines out: of a GDB server they may be let in without. */
static int check_remote(const struct pt_web *web, struct pt_err *err)
{
	if (web->listener.is_remote && web->config.token == NULL)
		return pt_fail(err, PT_EARG,
			       "%s can be reached from other machines, which HTTP allows with --token-file only",
			       web->config.address);
	return 0;
}

struct pt_web *pt_web_new(uv_loop_t *loop, const struct pt_web_config *config, struct pt_err *err)
{
	struct pt_web *web = pt_alloc(sizeof(*web));

	signal(SIGPIPE, SIG_IGN);
	web->loop = loop;
	web->config = *config;
	web->routes = pt_web_routes;
	web->on_tick = pt_web_tell_streams;
	web->sparing = pt_sparing_new(loop, "http");
	web->listener.peers = config->allow;
	web->listener.allow_remote = config->allow_remote;
	if (pt_web_mhd_start(web, err) < 0 ||
	    pt_listen(&web->listener, loop, config->address, on_connection, web, err) < 0 ||
	    check_remote(web, err) < 0) {
		pt_web_close(web, NULL, NULL);
		return NULL;
	}
	return web;
}

const char *pt_web_address(const struct pt_web *web)
{
	return web->listener.address;
}

const char *pt_web_warning(const struct pt_web *web)
{
	return web->listener.is_remote
		       ? "other machines may reach this address, and the token goes there unencrypted (doc/security.md)"
		       : NULL;
}
