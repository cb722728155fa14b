/* The count is a point in time and a number. What happens next is the nearest compare or overflow; what has happened is
 * settled before anybody looks. */
#include "probes/virtual/unit/s12z/s12z_tim.h"

enum { TIOS = 0x00, TCNT = 0x04, TSCR1 = 0x06, TIE = 0x0c, TSCR2 = 0x0d, TFLG1 = 0x0e, TFLG2 = 0x0f, TC0 = 0x10 };
enum { TEN = 0x80, TFFCA = 0x10, TOI = 0x80, PRESCALE = 0x07, TOF = 0x80 };
enum { FULL = 65536 };

static bool runs(const struct pt_vs12z_tim *tim)
{
	return (tim->tscr1 & TEN) != 0;
}

static uint64_t cycles_per_count(const struct pt_vs12z_tim *tim)
{
	return UINT64_C(1) << (tim->tscr2 & PRESCALE);
}

static uint64_t counts(const struct pt_vs12z_tim *tim)
{
	return runs(tim) ? (pt_vwires_now(tim->wires) - tim->begin_cycle) / cycles_per_count(tim) : 0;
}

/* Counts from begin until the count is next at a value, after told_count. */
static uint64_t next_at(const struct pt_vs12z_tim *tim, uint32_t value)
{
	uint64_t now = tim->count + tim->told_count;

	return tim->told_count + ((value - now - 1) & (FULL - 1)) + 1;
}

static bool compares(const struct pt_vs12z_tim *tim, unsigned n)
{
	return (tim->tios >> n & 1) != 0;
}

static void interrupts(struct pt_vs12z_tim *tim)
{
	for (unsigned n = 0; n < PT_VS12Z_TIM_CHANNELS; n++)
		pt_vwires_irq(tim->wires, tim->irq + n, (tim->tflg1 & tim->tie & 1u << n) != 0);
	pt_vwires_irq(tim->wires, tim->irq + PT_VS12Z_TIM_CHANNELS, (tim->tflg2 & TOF) != 0 && (tim->tscr2 & TOI) != 0);
}

static void settle(struct pt_vs12z_tim *tim)
{
	uint64_t n_counts = counts(tim);

	for (unsigned n = 0; n < PT_VS12Z_TIM_CHANNELS; n++)
		if (compares(tim, n) && next_at(tim, tim->tc[n]) <= n_counts)
			tim->tflg1 |= (uint8_t)(1u << n);
	if (next_at(tim, 0) <= n_counts)
		tim->tflg2 |= TOF;
	tim->told_count = n_counts;
	interrupts(tim);
}

/* Whatever changes how the count goes on begins a new stretch. */
static void rebase(struct pt_vs12z_tim *tim)
{
	tim->count = (uint16_t)(tim->count + tim->told_count);
	tim->begin_cycle = pt_vwires_now(tim->wires);
	tim->told_count = 0;
}

static uint64_t next_tick(void *unit)
{
	const struct pt_vs12z_tim *tim = unit;
	uint64_t first = UINT64_MAX;

	if (!runs(tim))
		return PT_VNEVER;
	for (unsigned n = 0; n < PT_VS12Z_TIM_CHANNELS; n++)
		if (compares(tim, n) && next_at(tim, tim->tc[n]) < first)
			first = next_at(tim, tim->tc[n]);
	if ((tim->tscr2 & TOI) != 0 && next_at(tim, 0) < first)
		first = next_at(tim, 0);
	return first != UINT64_MAX ? tim->begin_cycle + first * cycles_per_count(tim) : PT_VNEVER;
}

static void tick(void *unit, uint64_t now_cycle)
{
	(void)now_cycle;
	settle(unit);
}

static uint8_t read_byte(const struct pt_vs12z_tim *tim, uint32_t offset)
{
	uint16_t count = (uint16_t)(tim->count + tim->told_count);

	switch (offset) {
	case TIOS:
		return tim->tios;
	case TCNT:
		return (uint8_t)(count >> 8);
	case TCNT + 1:
		return (uint8_t)count;
	case TSCR1:
		return tim->tscr1;
	case TIE:
		return tim->tie;
	case TSCR2:
		return tim->tscr2;
	case TFLG1:
		return tim->tflg1;
	case TFLG2:
		return tim->tflg2;
	default:
		break;
	}
	if (offset >= TC0 && offset < TC0 + 2 * PT_VS12Z_TIM_CHANNELS)
		return (uint8_t)(tim->tc[(offset - TC0) / 2] >> (offset % 2 == 0 ? 8 : 0));
	return 0;
}

static void write_compare(struct pt_vs12z_tim *tim, unsigned n, bool high, uint8_t value)
{
	tim->tc[n] = (uint16_t)(high ? value << 8 | (tim->tc[n] & 0xff) : (tim->tc[n] & 0xff00) | value);
	if ((tim->tscr1 & TFFCA) != 0)
		tim->tflg1 &= (uint8_t)~(1u << n);
}

static void write_byte(struct pt_vs12z_tim *tim, uint32_t offset, uint8_t value)
{
	switch (offset) {
	case TIOS:
		tim->tios = value & ((1u << PT_VS12Z_TIM_CHANNELS) - 1);
		break;
	case TSCR1:
		rebase(tim);
		tim->tscr1 = value & 0xf8;
		break;
	case TIE:
		tim->tie = value & ((1u << PT_VS12Z_TIM_CHANNELS) - 1);
		break;
	case TSCR2:
		rebase(tim);
		tim->tscr2 = value & (TOI | PRESCALE);
		break;
	case TFLG1:
		tim->tflg1 &= (uint8_t)~value;
		break;
	case TFLG2:
		tim->tflg2 &= (uint8_t)~value;
		break;
	default:
		if (offset >= TC0 && offset < TC0 + 2 * PT_VS12Z_TIM_CHANNELS)
			write_compare(tim, (offset - TC0) / 2, offset % 2 == 0, value);
	}
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	settle(unit);
	*value = 0;
	for (unsigned i = 0; i < access->size_bytes; i++)
		*value = *value << 8 | read_byte(unit, offset + i);
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	settle(unit);
	for (unsigned i = 0; i < access->size_bytes; i++)
		write_byte(unit, offset + i, (uint8_t)(value >> 8 * (access->size_bytes - 1 - i)));
	interrupts(unit);
	return true;
}

static void reset(void *unit, bool power_on)
{
	struct pt_vs12z_tim *tim = unit;

	(void)power_on;
	pt_vs12z_tim_init(tim, tim->wires, tim->irq);
	interrupts(tim);
}

void pt_vs12z_tim_init(struct pt_vs12z_tim *tim, const struct pt_vwires *wires, unsigned irq)
{
	*tim = (struct pt_vs12z_tim){ .wires = wires, .irq = irq };
}

const struct pt_vunit_ops pt_vs12z_tim_ops = {
	.name = "TIM", .read = read, .write = write, .reset = reset, .next_tick = next_tick, .tick = tick,
};
