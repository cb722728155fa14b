/* Commands are put together from what comes, whatever the cuts, carried out one after the other, and answered. */
#include "probes/virtual/probe/jlink.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "probes/virtual/probe/jlink_parts.h"

enum {
	VERSION = 0x01, SET_SPEED = 0x05, GET_STATE = 0x07, SET_POWER = 0x08, REGISTER = 0x09, GET_SPEEDS = 0xc0,
	GET_HW_INFO = 0xc1, GET_COUNTERS = 0xc2, SELECT_IF = 0xc7, PULSE = 0xc8, TDI_HIGH = 0xcc, SHIFT_2 = 0xce,
	SHIFT_3 = 0xcf, GET_FREE_MEMORY = 0xd4, RESET_LOW = 0xdc, RESET_HIGH = 0xdd, TRST_LOW = 0xde, TRST_HIGH = 0xdf,
	GET_CAPS = 0xe8, SWO = 0xeb, GET_CAPS_EX = 0xed, EMUCOM = 0xee, GET_HW_VERSION = 0xf0, READ_CONFIG = 0xf2,
	WRITE_CONFIG = 0xf3,
};
enum { SWO_START = 0x64, SWO_READ = 0x66, SWO_SPEEDS = 0x6e };
enum { CAP_SELECT_IF = 17, CAP_SHIFT_SIZE = 4, TEXT_BYTES = 112, CONFIG_BYTES = 256, PADDING_BYTES = 16 };
enum { USB_PACKET_BYTES = 64 };

/* Capabilities: of an OB and of a clone of a V9 as users have shown them; the others are made up. */
static const struct pt_vjlink_kind kinds[] = {
	{ "v9", "J-Link V9 compiled Jan  1 2026 00:00:00", 0x0101, false, 0xb9ff7bbf, 90300, 120000000, 8, 40960, 3 },
	{ "ob", "J-Link OB-STM32F072 compiled Jan  1 2026 00:00:00", 0x0105, false, 0x98ea5a33, 10000, 72000000, 18,
	  11288, 3 },
	{ "v10", "J-Link V10 compiled Jan  1 2026 00:00:00", 0x1020, true, 0xb9ff7bbf, 100100, 100000000, 2, 65536, 3 },
	{ "v5", "J-Link ARM V5 compiled Jan  1 2010 00:00:00", 0x0101, false, 0x00000a02, 50400, 48000000, 4, 8192, 1 },
};

const struct pt_vjlink_kind *pt_vjlink_kind(const char *name)
{
	for (size_t i = 0; i < PT_LEN(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

int pt_vjlink_flaws(const char *text, unsigned *flaws, struct pt_err *err)
{
	static const char *const names[] = { "pads", "joins", "full", "shrinks", "deaf", "unpowered" };
	size_t len;

	*flaws = 0;
	for (const char *at = text; at != NULL && *at != 0; at += len + (at[len] == ',')) {
		size_t i = 0;

		len = strcspn(at, ",");
		while (i < PT_LEN(names) && (strlen(names[i]) != len || strncmp(names[i], at, len) != 0))
			i++;
		if (i == PT_LEN(names))
			return pt_fail(err, PT_EARG,
				       "jlink-flaws: \"%.*s\" is none of pads, joins, full, shrinks, deaf, unpowered",
				       (int)len, at);
		*flaws |= 1u << i;
	}
	return 0;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

static void send(struct pt_vjlink *jlink, const uint8_t *bytes, size_t len_bytes)
{
	jlink->respond(jlink->arg, bytes, len_bytes, pt_vswd_now_ns(&jlink->swd));
}

/* Where no empty packet ends an answer of full packets, a host that takes more sees it together with the next. */
static void join(struct pt_vjlink *jlink, const uint8_t *bytes, size_t len_bytes)
{
	if (jlink->n_joined + len_bytes > sizeof(jlink->joined))
		jlink->n_joined = 0;
	memcpy(jlink->joined + jlink->n_joined, bytes, len_bytes);
	jlink->n_joined += len_bytes;
	if (jlink->n_joined % USB_PACKET_BYTES == 0)
		return;
	send(jlink, jlink->joined, jlink->n_joined);
	jlink->n_joined = 0;
}

void jlink_reply_part(struct pt_vjlink *jlink, const void *bytes, size_t len_bytes)
{
	if ((jlink->config.flaws & PT_VJLINK_JOINS) != 0)
		join(jlink, bytes, len_bytes);
	else
		send(jlink, bytes, len_bytes);
}

void jlink_reply(struct pt_vjlink *jlink, const void *bytes, size_t len_bytes)
{
	uint8_t padded[PT_VENGINE_MAX_PACKET_BYTES] = { 0 };

	memcpy(padded, bytes, len_bytes);
	if ((jlink->config.flaws & PT_VJLINK_PADS) != 0)
		len_bytes += PADDING_BYTES;
	jlink_reply_part(jlink, padded, len_bytes);
}

void jlink_reply_word(struct pt_vjlink *jlink, uint32_t word)
{
	uint8_t out[4];

	pt_put_le32(out, word);
	jlink_reply(jlink, out, sizeof(out));
}

/* --- what it says of itself --------------------------------------------------------------------------------------- */

static void reply_version(struct pt_vjlink *jlink)
{
	uint8_t head[2], text[TEXT_BYTES] = { 0 };

	pt_put_le16(head, TEXT_BYTES);
	memcpy(text, jlink->config.kind->version, strlen(jlink->config.kind->version));
	jlink_reply_part(jlink, head, sizeof(head));
	jlink_reply(jlink, text, sizeof(text));
}

static void reply_speeds(struct pt_vjlink *jlink)
{
	uint8_t out[6];

	pt_put_le32(out, jlink->config.kind->base_hz);
	pt_put_le16(out + 4, jlink_min_divider(jlink));
	jlink_reply(jlink, out, sizeof(out));
}

static void reply_memory(struct pt_vjlink *jlink)
{
	jlink_reply_word(jlink, jlink->memory_bytes);
	if ((jlink->config.flaws & PT_VJLINK_SHRINKS) != 0 && jlink->memory_bytes == jlink->config.memory_bytes)
		jlink->memory_bytes /= 4;
}

static void reply_caps(struct pt_vjlink *jlink)
{
	uint8_t out[32] = { 0 };

	pt_put_le32(out, jlink->config.kind->caps);
	jlink_reply(jlink, out, sizeof(out));
}

static void reply_each(struct pt_vjlink *jlink, uint32_t mask, uint32_t value)
{
	uint8_t out[4 * 32];
	size_t n = 0;

	for (unsigned i = 0; i < 32; i++)
		if ((mask >> i & 1) != 0)
			pt_put_le32(out + 4 * n++, value);
	if (n > 0)
		jlink_reply(jlink, out, 4 * n);
}

/* --- SWO. A board without the pin: nothing comes */

enum { SWO_BASE_HZ = 60000000, SWO_LEAST_DIVIDER = 2, SWO_MOST_DIVIDER = 0xffff };
enum { PARAM_RATE = 2, PARAM_BYTES = 3, PARAM_RING = 4 };

/* The value of a parameter; 0: it is not there. */
static uint32_t swo_param(const uint8_t *command, size_t len_bytes, uint8_t number)
{
	for (size_t i = 2; i + 6 < len_bytes && command[i] != 0; i += 2u + command[i])
		if (command[i] == 4 && command[i + 1] == number)
			return pt_le32(command + i + 2);
	return 0;
}

static void reply_swo_speeds(struct pt_vjlink *jlink)
{
	uint8_t speeds[28] = { 28 };

	pt_put_le32(speeds + 8, SWO_BASE_HZ);
	pt_put_le32(speeds + 12, SWO_LEAST_DIVIDER);
	pt_put_le32(speeds + 16, SWO_MOST_DIVIDER);
	jlink_reply(jlink, speeds, sizeof(speeds));
}

static void stop_swo(struct pt_vjlink *jlink)
{
	jlink->memory_bytes += jlink->swo.size;
	pt_vswo_ring_stop(&jlink->swo);
}

static void start_swo(struct pt_vjlink *jlink, const uint8_t *command, size_t len_bytes)
{
	const struct pt_vpace *pace = jlink->swd.pace;
	struct pt_vswo *pin = pace->ops->swo != NULL ? pace->ops->swo(pace->board) : NULL;
	uint32_t rate = swo_param(command, len_bytes, PARAM_RATE), size = swo_param(command, len_bytes, PARAM_RING);
	uint32_t divider = rate > 0 ? (SWO_BASE_HZ + rate / 2) / rate : 0;

	stop_swo(jlink);
	if (divider < SWO_LEAST_DIVIDER || size == 0 || size >= jlink->memory_bytes) {
		jlink_reply_word(jlink, UINT32_C(0x80000003));
		return;
	}
	jlink->memory_bytes -= size;
	pt_vpace_to(jlink->swd.pace, pt_vswd_now_ns(&jlink->swd));
	pt_vswo_ring_start(&jlink->swo, pin, SWO_BASE_HZ / divider, size, PT_VSWO_DROPS);
	jlink_reply_word(jlink, 0);
}

static void read_swo(struct pt_vjlink *jlink, uint32_t most)
{
	uint8_t out[8 + PT_VENGINE_MAX_PACKET_BYTES / 2] = { 0 };
	uint32_t room = (uint32_t)sizeof(out) - 8, n;

	pt_vpace_to(jlink->swd.pace, pt_vswd_now_ns(&jlink->swd));
	if (jlink->swo.size > 0)
		pt_vswo_receiver_idle(&jlink->swo.receiver, jlink->swd.pace->board_ns);
	n = pt_vswo_ring_take(&jlink->swo, out + 8, most < room ? most : room);
	out[0] = jlink->swo.overrun;
	jlink->swo.overrun = false;
	pt_put_le32(out + 4, n);
	jlink_reply(jlink, out, 8 + n);
}

static void take_swo(struct pt_vjlink *jlink, const uint8_t *command, size_t len_bytes)
{
	switch (command[1]) {
	case SWO_SPEEDS:
		reply_swo_speeds(jlink);
		break;
	case SWO_READ:
		read_swo(jlink, swo_param(command, len_bytes, PARAM_BYTES));
		break;
	case SWO_START:
		start_swo(jlink, command, len_bytes);
		break;
	default:
		stop_swo(jlink);
		jlink_reply_word(jlink, 0);
	}
}

uint64_t pt_vjlink_swo_lost(const struct pt_vjlink *jlink)
{
	return jlink->swo.n_lost;
}

static void reply_config(struct pt_vjlink *jlink)
{
	uint8_t out[CONFIG_BYTES];

	memset(out, 0xff, sizeof(out));
	jlink_reply(jlink, out, sizeof(out));
}

/* --- commands ----------------------------------------------------------------------------------------------------- */

/* {length, id, value} ... 0 */
static size_t swo_bytes(const uint8_t *command, size_t held)
{
	size_t i = 2;

	while (i < held && command[i] != 0)
		i += 2 + command[i];
	return (i < held ? i : held) + 1;
}

/* Of the command whose first bytes these are; more than there are while that is not known. */
static size_t command_bytes(const uint8_t *command, size_t held)
{
	switch (command[0]) {
	case SET_SPEED:
		return 3;
	case SET_POWER:
	case SELECT_IF:
		return 2;
	case GET_HW_INFO:
	case GET_COUNTERS:
		return 5;
	case REGISTER:
		return 14;
	case SHIFT_2:
	case SHIFT_3:
		return held < 4 ? 4 : 4 + 2 * (((size_t)pt_le16(command + 2) + 7) / 8);
	case SWO:
		return swo_bytes(command, held);
	case EMUCOM:
		return 10;
	case WRITE_CONFIG:
		return 1 + CONFIG_BYTES;
	default:
		return 1;
	}
}

static void select_interface(struct pt_vjlink *jlink, uint8_t which)
{
	if ((jlink->config.kind->caps >> CAP_SELECT_IF & 1) != 0)
		jlink_select(jlink, which);
	else
		jlink->hangs = true;
}

static void take_question(struct pt_vjlink *jlink, const uint8_t *command)
{
	if (command[0] == VERSION)
		reply_version(jlink);
	else if (command[0] == GET_STATE)
		jlink_state(jlink);
	else if (command[0] == GET_SPEEDS)
		reply_speeds(jlink);
	else if (command[0] == GET_HW_INFO)
		reply_each(jlink, pt_le32(command + 1), UINT32_MAX);
	else if (command[0] == GET_COUNTERS)
		reply_each(jlink, pt_le32(command + 1), 0);
	else if (command[0] == GET_FREE_MEMORY)
		reply_memory(jlink);
	else if (command[0] == GET_CAPS)
		jlink_reply_word(jlink, jlink->config.kind->caps);
	else if (command[0] == GET_CAPS_EX)
		reply_caps(jlink);
	else if (command[0] == GET_HW_VERSION)
		jlink_reply_word(jlink, jlink->config.kind->hw_version);
	else if (command[0] == READ_CONFIG)
		reply_config(jlink);
	else if (command[0] == EMUCOM)
		jlink_reply_word(jlink, UINT32_C(0x80000001));	/* no such channel */
}

static void take_command(struct pt_vjlink *jlink, const uint8_t *command, size_t len_bytes)
{
	if (command[0] == SHIFT_2 || command[0] == SHIFT_3)
		jlink_shift(jlink, command);
	else if (command[0] == SET_SPEED)
		jlink_set_speed(jlink, pt_le16(command + 1));
	else if (command[0] == SELECT_IF)
		select_interface(jlink, command[1]);
	else if (command[0] == REGISTER)
		jlink_register(jlink, command);
	else if (command[0] >= PULSE && command[0] <= TDI_HIGH)
		jlink_pin(jlink, command[0]);
	else if (command[0] == RESET_LOW || command[0] == RESET_HIGH)
		pt_vswd_set_nreset(&jlink->swd, command[0] == RESET_LOW);
	else if (command[0] == TRST_LOW || command[0] == TRST_HIGH)
		pt_vjtag_set_reset(&jlink->jtag, command[0] == TRST_LOW, false);
	else if (command[0] == SWO)
		take_swo(jlink, command, len_bytes);
	else
		take_question(jlink, command);
}

/* One command, if it is whole. */
static bool take_first(struct pt_vjlink *jlink)
{
	size_t len = jlink->held > 0 ? command_bytes(jlink->stream, jlink->held) : 1;

	if (jlink->held < len)
		return false;
	take_command(jlink, jlink->stream, len);
	jlink->held -= len;
	memmove(jlink->stream, jlink->stream + len, jlink->held);
	return true;
}

static void process(void *state, const uint8_t *request, size_t len_bytes, uint64_t at_ns, pt_vrespond *respond,
		    void *arg)
{
	struct pt_vjlink *jlink = state;

	jlink->respond = respond;
	jlink->arg = arg;
	pt_vswd_idle_until(&jlink->swd, at_ns);
	pt_vpace_begin(jlink->jtag.pace);
	while (len_bytes > 0 && !jlink->hangs) {
		size_t n = sizeof(jlink->stream) - jlink->held;

		n = n < len_bytes ? n : len_bytes;
		memcpy(jlink->stream + jlink->held, request, n);
		jlink->held += n;
		request += n;
		len_bytes -= n;
		while (!jlink->hangs && take_first(jlink))
			;
		if (jlink->held == sizeof(jlink->stream))	/* no command is so long */
			jlink->held = 0;
	}
}

static void usb(void *state, struct pt_vusb *out)
{
	const struct pt_vjlink_kind *kind = ((struct pt_vjlink *)state)->config.kind;

	*out = (struct pt_vusb){
		.vid = 0x1366, .pid = kind->usb_pid, .release = 0x0100, .n_interfaces = 1, .subclass = 0xff,
		.out = kind->high_speed ? 0x01 : 0x02, .in = 0x81, .packet_bytes = kind->high_speed ? 512 : 64,
	};
}

static void release(void *state)
{
	struct pt_vjlink *jlink = state;

	pt_vswo_ring_stop(&jlink->swo);
	free(jlink);
}

struct pt_vjlink *pt_vjlink_new(const struct pt_vjlink_config *config, struct pt_vpace *pace, struct pt_vfaults *faults)
{
	struct pt_vjlink *jlink = pt_alloc(sizeof(*jlink));

	jlink->config = *config;
	if (config->memory_bytes == 0)
		jlink->config.memory_bytes = config->kind->memory_bytes;
	jlink->memory_bytes = jlink->config.memory_bytes;
	pt_vswd_init(&jlink->swd, pace, faults, config->max_hz);
	pt_vjtag_init(&jlink->jtag, pace, &jlink->swd.clock, &jlink->swd.dp);
	jlink_set_speed(jlink, 0);
	return jlink;
}

const struct pt_vengine_ops pt_vjlink_engine = {
	.name = "J-Link", .served = "J-Link commands in the frames of CMSIS-DAP over TCP; programs for the USB device cannot use it",
	.process = process, .usb = usb, .free = release,
};
