/* The observed time that bins did not count: a row for each core with such a rest, after the others, so that all rows
 * add up to the observed time. */
#ifndef PT_REPORT_REST_ROWS_H
#define PT_REPORT_REST_ROWS_H

#include "base/util.h"
#include "profile/analyses/code/bins.h"
#include "profile/result/profile.h"

/* The k-th core with such a rest; NULL: there are not so many. */
static inline const struct pt_profile_core *pt_rest_core(const struct pt_profile *p, size_t k)
{
	for (size_t i = 0; p->by_bins && i < p->n_cores; i++)
		if (p->core[i].rest_cycles != 0 && p->core[i].rest_cycles != PT_UNKNOWN && k-- == 0)
			return &p->core[i];
	return NULL;
}

static inline size_t pt_rest_rows(const struct pt_profile *p)
{
	size_t n = 0;

	while (pt_rest_core(p, n) != NULL)
		n++;
	return n;
}

static inline bool pt_rest_is_sleep(const struct pt_profile *p)	/* the bins cover all addresses */
{
	return p->bins != NULL && p->bins->low == 0 && p->bins->high >= UINT32_MAX;
}

static inline const char *pt_rest_words(const struct pt_profile *p)
{
	return pt_rest_is_sleep(p) ? "asleep" : "asleep or outside";
}

static inline const char *pt_rest_name(const struct pt_profile *p)
{
	return pt_rest_is_sleep(p) ? "(asleep)" : "(asleep or outside)";
}

#endif
