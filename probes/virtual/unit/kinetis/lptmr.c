/* CSR 0, PSR 4, CMR 8, CNR c; a write to CNR latches the count for the read. */
#include "probes/virtual/unit/kinetis/lptmr.h"

enum { CSR = 0x0, PSR = 0x4, CMR = 0x8, CNR = 0xc };

#define TEN (UINT32_C(1) << 0)
#define TMS (UINT32_C(1) << 1)
#define TFC (UINT32_C(1) << 2)
#define TIE (UINT32_C(1) << 6)
#define TCF (UINT32_C(1) << 7)
#define CSR_BITS UINT32_C(0x7f)
#define PBYP (UINT32_C(1) << 2)

/* PSR.PCS: MCGIRCLK (the 8 MHz LIRC), LPO, ERCLK32K, OSCERCLK (8 MHz crystal of the demo boards). */
static const uint32_t source_hz[4] = { 8000000, 1000, 32768, 8000000 };

static uint64_t cycles_per_count(const struct pt_vlptmr *lptmr)
{
	uint64_t divider = (lptmr->psr & PBYP) != 0 ? 1 : UINT64_C(2) << (lptmr->psr >> 3 & 0xf);
	uint64_t cycles = lptmr->wires->core_hz * divider / source_hz[lptmr->psr & 3];

	if ((lptmr->csr & (TEN | TMS)) != TEN)
		return 0;
	return cycles != 0 ? cycles : 1;
}

static void interrupt(struct pt_vlptmr *lptmr)
{
	pt_vwires_irq(lptmr->wires, lptmr->irq, (lptmr->csr & (TIE | TCF)) == (TIE | TCF));
}

/* TFC: the counter runs free to 16 bits; else it starts again behind CMR. */
static uint32_t count(const struct pt_vlptmr *lptmr)
{
	return (uint32_t)pt_vtimer_count(&lptmr->timer, pt_vwires_now(lptmr->wires)) & 0xffff;
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const struct pt_vlptmr *lptmr = unit;

	(void)access;
	switch (offset) {
	case CSR: *value = lptmr->csr; break;
	case PSR: *value = lptmr->psr; break;
	case CMR: *value = lptmr->cmr; break;
	case CNR: *value = lptmr->latched; break;
	default: *value = 0; break;
	}
	return true;
}

/* Switching on starts at 0, and clears TCF. */
static void write_csr(struct pt_vlptmr *lptmr, uint32_t value)
{
	bool was_on = (lptmr->csr & TEN) != 0, clears = (value & TCF) != 0 || (value & TEN) == 0;

	lptmr->csr = (value & CSR_BITS) | (clears ? 0 : lptmr->csr & TCF);
	if (was_on == ((value & TEN) != 0))
		return;
	lptmr->timer.start_cycle = pt_vwires_now(lptmr->wires);
	lptmr->timer.counts = lptmr->cmr + 1;
	lptmr->timer.cycles_per_count = cycles_per_count(lptmr);
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vlptmr *lptmr = unit;

	(void)access;
	if (offset == CSR) {
		write_csr(lptmr, value);
	} else if (offset == PSR) {
		lptmr->psr = value & 0x7f;
	} else if (offset == CMR) {
		lptmr->cmr = value & 0xffff;
		lptmr->timer.counts = lptmr->cmr + 1;
	} else if (offset == CNR) {
		lptmr->latched = count(lptmr);
	}
	interrupt(lptmr);
	return true;
}

static uint64_t next_tick(void *unit)
{
	return pt_vtimer_end(&((const struct pt_vlptmr *)unit)->timer);
}

/* Free running: the next match is a full turn of 16 bits away. */
static void tick(void *unit, uint64_t now_cycle)
{
	struct pt_vlptmr *lptmr = unit;
	uint64_t start = lptmr->timer.start_cycle;

	if (!pt_vtimer_round(&lptmr->timer, now_cycle))
		return;
	if ((lptmr->csr & TFC) != 0) {
		lptmr->timer.start_cycle = start;
		lptmr->timer.counts += 0x10000;
	}
	lptmr->csr |= TCF;
	interrupt(lptmr);
}

static void reset(void *unit, bool power_on)
{
	struct pt_vlptmr *lptmr = unit;

	(void)power_on;
	pt_vlptmr_init(lptmr, lptmr->wires, lptmr->irq);
	interrupt(lptmr);
}

void pt_vlptmr_init(struct pt_vlptmr *lptmr, const struct pt_vwires *wires, unsigned irq)
{
	*lptmr = (struct pt_vlptmr){ .wires = wires, .irq = irq };
}

const struct pt_vunit_ops pt_vlptmr_ops = {
	.name = "LPTMR", .read = read, .write = write, .reset = reset, .next_tick = next_tick, .tick = tick,
};
