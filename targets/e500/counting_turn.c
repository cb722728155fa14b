/* A turn as operations on registers. A chain's lower half falls when it is set to zero, and its upper half would count
 * that if it were not frozen, and is set last all the same. Source: E500CORERM Rev. 1, p. 7-9; facts/e500.md 4. */
#include "targets/e500/counting.h"

#define FAC UINT32_C(0x80000000)
#define FC UINT32_C(0x80000000)

static void read_pmc(struct pt_e500_op *ops, size_t *n, unsigned pmc)
{
	ops[(*n)++] = (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMC0 + pmc) };
}

static void write_pmr(struct pt_e500_op *ops, size_t *n, unsigned pmr, uint32_t value)
{
	ops[(*n)++] = (struct pt_e500_op){ .pmr = (uint16_t)pmr, .write = true, .value = value };
}

size_t pt_e500_turn_read(const struct pt_e500_counting *c, size_t turn, struct pt_e500_op *ops)
{
	size_t n = 0;

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

	for (size_t i = 0; i < c->n_places; i++) {
		const struct pt_e500_place *p = &c->place[i];

		if (p->turn != turn)
			continue;
		if (p->high_pmc == PT_E500_NO_PMC) {
			*value++ = ops->value;
			ops++;
			continue;
		}
		sound &= ops[0].value == ops[2].value;
		*value++ = (uint64_t)ops[0].value << 32 | ops[1].value;
		ops += 3;
	}
	return sound;
}

int pt_e500_turn_sample(const struct pt_e500_counting *c, size_t turn, const struct pt_e500_passer *by, uint64_t *value,
	unsigned *n_retries, struct pt_err *err)
{
	struct pt_e500_op ops[PT_E500_TURN_OPS_MAX];
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
		       "one's overflows, or somebody else writes it",
		       PT_E500_CHAIN_RETRIES + 1);
}

size_t pt_e500_look_for_counters(enum pt_e500_core core, struct pt_e500_op *ops)
{
	size_t n = pt_e500_turn_freeze(ops);

	for (unsigned pmc = 0; pmc < pt_e500_kinds[core].n_pmcs; pmc++)
		write_pmr(ops, &n, PT_E500_PMLCA0 + pmc, FC);
	for (unsigned pmc = 0; pmc < pt_e500_kinds[core].n_pmcs; pmc++)
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

size_t pt_e500_turn_freeze(struct pt_e500_op *ops)
{
	size_t n = 0;

	write_pmr(ops, &n, PT_E500_PMGC0, FAC);
	return n;
}

/* PMLCa and PMLCb of each counter; one that is not used stands still. */
static void set_up(const struct pt_e500_counting *c, size_t turn, uint32_t *pmlca, uint32_t *pmlcb)
{
	for (unsigned pmc = 0; pmc < PT_E500_PMCS_MAX; pmc++) {
		pmlca[pmc] = FC;
		pmlcb[pmc] = 0;
	}
	for (size_t i = 0; i < c->n_places; i++) {
		const struct pt_e500_place *p = &c->place[i];

		if (p->turn != turn)
			continue;
		pmlca[p->pmc] = c->counted[p->want].pmlca;
		pmlcb[p->pmc] = c->counted[p->want].pmlcb;
		if (p->high_pmc != PT_E500_NO_PMC)	/* it counts in any state: the lower one has told them apart */
			pmlca[p->high_pmc] = (uint32_t)pt_e500_overflow_event(c->core, p->pmc) << 16;
	}
}

size_t pt_e500_turn_begin(const struct pt_e500_counting *c, size_t turn, uint32_t pmgc0, struct pt_e500_op *ops)
{
	uint32_t pmlca[PT_E500_PMCS_MAX], pmlcb[PT_E500_PMCS_MAX];
	unsigned n_pmcs = c->n_pmcs;
	size_t n = 0;

	set_up(c, turn, pmlca, pmlcb);
	for (int upper = 0; upper < 2; upper++)
		for (unsigned pmc = 0; pmc < n_pmcs; pmc++) {
			int event = (int)(pmlca[pmc] >> 16 & 0x1ff);
			bool is_upper = (event >= PT_E500_EVENT_OVERFLOW0 && event < PT_E500_EVENT_OVERFLOW0 + 4) ||
					(pt_e500_kinds[c->core].n_pmcs > 4 && event >= PT_E500_EVENT_OVERFLOW4 &&
					 event < PT_E500_EVENT_OVERFLOW4 + 2);

			if (is_upper == (upper == 1) && pmlca[pmc] != FC)
				write_pmr(ops, &n, PT_E500_PMC0 + pmc, 0);
		}
	for (unsigned pmc = 0; pmc < n_pmcs; pmc++)
		if (pmlca[pmc] != FC)
			write_pmr(ops, &n, PT_E500_PMLCB0 + pmc, pmlcb[pmc]);
	for (unsigned pmc = 0; pmc < n_pmcs; pmc++)
		write_pmr(ops, &n, PT_E500_PMLCA0 + pmc, pmlca[pmc]);
	write_pmr(ops, &n, PT_E500_PMGC0, pmgc0);
	return n;
}
