/* A Black Magic Probe is a GDB server without a target until a command has scanned the wire and a client has attached to
 * one of those that were found: so far GDB's user types "monitor swdp_scan" and "attach 1". A session of ours begins
 * with both. swdp_scan is the name that old firmware has, and new firmware takes it, too.
 * Source: Black Magic Debug, src/gdb_main.c ("W00", vAttach, "Failed"), src/command.c (commands, "Target voltage",
 * "Available Targets"). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "host/log.h"
#include "probes/rsp/gdb_server_parts.h"

enum { SCAN_MS = 5000, TEXT_BYTES = 2048 };
enum { ROW_SCAN, ROW_ATTACH };

const struct pt_param pt_black_magic_params[] = {
	[ROW_SCAN] = { "upstream-scan", PT_PARAM_CHOICE, "auto", "auto|swd|jtag|off", 0, 0,
		       "Black Magic Probe: where it looks for a target before it attaches; off: you type its "
		       "commands swdp_scan and attach" },
	[ROW_ATTACH] = { "upstream-attach", PT_PARAM_NUMBER, "1", NULL, 1, 64,
			 "Black Magic Probe: which of the targets that it found, as it numbers them" },
};

/* Its text, as far as it goes. */
static int command(struct gdb_server *g, const char *words, char text[TEXT_BYTES], struct pt_err *err)
{
	struct pt_rsp_answer answer = { .bytes = (uint8_t *)text, .room_bytes = TEXT_BYTES - 1 };
	char packet[64] = "qRcmd,";
	size_t len = strlen(packet);
	int rc;

	for (; *words != '\0' && len + 2 < sizeof(packet); words++)
		len += (size_t)snprintf(packet + len, sizeof(packet) - len, "%02x", (uint8_t)*words);
	rc = pt_server_exchange(g, packet, len, &answer, SCAN_MS, err);
	text[rc == 0 ? answer.len_bytes : 0] = '\0';
	return rc;
}

/* "Target voltage: 3.28V" */
static void read_voltage(struct gdb_server *g, const char *text)
{
	const char *at = strstr(text, "oltage: ");
	double volts = at != NULL ? strtod(at + strlen("oltage: "), NULL) : 0.0;

	if (volts > 0.0 && volts < 100.0)
		g->target_mv = (uint32_t)(volts * 1000.0 + 0.5);
}

/* "No. Att Driver" and a line for each target. */
static bool found_any(const char *text)
{
	const char *at = strstr(text, "No. Att");

	return at != NULL && strstr(at, "No usable targets") == NULL;
}

/* In one line, for a sentence: it has several. */
static void join_lines(char *text)
{
	size_t len = strlen(text);

	while (len > 0 && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	for (char *at = text; *at != '\0'; at++)
		if (*at == '\n')
			*at = ';';
		else if (!isprint((unsigned char)*at))
			*at = ' ';
}

static int scan(struct gdb_server *g, const char *how, struct pt_err *err)
{
	static const char *const commands[] = { "swdp_scan", "jtag_scan" };
	bool any = strcmp(how, "auto") == 0;
	char text[TEXT_BYTES] = "";

	for (size_t i = 0; i < PT_LEN(commands); i++) {
		if (!any && strncmp(commands[i], how, strlen(how)) != 0)
			continue;
		if (command(g, commands[i], text, err) < 0)
			return pt_wrap(err, "%s", commands[i]);
		read_voltage(g, text);
		if (found_any(text))
			return 0;
	}
	join_lines(text);
	return pt_fail(err, PT_ESTATE, "no target was found: \"%.200s\"; check the cable and the target's supply",
		       text);
}

int pt_black_magic_attach(struct gdb_server *g, const struct pt_params *settings, struct pt_err *err)
{
	const char *how = pt_params_text(settings, &pt_black_magic_params[ROW_SCAN]);
	unsigned number = (unsigned)pt_params_number(settings, &pt_black_magic_params[ROW_ATTACH]);
	char packet[24], text[PT_RSP_STOP_BYTES] = "";
	struct pt_rsp_answer answer = { .bytes = (uint8_t *)text, .room_bytes = sizeof(text) - 1 };
	struct pt_rsp_shared *shared;

	if (strcmp(how, "off") == 0)
		return 0;
	if (scan(g, how, err) < 0)
		return err->code;
	snprintf(packet, sizeof(packet), "vAttach;%x", number);
	if (pt_server_exchange(g, packet, strlen(packet), &answer, SCAN_MS, err) < 0)
		return pt_wrap(err, "attach %u", number);
	text[answer.len_bytes] = '\0';
	if (text[0] != 'T' && text[0] != 'S')
		return pt_fail(
			err, PT_ESTATE,
			"it does not attach to target %u (\"%.40s\"); its command targets lists those that it found, "
			"and --set upstream-attach=N takes another",
			number, text);
	shared = pt_rsp_stream_lock(g->stream);
	pt_rsp_stop_read(&shared->run, (const uint8_t *)text, answer.len_bytes);
	pt_rsp_stream_unlock(g->stream);
	pt_info("upstream: the Black Magic Probe at %s has attached to its target %u", g->facts.where, number);
	return 0;
}
