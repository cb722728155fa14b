/* See counters_told.h. */
#include "targets/e500/counters_told.h"

#include <stdio.h>
#include <string.h>

#include "util.h"

static const char *price(const struct pt_e500_target *e500, const struct pt_e500_way *way)
{
	if (way == NULL || !way->halts)
		return "halts nothing";
	return pt_e500_agent_awaited(e500) ? "INTRUSIVE, halts the program for each reading until its agent answers"
					   : "INTRUSIVE, halts the program for each reading";
}

size_t pt_e500_tell_way(const struct pt_e500_target *e500, const struct pt_e500_way *way,
			const struct pt_e500_counting *counting, const struct pt_params *settings, uint64_t core_hz,
			char *text, size_t room)
{
	const char *count = pt_params_text(settings, &pt_e500_counting_params[PT_E500_COUNT]);
	bool itself = way != NULL && way->halts && strncmp(count, "unmarked", strlen("unmarked")) != 0;
	char what[200] = "", turns[80] = "";
	size_t n_whole, n_ratios = pt_e500_ratios(counting->want, counting->n, counting->place, counting->n_places,
						  counting->n_turns, &n_whole);
	int len;

	if (way != NULL)
		way->describe(e500, what, sizeof(what));
	if (counting->n_turns > 1)
		snprintf(turns, sizeof(turns), "; counters take turns (%zu), %zu of %zu figures of one turn each",
			 counting->n_turns, n_whole, n_ratios);
	len = snprintf(text, room, "source=counters\nmode=poll\ntick_hz=1000000000\npath=%s\ncost=%s: %s; count=%s%s%s%s\n",
		       way != NULL ? way->name : "", what, price(e500, way), count,
		       itself ? ", and some instructions of each reading" : "", turns,
		       core_hz == 0 ? "; e500.clock_hz not known, taken for 2.5 GHz" : "");
	return len > 0 && (size_t)len < room ? (size_t)len : 0;
}
