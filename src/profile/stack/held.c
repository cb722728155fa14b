/* Runs that wait. Where several stacks were left at one address, the one that goes on is known once its code returns; that
 * may come with runs which are fed later, also behind an anchor. Until then the runs are kept, from the exception's return
 * on, whose time has passed already. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/stack/stack.h"

enum { HELD_ANCHORS = 16 };

struct held_anchor {
	size_t before;		/* this run */
	bool is_error;		/* ns is pt_execution_anchor_error()'s */
	uint64_t ns;
	double hz;
};

struct held {
	const struct pt_held_ways *ways;
	size_t n_runs, n_anchors;
	struct pt_run run[PT_HELD_RUNS];
	struct held_anchor anchor[HELD_ANCHORS];
};

struct held *pt_held_new(const struct pt_held_ways *ways)
{
	struct held *held = pt_alloc(sizeof(*held));

	held->ways = ways;
	return held;
}

bool pt_held_any(const struct pt_execution *x)
{
	return x->held->n_runs > 0;
}

static void take_anchor(struct pt_execution *x, const struct held_anchor *anchor)
{
	if (anchor->is_error)
		x->held->ways->anchor_error(x, anchor->ns);
	else
		x->held->ways->anchor(x, anchor->ns, anchor->hz);
}

/* Those that are left move to the front. */
static void drop(struct held *held, size_t n_runs, size_t n_anchors)
{
	held->n_runs -= n_runs;
	held->n_anchors -= n_anchors;
	memmove(held->run, held->run + n_runs, held->n_runs * sizeof(held->run[0]));
	memmove(held->anchor, held->anchor + n_anchors, held->n_anchors * sizeof(held->anchor[0]));
	for (size_t i = 0; i < held->n_anchors; i++)
		held->anchor[i].before -= n_runs;
	held->run[0].instructions = 0;
	held->run[0].cycles = 0;
}

/* As far as is decided. */
static void go_on(struct pt_execution *x)
{
	struct held *held = x->held;
	size_t n_runs = held->n_runs, done = 0, end = 0, n_anchors = 0;

	held->n_runs = 0;		/* so that anchors are taken */
	for (; done == end && end < n_runs; done += held->ways->feed(x, held->run + done, end - done, n_runs - end)) {
		for (; n_anchors < held->n_anchors && held->anchor[n_anchors].before == done; n_anchors++)
			take_anchor(x, &held->anchor[n_anchors]);
		end = n_anchors < held->n_anchors ? held->anchor[n_anchors].before : n_runs;
	}
	for (; done == n_runs && n_anchors < held->n_anchors; n_anchors++)
		take_anchor(x, &held->anchor[n_anchors]);
	held->n_runs = n_runs;
	drop(held, done, n_anchors);
}

void pt_held_runs(struct pt_execution *x, const struct pt_run *run, size_t n_runs)
{
	bool goes_on = pt_held_any(x);

	for (size_t n; n_runs > 0; run += n, n_runs -= n) {
		size_t room = PT_HELD_RUNS - x->held->n_runs;

		n = n_runs < room ? n_runs : room;
		memcpy(x->held->run + x->held->n_runs, run, n * sizeof(*run));
		x->held->n_runs += n;
		if (!goes_on)
			drop(x->held, 0, 0);
		x->decides = n < n_runs ? PT_STACK_DECIDES_ONCE : PT_STACK_WAITS;
		if (goes_on || n < n_runs)
			go_on(x);
		goes_on = true;
	}
	x->decides = PT_STACK_WAITS;
}

static void add_anchor(struct pt_execution *x, struct held_anchor anchor)
{
	struct held *held = x->held;

	if (held->n_anchors == HELD_ANCHORS) {
		pt_held_decide(x);
		take_anchor(x, &anchor);
		return;
	}
	anchor.before = held->n_runs;
	held->anchor[held->n_anchors++] = anchor;
}

void pt_held_anchor(struct pt_execution *x, uint64_t ns, double hz)
{
	add_anchor(x, (struct held_anchor){ .ns = ns, .hz = hz });
}

void pt_held_anchor_error(struct pt_execution *x, uint64_t error_ns)
{
	add_anchor(x, (struct held_anchor){ .is_error = true, .ns = error_ns });
}

void pt_held_decide(struct pt_execution *x)
{
	if (!pt_held_any(x))
		return;
	x->decides = PT_STACK_DECIDES;
	go_on(x);
	x->decides = PT_STACK_WAITS;
}
