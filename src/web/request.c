/* One request: its head is judged before its body is read; its answer may come later, and then it rests meanwhile. */
#include "web/web_parts.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "host/log.h"
#include "web/rules.h"

/* --- answers ------------------------------------------------------------------------------------------------------ */

static const char *const headers[][2] = {
	{ "Cache-Control", "no-store" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Referrer-Policy", "no-referrer" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Content-Security-Policy",
	  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
	  "form-action 'none'; frame-ancestors 'none'" },
};

static const char *field(const struct pt_web_request *request, const char *name)
{
	return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

const char *pt_web_argument(const struct pt_web_request *request, const char *key)
{
	return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, key);
}

void pt_web_header(struct pt_web_request *request, const char *name, const char *value)
{
	if (request->response != NULL)
		MHD_add_response_header(request->response, name, value);
}

static void go_on(struct pt_web_request *request)
{
	if (!request->suspended || request->connection == NULL)
		return;
	request->suspended = false;
	MHD_resume_connection(request->connection);
	pt_web_mhd_kick(request->web);
}

void pt_web_answer_with(struct pt_web_request *request, unsigned status, const char *type,
			struct MHD_Response *response)
{
	request->status = status;
	request->response = response;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		pt_web_header(request, headers[i][0], headers[i][1]);
	pt_web_header(request, "Content-Type", type);
	go_on(request);
}

void pt_web_answer(struct pt_web_request *request, unsigned status, const char *type, const void *bytes,
		   size_t len_bytes)
{
	pt_web_answer_with(request, status, type,
			   MHD_create_response_from_buffer(len_bytes, (void *)bytes, MHD_RESPMEM_MUST_COPY));
}

void pt_web_answer_text(struct pt_web_request *request, const char *type, struct pt_text *text)
{
	pt_web_answer(request, MHD_HTTP_OK, type, text->bytes != NULL ? text->bytes : "", text->len_bytes);
	pt_text_free(text);
}

static void refuse_with(struct pt_web_request *request, unsigned status, const char *sentence)
{
	json_t *body = json_pack("{s:s}", "error", sentence);
	char *text = body != NULL ? json_dumps(body, 0) : NULL;
	struct pt_text out = { 0 };

	pt_text_add(&out, "%s\n", text != NULL ? text : "{\"error\": \"the reason is no UTF-8\"}");
	pt_web_answer(request, status, "application/json", out.bytes, out.len_bytes);
	if (status == MHD_HTTP_UNAUTHORIZED)
		pt_web_header(request, "WWW-Authenticate", "Bearer realm=\"proftap\"");
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
		pt_web_header(request, "Retry-After", "1");
	pt_text_free(&out);
	free(text);
	json_decref(body);
}

void pt_web_refuse(struct pt_web_request *request, unsigned status, const char *fmt, ...)
{
	char sentence[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, args);
	va_end(args);
	refuse_with(request, status, sentence);
}

void pt_web_fail(struct pt_web_request *request, int rc, const char *sentence)
{
	static const struct { int code; unsigned status; } codes[] = {
		{ PT_EARG, MHD_HTTP_BAD_REQUEST },	    { PT_ESTATE, MHD_HTTP_CONFLICT },
		{ PT_EBUSY, MHD_HTTP_CONFLICT },	    { PT_EPERM, MHD_HTTP_FORBIDDEN },
		{ PT_EIO, MHD_HTTP_BAD_GATEWAY },	    { PT_EFAULT, MHD_HTTP_BAD_GATEWAY },
		{ PT_ETIMEOUT, MHD_HTTP_GATEWAY_TIMEOUT },
	};
	unsigned status = MHD_HTTP_INTERNAL_SERVER_ERROR;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].code == rc)
			status = codes[i].status;
	refuse_with(request, status, sentence);
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

static void free_request(struct pt_web_request *request)
{
	struct pt_web_request **at = &request->web->requests;

	while (*at != request)
		at = &(*at)->next;
	*at = request->next;
	if (request->response != NULL)
		MHD_destroy_response(request->response);
	pt_web_board_unref(request->board);
	pt_text_free(&request->body);
	free(request);
}

void pt_web_rest(struct pt_web_request *request)
{
	request->waits = true;
	request->web->n_waiting++;
}

bool pt_web_wait(struct pt_web_request *request)
{
	const struct pt_web *web = request->web;

	if (web->n_waiting >= PT_WEB_WAITING + web->n_windows) {
		pt_web_refuse(request, MHD_HTTP_SERVICE_UNAVAILABLE, "%d requests are being answered: ask again",
			      PT_WEB_WAITING);
		return false;
	}
	pt_web_rest(request);
	return true;
}

bool pt_web_done(struct pt_web_request *request)
{
	struct pt_web *web = request->web;
	bool is_there = request->connection != NULL && request->status == 0;

	request->waits = false;
	web->n_waiting--;
	if (request->connection == NULL)
		free_request(request);
	pt_web_go_on_closing(web);
	return is_there;
}

void pt_web_abandon_all(struct pt_web *web)
{
	for (struct pt_web_request *r = web->requests; r != NULL; r = r->next)
		if (r->suspended && r->status == 0)
			pt_web_refuse(r, MHD_HTTP_SERVICE_UNAVAILABLE, "the server ends");
}

void pt_web_on_completed(void *arg, struct MHD_Connection *connection, void **state,
			 enum MHD_RequestTerminationCode how)
{
	struct pt_web_request *request = *state;

	(void)arg;
	(void)connection;
	(void)how;
	if (request == NULL)
		return;
	*state = NULL;
	if (request->on != NULL) {
		request->on->n_requests--;
		request->on->waits = false;
		request->on->since_ms = uv_now(request->web->loop);
	}
	request->connection = NULL;
	request->on = NULL;
	if (!request->waits)
		free_request(request);
}

/* --- what comes --------------------------------------------------------------------------------------------------- */

static struct pt_web_request *new_request(struct pt_web *web, struct MHD_Connection *connection, const char *url)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct pt_web_request *request = pt_alloc(sizeof(*request));

	request->web = web;
	request->connection = connection;
	request->on = info != NULL ? info->socket_context : NULL;
	if (request->on != NULL) {
		request->on->n_requests++;
		request->on->since_ms = uv_now(web->loop);
	}
	snprintf(request->path, sizeof(request->path), "%s", url);
	request->next = web->requests;
	web->requests = request;
	return request;
}

static bool has_token(const struct pt_web_request *request)
{
	const struct pt_token *token = request->web->config.token;
	const char *word = pt_web_bearer(field(request, "Authorization"));

	return token == NULL || (word != NULL && pt_token_fits(token, word));
}

/* A client without the token does not learn which paths exist. */
static void judge(struct pt_web_request *request, const char *method, size_t url_bytes)
{
	const struct pt_web_head head = { .method = method, .host = field(request, "Host"), .origin = field(request, "Origin"),
					  .fetch_site = field(request, "Sec-Fetch-Site"),
					  .fetch_mode = field(request, "Sec-Fetch-Mode"),
					  .content_type = field(request, "Content-Type") };
	const struct pt_web_rules rules = { request->web->config.hosts, request->on != NULL && request->on->is_unix };
	struct pt_err err = { 0 };
	unsigned status = pt_web_refuses(&rules, &head, &err);

	if (status != 0) {
		pt_sparing_warn(request->web->sparing, "a request that was refused", "http: refused: %s", err.msg);
		pt_web_refuse(request, status, "%s", err.msg);
	} else if (url_bytes >= sizeof(request->path)) {
		pt_web_refuse(request, MHD_HTTP_URI_TOO_LONG, "no path here has %zu bytes", url_bytes);
	} else if (strcmp(request->path, "/healthz") != 0 && !has_token(request)) {
		if (field(request, "Authorization") != NULL)
			pt_sparing_warn(request->web->sparing, "a wrong token", "http: a wrong token was given");
		pt_web_refuse(request, MHD_HTTP_UNAUTHORIZED,
			      "this server wants its token: Authorization: Bearer TOKEN");
	} else {
		request->route = pt_web_route_of(request, method);
	}
}

static void take_body(struct pt_web_request *request, const char *bytes, size_t len_bytes)
{
	request->too_long |= request->body.len_bytes + len_bytes > PT_WEB_BODY_BYTES;
	if (!request->too_long)
		pt_text_bytes(&request->body, bytes, len_bytes);
}

static void start(struct pt_web_request *request)
{
	request->started = true;
	if (request->on != NULL)
		request->on->waits = true;
	if (request->status != 0)
		return;
	if (request->too_long)
		pt_web_refuse(request, 413, "a body has at most %d bytes here", PT_WEB_BODY_BYTES);
	else
		request->route->run(request);
}

static void count_answer(struct pt_web *web, const char *path, unsigned code)
{
	size_t i = 0;

	while (i < web->n_counts && (web->count[i].path != path || web->count[i].code != code))
		i++;
	if (i == web->n_counts && i < PT_WEB_COUNTS)
		web->count[web->n_counts++] = (struct pt_web_count){ path, code, 0 };
	if (i < PT_WEB_COUNTS)
		web->count[i].n++;
}

static enum MHD_Result send_answer(struct pt_web_request *request)
{
	static const char none[] = "(none)";

	pt_debug(PT_LOG_HTTP, "http: %s: %u", request->path, request->status);
	count_answer(request->web, request->route != NULL ? request->route->path : none, request->status);
	if (request->on != NULL)	/* whether it reads it the library watches */
		request->on->waits = true;
	return MHD_queue_response(request->connection, request->status, request->response);
}

enum MHD_Result pt_web_handle(void *arg, struct MHD_Connection *connection, const char *url, const char *method,
			      const char *version, const char *upload, size_t *upload_bytes, void **state)
{
	struct pt_web_request *request = *state;

	(void)version;
	if (request == NULL) {
		*state = request = new_request(arg, connection, url);
		judge(request, method, strlen(url));
		return request->status != 0 ? send_answer(request) : MHD_YES;
	}
	if (*upload_bytes != 0) {	/* no answer may be given before it is taken */
		take_body(request, upload, *upload_bytes);
		*upload_bytes = 0;
		return MHD_YES;
	}
	if (!request->started)
		start(request);
	if (request->status != 0)
		return send_answer(request);
	request->suspended = true;
	MHD_suspend_connection(connection);
	return MHD_YES;
}
