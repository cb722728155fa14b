/* See service.h. */
#include "host/service.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"

#ifdef HAVE_SYSTEMD
#include <stdio.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include "base/alloc.h"
#include "host/datagram.h"

static char **names;		/* of the sockets, from SD_LISTEN_FDS_START on; NULL: passed on already */
static int n_sockets;
static uint64_t watchdog_us;

static char *notify_socket;	/* NULL: the manager expects no notifications */

void pt_service_begin(void)
{
	if (getenv("NOTIFY_SOCKET") != NULL)
		notify_socket = pt_strdup(getenv("NOTIFY_SOCKET"));
	unsetenv("NOTIFY_SOCKET");
	n_sockets = sd_listen_fds_with_names(1, &names);
	if (n_sockets < 0)
		n_sockets = 0;
	if (sd_watchdog_enabled(1, &watchdog_us) <= 0)
		watchdog_us = 0;
}

/* Finds a socket by its name: their order is not that of the units. -1: none. */
static int find(const char *name)
{
	for (int i = 0; i < n_sockets; i++)
		if (names[i] != NULL && strcmp(names[i], name) == 0 &&
		    sd_is_socket(SD_LISTEN_FDS_START + i, AF_UNSPEC, SOCK_STREAM, 1) > 0)
			return i;
	return -1;
}

bool pt_service_has_socket(const char *name)
{
	return find(name) >= 0;
}

int pt_service_take_socket(const char *name)
{
	int i = find(name);

	if (i < 0)
		return -1;
	free(names[i]);
	names[i] = NULL;
	return SD_LISTEN_FDS_START + i;
}

const char *pt_service_untaken(unsigned i)
{
	for (int at = 0; at < n_sockets; at++)
		if (names[at] != NULL && i-- == 0)
			return names[at];
	return NULL;
}

static void notify(const char *text)
{
	if (notify_socket != NULL)
		pt_datagram_send(notify_socket, text, strlen(text));
}

void pt_service_ready(const char *status)
{
	char text[200];

	snprintf(text, sizeof(text), "READY=1\nSTATUS=%s", status);
	notify(text);
}

void pt_service_stopping(void)
{
	notify("STOPPING=1");
}

uint64_t pt_service_watchdog_us(void)
{
	return watchdog_us;
}

void pt_service_beat(void)
{
	notify("WATCHDOG=1");
}

#else /* no libsystemd */

void pt_service_begin(void)
{
}

bool pt_service_has_socket(const char *name)
{
	(void)name;
	return false;
}

int pt_service_take_socket(const char *name)
{
	(void)name;
	return -1;
}

const char *pt_service_untaken(unsigned i)
{
	(void)i;
	return NULL;
}

void pt_service_ready(const char *status)
{
	(void)status;
}

void pt_service_stopping(void)
{
}

uint64_t pt_service_watchdog_us(void)
{
	return 0;
}

void pt_service_beat(void)
{
}

#endif
