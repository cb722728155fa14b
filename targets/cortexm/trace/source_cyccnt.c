/* The source cyccnt: the cycle counter of the DWT, read while the core runs, and shares of its eight-bit counters:
 * cycles lost to multi-cycle instructions and fetches (CPI), exceptions, sleep, loads and stores, and instructions that
 * took no cycle (FOLD).
 *
 * Eight bits wrap after 256 counts; none of these counts more than once a cycle. So one of them at a time is read many
 * times in a row, as fast as possible: a slot. CYCCNT before and after the slot gives the mean number of cycles between
 * two reads; if this is so far below 256 that no single gap can hide a wrap, the sum of the differences is the count.
 * If it is not, the slot is dropped, and nothing is reported of that counter: a faster wire may help. The counters take
 * turns, and the trace marks the slots, so that the analysis can scale them, with the error. Source: Arm DDI 0403
 * (ARMv7-M), C1.8.8 (CYCCNT) to C1.8.13 (FOLDCNT). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "host/log.h"
#include "targets/contract/emit.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/core/cycle_counter.h"
#include "targets/cortexm/trace/core_sources.h"
#include "targets/cortexm/trace/sources.h"
#include "trace/formats.h"
#include "trace/itm_counters.h"

enum { N_EVENTS = PT_N_ITM_COUNTERS, SLOT_READS = 512, EDGE_READS = 2, MOST_CYCLES = 128, HELD_REST_US = 200000, SLOT_MS = 2000 };
#define FASTEST_HZ UINT64_C(1000000000)	/* faster than all these cores: CYCCNT wraps less than twice between readings */

static const char owner[] = "profile";
/* In the order of their registers. */
enum { PERIOD, EVENTS, CORE, N_PARAMS };
static const struct pt_param params[] = {
	[PERIOD] = { .key = "period", .type = PT_PARAM_TIME, .standard = "20ms", .min = 1000000, .max = 1000000000,
		     .help = "longest period expected in the program: readings are 0 to twice that apart" },
	[EVENTS] = { .key = "events", .type = PT_PARAM_CHOICE, .standard = "auto", .choices = "auto|all|none",
		     .help = "the eight-bit counters: where the wire is fast enough for them; or refuse where it is not; "
			     "or cycles alone" },
	[CORE] = PT_CORE_SOURCES_ROW,
};

struct cyccnt {
	struct pt_cortexm *cm;
	struct pt_mem *mem;
	struct pt_emit out;
	struct pt_cycle_counter counter;
	uint64_t random, period_ns, next_ns;
	uint64_t round_trip_ns;		/* of the last reading that had CYCCNT alone */
	unsigned event;			/* which counter has the next slot */
	uint64_t too_slow, slots;
	bool with_events, held, away, leased;
	char unit[PT_PENDING_UNIT];
	uint8_t before[4], after[4], reads[4 * SLOT_READS];
	uint8_t records[5 * PT_COUNTERS_BYTES];	/* three records of a slot, two of the cycles */
	size_t len_bytes;
};

static uint64_t dwt_reg(const struct cyccnt *s, uint32_t offset)
{
	return s->cm->found.unit[PT_UNIT_DWT] + (uint64_t)offset;
}

static struct pt_mem_op read_op(const struct cyccnt *s, uint32_t offset, uint8_t *bytes, uint32_t n_words)
{
	return (struct pt_mem_op){ .what = PT_MEM_READ, .width_bytes = 4, .fixed = n_words > 1,
				   .addr = dwt_reg(s, offset), .bytes = bytes, .len_bytes = 4 * (size_t)n_words };
}

static void put_record(struct cyccnt *s, uint64_t at_ns, unsigned word, uint64_t reading)
{
	uint8_t *at = s->records + s->len_bytes;

	pt_put_le64(at + PT_COUNTERS_TICKS, at_ns);
	pt_put_le16(at + PT_COUNTERS_COUNTER, (uint16_t)word);
	pt_put_le64(at + PT_COUNTERS_READING, reading);
	s->len_bytes += PT_COUNTERS_BYTES;
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

/* Counts from the first read to the last. False: too much time between the reads. */
static bool count_slot(const struct cyccnt *s, uint64_t *counted)
{
	uint32_t cycles = pt_le32(s->after) - pt_le32(s->before);

	*counted = 0;
	if (cycles / SLOT_READS > MOST_CYCLES)
		return false;
	for (size_t i = 1; i < SLOT_READS; i++)
		*counted += (uint8_t)(s->reads[4 * i] - s->reads[4 * (i - 1)]);
	return true;
}

/* Reads CYCCNT, the counter many times, CYCCNT. The first read comes half a round trip and some words after the start
 * of the batch: CYCCNT itself, and moving the access port to another register. At the end it is the same. */
static int read_slot(struct cyccnt *s, struct pt_mem_op *ops, struct pt_err *err)
{
	ops[0] = read_op(s, DWT_CYCCNT, s->before, 1);
	ops[1] = read_op(s, DWT_CPICNT + 4 * s->event, s->reads, SLOT_READS);
	ops[2] = read_op(s, DWT_CYCCNT, s->after, 1);
	return pt_mem_run(s->mem, ops, 3, SLOT_MS, NULL, err);
}

static int take_slot(struct cyccnt *s, struct pt_err *err)
{
	struct pt_mem_op ops[3];
	uint64_t counted, from_ns, to_ns, each_ns, error_ns;
	int rc = read_slot(s, ops, err);

	if (rc < 0)
		return rc;
	each_ns = (ops[2].done_ns - ops[0].sent_ns) / SLOT_READS;
	error_ns = s->round_trip_ns + EDGE_READS * each_ns;
	from_ns = ops[0].sent_ns + s->round_trip_ns / 2 + EDGE_READS * each_ns;
	to_ns = ops[2].done_ns - s->round_trip_ns / 2 - EDGE_READS * each_ns;
	s->slots++;
	if (to_ns <= from_ns || !count_slot(s, &counted)) {
		s->too_slow++;
	} else {
		put_record(s, from_ns, PT_COUNTERS_ERROR, error_ns);
		put_record(s, from_ns, (1 + s->event) | PT_COUNTERS_RESUMES, 0);
		put_record(s, to_ns, 1 + s->event, counted);
	}
	s->event = (s->event + 1) % N_EVENTS;
	return 0;
}

/* --- drain -------------------------------------------------------------------------------------------------------- */

static int read_cycles(struct cyccnt *s, uint64_t *at_ns, struct pt_err *err)
{
	struct pt_mem_op op = read_op(s, DWT_CYCCNT, s->after, 1);

	if (pt_mem_run(s->mem, &op, 1, SLOT_MS, NULL, err) < 0)
		return err->code;
	s->round_trip_ns = op.done_ns - op.sent_ns;
	*at_ns = op.sent_ns + s->round_trip_ns / 2;
	return 0;
}

static int failed(struct cyccnt *s, int rc, struct pt_err *err)
{
	rc = pt_emit_failed(&s->out, pt_mem_now_ns(s->mem), rc);
	return rc < 0 && rc != PT_EINTERRUPTED ? pt_wrap(err, "cyccnt") : rc;
}

/* Reads a slot, then the cycles: the stamps of a reading increase. */
static int take_reading(struct cyccnt *s, struct pt_err *err)
{
	uint64_t at_ns = 0;
	int rc = s->with_events ? take_slot(s, err) : 0;

	if (rc == 0)
		rc = read_cycles(s, &at_ns, err);
	if (rc == 0) {
		put_record(s, at_ns, PT_COUNTERS_ERROR, s->round_trip_ns);
		put_record(s, at_ns, 0, pt_le32(s->after));
		pt_emit_data(&s->out, s->out.told_ns, at_ns, s->records, s->len_bytes);
	}
	s->len_bytes = 0;
	s->next_ns = at_ns + pt_random_delay(&s->random, s->period_ns);
	return rc;
}

static bool is_away(const struct cyccnt *s)
{
	return s->cm->away[0] != '\0';
}

/* In reset, or off, the core counts nothing. After it has come back, its counts start again. */
static int wait_for_core(struct cyccnt *s)
{
	s->away = true;
	if (s->cm->looked_ns > s->out.told_ns)
		pt_emit_loss(&s->out, PT_LOSS_IN_RESET, s->cm->looked_ns);
	return HELD_REST_US;
}

static int one_drain(void *state, struct pt_err *err)
{
	struct cyccnt *s = state;
	uint64_t now_ns = pt_mem_now_ns(s->mem);
	int rc;

	if (s->held)
		return HELD_REST_US;
	if (is_away(s))
		return wait_for_core(s);
	if (s->away)
		pt_emit_state(&s->out, PT_STATE_RESET, s->out.told_ns, PT_UNKNOWN);
	s->away = false;
	if (now_ns < s->next_ns)
		return (int)((s->next_ns - now_ns) / 1000) + 1;
	rc = take_reading(s, err);
	if (rc < 0)
		return failed(s, rc, err);
	pt_emit_works(&s->out, now_ns, false);
	return 0;
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static int fits(struct pt_cortexm *cm, struct pt_err *err)
{
	if (cm->found.unit[PT_UNIT_DWT] != 0 && pt_cortexm_is_mainline(&cm->chip))
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED, "%s has no cycle counter", cm->chip.core);
}

/* Whether the wire is fast enough for counters of eight bits. One slot shows it. */
static int try_events(struct cyccnt *s, bool must, struct pt_err *err)
{
	struct pt_mem_op ops[3];
	uint64_t counted;
	uint32_t cycles;

	s->with_events = s->counter.events;
	if (!s->with_events)
		return must ? pt_fail(err, PT_EUNSUPPORTED, "events=all: this core has none (DWT_CTRL.NOPRFCNT)") : 0;
	if (read_slot(s, ops, err) < 0)
		return pt_wrap(err, "read DWT_CPICNT");
	s->with_events = count_slot(s, &counted);
	cycles = (pt_le32(s->after) - pt_le32(s->before)) / SLOT_READS;
	if (s->with_events)
		return 0;
	if (must)
		return pt_fail(
			err, PT_EUNSUPPORTED,
			"events=all: %u cycles go by between two reads, and eight bits need %d at most: a faster "
			"wire (speed=) or a slower core, or events=none",
			(unsigned)cycles, MOST_CYCLES);
	pt_info("cyccnt: cycles alone: %u go by between two reads, too many for the eight-bit counters (%d)",
		(unsigned)cycles, MOST_CYCLES);
	return 0;
}

static int emit_config(struct cyccnt *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	char lines[1800];
	size_t n =
		(size_t)snprintf(lines, sizeof(lines),
				 "source=cyccnt\nmode=poll\ntick_hz=1000000000\nturns=%d\ncounters=%d\n"
				 "counter.0=cycles\ncounter.0.bits=32\ncounter.0.max_hz=%" PRIu64 "\n"
				 "counter.0.note=cycles of the core's clock, halted ones left out\n"
				 "cost=the core never halts; DEMCR.TRCENA and DWT_CTRL are written, %s\n",
				 s->with_events ? N_EVENTS : 1, s->with_events ? 1 + N_EVENTS : 1, FASTEST_HZ,
				 s->with_events ? "and an ITM that is on gets packets of their wraps" : "and put back");

	for (unsigned i = 0; s->with_events && i < N_EVENTS; i++)
		n += (size_t)snprintf(lines + n, sizeof(lines) - n, "counter.%u=%s\ncounter.%u.note=%s\n", 1 + i,
				      pt_itm_counters[i].name, 1 + i, pt_itm_counters[i].note);
	for (unsigned i = 0; s->with_events && i < N_EVENTS - 1; i++)
		n += (size_t)snprintf(lines + n, sizeof(lines) - n, "metric.%u=stalled.%s:%s/cycles\n", i,
				      pt_itm_counters[i].name, pt_itm_counters[i].name);
	if (s->with_events)
		snprintf(
			lines + n, sizeof(lines) - n,
			"metric.%d=instructions.per.cycle:(cycles-cpi-exceptions-sleep-lsu+folded)/cycles\n"
			"assumed=eight-bit counters are read every %d cycles or less in the mean; a single gap of 256 cycles or more "
			"between two reads would not be noticed\n%s",
			N_EVENTS - 1, MOST_CYCLES,
			s->cm->chip.pairs
				? "assumed=this core issues two instructions in a cycle: its event counts, and "
				  "instructions.per.cycle, are approximate (UNVERIFIED)\n"
				: "");
	if (pt_emit_config(&s->out, setup, PT_FORMAT_COUNTERS, lines, err) < 0)
		return err->code;
	pt_emit_clock(&s->out, s->out.told_ns, s->out.told_ns, 0);	/* the stamps are on the probe's own clock */
	return 0;
}

static int look_at_core(struct cyccnt *s, struct pt_err *err)
{
	uint32_t dhcsr = 0;

	if (pt_cortexm_read_dhcsr(s->cm, &dhcsr, err) < 0)
		return pt_wrap(err, "read the state of the core");
	s->held = (dhcsr & DHCSR_S_HALT) != 0;
	return s->held ? pt_emit_halted(&s->out, s->cm->target, s->cm->number, err) : 0;
}

static void take_settings(struct cyccnt *s, const struct pt_source_setup *setup)
{
	s->period_ns = pt_params_number(setup->settings, &params[PERIOD]);
	s->random = setup->seed;
}

static const struct pt_core_source_kind kind;

static int one_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	const char *wanted = pt_params_text(setup->settings, &params[EVENTS]);
	struct pt_err ignored = { 0 };
	struct cyccnt *s = state;

	if (pt_core_sources_take(&s->cm, &kind, target, setup->core, err) < 0)
		return err->code;
	pt_cortexm_unit(s->cm, s->unit, "dwt.cyccnt");
	s->mem = s->cm->mem;
	take_settings(s, setup);
	if (pt_lease_take(target, s->unit, owner, err) < 0)
		return err->code;
	s->leased = true;
	if (pt_cycle_counter_on(s->cm, &s->counter, strcmp(wanted, "none") != 0, err) < 0)
		goto drop;
	if (strcmp(wanted, "none") != 0 && try_events(s, strcmp(wanted, "all") == 0, err) < 0)
		goto off;
	pt_emit_init(&s->out, setup, pt_mem_now_ns(s->mem));
	if (emit_config(s, setup, err) < 0 || look_at_core(s, err) < 0)
		goto off;
	return 0;
off:
	pt_cycle_counter_off(s->cm, &s->counter, &ignored);
drop:
	pt_lease_drop(target, s->unit, owner);
	return err->code;
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

/* CYCCNT stands while the core is halted: its value is reported at the halt, and read again at the resume. A reset may
 * have cleared it; the decoder sees that it decreased. */
static int one_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct cyccnt *s = state;
	enum pt_loss cause = s->held ? PT_LOSS_HALTED : what == PT_STATE_RESET ? PT_LOSS_RESET : PT_LOSS_REARM;

	(void)core;	/* the caller has checked the core */
	(void)err;
	if (what == PT_STATE_RESET && is_away(s) && s->away)
		return 0;	/* the core still counts */
	s->away = is_away(s);
	pt_emit_loss(&s->out, cause, pt_mem_now_ns(s->mem));
	if (what == PT_STATE_HALT || what == PT_STATE_RUN)
		s->held = what == PT_STATE_HALT;
	pt_emit_state(&s->out, what, pt_mem_now_ns(s->mem), pc);
	s->next_ns = 0;
	return 0;
}

static int one_stop(void *state, struct pt_err *err)
{
	struct cyccnt *s = state;
	struct pt_err own = { 0 };
	int rc = pt_cycle_counter_off(s->cm, &s->counter, &own);

	if (s->too_slow > 0)
		pt_warn("cyccnt: %" PRIu64 " of %" PRIu64 " readings of eight-bit counters were too slow, and left out",
			s->too_slow, s->slots);
	if (is_away(s))
		wait_for_core(s);
	pt_emit_rest(&s->out, pt_mem_now_ns(s->mem), rc, s->held ? PT_LOSS_HALTED : PT_LOSS_REARM);
	pt_emit_end(&s->out);
	if (s->leased)
		pt_lease_drop(s->cm->target, s->unit, owner);
	s->leased = false;
	if (rc < 0 && err != NULL)
		*err = own;
	return rc;
}

static const struct pt_core_source_kind kind = {
	.ops = {
		.state_bytes = sizeof(struct cyccnt),
		.start = one_start,
		.drain = one_drain,
		.on_state = one_on_state,
		.stop = one_stop,
	},
	.fits = fits,
};

static int available(struct pt_target *target, struct pt_err *err)
{
	return pt_core_sources_available(target, &kind, err);
}

static int cyccnt_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	return pt_core_sources_start(state, &kind, pt_params_text(setup->settings, &params[CORE]), target, setup, err);
}

const struct pt_source_ops pt_source_cyccnt = {
	.name = "cyccnt",
	.format = PT_FORMAT_COUNTERS,
	.modes = "poll",
	.titles = "DWT counters",
	.help = "cycles and stalls, counted by the core (DWT), which never halts",
	.state_bytes = sizeof(struct pt_core_sources),
	.params = params,
	.n_params = N_PARAMS,
	.available = available,
	.start = cyccnt_start,
	.drain = pt_core_sources_drain,
	.on_state = pt_core_sources_on_state,
	.stop = pt_core_sources_stop,
};
