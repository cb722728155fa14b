/* Mode pdo: while armed, the DBG module sends every line on the pins PDO and PDOCLK; a logic capture records their
 * levels. The capture is started before the module is armed, so that the first bit is a session's first.
 *
 * An overflowing buffer (TBOVF) disarms the module. After lost samples we disarm it, because nothing marks the
 * beginning of the next byte. In both cases the data in transit is read to its end, the module is armed again, and the
 * time in between is lost. The end of a session is detected over the BDC (ARM, PTACT), because on the pins an idle
 * clock looks the same. So observed time ends when the module was last seen armed, or where the lines say
 * (pdo_lines.h), and not where reading of the pins ended. */
#include <string.h>

#include "targets/s12z/trace/profile.h"
#include "base/util.h"

enum { READ_MS = 2, LOOK_NS = 5000000, STANDARD_HZ = 100000000, MOST_EMPTY = 8, FLUSH_MS = 1000 };

/* --- bytes -------------------------------------------------------------------------------------------------------- */

static uint64_t at_ns(const struct pt_stream *stream, uint64_t from_ns, uint64_t n_samples)
{
	return from_ns + (uint64_t)((double)n_samples * 1e9 / stream->sample_hz);
}

/* Takes the valid bytes: data after a pause within a byte is not valid. */
static size_t take_runs(struct pt_stream *stream, size_t n_runs, uint64_t from_ns, uint64_t *to_ns)
{
	uint64_t n_samples = 0;
	size_t n_bytes = 0;

	for (size_t i = 0; i < n_runs; i++) {
		uint32_t n = stream->runs[i] & PT_PINS_SAMPLES;
		bool byte = pt_pdo_run(&stream->bits, (uint8_t)(stream->runs[i] >> PT_PINS_LEVELS), n,
				       &stream->bytes[n_bytes]);

		if (byte && !stream->bits.damaged && !stream->lost && stream->state != STREAM_IDLE)
			pt_pdo_lines_byte(&stream->lines, stream->bytes[n_bytes++], at_ns(stream, from_ns, n_samples));
		n_samples += n;
	}
	*to_ns = at_ns(stream, from_ns, n_samples);
	return n_bytes;
}

/* Reports time without bytes: the bytes were emitted before. Not before a session's first chunk, which marks its
 * beginning and has bytes. */
static void observed_until(struct pt_s12z_profile *p, uint64_t ns)
{
	if (p->stream.state != STREAM_IDLE && !p->out.restarts && ns > p->out.told_ns)
		pt_emit_data(&p->out, p->out.told_ns, ns, "", 0);
}

static void note_loss(struct pt_s12z_profile *p, const struct pt_pins_read *what)
{
	struct pt_stream *stream = &p->stream;

	if (what->lost_samples == 0 || stream->state == STREAM_IDLE || stream->lost)
		return;
	stream->lost = true;
	observed_until(p, stream->lines.byte_ns);
	pt_emit_loss(&p->out, PT_LOSS_OVERRUN, what->from_ns);
}

/* Data read from the pins may have been recorded much earlier, and data sent after the end was. */
static uint64_t recorded_ns(const struct pt_stream *stream)
{
	uint64_t by_lines = pt_pdo_lines_recorded_ns(&stream->lines);
	uint64_t by_look = stream->captured_ns < stream->armed_ns ? stream->captured_ns : stream->armed_ns;

	return by_lines > by_look ? by_lines : by_look;
}

static void put_bytes(struct pt_s12z_profile *p, size_t n_bytes)
{
	uint64_t to_ns = recorded_ns(&p->stream);

	pt_emit_data(&p->out, p->out.told_ns, to_ns > p->out.told_ns ? to_ns : p->out.told_ns, p->stream.bytes,
		     n_bytes);
}

/* Reads the pins, and emits the session's valid bytes as a chunk. Returns the number of runs read. */
static int read_pins(struct pt_s12z_profile *p, struct pt_err *err)
{
	struct pt_stream *stream = &p->stream;
	struct pt_pins_read what = { 0 };
	uint64_t to_ns;
	size_t n_bytes;
	int n = stream->pins->read(stream->pins_state, stream->runs, PT_STREAM_RUNS, READ_MS, &what, err);

	if (n < 0)
		return n;
	note_loss(p, &what);
	stream->n_empty = n == 0 ? stream->n_empty + 1 : 0;
	if (what.ended)
		stream->capturing = false;
	if (n == 0)
		return 0;
	n_bytes = take_runs(stream, (size_t)n, what.from_ns, &to_ns);
	stream->captured_ns = to_ns > stream->captured_ns ? to_ns : stream->captured_ns;
	if (n_bytes > 0)
		put_bytes(p, n_bytes);
	if (stream->bits.damaged && stream->state != STREAM_IDLE)
		stream->lost = true;
	return n;
}

/* Reads the pins up to ns, so that a loss or sleep is reported only after the recorded data. */
static void read_up_to(struct pt_s12z_profile *p, uint64_t ns)
{
	struct pt_err ignored = { 0 };

	while (p->stream.state != STREAM_IDLE && p->stream.captured_ns < ns && read_pins(p, &ignored) > 0)
		;
}

/* --- sessions ----------------------------------------------------------------------------------------------------- */

static int arm(struct pt_s12z_profile *p, struct pt_err *err)
{
	struct pt_stream *stream = &p->stream;
	struct pt_dbg_writes w = { .n = 0 };
	uint64_t armed_ns;

	if (pt_profile_set_up(p, true, err) < 0)
		return err->code;
	pt_pdo_begin(&stream->bits);
	pt_pdo_lines_begin(&stream->lines);
	pt_dbg_put(&w, DBG_C1, C1_ARM);
	armed_ns = pt_wire_s12z_now_ns(&p->z->wire);	/* earliest possible time */
	if (pt_dbg_write(p->z, &w, err) < 0)
		return err->code;
	stream->state = STREAM_ARMED;
	stream->overflow = stream->lost = stream->silent = false;
	stream->disarmed_ns = PT_UNKNOWN;
	stream->armed_ns = armed_ns;
	stream->looked_ns = pt_wire_s12z_now_ns(&p->z->wire);
	pt_emit_loss(&p->out, p->halt.held ? PT_LOSS_HALTED : stream->gap, armed_ns);
	stream->gap = PT_LOSS_REARM;
	p->out.restarts = true;
	return 0;
}

static void begin_ending(struct pt_s12z_profile *p)
{
	p->stream.state = STREAM_ENDING;
	p->stream.n_empty = 0;
	p->stream.silent = false;
}

/* The BDC answers again. The pins carried the trace meanwhile: only time without data on them is lost. */
static void bdc_works(struct pt_s12z_profile *p, uint64_t now_ns, bool armed)
{
	if (armed && p->stream.state == STREAM_ARMED)
		p->stream.armed_ns = now_ns;
	if (p->out.failing_since_ns != PT_UNKNOWN) {
		read_up_to(p, now_ns);
		observed_until(p, recorded_ns(&p->stream));
	}
	pt_emit_works(&p->out, now_ns, p->z->was_reset);
}

/* Reads whether the module is still armed, and still sends. */
static int look(struct pt_s12z_profile *p, struct pt_err *err)
{
	struct pt_stream *stream = &p->stream;
	uint8_t c[3] = { 0 }, sr = 0;
	struct pt_bdc_op op[] = {
		{ .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = DBG_C1, .n = 3, .bytes = c },
		{ .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = DBG_SR, .n = 1, .bytes = &sr },
	};
	int rc = pt_wire_s12z_run(&p->z->wire, op, PT_LEN(op), NULL, err);

	if (rc == 0)
		rc = pt_dbg_believe(p->z, c[0], c[2], err);
	if (rc < 0)
		return rc;
	stream->looked_ns = op[1].done_ns;
	bdc_works(p, op[0].sent_ns, (c[0] & C1_ARM) != 0);
	if ((c[2] & TCRH_TSOURCE) == 0 || (c[0] & ~C1_ARM) != 0)
		return pt_profile_disturbed(p, c[0], c[2], err);
	if ((sr & SR_PTACT) == 0 && (c[0] & C1_ARM) == 0 && !stream->silent) {
		stream->silent = true;
		stream->ended_ns = stream->looked_ns;
	}
	if (stream->state == STREAM_ARMED && (c[0] & C1_ARM) == 0) {
		stream->overflow = true;	/* only the hardware disarms it */
		begin_ending(p);
	}
	return 0;
}

/* True: no more data can come, because the pins were read beyond the end, or were empty for a while. */
static bool is_read(const struct pt_stream *stream)
{
	return !stream->capturing ||
	       (stream->silent && (stream->captured_ns > stream->ended_ns || stream->n_empty >= MOST_EMPTY));
}

/* If the lines show no end, it is unknown when the hardware ended the session. */
static void end_session(struct pt_s12z_profile *p)
{
	struct pt_stream *stream = &p->stream;
	uint64_t by_lines = pt_pdo_lines_recorded_ns(&stream->lines);

	stream->overflow |= stream->lines.full;
	if (stream->overflow && !stream->lost)
		observed_until(p, stream->lines.full && by_lines != 0 ? by_lines : stream->lines.byte_ns);
	stream->gap = stream->overflow	     ? PT_LOSS_FIFO
		      : stream->bits.damaged ? PT_LOSS_DAMAGED
		      : stream->lost	     ? PT_LOSS_OVERRUN
					     : PT_LOSS_REARM;
	stream->state = STREAM_IDLE;
	p->n_taken = stream->lost ? p->n_taken : 0;
	pt_pdo_begin(&stream->bits);
}

static int drain_ending(struct pt_s12z_profile *p, struct pt_err *err)
{
	int rc = p->stream.silent ? 0 : look(p, err);

	if (rc == 0)
		rc = read_pins(p, err);
	if (rc >= 0 && p->stream.state == STREAM_ENDING && is_read(&p->stream))
		end_session(p);
	return rc < 0 ? rc : 0;
}

static int drain_armed(struct pt_s12z_profile *p, struct pt_err *err)
{
	struct pt_stream *stream = &p->stream;
	int rc = read_pins(p, err);

	if (rc >= 0 && stream->lost) {
		rc = pt_dbg_disarm(p->z, err);
		begin_ending(p);
		return rc;
	}
	if (rc >= 0 && pt_wire_s12z_now_ns(&p->z->wire) - stream->looked_ns >= LOOK_NS)
		rc = look(p, err);
	return rc < 0 ? rc : 0;
}

static int failed(struct pt_s12z_profile *p, int rc, struct pt_err *err)
{
	if (rc != PT_EINTERRUPTED) {
		read_up_to(p, pt_wire_s12z_now_ns(&p->z->wire));
		observed_until(p, p->stream.lines.byte_ns);
	}
	return pt_profile_failed(p, rc, err);
}

static int drain(struct pt_s12z_profile *p, struct pt_err *err)
{
	int rc;

	if (!p->stream.capturing) {
		pt_emit_end(&p->out);
		return pt_fail(err, PT_EIO,
			       "dbg-profile: the capture of the pins has ended; what was recorded before is kept");
	}
	if (p->stream.state == STREAM_IDLE)
		rc = arm(p, err);
	else
		rc = p->stream.state == STREAM_ARMED ? drain_armed(p, err) : drain_ending(p, err);
	return rc < 0 ? failed(p, rc, err) : 0;
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

static bool pending(const struct pt_s12z_profile *p)
{
	return p->stream.state != STREAM_IDLE;
}

/* If a session was read to its end and the clock was idle afterwards, the time after it was observed, too. */
static void tell_end(struct pt_s12z_profile *p, bool recorded)
{
	uint64_t now_ns = pt_wire_s12z_now_ns(&p->z->wire);
	uint64_t end_ns = p->halt.held ? p->halt.ns : now_ns < p->stream.disarmed_ns ? now_ns : p->stream.disarmed_ns;

	if (recorded && p->stream.gap == PT_LOSS_REARM)
		pt_emit_data(&p->out, p->out.told_ns, end_ns, "", 0);
	if (!p->halt.held)
		pt_emit_loss(&p->out, p->stream.gap, now_ns);
}

/* After disarming, the module sends the rest of its buffer, and a last line with TERM. */
static int flush(struct pt_s12z_profile *p, struct pt_err *err)
{
	uint64_t until_ns = pt_wire_s12z_now_ns(&p->z->wire) + FLUSH_MS * PT_NS_PER_MS;
	bool recorded = p->stream.state == STREAM_ARMED;
	int rc = recorded && p->stream.lines.unsure ? look(p, err) : 0;	/* otherwise the lines show a full buffer */

	if (rc < 0)
		return rc;
	if (p->stream.state == STREAM_ARMED) {
		rc = pt_dbg_disarm(p->z, err);
		if (rc < 0)
			return rc;
		p->stream.disarmed_ns = pt_wire_s12z_now_ns(&p->z->wire);
		begin_ending(p);
	}
	while (rc == 0 && p->stream.state == STREAM_ENDING) {
		rc = drain_ending(p, err);
		if (p->stream.state != STREAM_ENDING || pt_wire_s12z_now_ns(&p->z->wire) < until_ns)
			continue;
		p->stream.lost = true;	/* not read to the end */
		end_session(p);
	}
	if (rc == 0)
		tell_end(p, recorded);
	return rc;
}

static int run(struct pt_s12z_profile *p, struct pt_err *err)
{
	return p->stream.state == STREAM_IDLE ? arm(p, err) : 0;
}

/* The pins are idle, and data in transit is lost. */
static void was_reset(struct pt_s12z_profile *p)
{
	observed_until(p, p->stream.lines.byte_ns);
	p->stream.gap = PT_LOSS_REARM;
	p->stream.state = STREAM_IDLE;
	pt_pdo_begin(&p->stream.bits);
}

static int leave(struct pt_s12z_profile *p, struct pt_err *err)
{
	return p->stream.capturing ? p->stream.pins->stop(p->stream.pins_state, err) : 0;
}

static enum pt_pdo_edge edge_of(const char *word)
{
	return strcmp(word, "rising") == 0    ? PT_PDO_RISING
	       : strcmp(word, "falling") == 0 ? PT_PDO_FALLING
					      : PT_PDO_BOTH;
}

static uint32_t least_hz(const struct pt_params *settings)
{
	uint64_t bus_hz = pt_params_number(settings, &pt_profile_params[PT_PROFILE_BUS_CLOCK]);

	if (pt_params_given(settings, &pt_profile_params[PT_PROFILE_SAMPLE_RATE]))
		return (uint32_t)pt_params_number(settings, &pt_profile_params[PT_PROFILE_SAMPLE_RATE]);
	return bus_hz != 0 ? (uint32_t)(2 * bus_hz) : STANDARD_HZ; /* a bit is two bus cycles: four samples per bit */
}

static int start(struct pt_s12z_profile *p, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_stream *stream = &p->stream;
	struct pt_pins_want want = {
		.line = { pt_params_text(setup->settings, &pt_profile_params[PT_PROFILE_PDO]),
			  pt_params_text(setup->settings, &pt_profile_params[PT_PROFILE_PDOCLK]) },
		.n_lines = 2, .least_hz = least_hz(setup->settings), .clock = p->z->wire.link,
	};

	memset(stream, 0, sizeof(*stream));
	stream->lines.pthf_bytes = (unsigned)pt_params_number(setup->settings, &pt_profile_params[PT_PROFILE_PTHF]);
	stream->gap = PT_LOSS_REARM;
	stream->pins = p->z->target->probe != NULL ? pt_probe_pins(p->z->target->probe, &stream->pins_state) : NULL;
	if (stream->pins == NULL)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "mode pdo needs a capture of the pins PDO and PDOCLK: a second --probe "
			       "(logic:...)");
	pt_pdo_init(&stream->bits, edge_of(pt_params_text(setup->settings, &pt_profile_params[PT_PROFILE_EDGE])));
	if (stream->pins->start(stream->pins_state, &want, &stream->sample_hz, err) < 0)
		return pt_wrap(err, "capture the pins");
	stream->capturing = true;	/* the first drain arms the module */
	return 0;
}

const struct pt_profile_mode pt_profile_pdo = {
	.name = "pdo",
	.stream = "pdo",
	.cost = "the core never halts; the pins PDO and PDOCLK carry the trace, and there are no hardware breakpoints "
		"meanwhile",
	.start = start,
	.drain = drain,
	.pending = pending,
	.flush = flush,
	.run = run,
	.was_reset = was_reset,
	.leave = leave,
};
