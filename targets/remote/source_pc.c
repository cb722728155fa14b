/* The source pc-sampling: halts, reads the program counter, resumes. It works behind every GDB server, but each sample
 * is intrusive: so it must be selected by name, and reports its overhead.
 *
 * A halt that is not ours (a breakpoint, a debugger's Ctrl-C) suspends sampling until a client resumes the target. The
 * time of a halt for a sample is reported as halted, not as observed. */
#include <inttypes.h>
#include <stdio.h>

#include "targets/contract/emit.h"
#include "targets/remote/remote.h"
#include "trace/formats.h"
#include "base/util.h"

static const char owner[] = "profile", unit[] = "run control";

enum { STOP_MS = 500, HELD_REST_US = 20000, BUSY_REST_US = 1000 };
enum { PERIOD, N_PARAMS };
static const struct pt_param params[] = {
	[PERIOD] = { .key = "period", .type = PT_PARAM_TIME, .standard = "10ms", .min = 100000, .max = 10 * PT_NS_PER_S,
		     .help = "mean distance of two samples: each is half to one and a half of it behind the last" },
};

struct sampler {
	struct pt_remote *r;
	struct pt_emit out;
	uint64_t random, period_ns, next_ns;
	struct pt_cost_part cost;
	bool held, leased;
};

static uint64_t now(const struct sampler *s)
{
	return pt_link_now_ns(pt_probe_link(s->r->target->probe));
}

/* The random distance avoids synchronizing with the program. */
static void plan_next(struct sampler *s)
{
	s->next_ns = now(s) + s->period_ns / 2 + pt_random(&s->random, s->period_ns + 1);
}

static void tell_cost(void *state, struct pt_cost *cost)
{
	const struct sampler *s = state;

	cost->part[cost->n_parts] = s->cost;
	snprintf(cost->part[cost->n_parts++].way, PT_COST_METHOD_BYTES, "halt and go on");
}

static uint64_t packets_sent(const struct sampler *s)
{
	struct pt_link_traffic traffic;

	pt_link_traffic(pt_probe_link(s->r->target->probe), &traffic);
	return traffic.packets;
}

static unsigned pc_bytes(const struct sampler *s)
{
	return s->r->rows[s->r->pc_row].bits > 32 ? 8 : 4;
}

/* A sample represents the time before it, at most the longest planned distance (plan_next). A longer gap means that we
 * or the server were late, and the time before is a loss. */
static void emit_sample(struct sampler *s, uint64_t halted_ns, uint64_t pc)
{
	uint64_t most_ns = 2 * s->period_ns;
	uint8_t bytes[8];

	if (halted_ns > s->out.told_ns && halted_ns - s->out.told_ns > most_ns)
		pt_emit_loss(&s->out, PT_LOSS_REARM, halted_ns - most_ns);
	pt_put_le64(bytes, pc);
	pt_emit_data(&s->out, s->out.told_ns, halted_ns, bytes, pc_bytes(s));
	pt_emit_loss(&s->out, PT_LOSS_HALTED, now(s));
}

/* Called with the connection held. 1: the core is halted, but not by us. */
static int take_sample(struct sampler *s, struct pt_err *err)
{
	const struct pt_rsp_ops *rsp = s->r->rsp;
	uint64_t halted_ns, pc, sent = packets_sent(s);
	struct pt_err ignored;
	struct pt_rsp_run run;
	int rc = rsp->poll(s->r->wire, 0, &run, err);

	if (rc < 0 || !run.running || run.client_stops)
		return rc < 0 ? rc : 1;
	halted_ns = now(s);
	rc = rsp->interrupt(s->r->wire, err);
	rc = rc == 0 ? rsp->poll(s->r->wire, STOP_MS, &run, err) : rc;
	if (rc == 0 && run.running)
		return pt_fail(err, PT_ETIMEOUT, "the server does not stop the target");
	rc = rc == 0 ? pt_remote_pc(s->r, 0, &pc, err) : rc;
	if (rc < 0) {
		if (!run.running)
			rsp->go_on(s->r->wire, &ignored);	/* no sample, but the program goes on */
		return rc;
	}
	rc = rsp->go_on(s->r->wire, err);
	pt_cost_halt(&s->cost.sampling, now(s) - halted_ns);
	if (rc == PT_ESTATE)
		return 1;
	if (rc < 0)
		return rc;
	s->cost.samples++;
	s->cost.packets += packets_sent(s) - sent;
	emit_sample(s, halted_ns, pc);
	return 0;
}

/* A debugger may resume the target directly at the server, which is not reported. */
static bool still_held(struct sampler *s)
{
	struct pt_rsp_run run;

	if (s->r->rsp->poll(s->r->wire, 0, &run, NULL) < 0 || !run.running)
		return true;
	pt_emit_loss(&s->out, PT_LOSS_HALTED, now(s));
	pt_emit_state(&s->out, PT_STATE_RUN, now(s), PT_UNKNOWN);
	plan_next(s);
	s->held = false;
	return false;
}

static int sampler_drain(void *state, struct pt_err *err)
{
	struct sampler *s = state;
	int rc;

	if (s->held && still_held(s))
		return HELD_REST_US;
	if (now(s) < s->next_ns)
		return (int)((s->next_ns - now(s)) / 1000) + 1;
	rc = s->r->rsp->hold(s->r->wire, err);
	if (rc == PT_EBUSY)
		return BUSY_REST_US;	/* a debugger waits for the answer to its packet */
	if (rc == 0) {
		rc = take_sample(s, err);
		s->r->rsp->release(s->r->wire);
	}
	plan_next(s);
	if (rc == 1)
		return HELD_REST_US;	/* the board will notice the halt */
	if (rc == 0) {
		pt_emit_works(&s->out, now(s), false);
		return s->next_ns > now(s) ? (int)((s->next_ns - now(s)) / 1000) + 1 : 0;
	}
	rc = pt_emit_failed(&s->out, now(s), rc);
	return rc < 0 && rc != PT_EINTERRUPTED ? pt_wrap(err, "pc-sampling") : rc;
}

static int available(struct pt_target *target, struct pt_err *err)
{
	const struct pt_remote *r = target->state;

	if (r->pc_row == UINT16_MAX)
		return pt_fail(err, PT_EUNSUPPORTED, "the server does not say which register is the program counter");
	if (r->facts.deaf)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "%s hears no stop while the program runs, so nothing can halt it for a "
			       "sample",
			       r->facts.name);
	if (r->rows[r->pc_row].bits > 64)
		return pt_fail(err, PT_EUNSUPPORTED, "a program counter of %u bits; samples have 64",
			       r->rows[r->pc_row].bits);
	if (r->n_cores > 1)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "the server stops all of its %u threads at once: samples of one "
			       "would disturb the others",
			       r->n_cores);
	return 0;
}

static int look_at_core(struct sampler *s, struct pt_err *err)
{
	struct pt_core_status status;
	uint64_t pc = PT_UNKNOWN;

	if (pt_remote_status(s->r, 0, &status, err) < 0)
		return err->code;
	s->held = status.state == PT_HALTED;
	if (s->held && pt_remote_pc(s->r, 0, &pc, err) < 0)
		return pt_wrap(err, "a core that is held has to tell its pc (or is it in reset?)");
	if (s->held)
		pt_emit_state(&s->out, PT_STATE_HALT, s->out.told_ns, pc);
	return 0;
}

static int emit_config(struct sampler *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	char lines[600];

	snprintf(lines, sizeof(lines),
		 "source=pc-sampling\nmode=halt\nbatch=1\npc_bytes=%u\nperiod_us=%" PRIu64 "\nbit0=1\n"
		 "sleep=counted\n"
		 "assumed=a halted core is found before its next instruction: what a call or a return takes counts for "
		 "the function that it leads to; where proftap can walk the code, limits of shares hold either way\n"
		 "cost=INTRUSIVE: the program is halted and let go for each sample, every %" PRIu64 " us in the mean\n"
		 "cost_besides=every %" PRIu64 " us in the mean\n",
		 pc_bytes(s), s->period_ns / 1000, s->period_ns / 1000, s->period_ns / 1000);
	return pt_emit_config(&s->out, setup, PT_FORMAT_PCSR, lines, err);
}

static void let_go_of_unit(struct sampler *s)
{
	if (s->leased)
		pt_lease_drop(s->r->target, unit, owner);
	s->leased = false;
}

static int sampler_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct sampler *s = state;

	if (available(target, err) < 0)
		return err->code;
	s->r = target->state;
	s->random = setup->seed;
	s->period_ns = pt_params_number(setup->settings, &params[PERIOD]);
	pt_emit_init(&s->out, setup, now(s));
	pt_emit_costs(&s->out, tell_cost, s);
	plan_next(s);
	if (pt_lease_take(target, unit, owner, err) < 0)
		return err->code;
	s->leased = true;
	if (emit_config(s, setup, err) == 0 && look_at_core(s, err) == 0)
		return 0;
	let_go_of_unit(s);
	return err->code;
}

static int sampler_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct sampler *s = state;

	(void)core;	/* see available() */
	(void)err;
	if (what == PT_STATE_RUN && !s->held)
		return 0;	/* seen already */
	pt_emit_loss(&s->out, s->held ? PT_LOSS_HALTED : PT_LOSS_REARM, now(s));
	if (what == PT_STATE_HALT || what == PT_STATE_RUN)
		s->held = what == PT_STATE_HALT;
	pt_emit_state(&s->out, what, now(s), pc);
	plan_next(s);
	return 0;
}

static int sampler_stop(void *state, struct pt_err *err)
{
	struct sampler *s = state;

	(void)err;
	pt_emit_rest(&s->out, now(s), 0, s->held ? PT_LOSS_HALTED : PT_LOSS_REARM);
	pt_emit_end(&s->out);
	let_go_of_unit(s);
	return 0;
}

const struct pt_source_ops pt_source_remote_pc = {
	.name = "pc-sampling",
	.format = PT_FORMAT_PCSR,
	.modes = "halt",
	.titles = "PC samples",
	.help = "INTRUSIVE: halts the program for each sample of its program counter; only when asked for by name",
	.state_bytes = sizeof(struct sampler),
	.params = params,
	.n_params = N_PARAMS,
	.only_by_name = true,
	.available = available,
	.start = sampler_start,
	.drain = sampler_drain,
	.on_state = sampler_on_state,
	.stop = sampler_stop,
};
