/* The clock of the local stamps against the probe's: a straight line whose rate is the core's clock. Every stamp narrows
 * where it can lie, as it came over the pin between two known times; the line moves there slowly. Pure. */
#ifndef PT_CORTEXM_SWO_CLOCK_H
#define PT_CORTEXM_SWO_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* --- stamps -------------------------------------------------------------------------------------------------------- */

struct pt_swo_clock {
	double hz;		/* of the ticks */
	double wrong;		/* the part of it that the rate may be off */
	uint64_t base_ns;	/* the doubles below are from here on */
	bool placed, told;	/* there was a stamp since the ticks began; and it was asked when */
	double at, least, most;	/* when ticks were `ticks`: taken, and at the ends of what can be */
	uint64_t ticks;
};

/* Ticks begin at 0, some time about now. */
void pt_swo_clock_begin(struct pt_swo_clock *c, uint64_t now_ns);
/* A stamp of so many ticks, no fewer than the one before, came between these two times. False: at this rate it cannot
 * have: then it is as after a new beginning here. */
bool pt_swo_clock_stamp(struct pt_swo_clock *c, uint64_t ticks, uint64_t from_ns, uint64_t to_ns);
void pt_swo_clock_rate(struct pt_swo_clock *c, double hz, double wrong);	/* from the last stamp on */
/* When the last stamp was. */
void pt_swo_clock_now(struct pt_swo_clock *c, uint64_t *ns, uint64_t *error_ns);

/* --- the core's clock ---------------------------------------------------------------------------------------------- */

/* CYCCNT, read again and again. A reading was taken some time between its request and the arrival of its answer, and of nothing
 * more than that is made use: an answer that comes late widens the limits and leaves them true, and none comes early. */
struct pt_swo_cycles {
	bool begun;
	uint32_t last;
	uint64_t cycles;		/* since the first reading */
	double first_ns, first_error_ns;
	double last_ns, last_error_ns;
	double hz, wrong;		/* of all readings; wrong 1: not known */
	double least_hz, most_hz;	/* of the last two */
	uint64_t missed_ns[3];		/* missed_ns of the first, of the one before the last, and of the last */
	double missing_ns;		/* so much of the time since the reading before may be missing */
};
void pt_swo_cycles_begin(struct pt_swo_cycles *c);
/* missed_ns: behind it, as pt_link_missed_ns() says: the core has not run for some of that. */
void pt_swo_cycles_read(struct pt_swo_cycles *c, uint32_t cyccnt, uint64_t sent_ns, uint64_t done_ns,
			uint64_t missed_ns);
/* How the last two readings compare with a clock of hz that may be off by a part of it. */
enum pt_swo_pace { PT_SWO_SAME, PT_SWO_SLOWER, PT_SWO_FASTER };
enum pt_swo_pace pt_swo_cycles_pace(const struct pt_swo_cycles *c, double hz, double wrong);

#endif
