/* A counter is where it was and when; what happened since is settled before anybody looks. Counting up it rolls over
 * behind 0xffffffff, counting down behind 0; then T0INT is set and, with ARHT, TLR loaded. Source: PG079, "Register
 * Space" and "Generate Mode". */
#include "probes/virtual/unit/amd/axi_timer.h"

enum { TCSR = 0x00, TLR = 0x04, TCR = 0x08, EACH = 0x10 };
enum { UDT = 1 << 1, ARHT = 1 << 4, LOAD = 1 << 5, ENIT = 1 << 6, ENT = 1 << 7, TINT = 1 << 8, ENALL = 1 << 10 };
enum { KEPT = 0x6ff & ~TINT };

static bool runs(const struct pt_vaxi_counter *c)
{
	return (c->tcsr & (ENT | LOAD)) == ENT;
}

/* Cycles from the count to the roll-over: one behind the last value. */
static uint64_t to_roll_over(const struct pt_vaxi_counter *c)
{
	return (c->tcsr & UDT) != 0 ? c->count + 1 : (UINT64_C(1) << 32) - c->count;
}

static void count_on(struct pt_vaxi_counter *c, uint64_t n)
{
	c->count = (uint32_t)((c->tcsr & UDT) != 0 ? c->count - n : c->count + n);
}

static void settle(struct pt_vaxi_timer *timer, struct pt_vaxi_counter *c)
{
	uint64_t now = pt_vwires_now(timer->wires), n = now - c->from_cycle;

	c->from_cycle = now;
	if (!runs(c))
		return;
	while (n >= to_roll_over(c)) {
		n -= to_roll_over(c);
		c->tcsr |= TINT;
		if ((c->tcsr & ARHT) == 0) {	/* it stops */
			c->tcsr &= ~(uint32_t)ENT;
			c->count = (c->tcsr & UDT) != 0 ? UINT32_MAX : 0;
			return;
		}
		c->count = c->tlr;
	}
	count_on(c, n);
}

static void drive(const struct pt_vaxi_timer *timer)
{
	bool out = false;

	for (size_t i = 0; i < 2; i++)
		out |= (timer->counter[i].tcsr & (TINT | ENIT)) == (TINT | ENIT);
	pt_vwires_irq(timer->wires, timer->irq, out);
}

static void settle_all(struct pt_vaxi_timer *timer)
{
	settle(timer, &timer->counter[0]);
	settle(timer, &timer->counter[1]);
	drive(timer);
}

static uint64_t next_tick(void *unit)
{
	const struct pt_vaxi_timer *timer = unit;
	uint64_t first = PT_VNEVER;

	for (size_t i = 0; i < 2; i++) {
		const struct pt_vaxi_counter *c = &timer->counter[i];
		uint64_t at = runs(c) ? c->from_cycle + to_roll_over(c) : PT_VNEVER;

		if (at < first)
			first = at;
	}
	return first;
}

static void tick(void *unit, uint64_t now_cycle)
{
	(void)now_cycle;
	settle_all(unit);
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	struct pt_vaxi_timer *timer = unit;
	const struct pt_vaxi_counter *c = &timer->counter[offset / EACH & 1];

	settle_all(timer);
	switch (offset % EACH & ~3u) {
	case TCSR: *value = c->tcsr; break;
	case TLR: *value = c->tlr; break;
	case TCR: *value = (uint32_t)c->count; break;
	default: *value = 0;
	}
	return access->size_bytes == 4 && offset < 2 * EACH;
}

static void write_tcsr(struct pt_vaxi_timer *timer, struct pt_vaxi_counter *c, uint32_t value)
{
	c->tcsr = (value & KEPT) | (c->tcsr & ~value & TINT);	/* a written 1 clears TINT */
	if ((value & LOAD) != 0)
		c->count = c->tlr;
	if ((value & ENALL) != 0)
		for (size_t i = 0; i < 2; i++)
			timer->counter[i].tcsr |= ENT;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vaxi_timer *timer = unit;
	struct pt_vaxi_counter *c = &timer->counter[offset / EACH & 1];

	settle_all(timer);
	if (offset % EACH == TCSR)
		write_tcsr(timer, c, value);
	else if (offset % EACH == TLR)
		c->tlr = value;
	drive(timer);
	return access->size_bytes == 4 && offset < 2 * EACH;
}

static void reset(void *unit, bool power_on)
{
	struct pt_vaxi_timer *timer = unit;

	(void)power_on;
	for (size_t i = 0; i < 2; i++)
		timer->counter[i] = (struct pt_vaxi_counter){ .from_cycle = pt_vwires_now(timer->wires) };
	drive(timer);
}

void pt_vaxi_timer_init(struct pt_vaxi_timer *timer, const struct pt_vwires *wires, unsigned irq)
{
	timer->wires = wires;
	timer->irq = irq;
}

const struct pt_vunit_ops pt_vaxi_timer_ops = {
	.name = "AXI Timer", .read = read, .write = write, .reset = reset, .next_tick = next_tick, .tick = tick,
};
