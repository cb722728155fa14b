/* Packets off the stream, one at a time, to who answers them. */
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/alloc.h"
#include "probes/virtual/rsp/rsp_parts.h"
#include "base/util.h"

enum { ETX = 0x03 };
#define REST_MOST_NS (5 * PT_NS_PER_MS)

/* "Hg1", "Hc-1", "Hgp1.2" is not ours: there are no processes. 0 and -1: any. */
static void choose_thread(struct stub *stub, const char *packet)
{
	uint32_t n;

	pt_stub_number(packet + 2, &n);
	if (packet[2] == '-')
		n = 0;
	if (n > stub->target.n_threads) {
		pt_stub_say(stub, "E01");
		return;
	}
	if (packet[1] == 'g' && n > 0)
		stub->g_thread = n - 1;
	else if (packet[1] == 'c' && n > 0)
		stub->c_thread = n - 1;
	pt_stub_say(stub, "OK");
}

static void is_alive(struct stub *stub, const char *packet)
{
	uint32_t n;

	pt_stub_number(packet + 1, &n);
	pt_stub_say(stub, n >= 1 && n <= stub->target.n_threads ? "OK" : "E01");
}

static bool starts(const char *packet, const char *with)
{
	return strncmp(packet, with, strlen(with)) == 0;
}

static void verbose(struct stub *stub, const char *packet)
{
	if (strcmp(packet, "vCont?") == 0)
		pt_stub_say(stub, "vCont;c;C;s;S%s", stub->habit == PT_VRSP_QEMU ? "" : ";t");
	else if (starts(packet, "vCont;"))
		pt_stub_resume(stub, packet);
	else if (starts(packet, "vStopped"))
		pt_stub_stopped(stub);
	else if (starts(packet, "vKill"))
		pt_stub_say(stub, "OK");
}

/* All-stop while the target runs: QEMU is silent, others answer for memory. */
static bool may_answer(struct stub *stub, char first)
{
	if (stub->non_stop || !stub->owes_stop)
		return true;
	return stub->habit != PT_VRSP_QEMU && strchr("mMXqQ", first) != NULL;
}

static void carry_out(struct stub *stub, const char *packet, size_t len_bytes)
{
	switch (packet[0]) {
	case '?': pt_stub_why(stub); break;
	case 'c': case 's': case 'C': case 'S': pt_stub_resume(stub, packet); break;
	case 'v': verbose(stub, packet); break;
	case 'g': case 'G': case 'p': case 'P': pt_stub_registers(stub, packet); break;
	case 'm': case 'M': case 'X': pt_stub_memory(stub, packet, len_bytes); break;
	case 'Z': case 'z': pt_stub_breakpoint(stub, packet); break;
	case 'q': case 'Q': pt_stub_query(stub, packet); break;
	case 'H': choose_thread(stub, packet); break;
	case 'T': is_alive(stub, packet); break;
	case 'D':
		pt_stub_detach(stub);
		pt_stub_say(stub, "OK");
		break;
	case 'k':
		pt_stub_detach(stub);
		stub->no_reply = true;
		break;
	default: break;		/* an empty reply: not supported */
	}
}

static void on_packet(struct stub *stub, const char *frame, size_t len_bytes)
{
	char packet[PT_VRSP_PACKET_BYTES + 1];
	uint8_t sum = 0;
	bool acks = !stub->no_ack;
	uint32_t said;

	for (size_t i = 1; i + 3 < len_bytes; i++)
		sum = (uint8_t)(sum + (uint8_t)frame[i]);
	pt_stub_number((const char[]){ frame[len_bytes - 2], frame[len_bytes - 1], 0 }, &said);
	if (acks)
		stub->respond(stub->respond_arg, (const uint8_t *)(said == sum ? "+" : "-"), 1, stub->done_ns);
	if (said != sum || !may_answer(stub, frame[1]))
		return;
	memcpy(packet, frame + 1, len_bytes - 4);
	packet[len_bytes - 4] = '\0';
	carry_out(stub, packet, len_bytes - 4);
	if (!stub->no_reply)
		pt_stub_frame(stub, '$', stub->reply, stub->reply_bytes);
}

/* --- the engine */

static size_t frame(void *state, const uint8_t *bytes, size_t n_bytes)
{
	const uint8_t *hash;

	(void)state;
	if (n_bytes == 0)
		return 0;
	if (pt_first_is_text(bytes[0]))
		return PT_VENGINE_NONSENSE;	/* line noise is passed over, but not what a web page sends */
	if (bytes[0] != '$')
		return 1;
	hash = memchr(bytes, '#', n_bytes);
	if (hash != NULL && (size_t)(hash - bytes) + 3 <= n_bytes)
		return (size_t)(hash - bytes) + 3;
	return n_bytes < PT_VRSP_MOST_BYTES ? 0 : PT_VENGINE_NONSENSE;
}

/* On the wall clock a board that is slower than its chip would take its whole budget of every request; so it rests for
 * three times as long as it ran, and whoever asks meanwhile is answered at once. */
static void catch_up(struct stub *stub, uint64_t at_ns)
{
	uint64_t began = uv_hrtime(), took;

	pt_vpace_begin(stub->pace);
	if (stub->pace->wall && at_ns < stub->rest_until_ns)
		return;
	pt_vpace_to(stub->pace, at_ns);
	took = uv_hrtime() - began;
	stub->rest_until_ns = at_ns + 4 * (took < REST_MOST_NS ? took : REST_MOST_NS);
}

static void begin(struct stub *stub, uint64_t at_ns, pt_vrespond *respond, void *arg)
{
	catch_up(stub, at_ns);
	stub->at_ns = stub->done_ns = at_ns;
	stub->respond = respond;
	stub->respond_arg = arg;
	stub->reply_bytes = 0;
	stub->no_reply = false;
}

static void process(void *state, const uint8_t *request, size_t len_bytes, uint64_t at_ns, pt_vrespond *respond,
		    void *arg)
{
	struct stub *stub = state;

	begin(stub, at_ns, respond, arg);
	if (!stub->attached)
		stub->target.attached(stub->target.arg, true);
	stub->attached = true;
	if (request[0] == '$' && len_bytes >= 4 && len_bytes <= PT_VRSP_MOST_BYTES)
		on_packet(stub, (const char *)request, len_bytes);
	else if (request[0] == ETX)
		pt_stub_interrupt(stub);
	pt_stub_look(stub);
}

static void unasked(void *state, uint64_t at_ns, pt_vrespond *respond, void *arg)
{
	struct stub *stub = state;

	begin(stub, at_ns, respond, arg);
	pt_stub_look(stub);
}

/* The connection has gone, with D or without. The target goes on. */
static void left(void *state)
{
	struct stub *stub = state;

	pt_stub_detach(stub);
	stub->no_ack = stub->non_stop = false;
}

static void release(void *state)
{
	free(state);
}

void *pt_vrsp_new(const struct pt_vrsp_target *target, enum pt_vrsp_habit habit, struct pt_vpace *pace)
{
	struct stub *stub = pt_alloc(sizeof(*stub));

	stub->target = *target;
	stub->habit = habit;
	stub->pace = pace;
	stub->runs = (uint8_t)((1u << target->n_threads) - 1);
	return stub;
}

const struct pt_vengine_ops pt_vrsp_engine = {
	.name = "GDB server", .served = "GDB (target extended-remote), and proftap itself as rsp:HOST:PORT",
	.process = process, .frame = frame, .protocol = "GDB's remote protocol",
	.first = pt_first_rsp, .unasked = unasked, .left = left,
	.free = release,
};
