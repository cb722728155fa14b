/* The source pc-sampling: samples the program counter by time, or when a counter of an event overflows (sampling.h).
 * With several events each has its own counter, and its own source in the trace. The program's agent (scripts/agent)
 * stores the program counter each time, without halting. Without an agent the core is halted for each sample, by time
 * only (targets/remote, source_pc.c).
 *
 * The agent's ring is read before it can fill. Samples that were overwritten, or that coincided while interrupts were
 * off, become a LOSS of their share of the time; with several events the event of a lost sample is unknown. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "targets/e500/trace/sampling.h"
#include "targets/contract/emit.h"
#include "targets/e500/trace/sources.h"
#include "trace/formats.h"
#include "base/util.h"

static const char owner[] = "pc-sampling";

enum { SAMPLE_BYTES = 4, BATCH = 8, CYCLES = 1 };
enum { HELD_REST_US = 20000, SHORT_REST_US = 500, TRY_AGAIN_US = 20000 };
enum { SHORT_HALT_MS = 100, QUIET_MS = 100, GIVE_UP_MS = 10000 };

enum { MODE, EVENT, PERIOD, EVERY, CORE, N_PARAMS };
static const struct pt_param params[] = {
	[MODE] = { .key = "mode",
		   .type = PT_PARAM_CHOICE,
		   .standard = "auto",
		   .choices = "auto|agent|halt",
		   .help = "agent: the program's samples, nothing halts; halt: INTRUSIVE; auto: agent, else halt" },
	[EVENT] = { .key = "event",
		    .type = PT_PARAM_LIST,
		    .standard = "CPU_CLK",
		    .help = "what a sample is taken by: any event that counters has; cycles are time; several, A,B, as "
			    "many as the core has counters" },
	[PERIOD] = { .key = "period",
		     .type = PT_PARAM_TIME,
		     .standard = "1ms",
		     .min = 100000,
		     .max = 10 * PT_NS_PER_S,
		     .help = "mean distance of two samples, where every is not given (10ms where it halts)" },
	[EVERY] = { .key = "every",
		    .type = PT_PARAM_LIST,
		    .help = "events to a sample, in the mean, of all events or N,M of each; otherwise by period and "
			    "how "
			    "often the event came lately, at least 100" },
	[CORE] = PT_E500_CORE_PARAM,
};

struct samples {
	struct pt_e500_sampling unit;
	void *halting;				/* the state of pt_source_remote_pc; NULL: we sample */
	struct pt_emit out[PT_E500_PMCS_MAX];	/* of each event */
	uint64_t waits_since_ns;		/* since when it waits for the program's agent; 0: it does not wait */
	bool held, ends;			/* ends: stopping; emit all that is left */
};

static uint64_t now(const struct samples *s)
{
	return pt_link_now_ns(pt_probe_link(s->unit.e500->remote.target->probe));
}

/* --- into the traces of all events ------------------------------------------------------------------------------- */

static void lose(struct samples *s, enum pt_loss cause, uint64_t to_ns)
{
	for (size_t i = 0; i < s->unit.n; i++)
		pt_emit_loss(&s->out[i], cause, to_ns);
}

static void tell_state(struct samples *s, enum pt_state what, uint64_t ns, uint64_t pc)
{
	for (size_t i = 0; i < s->unit.n; i++)
		pt_emit_state(&s->out[i], what, ns, pc);
}

static void tell_works(struct samples *s, uint64_t ns)
{
	for (size_t i = 0; i < s->unit.n; i++)
		pt_emit_works(&s->out[i], ns, false);
}

static int tell_failed(struct samples *s, uint64_t ns, int rc)
{
	int result = rc;

	for (size_t i = 0; i < s->unit.n; i++)
		result = pt_emit_failed(&s->out[i], ns, rc);
	return result;
}

static void tell_end(struct samples *s, int rc, enum pt_loss cause)
{
	for (size_t i = 0; i < s->unit.n; i++) {
		pt_emit_rest(&s->out[i], now(s), rc, cause);
		pt_emit_end(&s->out[i]);
	}
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

struct fetched { const struct pt_e500_sample *sample; size_t n; uint64_t lost, to_ns; };

static size_t samples_of(const struct samples *s, const struct fetched *f, size_t event)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += pt_e500_sampling_event(&s->unit, &f->sample[i]) == event;
	return n;
}

/* Emits an event's samples since the last fetch in batches, each with its share of the time; lost samples get their
 * share, too. */
static void emit_samples(struct samples *s, const struct fetched *f, size_t event)
{
	struct pt_emit *out = &s->out[event];
	uint64_t from_ns = out->told_ns, of_samples_ns = f->to_ns > from_ns ? f->to_ns - from_ns : 0;
	size_t n = samples_of(s, f, event), batch = 0, done = 0;
	uint8_t bytes[SAMPLE_BYTES * BATCH] = { 0 };

	if (n == 0 && f->lost == 0 && of_samples_ns < QUIET_MS * PT_NS_PER_MS && !s->ends)
		return;
	if (f->lost > 0)
		of_samples_ns = (uint64_t)((double)of_samples_ns * (double)f->n / (double)(f->n + f->lost));
	for (size_t i = 0; i < f->n; i++) {
		if (pt_e500_sampling_event(&s->unit, &f->sample[i]) != event)
			continue;
		pt_put_le32(bytes + SAMPLE_BYTES * batch++, f->sample[i].pc);
		if (batch < BATCH && done + batch < n)
			continue;
		done += batch;
		pt_emit_data(out, out->told_ns, from_ns + of_samples_ns * done / n, bytes, SAMPLE_BYTES * batch);
		batch = 0;
	}
	if (f->lost > 0)
		pt_emit_loss_of(out, PT_LOSS_OVERRUN, s->unit.n == 1 ? SAMPLE_BYTES * f->lost : PT_UNKNOWN, f->to_ns);
	else
		pt_emit_data(out, out->told_ns, f->to_ns, bytes, 0);
}

/* > 0: microseconds to wait before the next call. The core may be halted: the ring can still be read. */
static int fetch(struct samples *s, struct pt_err *err)
{
	struct pt_e500_sample samples[PT_E500_BOX_SAMPLES_MAX];
	struct fetched f = { .sample = samples, .to_ns = now(s) };
	int rest_us, n = pt_e500_sampling_fetch(&s->unit, samples, PT_LEN(samples), &f.lost, &rest_us, err);

	if (n < 0)
		return n;
	f.n = (size_t)n;
	tell_works(s, f.to_ns);
	for (size_t i = 0; i < s->unit.n; i++)
		emit_samples(s, &f, i);
	return rest_us;
}

/* --- drain -------------------------------------------------------------------------------------------------------- */

/* A debugger may resume the core directly at the server, which is not reported. */
static bool still_held(struct samples *s)
{
	struct pt_core_status status;

	if (pt_remote_status(s->unit.e500, s->unit.core, &status, &(struct pt_err){ 0 }) < 0 ||
	    status.state != PT_RUNNING)
		return true;
	lose(s, PT_LOSS_HALTED, now(s));
	tell_state(s, PT_STATE_RUN, now(s), PT_UNKNOWN);
	s->held = false;
	return false;
}

/* A debugger that goes from breakpoint to breakpoint lets the core run briefly each time, so short halts are polled
 * more often. Asking sends no packet. */
static int rest_held(const struct samples *s)
{
	return now(s) - s->out[0].told_ns < SHORT_HALT_MS * PT_NS_PER_MS ? SHORT_REST_US : HELD_REST_US;
}

/* A program that starts, or restarts, has no agent at first. Gives up after GIVE_UP_MS, or if the agent's address is no
 * longer known. */
static int not_yet(struct samples *s, struct pt_err *err)
{
	s->waits_since_ns = s->waits_since_ns != 0 ? s->waits_since_ns : now(s);
	if (now(s) - s->waits_since_ns < GIVE_UP_MS * PT_NS_PER_MS && pt_e500_agent_known(s->unit.e500, err) == 0)
		return TRY_AGAIN_US;
	tell_end(s, 0, PT_LOSS_NOT_ARMED);
	return pt_wrap(err, "pc-sampling");
}

/* The core may have been halted meanwhile, which the board will report; or the agent does not answer for now. */
static int failed(struct samples *s, int rc, struct pt_err *err)
{
	struct pt_core_status status;

	if (rc == PT_EINTERRUPTED)
		return rc;
	if ((rc == PT_EUNSUPPORTED || rc == PT_EBUSY) &&
	    pt_remote_status(s->unit.e500, s->unit.core, &status, &(struct pt_err){ 0 }) == 0 &&
	    status.state != PT_RUNNING)
		return SHORT_REST_US;
	if (s->unit.phase != PT_E500_SAMPLING && (rc == PT_EUNSUPPORTED || rc == PT_EBUSY))
		return not_yet(s, err);
	rc = tell_failed(s, now(s), rc == PT_EUNSUPPORTED || rc == PT_EBUSY ? PT_EPROTO : rc);
	return rc < 0 && rc != PT_EINTERRUPTED ? pt_wrap(err, "pc-sampling") : rc;
}

static int drain_agent(struct samples *s, struct pt_err *err)
{
	bool sampled = s->unit.phase == PT_E500_SAMPLING;
	int rc;

	if (s->held && still_held(s))
		return rest_held(s);
	rc = sampled				 ? fetch(s, err)
	     : s->unit.phase == PT_E500_COUNTING ? pt_e500_sampling_look(&s->unit, err)
						 : pt_e500_sampling_arm(&s->unit, err);
	if (rc < 0)
		return failed(s, rc, err);
	s->waits_since_ns = 0;
	if (!sampled)
		tell_works(s, now(s));
	if (!sampled && s->unit.phase == PT_E500_SAMPLING)
		lose(s, PT_LOSS_NOT_ARMED, now(s));
	return rc;
}

static int one_drain(void *state, struct pt_err *err)
{
	struct samples *s = state;

	return s->halting != NULL ? pt_source_remote_pc.drain(s->halting, err) : drain_agent(s, err);
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static int samples_available(struct pt_target *target, struct pt_err *err)
{
	return pt_e500_agent_known(target->state, err) == 0 ? 0 : pt_source_remote_pc.available(target, err);
}

static void samples_cost(struct pt_target *target, char *line, size_t room)
{
	bool agent = pt_e500_agent_known(target->state, &(struct pt_err){ 0 }) == 0;

	snprintf(line, room, "%s",
		 agent ? "by the agent in the program: halts nothing"
		       : "INTRUSIVE: halts the program for each sample, unless its ELF has an agent (scripts/agent)");
}

static int start_halting(struct samples *s, struct pt_target *target, const struct pt_source_setup *setup,
			 struct pt_err *err)
{
	s->halting = pt_alloc(pt_source_remote_pc.state_bytes);
	if (pt_source_remote_pc.start(s->halting, target, setup, err) == 0)
		return 0;
	free(s->halting);
	s->halting = NULL;
	return err->code;
}

/* "per 400 DL1_RELOADS, 20000 CPU_CLK", and the counters. */
static void say_cost(const struct samples *s, char *text, size_t room)
{
	char per[PT_E500_PMCS_MAX * 60] = "", pmcs[PT_E500_PMCS_MAX * 8] = "";
	size_t n = 0, k = 0;

	for (size_t i = 0; i < s->unit.n; i++) {
		const struct pt_e500_sampled *by = &s->unit.by[i];

		if (by->every != 0)
			n += (size_t)snprintf(per + n, sizeof(per) - n, "%s%" PRIu32 " %.40s", i > 0 ? ", " : "",
					      by->every, by->event->name);
		k += (size_t)snprintf(pmcs + k, sizeof(pmcs) - k, "PMC%u, ", by->pmc);
	}
	if (n == 0)
		snprintf(per, sizeof(per), "%" PRIu64 " us%s", s->unit.period_ns / 1000,
			 s->unit.n > 1 ? " and event" : "");
	pmcs[k - 2] = '\0';
	snprintf(text, room,
		 "the program's agent stores a sample per %s in some 160 instructions, which are not counted; %s and "
		 "PMGC0 are in use",
		 per, pmcs);
}

static int emit_config(struct samples *s, size_t event, const struct pt_source_setup *setup, struct pt_err *err)
{
	const struct pt_e500_sampled *of = &s->unit.by[event];
	char lines[1700], does[700], by[80] = "";

	if (of->event->number != CYCLES)
		snprintf(by, sizeof(by), "event=%s\nevery=%" PRIu32 "\n", of->event->name, of->every);
	say_cost(s, does, sizeof(does));
	snprintf(lines, sizeof(lines),
		 "source=pc-sampling\nmode=agent\nbatch=%d\nbit0=1\n%speriod_us=%" PRIu64 "\n"
		 "cost=0 halts: %s\ncost_besides=%s\n",
		 BATCH, by, s->unit.period_ns / 1000, does, does);
	return pt_emit_config(&s->out[event], setup, PT_FORMAT_PCSR, lines, err);
}

static int emit_configs(struct samples *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	for (size_t i = 0; i < s->unit.n; i++)
		if (emit_config(s, i, setup, err) < 0)
			return err->code;
	if (s->unit.phase == PT_E500_SAMPLING)
		lose(s, PT_LOSS_NOT_ARMED, now(s));
	return 0;
}

/* A halted core's agent cannot answer: arming waits until the core runs. */
static int start_agent(struct samples *s, struct pt_err *err)
{
	struct pt_core_status status;
	int rc;

	if (pt_remote_status(s->unit.e500, s->unit.core, &status, err) < 0)
		return err->code;
	s->held = status.state == PT_HALTED;
	if (s->held)
		return pt_e500_agent_known(s->unit.e500, err);
	rc = pt_e500_sampling_arm(&s->unit, err);
	while (rc >= 0 && s->unit.phase == PT_E500_COUNTING) {
		rc = pt_e500_sampling_look(&s->unit, err);
		if (rc > 0)
			pt_mem_wait(&s->unit.e500->remote.mem, now(s) + (uint64_t)rc * 1000, err);
	}
	return rc < 0 ? rc : 0;
}

static int with_agent(struct samples *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_source_setup own = *setup;
	uint64_t pc = PT_UNKNOWN;

	s->unit.period_ns = pt_params_number(setup->settings, &params[PERIOD]);
	if (pt_e500_sampling_choose(&s->unit, pt_params_text(setup->settings, &params[EVENT]),
				    pt_params_text(setup->settings, &params[EVERY]), err) < 0)
		return err->code;
	for (size_t i = 0; i < s->unit.n; i++, own.source++)
		pt_emit_init(&s->out[i], &own, now(s));
	pt_emit_costs(&s->out[0], pt_e500_account_tell, pt_e500_account_begin(s->unit.e500, s->unit.core));
	if (start_agent(s, err) == 0 && (!s->held || pt_remote_pc(s->unit.e500, s->unit.core, &pc, err) == 0) &&
	    emit_configs(s, setup, err) == 0) {
		if (s->held)
			tell_state(s, PT_STATE_HALT, s->out[0].told_ns, pc);
		return 0;
	}
	pt_e500_give_back(s->unit.e500, s->unit.core, owner, &(struct pt_err){ 0 });
	s->unit.phase = PT_E500_IDLE;
	s->unit.taken = false;
	return err->code;
}

static int one_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	const char *mode = pt_params_text(setup->settings, &params[MODE]);
	bool every = pt_params_given(setup->settings, &params[EVERY]);
	bool asks = every || pt_params_given(setup->settings, &params[EVENT]);
	struct samples *s = state;
	int rc;

	s->unit.e500 = target->state;
	s->unit.core = setup->core;
	s->unit.owner = owner;
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

static int one_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct samples *s = state;
	struct pt_err ignored = { 0 };
	enum pt_loss cause;

	if (s->halting != NULL)
		return pt_source_remote_pc.on_state(s->halting, what, core, pc, err);
	if (core != s->unit.core || (what == PT_STATE_RUN && !s->held))
		return 0;	/* another core's, or known already */
	if (s->unit.phase == PT_E500_SAMPLING && !s->held && what == PT_STATE_HALT)
		fetch(s, &ignored);
	cause = what == PT_STATE_RESET ? PT_LOSS_RESET : PT_LOSS_REARM;
	lose(s, s->held ? PT_LOSS_HALTED : cause, now(s));
	if (what == PT_STATE_HALT || what == PT_STATE_RUN)
		s->held = what == PT_STATE_HALT;
	if (what == PT_STATE_RESET) {
		s->unit.phase = PT_E500_IDLE;	/* the registers are cleared, and the agent restarts */
		pt_e500_agent_forget(s->unit.e500);
	}
	tell_state(s, what, now(s), pc);
	return 0;
}

/* Stops sampling first; samples stored until then are still in the ring. */
static int stop_agent(struct samples *s, struct pt_err *err)
{
	bool sampled = s->unit.phase == PT_E500_SAMPLING;
	struct pt_err ignored = { 0 };
	int rc = sampled && !s->held ? pt_e500_sampling_end(&s->unit, &ignored) : 0;

	s->ends = true;
	while (sampled && fetch(s, &ignored) == 0)
		;
	rc = pt_e500_give_back(s->unit.e500, s->unit.core, owner, err) < 0 ? err->code : rc;
	tell_end(s, rc, s->held ? PT_LOSS_HALTED : PT_LOSS_REARM);
	return rc;
}

static int one_stop(void *state, struct pt_err *err)
{
	struct samples *s = state;
	int rc;

	if (s->halting == NULL)
		return stop_agent(s, err);
	rc = pt_source_remote_pc.stop(s->halting, err);
	free(s->halting);
	return rc;
}

static const struct pt_source_ops one = {
	.state_bytes = sizeof(struct samples),
	.start = one_start,
	.drain = one_drain,
	.on_state = one_on_state,
	.stop = one_stop,
};

static int samples_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	static const struct pt_cores_kind kind = {
		.one = &one, .each = PT_E500_PMCS_MAX, .now_ns = pt_e500_cores_now_ns,
		.thread_of = pt_e500_cores_thread_of,
	};

	return pt_e500_cores_start(state, &kind, pt_params_text(setup->settings, &params[CORE]), target, setup, err);
}

const struct pt_source_ops pt_source_e500_samples = {
	.name = "pc-sampling",
	.format = PT_FORMAT_PCSR,
	.modes = "auto|agent|halt",
	.titles = "PC samples|PC samples by an agent|PC samples",
	.help = "program counters by the overflow of any event, by the program's agent; without one INTRUSIVE: it "
		"halts for each sample; only when asked for by name",
	.state_bytes = sizeof(struct pt_cores),
	.params = params,
	.n_params = N_PARAMS,
	.only_by_name = true,
	.available = samples_available,
	.cost = samples_cost,
	.start = samples_start,
	.drain = pt_cores_drain,
	.on_state = pt_cores_on_state,
	.stop = pt_cores_stop,
};
