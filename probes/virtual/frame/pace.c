/* Slices are short enough that the budget is kept within one of them, even when a board that slept, and whose slices
 * cost nothing, turns busy in the middle of the longest. */
#include <uv.h>

#include "probes/virtual/frame/pace.h"
#include "base/util.h"

enum { BUDGET_MS = 5 };
#define SLICE_MIN_NS	(100 * UINT64_C(1000))
#define SLICE_MAX_NS	(4 * PT_NS_PER_MS)
#define SLICE_FAST_NS	(50 * UINT64_C(1000))	/* took less: the next may be longer */
#define LEAST_NS	(2 * UINT64_C(1000))	/* of a core in any case: else what the wire asks for never happens */
#define IDLE_NS		PT_NS_PER_S		/* of slices that took no more */
#define SLICE_SLOW_NS	(500 * UINT64_C(1000))	/* took more: the next is shorter */

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void adapt(struct pt_vpace *pace, uint64_t took_ns)
{
	if (took_ns >= SLICE_FAST_NS)
		pace->busy_ns = pace->board_ns;
	if (took_ns < SLICE_FAST_NS && pace->slice_ns < SLICE_MAX_NS)
		pace->slice_ns *= 2;
	if (took_ns > SLICE_SLOW_NS && pace->slice_ns > SLICE_MIN_NS)
		pace->slice_ns /= 2;
}

static void run_until(struct pt_vpace *pace, uint64_t board_ns)
{
	pace->ops->advance(pace->board, board_ns);
	pace->board_ns = board_ns;
}

static void run_within_budget(struct pt_vpace *pace, uint64_t board_ns)
{
	uint64_t before, after;

	run_until(pace, smaller(pace->board_ns + LEAST_NS, board_ns));
	before = uv_hrtime();
	while (pace->board_ns < board_ns && before < pace->budget_end_ns) {
		run_until(pace, smaller(pace->board_ns + pace->slice_ns, board_ns));
		after = uv_hrtime();
		adapt(pace, after - before);
		before = after;
	}
	pace->slip_ns += board_ns - pace->board_ns;
}

void pt_vpace_to(struct pt_vpace *pace, uint64_t link_ns)
{
	uint64_t board_ns = pace->head_start_ns + link_ns - pace->slip_ns;

	if (board_ns <= pace->board_ns || link_ns < pace->slip_ns)
		return;
	if (pace->wall)
		run_within_budget(pace, board_ns);
	else
		run_until(pace, board_ns);
}

bool pt_vpace_idle(const struct pt_vpace *pace)
{
	return pace->board_ns - pace->busy_ns > IDLE_NS;
}

void pt_vpace_begin(struct pt_vpace *pace)
{
	if (pace->wall)
		pace->budget_end_ns = uv_hrtime() + BUDGET_MS * PT_NS_PER_MS;
}

void pt_vpace_head_start(struct pt_vpace *pace, uint64_t ns)
{
	pace->head_start_ns = ns;
	if (ns > 0)
		run_until(pace, ns);
}

void pt_vpace_init(struct pt_vpace *pace, const struct pt_vboard_ops *ops, struct pt_vboard *board, bool wall)
{
	*pace = (struct pt_vpace){ .ops = ops, .board = board, .wall = wall, .slice_ns = SLICE_MIN_NS };
	pt_vpace_begin(pace);
}
