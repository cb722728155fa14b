/* What ends a window: the parameter until=, and its PMGC0 bits. Source: E500CORERM Rev. 1, Tables 7-3, 7-4 and 7-6.
 * UNVERIFIED: TBSEL and TBEE of e500mc and later; pt_e500_turn_check tests whether PMGC0 holds them. */
#include "targets/e500/trace/counting.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

enum { FCECE = 0x20000000, TBEE = 0x100, TBSEL_LSB = 11 };
#define MOST_EVENTS UINT64_C(0x80000000)	/* a counter overflows half-way */

static const char timebase[] = "timebase";

static int read_event(struct pt_e500_counting *c, const char *word, size_t *len, struct pt_err *err)
{
	const char *colon = strrchr(word, ':');
	struct pt_err why = { 0 };
	uint64_t n = 0;

	if (colon == NULL || colon == word || pt_params_parse(PT_PARAM_NUMBER, colon + 1, &n, &why) < 0)
		return pt_fail(err, PT_EARG,
			       "until=%.60s is not EVENT:N, such as until=branch-misses:10000, nor timebase", word);
	if (strncmp(word, timebase, strlen(timebase)) == 0)
		return pt_fail(err, PT_EARG,
			       "until=%.60s: until=timebase takes no number; tbsel= says which of its bits", word);
	if (n == 0 || n > MOST_EVENTS)
		return pt_fail(err, PT_EARG, "until=%.60s: from 1 to %" PRIu64 " events", word, MOST_EVENTS);
	c->until = PT_E500_UNTIL_EVENT;
	c->until_events = (uint32_t)n;
	*len = (size_t)(colon - word);
	return 0;
}

/* The slowest bit, if until=timebase and tbsel is not given. */
static uint32_t choose_bit(const struct pt_e500_counting *c, const struct pt_params *words)
{
	static const char *const choice[] = { "2", "512", "8192", "131072" };
	const struct pt_param *row = &pt_e500_counting_params[PT_E500_TBSEL_TICKS];
	const char *text = pt_params_text(words, row);
	uint32_t tbsel = 0;

	if (c->until == PT_E500_UNTIL_TIMEBASE && !pt_params_given(words, row))
		return PT_LEN(choice) - 1;
	while (tbsel + 1 < PT_LEN(choice) && strcmp(choice[tbsel], text) != 0)
		tbsel++;
	return tbsel;
}

int pt_e500_counting_until(struct pt_e500_counting *c, const struct pt_params *words, const char **event, size_t *len,
			   struct pt_err *err)
{
	static const uint32_t ticks[] = { 2, 512, 8192, 131072 };
	const char *word = pt_params_text(words, &pt_e500_counting_params[PT_E500_UNTIL]);
	uint32_t tbsel;

	*event = word;
	*len = 0;
	if (word != NULL && strcmp(word, timebase) == 0) {
		if (c->core == PT_E500_V1)
			return pt_fail(err, PT_EUNSUPPORTED,
				       "until=timebase: the time base of an e500v1 ends nothing (PMGC0 has no TBEE); "
				       "until=EVENT:N does");
		c->until = PT_E500_UNTIL_TIMEBASE;
	} else if (word != NULL && read_event(c, word, len, err) < 0) {
		return err->code;
	}
	tbsel = choose_bit(c, words);
	c->tbl_ticks = ticks[tbsel];
	c->pmgc0 = tbsel << TBSEL_LSB | (c->until != PT_E500_NO_WINDOWS ? FCECE : 0u) |
		   (c->until == PT_E500_UNTIL_TIMEBASE ? TBEE : 0u);
	return 0;
}

void pt_e500_counting_tell_windows(const struct pt_e500_counting *c, char *text, size_t room)
{
	char end[120] = "";

	if (c->until == PT_E500_UNTIL_EVENT)
		snprintf(end, sizeof(end), "after %" PRIu32 " %s (PMGC0[FCECE])", c->until_events, c->counted[0].name);
	if (c->until == PT_E500_UNTIL_TIMEBASE)
		snprintf(end, sizeof(end), "with the time base, each %" PRIu32 " ticks of it (PMGC0[TBEE])",
			 c->tbl_ticks);
	text[0] = '\0';
	if (end[0] != '\0')
		snprintf(text, room,
			 "; windows: all counters freeze in one cycle %s, and stand until the next one begins "
			 "(re-arm); rates are by the cycles that were counted, else by when it was looked",
			 end);
}
