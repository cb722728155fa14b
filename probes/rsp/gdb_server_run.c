/* How the target is let run and stopped through a GDB server. In all-stop a stop is the answer to what let it run; in
 * non-stop, which only a client chooses, it is a notification, and ours and the client's have to be told apart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/rsp/gdb_server_parts.h"
#include "base/util.h"

enum { MOST_STOPS = 1000 };	/* that a server may have to tell of at once */

/* --- stops of non-stop --------------------------------------------------------------------------------------------- */

/* A packet of non-stop, which is answered at once. */
static int exchange_ok(struct gdb_server *g, const char *packet, struct pt_err *err)
{
	uint8_t text[64] = { 0 };
	struct pt_rsp_answer answer = { .bytes = text, .room_bytes = sizeof(text) };
	int rc = pt_server_exchange(g, packet, strlen(packet), &answer, PT_SERVER_ANSWER_MS, err);

	if (rc == 0 && (answer.len_bytes != 2 || memcmp(text, "OK", 2) != 0))
		return pt_fail(err, PT_EFAULT, "the server answers \"%.*s\" to %.20s", (int)answer.len_bytes,
			       (const char *)text, packet);
	return rc;
}

/* GDB's signals: 0 for a thread that was told to stop, 2 SIGINT, 17 SIGSTOP. */
static bool is_ours(const struct pt_rsp_run *run)
{
	return (run->stop[0] == 'T' || run->stop[0] == 'S') &&
	       (run->signal == 0 || run->signal == 2 || run->signal == 17);
}

/* Non-stop: the server tells of the first stop when it is asked "?", and of the next one at each vStopped. Its answer
 * into text: a stop (1), or no more (0). */
static int ask_stop(struct gdb_server *g, const char *packet, char text[PT_RSP_STOP_BYTES], struct pt_err *err)
{
	struct pt_rsp_answer answer = { .bytes = (uint8_t *)text, .room_bytes = PT_RSP_STOP_BYTES - 1 };
	int rc = pt_server_exchange(g, packet, strlen(packet), &answer, PT_SERVER_ANSWER_MS, err);
	struct pt_rsp_shared *shared;

	text[rc == 0 ? answer.len_bytes : 0] = '\0';
	if (rc < 0)
		return rc;
	shared = pt_rsp_stream_lock(g->stream);
	rc = pt_rsp_stop_read(&shared->run, (const uint8_t *)text, answer.len_bytes);
	pt_rsp_stream_unlock(g->stream);
	return rc;
}

static int next_stop(struct gdb_server *g, char text[PT_RSP_STOP_BYTES], struct pt_err *err)
{
	return ask_stop(g, "vStopped", text, err);
}

/* Those that are ours end here; with the first that is not the client goes on asking. first: how the server is asked for
 * the first of them. */
static int take_stops(struct gdb_server *g, const char *first, struct pt_err *err)
{
	char text[PT_RSP_STOP_BYTES];
	struct pt_rsp_run run;
	int rc;

	for (unsigned i = 0; i < MOST_STOPS; i++) {
		rc = ask_stop(g, i == 0 ? first : "vStopped", text, err);
		if (rc <= 0)
			return rc;
		run = pt_server_run_of(g);
		if (!is_ours(&run)) {
			pt_server_pass_stop(g, text);
			return 0;
		}
		g->n_hidden++;
	}
	return pt_fail(err, PT_EPROTO, "the server does not end telling of stops");
}

/* A server tells of a stop once, and tells of no other before it has heard that this one arrived: where that was lost on
 * its way, it is silent for ever, unless it is asked anew. */
static int ask_anew(struct gdb_server *g, struct pt_err *err)
{
	g->n_hidden = 0;
	return take_stops(g, "?", err);
}

static int acknowledge(struct gdb_server *g, struct pt_err *err)
{
	int rc = take_stops(g, "vStopped", err);

	return rc == PT_ETIMEOUT && pt_server_run_of(g).n_cores < 2 ? ask_anew(g, err) : rc;
}

/* Nobody debugs, and the server is still in non-stop: it tells us of no other stop before it has heard of this one. */
static int hear(struct gdb_server *g, struct pt_err *err)
{
	char text[PT_RSP_STOP_BYTES];
	int rc = 1;

	for (unsigned i = 0; i < MOST_STOPS && rc > 0; i++)
		rc = next_stop(g, text, err);
	pt_rsp_stream_lock(g->stream)->unheard = false;
	pt_rsp_stream_unlock(g->stream);
	return rc < 0 ? rc : 0;
}

/* Whether it was stopped is open where the answer never came. */
static int stop_threads(struct gdb_server *g, struct pt_err *err)
{
	int rc = exchange_ok(g, "vCont;t", err);

	if (rc != PT_ETIMEOUT || pt_server_run_of(g).n_cores > 1)
		return rc;
	rc = ask_anew(g, err);
	return rc == 0 && pt_server_run_of(g).running ? exchange_ok(g, "vCont;t", err) : rc;
}

/* --- running ------------------------------------------------------------------------------------------------------ */

/* Non-stop. An answer that never came leaves open whether it runs: "?" tells, and where it stands the packet was lost,
 * too, and is sent again. */
static int resume_threads(struct gdb_server *g, const char *packet, struct pt_err *err)
{
	char text[PT_RSP_STOP_BYTES];
	int rc = exchange_ok(g, packet, err);

	if (rc != PT_ETIMEOUT || pt_server_run_of(g).n_cores > 1)
		return rc;
	rc = ask_stop(g, "?", text, err);
	if (rc <= 0)
		return rc;
	rc = hear(g, err);
	return rc == 0 ? exchange_ok(g, packet, err) : rc;
}

int pt_server_resume(void *state, const char *packet, struct pt_err *err)
{
	struct gdb_server *g = state;
	struct pt_rsp_shared *shared;
	int rc = pt_server_enter(g, err);

	if (rc < 0)
		return rc;
	pt_server_restore_choice(g);	/* while it can be asked */
	if (pt_server_is_non_stop(g))
		rc = resume_threads(g, packet, err);
	else
		rc = pt_link_submit(g->link, (const uint8_t *)packet, strlen(packet),
				    pt_server_from_now(PT_SERVER_ANSWER_MS), err);
	if (rc == 0) {
		g->n_hidden = 0;
		shared = pt_rsp_stream_lock(g->stream);
		pt_rsp_resume_read(&shared->run, packet, false);
		snprintf(shared->resume, sizeof(shared->resume), "%s", packet);
		pt_rsp_stream_unlock(g->stream);
	}
	pt_server_leave(g);
	return rc;
}

int pt_server_interrupt(void *state, struct pt_err *err)
{
	static const uint8_t etx = 0x03;
	struct gdb_server *g = state;
	int rc = pt_server_enter(g, err);

	if (rc < 0)
		return rc;
	if (g->facts.deaf) {
		pt_server_leave(g);
		return pt_fail(err, PT_EUNSUPPORTED, "%s hears no stop while the program runs: a breakpoint stops it",
			       g->facts.name);
	}
	g->stops = pt_server_is_non_stop(g);
	if (g->stops)	/* unlike vCtrlC it tells a thread that we have stopped from one that got a signal */
		rc = stop_threads(g, err);
	else
		rc = pt_link_submit(g->link, &etx, 1, pt_server_from_now(PT_SERVER_ANSWER_MS), err);
	pt_server_leave(g);
	return rc;
}

/* Non-stop: a stop comes as a notification. Ours ends here, where there is but one core; the client is told of others,
 * and answers. anew: a stop that we asked for and that does not come is asked for. */
static int await_note(struct gdb_server *g, uint64_t deadline_ns, bool anew, struct pt_err *err)
{
	while (pt_server_run_of(g).running) {
		int n = pt_link_receive(g->link, g->in, sizeof(g->in) - 1, deadline_ns, err);
		bool stop, client_stops = pt_server_run_of(g).client_stops;
		struct pt_rsp_run run;

		if (n == PT_ETIMEOUT)
			return anew && g->stops && pt_server_run_of(g).n_cores < 2 ? ask_anew(g, err) : 0;
		if (n < 0)
			return n;
		g->in_bytes = (size_t)n;
		g->in[n] = '\0';
		stop = pt_server_note_stop(g);
		run = pt_server_run_of(g);
		if (!stop || !g->stops || client_stops || !is_ours(&run) || run.n_cores > 1) {
			pt_server_tell_note(g);
			continue;
		}
		g->n_hidden++;
		return acknowledge(g, err);
	}
	return 0;
}

/* Has the turn. What the program or the server says meanwhile is the client's. */
static int await_stop(struct gdb_server *g, uint32_t wait_ms, struct pt_err *err)
{
	uint64_t deadline_ns = pt_server_from_now(wait_ms > 0 && wait_ms < g->patience_ms ? g->patience_ms : wait_ms);

	if (pt_server_is_non_stop(g))
		return await_note(g, deadline_ns, wait_ms > 0, err);
	while (pt_server_run_of(g).running) {
		int rc = pt_server_receive(g, deadline_ns, err);

		if (rc == PT_ETIMEOUT)
			return 0;
		if (rc < 0)
			return rc;
		if (pt_server_take_stop(g))
			return 0;
		if (pt_server_is_console(g)) {
			pt_server_pass_on(g);
		} else {	/* an error, or nothing: it does not run after all */
			struct pt_rsp_shared *shared = pt_rsp_stream_lock(g->stream);

			shared->run.running = false;
			shared->run.stop[0] = '\0';
			pt_rsp_stream_unlock(g->stream);
			return pt_fail(err, PT_EFAULT, "it does not run: the server answers \"%.60s\"",
				       (char *)g->in + 1);
		}
	}
	return 0;
}

static bool is_unheard(struct gdb_server *g)
{
	bool is = pt_rsp_stream_lock(g->stream)->unheard;

	pt_rsp_stream_unlock(g->stream);
	return is;
}

int pt_server_poll(void *state, uint32_t wait_ms, struct pt_rsp_run *out, struct pt_err *err)
{
	struct gdb_server *g = state;
	int rc = 0;

	*out = pt_server_run_of(g);
	if ((!out->running && !is_unheard(g)) || (wait_ms == 0 && pt_rsp_stream_has_turn(g->stream)))
		return 0;	/* whoever has the turn sees it stop */
	rc = pt_server_enter(g, err);
	if (rc < 0)
		return rc;
	pt_link_shield(g->link);
	rc = is_unheard(g) ? hear(g, err) : 0;
	rc = rc == 0 ? await_stop(g, wait_ms, err) : rc;
	rc = rc == 0 && is_unheard(g) ? hear(g, err) : rc;
	pt_link_unshield(g->link);
	pt_server_leave(g);
	*out = pt_server_run_of(g);
	return rc;
}

/* A signal that a debugger sent on with its resume was delivered by that: "vCont;C0a:1;c" goes on as "vCont;c:1;c",
 * "C0a" as "c". */
static void without_signals(char *packet)
{
	bool vcont = strncmp(packet, "vCont", 5) == 0;
	char *to = packet;

	for (const char *from = packet; *from != '\0';) {
		bool action = vcont ? from > packet && from[-1] == ';' : from == packet;

		if (!action || (*from != 'C' && *from != 'S')) {
			*to++ = *from++;
			continue;
		}
		*to++ = *from == 'C' ? 'c' : 's';
		from++;
		from += strspn(from, "0123456789abcdefABCDEF");
	}
	*to = '\0';
}

int pt_server_go_on(void *state, struct pt_err *err)
{
	struct gdb_server *g = state;
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(g->stream);
	struct pt_rsp_run run = shared->run;
	bool client_interrupts = shared->client_interrupts;
	char packet[PT_RSP_RESUME_BYTES];

	snprintf(packet, sizeof(packet), "%s", g->n_hidden > 1 ? "vCont;c" : shared->resume);
	pt_rsp_stream_unlock(g->stream);
	without_signals(packet);
	if (is_ours(&run) && !client_interrupts && packet[0] != '\0')
		return pt_server_resume(g, packet, err);
	return pt_fail(err, PT_ESTATE, "the program has stopped by itself: %.20s", run.stop);
}

/* --- for a purpose of ours ---------------------------------------------------------------------------------------- */

static void set_run(struct gdb_server *g, const struct pt_rsp_run *run)
{
	pt_rsp_stream_lock(g->stream)->run = *run;
	pt_rsp_stream_unlock(g->stream);
}

/* It does not come to its end: the core shall stand all the same. */
static int break_off(struct gdb_server *g, struct pt_err *err)
{
	static const uint8_t etx = 0x03;
	int rc = pt_link_submit(g->link, &etx, 1, pt_server_from_now(PT_SERVER_ANSWER_MS), err);

	rc = rc == 0 ? await_stop(g, PT_SERVER_ANSWER_MS, err) : rc;
	if (rc == 0 && pt_server_run_of(g).running)
		return pt_fail(err, PT_EPROTO, "code of ours does not stop, and the server does not stop it");
	return rc == 0 ? pt_fail(err, PT_ETIMEOUT, "code of ours did not stop by itself") : rc;
}

static int excursion(struct gdb_server *g, const char *packet, uint32_t timeout_ms, struct pt_err *err)
{
	struct pt_rsp_run was = pt_server_run_of(g), away = was;
	int rc;

	if (was.running)
		return pt_fail(err, PT_ESTATE, "the target runs");
	if (pt_server_is_non_stop(g))
		return pt_fail(err, PT_EUNSUPPORTED,
			       "code of ours can be run in all-stop only, and the debugger chose non-stop");
	away.running = true;
	set_run(g, &away);
	rc = pt_link_submit(g->link, (const uint8_t *)packet, strlen(packet), pt_server_from_now(PT_SERVER_ANSWER_MS),
			    err);
	rc = rc == 0 ? await_stop(g, timeout_ms, err) : rc;
	if (rc == 0 && pt_server_run_of(g).running)
		rc = break_off(g, err);
	away = pt_server_run_of(g);
	if (!away.running && (away.stop[0] == 'W' || away.stop[0] == 'X'))
		return pt_fail(err, PT_EIO, "what ran there has ended: %.20s", away.stop);
	if (away.running && rc != PT_EFAULT)
		return rc;
	was.fresh = false;
	set_run(g, &was);
	return rc;
}

int pt_server_run_for(void *state, const char *packet, uint32_t timeout_ms, struct pt_err *err)
{
	struct gdb_server *g = state;
	int rc = pt_server_enter(g, err);

	if (rc < 0)
		return rc;
	pt_link_shield(g->link);
	rc = excursion(g, packet, timeout_ms, err);
	pt_link_unshield(g->link);
	pt_server_leave(g);
	return rc;
}
