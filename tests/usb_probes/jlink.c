/* J-Link: a stream of commands without lengths on one endpoint, answers on the other. A reply whose length is a multiple
 * of the packet size is followed by an empty packet; where the probe can register hosts it clocks SWD for those alone. */
#include <stdio.h>
#include <string.h>

#include "core.h"
#include "dap.h"
#include "device.h"
#include "jtag_pins.h"
#include "models.h"
#include "swd_pins.h"

enum { IN_BYTES = 1 << 17, MEMORY_BYTES = 0x2000, REGISTER_BYTES = 76, HANDLE = 7, SHIFT_MAX_BITS = 65535 };
enum { INTERFACE_JTAG, INTERFACE_SWD, SHIFT_DONE = 0, SHIFT_NO_MEMORY = 6, SHIFT_ERROR = 1 };
enum { BASE_HZ = 15000000 };

/* What it offers: hardware version, configuration, speeds, memory, status, interfaces, registration, more capabilities. */
#define CAPS (UINT32_C(1) << 1 | UINT32_C(1) << 4 | UINT32_C(1) << 9 | UINT32_C(1) << 11 | UINT32_C(1) << 17 | UINT32_C(1) << 31)
#define CAP_REGISTER (UINT32_C(1) << 27)

static struct {
	bool old, full, registered, jtag;
	unsigned interface;
	uint8_t in[IN_BYTES];
	size_t in_bytes;
} jl;

static void reply(const void *bytes, size_t len_bytes)
{
	device_reply(0x81, bytes, len_bytes, true);
}

static void reply_word(uint32_t value)
{
	uint8_t bytes[4];

	put_le32(bytes, value);
	reply(bytes, sizeof(bytes));
}

static uint32_t caps(void)
{
	return CAPS | (jl.old ? 0 : CAP_REGISTER);
}

/* --- shifts */

/* Sampled behind the rising edge: in the turn-around cycle the probe already returns the first bit of ACK. */
static bool shift_bit(bool driven, bool level)
{
	if (jl.interface == INTERFACE_JTAG && jl.jtag) {	/* then the first bytes are TMS */
		bool tdo = jtag_tdo();

		jtag_clock(driven, level);
		return tdo;
	}
	if (jl.interface == INTERFACE_SWD && !jl.jtag && (jl.old || jl.registered)) {
		swd_clock(driven, level);
		return driven ? level : swd_level();
	}
	return driven ? level : true;
}

static void shift(const uint8_t *c)
{
	unsigned bits = get_le16(c + 2), bytes = (bits + 7) / 8;
	static uint8_t answer[SHIFT_MAX_BITS / 8 + 2];
	const uint8_t *driven = c + 4, *level = c + 4 + bytes;

	memset(answer, 0, bytes + 1);
	if (2 * bytes + 4 > MEMORY_BYTES) {
		device_violation("a shift of %u bits needs %u of %u bytes", bits, 2 * bytes + 4, MEMORY_BYTES);
		answer[bytes] = SHIFT_NO_MEMORY;
	} else if (bits == 0) {
		device_violation("a shift of no bits");
		answer[bytes] = SHIFT_ERROR;
	} else {
		for (unsigned i = 0; i < bits; i++)
			if (shift_bit(driven[i / 8] >> i % 8 & 1, level[i / 8] >> i % 8 & 1))
				answer[i / 8] |= (uint8_t)(1 << i % 8);
	}
	reply(answer, bytes + 1);
}

/* --- other commands */

static void say_version(void)
{
	static const char text[112] = "J-Link EMU V9 compiled Jan  1 2026 00:00:00";

	reply((uint8_t[]){ sizeof(text), 0 }, 2);
	reply(text, sizeof(text));
}

static void say_caps(void)
{
	uint8_t bytes[32] = { 0 };

	put_le32(bytes, caps());
	reply(bytes, sizeof(bytes));
}

static void say_state(void)
{
	reply((uint8_t[]){ 0xe4, 0x0c, 0x00, 0x80, 0x40, 0x00, 0x01, 0xff }, 8);
}

static void say_config(void)
{
	uint8_t bytes[256];

	memset(bytes, 0xff, sizeof(bytes));
	reply(bytes, sizeof(bytes));
}

static void say_speeds(void)
{
	uint8_t bytes[6] = { 0 };

	put_le32(bytes, BASE_HZ);
	bytes[4] = 1;
	reply(bytes, sizeof(bytes));
}

/* A header of four numbers, then the table of hosts: this one, or another that has the last handle. */
static void register_host(const uint8_t *c)
{
	uint8_t bytes[REGISTER_BYTES] = { jl.full ? 0 : HANDLE, 0, 1, 0, 16 };

	if (jl.old) {
		device_violation("REGISTER, which this firmware does not offer");
		return;
	}
	jl.registered = c[1] == 0x64 && !jl.full;
	memcpy(bytes + 8, c + 2, 8);
	bytes[16] = c[10];
	bytes[17] = c[11];
	bytes[18] = jl.full ? HANDLE + 1 : HANDLE;
	reply(bytes, sizeof(bytes));
}

static void select_interface(unsigned which)
{
	unsigned before = jl.interface;

	if (which == 0xff) {
		reply_word(1 << INTERFACE_JTAG | 1 << INTERFACE_SWD);
		return;
	}
	if (which != 0xfe)
		jl.interface = which;
	reply_word(before);
}

/* What a command takes; 0: unknown so far, -1: there is no such command. */
static long command_bytes(const uint8_t *c, size_t len)
{
	switch (c[0]) {
	case 0x01: case 0x07: case 0xc0: case 0xc8: case 0xc9: case 0xca: case 0xcb: case 0xcc:
	case 0xd4: case 0xdc: case 0xdd: case 0xde: case 0xdf: case 0xe8: case 0xed: case 0xf0: case 0xf2:
		return 1;
	case 0x08: case 0xc7:
		return 2;
	case 0x05:
		return 3;
	case 0x09:
		return 14;
	case 0xcf:
		return len < 4 ? 0 : 4 + 2 * (((long)get_le16(c + 2) + 7) / 8);
	default:
		return -1;
	}
}

static void perform(const uint8_t *c)
{
	switch (c[0]) {
	case 0x01:
		say_version();
		break;
	case 0x07:
		say_state();
		break;
	case 0x09:
		register_host(c);
		break;
	case 0xc0:
		say_speeds();
		break;
	case 0xc7:
		select_interface(c[1]);
		break;
	case 0xcf:
		shift(c);
		break;
	case 0xd4:
		reply_word(MEMORY_BYTES);
		break;
	case 0xdd:
		core_reset();
		break;
	case 0xe8:
		reply_word(caps());
		break;
	case 0xed:
		say_caps();
		break;
	case 0xf0:
		reply_word(90300);		/* type 0, hardware 9.03 */
		break;
	case 0xf2:
		say_config();
		break;
	default:
		break;				/* lines and speeds: no reply */
	}
}

/* Commands come in transfers that have no regard to where one ends. */
static void on_out(unsigned endpoint, const uint8_t *bytes, size_t len_bytes)
{
	size_t used = 0;
	long n;

	(void)endpoint;
	if (len_bytes > IN_BYTES - jl.in_bytes) {
		device_violation("%zu bytes of commands are waiting", jl.in_bytes + len_bytes);
		jl.in_bytes = 0;
		return;
	}
	memcpy(jl.in + jl.in_bytes, bytes, len_bytes);
	jl.in_bytes += len_bytes;
	while (used < jl.in_bytes && (n = command_bytes(jl.in + used, jl.in_bytes - used)) != 0) {
		if (n < 0) {			/* nothing says how long it is */
			fprintf(stderr, "j-link: unknown command %02x\n", jl.in[used]);
			jl.in_bytes = used = 0;
			break;
		}
		if ((size_t)n > jl.in_bytes - used)
			break;
		perform(jl.in + used);
		used += (size_t)n;
	}
	memmove(jl.in, jl.in + used, jl.in_bytes -= used);
}

static void on_power(void)
{
	jl.registered = false;
	jl.in_bytes = 0;
	jl.interface = INTERFACE_JTAG;
	dap_power_on();
	swd_power_on();
	jtag_power_on();
}

static uint8_t descriptor[18] = { 18, 1, 0, 2, 0, 0, 0, 64, 0x66, 0x13, 0x01, 0x01, 0, 1, 1, 2, 3, 1 };
static const uint8_t config[] = { 9, 2, 32, 0, 1, 1, 0, 0x80, 50, 9, 4, 0, 0, 2, 0xff, 0xff, 0xff, 0,
	7, 5, 0x81, 2, 64, 0, 0, 7, 5, 0x02, 2, 64, 0, 0 };
static const uint8_t english[] = { 4, 3, 9, 4 };
static struct device probe = { .name = "j-link", .descriptor = descriptor, .config = config, .config_bytes = sizeof(config),
	.speed_mbps = 12, .power_on = on_power, .out = on_out };

struct device *jlink(const struct model_options *options)
{
	if (options->pid != 0) {
		descriptor[10] = (uint8_t)options->pid;
		descriptor[11] = (uint8_t)(options->pid >> 8);
	}
	jl.old = options->unregistered;
	jl.full = options->full;
	jl.jtag = dap_config.jtag = options->jtag;
	probe.strings[0] = english;
	probe.strings[1] = make_string("SEGGER");
	probe.strings[2] = make_string("J-Link");
	probe.strings[3] = make_string(options->serial != NULL ? options->serial : "000000123456");
	return &probe;
}
