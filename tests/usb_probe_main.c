/* Run a program with an emulated USB probe plugged in:
 *
 *	usb_probe [--board NAME?...] [--id VID:PID] [--serial S] [--raw-serial HEX24] [--hidraw] [--instant] [--denied]
 *		[--unplugged] [--unplug-ms N] [--replug-ms N] [--count FILE] -- PROGRAM ARGUMENT...
 *
 * The program needs to know nothing of it. Ends with the program's exit status; passes SIGINT and SIGTERM on to it.
 * SIGUSR1 pulls the plug, SIGUSR2 puts it in. --unplugged: it is out at first. --denied: the program may not open the
 * device. --count FILE: turns, transfers and bytes, at the end and at each SIGHUP. */
#include <glib-unix.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <umockdev.h>

#include "usb_probe.h"

struct run {
	struct usb_probe *probe;
	const char *count;		/* a file; NULL: none */
	GMainLoop *loop;
	GPid program;
	int status;
};

struct options {
	struct usb_probe_config config;
	unsigned unplug_ms, replug_ms;
	bool denied, unplugged;
	const char *count;
	uint8_t raw_serial[PT_USB_RAW_SERIAL_BYTES];
};

static gboolean on_unplug(gpointer arg)
{
	usb_probe_unplug(((struct run *)arg)->probe);
	return G_SOURCE_REMOVE;
}

static gboolean on_replug(gpointer arg)
{
	usb_probe_plug(((struct run *)arg)->probe);
	return G_SOURCE_REMOVE;
}

static gboolean on_unplug_signal(gpointer arg)
{
	usb_probe_unplug(((struct run *)arg)->probe);
	return G_SOURCE_CONTINUE;
}

static gboolean on_plug_signal(gpointer arg)
{
	usb_probe_plug(((struct run *)arg)->probe);
	return G_SOURCE_CONTINUE;
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

/* In the child: root obeys the modes of files like everybody else. */
static void obey_modes(gpointer arg)
{
	(void)arg;
	prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0);
	prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH, 0, 0, 0);
}

static GPid start(char **program, bool denied)
{
	g_auto(GStrv) env = g_environ_setenv(g_get_environ(), "LD_PRELOAD", "libumockdev-preload.so.0", TRUE);
	GSpawnFlags how = G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN;
	g_autoptr(GError) error = NULL;
	GPid pid;

	if (!g_spawn_async(NULL, program, env, how, denied ? obey_modes : NULL, NULL, &pid, &error)) {
		fprintf(stderr, "usb_probe: %s\n", error->message);
		exit(127);
	}
	return pid;
}

static bool parse_raw_serial(struct options *options, const char *hex)
{
	for (int i = 0; i < PT_USB_RAW_SERIAL_BYTES; i++)
		if (sscanf(hex + 2 * i, "%2hhx", &options->raw_serial[i]) != 1)
			return false;
	options->config.raw_serial = options->raw_serial;
	return true;
}

/* Renamed into place, so that a reader never finds half of it. */
static void write_count(struct usb_probe *probe, const char *path)
{
	g_autofree char *part = g_strconcat(path, ".part", NULL);
	struct usb_probe_traffic traffic;
	FILE *file = fopen(part, "w");

	if (file == NULL) {
		perror(part);
		return;
	}
	usb_probe_traffic(probe, &traffic);
	fprintf(file, "turns %" G_GUINT64_FORMAT "\ntransfers %" G_GUINT64_FORMAT "\nbytes %" G_GUINT64_FORMAT "\n",
		traffic.turns, traffic.out + traffic.in, traffic.out_bytes + traffic.in_bytes);
	fclose(file);
	rename(part, path);
}

static gboolean on_count_signal(gpointer arg)
{
	const struct run *run = arg;

	write_count(run->probe, run->count);
	return G_SOURCE_CONTINUE;
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
		else if (strcmp(argv[i], "--denied") == 0)
			options->denied = true;
		else if (strcmp(argv[i], "--unplugged") == 0)
			options->unplugged = true;
		else if (strcmp(argv[i], "--count") == 0 && i + 1 < argc)
			options->count = argv[++i];
		else if (strcmp(argv[i], "--raw-serial") == 0 && i + 1 < argc && parse_raw_serial(options, argv[i + 1]))
			i++;
		else if (strcmp(argv[i], "--board") == 0 && i + 1 < argc)
			options->config.board = argv[++i];
		else if (strcmp(argv[i], "--serial") == 0 && i + 1 < argc)
			options->config.serial = argv[++i];
		else if (strcmp(argv[i], "--id") == 0 && i + 1 < argc &&
			 sscanf(argv[++i], "%hx:%hx", &options->config.vid, &options->config.pid) == 2)
			continue;
		else if (strcmp(argv[i], "--unplug-ms") == 0 && i + 1 < argc)
			options->unplug_ms = (unsigned)atoi(argv[++i]);
		else if (strcmp(argv[i], "--replug-ms") == 0 && i + 1 < argc)
			options->replug_ms = (unsigned)atoi(argv[++i]);
		else
			break;
	}
	if (i + 1 < argc && strcmp(argv[i], "--") == 0)
		return i + 1;
	fprintf(stderr,
		"usage: usb_probe [--board NAME?...] [--id VID:PID] [--serial S] [--raw-serial HEX24] [--hidraw] [--instant] "
		"[--denied] [--unplugged] [--unplug-ms N] [--replug-ms N] [--count FILE] -- PROGRAM ...\n");
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
	if (options.denied)
		usb_probe_set_mode(run.probe, 0);
	if (options.unplugged)
		usb_probe_unplug(run.probe);
	run.count = options.count;
	if (run.count != NULL)
		g_unix_signal_add(SIGHUP, on_count_signal, &run);
	run.program = start(argv + program, options.denied);
	g_child_watch_add(run.program, on_end, &run);
	g_unix_signal_add(SIGINT, on_interrupt, &run);
	g_unix_signal_add(SIGTERM, on_terminate, &run);
	g_unix_signal_add(SIGUSR1, on_unplug_signal, &run);
	g_unix_signal_add(SIGUSR2, on_plug_signal, &run);
	if (options.unplug_ms > 0)
		g_timeout_add(options.unplug_ms, on_unplug, &run);
	if (options.replug_ms > 0)
		g_timeout_add(options.replug_ms, on_replug, &run);
	g_main_loop_run(run.loop);
	if (run.count != NULL)
		write_count(run.probe, run.count);
	usb_probe_free(run.probe);
	g_main_loop_unref(run.loop);
	return run.status;
}
