/* Measures the core's clock, by CYCCNT against the probe's clock, and whether it stands while the core sleeps: then
 * CYCCNT does not show the clock, and the pin may stop. */
#include <math.h>

#include "base/util.h"
#include "host/log.h"
#include "targets/cortexm/core/cycle_counter.h"
#include "targets/cortexm/swo/swo.h"

enum { MEASURE_MS = 100, MOST_MEASURES = 40, BATCH_MS = 1000, EACH = 3, LOOKS = 32, REST_MS = 4, MANY_SLEEPS = 10 };
#define NEAR_AWAKE 0.2
#define ENOUGH_WRONG 5e-3	/* sufficient for the rate of the pin */
#define GIVEN_WRONG 1e-4	/* relative error of a clock that the user sets */
#define GIVEN_OFF 5e-4		/* and the error of a crystal and the probe's clock; more means another clock */

/* --- sleep -------------------------------------------------------------------------------------------------------- */

struct looks {
	struct pt_swo_cycles cycles;
	double least_hz, most_hz;	/* between two readings: the smallest upper limit, the largest lower limit */
};

/* Evaluates DHCSR, and CYCCNT twice in a row. A counter that has not changed in between stands; so does one whose rate
 * varies, if the probe reports the time of its reads. */
static void take_looks(struct pt_swo *s, const struct pt_mem_op *op, struct looks *looks, struct pt_swo_sleep *sleep)
{
	uint32_t dhcsr = pt_le32(op[0].bytes);

	pt_cortexm_saw(s->cm, dhcsr);
	sleep->n_reads++;
	sleep->n_asleep += (dhcsr & DHCSR_S_SLEEP) != 0;
	sleep->stands |= pt_le32(op[1].bytes) == pt_le32(op[2].bytes);
	pt_swo_cycles_read(&looks->cycles, pt_le32(op[1].bytes), op[1].sent_ns, op[1].done_ns, pt_swo_missed_ns(s));
	if (looks->cycles.cycles == 0)
		return;
	looks->least_hz = looks->cycles.most_hz < looks->least_hz ? looks->cycles.most_hz : looks->least_hz;
	looks->most_hz = looks->cycles.least_hz > looks->most_hz ? looks->cycles.least_hz : looks->most_hz;
}

static int look_at_sleep(struct pt_swo *s, struct looks *looks, struct pt_swo_sleep *sleep, struct pt_err *err)
{
	const uint64_t at[EACH] = { pt_cortexm_reg(s->cm, SCS_DHCSR), pt_swo_dwt(s, DWT_CYCCNT), pt_swo_dwt(s, DWT_CYCCNT) };
	struct pt_mem_op op[EACH * LOOKS];
	uint8_t bytes[EACH * LOOKS][4] = { { 0 } };

	for (size_t i = 0; i < PT_LEN(op); i++)
		op[i] = (struct pt_mem_op){ .what = PT_MEM_READ, .width_bytes = 4, .addr = at[i % EACH], .bytes = bytes[i],
					    .len_bytes = 4 };
	if (pt_mem_run(s->mem, op, PT_LEN(op), BATCH_MS, NULL, err) < 0)
		return err->code;
	for (size_t i = 0; i < PT_LEN(op); i += EACH)
		take_looks(s, op + i, looks, sleep);
	return 0;
}

/* Reads at random times, so that no loop of the program runs in step. */
static int watch_sleep(struct pt_swo *s, uint64_t for_ns, struct pt_swo_sleep *sleep, struct pt_err *err)
{
	struct looks looks = { .least_hz = INFINITY };
	uint64_t until_ns = pt_mem_now_ns(s->mem) + for_ns;
	int rc = 0;

	pt_swo_cycles_begin(&looks.cycles);
	while (rc == 0 && pt_mem_now_ns(s->mem) < until_ns) {
		rc = look_at_sleep(s, &looks, sleep, err);
		if (rc == 0)
			rc = pt_mem_wait(s->mem,
					 pt_mem_now_ns(s->mem) + pt_random_delay(&s->random, REST_MS * PT_NS_PER_MS),
					 err);
	}
	sleep->stands |= sleep->n_asleep > 0 && looks.most_hz > looks.least_hz * (1 + PT_SWO_MOST_OFF);
	return rc;
}

/* --- the core's clock --------------------------------------------------------------------------------------------- */

int pt_swo_read_cyccnt(struct pt_swo *s, struct pt_swo_cycles *cycles, struct pt_err *err)
{
	uint8_t bytes[4] = { 0 };
	struct pt_mem_op op = { .what = PT_MEM_READ, .width_bytes = 4, .addr = pt_swo_dwt(s, DWT_CYCCNT), .bytes = bytes,
				.len_bytes = sizeof(bytes) };

	if (pt_mem_run(s->mem, &op, 1, BATCH_MS, NULL, err) < 0)
		return pt_wrap(err, "read CYCCNT");
	pt_swo_cycles_read(cycles, pt_le32(bytes), op.sent_ns, op.done_ns, pt_swo_missed_ns(s));
	return 0;
}

/* Measures until the relative error is below wrong, for at least 0.1 s, which also shows whether the clock stands in
 * sleep. */
static int measure(struct pt_swo *s, double wrong, struct pt_err *err)
{
	struct pt_cycle_counter counter;
	struct pt_err ignored = { 0 };
	int rc;

	if (pt_cycle_counter_on(s->cm, &counter, false, err) < 0)
		return err->code;
	pt_swo_cycles_begin(&s->cycles);
	s->sleep = (struct pt_swo_sleep){ 0 };
	rc = pt_swo_read_cyccnt(s, &s->cycles, err);
	for (int i = 0; i < MOST_MEASURES && rc == 0 && (i == 0 || s->cycles.wrong > wrong); i++) {
		rc = watch_sleep(s, MEASURE_MS * PT_NS_PER_MS, &s->sleep, err);
		if (rc == 0)
			rc = pt_swo_read_cyccnt(s, &s->cycles, err);
	}
	pt_cycle_counter_off(s->cm, &counter, &ignored);
	return rc;
}

/* The ratio of CYCCNT to this clock is the part of the time in which the core is awake: even a probe that is too slow
 * to see it stand sees this. */
static bool stands_as_given(const struct pt_swo *s, double given_hz)
{
	double awake = 1 - s->sleep.n_asleep / (s->sleep.n_reads + 1e-9);

	return s->sleep.stands ||
	       (s->sleep.n_asleep > MANY_SLEEPS && fabs(s->cycles.hz / (given_hz * awake) - 1) < NEAR_AWAKE);
}

static void bound_by_measure(struct pt_swo *s)
{
	s->least_hz = fmin(s->core_hz, s->cycles.hz * (1 - s->cycles.wrong));
	s->most_hz = fmax(s->core_hz, s->cycles.hz * (1 + s->cycles.wrong));
}

/* The measured clock is near the user's value, but differs: each time lies between the results of the two. */
static void doubt_given(struct pt_swo *s, bool moves)
{
	double off = moves ? s->cycles.hz / s->core_hz - 1 : 0;

	if (fabs(off) <= GIVEN_OFF + s->cycles.wrong || (off < 0 && s->sleep.n_asleep > 0))
		return;
	bound_by_measure(s);
	s->core_wrong = fabs(off) + s->cycles.wrong;
	pt_warn("swo: core-clock is %.4f MHz, and the core's cycle counter shows %.4f MHz: times have limits for both",
		s->core_hz / 1e6, s->cycles.hz / 1e6);
}

/* The user's value is used as long as it can be true: a clock that stands in sleep is not slower because of that. */
static void compare_with_given(struct pt_swo *s, double given_hz, bool moves)
{
	enum pt_swo_pace pace = moves ? pt_swo_cycles_pace(&s->cycles, given_hz, PT_SWO_MOST_OFF) : PT_SWO_SAME;

	s->hz_given = pace == PT_SWO_SAME || (pace == PT_SWO_SLOWER && stands_as_given(s, given_hz));
	if (s->hz_given) {
		s->core_hz = given_hz;
		s->core_wrong = GIVEN_WRONG;
		doubt_given(s, moves);
	} else {
		pt_warn("swo: the core's clock is %.3f MHz as its cycle counter shows, and not %.3f MHz: that is taken",
			s->core_hz / 1e6, given_hz / 1e6);
	}
}

static int find_core_clock(struct pt_swo *s, uint64_t given_hz, double wrong, struct pt_err *err)
{
	bool moves;

	if (!s->held && measure(s, wrong, err) < 0)
		return err->code;
	moves = !s->held && s->cycles.cycles > 0 && s->cycles.wrong < 1;
	if (!moves && given_hz == 0)
		return pt_fail(
			err, PT_ESTATE,
			"the core %s, so that its clock cannot be measured: let it run first, or say core-clock=HZ",
			s->held ? "is halted" : "sleeps, and its clock stands meanwhile");
	s->hz_given = false;
	s->core_hz = moves ? s->cycles.hz : (double)given_hz;
	s->core_wrong = moves ? s->cycles.wrong : PT_SWO_MOST_OFF;
	s->least_hz = s->most_hz = 0;
	if (given_hz != 0)
		compare_with_given(s, (double)given_hz, moves);
	if (!s->hz_given)
		bound_by_measure(s);
	return 0;
}

int pt_swo_find_core_clock(struct pt_swo *s, double wrong, struct pt_err *err)
{
	return find_core_clock(s, 0, wrong, err);
}

int pt_swo_fail_of_sleep(unsigned n_asleep, unsigned n_reads, struct pt_err *err)
{
	return pt_fail(err, PT_ESTATE,
		       "the core's clock stands while the core sleeps (asleep in %u of %u reads), so that its cycle "
		       "counter does not show how fast it is: say core-clock=HZ",
		       n_asleep, n_reads);
}

int pt_swo_find_clocks(struct pt_swo *s, uint64_t given_hz, uint64_t trace_hz, struct pt_err *err)
{
	if (find_core_clock(s, given_hz, ENOUGH_WRONG, err) < 0)
		return err->code;
	if (s->sleep.stands && !s->hz_given)
		return pt_swo_fail_of_sleep(s->sleep.n_asleep, s->sleep.n_reads, err);
	s->trace_hz = trace_hz != 0 ? (double)trace_hz : s->recipe->clock_hz != 0 ? s->recipe->clock_hz : s->core_hz;
	if (trace_hz != 0 || s->recipe->clock_hz != 0 || s->recipe->core_clock)
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED, "which clock %s divides for its pin is not known: say trace-clock=HZ",
		       s->cm->chip.name);
}
