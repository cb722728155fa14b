/* Registers of the debug port and of access ports, one command each: the firmware writes SELECT and fetches posted values
 * by itself. */
#include "probes/dap/stlink.h"
#include "base/util.h"

enum { READ_REGISTER = 0x45, WRITE_REGISTER = 0x46, OPEN_AP = 0x4b, READ_IDCODES = 0x31 };
enum { DP_ABORT = 0x0, DP_CTRL_STAT = 0x4, DP_RDBUFF = 0xc, DP = 0xffff, AP_IDR = 0xfc, BAD_AP = 0x1d };
enum { ORUNDETECT = 1 << 0, ABORT_CLEARS = 0x1e, STICKY = 0xb2, ABORT_MS = 400 };
#define POWER_UP_REQUEST UINT32_C(0x50000000)

static int read_register(struct pt_stlink *st, unsigned port, unsigned addr, uint32_t *value, uint32_t timeout_ms,
			 struct pt_err *err)
{
	struct pt_stlink_command command = { .bytes = { 0xf2, READ_REGISTER }, .n_reply = 8 };
	int rc;

	pt_put_le16(command.bytes + 2, (uint16_t)port);
	pt_put_le16(command.bytes + 4, (uint16_t)addr);
	rc = pt_stlink_do(st, &command, timeout_ms, err);
	if (rc == 0)
		*value = pt_le32(st->exchange.in + 4);
	return rc;
}

static int write_register(struct pt_stlink *st, unsigned port, unsigned addr, uint32_t value, uint32_t timeout_ms,
			  struct pt_err *err)
{
	struct pt_stlink_command command = { .bytes = { 0xf2, WRITE_REGISTER }, .n_reply = 2 };

	pt_put_le16(command.bytes + 2, (uint16_t)port);
	pt_put_le16(command.bytes + 4, (uint16_t)addr);
	pt_put_le32(command.bytes + 6, value);
	return pt_stlink_do(st, &command, timeout_ms, err);
}

/* --- the debug port ------------------------------------------------------------------------------------------------ */

/* The bank counts for address 4 alone. */
static int banked(struct pt_stlink *st, uint8_t a, unsigned *addr, struct pt_err *err)
{
	unsigned bank = a == DP_CTRL_STAT ? st->select & 0xf : 0;

	*addr = bank << 4 | a;
	if (bank != 0 && !pt_stlink_has(st, 32, 2))
		return pt_stlink_too_old(st, "banked registers of the debug port", 32, 2, err);
	return 0;
}

/* A JTAG-DP has no DPIDR that the firmware reads: its IDCODE is of the same form. */
static int read_idcode(struct pt_stlink *st, uint32_t *value, struct pt_err *err)
{
	const struct pt_stlink_command command = { .bytes = { 0xf2, READ_IDCODES }, .n_reply = 12 };
	int rc = pt_stlink_do(st, &command, ABORT_MS, err);

	if (rc == 0)
		*value = pt_le32(st->exchange.in + 4);
	return rc;
}

/* Before V2J32 a read by JTAG brings what the one before it was to bring. Source: OpenOCD, stlink_usb.c */
int pt_stlink_read_dp(struct pt_stlink *st, uint8_t a, uint32_t *value, uint32_t timeout_ms, struct pt_err *err)
{
	unsigned addr;
	int rc = banked(st, a, &addr, err);

	if (rc < 0)
		return rc;
	if (st->jtag && a == 0)
		return read_idcode(st, value, err);
	rc = read_register(st, DP, addr, value, timeout_ms, err);
	if (rc == 0 && st->jtag && !pt_stlink_has(st, 32, 2))
		rc = read_register(st, DP, DP_RDBUFF, value, timeout_ms, err);
	return rc;
}

/* A JTAG-DP is cleared by ones in CTRL/STAT, and has no other way to give an access up that the firmware knows. */
static int clear_by_jtag(struct pt_stlink *st, uint32_t value, uint32_t timeout_ms, struct pt_err *err)
{
	if ((value & ABORT_CLEARS) == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "an ST-Link cannot abort an access by JTAG");
	return write_register(st, DP, DP_CTRL_STAT, POWER_UP_REQUEST | STICKY, timeout_ms, err);
}

static int abort_access(struct pt_stlink *st, uint32_t value, uint32_t timeout_ms, struct pt_err *err)
{
	int rc = st->jtag ? clear_by_jtag(st, value, timeout_ms, err)
			  : write_register(st, DP, DP_ABORT, value, timeout_ms, err);

	if (rc == 0 && (value & ABORT_CLEARS) != 0)
		st->faulted = false;
	return rc;
}

/* The firmware does not expect overrun detection. Source: OpenOCD, stlink_usb.c */
int pt_stlink_write_dp(struct pt_stlink *st, uint8_t a, uint32_t value, uint32_t timeout_ms, struct pt_err *err)
{
	unsigned addr;
	int rc;

	if (a == DP_ABORT)
		return abort_access(st, value, timeout_ms, err);
	rc = banked(st, a, &addr, err);
	if (addr == DP_CTRL_STAT)
		value &= ~(uint32_t)ORUNDETECT;
	return rc < 0 ? rc : write_register(st, DP, addr, value, timeout_ms, err);
}

int pt_stlink_write_abort(void *state, uint32_t value, struct pt_err *err)
{
	struct pt_stlink *st = state;
	int rc = st->entered ? 0 : pt_stlink_enter(st, err);

	return rc < 0 ? rc : abort_access(st, value, ABORT_MS, err);
}

/* --- access ports -------------------------------------------------------------------------------------------------- */

/* A firmware may refuse what is no memory: whether such a port is reached all the same, its registers say. */
int pt_stlink_open_ap(struct pt_stlink *st, uint8_t ap, struct pt_err *err)
{
	struct pt_stlink_command command = { .bytes = { 0xf2, OPEN_AP, ap }, .n_reply = 2 };
	int rc;

	if (st->ap[ap].open)
		return 0;
	if (!pt_stlink_has(st, 28, 0)) {
		st->ap[ap].open = ap == 0;
		return ap == 0 ? 0 : pt_stlink_too_old(st, "access ports other than the first", 28, 0, err);
	}
	rc = pt_stlink_do(st, &command, ABORT_MS, err);
	if (rc < 0 && !(rc == PT_EUNSUPPORTED && st->exchange.in[0] == BAD_AP))
		return pt_wrap(err, "open access port %u", ap);
	st->ap[ap].open = true;
	return 0;
}

/* An ID may be read of any. */
int pt_stlink_read_ap(struct pt_stlink *st, uint8_t ap, uint8_t reg, uint32_t *value, uint32_t timeout_ms,
		      struct pt_err *err)
{
	bool is_id = reg == AP_IDR;
	int rc = 0;

	if (is_id && ap != 0 && !pt_stlink_has(st, 28, 0)) {
		*value = 0;		/* none that this firmware reaches */
		return 0;
	}
	if (!is_id)
		rc = pt_stlink_open_ap(st, ap, err);
	if (rc == 0)
		rc = read_register(st, ap, reg, value, timeout_ms, err);
	if (rc == 0 && is_id) {
		st->ap[ap].idr = *value;
		st->ap[ap].idr_known = true;
	}
	return rc;
}

/* A write is posted: RDBUFF waits for it. Source: OpenOCD, stlink_usb.c */
int pt_stlink_write_ap(struct pt_stlink *st, uint8_t ap, uint8_t reg, uint32_t value, uint32_t timeout_ms,
		       struct pt_err *err)
{
	uint32_t unused;
	int rc = pt_stlink_open_ap(st, ap, err);

	if (rc == 0)
		rc = write_register(st, ap, reg, value, timeout_ms, err);
	return rc < 0 ? rc : read_register(st, DP, DP_RDBUFF, &unused, timeout_ms, err);
}

/* Class 8. Source: Arm IHI 0031, IDR */
int pt_stlink_is_memory(struct pt_stlink *st, uint8_t ap, struct pt_err *err)
{
	uint32_t idr;
	int rc = st->ap[ap].idr_known ? 0 : pt_stlink_read_ap(st, ap, AP_IDR, &idr, ABORT_MS, err);

	return rc < 0 ? rc : (st->ap[ap].idr >> 13 & 0xf) == 8;
}
