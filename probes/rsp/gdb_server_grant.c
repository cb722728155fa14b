/* One packet and its answer, in a turn of the connection that two share. What comes meanwhile and is not ours is the
 * client's: it gets that with its next turn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/rsp/gdb_server_parts.h"
#include "host/clock.h"
#include "host/log.h"
#include "base/rsp_frame.h"
#include "base/util.h"

/* --- one packet --------------------------------------------------------------------------------------------------- */

uint64_t pt_server_from_now(uint32_t ms)
{
	return pt_host_now_ns() + ms * PT_NS_PER_MS;
}

/* For the client, as it came; the payload is in g->in. False: nobody is there. */
bool pt_server_pass_on(struct gdb_server *g)
{
	struct pt_rsp_frame frame = { 0 };
	bool there = false;

	pt_rsp_begin(&frame, (char)g->in[0]);
	pt_rsp_binary(&frame, g->in + 1, g->in_bytes - 1);
	if (pt_rsp_end(&frame))
		there = pt_rsp_stream_pass(g->stream, &(struct pt_rsp_raw){ frame.bytes, frame.len_bytes });
	pt_rsp_free(&frame);
	return there;
}

/* A stop of a target that ran: the client's, if it waits for one. In non-stop only a notification is one. */
bool pt_server_take_stop(struct gdb_server *g)
{
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(g->stream);
	bool was = shared->run.running && !shared->run.non_stop &&
		   pt_rsp_stop_read(&shared->run, g->in + 1, g->in_bytes - 1);

	pt_rsp_stream_unlock(g->stream);
	return was;
}

bool pt_server_note_stop(struct gdb_server *g)
{
	bool stop = strncmp((char *)g->in, "%Stop:", 6) == 0;
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(g->stream);

	if (stop)
		pt_rsp_stop_read(&shared->run, g->in + 6, g->in_bytes - 6);
	pt_rsp_stream_unlock(g->stream);
	return stop;
}

static void set_unheard(struct gdb_server *g)
{
	pt_rsp_stream_lock(g->stream)->unheard = true;
	pt_rsp_stream_unlock(g->stream);
}

void pt_server_tell_note(struct gdb_server *g)
{
	if (!pt_server_pass_on(g))
		set_unheard(g);
}

/* The next packet that is no notification. Its length behind the mark, g->in + 1 has it. */
int pt_server_receive(struct gdb_server *g, uint64_t deadline_ns, struct pt_err *err)
{
	int n;

	for (;;) {
		n = pt_link_receive(g->link, g->in, sizeof(g->in) - 1, deadline_ns, err);
		if (n < 0)
			return n;
		g->in_bytes = (size_t)n;
		g->in[n] = '\0';
		if (g->in[0] != '%')
			return n - 1;
		pt_server_note_stop(g);
		pt_server_tell_note(g);
	}
}

bool pt_server_is_console(const struct gdb_server *g)
{
	return g->in_bytes > 1 && g->in[1] == 'O' && strcmp((char *)g->in + 1, "OK") != 0;
}

static void owe(struct gdb_server *g)
{
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(g->stream);

	if (shared->owed == 0)
		shared->silent_since_ns = pt_host_now_ns();
	shared->owed++;
	pt_rsp_stream_unlock(g->stream);
}

static unsigned owed(struct gdb_server *g)
{
	unsigned n = pt_rsp_stream_lock(g->stream)->owed;

	pt_rsp_stream_unlock(g->stream);
	return n;
}

/* What came too late for whoever had asked. */
static int throw_away(struct gdb_server *g, uint64_t deadline_ns, struct pt_err *err)
{
	if (owed(g) > 0)
		pt_rsp_stream_ask_known(g->stream);
	while (owed(g) > 0) {
		int rc = pt_server_receive(g, deadline_ns, err);

		if (rc < 0)
			return rc == PT_ETIMEOUT ? pt_wrap(err, "the server is silent") : rc;
		if (!pt_server_is_console(g))
			pt_rsp_stream_settle(g->stream, g->in + 1, g->in_bytes - 1);
	}
	return 0;
}

/* The text of an O packet into the answer, which has room for two digits a byte of it. */
static void add_console(struct pt_rsp_answer *answer, const uint8_t *hex, size_t len)
{
	struct pt_rsp_args args = { hex, hex + len };
	uint8_t byte;

	while (answer->len_bytes < answer->room_bytes && pt_rsp_bytes(&args, &byte, 1))
		answer->bytes[answer->len_bytes++] = byte;
}

/* An answer to qRcmd in one piece is hex; it becomes text like that of O packets. */
static int finish_command(struct gdb_server *g, struct pt_rsp_answer *answer, int len, struct pt_err *err)
{
	const uint8_t *at = g->in + 1;

	if (len >= 1 && at[0] == 'E' && (len == 3 || (len > 1 && at[1] == '.')))
		return pt_fail(err, PT_EFAULT, "%.*s%s%.*s", (int)answer->len_bytes, (const char *)answer->bytes,
			       answer->len_bytes > 0 ? ": " : "", len, (const char *)at);
	if (len == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "the server has no monitor commands");
	if (strcmp((const char *)at, "OK") != 0)
		add_console(answer, at, (size_t)len);
	return 0;
}

/* QEMU's user mode tells of a thread that gets a signal while another one stands, in the middle of anything. A stop that
 * answers nothing would be taken for memory or registers. Source: QEMU 7.2, gdbstub.c, gdb_handlesig. */
static bool is_unasked(const struct gdb_server *g, bool asks_stop, int len)
{
	return !asks_stop && pt_rsp_is_stop(g->in + 1, (size_t)len);
}

static bool asks_for_stop(const char *request, size_t len_bytes)
{
	return (len_bytes == 1 && request[0] == '?') || (len_bytes == 8 && memcmp(request, "vStopped", 8) == 0) ||
	       (len_bytes > 8 && memcmp(request, "vAttach;", 8) == 0);
}

static int await(struct gdb_server *g, bool command, bool asks_stop, struct pt_rsp_answer *answer, uint64_t deadline_ns,
		 struct pt_err *err)
{
	int len;

	for (;;) {
		len = pt_server_receive(g, deadline_ns, err);
		if (len < 0)
			break;
		if (pt_server_is_console(g)) {
			if (command)
				add_console(answer, g->in + 2, (size_t)len - 1);
			else
				pt_server_pass_on(g);
			continue;
		}
		if (pt_server_take_stop(g))
			continue;	/* a client that waits for it is told with its next turn */
		if (is_unasked(g, asks_stop, len)) {
			pt_debug(PT_LOG_GDB, "upstream: a stop without a request: %.60s", (char *)g->in + 1);
			continue;
		}
		if (command)
			return finish_command(g, answer, len, err);
		if ((size_t)len > answer->room_bytes)
			return pt_fail(err, PT_EPROTO, "an answer of %d bytes, where %zu were expected", len,
				       answer->room_bytes);
		memcpy(answer->bytes, g->in + 1, (size_t)len);
		answer->len_bytes = (size_t)len;
		return 0;
	}
	if (len == PT_ETIMEOUT)
		owe(g);
	return len;
}

int pt_server_exchange(struct gdb_server *g, const void *request, size_t len_bytes, struct pt_rsp_answer *answer,
		       uint32_t timeout_ms, struct pt_err *err)
{
	bool command = len_bytes > 6 && memcmp(request, "qRcmd,", 6) == 0;
	uint64_t deadline_ns = pt_server_from_now(timeout_ms > g->patience_ms ? timeout_ms : g->patience_ms);
	int rc;

	answer->len_bytes = 0;
	pt_link_shield(g->link);	/* an answer that nobody fetches would be the next question's */
	rc = throw_away(g, deadline_ns, err);
	if (rc == 0)
		rc = pt_link_submit(g->link, request, len_bytes, deadline_ns, err);
	if (rc == 0)
		rc = await(g, command, asks_for_stop(request, len_bytes), answer, deadline_ns, err);
	pt_link_unshield(g->link);
	return rc;
}

/* --- turns -------------------------------------------------------------------------------------------------------- */

int pt_server_enter(struct gdb_server *g, struct pt_err *err)
{
	int rc = pt_rsp_stream_hold(g->stream, err);

	g->holds += rc == 0;
	return rc;
}

/* What a client chose is chosen again, if we have asked for something else: the server keeps one choice for both. */
void pt_server_restore_choice(struct gdb_server *g)
{
	struct pt_rsp_answer answer = { .bytes = (uint8_t[64]){ 0 }, .room_bytes = 64 };
	char choice[PT_RSP_THREAD_BYTES + 2];

	memcpy(choice, pt_rsp_stream_lock(g->stream)->thread, sizeof(choice));
	pt_rsp_stream_unlock(g->stream);
	if (g->chose && choice[0] != '\0')
		pt_server_exchange(g, choice, strlen(choice), &answer, PT_SERVER_ANSWER_MS, NULL);
	g->chose = false;
}

struct pt_rsp_run pt_server_run_of(struct gdb_server *g)
{
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(g->stream);
	struct pt_rsp_run run = shared->run;

	run.client_stops = shared->client_interrupts;
	pt_rsp_stream_unlock(g->stream);
	return run;
}

/* A stop reply as a notification, for a client in non-stop. */
void pt_server_pass_stop(struct gdb_server *g, const char *stop)
{
	g->in_bytes = (size_t)snprintf((char *)g->in, sizeof(g->in), "%%Stop:%s", stop);
	pt_server_pass_on(g);
}

/* It stopped in our turn, and a client waits for that. */
static void tell_client(struct gdb_server *g)
{
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(g->stream);
	bool tell = shared->run.client_waits && !shared->run.running && shared->run.stop[0] != '\0' &&
		    !shared->run.non_stop;

	if (tell) {
		shared->run.client_waits = shared->client_interrupts = false;
		pt_rsp_stop_chooses(&shared->run, shared->thread);
		g->in[0] = '$';
		g->in_bytes = 1 + (size_t)snprintf((char *)g->in + 1, sizeof(g->in) - 1, "%s", shared->run.stop);
	}
	pt_rsp_stream_unlock(g->stream);
	if (tell)
		pt_server_pass_on(g);
	else if (g->n_hidden > 0)	/* it stays so: whoever debugs is to know */
		pt_server_pass_stop(g, pt_server_run_of(g).stop);
	g->n_hidden = 0;
}

void pt_server_leave(struct gdb_server *g)
{
	if (--g->holds == 0) {
		pt_server_restore_choice(g);
		tell_client(g);
	}
	pt_rsp_stream_release(g->stream);
}

bool pt_server_is_non_stop(struct gdb_server *g)
{
	bool is = pt_rsp_stream_lock(g->stream)->run.non_stop;

	pt_rsp_stream_unlock(g->stream);
	return is;
}

int pt_server_ask(void *state, const void *request, size_t len_bytes, struct pt_rsp_answer *answer, uint32_t timeout_ms,
		  struct pt_err *err)
{
	struct gdb_server *g = state;
	int rc = pt_server_enter(g, err);

	if (rc < 0)
		return rc;
	if (pt_server_run_of(g).running && !g->facts.asks_running && !pt_server_is_non_stop(g))
		rc = pt_fail(err, PT_ESTATE, "the target runs, and %s cannot be asked then",
			     g->facts.name[0] != '\0' ? g->facts.name : g->facts.where);
	else
		rc = pt_server_exchange(g, request, len_bytes, answer, timeout_ms, err);
	g->chose |= len_bytes > 0 && *(const char *)request == 'H';
	pt_server_leave(g);
	return rc;
}
