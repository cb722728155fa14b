/* The firmware's access to a debug port by JTAG, where that is alone on the chain: a scan with the request, and one more
 * that brings its outcome. Source: Arm IHI 0031, chapter on the JTAG-DP. */
#include "probes/virtual/probe/stlink_parts.h"

enum { IR_BITS = 4, IR_DPACC = 0xa, IR_APACC = 0xb };
enum { ACK_WAIT = 1, ACK_OK_FAULT = 2, CTRL_STAT = 4, RDBUFF = 0xc, STICKY = 0xb2 };
enum { ACC_BITS = 35 };

static void walk(struct pt_vstlink *st, const char *tms)
{
	for (; *tms != 0; tms++)
		pt_vjtag_clock(&st->jtag, *tms == '1', 1);
}

static uint64_t shift(struct pt_vstlink *st, uint64_t out, unsigned n)
{
	uint64_t in = 0;

	for (unsigned i = 0; i < n; i++)
		in |= (uint64_t)pt_vjtag_clock(&st->jtag, i + 1 == n, out >> i & 1) << i;
	return in;
}

/* From Run-Test/Idle and back. */
static uint64_t scan(struct pt_vstlink *st, bool ap, bool read, uint8_t a, uint32_t value)
{
	uint64_t bits;

	walk(st, "1100");
	shift(st, ap ? IR_APACC : IR_DPACC, IR_BITS);
	walk(st, "1100");	/* by Update-IR and Select-DR */
	bits = shift(st, (uint64_t)value << 3 | (a & 0xc) >> 1 | (read ? 1 : 0), ACC_BITS);
	walk(st, "10");
	return bits;
}

static uint8_t status_of(bool ap, uint64_t bits)
{
	uint8_t kind = ap ? ST_AP_WAIT : ST_DP_WAIT;

	if ((bits & 7) == ACK_OK_FAULT)
		return ST_OK;
	return (bits & 7) == ACK_WAIT ? kind : (uint8_t)(kind + ST_AP_ERROR - ST_AP_WAIT);
}

uint8_t st_jtag_access(struct pt_vstlink *st, bool ap, bool read, uint8_t a, uint32_t *value)
{
	uint64_t bits = scan(st, ap, read, a, read ? 0 : *value);
	uint8_t status = status_of(ap, bits);

	if (status == ST_OK) {
		bits = scan(st, false, true, RDBUFF, 0);
		status = status_of(ap, bits);
	}
	if (status != ST_OK)
		return status;
	if (read)
		*value = (uint32_t)(bits >> 3);
	if (!ap)
		return ST_OK;
	scan(st, false, true, CTRL_STAT, 0);
	bits = scan(st, false, true, RDBUFF, 0);
	return (bits >> 3 & STICKY) != 0 ? ST_STICKY : ST_OK;
}

/* The port may be on SWD. Behind a reset of the TAP its IDCODE is in the way. */
uint8_t st_jtag_enter(struct pt_vstlink *st)
{
	static const uint16_t swd_to_jtag = 0xe73c;

	for (int i = 0; i < 56; i++)
		pt_vjtag_clock(&st->jtag, true, 1);
	for (int i = 0; i < 16; i++)
		pt_vjtag_clock(&st->jtag, swd_to_jtag >> i & 1, 1);
	walk(st, "1111110100");
	st->idcode = (uint32_t)shift(st, UINT32_MAX, 32);
	walk(st, "10");
	if (st->idcode == UINT32_MAX || st->idcode == 0)
		return ST_NO_IDCODE;
	return st->jtag.n_taps == 1 && st->jtag.port != NULL ? ST_OK : ST_UNKNOWN_CHAIN;
}
