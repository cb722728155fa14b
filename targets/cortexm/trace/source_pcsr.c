/* The source pcsr: each read of DWT_PCSR shows where the core is executing. It needs no buffer, records no branch, and
 * writes nothing but TRCENA: it works on parts without an MTB.
 *
 * Samples come in batches with a read of DHCSR before and after, which shows whether the core was asleep; the probe
 * waits for a random time between batches. Samples of a batch are correlated: statistics count batches. If the core is
 * asleep at an end of a batch, and the samples there are equal, they show where it sleeps, and all samples of that
 * address count as sleep, because PCSR stays where the core waits (UNVERIFIED per core). Behind another GDB server each
 * access is a round trip, and the core falls asleep and wakes between two of them: sleep cannot be told apart there,
 * and counts as the code where the core sleeps. Source: Arm DDI 0419 (ARMv6-M), C1.8.4 (DWT_PCSR). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/door.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/contract/emit.h"
#include "targets/cortexm/trace/core_sources.h"
#include "targets/cortexm/trace/sources.h"
#include "trace/formats.h"
#include "base/util.h"

static const char owner[] = "profile";

enum { MAX_SAMPLES = 256, ROUND_BATCHES = 4, ROUND_MS = 2000, HELD_REST_US = 200000, AWAY_REST_US = 20000, PROBE_DELAY_US = 20000 };
enum { PROBE_SAMPLES = 16, PROBE_TRIES = 8, PROBE_GAP_US = 500 };
#define NOT_RUNNING UINT32_MAX	/* the core is halted, or sampling is not permitted */

enum { BATCH, PERIOD, ENTRY, CORE, N_PARAMS };
static const struct pt_param params[] = {
	[BATCH] = { .key = "batch", .type = PT_PARAM_NUMBER, .standard = "16", .min = 2, .max = MAX_SAMPLES,
		    .help = "samples in a row between two checks whether the core sleeps" },
	[PERIOD] = { .key = "period", .type = PT_PARAM_TIME, .standard = "2ms", .max = PROBE_DELAY_US * UINT64_C(1000),
		     .help = "the longest period of what the program does, not of the samples: batches are 0 to twice that apart" },
	[ENTRY] = { .key = "entry-pc", .type = PT_PARAM_CHOICE, .standard = "interrupted",
		    .choices = "interrupted|handler",
		    .help = "what DWT_PCSR shows while an exception is entered (UNVERIFIED on silicon)" },
	[CORE] = PT_CORE_SOURCES_ROW,
};

struct batch {			/* a batch of samples, as read */
	uint8_t before[4], after[4], samples[4 * MAX_SAMPLES];
	uint32_t delay_us;
};

enum sleep { AWAKE, ASLEEP, NOT_TOLD };

struct pcsr {
	struct pt_cortexm *cm;
	struct pt_mem *mem;
	struct pt_emit out;
	uint64_t random;
	uint32_t n_samples, period_us;
	enum sleep told;	/* as in the chunks so far */
	bool slept;
	uint32_t slept_at;	/* the last address at which it was found asleep */
	bool held, away, leased, traced;
	char unit[PT_PENDING_UNIT];
	bool shares_link;	/* as in struct pt_source_setup: rounds are short, and other sources run between them */
	bool meets_handler;	/* an exception that is being entered shows its handler's address already */
	bool counts_sleep;	/* samples of a sleeping core count like others */
	struct batch batch[ROUND_BATCHES];
};

static uint64_t pcsr_addr(const struct pcsr *s)
{
	return s->cm->found.unit[PT_UNIT_DWT] + (uint64_t)DWT_PCSR;
}

static uint64_t dhcsr_addr(const struct pcsr *s)
{
	return pt_cortexm_reg(s->cm, SCS_DHCSR);
}

static struct pt_mem_op read_op(uint64_t addr, uint8_t *bytes, uint32_t n_words)
{
	return (struct pt_mem_op){ .what = PT_MEM_READ, .width_bytes = 4, .fixed = n_words > 1, .addr = addr,
				   .bytes = bytes, .len_bytes = 4 * n_words };
}

/* --- one batch into chunks ---------------------------------------------------------------------------------------- */

static void tell_sleep(struct pcsr *s, enum sleep now, uint64_t ns)
{
	if (now == s->told)
		return;
	if (now == ASLEEP || s->told == ASLEEP)
		pt_emit_state(&s->out, now == ASLEEP ? PT_STATE_SLEEP : PT_STATE_RUN, ns, PT_UNKNOWN);
	s->told = now;
}

static uint32_t sample(const struct batch *batch, uint32_t i)
{
	return pt_le32(batch->samples + 4 * i);
}

static void emit_part(struct pcsr *s, const struct batch *batch, uint32_t first, uint32_t end, enum sleep state,
		      uint64_t from_ns, uint64_t to_ns)
{
	tell_sleep(s, state, from_ns);
	pt_emit_data(&s->out, from_ns, to_ns, batch->samples + 4 * first, 4 * (size_t)(end - first));
}

static enum sleep asleep(const uint8_t *dhcsr)
{
	return (pt_le32(dhcsr) & DHCSR_S_SLEEP) != 0 ? ASLEEP : AWAKE;
}

/* Two equal samples at an end where the core was found asleep show where it sleeps. A single one may be work that ended
 * just before DHCSR was read, or began just after. */
static void learn_where_it_sleeps(struct pcsr *s, const struct batch *batch)
{
	uint32_t last = s->n_samples - 1;
	bool at_first = asleep(batch->before) == ASLEEP && sample(batch, 0) == sample(batch, 1),
	     at_last = asleep(batch->after) == ASLEEP && sample(batch, last) == sample(batch, last - 1);

	if (!at_first && !at_last)
		return;
	s->slept = true;
	s->slept_at = sample(batch, at_last ? last : 0);
}

/* Time between samples of sleep counts as running: a core that sleeps between interrupts may be found asleep, or awake,
 * at both ends. */
static enum sleep state_at(const struct pcsr *s, const struct batch *batch, uint32_t i)
{
	return s->slept && sample(batch, i) == s->slept_at ? ASLEEP : AWAKE;
}

/* Splits the batch into stretches of equal state, each with its part of the time. */
static void emit_stretches(struct pcsr *s, const struct batch *batch, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t n = s->n_samples, first = 0;
	uint64_t per_batch = to_ns - from_ns;

	for (uint32_t i = 1; i <= n; i++) {
		enum sleep state = state_at(s, batch, first);

		if (i < n && state_at(s, batch, i) == state)
			continue;
		emit_part(s, batch, first, i, state, from_ns + per_batch * first / n, from_ns + per_batch * i / n);
		first = i;
	}
}

/* ops: delay, look, samples, look. The batch began when its first read of DHCSR was sent, or when the previous delay
 * was over. */
static void emit_batch(struct pcsr *s, const struct batch *batch, const struct pt_mem_op *ops)
{
	uint64_t from_ns = ops[0].sent_ns + batch->delay_us * UINT64_C(1000), to_ns = ops[3].done_ns;

	if (from_ns < ops[1].sent_ns)
		from_ns = ops[1].sent_ns;
	if (from_ns > to_ns)
		from_ns = to_ns;
	if (from_ns < s->out.told_ns)
		from_ns = s->out.told_ns;
	from_ns = pt_emit_batch_from(&s->out, from_ns, to_ns);
	pt_emit_loss(&s->out, PT_LOSS_REARM, from_ns);
	if (s->counts_sleep) {
		pt_emit_data(&s->out, from_ns, to_ns, batch->samples, 4 * (size_t)s->n_samples);
	} else {
		learn_where_it_sleeps(s, batch);
		emit_stretches(s, batch, from_ns, to_ns);
	}
}

static bool was_halted(const struct batch *batch)
{
	return ((pt_le32(batch->before) | pt_le32(batch->after)) & DHCSR_S_HALT) != 0;
}

/* Reading DHCSR clears the mark of a reset: if it is set in the second read, too, the reset lasts. */
static bool was_in_reset(const struct batch *batch)
{
	return (pt_le32(batch->before) & pt_le32(batch->after) & DHCSR_S_RESET_ST) != 0;
}

/* --- rounds ------------------------------------------------------------------------------------------------------- */

static size_t put_batch(struct pcsr *s, struct batch *batch, struct pt_mem_op *ops)
{
	batch->delay_us = (uint32_t)pt_random_delay(&s->random, s->period_us);
	ops[0] = (struct pt_mem_op){ .what = PT_MEM_DELAY, .time_us = batch->delay_us };
	ops[1] = read_op(dhcsr_addr(s), batch->before, 1);
	ops[2] = read_op(pcsr_addr(s), batch->samples, s->n_samples);
	ops[3] = read_op(dhcsr_addr(s), batch->after, 1);
	return 4;
}

static void take_batches(struct pcsr *s, const struct pt_mem_op *ops, size_t n_batches)
{
	for (size_t i = 0; i < n_batches; i++) {
		const struct batch *batch = &s->batch[i];

		pt_cortexm_saw(s->cm, pt_le32(batch->before));
		pt_cortexm_saw(s->cm, pt_le32(batch->after));
		if (was_in_reset(batch))
			pt_emit_loss(&s->out, PT_LOSS_IN_RESET, ops[4 * i + 3].done_ns);
		else if (!was_halted(batch))	/* else the board reports it */
			emit_batch(s, batch, ops + 4 * i);
		if (!was_halted(batch))
			s->cm->ran_ns = ops[4 * i + 3].sent_ns;
	}
}

/* The first read of DHCSR clears the mark of a reset: it is kept for the board. */
static bool was_reset(struct pcsr *s)
{
	pt_cortexm_saw(s->cm, pt_le32(s->batch[0].before));
	return s->cm->was_reset || pt_cortexm_lost_power(s->cm);
}

static int failed(struct pcsr *s, int rc, struct pt_err *err)
{
	rc = pt_emit_failed(&s->out, pt_mem_now_ns(s->mem), rc);
	return rc < 0 && rc != PT_EINTERRUPTED ? pt_wrap(err, "pcsr") : rc;
}

static int round_of_batches(struct pcsr *s, struct pt_err *err)
{
	struct pt_mem_op ops[4 * ROUND_BATCHES];
	size_t n = 0, n_done = 0, n_batches = s->shares_link ? 1 : ROUND_BATCHES;
	int rc;

	for (size_t i = 0; i < n_batches; i++)
		n += put_batch(s, &s->batch[i], ops + n);
	rc = pt_mem_run(s->mem, ops, n, ROUND_MS, &n_done, err);
	if (rc == 0)
		pt_emit_works(&s->out, ops[0].sent_ns, was_reset(s));
	take_batches(s, ops, n_done / 4);
	return rc == 0 ? 0 : failed(s, rc, err);
}

static bool is_away(const struct pcsr *s)
{
	return s->cm->away[0] != '\0';
}

/* The core is lost until the last time when it was seen in reset, or off. The board looks, too, but less often; it is
 * told when the core is back. */
static void account_for_away(struct pcsr *s)
{
	uint64_t until_ns = s->cm->looked_ns;
	struct pt_err ignored = { 0 };
	struct batch look = { 0 };
	struct pt_mem_op ops[] = { read_op(dhcsr_addr(s), look.before, 1), read_op(dhcsr_addr(s), look.after, 1) };

	if (s->cm->in_reset && pt_mem_run(s->mem, ops, PT_LEN(ops), ROUND_MS, NULL, &ignored) == 0) {
		if (was_in_reset(&look))
			until_ns = ops[1].done_ns;
		else
			s->cm->look_again_ns = 0;
	}
	if (until_ns > s->out.told_ns)
		pt_emit_loss(&s->out, PT_LOSS_IN_RESET, until_ns);
}

static int one_drain(void *state, struct pt_err *err)
{
	struct pcsr *s = state;
	int rc;

	if (s->held)
		return HELD_REST_US;
	if (is_away(s)) {
		account_for_away(s);
		s->away = true;
		return AWAY_REST_US;
	}
	s->away = false;
	rc = pt_cortexm_set_demcr(s->cm, DEMCR_TRCENA, 0, err);	/* writes nothing, unless there was a reset */
	return rc == 0 ? round_of_batches(s, err) : failed(s, rc, err);
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static int fits(struct pt_cortexm *cm, struct pt_err *err)
{
	if (cm->found.unit[PT_UNIT_DWT] != 0)
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED, "%s has no DWT in its ROM table", cm->chip.name);
}

/* PCSR is optional: always 0 means that it is missing; always ones, although the core runs, that it is not
 * permitted. */
static int check_samples(struct pcsr *s, bool *live, struct pt_err *err)
{
	uint8_t bytes[4 * PROBE_SAMPLES];
	struct pt_mem_op ops[] = {
		read_op(pcsr_addr(s), bytes, PROBE_SAMPLES), { .what = PT_MEM_DELAY, .time_us = PROBE_GAP_US },
	};

	for (int i = 0; i < PROBE_TRIES && !*live; i++) {
		if (pt_mem_run(s->mem, ops, PT_LEN(ops), ROUND_MS, NULL, err) < 0)
			return pt_wrap(err, "read DWT_PCSR");
		for (int k = 0; k < PROBE_SAMPLES; k++)
			*live |= pt_le32(bytes + 4 * k) != 0 && pt_le32(bytes + 4 * k) != NOT_RUNNING;
	}
	if (*live)
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED,
		       pt_le32(bytes) == 0 ? "this core has no DWT_PCSR"
					   : "this core does not permit DWT_PCSR to be read");
}

static int look_at_core(struct pcsr *s, struct pt_err *err)
{
	uint32_t dhcsr = 0;
	bool live = false;

	if (pt_cortexm_read_dhcsr(s->cm, &dhcsr, err) < 0)
		return pt_wrap(err, "read the state of the core");
	if ((dhcsr & DHCSR_S_LOCKUP) != 0)
		return pt_fail(err, PT_ESTATE, "the core is locked up, and runs no code to be sampled: %s says why",
			       pt_by_door("proftap monitor fault", "monitor fault"));
	s->held = (dhcsr & DHCSR_S_HALT) != 0;
	return s->held ? 0 : check_samples(s, &live, err);
}

static int tell_halted(struct pcsr *s, struct pt_err *err)
{
	return s->held ? pt_emit_halted(&s->out, s->cm->target, s->cm->number, err) : 0;
}

static int emit_config(struct pcsr *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	char lines[256];

	snprintf(lines, sizeof(lines),
		 "source=pcsr\nmode=sample\nbatch=%" PRIu32 "\nperiod_us=%" PRIu32 "\n"
		 "%s%s%scost=the core never halts; nothing is written but DEMCR.TRCENA\n",
		 s->n_samples, s->period_us, s->counts_sleep ? "sleep=counted\n" : "",
		 s->meets_handler ? "entry=handler\n" : "", s->cm->chip.pairs ? "issues=2\n" : "");
	return pt_emit_config(&s->out, setup, PT_FORMAT_PCSR, lines, err);
}

/* TRCENA stays set for watchpoints, and if it was set originally. */
static int untrace(struct pcsr *s, struct pt_err *err)
{
	char cycles[PT_PENDING_UNIT];

	if (!s->traced || is_away(s) || pt_cortexm_breaks_watching(s->cm) ||
	    pt_lease_held(s->cm->target, pt_cortexm_unit(s->cm, cycles, "dwt.cyccnt")) ||
	    (s->cm->found_demcr & DEMCR_TRCENA) != 0)
		return 0;
	return pt_cortexm_set_demcr(s->cm, 0, DEMCR_TRCENA, err);
}

static void release(struct pcsr *s)
{
	if (s->leased)
		pt_lease_drop(s->cm->target, s->unit, owner);
	s->leased = false;
}

static const struct pt_core_source_kind kind;

static int one_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pcsr *s = state;
	struct pt_err ignored = { 0 };
	uint64_t period_ns;

	if (pt_core_sources_take(&s->cm, &kind, target, setup->core, err) < 0)
		return err->code;
	pt_cortexm_unit(s->cm, s->unit, "dwt.pcsr");
	s->mem = s->cm->mem;
	s->random = setup->seed;
	s->shares_link = setup->shares_link;
	s->n_samples = (uint32_t)pt_params_number(setup->settings, &params[BATCH]);
	s->meets_handler = strcmp(pt_params_text(setup->settings, &params[ENTRY]), "handler") == 0;
	s->counts_sleep = target->ops->upstream != NULL;
	period_ns = pt_params_number(setup->settings, &params[PERIOD]);	/* beside bursts it is set by their row */
	s->period_us = (uint32_t)((period_ns < params[PERIOD].max ? period_ns : params[PERIOD].max) / 1000);
	s->told = NOT_TOLD;
	s->away = is_away(s);
	pt_emit_init(&s->out, setup, pt_mem_now_ns(s->mem));
	if (pt_lease_take(target, s->unit, owner, err) < 0)
		return err->code;
	s->leased = s->traced = true;
	if ((!is_away(s) && (pt_cortexm_set_demcr(s->cm, DEMCR_TRCENA, 0, err) < 0 || look_at_core(s, err) < 0)) ||
	    emit_config(s, setup, err) < 0 || tell_halted(s, err) < 0) {
		untrace(s, &ignored);
		release(s);
		return err->code;
	}
	return 0;
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

static int one_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct pcsr *s = state;
	uint64_t now_ns = pt_mem_now_ns(s->mem);
	enum pt_loss cause = what == PT_STATE_RESET ? PT_LOSS_RESET : PT_LOSS_REARM;

	(void)core;	/* the caller has checked the core */
	(void)err;
	if (what == PT_STATE_RESET && is_away(s) && s->away)
		return 0;	/* it still runs */
	s->away = is_away(s);
	if (what == PT_STATE_RESET && s->out.failing_since_ns != PT_UNKNOWN && s->out.fault == PT_LOSS_SILENT)
		cause = s->out.fault;	/* another source may have found that the probe is back */
	pt_emit_loss(&s->out, s->held ? PT_LOSS_HALTED : cause, now_ns);
	if (what == PT_STATE_HALT || what == PT_STATE_RUN)
		s->held = what == PT_STATE_HALT;
	s->told = NOT_TOLD;
	if (what == PT_STATE_RUN)
		s->cm->ran_ns = now_ns;
	if (what == PT_STATE_HALT)
		pt_emit_found_halted(&s->out, pt_cortexm_halted_since(s->cm, now_ns), now_ns, pc);
	else
		pt_emit_state(&s->out, what, now_ns, pc);
	if (what == PT_STATE_RESET)
		/* a loss of power clears it: the next drain writes it again */
		s->cm->demcr &= ~(uint32_t)DEMCR_TRCENA;
	return 0;
}

static int one_stop(void *state, struct pt_err *err)
{
	struct pcsr *s = state;
	struct pt_err own = { 0 };
	int rc = untrace(s, &own);

	if (is_away(s))
		account_for_away(s);
	pt_emit_rest(&s->out, pt_mem_now_ns(s->mem), rc, s->held ? PT_LOSS_HALTED : PT_LOSS_REARM);
	pt_emit_end(&s->out);
	release(s);
	if (rc < 0 && err != NULL)
		*err = own;
	return rc;
}

static const struct pt_core_source_kind kind = {
	.ops = {
		.state_bytes = sizeof(struct pcsr),
		.start = one_start,
		.drain = one_drain,
		.on_state = one_on_state,
		.stop = one_stop,
	},
	.fits = fits,
	.waits = true,
};

static int available(struct pt_target *target, struct pt_err *err)
{
	return pt_core_sources_available(target, &kind, err);
}

static int pcsr_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	return pt_core_sources_start(state, &kind, pt_params_text(setup->settings, &params[CORE]), target, setup, err);
}

const struct pt_source_ops pt_source_pcsr = {
	.name = "pcsr",
	.format = PT_FORMAT_PCSR,
	.modes = "sample",
	.titles = "PC samples",
	.help = "samples of the program counter, from DWT_PCSR; the core never halts",
	.state_bytes = sizeof(struct pt_core_sources),
	.params = params,
	.n_params = N_PARAMS,
	.available = available,
	.start = pcsr_start,
	.drain = pt_core_sources_drain,
	.on_state = pt_core_sources_on_state,
	.stop = pt_core_sources_stop,
};
