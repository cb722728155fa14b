/* A virtual board's time against the clock of its link: who asks for the board at a time gets it there, in slices, or
 * as near as the budget allows.
 *
 * Virtual clock: the board is always brought to the time asked for. Wall clock: when the model is slower than the
 * real chip would be, the rest of the time is dropped and counted as slip, so that no call takes long. */
#ifndef PT_VIRTUAL_WIRE_PACE_H
#define PT_VIRTUAL_WIRE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/virtual/frame/board.h"

struct pt_vpace {
	const struct pt_vboard_ops *ops;
	struct pt_vboard *board;	/* the owner of the pace frees it */
	bool wall;
	uint64_t board_ns;		/* the board's time, from power-on */
	uint64_t head_start_ns;		/* the board's time when the link's clock began */
	uint64_t slip_ns;		/* link time that the board never saw; 0 under a virtual clock */
	uint64_t slice_ns;		/* adapts to the model's speed */
	uint64_t busy_ns;		/* the board's time when a slice last took long */
	uint64_t budget_end_ns;		/* monotonic; wall only */
};

void pt_vpace_init(struct pt_vpace *pace, const struct pt_vboard_ops *ops, struct pt_vboard *board, bool wall);

/* Begin a call that may ask for the board several times: wall-clock work until the next one shares one budget. */
void pt_vpace_begin(struct pt_vpace *pace);

/* Wall clock: the board has slept, or was halted, for a second or more: it need not be asked often. */
bool pt_vpace_idle(const struct pt_vpace *pace);

/* Before anything else: the board is on and runs for that long before the link's clock begins. */
void pt_vpace_head_start(struct pt_vpace *pace, uint64_t ns);

/* Let the board run until link_ns of the link's clock, which began at 0. Never back. */
void pt_vpace_to(struct pt_vpace *pace, uint64_t link_ns);

#endif
