#include "targets/e500/chain.h"

int pt_e500_chain_read(const struct pt_e500_reader *reader, unsigned low, unsigned high, uint64_t *value,
	unsigned *n_retries, struct pt_err *err)
{
	uint32_t upper, lower, again;
	int rc = reader->read(reader->state, high, &upper, err);

	*n_retries = 0;
	if (rc < 0)
		return rc;
	for (;;) {
		rc = reader->read(reader->state, low, &lower, err);
		if (rc == 0)
			rc = reader->read(reader->state, high, &again, err);
		if (rc < 0)
			return rc;
		if (again == upper)
			break;
		if (*n_retries == PT_E500_CHAIN_RETRIES)
			return pt_fail(err, PT_ESTATE, "PMC%u, chained to PMC%u, changed in each of %d reads: it does "
				"not count overflows of PMC%u, or somebody else writes it", high, low,
				PT_E500_CHAIN_RETRIES + 1, low);
		upper = again;
		++*n_retries;
	}
	*value = (uint64_t)upper << 32 | lower;
	return 0;
}

uint64_t pt_e500_wrap_ns(uint64_t core_hz, unsigned steps_per_cycle)
{
	if (core_hz == 0 || steps_per_cycle == 0)
		return 0;
	return (UINT64_C(1000000000) << 32) / steps_per_cycle / core_hz;
}

bool pt_e500_wide_add(struct pt_e500_wide *wide, uint32_t value, uint64_t now_ns, uint64_t wrap_ns)
{
	bool certain = !wide->started || now_ns - wide->last_ns < wrap_ns;

	if (wide->started)
		wide->total += value - wide->last;	/* modulo 2^32 */
	wide->n_ambiguous += !certain;
	wide->started = true;
	wide->last = value;
	wide->last_ns = now_ns;
	return certain;
}
