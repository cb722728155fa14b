#include "profile/stats/series.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void join(struct pt_series_bucket *to, const struct pt_series_bucket *later)
{
	if (later->n == 0)
		return;
	if (to->n == 0) {
		*to = *later;
		return;
	}
	to->n += later->n;
	to->sum += later->sum;
	to->min = later->min < to->min ? later->min : to->min;
	to->max = later->max > to->max ? later->max : to->max;
	to->last = later->last;
}

static void widen(struct pt_series *s)
{
	s->n_used = 0;
	for (size_t i = 0; i < PT_SERIES_BUCKETS / 2; i++) {
		struct pt_series_bucket pair = s->bucket[2 * i];

		join(&pair, &s->bucket[2 * i + 1]);
		s->bucket[i] = pair;
		s->n_used += pair.n > 0;
	}
	memset(s->bucket + PT_SERIES_BUCKETS / 2, 0, PT_SERIES_BUCKETS / 2 * sizeof(*s->bucket));
	s->n_buckets = (s->n_buckets + 1) / 2;
	s->width_ns *= 2;
}

void pt_series_add(struct pt_series *s, uint64_t ns, double value)
{
	struct pt_series_bucket one = { 1, value, value, value, value, value };
	size_t i;

	if (s->bucket == NULL) {
		s->bucket = pt_alloc_array(PT_SERIES_BUCKETS, sizeof(*s->bucket));
		s->from_ns = ns;
		s->width_ns = 1;
	}
	if (ns < s->from_ns)		/* of a source that came late */
		ns = s->from_ns;
	while ((ns - s->from_ns) / s->width_ns >= PT_SERIES_BUCKETS)
		widen(s);
	i = (size_t)((ns - s->from_ns) / s->width_ns);
	s->n_used += s->bucket[i].n == 0;
	join(&s->bucket[i], &one);
	if (i >= s->n_buckets)
		s->n_buckets = i + 1;
}

void pt_series_fini(struct pt_series *s)
{
	free(s->bucket);
	*s = (struct pt_series){ 0 };
}
