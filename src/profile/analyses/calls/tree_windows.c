/* The nodes are looked at as a whole at both edges of a window: some thousands, some ten times a second. So what counts
 * calls need not know of windows. */
#include "profile/analyses/calls/tree_windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { NONE = UINT32_MAX, EDGE_SLOTS = 1 << 16, MOST_EDGES = EDGE_SLOTS / 2 };

struct node {
	struct pt_tree_count base;	/* where the window began */
	uint64_t below;			/* in the window, with what is below it */
	struct pt_cluster_sum net, gross, entries;
	double most;			/* entries per tick of a window */
	double with_own;		/* sum over windows of its net times that of its function */
	double sampled_below, sampled_above;	/* of its share, or of what is summed up below it: the samples' part of the
						 * error */
	uint32_t edge;			/* of its call; NONE: nobody's, or there was no room */
	bool first_of_function, first_of_edge;	/* there is no other such above it */
};

/* Of a function, or of an edge. */
struct sums {
	struct pt_cluster_sum gross, entries;
	struct pt_ratio_sum per_call;
	double most;			/* entries per tick of a window */
	uint64_t net, below, count;	/* in the window */
	bool touched;
};

struct edge { uint16_t from, to, core; struct sums sums; };

struct core {
	struct sums *function;	/* by id; NULL: it had no window yet */
	struct pt_tree_estimate *shown;
};

struct pt_tree_windows {
	size_t n_functions;
	struct node *node;	/* n_nodes of them are known */
	size_t n_nodes, room;
	struct edge *edge;
	size_t n_edges, edges_room;
	uint32_t *slot;		/* EDGE_SLOTS: index of an edge + 1; 0: none */
	struct sums **touched;
	size_t n_touched, touched_room;
	struct core core[PT_PROFILE_CORES];
	struct pt_tree_edge *shown;
};

/* --- what does not change of a node */

static bool is_call(const struct pt_tree_node *node)
{
	return node->entry == PT_ENTRY_CALL || node->entry == PT_ENTRY_TAIL || node->entry == PT_ENTRY_EXCEPTION;
}

static uint16_t caller_of(const struct pt_tree_node *node, size_t i)
{
	return node[i].entry == PT_ENTRY_EXCEPTION ? (uint16_t)PT_NO_FUNCTION : node[node[i].parent].function;
}

static uint32_t edge_of(struct pt_tree_windows *w, uint16_t from, uint16_t to, uint16_t core)
{
	size_t at = ((from * 40503u) ^ (to * 2654435761u >> 13) ^ core) % EDGE_SLOTS;

	for (; w->slot[at] != 0; at = (at + 1) % EDGE_SLOTS) {
		const struct edge *e = &w->edge[w->slot[at] - 1];

		if (e->from == from && e->to == to && e->core == core)
			return w->slot[at] - 1;
	}
	if (w->n_edges == MOST_EDGES)
		return NONE;
	if (w->n_edges == w->edges_room) {
		w->edges_room = w->edges_room * 2 + 64;
		w->edge = pt_realloc_array(w->edge, w->edges_room, sizeof(*w->edge));
	}
	w->edge[w->n_edges] = (struct edge){ .from = from, .to = to, .core = core };
	w->slot[at] = (uint32_t)++w->n_edges;
	return w->slot[at] - 1;
}

static void learn_node(struct pt_tree_windows *w, const struct pt_tree_node *node, size_t i)
{
	struct node *n = &w->node[i];

	*n = (struct node){ .edge = NONE, .first_of_function = true, .first_of_edge = true };
	if (is_call(&node[i]))
		n->edge = edge_of(w, caller_of(node, i), node[i].function, node[i].core);
	for (size_t above = node[i].parent; above != 0; above = node[above].parent) {
		n->first_of_function &= node[above].function != node[i].function;
		n->first_of_edge &= w->node[above].edge != n->edge;
	}
}

static void learn_nodes(struct pt_tree_windows *w, const struct pt_tree_node *node, size_t n)
{
	if (n > w->room) {
		w->room = n < PT_TREE_NODES / 2 ? 2 * n : PT_TREE_NODES;
		w->node = pt_realloc_array(w->node, w->room, sizeof(*w->node));
	}
	for (; w->n_nodes < n; w->n_nodes++)
		learn_node(w, node, w->n_nodes);
}

/* --- a window */

static struct core *core_of(struct pt_tree_windows *w, uint16_t number)
{
	struct core *core = number < PT_PROFILE_CORES ? &w->core[number] : NULL;

	if (core != NULL && core->function == NULL)
		core->function = pt_alloc_array(w->n_functions, sizeof(*core->function));
	return core;
}

static struct sums *touch(struct pt_tree_windows *w, struct sums *sums)
{
	if (sums->touched)
		return sums;
	if (w->n_touched == w->touched_room) {
		w->touched_room = w->touched_room * 2 + 256;
		w->touched = pt_realloc_array(w->touched, w->touched_room, sizeof(*w->touched));
	}
	sums->touched = true;
	w->touched[w->n_touched++] = sums;
	return sums;
}

static void add_node(struct pt_tree_windows *w, struct core *core, const struct pt_tree_node *at, struct node *n,
		     struct pt_tree_count got)
{
	struct sums *function = &core->function[at->function];

	if (n->below == 0 && got.count == 0)
		return;
	touch(w, function);
	function->net += got.net;
	function->count += got.count;
	function->below += n->first_of_function ? n->below : 0;
	if (n->edge == NONE)
		return;
	touch(w, &w->edge[n->edge].sums);
	w->edge[n->edge].sums.count += got.count;
	w->edge[n->edge].sums.below += n->first_of_edge ? n->below : 0;
}

static void fold(struct sums *s, const struct pt_time_window *window)
{
	pt_cluster_add(&s->gross, (double)s->below * window->scale, window->weight);
	pt_cluster_add(&s->entries, (double)s->count * window->scale, window->weight);
	pt_ratio_add(&s->per_call, (double)s->net * window->scale, (double)s->count * window->scale);
	s->most = fmax(s->most, (double)s->count / (double)window->ticks);
	s->net = s->below = s->count = 0;
	s->touched = false;
}

static void end_window(struct pt_tree_windows *w, const struct pt_tree_node *node, const struct pt_tree_count *now,
		       size_t n, uint16_t number, const struct pt_time_window *window)
{
	struct core *core = core_of(w, number);

	for (size_t i = 0; i < n; i++)
		w->node[i].below = node[i].core == number || i == 0 ? now[i].net - w->node[i].base.net : 0;
	for (size_t i = n; i-- > 1;)
		w->node[node[i].parent].below += w->node[i].below;
	for (size_t i = 0; i < n; i++) {
		struct node *at = &w->node[i];
		struct pt_tree_count got = { now[i].net - at->base.net, now[i].count - at->base.count };

		if (node[i].core != number && i != 0)
			continue;
		if (at->below != 0) {
			pt_cluster_add(&at->net, (double)got.net * window->scale, window->weight);
			pt_cluster_add(&at->gross, (double)at->below * window->scale, window->weight);
		}
		if (got.count != 0) {
			pt_cluster_add(&at->entries, (double)got.count * window->scale, window->weight);
			at->most = fmax(at->most, (double)got.count / (double)window->ticks);
		}
		if (core != NULL && i != 0 && node[i].function < w->n_functions)
			add_node(w, core, &node[i], at, got);
	}
	for (size_t i = 1; i < n && core != NULL; i++)
		if (node[i].core == number && w->node[i].below != 0 && node[i].function < w->n_functions)
			w->node[i].with_own += (double)(now[i].net - w->node[i].base.net) * window->scale *
					       (double)core->function[node[i].function].net * window->scale;
	for (size_t i = 0; i < w->n_touched; i++)
		fold(w->touched[i], window);
	w->n_touched = 0;
}

void pt_tree_windows_edge(struct pt_tree_windows *w, const struct pt_tree_node *node, const struct pt_tree_count *now,
			  size_t n, uint16_t core, const struct pt_time_window *window)
{
	size_t known = w->n_nodes;

	learn_nodes(w, node, n);
	if (window == NULL)
		for (size_t i = 0; i < n; i++) {
			if (node[i].core == core || i == 0 || i >= known)
				w->node[i].base = now[i];
		}
	else
		end_window(w, node, now, n, core, window);
}

/* --- fitted to samples */

static uint32_t new_node(struct pt_tree *tree, struct pt_tree_node *node, uint32_t parent, uint16_t function,
			 uint8_t entry, uint16_t core)
{
	node[tree->n_nodes] = (struct pt_tree_node){
		.parent = parent, .depth = node[parent].depth + 1, .site = PT_UNKNOWN, .function = function,
		.task = PT_NO_TASK, .core = core, .entry = entry,
	};
	return (uint32_t)tree->n_nodes++;
}

/* Sampled, and in no window: who called it is not known. */
static void add_unseen(struct pt_tree_windows *w, const struct pt_profile_core *core, struct pt_tree_node *node,
		       struct pt_tree *tree)
{
	uint32_t below = 0;

	for (size_t id = 0; id < w->n_functions; id++) {
		const struct pt_calibration *c = &core->calibration[id];

		if (c->share.share <= 0 || c->windows.own.x > 0 || tree->n_nodes + 2 > PT_TREE_NODES)
			continue;
		if (below == 0)
			below = new_node(tree, node, 0, PT_NO_FUNCTION, PT_TREE_NO_CALLER, core->core);
		node[new_node(tree, node, below, (uint16_t)id, PT_ENTRY_CALL, core->core)].net_share = c->share;
	}
}

static struct pt_share fit_node(struct node *n, uint16_t function, const struct pt_profile_core *core)
{
	const struct pt_calibration *c = &core->calibration[function];
	struct pt_share fitted = pt_calibrated_share(c, &core->windows, &n->net, n->with_own),
			alone = pt_cluster_share(&core->windows, &n->net);
	double by = c->share.share > 0 ? fitted.share / c->share.share : 0;

	n->sampled_below = (c->share.share - c->share.lo) * by;
	n->sampled_above = (c->share.hi - c->share.share) * by;
	pt_calibrated_narrow(&fitted, &alone, n->sampled_below, n->sampled_above);
	return fitted;
}

static void fit_nodes(struct pt_tree_windows *w, const struct pt_profile *profile, struct pt_tree_node *node, size_t n,
		      struct pt_tree *tree)
{
	for (size_t i = 0; i < profile->n_cores; i++)
		if (profile->core[i].windowed && profile->core[i].calibration != NULL)
			add_unseen(w, &profile->core[i], node, tree);
	for (size_t i = 0; i < tree->n_nodes; i++) {
		const struct pt_profile_core *core = pt_profile_calibrated(profile, node[i].core);

		if (core == NULL || !core->windowed || (i == 0 && profile->n_cores != 1))
			continue;
		if (i < n)
			node[i].net_share = fit_node(&w->node[i], node[i].function, core);
		node[i].gross_share = node[i].net_share;
		node[i].net = pt_profile_scaled(core, node[i].net_share.share);
	}
	for (size_t i = tree->n_nodes; i-- > 1;) {
		const struct pt_profile_core *core = pt_profile_calibrated(profile, node[i].core);
		struct pt_share alone;
		struct node *at;

		if (core == NULL || !core->windowed)
			continue;
		node[i].gross = pt_profile_scaled(core, node[i].gross_share.share);
		if (node[i].parent != 0)
			pt_share_add(&node[node[i].parent].gross_share, &node[i].gross_share);
		if (i >= n)
			continue;
		at = &w->node[i];
		alone = pt_cluster_share(&core->windows, &at->gross);
		pt_calibrated_narrow(&node[i].gross_share, &alone, at->sampled_below, at->sampled_above);
		w->node[node[i].parent].sampled_below += at->sampled_below;
		w->node[node[i].parent].sampled_above += at->sampled_above;
	}
}

/* A function's total is no less than its own time, of which more is known. */
static void at_least_own(struct pt_tree_windows *w, const struct pt_profile_core *core)
{
	struct core *of = core->core < PT_PROFILE_CORES ? &w->core[core->core] : NULL;

	for (size_t id = 0; of != NULL && of->shown != NULL && core->calibration != NULL && id < w->n_functions; id++) {
		struct pt_share *gross = &of->shown[id].gross;

		gross->share = fmax(gross->share, core->calibration[id].share.share);
		gross->lo = fmax(gross->lo, core->calibration[id].share.lo);
		gross->hi = fmax(gross->hi, gross->share);
	}
}

/* Time below a node counts once for a function, and for an edge. */
static void fit_sums(struct pt_tree_windows *w, const struct pt_profile *profile, const struct pt_tree_node *node,
		     size_t n, const struct pt_tree *tree, struct pt_share *edge)
{
	for (size_t id = 0; id < w->n_functions; id++)
		for (size_t i = 0; i < PT_PROFILE_CORES; i++)
			if (w->core[i].shown != NULL && pt_profile_calibrated(profile, (uint16_t)i) != NULL)
				w->core[i].shown[id].gross = (struct pt_share){ .share = 0 };
	for (size_t i = 1; i < tree->n_nodes; i++) {
		struct core *core = node[i].core < PT_PROFILE_CORES ? &w->core[node[i].core] : NULL;

		if (core == NULL || core->shown == NULL || pt_profile_calibrated(profile, node[i].core) == NULL ||
		    node[i].function >= w->n_functions)
			continue;
		if (i >= n || w->node[i].first_of_function)
			pt_share_add(&core->shown[node[i].function].gross, &node[i].gross_share);
		if (i < n && w->node[i].edge != NONE && w->node[i].first_of_edge)
			pt_share_add(&edge[w->node[i].edge], &node[i].gross_share);
	}
	for (size_t i = 0; i < profile->n_cores; i++)
		at_least_own(w, &profile->core[i]);
}

/* --- result */

static struct pt_tree_estimate estimate_of(const struct sums *s, const struct pt_profile_core *core, double hz)
{
	struct pt_tree_estimate e = {
		.gross = pt_cluster_share(&core->windows, &s->gross),
		.count = pt_cluster_rate(&core->windows, &s->entries, s->most),
		.per_second = pt_cluster_rate(&core->armed, &s->entries, s->most),
		.per_call = pt_cluster_ratio(core->windows.n, &s->per_call),
	};

	if (core->calibration != NULL && core->asleep_by_bursts.share < 1)	/* how long it was awake is by samples */
		hz *= (1 - core->asleep.share) / (1 - core->asleep_by_bursts.share);
	e.per_second.value *= hz;
	e.per_second.lo *= hz;
	e.per_second.hi *= hz;
	return e;
}

static void give_core(struct pt_tree_windows *w, const struct pt_profile *profile, const struct pt_profile_core *at,
		      struct core *core)
{
	double hz = profile->by_instructions || profile->core_hz == 0 ? NAN : (double)profile->core_hz;

	if (core->shown == NULL)
		core->shown = pt_alloc_array(w->n_functions, sizeof(*core->shown));
	for (size_t id = 0; id < w->n_functions; id++)
		core->shown[id] = estimate_of(&core->function[id], at, hz);
}

static void give_edges(struct pt_tree_windows *w, const struct pt_profile *profile, const struct pt_share *fitted,
		       struct pt_tree *tree)
{
	w->shown = pt_realloc_array(w->shown, w->n_edges + 1, sizeof(*w->shown));
	tree->edge = w->shown;
	tree->n_edges = 0;
	for (size_t i = 0; i < w->n_edges; i++) {
		const struct edge *e = &w->edge[i];
		const struct pt_profile_core *core = pt_profile_windowed(profile, e->core);
		struct pt_tree_edge *out = &w->shown[tree->n_edges];

		if (core == NULL || e->sums.entries.x + e->sums.gross.x <= 0)
			continue;
		*out = (struct pt_tree_edge){
			.from = e->from, .to = e->to, .core = e->core,
			.estimate = estimate_of(&e->sums, core, profile->core_hz != 0 ? (double)profile->core_hz : NAN),
		};
		if (core->calibration != NULL)
			out->estimate.gross = fitted[i];
		tree->n_edges++;
	}
}

static void give_node(const struct node *n, const struct pt_profile_core *core, struct pt_tree_node *out)
{
	out->net_share = pt_cluster_share(&core->windows, &n->net);
	out->gross_share = pt_cluster_share(&core->windows, &n->gross);
	out->net = pt_profile_scaled(core, out->net_share.share);
	out->gross = pt_profile_scaled(core, out->gross_share.share);
	out->count = pt_profile_scaled(core, core->windows.y > 0 ? n->entries.x / core->windows.y : 0);
	out->entries = pt_profile_in_all(core, pt_cluster_rate(&core->windows, &n->entries, n->most));
}

static void give_nodes(struct pt_tree_windows *w, const struct pt_profile *profile, struct pt_tree_node *node, size_t n)
{
	if (profile->n_cores == 1 && profile->core[0].windowed)
		give_node(&w->node[0], &profile->core[0], &node[0]);
	for (size_t i = 1; i < n; i++) {
		const struct pt_profile_core *core = pt_profile_windowed(profile, node[i].core);

		if (core != NULL)
			give_node(&w->node[i], core, &node[i]);
	}
}

static void give_functions(struct pt_tree_windows *w, const struct pt_profile *profile, struct pt_tree *tree)
{
	for (uint16_t i = 0; i < PT_PROFILE_CORES; i++) {
		const struct pt_profile_core *core = pt_profile_windowed(profile, i);

		tree->function[i] = NULL;
		if (core != NULL && core_of(w, i) != NULL) {
			give_core(w, profile, core, &w->core[i]);
			tree->function[i] = w->core[i].shown;
		}
	}
}

void pt_tree_windows_give(struct pt_tree_windows *w, const struct pt_profile *profile, struct pt_tree_node *node,
			  struct pt_tree *tree)
{
	size_t n = tree->n_nodes;
	struct pt_share *edge;

	learn_nodes(w, node, n);
	edge = pt_alloc_array(w->n_edges + 1, sizeof(*edge));
	give_nodes(w, profile, node, n);
	give_functions(w, profile, tree);
	fit_nodes(w, profile, node, n, tree);
	fit_sums(w, profile, node, n, tree, edge);
	if (profile->n_cores == 1 && profile->core[0].windowed)
		node[0].gross_share = (struct pt_share){ .share = 1, .lo = 1, .hi = 1 };	/* by definition */
	give_edges(w, profile, edge, tree);
	free(edge);
}

/* --- life */

struct pt_tree_windows *pt_tree_windows_new(size_t n_functions)
{
	struct pt_tree_windows *w = pt_alloc(sizeof(*w));

	w->n_functions = n_functions;
	w->slot = pt_alloc_array(EDGE_SLOTS, sizeof(*w->slot));
	return w;
}

void pt_tree_windows_free(struct pt_tree_windows *w)
{
	if (w == NULL)
		return;
	for (size_t i = 0; i < PT_PROFILE_CORES; i++) {
		free(w->core[i].function);
		free(w->core[i].shown);
	}
	free(w->node);
	free(w->edge);
	free(w->slot);
	free(w->touched);
	free(w->shown);
	free(w);
}
