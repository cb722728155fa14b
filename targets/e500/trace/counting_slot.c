/* A turn as register operations. Setting a chain's lower half to zero may look like an overflow to its upper half.
 * Freezing prevents that; the upper half is set last in any case. Source: E500CORERM Rev. 1, p. 7-9 and 7.6.1. */
#include "targets/e500/trace/counting.h"

#include <inttypes.h>

#define FAC UINT32_C(0x80000000)
#define FC UINT32_C(0x80000000)
#define OV UINT32_C(0x80000000)
enum { FCECE = 0x20000000, TBSEL = 0x1800, TBEE = 0x100, CE = 0x04000000 };	/* Source: E500CORERM Tables 7-3, 7-4 */

static void read_pmc(struct pt_e500_op *ops, size_t *n, unsigned pmc)
{
	ops[(*n)++] = (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMC0 + pmc) };
}

static void write_pmr(struct pt_e500_op *ops, size_t *n, unsigned pmr, uint32_t value)
{
	ops[(*n)++] = (struct pt_e500_op){ .pmr = (uint16_t)pmr, .write = true, .value = value };
}

/* True: this counter ends windows; it does not start from zero (first_of). */
static bool ends_window(const struct pt_e500_counting *c, const struct pt_e500_place *p)
{
	return c->until == PT_E500_UNTIL_EVENT && p->want == 0;
}

static uint32_t first_of(const struct pt_e500_counting *c, const struct pt_e500_place *p)
{
	return ends_window(c, p) ? OV - c->until_events : 0;
}

size_t pt_e500_turn_read(const struct pt_e500_counting *c, size_t turn, struct pt_e500_op *ops)
{
	size_t n = 0;

	if (c->until != PT_E500_NO_WINDOWS)
		ops[n++] = (struct pt_e500_op){ .pmr = PT_E500_PMGC0 };
	for (size_t i = 0; i < c->n_places; i++) {
		const struct pt_e500_place *p = &c->place[i];

		if (p->turn != turn)
			continue;
		if (p->high_pmc != PT_E500_NO_PMC)
			read_pmc(ops, &n, p->high_pmc);
		read_pmc(ops, &n, p->pmc);
		if (p->high_pmc != PT_E500_NO_PMC)
			read_pmc(ops, &n, p->high_pmc);
	}
	return n;
}

bool pt_e500_turn_values(const struct pt_e500_counting *c, size_t turn, const struct pt_e500_op *ops, uint64_t *value)
{
	bool sound = true;

	ops += c->until != PT_E500_NO_WINDOWS;
	for (size_t i = 0; i < c->n_places; i++) {
		const struct pt_e500_place *p = &c->place[i];

		if (p->turn != turn)
			continue;
		if (p->high_pmc == PT_E500_NO_PMC) {
			*value++ = ops->value - first_of(c, p);
			ops++;
			continue;
		}
		sound &= ops[0].value == ops[2].value;
		*value++ = (uint64_t)ops[0].value << 32 | ops[1].value;
		ops += 3;
	}
	return sound;
}

/* An access method that saves and restores PMGC0 may undo a freeze that occurred in between; the overflow bit stays
 * set. */
bool pt_e500_turn_over(const struct pt_e500_counting *c, size_t turn, const struct pt_e500_op *ops)
{
	if (c->until == PT_E500_NO_WINDOWS)
		return false;
	if ((ops->value & FAC) != 0)
		return true;
	for (size_t i = 0; i < c->n_places; i++) {
		const struct pt_e500_place *p = &c->place[i];

		if (p->turn != turn)
			continue;
		if (ends_window(c, p))
			return (ops[1].value & OV) != 0;
		ops += p->high_pmc != PT_E500_NO_PMC ? 3 : 1;
	}
	return false;
}

int pt_e500_turn_check(const struct pt_e500_counting *c, const struct pt_e500_op *ops, struct pt_err *err)
{
	uint32_t wanted = c->pmgc0 & (FCECE | TBEE);

	if (c->until == PT_E500_NO_WINDOWS || (ops->value & wanted) == wanted)
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED,
		       "PMGC0 is 0x%08" PRIx32 ", and 0x%08" PRIx32
		       " was written: counters do not freeze by themselves "
		       "on this core, or another program writes it; do without until=",
		       ops->value, c->pmgc0);
}

int pt_e500_turn_sample(const struct pt_e500_counting *c, size_t turn, const struct pt_e500_passer *by,
			struct pt_e500_op *ops, uint64_t *value, unsigned *n_retries, struct pt_err *err)
{
	size_t n = pt_e500_turn_read(c, turn, ops);

	for (*n_retries = 0; *n_retries <= PT_E500_CHAIN_RETRIES; ++*n_retries) {
		int rc = by->pass(by->state, ops, n, err);

		if (rc < 0)
			return rc;
		if (pt_e500_turn_values(c, turn, ops, value))
			return 0;
	}
	return pt_fail(err, PT_ESTATE,
		       "the upper half of a chain changed in each of %d readings: it does not count the lower "
		       "one's overflows, or another program writes it",
		       PT_E500_CHAIN_RETRIES + 1);
}

size_t pt_e500_look_for_counters(const struct pt_e500_counting *c, struct pt_e500_op *ops)
{
	size_t n = pt_e500_turn_freeze(c, ops);

	for (unsigned pmc = 0; pmc < pt_e500_kinds[c->core].n_pmcs; pmc++)
		write_pmr(ops, &n, PT_E500_PMLCA0 + pmc, FC);
	for (unsigned pmc = 0; pmc < pt_e500_kinds[c->core].n_pmcs; pmc++)
		ops[n++] = (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMLCA0 + pmc) };
	return n;
}

unsigned pt_e500_counters_found(enum pt_e500_core core, const struct pt_e500_op *ops)
{
	unsigned n_pmcs = pt_e500_kinds[core].n_pmcs, n = 0;

	while (n < n_pmcs && (ops[1 + n_pmcs + n].value & FC) != 0)
		n++;
	return n;
}

size_t pt_e500_turn_freeze(const struct pt_e500_counting *c, struct pt_e500_op *ops)
{
	size_t n = 0;

	write_pmr(ops, &n, PT_E500_PMGC0, FAC | (c->pmgc0 & TBSEL));
	return n;
}

struct set_up { uint32_t first[PT_E500_PMCS_MAX], pmlca[PT_E500_PMCS_MAX], pmlcb[PT_E500_PMCS_MAX]; };

/* PMC, PMLCa and PMLCb of each counter; unused ones are frozen. */
static void set_up(const struct pt_e500_counting *c, size_t turn, struct set_up *s)
{
	*s = (struct set_up){ .pmlca = { 0 } };
	for (unsigned pmc = 0; pmc < PT_E500_PMCS_MAX; pmc++)
		s->pmlca[pmc] = FC;
	for (size_t i = 0; i < c->n_places; i++) {
		const struct pt_e500_place *p = &c->place[i];

		if (p->turn != turn)
			continue;
		s->first[p->pmc] = first_of(c, p);
		s->pmlca[p->pmc] = c->counted[p->want].pmlca | (ends_window(c, p) ? CE : 0u);
		s->pmlcb[p->pmc] = c->counted[p->want].pmlcb;
		if (p->high_pmc != PT_E500_NO_PMC) /* it counts in any core state: the lower half has selected the
							 * states */
			s->pmlca[p->high_pmc] = (uint32_t)pt_e500_overflow_event(c->core, p->pmc) << 16;
	}
}

static bool is_upper(const struct pt_e500_counting *c, uint32_t pmlca)
{
	unsigned event = pmlca >> 16 & 0x1ff;

	for (unsigned pmc = 0; pmc < pt_e500_kinds[c->core].n_pmcs; pmc++)
		if (pt_e500_overflow_event(c->core, pmc) == (int)event)
			return true;
	return false;
}

size_t pt_e500_turn_begin(const struct pt_e500_counting *c, size_t turn, struct pt_e500_op *ops)
{
	unsigned n_pmcs = c->n_pmcs;
	struct set_up s;
	size_t n = 0;

	set_up(c, turn, &s);
	for (int upper = 0; upper < 2; upper++)
		for (unsigned pmc = 0; pmc < n_pmcs; pmc++)
			if (is_upper(c, s.pmlca[pmc]) == (upper == 1) && s.pmlca[pmc] != FC)
				write_pmr(ops, &n, PT_E500_PMC0 + pmc, s.first[pmc]);
	for (unsigned pmc = 0; pmc < n_pmcs; pmc++)
		if (s.pmlca[pmc] != FC)
			write_pmr(ops, &n, PT_E500_PMLCB0 + pmc, s.pmlcb[pmc]);
	for (unsigned pmc = 0; pmc < n_pmcs; pmc++)
		write_pmr(ops, &n, PT_E500_PMLCA0 + pmc, s.pmlca[pmc]);
	write_pmr(ops, &n, PT_E500_PMGC0, c->pmgc0);
	return n;
}
