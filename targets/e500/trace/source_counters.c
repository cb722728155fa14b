/* The source counters: events of the core's performance monitor, read while counting or during short halts, depending
 * on the access method (pm.c). A halt is reported as time in which nothing ran; rates exclude it.
 *
 * If there are more events than counters, they take turns of random length around the period, so that periodic
 * behaviour of the program is neither always counted nor always missed. A turn ends and the next one begins in one
 * pass, with all counters frozen in between. Readings are raw, as wide as a counter or chain: the decoder extends them
 * to 64 bits. It knows each counter's highest rate from CONFIG, and reports a counter that may have wrapped twice as
 * unknown. See counting.h for words and registers. Source: E500CORERM Rev. 1, chapter 7. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/log.h"
#include "targets/e500/trace/report_config.h"
#include "targets/e500/trace/slots.h"
#include "targets/e500/trace/sources.h"
#include "trace/formats.h"
#include "base/util.h"

static const char owner[] = "profile";

enum { HELD_REST_US = 200000, MOST_REST_US = 100000, BUSY_REST_US = 2000, LATE_REST_US = 500000, LATE_MS = 50,
       USER_MODE_MS = 5000, AGENT_REST_US = 20000, AGENT_MS = 10000 };

struct counters {
	struct pt_e500_turns turns;
	struct pt_e500_clocks clocks;
	uint64_t in_user_since_ns;	/* since when no turn can begin because the core is in user mode; 0: not the
					 * case */
	/* since when no turn can begin because the program's agent is not ready; 0: not the case */
	uint64_t waits_since_ns;
	bool taken, held;		/* taken: we own the performance monitor; held: the core is halted */
	bool late;			/* a long wait (busy connection, or late agent) was warned about */
};

static uint64_t now_ns(const struct counters *s)
{
	return pt_e500_turns_now_ns(&s->turns);
}

/* --- drain -------------------------------------------------------------------------------------------------------- */

static int change_turn(struct counters *s, size_t to, struct pt_err *err)
{
	int rc = pt_e500_turns_change(&s->turns, to, err);

	if (rc == 0)
		s->in_user_since_ns = s->waits_since_ns = 0;
	return rc;
}

/* In user mode registers can only be read: the current turn goes on for a while, and the change is tried again soon. */
static int in_user_mode(struct counters *s, struct pt_err *err)
{
	struct pt_err why = *err;

	if (s->in_user_since_ns == 0)
		s->in_user_since_ns = now_ns(s);
	if (s->turns.running && pt_e500_turns_read(&s->turns, err) < 0)
		return err->code;
	s->turns.next_ns = now_ns(s) + s->turns.period_ns / 8 + pt_random(&s->turns.random, s->turns.period_ns / 8);
	if (!s->turns.running && now_ns(s) - s->in_user_since_ns > USER_MODE_MS * PT_NS_PER_MS)
		return pt_fail(err, PT_EUNSUPPORTED, "%.300s (tried for %d s)", why.msg, USER_MODE_MS / 1000);
	return 0;
}

/* Counts the counters that hold what is written to them. In user mode this is not known, and later the events cannot be
 * reassigned. */
static int find_counters(struct counters *s, unsigned *found, struct pt_err *err)
{
	struct pt_e500_op ops[PT_E500_TURN_OPS_MAX];
	size_t n = pt_e500_look_for_counters(&s->turns.counting, ops);
	struct pt_e500_pass pass;
	int rc = pt_e500_pass(s->turns.e500, s->turns.core, ops, n, &pass, err);

	if (rc == 0)
		*found = pt_e500_counters_found(s->turns.e500->core, ops);
	return rc == PT_ESTATE ? 0 : rc;
}

/* Takes the performance monitor late, because the program's agent was not ready at start; CONFIG is already written. */
static int take_late(struct counters *s, struct pt_err *err)
{
	unsigned found = s->turns.counting.n_pmcs;

	if (pt_e500_take(s->turns.e500, s->turns.core, owner, err) < 0)
		return err->code;
	s->taken = true;
	if (find_counters(s, &found, err) < 0)
		return err->code;
	if (found < s->turns.counting.n_pmcs)
		return pt_fail(err, PT_EPROTO,
			       "PMC%u and on do not hold what is written to them: begin again, now that the "
			       "program is under way",
			       found);
	pt_emit_loss(&s->turns.out, PT_LOSS_NOT_ARMED, now_ns(s));
	return 0;
}

static int work(struct counters *s, struct pt_err *err)
{
	bool windows = s->turns.counting.until != PT_E500_NO_WINDOWS;
	size_t n_turns = s->turns.counting.n_turns, to;
	int rc;

	if (!s->taken && take_late(s, err) < 0)
		return err->code;
	if (s->turns.running && (n_turns == 1 || windows)) {
		rc = pt_e500_turns_read(&s->turns, err);
		if (rc < 0 || s->turns.running)
			return rc;
	}
	to = s->turns.running || s->turns.n_windows > 0 ? (s->turns.turn + 1) % n_turns : s->turns.turn;
	rc = change_turn(s, to, err);
	return rc == PT_ESTATE ? in_user_mode(s, err) : rc;
}

static void go_on(struct counters *s)
{
	s->held = false;
	s->in_user_since_ns = 0;	/* a halted core cannot leave user mode */
	if (s->turns.running)
		pt_e500_turns_go_on(&s->turns);
}

/* A debugger may resume the core directly at the server, which is not reported. */
static bool still_held(struct counters *s)
{
	struct pt_core_status status;
	struct pt_err ignored = { 0 };

	if (pt_remote_status(s->turns.e500, s->turns.core, &status, &ignored) < 0 || status.state != PT_RUNNING)
		return true;
	pt_emit_loss(&s->turns.out, PT_LOSS_HALTED, now_ns(s));
	pt_emit_state(&s->turns.out, PT_STATE_RUN, now_ns(s), PT_UNKNOWN);
	go_on(s);
	return false;
}

/* A debugger uses the connection, or the agent is late. After a long wait rests longer, as others need the connection,
 * too. */
static int busy(struct counters *s, uint64_t since_ns, const struct pt_err *why)
{
	if (now_ns(s) - since_ns < LATE_MS * PT_NS_PER_MS)
		return BUSY_REST_US;
	if (!s->late)
		pt_warn("counters: %s; tried again until it answers", why->msg);
	s->late = true;
	return LATE_REST_US;
}

/* A program that starts, or restarts, has no agent at first. */
static bool may_come(struct counters *s, int rc)
{
	if (rc != PT_EUNSUPPORTED || s->turns.running || !pt_e500_agent_awaited(s->turns.e500))
		return false;
	s->waits_since_ns = s->waits_since_ns != 0 ? s->waits_since_ns : now_ns(s);
	return now_ns(s) - s->waits_since_ns < AGENT_MS * PT_NS_PER_MS;
}

static int one_drain(void *state, struct pt_err *err)
{
	struct counters *s = state;
	uint64_t now = now_ns(s), us;
	int rc;

	if (s->held && still_held(s))
		return HELD_REST_US;
	if (now < s->turns.next_ns) {
		us = (s->turns.next_ns - now) / 1000 + 1;
		return us < MOST_REST_US ? (int)us : MOST_REST_US;
	}
	rc = work(s, err);
	if (rc == PT_EBUSY)
		return busy(s, now, err);
	if (may_come(s, rc))
		return AGENT_REST_US;
	if (rc == PT_EUNSUPPORTED && !s->turns.running) {
		pt_emit_rest(&s->turns.out, now_ns(s), 0, PT_LOSS_NOT_ARMED);
		pt_emit_end(&s->turns.out);
		return pt_wrap(err, "counters");
	}
	if (rc < 0) {
		rc = pt_emit_failed(&s->turns.out, now_ns(s), rc);
		return rc < 0 && rc != PT_EINTERRUPTED ? pt_wrap(err, "counters") : rc;
	}
	pt_emit_works(&s->turns.out, now_ns(s), false);
	s->late = false;
	return 0;
}

/* --- what is counted, in words ------------------------------------------------------------------------------------ */

static int emit_config(struct counters *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	enum { ROOM = PT_CHUNK_BYTES - 1024 };		/* the session's own lines come to them */
	struct pt_err ignored = { 0 };
	char *text = malloc(ROOM);
	size_t len;
	int rc;

	if (text == NULL)
		return pt_fail(err, PT_ENOMEM, "not enough memory");
	len = pt_e500_tell_way(s->turns.e500, s->taken ? pt_e500_choose(s->turns.e500, &ignored) : &pt_e500_by_agent,
			       &s->turns.counting, setup->settings, s->clocks.core_hz, text, ROOM);
	pt_e500_counting_tell(&s->turns.counting, &s->clocks, text + len, ROOM - len);
	rc = pt_emit_config(&s->turns.out, setup, PT_FORMAT_COUNTERS, text, err);
	free(text);
	if (rc == 0)
		/* its timestamps use the probe's own clock */
		pt_emit_clock(&s->turns.out, s->turns.out.told_ns, s->turns.out.told_ns, 0);
	return rc;
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static bool may_get_ram(const struct pt_e500_target *e500)
{
	return pt_params_given(e500->settings, &pt_e500_settings[PT_E500_SET_RAM]);
}

/* If RAM is known, start may find a free part of it. */
static int available(struct pt_target *target, struct pt_err *err)
{
	struct pt_e500_target *e500 = target->state;

	return pt_e500_choose(e500, err) != NULL || may_get_ram(e500) || pt_e500_agent_awaited(e500) ? 0 : err->code;
}

static int read_words(struct counters *s, const struct pt_source_setup *setup, unsigned n_pmcs, struct pt_err *err)
{
	const struct pt_params *own = s->turns.e500->settings;
	bool by_old_name = pt_params_given(own, &pt_e500_settings[PT_E500_SET_CLOCK]);

	s->clocks.core_hz =
		pt_params_number(own, &pt_e500_settings[by_old_name ? PT_E500_SET_CLOCK : PT_E500_SET_CORE_CLOCK]);
	s->clocks.tb_hz = pt_params_number(own, &pt_e500_settings[PT_E500_SET_TB]);
	s->turns.period_ns = pt_params_number(setup->settings, &pt_e500_counting_params[PT_E500_PERIOD]);
	s->turns.period_given = pt_params_given(setup->settings, &pt_e500_counting_params[PT_E500_PERIOD]);
	s->turns.core_hz = s->clocks.core_hz;
	s->turns.random = setup->seed;
	return pt_e500_counting_read(&s->turns.counting, s->turns.e500->core, n_pmcs, setup->settings,
				     s->clocks.core_hz, s->turns.period_ns + s->turns.period_ns / 2, err);
}

/* Counters that do not hold what is written to them are withheld (OS, hypervisor) or do not exist. */
static int look_for_counters(struct counters *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	unsigned n_pmcs = s->turns.counting.n_pmcs, found = n_pmcs;

	if (s->taken && find_counters(s, &found, err) < 0)
		return err->code;
	if (found == n_pmcs)
		return 0;
	if (found < 2)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "PMC%u does not hold what is written to PMLCa%u: the OS or a hypervisor keeps "
			       "the counters to itself",
			       found, found);
	pt_warn("counters: PMC%u and on do not hold what is written to them: %u of %u are used", found, found, n_pmcs);
	return read_words(s, setup, found, err);
}

static int look_at_core(struct counters *s, struct pt_err *err)
{
	const struct pt_target_ops *ops = s->turns.e500->remote.target->ops;
	struct pt_core_status status;
	uint64_t pc = PT_UNKNOWN;

	if (ops->status(s->turns.e500, s->turns.core, &status, err) < 0)
		return err->code;
	s->held = status.state == PT_HALTED;
	if (s->held && ops->pc(s->turns.e500, s->turns.core, &pc, err) < 0)
		return err->code;
	if (s->held)
		pt_emit_state(&s->turns.out, PT_STATE_HALT, s->turns.out.told_ns, pc);
	return 0;
}

/* Begins the first turn, or later: when a core in user mode reaches supervisor code, or when the agent is ready. */
static int first_turn(struct counters *s, struct pt_err *err)
{
	int rc = s->taken ? change_turn(s, 0, err) : 0;

	return rc == PT_ESTATE ? in_user_mode(s, err) : rc;
}

/* If only an agent can access the unit and it does not answer yet, this succeeds, and one_drain waits for the agent. */
static int take_unit(struct counters *s, struct pt_err *err)
{
	int rc = pt_e500_take(s->turns.e500, s->turns.core, owner, err);

	s->taken = rc == 0;
	return rc == PT_EUNSUPPORTED && pt_e500_agent_awaited(s->turns.e500) ? 0 : rc;
}

static int one_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct counters *s = state;
	struct pt_e500_account *account;
	struct pt_err ignored = { 0 };

	s->turns.e500 = target->state;
	s->turns.core = setup->core;
	account = pt_e500_account_begin(s->turns.e500, s->turns.core);
	pt_e500_offer_ram(s->turns.e500, setup);
	if (read_words(s, setup, pt_e500_kinds[s->turns.e500->core].n_pmcs, err) < 0 || take_unit(s, err) < 0)
		return err->code;
	pt_emit_init(&s->turns.out, setup, now_ns(s));
	pt_emit_costs(&s->turns.out, pt_e500_account_tell, account);
	if (look_for_counters(s, setup, err) < 0 || emit_config(s, setup, err) < 0 || look_at_core(s, err) < 0 ||
	    first_turn(s, err) < 0) {
		pt_e500_give_back(s->turns.e500, s->turns.core, owner, &ignored);
		return err->code;
	}
	return 0;
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

static enum pt_loss rest_cause(const struct counters *s)
{
	return s->held ? PT_LOSS_HALTED : s->taken ? PT_LOSS_REARM : PT_LOSS_NOT_ARMED;
}

/* Counters stop while the core is halted: their values are put now, and counting goes on from them. */
static int one_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct counters *s = state;
	bool goes_on = what == PT_STATE_RUN && s->held;

	if (core != s->turns.core || (what == PT_STATE_RUN && !s->held))
		return 0;	/* another core's, or known already */
	if (!s->held && s->turns.running && what == PT_STATE_HALT && pt_e500_turns_read(&s->turns, err) < 0)
		pt_warn("counters: not read at the halt: %s", err->msg);
	pt_emit_loss(&s->turns.out,
		     s->held		      ? PT_LOSS_HALTED
		     : what == PT_STATE_RESET ? PT_LOSS_RESET
					      : rest_cause(s),
		     now_ns(s));
	s->waits_since_ns = 0;		/* while the core is halted, no agent can start */
	s->held |= what == PT_STATE_HALT;
	if (what == PT_STATE_RESET)
		pt_e500_turns_forget(&s->turns);	/* a hard reset clears all PMRs: the next turn begins anew */
	pt_emit_state(&s->turns.out, what, now_ns(s), pc);
	if (goes_on)
		go_on(s);
	return 0;
}

static int one_stop(void *state, struct pt_err *err)
{
	struct counters *s = state;
	struct pt_err first = { 0 }, own = { 0 };
	char cost[600];
	int rc = !s->turns.out.ended && s->turns.running && !s->held ? pt_e500_turns_end(&s->turns, &first) : 0;

	pt_e500_turns_flush(&s->turns);
	if (pt_e500_give_back(s->turns.e500, s->turns.core, owner, &own) < 0 && rc == 0)
		rc = (first = own).code;
	if (s->turns.n_torn > 0)
		pt_warn("counters: %" PRIu64 " readings of chains whose halves never agreed are left out",
			s->turns.n_torn);
	pt_e500_describe_way(s->turns.e500, cost, sizeof(cost));
	pt_info("counters: %s", cost);
	pt_emit_rest(&s->turns.out, now_ns(s), rc, rest_cause(s));
	pt_emit_end(&s->turns.out);
	if (rc < 0 && err != NULL)
		*err = first;
	return rc < 0 ? rc : 0;
}

static const struct pt_source_ops one = {
	.state_bytes = sizeof(struct counters),
	.start = one_start,
	.drain = one_drain,
	.on_state = one_on_state,
	.stop = one_stop,
};

static int counters_start(void *state, struct pt_target *target, const struct pt_source_setup *setup,
			  struct pt_err *err)
{
	static const struct pt_cores_kind kind = {
		.one = &one, .each = 1, .now_ns = pt_e500_cores_now_ns, .thread_of = pt_e500_cores_thread_of,
	};

	return pt_e500_cores_start(state, &kind,
				   pt_params_text(setup->settings, &pt_e500_counting_params[PT_E500_CORE]), target,
				   setup, err);
}

static void explain(void (*each)(void *arg, const char *name, const char *meaning), void *arg)
{
	for (size_t i = 0; i < pt_e500_n_events; i++)
		each(arg, pt_e500_events[i].name, pt_e500_events[i].meaning);
}

const struct pt_source_ops pt_source_e500_counters = {
	.name = "counters",
	.format = PT_FORMAT_COUNTERS,
	.modes = "poll",
	.titles = "event counters",
	.explain = explain,
	.help = "events of the performance monitor: IPC, stalls, misses, latencies; a way that halts the core does so "
		"for each reading: only when asked for by name",
	.only_by_name = true,
	.state_bytes = sizeof(struct pt_cores),
	.params = pt_e500_counting_params,
	.n_params = PT_E500_COUNTING_PARAMS,
	.available = available,
	.cost = pt_e500_source_cost,
	.start = counters_start,
	.drain = pt_cores_drain,
	.on_state = pt_cores_on_state,
	.stop = pt_cores_stop,
};
