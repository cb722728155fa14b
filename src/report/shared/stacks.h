/* Chains of calls for formats: the call tree with names, or, for a profile of samples or bins, one level of functions.
 * Chains with equal names are merged; siblings are sorted by name, so that the output is always the same. */
#ifndef PT_REPORT_STACKS_H
#define PT_REPORT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pt_profile;
struct pt_function;

struct pt_stack_node {
	uint32_t parent;	/* index, smaller than its own; the root's is 0 */
	uint32_t depth;		/* the root's is 0 */
	const char *name;	/* "all" for the root; lives as long as the profile's program, or the stacks */
	const struct pt_function *function;	/* NULL: the root, a task or core, or code without a symbol */
	uint64_t site;		/* BY_SITE: return address in the parent's function; PT_UNKNOWN */
	uint64_t self, total;	/* in unit; total: with all nodes below */
	uint64_t count;		/* entries seen; 0 for samples */
	uint16_t id;		/* of the function; PT_NO_FUNCTION */
	uint16_t task, core;	/* PT_NO_TASK: not known */
	bool exception;		/* an exception entered it */
	bool no_caller;		/* represents callers that were not seen */
};

enum { PT_STACKS_DEPTH = 300 };	/* no node is deeper */

struct pt_stacks {
	struct pt_stack_node *node;	/* depth first: the nodes below a node follow it */
	size_t n_nodes;
	const char *unit;	/* "cycles", "instructions" or "samples" */
	uint32_t deepest;
	char *names;		/* memory behind some names */
};

enum pt_stacks_how {
	PT_STACKS_BY_NAME,	/* with several cores, chains begin with "core 1" */
	PT_STACKS_BY_SITE,
};

/* PT_ESTATE: the profile has neither a tree nor samples nor bins. */
int pt_stacks_make(struct pt_stacks *stacks, const struct pt_profile *profile, enum pt_stacks_how how,
		   struct pt_err *err);
void pt_stacks_free(struct pt_stacks *stacks);

#endif
