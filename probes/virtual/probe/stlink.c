/* The command table of an ST-Link, its versions, its modes, and how data follows a command. Source: see stlink.h. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/probe/stlink_parts.h"
#include "base/util.h"

/* --- versions */

static const struct pt_vstlink_kind kinds[] = {
	{ "v2j37", 2, 37, 7, 0, 0, 0x3748 }, { "v2j20", 2, 20, 4, 0, 0, 0x3748 }, { "v2j24", 2, 24, 4, 0, 0, 0x3748 },
	{ "v2j27", 2, 27, 6, 0, 0, 0x3748 }, { "v2j31", 2, 31, 7, 0, 0, 0x3748 }, { "v21", 2, 39, 27, 0, 0, 0x374b },
	{ "v3j2", 3, 2, 0, 1, 1, 0x374f },   { "v3j7", 3, 7, 0, 2, 3, 0x374f },
};

const struct pt_vstlink_kind *pt_vstlink_kind(const char *name)
{
	for (size_t i = 0; i < PT_LEN(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

bool st_has(const struct pt_vstlink *st, unsigned v2j, unsigned v3j)
{
	return st->kind->j >= (st->kind->v >= 3 ? v3j : v2j);
}

/* Big-endian, alone in the protocol. A V3 says the rest elsewhere. */
static size_t version(const struct pt_vstlink *st, uint8_t *reply)
{
	const struct pt_vstlink_kind *kind = st->kind;
	unsigned bits = kind->v << 12 | (kind->v < 3 ? (unsigned)kind->j << 6 | kind->s : 0);

	reply[0] = (uint8_t)(bits >> 8);
	reply[1] = (uint8_t)bits;
	pt_put_le16(reply + 2, PT_VSTLINK_VID);
	pt_put_le16(reply + 4, kind->pid);
	return 6;
}

static size_t long_version(const struct pt_vstlink *st, uint8_t *reply)
{
	const struct pt_vstlink_kind *kind = st->kind;

	memcpy(reply, (const uint8_t[]){ kind->v, kind->s, kind->j, kind->m, kind->b, 0, 0, 0 }, 8);
	pt_put_le16(reply + 8, PT_VSTLINK_VID);
	pt_put_le16(reply + 10, kind->pid);
	return 12;
}

/* --- the clock. Source: OpenOCD, stlink_usb.c; the low end of V3: UNVERIFIED */

struct rate { uint32_t argument, hz; };
static const struct rate v2_swd[] = {
	{ 0, 4000000 }, { 1, 1800000 }, { 2, 1200000 }, { 3, 950000 }, { 5, 650000 }, { 7, 480000 }, { 9, 400000 },
	{ 10, 360000 }, { 15, 240000 }, { 25, 150000 }, { 31, 125000 }, { 40, 100000 },
	{ 79, 50000 }, { 158, 25000 }, { 265, 15000 }, { 798, 5000 },
};
static const struct rate v2_jtag[] = {
	{ 4, 9000000 }, { 8, 4500000 }, { 16, 2250000 }, { 32, 1125000 }, { 64, 562500 }, { 128, 281250 }, { 256, 140625 },
};
static const uint32_t v3_khz[] = { 24000, 8000, 3300, 1000, 200, 50, 5 };

static void set_clock(struct pt_vstlink *st, uint32_t hz)
{
	pt_vswd_set_clock(&st->swd, hz < st->max_hz ? hz : st->max_hz);
}

static uint8_t set_v2_clock(struct pt_vstlink *st, const struct rate *rates, size_t n, uint32_t argument)
{
	for (size_t i = 0; i < n; i++)
		if (rates[i].argument == argument) {
			set_clock(st, rates[i].hz);
			return ST_OK;
		}
	return ST_BAD_CLOCK;
}

/* The fastest that is not faster than the cable of this board, and than was asked for. */
static uint32_t v3_rate_khz(const struct pt_vstlink *st, uint32_t khz)
{
	size_t i = 0;

	while (i + 1 < PT_LEN(v3_khz) && (v3_khz[i] > khz || v3_khz[i] * 1000 > st->max_hz))
		i++;
	return v3_khz[i];
}

static size_t set_v3_clock(struct pt_vstlink *st, const uint8_t *command, uint8_t *reply)
{
	uint32_t khz = v3_rate_khz(st, pt_le32(command + 4));

	set_clock(st, khz * 1000);
	pt_put_le32(reply + 4, khz);
	return 8;
}

static size_t list_v3_clocks(const struct pt_vstlink *st, uint8_t *reply)
{
	uint32_t n = 0;

	pt_put_le32(reply + 4, v3_rate_khz(st, 1000));
	for (size_t i = 0; i < PT_LEN(v3_khz); i++)
		if (v3_khz[i] * 1000 <= st->max_hz)
			pt_put_le32(reply + 12 + 4 * n++, v3_khz[i]);
	pt_put_le32(reply + 8, n);
	return 52;
}

/* --- single commands of F2 */

static size_t idcodes(const struct pt_vstlink *st, uint8_t *reply)
{
	pt_put_le32(reply + 4, st->idcode);
	return 12;
}

static uint8_t set_reset_line(struct pt_vstlink *st, uint8_t how)
{
	enum { PULSE_US = 100 };

	pt_vswd_set_nreset(&st->swd, how != 1);
	if (how != 2)
		return ST_OK;
	pt_vswd_idle_until(&st->swd, pt_vswd_now_ns(&st->swd) + PULSE_US * 1000);
	pt_vswd_set_nreset(&st->swd, false);
	return ST_OK;
}

/* Registers of the core by DCRSR and DCRDR. Source: Arm DDI 0419, C1.6 */
#define DCRSR UINT32_C(0xe000edf4)
#define DCRDR UINT32_C(0xe000edf8)

static uint8_t word_access(struct pt_vstlink *st, bool write, uint32_t addr, uint32_t *value)
{
	struct st_block block = { .csw_high = 0x23000000, .addr = addr, .size = 4, .n = 1 };
	uint8_t bytes[4];
	uint32_t ignored;
	uint8_t status;

	pt_put_le32(bytes, *value);
	status = write ? st_write_block(st, &block, bytes, &ignored) : st_read_block(st, &block, bytes, &ignored);
	*value = pt_le32(bytes);
	return status;
}

static size_t core_register(struct pt_vstlink *st, const uint8_t *command, uint8_t *reply)
{
	bool write = command[1] == 0x34;
	uint32_t selector = command[2] | (write ? 1u << 16 : 0), value = write ? pt_le32(command + 3) : 0;

	reply[0] = write ? word_access(st, true, DCRDR, &value) : ST_OK;
	if (reply[0] == ST_OK)
		reply[0] = word_access(st, true, DCRSR, &selector);
	if (reply[0] == ST_OK && !write)
		reply[0] = word_access(st, false, DCRDR, &value);
	pt_put_le32(reply + 4, value);
	return write ? 2 : 8;
}

static size_t read_port_register(struct pt_vstlink *st, const uint8_t *command, uint8_t *reply)
{
	unsigned port = pt_le16(command + 2), addr = pt_le16(command + 4);
	uint32_t value = 0;

	reply[0] = port == 0xffff ? st_read_dp(st, addr, &value) : st_read_ap(st, port, addr, &value);
	pt_put_le32(reply + 4, value);
	return 8;
}

static uint8_t write_port_register(struct pt_vstlink *st, const uint8_t *command)
{
	unsigned port = pt_le16(command + 2), addr = pt_le16(command + 4);
	uint32_t value = pt_le32(command + 6);

	return port == 0xffff ? st_write_dp(st, addr, value) : st_write_ap(st, port, addr, value);
}

static size_t enter(struct pt_vstlink *st, const uint8_t *command, uint8_t *reply)
{
	bool jtag = command[2] == 0xa4;

	reply[0] = st_enter(st, jtag);
	st->mode = ST_DEBUG;
	return 2;
}

static size_t system_reset(struct pt_vstlink *st, uint8_t *reply)
{
	uint32_t request = 0x05fa0004;	/* AIRCR.SYSRESETREQ; our choice */

	reply[0] = word_access(st, true, UINT32_C(0xe000ed0c), &request);
	return 2;
}

/* --- SWO: what a full ring does is not known of any version; old ones seem empty then, others overwrite the oldest */

static struct pt_vswo *swo_pin(const struct pt_vstlink *st)
{
	const struct pt_vpace *pace = st->swd.pace;

	return pace->ops->swo != NULL ? pace->ops->swo(pace->board) : NULL;
}

static uint8_t start_swo(struct pt_vstlink *st, const uint8_t *command)
{
	enum { MOST_BYTES = 4096, V2_MOST_BPS = 2250000, V3_MOST_BPS = 24000000 };
	uint32_t size = pt_le16(command + 2), bits_per_s = pt_le32(command + 4);

	if (swo_pin(st) == NULL)
		return ST_NO_SWO;
	if (size == 0 || size > MOST_BYTES || bits_per_s == 0 ||
	    bits_per_s > (st->kind->v >= 3 ? V3_MOST_BPS : V2_MOST_BPS))
		return ST_BAD_CLOCK;
	pt_vpace_to(st->swd.pace, pt_vswd_now_ns(&st->swd));
	pt_vswo_ring_start(&st->swo, swo_pin(st), bits_per_s, size,
			   st_has(st, 31, 0) ? PT_VSWO_OVERWRITES : PT_VSWO_WRAPS);
	st->swo_told = 0;
	return ST_OK;
}

static uint8_t stop_swo(struct pt_vstlink *st)
{
	pt_vswo_ring_stop(&st->swo);
	st->swo_told = 0;
	return ST_OK;
}

/* The bytes, without a status. */
static size_t count_swo(struct pt_vstlink *st, uint8_t *reply)
{
	pt_vpace_to(st->swd.pace, pt_vswd_now_ns(&st->swd));
	if (st->swo.size > 0)
		pt_vswo_receiver_idle(&st->swo.receiver, st->swd.pace->board_ns);
	st->swo_told = pt_vswo_ring_waiting(&st->swo);
	pt_put_le16(reply, (uint16_t)st->swo_told);
	return 2;
}

static size_t trace(void *state, uint8_t *bytes, size_t room, uint64_t at_ns)
{
	struct pt_vstlink *st = state;
	uint32_t n = pt_vswo_ring_take(&st->swo, bytes, room < st->swo_told ? (uint32_t)room : st->swo_told);

	(void)at_ns;
	st->swo_told -= n;
	return n;
}

uint64_t pt_vstlink_swo_lost(const struct pt_vstlink *st)
{
	return st->swo.n_lost;
}

/* What only a port that was entered can answer. */
static bool needs_port(uint8_t code)
{
	return code != 0x21 && code != 0x30 && code != 0x3c && code != 0x43 && code != 0x44 && code != 0x61 &&
	       code != 0x62;
}

/* A status alone, or more; SIZE_MAX: it is not known. */
static size_t debug_command(struct pt_vstlink *st, const uint8_t *command, uint8_t *reply)
{
	bool is_v3 = st->kind->v >= 3;

	switch (command[1]) {
	case 0x21:
		st->mode = ST_MASS_STORAGE;
		return 0;
	case 0x30:
		return enter(st, command, reply);
	case 0x31:
		return idcodes(st, reply);
	case 0x32:
		return system_reset(st, reply);
	case 0x33:
	case 0x34:
		return core_register(st, command, reply);
	case 0x3c:
		reply[0] = set_reset_line(st, command[2]);
		return 2;
	case 0x40:
		reply[0] = start_swo(st, command);
		return 2;
	case 0x41:
		reply[0] = stop_swo(st);
		return 2;
	case 0x42:
		return count_swo(st, reply);
	case 0x43:
		reply[0] = is_v3 ? ST_UNKNOWN_COMMAND : set_v2_clock(st, v2_swd, PT_LEN(v2_swd), pt_le16(command + 2));
		return 2;
	case 0x44:
		reply[0] =
			is_v3 ? ST_UNKNOWN_COMMAND : set_v2_clock(st, v2_jtag, PT_LEN(v2_jtag), pt_le16(command + 2));
		return 2;
	case 0x45:
		return st_has(st, 24, 1) ? read_port_register(st, command, reply) : SIZE_MAX;
	case 0x46:
		reply[0] = write_port_register(st, command);
		return st_has(st, 24, 1) ? 2 : SIZE_MAX;
	case 0x4b:
		reply[0] = st_has(st, 28, 1) ? st_open_ap(st, command[2]) : ST_UNKNOWN_COMMAND;
		return 2;
	case 0x4c:
		st->open[command[2]] = false;
		return st_has(st, 28, 1) ? 2 : SIZE_MAX;
	case 0x61:
		return is_v3 ? set_v3_clock(st, command, reply) : SIZE_MAX;
	case 0x62:
		return is_v3 ? list_v3_clocks(st, reply) : SIZE_MAX;
	default:
		return SIZE_MAX;
	}
}

static size_t debug(struct pt_vstlink *st, const uint8_t *command, uint8_t *reply)
{
	size_t n = 0;

	memset(reply, 0, 64);
	reply[0] = ST_OK;
	if (needs_port(command[1]) && st->mode != ST_DEBUG) {
		reply[0] = ST_NO_IDCODE;
		return 2;
	}
	if (st_memory_command(st, command, reply, &n))
		return n;
	n = debug_command(st, command, reply);
	if (n != SIZE_MAX)
		return n;
	reply[0] = ST_UNKNOWN_COMMAND;
	return 2;
}

/* --- commands */

static size_t voltage(const struct pt_vstlink *st, uint8_t *reply)
{
	pt_put_le32(reply, 1487);
	pt_put_le32(reply + 4, st->swd.power_off ? 0 : 2045);	/* 3.3 V: 2.4 * b / a */
	return 8;
}

static size_t run(struct pt_vstlink *st, const uint8_t *command, uint8_t *reply)
{
	switch (command[0]) {
	case 0xf1:
		return version(st, reply);
	case 0xf2:
		return debug(st, command, reply);
	case 0xf3:
	case 0xf4:			/* leave DFU, leave SWIM */
		if (command[1] == (command[0] == 0xf3 ? 7 : 1))
			st->mode = ST_MASS_STORAGE;
		return 0;
	case 0xf5:
		reply[0] = st->mode;
		reply[1] = 0;
		return 2;
	case 0xf7:
		return voltage(st, reply);
	case 0xfb:
		return st->kind->v >= 3 ? long_version(st, reply) : 0;
	default:
		return 0;
	}
}

static void take_data(struct pt_vstlink *st, const uint8_t *bytes, size_t n)
{
	if (n > st->n_data - st->got)
		n = st->n_data - st->got;
	memcpy(st->data + st->got, bytes, n);
	st->got += n;
	if (st->got < st->n_data)
		return;
	st->n_data = 0;
	st_memory_data(st);
}

static void process(void *state, const uint8_t *request, size_t len_bytes, uint64_t at_ns, pt_vrespond *respond,
		    void *arg)
{
	struct pt_vstlink *st = state;
	uint8_t reply[8 * ST_MOST_ITEMS];
	size_t n;

	if (st->hung || len_bytes == 0)
		return;
	pt_vswd_idle_until(&st->swd, at_ns);
	pt_vpace_begin(st->swd.pace);
	if (st->n_data > 0) {
		take_data(st, request, len_bytes);
		return;
	}
	if (len_bytes != ST_COMMAND_BYTES)	/* nothing says what a real one makes of it */
		return;
	n = run(st, request, reply);
	if (n > 0 && !st->hung)
		respond(arg, reply, n, pt_vswd_now_ns(&st->swd));
}

struct pt_vstlink *pt_vstlink_new(const struct pt_vstlink_kind *kind, uint32_t max_hz, struct pt_vpace *pace,
				  struct pt_vfaults *faults)
{
	struct pt_vstlink *st = pt_alloc(sizeof(*st));

	st->kind = kind;
	st->max_hz = max_hz;
	st->mode = ST_MASS_STORAGE;
	st->status = ST_OK;
	pt_vswd_init(&st->swd, pace, faults, max_hz);
	pt_vjtag_init(&st->jtag, pace, &st->swd.clock, &st->swd.dp);
	set_clock(st, 1800000);
	return st;
}

static void free_stlink(void *state)
{
	struct pt_vstlink *st = state;

	pt_vswo_ring_stop(&st->swo);
	free(st);
}

const struct pt_vengine_ops pt_vstlink_engine = {
	.name = "ST-Link", .process = process, .trace = trace, .free = free_stlink,
	.served = "ST-Link's USB packets in the frames of CMSIS-DAP over TCP; programs for the USB device cannot use it",
};
