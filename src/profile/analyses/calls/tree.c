/* One chain of nodes per stack, so that a step touches the node on top and nothing else. What changes of a node lies
 * in a table that its parent, the site and the function are looked up in: to find it and to count it is one cache
 * line, and where that lies is reckoned, not read, so that the next look-up need not wait for it. Once the tree is
 * full, most of a large program's calls are not in it: a bit says of nearly all of them that they are not, without a
 * look into the table. Total times are added up for a report. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bigmem.h"
#include "profile/result/analysis.h"
#include "profile/stats/preorder.h"
#include "profile/analyses/calls/call_durations.h"
#include "profile/analyses/calls/tree.h"
#include "profile/analyses/calls/tree_windows.h"

enum {
	SLOT_BITS = 17,
	SLOTS = 1 << SLOT_BITS,		/* of the hash table: twice as many as nodes */
	ROOT = SLOTS,			/* has a slot of its own, that nobody looks up */
	CORES = 16,			/* more share the last one's chains: wrong, but bounded */
	FRAMES = 2048,			/* of one chain; execution has less */
	BITS_BITS = 20,			/* 16 for each node */
};

struct slot {
	uint32_t parent;		/* its slot + 1; 0: nothing is here */
	uint32_t site;			/* 0: not entered by a call, or from beyond 32 bits; the node says more */
	uint16_t function, task;
	uint32_t children;		/* a bit for each of 32 kinds of hashes: where it
					 * is 0, there is no such child */
	uint64_t net, count;
};

struct chain {
	uint32_t *slot;			/* FRAMES of them; NULL: nothing was ever open on this stack */
	size_t n;			/* open, those beyond FRAMES included */
	uint16_t task;
};

struct core {
	struct chain *chain;		/* PT_CALL_STACKS; NULL: this core took no step yet */
	struct chain *now;
	uint64_t clock;			/* up to where time is charged */
	struct pt_call_durations *durations;	/* NULL: it had no window yet */
};

struct tree {
	struct pt_tree result;		/* as shown: may have nodes behind n_nodes */
	size_t n_nodes;
	struct pt_tree_node *node;	/* what does not change; the rest when somebody asks */
	uint32_t *slot_of, *node_of;	/* by node, and by slot */
	struct slot *slot;		/* SLOTS and the root */
	uint64_t *bits;			/* 2^BITS_BITS: where one is 0, there is no node of such a hash */
	uint32_t *order, *place;	/* made anew for each result */
	struct core core[CORES];
	struct pt_tree_windows *windows;	/* NULL: there was none yet */
	struct pt_tree_count *now;		/* of the nodes, at an edge of a window */
	size_t n_functions;
};

/* --- nodes */

static inline uint32_t hash_of(uint32_t parent, uint32_t site, uint16_t function, uint16_t task)
{
	uint64_t h = ((uint64_t)parent << 32 | site) ^ (function | (uint32_t)task << 16) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(h * UINT64_C(0xbf58476d1ce4e5b9) >> 32);
}

static inline size_t home_of(uint32_t hash)
{
	return hash >> (32 - SLOT_BITS);
}

static inline uint32_t bit_of(uint32_t hash)
{
	return UINT32_C(1) << (hash & 31);
}

static inline bool may_be(const struct tree *t, uint32_t hash)
{
	return (t->bits[hash >> (32 - BITS_BITS + 6)] >> (hash >> (32 - BITS_BITS) & 63) & 1) != 0;
}

static inline bool holds(const struct slot *slot, uint32_t parent, uint32_t site, uint16_t function, uint16_t task)
{
	return slot->parent == parent + 1 && slot->site == site && slot->function == function && slot->task == task;
}

static uint32_t site_of(const struct pt_tree_node *wanted)
{
	return wanted->entry == PT_ENTRY_CALL && wanted->site <= UINT32_MAX ? (uint32_t)wanted->site : 0;
}

/* parent itself when there is no room. */
static uint32_t make(struct tree *t, uint32_t parent, const struct pt_tree_node *wanted, size_t at, uint32_t hash)
{
	uint32_t above = t->node_of[parent], node = (uint32_t)t->n_nodes;

	if (node == PT_TREE_NODES || t->node[above].depth >= PT_TREE_DEPTH) {
		t->result.dropped++;
		return parent;
	}
	t->n_nodes++;
	t->node[node] = *wanted;
	t->node[node].parent = above;
	t->node[node].depth = t->node[above].depth + 1;
	t->slot[at] = (struct slot){ .parent = parent + 1, .site = site_of(wanted), .function = wanted->function,
				     .task = wanted->task };
	t->slot[parent].children |= bit_of(hash);
	t->bits[hash >> (32 - BITS_BITS + 6)] |= UINT64_C(1) << (hash >> (32 - BITS_BITS) & 63);
	t->slot_of[node] = (uint32_t)at;
	t->node_of[at] = node;
	return (uint32_t)at;
}

/* The child of parent that is as wanted; made if there is none. parent itself when there is no room. A child's task is
 * its parent's, but for a task's own node: what is asked for says enough with these. */
static uint32_t child(struct tree *t, uint32_t parent, const struct pt_tree_node *wanted)
{
	uint32_t site = site_of(wanted), hash = hash_of(parent, site, wanted->function, wanted->task);
	size_t at = home_of(hash);

	for (; t->slot[at].parent != 0; at = (at + 1) % SLOTS) {
		const struct pt_tree_node *node = &t->node[t->node_of[at]];

		if (holds(&t->slot[at], parent, site, wanted->function, wanted->task) && node->site == wanted->site &&
		    node->entry == wanted->entry && node->core == wanted->core)
			return (uint32_t)at;
	}
	return make(t, parent, wanted, at, hash);
}

/* Where chains of a task begin: the root, where no task is known. */
static uint32_t base_of(struct tree *t, uint16_t task, uint16_t core)
{
	struct pt_tree_node wanted = { .site = PT_UNKNOWN, .task = task, .core = core };

	return task == PT_NO_TASK ? (uint32_t)ROOT : child(t, ROOT, &wanted);
}

/* --- steps */

static struct core *core_of(struct tree *t, uint16_t number)
{
	struct core *core = &t->core[number < CORES ? number : CORES - 1];

	if (core->chain == NULL) {
		core->chain = pt_alloc_array(PT_CALL_STACKS, sizeof(*core->chain));
		for (size_t i = 0; i < PT_CALL_STACKS; i++)
			core->chain[i].task = PT_NO_TASK;
		core->now = core->chain;
	}
	return core;
}

static uint32_t top_of(struct tree *t, const struct core *core, uint16_t number)
{
	const struct chain *chain = core->now;

	if (chain->n == 0)
		return base_of(t, chain->task, number);
	return chain->slot[(chain->n < FRAMES ? chain->n : FRAMES) - 1];
}

static void push(struct chain *chain, uint32_t slot)
{
	if (chain->slot == NULL)
		chain->slot = pt_realloc_array(NULL, FRAMES, sizeof(*chain->slot));
	if (chain->n < FRAMES)
		chain->slot[chain->n] = slot;
	chain->n++;
}

/* Below what the chain that runs begins with, if it was running before it was seen. */
static uint32_t unseen_caller(struct tree *t, const struct core *core, uint32_t base, uint16_t number)
{
	const struct pt_tree_node wanted = { .site = PT_UNKNOWN, .function = PT_NO_FUNCTION, .core = number,
					     .entry = PT_TREE_NO_CALLER, .task = core->now->task };

	return child(t, base, &wanted);
}

static void enter(struct tree *t, struct core *core, const struct pt_call_event *step)
{
	bool exception = step->entry == PT_ENTRY_EXCEPTION;
	uint32_t parent = exception ? (uint32_t)ROOT : top_of(t, core, step->core);
	struct pt_tree_node wanted = {
		.site = exception ? PT_UNKNOWN : step->site, .function = step->function, .entry = step->entry,
		.task = exception ? (uint16_t)PT_NO_TASK : core->now->task, .core = step->core,
	};
	uint32_t slot;

	if (step->entry == PT_ENTRY_UNSEEN && core->now->n == 0)
		parent = unseen_caller(t, core, parent, step->core);
	slot = child(t, parent, &wanted);
	if (slot != parent && step->entry != PT_ENTRY_UNSEEN)
		t->slot[slot].count++;
	push(core->now, slot);
}

/* What ran since the step before belongs to the top, but for what ran elsewhere. */
static void charge(struct tree *t, struct core *core, const struct pt_call_event *step)
{
	uint64_t ticks = step->clock - core->clock, elsewhere = 0;
	uint32_t top = top_of(t, core, step->core);

	if (step->kind == PT_CALL_ELSEWHERE) {
		struct pt_tree_node wanted = {
			.site = PT_UNKNOWN, .function = step->function, .task = core->now->task, .core = step->core,
		};

		elsewhere = step->net < ticks ? step->net : ticks;
		t->slot[child(t, top, &wanted)].net += elsewhere;
	}
	t->slot[top].net += ticks - elsewhere;
	core->clock = step->clock;
}

static void leave(struct core *core, const struct pt_call_event *step)	/* it may be of a stack that does not run */
{
	struct chain *chain = &core->chain[step->stack < PT_CALL_STACKS ? step->stack : 0];

	if (chain->n > 0)
		chain->n--;
}

static void forget(struct core *core)
{
	for (size_t i = 0; i < PT_CALL_STACKS; i++)
		core->chain[i].n = 0;
}

static void switch_to(struct core *core, const struct pt_call_event *step)
{
	core->now = &core->chain[step->stack < PT_CALL_STACKS ? step->stack : 0];
	core->now->task = step->task;
}

static void take_steps(void *analysis, const struct pt_call_event *step, size_t n)
{
	struct tree *t = analysis;

	for (size_t i = 0; i < n; i++, step++) {
		struct core *core = core_of(t, step->core);

		charge(t, core, step);
		if (core->durations != NULL)
			pt_call_durations_step(core->durations, step);
		if (step->kind == PT_CALL_ENTER)
			enter(t, core, step);
		else if (step->kind == PT_CALL_LEAVE)
			leave(core, step);
		else if (step->kind == PT_CALL_SWITCH)
			switch_to(core, step);
		else if (step->kind == PT_CALL_FORGET)
			forget(core);
	}
}

/* --- steps in brief */

/* A child that is not where it would be, or is not. */
static __attribute__((noinline)) uint32_t other_child(struct tree *t, uint32_t parent,
						      const struct pt_compact_batch *batch,
						      const struct pt_compact_event *compact, uint32_t hash)
{
	const struct pt_tree_node wanted = {
		.site = compact->site, .function = compact->function, .entry = PT_ENTRY_CALL, .task = batch->task,
		.core = batch->core,
	};
	size_t at = home_of(hash);

	if (parent == ROOT)
		return child(t, parent, &wanted);
	for (; t->slot[at].parent != 0; at = (at + 1) % SLOTS)
		if (holds(&t->slot[at], parent, compact->site, compact->function, batch->task))
			return (uint32_t)at;
	return make(t, parent, &wanted, at, hash);
}

static inline uint32_t called(struct tree *t, uint32_t parent, const struct pt_compact_batch *batch,
			      const struct pt_compact_event *compact)
{
	uint32_t hash = hash_of(parent, compact->site, compact->function, batch->task);
	size_t at = home_of(hash);

	if (t->n_nodes == PT_TREE_NODES &&
	    (((t->slot[parent].children & bit_of(hash)) != 0) & may_be(t, hash)) == 0) {	/* one guess, not two */
		t->result.dropped++;
		return parent;
	}
	if (parent != ROOT && holds(&t->slot[at], parent, compact->site, compact->function, batch->task)) {
		t->slot[at].count++;
		return (uint32_t)at;
	}
	at = other_child(t, parent, batch, compact, hash);
	t->slot[at].count += at != parent;
	return (uint32_t)at;
}

static void pass(struct tree *t, struct core *core, const struct pt_compact_batch *batch)
{
	uint32_t *top = core->now->slot + core->now->n - 1;
	uint64_t clock = core->clock - batch->clock;

	for (size_t i = 0; i < batch->n_compact; i++) {
		const struct pt_compact_event *compact = &batch->compact[i];

		t->slot[*top].net += compact->ticks - clock;
		clock = compact->ticks;
		if (compact->left) {
			top--;
		} else {
			top[1] = called(t, *top, batch, compact);
			top++;
		}
	}
	core->now->n = (size_t)(top + 1 - core->now->slot);
	core->clock = batch->clock + clock;
}

/* Only on the chain that runs and holds all of it. Which core a node is of does not matter then: that of its parent. */
static void take_compact(void *analysis, const struct pt_compact_batch *batch)
{
	struct tree *t = analysis;
	struct core *core = core_of(t, batch->core);
	const struct chain *chain = core->now;

	if (batch->core < CORES - 1 && chain == &core->chain[batch->stack % PT_CALL_STACKS] && chain->slot != NULL &&
	    chain->task == batch->task && chain->n > batch->n_below && chain->n + batch->n_compact < FRAMES) {
		pass(t, core, batch);
		return;
	}
	for (size_t i = 0; i < batch->n_compact; i++) {
		const struct pt_call_event step = pt_compact_call_event(batch, i);

		take_steps(t, &step, 1);
	}
}

/* --- windows */

static void take_window(void *analysis, uint16_t number, const struct pt_time_window *window)
{
	struct tree *t = analysis;
	struct core *core = core_of(t, number);

	if (t->windows == NULL) {
		t->windows = pt_tree_windows_new(t->n_functions);
		t->now = pt_alloc_array(PT_TREE_NODES, sizeof(*t->now));
	}
	for (size_t i = 0; i < t->n_nodes; i++) {
		const struct slot *slot = &t->slot[t->slot_of[i]];

		t->now[i] = (struct pt_tree_count){ slot->net, slot->count };
	}
	pt_tree_windows_edge(t->windows, t->node, t->now, t->n_nodes, number, window);
	if (core->durations == NULL)
		core->durations = pt_call_durations_new(t->n_functions);
	pt_call_durations_edge(core->durations, core->clock, window);
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

static void put_in_order(struct tree *t)
{
	size_t n = t->result.n_nodes;

	for (size_t i = 0; i < n; i++)
		t->order[i] = t->node[i].parent;
	pt_preorder(t->order, n, by_gross, t->node, t->place);
	for (size_t i = 0; i < n; i++)
		t->order[t->place[i]] = (uint32_t)i;
}

/* All of it; of several cores each may be on a scale of its own. */
static void add_up_root(struct tree *t)
{
	t->node[0].gross = t->node[0].net;
	for (size_t i = 1; i < t->result.n_nodes; i++)
		t->node[0].gross += t->node[i].parent == 0 ? t->node[i].gross : 0;
}

static void give_windows(struct tree *t, const struct pt_profile *profile)
{
	pt_tree_windows_give(t->windows, profile, t->node, &t->result);
	for (uint16_t i = 0; i < CORES; i++)
		t->result.durations[i] = t->core[i].durations != NULL && pt_profile_windowed(profile, i) != NULL
						 ? pt_call_durations_give(t->core[i].durations)
						 : NULL;
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct tree *t = analysis;

	t->result.n_nodes = t->n_nodes;
	for (size_t i = 0; i < t->n_nodes; i++) {
		const struct slot *slot = &t->slot[t->slot_of[i]];

		t->node[i].count = slot->count;
		t->node[i].gross = t->node[i].net = slot->net;
	}
	for (size_t i = t->n_nodes - 1; i > 0; i--)
		t->node[t->node[i].parent].gross += t->node[i].gross;
	if (t->windows != NULL && profile->windowed)
		give_windows(t, profile);
	add_up_root(t);
	put_in_order(t);
	profile->tree = &t->result;
}

static void tree_free(void *analysis)
{
	struct tree *t = analysis;

	for (size_t c = 0; c < CORES; c++) {
		for (size_t i = 0; t->core[c].chain != NULL && i < PT_CALL_STACKS; i++)
			free(t->core[c].chain[i].slot);
		free(t->core[c].chain);
		pt_call_durations_free(t->core[c].durations);
	}
	pt_big_free(t->node, PT_TREE_NODES * sizeof(*t->node));
	pt_tree_windows_free(t->windows);
	free(t->now);
	free(t->slot_of);
	pt_big_free(t->node_of, (SLOTS + 1) * sizeof(*t->node_of));
	free(t->order);
	free(t->place);
	free(t->bits);
	pt_big_free(t->slot, (SLOTS + 1) * sizeof(*t->slot));
	free(t);
}

static void *tree_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct tree *t = pt_alloc(sizeof(*t));

	(void)err;
	t->node = pt_big_alloc(PT_TREE_NODES, sizeof(*t->node));
	t->slot_of = pt_realloc_array(NULL, PT_TREE_NODES, sizeof(*t->slot_of));
	t->node_of = pt_big_alloc(SLOTS + 1, sizeof(*t->node_of));
	t->order = pt_realloc_array(NULL, PT_TREE_NODES, sizeof(*t->order));
	t->place = pt_realloc_array(NULL, PT_TREE_NODES, sizeof(*t->place));
	t->bits = pt_alloc_array((1 << BITS_BITS) / 64, sizeof(*t->bits));
	t->slot = pt_big_alloc(SLOTS + 1, sizeof(*t->slot));
	pt_big_touch(t->node, PT_TREE_NODES * sizeof(*t->node));
	pt_big_touch(t->node_of, (SLOTS + 1) * sizeof(*t->node_of));
	pt_big_touch(t->slot, (SLOTS + 1) * sizeof(*t->slot));
	t->n_functions = setup->n_functions;
	t->n_nodes = 1;
	t->node[0] = (struct pt_tree_node){ .site = PT_UNKNOWN, .task = PT_NO_TASK };
	t->slot_of[0] = ROOT;
	t->result = (struct pt_tree){ .node = t->node, .n_nodes = 1, .order = t->order };
	return t;
}

const struct pt_analysis pt_analysis_tree = {
	.name = "tree", .help = "chains of calls, for flame graphs", .standard = true, .open = tree_new,
	.close = tree_free,
	.steps = take_steps, .compact = take_compact, .window = take_window, .result = give,
};
