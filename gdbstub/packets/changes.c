#include "gdbstub/packets/changes.h"

#include <inttypes.h>
#include <string.h>

#include "base/util.h"
#include "control/changes.h"

typedef void note_fn(struct pt_gdb_client *client, struct pt_rsp_args args);

static void note(struct pt_gdb_client *client, const char *text)
{
	pt_changes_note(client->stub->config.changes, client->rsp.peer, "%s", text);
}

static void wrote(struct pt_gdb_client *client, const char *how, uint64_t addr, uint64_t len)
{
	pt_changes_wrote(client->stub->config.changes, client->rsp.peer, how, addr, len);
}

static void memory(struct pt_gdb_client *client, struct pt_rsp_args args)
{
	uint64_t addr, len;

	if (pt_rsp_number(&args, &addr) && pt_rsp_take(&args, ",") && pt_rsp_number(&args, &len))
		wrote(client, "write memory,", addr, len);
}

static void erase(struct pt_gdb_client *client, struct pt_rsp_args args)
{
	uint64_t addr, len;

	if (pt_rsp_number(&args, &addr) && pt_rsp_take(&args, ",") && pt_rsp_number(&args, &len))
		wrote(client, "erase flash,", addr, len);
}

static void flash(struct pt_gdb_client *client, struct pt_rsp_args args)
{
	uint64_t addr;

	if (pt_rsp_number(&args, &addr) && pt_rsp_take(&args, ":"))
		wrote(client, "write flash,", addr, pt_rsp_left(&args));
}

static void one_register(struct pt_gdb_client *client, struct pt_rsp_args args)
{
	uint64_t n;

	if (pt_rsp_number(&args, &n))
		pt_changes_note(client->stub->config.changes, client->rsp.peer, "write register %" PRIu64, n);
}

static const char *kind_of(char type)
{
	static const char *const kinds[] = { "breakpoint", "hardware breakpoint", "watchpoint for writes",
					     "watchpoint for reads", "watchpoint" };

	return type >= '0' && (size_t)(type - '0') < PT_LEN(kinds) ? kinds[type - '0'] : "breakpoint";
}

static void point(struct pt_gdb_client *client, struct pt_rsp_args args, const char *verb)
{
	char type = pt_rsp_left(&args) > 0 ? (char)*args.at : '0';
	uint64_t kind, addr;

	if (pt_rsp_number(&args, &kind) && pt_rsp_take(&args, ",") && pt_rsp_number(&args, &addr))
		pt_changes_note(client->stub->config.changes, client->rsp.peer, "%s a %s at 0x%08" PRIx64, verb,
				kind_of(type), addr);
}

static void insert(struct pt_gdb_client *client, struct pt_rsp_args args)
{
	point(client, args, "set");
}

static void take_out(struct pt_gdb_client *client, struct pt_rsp_args args)
{
	point(client, args, "remove");
}

/* The first action decides: "s:1;c" steps one core. */
static void resume(struct pt_gdb_client *client, struct pt_rsp_args args)
{
	char action = pt_rsp_left(&args) > 0 ? (char)*args.at : 'c';

	note(client, action == 's' || action == 'S' || action == 'r' ? "step"
		     : action == 't'				     ? "halt"
								     : "let the cores run");
}

static const struct { const char *name; note_fn *what; const char *text; } notes[] = {
	{ "M", memory, NULL }, { "X", memory, NULL }, { "G", NULL, "write all registers" }, { "P", one_register, NULL },
	{ "Z", insert, NULL }, { "z", take_out, NULL }, { "vFlashErase:", erase, NULL }, { "vFlashWrite:", flash, NULL },
	{ "vFlashDone", NULL, "finish the flash" }, { "vCont;", resume, NULL }, { "c", NULL, "let the cores run" },
	{ "C", NULL, "let the cores run" }, { "s", NULL, "step" }, { "S", NULL, "step" }, { "vCtrlC", NULL, "halt" },
	{ "vRun;", NULL, "restart the program" }, { "R", NULL, "restart the program" }, { "k", NULL, "end the debugging" },
	{ "D", NULL, "detach" }, { "Qbtrace:bts", NULL, "record branches" },
};

void pt_gdb_note_change(struct pt_gdb_client *client, const struct pt_packet_row *row)
{
	const struct pt_rsp_packet *packet = client->rsp.current;
	struct pt_rsp_args args = { packet->bytes + strlen(row->name), packet->bytes + packet->len_bytes };
	size_t i = 0;

	while (i < PT_LEN(notes) && strcmp(notes[i].name, row->name) != 0)
		i++;
	if (i == PT_LEN(notes)) {
		if ((row->flags & PT_PACKET_CHANGES) != 0)
			note(client, row->name);
	} else if (notes[i].what != NULL) {
		notes[i].what(client, args);
	} else {
		note(client, notes[i].text);
	}
}
