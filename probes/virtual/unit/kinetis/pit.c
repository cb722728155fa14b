/* MCR 0; from 0x100, 16 bytes a channel: LDVAL, CVAL, TCTRL, TFLG. */
#include "probes/virtual/unit/kinetis/pit.h"

enum { MCR = 0x00, CHANNELS = 0x100, LDVAL = 0x0, CVAL = 0x4, TCTRL = 0x8, TFLG = 0xc };

#define MCR_MDIS (UINT32_C(1) << 1)
#define MCR_BITS UINT32_C(0x7)
#define MCR_RESET UINT32_C(0x6)
#define TEN (UINT32_C(1) << 0)
#define TIE (UINT32_C(1) << 1)
#define CHN (UINT32_C(1) << 2)

static void interrupt(struct pt_vpit *pit)
{
	bool level = false;

	for (unsigned n = 0; n < PT_VPIT_CHANNELS; n++)
		level |= pit->channel[n].flag && (pit->channel[n].control & TIE) != 0;
	pt_vwires_irq(pit->wires, pit->irq, level);
}

static bool chained(const struct pt_vpit *pit, unsigned n)
{
	return n == 1 && (pit->channel[1].control & CHN) != 0;
}

static bool enabled(const struct pt_vpit *pit, unsigned n)
{
	return (pit->mcr & MCR_MDIS) == 0 && (pit->channel[n].control & TEN) != 0;
}

/* Begin a round from LDVAL, or stop. */
static void start(struct pt_vpit *pit, unsigned n)
{
	struct pt_vtimer *timer = &pit->channel[n].timer;

	timer->cycles_per_count = enabled(pit, n) && !chained(pit, n) ? pit->bus_divider : 0;
	timer->counts = (uint64_t)pit->channel[n].load + 1;
	timer->start_cycle = pt_vwires_now(pit->wires);
	if (chained(pit, n))
		pit->chained_left = pit->channel[n].load;
}

static uint32_t current(const struct pt_vpit *pit, unsigned n)
{
	if (chained(pit, n))
		return pit->chained_left;
	return pit->channel[n].load - (uint32_t)pt_vtimer_count(&pit->channel[n].timer, pt_vwires_now(pit->wires));
}

static uint32_t word_at(const struct pt_vpit *pit, uint32_t offset)
{
	uint32_t n = (offset - CHANNELS) / 16;

	if (offset == MCR)
		return pit->mcr;
	if (n >= PT_VPIT_CHANNELS)
		return 0;
	switch (offset & 0xf) {
	case LDVAL: return pit->channel[n].load;
	case CVAL: return current(pit, n);
	case TCTRL: return pit->channel[n].control;
	default: return pit->channel[n].flag;
	}
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	*value = access->size_bytes == 4 ? word_at(unit, offset) : 0;
	return true;
}

static void write_mcr(struct pt_vpit *pit, uint32_t value)
{
	bool toggled = ((pit->mcr ^ value) & MCR_MDIS) != 0;

	pit->mcr = value & MCR_BITS;
	for (unsigned n = 0; toggled && n < PT_VPIT_CHANNELS; n++)
		start(pit, n);
}

/* A new LDVAL counts from the next round; a channel that is switched on starts afresh. */
static void write_channel(struct pt_vpit *pit, unsigned n, uint32_t offset, uint32_t value)
{
	uint32_t was = pit->channel[n].control;

	if (offset == LDVAL)
		pit->channel[n].load = value;
	else if (offset == TFLG)
		pit->channel[n].flag = pit->channel[n].flag && (value & 1) == 0;
	else if (offset == TCTRL)
		pit->channel[n].control = value & (TEN | TIE | CHN);
	if (((was ^ pit->channel[n].control) & (TEN | CHN)) != 0)
		start(pit, n);
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vpit *pit = unit;
	uint32_t n = (offset - CHANNELS) / 16;

	if (access->size_bytes != 4)
		return true;
	if (offset == MCR)
		write_mcr(pit, value);
	else if (n < PT_VPIT_CHANNELS)
		write_channel(pit, n, offset & 0xf, value);
	interrupt(pit);
	return true;
}

static uint64_t next_tick(void *unit)
{
	const struct pt_vpit *pit = unit;
	uint64_t first = pt_vtimer_end(&pit->channel[0].timer), second = pt_vtimer_end(&pit->channel[1].timer);

	return first < second ? first : second;
}

static void count_chained(struct pt_vpit *pit)
{
	if (!chained(pit, 1) || !enabled(pit, 1))
		return;
	if (pit->chained_left > 0) {
		pit->chained_left--;
		return;
	}
	pit->chained_left = pit->channel[1].load;
	pit->channel[1].flag = true;
}

static void tick(void *unit, uint64_t now_cycle)
{
	struct pt_vpit *pit = unit;

	for (unsigned n = 0; n < PT_VPIT_CHANNELS; n++) {
		if (!pt_vtimer_round(&pit->channel[n].timer, now_cycle))
			continue;
		pit->channel[n].timer.counts = (uint64_t)pit->channel[n].load + 1;
		pit->channel[n].flag = true;
		if (n == 0)
			count_chained(pit);
	}
	interrupt(pit);
}

static void reset(void *unit, bool power_on)
{
	struct pt_vpit *pit = unit;

	(void)power_on;
	pt_vpit_init(pit, pit->wires, pit->irq, pit->bus_divider);
	interrupt(pit);
}

void pt_vpit_init(struct pt_vpit *pit, const struct pt_vwires *wires, unsigned irq, unsigned bus_divider)
{
	*pit = (struct pt_vpit){ .wires = wires, .irq = irq, .bus_divider = bus_divider, .mcr = MCR_RESET };
}

const struct pt_vunit_ops pt_vpit_ops = {
	.name = "PIT", .read = read, .write = write, .reset = reset, .next_tick = next_tick, .tick = tick,
};
