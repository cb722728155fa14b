/* One operation after the other; each reads its arguments, uses the wire, and writes its answer. An operation whose
 * answer may not fit is not begun. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/probe/bdc_pipe.h"
#include "probes/virtual/wire/bkgd.h"
#include "probes/virtual/wire/pdo_capture.h"
#include "base/util.h"

/* The protocol's numbers, as probes/bdc/bdc_pipe.h describes them, written once more: a wrong one in the driver is then
 * found. */
enum { REQUEST_HEAD = 2, RESPONSE_HEAD = 3, FLAG_CHAINED = 1 };
enum {
	PIPE_INFO = 0x01, PIPE_SEND = 0x02, PIPE_RECEIVE = 0x03, PIPE_ACK = 0x04, PIPE_CYCLES = 0x05, PIPE_SYNC = 0x06,
	PIPE_DRIVE = 0x07, PIPE_DELAY = 0x08, PIPE_POLL = 0x09, PIPE_CHECK = 0x0a, PIPE_CAPTURE = 0x10,
	PIPE_CAPTURED = 0x11, PIPE_CAPTURE_STOP = 0x12,
};
enum pipe_status {
	PIPE_DONE = 0, PIPE_NO_ACK = 1, PIPE_BAD_REQUEST = 2, PIPE_NO_TARGET = 3, PIPE_LONG_ACK = 4, PIPE_EXPIRED = 5,
	PIPE_SKIPPED = 6,
};
enum { PIPE_BKGD = 1, PIPE_RESET = 2, PIPE_POWER = 4 };		/* pins of DRIVE */
enum { CAPTURED_HEAD = 15, SHORT_RUN = 47, PAIR = 48, PAIR_RUN = 4, LONGEST_POLL_US = 1000000 };
#define POLL_ACK_NS (10 * PT_NS_PER_MS)

struct pt_vpipe {
	struct pt_vpipe_config config;
	struct pt_vbkgd wire;
	struct pt_vpdo_capture capture;
	uint8_t last_status;		/* of the request before */
	bool long_ack;			/* one came since the request's begin or the last CHECK */
	/* the request under way */
	const uint8_t *at;
	size_t left_bytes;
	bool cut;			/* it promised more than it holds */
	uint8_t out[PT_VENGINE_MAX_PACKET_BYTES];
	size_t out_bytes;
};

/* --- arguments and answers */

static uint32_t get(struct pt_vpipe *pipe, unsigned n_bytes)
{
	uint32_t value = 0;

	if (pipe->left_bytes < n_bytes) {
		pipe->cut = true;
		pipe->left_bytes = 0;
		return 0;
	}
	for (unsigned i = 0; i < n_bytes; i++)
		value |= (uint32_t)pipe->at[i] << 8 * i;
	pipe->at += n_bytes;
	pipe->left_bytes -= n_bytes;
	return value;
}

static bool fits(const struct pt_vpipe *pipe, size_t n_bytes)
{
	return pipe->out_bytes + n_bytes <= pipe->config.packet_bytes;
}

static void put(struct pt_vpipe *pipe, uint64_t value, unsigned n_bytes)
{
	for (unsigned i = 0; i < n_bytes; i++)
		pipe->out[pipe->out_bytes++] = (uint8_t)(value >> 8 * i);
}

/* --- operations */

static enum pipe_status info(struct pt_vpipe *pipe)
{
	size_t len = strlen(pipe->config.product);

	if (!fits(pipe, 4 + len))
		return PIPE_BAD_REQUEST;
	put(pipe, pipe->config.packet_bytes, 2);
	put(pipe, pipe->config.packet_count, 1);
	put(pipe, len, 1);
	memcpy(pipe->out + pipe->out_bytes, pipe->config.product, len);
	pipe->out_bytes += len;
	return PIPE_DONE;
}

static enum pipe_status send(struct pt_vpipe *pipe)
{
	uint32_t n = get(pipe, 1);

	if (pipe->cut || pipe->left_bytes < n)
		return PIPE_BAD_REQUEST;
	for (uint32_t i = 0; i < n; i++)
		pt_vbkgd_send(&pipe->wire, (uint8_t)get(pipe, 1));
	return PIPE_DONE;
}

static enum pipe_status receive(struct pt_vpipe *pipe)
{
	uint32_t n = get(pipe, 1);

	if (pipe->cut || !fits(pipe, n))
		return PIPE_BAD_REQUEST;
	for (uint32_t i = 0; i < n; i++)
		put(pipe, pt_vbkgd_receive(&pipe->wire), 1);
	return PIPE_DONE;
}

static enum pipe_status ack(struct pt_vpipe *pipe)
{
	uint32_t ms = get(pipe, 2);
	enum pt_vbkgd_ack came;

	if (pipe->cut || !fits(pipe, 1))
		return PIPE_BAD_REQUEST;
	came = pt_vbkgd_ack(&pipe->wire, ms * PT_NS_PER_MS);
	if (came == PT_VBKGD_NO_ACK)
		return PIPE_NO_ACK;
	pipe->long_ack |= came == PT_VBKGD_LONG_ACK;
	put(pipe, came == PT_VBKGD_LONG_ACK ? 2 : 1, 1);
	return PIPE_DONE;
}

static enum pipe_status rest(struct pt_vpipe *pipe)
{
	uint32_t cycles = get(pipe, 2);

	if (pipe->cut)
		return PIPE_BAD_REQUEST;
	pt_vbkgd_cycles(&pipe->wire, cycles);
	return PIPE_DONE;
}

static enum pipe_status sync(struct pt_vpipe *pipe)
{
	if (!fits(pipe, 4))
		return PIPE_BAD_REQUEST;
	put(pipe, pt_vbkgd_sync(&pipe->wire), 4);
	return PIPE_DONE;
}

/* Power first, then BKGD, so that a reset that is let go finds it as it shall be. */
static enum pipe_status drive(struct pt_vpipe *pipe)
{
	uint32_t pins = get(pipe, 1), values = get(pipe, 1);

	if (pipe->cut)
		return PIPE_BAD_REQUEST;
	if ((pins & PIPE_BKGD) != 0)
		pt_vbkgd_drive_bkgd(&pipe->wire, (values & PIPE_BKGD) != 0);
	if ((pins & PIPE_POWER) != 0)
		pt_vbkgd_power(&pipe->wire, (values & PIPE_POWER) != 0);
	if ((pins & PIPE_RESET) != 0)
		pt_vbkgd_drive_reset(&pipe->wire, (values & PIPE_RESET) != 0);
	return PIPE_DONE;
}

static enum pipe_status delay(struct pt_vpipe *pipe)
{
	uint64_t us = get(pipe, 4);

	if (pipe->cut)
		return PIPE_BAD_REQUEST;
	pt_vbkgd_idle_until(&pipe->wire, pipe->wire.ns + us * 1000);
	return PIPE_DONE;
}

/* READ_MEM.B. False: no ACK. */
static bool read_byte(struct pt_vpipe *pipe, const uint8_t address[3], bool acked, uint8_t *byte)
{
	enum pt_vbkgd_ack came;

	pt_vbkgd_send(&pipe->wire, 0x30);
	for (unsigned i = 0; i < 3; i++)
		pt_vbkgd_send(&pipe->wire, address[i]);
	if (acked) {
		came = pt_vbkgd_ack(&pipe->wire, POLL_ACK_NS);
		if (came == PT_VBKGD_NO_ACK)
			return false;
		pipe->long_ack |= came == PT_VBKGD_LONG_ACK;
	} else {
		pt_vbkgd_cycles(&pipe->wire, PT_VBDC_DELAY);
	}
	*byte = pt_vbkgd_receive(&pipe->wire);
	if (!acked)
		pt_vbkgd_cycles(&pipe->wire, PT_VBDC_DELAY);
	return true;
}

static enum pipe_status poll(struct pt_vpipe *pipe)
{
	uint32_t first = get(pipe, 1), second = get(pipe, 1), third = get(pipe, 1);
	uint8_t address[3] = { (uint8_t)first, (uint8_t)second, (uint8_t)third };
	uint8_t mask = (uint8_t)get(pipe, 1), value = (uint8_t)get(pipe, 1), byte = 0;
	bool acked = get(pipe, 1) != 0, came = false;
	uint64_t us = get(pipe, 4), end_ns;

	if (pipe->cut || !fits(pipe, 2) || us > LONGEST_POLL_US)
		return PIPE_BAD_REQUEST;
	end_ns = pipe->wire.ns + us * 1000;
	do {
		if (!read_byte(pipe, address, acked, &byte))
			return PIPE_NO_ACK;
		came = (byte & mask) == value;
	} while (!came && pipe->wire.ns < end_ns);
	put(pipe, came, 1);
	put(pipe, byte, 1);
	return came ? PIPE_DONE : PIPE_EXPIRED;
}

static enum pipe_status check(struct pt_vpipe *pipe)
{
	bool was = pipe->long_ack;

	pipe->long_ack = false;
	return was ? PIPE_LONG_ACK : PIPE_DONE;
}

/* --- capture */

static void bring_board(struct pt_vpipe *pipe)
{
	pt_vpace_to(pipe->wire.pace, pipe->wire.ns);
}

static enum pipe_status capture(struct pt_vpipe *pipe)
{
	uint32_t least_hz = get(pipe, 4);

	if (pipe->cut || !fits(pipe, 12) || !pipe->config.pins)
		return PIPE_BAD_REQUEST;
	bring_board(pipe);
	put(pipe, pt_vpdo_capture_start(&pipe->capture, least_hz), 4);
	put(pipe, pipe->wire.ns, 8);
	return PIPE_DONE;
}

/* Returns the bytes that it takes; 0: no room, nothing is written. */
static size_t put_run(struct pt_vpipe *pipe, uint32_t run, size_t room)
{
	uint8_t levels = (uint8_t)((run & PT_VPDO_PDOCLK) != 0 ? 0x80 : 0) | ((run & PT_VPDO_PDO) != 0 ? 0x40 : 0);
	uint32_t n = run & 0xffffff;
	size_t bytes = n <= SHORT_RUN ? 1 : 4;

	if (bytes > room)
		return 0;
	put(pipe, levels | (n <= SHORT_RUN ? n : 0), 1);
	if (n > SHORT_RUN)
		put(pipe, n, 3);
	return bytes;
}

/* Two short ones that differ in PDOCLK alone are one byte. Returns how many runs; 0: no room. */
static unsigned put_runs(struct pt_vpipe *pipe, size_t room, size_t *n_bytes)
{
	uint32_t run = pt_vpdo_capture_peek(&pipe->capture, 0), next = pt_vpdo_capture_peek(&pipe->capture, 1);
	uint32_t a = run & 0xffffff, b = next & 0xffffff;
	bool pair = b > 0 && a <= PAIR_RUN && b <= PAIR_RUN && ((run ^ next) & ~UINT32_C(0xffffff)) == PT_VPDO_PDOCLK;

	*n_bytes = pair && room > 0 ? 1 : put_run(pipe, run, room);
	if (*n_bytes == 0 || !pair)
		return *n_bytes != 0;
	put(pipe,
	    ((run & PT_VPDO_PDOCLK) != 0 ? 0x80 : 0) | ((run & PT_VPDO_PDO) != 0 ? 0x40 : 0) |
		    (PAIR + PAIR_RUN * (a - 1) + b - 1),
	    1);
	return 2;
}

static enum pipe_status captured(struct pt_vpipe *pipe)
{
	size_t most = get(pipe, 2), n = 0, bytes = 1, head = pipe->out_bytes;
	struct pt_vpdo_captured what;

	if (pipe->cut || !fits(pipe, CAPTURED_HEAD + most) || !pipe->config.pins)
		return PIPE_BAD_REQUEST;
	bring_board(pipe);
	pt_vpdo_capture_read(&pipe->capture, &what);
	put(pipe, 0, 1);
	put(pipe, what.from_ns, 8);
	put(pipe, what.lost < UINT32_MAX ? what.lost : UINT32_MAX, 4);
	put(pipe, 0, 2);
	while (pt_vpdo_capture_peek(&pipe->capture, 0) != 0 && bytes != 0) {
		unsigned runs = put_runs(pipe, most - n, &bytes);

		n += bytes;
		while (runs-- > 0)
			pt_vpdo_capture_pop(&pipe->capture);
	}
	pipe->out[head] = pt_vpdo_capture_over(&pipe->capture);
	pt_put_le16(pipe->out + head + 13, (uint16_t)n);
	return PIPE_DONE;
}

static enum pipe_status capture_stop(struct pt_vpipe *pipe)
{
	if (!pipe->config.pins)
		return PIPE_BAD_REQUEST;
	bring_board(pipe);
	pt_vpdo_capture_stop(&pipe->capture);
	return PIPE_DONE;
}

/* --- requests */

static const struct operation {
	uint8_t code;
	bool needs_power;
	enum pipe_status (*run)(struct pt_vpipe *pipe);
} operations[] = {
	{ PIPE_INFO, false, info },
	{ PIPE_SEND, true, send },
	{ PIPE_RECEIVE, true, receive },
	{ PIPE_ACK, true, ack },
	{ PIPE_CYCLES, false, rest },
	{ PIPE_SYNC, true, sync },
	{ PIPE_DRIVE, false, drive },
	{ PIPE_DELAY, false, delay },
	{ PIPE_POLL, true, poll },
	{ PIPE_CHECK, false, check },
	{ PIPE_CAPTURE, false, capture },
	{ PIPE_CAPTURED, false, captured },
	{ PIPE_CAPTURE_STOP, false, capture_stop },
};

static enum pipe_status run_one(struct pt_vpipe *pipe)
{
	uint8_t code = (uint8_t)get(pipe, 1);

	for (size_t i = 0; i < PT_LEN(operations); i++) {
		if (operations[i].code != code)
			continue;
		if (operations[i].needs_power && !pt_vbkgd_has_power(&pipe->wire)) {
			pt_vbkgd_give_up(&pipe->wire);
			return PIPE_NO_TARGET;
		}
		return operations[i].run(pipe);
	}
	return PIPE_BAD_REQUEST;
}

static bool counts(enum pipe_status status)
{
	return status == PIPE_DONE || status == PIPE_LONG_ACK || status == PIPE_EXPIRED;
}

static enum pipe_status run_all(struct pt_vpipe *pipe, uint8_t *n_done)
{
	enum pipe_status status = PIPE_DONE;

	while (status == PIPE_DONE && pipe->left_bytes > 0) {
		size_t answered = pipe->out_bytes;

		status = run_one(pipe);
		if (counts(status))
			++*n_done;
		else
			pipe->out_bytes = answered;
	}
	return status;
}

static void process(void *state, const uint8_t *request, size_t len_bytes, uint64_t at_ns, pt_vrespond *respond,
		    void *arg)
{
	struct pt_vpipe *pipe = state;
	uint8_t sequence = len_bytes > 0 ? request[0] : 0, n_done = 0;
	enum pipe_status status;

	pt_vbkgd_idle_until(&pipe->wire, at_ns);
	pt_vpace_begin(pipe->wire.pace);
	pipe->out_bytes = RESPONSE_HEAD;
	pipe->cut = pipe->long_ack = false;
	if (len_bytes < REQUEST_HEAD || len_bytes > pipe->config.packet_bytes) {
		status = PIPE_BAD_REQUEST;
	} else if ((request[1] & FLAG_CHAINED) != 0 && pipe->last_status != PIPE_DONE) {
		status = PIPE_SKIPPED;
	} else {
		pipe->at = request + REQUEST_HEAD;
		pipe->left_bytes = len_bytes - REQUEST_HEAD;
		status = run_all(pipe, &n_done);
	}
	pipe->last_status = (uint8_t)status;
	pipe->out[0] = sequence;
	pipe->out[1] = (uint8_t)status;
	pipe->out[2] = n_done;
	respond(arg, pipe->out, pipe->out_bytes, pipe->wire.ns);
}

/* --- life */

struct pt_vpipe *pt_vpipe_new(const struct pt_vpipe_config *config, struct pt_vpace *pace, struct pt_vfaults *faults)
{
	struct pt_vpipe *pipe = pt_alloc(sizeof(*pipe));

	pipe->config = *config;
	pt_vbkgd_init(&pipe->wire, pace, faults);
	pt_vpdo_capture_init(&pipe->capture, pace);
	return pipe;
}

static void release(void *state)
{
	struct pt_vpipe *pipe = state;

	pt_vpdo_capture_fini(&pipe->capture);
	free(pipe);
}

const struct pt_vengine_ops pt_vpipe_engine = {
	.name = "BDC pipe", .process = process, .free = release,
	.served = "packets of the BDC pipe (probes/bdc/bdc_pipe.h) in the frames of CMSIS-DAP over TCP; no other "
		  "program speaks it",
};
