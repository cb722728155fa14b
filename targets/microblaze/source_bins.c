/* The source bins: the core's own histogram of its program counter, which counts every clock cycle or every
 * instruction. It is not intrusive.
 *
 * Three modes: `live` reads the buffer every period while it counts, so the bins of one reading are read at different
 * times (the duration is reported); `snapshot` stops counting for a reading, which is unobserved time; `end` reads it
 * once. The trace gets what each bin has counted since its previous reading: sums of bins are exact in each mode. A bin
 * that reads less than before has wrapped, if there was time for that; one that reads its maximum is full (whether it
 * stops there or wraps is not verified). Source: UG984, "Non-Intrusive Profiling"; the options are those of XSDB's
 * mbprofile (UG1725). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/door.h"
#include "targets/microblaze/microblaze.h"
#include "trace/formats.h"
#include "base/util.h"

enum { STEP_NS = 25000000, FEWEST_BINS = 16, MOST_BINS = 1024, HELD_REST_US = 200000, MOST_REST_US = 100000 };
enum { RETRIES = 100, LOCK_WAIT_US = 20000 };

enum {
	MODE, COUNT, LOW, HIGH, BIN_BYTES, CUMULATE, PERIOD, TRIGGER, START_INPUT, START_OUTPUT, STOP_INPUT,
	STOP_OUTPUT, CORE, N_PARAMS
};
static const struct pt_param params[] = {
	[MODE] = { "mode", PT_PARAM_CHOICE, "live", "live|snapshot|end", 0, 0,
		   "when the bins are read: live: while they count; snapshot: counting stops for each reading; end: once" },
	[COUNT] = { "count", PT_PARAM_CHOICE, "cycles", "cycles|instructions", 0, 0,
		    "what is counted (mbprofile -count-instr)" },
	[LOW] = { "low", PT_PARAM_NUMBER, NULL, NULL, 0, 0,
		  "first address that is counted; else the program's code (-low)" },
	[HIGH] = { "high", PT_PARAM_NUMBER, NULL, NULL, 0, 0,
		   "last address that is counted; else the program's code (-high)" },
	[BIN_BYTES] = { "bin-bytes", PT_PARAM_NUMBER, NULL, NULL, 4, UINT32_MAX,
			"bytes of code in a bin, a power of two; else as few as the range allows" },
	[CUMULATE] = { "cumulate", PT_PARAM_FLAG, "off", NULL, 0, 0,
		       "do not clear the buffer: add to what it holds (-cumulate)" },
	[PERIOD] = { "period", PT_PARAM_TIME, "500ms", NULL, 10000000, UINT64_C(3600000000000),
		     "live and snapshot: from one reading to the next" },
	[TRIGGER] = { "trigger", PT_PARAM_CHOICE, "control", "control|cross", 0, 0,
		      "who starts and stops counting: the profile itself, or cross triggers of the MDM" },
	[START_INPUT] = { "start-input", PT_PARAM_NUMBER, "0", NULL, 0, 7, "cross: the trigger input that starts" },
	[START_OUTPUT] = { "start-output", PT_PARAM_NUMBER, "7", NULL, 0, 7,
			   "cross: the core's action that starts (not verified)" },
	[STOP_INPUT] = { "stop-input", PT_PARAM_NUMBER, "1", NULL, 0, 7, "cross: the trigger input that stops" },
	[STOP_OUTPUT] = { "stop-output", PT_PARAM_NUMBER, "6", NULL, 0, 7,
			  "cross: the core's action that stops (not verified)" },
	[CORE] = PT_MB_CORE_PARAM,
};

enum mode { LIVE, SNAPSHOT, END };

struct bins {
	struct pt_mb *mb;
	struct pt_bins_unit unit;
	struct pt_emit out;
	enum mode mode;
	unsigned core;			/* of the MDM */
	bool cross, held, crossed;
	unsigned start_output, stop_output;
	uint64_t period_ns, next_ns, last_ns;	/* period of readings; when the next is due, and the last ended */
	uint64_t off_ns;		/* when counting ended; 0: it goes on, or the time is not to be reported */
	bool reading;			/* a reading is under way */
	bool stopped;			/* for it */
	bool read_held;			/* read since the core was halted: nothing more to read */
	uint32_t at;			/* next of the used bins */
	uint32_t locked;		/* consecutive tries that found the access lock taken */
	uint64_t last[PT_BINS_MOST];	/* last value of each bin */
	uint32_t hottest;		/* the bin with the largest of these */
	uint64_t values[MOST_BINS];
	uint8_t bytes[PT_CHUNK_BYTES];
	size_t len_bytes;
	struct pt_mb_unit lease;
};

/* --- a reading */

static void put_record(struct bins *s, uint64_t address, uint64_t hits)
{
	pt_put_le64(s->bytes + s->len_bytes + PT_BINS_ADDRESS, address);
	pt_put_le64(s->bytes + s->len_bytes + PT_BINS_HITS, hits);
	s->len_bytes += PT_BINS_BYTES;
}

static void emit_records(struct bins *s, uint64_t to_ns)
{
	pt_emit_data(&s->out, s->out.told_ns, to_ns, s->bytes, s->len_bytes);
	s->len_bytes = 0;
}

/* A bin counts at most once a cycle. */
static bool can_have_wrapped(const struct bins *s, uint64_t now_ns)
{
	double hz = s->mb->design.hz != 0 ? (double)s->mb->design.hz : 1e9;

	return (double)(now_ns - s->last_ns) / 1e9 * hz >= (double)(PT_BIN_FULL / 2);
}

/* Hits since the previous reading. */
static uint64_t gained(struct bins *s, uint32_t i, uint64_t value, uint64_t now_ns)
{
	uint64_t before = s->last[i];

	if (value >= before)
		return value - before;
	if (can_have_wrapped(s, now_ns))
		return value + PT_BIN_FULL + 1 - before;
	return value; /* the bin was cleared meanwhile */
}

static void take(struct bins *s, uint32_t first, uint32_t n, uint64_t now_ns)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t bin = first + i;
		uint64_t address = pt_bins_unit_address(&s->unit, bin), hits = gained(s, bin, s->values[i], now_ns);
		bool full = s->values[i] == PT_BIN_FULL, asked = address >= s->unit.from && address <= s->unit.high;

		if (s->len_bytes + 3 * PT_BINS_BYTES > sizeof(s->bytes)) /* two here, one at the end */
			emit_records(s, now_ns);
		if (asked && hits > 0)
			put_record(s, address, hits);
		if (asked && full && (hits > 0 || s->mode == END))
			put_record(s, address, PT_UNKNOWN);
		s->last[bin] = s->values[i];
		if (s->values[i] > s->last[s->hottest])
			s->hottest = bin;
	}
}

/* Number of consecutive bins to read; a part ends at the buffer's last bin. */
static uint32_t part_size(const struct bins *s)
{
	uint32_t left = s->unit.n_used - s->at, to_end = s->unit.n_bins - pt_bins_unit_used(&s->unit, s->at);
	uint64_t n = STEP_NS / s->unit.ns_per_bin;

	n = n < FEWEST_BINS ? FEWEST_BINS : n > MOST_BINS ? MOST_BINS : n;
	left = left < to_end ? left : to_end;
	return n < left ? (uint32_t)n : left;
}

/* A core in reset reads 0, whatever its bins hold. These zeros must not be taken for cleared bins: the values would be
 * counted again after the reset. */
static int look_for_core(struct bins *s, bool *answers, struct pt_err *err)
{
	uint64_t value = 0;

	*answers = true;
	if (s->last[s->hottest] == 0)
		return 0;
	if (pt_bins_unit_read(&s->unit, s->hottest, 1, &value, err) < 0)
		return err->code;
	*answers = value != 0;
	return 0;
}

static int begin_reading(struct bins *s, struct pt_err *err)
{
	if (s->mode == SNAPSHOT && !s->stopped && pt_bins_unit_enable(&s->unit, false, err) < 0)
		return err->code;
	if (!s->stopped && !s->held)
		emit_records(s,
			     pt_mdm_now_ns(s->unit.mdm)); /* everything was counted up to here: a reading is a chunk */
	s->stopped = s->mode == SNAPSHOT;
	s->reading = true;
	s->at = 0;
	return 0;
}

static int end_reading(struct bins *s, struct pt_err *err)
{
	uint64_t now_ns = pt_mdm_now_ns(s->unit.mdm);

	put_record(s, s->unit.from, 0);
	s->reading = false;
	s->read_held = s->held;
	s->last_ns = now_ns;
	s->next_ns = now_ns + s->period_ns;
	if (s->stopped || s->held) {
		if (s->stopped && !s->cross && pt_bins_unit_enable(&s->unit, true, err) < 0)
			return err->code;
		s->stopped = false;
		emit_records(s, s->out.told_ns);
		pt_emit_loss(&s->out, s->held ? PT_LOSS_HALTED : PT_LOSS_REARM, now_ns);
		return 0;
	}
	emit_records(s, now_ns);
	return 0;
}

static int read_part(struct bins *s, struct pt_err *err)
{
	uint32_t n = part_size(s), first = pt_bins_unit_used(&s->unit, s->at);

	if (pt_bins_unit_read(&s->unit, first, n, s->values, err) < 0)
		return err->code;
	take(s, first, n, s->stopped || s->held ? s->out.told_ns : pt_mdm_now_ns(s->unit.mdm));
	s->at += n;
	return s->at == s->unit.n_used ? end_reading(s, err) : 0;
}

/* --- drain */

/* Another debugger may hold the lock briefly; if it does so for long, this is an error. */
static int failed(struct bins *s, int rc, struct pt_err *err)
{
	if (rc == PT_EBUSY && ++s->locked < RETRIES)
		return LOCK_WAIT_US;
	rc = pt_emit_failed(&s->out, pt_mdm_now_ns(s->unit.mdm), rc == PT_EBUSY ? PT_EPROTO : rc);
	return rc < 0 && rc != PT_EINTERRUPTED ? pt_wrap(err, "bins") : rc;
}

static int rest_us(const struct bins *s, uint64_t now_ns)
{
	uint64_t us = s->next_ns > now_ns ? (s->next_ns - now_ns) / 1000 + 1 : 1;

	return us < MOST_REST_US ? (int)us : MOST_REST_US;
}

/* > 0: the core does not answer; microseconds to wait. */
static int next_reading(struct bins *s, uint64_t now_ns, struct pt_err *err)
{
	bool answers;

	if (look_for_core(s, &answers, err) < 0)
		return err->code;
	if (!answers)
		return pt_mb_unit_silent(&s->lease, &s->out, now_ns);
	pt_mb_unit_answers(&s->lease);
	return begin_reading(s, err);
}

static int one_drain(void *state, struct pt_err *err)
{
	struct bins *s = state;
	uint64_t now_ns = pt_mdm_now_ns(s->unit.mdm);
	int rc = 0;

	if (s->mode == END || (s->held && !s->reading && s->read_held))
		return HELD_REST_US;
	if (!s->reading && !s->held && now_ns < s->next_ns)
		return rest_us(s, now_ns);
	if (pt_mdm_select(s->unit.mdm, s->core, err) < 0)
		return failed(s, err->code, err);
	if (!s->reading)
		rc = next_reading(s, now_ns, err);
	if (rc == 0)
		rc = read_part(s, err);
	if (rc < 0)
		return failed(s, rc, err);
	s->locked = 0;
	pt_emit_works(&s->out, now_ns, false);
	return rc;
}

/* --- start */

static int available(struct pt_target *target, struct pt_err *err)
{
	const struct pt_mb *mb = target->state;

	if (pt_mdm_needs_running(&mb->mdm, err) < 0)
		return err->code;
	if (mb->design.prof_bytes == 0)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "mb.prof.size is 0: the core has no profiling buffer (C_DEBUG_PROFILE_SIZE)");
	return 0;
}

static int choose_range(struct bins *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	uint64_t low = setup->code.addr, high = setup->code.addr + setup->code.size - 1, bytes;
	bool given_low = pt_params_given(setup->settings, &params[LOW]),
	     given_high = pt_params_given(setup->settings, &params[HIGH]);
	int shift = -1;

	if (given_low)
		low = pt_params_number(setup->settings, &params[LOW]);
	if (given_high)
		high = pt_params_number(setup->settings, &params[HIGH]);
	if (setup->code.size == 0 && (!given_low || !given_high))
		return pt_fail(err, PT_EARG,
			       "which code? %s says it, or %s; %s works without, but halts the core for each sample",
			       pt_by_door("--elf FILE", "monitor symbols FILE"),
			       pt_setting_by_door("--set low=ADDR --set high=ADDR", "low=ADDR high=ADDR"),
			       pt_setting_by_door("--source pc-sampling", "source=pc-sampling"));
	if (pt_params_given(setup->settings, &params[BIN_BYTES])) {
		bytes = pt_params_number(setup->settings, &params[BIN_BYTES]);
		if ((bytes & (bytes - 1)) != 0 || bytes < 4)
			return pt_fail(err, PT_EARG, "bin-bytes=%" PRIu64 " is no power of two from 4 up", bytes);
		shift = __builtin_ctzll(bytes) - 2;
	}
	return pt_bins_unit_range(&s->unit, s->mb->design.index, low, high, shift, err);
}

static int emit_config(struct bins *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	const struct pt_bins_unit *u = &s->unit;
	uint64_t smear_us = u->ns_per_bin * u->n_used / 1000;
	char lines[1024], access[200], cost[160];

	pt_mdm_describe(u->mdm, access, sizeof(access));
	if (s->mode == LIVE)
		snprintf(cost, sizeof(cost),
			 "; a reading takes %" PRIu64 " us: its last bin is read so much later than its first",
			 smear_us);
	else
		snprintf(cost, sizeof(cost), "%s",
			 s->mode == SNAPSHOT ? "; counting stops while the buffer is read" : "");
	snprintf(lines, sizeof(lines),
		 "source=bins\nmode=%s\nbin_bytes=%" PRIu64 "\nexact=1\nrereads=1\ncounting=%s\nlow=0x%" PRIx64
		 "\nhigh=0x%" PRIx64 "\nbins=%" PRIu32 "\nskew_us=%" PRIu64 "\nway=%s\ncumulate=%d\ntriggered=%d\n"
		 "cost=the core never halts and its memory is not touched%s%s\n",
		 s->mode == LIVE       ? "live"
		 : s->mode == SNAPSHOT ? "snapshot"
				       : "end",
		 UINT64_C(4) << u->shift, u->cycles ? "cycles" : "instructions", u->from, u->high, u->n_bins, smear_us,
		 access, pt_params_flag(setup->settings, &params[CUMULATE]), s->cross, cost, pt_mb_cores_say(s->mb));
	return pt_emit_config(&s->out, setup, PT_FORMAT_BINS, lines, err);
}

static int cross_triggers(struct bins *s, const struct pt_source_setup *setup, bool on, struct pt_err *err)
{
	unsigned start = on ? 1u << pt_params_number(setup->settings, &params[START_INPUT]) : 0;
	unsigned stop = on ? 1u << pt_params_number(setup->settings, &params[STOP_INPUT]) : 0;

	if (pt_mb_cross_trigger(s->mb, 0, (uint8_t)start, false, s->start_output, err) < 0 ||
	    pt_mb_cross_trigger(s->mb, 0, (uint8_t)stop, false, s->stop_output, err) < 0)
		return err->code;
	s->crossed = on;
	return 0;
}

/* Prepares the buffer for counting. */
static int prepare(struct bins *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	bool cumulate = pt_params_flag(setup->settings, &params[CUMULATE]);

	s->unit.cycles = strcmp(pt_params_text(setup->settings, &params[COUNT]), "cycles") == 0;
	if (pt_mdm_select(s->unit.mdm, s->core, err) < 0 ||
	    pt_bins_unit_check(&s->unit, &s->mb->design, cumulate, err) < 0 || choose_range(s, setup, err) < 0)
		return err->code;
	if (!cumulate && pt_bins_unit_clear(&s->unit, err) < 0)
		return err->code;
	return pt_bins_unit_program(&s->unit, err);
}

/* With cross triggers, they start counting; stopping is written all the same. */
static bool command(const void *state, bool on, struct pt_mdm_op *op)
{
	const struct bins *s = state;

	*op = pt_bins_unit_command(&s->unit, on);
	return !s->out.ended && !(on && s->cross);
}

/* The observed time is chosen to include all counting, however late the host is. */
static void commanded(void *state, bool on, uint64_t sent_ns)
{
	struct bins *s = state;
	uint64_t now_ns = pt_mdm_now_ns(s->unit.mdm);

	if (s->out.ended)
		return;
	if (on) {
		pt_emit_loss(&s->out, s->held ? PT_LOSS_HALTED : PT_LOSS_REARM, sent_ns);
		s->last_ns = sent_ns;
		s->next_ns = now_ns + s->period_ns;
	} else if (!s->held && !s->stopped) {
		s->off_ns = now_ns;	/* everything was counted up to here */
	}
	s->stopped |= !on;
	pt_bins_unit_commanded(&s->unit, on && !s->cross);
}

static void init(struct bins *s, struct pt_target *target, const struct pt_source_setup *setup)
{
	const char *mode = pt_params_text(setup->settings, &params[MODE]);

	s->mb = target->state;
	s->core = setup->core;
	s->unit = (struct pt_bins_unit){ .mdm = &s->mb->mdm, .written = &s->mb->written };
	s->mode = strcmp(mode, "snapshot") == 0 ? SNAPSHOT : strcmp(mode, "end") == 0 ? END : LIVE;
	s->cross = strcmp(pt_params_text(setup->settings, &params[TRIGGER]), "cross") == 0;
	s->start_output = (unsigned)pt_params_number(setup->settings, &params[START_OUTPUT]);
	s->stop_output = (unsigned)pt_params_number(setup->settings, &params[STOP_OUTPUT]);
	s->period_ns = pt_params_number(setup->settings, &params[PERIOD]);
	pt_emit_init(&s->out, setup, pt_mdm_now_ns(s->unit.mdm));
}

/* Called before the unit counts. */
static void note_end(const struct bins *s)
{
	struct pt_mdm_op ends[PT_MB_MOST_ENDS];
	size_t n = 0;

	if (s->cross) {
		ends[n++] = pt_mb_cross_trigger_off(s->start_output);
		ends[n++] = pt_mb_cross_trigger_off(s->stop_output);
	}
	ends[n++] = pt_bins_unit_command(&s->unit, false);
	pt_mb_unit_begins(&s->lease, ends, n);
}

static int leave(struct bins *s, struct pt_err *err)
{
	int rc = pt_mdm_select(s->unit.mdm, s->core, err);

	if (rc == 0 && s->crossed)
		rc = pt_mb_cross_trigger(s->mb, 0, 0, false, s->start_output, err) < 0 ||
				     pt_mb_cross_trigger(s->mb, 0, 0, false, s->stop_output, err) < 0
			     ? err->code
			     : 0;
	s->crossed = false;
	if (rc == 0)
		rc = pt_bins_unit_enable(&s->unit, false, err);
	if (rc == 0)
		pt_mb_unit_ended(&s->lease);
	return rc;
}

static int one_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct bins *s = state;
	struct pt_err ignored = { 0 };

	if (available(target, err) < 0)
		return err->code;
	init(s, target, setup);
	if (pt_mb_unit_take(&s->lease, s->mb, "profiling", s->core, err) < 0)
		return err->code;
	if (prepare(s, setup, err) < 0)
		goto release;
	s->out.told_ns = pt_mdm_now_ns(s->unit.mdm);
	note_end(s);
	if (emit_config(s, setup, err) < 0 || pt_mb_look_at_core(s->mb, s->core, &s->out, &s->held, err) < 0 ||
	    (s->cross && cross_triggers(s, setup, true, err) < 0))
		goto leave;
	return 0;	/* only the command to count is missing */
leave:
	leave(s, &ignored);
release:
	pt_mb_unit_drop(&s->lease);
	return err->code;
}

/* --- the rest */

/* The unit counts whenever the core runs, so nothing is read here and nothing is lost. A reading follows a halt, so
 * that a report then includes all that ran. */
static int one_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct bins *s = state;
	uint64_t now_ns = pt_mdm_now_ns(s->unit.mdm);

	(void)core;	/* the caller has checked the core */
	(void)err;
	if (s->held)
		pt_emit_loss(&s->out, PT_LOSS_HALTED, now_ns);
	else
		emit_records(s, now_ns);
	if (what == PT_STATE_HALT)
		s->at = 0;	/* bins read before have counted since */
	s->read_held &= what != PT_STATE_HALT && what != PT_STATE_RUN;
	if (what == PT_STATE_HALT || what == PT_STATE_RUN)
		s->held = what == PT_STATE_HALT;
	pt_emit_state(&s->out, what, now_ns, pc);
	return 0;
}

/* Stops counting, then reads everything: sums are exact. */
static int read_rest(struct bins *s, struct pt_err *err)
{
	int rc = pt_mdm_select(s->unit.mdm, s->core, err);
	bool answers = true;

	if (rc == 0 && !s->stopped)
		rc = pt_bins_unit_enable(&s->unit, false, err);
	if (rc == 0)
		commanded(s, false, s->out.told_ns);
	if (rc == 0 && !s->reading)
		rc = look_for_core(s, &answers, err);
	if (!answers)
		pt_mb_unit_silent(&s->lease, &s->out, s->off_ns);
	else if (rc == 0)
		emit_records(s, s->off_ns);
	s->stopped = true;
	s->cross = true; /* not started again after the reading */
	s->reading = answers;
	for (s->at = 0, s->locked = 0; rc == 0 && s->reading;) {
		rc = read_part(s, err);
		if (rc == PT_EBUSY && s->locked < RETRIES)
			pt_mdm_wait(s->unit.mdm, LOCK_WAIT_US);
		if (rc == PT_EINTERRUPTED || (rc == PT_EBUSY && ++s->locked < RETRIES))
			rc = 0;
	}
	return rc;
}

static int one_stop(void *state, struct pt_err *err)
{
	struct pt_err first = { 0 }, own = { 0 };
	struct bins *s = state;
	int rc = s->out.ended ? 0 : read_rest(s, &first);

	if (rc < 0)
		emit_records(s, s->out.told_ns); /* keeps what was read */
	if (leave(s, &own) < 0 && rc == 0)
		rc = (first = own).code;
	pt_emit_rest(&s->out, pt_mdm_now_ns(s->unit.mdm), rc, s->held ? PT_LOSS_HALTED : PT_LOSS_REARM);
	pt_emit_end(&s->out);
	pt_mb_unit_drop(&s->lease);
	if (rc < 0 && err != NULL)
		*err = first;
	return rc < 0 ? rc : 0;
}

/* For one core of the MDM. */
static const struct pt_mb_one one = {
	.ops = {
		.state_bytes = sizeof(struct bins),
		.available = available,
		.start = one_start,
		.drain = one_drain,
		.on_state = one_on_state,
		.stop = one_stop,
	},
	.command = command,
	.commanded = commanded,
};

static int bins_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	return pt_mb_cores_start(state, &one, pt_params_text(setup->settings, &params[CORE]), target, setup, err);
}

const struct pt_source_ops pt_source_mb_bins = {
	.name = "bins",
	.format = PT_FORMAT_BINS,
	.modes = "live|snapshot|end",
	.titles = "MDM bins|MDM bins, snapshots|MDM bins, read at the end",
	.help = "clock cycles or instructions of every piece of code, counted by the core, which never "
		"halts",
	.state_bytes = sizeof(struct pt_mb_cores),
	.params = params,
	.n_params = N_PARAMS,
	.available = available,
	.start = bins_start,
	.drain = pt_mb_cores_drain,
	.on_state = pt_mb_cores_on_state,
	.stop = pt_mb_cores_stop,
};
