/* Requests are put together, checked, carried out command by command as the firmware would on the wire, and
 * answered. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/wire/bkgd.h"
#include "probes/virtual/probe/usbdm.h"
#include "base/util.h"

enum status {				/* Source: 5.2 */
	OK = 0, BAD_PARAMS = 1, BUSY = 3, ILLEGAL_COMMAND = 4, NO_CONNECTION = 5, UNKNOWN_TARGET = 15,
	BKGD_TIMEOUT = 20,
	SYNC_TIMEOUT = 21, ACK_TIMEOUT = 30,
};
enum {
	TARGET_S12Z = 11, TARGET_OFF = 255, CAN_S12Z = 1 << 14, TICKS_HZ = 60000000,
	FIRST_PART = 62,		/* V4: a longer request comes in two */
	CONTROL_RELEASE = 0xffff,
};
#define ACK_TIMEOUT_NS (10 * PT_NS_PER_MS)	/* of the class that the firmware waits; UNVERIFIED */
#define RESET_NS (10 * PT_NS_PER_MS)

struct pt_vusbdm {
	enum pt_vusbdm_generation generation;
	struct pt_vbkgd wire;
	bool target_set, connected, reset_seen;
	uint32_t ticks;			/* SYNC length in 60 MHz ticks */
	uint8_t request[PT_VUSBDM_MOST_BYTES];
	size_t have_bytes;		/* of a request in two parts; 0: none */
	uint8_t reply[PT_VUSBDM_MOST_BYTES + 2];
	size_t reply_bytes;
};

static uint32_t be(const uint8_t *at, unsigned n_bytes)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < n_bytes; i++)
		value = value << 8 | at[i];
	return value;
}

static void put(struct pt_vusbdm *bdm, uint32_t value, unsigned n_bytes)
{
	while (n_bytes-- > 0)
		bdm->reply[bdm->reply_bytes++] = (uint8_t)(value >> 8 * n_bytes);
}

/* --- BDC commands */

static enum status acked(struct pt_vusbdm *bdm)
{
	return pt_vbkgd_ack(&bdm->wire, ACK_TIMEOUT_NS) != PT_VBKGD_NO_ACK ? OK : ACK_TIMEOUT;
}

static void send(struct pt_vusbdm *bdm, uint32_t value, unsigned n_bytes)
{
	while (n_bytes-- > 0)
		pt_vbkgd_send(&bdm->wire, (uint8_t)(value >> 8 * n_bytes));
}

static enum status command(struct pt_vusbdm *bdm, uint8_t opcode)
{
	send(bdm, opcode, 1);
	return acked(bdm);
}

static void write_csr(struct pt_vusbdm *bdm, uint8_t high)
{
	send(bdm, 0x0d00ff | (uint32_t)high << 8, 3);
}

static uint8_t read_csr(struct pt_vusbdm *bdm)
{
	uint8_t high;

	send(bdm, 0x2d, 1);
	high = pt_vbkgd_receive(&bdm->wire);
	pt_vbkgd_receive(&bdm->wire);
	return high;
}

static enum status sync(struct pt_vusbdm *bdm)
{
	uint32_t hz = pt_vbkgd_sync(&bdm->wire);

	bdm->connected = hz != 0;
	if (hz == 0)
		return SYNC_TIMEOUT;
	bdm->ticks = (uint32_t)((uint64_t)TICKS_HZ * PT_VBDC_SYNC_LOW / hz);
	return OK;
}

/* --- commands of the firmware; args: behind the command byte */

static enum status set_target(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	if (n < 1)
		return BAD_PARAMS;
	bdm->target_set = args[0] == TARGET_S12Z;
	bdm->connected = false;
	return bdm->target_set || args[0] == TARGET_OFF ? OK : UNKNOWN_TARGET;
}

static enum status get_status(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	bool power = pt_vbkgd_has_power(&bdm->wire);
	unsigned word = (bdm->connected ? 1u | 1u << 3 : 0) | (bdm->reset_seen ? 2u : 0) |
			(bdm->wire.host_reset ? 0 : 4u) | (power ? 1u << 6 : 0);

	(void)args, (void)n;
	bdm->reset_seen = false;
	put(bdm, word, 2);
	return OK;
}

static enum status get_capabilities(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	(void)args, (void)n;
	put(bdm, CAN_S12Z, 2);
	put(bdm, PT_VUSBDM_MOST_BYTES, 2);
	put(bdm, bdm->generation == PT_VUSBDM_V4 ? 0x040c01 : 0x050801, 3);
	return OK;
}

static enum status accept(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	(void)bdm, (void)args, (void)n;
	return OK;
}

/* 2 drives low, 1 and 3 let go (a probe that drives BKGD high does no more than the pull-up). */
static enum status control_pins(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	unsigned pins, bkgd, reset;

	if (n < 2)
		return BAD_PARAMS;
	pins = be(args, 2);
	bkgd = pins == CONTROL_RELEASE ? 1 : pins & 3;
	reset = pins == CONTROL_RELEASE ? 1 : pins >> 2 & 3;
	if (bkgd != 0)
		pt_vbkgd_drive_bkgd(&bdm->wire, bkgd != 2);
	if (reset != 0)
		pt_vbkgd_drive_reset(&bdm->wire, reset != 2);
	bdm->reset_seen |= reset == 2;
	return OK;
}

static enum status connect(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	enum status status = bdm->target_set ? sync(bdm) : UNKNOWN_TARGET;

	(void)args, (void)n;
	if (status == OK)
		status = command(bdm, 0x02);		/* ACK_ENABLE */
	if (status == OK)
		write_csr(bdm, (uint8_t)(read_csr(bdm) | PT_VBDC_ENBDC >> 8));
	return status;
}

static enum status set_speed(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	uint32_t ticks;

	if (n < 2)
		return BAD_PARAMS;
	ticks = be(args, 2);
	if (ticks == 0)
		return sync(bdm);
	bdm->ticks = ticks;
	pt_vbkgd_set_hz(&bdm->wire, (uint32_t)((uint64_t)TICKS_HZ * PT_VBDC_SYNC_LOW / ticks));
	return OK;
}

static enum status get_speed(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	(void)args, (void)n;
	put(bdm, bdm->ticks, 2);
	return bdm->connected ? OK : NO_CONNECTION;
}

/* On S12Z this firmware's CUSTOM is the mass erase, whatever its arguments. */
static enum status custom(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	(void)args, (void)n;
	send(bdm, 0x95, 1);
	send(bdm, 0x95, 1);
	return OK;
}

static enum status read_status(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	(void)args, (void)n;
	put(bdm, read_csr(bdm), 4);
	return OK;
}

static enum status write_control(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	if (n < 4)
		return BAD_PARAMS;
	write_csr(bdm, args[3]);
	return OK;
}

/* Bit 0: 0 special, 1 normal. Software and default resets are hardware resets here. */
static enum status reset(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	bool by_power;

	if (n < 1)
		return BAD_PARAMS;
	by_power = (args[0] >> 2 & 7) == 3;
	pt_vbkgd_drive_bkgd(&bdm->wire, (args[0] & 1) != 0);
	by_power ? pt_vbkgd_power(&bdm->wire, false) : pt_vbkgd_drive_reset(&bdm->wire, false);
	pt_vbkgd_idle_until(&bdm->wire, bdm->wire.ns + RESET_NS);
	by_power ? pt_vbkgd_power(&bdm->wire, true) : pt_vbkgd_drive_reset(&bdm->wire, true);
	pt_vbkgd_idle_until(&bdm->wire, bdm->wire.ns + RESET_NS);
	pt_vbkgd_drive_bkgd(&bdm->wire, true);
	bdm->reset_seen = true;
	return OK;
}

static enum status step(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	(void)args, (void)n;
	return command(bdm, 0x09);
}

static enum status go(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	(void)args, (void)n;
	return command(bdm, 0x08);
}

static enum status halt(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	(void)args, (void)n;
	return command(bdm, 0x04);
}

static enum status write_reg(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	if (n < 6 || be(args, 2) > 15)
		return BAD_PARAMS;
	send(bdm, 0x40 + be(args, 2), 1);
	send(bdm, be(args + 2, 4), 4);
	return acked(bdm);
}

static enum status read_reg(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	enum status status;

	if (n < 2 || be(args, 2) > 15)
		return BAD_PARAMS;
	status = command(bdm, (uint8_t)(0x60 + be(args, 2)));
	for (unsigned i = 0; status == OK && i < 4; i++)
		put(bdm, pt_vbkgd_receive(&bdm->wire), 1);
	return status;
}

/* Element size, byte count, address: what READ_MEM and WRITE_MEM begin with. */
static bool span_is_good(const uint8_t *args, size_t n, size_t data_bytes, size_t most_bytes)
{
	return n >= 6 + data_bytes && (args[0] == 1 || args[0] == 2 || args[0] == 4) && args[1] % args[0] == 0 &&
	       args[1] > 0 && args[1] <= most_bytes && be(args + 2, 4) < 1u << 24;
}

static uint8_t sized(uint8_t opcode, uint8_t size_bytes)
{
	return (uint8_t)(opcode + (size_bytes == 4 ? 8 : size_bytes == 2 ? 4 : 0));
}

/* WRITE_MEM, then FILL_MEM. */
static enum status write_mem(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	enum status status = OK;

	if (n < 6 || !span_is_good(args, n, args[1], PT_VUSBDM_MOST_BYTES - 8))
		return BAD_PARAMS;
	for (unsigned i = 0; status == OK && i < args[1]; i += args[0]) {
		send(bdm, sized(i == 0 ? 0x10 : 0x12, args[0]), 1);
		if (i == 0)
			send(bdm, be(args + 2, 4), 3);
		for (unsigned b = 0; b < args[0]; b++)
			send(bdm, args[6 + i + b], 1);
		status = acked(bdm);
	}
	return status;
}

/* READ_MEM, then DUMP_MEM. */
static enum status read_mem(struct pt_vusbdm *bdm, const uint8_t *args, size_t n)
{
	enum status status = OK;

	if (n < 6 || !span_is_good(args, n, 0, PT_VUSBDM_MOST_BYTES - 1))
		return BAD_PARAMS;
	for (unsigned i = 0; status == OK && i < args[1]; i += args[0]) {
		send(bdm, sized(i == 0 ? 0x30 : 0x32, args[0]), 1);
		if (i == 0)
			send(bdm, be(args + 2, 4), 3);
		status = acked(bdm);
		for (unsigned b = 0; status == OK && b < args[0]; b++)
			put(bdm, pt_vbkgd_receive(&bdm->wire), 1);
	}
	return status;
}

static const struct row {
	uint8_t code;
	bool connected;			/* needs CONNECT or SET_SPEED before */
	bool slow;
	enum status (*run)(struct pt_vusbdm *bdm, const uint8_t *args, size_t n);
} rows[] = {				/* Source: 5.2 */
	{ 1, false, false, set_target },	{ 4, false, false, get_status },
	{ 5, false, false, get_capabilities },	{ 6, false, false, accept },
	{ 8, false, false, control_pins },	{ 15, false, false, connect },
	{ 16, false, false, set_speed },	{ 17, false, false, get_speed },
	{ 18, true, false, custom },		{ 20, true, false, read_status },
	{ 21, true, false, write_control },	{ 22, false, true, reset },
	{ 23, true, false, step },		{ 24, true, false, go },
	{ 25, true, false, halt },		{ 26, true, false, write_reg },
	{ 27, true, false, read_reg },		{ 32, true, false, write_mem },
	{ 33, true, false, read_mem },
};

/* --- requests */

/* What of the command byte comes back with the status. */
static uint8_t tag_of(const struct pt_vusbdm *bdm)
{
	return bdm->request[1] & (bdm->generation == PT_VUSBDM_V4 ? 0x80 : 0xc0);
}

static const struct row *row_of(const struct pt_vusbdm *bdm)
{
	uint8_t code = bdm->request[1] & (bdm->generation == PT_VUSBDM_V4 ? 0x7f : 0x3f);

	for (size_t i = 0; i < PT_LEN(rows); i++)
		if (rows[i].code == code)
			return &rows[i];
	return NULL;
}

static enum status run(struct pt_vusbdm *bdm, const struct row *row)
{
	enum status status;

	if (row == NULL)
		return ILLEGAL_COMMAND;
	if (row->connected && !bdm->connected)
		return NO_CONNECTION;
	status = row->run(bdm, bdm->request + 2, bdm->request[0] - 2u);
	if (status != OK)
		bdm->reply_bytes = 1;
	return status;
}

static void answer(struct pt_vusbdm *bdm, pt_vrespond *respond, void *arg)
{
	const struct row *row = row_of(bdm);
	uint8_t busy = (uint8_t)(BUSY | tag_of(bdm));

	if (bdm->generation == PT_VUSBDM_V5_BUSY && row != NULL && row->slow)
		respond(arg, &busy, 1, bdm->wire.ns);
	bdm->reply_bytes = 1;
	bdm->reply[0] = (uint8_t)(run(bdm, row) | tag_of(bdm));
	respond(arg, bdm->reply, bdm->reply_bytes, bdm->wire.ns);
}

/* Put a request together. True: it is whole, and makes sense so far. */
static bool collect(struct pt_vusbdm *bdm, const uint8_t *bytes, size_t n)
{
	bool second = bdm->have_bytes > 0 && n > 0 && bytes[0] == 0;

	if (!second)
		bdm->have_bytes = 0;
	bytes += second;
	n -= second;
	if (n > sizeof(bdm->request) - bdm->have_bytes)
		n = sizeof(bdm->request) - bdm->have_bytes;
	memcpy(bdm->request + bdm->have_bytes, bytes, n);
	bdm->have_bytes += n;
	if (bdm->generation == PT_VUSBDM_V4 && !second && n == FIRST_PART && bdm->request[0] > FIRST_PART)
		return false;
	return true;
}

static void process(void *state, const uint8_t *request, size_t len_bytes, uint64_t at_ns, pt_vrespond *respond,
		    void *arg)
{
	struct pt_vusbdm *bdm = state;
	uint8_t bad;

	if (len_bytes == 0 || !collect(bdm, request, len_bytes))
		return;
	pt_vbkgd_idle_until(&bdm->wire, at_ns);
	pt_vpace_begin(bdm->wire.pace);
	if (bdm->have_bytes >= 2 && bdm->request[0] >= 2 && bdm->request[0] <= bdm->have_bytes) {
		answer(bdm, respond, arg);
	} else {
		bad = BAD_PARAMS;
		respond(arg, &bad, 1, bdm->wire.ns);
	}
	bdm->have_bytes = 0;
}

struct pt_vusbdm *pt_vusbdm_new(enum pt_vusbdm_generation generation, struct pt_vpace *pace, struct pt_vfaults *faults)
{
	struct pt_vusbdm *bdm = pt_alloc(sizeof(*bdm));

	bdm->generation = generation;
	pt_vbkgd_init(&bdm->wire, pace, faults);
	return bdm;
}

const struct pt_vengine_ops pt_vusbdm_engine = {
	.name = "USBDM", .process = process, .free = free,
	.served = "USBDM's USB transfers in the frames of CMSIS-DAP over TCP; programs for the USB device cannot "
		  "use it",
};
