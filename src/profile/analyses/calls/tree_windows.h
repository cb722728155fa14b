/* What windows in bursts (flow/windows.h) say of a call tree: of each node the share of time that it and all below it
 * took, and how often it was entered; and from the nodes, of functions and of call edges as well. Time below a node
 * counts once for a function, or an edge, that is on the chain several times. Pure. */
#ifndef PT_PROFILE_TREE_WINDOWS_H
#define PT_PROFILE_TREE_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

#include "profile/analyses/calls/tree.h"
#include "profile/flow/windows.h"
#include "profile/result/profile.h"

struct pt_tree_count { uint64_t net, count; };	/* of a node, so far */

struct pt_tree_windows;

struct pt_tree_windows *pt_tree_windows_new(size_t n_functions);
void pt_tree_windows_free(struct pt_tree_windows *w);
/* n nodes of the tree as it is at an edge of a window; of each what it has so far. window NULL: one begins. */
void pt_tree_windows_edge(struct pt_tree_windows *w, const struct pt_tree_node *node, const struct pt_tree_count *now,
			  size_t n, uint16_t core, const struct pt_time_window *window);
/* Put estimates into the tree's nodes of cores that are windowed, and make those of functions and edges. Where a core
 * was sampled as well they are fitted to that (calibration.h): each node's own time is its part of what its function
 * has by samples, and all else is sums of own times; functions that were sampled and are in no window get nodes behind
 * those that there are, below one for callers that were not seen. node: of tree, with room for PT_TREE_NODES. */
void pt_tree_windows_give(struct pt_tree_windows *w, const struct pt_profile *profile, struct pt_tree_node *node,
			  struct pt_tree *tree);

#endif
