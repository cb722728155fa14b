#include "targets/e500/turns.h"

#include <string.h>

#include "trace/formats.h"
#include "util.h"

uint64_t pt_e500_turns_now_ns(const struct pt_e500_turns *s)
{
	return pt_link_now_ns(pt_probe_link(s->e500->remote.target->probe));
}

/* --- into the trace ----------------------------------------------------------------------------------------------- */

static void put_record(struct pt_e500_turns *s, uint64_t at_ns, size_t number, bool resumes, uint64_t reading)
{
	uint8_t *at = s->bytes + s->len_bytes;

	if (s->len_bytes + PT_COUNTERS_BYTES > sizeof(s->bytes))
		return;		/* a turn's counters fit many times over */
	pt_put_le64(at + PT_COUNTERS_TICKS, at_ns);
	pt_put_le16(at + PT_COUNTERS_COUNTER, (uint16_t)(number | (resumes ? PT_COUNTERS_RESUMES : 0u)));
	pt_put_le64(at + PT_COUNTERS_READING, reading);
	s->len_bytes += PT_COUNTERS_BYTES;
}

static void emit_records(struct pt_e500_turns *s, uint64_t to_ns)
{
	if (to_ns > s->out.told_ns || s->len_bytes > 0)
		pt_emit_data(&s->out, s->out.told_ns, to_ns > s->out.told_ns ? to_ns : s->out.told_ns, s->bytes,
			     s->len_bytes);
	s->len_bytes = 0;
}

/* Of all counters of the present turn, what they hold. */
static void put_values(struct pt_e500_turns *s, uint64_t at_ns, bool resumes)
{
	const struct pt_e500_counting *c = &s->counting;
	size_t n = 0;

	for (size_t i = 0; i < c->n_places; i++)
		if (c->place[i].turn == s->turn)
			put_record(s, at_ns, c->place[i].want, resumes, s->value[n++]);
	if (!resumes && s->timebase != PT_UNKNOWN)
		put_record(s, at_ns, c->n, false, s->timebase);
}

/* Behind what was read at its beginning, a halt is a time of its own; the counters go on from there. */
static void put_halt(struct pt_e500_turns *s, const struct pt_e500_pass *pass)
{
	uint64_t from_ns = pass->at_ns - pass->error_ns, end_ns = from_ns + pass->halted_ns;

	emit_records(s, pass->at_ns);
	if (!pass->halted)
		return;
	pt_emit_loss(&s->out, PT_LOSS_HALTED, end_ns);
	put_values(s, end_ns > s->out.told_ns ? end_ns : s->out.told_ns, false);
}

/* --- the unit ----------------------------------------------------------------------------------------------------- */

/* Of a way that halts: nobody knows whether it stands meanwhile. */
static void take_timebase(struct pt_e500_turns *s, const struct pt_e500_pass *pass)
{
	s->timebase = s->e500->pm.last->halts ? PT_UNKNOWN : pass->timebase;
}

struct one_pass { struct pt_e500_turns *s; struct pt_e500_pass pass; };

static int pass_once(void *state, struct pt_e500_op *ops, size_t n_ops, struct pt_err *err)
{
	struct one_pass *one = state;

	return pt_e500_pass(one->s->e500, one->s->core, ops, n_ops, &one->pass, err);
}

int pt_e500_turns_read(struct pt_e500_turns *s, struct pt_err *err)
{
	struct one_pass one = { .s = s };
	const struct pt_e500_passer by = { pass_once, &one };
	unsigned n_retries;
	int rc = pt_e500_turn_sample(&s->counting, s->turn, &by, s->value, &n_retries, err);
	bool torn = n_retries > PT_E500_CHAIN_RETRIES;

	if (rc < 0 && !torn)
		return rc;
	s->n_torn += torn;
	take_timebase(s, &one.pass);
	if (!torn)
		put_values(s, one.pass.at_ns, false);
	put_halt(s, &one.pass);
	s->next_ns = one.pass.at_ns + s->period_ns;
	return 0;
}

static uint64_t turn_ns(struct pt_e500_turns *s)
{
	return s->counting.n_turns > 1 ? s->period_ns / 2 + pt_random(&s->random, s->period_ns + 1) : s->period_ns;
}

int pt_e500_turns_change(struct pt_e500_turns *s, size_t to, struct pt_err *err)
{
	struct pt_e500_op ops[2 * PT_E500_TURN_OPS_MAX];
	struct pt_e500_pass pass = { 0 };
	size_t n_read = 0, n = pt_e500_turn_freeze(ops);

	if (s->running)
		n += n_read = pt_e500_turn_read(&s->counting, s->turn, ops + n);
	n += pt_e500_turn_begin(&s->counting, to, s->pmgc0, ops + n);
	if (pt_e500_pass(s->e500, s->core, ops, n, &pass, err) < 0)
		return err->code;
	take_timebase(s, &pass);
	if (n_read > 0) {
		if (pt_e500_turn_values(&s->counting, s->turn, ops + 1, s->value))
			put_values(s, pass.at_ns, false);
		else
			s->n_torn++;
	}
	memset(s->value, 0, sizeof(s->value));
	s->turn = to;
	s->running = true;
	put_values(s, pass.at_ns, s->counting.n_turns > 1);
	put_halt(s, &pass);
	s->next_ns = pass.at_ns + turn_ns(s);
	return 0;
}

void pt_e500_turns_go_on(struct pt_e500_turns *s)
{
	put_values(s, pt_e500_turns_now_ns(s), false);
}

void pt_e500_turns_flush(struct pt_e500_turns *s)
{
	emit_records(s, s->out.told_ns);
}
