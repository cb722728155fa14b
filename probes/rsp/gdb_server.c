/* The driver of the wire rsp: a GDB server as a probe. It makes the connection's acquaintance, and asks it what the
 * board thread wants to know.
 *
 * Of a client that is a debugger the server keeps what that chose; multiprocess ids are never asked for
 * here, because no server takes that back: they come when a debugger asks for them, and thread ids are taken
 * as the server writes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/log.h"
#include "probes/rsp/gdb_server_parts.h"
#include "base/util.h"

enum { GDB_STANDARD_BYTES = 400 };

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
	static const char black_magic[] = "PacketSize=400;qXfer:memory-map:read+;qXfer:features:read+";

	if (strncmp(supported, "PacketSize=1000;qXfer:features:read+;vContSupported+", 51) == 0)
		return "QEMU";
	if (strncmp(supported, "PacketSize=1000;qXfer:features:read+;qXfer:auxv:read+;", 54) == 0)
		return "qemu-user";
	if (strncmp(supported, black_magic, strlen(black_magic)) == 0)
		return "Black Magic";
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
	f->process = offers(f->supported, "qXfer:auxv:read+");
	/* It looks at the connection when the program gets a signal, and not before. Source: QEMU 7.2, gdbstub.c,
	 * gdb_handlesig; later ones, which have siginfo, may hear it. */
	f->deaf = strcmp(f->name, "qemu-user") == 0 && !offers(f->supported, "qXfer:siginfo:read+");
}

static int ask_text(struct gdb_server *g, const char *packet, char *text, size_t room, struct pt_err *err)
{
	struct pt_rsp_answer answer = { .bytes = (uint8_t *)text, .room_bytes = room - 1 };
	int rc = pt_server_exchange(g, packet, strlen(packet), &answer, g->patience_ms, err);

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
static int ask_why(struct gdb_server *g, const struct pt_params *settings, struct pt_err *err)
{
	char text[PT_RSP_STOP_BYTES];
	struct pt_rsp_shared *shared;

	if (ask_text(g, "?", text, sizeof(text), err) < 0)
		return err->code;
	if (text[0] == 'W' && strcmp(g->facts.name, "Black Magic") == 0)
		return pt_black_magic_attach(g, settings, err);
	shared = pt_rsp_stream_lock(g->stream);
	if (!pt_rsp_stop_read(&shared->run, (const uint8_t *)text, strlen(text)))
		shared->run.running = false;	/* "OK", or nothing: nobody says that it stopped, nor that it runs */
	pt_rsp_stream_unlock(g->stream);
	return 0;
}

static int no_answer(const struct gdb_server *g, struct pt_err *err)
{
	char advice[160];

	if (!pt_rsp_is_serial(g->facts.where))
		return pt_fail(err, PT_ETIMEOUT,
			       "%s does not answer; one that hears nothing while the target runs has to be stopped "
			       "first (Linux' kgdb: by SysRq-g)",
			       g->facts.where);
	pt_rsp_serial_advice(g->facts.where, advice, sizeof(advice));
	return pt_fail(err, PT_ETIMEOUT,
		       "it does not answer; %s; one that hears nothing while the target runs has to be stopped first "
		       "(Linux' kgdb: by SysRq-g)",
		       advice);
}

static int meet(struct gdb_server *g, const struct pt_params *settings, struct pt_err *err)
{
	static const char question[] = "qSupported:swbreak+;hwbreak+;vContSupported+;xmlRegisters=i386";
	struct pt_rsp_shared *shared;
	char text[128];
	int rc;

	/* QEMU whose machine runs stops it when somebody connects, and says so before it is asked anything.
	 * Source: QEMU 7.2, gdbstub.c, gdb_chr_event, gdb_vm_state_change. */
	rc = ask_text(g, question, g->facts.supported, sizeof(g->facts.supported), err);
	if (rc == PT_ETIMEOUT)
		return no_answer(g, err);
	if (rc < 0)
		return rc;
	if (strcmp(g->facts.supported, question) == 0)	/* a terminal, or TX wired to RX */
		return pt_fail(err, PT_EPROTO, "it sends back what it is sent: this is no GDB server");
	shared = pt_rsp_stream_lock(g->stream);
	snprintf(shared->known_question, sizeof(shared->known_question), "%s", question);
	snprintf(shared->known_answer, sizeof(shared->known_answer), "%.11s", g->facts.supported);
	pt_rsp_stream_unlock(g->stream);
	read_supported(&g->facts);
	if (no_ack(g, err) < 0 || ask_why(g, settings, err) < 0 || ask_text(g, "vCont?", text, sizeof(text), err) < 0)
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
	g->facts.takes_ahead =
		strcmp(g->facts.name, "QEMU") == 0 || (strcmp(g->facts.name, "gdbserver") == 0 && g->facts.no_ack);
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
	g->facts.patience_ms = g->patience_ms;
	memcpy(g->facts.where, info.where, sizeof(g->facts.where));
	if (meet(g, settings, err) < 0)
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
	out->target_mv = g->target_mv;
}

static void server_facts(void *state, struct pt_rsp_facts *out)
{
	*out = ((struct gdb_server *)state)->facts;
}

static void set_cores(void *state, const char *const *threads, unsigned n)
{
	struct gdb_server *g = state;

	pt_rsp_set_cores(&pt_rsp_stream_lock(g->stream)->run, threads, n);
	pt_rsp_stream_unlock(g->stream);
}

static int hold(void *state, struct pt_err *err)
{
	return pt_server_enter(state, err);
}

static void release(void *state)
{
	pt_server_leave(state);
}

static void set_asks_running(void *state, bool does)
{
	((struct gdb_server *)state)->facts.asks_running = does;
}

static const struct pt_rsp_ops wire = {
	.facts = server_facts,
	.set_cores = set_cores,
	.ask = pt_server_ask,
	.resume = pt_server_resume,
	.interrupt = pt_server_interrupt,
	.poll = pt_server_poll,
	.hold = hold,
	.release = release,
	.go_on = pt_server_go_on,
	.run_for = pt_server_run_for,
	.set_asks_running = set_asks_running,
};

static struct pt_link *connect_server(const char *rest, struct pt_err *err)
{
	if (pt_rsp_is_serial(rest))
		return pt_rsp_serial_open(rest, err);
	if (rest[0] != '\0')
		return pt_rsp_link_open(rest, err);
	pt_fail(err, PT_EARG, "rsp: needs HOST:PORT, unix:PATH, |COMMAND, /dev/ttyACM0 or serial=S behind it");
	return NULL;
}

/* Source: Black Magic Debug, driver/99-blackmagic-plugdev.rules */
static const struct pt_usb_id usb[] = {
	{ .vid = 0x1d50, .pid = 0x6018, .iface = PT_USB_TTY },
};

const struct pt_probe_ops pt_gdb_server_ops = {
	.name = "rsp",
	.address = "rsp:[HOST:PORT|unix:PATH||COMMAND|/dev/ttyACM0?baud=N|serial=S]",
	.connect = connect_server,
	.help = "another GDB server: OpenOCD, pyOCD, J-Link, QEMU, XSDB, and a Black Magic Probe on its serial port",
	.usb = usb,
	.n_usb = PT_LEN(usb),
	.params = pt_black_magic_params,
	.n_params = 2,
	.state_bytes = sizeof(struct gdb_server),
	.open = server_open,
	.close = server_close,
	.info = server_info,
	.rsp = &wire,
};
