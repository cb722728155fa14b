/* The inside of the HTTP door, for its own files alone. Loop thread. */
#ifndef PT_WEB_PARTS_H
#define PT_WEB_PARTS_H

#include <microhttpd.h>

#include "base/text.h"
#include "host/listen.h"
#include "host/sparing.h"
#include "web/totals.h"
#include "web/web.h"

enum {
	PT_WEB_CONNECTIONS = 64,	/* more: the one that rests longest makes place */
	PT_WEB_WAITING = 8,		/* requests that wait for an answer of others */
	PT_WEB_STREAMS = 32,		/* clients of /api/events */
	PT_WEB_WINDOWS = 4,		/* profiles of the next seconds, at once */
	PT_WEB_WINDOW_S = 30, PT_WEB_WINDOW_MOST_S = 3600,
	PT_WEB_WINDOWS_TICK_MS = 100,
	PT_WEB_BODY_BYTES = 4096,
	PT_WEB_PATIENCE_MS = 10000,	/* for a whole request, and between two of them */
	PT_WEB_STALL_S = 30,		/* a client that does not read what it has asked for */
	PT_WEB_TICK_MS = 1000,
	PT_WEB_COUNTS = 96,		/* paths times status codes */
};

struct pt_web_board {
	struct pt_web_board *next;
	unsigned users;			/* the list, and each request of it; 0: it is freed */
	char name[40];
	struct pt_web_board_config config;
	struct pt_board_listener listener;
	bool ready;			/* as last heard */
	uint64_t n_lost;
	bool looking;			/* a snapshot is being taken */
	uint64_t complete;		/* the number of the profile whose last snapshot is in the totals */
	uint64_t taken_ms;
	struct pt_web_totals totals;
	struct pt_web_snapshot last;	/* as it was taken at taken_ms */
	char *told;			/* events.c: the board as clients know it; NULL: they do not */
	uint64_t told_ms;		/* the same: taken_ms of the figures that they have */
};

struct pt_web_count { const char *path; unsigned code; uint64_t n; };

struct pt_web_connection {
	struct pt_web_connection *next;
	int fd;				/* of libmicrohttpd */
	bool is_unix;
	unsigned n_requests;		/* whose head has come, and which are not answered yet */
	bool waits;			/* one of them has all of its body: the answer is ours to give */
	uint64_t since_ms;		/* the last request, or the beginning */
};

struct pt_web {
	uv_loop_t *loop;
	struct pt_web_config config;
	const struct pt_web_route *routes;
	struct pt_listener listener;
	struct pt_sparing *sparing;
	struct MHD_Daemon *mhd;
	uv_poll_t poll;
	uv_timer_t timer, tick, windows_timer;
	bool in_mhd, again;
	struct pt_web_connection *connections;
	size_t n_connections;
	struct pt_web_board *boards;
	struct pt_web_request *requests;
	struct pt_web_window *windows;	/* pprof.c */
	unsigned n_windows;
	struct pt_web_stream *streams;	/* events.c */
	unsigned n_streams;
	void (*on_tick)(struct pt_web *web);	/* behind the look at the figures */
	uint64_t event_id;		/* of the last one */
	unsigned n_waiting;		/* with those whose client has gone */
	unsigned n_looks;		/* of figures.c, under way */
	struct pt_web_count count[PT_WEB_COUNTS];	/* of answers */
	size_t n_counts;
	unsigned n_handles;		/* to be closed */
	bool closing;
	void (*on_closed)(void *arg);
	void *closed_arg;
};

struct pt_web_request {
	struct pt_web_request *next;
	struct pt_web *web;
	struct MHD_Connection *connection;	/* NULL: it has gone */
	struct pt_web_connection *on;
	const struct pt_web_route *route;
	struct pt_web_board *board;	/* that the path names; NULL: none */
	const char *rest;		/* of the path, for the last "*" of the route; in path */
	char path[256];
	struct pt_text body;
	bool too_long, started, suspended;
	bool waits;			/* a report of it is being made; then pt_web_done() is called */
	unsigned status;		/* 0: there is no answer yet */
	struct MHD_Response *response;
};

/* A path: "*" stands for one part of it, the first for a board's name; ".*" at the end for the end of a file's name. */
struct pt_web_route {
	const char *method, *path;
	void (*run)(struct pt_web_request *request);
	const char *help;		/* on the index */
};

/* --- mhd.c: libmicrohttpd in our loop */
int pt_web_mhd_start(struct pt_web *web, struct pt_err *err);
/* Takes fd over. */
void pt_web_mhd_add(struct pt_web *web, int fd);
void pt_web_mhd_kick(struct pt_web *web);	/* something can go on: soon, never from inside */
void pt_web_mhd_stop(struct pt_web *web);

/* --- life.c */
void pt_web_on_handle_closed(uv_handle_t *handle);
void pt_web_go_on_closing(struct pt_web *web);	/* if it closes, and nothing is under way any more */
void pt_web_finish(struct pt_web *web);
void pt_web_forget_board(struct pt_web *web, struct pt_web_board *board);	/* no request of it waits */
void pt_web_board_unref(struct pt_web_board *board);

/* --- request.c */
enum MHD_Result pt_web_handle(void *arg, struct MHD_Connection *connection, const char *url, const char *method,
			      const char *version, const char *upload, size_t *upload_bytes, void **state);
void pt_web_on_completed(void *arg, struct MHD_Connection *connection, void **state,
			 enum MHD_RequestTerminationCode how);
/* Exactly once per request, in run() or later. type: of its content. bytes are copied. */
void pt_web_answer(struct pt_web_request *request, unsigned status, const char *type, const void *bytes,
		   size_t len_bytes);
/* The same with a response of its own. */
void pt_web_answer_with(struct pt_web_request *request, unsigned status, const char *type,
			struct MHD_Response *response);
void pt_web_answer_text(struct pt_web_request *request, const char *type, struct pt_text *text);	/* and frees it */
void pt_web_refuse(struct pt_web_request *request, unsigned status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void pt_web_fail(struct pt_web_request *request, int rc, const char *sentence);	/* a code of ours */
void pt_web_header(struct pt_web_request *request, const char *name, const char *value);	/* behind answer() */
const char *pt_web_argument(const struct pt_web_request *request, const char *key);	/* NULL: not given */
/* False: too many wait already, and it has been refused. Else pt_web_done() is due before any other use of it: false:
 * its client has gone, and so has the request. */
bool pt_web_wait(struct pt_web_request *request);
void pt_web_rest(struct pt_web_request *request);	/* the same, not counted among those that may wait */
bool pt_web_done(struct pt_web_request *request);
/* All that are there get an answer, and go on. */
void pt_web_abandon_all(struct pt_web *web);

/* --- routes.c */
extern const struct pt_web_route pt_web_routes[];	/* ended by one without a method */

/* --- paths.c */
/* NULL: there is no such path, or not with this method, or no such board; the request has been refused. */
const struct pt_web_route *pt_web_route_of(struct pt_web_request *request, const char *method);

/* --- figures.c: once a tick */
void pt_web_look(struct pt_web *web);

/* --- events.c: once a tick, behind the look at the figures; at the end */
void pt_web_tell_streams(struct pt_web *web);
void pt_web_end_streams(struct pt_web *web);

/* --- pprof.c */
void pt_web_look_at_windows(struct pt_web *web);
/* Those of a board; NULL: all. */
void pt_web_drop_windows(struct pt_web *web, const struct pt_web_board *board);

/* --- what the rows do */
void pt_web_index(struct pt_web_request *request);
void pt_web_boards(struct pt_web_request *request);
void pt_web_status(struct pt_web_request *request);
void pt_web_health(struct pt_web_request *request);
void pt_web_ready(struct pt_web_request *request);
void pt_web_targets(struct pt_web_request *request);
void pt_web_metrics(struct pt_web_request *request);
void pt_web_events(struct pt_web_request *request);
void pt_web_report(struct pt_web_request *request);
void pt_web_download(struct pt_web_request *request);
void pt_web_pprof(struct pt_web_request *request);
void pt_web_pprof_only(struct pt_web_request *request);
void pt_web_pprof_index(struct pt_web_request *request);

#endif
