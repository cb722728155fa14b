/* The source trace: the other modes of the DBG module's trace buffer. The module is armed while the core runs. The
 * buffer is read when the session has ended (align=begin: 64 lines from now on, repeatedly), or when the core is halted
 * or the profile ends (align=end: the last 64 lines before that). It cannot be read while the module is armed (ZVHY
 * p.213).
 *
 * Mode ring is Normal mode for reverse debugging: breakpoints still work, because their code arms the module
 * (pt_breaks_s12z_record()); the buffer is read at each halt. Single-steps are not recorded, by which the decoder
 * recognises them.
 *
 * Normal and Loop1 without stamps fill a line in two halves. If the buffer has wrapped at a half line, the oldest and
 * the newest entry share a line. This file puts the entries in order; an empty half is zero. Source: ZVHY 6.4.5,
 * 6.3.2.6 (DBGCNT). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "targets/s12z/trace/profile.h"
#include "trace/formats.h"
#include "base/util.h"

static const char owner[] = "trace";

enum { HALF_BYTES = 4, HALVES = 2 * PT_S12Z_LINES, HELD_REST_US = 200000, LOOK_US = 2000 };

enum { MODE, ALIGN, STAMP, NB, UNLOCK, BUS_CLOCK, N_PARAMS };
static const struct pt_param params[] = {
	[MODE] = { .key = "mode",
		   .type = PT_PARAM_CHOICE,
		   .standard = "normal",
		   .choices = "normal|loop1|detail|pure-pc|ring",
		   .help = "normal: changes of flow; loop1: without repetitions; detail: accesses to data; pure-pc: the "
			   "address of every instruction; ring: the last changes of flow before each halt, with "
			   "breakpoints" },
	[ALIGN] = { .key = "align",
		    .type = PT_PARAM_CHOICE,
		    .standard = "end",
		    .choices = "end|begin",
		    .help = "the last 64 lines before a halt, or 64 lines from now on, again and again" },
	[STAMP] = { .key = "stamp",
		    .type = PT_PARAM_FLAG,
		    .standard = "off",
		    .help = "a time stamp with each entry (not pure-pc)" },
	[NB] = { .key = "nb",
		 .type = PT_PARAM_FLAG,
		 .standard = "off",
		 .help = "pure-pc: the NB bits mark where a base begins (not verified)" },
	[UNLOCK] = { .key = "unlock",
		     .type = PT_PARAM_FLAG,
		     .standard = "on",
		     .help = "write DBGTB before the buffer is read (READ_DBGTB may not need it; not verified)" },
	[BUS_CLOCK] = { .key = "bus-clock", .type = PT_PARAM_HZ, .help = "core-clock= under another name, for this source alone: bus cycles per second" },
};
static const char *const mode_names[PT_DBG_MODES] = {
	[PT_DBG_NORMAL] = "normal", [PT_DBG_LOOP1] = "loop1", [PT_DBG_DETAIL] = "detail", [PT_DBG_PURE_PC] = "pure-pc",
};

enum tracer_state { TRACER_IDLE, TRACER_ARMED, TRACER_FULL };	/* FULL: disarmed, must be read */

struct tracer {
	struct pt_s12z *z;
	struct pt_emit out;
	enum pt_dbg_mode mode;
	enum tracer_state state;
	bool begin, stamp, unlock, ring;
	bool cut;			/* ring: the beginning of this recording is not known */
	unsigned n_armed;		/* ring: breaks.n_armed before the core was resumed */
	bool leased;
	struct pt_s12z_halts halt;
	uint64_t armed_ns, ended_ns;
	uint8_t cnt, sr;		/* at the end of the session */
	uint8_t lines[PT_PROFILE_BUFFER_BYTES], told[PT_PROFILE_BUFFER_BYTES];
};

/* --- the buffer --------------------------------------------------------------------------------------------------- */

static bool has_halves(const struct tracer *t)
{
	return !t->stamp && (t->mode == PT_DBG_NORMAL || t->mode == PT_DBG_LOOP1);
}

/* Puts the valid half lines in order into t->told; returns their bytes, in whole lines. The buffer must have been read
 * from its oldest line on. */
static size_t take_lines(struct tracer *t)
{
	unsigned count = t->cnt & 0x7f;
	bool wrapped = (t->sr & SR_TBF) != 0, odd = has_halves(t) && count % 2 != 0;
	size_t n = wrapped ? HALVES : has_halves(t) ? count : count & ~1u;

	memcpy(t->told, t->lines, sizeof(t->told));
	if (wrapped && odd) {	/* the first half line is the newest entry */
		memmove(t->told, t->lines + HALF_BYTES, (HALVES - 1) * HALF_BYTES);
		memcpy(t->told + (HALVES - 1) * HALF_BYTES, t->lines, HALF_BYTES);
	}
	if (n % 2 != 0)
		memset(t->told + n * HALF_BYTES, 0, HALF_BYTES);
	return (n + 1) / 2 * PT_S12Z_LINE_BYTES;
}

/* How far back a wrapped buffer reaches is unknown: the time of the chunk is an upper bound. */
static void deliver(struct tracer *t)
{
	size_t n_bytes = take_lines(t);

	pt_emit_loss(&t->out, PT_LOSS_REARM, t->armed_ns);
	t->out.restarts = true;
	pt_emit_data(&t->out, t->armed_ns, t->ended_ns, t->told, n_bytes);
	t->state = TRACER_IDLE;
}

/* True: the recording covers everything since the core was resumed. False if the buffer has wrapped, or was
 * restarted. */
static bool is_whole(const struct tracer *t)
{
	return !t->cut && t->z->breaks.n_armed - t->n_armed == 1 && (t->sr & SR_TBF) == 0;
}

/* Reports the step off a breakpoint, which was not recorded. */
static void tell_step(struct tracer *t)
{
	uint64_t pc = t->z->breaks.went_on_at;

	if (pc == PT_UNKNOWN)
		return;
	pt_emit_state(&t->out, PT_STATE_HALT, t->out.told_ns, pc);
	pt_emit_state(&t->out, PT_STATE_RUN, t->out.told_ns, pc);
}

/* Emits at least one line, even if empty, to show that the core ran and was not stepped. */
static void deliver_ring(struct tracer *t)
{
	uint64_t end_ns = t->halt.held ? t->halt.ns : t->ended_ns;
	size_t n_bytes = take_lines(t);

	if (n_bytes == 0) {
		n_bytes = PT_S12Z_LINE_BYTES;
		memset(t->told, 0, n_bytes);
	}
	if (is_whole(t)) {
		tell_step(t);
	} else {
		pt_emit_loss(&t->out, PT_LOSS_REARM, end_ns);
		t->out.restarts = true;
	}
	pt_emit_data(&t->out, t->out.told_ns, end_ns, t->told, n_bytes);
	t->state = TRACER_IDLE;
}

static int read_lines(struct tracer *t, struct pt_err *err)
{
	static const uint8_t zero[2];
	struct pt_bdc_op op[] = {
		{ .what = PT_BDC_WRITE_MEM, .size_bytes = 2, .addr = DBG_TB, .n = 1, .bytes = (void *)(uintptr_t)zero },
		{ .what = PT_BDC_READ_DBGTB, .n = PT_S12Z_LINES, .bytes = t->lines },
	};
	size_t first = t->unlock ? 0 : 1;

	if (pt_wire_s12z_run(&t->z->wire, op + first, PT_LEN(op) - first, NULL, err) < 0)
		return pt_wrap(err, "read the trace buffer");
	if (t->ring)
		deliver_ring(t);
	else
		deliver(t);
	return 0;
}

/* --- arming ------------------------------------------------------------------------------------------------------- */

static int arm(struct tracer *t, struct pt_err *err)
{
	const struct pt_dbg_codes *codes = &t->z->dbg.codes;
	unsigned align = t->begin ? codes->align_begin : codes->align_end;
	struct pt_dbg_writes w = { .n = 0 };

	if (pt_dbg_disarm(t->z, err) < 0)
		return err->code;
	pt_dbg_put(&w, DBG_C1, 0);
	pt_dbg_put(&w, DBG_TCRH, TCRH_TSOURCE | (unsigned)codes->trcmod[t->mode] << 2 | align);
	pt_dbg_put(&w, DBG_TCRL, t->stamp ? TCRL_STAMP : 0);
	pt_dbg_put(&w, DBG_C2, 0);
	for (unsigned at = DBG_SCR1; at <= DBG_SCR3; at++)
		pt_dbg_put(&w, at, 0);
	pt_dbg_put(&w, DBG_C1, C1_ARM);
	if (t->begin)
		pt_dbg_put(&w, DBG_C1, C1_ARM | C1_TRIG);	/* recording begins at the Final State */
	if (pt_dbg_write(t->z, &w, err) < 0)
		return err->code;
	t->state = TRACER_ARMED;
	t->armed_ns = pt_wire_s12z_now_ns(&t->z->wire);
	return 0;
}

/* Reads whether the session has ended. With end, ends it first. */
static int look(struct tracer *t, bool end, struct pt_err *err)
{
	uint8_t c[3] = { 0 };
	struct pt_bdc_op op[] = {
		{ .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = DBG_C1, .n = 3, .bytes = c },
		{ .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = DBG_CNT, .n = 1, .bytes = &t->cnt },
		{ .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = DBG_SR, .n = 1, .bytes = &t->sr },
	};

	if (end && pt_dbg_disarm(t->z, err) < 0)
		return err->code;
	if (pt_wire_s12z_run(&t->z->wire, op, PT_LEN(op), NULL, err) < 0 || pt_dbg_believe(t->z, c[0], c[2], err) < 0)
		return err->code;
	pt_emit_works(&t->out, op[0].sent_ns, t->z->was_reset);
	if ((c[2] & TCRH_TSOURCE) == 0) {	/* not what we wrote: a reset, or the application changed it */
		pt_emit_loss(&t->out, c[0] == 0 ? PT_LOSS_RESET : PT_LOSS_TAKEN, op[0].done_ns);
		t->state = TRACER_IDLE;
		return 0;
	}
	if ((c[0] & C1_ARM) != 0)
		return 0;
	t->ended_ns = op[0].sent_ns;
	t->state = TRACER_FULL;
	return 0;
}

/* --- work --------------------------------------------------------------------------------------------------------- */

/* True: the core was only single-stepped. */
static bool never_armed(const struct tracer *t)
{
	return t->ring && t->state == TRACER_ARMED && !t->cut && t->z->breaks.n_armed == t->n_armed;
}

static int flush(void *source, struct pt_err *err)
{
	struct tracer *t = source;
	int rc;

	if (never_armed(t)) {
		pt_emit_data(&t->out, t->out.told_ns, t->halt.ns, "", 0);
		t->state = TRACER_IDLE;
		return 0;
	}
	rc = t->state == TRACER_ARMED ? look(t, true, err) : 0;
	return rc == 0 && t->state == TRACER_FULL ? read_lines(t, err) : rc;
}

static int tracer_drain(void *state, struct pt_err *err)
{
	struct tracer *t = state;
	int rc;

	if (t->halt.untold)
		return pt_halts_s12z_tell(&t->halt, err);
	if (t->halt.held || t->ring)
		return HELD_REST_US;
	if (t->state == TRACER_FULL)
		rc = read_lines(t, err);
	else
		rc = t->state == TRACER_ARMED ? look(t, false, err) : arm(t, err);
	if (rc < 0)
		return pt_halts_s12z_failed(&t->halt, rc, err);
	return t->state == TRACER_ARMED ? LOOK_US : 0;
}

static bool tracer_behind(const void *state)
{
	return ((const struct tracer *)state)->halt.untold;
}

/* A resume arms the module, a step does not. */
static void on_run_ring(struct tracer *t, uint64_t pc)
{
	uint64_t now_ns = pt_wire_s12z_now_ns(&t->z->wire);

	pt_emit_loss(&t->out, PT_LOSS_HALTED, now_ns);
	pt_emit_state(&t->out, PT_STATE_RUN, now_ns, pc);
	t->halt.held = t->cut = false;
	t->n_armed = t->z->breaks.n_armed;
	t->state = TRACER_ARMED;
}

/* The breakpoints' code has armed the module again. The client that resumes the core reports that it runs. */
static void on_reset_ring(struct tracer *t)
{
	t->halt.held = false;
	t->cut = true;
	t->state = TRACER_ARMED;
}

static int tracer_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct tracer *t = state;
	uint64_t now_ns = pt_wire_s12z_now_ns(&t->z->wire);
	int rc = what == PT_STATE_HALT || what == PT_STATE_RESET ? 0 : pt_halts_s12z_catch_up(&t->halt, err);

	(void)core;	/* there is only one */
	if (rc < 0)
		return rc;
	if (what == PT_STATE_HALT) {
		pt_halts_s12z_halted(&t->halt, pc, t->state != TRACER_IDLE);
		return 0;
	}
	if (what == PT_STATE_RUN && t->ring) {
		on_run_ring(t, pc);
		return 0;
	}
	if (what == PT_STATE_RUN)
		return pt_halts_s12z_runs(&t->halt, pc, t->halt.held ? arm(t, err) : 0, err);
	if (what == PT_STATE_RESET) {
		pt_emit_loss(&t->out, t->halt.held ? PT_LOSS_HALTED : PT_LOSS_RESET, now_ns);
		t->halt.untold = false;
		t->state = TRACER_IDLE;
		if (t->ring)
			on_reset_ring(t);
	}
	pt_emit_state(&t->out, what, now_ns, pc);
	return 0;
}

/* --- start, stop -------------------------------------------------------------------------------------------------- */

static int available(struct pt_target *target, struct pt_err *err)
{
	return pt_dbg_needs(target->state, PT_DBG_TRACE, err);
}

static int emit_config(struct tracer *t, const struct pt_source_setup *setup, struct pt_err *err)
{
	static const char ring_cost[] = "the core never halts; breakpoints work; of what ran between two halts the "
					"last 128 changes of flow are kept";
	static const char other_cost[] = "the core never halts; the profile uses the DBG module, so GDB has no "
					 "hardware breakpoints meanwhile";
	uint8_t ivbr[2] = { 0xff, 0xfe };
	char lines[400];

	if (pt_mem_read(&t->z->mem, S12Z_IVBR, ivbr, sizeof(ivbr), err) < 0)
		return pt_wrap(err, "read IVBR");
	snprintf(lines, sizeof(lines),
		 "source=trace\nmode=%s\ntrace=%s\nstamp=%d\nnb=%d\nbus_hz=%" PRIu64 "\nivbr=0x%04x\n%s\ncost=%s\n",
		 t->ring ? "ring" : mode_names[t->mode], mode_names[t->mode], t->stamp,
		 pt_params_flag(setup->settings, &params[NB]), pt_params_number(setup->settings, &params[BUS_CLOCK]),
		 pt_be16(ivbr),
		 t->ring    ? "recorder=1"
		 : t->begin ? "chosen=begin"
			    : "chosen=end",
		 t->ring ? ring_cost : other_cost);
	return pt_emit_config(&t->out, setup, PT_FORMAT_S12Z_TRACE, lines, err);
}

static int look_at_core(struct tracer *t, struct pt_err *err)
{
	struct pt_core_status status;
	uint64_t pc = PT_UNKNOWN;

	if (pt_s12z_status(t->z, 0, &status, err) < 0)
		return err->code;
	t->halt.held = status.state == PT_HALTED;
	if (!t->halt.held && t->ring) {	/* armed when the lease was taken */
		t->cut = true;
		t->state = TRACER_ARMED;
		return 0;
	}
	if (!t->halt.held)
		return arm(t, err);
	if (pt_s12z_pc(t->z, 0, &pc, err) < 0)
		return err->code;
	pt_emit_state(&t->out, PT_STATE_HALT, t->out.told_ns, pc);
	return 0;
}

static int release(struct tracer *t, struct pt_err *err)
{
	int rc = 0;

	if (t->leased) {
		t->z->n_sources--;
		rc = t->ring ? pt_breaks_s12z_record(t->z, false, err) : pt_dbg_give_back(t->z, owner, err);
	}
	t->leased = false;
	return rc;
}

static void init(struct tracer *t, struct pt_target *target, const struct pt_source_setup *setup)
{
	const char *mode = pt_params_text(setup->settings, &params[MODE]);

	t->z = target->state;
	t->ring = strcmp(mode, "ring") == 0;
	while (!t->ring && t->mode + 1 < PT_DBG_MODES && strcmp(mode_names[t->mode], mode) != 0)
		t->mode++;
	t->begin = !t->ring && strcmp(pt_params_text(setup->settings, &params[ALIGN]), "begin") == 0;
	t->stamp = !t->ring && t->mode != PT_DBG_PURE_PC && pt_params_flag(setup->settings, &params[STAMP]);
	t->unlock = pt_params_flag(setup->settings, &params[UNLOCK]);
	pt_emit_init(&t->out, setup, pt_wire_s12z_now_ns(&t->z->wire));
	t->halt = (struct pt_s12z_halts){ .z = t->z, .out = &t->out, .who = owner, .flush = flush, .source = t };
}

static int tracer_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct tracer *t = state;
	struct pt_err ignored = { 0 };

	if (available(target, err) < 0)
		return err->code;
	init(t, target, setup);
	if ((t->ring ? pt_breaks_s12z_record(t->z, true, err) : pt_dbg_take(t->z, owner, err)) < 0)
		return err->code;
	t->leased = true;
	t->z->n_sources++;
	if (available(target, err) == 0 && emit_config(t, setup, err) == 0 && look_at_core(t, err) == 0)
		return 0;
	release(t, &ignored);
	return err->code;
}

static int tracer_stop(void *state, struct pt_err *err)
{
	struct tracer *t = state;
	struct pt_err first = { 0 }, own = { 0 };
	int rc = t->halt.untold ? pt_halts_s12z_catch_up(&t->halt, &first) : flush(t, &first);

	rc = pt_halts_s12z_rest(&t->halt, rc);
	if (release(t, &own) < 0 && rc == 0)
		rc = (first = own).code;
	pt_emit_end(&t->out);
	if (rc < 0 && err != NULL)
		*err = first;
	return rc < 0 ? rc : 0;
}

const struct pt_source_ops pt_source_s12z_trace = {
	.name = "trace",
	.format = PT_FORMAT_S12Z_TRACE,
	.flow = true,
	.modes = "normal|loop1|detail|pure-pc|ring",
	.titles = "DBG trace|DBG trace, loop1|DBG data trace|DBG trace, pure PC|DBG trace, last branches",
	.recorder = "ring",
	.help = "flow or accesses to data, from the trace buffer of the DBG module: the last lines before a halt",
	.state_bytes = sizeof(struct tracer),
	.params = params,
	.n_params = N_PARAMS,
	.available = available,
	.start = tracer_start,
	.drain = tracer_drain,
	.on_state = tracer_on_state,
	.behind = tracer_behind,
	.stop = tracer_stop,
};
