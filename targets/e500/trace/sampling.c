#include "targets/e500/trace/sampling.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/log.h"
#include "base/util.h"

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

/* --- words -------------------------------------------------------------------------------------------------------- */

/* The last free counter that can count the event; n_pmcs: none. */
static unsigned free_pmc(const struct pt_e500_sampling *s, const struct pt_e500_event *event, unsigned n_pmcs)
{
	for (unsigned pmc = n_pmcs; pmc-- > 0;) {
		bool used = false;

		for (size_t i = 0; i < s->n; i++)
			used |= s->by[i].pmc == pmc;
		if (!used && (event->pmcs >> pmc & 1) != 0)
			return pmc;
	}
	return n_pmcs;
}

static int add_event(struct pt_e500_sampling *s, const char *name, struct pt_err *err)
{
	unsigned n_pmcs = pt_e500_kinds[s->e500->core].n_pmcs, pmc;
	const struct pt_e500_event *event;

	if (pt_e500_event_find(s->e500->core, name, &event, err) < 0)
		return err->code;
	if (event->threshold)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "%s counts what lasts longer than a threshold; source=counters has those", event->name);
	if (event->number == 0)
		return pt_fail(err, PT_EARG, "event %s never comes", event->name);
	for (size_t i = 0; i < s->n; i++)
		if (s->by[i].event == event)
			return pt_fail(err, PT_EARG, "event: %s is in the list twice", event->name);
	pmc = free_pmc(s, event, n_pmcs);
	if (s->n == n_pmcs)
		return pt_fail(err, PT_EARG, "event: each takes a counter, and %s has %u: no more than %u at a time",
			       pt_e500_kinds[s->e500->core].name, n_pmcs, n_pmcs);
	if (pmc == n_pmcs)
		return pt_fail(err, PT_EUNSUPPORTED, "no counter of this core counts %s", event->name);
	s->by[s->n++] = (struct pt_e500_sampled){ .event = event, .pmc = pmc };
	return 0;
}

static int read_every(struct pt_e500_sampling *s, const char *list, struct pt_err *err)
{
	struct pt_err why = { 0 };
	uint64_t every = 0;
	size_t n = 0;
	char one[24];

	for (size_t len; *list != '\0'; list += len + (list[len] == ','), n++) {
		len = strcspn(list, ",");
		snprintf(one, sizeof(one), "%.*s", len < sizeof(one) ? (int)len : (int)sizeof(one) - 1, list);
		if (pt_params_parse(PT_PARAM_NUMBER, one, &every, &why) < 0 || every < 1 || every > PT_E500_EVERY_MOST)
			return pt_fail(err, PT_EARG, "every=%.30s: numbers from 1 to %d", one, PT_E500_EVERY_MOST);
		if (n < s->n)
			s->by[n].every = (uint32_t)every;
	}
	if (n != 1 && n != s->n)
		return pt_fail(err, PT_EARG, "every: %zu numbers for %zu events: one for all of them, or one for each",
			       n, s->n);
	for (size_t i = n; i < s->n; i++)
		s->by[i].every = (uint32_t)every;
	return 0;
}

int pt_e500_sampling_choose(struct pt_e500_sampling *s, const char *events, const char *every, struct pt_err *err)
{
	char one[80];

	s->n = 0;
	for (size_t len; *events != '\0'; events += len + (events[len] == ',')) {
		len = strcspn(events, ",");
		snprintf(one, sizeof(one), "%.*s", len < sizeof(one) ? (int)len : (int)sizeof(one) - 1, events);
		if (add_event(s, one, err) < 0)
			return err->code;
	}
	if (s->n == 0)
		return pt_fail(err, PT_EARG, "event: nothing to sample by");
	return every != NULL ? read_every(s, every, err) : 0;
}

/* --- setting up --------------------------------------------------------------------------------------------------- */

/* Clears what a proftap that died while sampling left behind; a later check would take it for Linux's perf. */
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
		return pt_fail(err, PT_EUNSUPPORTED,
			       "the agent makes no samples: the program has to lead IVOR35 to "
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

enum { MOST_OPS = 2 + 5 * PT_E500_PMCS_MAX };
_Static_assert((int)MOST_OPS <= (int)PT_E500_BOX_OPS_MAX, "all of it is one request");

/* Counts for a short time without interrupts, to measure the events' rate. */
static int count_first(struct pt_e500_sampling *s, struct pt_err *err)
{
	struct pt_e500_op ops[MOST_OPS] = { set(PT_E500_PMGC0, 0, FAC) };
	struct pt_e500_block there;
	size_t n = 1;
	int rc;

	for (size_t i = 0; i < s->n; i++) {
		ops[n++] = set(PT_E500_PMLCA0, s->by[i].pmc, FCM1 | (uint32_t)s->by[i].event->number << 16);
		ops[n++] = set(PT_E500_PMLCB0, s->by[i].pmc, 0);
		ops[n++] = set(PT_E500_PMC0, s->by[i].pmc, 0);
	}
	ops[n++] = set(PT_E500_PMGC0, 0, 0);
	rc = request(s, ops, n, &there, &s->count_from_ns, err);
	if (rc == 0)
		s->phase = PT_E500_COUNTING;
	return rc;
}

/* 2^k - 1, at most half of every: the distance varies from three to five quarters of it. */
static uint32_t jitter(uint32_t every)
{
	uint32_t mask = 0;

	while (2 * mask + 1 <= every / 2)
		mask = 2 * mask + 1;
	return mask;
}

static int sample_on(struct pt_e500_sampling *s, struct pt_err *err)
{
	struct pt_e500_op ops[MOST_OPS] = { set(PT_E500_PMGC0, 0, FAC) };
	struct pt_e500_block there;
	uint64_t to_ns;
	size_t n = 1;
	int rc;

	for (size_t i = 0; i < s->n; i++) {
		const struct pt_e500_sampled *by = &s->by[i];

		ops[n++] = set(PT_E500_BOX_PERIOD, by->pmc, by->every);
		ops[n++] = set(PT_E500_BOX_JITTER, by->pmc, jitter(by->every));
		ops[n++] = set(PT_E500_PMLCB0, by->pmc, 0);
		ops[n++] = set(PT_E500_PMLCA0, by->pmc, FCM1 | CE | (uint32_t)by->event->number << 16);
		ops[n++] = set(PT_E500_PMC0, by->pmc, OV - by->every);
	}
	ops[n++] = set(PT_E500_PMGC0, 0, PMIE);
	rc = request(s, ops, n, &there, &to_ns, err);
	if (rc < 0)
		return rc;
	s->next = s->seen_head = there.head;
	s->lost = there.lost;
	s->seen_ns = now(s);
	s->phase = PT_E500_SAMPLING;
	for (size_t i = 0; i < s->n; i++)
		pt_info("%s: a sample per %" PRIu32 " %s", s->owner, s->by[i].every, s->by[i].event->name);
	return 0;
}

int pt_e500_sampling_look(struct pt_e500_sampling *s, struct pt_err *err)
{
	uint64_t enough_ns = s->count_from_ns + COUNT_MS * PT_NS_PER_MS, every, took_ns;
	struct pt_e500_op ops[PT_E500_PMCS_MAX] = { { 0 } };
	struct pt_e500_pass pass;
	int rc;

	if (now(s) < enough_ns)
		return (int)((enough_ns - now(s)) / 1000) + 1;
	for (size_t i = 0; i < s->n; i++)
		ops[i].pmr = (uint16_t)(PT_E500_PMC0 + s->by[i].pmc);
	rc = pt_e500_by_agent.pass(s->e500, s->core, ops, s->n, &pass, err);
	if (rc < 0)
		return rc;
	took_ns = pass.at_ns > s->count_from_ns ? pass.at_ns - s->count_from_ns : 1;
	for (size_t i = 0; i < s->n; i++) {
		every = (uint64_t)((double)ops[i].value * (double)s->period_ns / (double)took_ns);
		every = every < PT_E500_EVERY_MOST ? every : PT_E500_EVERY_MOST;
		s->by[i].every = every > PT_E500_EVERY_LEAST ? (uint32_t)every : PT_E500_EVERY_LEAST;
	}
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
		rc = s->by[0].every != 0 ? sample_on(s, err) : count_first(s, err);
	return rc;
}

/* Turns sampling off: the agent must not go on with our period. */
int pt_e500_sampling_end(struct pt_e500_sampling *s, struct pt_err *err)
{
	struct pt_e500_op off[MOST_OPS] = { set(PT_E500_PMGC0, 0, FAC) };
	struct pt_e500_block there;
	uint64_t to_ns;
	size_t n = 1;

	for (size_t i = 0; i < s->n; i++) {
		off[n++] = set(PT_E500_PMLCA0, s->by[i].pmc, 0);
		off[n++] = set(PT_E500_BOX_PERIOD, s->by[i].pmc, 0);
		off[n++] = set(PT_E500_BOX_JITTER, s->by[i].pmc, 0);
	}
	return request(s, off, n, &there, &to_ns, err);
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

size_t pt_e500_sampling_event(const struct pt_e500_sampling *s, const struct pt_e500_sample *sample)
{
	size_t i = 0;

	while (i < s->n && (s->by[i].pmc != sample->counter || s->by[i].event->number != sample->event))
		i++;
	return i;
}

static size_t ours(const struct pt_e500_sampling *s, struct pt_e500_sample *samples, size_t n)
{
	size_t n_ours = 0;

	for (size_t i = 0; i < n; i++)
		if (pt_e500_sampling_event(s, &samples[i]) < s->n)
			samples[n_ours++] = samples[i];
	return n_ours;
}

/* Time until an eighth of the ring is filled, at the recent rate. */
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
