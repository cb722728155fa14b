/* ST-Link V2 and V3: commands of 16 bytes, data in a transfer of their own, status on demand. What the firmware does not
 * bear is a violation: it hangs on reads of an odd length and refuses more than a command may move. It sets the address
 * for each access (what ST says of SWD), so that blocks that cross the 1 KiB of an access port's counter are right; they
 * are counted, since hosts are advised against them. */
#include <stdio.h>
#include <string.h>

#include "core.h"
#include "dap.h"
#include "device.h"
#include "models.h"
#include "stlink_parts.h"

enum { APS_THERE = 2, CTRL_STAT = 4, JTAG_IDCODE = 0x0ba00477 };

struct stlink st;

void stlink_reply(const void *bytes, size_t len_bytes)
{
	device_reply(0x81, bytes, len_bytes, false);
}

void stlink_reply_status(uint8_t status)
{
	stlink_reply((uint8_t[]){ status, 0 }, 2);
}

void stlink_reply_value(uint8_t status, uint32_t value)
{
	uint8_t bytes[8] = { status };

	put_le32(bytes + 4, value);
	stlink_reply(bytes, sizeof(bytes));
}

/* --- commands */

static void enter_debug(unsigned protocol)
{
	dap_config.jtag = protocol == 0xa4;
	st.mode = MODE_DEBUG;
	dap_line_reset();
	dap_write(false, 0, 0x1e);
	dap_write(false, CTRL_STAT, 0x50000000);
	stlink_reply_status(OK);
}

static void leave_debug(void)
{
	st.mode = MODE_MASS;
	memset(st.ap_open, 0, sizeof(st.ap_open));
}

static void drive_reset(unsigned how)
{
	if (how != 0)
		core_reset();
	stlink_reply_status(OK);
}

static void list_frequencies(void)
{
	static const uint32_t khz[] = { 24000, 8000, 3300, 1000, 200, 50, 5 };
	uint8_t bytes[52] = { OK };

	put_le32(bytes + 4, st.swd_khz);
	put_le32(bytes + 8, sizeof(khz) / sizeof(khz[0]));
	for (size_t i = 0; i < sizeof(khz) / sizeof(khz[0]); i++)
		put_le32(bytes + 12 + 4 * i, khz[i]);
	stlink_reply(bytes, sizeof(bytes));
}

static void answer_unknown(const uint8_t *c)
{
	fprintf(stderr, "st-link: unknown command %02x %02x\n", c[0], c[1]);
	if (!st.silent)
		stlink_reply_status(UNKNOWN_COMMAND);
}

/* Data follow; nothing of them is judged before they have come. */
static void expect_data(const uint8_t *c, size_t len_bytes)
{
	if (len_bytes > sizeof(st.body)) {
		device_violation("command %02x with %zu bytes of data", c[1], len_bytes);
		len_bytes = sizeof(st.body);
	}
	memcpy(st.pending, c, COMMAND_BYTES);
	st.body_bytes = len_bytes;
	st.got_bytes = 0;
}

static void begin_list(const uint8_t *c)
{
	unsigned n = get_le32(c + 2);

	if (n == 0 || n > (st.is_v3 ? MISC_V3 : MISC_V2)) {
		device_violation("a list of %u operations", n);
		stlink_reply_status(GENERAL);
		return;
	}
	expect_data(c, (n + 3) / 4 * 4 + 4 * n);
}

static void status_2(void)
{
	uint8_t bytes[12] = { st.status };

	put_le32(bytes + 4, st.fault_addr);
	stlink_reply(bytes, sizeof(bytes));
}

static void identify(void)
{
	uint8_t bytes[12] = { st.mode == MODE_DEBUG ? OK : NO_DEVICE };
	uint32_t dpidr;

	dap_read(false, 0, &dpidr);
	put_le32(bytes + 4, dap_config.jtag ? JTAG_IDCODE : dpidr);
	stlink_reply(bytes, sizeof(bytes));
}

/* The first J of V2 and of V3 that knows a command; 0: always. */
static bool firmware_knows(unsigned command)
{
	static const struct { uint8_t command, v2, v3; } since[] = {
		{ 0x3e, 15, 0 }, { 0x43, 22, 0xff }, { 0x44, 24, 0xff }, { 0x45, 24, 0 }, { 0x46, 24, 0 }, { 0x47, 26, 0 }, { 0x48, 26, 0 },
		{ 0x50, 26, 0 }, { 0x4b, 28, 0 }, { 0x4c, 28, 0 }, { 0x54, 32, 2 }, { 0x51, 32, 2 }, { 0x52, 32, 2 }, { 0x61, 0xff, 0 },
		{ 0x62, 0xff, 0 },
	};

	for (size_t i = 0; i < sizeof(since) / sizeof(since[0]); i++)
		if (since[i].command == command)
			return st.firmware >= (st.is_v3 ? since[i].v3 : since[i].v2);
	return true;
}

static void debug_command(const uint8_t *c)
{
	uint32_t value;
	uint8_t status;

	if (!firmware_knows(c[1])) {
		answer_unknown(c);
		return;
	}
	switch (c[1]) {
	case 0x21:
		leave_debug();
		break;
	case 0x30:
		enter_debug(c[2]);
		break;
	case 0x31:
		identify();
		break;
	case 0x32:
		drive_reset(2);
		break;
	case 0x33:
		stlink_read_register(c[2]);
		break;
	case 0x34:
		stlink_write_register(c[2], get_le32(c + 3));
		break;
	case 0x35:
		stlink_reply_status(stlink_write_word(get_le32(c + 2), get_le32(c + 6)));
		break;
	case 0x36:
		status = stlink_read_word(get_le32(c + 2), &value);
		stlink_reply_value(status, value);
		break;
	case 0x3b:
		stlink_reply_status(st.status);
		break;
	case 0x3c:
		drive_reset(c[2]);
		break;
	case 0x3e:
		status_2();
		break;
	case 0x43:
	case 0x44:
		stlink_reply_status(OK);
		break;
	case 0x45:
	case 0x46:
		stlink_access_dap(c, c[1] == 0x46);
		break;
	case 0x4b:
		st.ap_open[c[2]] = true;
		stlink_reply_status(c[2] < APS_THERE ? OK : BAD_AP);
		break;
	case 0x4c:
		st.ap_open[c[2]] = false;
		stlink_reply_status(OK);
		break;
	case 0x07:
	case 0x54:
		stlink_read_memory(c, 4, c[1] == 0x07);
		break;
	case 0x47:
		stlink_read_memory(c, 2, true);
		break;
	case 0x0c:
		stlink_read_memory(c, 1, true);
		break;
	case 0x08:
	case 0x0d:
	case 0x48:
	case 0x50:
		expect_data(c, get_le16(c + 6));
		break;
	case 0x51:
		begin_list(c);
		break;
	case 0x52:
		stlink_reply(st.misc, 8 * st.misc_items);
		break;
	case 0x61:
		st.swd_khz = get_le32(c + 4);
		stlink_reply_value(OK, st.swd_khz);
		break;
	case 0x62:
		list_frequencies();
		break;
	default:
		answer_unknown(c);
		break;
	}
}

static void take_data(const uint8_t *bytes, size_t len_bytes)
{
	if (len_bytes > st.body_bytes - st.got_bytes) {
		device_violation("%zu bytes of data for command %02x, and %zu were to come", len_bytes, st.pending[1],
				 st.body_bytes - st.got_bytes);
		len_bytes = st.body_bytes - st.got_bytes;
	}
	memcpy(st.body + st.got_bytes, bytes, len_bytes);
	st.got_bytes += len_bytes;
	if (st.got_bytes < st.body_bytes)
		return;
	st.body_bytes = 0;
	if (st.pending[1] == 0x51)
		stlink_run_list(st.body, get_le32(st.pending + 2));
	else
		stlink_write_memory(st.pending, st.body, st.got_bytes,
				    st.pending[1] == 0x48   ? 2
				    : st.pending[1] == 0x0d ? 1
							    : 4,
				    st.pending[1] != 0x50);
}

/* V2: 4 bits of version, 6 of J, 6 of S, high byte first. V3 says 0 there, and all of it elsewhere. */
static void say_version(void)
{
	const uint8_t *id = device->descriptor + 8;
	unsigned version = st.is_v3 ? 3 << 12 : 2u << 12 | st.firmware << 6 | st.swim;
	const uint8_t bytes[] = { (uint8_t)(version >> 8), (uint8_t)version, id[0], id[1], id[2], id[3] };

	stlink_reply(bytes, sizeof(bytes));
}

static void say_version_3(void)
{
	const uint8_t *id = device->descriptor + 8;
	const uint8_t bytes[12] = { 3, 0, (uint8_t)st.firmware, 2, 3, 0, 0, 0, id[0], id[1], id[2], id[3] };

	stlink_reply(bytes, sizeof(bytes));
}

static void say_voltage(void)
{
	uint8_t bytes[8];

	put_le32(bytes, 1487);
	put_le32(bytes + 4, 2045);
	stlink_reply(bytes, sizeof(bytes));
}

static void take_command(const uint8_t *c)
{
	switch (c[0]) {
	case 0xf1:
		say_version();
		break;
	case 0xf2:
		debug_command(c);
		break;
	case 0xf3:
		if (c[1] == 7 && st.mode == MODE_DFU)
			st.mode = MODE_MASS;
		break;
	case 0xf4:
		if (c[1] == 1 && st.mode == MODE_SWIM)
			st.mode = MODE_MASS;
		break;
	case 0xf5:
		stlink_reply((uint8_t[]){ (uint8_t)st.mode, 0 }, 2);
		break;
	case 0xf7:
		say_voltage();
		break;
	case 0xfb:
		if (st.is_v3)
			say_version_3();
		else
			answer_unknown(c);
		break;
	default:
		answer_unknown(c);
		break;
	}
}

static void on_out(unsigned endpoint, const uint8_t *bytes, size_t len_bytes)
{
	uint8_t command[COMMAND_BYTES] = { 0 };

	(void)endpoint;
	if (st.body_bytes > 0) {
		take_data(bytes, len_bytes);
		return;
	}
	if (len_bytes != COMMAND_BYTES)
		device_violation("a command of %zu bytes", len_bytes);
	memcpy(command, bytes, len_bytes < COMMAND_BYTES ? len_bytes : COMMAND_BYTES);
	take_command(command);
}

static void on_power(void)
{
	st.mode = MODE_MASS;
	st.status = OK;
	st.swd_khz = 8000;
	st.body_bytes = st.misc_items = 0;
	memset(st.ap_open, 0, sizeof(st.ap_open));
	dap_power_on();
}

/* --- the device */

static uint8_t descriptor[18] = { 18, 1, 0, 2, 0, 0, 0, 64, 0x83, 0x04, 0x48, 0x37, 0, 1, 1, 2, 3, 1 };
static const uint8_t config_v2[] = { 9, 2, 39, 0, 1, 1, 0, 0x80, 50, 9, 4, 0, 0, 3, 0xff, 0xff, 0xff, 4,
	7, 5, 0x81, 2, 64, 0, 0, 7, 5, 0x02, 2, 64, 0, 0, 7, 5, 0x83, 2, 64, 0, 0 };
/* V2-1: endpoints as of V3, at full speed, and its drive beside them. */
static const uint8_t config_v21[] = { 9, 2, 62, 0, 2, 1, 0, 0x80, 50, 9, 4, 0, 0, 3, 0xff, 0xff, 0xff, 4,
	7, 5, 0x01, 2, 64, 0, 0, 7, 5, 0x81, 2, 64, 0, 0, 7, 5, 0x82, 2, 64, 0, 0,
	9, 4, 1, 0, 2, 8, 6, 80, 4, 7, 5, 0x83, 2, 64, 0, 0, 7, 5, 0x03, 2, 64, 0, 0 };
static const uint8_t config_v3[] = { 9, 2, 39, 0, 1, 1, 0, 0x80, 250, 9, 4, 0, 0, 3, 0xff, 0xff, 0xff, 4,
	7, 5, 0x01, 2, 0, 2, 0, 7, 5, 0x81, 2, 0, 2, 0, 7, 5, 0x82, 2, 0, 2, 0 };
static const uint8_t english[] = { 4, 3, 9, 4 };
/* The old loader puts 12 raw bytes where 24 hexadecimal digits belong. */
static const uint8_t raw_serial[26] = { 26, 3, 0x57, 0, 0xff, 0, 0x72, 0, 6, 0, 0x72, 0, 0x65, 0, 0x57, 0, 0x57, 0, 0x42, 0, 0x13, 0,
	0x20, 0, 0x67, 0 };
static struct device stlink = { .name = "st-link", .descriptor = descriptor, .power_on = on_power, .out = on_out };

static struct device *make(const struct model_options *options, unsigned firmware, unsigned pid)
{
	st.firmware = options->firmware != 0 ? options->firmware : firmware;
	st.silent = options->silent;
	st.wait_every = dap_config.wait_every;
	dap_config.wait_every = 0;
	pid = options->pid != 0 ? options->pid : pid;
	descriptor[10] = (uint8_t)pid;
	descriptor[11] = (uint8_t)(pid >> 8);
	stlink.strings[0] = english;
	stlink.strings[1] = make_string("STMicroelectronics");
	stlink.strings[2] = make_string(st.is_v3 ? "STLINK-V3" : "STM32 STLink");
	stlink.strings[3] = options->raw_serial ? raw_serial
						: make_string(options->serial != NULL ? options->serial
										      : "57FF72067265575742132067");
	stlink.strings[4] = make_string("ST Link");
	return &stlink;
}

struct device *stlink_v2(const struct model_options *options)
{
	bool v21 = options->pid == 0x374a || options->pid == 0x374b || options->pid == 0x3752;

	st.swim = v21 ? 27 : 7;
	stlink.config = v21 ? config_v21 : config_v2;
	stlink.config_bytes = v21 ? sizeof(config_v21) : sizeof(config_v2);
	stlink.speed_mbps = 12;
	return make(options, 37, 0x3748);
}

struct device *stlink_v3(const struct model_options *options)
{
	st.is_v3 = true;
	stlink.config = config_v3;
	stlink.config_bytes = sizeof(config_v3);
	stlink.speed_mbps = HIGH_SPEED_MBPS;
	return make(options, 7, 0x374f);
}
