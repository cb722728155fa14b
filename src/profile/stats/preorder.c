/* Without recursion, so that depth costs nothing: sizes of subtrees from the leaves up, places from the root down. */
#define _GNU_SOURCE	/* qsort_r */
#include "profile/stats/preorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct work { uint32_t *first, *next, *child, *size; };	/* children of i: child[first[i]] .. child[first[i + 1] - 1] */

static void find_children(const struct work *w, const uint32_t *parent, size_t n)
{
	for (size_t i = 1; i < n; i++)
		w->first[parent[i] + 1]++;
	for (size_t i = 0; i < n; i++)
		w->first[i + 1] += w->first[i];
	memcpy(w->next, w->first, n * sizeof(*w->next));
	for (size_t i = 1; i < n; i++)
		w->child[w->next[parent[i]]++] = (uint32_t)i;
	for (size_t i = n; i-- > 1;)
		w->size[parent[i]] += ++w->size[i];
}

static void give_places(const struct work *w, size_t n, uint32_t *place)
{
	place[0] = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t at = place[i] + 1;

		for (uint32_t c = w->first[i]; c < w->first[i + 1]; at += w->size[w->child[c++]])
			place[w->child[c]] = at;
	}
}

void pt_preorder(const uint32_t *parent, size_t n, int (*compare)(const void *a, const void *b, void *arg), void *arg,
		 uint32_t *place)
{
	struct work w = {
		.first = pt_alloc_array(n + 1, sizeof(*w.first)), .next = pt_alloc_array(n + 1, sizeof(*w.next)),
		.child = pt_alloc_array(n + 1, sizeof(*w.child)), .size = pt_alloc_array(n + 1, sizeof(*w.size)),
	};

	find_children(&w, parent, n);
	for (size_t i = 0; i < n; i++)
		qsort_r(w.child + w.first[i], w.first[i + 1] - w.first[i], sizeof(*w.child), compare, arg);
	give_places(&w, n, place);
	free(w.first);
	free(w.next);
	free(w.child);
	free(w.size);
}
