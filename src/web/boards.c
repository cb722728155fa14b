/* What boards there are and what they do, without a word to the boards themselves. */
#include "web/web_parts.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "control/board_json.h"
#include "report/report.h"

static void answer_json(struct pt_web_request *request, json_t *body)
{
	char *text = body != NULL ? json_dumps(body, JSON_INDENT(1)) : NULL;
	struct pt_text out = { 0 };

	json_decref(body);
	if (text == NULL) {
		pt_web_fail(request, PT_ENOMEM, "the answer cannot be made");
		return;
	}
	pt_text_add(&out, "%s\n", text);
	free(text);
	pt_web_answer_text(request, "application/json", &out);
}

/* --- boards ------------------------------------------------------------------------------------------------------- */

static json_t *describe(const struct pt_web_board *board)
{
	return pt_board_json(board->name, board->config.board, board->config.session);
}

void pt_web_status(struct pt_web_request *request)
{
	answer_json(request, describe(request->board));
}

void pt_web_boards(struct pt_web_request *request)
{
	json_t *list = json_array();

	for (const struct pt_web_board *board = request->web->boards; board != NULL; board = board->next)
		json_array_append_new(list, describe(board));
	answer_json(request, json_pack("{s:s, s:o}", "schema", "proftap-boards-1", "boards", list));
}

/* --- the daemon --------------------------------------------------------------------------------------------------- */

static void answer_line(struct pt_web_request *request, unsigned status, const char *line)
{
	pt_web_answer(request, status, "text/plain; charset=utf-8", line, strlen(line));
}

void pt_web_health(struct pt_web_request *request)
{
	answer_line(request, MHD_HTTP_OK, "ok\n");
}

void pt_web_ready(struct pt_web_request *request)
{
	struct pt_text out = { 0 };
	const char *why;

	for (const struct pt_web_board *board = request->web->boards; board != NULL; board = board->next)
		if (pt_board_get_state(board->config.board, &why) != PT_BOARD_READY)
			pt_text_add(&out, "%s: %s\n", board->name, why);
	if (out.len_bytes == 0)
		answer_line(request, MHD_HTTP_OK, "ok\n");
	else
		answer_line(request, MHD_HTTP_SERVICE_UNAVAILABLE, out.bytes);
	pt_text_free(&out);
}

/* The address is the one by which it was asked: that leads here from there. */
void pt_web_targets(struct pt_web_request *request)
{
	const char *host = MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, "Host");

	answer_json(request,
		    json_pack("[{s:[s], s:{s:s}}]", "targets", host != NULL ? host : request->web->listener.address,
			      "labels", "__meta_proftap_version", PACKAGE_VERSION));
}

/* Names of boards and formats have no character that HTML would read. */
void pt_web_index(struct pt_web_request *request)
{
	struct pt_text out = { 0 };

	pt_text_add(
		&out,
		"<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>proftap</title>\n<h1>proftap</h1>\n");
	for (const struct pt_web_board *board = request->web->boards; board != NULL; board = board->next) {
		pt_text_add(&out, "<h2>%s</h2>\n<p><a href=\"/api/v1/boards/%s/status\">status</a>\n", board->name,
			    board->name);
		pt_text_add(&out, "<a href=\"/api/v1/boards/%s/report\">report</a>\n", board->name);
		for (size_t i = 0; pt_formats[i] != NULL; i++)
			if (pt_formats[i]->suffix != NULL)
				pt_text_add(&out, "<a href=\"/boards/%s/profile%s\">%s</a>\n", board->name,
					    pt_formats[i]->suffix, pt_formats[i]->name);
	}
	pt_text_add(&out, "<h2>paths</h2>\n<ul>\n");
	for (const struct pt_web_route *route = request->web->routes; route->method != NULL; route++)
		if (route->help != NULL)
			pt_text_add(&out, "<li>%s %s: %s\n", route->method, route->path, route->help);
	pt_text_add(&out, "</ul>\n</html>\n");
	pt_web_answer_text(request, "text/html; charset=utf-8", &out);
}
