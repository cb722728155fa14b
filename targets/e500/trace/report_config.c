/* See report_config.h. */
#include "targets/e500/trace/report_config.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

/* One access method reads, and another one sets what is counted. */
static void say_both(struct pt_e500_target *e500, const char *what, char *text, size_t room)
{
	const struct pt_e500_method *writer = pt_e500_choose_writer(e500);
	char by[120] = "another way";

	if (writer != NULL)
		writer->describe(e500, by, sizeof(by));
	snprintf(text, room,
		 "%s: readings halt nothing once the counters are seen to move; what is counted is set by "
		 "%s%s",
		 what, by, writer != NULL && writer->halts ? ", which halts the program for that" : "");
}

/* Each reading tries the agent again: until the program's agent answers, other access methods are used. */
static void say_price(struct pt_e500_target *e500, const struct pt_e500_method *method, char *text, size_t room)
{
	char what[120] = "", agent[120];

	if (method != NULL)
		method->describe(e500, what, sizeof(what));
	if (method != NULL && method->only_reads != NULL && method->only_reads(e500)) {
		say_both(e500, what, text, room);
	} else if (method == NULL || !method->halts) {
		snprintf(text, room, "%s: halts nothing", what);
	} else if (pt_e500_agent_awaited(e500)) {
		pt_e500_by_agent.describe(e500, agent, sizeof(agent));
		snprintf(text, room,
			 "%s, once it answers: halts nothing; until then %s: INTRUSIVE, halts the program for "
			 "each reading",
			 agent, what);
	} else {
		snprintf(text, room, "%s: INTRUSIVE, halts the program for each reading", what);
	}
}

size_t pt_e500_tell_way(struct pt_e500_target *e500, const struct pt_e500_method *method,
			const struct pt_e500_counting *counting, const struct pt_params *settings, uint64_t core_hz,
			char *text, size_t room)
{
	const char *count = pt_params_text(settings, &pt_e500_counting_params[PT_E500_COUNT]);
	bool itself = method != NULL && method->halts && strncmp(count, "unmarked", strlen("unmarked")) != 0;
	char price[400], besides[700], turns[80] = "", windows[360], others[80] = "";
	size_t n_whole, n_ratios = pt_e500_ratios(counting->want, counting->n, counting->place, counting->n_places,
						  counting->n_turns, &n_whole);
	int len = 0;

	say_price(e500, method, price, sizeof(price));
	if (counting->n_turns > 1)
		len = snprintf(turns, sizeof(turns), "; counters take turns (%zu)", counting->n_turns);
	if (counting->n_turns > 1 && n_ratios > 0)
		snprintf(turns + len, sizeof(turns) - (size_t)len, ", %zu of %zu figures of one turn each", n_whole,
			 n_ratios);
	pt_e500_counting_tell_windows(counting, windows, sizeof(windows));
	if (method != NULL && method->halts && e500->remote.n_cores > 1)
		snprintf(others, sizeof(others), "; a halt for one core stops all %u, and is in the others' rates",
			 e500->remote.n_cores);
	snprintf(besides, sizeof(besides), "count=%s%s%s%s%s%s", count,
		 itself ? ", and some instructions of each reading" : "", turns, windows, others,
		 core_hz == 0 ? "; core clock not known, taken for 2.5 GHz (core-clock=HZ)" : "");
	len = snprintf(text, room,
		       "source=counters\nmode=poll\ntick_hz=1000000000\npath=%s\ncost=%s; %s\ncost_besides=%s\n",
		       method != NULL ? method->name : "", price, besides, besides);
	return len > 0 && (size_t)len < room ? (size_t)len : 0;
}
