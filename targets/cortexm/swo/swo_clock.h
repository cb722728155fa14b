/* The clock of the local stamps against the probe's: a straight line whose rate is the core's clock. Each stamp narrows
 * its limits, because it arrived over the pin between two known times; the line moves slowly into them. Pure. */
#ifndef PT_CORTEXM_SWO_CLOCK_H
#define PT_CORTEXM_SWO_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* --- stamps -------------------------------------------------------------------------------------------------------- */

struct pt_swo_clock {
	double hz;		/* of the ticks */
	double wrong;		/* relative error of the rate */
	uint64_t base_ns;	/* origin of the doubles below */
	bool placed, told;	/* there was a stamp since the ticks began; and its time was used */
	double at, least, most;	/* time of `ticks`: as used, and its limits */
	uint64_t ticks;
};

/* Ticks begin at 0, at about this time. */
void pt_swo_clock_begin(struct pt_swo_clock *c, uint64_t now_ns);
/* A stamp with this number of ticks, not less than the previous one, arrived between these two times. False: impossible
 * at this rate; then the clock is as if it had begun here. */
bool pt_swo_clock_stamp(struct pt_swo_clock *c, uint64_t ticks, uint64_t from_ns, uint64_t to_ns);
void pt_swo_clock_rate(struct pt_swo_clock *c, double hz, double wrong);	/* valid from the last stamp on */
/* The time of the last stamp. */
void pt_swo_clock_now(struct pt_swo_clock *c, uint64_t *ns, uint64_t *error_ns);

/* --- the core's clock ---------------------------------------------------------------------------------------------- */

/* CYCCNT, read repeatedly. A reading was taken between its request and the arrival of its answer, and nothing else is
 * assumed: a late answer widens the limits, but they hold, and no answer is early. */
struct pt_swo_cycles {
	bool begun;
	uint32_t last;
	uint64_t cycles;		/* since the first reading */
	double first_ns, first_error_ns;
	double last_ns, last_error_ns;
	double hz, wrong;		/* from all readings; wrong 1: unknown */
	double least_hz, most_hz;	/* from the last two */
	uint64_t missed_ns[3];		/* missed_ns of the first, of the one before the last, and of the last */
	double missing_ns;		/* up to this much of the time since the previous reading may be missing */
};
void pt_swo_cycles_begin(struct pt_swo_cycles *c);
/* missed_ns: after it, from pt_link_missed_ns(): the core may not have run for part of this time. */
void pt_swo_cycles_read(struct pt_swo_cycles *c, uint32_t cyccnt, uint64_t sent_ns, uint64_t done_ns,
			uint64_t missed_ns);
/* Compares the last two readings with a clock of hz with this relative error. */
enum pt_swo_pace { PT_SWO_SAME, PT_SWO_SLOWER, PT_SWO_FASTER };
enum pt_swo_pace pt_swo_cycles_pace(const struct pt_swo_cycles *c, double hz, double wrong);

#endif
