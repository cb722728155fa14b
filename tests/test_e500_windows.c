/* Windows of the e500's source counters: what is read, however late, is what the program had done when the hardware
 * froze all counters, to the last instruction; with an event that has come so often, and with the time base. */
#include "e500_counters_rig.h"
#include "probes/virtual/cpu/e500/core.h"
#include "trace/loss.h"
#include "targets/e500/trace/sources.h"

/* --- what the program had done, as the hardware let counters go and froze them */

enum { MOST_WINDOWS = 64, FAC_BIT = 31, FCECE = 0x20000000, TBEE = 0x100 };
static struct {
	bool frozen;
	uint64_t now[PT_VE500_EVENTS];			/* at the end of the last instruction */
	uint64_t begun[MOST_WINDOWS][PT_VE500_EVENTS], ended[MOST_WINDOWS][PT_VE500_EVENTS];
	unsigned n;
	uint32_t first;					/* of the counter that ends them */
} windows;

static bool counters_are_new(void)
{
	const struct pt_ve500_pm *pm = there.chip->pm;

	if ((pm->pmgc0 & FCECE) == 0)
		return false;
	for (unsigned n = 0; n < pm->n_pmcs; n++)
		if (pm->pmc[n] != 0 && pm->pmc[n] != windows.first && (pm->pmlca[n] >> FAC_BIT) == 0)
			return false;
	return true;
}

/* The time base rises while an instruction is under way, which is not counted then. A look by scratch code freezes,
 * too, and lets go again: then counters are not new. */
static void note_windows(void)
{
	bool frozen = there.chip->pm->pmgc0 >> FAC_BIT != 0;
	uint64_t before_it[PT_VE500_EVENTS];

	memcpy(before_it, windows.now, sizeof(before_it));
	for (unsigned event = 0; event < PT_VE500_EVENTS; event++)
		windows.now[event] = there.all[event] +
				     (there.ours ? 0 : pt_ve500_events(there.chip->cpu)[event] - there.base_all[event]);
	if (!frozen && windows.frozen && (!there.ours || counters_are_new()))
		memcpy(windows.begun[windows.n++ % MOST_WINDOWS], before_it, sizeof(before_it));
	if (frozen && !windows.frozen && windows.n > 0)
		memcpy(windows.ended[(windows.n - 1) % MOST_WINDOWS],
		       (there.chip->pm->pmgc0 & TBEE) != 0 ? before_it : windows.now, sizeof(windows.now));
	windows.frozen = frozen;
}

static struct pt_ve500_watcher real;

static bool note_step(void *arg, uint32_t msr)
{
	bool pending = real.step(arg, msr);

	note_windows();
	return pending;
}

/* From here on: a test that attaches begins with a core that counts nothing. */
static void watch_windows(void)
{
	struct pt_ve500_watcher mine;

	pthread_mutex_lock(&there.lock);
	real = mine = there.chip->cpu->watcher;
	mine.step = note_step;
	pt_ve500_set_watcher(there.chip->cpu, &mine);
	pthread_mutex_unlock(&there.lock);
}

/* --- windows */

static void check_window(const struct pt_e500_counting *c, unsigned window, unsigned counter, uint64_t value)
{
	unsigned event = event_number(c, counter);
	uint64_t want = windows.ended[window][event] - windows.begun[window][event];

	ck_assert_msg(value == want, "window %u, event %u: %llu, not %llu", window, event, (unsigned long long)value,
		      (unsigned long long)want);
}

/* The counters of each window as it ended, against what the program did until the instruction that ended it: with
 * turns, those of its turn. Returns how many. */
static unsigned check_windows(const struct pt_e500_counting *c)
{
	struct record record[PT_CHUNK_BYTES / PT_COUNTERS_BYTES];
	uint64_t value[PT_E500_COUNTED_MAX] = { 0 };
	bool counted[PT_E500_COUNTED_MAX] = { false };
	unsigned n_windows = 0, n_checked = 0;

	for (size_t at = 0; at < sink.n_chunks; at++) {
		size_t n =
			sink.chunk[at]->kind == PT_CHUNK_DATA ? records_of(sink.chunk[at], record, PT_LEN(record)) : 0;

		for (size_t i = 0; i < n; i++) {
			if (record[i].counter < c->n) {
				value[record[i].counter] = record[i].value;
				counted[record[i].counter] = true;
			}
			if (record[i].counter != c->n + 1 || record[i].value == n_windows)
				continue;
			ck_assert_uint_eq(record[i].value, n_windows + 1);
			for (unsigned k = 0; k < c->n; k++, n_checked += counted[k - 1], counted[k - 1] = false)
				if (counted[k])
					check_window(c, n_windows, k, value[k]);
			n_windows++;
		}
	}
	ck_assert_uint_le(windows.n, MOST_WINDOWS);
	ck_assert_uint_ge(windows.n, n_windows);
	return n_checked;
}

static const struct { const char *words[4]; uint32_t n; } until[] = {
	{ { "until=branches:700", "events=cycles,instructions,9", "period=1ms", "chain=off" }, 700 },
	{ { "until=cache-misses:1", "events=cache-misses,cycles,instructions,10", "period=1ms", "chain=off" }, 1 },
	{ { "until=cycles:20000", "events=2,8,9,10,12,15,41", "period=1ms", "chain=off" }, 20000 },	/* in turns */
	{ { "until=timebase", "events=cycles,instructions,branches,9", "period=1ms", "tbsel=8192" }, 0 },
};

static void check_all_windows(const char *const *source_words, uint32_t n_events, unsigned n_wanted)
{
	struct pt_err err = { .msg = "" };
	struct pt_e500_counting c;

	windows.first = UINT32_C(0x80000000) - n_events;
	start(source_words, 4);
	c = plan_of();
	for (unsigned at = 0; at < 400 && windows.n < n_wanted; at++) {
		int rc = pt_source_e500_counters.drain(state, &err);

		ck_assert_msg(rc >= 0, "%s", err.msg);
		if (rc > 0)
			usleep((useconds_t)rc);
	}
	pthread_mutex_lock(&there.lock);
	ck_assert_uint_ge(check_windows(&c), (n_wanted - 1) * (c.n_turns == 1 ? (unsigned)c.n : 4));
	ck_assert_uint_ge(windows.n, n_wanted);
	pthread_mutex_unlock(&there.lock);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_REARM), n_wanted - 1);
	stop();
}

START_TEST(windows_are_what_was_frozen)
{
	attach("modern", with_ram, PT_LEN(with_ram));
	watch_windows();
	ck_assert_int_eq(target->ops->resume(target->state, 0, &(struct pt_err){ 0 }), 0);
	check_all_windows(until[_i].words, until[_i].n, 12);
	ck_assert_uint_eq(there.n_changed, 0);
	leave();
}
END_TEST

/* From where it was last let go to where it ended, by its cycles at the clock that is given: rates are of that time.
 * Returns how many windows. */
static unsigned check_lengths(const struct pt_e500_counting *c, unsigned cycles_counter, double clock_hz)
{
	struct record record[PT_CHUNK_BYTES / PT_COUNTERS_BYTES];
	struct record from = { 0 }, to = { 0 };
	uint64_t n_windows = 0;

	for (size_t at = 0; at < sink.n_chunks; at++) {
		size_t n =
			sink.chunk[at]->kind == PT_CHUNK_DATA ? records_of(sink.chunk[at], record, PT_LEN(record)) : 0;

		for (size_t i = 0; i < n; i++) {
			if (record[i].counter == cycles_counter) {
				from = to;
				to = record[i];
			}
			if (record[i].counter != c->n + 1 || record[i].value == n_windows)
				continue;
			n_windows = record[i].value;
			ck_assert_double_eq_tol((double)(to.at_ns - from.at_ns),
						(double)(to.value - from.value) * 1e9 / clock_hz, 2);
		}
	}
	return (unsigned)n_windows;
}

START_TEST(windows_last_as_long_as_their_cycles)
{
	static const char *const target_words[] = { "e500.scratch=0x800000:0x200", "e500.clock_hz=1000000000" };
	static const char *const source_words[] = { "until=branches:70", "events=cycles,instructions", "period=1ms",
						    "chain=off" };
	struct pt_err err = { .msg = "" };
	struct pt_e500_counting c;

	attach("modern", target_words, PT_LEN(target_words));
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
	start(source_words, PT_LEN(source_words));
	c = plan_of();
	ck_assert_uint_eq(event_number(&c, 1), 1);
	for (unsigned n = 0; n < 4;) {
		size_t n_rearm = array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_REARM);

		drain();
		n += array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_REARM) > n_rearm;
	}
	ck_assert_uint_ge(check_lengths(&c, 1, 1e9), 2);
	stop();
	leave();
}
END_TEST

/* Through an e6500's debug space, while it runs: reading takes its time, and what is read is of one instruction. */
START_TEST(windows_are_read_while_it_runs)
{
	static const char *const board_words[] = { "core=e6500", "dcsr=on", NULL };
	static const char *const target_words[] = {
		"e500.core=e6500",
		"e500.dcsr.base=0xf1000000",
		"upstream-memory=running",
	};
	static const char *const source_words[] = { "until=branches:700", "events=1,2,9,10,15", "period=1ms",
						    "count=all" };

	attach_to("modern", board_words, target_words, PT_LEN(target_words));
	watch_windows();
	ck_assert_int_eq(target->ops->resume(target->state, 0, &(struct pt_err){ 0 }), 0);
	check_all_windows(source_words, 700, 12);
	ck_assert_uint_eq(e500->pm.at[0].cost.n_halts, 0);
	leave();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_windows");
	TCase *tc = tcase_create("windows");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, windows_are_what_was_frozen, 0, PT_LEN(until));
	tcase_add_test(tc, windows_last_as_long_as_their_cycles);
	tcase_add_test(tc, windows_are_read_while_it_runs);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
