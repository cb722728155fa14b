/* The paths that go tool pprof and continuous profilers ask: a profile of the next seconds. It is a window of the profile
 * that runs; a GET starts none, as a source may disturb the program. The request rests meanwhile; as the library does not
 * see a resting client go, its socket is looked at here. */
#include "web/web_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/params.h"
#include "report/report.h"

static const uint64_t second_ns = 1000000000;

struct pt_web_window {
	struct pt_web_window *next;
	struct pt_web_request *request;
	uint64_t number, until_ms, began_ns;
};

/* pprof shows the sentence of an error that is marked so. Source: net/http/pprof, serveError(). */
static void refuse(struct pt_web_request *request, unsigned status, const char *sentence)
{
	struct pt_text line = { 0 };

	pt_text_add(&line, "%s\n", sentence);
	pt_web_answer(request, status, "text/plain; charset=utf-8", line.bytes, line.len_bytes);
	pt_web_header(request, "X-Go-Pprof", "1");
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
		pt_web_header(request, "Retry-After", "10");
	pt_text_free(&line);
}

static uint64_t wall_ns(void)
{
	uv_timeval64_t now = { 0 };

	uv_gettimeofday(&now);
	return (uint64_t)now.tv_sec * second_ns + (uint64_t)now.tv_usec * 1000;
}

/* --- the end of a window ------------------------------------------------------------------------------------------ */

static void on_report(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_web_request *request = arg;

	if (!pt_web_done(request))
		return;
	if (rc < 0) {
		refuse(request, rc == PT_ESTATE ? MHD_HTTP_CONFLICT : MHD_HTTP_INTERNAL_SERVER_ERROR, text);
		return;
	}
	pt_web_answer(request, MHD_HTTP_OK, "application/octet-stream", text, len_bytes);
	pt_web_header(request, "Content-Disposition", "attachment; filename=\"profile\"");
}

static struct pt_web_request *unlink_window(struct pt_web_window **at, uint64_t *number, uint64_t *began_ns)
{
	struct pt_web_window *window = *at;
	struct pt_web_request *request = window->request;

	*number = window->number;
	*began_ns = window->began_ns;
	*at = window->next;
	request->web->n_windows--;
	free(window);
	return request;
}

static void answer_window(struct pt_web_window **at)
{
	struct pt_query query = { .format = "pprof" };
	uint64_t number;
	struct pt_web_request *request = unlink_window(at, &number, &query.began_ns);

	pt_session_end_window(request->board->config.session, number, &query, on_report, request);
}

/* status 0: its client has gone. */
static void drop_window(struct pt_web_window **at, unsigned status, const char *sentence)
{
	uint64_t number, began_ns;
	struct pt_web_request *request = unlink_window(at, &number, &began_ns);

	pt_session_end_window(request->board->config.session, number, NULL, NULL, NULL);
	if (pt_web_done(request))
		refuse(request, status, sentence);
}

void pt_web_drop_windows(struct pt_web *web, const struct pt_web_board *board)
{
	for (struct pt_web_window **at = &web->windows; *at != NULL;) {
		if (board == NULL || (*at)->request->board == board)
			drop_window(at, MHD_HTTP_SERVICE_UNAVAILABLE, "the server ends");
		else
			at = &(*at)->next;
	}
}

static bool has_gone(const struct pt_web_request *request)
{
	ssize_t n;
	char byte;

	if (request->connection == NULL || request->on == NULL)
		return true;
	n = recv(request->on->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void pt_web_look_at_windows(struct pt_web *web)
{
	for (struct pt_web_window **at = &web->windows; *at != NULL;) {
		const struct pt_web_request *request = (*at)->request;

		if (has_gone(request))
			drop_window(at, MHD_HTTP_SERVICE_UNAVAILABLE, "its client has gone");
		else if (uv_now(web->loop) >= (*at)->until_ms ||
			 pt_session_get_state(request->board->config.session) != PT_SESSION_RUNNING)
			answer_window(at);
		else
			at = &(*at)->next;
	}
	if (web->windows == NULL)
		uv_timer_stop(&web->windows_timer);
}

static void on_windows_timer(uv_timer_t *timer)
{
	pt_web_look_at_windows(timer->data);
}

/* --- its beginning ------------------------------------------------------------------------------------------------ */

static bool take_seconds(struct pt_web_request *request, uint64_t *ns)
{
	const char *text = pt_web_argument(request, "seconds");
	struct pt_err err;

	*ns = PT_WEB_WINDOW_S * second_ns;
	if (text != NULL &&
	    (pt_params_parse_seconds(text, ns, &err) < 0 || *ns == 0 || *ns > PT_WEB_WINDOW_MOST_S * second_ns)) {
		refuse(request, MHD_HTTP_BAD_REQUEST, "seconds=N takes more than 0 and at most 3600");
		return false;
	}
	return true;
}

static void begin_window(struct pt_web_request *request, uint64_t ns)
{
	struct pt_web *web = request->web;
	struct pt_web_window *window;
	struct pt_err err = { 0 };
	uint64_t number;

	if (web->n_windows >= PT_WEB_WINDOWS) {
		refuse(request, MHD_HTTP_SERVICE_UNAVAILABLE,
		       "as many profiles as there can be at once are being made: ask again");
		return;
	}
	number = pt_session_begin_window(request->board->config.session, pt_format_find("pprof")->needs, &err);
	if (number == 0) {
		refuse(request, err.code == PT_ESTATE ? MHD_HTTP_CONFLICT : MHD_HTTP_INTERNAL_SERVER_ERROR, err.msg);
		return;
	}
	window = pt_alloc(sizeof(*window));
	*window = (struct pt_web_window){ web->windows, request, number, uv_now(web->loop) + ns / 1000000, wall_ns() };
	web->windows = window;
	web->n_windows++;
	pt_web_rest(request);
	uv_timer_start(&web->windows_timer, on_windows_timer, PT_WEB_WINDOWS_TICK_MS, PT_WEB_WINDOWS_TICK_MS);
}

void pt_web_pprof(struct pt_web_request *request)
{
	uint64_t ns;

	if (take_seconds(request, &ns))
		begin_window(request, ns);
}

/* The same of the only board. */
void pt_web_pprof_only(struct pt_web_request *request)
{
	struct pt_web_board *board = request->web->boards;

	if (board == NULL || board->next != NULL) {
		refuse(request, MHD_HTTP_NOT_FOUND,
		       board == NULL
			       ? "there is no board"
			       : "there are several boards: /boards/NAME/debug/pprof/profile; /api/v1/boards lists them");
		return;
	}
	board->users++;
	request->board = board;
	pt_web_pprof(request);
}

void pt_web_pprof_index(struct pt_web_request *request)
{
	struct pt_text out = { 0 };

	pt_text_add(&out,
		    "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>proftap: pprof</title>\n<ul>\n");
	for (const struct pt_web_board *board = request->web->boards; board != NULL; board = board->next)
		pt_text_add(&out, "<li><a href=\"/boards/%s/debug/pprof/profile?seconds=10\">%s: profile of 10 s</a>\n",
			    board->name, board->name);
	pt_text_add(&out, "</ul>\n</html>\n");
	pt_web_answer_text(request, "text/html; charset=utf-8", &out);
}
