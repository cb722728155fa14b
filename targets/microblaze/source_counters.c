/* The source counters: the core's event and latency counters. The unit's sample command captures all of them at one
 * instant while they count. It is not intrusive.
 *
 * If there are more events than counters, they take turns: groups of events use the counters one after the other. Each
 * turn begins at zero and is marked so in the trace, and the analysis scales it (with the error of that). Readings are
 * raw, as wide as the counters: the decoder extends them to 64 bits. A latency counter has a count, a sum, a sum of
 * squares, a minimum and a maximum. If its sums have overflowed, its counts since the previous reading are left out.
 * Source: UG984, "Performance Monitoring", table of items by width. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/log.h"
#include "targets/microblaze/counters_unit.h"
#include "targets/microblaze/events.h"
#include "targets/microblaze/microblaze.h"
#include "trace/formats.h"
#include "base/util.h"

enum { HELD_REST_US = 200000, MOST_REST_US = 100000 };
enum { PER_LATENCY = 5 };	/* counters of the trace: n, sum, squares, min, max */

enum { EVENTS, LATENCIES, PERIOD, CORE, N_PARAMS };
static const struct pt_param params[] = {
	[EVENTS] = { "events", PT_PARAM_LIST, "cycles,instructions,stalls,loads,branches", NULL, 0, 0,
		     "what to count: numbers 0 to 56, or names (a wrong one lists them); more than counters take "
		     "turns" },
	[LATENCIES] = { "latencies", PT_PARAM_LIST, "interrupt.latency", NULL, 0, 0, "latencies to measure; \"none\"" },
	[PERIOD] = { "period", PT_PARAM_TIME, "100ms", NULL, 1000000, UINT64_C(60000000000),
		     "from one reading to the next; also how long a turn is" },
	[CORE] = PT_MB_CORE_PARAM,
};

struct counters {
	struct pt_mb *mb;
	struct pt_mdm *mdm;
	struct pt_emit out;
	struct pt_counters_unit unit;
	unsigned core;			/* of the MDM */
	uint64_t period_ns, next_ns, full;
	bool held, running;		/* running: a turn is under way */
	bool counted;			/* a reading of this turn was not 0 */
	uint8_t bytes[PT_CHUNK_BYTES];
	size_t len_bytes;
	struct pt_mb_unit lease;
};

/* --- into the trace */

/* Numbers of counters in the trace: events first, then those of each latency. */
static unsigned latency_number(const struct counters *s, unsigned wanted, unsigned item)
{
	return s->unit.events.n + wanted * PER_LATENCY + item;
}

static void put_record(struct counters *s, uint64_t at_ns, unsigned number, bool resumes, uint64_t reading)
{
	uint8_t *at = s->bytes + s->len_bytes;

	if (s->len_bytes + PT_COUNTERS_BYTES > sizeof(s->bytes))
		return; /* 64 counters fit many times over */
	pt_put_le64(at + PT_COUNTERS_TICKS, at_ns);
	pt_put_le16(at + PT_COUNTERS_COUNTER, (uint16_t)(number | (resumes ? PT_COUNTERS_RESUMES : 0u)));
	pt_put_le64(at + PT_COUNTERS_READING, reading);
	s->len_bytes += PT_COUNTERS_BYTES;
}

static void emit_records(struct counters *s, uint64_t to_ns)
{
	pt_emit_data(&s->out, s->out.told_ns, to_ns, s->bytes, s->len_bytes);
	s->len_bytes = 0;
}

/* Puts zeros for all counters of the group at the beginning of a turn. */
static void put_zeros(struct counters *s, uint64_t at_ns, uint64_t error_ns)
{
	put_record(s, at_ns, PT_COUNTERS_ERROR, false, error_ns);
	for (unsigned i = 0; i < s->unit.events.places; i++) {
		unsigned at = pt_counters_in(&s->unit.events, s->unit.group, i);

		if (at < PT_COUNTERS_MOST_WANTED)
			put_record(s, at_ns, at, true, 0);
	}
	for (unsigned i = 0; i < s->unit.latencies.places; i++) {
		unsigned at = pt_counters_in(&s->unit.latencies, s->unit.group, i);

		for (unsigned item = 0; at < PT_COUNTERS_MOST_WANTED && item < 3; item++)
			put_record(s, at_ns, latency_number(s, at, item), true, 0);
	}
}

static void put_event(struct counters *s, const struct pt_counters_reading *r, unsigned wanted, const uint64_t *item)
{
	bool narrow = pt_counters_event_items(&s->unit) == 1;

	put_record(s, r->at_ns, wanted, false, narrow ? item[0] : item[0] << 32 | item[1]);
}

static void put_latency(struct counters *s, const struct pt_counters_reading *r, unsigned wanted, const uint64_t *item)
{
	bool narrow = pt_counters_latency_items(&s->unit) == 4;
	uint64_t least = narrow ? item[3] >> 16 : item[5], most = narrow ? item[3] & 0xffff : item[6];

	put_record(s, r->at_ns, latency_number(s, wanted, 0), false, item[0]);
	put_record(s, r->at_ns, latency_number(s, wanted, 1), false, narrow ? item[1] : item[1] << 32 | item[2]);
	put_record(s, r->at_ns, latency_number(s, wanted, 2), false, narrow ? item[2] : item[3] << 32 | item[4]);
	if (item[0] == 0)
		return; /* nothing was measured: there is no minimum */
	put_record(s, r->at_ns, latency_number(s, wanted, 3), false, least);
	put_record(s, r->at_ns, latency_number(s, wanted, 4), false, most);
}

/* False: sums of a latency have overflowed; the counters must restart. */
static bool put_reading(struct counters *s, const struct pt_counters_reading *r)
{
	const uint64_t *item = r->item;
	bool sound = true;

	put_record(s, r->at_ns, PT_COUNTERS_ERROR, false, r->error_ns);
	for (unsigned i = 0; i < s->unit.events.places; i++, item += pt_counters_event_items(&s->unit)) {
		unsigned at = pt_counters_in(&s->unit.events, s->unit.group, i);

		if (at < PT_COUNTERS_MOST_WANTED)
			put_event(s, r, at, item);
	}
	for (unsigned i = 0; i < s->unit.latencies.places; i++, item += pt_counters_latency_items(&s->unit)) {
		unsigned at = pt_counters_in(&s->unit.latencies, s->unit.group, i);
		uint64_t status = r->status[s->unit.events.places + i];

		s->full += (status & PT_PCSR_FULL) != 0;
		sound &= (status & PT_PCSR_OVERFLOW) == 0;
		if (at < PT_COUNTERS_MOST_WANTED && (status & PT_PCSR_OVERFLOW) == 0)
			put_latency(s, r, at, item);
	}
	return sound;
}

/* --- drain */

/* All counters read 0: finds out whether the core answers. The check ends the turn (*checked). Without a check:
 * counters that had counted cannot be back at 0, so the core is in reset; a silent core stays so until a counter is not
 * 0. */
static int look_for_core(struct counters *s, bool *answers, bool *checked, struct pt_err *err)
{
	*answers = !s->counted && !s->lease.silent;
	*checked = s->mb->design.check_counters;
	return *checked && pt_counters_unit_check(&s->unit, answers, err) < 0 ? err->code : 0;
}

static int turn(struct counters *s, struct pt_err *err)
{
	uint64_t at_ns = 0, error_ns = 0;
	bool answers = true, check = s->mb->design.check_counters;

	if (pt_mdm_select(s->mdm, s->core, err) < 0 ||
	    (s->lease.silent && check && pt_counters_unit_check(&s->unit, &answers, err) < 0))
		return err->code;
	if (!answers)
		return pt_mb_unit_silent(&s->lease, &s->out, pt_mdm_now_ns(s->mdm));
	if (check)
		pt_mb_unit_answers(&s->lease);
	if (pt_counters_unit_start(&s->unit, &at_ns, &error_ns, err) < 0)
		return err->code;
	s->running = true;
	s->counted = false;
	put_zeros(s, at_ns, error_ns);
	s->next_ns = at_ns + s->period_ns;
	return 0;
}

/* Restarts counting at zero, which was the last reading. */
static int go_on(struct counters *s, struct pt_err *err)
{
	uint64_t at_ns = 0, error_ns = 0;

	if (pt_counters_unit_start(&s->unit, &at_ns, &error_ns, err) < 0)
		return err->code;
	pt_emit_loss(&s->out, PT_LOSS_REARM, at_ns);
	s->next_ns = at_ns + s->period_ns;
	return 0;
}

/* All counters at zero: nothing has happened, or the core is in reset and the counts are lost. The check ends the turn.
 * > 0: the core does not answer; microseconds to wait. */
static int read_turn(struct counters *s, struct pt_err *err)
{
	struct pt_counters_reading r = { .at_ns = 0 };
	bool sound, checked = false, answers = true;

	if (pt_mdm_select(s->mdm, s->core, err) < 0 || pt_counters_unit_read(&s->unit, &r, err) < 0)
		return err->code;
	if (pt_counters_unit_is_zero(&s->unit, &r)) {
		if (look_for_core(s, &answers, &checked, err) < 0)
			return err->code;
	} else {
		s->counted = true;
		pt_mb_unit_answers(&s->lease);
	}
	sound = answers && put_reading(s, &r);
	if (answers)
		emit_records(s, r.at_ns);
	s->len_bytes = 0; /* a turn in which the core did not answer is dropped */
	s->next_ns = r.at_ns + s->period_ns;
	s->running = sound && s->unit.n_groups == 1;
	if (!s->running)
		s->unit.group = (s->unit.group + (s->unit.n_groups > 1)) % s->unit.n_groups;
	if (!answers)
		return pt_mb_unit_silent(&s->lease, &s->out, r.at_ns);
	return checked && s->running ? go_on(s, err) : 0;
}

static int failed(struct counters *s, int rc, struct pt_err *err)
{
	rc = pt_emit_failed(&s->out, pt_mdm_now_ns(s->mdm), rc == PT_EBUSY ? PT_EPROTO : rc);
	return rc < 0 && rc != PT_EINTERRUPTED ? pt_wrap(err, "counters") : rc;
}

static int one_drain(void *state, struct pt_err *err)
{
	struct counters *s = state;
	uint64_t now_ns = pt_mdm_now_ns(s->mdm), us;
	int rc = 0;

	if (s->held)
		return HELD_REST_US;
	if (s->running && now_ns < s->next_ns) {
		us = (s->next_ns - now_ns) / 1000 + 1;
		return us < MOST_REST_US ? (int)us : MOST_REST_US;
	}
	if (s->running)
		rc = read_turn(s, err);
	if (rc == 0 && !s->running)
		rc = turn(s, err);
	if (rc < 0)
		return failed(s, rc, err);
	pt_emit_works(&s->out, now_ns, false);
	return rc;
}

/* --- start */

static int available(struct pt_target *target, struct pt_err *err)
{
	const struct pt_mb *mb = target->state;

	if (pt_mdm_needs_running(&mb->mdm, err) < 0)
		return err->code;
	if (mb->design.n_events + mb->design.n_latencies == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "the core has no counters (mb.perf.events=0, mb.perf.latency=0)");
	return 0;
}

/* Lists the valid names, as far as the message has room. */
static int no_such(const char *word, size_t len, bool latency, struct pt_err *err)
{
	unsigned first = latency ? PT_MB_FIRST_LATENCY : 0, end = latency ? PT_MB_EVENTS : PT_MB_FIRST_LATENCY;
	char names[320] = "";
	size_t n = 0;

	for (unsigned i = first; i < end && n < sizeof(names); i++)
		if (latency || strchr(pt_mb_event_name[i], '.') == NULL)
			n += (size_t)snprintf(names + n, sizeof(names) - n, " %s", pt_mb_event_name[i]);
	return pt_fail(err, PT_EARG, "%s: there is no '%.*s'; there are numbers from %u to %u, and names:%s",
		       latency ? "latencies" : "events", len > 40 ? 40 : (int)len, word, first, end - 1, names);
}

static int read_list(struct pt_counters_wanted *w, const char *list, bool latency, unsigned places, struct pt_err *err)
{
	const char *what = latency ? "latencies" : "events";

	*w = (struct pt_counters_wanted){ .places = places };
	if (strcmp(list, "none") == 0)
		list = "";
	for (size_t len; *list != '\0'; list += len + (list[len] == ',')) {
		int event = pt_mb_event_find(list, len = strcspn(list, ","));

		if (event < 0 || (event >= PT_MB_FIRST_LATENCY) != latency)
			return no_such(list, len, latency, err);
		if (w->n == PT_COUNTERS_MOST_WANTED)
			return pt_fail(err, PT_EARG, "%s: more than %d", what, PT_COUNTERS_MOST_WANTED);
		w->event[w->n++] = (uint8_t)event;
	}
	if (places == 0 && !latency && w->n > 0)
		return pt_fail(err, PT_EARG, "events: the core has no event counters (mb.perf.events=0): events=none");
	if (places == 0)
		w->n = 0;
	return 0;
}

static int read_words(struct counters *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	const char *events = pt_params_text(setup->settings, &params[EVENTS]);
	const char *latencies = pt_params_text(setup->settings, &params[LATENCIES]);
	struct pt_counters_wanted *e = &s->unit.events, *l = &s->unit.latencies;
	const struct pt_mb_design *d = &s->mb->design;
	unsigned groups;

	if (read_list(e, events, false, d->n_events, err) < 0 || read_list(l, latencies, true, d->n_latencies, err) < 0)
		return err->code;
	if (d->counter_bits == 64 && !d->lat64)
		l->n = 0;	/* their layout is unknown; they are skipped as if they had 7 items */
	if (e->n + l->n == 0)
		return pt_fail(err, PT_EARG, "nothing to count: events=none and no latencies");
	groups = pt_counters_groups(l);
	if (e->n + PER_LATENCY * l->n > PT_COUNTERS_MOST_WANTED)
		return pt_fail(err, PT_EARG, "%u events and %u latencies (5 figures each) are more than %d", e->n, l->n,
			       PT_COUNTERS_MOST_WANTED);
	s->unit.n_groups = groups > pt_counters_groups(e) ? groups : pt_counters_groups(e);
	s->period_ns = pt_params_number(setup->settings, &params[PERIOD]);
	return 0;
}

struct lines {
	char text[10000];
	size_t len;
};

static void __attribute__((format(printf, 2, 3))) say(struct lines *l, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(l->text + l->len, sizeof(l->text) - l->len, fmt, args);
	va_end(args);
	l->len = n < 0 ? l->len : l->len + (size_t)n < sizeof(l->text) ? l->len + (size_t)n : sizeof(l->text) - 1;
}

static void say_latency(const struct counters *s, unsigned i, struct lines *l)
{
	static const char *const items[PER_LATENCY] = { "n", "sum", "squares", "min", "max" };

	for (unsigned item = 0; item < PER_LATENCY; item++) {
		unsigned n = latency_number(s, i, item);

		say(l, "counter.%u=%s.%s\ncounter.%u.bits=%u\ncounter.%u.note=event %u\n", n,
		    pt_mb_event_name[s->unit.latencies.event[i]], items[item], n, item == 0 ? 32 : s->unit.bits, n,
		    s->unit.latencies.event[i]);
		if (item >= 3)
			say(l, "counter.%u.kind=%s\n", n, item == 3 ? "least" : "most");
	}
}

static void say_counters(const struct counters *s, struct lines *l)
{
	uint64_t hz = s->mb->design.hz;

	for (unsigned i = 0; i < s->unit.events.n; i++) {
		say(l, "counter.%u=%s\ncounter.%u.bits=%u\ncounter.%u.note=event %u\n", i,
		    pt_mb_event_name[s->unit.events.event[i]], i, s->unit.bits, i, s->unit.events.event[i]);
		if (hz != 0)
			say(l, "counter.%u.max_hz=%" PRIu64 "\n", i, hz);
	}
	for (unsigned i = 0; i < s->unit.latencies.n; i++)
		say_latency(s, i, l);
}

static int emit_config(struct counters *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct lines l = { .len = 0 };
	char access[200];

	pt_mdm_describe(s->mdm, access, sizeof(access));
	say(&l, "source=counters\nmode=poll\ntick_hz=1000000000\nway=%s\ngroups=%u\ncounters=%u\n", access,
	    s->unit.n_groups, s->unit.events.n + PER_LATENCY * s->unit.latencies.n);
	say_counters(s, &l);
	say(&l, "cost=the core never halts; %s; %snumbers of the events, as in UG984 (not verified):",
	    s->unit.n_groups > 1 ? "counters take turns" : "all counters count all the time",
	    s->mb->design.check_counters ? "" : "not checked that there are any (mb.perf.check=off); ");
	for (unsigned i = 0; i < s->unit.events.n; i++)
		say(&l, " %u", s->unit.events.event[i]);
	for (unsigned i = 0; i < s->unit.latencies.n; i++)
		say(&l, " %u", s->unit.latencies.event[i]);
	say(&l, "\n");
	if (pt_emit_config(&s->out, setup, PT_FORMAT_COUNTERS, l.text, err) < 0)
		return err->code;
	pt_emit_clock(&s->out, s->out.told_ns, s->out.told_ns, 0); /* its timestamps use the probe's own clock */
	return 0;
}

static int stop_unit(struct counters *s, struct pt_err *err)
{
	if (pt_mdm_select(s->mdm, s->core, err) < 0 || pt_counters_unit_stop(&s->unit, err) < 0)
		return err->code;
	pt_mb_unit_ended(&s->lease);
	return 0;
}

static int find_unit(struct counters *s, struct pt_err *err)
{
	bool answers = false, checked;

	if (pt_mdm_select(s->mdm, s->core, err) < 0 || look_for_core(s, &answers, &checked, err) < 0)
		return err->code;
	return answers ? 0
		       : pt_fail(err, PT_EUNSUPPORTED,
				 "no performance counter answers (a mark written to the first one cannot be read "
				 "back): the core has none (C_DEBUG_EVENT_COUNTERS=0, C_DEBUG_ENABLED<2), or is "
				 "held in reset; one whose counters cannot be written wants mb.perf.check=off");
}

static int one_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	const struct pt_mdm_op end = pt_counters_unit_end();
	struct counters *s = state;
	struct pt_err ignored = { 0 };

	if (available(target, err) < 0)
		return err->code;
	s->mb = target->state;
	s->core = setup->core;
	s->mdm = &s->mb->mdm;
	s->unit.mdm = s->mdm;
	s->unit.written = &s->mb->written;
	s->unit.bits = s->mb->design.counter_bits;
	if (read_words(s, setup, err) < 0 || pt_mb_unit_take(&s->lease, s->mb, "counters", s->core, err) < 0)
		return err->code;
	pt_emit_init(&s->out, setup, pt_mdm_now_ns(s->mdm));
	if (find_unit(s, err) < 0)
		goto release;
	if (emit_config(s, setup, err) < 0 || pt_mb_look_at_core(s->mb, s->core, &s->out, &s->held, err) < 0)
		goto release;
	pt_mb_unit_begins(&s->lease, &end, 1);
	if (!s->held && turn(s, err) < 0) { /* else the turn begins when the core runs */
		stop_unit(s, &ignored);
		goto release;
	}
	return 0;
release:
	pt_mb_unit_drop(&s->lease);
	return err->code;
}

/* --- the rest */

/* Counters stop while the core is halted: they are read at the halt and again when it resumes, so that no rate includes
 * the time in between. */
static int one_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct counters *s = state;
	bool resumes = what == PT_STATE_RUN && s->held;
	uint64_t now_ns;

	(void)core;	/* the caller has checked the core */
	if (!s->held && s->running && what == PT_STATE_HALT && read_turn(s, err) < 0)
		s->running = false; /* counts since then are lost, and reported as lost */
	now_ns = pt_mdm_now_ns(s->mdm);
	pt_emit_loss(&s->out,
		     s->held		      ? PT_LOSS_HALTED
		     : what == PT_STATE_RESET ? PT_LOSS_RESET
					      : PT_LOSS_REARM,
		     now_ns);
	if (what == PT_STATE_HALT || what == PT_STATE_RUN)
		s->held = what == PT_STATE_HALT;
	if (what == PT_STATE_RESET)
		s->running = false; /* the next turn restarts the counters */
	pt_emit_state(&s->out, what, now_ns, pc);
	if (resumes && s->running && read_turn(s, err) < 0)
		s->running = false;
	return 0;
}

static int one_stop(void *state, struct pt_err *err)
{
	struct pt_err first = { 0 }, own = { 0 };
	struct counters *s = state;
	int rc = !s->out.ended && s->running && !s->held ? read_turn(s, &first) : 0;

	if (stop_unit(s, &own) < 0 && rc >= 0)
		rc = (first = own).code;
	if (s->full > 0)
		pt_warn("counters: %" PRIu64 " readings of latencies that overlapped: they are less accurate", s->full);
	pt_emit_rest(&s->out, pt_mdm_now_ns(s->mdm), rc, s->held ? PT_LOSS_HALTED : PT_LOSS_REARM);
	pt_emit_end(&s->out);
	pt_mb_unit_drop(&s->lease);
	if (rc < 0 && err != NULL)
		*err = first;
	return rc < 0 ? rc : 0;
}

/* For one core of the MDM. */
static const struct pt_mb_one one = {
	.ops = {
		.state_bytes = sizeof(struct counters),
		.available = available,
		.start = one_start,
		.drain = one_drain,
		.on_state = one_on_state,
		.stop = one_stop,
	},
};

static int counters_start(void *state, struct pt_target *target, const struct pt_source_setup *setup,
			  struct pt_err *err)
{
	return pt_mb_cores_start(state, &one, pt_params_text(setup->settings, &params[CORE]), target, setup, err);
}

static void explain(void (*each)(void *arg, const char *name, const char *meaning), void *arg)
{
	char meaning[80];

	for (int i = 0; i < PT_MB_EVENTS; i++) {
		snprintf(meaning, sizeof(meaning), "events=%s counts it: number %d in the table of UG984",
			 pt_mb_event_name[i], i);
		each(arg, pt_mb_event_name[i], meaning);
	}
}

const struct pt_source_ops pt_source_mb_counters = {
	.name = "counters",
	.format = PT_FORMAT_COUNTERS,
	.modes = "poll",
	.titles = "MDM counters",
	.explain = explain,
	.help = "events and latencies, counted by the core: CPI, stalls, cache rates; the core never halts",
	.state_bytes = sizeof(struct pt_mb_cores),
	.params = params,
	.n_params = N_PARAMS,
	.available = available,
	.start = counters_start,
	.drain = pt_mb_cores_drain,
	.on_state = pt_mb_cores_on_state,
	.stop = pt_mb_cores_stop,
};
