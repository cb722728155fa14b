/* What goes to a client of the control door. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ctldoor/ctl_parts.h"

struct line {
	uv_write_t write;
	struct pt_ctl_connection *connection;
	char *bytes;
};

static void on_written(uv_write_t *write, int status)
{
	struct line *line = (struct line *)write;
	struct pt_ctl_connection *connection = line->connection;

	(void)status;
	connection->n_writes--;
	free(line->bytes);
	free(line);
}

void pt_ctl_send(struct pt_ctl_connection *connection, json_t *reply)
{
	char *bytes = json_dumps(reply, JSON_COMPACT);
	struct line *line;
	uv_buf_t buf;

	json_decref(reply);
	if (bytes == NULL || connection->closing) {
		free(bytes);
		pt_ctl_hang_up(connection);
		return;
	}
	line = pt_alloc(sizeof(*line));
	line->connection = connection;
	line->bytes = bytes;
	buf = uv_buf_init(bytes, (unsigned)strlen(bytes));
	bytes[buf.len++] = '\n';	/* in the place of the zero */
	if (uv_write(&line->write, &connection->peer.stream, &buf, 1, on_written) < 0) {
		free(bytes);
		free(line);
		pt_ctl_hang_up(connection);
		return;
	}
	connection->n_writes++;
	connection->since_ms = uv_now(connection->door->loop);
}

void pt_ctl_refuse(struct pt_ctl_connection *connection, int code, const char *sentence)
{
	pt_ctl_send(connection, json_pack("{s:i, s:s, s:s}", "code", code, "error", sentence, "text", ""));
}
