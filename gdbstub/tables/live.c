/* monitor profile live TIME [VIEW...]|off: the table every TIME, on GDB's console, while GDB waits in a continue. At
 * any other time GDB would take the text for the reply to something, so nothing is sent. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "gdbstub/tables/live.h"
#include "gdbstub/packets/monitor.h"
#include "base/util.h"
#include "report/report.h"

enum { SHORTEST_MS = 100 };

struct pt_gdb_live {
	struct pt_query query;
	bool asked;		/* a table has been requested */
	bool off;		/* to be freed when it arrives */
};

static bool listens(const struct pt_gdb_client *client)
{
	return client->inferior.run == PT_GDB_RUNNING && !client->resume.under_way && !client->resume.halt.pending &&
	       !client->resume.stop.pending && !client->rsp.closing && client->command.call == NULL &&
	       client->rsp.current == NULL;
}

static void drop(struct pt_gdb_client *client)
{
	free(client->command.live);
	client->command.live = NULL;
}

static void on_table(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_gdb_client *client = arg;

	client->command.live->asked = false;
	pt_rsp_release(&client->rsp);
	if (rc == 0 && listens(client) && !client->command.live->off)
		pt_gdb_console(client, text, len_bytes);
	if (client->command.live->off)
		drop(client);
}

static void on_tick(uv_timer_t *timer)
{
	struct pt_gdb_client *client = timer->data;
	struct pt_session *session = client->stub->config.session;

	if (client->command.live->asked || !listens(client) || !pt_rsp_may_send(&client->rsp) ||
	    pt_session_get_state(session) != PT_SESSION_RUNNING)
		return;
	client->command.live->asked = true;
	pt_rsp_hold(&client->rsp);
	pt_session_report(session, &client->command.live->query, on_table, client);
}

void pt_gdb_live_stop(struct pt_gdb_client *client)
{
	uv_timer_stop(&client->command.live_timer);
	if (client->command.live == NULL)
		return;
	client->command.live->off = true;
	if (!client->command.live->asked)
		drop(client);
}

static void start(struct pt_command *cmd, const struct pt_query *query, uint64_t every_ns)
{
	struct pt_gdb_client *client = pt_gdb_client_of(cmd);

	if (client->command.live == NULL)
		client->command.live = pt_alloc(sizeof(*client->command.live));
	client->command.live->query = *query;
	client->command.live->off = false;
	uv_timer_start(&client->command.live_timer, on_tick, every_ns / PT_NS_PER_MS, every_ns / PT_NS_PER_MS);
	pt_command_say(cmd,
		       "the table comes every %.3g s while GDB waits in continue and a profile runs; profile live off "
		       "ends that",
		       (double)every_ns / PT_NS_PER_S);
	pt_command_done(cmd, 0, NULL);
}

void pt_gdb_live(struct pt_command *cmd)
{
	struct pt_query query = { 0 };
	struct pt_err err;
	uint64_t every_ns;

	if (cmd->n_words == 0) {
		pt_command_fail(cmd, PT_EARG, "profile live TIME, such as 1s, or profile live off");
	} else if (strcmp(cmd->words[0], "off") == 0) {
		pt_gdb_live_stop(pt_gdb_client_of(cmd));
		pt_command_done(cmd, 0, NULL);
	} else if (pt_params_parse_seconds(cmd->words[0], &every_ns, &err) < 0 ||
		   pt_command_take_query(cmd, 1, &query, &err) < 0 ||
		   (cmd->n_words > 1 && pt_query_parse(&query, cmd->words + 1, cmd->n_words - 1, &err) < 0)) {
		pt_command_fail(cmd, PT_EARG, "profile live: %s", err.msg);
	} else if (every_ns < SHORTEST_MS * PT_NS_PER_MS) {
		pt_command_fail(cmd, PT_EARG, "profile live: at least %d ms", SHORTEST_MS);
	} else if (pt_command_is_text(cmd, &query)) {
		start(cmd, &query, every_ns);
	}
}
