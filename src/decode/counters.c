/* Readings of counters: records that we make ourselves (trace/formats.h), one event each. A counter that is narrow
 * has wrapped when it reads less than before; where the time between two readings is long enough for more than one
 * wrap, its count is not known, and the event says so. It says so, too, where the two readings differ by more than
 * the time allows: the counter began anew (a reset clears it), or the upper half of a chain was torn from its lower
 * one. */
#include <stdio.h>
#include <string.h>

#include "decode/records.h"
#include "base/util.h"

enum { COUNTERS = 64, NARROW_BITS = 32 };
#define STAMPS_S 0.05	/* what stamps may be off, at worst: a core may take so long to halt for a reading */

struct counters {
	struct pt_own own;	/* first: it is what records.c gets */
	uint64_t tick_hz;
	uint32_t error_ns;	/* of the ticks of what comes */
	bool turns;		/* what RESUMES does so behind a gap, too */
	struct counter {
		uint64_t last, ticks;	/* reading, and when */
		uint64_t max_hz;	/* 0: nobody knows */
		uint8_t bits;
		uint8_t kind;		/* enum pt_counting: LEAST, MOST; else it counts */
		bool known;		/* last is */
	} counter[COUNTERS];
};

/* Whether it can have gone round since the last reading, and then some more. */
static bool may_have_lapped(const struct counters *s, const struct counter *c, uint64_t ticks)
{
	double seconds;

	if (c->bits >= 64 || c->max_hz == 0 || s->tick_hz == 0 || ticks < c->ticks)
		return false;
	seconds = (double)(ticks - c->ticks) / (double)s->tick_hz;
	return seconds * (double)c->max_hz >= (double)(UINT64_C(1) << c->bits);
}

/* Twice as much as the time allows is no error of stamps. */
static bool takes_longer(const struct counters *s, const struct counter *c, uint64_t ticks, uint64_t counted)
{
	double seconds;

	if (c->max_hz == 0 || s->tick_hz == 0 || ticks < c->ticks)
		return false;
	seconds = 2 * (double)(ticks - c->ticks) / (double)s->tick_hz + STAMPS_S;
	return (double)counted > seconds * (double)c->max_hz;
}

/* One that only went forward, and within half of what is narrow, is believed: where its max_hz is wrong, that is for a
 * report to say. */
static uint64_t counted(const struct counters *s, const struct counter *c, uint64_t ticks, uint64_t reading)
{
	uint64_t mask = c->bits < 64 ? (UINT64_C(1) << c->bits) - 1 : UINT64_MAX, more = (reading - c->last) & mask;
	bool back = reading < c->last;

	if (may_have_lapped(s, c, ticks) || (back && c->bits == 64))
		return PT_UNKNOWN;
	if ((back || more >> (NARROW_BITS - 1) != 0) && takes_longer(s, c, ticks, more))
		return PT_UNKNOWN;
	return more;
}

static int length(const uint8_t *part, size_t n)
{
	(void)part;
	(void)n;
	return PT_COUNTERS_BYTES;
}

static void record(struct pt_own *own, struct pt_batch *out)
{
	struct counters *s = (struct counters *)own;
	unsigned word = pt_le16(own->part + PT_COUNTERS_COUNTER), n = word & ~(unsigned)PT_COUNTERS_RESUMES;
	uint64_t ticks = pt_le64(own->part + PT_COUNTERS_TICKS), reading = pt_le64(own->part + PT_COUNTERS_READING);
	struct counter *c = &s->counter[n < COUNTERS ? n : 0];
	struct pt_event *e;

	if (n == PT_COUNTERS_ERROR) {
		s->error_ns = reading < UINT32_MAX ? (uint32_t)reading : UINT32_MAX;
		return;
	}
	e = pt_own_add(own, out, n < COUNTERS ? PT_EV_COUNTER : PT_EV_GAP);
	e->ticks = ticks;
	if (n >= COUNTERS) {
		e->cause = PT_GAP_DAMAGED;
		e->gap.ns = PT_UNKNOWN;
		e->gap.bytes = PT_COUNTERS_BYTES;
		return;
	}
	e->counter.id = PT_COUNTER_NAMED + n;
	e->counter.error_ns = s->error_ns;
	if (c->kind != PT_COUNTING_GOES_ON) {
		e->counter.count = reading;
		e->cause = c->kind;
		return;
	}
	e->cause = word != n && (c->known || s->turns) ? PT_COUNTING_RESUMES
		   : !c->known			       ? PT_COUNTING_BEGINS
						       : PT_COUNTING_GOES_ON;
	e->counter.count = e->cause == PT_COUNTING_GOES_ON ? counted(s, c, ticks, reading) : 0;
	c->known = true;
	c->last = reading;
	c->ticks = ticks;
}

static size_t feed(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	static const struct pt_own_format format = { length, record };

	return pt_own_feed(state, &format, bytes, len_bytes, out);
}

static void gap(void *state, enum pt_gap cause, uint64_t ns, uint64_t bytes, struct pt_batch *out)
{
	struct counters *s = state;

	pt_own_gap(&s->own, cause, ns, bytes, out);
	s->error_ns = 0;
	for (size_t i = 0; i < COUNTERS; i++)	/* what they counted meanwhile is of nobody knows what */
		s->counter[i].known = false;
}

static void init(void *state, uint16_t source, uint16_t core, const struct pt_config *config)
{
	struct counters *s = state;
	uint64_t bits;
	char key[40], kind[8];

	memset(s, 0, sizeof(*s));
	pt_own_init(&s->own, source, core, config);
	s->tick_hz = pt_config_number(config, "tick_hz", PT_NS_PER_S);
	s->turns = pt_config_number(config, "turns", 1) > 1;
	for (unsigned i = 0; i < COUNTERS; i++) {
		snprintf(key, sizeof(key), "counter.%u.bits", i);
		bits = pt_config_number(config, key, 64);
		s->counter[i].bits = bits >= 1 && bits <= 64 ? (uint8_t)bits : 64;
		snprintf(key, sizeof(key), "counter.%u.max_hz", i);
		s->counter[i].max_hz = pt_config_number(config, key, 0);
		snprintf(key, sizeof(key), "counter.%u.kind", i);
		pt_config_text(config, key, kind, sizeof(kind));
		s->counter[i].kind = strcmp(kind, "least") == 0	 ? PT_COUNTING_LEAST
				     : strcmp(kind, "most") == 0 ? PT_COUNTING_MOST
								 : PT_COUNTING_GOES_ON;
	}
}

const struct pt_decoder pt_decoder_counters = {
	.name = PT_FORMAT_COUNTERS, .gives = PT_GIVES_OTHER, .state_bytes = sizeof(struct counters), .init = init,
	.feed = feed, .gap = gap, .state = pt_own_state, .flush = pt_own_flush,
};
