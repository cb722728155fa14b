/* The paths. */
#include "web/web_parts.h"

#include <string.h>

const struct pt_web_route pt_web_routes[] = {
	{ "GET", "/", pt_web_index, NULL },
	{ "GET", "/api/v1/boards", pt_web_boards, "the boards and what they do, as JSON" },
	{ "GET", "/api/v1/boards/*/status", pt_web_status, "one of them" },
	{ "GET", "/api/v1/boards/*/report", pt_web_report,
	  "a report: ?view=functions&sort=self&top=10&format=json, the words of monitor profile report" },
	{ "GET", "/boards/*/profile.*", pt_web_download, "the same as a file: profile.json, profile.pb.gz, profile.csv, ..." },
	{ "GET", "/metrics", pt_web_metrics, "figures for Prometheus, as text or OpenMetrics" },
	{ "GET", "/sd", pt_web_targets, "this server for Prometheus (http_sd)" },
	{ "GET", "/healthz", pt_web_health, "200 while the daemon serves" },
	{ "GET", "/readyz", pt_web_ready, "200 if every board is attached, else 503" },
	{ 0 },
};

/* One part of a path: up to the next slash. */
static size_t part_length(const char *path)
{
	return strcspn(path, "/");
}

/* Does path fit? The parts that stand for "*" are set, and no further than that. */
static bool fits(const char *pattern, const char *path, const char **board, size_t *board_length, const char **rest)
{
	*board = *rest = NULL;
	*board_length = 0;
	while (*pattern != '\0') {
		size_t n = part_length(path);

		if (*pattern != '*') {
			if (*pattern++ != *path++)
				return false;
		} else if (pattern[1] == '\0') {
			*rest = path;
			return n > 0 && path[n] == '\0';
		} else {
			*board = path;
			*board_length = n;
			path += n;
			pattern++;
		}
	}
	return *path == '\0';
}

static struct pt_web_board *find_board(struct pt_web *web, const char *name, size_t length)
{
	for (struct pt_web_board *board = web->boards; board != NULL; board = board->next)
		if (strlen(board->name) == length && strncmp(board->name, name, length) == 0)
			return board;
	return NULL;
}

static bool take_board(struct pt_web_request *request, const char *name, size_t length)
{
	struct pt_web_board *board = find_board(request->web, name, length);

	if (board == NULL) {
		pt_web_refuse(request, MHD_HTTP_NOT_FOUND, "no board is called %.*s; /api/v1/boards lists them",
			      (int)(length < 64 ? length : 64), name);
		return false;
	}
	board->users++;
	request->board = board;
	return true;
}

const struct pt_web_route *pt_web_route_of(struct pt_web_request *request, const char *method)
{
	const char *wanted = strcmp(method, "HEAD") == 0 ? "GET" : method, *board, *known = NULL;
	size_t length;

	for (const struct pt_web_route *route = pt_web_routes; route->method != NULL; route++) {
		if (!fits(route->path, request->path, &board, &length, &request->rest))
			continue;
		known = route->method;
		if (strcmp(known, wanted) == 0)
			return board == NULL || take_board(request, board, length) ? route : NULL;
	}
	if (known == NULL) {
		pt_web_refuse(request, MHD_HTTP_NOT_FOUND, "there is no such path; / lists those that there are");
	} else {
		pt_web_refuse(request, MHD_HTTP_METHOD_NOT_ALLOWED, "this path knows %s", known);
		pt_web_header(request, "Allow", strcmp(known, "GET") == 0 ? "GET, HEAD" : known);
	}
	return NULL;
}
