/* The source trace: program and event trace from the core's buffer. It is not intrusive.
 *
 * The buffer holds some thousand items, a fraction of a millisecond of a fast core. So mode burst records windows at
 * random times: each gives one stretch, which is the end of the window if the buffer was full. Mode ring records all
 * the time and is read when a debugger halts the core: the last branches, for reverse debugging. "Save new PC" is set
 * for every taken branch, so that jumps to computed addresses leave no gap. Source: UG984, "Program and Event Trace",
 * "Trace Control/Command/Status/Data Read Register". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "targets/microblaze/microblaze.h"
#include "trace/formats.h"
#include "base/util.h"

enum { MOST_ITEMS = 65536, PART_ITEMS = 1024, ITEM_BYTES = 3, HELD_REST_US = 200000, MOST_REST_US = 100000 };
enum { SAVE_RETURNS = 1, SAVE_PC = 4, LEVEL_SHIFT = 4 }; /* TCTRLR */
enum { SAMPLE = 1, STOP = 2, START = 4, CLEAR = 8 };	/* TCMDR */

enum { MODE, LEVEL, PCS, WINDOW, PERIOD, N_PARAMS };
static const struct pt_param params[] = {
	[MODE] = { "mode", PT_PARAM_CHOICE, "burst", "burst|ring", 0, 0,
		   "burst: windows at random times; ring: all the time, the last of it is read at a halt" },
	[LEVEL] = { "level", PT_PARAM_CHOICE, "flow", "flow|flow-cycles|events|complete", 0, 0,
		    "what is recorded (mbtrace -level full is complete)" },
	[PCS] = { "save-pc", PT_PARAM_CHOICE, "all", "all|returns", 0, 0,
		  "whose new pc is recorded: all branches that are taken, or returns alone (more fits; other computed "
		  "jumps are gaps)" },
	[WINDOW] = { "window", PT_PARAM_TIME, "200us", NULL, 1000, PT_NS_PER_S, "burst: how long each records" },
	[PERIOD] = { "period", PT_PARAM_TIME, "20ms", NULL, 0, PT_NS_PER_S * 10,
		     "burst: longest period expected in the program: windows are 0 to twice that far apart" },
};

struct trace {
	struct pt_mb *mb;
	struct pt_mdm *mdm;
	struct pt_emit out;
	bool ring, held, recording, reading, untold, halt_recorded, half_lost, from_start;
	uint32_t control, capacity;
	uint64_t window_ns, period_ns, random, next_ns;
	/* Recording began not before from_ns, and ended not after to_ns; halt_*: the halt not reported yet. */
	uint64_t from_ns, to_ns, halt_ns, halt_pc;
	uint32_t n_items, at; /* items in the buffer being read; the next one */
	uint64_t values[PART_ITEMS];
	uint8_t bytes[PT_CHUNK_BYTES / ITEM_BYTES * ITEM_BYTES];
	size_t len_bytes;
	struct pt_mb_unit lease;
};

/* --- the unit */

/* The command takes effect between *sent_ns and *done_ns. */
static int command(struct trace *s, unsigned bits, uint64_t *sent_ns, uint64_t *done_ns, struct pt_err *err)
{
	struct pt_mdm_op op = pt_mdm_write_op(TCMDR, TCMDR_BITS, bits);

	if (pt_mdm_run(s->mdm, &op, 1, NULL, err) < 0)
		return err->code;
	*sent_ns = op.sent_ns;
	*done_ns = op.done_ns;
	return 0;
}

/* If there is no unit, or the core is in reset, the status does not show a start: then `recording` stays false. */
static int start_unit(struct trace *s, uint64_t *status, struct pt_err *err)
{
	const struct pt_mdm_op end = pt_mdm_write_op(TCMDR, TCMDR_BITS, STOP);
	uint64_t ignored;

	*status = 0;
	pt_mb_unit_begins(&s->lease, &end, 1);
	if (pt_mdm_select(s->mdm, s->mb->core, err) < 0 ||
	    pt_mdm_put(s->mdm, false, TCTRLR, TCTRLR_BITS, s->control, err) < 0 ||
	    command(s, CLEAR | START, &s->from_ns, &ignored, err) < 0 ||
	    pt_mdm_get(s->mdm, false, TSR, TSR_BITS, status, err) < 0)
		return err->code;
	s->from_start = false;
	s->recording = s->mb->written.trace = (*status >> PT_TSR_STARTED & 1) != 0;
	s->mb->written.tctrlr = s->control;
	s->next_ns = s->from_ns + s->window_ns;
	return 0;
}

static int record(struct trace *s, struct pt_err *err)
{
	uint64_t status;

	if (start_unit(s, &status, err) < 0)
		return err->code;
	if (s->recording)
		pt_mb_unit_answers(&s->lease);
	else
		s->next_ns = s->from_ns + (uint64_t)pt_mb_unit_silent(&s->lease, &s->out, s->from_ns) * 1000;
	return 0;
}

/* Stops recording, and gets the number of items to read. */
static int end_recording(struct trace *s, struct pt_err *err)
{
	uint64_t status = 0, ignored;

	if (pt_mdm_select(s->mdm, s->mb->core, err) < 0 || command(s, STOP, &ignored, &s->to_ns, err) < 0 ||
	    command(s, SAMPLE, &ignored, &ignored, err) < 0 ||
	    pt_mdm_get(s->mdm, false, TSR, TSR_BITS, &status, err) < 0)
		return err->code;
	s->recording = s->mb->written.trace = false;
	s->reading = true;
	s->at = 0;
	s->n_items = (uint32_t)(status & 0xffff);
	if (s->n_items > s->capacity)
		return pt_fail(err, PT_EPROTO,
			       "the trace buffer claims %" PRIu32 " items and holds %" PRIu32 ": is mb.trace.size "
			       "right?",
			       s->n_items, s->capacity);
	return 0;
}

/* Stops the unit at the end. */
static int end_unit(struct trace *s, struct pt_err *err)
{
	uint64_t ignored;

	if (pt_mdm_select(s->mdm, s->mb->core, err) < 0 || command(s, STOP, &ignored, &ignored, err) < 0)
		return err->code;
	s->mb->written.trace = false;
	pt_mb_unit_ended(&s->lease);
	return 0;
}

/* --- into chunks */

/* Emits the bytes with their share of the time. */
static void emit(struct trace *s)
{
	uint64_t to_ns =
		s->at >= s->n_items ? s->to_ns : s->from_ns + (s->to_ns - s->from_ns) * s->at / (s->n_items + 1);

	pt_emit_data(&s->out, s->out.told_ns, to_ns, s->bytes, s->len_bytes);
	s->len_bytes = 0;
}

/* A full buffer has only the end of the window: what ran before, for an unknown time, is not observed. A recording from
 * the core's resume on continues the known execution; it may be a single step. */
static void begin_data(struct trace *s)
{
	bool full = s->n_items == s->capacity;

	pt_emit_loss(&s->out, PT_LOSS_REARM, full ? s->to_ns : s->from_ns);
	s->out.restarts = full || !s->from_start;
	s->half_lost = full && (s->control >> LEVEL_SHIFT & 3) != 0;
}

static int read_part(struct trace *s, struct pt_err *err)
{
	uint32_t n = s->n_items - s->at < PART_ITEMS ? s->n_items - s->at : PART_ITEMS;
	struct pt_mdm_op op = {
		.what = PT_MDM_READ,
		.command = TDRR,
		.bits = TDRR_BITS,
		.n = n,
		.values = s->values,
	};

	if (s->at == 0)
		begin_data(s);
	if (n > 0 && pt_mdm_run(s->mdm, &op, 1, NULL, err) < 0)
		return err->code;
	for (uint32_t i = 0; i < n; i++) {
		s->half_lost = s->half_lost && (s->values[i] >> 16 & 3) == 1;
		if (s->half_lost)	/* a pc whose first half may have been overwritten */
			continue;
		if (s->len_bytes + ITEM_BYTES > sizeof(s->bytes))
			emit(s);
		for (unsigned b = 0; b < ITEM_BYTES; b++)
			s->bytes[s->len_bytes++] = (uint8_t)(s->values[i] >> 8 * b);
	}
	s->at += n;
	s->reading = s->at < s->n_items;
	if (!s->reading)
		emit(s);
	return 0;
}

/* --- drain */

/* The rest of the buffer is lost, because each read pops an item. */
static int failed(struct trace *s, int rc, struct pt_err *err)
{
	if (rc == PT_EINTERRUPTED)
		return rc;
	s->reading = s->recording = false;
	s->len_bytes = 0;
	rc = pt_emit_failed(&s->out, pt_mdm_now_ns(s->mdm), rc == PT_EBUSY ? PT_EPROTO : rc);
	return rc < 0 ? pt_wrap(err, "trace") : rc;
}

static int tell_halt(struct trace *s, struct pt_err *err)
{
	int rc = s->reading ? read_part(s, err) : 0;

	if (rc < 0 || s->reading)
		return rc;
	s->untold = false;
	if (!s->halt_recorded)	/* else the recording reaches up to the halt: no gap */
		pt_emit_loss(&s->out, PT_LOSS_REARM, s->halt_ns);
	pt_emit_state(&s->out, PT_STATE_HALT, s->out.told_ns, s->halt_pc);
	return s->ring ? record(s, err) : 0;	/* a server may resume the core before it reports that */
}

static int step(struct trace *s, uint64_t now_ns, struct pt_err *err)
{
	if (s->untold)
		return tell_halt(s, err);
	if (s->reading) {
		if (read_part(s, err) < 0)
			return err->code;
		if (!s->reading)
			s->next_ns = now_ns + pt_random_delay(&s->random, s->period_ns);
		return 0;
	}
	return s->recording ? end_recording(s, err) : record(s, err);
}

static int trace_drain(void *state, struct pt_err *err)
{
	struct trace *s = state;
	uint64_t now_ns = pt_mdm_now_ns(s->mdm), us;
	int rc;

	if (!s->untold && (s->held || (s->ring && s->recording)))
		return HELD_REST_US;
	if (!s->untold && !s->reading && now_ns < s->next_ns) {
		us = (s->next_ns - now_ns) / 1000 + 1;
		return us < MOST_REST_US ? (int)us : MOST_REST_US;
	}
	rc = step(s, now_ns, err);
	if (rc < 0)
		return failed(s, rc, err);
	pt_emit_works(&s->out, now_ns, false);
	return 0;
}

/* --- start */

static int available(struct pt_target *target, struct pt_err *err)
{
	const struct pt_mb *mb = target->state;

	if (pt_mdm_needs_running(&mb->mdm, err) < 0)
		return err->code;
	if (mb->design.trace_external)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "trace leaves through pins of the MDM (mb.trace.external), and cannot be read");
	if (mb->design.trace_bytes == 0)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "mb.trace.size is 0: the core has no trace buffer (C_DEBUG_TRACE_SIZE)");
	return 0;
}

static void init(struct trace *s, struct pt_target *target, const struct pt_source_setup *setup)
{
	static const struct {
		const char *name;
		unsigned bits;
	} levels[] = {
		{ "complete", 0 },
		{ "flow", 1 },
		{ "events", 2 },
		{ "flow-cycles", 3 },
	};
	const char *level = pt_params_text(setup->settings, &params[LEVEL]);
	bool all = strcmp(pt_params_text(setup->settings, &params[PCS]), "all") == 0;

	s->mb = target->state;
	s->mdm = &s->mb->mdm;
	s->ring = strcmp(pt_params_text(setup->settings, &params[MODE]), "ring") == 0;
	s->control = SAVE_RETURNS | (all ? SAVE_PC : 0u);
	for (size_t i = 0; i < PT_LEN(levels); i++)
		if (strcmp(levels[i].name, level) == 0)
			s->control |= levels[i].bits << LEVEL_SHIFT;
	s->capacity = s->mb->design.trace_bytes / 2 < MOST_ITEMS ? s->mb->design.trace_bytes / 2 : MOST_ITEMS - 1;
	s->window_ns = pt_params_number(setup->settings, &params[WINDOW]);
	s->period_ns = pt_params_number(setup->settings, &params[PERIOD]);
	s->random = setup->seed;
	pt_emit_init(&s->out, setup, pt_mdm_now_ns(s->mdm));
	s->out.core = (uint16_t)s->mb->core;
}

static int emit_config(struct trace *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	char lines[800], access[200];

	pt_mdm_describe(s->mdm, access, sizeof(access));
	snprintf(lines, sizeof(lines),
		 "source=trace\nmode=%s\ntrace=%s\npc=%s\nshort_order=%s\nwindow_us=%" PRIu64 "\nperiod_us=%" PRIu64
		 "\nitems=%" PRIu32 "\nway=%s\n%scost=the core never halts and its memory is not touched\n",
		 s->ring ? "ring" : "burst", pt_params_text(setup->settings, &params[LEVEL]),
		 pt_params_text(setup->settings, &params[PCS]),
		 s->mb->design.short_lower_first ? "lower_first" : "upper_first", s->window_ns / 1000,
		 s->period_ns / 1000, s->capacity, access, s->ring ? "" : "chosen=end\n");
	return pt_emit_config(&s->out, setup, PT_FORMAT_MDM_TRACE, lines, err);
}

/* Tests the unit by a start: a core without one reads only zeros. */
static int check_unit(struct trace *s, struct pt_err *err)
{
	uint64_t status, ignored;

	if (start_unit(s, &status, err) < 0)
		return err->code;
	if (!s->recording)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "the trace unit does not start (status 0x%05" PRIx64 "): the core has none "
			       "(C_DEBUG_TRACE_SIZE=0, C_DEBUG_ENABLED<2), or is held in reset",
			       status);
	s->recording = s->mb->written.trace = false;
	s->next_ns = 0;
	return command(s, STOP | CLEAR, &ignored, &ignored, err);
}

static int trace_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_err ignored = { 0 };
	struct trace *s = state;

	if (available(target, err) < 0)
		return err->code;
	init(s, target, setup);
	if (pt_mb_unit_take(&s->lease, s->mb, "trace", s->mb->core, err) < 0)
		return err->code;
	if (check_unit(s, err) == 0 && emit_config(s, setup, err) == 0 &&
	    pt_mb_look_at_core(s->mb, s->mb->core, &s->out, &s->held, err) == 0 &&
	    ((s->held && !s->ring) || record(s, err) == 0))
		return 0;
	end_unit(s, &ignored);
	pt_mb_unit_drop(&s->lease);
	return err->code;
}

/* --- the rest */

static bool trace_behind(const void *state)
{
	return ((const struct trace *)state)->untold;
}

/* What was recorded up to the halt is emitted before the halt; the next drain fetches it. */
static int on_halt(struct trace *s, uint64_t pc, struct pt_err *err)
{
	int rc = 0;

	if (s->held)
		return 0;
	s->held = s->untold = true;
	s->halt_pc = pc;
	s->halt_recorded = s->recording;
	if (s->recording)
		rc = end_recording(s, err);
	s->halt_ns = pt_mdm_now_ns(s->mdm);
	return rc < 0 ? failed(s, rc, err) : 0;
}

static int catch_up(struct trace *s, struct pt_err *err)
{
	int rc = 0;

	while (s->untold && (rc == 0 || rc == PT_EINTERRUPTED))
		rc = tell_halt(s, err);
	return rc < 0 ? failed(s, rc, err) : 0;
}

static int on_run(struct trace *s, uint64_t pc, struct pt_err *err)
{
	int rc = catch_up(s, err);
	uint64_t now_ns = pt_mdm_now_ns(s->mdm);

	if (rc >= 0 && s->held && !s->recording)	/* a ring is already armed while the core is halted */
		rc = record(s, err);
	if (s->held)
		pt_emit_loss(&s->out, PT_LOSS_HALTED, now_ns);
	s->from_start = s->held && s->recording;
	s->held = false;
	pt_emit_state(&s->out, PT_STATE_RUN, now_ns, pc);
	return rc < 0 ? failed(s, rc, err) : 0;
}

static int trace_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct trace *s = state;
	int rc;

	if (core != pt_mb_thread_of(s->mb, s->mb->core))
		return 0;	/* another core's */
	if (what == PT_STATE_HALT)
		rc = on_halt(s, pc, err);
	else if (what == PT_STATE_RUN)
		rc = on_run(s, pc, err);
	else {
		rc = catch_up(s, err);
		pt_emit_loss(&s->out, s->held ? PT_LOSS_HALTED : PT_LOSS_RESET, pt_mdm_now_ns(s->mdm));
		pt_emit_state(&s->out, what, s->out.told_ns, pc);
	}
	return rc < 0 ? rc : 0;
}

static int trace_stop(void *state, struct pt_err *err)
{
	struct pt_err first = { 0 };
	struct trace *s = state;
	int rc = s->out.ended ? 0 : s->untold ? catch_up(s, &first) : s->recording ? end_recording(s, &first) : 0;

	while (rc >= 0 && s->reading && !s->out.ended)
		rc = read_part(s, &first);
	if (end_unit(s, rc < 0 ? err : &first) < 0 && rc >= 0)
		rc = first.code;
	pt_emit_rest(&s->out, pt_mdm_now_ns(s->mdm), rc, s->held ? PT_LOSS_HALTED : PT_LOSS_REARM);
	pt_emit_end(&s->out);
	pt_mb_unit_drop(&s->lease);
	if (rc < 0 && err != NULL)
		*err = first;
	return rc < 0 ? rc : 0;
}

const struct pt_source_ops pt_source_mb_trace = {
	.name = "trace",
	.format = PT_FORMAT_MDM_TRACE,
	.flow = true,
	.modes = "burst|ring",
	.titles = "MDM trace bursts|MDM trace, last branches",
	.recorder = "ring",
	.help = "every branch for some time, from the trace buffer of the core, which never halts",
	.state_bytes = sizeof(struct trace),
	.params = params,
	.n_params = N_PARAMS,
	.available = available,
	.start = trace_start,
	.drain = trace_drain,
	.on_state = trace_on_state,
	.behind = trace_behind,
	.stop = trace_stop,
};
