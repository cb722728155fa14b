#include "targets/e500/sampling.h"

#include <inttypes.h>

#include "log.h"
#include "util.h"

enum { COUNT_MS = 20, LONGEST_REST_US = 10000 };
#define FAC UINT32_C(0x80000000)
#define PMIE UINT32_C(0x40000000)
#define FCM1 UINT32_C(0x10000000)	/* not what the agent executes */
#define CE UINT32_C(0x04000000)
#define OV UINT32_C(0x80000000)

static uint64_t now(const struct pt_e500_sampling *s)
{
	return pt_link_now_ns(pt_probe_link(s->e500->remote.target->probe));
}

static struct pt_e500_op set(unsigned pmr, unsigned n, uint32_t value)
{
	return (struct pt_e500_op){ .pmr = (uint16_t)(pmr + n), .write = true, .value = value };
}

static int request(struct pt_e500_sampling *s, struct pt_e500_op *ops, size_t n_ops, struct pt_e500_block *there,
		   uint64_t *to_ns, struct pt_err *err)
{
	struct pt_link *link = pt_probe_link(s->e500->remote.target->probe);
	struct pt_e500_mailbox *box;
	uint64_t from_ns;
	int rc = pt_e500_agent(s->e500, s->core, &box, err);

	if (rc < 0)
		return rc;
	pt_link_shield(link);
	rc = pt_e500_box_run(box, ops, n_ops, there, &from_ns, to_ns, err);
	pt_link_unshield(link);
	return rc;
}

int pt_e500_sampling_choose(struct pt_e500_sampling *s, const char *event, struct pt_err *err)
{
	unsigned n = pt_e500_kinds[s->e500->core].n_pmcs;

	if (pt_e500_event_find(s->e500->core, event, &s->event, err) < 0)
		return err->code;
	if (s->event->threshold)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "%s counts what lasts longer than a threshold; source=counters has those",
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

/* --- setting up --------------------------------------------------------------------------------------------------- */

/* A proftap that died while it sampled left this behind; to anybody else it looks like Linux' perf. */
static int clear_leftovers(struct pt_e500_sampling *s, struct pt_err *err)
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
static int count_first(struct pt_e500_sampling *s, struct pt_err *err)
{
	struct pt_e500_op ops[] = {
		set(PT_E500_PMGC0, 0, FAC), set(PT_E500_PMLCA0, s->pmc, FCM1 | (uint32_t)s->event->number << 16),
		set(PT_E500_PMLCB0, s->pmc, 0), set(PT_E500_PMC0, s->pmc, 0), set(PT_E500_PMGC0, 0, 0),
	};
	struct pt_e500_block there;
	int rc = request(s, ops, PT_LEN(ops), &there, &s->count_from_ns, err);

	if (rc == 0)
		s->phase = PT_E500_COUNTING;
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

static int sample_on(struct pt_e500_sampling *s, struct pt_err *err)
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
	s->next = s->seen_head = there.head;
	s->lost = there.lost;
	s->seen_ns = now(s);
	s->phase = PT_E500_SAMPLING;
	pt_info("%s: a sample per %" PRIu32 " %s", s->owner, s->every, s->event->name);
	return 0;
}

int pt_e500_sampling_look(struct pt_e500_sampling *s, struct pt_err *err)
{
	uint64_t enough_ns = s->count_from_ns + COUNT_MS * PT_NS_PER_MS, every, took_ns;
	struct pt_e500_op op = { .pmr = (uint16_t)(PT_E500_PMC0 + s->pmc) };
	struct pt_e500_pass pass;
	int rc;

	if (now(s) < enough_ns)
		return (int)((enough_ns - now(s)) / 1000) + 1;
	rc = pt_e500_by_agent.pass(s->e500, s->core, &op, 1, &pass, err);
	if (rc < 0)
		return rc;
	took_ns = pass.at_ns > s->count_from_ns ? pass.at_ns - s->count_from_ns : 1;
	every = (uint64_t)((double)op.value * (double)s->period_ns / (double)took_ns);
	every = every < PT_E500_EVERY_MOST ? every : PT_E500_EVERY_MOST;
	s->every = every > PT_E500_EVERY_LEAST ? (uint32_t)every : PT_E500_EVERY_LEAST;
	return sample_on(s, err);
}

int pt_e500_sampling_arm(struct pt_e500_sampling *s, struct pt_err *err)
{
	int rc = s->cleared ? 0 : clear_leftovers(s, err);

	s->cleared = rc == 0;
	if (rc == 0 && !s->taken) {
		rc = pt_e500_take(s->e500, s->core, s->owner, err);
		s->taken = rc == 0;
	}
	if (rc == 0)
		rc = s->every != 0 ? sample_on(s, err) : count_first(s, err);
	return rc;
}

/* The agent must not go on by a period of ours. */
int pt_e500_sampling_end(struct pt_e500_sampling *s, struct pt_err *err)
{
	struct pt_e500_op off[] = { set(PT_E500_PMGC0, 0, FAC), set(PT_E500_PMLCA0, s->pmc, 0),
				    set(PT_E500_BOX_PERIOD, s->pmc, 0), set(PT_E500_BOX_JITTER, s->pmc, 0) };
	struct pt_e500_block there;
	uint64_t to_ns;

	return request(s, off, PT_LEN(off), &there, &to_ns, err);
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

static size_t ours(const struct pt_e500_sampling *s, struct pt_e500_sample *samples, size_t n)
{
	size_t n_ours = 0;

	for (size_t i = 0; i < n; i++)
		if (samples[i].counter == s->pmc && samples[i].event == s->event->number)
			samples[n_ours++] = samples[i];
	return n_ours;
}

/* Until an eighth of the ring has come, as fast as they came lately. */
static int rest_us(struct pt_e500_sampling *s, const struct pt_e500_mailbox *box, uint32_t head)
{
	uint64_t now_ns = now(s), took_us = (now_ns - s->seen_ns) / 1000, eighth_us;
	uint32_t came = head - s->seen_head;

	s->seen_ns = now_ns;
	s->seen_head = head;
	if (head != s->next)
		return 0;	/* there was no room for all of them */
	eighth_us = came != 0 ? took_us * (box->ring_room / 8) / came : LONGEST_REST_US;
	return eighth_us < LONGEST_REST_US ? (int)eighth_us : LONGEST_REST_US;
}

static uint64_t packets_sent(const struct pt_e500_sampling *s)
{
	struct pt_link_traffic traffic;

	pt_link_traffic(pt_probe_link(s->e500->remote.target->probe), &traffic);
	return traffic.packets;
}

int pt_e500_sampling_fetch(struct pt_e500_sampling *s, struct pt_e500_sample *samples, size_t room, uint64_t *lost,
			   int *rest, struct pt_err *err)
{
	struct pt_e500_mailbox *box = pt_e500_agent_box(s->e500, s->core);
	uint64_t sent = packets_sent(s);
	struct pt_e500_block there;
	int n = box == NULL ? pt_fail(err, PT_EUNSUPPORTED, "the agent is gone")
			    : pt_e500_box_samples(box, &s->next, samples, room, lost, &there, err);

	if (n < 0)
		return n;
	*lost += there.lost - s->lost;
	s->lost = there.lost;
	*rest = rest_us(s, box, there.head);
	n = (int)ours(s, samples, (size_t)n);
	pt_e500_account_samples(s->e500, s->core, &pt_e500_by_agent, (size_t)n, packets_sent(s) - sent);
	return n;
}
