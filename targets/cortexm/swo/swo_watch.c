/* Watches the running source: has the clock changed, do the registers hold what was written, was there a reset? And
 * handles these cases. */
#include <inttypes.h>
#include <math.h>

#include "base/util.h"
#include "host/log.h"
#include "targets/cortexm/swo/swo.h"
#include "trace/loss.h"

enum { BATCH_MS = 1000, CHECK_MS = 100, CHANGE_MS = 25, MANY_SAMPLES = 100, MANY_SKIPPED = 200, MOST_TAKEN = 5, LOOKS_AGAIN = 5, AGAIN_MS = 2, MANY_SLEEPS = 20, SURE_SAMPLES = 500 };
#define DRIFT 1e-4		/* error of a well-measured clock */
#define CHANGED 0.02		/* a greater change means another clock */

/* --- what is seen ------------------------------------------------------------------------------------------------- */

/* The program, or another tool, has written one of the registers. */
static int taken(struct pt_swo *s, const struct pt_swo_reg *which, uint32_t holds, struct pt_err *err)
{
	if (++s->n_taken > MOST_TAKEN)
		return pt_fail(
			err, PT_EBUSY,
			"%s is written by the program or by another tool again and again: the trace unit cannot be shared",
			which->name);
	pt_warn("swo: %s was written by the program or by another tool (0x%08" PRIx32 " in place of 0x%08" PRIx32
		"): what came since the last check may be incomplete; the trace is set up again",
		which->name, holds, which->ours);
	s->renew = PT_LOSS_TAKEN;
	return 0;
}

/* Sets another period for the next stretch; CYCCNT shows where it begins. */
static int step_registers(struct pt_swo *s, uint32_t *dhcsr, uint32_t *differs, struct pt_err *err)
{
	bool samples = (s->kinds & PT_SWO_PC_SAMPLES) != 0;
	bool changes = samples && pt_mem_now_ns(s->mem) - s->changed_ns >= CHANGE_MS * PT_NS_PER_MS;
	struct pt_swo_period next = pt_swo_jitter(&s->period, (unsigned)pt_random(&s->random, PT_SWO_JITTER),
						  (unsigned)pt_random(&s->random, PT_SWO_JITTER));
	uint32_t others = s->regs.reg[s->ctrl].ours & ~pt_swo_period_bits(&(struct pt_swo_period){ true, 15 });
	uint32_t ctrl = others | pt_swo_period_bits(&next);
	uint8_t state[4] = { 0 }, before[4] = { 0 }, behind[4] = { 0 }, found[4] = { 0 }, value[4];
	const uint64_t dwt = s->cm->found.unit[PT_UNIT_DWT];
	struct pt_mem_op op[] = {
		{ .what = PT_MEM_READ, .width_bytes = 4, .addr = pt_cortexm_reg(s->cm, SCS_DHCSR), .bytes = state, .len_bytes = 4 },
		{ .what = PT_MEM_READ, .width_bytes = 4, .addr = dwt + DWT_CTRL, .bytes = found, .len_bytes = 4 },
		{ .what = PT_MEM_READ, .width_bytes = 4, .addr = dwt + DWT_CYCCNT, .bytes = before, .len_bytes = 4 },
		{ .what = PT_MEM_WRITE, .width_bytes = 4, .addr = dwt + DWT_CTRL, .bytes = value, .len_bytes = 4 },
		{ .what = PT_MEM_READ, .width_bytes = 4, .addr = dwt + DWT_CYCCNT, .bytes = behind, .len_bytes = 4 },
	};

	pt_put_le32(value, ctrl);
	if (pt_mem_run(s->mem, op, changes ? 5 : 3, BATCH_MS, NULL, err) < 0)
		return err->code;
	*dhcsr = pt_le32(state);
	*differs = pt_le32(found) ^ s->regs.reg[s->ctrl].ours;
	pt_swo_cycles_read(&s->cycles, pt_le32(before), op[2].sent_ns, op[2].done_ns, pt_swo_missed_ns(s));
	pt_swo_silence_go_on(&s->stream.silence, pt_le32(before));
	if (samples && !changes)
		pt_swo_cadence_go_on(&s->cadence, pt_le32(before));
	if (!changes)
		return 0;
	s->changed_ns = op[4].done_ns;
	s->regs.reg[s->ctrl].ours = ctrl;
	pt_swo_cadence_change(&s->cadence, &next, pt_le32(before), pt_le32(behind));
	return 0;
}

void pt_swo_follow(struct pt_swo *s)
{
	pt_swo_clock_rate(&s->stream.clock, s->core_hz, s->core_wrong > DRIFT ? s->core_wrong : DRIFT);
}

/* The core sleeps, and nothing shows that CYCCNT goes on, as a sample in sleep would. */
static bool may_stand(const struct pt_swo *s, uint32_t dhcsr)
{
	return s->naps || s->sleep.stands || (dhcsr & DHCSR_S_SLEEP) != 0 ||
	       (s->sleep.n_asleep > 0 && s->stream.n_asleep == 0);
}

/* A changed clock still differs when it is read again; a clock that stood only briefly does not. The time of a reading
 * lies between its request and the arrival of its answer: a late host makes this span longer, and the limits of the
 * rate wider, but not wrong. So the remaining cause is a clock that really stood: in Stop mode, while a PLL locks, or
 * on a virtual board, which skips time for which its model had no processor. */
static int look_again(struct pt_swo *s, bool *changed, struct pt_err *err)
{
	struct pt_swo_cycles cycles;
	int rc = 0;

	*changed = true;
	pt_swo_cycles_begin(&cycles);
	for (int i = 0; i <= LOOKS_AGAIN && rc == 0 && *changed; i++) {
		rc = i > 0 ? pt_mem_wait(s->mem, pt_mem_now_ns(s->mem) + AGAIN_MS * PT_NS_PER_MS, err) : 0;
		if (rc == 0)
			rc = pt_swo_read_cyccnt(s, &cycles, err);
		*changed = i == 0 || pt_swo_cycles_pace(&cycles, s->core_hz, CHANGED + s->core_wrong) != PT_SWO_SAME;
	}
	return rc;
}

/* Time is missing in the stamps, and in the rate computed from all readings. */
static void forget_readings(struct pt_swo *s)
{
	s->stream.clock.placed = false;
	pt_swo_cycles_begin(&s->cycles);
}

static int clock_differs(struct pt_swo *s, struct pt_err *err)
{
	double least_hz = s->cycles.least_hz, most_hz = s->cycles.most_hz;
	bool changed;

	if (look_again(s, &changed, err) < 0)
		return err->code;
	if (changed) {
		pt_warn("swo: the core's clock has changed: it was %.3f MHz, and is between %.3f and %.3f MHz; the trace is set up "
			"anew",
			s->core_hz / 1e6, least_hz / 1e6, most_hz / 1e6);
		s->renew = PT_LOSS_CLOCK;
		return 0;
	}
	if (s->n_stood++ == 0)
		pt_warn("swo: the core's clock stood for a moment, or was another, and is %.3f MHz again: times across that are as "
			"exact as the reads of the probe",
			s->core_hz / 1e6);
	forget_readings(s);
	return 0;
}

/* The stamps' clock is the core's. A clock that stands while the core sleeps has not changed: only the time in sleep is
 * missing in the stamps. */
static int follow_clock(struct pt_swo *s, uint32_t dhcsr, struct pt_err *err)
{
	enum pt_swo_pace pace = pt_swo_cycles_pace(&s->cycles, s->core_hz, CHANGED + s->core_wrong);

	if (s->cycles.missing_ns > 0)
		s->stream.clock.placed = false;
	if (pace == PT_SWO_SLOWER && may_stand(s, dhcsr)) {
		if (!s->naps)
			pt_warn("swo: the core's clock stands while the core sleeps: stamps say nothing of how long, and times "
				"across a sleep are as exact as the reads of the probe");
		s->naps = true;
		s->stream.clock.placed = false;
	} else if (pace != PT_SWO_SAME) {
		return clock_differs(s, err);
	} else if (!s->hz_given && !s->naps && s->cycles.wrong < s->core_wrong) {
		s->core_hz = s->cycles.hz;
		s->core_wrong = s->cycles.wrong;
		pt_swo_follow(s);
	}
	return 0;
}

static int check_registers(struct pt_swo *s, struct pt_err *err)
{
	const struct pt_swo_reg *which;
	uint64_t now_ns = pt_mem_now_ns(s->mem);
	uint32_t holds = 0;

	if (now_ns - s->checked_ns < CHECK_MS * PT_NS_PER_MS)
		return 0;
	s->checked_ns = now_ns;
	if (pt_swo_regs_check(&s->regs, s->cm, &which, &holds, err) < 0)
		return err->code;
	return which != NULL ? taken(s, which, holds, err) : 0;
}

/* A pin that is not routed is silent; at another rate it delivers garbage. */
static void look_at_pin(struct pt_swo *s)
{
	const struct pt_swo_stream *stream = &s->stream;
	bool silent = stream->expects && s->cadence.samples > MANY_SAMPLES && stream->n_bytes == 0;
	bool misread = stream->n_bytes > MANY_SAMPLES && stream->n_bad_frames > stream->n_bytes / MANY_SAMPLES;

	bool garbled = !stream->packets.believed && stream->packets.skipped > MANY_SKIPPED;

	if (stream->warned || (!silent && !misread && !garbled))
		return;
	s->stream.warned = true;
	pt_warn("swo: %s; monitor swo doctor, without a profile, finds out why",
		silent ? "nothing comes over the pin, although samples are sent"
		: misread
			? "bytes of the pin have no stop bit: its rate is another than the probe's, or it is another signal"
			: "what comes over the pin is no trace any more: its clock has changed, or another program has set it up");
}

/* --- what is done ------------------------------------------------------------------------------------------------- */

/* Sets everything up again: bytes since the last chunk are not believed. */
static int renew(struct pt_swo *s, struct pt_err *err)
{
	if (pt_swo_take(&s->stream, s->renew, 0, err) < 0)
		return err->code;
	s->cm->demcr &= ~(uint32_t)DEMCR_TRCENA;	/* a loss of power clears it */
	if (pt_cortexm_set_demcr(s->cm, DEMCR_TRCENA, 0, err) < 0 || pt_swo_begin(s, err) < 0)
		return err->code;
	s->uncounted = true;
	pt_emit_loss(&s->out, s->renew, s->on_ns);
	s->out.restarts = true;
	pt_swo_anew(&s->stream, s->out.told_ns);
	s->renew = 0;
	return 0;
}

/* Measures a changed clock again. If the trace clock was the core's, or a fraction of it, it has changed with it. */
static int renew_clock(struct pt_swo *s, struct pt_err *err)
{
	double before_hz = s->core_hz, part = round(s->core_hz / s->trace_hz);
	bool follows = fabs(s->core_hz / s->trace_hz / part - 1) < CHANGED / 10;

	if (s->renew != PT_LOSS_CLOCK)
		return 0;
	if (pt_swo_quiet(s, err) < 0 || pt_swo_find_clocks(s, 0, (uint64_t)llround(s->trace_hz), err) < 0)
		return err->code;
	if (follows)
		s->trace_hz = s->core_hz / part;
	else
		pt_warn("swo: the core's clock was %.3f MHz and is %.3f MHz; the trace clock, %.3f MHz, is no part of it, and is taken to "
			"be as it was",
			before_hz / 1e6, s->core_hz / 1e6, s->trace_hz / 1e6);
	s->chosen = false;
	pt_swo_follow(s);
	return 0;
}

/* For probes that are too slow to see it during the measurement: if the core slept, and none of many samples was taken
 * asleep, CYCCNT stands in sleep. */
static int check_sleep(struct pt_swo *s, uint32_t dhcsr, struct pt_err *err)
{
	s->n_steps++;
	s->n_slept += (dhcsr & DHCSR_S_SLEEP) != 0;
	if (s->hz_given || s->n_slept < MANY_SLEEPS || s->n_slept < s->n_steps / 10 ||
	    s->stream.n_samples < SURE_SAMPLES || s->stream.n_asleep > 0)
		return 0;
	return pt_swo_fail_of_sleep(s->n_slept, s->n_steps, err);
}

int pt_swo_watch(struct pt_swo *s, struct pt_err *err)
{
	const struct pt_swo_reg *ctrl = &s->regs.reg[s->ctrl];
	uint32_t dhcsr = 0, differs = 0;

	if (s->renew != 0 && (renew_clock(s, err) < 0 || renew(s, err) < 0))
		return err->code;
	if (step_registers(s, &dhcsr, &differs, err) < 0)
		return err->code;
	pt_cortexm_saw(s->cm, dhcsr);
	if ((dhcsr & DHCSR_S_RESET_ST) != 0 || pt_cortexm_lost_power(s->cm)) {
		s->renew = PT_LOSS_RESET;
		return 0;
	}
	if ((differs & ctrl->check) != 0)
		return taken(s, ctrl, differs ^ ctrl->ours, err);
	if ((dhcsr & DHCSR_S_HALT) == 0 && (follow_clock(s, dhcsr, err) < 0 || check_sleep(s, dhcsr, err) < 0))
		return err->code;
	look_at_pin(s);
	pt_swo_watch_load(s, pt_mem_now_ns(s->mem));
	return s->renew == 0 ? check_registers(s, err) : 0;
}
