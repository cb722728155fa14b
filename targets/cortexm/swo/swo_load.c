/* Chooses the rate of samples: the highest that the pin allows almost without loss beside all other packets, assuming a
 * buffer of two packets, because no manual tells the size. The rate of other packets is measured before the profile
 * begins: exceptions and writes depend on the program. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/util.h"
#include "host/log.h"
#include "targets/cortexm/swo/swo.h"

enum { SAMPLE_BYTES = 5, STAMP_BYTES = 2, ROOM_PACKETS = 2, MEASURE_MS = 100, READ_MS = 5,
       LOOK_MS = 1000, FEW_OVERFLOWS = 20 };
#define MOST_LOAD 0.5		/* for samples alone: above that other packets are lost */
#define MOST_LOST 0.01		/* intended */
#define STEP 0.001
#define BURSTS_LOST 0.1

static unsigned sample_bytes(const struct pt_swo *s)
{
	return SAMPLE_BYTES + (s->stream.stamped ? STAMP_BYTES : 0);
}

static double load_of(const struct pt_swo *s)
{
	return pt_swo_load(&s->period, s->core_hz, s->stream.bits_per_s, sample_bytes(s));
}

double pt_swo_load_beside(double rest_load, double most_lost)
{
	double load = 0;

	while (load < 1 && pt_swo_lost_part(rest_load + load + STEP, ROOM_PACKETS) <= most_lost)
		load += STEP;
	return load;
}

/* --- what else comes ---------------------------------------------------------------------------------------------- */

static int count_bytes(struct pt_swo *s, uint64_t *n_bytes, struct pt_err *err)
{
	uint64_t until_ns = pt_mem_now_ns(s->mem) + MEASURE_MS * PT_NS_PER_MS;
	uint8_t bytes[PT_SWO_READ_BYTES];
	int n = 0;

	while (n >= 0 && pt_mem_now_ns(s->mem) < until_ns) {
		struct pt_stream_read what = { 0 };

		n = s->stream.ops->read(s->stream.wire, bytes, sizeof(bytes), READ_MS, &what, err);
		*n_bytes += n > 0 ? (uint64_t)n : 0;
	}
	return n < 0 ? n : 0;
}

static bool knows_rest(const struct pt_swo *s)
{
	return s->chosen || s->held || s->load_given || (s->kinds & PT_SWO_PC_SAMPLES) == 0 ||
	       s->kinds == PT_SWO_PC_SAMPLES;
}

int pt_swo_measure_rest(struct pt_swo *s, struct pt_err *err)
{
	unsigned kinds = s->kinds;
	uint64_t begin_ns, n_bytes = 0;
	int rc;

	if (knows_rest(s))
		return 0;
	s->kinds &= ~(unsigned)PT_SWO_PC_SAMPLES;
	rc = pt_swo_program(s, err);
	begin_ns = pt_mem_now_ns(s->mem);
	if (rc == 0)
		rc = count_bytes(s, &n_bytes, err);
	s->kinds = kinds;
	if (rc < 0)
		return rc;
	s->rest_load =
		(double)n_bytes * PT_SWO_BITS * 1e9 / (double)(pt_mem_now_ns(s->mem) - begin_ns) / s->stream.bits_per_s;
	s->rest_known = true;
	return pt_swo_quiet(s, err);
}

/* --- the period --------------------------------------------------------------------------------------------------- */

/* Where packets are dropped in nearly every burst of reports, it is the chip's queue that is too short, and there is a way round. */
static const char *way_round(const struct pt_swo *s, double lost)
{
	if (lost < BURSTS_LOST || (s->kinds & PT_SWO_EXCEPTIONS) == 0)
		return "";
	return ". If it stays so, the chip's queue is too short for its bursts of exceptions: variables=NAME:regular, of a "
	       "variable that a handler writes, has the handler's period (trace=data), and trace=pc-samples its share";
}

static void warn_of_loss(const struct pt_swo *s)
{
	double lost = pt_swo_lost_part(load_of(s) + s->rest_load, ROOM_PACKETS);

	if (s->rest_known && lost > MOST_LOST)
		pt_warn("swo: what else is traced takes %.0f %% of the pin at %" PRIu32
			" baud, and samples %.0f %%: predicted loss "
			"%.1f %%; raise swo-baud, trace less (trace=), or leave the stamps out (stamps=off)%s",
			s->rest_load * 100, s->stream.bits_per_s, load_of(s) * 100, lost * 100, way_round(s, lost));
}

int pt_swo_choose(struct pt_swo *s, struct pt_err *err)
{
	double load = s->load_given ? s->pc_load : fmin(s->pc_load, pt_swo_load_beside(s->rest_load, MOST_LOST));

	if ((s->kinds & PT_SWO_PC_SAMPLES) == 0 || s->chosen)
		return 0;
	if (!pt_swo_choose_period(&s->period, s->core_hz, s->stream.bits_per_s, sample_bytes(s), load) &&
	    load_of(s) > MOST_LOAD)
		return pt_fail(
			err, PT_EUNSUPPORTED,
			"samples of the pc take %.0f %% of the pin at %" PRIu32
			" baud, at the longest period that there is (16384 cycles): raise swo-baud, leave pc-samples out of "
			"trace, or take source=pcsr, which needs no pin",
			load_of(s) * 100, s->stream.bits_per_s);
	s->chosen = true;
	warn_of_loss(s);
	return 0;
}

/* Each overflow packet stands for at least one dropped packet, so this is a lower bound of the loss. */
static void warn_of_crowd(const struct pt_swo *s, double lost)
{
	char predicted[48] = "";

	if (s->rest_known)
		snprintf(predicted, sizeof(predicted), " (predicted: %.1f %%)",
			 pt_swo_lost_part(load_of(s) + s->rest_load, ROOM_PACKETS) * 100);
	pt_warn("swo: more is traced than the pin carries at %" PRIu32
		" baud: of the last second's reports the chip dropped %.1f %% or more%s; raise swo-baud, trace less (trace=), "
		"leave the stamps out (stamps=off)%s%s",
		s->stream.bits_per_s, lost * 100, predicted,
		(s->kinds & PT_SWO_PC_SAMPLES) == 0 ? ""
		: s->load_given			    ? ", or lower pc-load"
				: ", or begin anew: the period of samples is chosen when a profile begins",
		way_round(s, lost));
}

void pt_swo_watch_load(struct pt_swo *s, uint64_t now_ns)
{
	struct pt_swo_crowd *seen = &s->crowd;
	uint64_t reports = s->stream.n_reports - seen->n_reports, overflows = s->stream.n_overflows - seen->n_overflows;
	double lost = overflows > 0 ? (double)overflows / (double)(reports + overflows) : 0;

	if (seen->warned || now_ns - seen->ns < LOOK_MS * PT_NS_PER_MS)
		return;
	if (overflows >= FEW_OVERFLOWS && lost > 2 * MOST_LOST) {
		seen->warned = true;
		warn_of_crowd(s, lost);
	}
	seen->ns = now_ns;
	seen->n_reports = s->stream.n_reports;
	seen->n_overflows = s->stream.n_overflows;
}

void pt_swo_predict(const struct pt_swo *s, char *line, size_t room)
{
	double load = load_of(s), cycles = pt_swo_cycles(&s->period);
	char rest[100] = "";

	if ((s->kinds & PT_SWO_PC_SAMPLES) == 0) {
		snprintf(line, room, "the pin carries %" PRIu32 " bytes a second", s->stream.bits_per_s / PT_SWO_BITS);
		return;
	}
	if (s->rest_known)
		snprintf(rest, sizeof(rest), ", and what else is traced %.1f %% when it was measured: %.1f %% in all",
			 s->rest_load * 100, (load + s->rest_load) * 100);
	snprintf(line, room,
		 "a sample every %.0f cycles in the mean, %.0f a second, takes %.1f %% of the pin (%" PRIu32
		 " baud)%s; predicted loss %.2f %%",
		 cycles, s->core_hz / cycles, load * 100, s->stream.bits_per_s, rest,
		 pt_swo_lost_part(load + s->rest_load, ROOM_PACKETS) * 100);
}

/* --- before a profile --------------------------------------------------------------------------------------------- */

static const struct { const char *trace, *what; double bytes, stamp_bytes; } rows[] = {
	{ "exceptions", "interrupts with entry, exit and return", 9, 9 },
	{ "data, task", "writes of 4 bytes (data-pc=on: twice as much)", 5, 2 },
	{ "instrumentation", "words to a port", 5, 2 },
	{ "event-counters", "packets, each for 256 events", 2, 2 },
};

void pt_swo_print_room(uint32_t bits_per_s, const char *limit, char *text, size_t room)
{
	double bytes_per_s = (double)bits_per_s / PT_SWO_BITS;
	double fits = pt_swo_load_beside(0, MOST_LOST);
	size_t at = (size_t)snprintf(text, room,
				     "the pin carries %.0f bytes a second at %" PRIu32
				     " baud (%s); with up to %.0f %% of that in all next to "
				     "nothing is lost (%.1f %%), and %.0f %% take:",
				     bytes_per_s, bits_per_s, limit, fits * 100, MOST_LOST * 100, fits * 100);

	if (at < room)
		at += (size_t)snprintf(text + at, room - at, "\n    %-15s %.0f a second (stamps=off: %.0f)",
				       "pc-samples", bytes_per_s * fits / (SAMPLE_BYTES + STAMP_BYTES),
				       bytes_per_s * fits / SAMPLE_BYTES);
	for (size_t i = 0; i < PT_LEN(rows) && at < room; i++)
		at += (size_t)snprintf(text + at, room - at, "\n    %-15s %.0f a second (stamps=off: %.0f) of %s",
				       rows[i].trace, bytes_per_s * fits / (rows[i].bytes + rows[i].stamp_bytes),
				       bytes_per_s * fits / rows[i].bytes, rows[i].what);
	if (at < room)
		snprintf(
			text + at, room - at,
			"\n    a profile of samples and others measures the others for 0.1 s first, and takes samples by what is left");
}
