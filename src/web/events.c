/* /api/events: server-sent events. Once a tick the boards are compared with what was sent last; a client gets the changes, and with
 * each look at a profile its account of time and loss. libmicrohttpd asks for bytes when the client takes some: a client that does
 * not read costs its queue, and nobody waits for it. */
#include "web/web_parts.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "control/board_json.h"
#include "web/event_queue.h"

enum { KEEP_ALIVE_MS = 15000, BLOCK_BYTES = 8192 };

struct pt_web_stream {
	struct pt_web_stream *next;
	struct pt_web *web;
	struct MHD_Connection *connection;
	bool sleeps;			/* suspended: there was nothing to send */
	uint64_t spoke_ms;
	struct pt_event_queue queue;
};

/* --- a client ----------------------------------------------------------------------------------------------------- */

static ssize_t read_stream(void *arg, uint64_t at, char *out, size_t room_bytes)
{
	struct pt_web_stream *stream = arg;
	size_t n = pt_event_queue_take(&stream->queue, out, room_bytes);

	(void)at;
	if (n > 0)
		return (ssize_t)n;
	if (stream->queue.ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	stream->sleeps = true;
	MHD_suspend_connection(stream->connection);
	return 0;
}

static void free_stream(void *arg)
{
	struct pt_web_stream *stream = arg, **at = &stream->web->streams;

	while (*at != stream)
		at = &(*at)->next;
	*at = stream->next;
	stream->web->n_streams--;
	free(stream);
}

static void wake(struct pt_web_stream *stream)
{
	stream->spoke_ms = uv_now(stream->web->loop);
	if (!stream->sleeps)
		return;
	stream->sleeps = false;
	MHD_resume_connection(stream->connection);
	pt_web_mhd_kick(stream->web);
}

static void send_event(struct pt_web *web, const char *event, const char *data)
{
	web->event_id++;
	for (struct pt_web_stream *stream = web->streams; stream != NULL; stream = stream->next) {
		pt_event_queue_add(&stream->queue, web->event_id, event, data);
		wake(stream);
	}
}

/* --- what is sent ------------------------------------------------------------------------------------------------- */

static json_t *seconds(bool known, uint64_t ns)
{
	return known ? json_real((double)ns / 1e9) : json_null();
}

/* As far as it is known; what is not is null. */
static json_t *describe_source(const struct pt_web_source *source)
{
	bool timed = !source->no_clock, divided = timed && !source->is_bound;
	uint64_t lost_bytes = 0, faults = 0, unsized = 0;

	for (int cause = PT_LOSS_FIRST_FAULT; cause < PT_N_LOSSES; cause++) {
		lost_bytes += source->loss.by[cause].bytes;
		faults += source->loss.by[cause].events;
		unsized += source->loss.unsized[cause];
	}
	return json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "name", source->name, "total_s",
			 seconds(timed, source->loss.total_ns), "observed_s",
			 seconds(divided, source->loss.observed_ns), "lost_s", seconds(timed, source->loss.lost_ns),
			 "trace_bytes", (json_int_t)source->loss.observed_bytes, "lost_bytes", (json_int_t)lost_bytes,
			 "faults", (json_int_t)faults, "faults_of_unknown_size", (json_int_t)unsized);
}

static char *describe_figures(const struct pt_web_board *board)
{
	json_t *sources = json_array(), *all;
	char *text;

	for (size_t i = 0; i < board->last.n_sources; i++)
		json_array_append_new(sources, describe_source(&board->last.source[i]));
	all = json_pack("{s:s, s:I, s:b, s:o}", "name", board->name, "number", (json_int_t)board->totals.number,
			"ended", board->last.ended, "sources", sources);
	text = json_dumps(all, JSON_COMPACT);
	json_decref(all);
	return text;
}

static char *describe_board(const struct pt_web_board *board)
{
	json_t *all = pt_board_json(board->name, board->config.board, board->config.session);
	char *text = json_dumps(all, JSON_COMPACT);

	json_decref(all);
	return text;
}

static void compare_board(struct pt_web *web, struct pt_web_board *board)
{
	char *text = describe_board(board), *figures;

	if (text != NULL && (board->told == NULL || strcmp(text, board->told) != 0)) {
		free(board->told);
		board->told = text;
		send_event(web, "board", text);
	} else {
		free(text);
	}
	if (board->taken_ms == board->told_ms)
		return;
	board->told_ms = board->taken_ms;
	figures = describe_figures(board);
	if (figures != NULL)
		send_event(web, "figures", figures);
	free(figures);
}

static void compare_all(struct pt_web *web)
{
	for (struct pt_web_board *board = web->boards; board != NULL; board = board->next)
		compare_board(web, board);
}

void pt_web_tell_streams(struct pt_web *web)
{
	if (web->streams != NULL)
		compare_all(web);
	for (struct pt_web_stream *stream = web->streams; stream != NULL; stream = stream->next) {
		if (uv_now(web->loop) - stream->spoke_ms < KEEP_ALIVE_MS)
			continue;
		pt_event_queue_keep_alive(&stream->queue);
		wake(stream);
	}
}

void pt_web_end_streams(struct pt_web *web)
{
	for (struct pt_web_stream *stream = web->streams; stream != NULL; stream = stream->next) {
		pt_event_queue_end(&stream->queue, "the server ends");
		wake(stream);
	}
}

/* --- the request -------------------------------------------------------------------------------------------------- */

/* How all is at its beginning. */
static void send_present(struct pt_web_stream *stream)
{
	for (const struct pt_web_board *board = stream->web->boards; board != NULL; board = board->next) {
		char *figures = board->taken_ms != 0 ? describe_figures(board) : NULL;

		if (board->told != NULL)
			pt_event_queue_add(&stream->queue, stream->web->event_id, "board", board->told);
		if (figures != NULL)
			pt_event_queue_add(&stream->queue, stream->web->event_id, "figures", figures);
		free(figures);
	}
}

void pt_web_events(struct pt_web_request *request)
{
	struct pt_web *web = request->web;
	struct pt_web_stream *stream;

	if (web->n_streams >= PT_WEB_STREAMS) {
		pt_web_refuse(request, MHD_HTTP_SERVICE_UNAVAILABLE, "%d clients follow events already",
			      PT_WEB_STREAMS);
		return;
	}
	compare_all(web);
	stream = pt_alloc(sizeof(*stream));
	stream->web = web;
	stream->connection = request->connection;
	stream->spoke_ms = uv_now(web->loop);
	send_present(stream);
	stream->next = web->streams;
	web->streams = stream;
	web->n_streams++;
	pt_web_answer_with(request, MHD_HTTP_OK, "text/event-stream",
			   MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_stream, stream,
							     free_stream));
	pt_web_header(request, "X-Accel-Buffering", "no");
}
