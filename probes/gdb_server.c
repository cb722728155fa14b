/* The driver of the wire rsp: a GDB server as a probe. It makes the connection's acquaintance, and asks it what the
 * board thread wants to know.
 *
 * Of a client that is a debugger the server keeps what that chose; multiprocess ids are never asked for
 * here, because no server takes that back: they come when a debugger asks for them, and thread ids are taken
 * as the server writes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "probes/links/rsp_stream.h"
#include "probes/links/wake.h"
#include "probes/probe.h"
#include "rsp.h"
#include "util.h"

enum { IN_BYTES = 2 * PT_RSP_PACKET_BYTES, GDB_STANDARD_BYTES = 400, ANSWER_MS = 1000 };

struct gdb_server {
	struct pt_link *link;
	struct pt_rsp_stream *stream;
	struct pt_rsp_facts facts;
	unsigned holds;
	uint32_t patience_ms;
	bool chose;			/* we have sent an H packet in this turn */
	uint8_t in[IN_BYTES];
	size_t in_bytes;
};

/* --- one packet --------------------------------------------------------------------------------------------------- */

static uint64_t from_now(uint32_t ms)
{
	return pt_host_now_ns() + ms * PT_NS_PER_MS;
}

/* For the client, as it came; the payload is in g->in. */
static void pass_on(struct gdb_server *g)
{
	struct pt_rsp_frame frame = { 0 };

	pt_rsp_begin(&frame, (char)g->in[0]);
	pt_rsp_binary(&frame, g->in + 1, g->in_bytes - 1);
	if (pt_rsp_end(&frame))
		pt_rsp_stream_pass(g->stream, &(struct pt_rsp_raw){ frame.bytes, frame.len_bytes });
	pt_rsp_free(&frame);
}

/* A stop of a target that ran: the client's, if it waits for one. */
static bool take_stop(struct gdb_server *g)
{
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(g->stream);
	bool was = shared->run.running && pt_rsp_stop_read(&shared->run, g->in + 1, g->in_bytes - 1);

	pt_rsp_stream_unlock(g->stream);
	return was;
}

/* The next packet that is no notification. Its length behind the mark, g->in + 1 has it. */
static int receive(struct gdb_server *g, uint64_t deadline_ns, struct pt_err *err)
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
		pass_on(g);
	}
}

static bool is_console(const struct gdb_server *g)
{
	return g->in_bytes > 1 && g->in[1] == 'O' && strcmp((char *)g->in + 1, "OK") != 0;
}

static void set_owed(struct gdb_server *g, int change)
{
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(g->stream);

	if (change > 0 && shared->owed == 0)
		shared->silent_since_ns = pt_host_now_ns();
	shared->owed += (unsigned)change;
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
	while (owed(g) > 0) {
		int rc = receive(g, deadline_ns, err);

		if (rc < 0)
			return rc == PT_ETIMEOUT ? pt_wrap(err, "the server is silent") : rc;
		if (!is_console(g))
			set_owed(g, -1);
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

static int await(struct gdb_server *g, bool command, struct pt_rsp_answer *answer, uint64_t deadline_ns,
		 struct pt_err *err)
{
	int len;

	for (;;) {
		len = receive(g, deadline_ns, err);
		if (len < 0)
			break;
		if (is_console(g)) {
			if (command)
				add_console(answer, g->in + 2, (size_t)len - 1);
			else
				pass_on(g);
			continue;
		}
		if (take_stop(g))
			continue;	/* a client that waits for it is told with its next turn */
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
		set_owed(g, 1);
	return len;
}

static int exchange(struct gdb_server *g, const void *request, size_t len_bytes, struct pt_rsp_answer *answer,
		    uint32_t timeout_ms, struct pt_err *err)
{
	bool command = len_bytes > 6 && memcmp(request, "qRcmd,", 6) == 0;
	uint64_t deadline_ns = from_now(timeout_ms > g->patience_ms ? timeout_ms : g->patience_ms);
	int rc;

	answer->len_bytes = 0;
	pt_link_shield(g->link);	/* an answer that nobody fetches would be the next question's */
	rc = throw_away(g, deadline_ns, err);
	if (rc == 0)
		rc = pt_link_submit(g->link, request, len_bytes, deadline_ns, err);
	if (rc == 0)
		rc = await(g, command, answer, deadline_ns, err);
	pt_link_unshield(g->link);
	return rc;
}

/* --- turns -------------------------------------------------------------------------------------------------------- */

static int enter(struct gdb_server *g, struct pt_err *err)
{
	int rc = pt_rsp_stream_hold(g->stream, err);

	g->holds += rc == 0;
	return rc;
}

/* What a client chose is chosen again, if we have asked for something else: the server keeps one choice for both. */
static void restore_choice(struct gdb_server *g)
{
	struct pt_rsp_answer answer = { .bytes = (uint8_t[64]){ 0 }, .room_bytes = 64 };
	char choice[PT_RSP_THREAD_BYTES + 2];

	memcpy(choice, pt_rsp_stream_lock(g->stream)->thread, sizeof(choice));
	pt_rsp_stream_unlock(g->stream);
	if (g->chose && choice[0] != '\0')
		exchange(g, choice, strlen(choice), &answer, ANSWER_MS, NULL);
	g->chose = false;
}

/* It stopped in our turn, and a client waits for that. */
static void tell_client(struct gdb_server *g)
{
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(g->stream);
	bool tell = shared->run.client_waits && !shared->run.running && shared->run.stop[0] != '\0';

	if (tell) {
		shared->run.client_waits = shared->client_interrupts = false;
		g->in[0] = '$';
		g->in_bytes = 1 + (size_t)snprintf((char *)g->in + 1, sizeof(g->in) - 1, "%s", shared->run.stop);
	}
	pt_rsp_stream_unlock(g->stream);
	if (tell)
		pass_on(g);
}

static void leave(struct gdb_server *g)
{
	if (--g->holds == 0) {
		restore_choice(g);
		tell_client(g);
	}
	pt_rsp_stream_release(g->stream);
}

static struct pt_rsp_run run_of(struct gdb_server *g)
{
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(g->stream);
	struct pt_rsp_run run = shared->run;

	run.non_stop = shared->non_stop;
	pt_rsp_stream_unlock(g->stream);
	return run;
}

static bool non_stop(struct gdb_server *g)
{
	bool is = pt_rsp_stream_lock(g->stream)->non_stop;

	pt_rsp_stream_unlock(g->stream);
	return is;
}

static int ask(void *state, const void *request, size_t len_bytes, struct pt_rsp_answer *answer, uint32_t timeout_ms,
	       struct pt_err *err)
{
	struct gdb_server *g = state;
	int rc = enter(g, err);

	if (rc < 0)
		return rc;
	if (run_of(g).running && !g->facts.asks_running && !non_stop(g))
		rc = pt_fail(err, PT_ESTATE, "the target runs, and %s cannot be asked then",
			     g->facts.name[0] != '\0' ? g->facts.name : g->facts.where);
	else
		rc = exchange(g, request, len_bytes, answer, timeout_ms, err);
	g->chose |= len_bytes > 0 && *(const char *)request == 'H';
	leave(g);
	return rc;
}

/* --- running ------------------------------------------------------------------------------------------------------ */

static int resume(void *state, const char *packet, struct pt_err *err)
{
	struct gdb_server *g = state;
	struct pt_rsp_shared *shared;
	struct pt_rsp_answer answer = { .bytes = (uint8_t[64]){ 0 }, .room_bytes = 64 };
	int rc = enter(g, err);

	if (rc < 0)
		return rc;
	if (non_stop(g))
		rc = exchange(g, packet, strlen(packet), &answer, ANSWER_MS, err);
	else
		rc = pt_link_submit(g->link, (const uint8_t *)packet, strlen(packet), from_now(ANSWER_MS), err);
	if (rc == 0) {
		shared = pt_rsp_stream_lock(g->stream);
		shared->run.running = true;
		shared->run.stop[0] = '\0';
		snprintf(shared->resume, sizeof(shared->resume), "%s", packet);
		pt_rsp_stream_unlock(g->stream);
	}
	leave(g);
	return rc;
}

static int interrupt(void *state, struct pt_err *err)
{
	static const uint8_t etx = 0x03;
	struct pt_rsp_answer answer = { .bytes = (uint8_t[64]){ 0 }, .room_bytes = 64 };
	struct gdb_server *g = state;
	int rc = enter(g, err);

	if (rc < 0)
		return rc;
	if (non_stop(g))
		rc = exchange(g, "vCtrlC", 6, &answer, ANSWER_MS, err);
	else
		rc = pt_link_submit(g->link, &etx, 1, from_now(ANSWER_MS), err);
	leave(g);
	return rc;
}

/* Has the turn. What the program or the server says meanwhile is the client's. */
static int await_stop(struct gdb_server *g, uint32_t wait_ms, struct pt_err *err)
{
	uint64_t deadline_ns = from_now(wait_ms > 0 && wait_ms < g->patience_ms ? g->patience_ms : wait_ms);

	while (run_of(g).running) {
		int rc = receive(g, deadline_ns, err);

		if (rc == PT_ETIMEOUT)
			return 0;
		if (rc < 0)
			return rc;
		if (take_stop(g))
			return 0;
		if (is_console(g)) {
			pass_on(g);
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

static int poll_run(void *state, uint32_t wait_ms, struct pt_rsp_run *out, struct pt_err *err)
{
	struct gdb_server *g = state;
	int rc = 0;

	*out = run_of(g);
	if (!out->running || (wait_ms == 0 && pt_rsp_stream_has_turn(g->stream)))
		return 0;	/* whoever has the turn sees it stop */
	rc = enter(g, err);
	if (rc < 0)
		return rc;
	pt_link_shield(g->link);
	rc = await_stop(g, wait_ms, err);
	pt_link_unshield(g->link);
	leave(g);
	*out = run_of(g);
	return rc;
}

static int hold(void *state, struct pt_err *err)
{
	return enter(state, err);
}

static void release(void *state)
{
	leave(state);
}

/* GDB's signals: 0 for a thread that was told to stop, 2 SIGINT, 17 SIGSTOP. */
static bool is_ours(const struct pt_rsp_run *run)
{
	return (run->stop[0] == 'T' || run->stop[0] == 'S') &&
	       (run->signal == 0 || run->signal == 2 || run->signal == 17);
}

static int go_on(void *state, struct pt_err *err)
{
	struct gdb_server *g = state;
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(g->stream);
	struct pt_rsp_run run = shared->run;
	bool client_interrupts = shared->client_interrupts;
	char packet[PT_RSP_RESUME_BYTES];

	memcpy(packet, shared->resume, sizeof(packet));
	pt_rsp_stream_unlock(g->stream);
	if (is_ours(&run) && !client_interrupts && packet[0] != '\0')
		return resume(g, packet, err);
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
	int rc = pt_link_submit(g->link, &etx, 1, from_now(ANSWER_MS), err);

	rc = rc == 0 ? await_stop(g, ANSWER_MS, err) : rc;
	if (rc == 0 && run_of(g).running)
		return pt_fail(err, PT_EPROTO, "code of ours does not stop, and the server does not stop it");
	return rc == 0 ? pt_fail(err, PT_ETIMEOUT, "code of ours did not stop by itself") : rc;
}

static int excursion(struct gdb_server *g, const char *packet, uint32_t timeout_ms, struct pt_err *err)
{
	struct pt_rsp_run was = run_of(g), away = was;
	int rc;

	if (was.running)
		return pt_fail(err, PT_ESTATE, "the target runs");
	if (non_stop(g))
		return pt_fail(err, PT_EUNSUPPORTED, "code of ours can be run in all-stop only, and the debugger chose non-stop");
	away.running = true;
	set_run(g, &away);
	rc = pt_link_submit(g->link, (const uint8_t *)packet, strlen(packet), from_now(ANSWER_MS), err);
	rc = rc == 0 ? await_stop(g, timeout_ms, err) : rc;
	if (rc == 0 && run_of(g).running)
		rc = break_off(g, err);
	away = run_of(g);
	if (!away.running && (away.stop[0] == 'W' || away.stop[0] == 'X'))
		return pt_fail(err, PT_EIO, "what ran there has ended: %.20s", away.stop);
	if (away.running && rc != PT_EFAULT)
		return rc;
	was.fresh = false;
	set_run(g, &was);
	return rc;
}

static int run_for(void *state, const char *packet, uint32_t timeout_ms, struct pt_err *err)
{
	struct gdb_server *g = state;
	int rc = enter(g, err);

	if (rc < 0)
		return rc;
	pt_link_shield(g->link);
	rc = excursion(g, packet, timeout_ms, err);
	pt_link_unshield(g->link);
	leave(g);
	return rc;
}

/* --- the acquaintance --------------------------------------------------------------------------------------------- */

static bool offers(const char *supported, const char *item)
{
	size_t len = strlen(item);

	for (const char *at = supported; (at = strstr(at, item)) != NULL; at += len)
		if ((at == supported || at[-1] == ';') && (at[len] == ';' || at[len] == '\0'))
			return true;
	return false;
}

/* By what they offer, and how. Nothing is asked for that: a question of ours might be a command to somebody else. */
static const char *name_by_habit(const char *supported)
{
	if (strncmp(supported, "PacketSize=1000;qXfer:features:read+;vContSupported+", 51) == 0)
		return "QEMU";
	if (offers(supported, "QCatchSyscalls+") && offers(supported, "qXfer:libraries-svr4:read+"))
		return "gdbserver";
	/* It names the memory map also where it has none, because no flash bank was configured. */
	if ((offers(supported, "qXfer:memory-map:read+") || offers(supported, "qXfer:memory-map:read-")) &&
	    offers(supported, "QStartNoAckMode+") && offers(supported, "qXfer:threads:read+") &&
	    !offers(supported, "QNonStop+"))
		return "OpenOCD";
	return "";
}

static void read_supported(struct pt_rsp_facts *f)
{
	const char *size = strstr(f->supported, "PacketSize=");
	unsigned long bytes = size != NULL ? strtoul(size + 11, NULL, 16) : 0;

	f->packet_bytes = bytes >= 64 ? bytes : GDB_STANDARD_BYTES;
	f->multiprocess = offers(f->supported, "multiprocess+");
	f->non_stop = offers(f->supported, "QNonStop+");
	f->features = offers(f->supported, "qXfer:features:read+");
	f->memory_map = offers(f->supported, "qXfer:memory-map:read+");
	snprintf(f->name, sizeof(f->name), "%s", name_by_habit(f->supported));
}

static int ask_text(struct gdb_server *g, const char *packet, char *text, size_t room, struct pt_err *err)
{
	struct pt_rsp_answer answer = { .bytes = (uint8_t *)text, .room_bytes = room - 1 };
	int rc = exchange(g, packet, strlen(packet), &answer, g->patience_ms, err);

	text[rc == 0 ? answer.len_bytes : 0] = '\0';
	return rc;
}

static int no_ack(struct gdb_server *g, struct pt_err *err)
{
	char text[16];

	if (!offers(g->facts.supported, "QStartNoAckMode+"))
		return 0;
	if (ask_text(g, "QStartNoAckMode", text, sizeof(text), err) < 0)
		return err->code;
	if (strcmp(text, "OK") == 0) {
		g->facts.no_ack = true;
		pt_rsp_stream_set_no_ack(g->stream);
	}
	return 0;
}

/* Why it stands where it stands: most servers have stopped it, because we came. */
static int ask_why(struct gdb_server *g, struct pt_err *err)
{
	char text[PT_RSP_STOP_BYTES];
	struct pt_rsp_shared *shared;

	if (ask_text(g, "?", text, sizeof(text), err) < 0)
		return err->code;
	shared = pt_rsp_stream_lock(g->stream);
	if (!pt_rsp_stop_read(&shared->run, (const uint8_t *)text, strlen(text)))
		shared->run.running = false;	/* "OK", or nothing: nobody says that it stopped, nor that it runs */
	pt_rsp_stream_unlock(g->stream);
	return 0;
}

static int meet(struct gdb_server *g, struct pt_err *err)
{
	char text[128];

	if (ask_text(g, "qSupported:swbreak+;hwbreak+;vContSupported+;xmlRegisters=i386", g->facts.supported,
		     sizeof(g->facts.supported), err) < 0)
		return err->code;
	read_supported(&g->facts);
	if (no_ack(g, err) < 0 || ask_why(g, err) < 0 || ask_text(g, "vCont?", text, sizeof(text), err) < 0)
		return err->code;
	g->facts.vcont = strstr(text, ";c") != NULL && strstr(text, ";s") != NULL;
	/* OpenOCD handles each packet when it comes, also behind a vCont that it has yet to answer; its
	 * memory accesses go past the core where the adapter can do that, and fail where it cannot.
	 * Source: OpenOCD 0.12, src/server/gdb_server.c, gdb_input_inner. */
	g->facts.asks_running = strcmp(g->facts.name, "OpenOCD") == 0;
	/* Source: the same, src/target/target.c, target_read_buffer_default. */
	g->facts.keeps_words = g->facts.asks_running;
	/* QEMU takes the next "$" for the acknowledgement of what it sent last; gdbserver keeps what it has read
	 * until it has answered, once nothing is acknowledged. The memory of both is in the machine: it comes at once.
	 * Source: QEMU 7.2, gdbstub.c, gdb_read_byte; GDB 13, gdbserver/remote-utils.cc, putpkt_binary_1, readchar. */
	g->facts.takes_ahead = strcmp(g->facts.name, "QEMU") == 0 ||
			       (strcmp(g->facts.name, "gdbserver") == 0 && g->facts.no_ack);
	return 0;
}

static int server_open(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err)
{
	struct gdb_server *g = state;
	struct pt_link_info info = { 0 };

	g->link = link;
	g->stream = pt_rsp_link_stream(link);
	g->patience_ms = (uint32_t)(pt_params_number(settings, &pt_probe_params[PT_PROBE_PATIENCE]) / PT_NS_PER_MS);
	if (g->stream == NULL)
		return pt_fail(err, PT_EARG, "a GDB server is reached by rsp:HOST:PORT, rsp:unix:PATH or rsp:|COMMAND");
	pt_rsp_stream_set_patience(g->stream, g->patience_ms);
	pt_link_info(link, &info);
	memcpy(g->facts.where, info.where, sizeof(g->facts.where));
	if (meet(g, err) < 0)
		return pt_wrap(err, "the GDB server at %s", g->facts.where);
	/* Our own model of one answers at any time, but where it has QEMU's habits. */
	g->facts.asks_running |= strncmp(info.product, PT_LINK_VIRTUAL_PRODUCT, strlen(PT_LINK_VIRTUAL_PRODUCT)) == 0 &&
				 strcmp(g->facts.name, "QEMU") != 0;
	pt_info("upstream: %s at %s", g->facts.name[0] != '\0' ? g->facts.name : "a GDB server", g->facts.where);
	return 0;
}

static void server_close(void *state)
{
	(void)state;
}

static void server_info(void *state, struct pt_probe_info *out)
{
	const struct gdb_server *g = state;

	snprintf(out->protocol, sizeof(out->protocol), "RSP");
	snprintf(out->firmware, sizeof(out->firmware), "%s", g->facts.name);
	out->packet_bytes = g->facts.packet_bytes;
	out->packet_count = 1;
}

static void server_facts(void *state, struct pt_rsp_facts *out)
{
	*out = ((struct gdb_server *)state)->facts;
}

static void set_asks_running(void *state)
{
	((struct gdb_server *)state)->facts.asks_running = true;
}

static const struct pt_rsp_ops wire = {
	.facts = server_facts,
	.ask = ask,
	.resume = resume,
	.interrupt = interrupt,
	.poll = poll_run,
	.hold = hold,
	.release = release,
	.go_on = go_on,
	.run_for = run_for,
	.set_asks_running = set_asks_running,
};

const struct pt_probe_ops pt_gdb_server_ops = {
	.name = "rsp",
	.state_bytes = sizeof(struct gdb_server),
	.open = server_open,
	.close = server_close,
	.info = server_info,
	.rsp = &wire,
};
