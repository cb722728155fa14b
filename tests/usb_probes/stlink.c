/* ST-Link V2 and V3: commands of 16 bytes, data in a transfer of their own, status on demand. What the firmware does not
 * bear is a violation: it hangs on reads of an odd length and refuses more than a command may move. It sets the address
 * for each access (what ST says of SWD), so that blocks that cross the 1 KiB of an access port's counter are right; they
 * are counted, since hosts are advised against them. */
#include <stdio.h>
#include <string.h>

#include "core.h"
#include "dap.h"
#include "device.h"
#include "faults.h"
#include "models.h"

enum { COMMAND_BYTES = 16, BLOCK_MAX = 6144, TAR_BLOCK = 1024, MISC_V2 = 64, MISC_V3 = 1227, N_APS = 256 };
enum { MODE_DFU, MODE_MASS, MODE_DEBUG, MODE_SWIM };
enum { OK = 0x80, NO_DEVICE = 5, GENERAL = 8, AP_FAULT = 0x11, DP_WAIT = 0x14, BAD_AP = 0x1d, UNKNOWN_COMMAND = 0x42 };
enum { CSW = 0, TAR = 4, DRW = 12, IDR = 0xfc, CTRL_STAT = 4, DP_PORT = 0xffff };
enum { CSW_INCREMENT = 1 << 4, CSW_DEFAULT = 0x23000000 };

static struct {
	bool is_v3, silent;
	unsigned firmware;			/* J */
	unsigned wait_every, since_wait;	/* of memory commands, as the firmware repeats single accesses by itself */
	unsigned mode;
	uint8_t status;				/* of the last memory command */
	uint32_t fault_addr;
	bool ap_open[N_APS];
	uint8_t pending[COMMAND_BYTES];		/* a command whose data are still to come */
	uint8_t body[2 * BLOCK_MAX];
	size_t body_bytes, got_bytes;		/* wanted, there */
	uint8_t misc[8 * MISC_V3];
	size_t misc_items;
	uint32_t swd_khz;
} st;

static void reply(const void *bytes, size_t len_bytes)
{
	device_reply(0x81, bytes, len_bytes, false);
}

static void reply_status(uint8_t status)
{
	reply((uint8_t[]){ status, 0 }, 2);
}

static void reply_value(uint8_t status, uint32_t value)
{
	uint8_t bytes[8] = { status };

	put_le32(bytes + 4, value);
	reply(bytes, sizeof(bytes));
}

static uint8_t status_of(enum dap_ack ack)
{
	return ack == DAP_OK ? OK : ack == DAP_WAIT ? DP_WAIT : AP_FAULT;
}

/* --- memory */

static bool begin_block(unsigned ap, uint32_t addr, uint32_t csw)
{
	enum dap_ack ack = DAP_WAIT;

	if (st.wait_every > 0 && ++st.since_wait >= st.wait_every)
		st.since_wait = 0;
	else if ((ack = dap_ap_write(ap, CSW, csw)) == DAP_OK)
		ack = dap_ap_write(ap, TAR, addr);
	st.status = status_of(ack);
	return ack == DAP_OK;
}

static enum dap_ack access_at(unsigned ap, uint32_t addr, bool writes, uint32_t *value)
{
	enum dap_ack ack = dap_ap_write(ap, TAR, addr);

	if (ack != DAP_OK)
		return ack;
	return writes ? dap_ap_write(ap, DRW, *value) : dap_ap_read(ap, DRW, value);
}

static void note_fault(enum dap_ack ack, uint32_t addr)
{
	st.status = status_of(ack);
	if (ack == DAP_FAULT)
		st.fault_addr = addr;
}

/* Of a memory command: size 1, 2 or 4; the limits of the firmware. */
static bool is_permitted(const uint8_t *c, unsigned size, bool increments)
{
	uint32_t addr = get_le32(c + 2);
	unsigned len = get_le16(c + 6), most = size > 1			      ? BLOCK_MAX
					       : st.is_v3 && st.firmware >= 6 ? 512
					       : st.is_v3		      ? 255
									      : 64;

	if (st.mode != MODE_DEBUG) {
		device_violation("memory command %02x outside debug mode", c[1]);
		return false;
	}
	if (len == 0 || len > most || addr % size != 0 || len % size != 0) {
		device_violation("memory command %02x of %u bytes at %08x: limit %u, size %u", c[1], len, addr, most,
				 size);
		return false;
	}
	if (increments && addr / TAR_BLOCK != (addr + len - 1) / TAR_BLOCK)
		count_crossing();
	return true;
}

static uint32_t csw_of(const uint8_t *c, unsigned size, bool increments)
{
	uint32_t upper = get_le32(c + 8) & 0xffffff00;

	return (upper != 0 ? upper : CSW_DEFAULT) | (increments ? CSW_INCREMENT : 0) | (size >> 1);
}

static unsigned ap_of(const uint8_t *c)
{
	return c[8];
}

static bool ap_is_open(unsigned ap)
{
	if (ap < N_APS && (st.ap_open[ap] || (!st.is_v3 && st.firmware < 28)))
		return true;
	device_violation("AP %u was not opened", ap);
	st.status = BAD_AP;
	return false;
}

/* One byte is answered by two. Data of a read that failed are sent all the same. */
static void read_memory(const uint8_t *c, unsigned size, bool increments)
{
	static uint8_t data[BLOCK_MAX];
	uint32_t addr = get_le32(c + 2), value;
	unsigned len = get_le16(c + 6);

	if (len % 2 != 0 && len != 1) {
		device_violation("a read of %u bytes hangs this firmware", len);
		device_hang();
		return;
	}
	if (!is_permitted(c, size, increments)) {
		reply_status(st.status = GENERAL);
		return;
	}
	memset(data, 0, sizeof(data));
	if (ap_is_open(ap_of(c)) && begin_block(ap_of(c), addr, csw_of(c, size, increments))) {
		for (unsigned i = 0; i < len && st.status == OK; i += size) {
			unsigned at = increments ? addr + i : addr;

			note_fault(access_at(ap_of(c), at, false, &value), at);
			value >>= 8 * (at & 3);
			memcpy(data + i, (uint8_t[]){ (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24) }, size);
		}
	}
	reply(data, len == 1 ? 2 : len);
}

static void write_memory(const uint8_t *c, const uint8_t *data, size_t len, unsigned size, bool increments)
{
	uint32_t addr = get_le32(c + 2);

	if (!is_permitted(c, size, increments)) {
		st.status = GENERAL;
		return;
	}
	if (!ap_is_open(ap_of(c)) || !begin_block(ap_of(c), addr, csw_of(c, size, increments)))
		return;
	for (size_t i = 0; i + size <= len && st.status == OK; i += size) {
		uint32_t at = increments ? addr + (uint32_t)i : addr, value = 0;

		for (unsigned k = 0; k < size; k++)
			value |= (uint32_t)data[i + k] << 8 * k;
		value <<= 8 * (at & 3);
		note_fault(access_at(ap_of(c), at, true, &value), at);
	}
}

static uint8_t read_word(uint32_t addr, uint32_t *value)
{
	*value = 0;
	if (!begin_block(0, addr, CSW_DEFAULT | 2))
		return st.status;
	note_fault(dap_ap_read(0, DRW, value), addr);
	return st.status;
}

static uint8_t write_word(uint32_t addr, uint32_t value)
{
	if (!begin_block(0, addr, CSW_DEFAULT | 2))
		return st.status;
	note_fault(dap_ap_write(0, DRW, value), addr);
	return st.status;
}

/* A list of operations: 1 sets the address of writes, 2 writes, 3 reads, 5 sets the AP. */
static void run_list(const uint8_t *ops, size_t n)
{
	const uint8_t *words = ops + (n + 3) / 4 * 4;
	uint32_t addr = 0;

	st.misc_items = n;
	for (size_t i = 0; i < n; i++) {
		uint32_t word = get_le32(words + 4 * i), value = 0;
		uint8_t status = OK;

		if (ops[i] == 1)
			addr = word;
		else if (ops[i] == 2)
			status = write_word(addr, word);
		else if (ops[i] == 3)
			status = read_word(word, &value);
		else if (ops[i] != 5)
			device_violation("operation %u in a list", ops[i]);
		put_le32(st.misc + 4 * i, value);
		put_le32(st.misc + 4 * (n + i), status);
	}
}

/* --- registers of the debug port, of an access port, of the core */

static enum dap_ack in_bank(unsigned reg, bool writes, uint32_t *value)
{
	bool banked = (reg >> 4) != 0 && st.firmware >= (st.is_v3 ? 2 : 32);
	enum dap_ack ack = DAP_OK;

	if (banked)
		ack = dap_write(false, 8, reg >> 4);
	if (ack == DAP_OK)
		ack = writes ? dap_write(false, reg & 12, *value) : dap_read(false, reg & 12, value);
	if (banked)
		dap_write(false, 8, 0);
	return ack;
}

static void access_dap(const uint8_t *c, bool writes)
{
	unsigned port = get_le16(c + 2), reg = get_le16(c + 4);
	uint32_t value = get_le32(c + 6);
	uint8_t status = NO_DEVICE;

	if (st.mode != MODE_DEBUG)
		device_violation("command %02x outside debug mode", c[1]);
	else if (port == DP_PORT)
		status = status_of(in_bank(reg, writes, &value));
	else if ((reg != IDR || writes) && !ap_is_open(port))
		status = BAD_AP;
	else
		status = status_of(writes ? dap_ap_write(port, reg, value) : dap_ap_read(port, reg, &value));
	if (writes)
		reply_status(status);
	else
		reply_value(status, value);
}

enum { DCRSR = 0xe000edf4, DCRDR = 0xe000edf8, DCRSR_WRITES = 1 << 16 };

static void read_register(unsigned number)
{
	uint32_t value;
	uint8_t status = write_word(DCRSR, number);

	if (status == OK)
		status = read_word(DCRDR, &value);
	reply_value(status, value);
}

static void write_register(unsigned number, uint32_t value)
{
	uint8_t status = write_word(DCRDR, value);

	reply_status(status == OK ? write_word(DCRSR, number | DCRSR_WRITES) : status);
}

/* --- commands */

static void enter_debug(unsigned protocol)
{
	dap_config.jtag = protocol == 0xa4;
	st.mode = MODE_DEBUG;
	dap_line_reset();
	dap_write(false, 0, 0x1e);
	dap_write(false, CTRL_STAT, 0x50000000);
	reply_status(OK);
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
	reply_status(OK);
}

static void list_frequencies(void)
{
	static const uint32_t khz[] = { 24000, 8000, 3300, 1000, 200, 50, 5 };
	uint8_t bytes[52] = { OK };

	put_le32(bytes + 4, st.swd_khz);
	put_le32(bytes + 8, sizeof(khz) / sizeof(khz[0]));
	for (size_t i = 0; i < sizeof(khz) / sizeof(khz[0]); i++)
		put_le32(bytes + 12 + 4 * i, khz[i]);
	reply(bytes, sizeof(bytes));
}

static void answer_unknown(const uint8_t *c)
{
	fprintf(stderr, "st-link: unknown command %02x %02x\n", c[0], c[1]);
	if (!st.silent)
		reply_status(UNKNOWN_COMMAND);
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
		reply_status(GENERAL);
		return;
	}
	expect_data(c, (n + 3) / 4 * 4 + 4 * n);
}

static void status_2(void)
{
	uint8_t bytes[12] = { st.status };

	put_le32(bytes + 4, st.fault_addr);
	reply(bytes, sizeof(bytes));
}

static void identify(void)
{
	uint8_t bytes[12] = { st.mode == MODE_DEBUG ? OK : NO_DEVICE };
	uint32_t dpidr;

	dap_read(false, 0, &dpidr);
	put_le32(bytes + 4, dpidr);
	reply(bytes, sizeof(bytes));
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
		read_register(c[2]);
		break;
	case 0x34:
		write_register(c[2], get_le32(c + 3));
		break;
	case 0x35:
		reply_status(write_word(get_le32(c + 2), get_le32(c + 6)));
		break;
	case 0x36:
		status = read_word(get_le32(c + 2), &value);
		reply_value(status, value);
		break;
	case 0x3b:
		reply_status(st.status);
		break;
	case 0x3c:
		drive_reset(c[2]);
		break;
	case 0x3e:
		status_2();
		break;
	case 0x43:
	case 0x44:
		reply_status(OK);
		break;
	case 0x45:
	case 0x46:
		access_dap(c, c[1] == 0x46);
		break;
	case 0x4b:
		st.ap_open[c[2]] = true;
		reply_status(c[2] == 0 ? OK : BAD_AP);
		break;
	case 0x4c:
		st.ap_open[c[2]] = false;
		reply_status(OK);
		break;
	case 0x07:
	case 0x54:
		read_memory(c, 4, c[1] == 0x07);
		break;
	case 0x47:
		read_memory(c, 2, true);
		break;
	case 0x0c:
		read_memory(c, 1, true);
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
		reply(st.misc, 8 * st.misc_items);
		break;
	case 0x61:
		st.swd_khz = get_le32(c + 4);
		reply_value(OK, st.swd_khz);
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
		run_list(st.body, get_le32(st.pending + 2));
	else
		write_memory(st.pending, st.body, st.got_bytes,
			     st.pending[1] == 0x48   ? 2
			     : st.pending[1] == 0x0d ? 1
						     : 4,
			     st.pending[1] != 0x50);
}

/* V2: 4 bits of version, 6 of J, 6 of S, high byte first. V3 says 0 there, and all of it elsewhere. */
static void say_version(void)
{
	const uint8_t *id = device->descriptor + 8;
	unsigned version = st.is_v3 ? 3 << 12 : 2u << 12 | st.firmware << 6 | 7;
	const uint8_t bytes[] = { (uint8_t)(version >> 8), (uint8_t)version, id[0], id[1], id[2], id[3] };

	reply(bytes, sizeof(bytes));
}

static void say_version_3(void)
{
	const uint8_t *id = device->descriptor + 8;
	const uint8_t bytes[12] = { 3, 0, (uint8_t)st.firmware, 2, 3, 0, 0, 0, id[0], id[1], id[2], id[3] };

	reply(bytes, sizeof(bytes));
}

static void say_voltage(void)
{
	uint8_t bytes[8];

	put_le32(bytes, 1487);
	put_le32(bytes + 4, 2045);
	reply(bytes, sizeof(bytes));
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
		reply((uint8_t[]){ (uint8_t)st.mode, 0 }, 2);
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
	stlink.config = config_v2;
	stlink.config_bytes = sizeof(config_v2);
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
