/* One chain of node indices per stack, so that a step touches the node on top and nothing else. A child is looked for in
 * its parent's last one first: most calls are made again. Gross times are added up when somebody asks. */
#include <stdlib.h>
#include <string.h>

#include "profile/analysis.h"
#include "profile/preorder.h"
#include "profile/tree.h"

enum {
	SLOTS = 2 * PT_TREE_NODES,	/* of the hash table; a power of two */
	CORES = 16,			/* more share the last one's chains: wrong, but bounded */
	FRAMES = 2048,			/* of one chain; execution has less */
	ROOT = 0,
};

struct chain {
	uint32_t *node;			/* FRAMES of them; NULL: nothing was ever open on this stack */
	size_t n;			/* open, those beyond FRAMES included */
	uint16_t task;
};

struct core {
	struct chain *chain;		/* PT_STEP_STACKS; NULL: this core took no step yet */
	struct chain *now;
	uint64_t clock;			/* up to where time is charged */
};

struct tree {
	struct pt_tree result;
	struct pt_tree_node *node;
	uint32_t *last_child;		/* per node; 0: none */
	uint32_t *order, *place;	/* made anew for each result */
	uint32_t *slot;			/* node of a hash; 0: free, as nobody is the root's child by looking it up */
	struct core core[CORES];
};

/* --- nodes */

static uint64_t hash_of(uint32_t parent, uint64_t site, uint16_t function, uint16_t task)
{
	uint64_t h = (uint64_t)parent << 32 ^ (uint64_t)function << 16 ^ task ^ site * UINT64_C(0x9e3779b97f4a7c15);

	h ^= h >> 29;
	h *= UINT64_C(0xbf58476d1ce4e5b9);
	return h ^ h >> 32;
}

/* A child's task is its parent's, but for a task's own node: what is asked for says enough with these four. */
static bool is(const struct pt_tree_node *node, uint32_t parent, const struct pt_tree_node *wanted)
{
	return node->parent == parent && node->site == wanted->site && node->function == wanted->function &&
	       node->task == wanted->task && node->entry == wanted->entry && node->core == wanted->core;
}

/* The child of parent that is as wanted; made if there is none. parent itself when there is no room. */
static uint32_t child(struct tree *t, uint32_t parent, const struct pt_tree_node *wanted)
{
	uint32_t last = t->last_child[parent];
	size_t at = hash_of(parent, wanted->site, wanted->function, wanted->task) % SLOTS;

	if (last != ROOT && is(&t->node[last], parent, wanted))
		return last;
	for (; t->slot[at] != ROOT; at = (at + 1) % SLOTS)
		if (is(&t->node[t->slot[at]], parent, wanted))
			return t->last_child[parent] = t->slot[at];
	if (t->result.n_nodes == PT_TREE_NODES || t->node[parent].depth >= PT_TREE_DEPTH) {
		t->result.dropped++;
		return parent;
	}
	last = (uint32_t)t->result.n_nodes++;
	t->node[last] = *wanted;
	t->node[last].parent = parent;
	t->node[last].depth = t->node[parent].depth + 1;
	t->slot[at] = last;
	return t->last_child[parent] = last;
}

/* Where chains of a task begin: the root, where no task is known. */
static uint32_t base_of(struct tree *t, uint16_t task, uint16_t core)
{
	struct pt_tree_node wanted = { .site = PT_UNKNOWN, .task = task, .core = core };

	return task == PT_NO_TASK ? ROOT : child(t, ROOT, &wanted);
}

/* --- steps */

static struct core *core_of(struct tree *t, uint16_t number)
{
	struct core *core = &t->core[number < CORES ? number : CORES - 1];

	if (core->chain == NULL) {
		core->chain = calloc(PT_STEP_STACKS, sizeof(*core->chain));
		for (size_t i = 0; core->chain != NULL && i < PT_STEP_STACKS; i++)
			core->chain[i].task = PT_NO_TASK;
		core->now = core->chain;
	}
	return core->chain != NULL ? core : NULL;
}

static uint32_t top_of(struct tree *t, const struct core *core, uint16_t number)
{
	const struct chain *chain = core->now;

	if (chain->n == 0 || chain->node == NULL)
		return base_of(t, chain->task, number);
	return chain->node[(chain->n < FRAMES ? chain->n : FRAMES) - 1];
}

static void push(struct chain *chain, uint32_t node)
{
	if (chain->node == NULL)
		chain->node = malloc(FRAMES * sizeof(*chain->node));
	if (chain->node != NULL && chain->n < FRAMES)
		chain->node[chain->n] = node;
	chain->n++;
}

static void enter(struct tree *t, struct core *core, const struct pt_step *step)
{
	bool exception = step->entry == PT_ENTRY_EXCEPTION;
	uint32_t parent = exception ? ROOT : top_of(t, core, step->core);
	struct pt_tree_node wanted = {
		.site = exception ? PT_UNKNOWN : step->site, .function = step->function, .entry = step->entry,
		.task = exception ? (uint16_t)PT_NO_TASK : core->now->task, .core = step->core,
	};
	uint32_t node = child(t, parent, &wanted);

	if (node != parent && step->entry != PT_ENTRY_UNSEEN)
		t->node[node].count++;
	push(core->now, node);
}

/* What ran since the step before belongs to the top, but for what ran elsewhere. */
static void charge(struct tree *t, struct core *core, const struct pt_step *step)
{
	uint64_t ticks = step->clock - core->clock, elsewhere = 0;
	uint32_t top = top_of(t, core, step->core);

	if (step->kind == PT_STEP_ELSEWHERE) {
		struct pt_tree_node wanted = {
			.site = PT_UNKNOWN, .function = step->function, .task = core->now->task, .core = step->core,
		};

		elsewhere = step->net < ticks ? step->net : ticks;
		t->node[child(t, top, &wanted)].net += elsewhere;
	}
	t->node[top].net += ticks - elsewhere;
	core->clock = step->clock;
}

static void leave(struct core *core, const struct pt_step *step)	/* it may be of a stack that does not run */
{
	struct chain *chain = &core->chain[step->stack < PT_STEP_STACKS ? step->stack : 0];

	if (chain->n > 0)
		chain->n--;
}

static void forget(struct core *core)
{
	for (size_t i = 0; i < PT_STEP_STACKS; i++)
		core->chain[i].n = 0;
}

static void switch_to(struct core *core, const struct pt_step *step)
{
	core->now = &core->chain[step->stack < PT_STEP_STACKS ? step->stack : 0];
	core->now->task = step->task;
}

static void take_steps(void *analysis, const struct pt_step *step, size_t n)
{
	struct tree *t = analysis;

	for (size_t i = 0; i < n; i++, step++) {
		struct core *core = core_of(t, step->core);

		if (core == NULL)
			continue;
		charge(t, core, step);
		if (step->kind == PT_STEP_ENTER)
			enter(t, core, step);
		else if (step->kind == PT_STEP_LEAVE)
			leave(core, step);
		else if (step->kind == PT_STEP_SWITCH)
			switch_to(core, step);
		else if (step->kind == PT_STEP_FORGET)
			forget(core);
	}
}

/* --- result, life */

static int by_gross(const void *a, const void *b, void *nodes)
{
	const struct pt_tree_node *x = (const struct pt_tree_node *)nodes + *(const uint32_t *)a;
	const struct pt_tree_node *y = (const struct pt_tree_node *)nodes + *(const uint32_t *)b;

	if (x->gross != y->gross)
		return x->gross > y->gross ? -1 : 1;
	return (x > y) - (x < y);
}

/* Without memory for it, the order of making is one, too. */
static void put_in_order(struct tree *t)
{
	size_t n = t->result.n_nodes;

	for (size_t i = 0; i < n; i++)
		t->order[i] = t->node[i].parent;
	if (!pt_preorder(t->order, n, by_gross, t->node, t->place))
		for (size_t i = 0; i < n; i++)
			t->place[i] = (uint32_t)i;
	for (size_t i = 0; i < n; i++)
		t->order[t->place[i]] = (uint32_t)i;
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct tree *t = analysis;

	for (size_t i = 0; i < t->result.n_nodes; i++)
		t->node[i].gross = t->node[i].net;
	for (size_t i = t->result.n_nodes - 1; i > ROOT; i--)
		t->node[t->node[i].parent].gross += t->node[i].gross;
	put_in_order(t);
	profile->tree = &t->result;
}

static void tree_free(void *analysis)
{
	struct tree *t = analysis;

	for (size_t c = 0; c < CORES; c++) {
		for (size_t i = 0; t->core[c].chain != NULL && i < PT_STEP_STACKS; i++)
			free(t->core[c].chain[i].node);
		free(t->core[c].chain);
	}
	free(t->node);
	free(t->last_child);
	free(t->order);
	free(t->place);
	free(t->slot);
	free(t);
}

static void *tree_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct tree *t = calloc(1, sizeof(*t));

	(void)setup;
	if (t == NULL) {
		pt_fail(err, PT_ENOMEM, "not enough memory for a call tree");
		return NULL;
	}
	t->node = calloc(PT_TREE_NODES, sizeof(*t->node));
	t->last_child = calloc(PT_TREE_NODES, sizeof(*t->last_child));
	t->order = calloc(PT_TREE_NODES, sizeof(*t->order));
	t->place = calloc(PT_TREE_NODES, sizeof(*t->place));
	t->slot = calloc(SLOTS, sizeof(*t->slot));
	if (t->node == NULL || t->last_child == NULL || t->order == NULL || t->place == NULL || t->slot == NULL) {
		tree_free(t);
		pt_fail(err, PT_ENOMEM, "not enough memory for a call tree of %d nodes", PT_TREE_NODES);
		return NULL;
	}
	t->node[ROOT] = (struct pt_tree_node){ .site = PT_UNKNOWN, .task = PT_NO_TASK };
	t->result = (struct pt_tree){ .node = t->node, .n_nodes = 1, .order = t->order };
	return t;
}

const struct pt_analysis pt_analysis_tree = {
	.name = "tree", .help = "chains of calls, for flame graphs", .standard = true, .open = tree_new, .close = tree_free, .steps = take_steps,
	.result = give,
};
