/* Run a program with an emulated foreign probe plugged in, behind which is a small Cortex-M0+:
 *
 *	foreign_probe st-link-v2|st-link-v3|j-link|ftdi|cmsis-dap [OPTION]... -- PROGRAM ARGUMENT...
 *
 *	--serial S --pid HEX --bcd HEX	what the device says of itself
 *	--raw-serial --firmware J	ST-Link: the serial number as 12 raw bytes, J of its version
 *	--unregistered --full		J-Link: no REGISTER; no handle left
 *	--jtag				J-Link, FTDI: the pins are a TAP's, not SWD
 *	--silent			unknown commands get no answer
 *	--wait N			each N-th access to the access port (ST-Link: memory command) is answered by WAIT
 *	--fault NAME:K[:N]		unplug, stall, mute, hung (until USB is reset), short, late, wrong or twice at the K-th bulk
 *					transfer; up to 8 of these, each K counted from the fault before (faults.h)
 *	--count FILE			USB transfers and bytes, at the end and at each SIGHUP
 *
 * Ends with the program's exit status; passes SIGINT and SIGTERM on to it. SIGUSR1 unplugs for a third of a second. */
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <umockdev.h>

#include "core.h"
#include "dap.h"
#include "device.h"
#include "faults.h"
#include "models.h"
#include "testbed.h"
#include "usbfs.h"

struct run {
	GMainLoop *loop;
	GPid program;
	int status;
};

static const struct { const char *name; struct device *(*make)(const struct model_options *); } models[] = {
	{ "st-link-v2", stlink_v2 }, { "st-link-v3", stlink_v3 }, { "j-link", jlink }, { "ftdi", ftdi },
	{ "cmsis-dap", cmsis_dap },
};

enum { INSTRUCTIONS_PER_MS = 2000 };
struct device *device;

const uint8_t *make_string(const char *text)
{
	size_t len = strlen(text);
	uint8_t *string = g_malloc0(2 + 2 * len);

	string[0] = (uint8_t)(2 + 2 * len);
	string[1] = 3;
	for (size_t i = 0; i < len; i++)
		string[2 + 2 * i] = (uint8_t)text[i];
	return string;
}

static gboolean on_interrupt(gpointer arg)
{
	kill(((struct run *)arg)->program, SIGINT);
	return G_SOURCE_CONTINUE;
}

static gboolean on_terminate(gpointer arg)
{
	kill(((struct run *)arg)->program, SIGTERM);
	return G_SOURCE_CONTINUE;
}

static void write_counts(void)
{
	usbfs_lock();
	count_write();
	usbfs_unlock();
}

static gboolean on_count(gpointer arg)
{
	(void)arg;
	write_counts();
	return G_SOURCE_CONTINUE;
}

static gboolean on_replug(gpointer arg)
{
	(void)arg;
	testbed_replug();
	return G_SOURCE_CONTINUE;
}

static gboolean on_time(gpointer arg)
{
	(void)arg;
	usbfs_lock();
	core_run(INSTRUCTIONS_PER_MS);
	usbfs_on_time();
	usbfs_unlock();
	return G_SOURCE_CONTINUE;
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
		fprintf(stderr, "foreign_probe: %s\n", error->message);
		exit(127);
	}
	return pid;
}

static void usage(void)
{
	fprintf(stderr,
		"usage: foreign_probe st-link-v2|st-link-v3|j-link|ftdi|cmsis-dap [--serial S] [--pid HEX] [--bcd HEX] [--raw-serial] "
		"[--firmware J] [--unregistered] [--full] [--jtag] [--silent] [--wait N] [--fault NAME:K[:N]]... [--count FILE] -- PROGRAM ...\n");
	exit(2);
}

/* An option without a value; false: it is none. */
static bool take_flag(const char *name, struct model_options *options)
{
	if (strcmp(name, "--raw-serial") == 0)
		options->raw_serial = true;
	else if (strcmp(name, "--unregistered") == 0)
		options->unregistered = true;
	else if (strcmp(name, "--full") == 0)
		options->full = true;
	else if (strcmp(name, "--jtag") == 0)
		options->jtag = true;
	else if (strcmp(name, "--silent") == 0)
		options->silent = true;
	else
		return false;
	return true;
}

static bool take_value(const char *name, const char *value, struct model_options *options)
{
	if (strcmp(name, "--serial") == 0)
		options->serial = value;
	else if (strcmp(name, "--pid") == 0)
		options->pid = (unsigned)strtoul(value, NULL, 16);
	else if (strcmp(name, "--bcd") == 0)
		options->release = (unsigned)strtoul(value, NULL, 16);
	else if (strcmp(name, "--firmware") == 0)
		options->firmware = (unsigned)strtoul(value, NULL, 10);
	else if (strcmp(name, "--wait") == 0)
		dap_config.wait_every = (unsigned)strtoul(value, NULL, 10);
	else if (strcmp(name, "--count") == 0)
		count_set_file(value);
	else
		return strcmp(name, "--fault") == 0 && faults_parse(value);
	return true;
}

/* Returns the index of the program's name. */
static int parse(int argc, char **argv)
{
	struct model_options options = { 0 };
	int i;

	for (i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (take_flag(argv[i], &options))
			continue;
		if (i + 1 >= argc || !take_value(argv[i], argv[i + 1], &options))
			usage();
		i++;
	}
	if (i + 1 >= argc)
		usage();
	for (size_t k = 0; k < G_N_ELEMENTS(models); k++)
		if (strcmp(argv[1], models[k].name) == 0)
			device = models[k].make(&options);
	if (device == NULL)
		usage();
	return i + 1;
}

int main(int argc, char **argv)
{
	int program = parse(argc, argv);
	struct run run = { .loop = g_main_loop_new(NULL, FALSE) };

	testbed_plug();
	g_unix_signal_add(SIGINT, on_interrupt, &run);
	g_unix_signal_add(SIGTERM, on_terminate, &run);
	g_unix_signal_add(SIGHUP, on_count, &run);
	g_unix_signal_add(SIGUSR1, on_replug, &run);
	g_timeout_add(1, on_time, NULL);
	run.program = start(argv + program);
	g_child_watch_add(run.program, on_end, &run);
	g_main_loop_run(run.loop);
	write_counts();
	testbed_free();
	g_main_loop_unref(run.loop);
	return run.status;
}
