/* The clock, the reset line, and how debug mode is entered. */
#include "probes/dap/stlink.h"
#include "base/util.h"

enum { DEBUG = 0xf2, LEAVE_DEBUG = 0x21, ENTER = 0x30, RESET_LINE = 0x3c, SET_DELAY = 0x43, SET_DIVIDER = 0x44, SET_V3_CLOCK = 0x61,
       GET_V3_CLOCKS = 0x62 };
enum { BY_SWD = 0xa3, BY_JTAG = 0xa4, V3_CLOCKS = 10, ENTER_MS = 600, WIRE_MS = 400 };

/* --- the clock ----------------------------------------------------------------------------------------------------- */

/* Source: OpenOCD, pyOCD and probe-rs; below 100 kHz OpenOCD alone */
static const struct rate { uint16_t argument; uint32_t hz; } swd_rates[] = {
	{ 0, 4000000 }, { 1, 1800000 }, { 2, 1200000 }, { 3, 950000 }, { 5, 650000 }, { 7, 480000 }, { 9, 400000 },
	{ 10, 360000 }, { 15, 240000 }, { 25, 150000 }, { 31, 125000 }, { 40, 100000 }, { 79, 50000 }, { 158, 25000 },
	{ 265, 15000 }, { 798, 5000 },
}, jtag_rates[] = {
	{ 4, 9000000 }, { 8, 4500000 }, { 16, 2250000 }, { 32, 1125000 }, { 64, 562500 }, { 128, 281250 }, { 256, 140625 },
};

/* The fastest that is not faster than hz; the slowest where all are. */
static int set_v2_clock(struct pt_stlink *st, uint32_t hz, struct pt_err *err)
{
	const struct rate *rates = st->jtag ? jtag_rates : swd_rates;
	size_t n = st->jtag ? PT_LEN(jtag_rates) : PT_LEN(swd_rates), i = 0;
	struct pt_stlink_command command = { .bytes = { DEBUG, st->jtag ? SET_DIVIDER : SET_DELAY }, .n_reply = 2 };
	int rc;

	while (i + 1 < n && rates[i].hz > hz)
		i++;
	pt_put_le16(command.bytes + 2, rates[i].argument);
	rc = pt_stlink_do(st, &command, WIRE_MS, err);
	if (rc == 0)
		st->speed_hz = rates[i].hz;
	return rc;
}

/* The list is not always in order. */
static int list_v3_clocks(struct pt_stlink *st, uint32_t *khz, struct pt_err *err)
{
	const struct pt_stlink_command command = { .bytes = { DEBUG, GET_V3_CLOCKS, st->jtag }, .n_reply = 52 };
	int rc = khz[0] != 0 ? 0 : pt_stlink_do(st, &command, WIRE_MS, err);
	uint32_t n = rc == 0 && khz[0] == 0 ? pt_le32(st->exchange.in + 8) : 0;

	for (uint32_t i = 0; i < n && i < V3_CLOCKS; i++)
		khz[i] = pt_le32(st->exchange.in + 12 + 4 * i);
	return rc;
}

static uint32_t choose_khz(const uint32_t *khz, uint32_t hz)
{
	uint32_t best = 0, slowest = UINT32_MAX;

	for (size_t i = 0; i < V3_CLOCKS && khz[i] != 0; i++) {
		if (khz[i] <= hz / 1000 && khz[i] > best)
			best = khz[i];
		slowest = khz[i] < slowest ? khz[i] : slowest;
	}
	return best != 0 ? best : slowest;
}

static int set_v3_clock(struct pt_stlink *st, uint32_t hz, struct pt_err *err)
{
	struct pt_stlink_command command = { .bytes = { DEBUG, SET_V3_CLOCK, st->jtag }, .n_reply = 8 };
	uint32_t *khz = st->v3_khz[st->jtag];
	int rc = list_v3_clocks(st, khz, err);

	if (rc == 0 && khz[0] == 0)
		return pt_fail(err, PT_EPROTO, "the probe lists no clocks");
	if (rc < 0)
		return rc;
	pt_put_le32(command.bytes + 4, choose_khz(khz, hz));
	rc = pt_stlink_do(st, &command, WIRE_MS, err);
	if (rc == 0)
		st->speed_hz =
			pt_le32(st->exchange.in + 4) <= UINT32_MAX / 1000 ? 1000 * pt_le32(st->exchange.in + 4) : 0;
	return rc;
}

int pt_stlink_set_clock(struct pt_stlink *st, uint32_t hz, struct pt_err *err)
{
	int rc = st->v >= 3 ? set_v3_clock(st, hz, err) : set_v2_clock(st, hz, err);

	return rc < 0 ? pt_wrap(err, "set the clock") : 0;
}

/* --- debug mode ---------------------------------------------------------------------------------------------------- */

int pt_stlink_drive_reset(struct pt_stlink *st, bool low, struct pt_err *err)
{
	const struct pt_stlink_command command = { .bytes = { DEBUG, RESET_LINE, low ? 0 : 1 }, .n_reply = 2 };

	return pt_stlink_do(st, &command, WIRE_MS, err);
}

static void forget_ports(struct pt_stlink *st)
{
	st->faulted = st->used_other_ap = false;
	st->select = 0;
	for (size_t i = 0; i < PT_STLINK_APS; i++)
		st->ap[i] = (struct pt_stlink_ap){ .csw = 0x23000012, .idr = st->ap[i].idr, .idr_known = st->ap[i].idr_known };
}

/* Leaving closes what the firmware has open. The clock comes before: the port is looked for with it. Before a V2 has
 * entered it may have moved another pin than nRESET. Source: OpenOCD, stlink_usb.c */
int pt_stlink_enter(struct pt_stlink *st, struct pt_err *err)
{
	static const struct pt_stlink_command leave = { .bytes = { DEBUG, LEAVE_DEBUG } };
	const struct pt_stlink_command command = {
		.bytes = { DEBUG, ENTER, st->jtag ? BY_JTAG : BY_SWD }, .n_reply = 2, .busy_ns = ENTER_MS * PT_NS_PER_MS,
	};
	int rc;

	forget_ports(st);
	rc = st->tried ? pt_stlink_tell(st, &leave, err) : 0;
	if (rc == 0)
		rc = pt_stlink_set_clock(st, st->asked_hz, err);
	if (rc == 0)
		rc = pt_stlink_do(st, &command, WIRE_MS, err);
	st->tried = true;
	st->entered = rc == 0;
	if (rc == 0 && st->reset_low)
		rc = pt_stlink_drive_reset(st, true, err);
	return rc;
}
