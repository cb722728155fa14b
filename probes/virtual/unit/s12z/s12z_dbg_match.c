/* Comparators. With INST one looks at op-code addresses, else at data accesses that touch its address; A and C look at
 * data, too: byte lanes by address bits 1:0, only those of the access and of the mask (1 = compared; UNVERIFIED). A
 * range takes the settings of its lower comparator, and is that one's channel. */
#include "probes/virtual/unit/s12z/s12z_dbg_parts.h"

static const uint8_t *registers(const struct pt_vs12z_dbg *dbg, unsigned channel)
{
	return dbg->reg + DBGXCTL + channel * COMPARATOR_BYTES;
}

uint32_t dbg_comparator_address(const struct pt_vs12z_dbg *dbg, unsigned channel)
{
	const uint8_t *reg = registers(dbg, channel);

	return (uint32_t)reg[5] << 16 | (uint32_t)reg[6] << 8 | reg[7];
}

static bool enabled(const struct pt_vs12z_dbg *dbg, unsigned channel)
{
	return (registers(dbg, channel)[0] & COMPE) != 0 && !(dbg->quirks.no_trace && channel == CHANNEL_C);
}

static unsigned range_of(const struct pt_vs12z_dbg *dbg, unsigned channel)
{
	unsigned mode = dbg->reg[DBGC2] >> (channel >= CHANNEL_C ? 2 : 0) & 3;

	return mode > RANGE_OUTSIDE ? RANGE_OFF : mode;
}

/* The upper one of a range is only its border. */
static bool is_border(const struct pt_vs12z_dbg *dbg, unsigned channel)
{
	return (channel == CHANNEL_B || channel == CHANNEL_D) && range_of(dbg, channel) != RANGE_OFF;
}

static bool kind_fits(uint8_t control, enum dbg_look look)
{
	if ((control & INST) != 0 || look == LOOK_FETCH)
		return (control & INST) != 0 && look == LOOK_FETCH;
	return (control & RWE) == 0 || ((control & RW) != 0) == (look == LOOK_READ);
}

static bool address_fits(const struct pt_vs12z_dbg *dbg, unsigned channel, const struct dbg_access *access)
{
	uint32_t at = dbg_comparator_address(dbg, channel), end;

	if (range_of(dbg, channel) == RANGE_OFF)
		return at - access->addr < access->size_bytes;
	end = dbg_comparator_address(dbg, channel + 1);
	return (access->addr >= at && access->addr <= end) == (range_of(dbg, channel) == RANGE_INSIDE);
}

static bool data_equal(const uint8_t *reg, const struct dbg_access *access)
{
	for (unsigned i = 0; i < access->size_bytes; i++) {
		unsigned lane = (access->addr + i) & 3;
		uint8_t byte = (uint8_t)(access->value >> 8 * (access->size_bytes - 1 - i));

		if (((byte ^ reg[8 + lane]) & reg[12 + lane]) != 0)
			return false;
	}
	return true;
}

/* NDB: every access but those with this data; without a mask there is nothing to compare. */
static bool data_fits(const struct pt_vs12z_dbg *dbg, unsigned channel, const struct dbg_access *access)
{
	const uint8_t *reg = registers(dbg, channel);

	if (access->look == LOOK_FETCH || (channel != CHANNEL_A && channel != CHANNEL_C) ||
	    (reg[12] | reg[13] | reg[14] | reg[15]) == 0)
		return true;
	return data_equal(reg, access) != ((reg[0] & NDB) != 0);
}

unsigned dbg_matches(const struct pt_vs12z_dbg *dbg, const struct dbg_access *access)
{
	unsigned channels = 0;

	for (unsigned n = 0; n < CHANNELS; n++)
		if (enabled(dbg, n) && !is_border(dbg, n) && kind_fits(registers(dbg, n)[0], access->look) &&
		    address_fits(dbg, n, access) && data_fits(dbg, n, access))
			channels |= 1u << n;
	return channels;
}

bool dbg_looks_at(const struct pt_vs12z_dbg *dbg, bool fetches)
{
	for (unsigned n = 0; n < CHANNELS; n++)
		if (enabled(dbg, n) && ((registers(dbg, n)[0] & INST) != 0) == fetches)
			return true;
	return false;
}
