/* What a request asks: the state of all boards, or a command of one. */
#include <string.h>

#include "control/board_json.h"
#include "ctldoor/ctl_parts.h"

/* --- status ------------------------------------------------------------------------------------------------------- */

static void send_status(struct pt_ctl_connection *connection)
{
	const struct pt_ctl_config *config = &connection->door->config;
	json_t *list = json_array(), *one;
	struct pt_ctl_board board;

	for (size_t i = 0; config->board(config->arg, i, &board); i++) {
		if (board.why_not != NULL)
			one = json_pack("{s:s, s:s, s:s}", "name", board.name, "state", "not served", "details",
					board.why_not);
		else
			one = pt_board_json(board.name, board.ctx.board, board.ctx.session);
		if (board.why_not == NULL)
			json_object_set_new(one, "clients", config->clients(config->arg, i));
		json_array_append_new(list, one);
	}
	pt_ctl_send(connection, json_pack("{s:i, s:s, s:o}", "code", 0, "schema", "proftap-status-1", "boards", list));
}

/* --- a command ---------------------------------------------------------------------------------------------------- */

static bool only_looks(const struct pt_command *command)
{
	return (command->row.flags & PT_COMMAND_LOOKS_ONLY) != 0 ||
	       ((command->row.flags & PT_COMMAND_ASKS) != 0 && command->n_words == 0);
}

/* The rules of the GDB server for one that has no program of its own. */
static int allows_call(void *door, const struct pt_command *command, struct pt_err *err)
{
	const struct pt_ctl_connection *connection = door;

	if (only_looks(command) || command->row.run == NULL)
		return 0;
	if (connection->board.restricted)
		return pt_fail(err, PT_EPERM, "%s: this daemon is restricted: clients may look, but change nothing",
			       command->row.name);
	if (connection->board.owner != NULL && (command->row.flags & PT_COMMAND_CONTROLS) != 0)
		return pt_fail(err, PT_EBUSY, "%s: a GDB controls the target (%s)", command->row.name,
			       connection->board.owner);
	return 0;
}

static bool is_owned(void *door)
{
	return ((const struct pt_ctl_connection *)door)->board.owner != NULL;
}

static void fit(void *door, struct pt_query *query)
{
	const struct pt_ctl_connection *connection = door;

	if (connection->columns != 0)
		query->columns = connection->columns;
}

static const struct pt_door_ops ops = { .name = "proftap ctl", .allows = allows_call, .owned = is_owned, .fit = fit };

static void on_done(struct pt_command *command, int rc, const struct pt_err *err)
{
	struct pt_ctl_connection *connection = command->caller;
	json_t *text =
		json_stringn_nocheck(command->out.bytes != NULL ? command->out.bytes : "", command->out.len_bytes);
	json_t *reply = json_pack("{s:i, s:o}", "code", rc < 0 ? rc : 0, "text", text != NULL ? text : json_string(""));

	if (rc < 0)
		json_object_set_new(reply, "error", json_string_nocheck(err->msg));
	connection->command = NULL;
	if (connection->closing)
		json_decref(reply);
	else
		pt_ctl_send(connection, reply);
	pt_command_free(command);
	pt_ctl_go_on_closing(connection);
}

void pt_ctl_progress(struct pt_ctl_connection *connection)
{
	struct pt_text line = { 0 };

	pt_command_progress(connection->command, &line);
	pt_ctl_send(connection, json_pack("{s:o}", "progress",
					  json_stringn_nocheck(line.bytes != NULL ? line.bytes : "", line.len_bytes)));
	pt_text_free(&line);
}

static bool find_board(struct pt_ctl_connection *connection, const char *name)
{
	const struct pt_ctl_config *config = &connection->door->config;

	for (size_t i = 0; name != NULL && config->board(config->arg, i, &connection->board); i++)
		if (strcmp(connection->board.name, name) == 0)
			return true;
	return false;
}

/* Returns how many, or more than PT_COMMAND_WORDS: they are none. */
static size_t take_words(const json_t *list, const char *words[PT_COMMAND_WORDS])
{
	size_t n = json_array_size(list);

	for (size_t i = 0; i < n && i < PT_COMMAND_WORDS; i++) {
		words[i] = json_string_value(json_array_get(list, i));
		if (words[i] == NULL)
			return PT_COMMAND_WORDS + 1;
	}
	return n > 0 ? n : PT_COMMAND_WORDS + 1;
}

/* A line of one word may be a whole command, as for proftap monitor. */
static struct pt_command *new_command(struct pt_ctl_connection *connection, const json_t *list)
{
	const char *words[PT_COMMAND_WORDS];
	size_t n = take_words(list, words);

	if (n == 1)
		return pt_command_new(&connection->ctx, words[0], strlen(words[0]), on_done, connection);
	return n <= PT_COMMAND_WORDS ? pt_command_new_words(&connection->ctx, words, n, on_done, connection) : NULL;
}

static void call(struct pt_ctl_connection *connection, const json_t *request)
{
	const json_t *list = json_object_get(request, "words");
	json_int_t columns = json_integer_value(json_object_get(request, "columns"));
	char who[PT_PEER_TEXT];
	uv_os_fd_t fd;

	if (!find_board(connection, json_string_value(json_object_get(request, "board")))) {
		pt_ctl_refuse(connection, PT_EARG, "no board of this name; proftap status lists them");
		return;
	}
	if (connection->board.why_not != NULL) {
		pt_ctl_refuse(connection, PT_ESTATE, connection->board.why_not);
		return;
	}
	if (uv_fileno(&connection->peer.handle, &fd) < 0 || !pt_peers_may(connection->board.allow, fd, who)) {
		pt_ctl_refuse(connection, PT_EPERM,
			      "this board is for other users (allow = in the configuration file)");
		return;
	}
	connection->columns = columns >= 20 && columns <= UINT16_MAX ? (uint16_t)columns : 0;
	connection->ctx = connection->board.ctx;
	connection->ctx.own = connection->own;
	connection->ctx.user = connection->who;
	connection->ctx.ops = &ops;
	connection->ctx.door = connection;
	connection->command = new_command(connection, list);
	if (connection->command == NULL) {
		pt_ctl_refuse(connection, PT_EARG, "a command is 1 to 32 words, of 1023 characters together");
		return;
	}
	pt_command_run(connection->command);
}

void pt_ctl_request(struct pt_ctl_connection *connection, json_t *request)
{
	if (json_is_true(json_object_get(request, "cancel"))) {
		if (connection->command != NULL)
			pt_command_cancel(connection->command);
	} else if (connection->command != NULL || uv_stream_get_write_queue_size(&connection->peer.stream) > 0) {
		pt_ctl_hang_up(connection);	/* one at a time: a client that does not read would fill our memory */
	} else if (json_is_true(json_object_get(request, "status"))) {
		send_status(connection);
	} else {
		call(connection, request);
	}
	json_decref(request);
}
