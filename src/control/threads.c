/* monitor threads: the tasks of the program's OS, as GDB's info threads has them, with what it does not show: whose
 * they are, their ids, and what is wrong with the OS's data. Works while the target runs: then it is what memory says
 * at the moment. */
#include <inttypes.h>

#include "gdbstub/packets/monitor.h"
#include "session/os_threads.h"

static int on_board(struct pt_monitor_call *call, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	const struct pt_threads *threads = call->client->stub->tasks.threads;
	struct pt_gdb_thread_list list;

	(void)board;
	if (pt_gdb_threads_look(threads, target, &list, err) < 0)
		return err->code;
	if (threads == NULL)
		pt_monitor_say(call, "no operating system that is known: the cores are the threads (monitor orti FILE, "
				     "for one that has "
				     "an ORTI file)");
	else if (call->client->nonstop.wanted)
		pt_monitor_say(call, "%s; in non-stop the cores are the threads", pt_threads_os(threads));
	else
		pt_monitor_say(call, "%s", pt_threads_os(threads));
	if (list.note[0] != '\0')
		pt_monitor_say(call, "%s", list.note);
	for (size_t i = 0; i < list.n_threads; i++) {
		const struct pt_gdb_thread *at = &list.thread[i];

		pt_monitor_say(call, "%10" PRIx64 "  %-24s %s%s", at->id, at->name, at->text,
			       at->core >= 0 && threads != NULL ? " *" : "");
	}
	pt_gdb_thread_list_fini(&list);
	return 0;
}

static void go_on(struct pt_gdb_client *client)
{
	pt_monitor_on_board(client->command.call, on_board, NULL);
}

static void threads(struct pt_monitor_call *call)
{
	if (!pt_gdb_tasks_wait(call->client, go_on))
		go_on(call->client);
}

const struct pt_monitor_word pt_monitor_threads_words[] = {
	{ "threads", "", "the tasks of the program's OS, which are the threads of an all-stop GDB", threads, NULL, 0 },
	{ 0 },
};
