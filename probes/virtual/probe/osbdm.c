/* Replies are whole packets; byte 1 says how much of one counts, and in those of 0x27 bytes 2 and 3 do. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/wire/bkgd.h"
#include "probes/virtual/probe/osbdm.h"
#include "base/util.h"

enum {					/* Source: 5.1 */
	GET_STATUS = 0x10, INIT = 0x11, RESET = 0x1b, HALT = 0x20, GO = 0x21, STEP = 0x22, RESYNC = 0x23,
	SET_SPEED = 0x25, GET_SPEED = 0x26, SPECIAL = 0x27, GET_VER = 0x50,
	FAILED = 1, UNKNOWN = 2,
	TARGET_S12Z = 9, BUILD = 31, REVISION = 26,
	SCRIPT_HEAD = 4, SCRIPT_BYTES = PT_VOSBDM_PACKET_BYTES - SCRIPT_HEAD,
	TICKS_HZ = 60000000,
};
#define RESET_NS (10 * PT_NS_PER_MS)	/* how long the firmware holds the line: of that class, UNVERIFIED */

struct pt_vosbdm {
	struct pt_vbkgd wire;
	bool synced, reset_seen;
	uint32_t ticks;			/* SYNC length in 60 MHz ticks; 0: none yet */
	uint8_t reply[PT_VOSBDM_PACKET_BYTES];
};

/* --- what the commands do */

static bool sync(struct pt_vosbdm *bdm)
{
	uint32_t hz = pt_vbkgd_sync(&bdm->wire);

	bdm->synced = hz != 0;
	if (bdm->synced)
		bdm->ticks = (uint32_t)((uint64_t)TICKS_HZ * PT_VBDC_SYNC_LOW / hz);
	return bdm->synced;
}

static void rest(struct pt_vosbdm *bdm, uint64_t ns)
{
	pt_vbkgd_idle_until(&bdm->wire, bdm->wire.ns + ns);
}

/* Soft resets do nothing on S12Z. BKGD is low while reset (or power) comes back where the target shall halt. */
static void reset(struct pt_vosbdm *bdm, uint8_t how)
{
	bool by_power = how == 4;

	if (how < 2 || how > 4)
		return;
	pt_vbkgd_drive_bkgd(&bdm->wire, how == 3);
	by_power ? pt_vbkgd_power(&bdm->wire, false) : pt_vbkgd_drive_reset(&bdm->wire, false);
	rest(bdm, RESET_NS);
	by_power ? pt_vbkgd_power(&bdm->wire, true) : pt_vbkgd_drive_reset(&bdm->wire, true);
	rest(bdm, RESET_NS);
	pt_vbkgd_drive_bkgd(&bdm->wire, true);
	bdm->reset_seen = true;
}

static void set_speed(struct pt_vosbdm *bdm, uint32_t ticks)
{
	if (ticks == 0) {
		sync(bdm);
		return;
	}
	bdm->ticks = ticks;
	pt_vbkgd_set_hz(&bdm->wire, (uint32_t)((uint64_t)TICKS_HZ * PT_VBDC_SYNC_LOW / ticks));
}

/* --- 0x27: scripts. After every byte one extra bit time, which is the delay of commands without ACK. */

static void send(struct pt_vosbdm *bdm, uint8_t byte)
{
	pt_vbkgd_send(&bdm->wire, byte);
	pt_vbkgd_cycles(&bdm->wire, PT_VBDC_BIT);
}

static uint8_t receive(struct pt_vosbdm *bdm)
{
	uint8_t byte = pt_vbkgd_receive(&bdm->wire);

	pt_vbkgd_cycles(&bdm->wire, PT_VBDC_BIT);
	return byte;
}

/* Pairs of an operation and a byte. Returns how many bytes were received. */
static size_t script(struct pt_vosbdm *bdm, const uint8_t *in, size_t n_bytes, uint8_t receive_op, uint8_t *out)
{
	size_t n = 0;

	for (size_t i = 0; i + 1 < n_bytes; i += 2) {
		if (in[i] == receive_op)
			out[n++] = receive(bdm);
		else if (in[i] == 0x00 || (in[i] == 0x02 && receive_op == 0x07))
			send(bdm, in[i + 1]);
		if (in[i] == 0x02 && receive_op == 0x07)
			pt_vbkgd_drive_bkgd(&bdm->wire, false);
	}
	return n;
}

static size_t special(struct pt_vosbdm *bdm, uint8_t sub, const uint8_t *in, size_t n_bytes, uint8_t *out)
{
	bool high = n_bytes > 0 && in[0] != 0;

	switch (sub) {
	case 0x01:
		sync(bdm);
		return 0;
	case 0x07:
		pt_vbkgd_drive_bkgd(&bdm->wire, high);
		return 0;
	case 0x08:
		pt_vbkgd_drive_reset(&bdm->wire, high);
		bdm->reset_seen |= !high;
		return 0;
	case 0x1d:
		return script(bdm, in, n_bytes, 0x07, out);
	case 0x20:
	case 0x21:
		pt_vbkgd_power(&bdm->wire, sub == 0x21);
		return 0;
	case 0x2d:			/* the first byte is a dummy */
		return n_bytes > 0 ? script(bdm, in + 1, n_bytes - 1, 0x01, out) : 0;
	default:			/* 33, 34, aa: nothing to be seen */
		return 0;
	}
}

static void run_special(struct pt_vosbdm *bdm, const uint8_t *request)
{
	size_t n_in = (size_t)(request[2] << 8 | request[3]), n_out;
	uint8_t out[SCRIPT_BYTES] = { 0 };

	n_out = special(bdm, request[1], request + SCRIPT_HEAD, n_in < SCRIPT_BYTES ? n_in : SCRIPT_BYTES, out);
	bdm->reply[1] = PT_VOSBDM_PACKET_BYTES;
	bdm->reply[2] = (uint8_t)(n_out >> 8);
	bdm->reply[3] = (uint8_t)n_out;
	memcpy(bdm->reply + SCRIPT_HEAD, out, sizeof(out));
}

/* --- commands */

static void get_status(struct pt_vosbdm *bdm)
{
	bdm->reply[1] = 12;
	bdm->reply[2] = 0;		/* the S12Z personality uses no ACK */
	bdm->reply[3] = bdm->reset_seen;
	bdm->reply[4] = bdm->synced;
	bdm->reply[5] = 1;
	bdm->reply[6] = 1;
	bdm->reset_seen = false;
}

static void get_version(struct pt_vosbdm *bdm)
{
	static const uint8_t version[] = { 12, 1, 1, BUILD, TARGET_S12Z, 0, REVISION, 0, 0 };

	memcpy(bdm->reply + 1, version, sizeof(version));
}

static void get_speed(struct pt_vosbdm *bdm)
{
	bdm->reply[1] = 6;
	for (unsigned i = 0; i < 4; i++)
		bdm->reply[2 + i] = (uint8_t)(bdm->ticks >> 8 * (3 - i));
}

static void fail(struct pt_vosbdm *bdm, uint8_t why)
{
	bdm->reply[0] = why;
	bdm->reply[1] = 2;
}

static void run(struct pt_vosbdm *bdm, const uint8_t *request)
{
	switch (request[0]) {
	case GET_STATUS:
		get_status(bdm);
		break;
	case INIT:
		pt_vbkgd_power(&bdm->wire, true);
		if (!sync(bdm))
			fail(bdm, FAILED);
		break;
	case RESET:
		reset(bdm, request[1]);
		break;
	case RESYNC:
		if (!sync(bdm))
			fail(bdm, FAILED);
		break;
	case SET_SPEED:
		set_speed(bdm, pt_le32(request + 1));
		break;
	case GET_SPEED:
		get_speed(bdm);
		break;
	case SPECIAL:
		run_special(bdm, request);
		break;
	case GET_VER:
		get_version(bdm);
		break;
	case HALT:
	case GO:
	case STEP:			/* stubs that say yes */
		break;
	default:			/* memory and registers are known, and stubs that say no */
		fail(bdm, request[0] >= 0x12 && request[0] <= 0x3f ? FAILED : UNKNOWN);
	}
}

static void process(void *state, const uint8_t *request, size_t len_bytes, uint64_t at_ns, pt_vrespond *respond,
		    void *arg)
{
	struct pt_vosbdm *bdm = state;
	uint8_t packet[PT_VOSBDM_PACKET_BYTES] = { 0 };

	if (len_bytes == 0)
		return;
	memcpy(packet, request, len_bytes < sizeof(packet) ? len_bytes : sizeof(packet));
	pt_vbkgd_idle_until(&bdm->wire, at_ns);
	pt_vpace_begin(bdm->wire.pace);
	memset(bdm->reply, 0, sizeof(bdm->reply));
	bdm->reply[0] = packet[0];
	bdm->reply[1] = 2;
	run(bdm, packet);
	respond(arg, bdm->reply, sizeof(bdm->reply), bdm->wire.ns);
}

struct pt_vosbdm *pt_vosbdm_new(struct pt_vpace *pace, struct pt_vfaults *faults)
{
	struct pt_vosbdm *bdm = pt_alloc(sizeof(*bdm));

	pt_vbkgd_init(&bdm->wire, pace, faults);
	return bdm;
}

const struct pt_vengine_ops pt_vosbdm_engine = {
	.name = "OSBDM", .process = process, .free = free,
	.served = "OSBDM's USB packets in the frames of CMSIS-DAP over TCP; programs for the USB device cannot use it",
};
