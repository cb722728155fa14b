/* How the connection comes and goes: the board opens it, a client takes it, the server may end it and come back, and
 * what a client left behind in the server is taken out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "gdbstub/proxy/proxy_parts.h"
#include "session/recorder.h"
#include "gdbstub/packets/stub.h"
#include "host/log.h"
#include "base/util.h"

struct finding {
	struct pt_job job;
	struct pt_gdb_proxy *proxy;
	struct pt_rsp_stream *stream;
	char *description;
	uint16_t own_from, own_end;
	char server[32];
	bool is_process, asks_running, takes_ahead;
};

/* --- the connection ----------------------------------------------------------------------------------------------- */

static void check(struct pt_gdb_proxy *p)
{
	p->n_closing--;
	pt_gdbstub_wake(p->stub);
}

static void on_upstream_closed(void *arg)
{
	check(arg);
}

static void drop_upstream(struct pt_gdb_proxy *p)
{
	if (p->upstream == NULL)
		return;
	p->n_closing++;
	pt_upstream_close(p->upstream, on_upstream_closed, p);
	p->upstream = NULL;
	p->replay = 0;
}

/* A loss is told at once, also to a packet that has not got its turn yet. */
static void fail_waiting(struct pt_gdb_proxy *p)
{
	if (p->await != PT_PROXY_NOTHING || p->unsent)
		pt_proxy_fail(p, "%s", p->lost);
}

static void on_lost(void *arg, const char *why)
{
	struct pt_gdb_proxy *p = arg;

	snprintf(p->lost, sizeof(p->lost), "the GDB server is gone: %.160s", why);
	drop_upstream(p);
	fail_waiting(p);
}

static int find_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct finding *f = (struct finding *)job;
	const struct pt_target_upstream *what;
	struct pt_rsp_facts facts = { 0 };
	const struct pt_rsp_ops *rsp;
	void *wire;

	(void)board;
	rsp = target != NULL && target->ops->upstream != NULL ? pt_probe_rsp(target->probe, &wire) : NULL;
	if (rsp == NULL)
		return pt_fail(err, PT_ESTATE, "the GDB server cannot be reached at present");
	rsp->facts(wire, &facts);
	memcpy(f->server, facts.name[0] != '\0' ? facts.name : facts.where, sizeof(f->server) - 1);
	f->is_process = facts.process;
	f->asks_running = facts.asks_running;
	f->takes_ahead = facts.takes_ahead;
	what = target->ops->upstream(target->state);
	f->description = what->description != NULL ? pt_strdup(what->description) : NULL;
	f->own_from = what->own_from;
	f->own_end = what->own_end;
	f->stream = pt_upstream_of(target);
	return 0;
}

static void take_facts(struct pt_gdb_proxy *p, struct finding *f)
{
	free(p->description);
	p->description = f->description;
	p->own_from = f->own_from;
	p->own_end = f->own_end;
	memcpy(p->server, f->server, sizeof(p->server));
	p->is_process = f->is_process;
	p->asks_running = f->asks_running;
	p->takes_ahead = f->takes_ahead;
}

static void find_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct finding *f = (struct finding *)job;
	struct pt_gdb_proxy *p = f->proxy;
	struct pt_upstream_user user = *p->user;

	user.arg = p;
	user.on_lost = on_lost;
	p->finding = false;
	if (rc == 0 && f->stream != NULL && p->client != NULL && !p->client->rsp.closing && p->upstream == NULL) {
		take_facts(p, f);
		p->upstream = pt_upstream_new(p->stub->loop, f->stream, &user);
		p->replay = p->supported[0] != '\0' || p->extended || p->non_stop || p->thread[0] != '\0';
	} else {
		pt_rsp_stream_unref(f->stream);
		free(f->description);
	}
	if (rc < 0)
		snprintf(p->lost, sizeof(p->lost), "%.180s", err->msg);
	if (p->upstream == NULL && p->unsent)
		pt_proxy_fail(p, "%s", p->lost);
	free(f);
	check(p);
}

void pt_proxy_find(struct pt_gdb_proxy *p)
{
	struct finding *f;

	if (p->finding || p->upstream != NULL || p->client == NULL)
		return;
	f = pt_alloc(sizeof(*f));
	f->proxy = p;
	f->job.run = find_run;
	f->job.done = find_done;
	p->finding = true;
	p->n_closing++;
	pt_board_post(p->stub->config.board, &f->job);
}

static void on_board(void *arg, enum pt_board_state state, const char *why)
{
	struct pt_gdb_proxy *p = arg;

	if (state == PT_BOARD_CLOSED) {
		snprintf(p->lost, sizeof(p->lost), "%.180s", why);
		drop_upstream(p);
		fail_waiting(p);
	}
	if (state == PT_BOARD_READY)
		pt_proxy_find(p);
	pt_gdbstub_wake(p->stub);
}

/* --- telling again ------------------------------------------------------------------------------------------------ */

bool pt_proxy_replay_next(struct pt_gdb_proxy *p)
{
	for (;;) {
		const char *text = NULL;

		switch (p->replay++) {
		case 1:
			text = p->supported;
			break;
		case 2:
			text = p->extended ? "!" : "";
			break;
		case 3:
			text = p->non_stop ? "QNonStop:1" : "";
			pt_rsp_stream_lock(pt_upstream_stream(p->upstream))->run.non_stop = p->non_stop;
			pt_rsp_stream_unlock(pt_upstream_stream(p->upstream));
			break;
		case 4:
			text = p->thread;
			break;
		default:
			p->replay = 0;
			return false;
		}
		if (text[0] == '\0')
			continue;
		pt_upstream_send(p->upstream, text, strlen(text));
		return true;
	}
}

/* --- a client ----------------------------------------------------------------------------------------------------- */

static void on_timer_closed(uv_handle_t *handle)
{
	struct pt_gdb_proxy *p = handle->data;
	struct pt_gdbstub *stub = p->stub;

	pt_proxy_pieces_fini(&p->pieces);
	free(p->description);
	free(p);
	stub->proxy = NULL;
	pt_gdbstub_wake(stub);
}

static struct pt_gdb_proxy *new_pass(struct pt_gdbstub *stub, const struct pt_upstream_user *user)
{
	struct pt_gdb_proxy *p = pt_alloc(sizeof(*p));

	p->stub = stub;
	p->user = user;
	uv_timer_init(stub->loop, &p->timer);
	p->timer.data = p;
	p->listener = (struct pt_board_listener){ .arg = p, .on_state = on_board };
	pt_board_listen(stub->config.board, &p->listener);
	return p;
}

bool pt_gdb_pass_close(struct pt_gdbstub *stub)
{
	struct pt_gdb_proxy *p = stub->proxy;

	if (p == NULL)
		return true;
	if (p->n_closing > 0 || p->closing)
		return false;
	p->closing = true;
	pt_board_unlisten(stub->config.board, &p->listener);
	uv_close((uv_handle_t *)&p->timer, on_timer_closed);
	return false;
}

static bool take(struct pt_gdb_proxy *p, struct pt_gdb_client *client)
{
	p->payload = malloc(PT_PROXY_PACKET_BYTES + 1);
	if (p->payload == NULL)
		return false;
	pt_rsp_set_capacity(&client->rsp, p->payload, PT_PROXY_PACKET_BYTES + 1);
	p->client = client;
	client->proxy = p;
	p->supported[0] = p->thread[0] = '\0';
	p->non_stop = p->asks_stops = p->extended = false;
	p->n_breaks = 0;
	client->stub->owner = client;
	pt_proxy_late_begin(p);
	pt_proxy_find(p);
	return true;
}

enum pt_packet_offer pt_proxy_offer(struct pt_gdb_client *client, const struct pt_upstream_user *user)
{
	struct pt_gdbstub *stub = client->stub;
	enum pt_board_state state = pt_board_get_state(stub->config.board, NULL);
	struct pt_gdb_proxy *p;

	if (client->proxy != NULL)
		return PT_PACKET_MINE;
	if (client->decided || stub->config.restricted || !pt_board_is_upstream(stub->config.board))
		return PT_PACKET_NOT_MINE;
	if (stub->proxy == NULL)
		stub->proxy = new_pass(stub, user);
	p = stub->proxy;
	if (p == NULL)
		return PT_PACKET_NOT_MINE;
	if (state == PT_BOARD_OPENING || p->n_closing > 0 || (p->client != NULL && p->client->rsp.closing))
		return PT_PACKET_LATER;
	client->decided = true;
	if (state != PT_BOARD_READY || p->client != NULL || stub->owner != NULL)
		return PT_PACKET_NOT_MINE;
	return take(p, client) ? PT_PACKET_MINE : PT_PACKET_NOT_MINE;
}

/* --- what it leaves behind ---------------------------------------------------------------------------------------- */

struct cleaning {
	struct pt_job job;
	struct pt_gdb_proxy *proxy;
	size_t n;
	char breaks[][PT_PROXY_BREAK_BYTES];
};

static void remove_all(const struct cleaning *c, const struct pt_rsp_ops *rsp, void *wire)
{
	uint8_t text[64];
	char packet[PT_PROXY_BREAK_BYTES + 1];

	for (size_t i = 0; i < c->n; i++) {
		struct pt_rsp_answer answer = { .bytes = text, .room_bytes = sizeof(text) };
		int len = snprintf(packet, sizeof(packet), "z%s", c->breaks[i]);

		rsp->ask(wire, packet, (size_t)len, &answer, PT_RSP_STREAM_PATIENCE_MS, NULL);
	}
}

/* A program that ran runs on, without the breakpoints of a debugger that is gone. */
static int clean(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct cleaning *c = (struct cleaning *)job;
	const struct pt_rsp_ops *rsp;
	struct pt_rsp_run run;
	bool ran;
	void *wire;
	int rc;

	(void)board;
	rsp = target != NULL ? pt_probe_rsp(target->probe, &wire) : NULL;
	if (rsp == NULL || rsp->hold(wire, err) < 0)
		return PT_ESTATE;
	rc = rsp->poll(wire, 0, &run, err);
	ran = rc == 0 && run.running && !run.non_stop;
	if (ran && rsp->interrupt(wire, err) == 0)
		rc = rsp->poll(wire, PT_RSP_STREAM_PATIENCE_MS, &run, err);
	if (rc == 0 && (!run.running || run.non_stop))	/* where it can be asked */
		remove_all(c, rsp, wire);
	if (rc == 0 && ran && !run.running)
		rc = rsp->go_on(wire, err);
	rsp->release(wire);
	return rc;
}

static void clean_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct cleaning *c = (struct cleaning *)job;
	struct pt_gdb_proxy *p = c->proxy;

	if (rc < 0 && rc != PT_ESTATE)
		pt_warn("gdb: breakpoints of a client that is gone may still be in the program: %s", err->msg);
	free(c);
	check(p);
}

static void clean_up(struct pt_gdb_proxy *p)
{
	struct cleaning *c = p->n_breaks > 0 ? calloc(1, sizeof(*c) + p->n_breaks * sizeof(c->breaks[0])) : NULL;

	if (c == NULL)
		return;
	c->proxy = p;
	c->n = p->n_breaks;
	memcpy(c->breaks, p->breaks, p->n_breaks * sizeof(c->breaks[0]));
	c->job.run = clean;
	c->job.done = clean_done;
	p->n_closing++;
	pt_board_post(p->stub->config.board, &c->job);
}

void pt_gdb_pass_end(struct pt_gdb_client *client)
{
	struct pt_gdb_proxy *p = client->proxy;
	struct pt_rsp_shared *shared;

	if (p == NULL)
		return;
	client->proxy = NULL;
	p->client = NULL;
	pt_recorder_leave(client->stub->config.recorder, client);
	if (client->stub->owner == client)
		client->stub->owner = NULL;
	uv_timer_stop(&p->timer);
	if (p->upstream != NULL && p->await == PT_PROXY_ANSWER) {	/* the server's answer has no client any more */
		shared = pt_rsp_stream_lock(pt_upstream_stream(p->upstream));
		shared->owed += (unsigned)pt_proxy_n_out(p);
		pt_rsp_stream_unlock(pt_upstream_stream(p->upstream));
	}
	p->await = PT_PROXY_NOTHING;
	p->unsent = p->etx = p->told = false;
	pt_proxy_pieces_drop(&p->pieces);
	p->pieces.server_bytes = 0;
	pt_rsp_set_capacity(&client->rsp, NULL, 0);
	free(p->payload);
	p->payload = NULL;
	drop_upstream(p);
	clean_up(p);
}
