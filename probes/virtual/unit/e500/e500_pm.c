/* Numbers of registers are group * 128 + supervisor * 16 + counter. Each counter takes what its event has moved since
 * it last looked, unless it is frozen; chained ones look last, as often as there are links. */
#include <string.h>

#include "probes/virtual/unit/e500/e500_pm.h"

/* PMGC0. Source: E500CORERM Rev. 1, Table 7-3 */
#define FAC UINT32_C(0x80000000)
#define PMIE UINT32_C(0x40000000)
#define FCECE UINT32_C(0x20000000)
#define TBEE UINT32_C(0x00000100)
#define TBSEL UINT32_C(0x00001800)

/* PMLCa, PMLCb, PMC. Source: E500CORERM Rev. 1, Tables 7-4 to 7-6; what later cores add: NXP's qoriq-debug,
 * pmr_cpu_v1.h */
#define FC UINT32_C(0x80000000)
#define FCS UINT32_C(0x40000000)
#define FCU UINT32_C(0x20000000)
#define FCM1 UINT32_C(0x10000000)
#define FCM0 UINT32_C(0x08000000)
#define CE UINT32_C(0x04000000)
#define FGCS1 UINT32_C(0x00000002)	/* e500mc and later, as FGCS0 */
#define FGCS0 UINT32_C(0x00000001)
#define PMLCB_BITS UINT32_C(0x0000073f)
#define PMLCB_BITS_QORIQ UINT32_C(0xff80e73f)
#define OV UINT32_C(0x80000000)

enum { FIRST_THRESHOLD = 76, LAST_THRESHOLD = 81, FIRST_CHAIN = 82, LAST_CHAIN = 85, TB_EDGE = 90,
       CHAIN_4 = 91, CHAIN_5 = 92, EVENTS_END = 512 };
enum { N_THRESHOLD_COUNTERS = 2 };

static unsigned event_of(const struct pt_ve500_pm *pm, unsigned n)
{
	return pm->pmlca[n] >> 16 & (EVENTS_END - 1);
}

/* The counter whose overflows an event is; the e6500 has two more. Source: OProfile's event files */
static int overflows_of(enum pt_ve500_core core, unsigned event)
{
	if (event >= FIRST_CHAIN && event <= LAST_CHAIN)
		return (int)(event - FIRST_CHAIN);
	return pt_ve500_kinds[core].n_pmcs > 4 && (event == CHAIN_4 || event == CHAIN_5) ? (int)(event - CHAIN_4) + 4
											 : -1;
}

static int chained_to(const struct pt_ve500_pm *pm, unsigned event)
{
	return overflows_of(pm->core, event);
}

static bool is_chained(const struct pt_ve500_pm *pm, unsigned n)
{
	return chained_to(pm, event_of(pm, n)) >= 0;
}

/* Source: OProfile's event files, Linux' e500-pmu.c: v1 has no TBEE, and the e6500 dropped the thresholds. */
static bool has_edges(enum pt_ve500_core core, unsigned event)
{
	return event == TB_EDGE && pt_ve500_kinds[core].time_events;
}

static bool has_threshold(enum pt_ve500_core core, unsigned event)
{
	return event >= FIRST_THRESHOLD && event <= LAST_THRESHOLD && core != PT_VE500_CORE_E6500;
}

bool pt_ve500_pm_counts(enum pt_ve500_core core, unsigned event)
{
	return pt_ve500_counts(core, event) || has_threshold(core, event) || has_edges(core, event) ||
	       overflows_of(core, event) >= 0;
}

/* What event n's counter counts, since power-on. */
static uint64_t happened(const struct pt_ve500_pm *pm, unsigned n)
{
	unsigned event = event_of(pm, n);

	if (chained_to(pm, event) >= 0)
		return pm->falls[chained_to(pm, event)];
	if (has_edges(pm->core, event))
		return pm->edges;
	return pm->counts[event] ? pt_ve500_events(pm->cpu)[event] : 0;
}

static bool frozen(const struct pt_ve500_pm *pm, unsigned n, uint32_t msr)
{
	uint32_t a = pm->pmlca[n];
	bool user = (msr & PT_VE500_MSR_PR) != 0, marked = (msr & PT_VE500_MSR_PMM) != 0;
	bool guest = (msr & PT_VE500_MSR_GS) != 0;

	return (pm->pmgc0 & FAC) != 0 || (a & FC) != 0 || ((a & FCS) != 0 && !user) || ((a & FCU) != 0 && user) ||
	       ((a & FCM1) != 0 && marked) || ((a & FCM0) != 0 && !marked) || ((a & FGCS1) != 0 && guest) ||
	       ((a & FGCS0) != 0 && !guest);
}

/* An enabled condition. */
static void condition(struct pt_ve500_pm *pm)
{
	if ((pm->pmgc0 & FCECE) != 0)
		pm->pmgc0 |= FAC;
	if ((pm->pmgc0 & PMIE) != 0) {
		pm->pmgc0 &= ~PMIE;
		pm->pending = true;
	}
}

/* What comes of an instruction is counted by all counters, whichever of them it makes overflow: no
 * manual says so, UNVERIFIED. */
static void set_counter(struct pt_ve500_pm *pm, unsigned n, uint32_t value)
{
	uint32_t was = pm->pmc[n];

	pm->pmc[n] = value;
	pm->falls[n] += (was & ~value & OV) != 0;
	if ((value & ~was & OV) == 0 || (pm->pmlca[n] & CE) == 0)
		return;
	if (pm->counting)
		pm->overflowed = true;
	else
		condition(pm);
}

static void look_at(struct pt_ve500_pm *pm, unsigned n, uint32_t msr)
{
	uint64_t now = happened(pm, n), delta = pm->fresh[n] ? 0 : now - pm->seen[n];

	pm->seen[n] = now;
	if (delta != 0 && !frozen(pm, n, msr))
		set_counter(pm, n, pm->pmc[n] + (uint32_t)delta);
}

static unsigned time_bit(const struct pt_ve500_pm *pm)
{
	static const uint8_t bits[] = { 0, 8, 12, 16 };		/* TBL[31], [23], [19], [15], from the low end */

	return bits[pm->pmgc0 >> 11 & 3];
}

static bool uses_edges(const struct pt_ve500_pm *pm)
{
	for (unsigned n = 0; n < pm->n_pmcs; n++)
		if (has_edges(pm->core, event_of(pm, n)))
			return true;
	return (pm->pmgc0 & TBEE) != 0;
}

static void schedule(struct pt_ve500_pm *pm)
{
	pm->next_edge = uses_edges(pm) ? pt_ve500_next_edge(pm->cpu, time_bit(pm)) : PT_VNEVER;
}

/* Several edges may have passed where the core slept. */
static void pass_edges(struct pt_ve500_pm *pm)
{
	uint64_t now = pt_ve500_cycle(pm->cpu);

	while (pm->next_edge <= now) {
		uint64_t next = pt_ve500_next_edge(pm->cpu, time_bit(pm)), period = next - pm->next_edge;

		pm->edges++;
		if ((pm->pmgc0 & TBEE) != 0)
			condition(pm);
		pm->next_edge = next > now || period == 0 ? next : pm->next_edge + period;
	}
}

static bool step(void *arg, uint32_t msr)
{
	struct pt_ve500_pm *pm = arg;

	if (pm->next_edge != PT_VNEVER)
		pass_edges(pm);
	if (!pm->active)
		return pm->pending;
	pm->counting = true;
	for (unsigned n = 0; n < pm->n_pmcs; n++)
		if (!is_chained(pm, n))
			look_at(pm, n, msr);
	for (unsigned links = 1; links < pm->n_pmcs; links++)
		for (unsigned n = 0; n < pm->n_pmcs; n++)
			if (is_chained(pm, n))
				look_at(pm, n, msr);
	memset(pm->fresh, 0, sizeof(pm->fresh));
	pm->counting = false;
	if (pm->overflowed)
		condition(pm);
	pm->overflowed = false;
	return pm->pending;
}

/* The two counters that have thresholds. Source: E500CORERM Rev. 1, Table 7-5 */
static void lasted(void *arg, unsigned event, uint32_t cycles, uint32_t msr)
{
	struct pt_ve500_pm *pm = arg;

	for (unsigned n = 0; n < N_THRESHOLD_COUNTERS; n++) {
		uint32_t threshold = (pm->pmlcb[n] & 63) << (pm->pmlcb[n] >> 8 & 7);

		if (event_of(pm, n) == event && has_threshold(pm->core, event) && cycles > threshold &&
		    !frozen(pm, n, msr))
			set_counter(pm, n, pm->pmc[n] + 1);
	}
}

/* Still overflowed and still enabled, or the time base's doing. */
static bool interrupt(void *arg)
{
	struct pt_ve500_pm *pm = arg;
	bool holds = (pm->pmgc0 & TBEE) != 0;

	for (unsigned n = 0; n < pm->n_pmcs; n++)
		holds |= (pm->pmlca[n] & CE) != 0 && (pm->pmc[n] & OV) != 0;
	if (pm->next_edge != PT_VNEVER)
		pass_edges(pm);
	pm->pending &= holds;
	return pm->pending;
}

static uint64_t next(void *arg, uint64_t now_cycle)
{
	(void)now_cycle;
	return ((struct pt_ve500_pm *)arg)->next_edge;
}

/* --- registers */

static uint32_t *register_of(struct pt_ve500_pm *pm, unsigned pmr)
{
	unsigned n = pmr & 15;

	if (pmr == 384 || pmr == 400)
		return &pm->pmgc0;
	if (n >= pm->n_pmcs || pmr >= 384)
		return NULL;
	switch (pmr & ~31u) {
	case 0: return &pm->pmc[n];
	case 128: return &pm->pmlca[n];
	case 256: return &pm->pmlcb[n];
	default: return NULL;
	}
}

bool pt_ve500_pm_read(struct pt_ve500_pm *pm, unsigned pmr, uint32_t *value)
{
	const uint32_t *at = register_of(pm, pmr);

	if (at == NULL)
		return false;
	*value = *at;
	return true;
}

/* Nobody looked while nothing counted. */
static void activate(struct pt_ve500_pm *pm)
{
	bool was = pm->active;

	pm->active = false;
	for (unsigned n = 0; n < pm->n_pmcs; n++)
		pm->active |= (pm->pmlca[n] & FC) == 0 && event_of(pm, n) != 0;
	pm->active &= (pm->pmgc0 & FAC) == 0;
	for (unsigned n = 0; n < pm->n_pmcs && !was; n++)
		pm->seen[n] = happened(pm, n);
	schedule(pm);
}

/* The counters that a register has to do with begin anew, with the next instruction. */
static void touch(struct pt_ve500_pm *pm, unsigned pmr, bool by_instruction)
{
	for (unsigned n = 0; n < pm->n_pmcs; n++) {
		if (pmr < 384 && n != (pmr & 15))
			continue;
		pm->seen[n] = happened(pm, n);
		pm->fresh[n] = by_instruction;
	}
}

/* Which a control register has; the others read 0. Source: E500CORERM Rev. 1, Tables 7-3 to 7-5; NXP's qoriq-debug,
 * pmr_cpu_v1.h */
static uint32_t bits_of(const struct pt_ve500_pm *pm, unsigned pmr)
{
	const struct pt_ve500_kind *kind = &pt_ve500_kinds[pm->core];

	if (pmr >= 384)
		return FAC | PMIE | FCECE | (kind->time_events ? TBEE | TBSEL : 0);
	if (pmr >= 256)
		return kind->qoriq ? PMLCB_BITS_QORIQ : PMLCB_BITS;
	return FC | FCS | FCU | FCM1 | FCM0 | CE | ((UINT32_C(1) << kind->event_bits) - 1) << 16 |
	       (kind->qoriq ? FGCS1 | FGCS0 : 0);
}

static bool write(struct pt_ve500_pm *pm, unsigned pmr, uint32_t value, bool by_instruction)
{
	uint32_t *at = register_of(pm, pmr);

	if (at == NULL || (pmr & 16) == 0)
		return false;
	if (pmr < 128)
		set_counter(pm, (unsigned)(at - pm->pmc), value);
	else
		*at = value & bits_of(pm, pmr);
	activate(pm);
	touch(pm, pmr, by_instruction);
	return true;
}

bool pt_ve500_pm_write(struct pt_ve500_pm *pm, unsigned pmr, uint32_t value)
{
	return write(pm, pmr, value, false);
}

static bool read_pmr(void *arg, unsigned pmr, uint32_t *value)
{
	return pt_ve500_pm_read(arg, pmr, value);
}

static bool write_pmr(void *arg, unsigned pmr, uint32_t value)
{
	return write(arg, pmr, value, true);
}

void pt_ve500_pm_reset(struct pt_ve500_pm *pm)
{
	struct pt_ve500 *cpu = pm->cpu;
	enum pt_ve500_core core = pt_ve500_core(cpu);

	*pm = (struct pt_ve500_pm){ .cpu = cpu, .core = core, .n_pmcs = pt_ve500_kinds[core].n_pmcs,
				    .next_edge = PT_VNEVER };
	for (unsigned event = 0; event < PT_VE500_EVENTS; event++)
		pm->counts[event] = pt_ve500_counts(core, event);
}

void pt_ve500_pm_init(struct pt_ve500_pm *pm, struct pt_ve500 *cpu)
{
	const struct pt_ve500_watcher watcher = {
		.arg = pm, .step = step, .lasted = lasted, .read = read_pmr, .write = write_pmr, .interrupt = interrupt,
		.next = next,
	};

	pm->cpu = cpu;
	pt_ve500_pm_reset(pm);
	pt_ve500_set_watcher(cpu, &watcher);
}
