/* Shifts and single clocks, the speed, and the reset lines. Source: RM08001 through libjaylink and Black Magic Probe:
 * EMU_CMD_HW_JTAG2, EMU_CMD_HW_JTAG3, EMU_CMD_GET_STATE, EMU_CMD_SELECT_IF. */
#include <string.h>

#include "base/util.h"
#include "probes/virtual/probe/jlink_parts.h"

enum { SHIFT_2 = 0xce, PULSE = 0xc8, TMS_LOW = 0xc9, TMS_HIGH = 0xca, TDI_LOW = 0xcb, TDI_HIGH = 0xcc };
enum { STATUS_OK = 0, STATUS_NO_MEMORY = 6 };
enum { ADAPTIVE = 0xffff, HEAD_BYTES = 4, SPARE_BYTES = 4, FULL_MV = 3300 };
enum { WHICH_CURRENT = 0xfe, WHICH_ALL = 0xff };

static bool bit_of(const uint8_t *bits, uint32_t i)
{
	return (bits[i / 8] >> i % 8 & 1) != 0;
}

static void shift_jtag(struct pt_vjlink *jlink, const uint8_t *tms, const uint8_t *tdi, uint32_t n_bits, uint8_t *out)
{
	for (uint32_t i = 0; i < n_bits; i++)
		out[i / 8] |= (uint8_t)(pt_vjtag_clock(&jlink->jtag, bit_of(tms, i), bit_of(tdi, i)) << i % 8);
}

/* What the target drives is sampled behind the rising edge. */
static void shift_swd(struct pt_vjlink *jlink, const uint8_t *drive, const uint8_t *level, uint32_t n_bits,
		      uint8_t *out)
{
	for (uint32_t i = 0; i < n_bits; i++) {
		bool drives = bit_of(drive, i);
		unsigned own = pt_vswd_clock(&jlink->swd, drives, bit_of(level, i));

		out[i / 8] |= (uint8_t)((drives ? own : pt_vswd_level(&jlink->swd)) << i % 8);
	}
}

static bool is_deaf(const struct pt_vjlink *jlink)
{
	return (jlink->config.flaws & PT_VJLINK_DEAF) != 0 && !jlink_is_registered(jlink);
}

void jlink_shift(struct pt_vjlink *jlink, const uint8_t *command)
{
	uint32_t n_bits = pt_le16(command + 2), n_bytes = (n_bits + 7) / 8;
	const uint8_t *first = command + HEAD_BYTES, *second = first + n_bytes;
	uint8_t out[PT_VJLINK_MOST_BITS / 8 + 2] = { 0 };
	bool fits = SPARE_BYTES + 2 * n_bytes <= jlink->memory_bytes;

	out[n_bytes] = fits ? STATUS_OK : STATUS_NO_MEMORY;
	if (fits && jlink->interface == JLINK_JTAG)
		shift_jtag(jlink, first, second, n_bits, out);
	else if (fits && !is_deaf(jlink))
		shift_swd(jlink, first, second, n_bits, out);
	jlink_reply(jlink, out, n_bytes + (command[0] != SHIFT_2));
}

void jlink_pin(struct pt_vjlink *jlink, uint8_t command)
{
	if (command == TMS_LOW || command == TMS_HIGH)
		jlink->tms = command == TMS_HIGH;
	else if (command == TDI_LOW || command == TDI_HIGH)
		jlink->tdi = command == TDI_HIGH;
	else if (jlink->interface == JLINK_JTAG)
		pt_vjtag_clock(&jlink->jtag, jlink->tms, jlink->tdi);
	else
		pt_vswd_clock(&jlink->swd, true, jlink->tms);
}

/* --- clocks ------------------------------------------------------------------------------------------------------- */

uint16_t jlink_min_divider(const struct pt_vjlink *jlink)
{
	uint32_t base_hz = jlink->config.kind->base_hz, least = jlink->config.kind->min_divider;
	uint32_t by_cable = (base_hz + jlink->config.max_hz - 1) / jlink->config.max_hz;

	return (uint16_t)(by_cable > least ? by_cable : least);
}

void jlink_set_speed(struct pt_vjlink *jlink, uint16_t khz)
{
	uint32_t base_hz = jlink->config.kind->base_hz, least = jlink_min_divider(jlink);
	uint32_t divider = khz == 0 || khz == ADAPTIVE ? least : (base_hz + khz * 1000u - 1) / (khz * 1000u);

	pt_vclock_set(&jlink->swd.clock, base_hz / (divider > least ? divider : least));
}

/* The answer is what was selected before. */
void jlink_select(struct pt_vjlink *jlink, uint8_t which)
{
	unsigned was = jlink->interface;

	if (which == WHICH_ALL) {
		jlink_reply_word(jlink, jlink->config.kind->interfaces);
		return;
	}
	if (which < 32 && (jlink->config.kind->interfaces >> which & 1) != 0) {
		jlink->interface = which;
		jlink_set_speed(jlink, 0);
	}
	jlink_reply_word(jlink, was);
}

void jlink_state(struct pt_vjlink *jlink)
{
	bool powered = (jlink->config.flaws & PT_VJLINK_UNPOWERED) == 0 && !jlink->swd.power_off;
	uint8_t out[8] = { 0 };

	pt_put_le16(out, powered ? FULL_MV : 0);
	out[3] = jlink->tdi;
	out[4] = pt_vjtag_tdo(&jlink->jtag) != 0;
	out[5] = jlink->tms;
	out[6] = !jlink->swd.host_reset && !jlink->swd.fault_reset;
	out[7] = !jlink->jtag.trst;
	jlink_reply(jlink, out, sizeof(out));
}
