/* Measures the core's clock with a counter of the running target: at the start; or, if the core does not run then (it
 * comes out of reset), after the end, before the END chunks. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/door.h"
#include "base/util.h"
#include "session/acquire/acquisition_parts.h"

#define MOST_ERROR 0.02		/* a measured clock with a larger error is not used */

static int measure(struct pt_live *live, struct pt_target *target, struct pt_count_rate *rate, bool *is_core,
		   struct pt_err *why)
{
	double hz, error_hz;
	int rc = target->ops->clock_rate(target->state, live->measures, rate, is_core, why);

	if (rc == 0 && pt_count_rate_known(rate, MOST_ERROR, &hz, &error_hz))
		live->clock = (struct pt_measured_clock){ hz - error_hz, *is_core ? hz + error_hz : 0 };
	return rc;
}

/* Uses a counter of the running target: because the user asked for it, or to check a clock that he gave. In the second
 * case an error is not reported. */
int pt_live_measure_clock(struct pt_live *live, struct pt_target *target, struct pt_err *err)
{
	const char *say = pt_by_door("say --core-clock HZ", "say core-clock=HZ");
	const struct pt_target_ops *ops = target->ops;
	struct pt_err why = { 0 };
	struct pt_count_rate rate;
	bool is_core, known;
	int rc;

	live->clock = (struct pt_measured_clock){ 0 };
	if (!live->measures && (live->core_hz == 0 || ops->clock_rate == NULL))
		return 0;
	if (ops->clock_rate == NULL)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "core-clock=measure: %s has no counter that can be read beside the program: %s",
			       ops->name, ops->clock_hint != NULL ? ops->clock_hint : say);
	rc = measure(live, target, &rate, &is_core, &why);
	known = live->clock.least_hz > 0;
	live->clock_late = rc == PT_ESTATE && !live->is_recorder;
	if (!live->measures)
		return rc == PT_EIO ? pt_fail(err, rc, "%s", why.msg) : 0;
	if (rc < 0)
		return pt_fail(err, rc, "core-clock=measure: %.300s; or %s", why.msg, say);
	if (!known || !is_core)
		return pt_fail(err, PT_EUNSUPPORTED, "core-clock=measure: %s: %s",
			       !known && rate.n_bands == 0
				       ? "the counter does not count evenly: the core sleeps, or its "
					 "clock changes"
			       : !known ? "the counter goes around too often for this probe to follow it"
					: "the counter counts a reference clock, and not the core's",
			       say);
	return 0;
}

bool pt_live_hold_end(struct pt_live *live, struct pt_chunk *chunk)
{
	if (!live->ending || chunk->kind != PT_CHUNK_END || live->n_ends == PT_LEN(live->end))
		return false;
	live->end[live->n_ends++] = chunk;
	return true;
}

/* Sent as the first source's. */
void pt_live_tell_at_end(struct pt_live *live, const char *text)
{
	const struct pt_chunk *end = live->end[0];
	struct pt_chunk *chunk = live->queue_sink->take(live->queue_sink);

	if (chunk == NULL)
		return;
	chunk->kind = PT_CHUNK_COST;
	chunk->source = end->source;
	chunk->core = end->core;
	chunk->cause = 0;
	chunk->lost_bytes = 0;
	chunk->from_ns = chunk->to_ns = end->from_ns;
	chunk->len_bytes = (uint32_t)snprintf((char *)chunk->bytes, PT_CHUNK_BYTES, "%s", text);
	live->queue_sink->put(live->queue_sink, chunk);
}

void pt_live_measure_late(struct pt_live *live)
{
	struct pt_err ignored = { 0 };
	struct pt_count_rate rate;
	char text[80];
	bool is_core;

	if (!live->clock_late || live->n_ends == 0)
		return;
	live->clock_late = false;
	(void)measure(live, live->target, &rate, &is_core, &ignored);
	snprintf(text, sizeof(text), "clock_least_hz=%.0f\nclock_most_hz=%.0f\n", floor(live->clock.least_hz),
		 ceil(live->clock.most_hz));
	if (live->clock.least_hz > 0)
		pt_live_tell_at_end(live, text);
}

void pt_live_send_ends(struct pt_live *live)
{
	for (size_t i = 0; i < live->n_ends; i++)
		live->queue_sink->put(live->queue_sink, live->end[i]);
	live->n_ends = 0;
	live->ending = live->clock_late = false;	/* after an error nothing was measured */
}
