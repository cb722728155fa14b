/* The order in which a tree is read: each node behind its parent and behind all that is below its earlier siblings. */
#ifndef PT_PROFILE_PREORDER_H
#define PT_PROFILE_PREORDER_H

#include <stddef.h>
#include <stdint.h>

/* place[i] becomes the position of node i. parent[i] < i for all but the root, which is node 0. compare orders siblings
 * by index, as qsort_r does; it gets arg. Pure. */
void pt_preorder(const uint32_t *parent, size_t n, int (*compare)(const void *a, const void *b, void *arg), void *arg,
		 uint32_t *place);

#endif
