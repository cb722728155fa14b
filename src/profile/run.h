/* What flow makes of events and code: a run is a stretch that executed in a straight line. */
#ifndef PT_PROFILE_RUN_H
#define PT_PROFILE_RUN_H

#include <stdbool.h>
#include <stdint.h>

enum pt_left {
	PT_LEFT_BRANCH = 1,	/* a jump or a taken conditional branch */
	PT_LEFT_CALL,
	PT_LEFT_RETURN,
	PT_LEFT_EXCEPTION,	/* an exception was taken before the instruction at end */
	PT_LEFT_EXCEPTION_RETURN,	/* the last instruction returned from an exception */
	PT_LEFT_DEBUG,		/* the debugger moved the pc */
	PT_LEFT_GAP,		/* what came after is not known */
};

struct pt_run {			/* [begin, end) ran, then went to next */
	uint64_t begin, end;
	uint64_t next;		/* PT_UNKNOWN after a gap */
	uint64_t ticks;		/* at begin, on the clock of this stretch; PT_UNKNOWN if there is none */
	uint32_t instructions, cycles;	/* of [begin, end); cycles are modelled, those of leaving it included */
	uint16_t source, core;
	uint8_t left;		/* enum pt_left */
	bool certain;		/* false: an assumption was made to resolve it */
};

#endif
