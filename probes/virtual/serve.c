/* A host is a stranger until its first bytes are those of the protocol; then it waits until the probe is free, and is
 * served. One request is read, carried out, and its response sent when the SWD cable would have brought it; only then
 * is more read. So a host cannot make us hold more than one request; those that it sends ahead wait in the socket's
 * buffer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/first_bytes.h"
#include "host/listen.h"
#include "host/log.h"
#include "host/sparing.h"
#include "probes/virtual/serve.h"
#include "base/util.h"

enum {				/* Source: OpenOCD, cmsis_dap_tcp.c */
	HEADER_BYTES = 8,
	SIGNATURE = 0x00504144,	/* "DAP" */
	TYPE_REQUEST = 1, TYPE_RESPONSE = 2,
	MAX_FRAME_BYTES = HEADER_BYTES + PT_VENGINE_MAX_PACKET_BYTES,
	MAX_RESPONSES = PT_VENGINE_MAX_RESPONSES,
};
enum { RUN_PERIOD_MS = 8 };	/* how often a board that nobody asks is kept going */

enum stage { STRANGER, WAITS, SERVED };

struct host {
	struct pt_vserve *serve;
	struct host *next;
	enum stage stage;
	union pt_stream stream;
	uv_timer_t due, run;	/* due: a stranger's time to say what it is; then the next response */
	unsigned n_handles;
	uint8_t in[MAX_FRAME_BYTES];
	size_t in_bytes;
	uint8_t *out;		/* responses to one request; NULL until it is served */
	size_t out_bytes;
	uint64_t done_ns;
	enum pt_vfault fault;	/* of the request at hand */
	uv_write_t write;
	bool busy, leaving;
};

struct pt_vserve {
	uv_loop_t *loop;
	struct pt_listener listener;
	struct pt_sparing *sparing;	/* for what strangers cause */
	bool hosted;			/* in the process of its only host, whose user need not hear of it */
	struct pt_vsetup setup;
	uint64_t origin_ns;
	struct host *hosts;	/* all connections, the newest first */
	struct host *host;	/* who has the probe; NULL: nobody */
	bool waiting;		/* for want of memory a connection was not accepted */
	bool closing, listener_closing;
	void (*on_closed)(void *arg);
	void *arg;
};

static uint64_t now_ns(const struct pt_vserve *serve)
{
	return uv_hrtime() - serve->origin_ns;
}

static void next_host(struct pt_vserve *serve);
static void accept_host(struct pt_vserve *serve);
static void serve_frame(struct host *host);

/* --- leaving */

static void end_if_over(struct pt_vserve *serve)
{
	if (!serve->closing || serve->hosts != NULL || serve->listener_closing)
		return;
	if (serve->on_closed != NULL)
		serve->on_closed(serve->arg);
	pt_sparing_close(serve->sparing);
	pt_vsetup_close(&serve->setup);
	free(serve);
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct host *host = handle->data;
	struct pt_vserve *serve = host->serve;
	struct host **at = &serve->hosts;

	if (--host->n_handles > 0)
		return;
	while (*at != host)
		at = &(*at)->next;
	*at = host->next;
	if (serve->host == host)
		serve->host = NULL;
	free(host->out);
	free(host);
	if (serve->waiting && !serve->closing)
		accept_host(serve);
	if (serve->closing)
		end_if_over(serve);
	else
		next_host(serve);
}

static void leave(struct host *host, const char *why)
{
	if (host->leaving)
		return;
	host->leaving = true;
	if (host->stage == SERVED && !host->serve->hosted)
		pt_sparing_info(host->serve->sparing, "a host that left", "board: the host left: %s", why);
	if (host->stage == SERVED && host->serve->setup.engine->left != NULL)
		host->serve->setup.engine->left(host->serve->setup.engine_state);
	uv_close(&host->stream.handle, on_handle_closed);
	uv_close((uv_handle_t *)&host->due, on_handle_closed);
	uv_close((uv_handle_t *)&host->run, on_handle_closed);
}

/* --- one request */

static void on_response(void *arg, const uint8_t *bytes, size_t len_bytes, uint64_t done_ns)
{
	struct host *host = arg;
	uint8_t *frame = host->out + host->out_bytes;

	if (host->fault == PT_VFAULT_STALL)
		return;
	if (host->fault == PT_VFAULT_SHORT)
		len_bytes /= 2;

	if (host->serve->setup.engine->frame == NULL) {
		pt_put_le32(frame, SIGNATURE);
		pt_put_le16(frame + 4, (uint16_t)len_bytes);
		frame[6] = TYPE_RESPONSE;
		frame[7] = 0;
		host->out_bytes += HEADER_BYTES;
		frame += HEADER_BYTES;
	}
	memcpy(frame, bytes, len_bytes);
	if (host->fault == PT_VFAULT_WRONG)
		frame[0] ^= 0x40;
	host->out_bytes += len_bytes;
	host->done_ns = done_ns + (host->fault == PT_VFAULT_LATE ? PT_VFAULT_LATE_NS : 0);
}

static void on_written(uv_write_t *write, int status)
{
	struct host *host = write->data;

	host->busy = false;
	if (status < 0)
		leave(host, uv_strerror(status));
	else if (host->fault == PT_VFAULT_CUT)
		leave(host, "its connection was cut");
	else
		serve_frame(host);
}

static void send_responses(struct host *host)
{
	uv_buf_t buf = uv_buf_init((char *)host->out, (unsigned)host->out_bytes);
	int rc;

	host->write.data = host;
	rc = uv_write(&host->write, &host->stream.stream, &buf, 1, on_written);
	if (rc < 0)
		leave(host, uv_strerror(rc));
}

static void on_due(uv_timer_t *timer)
{
	send_responses(timer->data);
}

/* The loop's timers count milliseconds: what is due sooner goes at once, and the probe's own clock, on which requests
 * follow one another, keeps the account. */
static void send_when_due(struct host *host)
{
	uint64_t now = now_ns(host->serve), wait_ms = host->done_ns > now ? (host->done_ns - now) / PT_NS_PER_MS : 0;

	if (wait_ms > 0)
		uv_timer_start(&host->due, on_due, wait_ms, 0);
	else
		send_responses(host);
}

static void on_answered(void *arg)
{
	send_responses(arg);
}

static void carry_out(struct host *host, const uint8_t *request, size_t len_bytes)
{
	struct pt_vserve *serve = host->serve;

	host->out_bytes = 0;
	host->fault = pt_vsetup_fault(&serve->setup);
	if (host->fault == PT_VFAULT_UNPLUG) {
		leave(host, "its cable was pulled");
		return;
	}
	if (serve->setup.engine->begin != NULL) {
		host->busy = true;
		serve->setup.engine->begin(serve->setup.engine_state, request, len_bytes, on_response, on_answered,
					   host);
		return;
	}
	if (host->fault != PT_VFAULT_LOST)
		pt_vsetup_process(&serve->setup, request, len_bytes, now_ns(serve), on_response, host);
	if (host->fault == PT_VFAULT_CUT)
		host->out_bytes = (host->out_bytes + 1) / 2;
	host->busy = host->out_bytes > 0;
	if (host->busy)
		send_when_due(host);
}

/* --- frames */

static bool header_is_good(const struct host *host)
{
	size_t len_bytes = pt_le16(host->in + 4);

	return pt_le32(host->in) == SIGNATURE && host->in[6] == TYPE_REQUEST && len_bytes > 0 &&
	       len_bytes <= host->serve->setup.link->packet_bytes;
}

/* The bytes of one frame at the front of what has come; 0: it is not whole, or the host was sent away. */
static size_t whole_frame(struct host *host, size_t *header_bytes)
{
	const struct pt_vsetup *setup = &host->serve->setup;
	size_t frame_bytes;

	*header_bytes = 0;
	if (setup->engine->frame != NULL) {
		frame_bytes = setup->engine->frame(setup->engine_state, host->in, host->in_bytes);
		if (frame_bytes != PT_VENGINE_NONSENSE)
			return frame_bytes;
		pt_sparing_warn(host->serve->sparing, "a host that changed its protocol",
				"board: what the host sent is not %s", setup->engine->protocol);
		leave(host, "it speaks another protocol");
		return 0;
	}
	if (host->in_bytes < HEADER_BYTES)
		return 0;
	if (!header_is_good(host)) {
		leave(host, "what it sent is not CMSIS-DAP over TCP");
		return 0;
	}
	*header_bytes = HEADER_BYTES;
	frame_bytes = HEADER_BYTES + pt_le16(host->in + 4);
	return host->in_bytes >= frame_bytes ? frame_bytes : 0;
}

/* Takes one frame off the front of what has come. False: there is none. */
static bool take_frame(struct host *host, uint8_t *request, size_t *len_bytes)
{
	size_t header_bytes, frame_bytes = whole_frame(host, &header_bytes);

	if (frame_bytes == 0)
		return false;
	*len_bytes = frame_bytes - header_bytes;
	memcpy(request, host->in + header_bytes, *len_bytes);
	host->in_bytes -= frame_bytes;
	memmove(host->in, host->in + frame_bytes, host->in_bytes);
	return true;
}

static void look_at_stranger(struct host *host)
{
	const struct pt_vengine_ops *engine = host->serve->setup.engine;
	pt_first_fn *first = engine->frame != NULL ? engine->first : pt_first_cmsis_dap;
	enum pt_first verdict = first != NULL ? pt_first_check(first, host->in, host->in_bytes) : PT_FIRST_YES;
	char text[PT_FIRST_TEXT_BYTES];
	const char *what;

	_Static_assert((int)PT_FIRST_MOST_BYTES <= (int)MAX_FRAME_BYTES, "there is a verdict before in is full");
	if (verdict == PT_FIRST_YES && first == pt_first_rsp && !pt_first_rsp_alone(host->in, host->in_bytes))
		verdict = PT_FIRST_NO;
	if (verdict == PT_FIRST_NO) {
		what = pt_first_name(first, host->in, host->in_bytes);
		pt_sparing_warn(
			host->serve->sparing, what != NULL ? what : "no protocol known here",
			"board: a connection is closed: its first bytes are not those of %s, they %s; nothing was "
			"carried out",
			engine->frame != NULL ? engine->protocol : "CMSIS-DAP over TCP",
			pt_first_describe(first, host->in, host->in_bytes, true, text));
		leave(host, "it speaks another protocol");
	} else if (verdict == PT_FIRST_YES) {
		uv_timer_stop(&host->due);
		uv_read_stop(&host->stream.stream);
		host->stage = WAITS;
		next_host(host->serve);
	}
}

static void on_alloc(uv_handle_t *handle, size_t suggested_bytes, uv_buf_t *buf)
{
	struct host *host = handle->data;

	(void)suggested_bytes;
	*buf = uv_buf_init((char *)host->in + host->in_bytes, (unsigned)(sizeof(host->in) - host->in_bytes));
}

static void on_read(uv_stream_t *stream, ssize_t n_bytes, const uv_buf_t *buf)
{
	struct host *host = stream->data;

	(void)buf;
	if (n_bytes < 0) {
		leave(host, uv_strerror((int)n_bytes));
		return;
	}
	host->in_bytes += (size_t)n_bytes;
	if (host->stage == STRANGER)
		look_at_stranger(host);
	else
		serve_frame(host);
}

/* Serve what is whole; read on when nothing is left to do. */
static void serve_frame(struct host *host)
{
	uint8_t request[PT_VENGINE_MAX_PACKET_BYTES];
	size_t len_bytes;

	while (!host->busy && !host->leaving && take_frame(host, request, &len_bytes))
		carry_out(host, request, len_bytes);
	if (host->leaving)
		return;
	if (host->busy)
		uv_read_stop(&host->stream.stream);
	else
		uv_read_start(&host->stream.stream, on_alloc, on_read);
}

static void send_unasked(struct host *host)
{
	struct pt_vsetup *setup = &host->serve->setup;

	host->out_bytes = 0;
	host->fault = PT_VFAULT_NONE;
	setup->engine->unasked(setup->engine_state, now_ns(host->serve), on_response, host);
	host->busy = host->out_bytes > 0;
	if (!host->busy)
		return;
	uv_read_stop(&host->stream.stream);	/* until it is sent */
	send_responses(host);
}

/* --- arriving */

static void on_run(uv_timer_t *timer)
{
	struct host *host = timer->data;

	if (host->serve->setup.board == NULL)	/* a real one needs nobody to keep it going */
		return;
	pt_vpace_begin(&host->serve->setup.pace);
	pt_vpace_to(&host->serve->setup.pace, now_ns(host->serve));
	if (host->serve->setup.engine->unasked != NULL && !host->busy && !host->leaving)
		send_unasked(host);
}

static struct host *new_host(struct pt_vserve *serve)
{
	struct host *host = pt_alloc(sizeof(*host));

	host->serve = serve;
	host->next = serve->hosts;
	serve->hosts = host;
	host->n_handles = 3;
	uv_timer_init(serve->loop, &host->due);
	uv_timer_init(serve->loop, &host->run);
	host->due.data = host->run.data = host;
	return host;
}

/* It has been connected for longest of those that wait. */
static struct host *oldest_of(const struct pt_vserve *serve, enum stage stage)
{
	struct host *oldest = NULL;

	for (struct host *host = serve->hosts; host != NULL; host = host->next)
		if (host->stage == stage && !host->leaving)
			oldest = host;
	return oldest;
}

static void next_host(struct pt_vserve *serve)
{
	struct host *host = serve->host == NULL && !serve->closing ? oldest_of(serve, WAITS) : NULL;

	if (host == NULL)
		return;
	host->out = malloc(MAX_RESPONSES * MAX_FRAME_BYTES);
	if (host->out == NULL) {
		leave(host, "no memory");
		return;
	}
	serve->host = host;
	host->stage = SERVED;
	if (!serve->hosted)
		pt_sparing_info(serve->sparing, "a host that had the probe", "board: a host has the probe");
	uv_timer_start(&host->run, on_run, RUN_PERIOD_MS, RUN_PERIOD_MS);
	serve_frame(host);
}

/* Strangers make place for newer ones: a browser opens connections that it may need later. */
static void limit_hosts(struct pt_vserve *serve)
{
	struct host *stranger = oldest_of(serve, STRANGER);
	size_t n = 0;

	for (const struct host *host = serve->hosts; host != NULL; host = host->next)
		n += host->stage != SERVED && !host->leaving;
	if (n <= PT_FIRST_MOST_PEERS || stranger == NULL)
		return;
	pt_sparing_info(serve->sparing, "a connection that made place",
			"board: a connection is closed: %zu wait for the probe, or have not said what they are", n);
	leave(stranger, "it makes place");
}

static void on_patience_over(uv_timer_t *timer)
{
	struct host *host = timer->data;

	pt_sparing_info(host->serve->sparing, "a connection that said nothing in time",
			"board: a connection is closed: it has not said what it is for %d s",
			PT_FIRST_PATIENCE_MS / 1000);
	leave(host, "it says nothing");
}

static void accept_host(struct pt_vserve *serve)
{
	struct host *host = new_host(serve);
	int rc;

	serve->waiting = host == NULL;
	if (host == NULL)
		return;		/* it stays in the queue until another leaves */
	rc = pt_listener_accept(&serve->listener, &host->stream, host);
	if (rc < 0) {
		leave(host, uv_strerror(rc));
		return;
	}
	if (host->stream.handle.type == UV_TCP)
		uv_tcp_nodelay(&host->stream.tcp, 1);
	uv_timer_start(&host->due, on_patience_over, PT_FIRST_PATIENCE_MS, 0);
	uv_read_start(&host->stream.stream, on_alloc, on_read);
	limit_hosts(serve);
}

static void on_connection(uv_stream_t *stream, int status)
{
	struct pt_vserve *serve = stream->data;

	if (status < 0)
		pt_sparing_warn(serve->sparing, "a connection that failed", "board: a connection failed: %s",
				uv_strerror(status));
	else
		accept_host(serve);
}

/* --- life */

/* The words of the user come last, and so win. */
static int open_rig(struct pt_vserve *serve, const char *board, struct pt_err *err)
{
	size_t name_len = strcspn(board, "?"), room = strlen(board) + sizeof("?link=tcp&");
	char *text = malloc(room);
	int rc;

	if (text == NULL)
		return pt_fail(err, PT_ENOMEM, "virtual board: no memory");
	snprintf(text, room, "%.*s?link=tcp%s%s", (int)name_len, board, board[name_len] != '\0' ? "&" : "",
		 board[name_len] != '\0' ? board + name_len + 1 : "");
	rc = pt_vsetup_open(&serve->setup, text, err);
	free(text);
	return rc;
}

/* The letters of remote_bitbang are those of any text: a kernel that says who connects is then all there is. */
static int check_hosts(const struct pt_vserve *serve, const char *address, unsigned allow, struct pt_err *err)
{
	const struct pt_vengine_ops *engine = serve->setup.engine;

	if (engine->frame == NULL || engine->first != NULL || strncmp(address, "unix:", 5) == 0 ||
	    (allow & PT_VSERVE_UNIDENTIFIED) != 0)
		return 0;
	return pt_fail(err, PT_EARG,
		       "%s: on TCP a client of %s cannot be distinguished from a web page: listen on unix:PATH, "
		       "or give --allow-unidentified",
		       address, engine->protocol);
}

static void on_listener_closed(uv_handle_t *handle)
{
	struct pt_vserve *serve = handle->data;

	serve->listener_closing = false;
	end_if_over(serve);
}

/* What is served is set up. */
static struct pt_vserve *begin(struct pt_vserve *serve, const char *address, unsigned allow, struct pt_err *err)
{
	uv_loop_t *loop = serve->loop;

	serve->origin_ns = uv_hrtime();
	serve->sparing = pt_sparing_new(loop, "board");
	serve->listener.allow_remote = (allow & PT_VSERVE_REMOTE) != 0;
	if (check_hosts(serve, address, allow, err) < 0 ||
	    pt_listen(&serve->listener, loop, address, on_connection, serve, err) < 0) {
		pt_vserve_close(serve, NULL, NULL);
		return NULL;
	}
	return serve;
}

struct pt_vserve *pt_vserve_new(uv_loop_t *loop, const char *board, const char *address, unsigned allow,
				struct pt_err *err)
{
	struct pt_vserve *serve = pt_alloc(sizeof(*serve));

	serve->loop = loop;
	if (open_rig(serve, board, err) == 0)
		return begin(serve, address, allow, err);
	free(serve);
	return NULL;
}

struct pt_vserve *pt_vserve_engine(uv_loop_t *loop, const struct pt_vengine_ops *engine, void *state,
				   const struct pt_vlink_kind *link, const char *address, unsigned allow,
				   struct pt_err *err)
{
	struct pt_vserve *serve = pt_alloc(sizeof(*serve));

	serve->loop = loop;
	serve->setup.faults_fd = -1;
	serve->setup.link_kind = *link;
	serve->setup.link = &serve->setup.link_kind;
	serve->setup.engine = engine;
	serve->setup.engine_state = state;
	return begin(serve, address, allow, err);
}

void pt_vserve_host(struct pt_vserve *serve)
{
	serve->hosted = true;
}

const char *pt_vserve_what(const struct pt_vserve *serve)
{
	return serve->setup.engine->served;
}

const char *pt_vserve_address(const struct pt_vserve *serve)
{
	return serve->listener.address;
}

bool pt_vserve_is_remote(const struct pt_vserve *serve)
{
	return serve->listener.is_remote;
}

uint64_t pt_vserve_slip_ns(const struct pt_vserve *serve)
{
	return serve->setup.pace.slip_ns;
}

void pt_vserve_close(struct pt_vserve *serve, void (*on_closed)(void *arg), void *arg)
{
	serve->closing = true;
	serve->on_closed = on_closed;
	serve->arg = arg;
	serve->listener_closing = serve->listener.open;
	for (struct host *host = serve->hosts, *next; host != NULL; host = next) {
		next = host->next;
		leave(host, "the server ends");
	}
	if (serve->listener.open)
		pt_listener_close(&serve->listener, on_listener_closed);
	else
		end_if_over(serve);
}
