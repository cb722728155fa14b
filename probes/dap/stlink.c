/* The ST-Link itself: its version, its modes, and the ids of its USB. */
#include "probes/dap/stlink.h"

#include <stdio.h>
#include <string.h>

#include "host/log.h"
#include "probes/wires/probe.h"
#include "base/util.h"

enum { GET_VERSION = 0xf1, DEBUG = 0xf2, DFU = 0xf3, SWIM = 0xf4, GET_MODE = 0xf5, GET_VOLTAGE = 0xf7, GET_VERSION_V3 = 0xfb };
enum { LEAVE_DEBUG = 0x21 };
enum { MODE_DFU = 0, MODE_DEBUG = 2, MODE_SWIM = 3 };
enum { ST_VENDOR = 0x0483, VERSION_BYTES = 6, VERSION_V3_BYTES = 12 };
enum { LEAST_V2_J = 24, LEAST_V3_J = 2 };
enum { FIRST_ANSWER_MS = 200 };		/* then comes a reset: all of it within a second */

/* --- versions ------------------------------------------------------------------------------------------------------ */

static size_t question(uint8_t *out)
{
	memset(out, 0, PT_STLINK_COMMAND_BYTES);
	out[0] = GET_VERSION;
	return PT_STLINK_COMMAND_BYTES;
}

static bool answers(const uint8_t *in, size_t n_in)
{
	return n_in == VERSION_BYTES && pt_le16(in + 2) == ST_VENDOR && in[0] >> 4 != 0;
}

/* The part behind J counts mass storage on boards with a V2-1, and SWIM elsewhere. Source: OpenOCD, stlink_usb.c */
static void take_version(struct pt_stlink *st)
{
	unsigned bits = pt_be16(st->exchange.in), x = bits >> 6 & 0x3f, y = bits & 0x3f;
	bool v21 = st->link_info.usb_pid != 0x3748 && st->link_info.usb_pid != 0;

	st->v = bits >> 12;
	st->j = x;
	if (v21 && ((x <= 22 && y == 7) || (x >= 25 && y >= 7 && y <= 12)))	/* SWIM alone: x is of mass storage */
		st->j = 0;
	snprintf(st->firmware, sizeof(st->firmware), "V%uJ%u%c%u", st->v, st->j, v21 ? 'M' : 'S', y);
}

static int ask_v3_version(struct pt_stlink *st, struct pt_err *err)
{
	const struct pt_stlink_command command = { .bytes = { GET_VERSION_V3 }, .n_reply = VERSION_V3_BYTES };
	const uint8_t *in = st->exchange.in;

	if (pt_stlink_ask(st, &command, err) < 0)
		return err->code;
	if (pt_le16(in + 8) != ST_VENDOR || in[0] < 3)
		return pt_exchange_mistrust(&st->exchange, err);
	st->v = in[0];
	st->j = in[2];
	snprintf(st->firmware, sizeof(st->firmware), "V%uJ%uM%uB%u", in[0], in[2], in[3], in[4]);
	return 0;
}

static int ask_version(struct pt_stlink *st, struct pt_err *err)
{
	const struct pt_stlink_command command = { .bytes = { GET_VERSION }, .n_reply = VERSION_BYTES };

	if (pt_stlink_ask(st, &command, err) < 0)
		return err->code;
	if (!answers(st->exchange.in, VERSION_BYTES))
		return pt_exchange_mistrust(&st->exchange, err);
	take_version(st);
	if (st->v >= 3 && ask_v3_version(st, err) < 0)
		return err->code;
	if (st->v < 2)
		return pt_fail(err, PT_EUNSUPPORTED, "an ST-Link V1 is not driven");
	return pt_stlink_has(st, LEAST_V2_J, LEAST_V3_J)
		       ? 0
		       : pt_stlink_too_old(st, "registers of the debug port", LEAST_V2_J, LEAST_V3_J, err);
}

/* --- modes --------------------------------------------------------------------------------------------------------- */

static int ask_mode(struct pt_stlink *st, uint8_t *mode, struct pt_err *err)
{
	const struct pt_stlink_command command = { .bytes = { GET_MODE }, .n_reply = 2 };
	int rc = pt_stlink_ask(st, &command, err);

	*mode = rc == 0 ? st->exchange.in[0] : 0;
	if (rc == 0 && *mode > 4)
		return pt_exchange_mistrust(&st->exchange, err);
	return rc;
}

/* Another program may have left it anywhere. */
static int leave_mode(struct pt_stlink *st, struct pt_err *err)
{
	static const struct pt_stlink_command leave[] = {
		[MODE_DFU] = { .bytes = { DFU, 7 } },
		[MODE_DEBUG] = { .bytes = { DEBUG, LEAVE_DEBUG } },
		[MODE_SWIM] = { .bytes = { SWIM, 1 } },
	};
	uint8_t mode;
	int rc = ask_mode(st, &mode, err);

	if (rc == 0 && mode < PT_LEN(leave) && leave[mode].bytes[0] != 0)
		rc = pt_stlink_tell(st, &leave[mode], err);
	return rc;
}

static int ask_voltage(struct pt_stlink *st, struct pt_err *err)
{
	const struct pt_stlink_command command = { .bytes = { GET_VOLTAGE }, .n_reply = 8 };
	int rc = pt_stlink_ask(st, &command, err);
	uint32_t reference = rc == 0 ? pt_le32(st->exchange.in) : 0;

	st->target_mv = reference != 0 ? (uint32_t)(UINT64_C(2400) * pt_le32(st->exchange.in + 4) / reference) : 0;
	return rc;
}

/* --- open and close ------------------------------------------------------------------------------------------------ */

/* A host that was killed may have left a reply. */
static int find_start(struct pt_stlink *st, struct pt_err *err)
{
	return st->link_info.virtual_clock ? 0 : pt_exchange_drain(&st->exchange, err);
}

/* answer_ms: as struct pt_exchange has it. */
static int greet(struct pt_stlink *st, uint32_t answer_ms, struct pt_err *err)
{
	st->exchange = (struct pt_exchange){ .link = st->link, .name = "stlink", .question = question, .answers = answers,
					     .answer_ms = answer_ms };
	if (find_start(st, err) < 0 || ask_version(st, err) < 0 || leave_mode(st, err) < 0 || ask_voltage(st, err) < 0)
		return err->code;
	st->exchange.answer_ms = 0;
	return 0;
}

/* Firmware that hangs lives again after a reset of its USB. Source: OpenOCD, stlink_usb.c; probe-rs, stlink/mod.rs */
static int greet_silent(struct pt_stlink *st, struct pt_err *err)
{
	int rc = pt_link_reset(st->link, NULL);

	if (rc == PT_EUNSUPPORTED)
		return err->code;
	if (rc < 0)
		return pt_fail(err, rc, "the ST-Link at %s did not answer, and is gone since a USB reset",
			       st->link_info.where);
	pt_warn("stlink: the probe at %s did not answer; its USB was reset", st->link_info.where);
	rc = greet(st, 0, err);
	if (rc == PT_ETIMEOUT)
		return pt_fail(
			err, rc,
			"the ST-Link at %s does not answer, nor after a USB reset: unplug it and plug it in again",
			st->link_info.where);
	return rc;
}

static int stlink_open(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err)
{
	struct pt_stlink *st = state;

	st->link = link;
	st->asked_hz = (uint32_t)pt_params_number(settings, &pt_probe_params[PT_PROBE_SPEED]);
	st->jtag = strcmp(pt_params_text(settings, &pt_probe_params[PT_PROBE_TRANSPORT]), "jtag") == 0;
	pt_link_info(link, &st->link_info);
	pt_link_set_packet_bytes(link, PT_EXCHANGE_BYTES);
	if (greet(st, FIRST_ANSWER_MS, err) < 0 && (err->code != PT_ETIMEOUT || greet_silent(st, err) < 0))
		return err->code;
	pt_debug(PT_LOG_DAP, "stlink: firmware %s, target at %u mV", st->firmware, st->target_mv);
	return 0;
}

static void stlink_close(void *state)
{
	static const struct pt_stlink_command leave = { .bytes = { DEBUG, LEAVE_DEBUG } };
	struct pt_stlink *st = state;

	if (!st->exchange.silent)
		pt_link_wait(st->link, 0, NULL);	/* takes an interrupt that came too late for what it was meant for */
	pt_stlink_swo_close(st);
	if (st->exchange.silent)	/* it would only be waited for once more */
		return;
	if (st->reset_low)
		pt_stlink_drive_reset(st, false, NULL);
	if (st->tried)
		pt_stlink_tell(st, &leave, NULL);
}

static void stlink_info(void *state, struct pt_probe_info *out)
{
	const struct pt_stlink *st = state;

	snprintf(out->firmware, sizeof(out->firmware), "%s", st->firmware);
	out->packet_bytes = PT_STLINK_BLOCK_BYTES;
	out->packet_count = 1;
	out->swd = out->jtag = out->in_turns = true;
	pt_stlink_swo_info(st, out);
	out->target_mv = st->target_mv;
	out->speed_hz = st->speed_hz != 0 ? st->speed_hz : st->asked_hz;
}

/* --- the wire ------------------------------------------------------------------------------------------------------ */

static int stlink_set_speed(void *state, uint32_t hz, uint32_t *hz_used, struct pt_err *err)
{
	struct pt_stlink *st = state;
	struct pt_err own = { 0 };
	int rc;

	err = err != NULL ? err : &own;
	if (hz == 0)
		return pt_fail(err, PT_EARG, "a clock of 0 Hz");
	rc = pt_stlink_set_clock(st, hz, err);
	if (rc == 0)
		st->asked_hz = hz;
	*hz_used = st->speed_hz;
	return rc;
}

static int stlink_connect(void *state, enum pt_dap_line line, struct pt_err *err)
{
	struct pt_stlink *st = state;
	struct pt_err own = { 0 };
	int rc;

	(void)line;
	err = err != NULL ? err : &own;
	rc = pt_stlink_enter(st, err);
	if (rc == PT_EPROTO && st->target_mv != 0 && st->target_mv < 1000)
		return pt_advise(err, "the probe measures %u.%02u V at the target: is it powered?",
				 st->target_mv / 1000, st->target_mv % 1000 / 10);
	return rc;
}

static int stlink_sequence(void *state, const uint8_t *bits, size_t n_bits, struct pt_err *err)
{
	(void)state, (void)bits, (void)n_bits;
	return pt_fail(
		err, PT_EUNSUPPORTED,
		"an ST-Link sends no bits of its host: several debug ports on a wire (multi-drop), and one that is "
		"dormant, need another probe");
}

static int stlink_set_reset(void *state, bool asserted, struct pt_err *err)
{
	struct pt_stlink *st = state;
	int rc = pt_stlink_drive_reset(st, asserted, err);

	if (rc == 0)
		st->reset_low = asserted;
	return rc;
}

static const struct pt_dap_ops dap_ops = {
	.connect = stlink_connect,
	.run = pt_stlink_run,
	.write_abort = pt_stlink_write_abort,
	.sequence = stlink_sequence,
	.set_speed = stlink_set_speed,
	.set_reset = stlink_set_reset,
};

/* --- USB ----------------------------------------------------------------------------------------------------------- */

#define V2(id) { .vid = ST_VENDOR, .pid = id, .iface = 0, .out = 0x02, .in = 0x81 }
#define LOADER "an ST-Link V3 in its boot loader: plug it in again, or update it by ST's program STSW-LINK007"
#define V21(id) { .vid = ST_VENDOR, .pid = id, .iface = 0, .out = 0x01, .in = 0x81 }

/* New ones appear with each mix of interfaces: what has the endpoints of these is taken for one, and says its version.
 * Source: OpenOCD, pyOCD, probe-rs, stlink-tools: V1, V2; V2-1 with audio, with mass storage, without; loaders of V3; V3E,
 * V3S, with two serial ports, without mass storage, V3PWR */
static const struct pt_usb_id usb[] = {
	{ .vid = ST_VENDOR, .pid = 0x3744, .refused = "an ST-Link V1: a V2 or later is needed" },
	{ .vid = ST_VENDOR, .pid = 0x374d, .refused = LOADER }, { .vid = ST_VENDOR, .pid = 0x3755, .refused = LOADER },
	V2(0x3748), V21(0x374a), V21(0x374b), V21(0x3752), V21(0x374e), V21(0x374f), V21(0x3753), V21(0x3754), V21(0x3757),
	{ .vid = ST_VENDOR, .pid = 0x3740, .pid_mask = 0xffe0, .iface = 0, .out = 0x01, .in = 0x81 },
};

const struct pt_probe_ops pt_stlink_ops = {
	.name = "stlink",
	.help = "ST-Link V2 (from V2J24 on), V2-1 and V3, by SWD, or JTAG where the debug port is alone on the chain",
	.usb = usb,
	.n_usb = PT_LEN(usb),
	.sized = true,
	.raw_serial = 12,
	.address = "stlink:[serial=S|usb=BUS-PORT]",
	.state_bytes = sizeof(struct pt_stlink),
	.open = stlink_open,
	.close = stlink_close,
	.info = stlink_info,
	.dap = &dap_ops,
	.stream = &pt_stlink_stream_ops,
};
