/* From a path to its row. */
#include "web/web_parts.h"

#include <string.h>

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

	for (const struct pt_web_route *route = request->web->routes; route->method != NULL; route++) {
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
