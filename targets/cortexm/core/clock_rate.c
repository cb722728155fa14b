/* Measures the core's clock by SysTick: a debug port can read it while the program runs undisturbed. With its reload
 * value each reading is a phase; count_rate.h computes a rate from them. If the user asks for it, and the core has a
 * cycle counter (from ARMv7-M on), this is used: it shows the core's own clock, whatever the program does with SysTick.
 * It is switched on for this, and restored. Source: Arm DDI 0419, B3.3; DDI 0403, C1.8.8 (CYCCNT). */
#include <inttypes.h>

#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/core/cycle_counter.h"
#include "base/util.h"

#define SYST_CSR UINT32_C(0xe000e010)
#define SYST_RVR UINT32_C(0xe000e014)
#define SYST_CVR UINT32_C(0xe000e018)
#define SYST_CALIB UINT32_C(0xe000e01c)
enum { ENABLE = 1, CLKSOURCE = 4, NOREF_BIT = 31, COUNT = 0xffffff };
enum { ASKED_MS = 400, BESIDE_MS = 40, MOST_READINGS = PT_COUNT_RATE_READINGS };
#define LEAST_HZ 1e3
#define MOST_HZ 200e6		/* upper limit of all Cortex-M0 and M0+ */
#define MOST_CYCCNT_HZ 1e9
#define CYCCNT_PERIOD 4294967296.0

struct counter {
	uint64_t addr;
	uint32_t top;		/* it counts down from this value; 0: it counts up, in 32 bits */
};

static uint64_t now_ns(const struct pt_cortexm *cm)
{
	return pt_link_now_ns(pt_probe_link(cm->target->probe));
}

/* CSR is read only if the user asked for it: a read clears COUNTFLAG, which the program may wait for. Without CSR, the
 * clock is certainly the core's if there is no other (CALIB.NOREF), or if it is too fast for a reference clock, which
 * is slower. */
static int look_at_systick(struct pt_cortexm *cm, bool asked, uint32_t *reload, bool *is_core, struct pt_err *err)
{
	uint32_t calib = 0, csr = ENABLE;

	if (pt_mem_read32(cm->mem, SYST_RVR, reload, err) < 0 || pt_mem_read32(cm->mem, SYST_CALIB, &calib, err) < 0 ||
	    (asked && pt_mem_read32(cm->mem, SYST_CSR, &csr, err) < 0))
		return pt_wrap(err, "read SysTick");
	*reload &= COUNT;
	*is_core = calib >> NOREF_BIT != 0 || (csr & CLKSOURCE) != 0;
	if ((csr & ENABLE) == 0 || *reload == 0)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "the program does not use SysTick, and this core has no other counter");
	return 0;
}

/* Reads at times independent of the timer's period, with growing distance. */
static int read_often(struct pt_cortexm *cm, uint64_t until_ns, const struct counter *counter,
		      struct pt_count_rate *rate, struct pt_err *err)
{
	uint32_t random = 1, value, first = 0;
	uint64_t from_ns, to_ns = 0;
	bool moves = false;

	for (unsigned i = 0; i < MOST_READINGS && to_ns < until_ns; i++) {
		from_ns = now_ns(cm);
		if (pt_mem_read32(cm->mem, counter->addr, &value, err) < 0)
			return pt_wrap(err, "read %s", counter->top != 0 ? "SysTick" : "CYCCNT");
		to_ns = now_ns(cm);
		moves |= i > 0 && value != first;
		first = i == 0 ? value : first;
		pt_count_rate_add(rate, from_ns, to_ns, counter->top != 0 ? counter->top - (value & COUNT) : value);
		random = random * 1664525 + 1013904223;
		if (pt_mem_wait(cm->mem, to_ns + (to_ns - from_ns) * (random >> 24) / 128 * (20 + i) / 20, err) < 0)
			return err->code;
	}
	pt_count_rate_settle(rate);
	if (moves)
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED,
		       counter->top != 0 ? "the program does not use SysTick, and this core has no other counter"
					 : "the cycle counter does not count: the core's clock does, asleep");
}

/* A counter that is this fast does not count a reference clock: the core's clock would be faster than any core's. */
static bool is_too_fast_for_reference(const struct pt_cortexm *cm, const struct pt_count_rate *rate)
{
	unsigned divider = cm->chip.systick_divider;

	return divider != 0 && rate->n_bands > 0 && !pt_count_rate_fits(rate, 0, MOST_HZ / divider);
}

static int by_systick(struct pt_cortexm *cm, bool asked, struct pt_count_rate *rate, bool *is_core, struct pt_err *err)
{
	struct counter systick = { .addr = SYST_CVR };

	if (look_at_systick(cm, asked, &systick.top, is_core, err) < 0)
		return err->code;
	pt_count_rate_begin(rate, (double)systick.top + 1, LEAST_HZ, MOST_HZ);
	if (read_often(cm, now_ns(cm) + (asked ? ASKED_MS : BESIDE_MS) * PT_NS_PER_MS, &systick, rate, err) < 0)
		return err->code;
	*is_core |= is_too_fast_for_reference(cm, rate);
	return 0;
}

static int by_cycles(struct pt_cortexm *cm, struct pt_cycle_counter *cycles, struct pt_count_rate *rate, bool *is_core,
		     struct pt_err *err)
{
	const struct counter cyccnt = { .addr = cm->found.unit[PT_UNIT_DWT] + (uint64_t)DWT_CYCCNT };
	struct pt_err ignored = { 0 };
	int rc;

	*is_core = true;
	pt_count_rate_begin(rate, CYCCNT_PERIOD, LEAST_HZ, MOST_CYCCNT_HZ);
	rc = read_often(cm, now_ns(cm) + ASKED_MS * PT_NS_PER_MS, &cyccnt, rate, err);
	if (pt_cycle_counter_off(cm, cycles, rc < 0 ? &ignored : err) < 0 && rc == 0)
		return err->code;
	return rc;
}

int pt_cortexm_clock_rate(void *state, bool asked, struct pt_count_rate *rate, bool *is_core, struct pt_err *err)
{
	struct pt_cortexm *cm = state;
	struct pt_err ignored = { 0 };
	struct pt_core_status status;
	struct pt_cycle_counter cycles;

	if (pt_cortexm_status(cm, 0, &status, err) < 0)
		return err->code;
	cm->was_reset |= status.was_reset;	/* kept for whoever waits for a reset */
	if (status.state != PT_RUNNING && status.state != PT_SLEEPING)
		return pt_fail(err, PT_ESTATE,
			       "the core does not run, and its counters stand: let it run first (no --reset)");
	if (asked && pt_cycle_counter_on(cm, &cycles, false, &ignored) == 0)
		return by_cycles(cm, &cycles, rate, is_core, err);
	return by_systick(cm, asked, rate, is_core, err);
}
