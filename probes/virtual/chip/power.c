/* The supply and the reset pin of a chip. */
#include "probes/virtual/chip/power.h"

uint64_t pt_vpower_advance(struct pt_vpower *power, const struct pt_vwires *wires, uint64_t to_ns)
{
	if (to_ns <= power->now_ns)
		return 0;
	power->now_ns = to_ns;
	return power->on ? pt_vwires_cycles(wires, to_ns - power->since_ns) : 0;
}

bool pt_vpower_set_nreset(struct pt_vpower *power, bool asserted)
{
	bool was = power->nreset;

	power->nreset = asserted;
	return power->on && was != asserted;
}

bool pt_vpower_set(struct pt_vpower *power, bool on)
{
	bool was = power->on;

	power->on = on;
	if (was || !on)
		return false;
	power->since_ns = power->now_ns;
	return true;
}

void pt_vpower_scramble(uint8_t *ram, size_t n_bytes)
{
	uint32_t noise = 0x2545f491;

	for (size_t i = 0; i < n_bytes; i++) {
		noise ^= noise << 13;
		noise ^= noise >> 17;
		noise ^= noise << 5;
		ram[i] = (uint8_t)noise;
	}
}
