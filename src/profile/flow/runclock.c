#include "profile/flow/runclock.h"

#include "base/util.h"

static const struct pt_param core_clock_word = { .key = "core-clock", .type = PT_PARAM_HZ };

struct pt_runclock pt_runclock_of(const struct pt_params *words)
{
	return (struct pt_runclock){ .core_hz = pt_params_number(words, &core_clock_word), .ns = PT_UNKNOWN };
}

void pt_runclock_config(struct pt_runclock *c, const struct pt_config *config)
{
	if (c->core_hz == 0)
		c->core_hz = pt_config_core_hz(config);
}

uint64_t pt_runclock_at(const struct pt_runclock *c, uint64_t cycles)
{
	if (c->ns == PT_UNKNOWN || c->core_hz == 0 || cycles < c->cycles)
		return c->ns;
	return c->ns + (uint64_t)((double)(cycles - c->cycles) * 1e9 / (double)c->core_hz);
}

/* Reckoned from the same moment as before, from is what we reckon, too: then that one stays, for it is exact. */
void pt_runclock_begin(struct pt_runclock *c, uint64_t cycles, struct pt_timestamp from)
{
	if (from.ns == pt_runclock_at(c, cycles))
		return;
	c->cycles = cycles;
	c->ns = from.ns;
}
