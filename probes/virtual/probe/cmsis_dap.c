/* The command table, the commands that touch no pin, and what is around every command: queueing, batches of commands,
 * packets that lie about their length. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/probe/dap_engine.h"
#include "base/util.h"

enum { ID_TRANSFER_ABORT = 0x07, ID_QUEUE = 0x7e, ID_EXECUTE = 0x7f };
enum { DEFAULT_WAIT_RETRIES = 100 };	/* of the reference firmware, until TransferConfigure */
enum {
	CAN_SWD = 1 << 0, CAN_JTAG = 1 << 1, CAN_SWO = 3 << 2, CAN_ATOMIC = 1 << 4, CAN_TIME = 1 << 5,
	CAN_SWO_ENDPOINT = 1 << 6,
};
enum { TIMER_HZ = 1000000 };
enum { PORT_SWD = 1, PORT_JTAG = 2 };

/* --- commands without pins */

static void put_string(struct dap_out *out, const char *text)
{
	size_t len = strlen(text) + 1;

	dap_put8(out, (uint8_t)len);
	for (size_t i = 0; i < len; i++)
		dap_put8(out, (uint8_t)text[i]);
}

static uint8_t capabilities(const struct pt_vdap *dap)
{
	bool swd = dap->swd.pace->ops->dpidr != NULL, jtag = dap->jtag.n_taps > 0;

	bool swo = dap_has_swo(dap);

	return (uint8_t)((swd ? CAN_SWD : 0) | (jtag ? CAN_JTAG : 0) | CAN_ATOMIC | (swo ? CAN_SWO : 0) |
			 (swo && dap->config.swo_index ? CAN_TIME : 0) |
			 (swo && dap->config.swo_endpoint ? CAN_SWO_ENDPOINT : 0));
}

/* Source: CMSIS-DAP 2.x reference, DAP_Info. What this probe does not know has length 0. */
static void info(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	switch (dap_get8(in)) {
	case 0x01:
		put_string(out, "proftap");
		break;
	case 0x02:
		put_string(out, dap->config.product);
		break;
	case 0x03:
		put_string(out, dap->config.serial);
		break;
	case 0x04:		/* protocol */
		put_string(out, "2.1.1");
		break;
	case 0x09:		/* firmware */
		put_string(out, "1.0");
		break;
	case 0xf0:
		dap_put8(out, 1);
		dap_put8(out, capabilities(dap));
		break;
	case 0xf1:		/* the clock of its times */
		dap_put8(out, dap->config.swo_index ? 4 : 0);
		if (dap->config.swo_index)
			dap_put32(out, TIMER_HZ);
		break;
	case 0xfd:		/* the ring of SWO */
		dap_put8(out, dap->config.swo_bytes > 0 ? 4 : 0);
		if (dap->config.swo_bytes > 0)
			dap_put32(out, dap_has_swo(dap) ? dap->config.swo_bytes : 0);
		break;
	case 0xfe:
		dap_put8(out, 1);
		dap_put8(out, (uint8_t)dap->config.packet_count);
		break;
	case 0xff:
		dap_put8(out, 2);
		dap_put16(out, (uint16_t)dap->config.packet_bytes);
		break;
	default:
		dap_put8(out, 0);
	}
}

static void host_status(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	unsigned led = dap_get8(in);

	(void)dap;
	dap_get8(in);
	dap_put8(out, led <= 1 ? DAP_OK : DAP_ERROR);
}

/* Port 0 is the probe's own choice. */
static void connect(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	unsigned port = dap_get8(in), can = capabilities(dap);

	if (port == 0)
		port = (can & CAN_SWD) != 0 ? PORT_SWD : PORT_JTAG;
	dap->connected = port == PORT_SWD && (can & CAN_SWD) != 0;
	dap->connected_jtag = port == PORT_JTAG && (can & CAN_JTAG) != 0;
	dap_put8(out, dap->connected || dap->connected_jtag ? (uint8_t)port : 0);
}

static void disconnect(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	(void)in;
	dap->connected = dap->connected_jtag = false;
	pt_vswd_set_nreset(&dap->swd, false);	/* the pins float, and reset is pulled up */
	dap_put8(out, DAP_OK);
}

static void delay(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	uint64_t us = dap_get16(in);

	pt_vswd_idle_until(&dap->swd, pt_vswd_now_ns(&dap->swd) + us * 1000);
	dap_put8(out, DAP_OK);
}

static void reset_target(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	(void)dap, (void)in;
	dap_put8(out, DAP_OK);
	dap_put8(out, 0);	/* no device-specific sequence was executed */
}

/* Source: CMSIS-DAP 2.x reference, Commands */
static const struct row { uint8_t id; dap_command *run; } commands[] = {
	{ 0x00, info },
	{ 0x01, host_status },
	{ 0x02, connect },
	{ 0x03, disconnect },
	{ 0x04, dap_transfer_configure },
	{ 0x05, dap_transfer },
	{ 0x06, dap_transfer_block },
	{ 0x08, dap_write_abort },
	{ 0x09, delay },
	{ 0x0a, reset_target },
	{ 0x10, dap_swj_pins },
	{ 0x11, dap_swj_clock },
	{ 0x12, dap_swj_sequence },
	{ 0x13, dap_swd_configure },
	{ 0x14, dap_jtag_sequence },
	{ 0x15, dap_jtag_configure },
	{ 0x16, dap_jtag_idcode },
	{ 0x17, dap_swo_transport },
	{ 0x18, dap_swo_mode },
	{ 0x19, dap_swo_baudrate },
	{ 0x1a, dap_swo_control },
	{ 0x1b, dap_swo_status },
	{ 0x1c, dap_swo_data },
	{ 0x1d, dap_swd_sequence },
	{ 0x1e, dap_swo_extended_status },
};

/* --- around the commands */

static bool is_swo(const struct row *row)
{
	return row->id >= 0x17 && row->id <= 0x1e && row->run != dap_swd_sequence;
}

static const struct row *command_of(const struct pt_vdap *dap, uint8_t id)
{
	for (size_t i = 0; i < PT_LEN(commands); i++)
		if (commands[i].id == id && (dap->config.swo_bytes > 0 || !is_swo(&commands[i])))
			return &commands[i];
	return NULL;
}

static bool is_batch(uint8_t id)
{
	return id == 0x05 || id == 0x06;	/* these say themselves how far they came */
}

/* One command and its response. False: what follows it in the packet cannot be told apart any more. */
static bool run_command(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	size_t begin = out->len_bytes;
	uint8_t id = dap_get8(in);
	const struct row *row = command_of(dap, id);

	if (in->cut || row == NULL) {
		dap_put8(out, DAP_INVALID);
		return false;
	}
	dap_put8(out, id);
	row->run(dap, in, out);
	if (in->cut && !is_batch(id)) {		/* a command cut short has failed, whatever it wrote */
		out->len_bytes = begin + 1;
		dap_put8(out, DAP_ERROR);
	}
	return !in->cut && !out->full;
}

static void execute(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	unsigned count, done = 0;
	size_t head;

	dap_put8(out, dap_get8(in));
	count = dap_get8(in);
	head = out->len_bytes;
	dap_put8(out, 0);
	while (done < count && !in->cut && !out->full) {
		done++;
		if (!run_command(dap, in, out))
			break;
	}
	out->bytes[head] = (uint8_t)done;
}

static void answer(struct pt_vdap *dap, const uint8_t *request, size_t len_bytes, pt_vrespond *respond, void *arg)
{
	uint8_t response[PT_VDAP_MAX_PACKET_BYTES];
	struct dap_in in = { .at = request, .left_bytes = len_bytes };
	struct dap_out out = { .bytes = response, .room_bytes = dap->config.packet_bytes };

	if (request[0] == ID_EXECUTE)
		execute(dap, &in, &out);
	else
		run_command(dap, &in, &out);
	respond(arg, response, out.len_bytes, pt_vswd_now_ns(&dap->swd));
}

/* Kept until a packet that is not queued comes; then answered as if it had been ExecuteCommands. */
static bool queue(struct pt_vdap *dap, const uint8_t *request, size_t len_bytes)
{
	struct queued_packet *packet = &dap->queue[dap->n_queued];

	if (request[0] != ID_QUEUE || dap->n_queued == dap->config.packet_count)
		return false;
	memcpy(packet->bytes, request, len_bytes);
	packet->bytes[0] = ID_EXECUTE;
	packet->len_bytes = len_bytes;
	dap->n_queued++;
	return true;
}

void pt_vdap_process(struct pt_vdap *dap, const uint8_t *request, size_t len_bytes, uint64_t at_ns,
		     pt_vrespond *respond, void *arg)
{
	pt_vswd_idle_until(&dap->swd, at_ns);
	pt_vpace_begin(dap->swd.pace);
	if (len_bytes > dap->config.packet_bytes)	/* the rest never fits the probe's buffer */
		len_bytes = dap->config.packet_bytes;
	if (len_bytes == 0 || request[0] == ID_TRANSFER_ABORT || queue(dap, request, len_bytes))
		return;
	for (unsigned i = 0; i < dap->n_queued; i++)
		answer(dap, dap->queue[i].bytes, dap->queue[i].len_bytes, respond, arg);
	dap->n_queued = 0;
	answer(dap, request, len_bytes, respond, arg);
}

void pt_vdap_set_packet_bytes(struct pt_vdap *dap, size_t packet_bytes)
{
	dap->config.packet_bytes = packet_bytes;
}

size_t pt_vdap_trace(struct pt_vdap *dap, uint8_t *bytes, size_t room, uint64_t at_ns)
{
	return dap_swo_endpoint(dap, bytes, room, at_ns);
}

uint64_t pt_vdap_swo_lost(const struct pt_vdap *dap)
{
	return dap->swo.n_lost;
}

uint64_t pt_vdap_transfers(const struct pt_vdap *dap)
{
	return dap->swd.transfers;
}

struct pt_vdap *pt_vdap_new(const struct pt_vdap_config *config, struct pt_vpace *pace, struct pt_vfaults *faults)
{
	struct pt_vdap *dap = pt_alloc(sizeof(*dap));

	dap->queue = calloc(config->packet_count, sizeof(*dap->queue));
	if (dap->queue == NULL) {
		free(dap);
		return NULL;
	}
	dap->config = *config;
	dap->wait_retries = DEFAULT_WAIT_RETRIES;
	pt_vswd_init(&dap->swd, pace, faults, config->max_swclk_hz);
	pt_vjtag_init(&dap->jtag, pace, &dap->swd.clock, &dap->swd.dp);
	dap_swo_init(dap);
	return dap;
}

void pt_vdap_free(struct pt_vdap *dap)
{
	if (dap == NULL)
		return;
	dap_swo_free(dap);
	free(dap->queue);
	free(dap);
}

/* --- as any engine */

static void process(void *state, const uint8_t *request, size_t len_bytes, uint64_t at_ns, pt_vrespond *respond,
		    void *arg)
{
	pt_vdap_process(state, request, len_bytes, at_ns, respond, arg);
}

static void set_packet_bytes(void *state, size_t packet_bytes)
{
	pt_vdap_set_packet_bytes(state, packet_bytes);
}

static size_t trace(void *state, uint8_t *bytes, size_t room, uint64_t at_ns)
{
	return pt_vdap_trace(state, bytes, room, at_ns);
}

static void release(void *state)
{
	pt_vdap_free(state);
}

const struct pt_vengine_ops pt_vdap_engine = {
	.name = "CMSIS-DAP", .served = "CMSIS-DAP over TCP, for any program that speaks it",
	.process = process, .set_packet_bytes = set_packet_bytes, .trace = trace, .free = release,
};
