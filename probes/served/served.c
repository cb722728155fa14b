/* One thread per probe, which does all its I/O, as a board has it (src/board). A host has one request under way; what it was
 * about when it left is carried out, and the next host's first request waits for that. Between requests the thread looks
 * whether the probe is still there. */
#include "probes/served/served.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "probes/served/relay.h"

enum { LOOK_MS = 200 };
enum progress { IDLE, ASKED, ANSWERED };

struct pt_served {
	struct pt_relay *relay;
	struct pt_probe *probe;
	void (*on_gone)(void *arg, const struct pt_err *why);
	void *arg;
	uv_thread_t thread;
	uv_async_t news;		/* of the thread, for the loop */

	/* the loop's */
	pt_vrespond *respond;
	void (*answered)(void *asker);
	void *asker;
	uint8_t next[PT_RELAY_PACKET_BYTES];	/* a request that was not handed over yet; n_next 0: there is none */
	size_t n_next;
	bool stale;			/* the host that asked has left */
	bool told;			/* that the probe is gone */

	uv_mutex_t lock;		/* for what follows */
	uv_cond_t wanted;
	enum progress progress;
	uint8_t request[PT_RELAY_PACKET_BYTES], response[PT_RELAY_PACKET_BYTES];
	size_t n_request, n_response;
	bool left, quit, ended;
	struct pt_err gone;		/* code 0: the probe is there */
};

/* --- the thread that has the probe ---------------------------------------------------------------------------------- */

static void look(struct pt_served *served)
{
	struct pt_err err = { 0 };

	if (pt_probe_look(served->probe, &err) != PT_EIO)
		return;
	uv_mutex_lock(&served->lock);
	served->gone = err;
	uv_mutex_unlock(&served->lock);
	uv_async_send(&served->news);
}

/* The request is the thread's as long as it is ASKED, and so is the response. */
static void answer(struct pt_served *served)
{
	served->n_response = pt_relay_answer(served->relay, served->request, served->n_request, served->response);
	uv_mutex_lock(&served->lock);
	served->progress = ANSWERED;
	uv_mutex_unlock(&served->lock);
	uv_async_send(&served->news);
}

enum job { NONE, ANSWER, LEFT, QUIT };

/* NONE: there was nothing to do for LOOK_MS. */
static enum job await_job(struct pt_served *served)
{
	enum job job;

	uv_mutex_lock(&served->lock);
	if (served->progress != ASKED && !served->left && !served->quit)
		uv_cond_timedwait(&served->wanted, &served->lock, LOOK_MS * PT_NS_PER_MS);
	job = served->progress == ASKED ? ANSWER : served->left ? LEFT : served->quit ? QUIT : NONE;
	if (job == LEFT)
		served->left = false;
	uv_mutex_unlock(&served->lock);
	return job;
}

static void run_thread(void *arg)
{
	struct pt_served *served = arg;
	uint64_t looked_ns = uv_hrtime();
	enum job job;

	while ((job = await_job(served)) != QUIT) {
		if (job == ANSWER)
			answer(served);
		else if (job == LEFT)
			pt_relay_left(served->relay);
		if (uv_hrtime() - looked_ns < LOOK_MS * PT_NS_PER_MS)
			continue;
		look(served);
		looked_ns = uv_hrtime();
	}
	uv_mutex_lock(&served->lock);
	served->ended = true;
	uv_mutex_unlock(&served->lock);
	uv_async_send(&served->news);
}

/* --- the loop -------------------------------------------------------------------------------------------------------- */

/* Lock held. */
static void hand_over(struct pt_served *served)
{
	if (served->progress != IDLE || served->n_next == 0)
		return;
	memcpy(served->request, served->next, served->n_next);
	served->n_request = served->n_next;
	served->n_next = 0;
	served->progress = ASKED;
	uv_cond_signal(&served->wanted);
}

static void begin_request(void *state, const uint8_t *request, size_t len_bytes, pt_vrespond *respond,
			  void (*answered)(void *asker), void *asker)
{
	struct pt_served *served = state;

	served->respond = respond;
	served->answered = answered;
	served->asker = asker;
	memcpy(served->next, request, len_bytes);
	served->n_next = len_bytes;
	uv_mutex_lock(&served->lock);
	hand_over(served);
	uv_mutex_unlock(&served->lock);
}

static void host_left(void *state)
{
	struct pt_served *served = state;

	served->n_next = 0;
	uv_mutex_lock(&served->lock);
	served->stale = served->progress != IDLE;
	served->left = true;
	uv_cond_signal(&served->wanted);
	uv_mutex_unlock(&served->lock);
}

/* It is freed by pt_served_end(). */
static void free_engine(void *state)
{
	(void)state;
}

static void on_news_closed(uv_handle_t *handle)
{
	struct pt_served *served = handle->data;

	uv_mutex_destroy(&served->lock);
	uv_cond_destroy(&served->wanted);
	pt_relay_free(served->relay);
	free(served);
}

static void take_answer(struct pt_served *served)
{
	uint8_t response[PT_RELAY_PACKET_BYTES];
	size_t n = 0;

	uv_mutex_lock(&served->lock);
	if (served->progress == ANSWERED) {
		served->progress = IDLE;
		n = served->stale ? 0 : served->n_response;
		memcpy(response, served->response, n);
		served->stale = false;
		hand_over(served);
	}
	uv_mutex_unlock(&served->lock);
	if (n == 0)
		return;
	served->respond(served->asker, response, n, 0);
	served->answered(served->asker);
}

static void on_news(uv_async_t *news)
{
	struct pt_served *served = news->data;
	struct pt_err gone;
	bool ended;

	take_answer(served);
	uv_mutex_lock(&served->lock);
	gone = served->gone;
	ended = served->ended;
	uv_mutex_unlock(&served->lock);
	if (gone.code != 0 && !served->told) {
		served->told = true;
		served->on_gone(served->arg, &gone);
	}
	if (!ended)
		return;
	uv_thread_join(&served->thread);
	uv_close((uv_handle_t *)news, on_news_closed);
}

/* --- life ------------------------------------------------------------------------------------------------------------ */

static const struct pt_vengine_ops served_engine = {
	.name = "CMSIS-DAP", .served = "a probe as CMSIS-DAP over TCP, for any program that speaks it",
	.begin = begin_request, .left = host_left, .free = free_engine,
};

struct pt_served *pt_served_new(uv_loop_t *loop, struct pt_probe *probe,
				void (*on_gone)(void *arg, const struct pt_err *why), void *arg, struct pt_err *err)
{
	struct pt_relay *relay = pt_relay_new(probe, err);
	struct pt_served *served;

	if (relay == NULL)
		return NULL;
	served = pt_alloc(sizeof(*served));
	served->relay = relay;
	served->probe = probe;
	served->on_gone = on_gone;
	served->arg = arg;
	if (uv_mutex_init(&served->lock) != 0 || uv_cond_init(&served->wanted) != 0 ||
	    uv_async_init(loop, &served->news, on_news) != 0)
		pt_out_of_memory(1, sizeof(*served));
	served->news.data = served;
	if (uv_thread_create(&served->thread, run_thread, served) == 0)
		return served;
	uv_close((uv_handle_t *)&served->news, on_news_closed);
	pt_fail(err, PT_ENOMEM, "no thread for the probe");
	return NULL;
}

struct pt_vserve *pt_served_listen(struct pt_served *served, uv_loop_t *loop, const char *address, unsigned allow,
				   struct pt_err *err)
{
	static const struct pt_vlink_kind link = {
		.name = "tcp", .wire_bytes = PT_RELAY_PACKET_BYTES, .packet_bytes = PT_RELAY_PACKET_BYTES,
		.depth = PT_RELAY_PACKETS,
	};

	return pt_vserve_engine(loop, &served_engine, served, &link, address, allow, err);
}

void pt_served_end(struct pt_served *served)
{
	uv_mutex_lock(&served->lock);
	served->quit = true;
	uv_cond_signal(&served->wanted);
	uv_mutex_unlock(&served->lock);
}
