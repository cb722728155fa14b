/* The thread's only visitor from outside is the async handle that ends it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/alloc.h"
#include "probes/virtual/hosted.h"
#include "probes/virtual/serve.h"

enum { MOST_QUERY_BYTES = 4096 };

struct pt_vhosted {
	uv_loop_t loop;
	uv_async_t end;
	uv_thread_t thread;
	struct pt_vserve *serve;
};

static void on_end(uv_async_t *end)
{
	struct pt_vhosted *hosted = end->data;

	pt_vserve_close(hosted->serve, NULL, NULL);
	uv_close((uv_handle_t *)end, NULL);
}

static void on_thread(void *arg)
{
	struct pt_vhosted *hosted = arg;

	uv_run(&hosted->loop, UV_RUN_DEFAULT);
}

/* Closes what is on the loop while no thread runs it. */
static void drain(struct pt_vhosted *hosted)
{
	if (hosted->serve != NULL)
		pt_vserve_close(hosted->serve, NULL, NULL);
	uv_run(&hosted->loop, UV_RUN_DEFAULT);
	uv_loop_close(&hosted->loop);
	free(hosted);
}

struct pt_vhosted *pt_vhosted_start(const char *board, char address[PT_VHOSTED_ADDRESS_BYTES], struct pt_err *err)
{
	struct pt_vhosted *hosted = pt_alloc(sizeof(*hosted));
	char query[MOST_QUERY_BYTES];

	snprintf(query, sizeof(query), "%s%cclock=wall", board, strchr(board, '?') != NULL ? '&' : '?');
	if (uv_loop_init(&hosted->loop) < 0) {
		free(hosted);
		pt_fail(err, PT_ENOMEM, "virtual board: no memory");
		return NULL;
	}
	hosted->serve = pt_vserve_new(&hosted->loop, query, "127.0.0.1:0", 0, err);
	if (hosted->serve == NULL) {
		drain(hosted);
		return NULL;
	}
	pt_vserve_host(hosted->serve);
	snprintf(address, PT_VHOSTED_ADDRESS_BYTES, "%s", pt_vserve_address(hosted->serve));
	hosted->end.data = hosted;
	if (uv_async_init(&hosted->loop, &hosted->end, on_end) < 0) {
		drain(hosted);
		pt_fail(err, PT_ENOMEM, "virtual board: no memory");
		return NULL;
	}
	if (uv_thread_create(&hosted->thread, on_thread, hosted) < 0) {
		uv_close((uv_handle_t *)&hosted->end, NULL);
		drain(hosted);
		pt_fail(err, PT_ENOMEM, "virtual board: no thread for its server");
		return NULL;
	}
	return hosted;
}

void pt_vhosted_stop(void *arg)
{
	struct pt_vhosted *hosted = arg;

	if (hosted == NULL)
		return;
	uv_async_send(&hosted->end);
	uv_thread_join(&hosted->thread);
	uv_loop_close(&hosted->loop);
	free(hosted);
}
