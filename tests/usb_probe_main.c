/* Run a program with an emulated USB probe plugged in:
 *
 *	usb_probe [--board NAME?...] [--hidraw] [--instant] [--unplug-ms N] [--replug-ms N] -- PROGRAM ARGUMENT...
 *
 * The program needs to know nothing of it. Ends with the program's exit status; passes SIGINT and SIGTERM on to it. */
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <umockdev.h>

#include "usb_probe.h"

struct run {
	struct usb_probe *probe;
	GMainLoop *loop;
	GPid program;
	int status;
};

struct options {
	struct usb_probe_config config;
	unsigned unplug_ms, replug_ms;
};

static gboolean on_unplug(gpointer arg)
{
	usb_probe_unplug(((struct run *)arg)->probe);
	return FALSE;
}

static gboolean on_replug(gpointer arg)
{
	usb_probe_plug(((struct run *)arg)->probe);
	return FALSE;
}

static gboolean on_interrupt(gpointer arg)
{
	kill(((struct run *)arg)->program, SIGINT);
	return TRUE;
}

static gboolean on_terminate(gpointer arg)
{
	kill(((struct run *)arg)->program, SIGTERM);
	return TRUE;
}

static void on_end(GPid pid, gint status, gpointer arg)
{
	struct run *run = arg;

	g_spawn_close_pid(pid);
	run->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	g_main_loop_quit(run->loop);
}

static GPid start(char **program)
{
	g_auto(GStrv) env = g_environ_setenv(g_get_environ(), "LD_PRELOAD", "libumockdev-preload.so.0", TRUE);
	GSpawnFlags how = G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN;
	g_autoptr(GError) error = NULL;
	GPid pid;

	if (!g_spawn_async(NULL, program, env, how, NULL, NULL, &pid, &error)) {
		fprintf(stderr, "usb_probe: %s\n", error->message);
		exit(127);
	}
	return pid;
}

/* Returns the index of the program's name. */
static int parse(int argc, char **argv, struct options *options)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--hidraw") == 0)
			options->config.hidraw = true;
		else if (strcmp(argv[i], "--instant") == 0)
			options->config.instant = true;
		else if (strcmp(argv[i], "--board") == 0 && i + 1 < argc)
			options->config.board = argv[++i];
		else if (strcmp(argv[i], "--unplug-ms") == 0 && i + 1 < argc)
			options->unplug_ms = (unsigned)atoi(argv[++i]);
		else if (strcmp(argv[i], "--replug-ms") == 0 && i + 1 < argc)
			options->replug_ms = (unsigned)atoi(argv[++i]);
		else
			break;
	}
	if (i + 1 < argc && strcmp(argv[i], "--") == 0)
		return i + 1;
	fprintf(stderr, "usage: usb_probe [--board NAME?...] [--hidraw] [--instant] [--unplug-ms N] [--replug-ms N] "
		"-- PROGRAM ...\n");
	exit(2);
}

int main(int argc, char **argv)
{
	struct options options = { .config = { .board = "kl27" } };
	int program = parse(argc, argv, &options);
	struct run run = { .loop = g_main_loop_new(NULL, FALSE) };
	struct pt_err err;

	run.probe = usb_probe_new(&options.config, &err);
	if (run.probe == NULL) {
		fprintf(stderr, "usb_probe: %s\n", err.msg);
		return 2;
	}
	run.program = start(argv + program);
	g_child_watch_add(run.program, on_end, &run);
	g_unix_signal_add(SIGINT, on_interrupt, &run);
	g_unix_signal_add(SIGTERM, on_terminate, &run);
	if (options.unplug_ms > 0)
		g_timeout_add(options.unplug_ms, on_unplug, &run);
	if (options.replug_ms > 0)
		g_timeout_add(options.replug_ms, on_replug, &run);
	g_main_loop_run(run.loop);
	usb_probe_free(run.probe);
	g_main_loop_unref(run.loop);
	return run.status;
}
