/* The call tree: which function ran on behalf of which chain of calls, and for how long. Made of steps.
 *
 * A node is a chain of calls: root - task or exception - function called at a site - ... Its net time is what ran in
 * its function's own code in that chain; all nets together are the time that was observed. What was running already when
 * it was first seen hangs below one node of no function, PT_TREE_NO_CALLER: who called it is not known. An exception handler begins
 * a chain of its own at the root, whatever it interrupted. Recursion makes a chain longer up to PT_TREE_DEPTH; what is
 * deeper, or does not fit PT_TREE_NODES, is charged to the deepest node that there is, and counted as dropped. */
#ifndef PT_PROFILE_TREE_H
#define PT_PROFILE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "profile/stack/call_event.h"
#include "profile/stats/survival.h"

enum { PT_TREE_NODES = 65536, PT_TREE_DEPTH = 256, PT_TREE_CORES = 16 };
enum { PT_TREE_NO_CALLER = UINT8_MAX };	/* entry of the node that stands for callers that were not seen */

#define PT_TREE_NO_CALLER_NAME "[caller not seen]"

struct pt_tree_node {
	uint32_t parent;	/* index, smaller than its own; the root's is 0 */
	uint32_t depth;		/* the root's is 0 */
	uint64_t site;		/* return address in the parent's function; PT_UNKNOWN: not seen, or an exception */
	uint16_t function;	/* id; of the root and of a task's node: PT_NO_FUNCTION */
	uint16_t task;		/* PT_NO_TASK: not known */
	uint16_t core;
	uint8_t entry;		/* enum pt_call_entry; 0: the root, or a task's node; PT_TREE_NO_CALLER */
	/* Of a windowed core (profile.h) these are estimates for the whole profile; else what was seen. */
	uint64_t count;		/* entries */
	struct pt_estimate entries;	/* windowed: count with its interval; value NAN: too few windows, or none has any */
	uint64_t net, gross;	/* on the profile's clock; gross: with everything below */
	struct pt_share net_share, gross_share;	/* windowed: of the time awake */
};

struct pt_tree_estimate {	/* of a function, or a call edge, of a windowed core */
	struct pt_share gross;	/* at least: who called what ran when a window began is known only as far as it returned */
	struct pt_estimate count;	/* entries per tick awake; value NAN: too few windows, or none had any */
	struct pt_estimate per_second, per_call;	/* as in profile.h */
};

struct pt_tree_edge { uint16_t from, to, core; struct pt_tree_estimate estimate; };

struct pt_tree {
	const struct pt_tree_node *node;	/* parents before children; node[0] is the root */
	size_t n_nodes;
	const uint32_t *order;	/* the nodes depth first, among siblings the one with most gross time first */
	uint64_t dropped;	/* entries that found no room */
	/* of windowed cores: by id (NULL: it is none), and in no order; from 0: an exception */
	const struct pt_tree_estimate *function[PT_TREE_CORES];
	const struct pt_lengths *durations[PT_TREE_CORES];	/* by id, PT_N_TALLY_KINDS of each */
	const struct pt_tree_edge *edge;
	size_t n_edges;
};

#endif
