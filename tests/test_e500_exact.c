/* What the source counters says of the virtual board's program is what its core counted itself, to the last one: each
 * event that it models, by scratch code while the demo runs; in turns, each turn; thresholds against what lasted how
 * long; chains that carry; and what was in the registers before is there again afterwards. */
#include "e500_counters_rig.h"
#include "probes/virtual/cpu/e500/core.h"
#include "trace/loss.h"
#include "targets/e500/trace/sources.h"

enum { READINGS = 8, MOST_CYCLES = 4096, THRESHOLDS = 6, FIRST_THRESHOLD = 76 };

static uint64_t before[PT_VE500_EVENTS];

/* --- how long things lasted, beside what the performance monitor makes of it */

static struct pt_ve500_watcher real;
static uint64_t lasting[THRESHOLDS][MOST_CYCLES];	/* up to now; */
static uint64_t lasted_so[THRESHOLDS][MOST_CYCLES], lasted_before[THRESHOLDS][MOST_CYCLES];	/* up to the last stop */

static void note_lasted(void *arg, unsigned event, uint32_t cycles, uint32_t msr)
{
	if (event >= FIRST_THRESHOLD && event < FIRST_THRESHOLD + THRESHOLDS && !there.ours)
		lasting[event - FIRST_THRESHOLD][cycles < MOST_CYCLES ? cycles : MOST_CYCLES - 1]++;
	real.lasted(arg, event, cycles, msr);
}

/* What happened in each state of the program: by MSR[PR], MSR[PMM]. */
static uint64_t by_state[4][PT_VE500_EVENTS], by_state_then[4][PT_VE500_EVENTS], event_then[PT_VE500_EVENTS];
static bool changes_state;

static bool note_step(void *arg, uint32_t msr)
{
	unsigned in = ((msr & PT_VE500_MSR_PR) != 0) * 2u + ((msr & PT_VE500_MSR_PMM) != 0);

	for (unsigned event = 0; changes_state && event < PT_VE500_EVENTS; event++) {
		uint64_t now = pt_ve500_events(there.chip->cpu)[event];

		if (!there.ours)
			by_state[in][event] += now - event_then[event];
		event_then[event] = now;
	}
	return real.step(arg, msr);
}

/* Which interrupts come and go as the program is stopped and let go. */
static enum { NONE, EXTERNAL, CRITICAL } interrupts;

static void note_stop(void)
{
	struct pt_ve500 *cpu = there.chip->cpu;
	static unsigned n;

	memcpy(lasted_so, lasting, sizeof(lasted_so));
	memcpy(by_state_then, by_state, sizeof(by_state_then));
	if (changes_state && ++n % 2 == 0)
		pt_ve500_set_reg(cpu, PT_VE500_MSR,
				 (pt_ve500_reg(cpu, PT_VE500_MSR) & ~(uint64_t)(PT_VE500_MSR_PR | PT_VE500_MSR_PMM)) |
					 (n & 4 ? PT_VE500_MSR_PR : 0) | (n & 8 ? PT_VE500_MSR_PMM : 0));
	if (interrupts == EXTERNAL)
		pt_ve500_set_external(cpu, ++n % 2 == 0);
	if (interrupts == CRITICAL) {
		pt_ve500_set_critical(cpu, ++n % 2 == 0);
		pt_ve500_set_reg(cpu, PT_VE500_MSR, pt_ve500_reg(cpu, PT_VE500_MSR) | PT_VE500_MSR_CE);
	}
}

/* The demo stays where something comes that it does not expect: here it returns, again and again while the line is
 * up. */
static void return_from_interrupts(void)
{
	const uint32_t *spr = there.chip->cpu->spr;
	uint32_t handler = (spr[SPR_IVPR] & 0xffff0000) | (spr[SPR_IVOR0 + PT_VE500_EXTERNAL] & 0xfff0);

	if (interrupts == NONE)
		return;
	pthread_mutex_lock(&there.lock);
	pt_put_be32(pt_e500_bytes(there.chip, handler, 4),
		    interrupts == EXTERNAL ? 0x4c000064 : 0x4c000066); /* rfi, rfci */
	pthread_mutex_unlock(&there.lock);
}

static void listen_to_thresholds(void)
{
	struct pt_ve500_watcher mine;

	pthread_mutex_lock(&there.lock);
	real = mine = there.chip->cpu->watcher;
	mine.lasted = note_lasted;
	mine.step = note_step;
	memcpy(event_then, pt_ve500_events(there.chip->cpu), sizeof(event_then));
	pt_ve500_set_watcher(there.chip->cpu, &mine);
	at_stop = note_stop;
	pthread_mutex_unlock(&there.lock);
}

static uint64_t longer_than(const uint64_t *lasted, int threshold)
{
	uint64_t n = 0;

	for (int cycles = threshold + 1; cycles < MOST_CYCLES; cycles++)
		n += lasted[cycles];
	return n;
}

/* --- the truth */

static void note_truth(void)
{
	memcpy(before, there.all, sizeof(before));
	memcpy(lasted_before, lasted_so, sizeof(lasted_before));
}

/* Not of the last stop, but of now. */
static void note_truth_now(void)
{
	note_truth();
	for (size_t i = 0; there.runs && i < PT_VE500_EVENTS; i++)
		before[i] += pt_ve500_events(there.chip->cpu)[i] - there.base_all[i];
}

/* What the program did since note_truth(). */
static uint64_t truth_of(unsigned event, int threshold)
{
	if (event < FIRST_THRESHOLD || event >= FIRST_THRESHOLD + THRESHOLDS)
		return there.all[event] - before[event];
	return longer_than(lasted_so[event - FIRST_THRESHOLD], threshold) -
	       longer_than(lasted_before[event - FIRST_THRESHOLD], threshold);
}

static void begin(const char *const *source_words, size_t n)
{
	struct pt_err err = { .msg = "" };

	attach("modern", with_ram, PT_LEN(with_ram));
	listen_to_thresholds();
	return_from_interrupts();
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
	start(source_words, n);
	pthread_mutex_lock(&there.lock);
	note_truth();
	pthread_mutex_unlock(&there.lock);
}

/* --- one turn: values since the beginning */

/* The n-th four of the events that the model counts: 9 and a rest. */
static size_t four_events(int n, char *word, size_t room)
{
	size_t len = (size_t)snprintf(word, room, "events="), found = 0;

	for (unsigned event = 1; event < PT_VE500_EVENTS; event++) {
		if (!pt_ve500_counts(PT_VE500_CORE_V2, event) || found++ / 4 != (size_t)n)
			continue;
		len += (size_t)snprintf(word + len, room - len, "%u,", event);
	}
	if (word[len - 1] == ',')
		word[len - 1] = '\0';
	return found;
}

static void check_values(const struct pt_e500_counting *c)
{
	struct record record[64];
	size_t n = records_of(last_data(), record, PT_LEN(record)), n_checked = 0;

	pthread_mutex_lock(&there.lock);
	for (size_t i = n; i-- > 0 && n_checked < c->n; n_checked++) {
		unsigned event = event_number(c, record[i].counter);
		uint64_t want = truth_of(event, c->counted[record[i].counter].threshold);

		ck_assert_msg(record[i].value == want, "event %u: %llu, not %llu", event,
			      (unsigned long long)record[i].value, (unsigned long long)want);
	}
	pthread_mutex_unlock(&there.lock);
	ck_assert_uint_eq(n_checked, c->n);
}

START_TEST(each_event_is_the_models_own)
{
	char events_word[80];
	const char *const source_words[] = { events_word, "period=1ms", "chain=off" };
	struct pt_e500_counting c;

	if (four_events(_i, events_word, sizeof(events_word)) <= (size_t)_i * 4)
		return;
	begin(source_words, PT_LEN(source_words));
	c = plan_of();
	for (unsigned i = 0; i < READINGS; i++) {
		drain();
		check_values(&c);
	}
	stop();
	pthread_mutex_lock(&there.lock);
	ck_assert_uint_eq(there.n_changed, 0);
	pthread_mutex_unlock(&there.lock);
	leave();
}
END_TEST

/* When the core is let go nothing answers: each such moment is as uncertain as the slowest stop so far was. */
START_TEST(a_resume_is_as_uncertain_as_the_slowest_stop)
{
	static const char *const source_words[] = { "events=cycles", "period=1ms", "chain=off" };
	uint64_t error_ns, slowest_ns = 0;
	unsigned n = 0;

	begin(source_words, PT_LEN(source_words));
	for (unsigned i = 0; i < 4 * READINGS; i++)
		drain();
	for (size_t i = 0; i < sink.n_chunks; i++) {
		const struct pt_chunk *chunk = sink.chunk[i];

		for (uint32_t at = 0; chunk->kind == PT_CHUNK_DATA && at < chunk->len_bytes; at += PT_COUNTERS_BYTES) {
			if (pt_le16(chunk->bytes + at + PT_COUNTERS_COUNTER) != PT_COUNTERS_ERROR)
				continue;
			error_ns = pt_le64(chunk->bytes + at + PT_COUNTERS_READING);
			if (n++ % 2 == 0)	/* as it was read: half of what the stop took */
				slowest_ns = 2 * error_ns > slowest_ns ? 2 * error_ns : slowest_ns;
			else
				ck_assert_uint_eq(error_ns, slowest_ns);
		}
	}
	ck_assert_uint_gt(n, 2 * READINGS);
	stop();
	leave();
}
END_TEST

START_TEST(thresholds_are_the_models_own)
{
	static const char *const lists[][3] = {
		{ "events=76@0,76@19", "period=1ms", "chain=off" }, { "events=76@20,77@11", "period=1ms", "chain=off" },
		{ "events=77@3x4,1,2,76@19x1", "period=1ms", "chain=off" },
	};
	struct pt_e500_counting c;

	begin(lists[_i], 3);
	c = plan_of();
	for (unsigned i = 0; i < READINGS; i++) {
		drain();
		check_values(&c);
	}
	pthread_mutex_lock(&there.lock);
	ck_assert_uint_gt(truth_of(76, 19), 100);
	ck_assert_uint_eq(truth_of(76, 20), 0);
	pthread_mutex_unlock(&there.lock);
	stop();
	leave();
}
END_TEST

START_TEST(latencies_are_the_models_own)
{
	static const char *const lists[][3] = {
		{ "events=78@0,78@8,87,86", "period=1ms", "chain=off" }, { "events=80@12x2,78@9,88,1", "period=1ms", "chain=off" },
		{ "events=79@0,81@31x1", "period=1ms", "chain=off" },
	};
	struct pt_e500_counting c;

	interrupts = _i < 2 ? EXTERNAL : CRITICAL;
	begin(lists[_i], 3);
	c = plan_of();
	for (unsigned i = 0; i < 2 * READINGS; i++) {
		drain();
		check_values(&c);
	}
	pthread_mutex_lock(&there.lock);
	ck_assert_uint_gt(truth_of(_i < 2 ? 87 : 88, -1), 0);
	ck_assert_uint_gt(truth_of(_i < 2 ? 78 : 81, 0), 0);
	pthread_mutex_unlock(&there.lock);
	stop();
	leave();
}
END_TEST

/* The states of facts 2.5 in which the code that reads is not counted, of a program that goes through all four. */
static const struct { const char *word; bool in[4]; } counted_in[] = {
	{ "count=unmarked", { true, false, true, false } }, { "count=unmarked-user", { false, false, true, false } },
	{ "count=unmarked-supervisor", { true, false, false, false } },
};

START_TEST(states_are_told_apart)
{
	const char *const source_words[] = { "events=1,2,9,12", "period=1ms", "chain=off", counted_in[_i].word };
	uint64_t first[4][PT_VE500_EVENTS], want;
	struct record record[64];
	struct pt_e500_counting c;
	size_t n;

	changes_state = true;
	begin(source_words, PT_LEN(source_words));
	pthread_mutex_lock(&there.lock);
	memcpy(first, by_state_then, sizeof(first));
	pthread_mutex_unlock(&there.lock);
	c = plan_of();
	for (unsigned i = 0; i < 4 * READINGS; i++) {
		drain();
		n = records_of(last_data(), record, PT_LEN(record));
		pthread_mutex_lock(&there.lock);
		if (record[n - 1].value == 0)		/* in user mode nothing can be set up: it begins only now */
			memcpy(first, by_state_then, sizeof(first));
		for (size_t k = n - c.n; k < n; k++) {
			unsigned event = event_number(&c, record[k].counter);

			want = 0;
			for (unsigned in = 0; in < 4; in++)
				want += counted_in[_i].in[in] ? by_state_then[in][event] - first[in][event] : 0;
			ck_assert_msg(record[k].value == want, "event %u: %llu, not %llu", event,
				      (unsigned long long)record[k].value, (unsigned long long)want);
		}
		pthread_mutex_unlock(&there.lock);
	}
	pthread_mutex_lock(&there.lock);
	for (unsigned in = 0; in < 4; in++)
		ck_assert_uint_gt(by_state_then[in][2], first[in][2]);
	pthread_mutex_unlock(&there.lock);
	stop();			/* in user mode registers cannot be put back, until it is in supervisor code again */
	pthread_mutex_lock(&there.lock);
	for (unsigned pmc = 0; pmc < 4; pmc++) {
		uint32_t pmlca = 1;

		ck_assert(pt_ve500_pm_read(there.chip->pm, PT_E500_PMLCA0 + pmc, &pmlca) && pmlca == 0);
	}
	pthread_mutex_unlock(&there.lock);
	leave();
}
END_TEST

static void leave_user_mode(void)
{
	static unsigned n;
	struct pt_ve500 *cpu = there.chip->cpu;

	if (++n == 3)
		pt_ve500_set_reg(cpu, PT_VE500_MSR, pt_ve500_reg(cpu, PT_VE500_MSR) & ~(uint64_t)PT_VE500_MSR_PR);
}

static void begin_in_user_mode(const char *const *source_words, size_t n)
{
	struct pt_err err = { .msg = "" };

	attach("modern", with_ram, PT_LEN(with_ram));
	listen_to_thresholds();
	pthread_mutex_lock(&there.lock);
	pt_ve500_set_reg(there.chip->cpu, PT_VE500_MSR, pt_ve500_reg(there.chip->cpu, PT_VE500_MSR) | PT_VE500_MSR_PR);
	pthread_mutex_unlock(&there.lock);
	start(source_words, n);
	ck_assert_int_gt(pt_source_e500_counters.drain(state, &err), 0);
}

/* Halted in user mode nothing can be set up: that is done when it has gone on into supervisor code. Until then nothing
 * was observed. */
START_TEST(begins_at_a_halt_in_user_mode)
{
	static const char *const source_words[] = { "events=1,2,9,12", "period=1ms", "chain=off" };
	struct record record[64];
	struct pt_err err = { .msg = "" };
	struct pt_e500_counting c;

	begin_in_user_mode(source_words, PT_LEN(source_words));
	c = plan_of();
	at_stop = leave_user_mode;
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
	ck_assert_int_eq(pt_source_e500_counters.on_state(state, PT_STATE_RUN, 0, PT_UNKNOWN, &err), 0);
	drain();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 2);	/* the set-up's own, too */
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_NOT_ARMED), 1);
	ck_assert_uint_gt(records_of(last_data(), record, PT_LEN(record)), 0);
	ck_assert_uint_eq(record[0].value, 0);
	pthread_mutex_lock(&there.lock);
	note_truth();
	pthread_mutex_unlock(&there.lock);
	for (unsigned i = 0; i < READINGS; i++) {
		drain();
		check_values(&c);
	}
	stop();
	leave();
}
END_TEST

/* And put back nothing: what was not changed needs no supervisor code. */
START_TEST(ends_at_a_halt_in_user_mode)
{
	static const char *const source_words[] = { "events=1,2,9,12", "period=1ms", "chain=off" };

	begin_in_user_mode(source_words, PT_LEN(source_words));
	stop();
	leave();
}
END_TEST

/* --- turns: each by itself */

/* A chunk ends with the values of the old turn and the zeros of the new one. */
static size_t check_turn(const struct pt_e500_counting *c)
{
	struct record record[64];
	size_t n = records_of(last_data(), record, PT_LEN(record)), n_zeros = 0, n_values = 0;

	while (n > 0 && record[n - 1].resumes) {
		ck_assert_uint_eq(record[n - 1].value, 0);
		n_zeros++;
		n--;
	}
	ck_assert_uint_gt(n_zeros, 0);
	for (size_t i = n / 2; i < n; i++, n_values++)	/* the first half is where they went on behind the halt */
		ck_assert_msg(record[i].value == truth_of(event_number(c, record[i].counter), -1),
			      "event %u: %llu, not %llu", event_number(c, record[i].counter),
			      (unsigned long long)record[i].value,
			      (unsigned long long)truth_of(event_number(c, record[i].counter), -1));
	return n_values;
}

START_TEST(each_turn_is_the_models_own)
{
	static const char *const source_words[] = {
		"events=cycles,instructions,branches,BTB_HITS,60,41,9,10,15,66,3,12:u", "period=1ms", "turns=whole",
	};
	size_t n_values = 0;
	struct pt_e500_counting c;

	begin(source_words, PT_LEN(source_words));
	c = plan_of();
	ck_assert_uint_ge(c.n_turns, 3);
	ck_assert_str_eq(c.counted[c.n - 1].name, "BRANCHES_FINISHED:u");
	c.want[c.n - 1].event = pt_e500_event_numbered(PT_E500_V2, 0);	/* the demo has no user mode */
	for (unsigned i = 0; i < 5 * READINGS; i++) {
		drain();
		pthread_mutex_lock(&there.lock);
		n_values += check_turn(&c);
		note_truth();
		pthread_mutex_unlock(&there.lock);
	}
	ck_assert_uint_ge(n_values, 4 * 5 * READINGS);
	stop();
	pthread_mutex_lock(&there.lock);
	ck_assert_uint_eq(there.n_changed, 0);
	pthread_mutex_unlock(&there.lock);
	leave();
}
END_TEST

/* --- chains */

START_TEST(chains_carry)
{
	static const char *const source_words[] = { "events=instructions:c,cycles:c", "period=1ms" };
	enum { JUST_BEFORE = 0xfffff000u };
	struct pt_e500_counting c;
	struct record record[64];
	size_t n, n_carried = 0;

	begin(source_words, PT_LEN(source_words));
	c = plan_of();
	for (unsigned round = 0; round < READINGS; round++) {
		drain();
		pthread_mutex_lock(&there.lock);	/* it runs, but only from one packet to the next */
		for (size_t i = 0; i < c.n_places; i++) {
			pt_ve500_pm_write(there.chip->pm, PT_E500_PMC0 + c.place[i].pmc, JUST_BEFORE);
			pt_ve500_pm_write(there.chip->pm, PT_E500_PMC0 + c.place[i].high_pmc, round);
		}
		note_truth_now();
		pthread_mutex_unlock(&there.lock);
		for (unsigned again = 0; again < 3; again++) {
			drain();
			n = records_of(last_data(), record, PT_LEN(record));
			pthread_mutex_lock(&there.lock);
			for (size_t i = n - 2; i < n; i++) {
				uint64_t want = ((uint64_t)round << 32) + JUST_BEFORE +
						truth_of(event_number(&c, record[i].counter), -1);

				ck_assert_uint_eq(record[i].value, want);
				n_carried += record[i].value >> 32 > round;
			}
			pthread_mutex_unlock(&there.lock);
		}
	}
	ck_assert_uint_gt(n_carried, READINGS);
	stop();
	leave();
}
END_TEST

/* While the core runs, through an e6500's debug space: each value is one that the chain had while it was read. */
START_TEST(chains_are_whole_while_they_run)
{
	static const char *const board_words[] = { "core=e6500", "dcsr=on", NULL };
	static const char *const target_words[] = {
		"e500.core=e6500", "e500.dcsr.base=0xf1000000", "upstream-memory=running",
	};
	static const char *const source_words[] = { "events=instructions:c,cycles:c", "period=1ms" };
	enum { NEAR = 2000 };
	uint64_t base = 0, before_low, after;
	struct pt_err err = { .msg = "" };
	struct record record[64];
	struct pt_e500_counting c;
	size_t n, n_carried = 0;

	attach_to("modern", board_words, target_words, PT_LEN(target_words));
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
	start(source_words, PT_LEN(source_words));
	c = plan_of();
	for (unsigned round = 0; round < 10 * READINGS; round++) {
		pthread_mutex_lock(&there.lock);
		for (size_t i = 0; i < c.n_places; i++) {
			pt_ve500_pm_write(there.chip->pm, PT_E500_PMC0 + c.place[i].pmc,
					  UINT32_MAX - round * 37 % NEAR);
			pt_ve500_pm_write(there.chip->pm, PT_E500_PMC0 + c.place[i].high_pmc, round);
		}
		base = pt_ve500_events(there.chip->cpu)[2];
		pthread_mutex_unlock(&there.lock);
		drain();
		n = records_of(last_data(), record, PT_LEN(record));
		before_low = ((uint64_t)round << 32) + (UINT32_MAX - round * 37 % NEAR);
		pthread_mutex_lock(&there.lock);
		after = before_low + pt_ve500_events(there.chip->cpu)[2] - base;
		pthread_mutex_unlock(&there.lock);
		for (size_t i = n - 2; i < n; i++)
			if (record[i].counter == 0) {
				ck_assert_uint_ge(record[i].value, before_low);
				ck_assert_uint_le(record[i].value, after);
				n_carried += record[i].value >> 32 > round;
			}
	}
	ck_assert_uint_gt(n_carried, READINGS);
	ck_assert_uint_eq(e500->pm.at[0].cost.n_halts, 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 0);
	stop();
	leave();
}
END_TEST

/* --- a reset that nobody tells of */

static const char *const reset_words[][2] = {
	{ "events=cycles,instructions", "chain=off" }, { "events=cycles,instructions", "chain=on" },
	{ "events=cycles:c,instructions,branches,9,10,41", "turns=fewest" },
	{ "events=cycles", "until=instructions:2000" },
};

/* The packet that lets it go on may still be on its way. */
static void reset_while_it_runs(void)
{
	bool done = false;

	while (!done) {
		pthread_mutex_lock(&there.lock);
		done = pt_ve500_state(there.chip->cpu) == PT_VE500_RUN && !there.ours;
		if (done)
			pt_e500_reset(there.chip, false);
		pthread_mutex_unlock(&there.lock);
		usleep(1000);
	}
}

/* Counters that have gone back have not lapped: what they counted up to the reset is a loss, they are set up anew, and
 * no counter ever has more than the core's cycles, twice that of instructions. */
START_TEST(a_reset_is_seen)
{
	const char *const source_words[] = { reset_words[_i][0], reset_words[_i][1], "period=1ms" };
	bool counted = false;
	struct record record[64];
	size_t n;

	begin(source_words, PT_LEN(source_words));
	for (unsigned i = 0; i < 4; i++)
		drain();
	reset_while_it_runs();
	for (unsigned i = 0; i < 12; i++) {
		drain();
		n = records_of(last_data(), record, PT_LEN(record));
		pthread_mutex_lock(&there.lock);
		for (size_t k = 0; k < n; k++) {
			ck_assert_uint_le(record[k].value, 2 * pt_ve500_events(there.chip->cpu)[1] + 2);
			counted |= i > 6 && record[k].value > 0;
		}
		pthread_mutex_unlock(&there.lock);
	}
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_RESET), 1);
	ck_assert(counted);
	stop();
	leave();
}
END_TEST

/* --- what was there before */

START_TEST(registers_are_as_they_were)
{
	static const char *const source_words[] = { "events=cycles,instructions,branches,76@40,78@100", "period=1ms" };
	struct pt_e500_op ops[PT_E500_PMRS_MAX];
	struct pt_err err = { .msg = "" };
	size_t n = pt_e500_all_pmrs(PT_E500_V2, ops);

	attach("modern", with_ram, PT_LEN(with_ram));
	pthread_mutex_lock(&there.lock);
	for (size_t i = 0; i < n; i++) {	/* what each has room for, all of it standing still */
		ops[i].value = ops[i].pmr == PT_E500_PMGC0    ? 0x80001100
			       : ops[i].pmr >= PT_E500_PMLCB0 ? 0x705 + (uint32_t)i
			       : ops[i].pmr >= PT_E500_PMLCA0 ? 0xa4000000 + ((uint32_t)i << 16)
							      : 0x70001000 + (uint32_t)i;
		ck_assert(pt_ve500_pm_write(there.chip->pm, ops[i].pmr, ops[i].value));
	}
	pthread_mutex_unlock(&there.lock);
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
	start(source_words, PT_LEN(source_words));
	for (unsigned i = 0; i < READINGS; i++)
		drain();
	stop();
	ck_assert_int_eq(target->ops->halt(target->state, 0, &err), 0);
	pthread_mutex_lock(&there.lock);
	for (size_t i = 0; i < n; i++) {
		uint32_t now = 0;

		ck_assert(pt_ve500_pm_read(there.chip->pm, ops[i].pmr, &now));
		ck_assert_msg(now == ops[i].value, "PMR %u: 0x%08x, not 0x%08x", ops[i].pmr, now, ops[i].value);
	}
	pthread_mutex_unlock(&there.lock);
	ck_assert_uint_eq(there.n_changed, 0);
	leave();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_exact");
	TCase *tc = tcase_create("exact");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, each_event_is_the_models_own, 0, 12);
	tcase_add_test(tc, a_resume_is_as_uncertain_as_the_slowest_stop);
	tcase_add_loop_test(tc, thresholds_are_the_models_own, 0, 3);
	tcase_add_loop_test(tc, latencies_are_the_models_own, 0, 3);
	tcase_add_test(tc, begins_at_a_halt_in_user_mode);
	tcase_add_test(tc, ends_at_a_halt_in_user_mode);
	tcase_add_loop_test(tc, states_are_told_apart, 0, PT_LEN(counted_in));
	tcase_add_test(tc, each_turn_is_the_models_own);
	tcase_add_loop_test(tc, a_reset_is_seen, 0, PT_LEN(reset_words));
	tcase_add_test(tc, chains_carry);
	tcase_add_test(tc, chains_are_whole_while_they_run);
	tcase_add_test(tc, registers_are_as_they_were);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
