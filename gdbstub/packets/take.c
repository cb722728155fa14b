/* monitor take: one GDB controls the target, others look on or wait; this hands it over. The breakpoints of the
 * previous client are removed, its unfinished load is dropped, the core is left as it is. An all-stop GDB loses its
 * program, and may attach again; a non-stop one looks on. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "control/changes.h"
#include "gdbstub/packets/monitor.h"
#include "gdbstub/packets/run.h"

struct taking {
	size_t n_breaks;
	struct pt_break breaks[PT_GDB_MAX_BREAKS];
};

static int clear_up(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	const struct taking *taking = cmd->data;
	struct pt_err other = { 0 }, *to = err;

	pt_gdb_fileio_waits(board, false);	/* the previous client no longer waits */
	if (target->ops->flash_forget != NULL)
		target->ops->flash_forget(target->state);	/* its unfinished load */
	for (size_t i = 0; i < taking->n_breaks; i++)
		if (target->ops->break_remove(target->state, &taking->breaks[i], to) < 0)
			to = &other;
	return to == err ? 0 : pt_wrap(err, "take out what the other GDB had inserted");
}

static void collect(struct taking *taking, struct pt_gdb_client *from)
{
	for (size_t i = 0; i < from->inferior.n_breaks; i++)
		taking->breaks[taking->n_breaks++] = from->inferior.breaks[i].inserted;
	pt_gdb_breaks_forget(from);
}

/* The client loses the program. A GDB that waits for a stop hears at once that it is gone; one that takes it for halted
 * hears only answers, and gets the reason as the next one (dispatch.c). */
static void dispossess(struct pt_gdb_client *client)
{
	bool waits = client->inferior.run == PT_GDB_RUNNING;

	if (client->inferior.run == PT_GDB_NONSTOP) {
		client->stub->owner = NULL;
		return;
	}
	pt_gdb_forget_inferior(client);
	client->inferior.taken = !waits;
	if (!waits)
		return;
	pt_gdb_console(client, "another GDB has taken the target: attach 1 asks for it again\n",
		       strlen("another GDB has taken the target: attach 1 asks for it again\n"));
	pt_rsp_begin(&client->rsp.frame, '$');
	pt_rsp_text(&client->rsp.frame, "W00");
	pt_rsp_send(&client->rsp, &client->rsp.frame);
}

static bool at_work(const struct pt_gdb_client *client)
{
	return client->request.pending || client->resume.halt.pending || client->resume.stop.pending ||
	       client->rsp.closing;
}

void pt_gdb_take(struct pt_command *cmd)
{
	struct pt_gdb_client *client = pt_gdb_client_of(cmd), *owner = client->stub->owner;
	struct taking *taking;

	if (owner == client || owner == NULL) {
		pt_command_say(cmd, owner == client ? "this GDB controls the target already"
						    : "no GDB controls the target: attach 1");
		pt_command_done(cmd, 0, NULL);
		return;
	}
	if (at_work(owner)) {
		pt_command_fail(cmd, PT_EBUSY, "take: the other GDB (%s) has something under way; try again",
				owner->rsp.peer);
		return;
	}
	pt_changes_note(client->stub->config.changes, client->rsp.peer, "take control from %s", owner->rsp.peer);
	taking = pt_alloc(sizeof(*taking));
	pt_command_say(cmd, "taken from %s%s", owner->rsp.peer,
		       client->inferior.watches || client->inferior.taken ? "; detach and attach 1 come next"
		       : client->inferior.run == PT_GDB_NONE		  ? "; attach 1 comes next"
									  : "");
	cmd->data = taking;
	collect(taking, owner);
	dispossess(owner);
	if (client->inferior.run != PT_GDB_NONE)
		client->stub->owner = client;
	pt_command_on_board(cmd, clear_up, NULL);
}
