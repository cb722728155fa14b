/* CMSIS-DAP v2: a packet is a command and has one packet as its answer. Transfers go over the pins, cycle by cycle.
 * Source: Arm, CMSIS-DAP 2.1, commands. */
#include <stdio.h>
#include <string.h>

#include "core.h"
#include "dap.h"
#include "device.h"
#include "models.h"
#include "swd_pins.h"

enum { PACKET_BYTES = 512, PACKET_COUNT = 4, DAP_OK_BYTE = 0, DAP_ERROR_BYTE = 0xff, NO_ACK = 7, PARITY_ERROR = 8, MISMATCH = 0x10 };
enum { APNDP = 1, RNW = 2, MATCH_VALUE = 0x10, MATCH_MASK = 0x20, TIMESTAMP = 0x80, RDBUFF = 0x0e };

static struct {
	unsigned idle_cycles, wait_retries, match_retries;
	uint32_t match_mask;
	uint8_t answer[PACKET_BYTES];
	size_t answer_bytes;
	bool connected;
} cd;

static void put(uint8_t byte)
{
	if (cd.answer_bytes < PACKET_BYTES)
		cd.answer[cd.answer_bytes++] = byte;
	else
		device_violation("an answer of more than %d bytes", PACKET_BYTES);
}

static void put_word(uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		put((uint8_t)(value >> 8 * i));
}

static void put_text(const char *text)
{
	put((uint8_t)(strlen(text) + 1));
	for (const char *p = text; p == text || p[-1] != '\0'; p++)
		put((uint8_t)*p);
}

/* --- the wire */

static void drive(uint32_t value, unsigned bits)
{
	for (unsigned i = 0; i < bits; i++)
		swd_clock(true, value >> i & 1);
}

static uint32_t sample(unsigned bits)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < bits; i++) {
		value |= (uint32_t)swd_level() << i;
		swd_clock(false, true);
	}
	return value;
}

static unsigned parity(uint32_t value)
{
	return (unsigned)__builtin_parity(value);
}

/* Acknowledge, or with PARITY_ERROR. */
static unsigned transfer_once(unsigned request, uint32_t *value)
{
	unsigned ack, error = 0;

	drive(0x81 | (request & 15) << 1 | parity(request & 15) << 5, 8);
	sample(1);
	ack = sample(3);
	if ((request & RNW) != 0 && (ack == DAP_OK || dap_detects_overrun())) {
		*value = sample(32);
		error = sample(1) != parity(*value) ? PARITY_ERROR : 0;
		sample(1);
	} else {
		sample(1);
		if (ack == DAP_OK || dap_detects_overrun()) {
			drive(*value, 32);
			drive(parity(*value), 1);
		}
	}
	drive(0, cd.idle_cycles);
	return ack | (ack == DAP_OK ? error : 0);
}

static unsigned transfer(unsigned request, uint32_t *value)
{
	unsigned ack, tries = cd.wait_retries;

	do
		ack = transfer_once(request, value);
	while (ack == DAP_WAIT && tries-- > 0);
	return ack;
}

/* A read of an access port comes with the value of its RDBUFF. */
static unsigned read_now(unsigned request, uint32_t *value)
{
	unsigned ack = transfer(request, value);

	return ack == DAP_OK && (request & APNDP) != 0 ? transfer(RDBUFF, value) : ack;
}

/* --- transfers */

/* A list that ends with a write asks how that went. */
static unsigned check_last(unsigned ack, bool wrote)
{
	uint32_t value;

	return ack == DAP_OK && wrote ? transfer(RDBUFF, &value) : ack;
}

static unsigned read_until_match(unsigned request, uint32_t wanted)
{
	unsigned ack, tries = cd.match_retries;
	uint32_t value;

	do
		ack = read_now(request, &value);
	while (ack == DAP_OK && (value & cd.match_mask) != wanted && tries-- > 0);
	return ack == DAP_OK && (value & cd.match_mask) != wanted ? ack | MISMATCH : ack;
}

static void run_transfers(const uint8_t *c, size_t len)
{
	unsigned n = c[2], done = 0, ack = DAP_OK;
	bool wrote = false;
	size_t at = 3;

	put(0);
	put(0);
	while (done < n && ack == DAP_OK && at < len) {
		unsigned request = c[at++];
		uint32_t value = 0;

		if ((request & RNW) == 0 || (request & MATCH_VALUE) != 0) {
			if (at + 4 > len) {
				device_violation("a transfer without its data");
				break;
			}
			value = get_le32(c + at);
			at += 4;
		}
		if ((request & TIMESTAMP) != 0)
			device_violation("a timestamp, which is not offered");
		wrote = (request & (RNW | MATCH_MASK)) == 0;
		if ((request & RNW) == 0 && (request & MATCH_MASK) != 0) {
			cd.match_mask = value;
		} else if ((request & RNW) == 0) {
			ack = transfer(request, &value);
		} else if ((request & MATCH_VALUE) != 0) {
			ack = read_until_match(request, value);
		} else {
			ack = read_now(request, &value);
			if (ack == DAP_OK)
				put_word(value);
		}
		done += ack == DAP_OK;
	}
	cd.answer[1] = (uint8_t)done;
	cd.answer[2] = (uint8_t)check_last(ack, wrote);
}

static void run_block(const uint8_t *c, size_t len)
{
	unsigned n = get_le16(c + 2), request = c[4], done = 0, ack = DAP_OK;

	put(0);
	put(0);
	put(0);
	while (done < n && ack == DAP_OK) {
		uint32_t value = 0;

		if ((request & RNW) != 0) {
			ack = read_now(request, &value);
			if (ack == DAP_OK)
				put_word(value);
		} else if (5 + 4 * done + 4 > len) {
			device_violation("a block without its data");
			break;
		} else {
			value = get_le32(c + 5 + 4 * done);
			ack = transfer(request, &value);
		}
		done += ack == DAP_OK;
	}
	cd.answer[1] = (uint8_t)done;
	cd.answer[2] = (uint8_t)(done >> 8);
	cd.answer[3] = (uint8_t)check_last(ack, (request & RNW) == 0);
}

/* --- other commands */

static void say_info(unsigned id)
{
	switch (id) {
	case 1:
		put_text("Foreign");
		break;
	case 2:
		put_text("Foreign CMSIS-DAP");
		break;
	case 3:
		put_text("F0001");
		break;
	case 4:
		put_text("2.0.0");
		break;
	case 0xf0:
		put(1);
		put(1);			/* SWD, and no more */
		break;
	case 0xfe:
		put(1);
		put(PACKET_COUNT);
		break;
	case 0xff:
		put(2);
		put(PACKET_BYTES & 0xff);
		put(PACKET_BYTES >> 8);
		break;
	default:
		put(0);
		break;
	}
}

static void run_sequence(const uint8_t *c)
{
	unsigned bits = c[1] == 0 ? 256 : c[1];

	for (unsigned i = 0; i < bits; i++)
		swd_clock(true, c[2 + i / 8] >> i % 8 & 1);
	put(DAP_OK_BYTE);
}

/* Parts of the line's own protocol, each driven or sampled. */
static void run_swd_sequences(const uint8_t *c)
{
	unsigned n = c[1];
	const uint8_t *p = c + 2;

	put(DAP_OK_BYTE);
	while (n-- > 0) {
		unsigned bits = (*p & 0x3f) == 0 ? 64 : *p & 0x3f;
		bool samples = (*p++ & 0x80) != 0;

		for (unsigned at = 0; at < bits; at += 8) {
			unsigned now = bits - at < 8 ? bits - at : 8;

			if (samples)
				put((uint8_t)sample(now));
			else
				drive(*p++, now);
		}
	}
}

static void write_abort(uint32_t value)
{
	put(transfer(0, &value) == DAP_OK ? DAP_OK_BYTE : DAP_ERROR_BYTE);
}

static void configure_transfers(const uint8_t *c)
{
	cd.idle_cycles = c[1];
	cd.wait_retries = get_le16(c + 2);
	cd.match_retries = get_le16(c + 4);
	put(DAP_OK_BYTE);
}

static void connect(unsigned port)
{
	cd.connected = port <= 1;
	put(cd.connected ? 1 : 0);
}

static void take_command(const uint8_t *c, size_t len)
{
	switch (c[0]) {
	case 0x00:
		say_info(c[1]);
		break;
	case 0x02:
		connect(c[1]);
		break;
	case 0x03:
		if (!cd.connected)	/* old Debug Probes hang then */
			device_violation("a Disconnect without a Connect");
		cd.connected = false;
		put(DAP_OK_BYTE);
		break;
	case 0x04:
		configure_transfers(c);
		break;
	case 0x05:
		run_transfers(c, len);
		break;
	case 0x06:
		run_block(c, len);
		break;
	case 0x08:
		write_abort(get_le32(c + 2));
		break;
	case 0x0a:
		put(DAP_OK_BYTE);
		put(0);
		break;
	case 0x10:
		put(0x8b);		/* all lines are high */
		break;
	case 0x12:
		run_sequence(c);
		break;
	case 0x1d:
		run_swd_sequences(c);
		break;
	case 0x01: case 0x09: case 0x11: case 0x13:
		put(DAP_OK_BYTE);
		break;
	default:
		fprintf(stderr, "cmsis-dap: unknown command %02x\n", c[0]);
		cd.answer[0] = DAP_ERROR_BYTE;
		break;
	}
}

static void on_out(unsigned endpoint, const uint8_t *bytes, size_t len_bytes)
{
	uint8_t command[PACKET_BYTES + 8] = { 0 };

	(void)endpoint;
	if (len_bytes == 0 || len_bytes > PACKET_BYTES) {
		device_violation("a packet of %zu bytes", len_bytes);
		return;
	}
	memcpy(command, bytes, len_bytes);
	if (!cd.connected && (command[0] == 0x05 || command[0] == 0x06))
		device_violation("transfers while it is not connected");
	if (command[0] == 0x07)
		return;			/* TransferAbort has no answer, and there is nothing to end */
	cd.answer[0] = command[0];
	cd.answer_bytes = 1;
	take_command(command, len_bytes);
	device_reply(0x81, cd.answer, cd.answer_bytes, false);
}

static void on_power(void)
{
	memset(&cd, 0, sizeof(cd));
	dap_power_on();
	swd_power_on();
}

static uint8_t descriptor[18] = { 18, 1, 0, 2, 0, 0, 0, 64, 0x09, 0x12, 0x02, 0x00, 0, 1, 1, 2, 3, 1 };
static const uint8_t config[] = { 9, 2, 32, 0, 1, 1, 0, 0x80, 50, 9, 4, 0, 0, 2, 0xff, 0, 0, 4,
	7, 5, 0x01, 2, 0, 2, 0, 7, 5, 0x81, 2, 0, 2, 0 };
static const uint8_t english[] = { 4, 3, 9, 4 };
static struct device probe = { .name = "cmsis-dap", .descriptor = descriptor, .config = config, .config_bytes = sizeof(config),
	.speed_mbps = HIGH_SPEED_MBPS, .power_on = on_power, .out = on_out };

struct device *cmsis_dap(const struct model_options *options)
{
	probe.strings[0] = english;
	probe.strings[1] = make_string("Foreign");
	probe.strings[2] = make_string("Foreign CMSIS-DAP");
	probe.strings[3] = make_string(options->serial != NULL ? options->serial : "F0001");
	probe.strings[4] = make_string("CMSIS-DAP v2");
	return &probe;
}
