/* Three passes: nodes of the profile become nodes of chains (call sites are merged where they do not matter), children
 * are sorted by name, and the tree is written depth first. */
#include "report/shared/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/stats/preorder.h"
#include "profile/result/profile.h"
#include "profile/analyses/calls/tree.h"
#include "report/table/names.h"
#include "report/table/order.h"

enum { NAME_BYTES = 32, ROOT = 0 };

struct work {
	struct pt_stack_node *node;	/* as made; parents before children */
	size_t n;
	uint32_t *slot;		/* by hash of a node's chain: its index; 0: free (the root is never searched for) */
	size_t n_slots;		/* a power of two */
	enum pt_stacks_how how;
};

/* --- names */

/* Numbers of tasks, and of cores if there are several, are below these. */
struct groups { size_t n_tasks, n_cores; };

static const char *task_name(struct pt_stacks *stacks, const struct pt_profile *p, uint16_t task)
{
	return pt_name_of_task(p, task, stacks->names + (size_t)task * NAME_BYTES);
}

static const char *core_name(struct pt_stacks *stacks, const struct groups *groups, uint16_t core)
{
	char *name = stacks->names + (groups->n_tasks + core) * NAME_BYTES;

	snprintf(name, NAME_BYTES, "core %u", core);
	return name;
}

static struct groups groups_of(const struct pt_tree *tree)
{
	struct groups groups = { 0 };
	bool several = false;

	for (size_t i = 1; i < tree->n_nodes; i++) {
		const struct pt_tree_node *node = &tree->node[i];

		if (node->task != PT_NO_TASK && node->task >= groups.n_tasks)
			groups.n_tasks = node->task + 1u;
		if (node->core >= groups.n_cores)
			groups.n_cores = node->core + 1u;
		several |= node->core != tree->node[1].core;
	}
	if (!several)
		groups.n_cores = 0;
	return groups;
}

static void name_function(const struct pt_profile *p, struct pt_stack_node *node, uint16_t id)
{
	const struct pt_function *functions;
	size_t n = 0;

	functions = p->program != NULL ? pt_program_functions(p->program, &n) : NULL;
	node->id = id;
	node->function = id != PT_NO_FUNCTION && id <= n ? &functions[id - 1] : NULL;
	node->name = node->function != NULL ? node->function->name : "(no symbol)";
}

/* --- merging */

static size_t hash_of(const struct pt_stack_node *node)
{
	uint64_t h = (uint64_t)node->parent << 32 ^ (uint64_t)node->id << 16 ^ node->task ^ (uint64_t)node->core << 48;

	h = (h ^ node->exception ^ node->site * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
	return (size_t)(h ^ h >> 31);
}

static bool same_chain(const struct pt_stack_node *a, const struct pt_stack_node *b)
{
	return a->parent == b->parent && a->id == b->id && a->task == b->task && a->core == b->core &&
	       a->exception == b->exception && a->no_caller == b->no_caller && a->site == b->site;
}

/* Returns the node of this chain; adds it if it is new. */
static uint32_t add(struct work *w, const struct pt_stack_node *wanted)
{
	size_t at = hash_of(wanted) & (w->n_slots - 1);
	struct pt_stack_node *node;

	for (; w->slot[at] != ROOT; at = (at + 1) & (w->n_slots - 1))
		if (same_chain(&w->node[w->slot[at]], wanted))
			break;
	if (w->slot[at] == ROOT) {
		w->slot[at] = (uint32_t)w->n;
		w->node[w->n] = *wanted;
		w->node[w->n].self = w->node[w->n].count = 0;
		w->node[w->n++].depth = w->node[wanted->parent].depth + 1;
	}
	node = &w->node[w->slot[at]];
	node->self += wanted->self;
	node->count += wanted->count;
	return w->slot[at];
}

static void make_room(struct work *w, size_t n)
{
	for (w->n_slots = 16; w->n_slots < 2 * n; w->n_slots *= 2)
		;
	w->node = pt_alloc_array(n + 1, sizeof(*w->node));
	w->slot = pt_alloc_array(w->n_slots, sizeof(*w->slot));
	w->node[ROOT] = (struct pt_stack_node){ .name = "all", .site = PT_UNKNOWN, .task = PT_NO_TASK };
	w->n = 1;
}

/* The parent of a chain's first node: the root, or the node of its core. */
static uint32_t base_of(struct pt_stacks *stacks, struct work *w, const struct groups *groups, uint16_t core)
{
	const struct pt_stack_node wanted = {
		.name = groups->n_cores > 0 ? core_name(stacks, groups, core) : NULL, .parent = ROOT,
		.site = PT_UNKNOWN, .id = PT_NO_FUNCTION, .task = PT_NO_TASK, .core = core,
	};

	return groups->n_cores > 0 ? add(w, &wanted) : ROOT;
}

static void from_tree(struct pt_stacks *stacks, const struct pt_profile *p, struct work *w)
{
	const struct pt_tree *tree = p->tree;
	struct groups groups = groups_of(tree);
	uint32_t *merged = pt_alloc_array(tree->n_nodes, sizeof(*merged));

	if (w->how != PT_STACKS_BY_NAME)
		groups.n_cores = 0;
	stacks->names = pt_alloc_array(groups.n_tasks + groups.n_cores + 1, NAME_BYTES);
	make_room(w, tree->n_nodes + groups.n_cores);
	w->node[ROOT].self = tree->node[ROOT].net;
	for (size_t i = 1; i < tree->n_nodes; i++) {
		const struct pt_tree_node *node = &tree->node[i];
		bool of_task = node->entry == 0 && node->function == PT_NO_FUNCTION && node->parent == ROOT &&
			       node->task != PT_NO_TASK;
		struct pt_stack_node wanted = {
			.parent = node->parent != ROOT ? merged[node->parent] : base_of(stacks, w, &groups, node->core),
			.self = node->net, .count = node->count, .task = node->task,
			.core = node->core, .exception = node->entry == PT_ENTRY_EXCEPTION,
			.no_caller = node->entry == PT_TREE_NO_CALLER,
			.site = w->how == PT_STACKS_BY_SITE ? node->site : PT_UNKNOWN,
		};

		if (of_task)
			wanted.name = task_name(stacks, p, node->task);
		else if (wanted.no_caller)
			wanted.name = PT_TREE_NO_CALLER_NAME;
		else
			name_function(p, &wanted, node->function);
		merged[i] = add(w, &wanted);
	}
	free(merged);
}

static void from_samples(const struct pt_profile *p, struct work *w)
{
	make_room(w, p->n_functions + 1);
	for (size_t i = 0; i < p->n_functions; i++) {
		struct pt_stack_node wanted = { .self = p->function[i].samples, .site = PT_UNKNOWN,
						.task = PT_NO_TASK };

		name_function(p, &wanted, p->function[i].id);
		add(w, &wanted);
	}
}

/* Bins, and samples of several cores, are known by function only: one level below each core. */
static void from_rows(struct pt_stacks *stacks, const struct pt_profile *p, struct work *w)
{
	struct groups groups = { 0 };

	for (size_t i = 0; w->how == PT_STACKS_BY_NAME && p->n_cores > 1 && i < p->n_functions; i++)
		if (p->function[i].core >= groups.n_cores)
			groups.n_cores = p->function[i].core + 1u;
	stacks->names = pt_alloc_array(groups.n_cores + 1, NAME_BYTES);
	make_room(w, p->n_functions + groups.n_cores);
	for (size_t i = 0; i < p->n_functions; i++) {
		const struct pt_profile_function *f = &p->function[i];
		struct pt_stack_node wanted = {
			.parent = base_of(stacks, w, &groups, f->core), .site = PT_UNKNOWN, .task = PT_NO_TASK,
			.core = f->core, .self = f->run == NULL ? f->samples :
						 p->by_instructions ? f->run->instructions : f->run->cycles,
		};

		name_function(p, &wanted, f->id);
		add(w, &wanted);
	}
}

/* --- order */

static int by_name(const void *a, const void *b, void *nodes)
{
	const struct pt_stack_node *x = (const struct pt_stack_node *)nodes + *(const uint32_t *)a;
	const struct pt_stack_node *y = (const struct pt_stack_node *)nodes + *(const uint32_t *)b;
	int order = strcmp(x->name, y->name);

	if (order == 0)
		order = (x->id > y->id) - (x->id < y->id);
	if (order == 0)
		order = (x->site > y->site) - (x->site < y->site);
	return order != 0 ? order : (x > y) - (x < y);
}

static void write_out(struct pt_stacks *stacks, struct work *w)
{
	uint32_t *place = pt_alloc_array(w->n, sizeof(*place)), *parent = pt_alloc_array(w->n, sizeof(*parent));

	for (size_t i = 0; i < w->n; i++)
		parent[i] = w->node[i].parent;
	pt_preorder(parent, w->n, by_name, w->node, place);
	for (size_t i = w->n; i-- > 0;) {
		w->node[i].total += w->node[i].self;
		if (i != ROOT)
			w->node[parent[i]].total += w->node[i].total;
	}
	for (size_t i = 0; i < w->n; i++) {
		stacks->node[place[i]] = w->node[i];
		stacks->node[place[i]].parent = place[parent[i]];
		if (w->node[i].depth > stacks->deepest)
			stacks->deepest = w->node[i].depth;
	}
	stacks->n_nodes = w->n;
	free(place);
	free(parent);
}

/* --- life */

int pt_stacks_make(struct pt_stacks *stacks, const struct pt_profile *p, enum pt_stacks_how how, struct pt_err *err)
{
	struct work w = { .how = how };

	*stacks = (struct pt_stacks){ .unit = p->by_instructions ? "instructions" : "cycles" };
	if (pt_report_needs_code(p, err) < 0)
		return PT_ESTATE;
	if (!pt_profile_by_samples(p) && p->tree == NULL && !p->by_bins)
		return pt_fail(err, PT_ESTATE,
			       "chains of calls need the analysis 'tree', which this profile was made "
			       "without; analysis=execution,tree selects it");
	if (pt_profile_by_samples(p) || (p->by_bins && p->times == PT_BASIS_NONE))
		stacks->unit = "samples";
	if (p->by_bins || (p->samples != 0 && p->branches == 0 && p->n_cores > 1))
		from_rows(stacks, p, &w);
	else if (pt_profile_by_samples(p))
		from_samples(p, &w);
	else
		from_tree(stacks, p, &w);
	stacks->node = pt_alloc_array(w.n, sizeof(*stacks->node));
	write_out(stacks, &w);
	free(w.node);
	free(w.slot);
	return 0;
}

void pt_stacks_free(struct pt_stacks *stacks)
{
	free(stacks->node);
	free(stacks->names);
	*stacks = (struct pt_stacks){ 0 };
}
