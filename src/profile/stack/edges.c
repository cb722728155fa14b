/* Sorting edges where they are: a copy of them is memory that grows with the trace. By bytes of from and to, the
 * highest first (a radix sort that swaps each edge into its bucket); a small bucket is sorted by comparing. */
#include "profile/stack/tally.h"

enum { BYTE_BITS = 8, BUCKETS = 1 << BYTE_BITS, FEW = 24 };

static uint32_t key_of(const struct pt_edge *edge)
{
	return (uint32_t)edge->from << 16 | edge->to;
}

static void sort_few(struct pt_edge *edges, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct pt_edge edge = edges[i];
		size_t at = i;

		for (; at > 0 && key_of(&edges[at - 1]) > key_of(&edge); at--)
			edges[at] = edges[at - 1];
		edges[at] = edge;
	}
}

/* next: of each bucket its first place that may hold another one's; end: behind it. */
static void put_in_buckets(struct pt_edge *edges, const size_t *end, size_t *next, unsigned shift)
{
	for (size_t b = 0; b < BUCKETS; b++)
		while (next[b] < end[b]) {
			struct pt_edge *edge = &edges[next[b]], other;
			size_t home = key_of(edge) >> shift & (BUCKETS - 1);

			if (home == b) {
				next[b]++;
				continue;
			}
			other = edges[next[home]];
			edges[next[home]++] = *edge;
			*edge = other;
		}
}

static void sort(struct pt_edge *edges, size_t n, unsigned shift)
{
	size_t end[BUCKETS] = { 0 }, next[BUCKETS];

	if (n <= FEW) {
		sort_few(edges, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		end[key_of(&edges[i]) >> shift & (BUCKETS - 1)]++;
	for (size_t b = 0, at = 0; b < BUCKETS; at = end[b++]) {
		next[b] = at;
		end[b] += at;
	}
	put_in_buckets(edges, end, next, shift);
	for (size_t b = 0; shift > 0 && b < BUCKETS; b++)
		sort(edges + (b > 0 ? end[b - 1] : 0), end[b] - (b > 0 ? end[b - 1] : 0), shift - BYTE_BITS);
}

size_t pt_edges_merge(struct pt_edge *edges, size_t n_edges)
{
	size_t n = 0;

	sort(edges, n_edges, 32 - BYTE_BITS);
	for (size_t i = 0; i < n_edges; i++) {
		if (n > 0 && key_of(&edges[n - 1]) == key_of(&edges[i])) {
			edges[n - 1].count += edges[i].count;
			edges[n - 1].gross += edges[i].gross;
		} else {
			edges[n++] = edges[i];
		}
	}
	return n;
}
