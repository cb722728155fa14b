/* proftap board NAME: a virtual board's probe for other programs, on the network, in real time. proftap board --probe URI:
 * a real one, as CMSIS-DAP. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/log.h"
#include "probes/registry.h"
#include "probes/served/served.h"
#include "probes/virtual/serve.h"
#include "cli/app.h"
#include "cli/subcommands.h"

static void on_signal(uv_signal_t *handle, int signum)
{
	(void)signum;
	uv_stop(handle->loop);
}

static int announce(const struct pt_vserve *server, struct pt_err *err)
{
	if (printf("board %s\n", pt_vserve_address(server)) < 0 || fflush(stdout) != 0)	/* a script waits for it */
		return pt_fail(err, PT_EIO, "the address cannot be printed to standard output: %s", strerror(errno));
	pt_info("board: serves %s", pt_vserve_what(server));
	if (pt_vserve_is_remote(server))
		pt_warn("board: other machines may reach %s, and any client there controls the board",
			pt_vserve_address(server));
	return 0;
}

/* Runs the server until the loop is stopped. served: the real probe behind it, or NULL; ends it, too. */
static int serve(uv_loop_t *loop, struct pt_vserve *server, struct pt_served *served, struct pt_err *err)
{
	uv_signal_t interrupt, terminate;
	int rc = announce(server, err);

	uv_signal_init(loop, &interrupt);
	uv_signal_init(loop, &terminate);
	uv_signal_start(&interrupt, on_signal, SIGINT);
	uv_signal_start(&terminate, on_signal, SIGTERM);
	if (rc == 0)
		uv_run(loop, UV_RUN_DEFAULT);
	if (pt_vserve_slip_ns(server) > 0)
		pt_info("board: %.3f s of real time that the board has not seen",
			(double)pt_vserve_slip_ns(server) / 1e9);
	uv_close((uv_handle_t *)&interrupt, NULL);
	uv_close((uv_handle_t *)&terminate, NULL);
	pt_vserve_close(server, NULL, NULL);
	if (served != NULL)
		pt_served_end(served);
	uv_run(loop, UV_RUN_DEFAULT);	/* after this no thread uses the probe */
	return rc;
}

static void name_board(const struct pt_options *options, char *board, size_t room)
{
	snprintf(board, room, "%s%s%s", options->rest[0], options->elf != NULL ? "?elf=" : "",
		 options->elf != NULL ? options->elf : "");
}

static int serve_board(uv_loop_t *loop, const struct pt_options *options, const char *address, unsigned allow,
		       struct pt_err *err)
{
	struct pt_vserve *server;
	char board[640];

	name_board(options, board, sizeof(board));
	server = pt_vserve_new(loop, board, address, allow, err);
	return server != NULL ? serve(loop, server, NULL, err) : err->code;
}

/* A real probe that is served. */
struct plug {
	uv_loop_t *loop;
	struct pt_err err;		/* why the probe is lost; code 0: it is not */
};

/* A request may last for hours, but a program that waits for the server must learn that the probe was unplugged. */
static void on_gone(void *arg, const struct pt_err *why)
{
	struct plug *plug = arg;

	plug->err = *why;
	uv_stop(plug->loop);
}

static int serve_opened(uv_loop_t *loop, struct pt_probe *probe, const char *address, unsigned allow,
			struct pt_err *err)
{
	struct plug plug = { .loop = loop };
	struct pt_served *served = pt_served_new(loop, probe, on_gone, &plug, err);
	struct pt_vserve *server = served != NULL ? pt_served_listen(served, loop, address, allow, err) : NULL;
	int rc;

	if (server == NULL && served != NULL) {
		pt_served_end(served);
		uv_run(loop, UV_RUN_DEFAULT);
	}
	rc = server != NULL ? serve(loop, server, served, err) : err->code;
	return plug.err.code == 0 ? rc : pt_fail(err, plug.err.code, "%s", plug.err.msg);
}

static int serve_probe(uv_loop_t *loop, const struct pt_options *options, const char *address, unsigned allow,
		       struct pt_err *err)
{
	struct pt_params *settings = pt_params_new();
	struct pt_probe *probe = NULL;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < options->n_words; i++)
		rc = pt_params_add(settings, pt_probe_params, pt_n_probe_params, options->words[i], err);
	if (rc == 0)
		probe = pt_probe_open(options->probe[0], settings, err);
	rc = probe != NULL ? serve_opened(loop, probe, address, allow, err) : err->code;
	pt_probe_close(probe);
	pt_params_free(settings);
	return rc;
}

static int run_board(const struct pt_options *options)
{
	bool real = options->probe[0] != NULL;
	const char *address = options->listen != NULL ? options->listen : "127.0.0.1:4441";
	unsigned allow = (options->allow_remote ? PT_VSERVE_REMOTE : 0) |
			 (options->allow_unidentified ? PT_VSERVE_UNIDENTIFIED : 0);
	struct pt_err err = { 0 };
	uv_loop_t loop;
	int rc;

	if (options->n_rest != (real ? 0 : 1) || options->probe[1] != NULL) {
		pt_error(
			"board takes the name of one virtual board, or one --probe URI to serve a real one; `proftap boards` "
			"lists the boards");
		return PT_EXIT_USAGE;
	}
	if (pt_loop_begin(&loop, &err) < 0) {
		pt_error("%s", err.msg);
		return PT_EXIT_USAGE;
	}
	rc = real ? serve_probe(&loop, options, address, allow, &err)
		  : serve_board(&loop, options, address, allow, &err);
	uv_run(&loop, UV_RUN_DEFAULT);
	uv_loop_close(&loop);
	if (rc < 0)
		pt_error("%s", err.msg);
	return rc == 0 ? PT_EXIT_DONE : rc == PT_EARG || !real ? PT_EXIT_USAGE : PT_EXIT_DEVICE;
}

const struct pt_subcommand pt_subcommand_board = {
	"board", "NAME[?KEY=VALUE]|--probe URI", "serve a probe, virtual or real, on TCP to other programs",
	"proftap board kl27 --listen 127.0.0.1:4441\n"
	"    a CMSIS-DAP probe for OpenOCD: cmsis_dap_backend tcp\n"
	"proftap board --probe usb: --listen 127.0.0.1:4441\n"
	"    the probe that is plugged in, for another program\n",
	run_board
};
