/* The life of a packet that is passed on: it waits for the loop's turn, is sent, and its answer goes back as it came. A
 * resume is answered by a stop, whenever that comes, with console packets ahead of it. */
#include "gdbstub/proxy/proxy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdbstub/proxy/proxy_parts.h"
#include "session/recorder.h"
#include "gdbstub/packets/run.h"
#include "host/log.h"
#include "base/util.h"

/* --- what kind of packet ------------------------------------------------------------------------------------------ */

enum how { ASKS, SLOW, RUNS, SILENT };	/* answered soon; later; by a stop; never */

static const struct { const char *name; enum how how; } kinds[] = {
	{ "vCont;", RUNS },   { "vCont?", ASKS }, { "c", RUNS },        { "C", RUNS },      { "s", RUNS },
	{ "S", RUNS },        { "F", RUNS },      { "bc", RUNS },       { "bs", RUNS },     { "k", SILENT },
	{ "R", SILENT },      { "qRcmd,", SLOW }, { "vFlash", SLOW },   { "vRun;", SLOW },  { "vAttach;", SLOW },
	{ "vKill;", SLOW },   { "vFile:", SLOW }, { "qSearch:", SLOW }, { "qCRC:", SLOW },  { "D", SLOW },
};

static enum how how_of(const struct pt_gdb_proxy *p, const struct pt_rsp_packet *packet)
{
	for (size_t i = 0; i < PT_LEN(kinds); i++)
		if (pt_proxy_begins(packet, kinds[i].name))
			return kinds[i].how == RUNS && p->non_stop ? ASKS : kinds[i].how;
	return ASKS;
}

static bool is_halted(const struct pt_gdb_client *client)
{
	struct pt_rsp_stream *stream;
	bool running;

	if (client->proxy->upstream == NULL)
		return false;
	stream = pt_upstream_stream(client->proxy->upstream);
	running = pt_rsp_stream_lock(stream)->run.running;
	pt_rsp_stream_unlock(stream);
	return !running;
}

/* --- out ---------------------------------------------------------------------------------------------------------- */

static bool runs_already(struct pt_gdb_proxy *p)
{
	struct pt_rsp_stream *stream = pt_upstream_stream(p->upstream);
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(stream);
	bool runs = shared->run.running && !shared->run.non_stop;

	if (runs)
		shared->run.client_waits = shared->client_interrupts = true;
	pt_rsp_stream_unlock(stream);
	return runs;
}

/* A new client asks why the target stands, and it runs: a GDB in all-stop wants it halted. A server that hears nothing
 * but an interrupt then would take the first packet of any kind for one, and drop it: there the halt comes first. */
static bool halt_before(struct pt_gdb_proxy *p, const struct pt_rsp_packet *packet)
{
	bool why = packet->len_bytes == 1 && packet->bytes[0] == '?';

	if ((!why && p->asks_running) || !runs_already(p))
		return false;
	snprintf(p->head, sizeof(p->head), "?");
	p->await = PT_PROXY_STOP;
	p->asks_why = p->sent_etx = true;
	p->halts_first = !why;
	pt_upstream_interrupt(p->upstream);
	pt_proxy_patience(p, pt_proxy_standard_ms(p));
	return true;
}

/* QEMU that was detached from has no process left until somebody connects anew: it tells of no stop, and "?" is its
 * end. Source: QEMU 7.2, gdbstub.c, handle_detach and handle_target_halt. Others tell of no stop either, which a
 * profile that goes on may need; of a process a server has to let go. */
static bool hears_no_stop_then(const struct pt_gdb_proxy *p)
{
	return strcmp(p->server, "QEMU") == 0 ||
	       (!p->is_process && !p->non_stop && pt_session_get_state(p->stub->config.session) == PT_SESSION_RUNNING);
}

/* We stay connected for whoever comes next, so there the program is let run, and nobody waits for its stop. */
static bool detach_by_resume(struct pt_gdb_proxy *p, const struct pt_rsp_packet *packet)
{
	static const char resume[] = "c";
	struct pt_rsp_shared *shared;

	if (packet->bytes[0] != 'D' || (packet->len_bytes > 1 && packet->bytes[1] != ';') || !hears_no_stop_then(p))
		return false;
	pt_proxy_note_resume(p, packet);
	shared = pt_rsp_stream_lock(pt_upstream_stream(p->upstream));
	shared->run.client_waits = false;
	memcpy(shared->resume, resume, sizeof(resume));
	pt_rsp_stream_unlock(pt_upstream_stream(p->upstream));
	pt_upstream_send(p->upstream, resume, strlen(resume));
	pt_proxy_settle(p);
	pt_gdb_reply_text(p->client, "OK");
	return true;
}

static void remember(struct pt_gdb_proxy *p, const struct pt_rsp_packet *packet)
{
	const char *text = (const char *)packet->bytes;

	if (pt_proxy_begins(packet, "qSupported:"))
		snprintf(p->supported, sizeof(p->supported), "%s", text);
	else if (pt_proxy_begins(packet, "Hg") && packet->len_bytes < sizeof(p->thread))
		pt_proxy_note_thread(p, packet);
	else if (packet->len_bytes == 1 && text[0] == '!')
		p->extended = true;
	p->client->features.error_message |=
		pt_proxy_begins(packet, "qSupported:") && strstr(text, "error-message+") != NULL;
}

/* Carries it no signal for the program, and no address? Then it may be answered without being sent. */
static bool only_resumes(const struct pt_rsp_packet *packet)
{
	const char *text = (const char *)packet->bytes;

	return (pt_proxy_begins(packet, "vCont;") && strpbrk(text + 6, "CS") == NULL) || strcmp(text, "c") == 0 ||
	       strcmp(text, "s") == 0;
}

/* The thread that the resume names first, or the last one chosen; "" for neither. */
static void resumed_thread(const struct pt_gdb_proxy *p, const struct pt_rsp_packet *packet, char *out, size_t room)
{
	const char *text = (const char *)packet->bytes,
		   *colon = pt_proxy_begins(packet, "vCont;") ? strchr(text, ':') : NULL;
	int len = colon != NULL ? (int)strcspn(colon + 1, ";") : 0;

	snprintf(out, room, "%.*s", len, colon != NULL ? colon + 1 : "");
	if ((size_t)len >= room || len == 0 || strchr(out, '-') != NULL)
		snprintf(out, room, "%.*s", (int)room - 1, p->thread[0] != '\0' ? p->thread + 2 : "");
	if (strchr(out, '-') != NULL || strcmp(out, "0") == 0)
		out[0] = '\0';
}

/* A Ctrl-C that came before the resume ends it (run.c): without a word to the server, for not every server remembers an
 * interrupt that comes while the target is halted. False: the resume has to be sent, and is interrupted then. */
static bool stays_interrupted(struct pt_gdb_proxy *p, const struct pt_rsp_packet *packet)
{
	char thread[PT_RSP_THREAD_BYTES], stop[PT_RSP_THREAD_BYTES + 16];

	if (!p->client->resume.interrupts_next || !only_resumes(packet) || !is_halted(p->client))
		return false;
	pt_gdb_take_interrupt(p->client);
	resumed_thread(p, packet, thread, sizeof(thread));
	snprintf(stop, sizeof(stop), "T02%s%s%s", thread[0] != '\0' ? "thread:" : "", thread,
		 thread[0] != '\0' ? ";" : "");
	pt_proxy_settle(p);
	pt_gdb_reply_text(p->client, stop);
	return true;
}

static void transmit(struct pt_gdb_proxy *p)
{
	struct pt_rsp_packet *packet = p->client->rsp.current;
	enum how how = how_of(p, packet);
	size_t fits;

	p->unsent = false;
	remember(p, packet);
	if (halt_before(p, packet) || detach_by_resume(p, packet) || (how == RUNS && stays_interrupted(p, packet)))
		return;
	snprintf(p->head, sizeof(p->head), "%s", (const char *)packet->bytes);
	p->command = pt_proxy_begins(packet, "qRcmd,");
	p->await = how == RUNS ? PT_PROXY_STOP : PT_PROXY_ANSWER;
	if (pt_proxy_cut(p, packet))
		return;
	fits = pt_proxy_fits(p, packet);
	if (fits == 0) {
		p->await = PT_PROXY_NOTHING;
		pt_proxy_fail(p, "the GDB server at %s takes no packet of %zu bytes", p->server, packet->len_bytes);
		return;
	}
	if (how == RUNS)
		pt_proxy_note_resume(p, packet);
	pt_upstream_send(p->upstream, packet->bytes, fits);
	if (how == SILENT) {
		pt_proxy_settle(p);
		pt_rsp_finish(&p->client->rsp);
	} else if (how == RUNS) {
		uv_timer_stop(&p->timer);
		if (p->await == PT_PROXY_STOP && pt_gdb_take_interrupt(p->client))
			pt_gdb_pass_interrupt(p->client);
	} else if (p->await == PT_PROXY_ANSWER) {	/* unless the connection has ended over it */
		pt_proxy_patience(p, how == SLOW ? PT_PROXY_SLOW_MS : pt_proxy_standard_ms(p));
	}
}

static void go(struct pt_gdb_proxy *p)
{
	uint64_t silent_ns;

	if (p->upstream == NULL || !pt_upstream_has_turn(p->upstream))
		return;
	if (p->etx && p->await == PT_PROXY_STOP) {
		p->etx = false;
		p->sent_etx = true;
		pt_upstream_interrupt(p->upstream);
	}
	if (p->replay == 1 && pt_proxy_replay_next(p))
		return;		/* it begins with what the client has chosen */
	if (p->replay > 0 || !p->unsent)
		return;
	if (pt_proxy_owed(p, &silent_ns) > 0) {
		pt_rsp_stream_ask_known(pt_upstream_stream(p->upstream));
		pt_proxy_fail(p, "the GDB server at %s has been silent for %.1f s", p->server,
			      (double)silent_ns / PT_NS_PER_S);
	} else {
		transmit(p);
	}
}

static void pass_current(struct pt_gdb_proxy *p)
{
	if (p->upstream == NULL && !p->finding) {
		p->command = pt_proxy_begins(p->client->rsp.current, "qRcmd,");
		pt_proxy_fail(p, "%s", p->lost);
		return;
	}
	p->unsent = true;
	p->command = pt_proxy_begins(p->client->rsp.current, "qRcmd,");
	pt_proxy_patience(p, pt_proxy_standard_ms(p));
	go(p);
}

static void refuse_to_forward(struct pt_gdb_client *client)
{
	struct pt_err err;

	if (pt_proxy_begins(client->rsp.current, "vFile:")) {
		pt_gdb_reply_text(client, "F-1,d");	/* no permission */
		return;
	}
	pt_fail(&err, PT_EPERM,
		"this command of the GDB server's may use its host: for the user that runs proftap, which %s is not",
		client->rsp.peer);
	if (pt_proxy_begins(client->rsp.current, "qRcmd,") && !client->features.error_message) {
		pt_gdb_console(client, err.msg, strlen(err.msg));
		pt_gdb_console(client, "\n", 1);
	}
	pt_gdb_reply_error(client, &err);
}

static bool take_packet_of(struct pt_gdb_client *client)
{
	struct pt_gdb_proxy *p = client->proxy;
	enum pt_proxy_whose whose;

	if (client->rsp.current->item != PT_RSP_PACKET)
		return false;
	whose = pt_proxy_whose(p);
	if (whose != PT_PROXY_THEIRS)
		return whose == PT_PROXY_DONE;
	if (!pt_proxy_may_forward(client)) {
		refuse_to_forward(client);
		return true;
	}
	pt_proxy_late_attach(p);
	pt_rsp_log_packet("=>", client->rsp.current->bytes, client->rsp.current->len_bytes);
	pass_current(p);
	return true;
}

void pt_gdb_pass_interrupt(struct pt_gdb_client *client)
{
	struct pt_gdb_proxy *p = client->proxy;
	struct pt_rsp_stream *stream;

	if (p->await != PT_PROXY_STOP && !p->command && !p->non_stop)
		pt_gdb_remember_interrupt(client);
	if (p->await != PT_PROXY_STOP || p->upstream == NULL)
		return;
	stream = pt_upstream_stream(p->upstream);
	pt_rsp_stream_lock(stream)->client_interrupts = true;
	pt_rsp_stream_unlock(stream);
	p->etx = true;
	pt_proxy_patience(p, 2 * pt_proxy_standard_ms(p));	/* a core may halt late; behind that GDB gets an error */
	go(p);
}

/* --- in ----------------------------------------------------------------------------------------------------------- */

static bool is_busy(void *arg)
{
	const struct pt_gdb_proxy *p = arg;

	return p->await == PT_PROXY_ANSWER || p->replay > 0;
}

/* What the client is to be told: text into ours. */
static void take_supported(struct pt_gdb_proxy *p, const struct pt_rsp_raw *raw, char *ours, size_t room)
{
	struct pt_rsp_shared *shared;
	char theirs[PT_PROXY_SUPPORTED_BYTES];

	if (pt_rsp_raw_payload(raw, (uint8_t *)theirs, sizeof(theirs)) < 0)
		theirs[0] = '\0';
	shared = pt_rsp_stream_lock(pt_upstream_stream(p->upstream));
	snprintf(shared->known_question, sizeof(shared->known_question), "%s", p->supported);
	snprintf(shared->known_answer, sizeof(shared->known_answer), "%.11s", theirs);
	pt_rsp_stream_unlock(pt_upstream_stream(p->upstream));
	pt_proxy_supported(p, theirs, ours, room);
}

static void answer_supported(struct pt_gdb_proxy *p, const struct pt_rsp_raw *raw)
{
	char ours[PT_PROXY_SUPPORTED_BYTES + 512];
	struct pt_gdb_client *client = p->client;

	take_supported(p, raw, ours, sizeof(ours));
	pt_proxy_settle(p);
	pt_gdb_reply_text(client, ours);
}

/* The core stands elsewhere without having run there: a register was written, or a command of the server's reset it. */
static bool may_have_moved(const struct pt_gdb_proxy *p, const struct pt_rsp_raw *raw)
{
	bool ok = raw->len_bytes == 6 && memcmp(raw->bytes, "$OK#", 4) == 0;

	return (p->command || (ok && (p->head[0] == 'P' || p->head[0] == 'G'))) &&
	       pt_recorder_at_work(p->stub->config.recorder);
}

/* Sources hear of it before the client's next packet is looked at. */
static int tell_pc(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	uint64_t pc;
	int core;

	(void)rq;
	if (pt_board_hear(board, err) < 0)
		return err->code;
	core = pt_proxy_chosen_core(target, err);
	if (core < 0 || target->ops->pc(target->state, (unsigned)core, &pc, err) < 0)
		return err->code;
	return pt_board_wrote_pc(board, (unsigned)core, pc, err);
}

static void on_pc_told(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	if (rc < 0)
		pt_debug(PT_LOG_GDB, "gdb: where the core is stopped now: %s", err->msg);
	pt_rsp_finish(&rq->client->rsp);
}

/* It stopped by itself just as it was to be interrupted. QEMU drops an interrupt that finds the machine halted; other
 * servers stop the next resume for it. Source: QEMU 7.2, gdbstub.c, gdb_read_byte. */
static bool lost_interrupt(const struct pt_gdb_proxy *p, const struct pt_rsp_raw *raw)
{
	return p->await == PT_PROXY_STOP && p->sent_etx && !p->asks_why && strcmp(p->server, "QEMU") == 0 &&
	       strncmp((const char *)raw->bytes, "$T02", 4) != 0;
}

static void answer(struct pt_gdb_proxy *p, const struct pt_rsp_raw *raw)
{
	struct pt_gdb_client *client = p->client;
	bool moved;

	if (lost_interrupt(p, raw))
		pt_gdb_remember_interrupt(client);
	pt_proxy_note_answer(p, raw);
	if (p->halts_first) {
		pt_proxy_settle(p);
		pass_current(p);
		return;
	}
	if (strncmp(p->head, "qSupported", 10) == 0) {
		answer_supported(p, raw);
		return;
	}
	if (pt_proxy_late_refuses(p, raw)) {
		pt_proxy_settle(p);
		pt_gdb_reply_text(client, "E00");
		return;
	}
	moved = may_have_moved(p, raw);
	pt_proxy_settle(p);
	pt_rsp_send_raw(&client->rsp, raw->bytes, raw->len_bytes);
	if (moved && !client->rsp.closing)
		pt_gdb_post(&client->request, tell_pc, on_pc_told);
	else
		pt_rsp_finish(&client->rsp);
}

static void take_piece(struct pt_gdb_proxy *p, const struct pt_rsp_raw *raw)
{
	struct pt_rsp_raw whole;

	if (!pt_proxy_piece(p, raw, &whole)) {
		pt_proxy_patience(p, pt_proxy_standard_ms(p));
	} else if (whole.len_bytes == 0) {
		pt_proxy_fail(p, "the GDB server at %s answers with more than it was asked for", p->server);
	} else {
		pt_proxy_settle(p);
		pt_rsp_send_raw(&p->client->rsp, whole.bytes, whole.len_bytes);
		pt_rsp_finish(&p->client->rsp);
	}
}

/* A client that came late was promised its features before: what the server has is for us to know. */
static void take_replayed(struct pt_gdb_proxy *p, const struct pt_rsp_raw *raw)
{
	char ignored[PT_PROXY_SUPPORTED_BYTES + 512];

	if (p->replay == 2 && p->client != NULL && p->client->auth.late)
		take_supported(p, raw, ignored, sizeof(ignored));
	if (!pt_proxy_replay_next(p))
		go(p);
}

static bool is_console(const struct pt_rsp_raw *raw)
{
	return raw->bytes[1] == 'O' && !(raw->len_bytes == 6 && raw->bytes[2] == 'K');
}

/* QEMU's user mode tells of a thread that gets a signal while another one stands, in the middle of anything: GDB would
 * take it for the memory that it waits for. Source: QEMU 7.2, gdbstub.c, gdb_handlesig. */
static bool is_unasked_stop(const struct pt_gdb_proxy *p, const struct pt_rsp_raw *raw)
{
	static const char *const asks[] = { "?", "vRun", "vAttach", "vStopped", "vKill", "vCont", "qRcmd" };

	if (p->non_stop || p->await != PT_PROXY_ANSWER || !pt_rsp_is_stop(raw->bytes + 1, raw->len_bytes - 4))
		return false;
	for (size_t i = 0; i < PT_LEN(asks); i++)
		if (strncmp(p->head, asks[i], strlen(asks[i])) == 0)
			return false;
	return true;
}

static void take_packet(struct pt_gdb_proxy *p, const struct pt_rsp_raw *raw)
{
	uint64_t silent_ns;

	if (pt_proxy_owed(p, &silent_ns) > 0) {
		if (!is_console(raw) &&
		    pt_rsp_stream_settle(pt_upstream_stream(p->upstream), raw->bytes + 1, raw->len_bytes - 4))
			pt_info("upstream: %s answers again", p->server);
		return;
	}
	if (p->replay > 0) {
		if (!is_console(raw))
			take_replayed(p, raw);
		return;
	}
	if (p->client == NULL || p->await == PT_PROXY_NOTHING || is_unasked_stop(p, raw)) {
		pt_debug(PT_LOG_GDB, "upstream: an answer without a question");
	} else if (is_console(raw) && p->halts_first) {
		pt_debug(PT_LOG_GDB, "upstream: output of the program while no client waits for it");
	} else if (p->pieces.kind != '\0') {
		if (!is_console(raw))
			take_piece(p, raw);
	} else if (is_console(raw) && (p->await == PT_PROXY_STOP || p->command)) {
		pt_rsp_send_raw(&p->client->rsp, raw->bytes, raw->len_bytes);
		if (p->command)
			pt_proxy_patience(p, PT_PROXY_SLOW_MS);
	} else {
		answer(p, raw);
	}
}

static void on_frame(void *arg, enum pt_rsp_frame_kind kind, const struct pt_rsp_raw *raw)
{
	struct pt_gdb_proxy *p = arg;

	pt_rsp_log_packet("<=", raw->bytes, raw->len_bytes);
	if (kind == PT_RSP_FRAME_PACKET) {
		take_packet(p, raw);
	} else if (kind == PT_RSP_FRAME_DAMAGED) {
		pt_warn("upstream: %s: a packet was damaged on its way", p->server);
		if (p->pieces.n_out > 1)
			pt_proxy_owe(p, (int)p->pieces.n_out - 1);
		if (p->await != PT_PROXY_NOTHING)
			pt_proxy_fail(p, "the answer of the GDB server at %s was damaged on its way", p->server);
	} else if (p->client != NULL && p->replay == 0) {
		if (raw->len_bytes > 6 && memcmp(raw->bytes, "%Stop:", 6) == 0)
			pt_proxy_note_stop(p, raw, 5);
		pt_rsp_send_raw(&p->client->rsp, raw->bytes, raw->len_bytes);
	}
}

static void on_turn(void *arg)
{
	go(arg);
}

static enum pt_packet_offer offer(struct pt_gdb_client *client)
{
	static const struct pt_upstream_user user = { .on_frame = on_frame, .on_turn = on_turn, .is_busy = is_busy };

	return pt_proxy_offer(client, &user);
}

const struct pt_packet_filter pt_gdb_proxy = {
	.offer = offer, .take = take_packet_of, .is_halted = is_halted, .promise = pt_proxy_promise,
};
