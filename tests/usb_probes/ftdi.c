/* FT2232H: channel A as MPSSE, with TDI and TDO tied to SWDIO or a TAP behind its pins, channel B as the board's serial port, which a debugger must
 * leave alone. Each packet to the host begins with two status bytes; what is no full packet waits for the latency timer
 * or "send immediate". The engine stops while its answers fill the chip's FIFO. */
#include <stdio.h>
#include <string.h>

#include "core.h"
#include "dap.h"
#include "device.h"
#include "jtag_pins.h"
#include "models.h"
#include "swd_pins.h"

enum { FIFO_BYTES = 4096, HELD_BYTES = 1 << 18, STATUS_BYTES = 2, OUT_A = 0x02, IN_A = 0x81, CHANNEL_A = 1, DEFAULT_LATENCY_MS = 16 };
enum { BIT_CLOCK = 1, BIT_OUT = 2, BIT_IN = 4, BIT_TMS = 8, MODE_RESET = 0, MODE_MPSSE = 2 };
enum { OP_NOT_SHIFT = 0x80, OP_TMS = 0x40, OP_READ = 0x20, OP_WRITE = 0x10, OP_LSB = 8, OP_BITS = 2 };

static struct {
	uint8_t in[HELD_BYTES], out[FIFO_BYTES + 8192];
	size_t in_bytes, out_bytes;
	uint8_t low, low_driven, high, high_driven, mode;
	bool flush, loop_back, jtag;
} chip;
static struct device probe;

static void put_answer(uint8_t byte)
{
	if (chip.out_bytes < sizeof(chip.out))
		chip.out[chip.out_bytes++] = byte;
}

/* --- the engine */

/* TDI drives the wire while it is an output; the input is read in front of the rising edge. */
static bool shift_bit(bool writes, bool level)
{
	bool driven = (chip.low_driven & BIT_OUT) != 0, sampled;

	if (writes)
		chip.low = (uint8_t)((chip.low & ~BIT_OUT) | (level ? BIT_OUT : 0));
	level = (chip.low & BIT_OUT) != 0;
	if (chip.loop_back)
		return level;
	if (chip.jtag) {
		sampled = jtag_tdo();
		jtag_clock((chip.low & BIT_TMS) != 0, level);
		return sampled;
	}
	sampled = driven ? level : swd_level();
	swd_clock(driven, level);
	return sampled;
}

static void shift_data(const uint8_t *c)
{
	bool in_bits = (c[0] & OP_BITS) != 0, writes = (c[0] & OP_WRITE) != 0;
	size_t n = in_bits ? 1 : get_le16(c + 1) + 1u;
	const uint8_t *data = c + (in_bits ? 2 : 3);

	for (size_t i = 0; i < n; i++) {
		unsigned bits = in_bits ? (c[1] & 7) + 1u : 8;
		uint8_t got = 0;

		for (unsigned k = 0; k < bits; k++)	/* bits arrive at the top and move down */
			got = (uint8_t)(got >> 1 | shift_bit(writes, writes && (data[i] >> k & 1) != 0) << 7);
		if ((c[0] & OP_READ) != 0)
			put_answer(got);
	}
}

/* TMS from a byte, bit by bit, while TDI holds its bit 7. */
static void shift_tms(const uint8_t *c)
{
	unsigned bits = (c[1] & 7) + 1u;
	uint8_t got = 0;

	for (unsigned k = 0; k < bits; k++) {
		chip.low = (uint8_t)((chip.low & ~BIT_TMS) | ((c[2] >> k & 1) != 0 ? BIT_TMS : 0));
		got = (uint8_t)(got >> 1 | shift_bit(true, (c[2] & 0x80) != 0) << 7);
	}
	if ((c[0] & OP_READ) != 0)
		put_answer(got);
}

static void clock_only(unsigned cycles)
{
	while (cycles-- > 0)
		shift_bit(false, false);
}

/* What a command takes; 0: unknown so far. */
static size_t command_bytes(const uint8_t *c, size_t len)
{
	if ((c[0] & OP_NOT_SHIFT) != 0)
		switch (c[0]) {
		case 0x80: case 0x82: case 0x86: case 0x8f: case 0x9c: case 0x9d: case 0x9e:
			return 3;
		case 0x8e:
			return 2;
		default:
			return 1;
		}
	if ((c[0] & OP_TMS) != 0)
		return 3;
	if ((c[0] & (OP_READ | OP_WRITE)) == 0)
		return 1;
	if ((c[0] & OP_BITS) != 0)
		return (c[0] & OP_WRITE) != 0 ? 3 : 2;
	if (len < 3)
		return 0;
	return (c[0] & OP_WRITE) != 0 ? 3u + get_le16(c + 1) + 1 : 3;
}

static void refuse(uint8_t op)
{
	if (op != 0xaa && op != 0xab)		/* those are how hosts ask whether it listens */
		device_violation("opcode %02x is none", op);
	put_answer(0xfa);
	put_answer(op);
}

static bool input_level(void)
{
	if (chip.jtag)
		return jtag_tdo();
	return (chip.low_driven & BIT_OUT) != 0 ? (chip.low & BIT_OUT) != 0 : swd_level();
}

static uint8_t low_pins(void)
{
	return (uint8_t)((chip.low & chip.low_driven) | (~chip.low_driven & ~BIT_IN & 0xff) |
			 (input_level() ? BIT_IN : 0));
}

static void command(const uint8_t *c)
{
	switch (c[0]) {
	case 0x80:
		chip.low = c[1];
		chip.low_driven = c[2];
		return;
	case 0x81:
		put_answer(low_pins());
		return;
	case 0x82:
		chip.high = c[1];
		chip.high_driven = c[2];
		return;
	case 0x83:
		put_answer((uint8_t)((chip.high & chip.high_driven) | (uint8_t)~chip.high_driven));
		return;
	case 0x84:
	case 0x85:
		chip.loop_back = c[0] == 0x84;
		return;
	case 0x87:
		chip.flush = true;
		return;
	case 0x86: case 0x88: case 0x89: case 0x8a: case 0x8b: case 0x8c: case 0x8d: case 0x96: case 0x97:
		return;
	case 0x8e:
		clock_only(c[1] + 1u);
		return;
	case 0x8f:
		clock_only(8 * (get_le16(c + 1) + 1u));
		return;
	default:
		break;
	}
	if ((c[0] & OP_NOT_SHIFT) != 0 || (c[0] & (OP_READ | OP_WRITE | OP_TMS)) == 0 || (c[0] & OP_LSB) == 0)
		refuse(c[0]);
	else if ((c[0] & OP_TMS) != 0)
		shift_tms(c);
	else
		shift_data(c);
}

/* As far as commands have come in and answers have room. */
static void work(void)
{
	size_t used = 0, n;

	while (used < chip.in_bytes && chip.out_bytes < FIFO_BYTES &&
	       (n = command_bytes(chip.in + used, chip.in_bytes - used)) > 0 && n <= chip.in_bytes - used) {
		command(chip.in + used);
		used += n;
	}
	memmove(chip.in, chip.in + used, chip.in_bytes -= used);
}

static bool accepts(unsigned endpoint)
{
	return endpoint != OUT_A || chip.in_bytes < FIFO_BYTES;
}

static void on_out(unsigned endpoint, const uint8_t *bytes, size_t len_bytes)
{
	if (endpoint != OUT_A || chip.mode != MODE_MPSSE) {
		device_violation("%zu bytes to endpoint %02x in mode %u", len_bytes, endpoint, chip.mode);
		return;
	}
	if (len_bytes > HELD_BYTES - chip.in_bytes) {
		device_violation("%zu bytes in one transfer", len_bytes);
		return;
	}
	memcpy(chip.in + chip.in_bytes, bytes, len_bytes);
	chip.in_bytes += len_bytes;
	work();
}

/* --- packets */

static int stream(unsigned endpoint, uint8_t *packet, uint64_t idle_ms)
{
	size_t full = device_packet_bytes() - STATUS_BYTES, n = chip.out_bytes;
	bool waited = idle_ms >= probe.latency_ms;

	packet[0] = 0x32;
	packet[1] = 0x60;
	if (endpoint != IN_A)
		return waited ? STATUS_BYTES : -1;
	if (n < full && !waited && !(chip.flush && n > 0))
		return -1;
	n = n < full ? n : full;
	memcpy(packet + STATUS_BYTES, chip.out, n);
	memmove(chip.out, chip.out + n, chip.out_bytes -= n);
	if (chip.out_bytes == 0)
		chip.flush = false;
	work();
	return (int)(STATUS_BYTES + n);
}

/* --- requests */

static int set(unsigned request, unsigned value)
{
	switch (request) {
	case 0:
		if (value == 0 || value == 1)
			chip.out_bytes = 0;
		if (value == 0 || value == 2)
			chip.in_bytes = 0;
		return 0;
	case 9:
		if (value < 1 || value > 255)
			device_violation("latency %u", value);
		probe.latency_ms = value;
		return 0;
	case 0x0b:
		chip.mode = (uint8_t)(value >> 8);
		chip.low_driven = (uint8_t)value;
		if (chip.mode != MODE_MPSSE && chip.mode != MODE_RESET)
			device_violation("bit mode %02x", chip.mode);
		return 0;
	case 1: case 2: case 3: case 4: case 6: case 7:
		return 0;
	default:
		return -1;
	}
}

static int get_pair(uint8_t *data, size_t len_bytes, uint8_t first, uint8_t second)
{
	data[0] = first;
	if (len_bytes > 1)
		data[1] = second;
	return len_bytes > 1 ? 2 : 1;
}

static int get(unsigned request, uint8_t *data, size_t len_bytes)
{
	switch (request) {
	case 5:
		return get_pair(data, len_bytes, 0x32, 0x60);
	case 0x0a:
		data[0] = (uint8_t)probe.latency_ms;
		return 1;
	case 0x0c:
		data[0] = low_pins();
		return 1;
	case 0x90:				/* EEPROM: blank */
		return get_pair(data, len_bytes, 0xff, 0xff);
	default:
		return -1;
	}
}

static int on_control(const uint8_t setup[8], uint8_t *data, size_t len_bytes)
{
	if (setup[1] != 0x90 && setup[4] > CHANNEL_A)
		device_violation("request %02x for channel %u", setup[1], setup[4]);
	if (setup[0] == 0x40)
		return set(setup[1], get_le16(setup + 2));
	return setup[0] == 0xc0 && len_bytes >= 1 ? get(setup[1], data, len_bytes) : -1;
}

static void on_power(void)
{
	bool jtag = chip.jtag;

	memset(&chip, 0, sizeof(chip));
	chip.jtag = jtag;
	probe.latency_ms = DEFAULT_LATENCY_MS;
	dap_power_on();
	swd_power_on();
	jtag_power_on();
}

static uint8_t descriptor[18] = { 18, 1, 0, 2, 0, 0, 0, 64, 0x03, 0x04, 0x10, 0x60, 0, 7, 1, 2, 3, 1 };
static const uint8_t config[] = { 9, 2, 55, 0, 2, 1, 0, 0x80, 250,
	9, 4, 0, 0, 2, 0xff, 0xff, 0xff, 2, 7, 5, 0x81, 2, 0, 2, 0, 7, 5, 0x02, 2, 0, 2, 0,
	9, 4, 1, 0, 2, 0xff, 0xff, 0xff, 2, 7, 5, 0x83, 2, 0, 2, 0, 7, 5, 0x04, 2, 0, 2, 0 };
static const uint8_t english[] = { 4, 3, 9, 4 };
static struct device probe = { .name = "ftdi", .descriptor = descriptor, .config = config, .config_bytes = sizeof(config),
	.speed_mbps = HIGH_SPEED_MBPS, .latency_ms = DEFAULT_LATENCY_MS, .power_on = on_power, .out = on_out, .accepts = accepts,
	.control = on_control, .stream = stream };

struct device *ftdi(const struct model_options *options)
{
	if (options->pid != 0) {
		descriptor[10] = (uint8_t)options->pid;
		descriptor[11] = (uint8_t)(options->pid >> 8);
	}
	if (options->release != 0) {
		descriptor[12] = (uint8_t)options->release;
		descriptor[13] = (uint8_t)(options->release >> 8);
	}
	chip.jtag = dap_config.jtag = options->jtag;
	probe.strings[0] = english;
	probe.strings[1] = make_string("FTDI");
	probe.strings[2] = make_string("Dual RS232-HS");
	probe.strings[3] = make_string(options->serial != NULL ? options->serial : "FT1");
	return &probe;
}
