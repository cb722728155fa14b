/* The source sync-pc: SYNC_PC reads the running core's pc, without writing anything. It works on every S12Z, also
 * without a trace buffer; the manual recommends it for performance measurements (ZVM p.166).
 *
 * Samples are taken in batches with a random delay between them, which runs in the probe. Samples inside a batch are
 * correlated: statistics count batches. In WAI and STOP the command fails: such a sample shows that the core sleeps,
 * but not where. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "targets/contract/emit.h"
#include "targets/s12z/core/s12z.h"
#include "trace/formats.h"
#include "base/util.h"

static const char owner[] = "profile", unit[] = "sync-pc";

enum { MAX_SAMPLES = 256, MOST_BATCHES = 4, STEP_US = 30000, HELD_REST_US = 200000, PROBE_DELAY_US = 20000 };
enum { SAMPLE_CYCLES = 528 };	/* command, 16 cycles of delay, 24 bits at 16 cycles each */
enum { SAMPLE_BYTES = 4 };
#define FAILED UINT32_C(0xeeeeee)

enum { BATCH, PERIOD, N_PARAMS };
static const struct pt_param params[] = {	/* same keywords and meaning as in every sampling source */
	[BATCH] = { .key = "batch", .type = PT_PARAM_NUMBER, .standard = "16", .min = 2, .max = MAX_SAMPLES,
		    .help = "samples in a row between two random delays" },
	[PERIOD] = { .key = "period", .type = PT_PARAM_TIME, .standard = "2ms", .max = PROBE_DELAY_US * UINT64_C(1000),
		     .help = "the longest period of what the program does, not of the samples: batches are 0 to twice that apart" },
};

struct batch {
	uint8_t samples[SAMPLE_BYTES * MAX_SAMPLES];
	uint32_t delay_us;
};

struct sampler {
	struct pt_s12z *z;
	struct pt_emit out;
	uint64_t random;
	uint32_t n_samples, period_us;
	bool held, leased, asleep;
	bool shares_link;	/* as in struct pt_source_setup: rounds are short, so that other sources can use the
				 * link */
	struct batch batch[MOST_BATCHES];
};

/* --- one batch into chunks ---------------------------------------------------------------------------------------- */

static bool failed(const struct batch *batch, uint32_t i)
{
	return (pt_le32(batch->samples + SAMPLE_BYTES * i) & 0xffffff) == FAILED;
}

/* Samples first to end - 1 are of one kind: valid, or failed. A failed sample counts as sleep, and its value is
 * meaningless. */
static void emit_part(struct sampler *s, const struct batch *batch, uint32_t first, uint32_t end, uint64_t from_ns,
		      uint64_t to_ns)
{
	bool asleep = failed(batch, first);

	if (asleep != s->asleep)
		pt_emit_state(&s->out, asleep ? PT_STATE_SLEEP : PT_STATE_RUN, from_ns, PT_UNKNOWN);
	s->asleep = asleep;
	pt_emit_data(&s->out, from_ns, to_ns, batch->samples + SAMPLE_BYTES * first,
		     SAMPLE_BYTES * (size_t)(end - first));
}

static void emit_batch(struct sampler *s, const struct batch *batch, const struct pt_bdc_op *op)
{
	uint64_t from_ns = op[0].sent_ns + batch->delay_us * UINT64_C(1000), to_ns = op[1].done_ns;
	uint32_t n = s->n_samples;

	from_ns = from_ns < op[1].sent_ns ? op[1].sent_ns : from_ns;
	from_ns = from_ns > to_ns ? to_ns : from_ns;
	from_ns = from_ns < s->out.told_ns ? s->out.told_ns : from_ns;
	from_ns = pt_emit_batch_from(&s->out, from_ns, to_ns);
	pt_emit_loss(&s->out, PT_LOSS_REARM, from_ns);
	for (uint32_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && failed(batch, end) == failed(batch, first); end++)
			;
		emit_part(s, batch, first, end, from_ns + (to_ns - from_ns) * first / n,
			  from_ns + (to_ns - from_ns) * end / n);
	}
}

/* --- rounds ------------------------------------------------------------------------------------------------------- */

/* As many batches as fill a step of the link, at least one; one if other sources share the link. */
static unsigned n_batches(const struct sampler *s)
{
	uint64_t hz = s->z->wire.bdcsi_hz != 0 ? s->z->wire.bdcsi_hz : 1000000;
	uint64_t batch_us = s->period_us / 2 + s->n_samples * (uint64_t)SAMPLE_CYCLES * 1000000 / hz;
	uint64_t n = batch_us > 0 ? STEP_US / batch_us : MOST_BATCHES;

	return n == 0 || s->shares_link ? 1 : n > MOST_BATCHES ? MOST_BATCHES : (unsigned)n;
}

static int give_up(struct sampler *s, int rc, struct pt_err *err)
{
	rc = pt_source_s12z_failed(s->z, &s->out, rc);
	return rc < 0 && rc != PT_EINTERRUPTED ? pt_wrap(err, "sync-pc") : rc;
}

/* A failed sample leaves an error flag set, which would be taken for a failure of the next commands. */
static int clear_flags(struct sampler *s, bool any_failed, struct pt_err *err)
{
	return any_failed ? pt_wire_s12z_write_csr(&s->z->wire, true, PT_BDC_FLAGS, err) : 0;
}

static int sampler_drain(void *state, struct pt_err *err)
{
	struct pt_bdc_op op[2 * MOST_BATCHES];
	struct sampler *s = state;
	unsigned n = n_batches(s);
	bool any_failed = false;
	size_t n_done = 0;
	int rc;

	if (s->held)
		return HELD_REST_US;
	for (unsigned i = 0; i < n; i++) {
		s->batch[i].delay_us = (uint32_t)pt_random_delay(&s->random, s->period_us);
		op[2 * i] = (struct pt_bdc_op){ .what = PT_BDC_DELAY, .time_us = s->batch[i].delay_us };
		op[2 * i + 1] =
			(struct pt_bdc_op){ .what = PT_BDC_SYNC_PC, .n = s->n_samples, .bytes = s->batch[i].samples };
	}
	rc = pt_wire_s12z_run(&s->z->wire, op, 2 * n, &n_done, err);
	if (rc == 0)
		pt_emit_works(&s->out, op[0].sent_ns, s->z->was_reset);
	for (size_t i = 0; i < n_done / 2; i++) {
		emit_batch(s, &s->batch[i], op + 2 * i);
		for (uint32_t k = 0; k < s->n_samples; k++)
			any_failed |= failed(&s->batch[i], k);
	}
	if (rc == 0)
		rc = clear_flags(s, any_failed, err);
	return rc == 0 ? 0 : give_up(s, rc, err);
}

/* --- start, stop -------------------------------------------------------------------------------------------------- */

static int available(struct pt_target *target, struct pt_err *err)
{
	const struct pt_s12z *z = target->state;

	if (pt_wire_s12z_can(&z->wire, PT_BDC_SYNC_PC))
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED, "this probe cannot send SYNC_PC");
}

static int look_at_core(struct sampler *s, struct pt_err *err)
{
	struct pt_core_status status;
	uint64_t pc = PT_UNKNOWN;

	if (pt_s12z_status(s->z, 0, &status, err) < 0)
		return err->code;
	s->held = status.state == PT_HALTED;
	if (!s->held)
		return 0;
	if (pt_s12z_pc(s->z, 0, &pc, err) < 0)
		return err->code;
	pt_emit_state(&s->out, PT_STATE_HALT, s->out.told_ns, pc);
	return 0;
}

static int emit_config(struct sampler *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	char lines[256];

	snprintf(lines, sizeof(lines),
		 "source=sync-pc\nmode=sample\nbatch=%" PRIu32 "\nperiod_us=%" PRIu32 "\nbit0=1\n"
		 "cost=the core never halts; nothing is written but BDCCSR.ENBDC\n",
		 s->n_samples, s->period_us);
	return pt_emit_config(&s->out, setup, PT_FORMAT_PCSR, lines, err);
}

static void release(struct sampler *s)
{
	if (!s->leased)
		return;
	s->z->n_sources--;
	pt_lease_drop(s->z->target, unit, owner);
	s->leased = false;
}

static int sampler_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct sampler *s = state;
	uint64_t period_ns;

	if (available(target, err) < 0)
		return err->code;
	s->z = target->state;
	s->random = setup->seed;
	s->shares_link = setup->shares_link;
	s->n_samples = (uint32_t)pt_params_number(setup->settings, &params[BATCH]);
	period_ns = pt_params_number(setup->settings, &params[PERIOD]);	/* together with bursts it is their period */
	s->period_us = (uint32_t)((period_ns < params[PERIOD].max ? period_ns : params[PERIOD].max) / 1000);
	pt_emit_init(&s->out, setup, pt_wire_s12z_now_ns(&s->z->wire));
	if (pt_lease_take(target, unit, owner, err) < 0)
		return err->code;
	s->leased = true;
	s->z->n_sources++;
	if (emit_config(s, setup, err) == 0 && look_at_core(s, err) == 0)
		return 0;
	release(s);
	return err->code;
}

static int sampler_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct sampler *s = state;
	uint64_t now_ns = pt_wire_s12z_now_ns(&s->z->wire);

	(void)core;	/* there is only one */
	(void)err;
	pt_emit_loss(&s->out,
		     s->held		      ? PT_LOSS_HALTED
		     : what == PT_STATE_RESET ? PT_LOSS_RESET
					      : PT_LOSS_REARM,
		     now_ns);
	if (what == PT_STATE_HALT || what == PT_STATE_RUN)
		s->held = what == PT_STATE_HALT;
	s->asleep = false;
	pt_emit_state(&s->out, what, now_ns, pc);
	return 0;
}

static int sampler_stop(void *state, struct pt_err *err)
{
	struct sampler *s = state;

	(void)err;
	pt_emit_rest(&s->out, pt_wire_s12z_now_ns(&s->z->wire), 0, s->held ? PT_LOSS_HALTED : PT_LOSS_REARM);
	pt_emit_end(&s->out);
	release(s);
	return 0;
}

const struct pt_source_ops pt_source_s12z_pc = {
	.name = "sync-pc",
	.format = PT_FORMAT_PCSR,
	.modes = "sample",
	.titles = "PC samples",
	.help = "samples of the program counter, from SYNC_PC; on every S12Z; the core never halts",
	.state_bytes = sizeof(struct sampler),
	.params = params,
	.n_params = N_PARAMS,
	.available = available,
	.start = sampler_start,
	.drain = sampler_drain,
	.on_state = sampler_on_state,
	.stop = sampler_stop,
};
