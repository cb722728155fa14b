#include "probes/virtual/wire/pin_clock.h"
#include "base/util.h"

uint64_t pt_vclock_now_ns(struct pt_vclock *clock)
{
	uint64_t scaled = clock->clocks * PT_NS_PER_S + clock->remainder;

	clock->ns += scaled / clock->hz;
	clock->remainder = scaled % clock->hz;
	clock->clocks = 0;
	return clock->ns;
}

void pt_vclock_idle_until(struct pt_vclock *clock, uint64_t at_ns)
{
	if (pt_vclock_now_ns(clock) >= at_ns)
		return;
	clock->ns = at_ns;
	clock->remainder = 0;
}

void pt_vclock_set(struct pt_vclock *clock, uint32_t hz)
{
	pt_vclock_now_ns(clock);
	clock->hz = hz;
	clock->remainder = 0;
}
