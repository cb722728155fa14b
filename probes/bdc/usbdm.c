/* USBDM: a firmware that knows BDC commands of its own and does ACK, delays and clock by itself; what it does not
 * expose (SYNC_PC, READ_DBGTB, the low half of BDCCSR) cannot be had. Two framings, by the version that it reports:
 * JMxx (4) and Kinetis (5). One request, one reply; a reply may be "busy", and another follows.
 * Source: usbdm-firmware V4.12.1.330 (JMxx), usbdm-kinetis V5.8.1. */
#include <stdio.h>
#include <string.h>

#include "host/log.h"
#include "probes/bdc/bdc_encode.h"
#include "probes/wires/probe.h"
#include "probes/wires/exchange.h"
#include "base/util.h"

enum {
	SET_TARGET = 1,
	GET_CAPABILITIES = 5,
	CONNECT = 15,
	GET_SPEED = 17,
	CUSTOM = 18,
	READ_STATUS = 20,
	WRITE_CONTROL = 21,
	RESET = 22,
	STEP = 23,
	GO = 24,
	HALT = 25,
	WRITE_REG = 26,
	READ_REG = 27,
	WRITE_MEM = 32,
	READ_MEM = 33,
};
enum { TARGET_S12Z = 11, TARGET_OFF = 255, CAP_S12Z = 1 << 14, RESET_NORMAL = 1, RESET_HARDWARE = 1 << 2 };
enum { /* status of a reply */
       OK = 0,
       ERR_PARAMS = 1,
       BUSY = 3,
       ERR_ILLEGAL = 4,
       ERR_NO_CONNECTION = 5,
       ERR_BKGD = 20,
       ERR_SYNC = 21,
       ERR_ACK = 30,
       MOST_STATUS = 63,
};
enum {
	V4_FIRST_BYTES = 62, V4_MOST_BYTES = 124,	/* what fits one packet, and two that are not full */
	LEAST_BYTES = 64, MOST_BYTES = 254, HEAD_BYTES = 8, USB_PACKET_BYTES = 64,
	CAPABILITIES_BYTES = 8,
	TICKS_HZ = 60000000, SYNC_CYCLES = 128,
	MOST_BUSY_MS = 64, DBGTB = 0x104,
};
#define COMMAND_NS (200 * PT_NS_PER_MS)
#define ERASE_NS (10 * PT_NS_PER_S)
#define ERASE_LOOK_NS (50 * PT_NS_PER_MS)

struct usbdm {
	struct pt_exchange exchange;
	unsigned version;		/* 4, 5 */
	size_t most_bytes;		/* of a request or reply */
	uint8_t sequence;		/* of the next request: a toggle, or two bits */
	uint32_t bdcsi_hz;
	bool targeted;			/* it was told of the S12Z */
	bool up;			/* the firmware is connected to the target, as far as we know */
	char firmware[PT_PROBE_FIRMWARE_TEXT];
};

/* --- framing ------------------------------------------------------------------------------------------------------ */

static size_t question(uint8_t *out)
{
	out[0] = 2;
	out[1] = GET_CAPABILITIES;
	return 2;
}

static bool answers(const uint8_t *in, size_t n_in)
{
	return n_in == CAPABILITIES_BYTES && in[0] == OK && (in[5] == 4 || in[5] == 5);
}

static uint8_t tag(struct usbdm *usbdm, uint8_t command)
{
	if (command == GET_CAPABILITIES)
		return command;
	usbdm->sequence++;
	return usbdm->version == 4 ? (uint8_t)(command | (usbdm->sequence & 1) << 7)
				   : (uint8_t)(command | (usbdm->sequence & 3) << 6);
}

/* The request's tag comes back in the status; a JMxx may leave its toggle 0. */
static bool is_ours(const struct usbdm *usbdm, uint8_t tagged, uint8_t status)
{
	if (usbdm->version == 4)
		return (status & 0x80) == 0 || (status & 0x80) == (tagged & 0x80);
	return (status & 0xc0) == (tagged & 0xc0);
}

static uint8_t code_of(const struct usbdm *usbdm, uint8_t status)
{
	return status & (usbdm->version == 4 ? 0x7f : 0x3f);
}

static int send(struct usbdm *usbdm, const uint8_t *request, size_t n, uint64_t busy_ns, struct pt_err *err)
{
	uint8_t rest[1 + V4_MOST_BYTES] = { 0 };

	if (usbdm->version != 4 || n <= V4_FIRST_BYTES)
		return pt_exchange_ask(&usbdm->exchange, request, n, busy_ns, err);
	memcpy(rest + 1, request + V4_FIRST_BYTES, n - V4_FIRST_BYTES);
	return pt_exchange_ask_parts(&usbdm->exchange, request, V4_FIRST_BYTES, rest, 1 + n - V4_FIRST_BYTES, busy_ns,
				     err);
}

/* The device is still at it: look again, less and less often. */
static int wait_while_busy(struct usbdm *usbdm, int n, uint64_t busy_ns, struct pt_err *err)
{
	uint64_t until_ns = pt_link_now_ns(usbdm->exchange.link) + busy_ns, wait_ms = 1;

	while (n > 0 && code_of(usbdm, usbdm->exchange.in[0]) == BUSY) {
		int rc;

		usbdm->exchange.debt++;
		if (pt_link_now_ns(usbdm->exchange.link) >= until_ns)
			return pt_fail(err, PT_ETIMEOUT, "the probe stays busy");
		rc = pt_link_wait(usbdm->exchange.link, pt_link_now_ns(usbdm->exchange.link) + wait_ms * PT_NS_PER_MS,
				  err);
		if (rc < 0)
			return rc;
		wait_ms = wait_ms < MOST_BUSY_MS ? 2 * wait_ms : MOST_BUSY_MS;
		n = pt_exchange_again(&usbdm->exchange, busy_ns, err);
	}
	return n;
}

static int judge(uint8_t code, uint8_t command, struct pt_err *err)
{
	switch (code) {
	case OK:
		return 0;
	case ERR_PARAMS:
		return pt_fail(err, PT_EARG, "the probe refuses the parameters of command %u", command);
	case ERR_ILLEGAL:
		return pt_fail(err, PT_EUNSUPPORTED, "the probe does not know command %u", command);
	case ERR_NO_CONNECTION: case ERR_BKGD: case ERR_SYNC:
		return pt_fail(err, PT_EPROTO,
			       "the target does not answer SYNC: no power, no clock, or not wired (USBDM %u)", code);
	case ERR_ACK:
		return pt_fail(err, PT_ETIMEOUT, "no ACK from the target");
	default:
		return pt_fail(err, PT_EFAULT, "the target refused (USBDM %u)", code);
	}
}

/* A command whose parameters stand in request from [2] on, n bytes in all; the reply has n_reply. */
static int command(struct usbdm *usbdm, uint8_t what, uint8_t *request, size_t n, int n_reply, uint64_t busy_ns,
		   struct pt_err *err)
{
	const uint8_t *in = usbdm->exchange.in;
	uint8_t code;
	int got;

	request[0] = (uint8_t)n;
	request[1] = tag(usbdm, what);
	got = send(usbdm, request, n, busy_ns, err);
	got = wait_while_busy(usbdm, got, busy_ns, err);
	if (got < 0)
		return got;
	if (got == 0 || !is_ours(usbdm, request[1], in[0]))
		return pt_exchange_mistrust(&usbdm->exchange, err);
	code = code_of(usbdm, in[0]);
	usbdm->up = usbdm->up && code != ERR_NO_CONNECTION;
	if (code > MOST_STATUS)
		return pt_exchange_mistrust(&usbdm->exchange, err);
	if (code == OK && got != n_reply) {
		usbdm->exchange.out_of_step = true;
		return pt_fail(err, PT_EPROTO, "the probe's reply to command %u has %d bytes, not %d", what, got,
			       n_reply);
	}
	return judge(code, what, err);
}

static int plain_command(struct usbdm *usbdm, uint8_t what, struct pt_err *err)
{
	uint8_t request[2];

	return command(usbdm, what, request, 2, 1, COMMAND_NS, err);
}

/* --- memory and registers ----------------------------------------------------------------------------------------- */

static void put_be32(uint8_t *out, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		out[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* How many bytes of a row go in one command: whole elements, and no packet that is full to the brim. */
static size_t room_for(const struct usbdm *usbdm, size_t head, uint8_t size)
{
	size_t n = usbdm->most_bytes - head;

	n -= n % size;
	while (n > size && (n + head) % USB_PACKET_BYTES == 0)
		n -= size;
	return n;
}

static int read_piece(struct usbdm *usbdm, uint32_t addr, uint8_t size, uint8_t *bytes, size_t n, struct pt_err *err)
{
	uint8_t request[HEAD_BYTES] = { 0, 0, size, (uint8_t)n };
	int rc;

	put_be32(request + 4, addr);
	rc = command(usbdm, READ_MEM, request, sizeof(request), 1 + (int)n, COMMAND_NS, err);
	if (rc == 0)
		memcpy(bytes, usbdm->exchange.in + 1, n);
	return rc;
}

static int write_piece(struct usbdm *usbdm, uint32_t addr, uint8_t size, const uint8_t *bytes, size_t n,
		       struct pt_err *err)
{
	uint8_t request[MOST_BYTES] = { 0, 0, size, (uint8_t)n };

	put_be32(request + 4, addr);
	memcpy(request + HEAD_BYTES, bytes, n);
	return command(usbdm, WRITE_MEM, request, HEAD_BYTES + n, 1, COMMAND_NS, err);
}

static int move_memory(struct usbdm *usbdm, struct pt_bdc_op *op, struct pt_err *err)
{
	bool write = op->what == PT_BDC_WRITE_MEM;
	size_t total = (size_t)op->n * op->size_bytes, n,
	       room = room_for(usbdm, write ? HEAD_BYTES : 1, op->size_bytes);
	uint8_t *bytes = op->bytes;
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < total; at += n) {
		n = total - at < room ? total - at : room;
		while (n > op->size_bytes && (n + (write ? HEAD_BYTES : 1)) % USB_PACKET_BYTES == 0)
			n -= op->size_bytes;
		rc = write ? write_piece(usbdm, op->addr + (uint32_t)at, op->size_bytes, bytes + at, n, err)
			   : read_piece(usbdm, op->addr + (uint32_t)at, op->size_bytes, bytes + at, n, err);
	}
	return rc;
}

static int read_same(struct usbdm *usbdm, struct pt_bdc_op *op, struct pt_err *err)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < op->n; i++)
		rc = read_piece(usbdm, op->addr, op->size_bytes, (uint8_t *)op->bytes + (size_t)i * op->size_bytes,
				op->size_bytes, err);
	return rc;
}

/* One word each: more would be read from the addresses behind. Source: VHL 6.3.2.5 (DBGTB), word access only. */
static int read_lines(struct usbdm *usbdm, struct pt_bdc_op *op, struct pt_err *err)
{
	uint8_t *bytes = op->bytes, word[2] = { 0 };
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < 4 * op->n; i++) {
		rc = read_piece(usbdm, DBGTB, 2, word, 2, err);
		bytes[2 * i] = word[1];
		bytes[2 * i + 1] = word[0];
	}
	return rc;
}

static int read_register(struct usbdm *usbdm, struct pt_bdc_op *op, struct pt_err *err)
{
	uint8_t request[4] = { 0, 0, 0, op->crn };
	int rc = command(usbdm, READ_REG, request, sizeof(request), 5, COMMAND_NS, err);

	if (rc == 0)
		op->value = (uint32_t)pt_be16(usbdm->exchange.in + 1) << 16 | pt_be16(usbdm->exchange.in + 3);
	return rc;
}

static int write_register(struct usbdm *usbdm, const struct pt_bdc_op *op, struct pt_err *err)
{
	uint8_t request[8] = { 0, 0, 0, op->crn };

	put_be32(request + 4, op->value);
	return command(usbdm, WRITE_REG, request, sizeof(request), 1, COMMAND_NS, err);
}

static int read_bdccsr(struct usbdm *usbdm, uint16_t *bdccsr, struct pt_err *err)
{
	uint8_t request[2];
	int rc = command(usbdm, READ_STATUS, request, 2, 5, COMMAND_NS, err);

	*bdccsr = rc == 0 ? (uint16_t)(usbdm->exchange.in[4] << 8) : 0;
	return rc;
}

static int write_bdccsr(struct usbdm *usbdm, uint32_t value, struct pt_err *err)
{
	uint8_t request[6] = { 0, 0, 0, 0, 0, (uint8_t)(value >> 8) };

	return command(usbdm, WRITE_CONTROL, request, sizeof(request), 1, COMMAND_NS, err);
}

/* --- the wire ----------------------------------------------------------------------------------------------------- */

static int bring_up(struct usbdm *usbdm, struct pt_err *err)
{
	uint8_t request[3] = { 0, 0, TARGET_S12Z };
	uint16_t ticks;
	int rc;

	usbdm->up = false;
	usbdm->targeted = true;
	rc = command(usbdm, SET_TARGET, request, 3, 1, COMMAND_NS, err);
	if (rc == 0)
		rc = plain_command(usbdm, CONNECT, err);
	if (rc == 0)
		rc = command(usbdm, GET_SPEED, request, 2, 3, COMMAND_NS, err);
	if (rc < 0)
		return rc;
	ticks = pt_be16(usbdm->exchange.in + 1);
	if (ticks == 0)
		return pt_fail(err, PT_EPROTO, "the target does not answer SYNC");
	usbdm->bdcsi_hz = (uint32_t)((uint64_t)TICKS_HZ * SYNC_CYCLES / ticks);
	usbdm->up = true;
	return 0;
}

static int connect_target(void *state, uint32_t *bdcsi_hz, struct pt_err *err)
{
	struct usbdm *usbdm = state;
	int rc = bring_up(usbdm, err);

	*bdcsi_hz = usbdm->bdcsi_hz;
	return rc;
}

static int reset_target(void *state, enum pt_bdc_mode mode, struct pt_err *err)
{
	uint8_t request[3] = { 0, 0, RESET_HARDWARE | (mode == PT_BDC_NORMAL ? RESET_NORMAL : 0) };
	int rc = command(state, RESET, request, 3, 1, PT_NS_PER_S, err);

	return rc == 0 ? bring_up(state, err) : rc;
}

/* All that its CUSTOM command does. It goes out from here only, and only because a user asked for it. */
static int mass_erase(void *state, struct pt_err *err)
{
	struct usbdm *usbdm = state;
	uint64_t until_ns = pt_link_now_ns(usbdm->exchange.link) + ERASE_NS;
	uint8_t request[2];
	uint16_t bdccsr = 0;
	int rc = command(usbdm, CUSTOM, request, 2, 1, ERASE_NS, err);

	if (rc == 0)
		rc = bring_up(usbdm, err);
	while (rc == 0 && (bdccsr & PT_BDC_UNSEC) == 0) {
		rc = read_bdccsr(usbdm, &bdccsr, err);
		if (rc == 0 && (bdccsr & PT_BDC_UNSEC) == 0 && pt_link_now_ns(usbdm->exchange.link) >= until_ns)
			rc = pt_fail(err, PT_ETIMEOUT, "the part is still secured");
		if (rc == 0)
			rc = pt_link_wait(usbdm->exchange.link, pt_link_now_ns(usbdm->exchange.link) + ERASE_LOOK_NS,
					  err);
	}
	return rc < 0 ? pt_wrap(err, "mass erase") : 0;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

static int poll(struct usbdm *usbdm, struct pt_bdc_op *op, bool *expired, struct pt_err *err)
{
	uint64_t until_ns = op->sent_ns + op->time_us * UINT64_C(1000);
	uint8_t byte = 0;
	int rc;

	do {
		rc = read_piece(usbdm, op->addr, 1, &byte, 1, err);
		*expired = (byte & op->mask) != (uint8_t)op->value;
	} while (rc == 0 && *expired && pt_link_now_ns(usbdm->exchange.link) < until_ns);
	if (rc == 0)
		op->value = byte;
	return rc;
}

static int read_flags(struct usbdm *usbdm, struct pt_bdc_op *op, struct pt_err *err)
{
	uint16_t bdccsr;
	int rc = read_bdccsr(usbdm, &bdccsr, err);

	op->value = bdccsr;
	return rc;
}

static int measure(struct usbdm *usbdm, struct pt_bdc_op *op, struct pt_err *err)
{
	int rc = bring_up(usbdm, err);

	op->value = usbdm->bdcsi_hz;
	return rc;
}

static int run_op(struct usbdm *usbdm, struct pt_bdc_op *op, bool *expired, struct pt_err *err)
{
	switch (op->what) {
	case PT_BDC_SYNC:
		return measure(usbdm, op, err);
	case PT_BDC_READ_BDCCSR:
		return read_flags(usbdm, op, err);
	case PT_BDC_WRITE_BDCCSR:
		return write_bdccsr(usbdm, op->value, err);
	case PT_BDC_BACKGROUND:
		return plain_command(usbdm, HALT, err);
	case PT_BDC_GO:
		return plain_command(usbdm, GO, err);
	case PT_BDC_STEP1:
		return plain_command(usbdm, STEP, err);
	case PT_BDC_READ_MEM: case PT_BDC_WRITE_MEM:
		return move_memory(usbdm, op, err);
	case PT_BDC_READ_SAME:
		return read_same(usbdm, op, err);
	case PT_BDC_READ_DBGTB:
		return read_lines(usbdm, op, err);
	case PT_BDC_READ_RN:
		return read_register(usbdm, op, err);
	case PT_BDC_WRITE_RN:
		return write_register(usbdm, op, err);
	case PT_BDC_DELAY:
		return pt_link_wait(usbdm->exchange.link, op->sent_ns + op->time_us * UINT64_C(1000), err);
	default:
		return poll(usbdm, op, expired, err);
	}
}

static uint32_t can(void *state)
{
	(void)state;
	return 1u << PT_BDC_SYNC | 1u << PT_BDC_READ_BDCCSR | 1u << PT_BDC_WRITE_BDCCSR | 1u << PT_BDC_BACKGROUND |
	       1u << PT_BDC_GO | 1u << PT_BDC_STEP1 | 1u << PT_BDC_READ_MEM | 1u << PT_BDC_READ_SAME |
	       1u << PT_BDC_WRITE_MEM | 1u << PT_BDC_READ_DBGTB | 1u << PT_BDC_READ_RN | 1u << PT_BDC_WRITE_RN |
	       1u << PT_BDC_DELAY | 1u << PT_BDC_POLL;
}

static int run(void *state, struct pt_bdc_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       struct pt_err *err)
{
	struct usbdm *usbdm = state;
	bool expired = false;
	int rc = pt_bdc_check(ops, n_ops, can(state), err);

	(void)timeout_ms;	/* the firmware has its own */
	*n_done = 0;
	if (rc == 0 && n_ops > 0 && !usbdm->up)	/* a connection that was cut short, or that the firmware has lost */
		rc = bring_up(usbdm, err);
	while (rc == 0 && !expired && *n_done < n_ops) {
		struct pt_bdc_op *op = &ops[*n_done];

		op->status = 0;
		op->sent_ns = pt_link_now_ns(usbdm->exchange.link);
		rc = run_op(usbdm, op, &expired, err);
		op->done_ns = pt_link_now_ns(usbdm->exchange.link);
		*n_done += rc == 0 && !expired;
	}
	pt_debug(PT_LOG_DAP, "usbdm: %zu of %zu operations, %d", *n_done, n_ops, rc);
	return rc;
}

/* --- the device --------------------------------------------------------------------------------------------------- */

static int take_capabilities(struct usbdm *usbdm, struct pt_err *err)
{
	const uint8_t *in = usbdm->exchange.in;

	if ((pt_be16(in + 1) & CAP_S12Z) == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "this USBDM has no S12Z in its firmware");
	usbdm->most_bytes = pt_be16(in + 3);
	if (usbdm->most_bytes < LEAST_BYTES)
		return pt_fail(err, PT_EPROTO, "the probe claims commands of %zu bytes", usbdm->most_bytes);
	usbdm->version = in[5];
	if (usbdm->most_bytes > MOST_BYTES)
		usbdm->most_bytes = MOST_BYTES;
	if (usbdm->version == 4 && usbdm->most_bytes > V4_MOST_BYTES)
		usbdm->most_bytes = V4_MOST_BYTES;
	snprintf(usbdm->firmware, sizeof(usbdm->firmware), "%u.%u.%u", in[5], in[6], in[7]);
	pt_link_set_packet_bytes(usbdm->exchange.link, 4 * USB_PACKET_BYTES);
	return 0;
}

static int open_probe(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err)
{
	struct usbdm *usbdm = state;
	uint8_t request[64];
	int n;

	(void)settings;
	usbdm->exchange = (struct pt_exchange){ .link = link, .name = "usbdm", .question = question, .answers = answers };
	n = pt_exchange_drain(&usbdm->exchange, err);
	if (n == 0)
		n = pt_exchange_ask(&usbdm->exchange, request, question(request), 0, err);
	if (n < 0)
		return n;
	if (!answers(usbdm->exchange.in, (size_t)n))
		return pt_fail(err, PT_EPROTO,
			       "the probe does not tell its capabilities as a USBDM of version 4 or 5 does");
	return take_capabilities(usbdm, err);
}

/* The pins are let go; the core is left as it is. */
static void close_probe(void *state)
{
	struct usbdm *usbdm = state;
	uint8_t request[3] = { 0, 0, TARGET_OFF };

	if (usbdm->targeted)		/* who only asked what it is changes nothing */
		command(state, SET_TARGET, request, 3, 1, 0, NULL);
}

static void info(void *state, struct pt_probe_info *out)
{
	const struct usbdm *usbdm = state;

	memcpy(out->firmware, usbdm->firmware, sizeof(out->firmware));
	snprintf(out->protocol, sizeof(out->protocol), "usbdm %u", usbdm->version);
	out->packet_bytes = usbdm->most_bytes;
	out->packet_count = 1;
	out->speed_hz = usbdm->bdcsi_hz;
}

static const struct pt_bdc_ops bdc_ops = {
	.connect = connect_target, .run = run, .can = can, .reset = reset_target, .mass_erase = mass_erase,
};

/* Alone and with a serial port. Source: usbdm-firmware V4.12 */
static const struct pt_usb_id usb[] = {
	{ .vid = 0x16d0, .pid = 0x0567, .out = 0x01, .in = 0x82 },
	{ .vid = 0x16d0, .pid = 0x06a5, .out = 0x01, .in = 0x82 },
};

const struct pt_probe_ops pt_usbdm_ops = {
	.name = "usbdm",
	.help = "USBDM",
	.usb = usb,
	.n_usb = PT_LEN(usb),
	.address = "usbdm:[serial=S|usb=BUS-PORT]",
	.state_bytes = sizeof(struct usbdm),
	.open = open_probe,
	.close = close_probe,
	.info = info,
	.bdc = &bdc_ops,
};
