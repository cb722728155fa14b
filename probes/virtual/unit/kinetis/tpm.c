/* SC 0, CNT 4, MOD 8, from 0xc CnSC and CnV, STATUS 50, POL 70, CONF 84. The clock is the core's, divided by 2^PS. */
#include "probes/virtual/unit/kinetis/tpm.h"

enum { SC = 0x00, CNT = 0x04, MOD = 0x08, C0SC = 0x0c, STATUS = 0x50, POL = 0x70, CONF = 0x84 };

#define PS UINT32_C(0x7)
#define CMOD (UINT32_C(3) << 3)		/* 1: the module clock; other sources are pins */
#define TOIE (UINT32_C(1) << 6)
#define TOF (UINT32_C(1) << 7)
#define SC_BITS UINT32_C(0x17f)
#define CHIE (UINT32_C(1) << 6)
#define CHF (UINT32_C(1) << 7)
#define CSC_BITS UINT32_C(0x7d)
#define MS_ELS UINT32_C(0x3c)		/* all 0: the channel is off */

static uint64_t now(const struct pt_vtpm *tpm)
{
	return pt_vwires_now(tpm->wires);
}

static void interrupt(struct pt_vtpm *tpm)
{
	bool level = (tpm->sc & (TOIE | TOF)) == (TOIE | TOF);

	for (unsigned n = 0; n < PT_VTPM_CHANNELS; n++)
		level |= (tpm->channel[n].csc & (CHIE | CHF)) == (CHIE | CHF);
	pt_vwires_irq(tpm->wires, tpm->irq, level);
}

/* Counts from where the counter is, at the rate that SC says now. */
static void retime(struct pt_vtpm *tpm, uint64_t count)
{
	tpm->timer.cycles_per_count = (tpm->sc & CMOD) == UINT32_C(1) << 3 ? UINT64_C(1) << (tpm->sc & PS) : 0;
	tpm->timer.start_cycle = now(tpm) - count * tpm->timer.cycles_per_count;
	tpm->timer.counts = (uint64_t)tpm->mod + 1;
}

static uint64_t match_cycle(const struct pt_vtpm *tpm, unsigned n)
{
	const struct pt_vtimer *t = &tpm->timer;

	if ((tpm->channel[n].csc & MS_ELS) == 0 || tpm->channel[n].matched || tpm->channel[n].value >= t->counts)
		return PT_VNEVER;
	return t->cycles_per_count != 0 ? t->start_cycle + tpm->channel[n].value * t->cycles_per_count : PT_VNEVER;
}

static uint32_t status(const struct pt_vtpm *tpm)
{
	uint32_t value = (tpm->sc & TOF) != 0 ? UINT32_C(1) << 8 : 0;

	for (unsigned n = 0; n < PT_VTPM_CHANNELS; n++)
		value |= (uint32_t)((tpm->channel[n].csc & CHF) != 0) << n;
	return value;
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const struct pt_vtpm *tpm = unit;
	uint32_t n = (offset - C0SC) / 8;

	(void)access;
	switch (offset) {
	case SC: *value = tpm->sc; return true;
	case CNT: *value = (uint32_t)pt_vtimer_count(&tpm->timer, now(tpm)) & 0xffff; return true;
	case MOD: *value = tpm->mod; return true;
	case STATUS: *value = status(tpm); return true;
	case POL: *value = tpm->pol; return true;
	case CONF: *value = tpm->conf; return true;
	}
	*value = 0;
	if (n < PT_VTPM_CHANNELS)
		*value = (offset - C0SC) % 8 == 0 ? tpm->channel[n].csc : tpm->channel[n].value;
	return true;
}

/* A new compare value, or a channel that was off: what lies behind the counter is for the next round. */
static void rearm(struct pt_vtpm *tpm, unsigned n)
{
	tpm->channel[n].matched = false;
	tpm->channel[n].matched = match_cycle(tpm, n) < now(tpm);
}

static void write_channel(struct pt_vtpm *tpm, unsigned n, bool is_value, uint32_t value)
{
	uint32_t was = tpm->channel[n].csc;

	if (is_value)
		tpm->channel[n].value = value & 0xffff;
	else
		tpm->channel[n].csc = (value & CSC_BITS) | (was & CHF & ~value);
	if (is_value || (was & MS_ELS) == 0)
		rearm(tpm, n);
}

static void write_status(struct pt_vtpm *tpm, uint32_t value)
{
	if ((value >> 8 & 1) != 0)
		tpm->sc &= ~TOF;
	for (unsigned n = 0; n < PT_VTPM_CHANNELS; n++)
		if ((value >> n & 1) != 0)
			tpm->channel[n].csc &= ~CHF;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vtpm *tpm = unit;
	uint32_t n = (offset - C0SC) / 8;
	uint64_t count = pt_vtimer_count(&tpm->timer, now(tpm));

	(void)access;
	if (offset == SC)
		tpm->sc = (value & SC_BITS) | (tpm->sc & TOF & ~value);
	else if (offset == MOD)
		tpm->mod = value & 0xffff;
	else if (offset == STATUS)
		write_status(tpm, value);
	else if (offset == POL)
		tpm->pol = value & 0x3f;
	else if (offset == CONF)
		tpm->conf = value;
	else if (n < PT_VTPM_CHANNELS)
		write_channel(tpm, n, (offset - C0SC) % 8 == 4, value);
	if (offset == SC || offset == MOD || offset == CNT)
		retime(tpm, offset == CNT ? 0 : count);	/* any write clears CNT */
	interrupt(tpm);
	return true;
}

static uint64_t next_tick(void *unit)
{
	const struct pt_vtpm *tpm = unit;
	uint64_t first = pt_vtimer_end(&tpm->timer);

	for (unsigned n = 0; n < PT_VTPM_CHANNELS; n++)
		if (match_cycle(tpm, n) < first)
			first = match_cycle(tpm, n);
	return first;
}

static void tick(void *unit, uint64_t now_cycle)
{
	struct pt_vtpm *tpm = unit;

	for (unsigned n = 0; n < PT_VTPM_CHANNELS; n++) {
		if (match_cycle(tpm, n) > now_cycle)
			continue;
		tpm->channel[n].matched = true;
		tpm->channel[n].csc |= CHF;
	}
	if (pt_vtimer_round(&tpm->timer, now_cycle)) {
		tpm->sc |= TOF;
		for (unsigned n = 0; n < PT_VTPM_CHANNELS; n++)
			tpm->channel[n].matched = false;
	}
	interrupt(tpm);
}

static void reset(void *unit, bool power_on)
{
	struct pt_vtpm *tpm = unit;

	(void)power_on;
	pt_vtpm_init(tpm, tpm->wires, tpm->irq);
	interrupt(tpm);
}

void pt_vtpm_init(struct pt_vtpm *tpm, const struct pt_vwires *wires, unsigned irq)
{
	*tpm = (struct pt_vtpm){ .wires = wires, .irq = irq, .mod = 0xffff };
	tpm->timer.counts = (uint64_t)tpm->mod + 1;
}

const struct pt_vunit_ops pt_vtpm_ops = {
	.name = "TPM", .read = read, .write = write, .reset = reset, .next_tick = next_tick, .tick = tick,
};
