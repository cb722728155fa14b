#include "probes/virtual/unit/arm/cmsdk_timer.h"

enum { CTRL = 0x0, VALUE = 0x4, RELOAD = 0x8, INTCLEAR = 0xc };	/* the last one reads as INTSTATUS */
enum { ENABLE = 1, INTERRUPT = 8, CTRL_BITS = 0xf };

static uint32_t value_now(const struct pt_vcmsdk_timer *t)
{
	uint64_t count = pt_vtimer_count(&t->timer, pt_vwires_now(t->wires));

	if (t->timer.cycles_per_count == 0)
		return t->held;
	return count < t->timer.counts ? (uint32_t)(t->timer.counts - count) : 0;
}

/* Count down from a value, or stand there. */
static void go_on(struct pt_vcmsdk_timer *t, uint32_t from)
{
	t->held = from;
	t->timer = (struct pt_vtimer){
		.start_cycle = pt_vwires_now(t->wires), .counts = from,
		.cycles_per_count = (t->ctrl & ENABLE) != 0 && from != 0,
	};
}

static void interrupt(const struct pt_vcmsdk_timer *t)
{
	pt_vwires_irq(t->wires, t->irq, t->pending);
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const struct pt_vcmsdk_timer *t = unit;

	(void)access;
	switch (offset) {
	case CTRL: *value = t->ctrl; break;
	case VALUE: *value = value_now(t); break;
	case RELOAD: *value = t->reload; break;
	case INTCLEAR: *value = t->pending; break;
	default: *value = 0; break;
	}
	return true;
}

/* A write of RELOAD is one of VALUE, too. */
static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vcmsdk_timer *t = unit;
	uint32_t now = value_now(t);

	(void)access;
	switch (offset) {
	case CTRL:
		t->ctrl = value & CTRL_BITS;
		go_on(t, now);
		break;
	case RELOAD:
		t->reload = value;
		go_on(t, value);
		break;
	case VALUE:
		go_on(t, value);
		break;
	case INTCLEAR:
		t->pending = t->pending && (value & 1) == 0;
		break;
	}
	interrupt(t);
	return true;
}

static uint64_t next_tick(void *unit)
{
	return pt_vtimer_end(&((const struct pt_vcmsdk_timer *)unit)->timer);
}

/* At 0 it interrupts, and one clock later it is at RELOAD. */
static void tick(void *unit, uint64_t now_cycle)
{
	struct pt_vcmsdk_timer *t = unit;

	if (!pt_vtimer_round(&t->timer, now_cycle))
		return;
	t->timer.counts = (uint64_t)t->reload + 1;
	if (t->reload == 0)
		go_on(t, 0);
	t->pending = t->pending || (t->ctrl & INTERRUPT) != 0;
	interrupt(t);
}

static void reset(void *unit, bool power_on)
{
	struct pt_vcmsdk_timer *t = unit;

	(void)power_on;
	pt_vcmsdk_timer_init(t, t->wires, t->irq);
	interrupt(t);
}

void pt_vcmsdk_timer_init(struct pt_vcmsdk_timer *timer, const struct pt_vwires *wires, unsigned irq)
{
	*timer = (struct pt_vcmsdk_timer){ .wires = wires, .irq = irq };
}

const struct pt_vunit_ops pt_vcmsdk_timer_ops = {
	.name = "CMSDK timer", .read = read, .write = write, .reset = reset, .next_tick = next_tick, .tick = tick,
};
