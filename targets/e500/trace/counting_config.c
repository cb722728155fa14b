/* Describes the counters as lines of CONFIG: names, notes, widths, highest rates, and figures that need a clock. */
#include "targets/e500/trace/counting.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct lines { char *text; size_t len, room; };

static void __attribute__((format(printf, 2, 3))) say(struct lines *l, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(l->text + l->len, l->room - l->len, fmt, args);
	va_end(args);
	l->len = n < 0 ? l->len : l->len + (size_t)n < l->room ? l->len + (size_t)n : l->room - 1;
}

static size_t len_of_event(const char *name)
{
	return strcspn(name, ">");
}

/* Adds perf's name, by which formulas may refer to it, if it is valid in formulas (has no '-'). */
static void say_alias(const struct pt_e500_counting *c, struct lines *l, size_t i)
{
	const struct pt_e500_want *want = &c->want[i];
	const char *alias;
	unsigned number;

	for (size_t k = 0; !want->apart && (alias = pt_e500_alias(c->core, k, &number)) != NULL; k++)
		if (number == want->event->number && strchr(alias, '-') == NULL) {
			say(l, "counter.%zu.alias=%s\n", i, alias);
			return;
		}
}

static void say_counter(const struct pt_e500_counting *c, uint64_t core_hz, struct lines *l, size_t i)
{
	const struct pt_e500_counted *it = &c->counted[i];
	const struct pt_e500_want *want = &c->want[i];
	char note[200];

	pt_e500_note(want->event, note, sizeof(note));
	say(l, "counter.%zu=%s\ncounter.%zu.note=%s\n", i, it->name, i, note);
	say_alias(c, l, i);
	if (!want->chained)
		say(l, "counter.%zu.bits=32\n", i);
	say(l, "counter.%zu.max_hz=%" PRIu64 "\n", i, pt_e500_fastest(want->event, core_hz));
	if (it->threshold != PT_E500_NO_THRESHOLD)
		say(l, "counter.%zu.of=%.*s\ncounter.%zu.over=%d\n", i, (int)len_of_event(it->name), it->name, i,
		    it->threshold);
}

/* False: CPU_CLK leaves out some cycles (marked code such as the agent's, or a state of the core), so cycles per second
 * of the time base are less than the core clock. */
static bool counts_all_cycles(const struct pt_e500_counting *c)
{
	enum { FREEZES = 0x78000000 };	/* FCS, FCU, FCM1, FCM0. Source: E500CORERM Table 7-4 */

	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->counted[i].name, "CPU_CLK") == 0)
			return (c->counted[i].pmlca & FREEZES) == 0;
	return false;
}

/* Figures that need a clock; those of counters alone are in profile/analyses/counters/metrics.h. The decoder leaves out
 * figures whose counters are missing, such as the time base if the access method does not report it. */
static void say_metrics(const struct pt_e500_counting *c, const struct pt_e500_clocks *clocks, struct lines *l)
{
	const char *hz = counts_all_cycles(c) ? "core.hz" : "counted.hz";
	unsigned n = 0;

	if (clocks->core_hz != 0)
		say(l, "metric.%u=busy.seconds:CPU_CLK/%" PRIu64 "\n", n++, clocks->core_hz);
	if (clocks->tb_hz == 0)
		return;
	say(l, "metric.%u=timebase.seconds:TIMEBASE/%" PRIu64 "\n", n++, clocks->tb_hz);
	say(l, "metric.%u=%s:CPU_CLK*%" PRIu64 "/TIMEBASE\n", n++, hz, clocks->tb_hz);
	say(l, "metric.%u=tbl.seconds:TBL_BIT_TRANS*%" PRIu32 "/%" PRIu64 "\n", n++, c->tbl_ticks, clocks->tb_hz);
	say(l, "metric.%u=tbl.%s:CPU_CLK*%" PRIu64 "/(TBL_BIT_TRANS*%" PRIu32 ")\n", n++, hz, clocks->tb_hz,
	    c->tbl_ticks);
}

void pt_e500_counting_tell(const struct pt_e500_counting *c, const struct pt_e500_clocks *clocks, char *text,
			   size_t room)
{
	struct lines l = { .text = text, .room = room };

	text[0] = '\0';
	say(&l, "turns=%zu\ncounters=%zu\n", c->n_turns, c->n + 1 + (c->until != PT_E500_NO_WINDOWS));
	say_metrics(c, clocks, &l);
	for (size_t i = 0; i < c->n; i++)
		say_counter(c, clocks->core_hz, &l, i);
	say(&l, "counter.%zu=TIMEBASE\ncounter.%zu.note=ticks of the core's time base\n", c->n, c->n);
	if (c->until != PT_E500_NO_WINDOWS)
		say(&l, "counter.%zu=WINDOWS\ncounter.%zu.note=times that all counters were frozen together\n",
		    c->n + 1, c->n + 1);
}
