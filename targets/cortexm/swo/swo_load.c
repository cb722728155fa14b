/* How often to sample: as often as the pin allows with next to no loss, reckoned with room for two packets in front of it,
 * as no manual says how many there are. */
#include <inttypes.h>
#include <stdio.h>

#include "targets/cortexm/swo/swo.h"

enum { SAMPLE_BYTES = 5, STAMP_BYTES = 2, ROOM_PACKETS = 2 };
#define MOST_LOAD 0.5		/* of samples alone: above that whatever else comes is lost */

static unsigned sample_bytes(const struct pt_swo *s)
{
	return SAMPLE_BYTES + (s->stream.stamped ? STAMP_BYTES : 0);
}

static double load_of(const struct pt_swo *s)
{
	return pt_swo_load(&s->period, s->core_hz, s->stream.bits_per_s, sample_bytes(s));
}

int pt_swo_choose(struct pt_swo *s, struct pt_err *err)
{
	if ((s->kinds & PT_SWO_PC_SAMPLES) == 0 || s->chosen)
		return 0;
	if (!pt_swo_choose_period(&s->period, s->core_hz, s->stream.bits_per_s, sample_bytes(s), s->pc_load) &&
	    load_of(s) > MOST_LOAD)
		return pt_fail(
			err, PT_EUNSUPPORTED,
			"samples of the pc take %.0f %% of the pin at %" PRIu32
			" baud, at the longest period that there is (16384 cycles): raise swo-baud, leave pc-samples out of "
			"trace, or take source=pcsr, which needs no pin",
			load_of(s) * 100, s->stream.bits_per_s);
	s->chosen = true;
	return 0;
}

void pt_swo_predict(const struct pt_swo *s, char *line, size_t room)
{
	double load = load_of(s), cycles = pt_swo_cycles(&s->period);

	if ((s->kinds & PT_SWO_PC_SAMPLES) == 0) {
		snprintf(line, room, "the pin carries %" PRIu32 " bytes a second", s->stream.bits_per_s / PT_SWO_BITS);
		return;
	}
	snprintf(line, room,
		 "a sample every %.0f cycles in the mean, %.0f a second, takes %.1f %% of the pin (%" PRIu32
		 " baud); predicted loss %.2f %%",
		 cycles, s->core_hz / cycles, load * 100, s->stream.bits_per_s,
		 pt_swo_lost_part(load, ROOM_PACKETS) * 100);
}
