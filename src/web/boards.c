/* What boards there are and what they do, without a word to the boards themselves. */
#include "web/web_parts.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "report/report.h"
#include "report/shared/json_values.h"

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

/* --- one board ---------------------------------------------------------------------------------------------------- */

static const char *state_name(enum pt_board_state state)
{
	static const char *const names[] = {
		[PT_BOARD_CLOSED] = "absent", [PT_BOARD_OPENING] = "opening", [PT_BOARD_READY] = "attached",
		[PT_BOARD_LOCKED] = "locked"
	};

	return names[state];
}

static const char *profile_name(enum pt_session_state state)
{
	static const char *const names[] = {
		[PT_SESSION_IDLE] = "idle", [PT_SESSION_STARTING] = "starting", [PT_SESSION_RUNNING] = "running",
		[PT_SESSION_STOPPING] = "stopping"
	};

	return names[state];
}

static json_t *describe_profile(const struct pt_session *session)
{
	json_t *out = json_object();
	uint64_t number = pt_session_number(session);

	json_object_set_new(out, "state", json_string(profile_name(pt_session_get_state(session))));
	json_object_set_new(out, "number", json_integer((json_int_t)number));
	json_object_set_new(out, "ended_because",
			    number > 0 ? pt_json_text(pt_session_why_ended(session)) : json_null());
	return out;
}

static json_t *describe(const struct pt_web_board *board)
{
	json_t *out = json_object(), *probes = json_array();
	const char *why;
	enum pt_board_state state = pt_board_get_state(board->config.board, &why);

	for (size_t i = 0; pt_board_probe_uri(board->config.board, i) != NULL; i++)
		json_array_append_new(probes, pt_json_text(pt_board_probe_uri(board->config.board, i)));
	json_object_set_new(out, "name", json_string(board->name));
	json_object_set_new(out, "state", json_string(state_name(state)));
	json_object_set_new(out, "details", pt_json_text(why));
	json_object_set_new(out, "probes", probes);
	json_object_set_new(out, "profile", describe_profile(board->config.session));
	return out;
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
