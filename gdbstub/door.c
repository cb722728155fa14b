/* How GDB clients reach the commands (control/command.h): what an answer needs from the client and the server, and the
 * rows that only GDB has. */
#include <string.h>

#include "gdbstub/files/find_program.h"
#include "gdbstub/gdbstub.h"
#include "gdbstub/packets/monitor.h"
#include "gdbstub/packets/packet.h"
#include "gdbstub/proxy/proxy.h"
#include "gdbstub/tables/branch_trace.h"
#include "gdbstub/tables/live.h"
#include "host/log.h"
#include "report/text/grid.h"

/* Whether the row is open to a client that has not given the token. */
static bool is_open(const struct pt_command_row *row)
{
	return row->name != NULL && (strcmp(row->name, "auth") == 0 || strcmp(row->name, "help") == 0);
}

/* Whether this client may use the row: if its packets are forwarded, only some rows are served here; without the token,
 * nearly none. */
static bool serves_row(void *door, const struct pt_command_row *row)
{
	const struct pt_gdb_client *client = door;

	if (client->auth.locked)
		return is_open(row);
	return !pt_gdb_is_proxied(client) || pt_gdb_pass_is_ours(row->name);
}

static bool is_for_the_owner(const struct pt_gdb_client *client, const struct pt_command *cmd)
{
	unsigned flags = cmd->row.flags;

	if (!pt_gdb_is_second(client) || ((flags & PT_COMMAND_ASKS) != 0 && cmd->n_words == 0))
		return false;
	return (flags & PT_COMMAND_CONTROLS) != 0 || ((flags & PT_COMMAND_CHANGES) != 0 && pt_gdb_looks_on(client));
}

static bool only_looks(const struct pt_command *cmd)
{
	return (cmd->row.flags & PT_COMMAND_LOOKS_ONLY) != 0 ||
	       ((cmd->row.flags & PT_COMMAND_ASKS) != 0 && cmd->n_words == 0);
}

/* CONTROLS: refused while another client controls the program. CHANGES: refused to a client that looks at another's
 * program. */
static int allows_call(void *door, const struct pt_command *cmd, struct pt_err *err)
{
	const struct pt_gdb_client *client = door;

	if (client->auth.locked && !is_open(&cmd->row))
		return pt_fail(err, PT_EPERM, "this server wants its token first: monitor auth TOKEN");
	if (client->stub->config.restricted && cmd->row.run != NULL && cmd->row.run != pt_gdb_auth && !only_looks(cmd))
		return pt_fail(err, PT_EPERM, "%s: %s", cmd->row.name, PT_GDB_RESTRICTED);
	if (is_for_the_owner(client, cmd))
		return pt_fail(err, PT_EBUSY, "%s: another GDB controls the target (%s): monitor take comes first",
			       cmd->row.name, client->stub->owner->rsp.peer);
	return 0;
}

static uint16_t chosen_core(void *door)
{
	return pt_gdb_traced_core(door);
}

static bool is_owned(void *door)
{
	const struct pt_gdb_client *client = door;

	return client->stub->owner != NULL;
}

static bool is_busy(void *door)
{
	const struct pt_gdb_client *client = door;
	char ignored[160];

	return client->stub->finishes_load || pt_gdb_pass_waits(client->stub, ignored, sizeof(ignored));
}

static void say_load(struct pt_gdbstub *stub, struct pt_text *out)
{
	char text[80];

	if (stub->finishes_load) {
		pt_progress_text(&stub->load_progress, text, sizeof(text));
		pt_text_add(out, "a load is being finished: %s\n", text);
	}
	if (stub->load.code < 0)
		pt_text_add(out, "the last load failed: %s\n", stub->load.msg);
}

static void say_status(void *door, struct pt_text *out)
{
	const struct pt_gdb_client *self = door;
	struct pt_gdbstub *stub = self->stub;
	char waits[160];

	pt_gdb_pass_waits(stub, waits, sizeof(waits));
	if (waits[0] != '\0')
		pt_text_add(out, "%s\n", waits);
	say_load(stub, out);
	if (pt_gdbstub_warning(stub) != NULL)
		pt_text_add(out, "warning: %s: %s\n", pt_gdbstub_address(stub), pt_gdbstub_warning(stub));
	for (const struct pt_gdb_client *client = stub->clients; client != NULL; client = client->next)
		pt_text_add(out, "client: %s%s%s%s\n", client->rsp.peer, client == self ? ", this one" : "",
			    client == stub->owner ? ", has the program" : "",
			    !client->rsp.known	  ? ", has sent no GDB packet yet"
			    : client->auth.locked ? ", has not given the token yet"
						  : "");
}

/* GDB keeps a copy of the registers, which may be out of date. */
static const char *hint(void *door, enum pt_command_event event)
{
	static const char flush[] = "GDB still shows the old registers: maintenance flush register-cache";
	const struct pt_gdb_client *client = door;

	switch (event) {
	case PT_COMMAND_RUNNING:
		return pt_gdb_is_halted(client) ? "GDB does not know: continue makes it follow, monitor halt stops "
						  "the core again"
						: NULL;
	case PT_COMMAND_RESET:
		return pt_gdb_is_halted(client) ? flush : NULL;
	case PT_COMMAND_HALTED_AGAIN:
		return flush;
	case PT_COMMAND_ERASED:
		return client->inferior.run == PT_GDB_NONE ? "next: attach 1, load, monitor reset halt" : NULL;
	case PT_COMMAND_THREADS:
		return client->nonstop.wanted ? "in non-stop the cores are the threads" : NULL;
	case PT_COMMAND_OTHER_WORDS:
		return pt_gdb_is_proxied(client) ? "the GDB server's: it is passed on, and answered there" : NULL;
	}
	return NULL;
}

/* GDB does not tell the size of its terminal. If its user is the daemon's own, it is taken to be that of the daemon;
 * else the table is made as for a pipe. */
static void fit(void *door, struct pt_query *query)
{
	const struct pt_gdb_client *client = door;
	unsigned columns = pt_log_columns();

	query->columns = PT_GRID_COLUMNS;
	if (client->rsp.own && columns != 0 && columns < PT_GRID_COLUMNS)
		query->columns = (uint16_t)columns;
}

const struct pt_command_row pt_gdbstub_rows[] = {
	{ .name = "profile live", .usage = "TIME [VIEW] [sort=KEY] [top=N]|off",
	  .help = "print the table every TIME while the target runs", .flags = PT_COMMAND_LOOKS_ONLY,
	  .run = pt_gdb_live },
	{ .name = "auth", .usage = "TOKEN",
	  .help = "give the token that the server was started with (--token-file)", .run = pt_gdb_auth },
	{ .name = "take", .usage = "", .help = "control the target in the place of another GDB", .run = pt_gdb_take },
	{ 0 },
};

const struct pt_door_ops pt_gdb_door = {
	.name = "monitor", .rows = pt_gdbstub_rows, .serves = serves_row, .allows = allows_call, .core = chosen_core, .owned = is_owned,
	.find_program = pt_gdb_find_program, .busy = is_busy, .status = say_status, .fit = fit, .hint = hint,
};
