/* Describes in lines of CONFIG how the source counters accesses the performance monitor. Board thread only. */
#ifndef PT_E500_COUNTERS_TOLD_H
#define PT_E500_COUNTERS_TOLD_H

#include "targets/e500/trace/counting.h"
#include "targets/e500/perfmon/perfmon.h"

/* Writes source=, mode=, tick_hz=, path=, cost= and cost_besides=: the overhead of counting by this access method
 * (NULL: none known). Returns the length; 0: it did not fit. */
size_t pt_e500_tell_way(struct pt_e500_target *e500, const struct pt_e500_method *method,
			const struct pt_e500_counting *counting, const struct pt_params *settings, uint64_t core_hz,
			char *text, size_t room);

#endif
