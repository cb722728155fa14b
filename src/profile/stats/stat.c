#include <math.h>
#include <string.h>

#include "profile/stats/stat.h"

static void put(struct pt_hist *hist, size_t i, uint32_t count)
{
	if (hist->bytes == 1)
		((uint8_t *)hist->bucket)[i] = (uint8_t)count;
	else if (hist->bytes == 2)
		((uint16_t *)hist->bucket)[i] = (uint16_t)count;
	else
		((uint32_t *)hist->bucket)[i] = count;
}

static void give_back(struct pt_hist *hist)
{
	pt_histogram_memory_give(hist->room, hist->bucket, (size_t)hist->n_buckets * hist->bytes);
}

/* What is in buckets of another size. */
static void copy_buckets(void *to, unsigned to_bytes, const struct pt_hist *from)
{
	if (to_bytes == 2 && from->bytes == 1)
		for (size_t i = 0; i < from->n_buckets; i++)
			((uint16_t *)to)[i] = ((const uint8_t *)from->bucket)[i];
	else if (to_bytes == 4 && from->bytes == 2)
		for (size_t i = 0; i < from->n_buckets; i++)
			((uint32_t *)to)[i] = ((const uint16_t *)from->bucket)[i];
	else
		memcpy(to, from->bucket, (size_t)from->n_buckets * to_bytes);
}

/* Other buckets, of the same size or the next one; what is there stays. */
static void reshape(struct pt_hist *hist, size_t first, size_t end, unsigned bytes)
{
	struct pt_hist now = {
		.bucket = pt_histogram_memory_take(hist->room, (end - first) * bytes), .room = hist->room,
		.first = (uint16_t)first, .n_buckets = (uint16_t)(end - first), .bytes = (uint8_t)bytes,
	};

	if (hist->n_buckets > 0)
		copy_buckets((uint8_t *)now.bucket + (hist->first - first) * bytes, bytes, hist);
	give_back(hist);
	*hist = now;
}

/* Buckets come by the power of two. */
static void widen(struct pt_hist *hist, size_t index)
{
	size_t first = index >> PT_HIST_BITS << PT_HIST_BITS, end = first + (1 << PT_HIST_BITS), had = hist->n_buckets;

	if (had > 0) {
		first = first < hist->first ? first : hist->first;
		end = end > hist->first + had ? end : hist->first + had;
	}
	reshape(hist, first, end, had > 0 ? hist->bytes : 1);
}

void pt_hist_make_room(struct pt_hist *hist, size_t index)
{
	if (index - hist->first >= hist->n_buckets)
		widen(hist, index);
	else if (hist->bytes < sizeof(uint32_t))
		reshape(hist, hist->first, (size_t)hist->first + hist->n_buckets, 2u * hist->bytes);
	else
		for (size_t i = 0; i < hist->n_buckets; i++)	/* with all halved, quantiles stay as they are */
			put(hist, i, pt_hist_count(hist, i) / 2);
}

/* As many values as find room. What does not change of hist is read once: for all that the compiler knows, it lies in
 * the middle of its own buckets. */
#define ADD_SOME(name, type) \
	static size_t name(const struct pt_hist *hist, const uint16_t *index, size_t n, size_t step) \
	{ \
		const size_t first = hist->first, n_buckets = hist->n_buckets; \
		type *bucket = hist->bucket; \
\
		for (size_t i = 0; i < n; i++) { \
			size_t at = index[i * step] - first; \
\
			if (__builtin_expect(at >= n_buckets || bucket[at] == (type)-1, 0)) \
				return i; \
			bucket[at]++; \
		} \
		return n; \
	}
ADD_SOME(add_some_1, uint8_t)
ADD_SOME(add_some_2, uint16_t)
ADD_SOME(add_some_4, uint32_t)

void pt_hist_add_all(struct pt_hist *hist, const uint16_t *index, size_t n, size_t step)
{
	for (size_t done = 0; done < n;) {
		size_t (*add_some)(const struct pt_hist *, const uint16_t *, size_t, size_t) =
			hist->bytes <= 1   ? add_some_1
			: hist->bytes == 2 ? add_some_2
					   : add_some_4;

		done += add_some(hist, index + done * step, n - done, step);
		if (done < n)
			pt_hist_make_room(hist, index[done * step]);
	}
}

static void add(struct pt_hist *hist, size_t index, uint32_t count)
{
	static const uint32_t full[] = { [1] = UINT8_MAX, [2] = UINT16_MAX, [4] = UINT32_MAX };
	size_t at;

	while ((at = index - hist->first) >= hist->n_buckets || count > full[hist->bytes] - pt_hist_count(hist, at))
		pt_hist_make_room(hist, index);
	put(hist, at, pt_hist_count(hist, at) + count);
}

void pt_hist_add(struct pt_hist *hist, uint64_t value)
{
	add(hist, pt_hist_index(value), 1);
}

void pt_hist_add_hist(struct pt_hist *hist, const struct pt_hist *other)
{
	for (size_t i = 0; i < other->n_buckets; i++)
		if (pt_hist_count(other, i) != 0)
			add(hist, other->first + i, pt_hist_count(other, i));
}

void pt_hist_fini(struct pt_hist *hist)
{
	give_back(hist);
	*hist = (struct pt_hist){ .room = hist->room };
}

void pt_stat_add(struct pt_stat *stat, uint64_t value, uint64_t at)
{
	if (value < stat->min) {
		stat->min = value;
		stat->min_at = at;
	}
	if (value > stat->max || stat->n == 0) {
		stat->max = value;
		stat->max_at = at;
	}
	stat->n++;
	stat->total += value;
	if (stat->hist != NULL)
		pt_hist_add(stat->hist, value);
}

double pt_stat_avg(const struct pt_stat *stat)
{
	return stat->n != 0 ? (double)stat->total / (double)stat->n : 0;
}

static unsigned bucket_shift(size_t index)
{
	return index < 2 << PT_HIST_BITS ? 0 : (unsigned)(index >> PT_HIST_BITS) - 1;
}

static uint64_t bucket_least(size_t index)
{
	unsigned shift = bucket_shift(index);

	return (uint64_t)(index - ((size_t)shift << PT_HIST_BITS)) << shift;
}

/* The bucket that the quantile lies in, by its pt_hist_index(). False: there is none. */
static bool find_bucket(const struct pt_hist *hist, double q, size_t *index)
{
	uint64_t n = 0, rank, seen = 0;
	size_t i = 0;

	for (size_t k = 0; hist != NULL && k < hist->n_buckets; k++)
		n += pt_hist_count(hist, k);
	if (n == 0)
		return false;
	rank = (uint64_t)ceil(q * (double)n - 1e-9);	/* so many are no longer, at least */
	rank -= rank > 0;
	while (i < hist->n_buckets - 1u && (seen += pt_hist_count(hist, i)) <= rank)
		i++;
	*index = hist->first + i;
	return true;
}

static uint64_t within(const struct pt_stat *stat, uint64_t value)
{
	return value < stat->min ? stat->min : value > stat->max ? stat->max : value;
}

uint64_t pt_stat_quantile(const struct pt_stat *stat, double q)
{
	size_t index;

	if (!find_bucket(stat->hist, q, &index))
		return PT_UNKNOWN;
	return within(stat, bucket_least(index) + (UINT64_C(1) << bucket_shift(index)) / 2);
}

struct pt_estimate pt_stat_quantile_within(const struct pt_stat *stat, double q)
{
	size_t index;
	uint64_t least;

	if (!find_bucket(stat->hist, q, &index))
		return (struct pt_estimate){ NAN, NAN, NAN };
	least = bucket_least(index);
	return (struct pt_estimate){
		.value = (double)pt_stat_quantile(stat, q),
		.lo = (double)within(stat, least),
		.hi = (double)within(stat, least + (UINT64_C(1) << bucket_shift(index)) - 1),
	};
}
