/* The cable of the virtual MPSSE. A pin that is no output is pulled up by the board. */
#include "probes/virtual/probe/mpsse_parts.h"

static bool level_of(const struct pt_vmpsse *m, uint8_t pin)
{
	return (m->low_dir & pin) == 0 || (m->low & pin) != 0;
}

/* SWDIO as ADBUS2 has it. On a wire that two drive, the one without a resistor in front of it wins. */
static unsigned clock_swd(struct pt_vmpsse *m)
{
	bool drives = (m->low_dir & MPSSE_TDI) != 0;
	unsigned level;

	if (m->config.wiring == PT_VMPSSE_RESISTOR && pt_vswd_target_drives(&m->swd))
		drives = false;
	level = pt_vswd_clock(&m->swd, drives, level_of(m, MPSSE_TDI));
	return m->config.wiring == PT_VMPSSE_OPEN ? 1 : level;
}

unsigned mpsse_clock(struct pt_vmpsse *m)
{
	if ((m->low_dir & MPSSE_TCK) == 0)	/* the chip shifts, and no clock comes out */
		return 1;
	return m->is_jtag ? pt_vjtag_clock(&m->jtag, level_of(m, MPSSE_TMS), level_of(m, MPSSE_TDI)) : clock_swd(m);
}

static void set_resets(struct pt_vmpsse *m)
{
	bool trst = !level_of(m, MPSSE_NTRST), srst = !level_of(m, MPSSE_NSRST);

	if (m->is_jtag)
		pt_vjtag_set_reset(&m->jtag, trst, srst);
	else
		pt_vswd_set_nreset(&m->swd, srst);
}

/* A rising edge of TCK is a clock, here too. */
void mpsse_set_low(struct pt_vmpsse *m, uint8_t value, uint8_t direction)
{
	bool was_high = level_of(m, MPSSE_TCK) || (m->low_dir & MPSSE_TCK) == 0;

	m->low = value;
	m->low_dir = direction;
	if (!was_high && (direction & MPSSE_TCK) != 0 && (value & MPSSE_TCK) != 0)
		mpsse_clock(m);
	set_resets(m);
}

static bool tdo_level(const struct pt_vmpsse *m)
{
	bool drives = (m->low_dir & MPSSE_TDI) != 0;

	if (m->is_jtag)
		return pt_vjtag_tdo(&m->jtag) != 0;
	if (m->config.wiring == PT_VMPSSE_OPEN)
		return true;
	if (drives && (m->config.wiring == PT_VMPSSE_TIED || !pt_vswd_target_drives(&m->swd)))
		return (m->low & MPSSE_TDI) != 0;
	return pt_vswd_level(&m->swd) != 0;
}

uint8_t mpsse_read_low(const struct pt_vmpsse *m)
{
	uint8_t levels = (uint8_t)((m->low & m->low_dir) | (uint8_t)~m->low_dir);

	if ((m->low_dir & MPSSE_TDO) == 0 && !tdo_level(m))
		levels &= (uint8_t)~MPSSE_TDO;
	if (m->config.wiring == PT_VMPSSE_RTCK && (m->low_dir & MPSSE_RTCK) == 0 && !level_of(m, MPSSE_TCK))
		levels &= (uint8_t)~MPSSE_RTCK;
	return levels;
}

uint8_t mpsse_read_high(const struct pt_vmpsse *m)
{
	return (uint8_t)((m->high & m->high_dir) | (uint8_t)~m->high_dir);
}
