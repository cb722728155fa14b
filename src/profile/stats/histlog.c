#include "profile/stats/histlog.h"

enum { AHEAD = 16 };		/* so many values ahead: what is fetched is there in time */

static void fetch_bucket(const struct pt_hist *hist, uint64_t value)
{
	size_t index = pt_hist_index(value) - hist->first;

	if (index < hist->n_buckets)
		__builtin_prefetch((const char *)hist->bucket + index * hist->bytes, 1);
}

void pt_histlog_flush(struct pt_histlog *log)
{
	for (size_t i = 0; i < log->n + 2 * (size_t)AHEAD; i++) {
		if (i < log->n)
			__builtin_prefetch(log->later[i].hist);
		if (i >= AHEAD && i - AHEAD < log->n)
			fetch_bucket(log->later[i - AHEAD].hist, log->later[i - AHEAD].value);
		if (i >= 2 * (size_t)AHEAD)
			pt_hist_add(log->later[i - 2 * (size_t)AHEAD].hist, log->later[i - 2 * (size_t)AHEAD].value);
	}
	log->n = 0;
}
