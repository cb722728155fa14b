#include "targets/e500/trace/counting.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "targets/e500/core/settings.h"
#include "base/util.h"

/* PMLCa and PMLCb. Source: E1 Tables 7-4, 7-5 */
enum { FCS = 0x40000000, FCU = 0x20000000, FCM1 = 0x10000000, FCM0 = 0x08000000, EVENT_LSB = 16, MUL_LSB = 8,
       MOST_THRESHOLD = 63, MOST_MUL = 7, WORD_BYTES = 80 };
#define FASTEST_HZ UINT64_C(2500000000)	/* of all parts of the family */

const struct pt_param pt_e500_counting_params[PT_E500_COUNTING_PARAMS] = {
	[PT_E500_EVENTS] = { "events", PT_PARAM_LIST, "cycles,instructions,branches,branch-misses", NULL, 0, 0,
			     "what to count (proftap events lists it): names, perf's too, numbers, Com:12, rHEX; more "
			     "than counters take turns. "
			     "EVENT:u k m n c (user, supervisor, marked, not marked, chained); EVENT@CYCLES, "
			     "EVENT@sweep (threshold); "
			     "A+B: in one turn" },
	[PT_E500_COUNT] = { "count", PT_PARAM_CHOICE, "unmarked",
			    "unmarked|all|user|supervisor|marked|marked-user|"
			    "marked-supervisor|unmarked-user|unmarked-supervisor",
			    0, 0,
			    "when to count, by MSR[PR] and MSR[PMM]; the code that reads the counters marks itself, so "
			    "\"unmarked\" is the program alone" },
	[PT_E500_CHAIN] = { "chain", PT_PARAM_CHOICE, "auto", "auto|on|off", 0, 0,
			    "counters of 64 bits, on two of 32; auto: where counters are left over, or one would wrap "
			    "in a turn" },
	[PT_E500_THRESHOLDS] = { "thresholds", PT_PARAM_LIST, "0,4,8,16,32,64,128,256,512,1024,2048,4096", NULL, 0, 0,
				 "of EVENT@sweep, in cycles (unit not verified): a number up to 63, times 1, 2, 4 ... "
				 "128" },
	[PT_E500_TURNS] = { "turns", PT_PARAM_CHOICE, "fewest", "fewest|whole", 0, 0,
			    "whole: as many as it takes to count the events of each derived figure in one turn" },
	[PT_E500_TBSEL_TICKS] = { "tbsel", PT_PARAM_CHOICE, "2", "2|512|8192|131072", 0, 0,
				  "ticks of the time base that one TBL_BIT_TRANS is (PMGC0[TBSEL]); with "
				  "until=timebase 131072 if it is not said" },
	[PT_E500_PERIOD] = { "period", PT_PARAM_TIME, "100ms", NULL, 1000000, UINT64_C(60000000000),
			     "from one reading to the next; with turns: how long one is in the mean; with until (5ms "
			     "where nothing is halted): from one look for its end to the next" },
	[PT_E500_UNTIL] = { "until", PT_PARAM_TEXT, NULL, NULL, 0, 0,
			    "windows: EVENT:N: all counters freeze in one cycle when EVENT has come N times, are read, "
			    "and begin anew; timebase: when the bit that tbsel chooses rises (not e500v1)" },
	[PT_E500_CORE] = PT_E500_CORE_PARAM,
};

/* --- when to count */

static const struct { const char *word; uint32_t bits; } states[] = {	/* Source: E1 Table 7-8 */
	{ "all", 0 }, { "user", FCS }, { "supervisor", FCU }, { "marked", FCM0 }, { "unmarked", FCM1 },
	{ "marked-user", FCS | FCM0 }, { "marked-supervisor", FCU | FCM0 }, { "unmarked-user", FCS | FCM1 },
	{ "unmarked-supervisor", FCU | FCM1 },
};

static uint32_t state_of(const char *word)
{
	for (size_t i = 0; i < PT_LEN(states); i++)
		if (strcmp(states[i].word, word) == 0)
			return states[i].bits;
	return 0;
}

/* --- one event */

struct word {
	char text[WORD_BYTES];		/* as the user wrote it */
	char event[WORD_BYTES], letters[8];
	const char *at;			/* text after '@'; NULL: no threshold given */
	uint64_t pmlcb;			/* of rHEX */
	bool raw;
};

static bool are_letters(const char *text)
{
	return *text != '\0' && strspn(text, "ukmnc") == strlen(text);
}

/* "r4c": perf's raw event. */
static bool take_raw(struct word *w)
{
	char *end;
	unsigned long long config;

	if ((w->event[0] != 'r' && w->event[0] != 'R') || !isxdigit((unsigned char)w->event[1]))
		return false;
	config = strtoull(w->event + 1, &end, 16);
	if (*end != '\0')
		return false;
	w->pmlcb = config >> 32;
	w->raw = true;
	snprintf(w->event, sizeof(w->event), "%" PRIu32, (uint32_t)config);
	return true;
}

static int split(struct word *w, const char *text, size_t len, struct pt_err *err)
{
	char *at, *colon;

	memset(w, 0, sizeof(*w));
	if (len == 0 || len >= sizeof(w->text))
		return pt_fail(err, PT_EARG, "events: \"%.*s\" is no event", len > 60 ? 60 : (int)len, text);
	memcpy(w->text, text, len);
	memcpy(w->event, text, len);
	at = strchr(w->event, '@');
	if (at != NULL) {
		*at = '\0';
		w->at = w->text + (at - w->event) + 1;
	}
	colon = strrchr(w->event, ':');
	if (colon != NULL && strlen(colon) <= sizeof(w->letters) && are_letters(colon + 1)) {
		*colon = '\0';
		memcpy(w->letters, colon + 1, strlen(colon + 1) + 1);
	}
	take_raw(w);
	return 0;
}

static bool has(const struct word *w, char letter)
{
	return strchr(w->letters, letter) != NULL;
}

/* u alone is user, k alone supervisor, both are all; so are m and n. */
static uint32_t freeze_bits(const struct word *w, uint32_t standard)
{
	uint32_t bits = 0;

	if (strspn(w->letters, "c") == strlen(w->letters))
		return standard;
	if (has(w, 'u') != has(w, 'k'))
		bits |= has(w, 'u') ? FCS : FCU;
	if (has(w, 'm') != has(w, 'n'))
		bits |= has(w, 'm') ? FCM0 : FCM1;
	else if (!has(w, 'm'))
		bits |= standard & (FCM0 | FCM1);
	return bits;
}

/* --- thresholds */

static int threshold_of(uint32_t pmlcb)
{
	return (int)((pmlcb & MOST_THRESHOLD) << (pmlcb >> MUL_LSB & MOST_MUL));
}

/* Uses the smallest multiplier that can express it. False: none can; *below and *above are the nearest possible values,
 * equal if cycles exceeds them all. */
static bool encode(uint64_t cycles, uint32_t *pmlcb, uint64_t *below, uint64_t *above)
{
	uint64_t step = 1;
	unsigned mul = 0;

	while (mul < MOST_MUL && cycles / step > MOST_THRESHOLD) {
		step *= 2;
		mul++;
	}
	*below = cycles / step < MOST_THRESHOLD ? cycles / step * step : MOST_THRESHOLD * step;
	*above = *below + (*below < (uint64_t)MOST_THRESHOLD << MOST_MUL ? step : 0);
	*pmlcb = (uint32_t)(cycles / step) | mul << MUL_LSB;
	return cycles % step == 0 && cycles / step <= MOST_THRESHOLD;
}

static int encode_times(const char *text, uint64_t n, uint64_t times, uint32_t *pmlcb, struct pt_err *err)
{
	unsigned mul = 0;

	while (mul <= MOST_MUL && UINT64_C(1) << mul != times)
		mul++;
	if (n > MOST_THRESHOLD || mul > MOST_MUL)
		return pt_fail(err, PT_EARG, "threshold \"%.40s\": 0 to %d, x 1, 2, 4, 8, 16, 32, 64 or 128", text,
			       MOST_THRESHOLD);
	*pmlcb = (uint32_t)n | mul << MUL_LSB;
	return 0;
}

static int read_threshold(const char *text, uint32_t *pmlcb, struct pt_err *err)
{
	uint64_t n, times, below, above;
	char *end, near[60];

	if (!isdigit((unsigned char)text[0]))
		return pt_fail(err, PT_EARG, "threshold \"%.40s\" is no number of cycles", text);
	n = strtoull(text, &end, 10);
	if (*end == 'x' && isdigit((unsigned char)end[1])) {
		times = strtoull(end + 1, &end, 10);
		if (*end == '\0')
			return encode_times(text, n, times, pmlcb, err);
	}
	if (*end != '\0')
		return pt_fail(err, PT_EARG, "threshold \"%.40s\" is no number of cycles", text);
	if (encode(n, pmlcb, &below, &above))
		return 0;
	if (below == above)
		snprintf(near, sizeof(near), "%" PRIu64 " is the most", below);
	else
		snprintf(near, sizeof(near), "%" PRIu64 " and %" PRIu64 " can be had", below, above);
	return pt_fail(err, PT_EARG, "threshold %" PRIu64 ": it is a number up to %d, times 1, 2, 4 ... 128; %s", n,
		       MOST_THRESHOLD, near);
}

/* --- the list */

struct reading {
	struct pt_e500_counting *c;
	uint32_t standard;		/* bits of count= */
	const char *thresholds;
	uint8_t together;
	bool until_is_new;		/* the first entry is until's, and the list has not named it yet */
	struct pt_err *err;
};

static void name_it(struct pt_e500_counted *out, const struct pt_e500_event *event, const struct word *w,
		    uint32_t standard)
{
	static const char over[] = "_OVER_THRESHOLD";
	size_t len = strlen(event->name), tail = sizeof(over) - 1;
	char letters[8] = "";
	size_t n = 0;

	if (event->threshold && len > tail && strcmp(event->name + len - tail, over) == 0)
		len -= tail;
	for (const char *l = "ukmn"; freeze_bits(w, standard) != standard && *l != '\0'; l++)
		if (has(w, *l))
			letters[n++] = *l;
	n = (size_t)snprintf(out->name, sizeof(out->name), "%.*s%s%s", (int)len, event->name, n > 0 ? ":" : "",
			     letters);
	if (event->threshold && n < sizeof(out->name))
		snprintf(out->name + n, sizeof(out->name) - n, ">%d", out->threshold);
}

static int add(struct reading *r, const struct pt_e500_event *event, const struct word *w, uint32_t pmlcb)
{
	struct pt_e500_counting *c = r->c;
	uint32_t bits = freeze_bits(w, r->standard);
	struct pt_e500_counted *out = &c->counted[c->n];

	if (c->n == PT_E500_COUNTED_MAX)
		return pt_fail(r->err, PT_EARG, "events: more than %d", PT_E500_COUNTED_MAX);
	*out = (struct pt_e500_counted){ .pmlca = bits | (uint32_t)event->number << EVENT_LSB,
		.pmlcb = event->threshold ? pmlcb : 0,
		.threshold = event->threshold ? threshold_of(pmlcb) : PT_E500_NO_THRESHOLD };
	name_it(out, event, w, r->standard);
	if (r->until_is_new && c->n > 0 && strcmp(c->counted[0].name, out->name) == 0) {
		r->until_is_new = false;	/* also in the list: it is counted in each turn anyway */
		return 0;
	}
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->counted[i].name, out->name) == 0)
			return pt_fail(r->err, PT_EARG, "events: %s is in the list twice", out->name);
	c->want[c->n++] = (struct pt_e500_want){ .event = event, .chained = has(w, 'c'), .apart = bits != r->standard,
						 .together = r->together };
	return 0;
}

static int add_sweep(struct reading *r, const struct pt_e500_event *event, const struct word *w)
{
	char one[24];
	uint32_t pmlcb;

	for (size_t len; *r->thresholds != '\0'; r->thresholds += len + (r->thresholds[len] == ',')) {
		len = strcspn(r->thresholds, ",");
		snprintf(one, sizeof(one), "%.*s", len < sizeof(one) ? (int)len : (int)sizeof(one) - 1, r->thresholds);
		if (read_threshold(one, &pmlcb, r->err) < 0)
			return pt_wrap(r->err, "thresholds");
		if (add(r, event, w, pmlcb) < 0)
			return r->err->code;
	}
	return 0;
}

static int no_threshold(const struct pt_e500_counting *c, const struct pt_e500_event *event, struct pt_err *err)
{
	bool any = false;

	for (size_t i = 0; i < pt_e500_n_events; i++)
		any |= pt_e500_events[i].threshold && pt_e500_has(&pt_e500_events[i], c->core);
	if (any)
		return pt_fail(err, PT_EARG, "%s has no threshold; events 76 to 81 have one", event->name);
	return pt_fail(err, PT_EUNSUPPORTED, "%s has no threshold; no event of %s is known to have one", event->name,
		       pt_e500_kinds[c->core].name);
}

static int add_word(struct reading *r, const char *text, size_t len)
{
	const struct pt_e500_event *event;
	const char *thresholds = r->thresholds;
	uint32_t pmlcb = 0;
	struct word w;
	int rc;

	if (split(&w, text, len, r->err) < 0)
		return r->err->code;
	if (pt_e500_event_find(r->c->core, w.event, &event, r->err) < 0)
		return pt_wrap(r->err, "events");
	if ((w.at != NULL || w.pmlcb != 0) && !event->threshold)
		return no_threshold(r->c, event, r->err);
	if (w.at == NULL)
		return add(r, event, &w, (uint32_t)w.pmlcb & (MOST_THRESHOLD | MOST_MUL << MUL_LSB));
	if (strcasecmp(w.at, "sweep") != 0) {
		rc = read_threshold(w.at, &pmlcb, r->err);
		return rc < 0 ? pt_wrap(r->err, "events: %s", event->name) : add(r, event, &w, pmlcb);
	}
	rc = add_sweep(r, event, &w);
	r->thresholds = thresholds;
	return rc;
}

static int read_list(struct reading *r, const char *list)
{
	uint8_t n_together = 0;

	for (size_t len; *list != '\0'; list += len + (list[len] == ',' || list[len] == '+')) {
		len = strcspn(list, ",+");
		if (list[len] == '+' && r->together == 0)
			r->together = ++n_together;
		if (add_word(r, list, len) < 0)
			return r->err->code;
		if (list[len] != '+')
			r->together = 0;
	}
	if (r->c->n == 0)
		return pt_fail(r->err, PT_EARG, "events: nothing to count");
	return 0;
}

/* The event that ends windows is the first entry. */
static int read_until(struct reading *r, const struct pt_params *words)
{
	struct pt_e500_counting *c = r->c;
	const struct pt_e500_event *event;
	const char *word;
	size_t len;

	if (pt_e500_counting_until(c, words, &word, &len, r->err) < 0)
		return r->err->code;
	if (len == 0)
		return 0;
	if (add_word(r, word, len) < 0)
		return pt_wrap(r->err, "until");
	event = c->want[0].event;
	if (c->n > 1 || event->threshold)
		return pt_fail(r->err, PT_EUNSUPPORTED, "until: %s has a threshold, and these do not end windows",
			       event->name);
	if (event->number == 0)
		return pt_fail(r->err, PT_EARG, "until: event %s never comes", event->name);
	for (unsigned pmc = 0; pmc < pt_e500_kinds[c->core].n_pmcs; pmc++)
		if (pt_e500_overflow_event(c->core, pmc) == event->number)
			return pt_fail(r->err, PT_EARG, "until: %s: say the event that PMC%u would count", event->name,
				       pmc);
	c->want[0].chained = false;
	r->until_is_new = true;
	return 0;
}

/* --- places, chains */

/* The event that ends windows gets the last counter, the others share the rest. */
static int assign(const struct pt_e500_counting *c, struct pt_e500_place *places, size_t *n_turns, struct pt_err *err)
{
	unsigned own = c->until == PT_E500_UNTIL_EVENT;

	if (pt_e500_assign(c->core, c->n_pmcs - own, c->want + own, c->n - own, places + own, n_turns, err) < 0)
		return own != 0 ? pt_wrap(err, "beside the counter of until=") : err->code;
	if (own == 0)
		return 0;
	for (size_t i = 1; i < c->n; i++)
		places[i].want++;
	*n_turns = *n_turns > 0 ? *n_turns : 1;
	places[0] = (struct pt_e500_place){ .want = 0, .pmc = (uint8_t)(c->n_pmcs - 1), .high_pmc = PT_E500_NO_PMC };
	return 0;
}

/* Uses the unused counters, and counts the event that ends windows in each turn. */
static void repeat(struct pt_e500_counting *c, bool whole)
{
	unsigned own = c->until == PT_E500_UNTIL_EVENT;

	for (size_t i = own; i < c->n; i++)
		c->place[i].want = (uint16_t)(c->place[i].want - own);
	c->n_places = own + pt_e500_repeat(c->n_pmcs - own, c->want + own, c->n - own, whole, c->place + own,
					   c->n - own, &c->n_turns);
	for (size_t i = own; i < c->n_places; i++)
		c->place[i].want = (uint16_t)(c->place[i].want + own);
	for (uint16_t turn = 1; own != 0 && turn < c->n_turns && c->n_places < PT_E500_PLACES_MAX; turn++) {
		c->place[c->n_places] = c->place[0];
		c->place[c->n_places++].turn = turn;
	}
}

static unsigned steps_of(const struct pt_e500_event *event)
{
	/* Source: E500CORERM Rev. 1, p. 7-8; event 2: two completed a cycle */
	return event->number == 1 ? 1 : event->number == 2 ? 2 : PT_E500_STEPS_PER_CYCLE;
}

uint64_t pt_e500_wrap_ns(uint64_t core_hz, unsigned steps_per_cycle)
{
	if (core_hz == 0 || steps_per_cycle == 0)
		return 0;
	return (UINT64_C(1000000000) << 32) / steps_per_cycle / core_hz;
}

uint64_t pt_e500_fastest(const struct pt_e500_event *event, uint64_t core_hz)
{
	return steps_of(event) * (core_hz != 0 ? core_hz : FASTEST_HZ);
}

static void chain_long_ones(struct pt_e500_counting *c, uint64_t core_hz, uint64_t longest_ns)
{
	uint64_t hz = core_hz != 0 ? core_hz : FASTEST_HZ;

	for (size_t i = c->until == PT_E500_UNTIL_EVENT; i < c->n; i++)
		c->want[i].chained |= longest_ns > pt_e500_wrap_ns(hz, steps_of(c->want[i].event)) / 2;
}

/* Chains events in the order of the list, as long as all fit in one turn. */
static void chain_left_over(struct pt_e500_counting *c)
{
	struct pt_e500_place places[PT_E500_COUNTED_MAX];
	struct pt_err ignored = { 0 };
	size_t n_turns = 0;

	for (size_t i = c->until == PT_E500_UNTIL_EVENT; i < c->n && c->n <= PT_E500_PMCS_MAX; i++) {
		bool was = c->want[i].chained;

		c->want[i].chained = true;
		if (assign(c, places, &n_turns, &ignored) < 0 || n_turns > 1)
			c->want[i].chained = was;
	}
}

int pt_e500_counting_read(struct pt_e500_counting *c, enum pt_e500_core core, unsigned n_pmcs,
			  const struct pt_params *words, uint64_t core_hz, uint64_t longest_ns, struct pt_err *err)
{
	const struct pt_param *rows = pt_e500_counting_params;
	const char *chain = pt_params_text(words, &rows[PT_E500_CHAIN]);
	bool whole = strcmp(pt_params_text(words, &rows[PT_E500_TURNS]), "whole") == 0;
	struct reading r = { .c = c, .standard = state_of(pt_params_text(words, &rows[PT_E500_COUNT])),
			     .thresholds = pt_params_text(words, &rows[PT_E500_THRESHOLDS]), .err = err };

	memset(c, 0, sizeof(*c));
	c->core = core;
	c->n_pmcs = n_pmcs;
	if (read_until(&r, words) < 0 || read_list(&r, pt_params_text(words, &rows[PT_E500_EVENTS])) < 0)
		return err->code;
	for (size_t i = c->until == PT_E500_UNTIL_EVENT; i < c->n; i++)
		c->want[i].chained |= strcmp(chain, "on") == 0;
	if (strcmp(chain, "auto") == 0) {
		chain_long_ones(c, core_hz, longest_ns);
		chain_left_over(c);
	}
	if (assign(c, c->place, &c->n_turns, err) < 0)
		return pt_wrap(err, "events");
	repeat(c, whole);
	return 0;
}

/* --- descriptions */

void pt_e500_note(const struct pt_e500_event *event, char *text, size_t room)
{
	static const char *const work[] = { [PT_E500_UNKNOWN] = "Spec or Nonspec not known", [PT_E500_SPEC] = "Spec",
		[PT_E500_NONSPEC] = "Nonspec", [PT_E500_OUTSIDE] = "work of others" };

	snprintf(text, room, "%s:%u, %s%s: %s", event->prefix, event->number, work[event->work],
		 event->unsure_work ? "?" : "", event->meaning);
}
