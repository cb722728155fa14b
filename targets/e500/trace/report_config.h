/* The source counters' way to the performance monitor, as lines of CONFIG. Board thread only. */
#ifndef PT_E500_COUNTERS_TOLD_H
#define PT_E500_COUNTERS_TOLD_H

#include "targets/e500/trace/counting.h"
#include "targets/e500/perfmon/perfmon.h"

/* source=, mode=, tick_hz=, path=, cost= and cost_besides=, what it costs the program to be counted by this way (NULL:
 * none is known). Returns the length; 0: there was no room. */
size_t pt_e500_tell_way(struct pt_e500_target *e500, const struct pt_e500_method *method,
			const struct pt_e500_counting *counting, const struct pt_params *settings, uint64_t core_hz,
			char *text, size_t room);

#endif
