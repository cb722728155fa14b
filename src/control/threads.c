/* monitor threads: the tasks of the program's OS, as in GDB's info threads, and more: their core, their ids, and damage
 * in the OS's data. Works while the target runs, with what memory contains at the moment. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "control/commands.h"
#include "session/os_threads.h"

static int on_board(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	const struct pt_threads *threads = pt_os_tasks_threads(cmd->ctx->tasks);
	struct pt_gdb_thread_list list;

	(void)board;
	if (pt_gdb_threads_look(threads, target, &list, err) < 0)
		return err->code;
	if (threads == NULL)
		pt_command_say(cmd,
			       "no operating system that is known: the cores are the threads (%s, for one that has an "
			       "ORTI file)",
			       cmd->ctx->ops->is_single ? "--orti FILE" : "monitor orti FILE");
	else
		pt_command_say(cmd, "%s%s%s", pt_threads_os(threads), cmd->hint != NULL ? "; " : "",
			       cmd->hint != NULL ? cmd->hint : "");
	if (list.note[0] != '\0')
		pt_command_say(cmd, "%s", list.note);
	for (size_t i = 0; i < list.n_threads; i++) {
		const struct pt_gdb_thread *at = &list.thread[i];

		pt_command_say(cmd, "%10" PRIx64 "  %-24s %s%s", at->id, at->name, at->text,
			       at->core >= 0 && threads != NULL ? " *" : "");
	}
	pt_gdb_thread_list_fini(&list);
	return 0;
}

static void ask_board(void *arg)
{
	struct pt_command *cmd = arg;

	pt_command_on_board(cmd, on_board, NULL);
}

static void threads(struct pt_command *cmd)
{
	struct pt_os_tasks_waiter *waiter;

	if (!pt_command_no_words(cmd))
		return;
	waiter = pt_alloc(sizeof(*waiter));
	cmd->data = waiter;
	cmd->hint = pt_command_hint(cmd, PT_COMMAND_THREADS);
	*waiter = (struct pt_os_tasks_waiter){ .then = ask_board, .arg = cmd };
	if (!pt_os_tasks_wait(cmd->ctx->tasks, waiter))
		ask_board(cmd);
}

const struct pt_command_row pt_commands_threads[] = {
	{ .name = "threads", .usage = "",
	  .help = "the tasks of the program's OS, which are the threads of an all-stop GDB",
	  .flags = PT_COMMAND_LOOKS_ONLY, .run = threads },
	{ 0 },
};
