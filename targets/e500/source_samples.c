/* The source pc-sampling: which code is at work, or takes the events, found by the overflow of a counter. An agent in the
 * program (scripts/agent) stores the program counter each time; nothing halts. The distance of samples is jittered, so
 * that no loop falls into step with it. Without an agent, and for time only, the core is halted for each sample
 * (targets/remote, source_pc.c).
 *
 * How many events there are to a sample is either said, or found by counting for a moment before: then it stays, for all
 * samples have to weigh the same. The agent's ring is read oftener than it fills; samples that were overwritten, or that
 * fell together while interrupts were off, are a LOSS of their part of the time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "targets/e500/e500.h"
#include "targets/emit.h"
#include "trace/formats.h"
#include "util.h"

static const char owner[] = "pc-sampling";

enum { SAMPLE_BYTES = 4, BATCH = 8, HELD_REST_US = 20000, TRY_AGAIN_US = 20000, LONGEST_REST_US = 10000 };
enum { CYCLES = 1 };
enum { COUNT_MS = 20, QUIET_MS = 100, LEAST_EVERY = 100, MOST_EVERY = 1 << 29 };
#define FAC UINT32_C(0x80000000)
#define PMIE UINT32_C(0x40000000)
#define FCM1 UINT32_C(0x10000000)	/* not what the agent executes */
#define CE UINT32_C(0x04000000)
#define OV UINT32_C(0x80000000)

enum { MODE, EVENT, PERIOD, EVERY, N_PARAMS };
static const struct pt_param params[] = {
	[MODE] = { .key = "mode", .type = PT_PARAM_CHOICE, .standard = "auto", .choices = "auto|agent|halt",
		   .help = "agent: the program's agent samples, nothing halts; halt: INTRUSIVE; auto: agent, else halt" },
	[EVENT] = { .key = "event", .type = PT_PARAM_TEXT, .standard = "CPU_CLK",
		    .help = "what a sample is taken by: any event that counters has; cycles are time" },
	[PERIOD] = { .key = "period", .type = PT_PARAM_TIME, .standard = "1ms", .min = 100000, .max = 10 * PT_NS_PER_S,
		     .help = "mean distance of two samples, where every is not given (10ms where it halts)" },
	[EVERY] = { .key = "every", .type = PT_PARAM_NUMBER, .min = 1, .max = MOST_EVERY,
		    .help = "events to a sample, in the mean; otherwise by period and how often the event came lately, "
			    "at least 100" },
};

enum phase { IDLE, COUNTING, SAMPLING };	/* IDLE: the performance monitor is not ours, or was reset */

struct samples {
	struct pt_e500_target *e500;
	void *halting;				/* the state of pt_source_remote_pc; NULL: we sample */
	struct pt_emit out;
	const struct pt_e500_event *event;
	unsigned core, pmc;
	uint64_t period_ns;
	uint32_t every;				/* 0: not known yet */
	enum phase phase;
	bool held, taken, configured;		/* CONFIG is out */
	uint64_t count_from_ns;			/* COUNTING: since then */
	uint32_t next, lost;			/* of the ring, and of what the agent says that it lost */
};

static uint64_t now(const struct samples *s)
{
	return pt_link_now_ns(pt_probe_link(s->e500->remote.target->probe));
}

/* --- the performance monitor -------------------------------------------------------------------------------------- */

static struct pt_e500_op set(unsigned pmr, unsigned n, uint32_t value)
{
	return (struct pt_e500_op){ .pmr = (uint16_t)(pmr + n), .write = true, .value = value };
}

static int request(struct samples *s, struct pt_e500_op *ops, size_t n_ops, struct pt_e500_block *now_there,
		   uint64_t *to_ns, struct pt_err *err)
{
	struct pt_link *link = pt_probe_link(s->e500->remote.target->probe);
	struct pt_e500_mailbox *box;
	uint64_t from_ns;
	int rc = pt_e500_agent(s->e500, s->core, &box, err);

	if (rc < 0)
		return rc;
	pt_link_shield(link);
	rc = pt_e500_box_run(box, ops, n_ops, now_there, &from_ns, to_ns, err);
	pt_link_unshield(link);
	return rc;
}

/* A proftap that died while it sampled left this behind; to anybody else it looks like Linux' perf. */
static int clear_leftovers(struct samples *s, struct pt_err *err)
{
	unsigned n_pmcs = pt_e500_kinds[s->e500->core].n_pmcs;
	struct pt_e500_op ops[3 * PT_E500_PMCS_MAX + 1] = { { 0 } };
	struct pt_e500_block there;
	uint64_t to_ns;
	size_t n = 0;

	for (unsigned i = 0; i < n_pmcs; i++)
		ops[i].pmr = (uint16_t)(PT_E500_BOX_PERIOD + i);
	if (request(s, ops, n_pmcs, &there, &to_ns, err) < 0)
		return err->code;
	if (there.ring_room == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "the agent makes no samples: the program has to lead IVOR35 to "
			       "proftap_agent_vector and to say so, proftap_agent_init(1)");
	for (unsigned i = 0; i < n_pmcs; i++) {
		if (ops[i].value == 0 || (there.pmlca[i] & (FCM1 | CE)) != (FCM1 | CE))
			continue;
		ops[n++] = set(PT_E500_BOX_PERIOD, i, 0);
		ops[n++] = set(PT_E500_PMLCA0, i, 0);
		ops[n++] = set(PT_E500_PMC0, i, 0);
	}
	ops[n] = set(PT_E500_PMGC0, 0, 0);
	return n == 0 ? 0 : request(s, ops, n + 1, &there, &to_ns, err);
}

/* Without an interrupt, for a moment, to see how often the event comes. */
static int count_first(struct samples *s, struct pt_err *err)
{
	struct pt_e500_op ops[] = {
		set(PT_E500_PMGC0, 0, FAC), set(PT_E500_PMLCA0, s->pmc, FCM1 | (uint32_t)s->event->number << 16),
		set(PT_E500_PMLCB0, s->pmc, 0), set(PT_E500_PMC0, s->pmc, 0), set(PT_E500_PMGC0, 0, 0),
	};
	struct pt_e500_block there;
	int rc = request(s, ops, PT_LEN(ops), &there, &s->count_from_ns, err);

	if (rc == 0)
		s->phase = COUNTING;
	return rc;
}

/* 2^k - 1, half of it at the most: from three quarters to five quarters of every. */
static uint32_t jitter(uint32_t every)
{
	uint32_t mask = 0;

	while (2 * mask + 1 <= every / 2)
		mask = 2 * mask + 1;
	return mask;
}

static int sample_on(struct samples *s, struct pt_err *err)
{
	struct pt_e500_op ops[] = {
		set(PT_E500_PMGC0, 0, FAC), set(PT_E500_BOX_PERIOD, s->pmc, s->every),
		set(PT_E500_BOX_JITTER, s->pmc, jitter(s->every)), set(PT_E500_PMLCB0, s->pmc, 0),
		set(PT_E500_PMLCA0, s->pmc, FCM1 | CE | (uint32_t)s->event->number << 16),
		set(PT_E500_PMC0, s->pmc, OV - s->every), set(PT_E500_PMGC0, 0, PMIE),
	};
	struct pt_e500_block there;
	uint64_t to_ns;
	int rc = request(s, ops, PT_LEN(ops), &there, &to_ns, err);

	if (rc < 0)
		return rc;
	s->next = there.head;
	s->lost = there.lost;
	s->phase = SAMPLING;
	pt_info("pc-sampling: a sample per %" PRIu32 " %s", s->every, s->event->name);
	if (s->configured)
		pt_emit_loss(&s->out, PT_LOSS_NOT_ARMED, now(s));
	return 0;
}

static int look_at_count(struct samples *s, struct pt_err *err)
{
	struct pt_e500_op op = { .pmr = (uint16_t)(PT_E500_PMC0 + s->pmc) };
	struct pt_e500_pass pass;
	uint64_t every, took_ns;
	int rc;

	if (now(s) < s->count_from_ns + COUNT_MS * PT_NS_PER_MS)
		return (int)((s->count_from_ns + COUNT_MS * PT_NS_PER_MS - now(s)) / 1000) + 1;
	rc = pt_e500_by_agent.pass(s->e500, s->core, &op, 1, &pass, err);
	if (rc < 0)
		return rc;
	took_ns = pass.at_ns > s->count_from_ns ? pass.at_ns - s->count_from_ns : 1;
	every = (uint64_t)((double)op.value * (double)s->period_ns / (double)took_ns);
	s->every = every < LEAST_EVERY ? LEAST_EVERY : every > MOST_EVERY ? MOST_EVERY : (uint32_t)every;
	return sample_on(s, err);
}

static int arm(struct samples *s, struct pt_err *err)
{
	int rc = clear_leftovers(s, err);

	if (rc == 0 && !s->taken) {
		rc = pt_e500_take(s->e500, s->core, owner, err);
		s->taken = rc == 0;
	}
	if (rc == 0)
		rc = s->every != 0 ? sample_on(s, err) : count_first(s, err);
	return rc;
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

/* What was found since the last look, in batches, each with its part of the time; what was lost has its part, too. */
static void emit_samples(struct samples *s, const struct pt_e500_sample *samples, size_t n, uint64_t lost, uint64_t to_ns)
{
	uint64_t from_ns = s->out.told_ns, of_samples_ns = to_ns > from_ns ? to_ns - from_ns : 0;
	uint8_t bytes[SAMPLE_BYTES * BATCH] = { 0 };

	if (n == 0 && lost == 0 && of_samples_ns < QUIET_MS * PT_NS_PER_MS)
		return;
	if (lost > 0)
		of_samples_ns = (uint64_t)((double)of_samples_ns * (double)n / (double)(n + lost));
	for (size_t done = 0; done < n;) {
		size_t batch = 0;

		for (; batch < BATCH && done + batch < n; batch++)
			pt_put_le32(bytes + SAMPLE_BYTES * batch, samples[done + batch].pc);
		done += batch;
		pt_emit_data(&s->out, s->out.told_ns, from_ns + of_samples_ns * done / n, bytes, SAMPLE_BYTES * batch);
	}
	if (lost > 0)
		pt_emit_loss(&s->out, PT_LOSS_OVERRUN, to_ns);
	else
		pt_emit_data(&s->out, s->out.told_ns, to_ns, bytes, 0);
}

static size_t ours(const struct samples *s, struct pt_e500_sample *samples, size_t n)
{
	size_t n_ours = 0;

	for (size_t i = 0; i < n; i++)
		if (samples[i].counter == s->pmc && samples[i].event == s->event->number)
			samples[n_ours++] = samples[i];
	return n_ours;
}

/* More than 0: microseconds to rest. The core may stand: the ring can be read all the same. */
static int fetch(struct samples *s, struct pt_err *err)
{
	struct pt_e500_sample samples[PT_E500_BOX_SAMPLES_MAX];
	struct pt_e500_mailbox *box = pt_e500_agent_box(s->e500, s->core);
	struct pt_e500_block there;
	uint64_t lost, at_ns = now(s);
	int n = box == NULL ? pt_fail(err, PT_EUNSUPPORTED, "the agent is gone")
			    : pt_e500_box_samples(box, &s->next, samples, PT_LEN(samples), &lost, &there, err);

	if (n < 0)
		return n;
	lost += there.lost - s->lost;
	s->lost = there.lost;
	emit_samples(s, samples, ours(s, samples, (size_t)n), lost, at_ns);
	if (there.head - s->next >= box->ring_room / 4)
		return 0;
	return s->period_ns / 1000 * box->ring_room / 8 < LONGEST_REST_US ? (int)(s->period_ns / 1000 * box->ring_room / 8)
									  : LONGEST_REST_US;
}

/* --- drain -------------------------------------------------------------------------------------------------------- */

/* A debugger lets it run past the board: nobody tells. */
static bool still_held(struct samples *s)
{
	struct pt_core_status status;

	if (pt_remote_status(s->e500, s->core, &status, &(struct pt_err){ 0 }) < 0 || status.state != PT_RUNNING)
		return true;
	pt_emit_loss(&s->out, PT_LOSS_HALTED, now(s));
	pt_emit_state(&s->out, PT_STATE_RUN, now(s), PT_UNKNOWN);
	s->held = false;
	return false;
}

/* It was halted meanwhile, and the board will say so; or the agent does not answer for a moment, after a reset perhaps. */
static int failed(struct samples *s, int rc, struct pt_err *err)
{
	struct pt_core_status status;

	if (rc == PT_EINTERRUPTED)
		return rc;
	if ((rc == PT_EUNSUPPORTED || rc == PT_EBUSY) &&
	    pt_remote_status(s->e500, s->core, &status, &(struct pt_err){ 0 }) == 0 && status.state != PT_RUNNING)
		return HELD_REST_US;
	rc = pt_emit_failed(&s->out, now(s), rc == PT_EUNSUPPORTED || rc == PT_EBUSY ? PT_EPROTO : rc);
	return rc < 0 && rc != PT_EINTERRUPTED ? pt_wrap(err, "pc-sampling") : rc;
}

static int drain_agent(struct samples *s, struct pt_err *err)
{
	int rc;

	if (s->held && still_held(s))
		return HELD_REST_US;
	switch (s->phase) {
	case IDLE:
		rc = arm(s, err);
		break;
	case COUNTING:
		rc = look_at_count(s, err);
		break;
	default:
		rc = fetch(s, err);
	}
	if (rc < 0)
		return failed(s, rc, err);
	s->out.failing_since_ns = PT_UNKNOWN;
	return rc;
}

static int samples_drain(void *state, struct pt_err *err)
{
	struct samples *s = state;

	return s->halting != NULL ? pt_source_remote_pc.drain(s->halting, err) : drain_agent(s, err);
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static int samples_available(struct pt_target *target, struct pt_err *err)
{
	return pt_source_remote_pc.available(target, err);
}

/* Of the counters that may count it the last, which leaves the first two to thresholds. */
static int choose_event(struct samples *s, const struct pt_params *settings, struct pt_err *err)
{
	unsigned n = pt_e500_kinds[s->e500->core].n_pmcs;

	if (pt_e500_event_find(s->e500->core, pt_params_text(settings, &params[EVENT]), &s->event, err) < 0)
		return err->code;
	if (s->event->threshold)
		return pt_fail(err, PT_EUNSUPPORTED, "%s counts what lasts longer than a threshold; source=counters has those",
			       s->event->name);
	if (s->event->number == 0)
		return pt_fail(err, PT_EARG, "event %s never comes", s->event->name);
	while (n > 0 && (s->event->pmcs >> (n - 1) & 1) == 0)
		n--;
	if (n == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "no counter of this core counts %s", s->event->name);
	s->pmc = n - 1;
	return 0;
}

static int start_halting(struct samples *s, struct pt_target *target, const struct pt_source_setup *setup,
			 struct pt_err *err)
{
	s->halting = calloc(1, pt_source_remote_pc.state_bytes);
	if (s->halting == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for the source");
	if (pt_source_remote_pc.start(s->halting, target, setup, err) == 0)
		return 0;
	free(s->halting);
	s->halting = NULL;
	return err->code;
}

static int emit_config(struct samples *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	char lines[500], per[60], by[80] = "";
	int rc;

	if (s->event->number != CYCLES)
		snprintf(by, sizeof(by), "event=%s\nevery=%" PRIu32 "\n", s->event->name, s->every);
	if (s->every != 0)
		snprintf(per, sizeof(per), "%" PRIu32 " %s", s->every, s->event->name);
	else
		snprintf(per, sizeof(per), "%" PRIu64 " us", s->period_ns / 1000);
	snprintf(lines, sizeof(lines),
		 "source=pc-sampling\nmode=agent\nbatch=%d\nbit0=1\n%speriod_us=%" PRIu64 "\n"
		 "cost=0 halts: the program's agent stores a sample per %s in some 150 instructions, which are not counted; "
		 "PMC%u and PMGC0 are in use\n",
		 BATCH, by, s->period_ns / 1000, per, s->pmc);
	rc = pt_emit_config(&s->out, setup, PT_FORMAT_PCSR, lines, err);
	s->configured = rc == 0;
	if (s->phase == SAMPLING)
		pt_emit_loss(&s->out, PT_LOSS_NOT_ARMED, now(s));
	return rc;
}

/* A halted core's agent cannot be asked: that waits until it runs. */
static int start_agent(struct samples *s, struct pt_err *err)
{
	struct pt_core_status status;
	int rc;

	if (pt_remote_status(s->e500, s->core, &status, err) < 0)
		return err->code;
	s->held = status.state == PT_HALTED;
	if (s->held)
		return pt_e500_agent_known(s->e500, err);
	rc = arm(s, err);
	while (rc >= 0 && s->phase == COUNTING) {
		rc = look_at_count(s, err);
		if (rc > 0)
			pt_mem_wait(&s->e500->remote.mem, now(s) + (uint64_t)rc * 1000, err);
	}
	return rc < 0 ? rc : 0;
}

static int with_agent(struct samples *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	uint64_t pc = PT_UNKNOWN;

	s->period_ns = pt_params_number(setup->settings, &params[PERIOD]);
	s->every = (uint32_t)pt_params_number(setup->settings, &params[EVERY]);
	if (choose_event(s, setup->settings, err) < 0)
		return err->code;
	if (start_agent(s, err) == 0 && (!s->held || pt_remote_pc(s->e500, s->core, &pc, err) == 0) &&
	    emit_config(s, setup, err) == 0) {
		if (s->held)
			pt_emit_state(&s->out, PT_STATE_HALT, s->out.told_ns, pc);
		return 0;
	}
	pt_e500_give_back(s->e500, owner, &(struct pt_err){ 0 });
	s->phase = IDLE;
	s->taken = false;
	return err->code;
}

static int samples_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	const char *mode = pt_params_text(setup->settings, &params[MODE]);
	bool asks = pt_params_given(setup->settings, &params[EVENT]) || pt_params_given(setup->settings, &params[EVERY]);
	struct samples *s = state;
	int rc;

	s->e500 = target->state;
	s->core = setup->core;
	pt_emit_init(&s->out, setup, now(s));
	if (strcmp(mode, "halt") == 0 && asks)
		return pt_fail(err, PT_EARG, "mode=halt samples by time: event and every need an agent (mode=agent)");
	if (strcmp(mode, "halt") == 0)
		return start_halting(s, target, setup, err);
	rc = with_agent(s, setup, err);
	if (rc == PT_EUNSUPPORTED && strcmp(mode, "auto") == 0 && !asks)
		return start_halting(s, target, setup, err);
	return rc;
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

static int samples_on_state(void *state, enum pt_state what, uint64_t pc, struct pt_err *err)
{
	struct samples *s = state;
	struct pt_err ignored = { 0 };

	if (s->halting != NULL)
		return pt_source_remote_pc.on_state(s->halting, what, pc, err);
	if (what == PT_STATE_RUN && !s->held)
		return 0;	/* seen already */
	if (s->phase == SAMPLING && !s->held && what == PT_STATE_HALT)
		fetch(s, &ignored);
	pt_emit_loss(&s->out, s->held ? PT_LOSS_HALTED : what == PT_STATE_RESET ? PT_LOSS_RESET : PT_LOSS_REARM, now(s));
	if (what == PT_STATE_HALT || what == PT_STATE_RUN)
		s->held = what == PT_STATE_HALT;
	if (what == PT_STATE_RESET)
		s->phase = IDLE;	/* the registers are cleared, and the agent begins anew */
	pt_emit_state(&s->out, what, now(s), pc);
	return 0;
}

/* Sampling ends first: the agent must not go on by a period of ours. */
static int stop_agent(struct samples *s, struct pt_err *err)
{
	struct pt_e500_op off[] = { set(PT_E500_PMGC0, 0, FAC), set(PT_E500_PMLCA0, s->pmc, 0),
				    set(PT_E500_BOX_PERIOD, s->pmc, 0), set(PT_E500_BOX_JITTER, s->pmc, 0) };
	struct pt_err ignored = { 0 };
	struct pt_e500_block there;
	uint64_t to_ns;
	int rc = 0;

	if (s->phase == SAMPLING && !s->held)
		rc = request(s, off, PT_LEN(off), &there, &to_ns, &ignored);
	if (s->phase == SAMPLING)
		while (fetch(s, &ignored) == 0)
			;
	if (s->phase == SAMPLING && s->held)
		rc = 0;
	rc = pt_e500_give_back(s->e500, owner, err) < 0 ? err->code : rc;
	pt_emit_rest(&s->out, now(s), rc, s->held ? PT_LOSS_HALTED : PT_LOSS_REARM);
	pt_emit_end(&s->out);
	return rc;
}

static int samples_stop(void *state, struct pt_err *err)
{
	struct samples *s = state;
	int rc;

	if (s->halting == NULL)
		return stop_agent(s, err);
	rc = pt_source_remote_pc.stop(s->halting, err);
	free(s->halting);
	return rc;
}

const struct pt_source_ops pt_source_e500_samples = {
	.name = "pc-sampling",
	.format = PT_FORMAT_PCSR,
	.modes = "auto|agent|halt",
	.help = "program counters by the overflow of any event, by the program's agent; without one INTRUSIVE: it halts for "
		"each sample; only when asked for by name",
	.state_bytes = sizeof(struct samples),
	.params = params,
	.n_params = N_PARAMS,
	.only_by_name = true,
	.available = samples_available,
	.start = samples_start,
	.drain = samples_drain,
	.on_state = samples_on_state,
	.stop = samples_stop,
};
