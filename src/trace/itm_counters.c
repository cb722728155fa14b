#include "trace/itm_counters.h"

#include <stdio.h>

enum { REST = 255 };	/* a packet comes when 256 are full: of the first and the last ones a part may be missing */

const struct pt_itm_counter pt_itm_counters[PT_N_ITM_COUNTERS] = {
	{ "cpi", "cycles beyond the first of instructions, and of waiting for them" },
	{ "exceptions", "cycles of entering and leaving exceptions" },
	{ "sleep", "cycles asleep" },
	{ "lsu", "cycles beyond the first of loads and stores" },
	{ "folded", "instructions that took no cycle" },
};

size_t pt_itm_counters_print(char *lines, size_t room)
{
	size_t n = 0;

	for (unsigned i = 0; i < PT_N_ITM_COUNTERS; i++)
		n += (size_t)snprintf(lines + (n < room ? n : room), n < room ? room - n : 0,
				      "counter.%u=%s\ncounter.%u.note=%s\ncounter.%u.rest=%d\n", i,
				      pt_itm_counters[i].name, i, pt_itm_counters[i].note, i, REST);
	return n;
}
