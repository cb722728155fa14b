#include "profile/flow/runclock.h"

#include <string.h>

#include "decode/decoder.h"
#include "base/util.h"

static const struct pt_param core_clock_word = { .key = "core-clock", .type = PT_PARAM_HZ };

struct pt_runclock pt_runclock_of(const struct pt_params *words)
{
	return (struct pt_runclock){ .core_hz = pt_params_number(words, &core_clock_word), .ns = PT_UNKNOWN };
}

void pt_runclock_config(struct pt_runclock *c, const char *text, size_t len_bytes)
{
	const char *value;
	int len = pt_config_find(text, len_bytes, "core_hz", &value);
	char copy[32] = "";

	if (c->core_hz != 0 || len <= 0 || (size_t)len >= sizeof(copy))
		return;
	memcpy(copy, value, (size_t)len);
	pt_params_parse(PT_PARAM_NUMBER, copy, &c->core_hz, NULL);
}

uint64_t pt_runclock_at(const struct pt_runclock *c, uint64_t cycles)
{
	if (c->ns == PT_UNKNOWN || c->core_hz == 0 || cycles < c->cycles)
		return c->ns;
	return c->ns + (uint64_t)((double)(cycles - c->cycles) * 1e9 / (double)c->core_hz);
}

/* Reckoned from the same moment as before, from is what we reckon, too: then that one stays, for it is exact. */
void pt_runclock_begin(struct pt_runclock *c, uint64_t cycles, struct pt_moment from)
{
	if (from.ns == pt_runclock_at(c, cycles))
		return;
	c->cycles = cycles;
	c->ns = from.ns;
}
