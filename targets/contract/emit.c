/* See emit.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "targets/contract/emit.h"
#include "targets/contract/target.h"
#include "trace/formats.h"
#include "base/util.h"

enum {
	GIVE_UP_MS = 700,	/* a reset or a dip in power is shorter; END shall be out
				 * within a second of the last good word */
	TRY_AGAIN_US = 20000,
	END_TRIES = 1000,
	COST_MS = 1000,
};

void pt_emit_init(struct pt_emit *out, const struct pt_source_setup *setup, uint64_t now_ns)
{
	*out = (struct pt_emit){
		.sink = setup->sink, .source = setup->source, .core = setup->core, .told_ns = now_ns,
		.failing_since_ns = PT_UNKNOWN,
	};
}

static void begin(const struct pt_emit *out, struct pt_chunk *chunk, enum pt_chunk_kind kind, uint64_t from_ns,
		  uint64_t to_ns)
{
	chunk->kind = (uint16_t)kind;
	chunk->source = out->source;
	chunk->core = out->core;
	chunk->from_ns = from_ns;
	chunk->to_ns = to_ns;
}

static struct pt_chunk *take(struct pt_emit *out, enum pt_chunk_kind kind, uint64_t from_ns, uint64_t to_ns)
{
	struct pt_chunk *chunk = NULL;

	if (out->ended)
		return NULL;
	chunk = out->n_reserved > 0 ? out->reserved[--out->n_reserved] : out->sink->take(out->sink);
	if (chunk != NULL)
		begin(out, chunk, kind, from_ns, to_ns);
	return chunk;
}

int pt_emit_config(struct pt_emit *out, const struct pt_source_setup *setup, const char *format, const char *lines,
		   struct pt_err *err)
{
	struct pt_chunk *chunk = take(out, PT_CHUNK_CONFIG, out->told_ns, out->told_ns);
	int len;

	if (chunk == NULL)
		return pt_fail(err, PT_ENOMEM, "no room for chunks");
	len = snprintf((char *)chunk->bytes, PT_CHUNK_BYTES, "format=%s\n%s%s", format,
		       setup->config != NULL ? setup->config : "", lines);
	chunk->len_bytes = len < PT_CHUNK_BYTES ? (uint32_t)len : PT_CHUNK_BYTES - 1;
	out->sink->put(out->sink, chunk);
	return 0;
}

/* --- what it costs */

void pt_emit_costs(struct pt_emit *out, void (*tell)(void *arg, struct pt_cost *cost), void *arg)
{
	out->tell_cost = tell;
	out->cost_arg = arg;
	out->cost_from_ns = out->told_ns;
	out->cost_told_ns = PT_UNKNOWN;
}

static uint32_t print_cost(const struct pt_cost *cost, char *text, size_t room)
{
	int len = snprintf(text, room, "time_ns=%" PRIu64 "\n", cost->time_ns);

	if (cost->counts_missed)
		len += snprintf(text + len, room - (size_t)len, "missed=%" PRIu64 "\n", cost->missed);
	if (cost->edges_ns > 0)
		len += snprintf(text + len, room - (size_t)len, "edges_ns=%" PRIu64 "\n", cost->edges_ns);

	for (size_t i = 0; i < cost->n_parts && len > 0 && (size_t)len < room; i++) {
		const struct pt_cost_part *p = &cost->part[i];

		len += snprintf(text + len, room - (size_t)len,
				"way.%zu=%s\nsamples.%zu=%" PRIu64 "\npackets.%zu=%" PRIu64 "\nhalts.%zu=%" PRIu64
				"\nhalted_ns.%zu=%" PRIu64 "\nshortest_ns.%zu=%" PRIu64 "\nlongest_ns.%zu=%" PRIu64
				"\nsetup_halts.%zu=%" PRIu64 "\nsetup_ns.%zu=%" PRIu64 "\n",
				i, p->way, i, p->samples, i, p->packets, i, p->sampling.n, i, p->sampling.ns, i,
				p->sampling.shortest_ns, i, p->sampling.longest_ns, i, p->setup.n, i, p->setup.ns);
	}
	return len > 0 && (size_t)len < room ? (uint32_t)len : 0;
}

/* Nothing without room: there will be another. What is reserved is for something else. */
static void emit_cost(struct pt_emit *out)
{
	struct pt_cost cost = { .time_ns = out->told_ns - out->cost_from_ns };
	struct pt_chunk *chunk;

	if (out->tell_cost == NULL)
		return;
	chunk = out->sink->take(out->sink);
	if (chunk == NULL)
		return;
	begin(out, chunk, PT_CHUNK_COST, out->told_ns, out->told_ns);
	out->tell_cost(out->cost_arg, &cost);
	chunk->len_bytes = print_cost(&cost, (char *)chunk->bytes, PT_CHUNK_BYTES);
	out->sink->put(out->sink, chunk);
	out->cost_told_ns = out->told_ns;
}

/* Time has passed. */
static void tell_time(struct pt_emit *out, uint64_t to_ns)
{
	out->told_ns = to_ns;
	if (out->cost_told_ns == PT_UNKNOWN || to_ns - out->cost_told_ns >= COST_MS * PT_NS_PER_MS)
		emit_cost(out);
}

/* --- time */

void pt_emit_loss_of(struct pt_emit *out, enum pt_loss cause, uint64_t lost_bytes, uint64_t to_ns)
{
	struct pt_chunk loss = {
		.kind = PT_CHUNK_LOSS, .cause = (uint16_t)cause, .lost_bytes = lost_bytes, .source = out->source,
		.core = out->core, .from_ns = out->told_ns, .to_ns = to_ns,
	};

	if (to_ns <= out->told_ns || out->ended)
		return;
	out->sink->lose(out->sink, &loss);
	tell_time(out, to_ns);
}

void pt_emit_loss(struct pt_emit *out, enum pt_loss cause, uint64_t to_ns)
{
	pt_emit_loss_of(out, cause, PT_UNKNOWN, to_ns);
}

/* Follows the long ones, as what comes in pairs has a short one behind each: up by half at most, so that one that took
 * seconds counts as one, and slowly down. */
uint64_t pt_emit_batch_from(struct pt_emit *out, uint64_t from_ns, uint64_t to_ns)
{
	enum { MANY_TIMES = 4, DOWN = 32 };
	uint64_t took_ns = to_ns - from_ns, most_ns = MANY_TIMES * out->batch_ns;
	bool held_up = out->batch_ns != 0 && took_ns > most_ns;

	if (out->batch_ns == 0)
		out->batch_ns = took_ns;
	else if (took_ns > out->batch_ns + out->batch_ns / 2)
		out->batch_ns += out->batch_ns / 2 + 1;
	else if (took_ns > out->batch_ns)
		out->batch_ns = took_ns;
	else
		out->batch_ns -= (out->batch_ns - took_ns) / DOWN;
	return held_up ? to_ns - most_ns : from_ns;
}

void pt_emit_data(struct pt_emit *out, uint64_t from_ns, uint64_t to_ns, const void *bytes, size_t len_bytes)
{
	pt_emit_data_about(out, from_ns, to_ns, 0, bytes, len_bytes);
}

void pt_emit_data_about(struct pt_emit *out, uint64_t from_ns, uint64_t to_ns, uint64_t slack_ns, const void *bytes,
			size_t len_bytes)
{
	struct pt_chunk *chunk;

	if (from_ns < out->told_ns)
		from_ns = out->told_ns;
	if (to_ns < from_ns)
		to_ns = from_ns;
	chunk = take(out, PT_CHUNK_DATA, from_ns, to_ns);
	if (chunk == NULL) {
		pt_emit_loss(out, PT_LOSS_HOST, to_ns);
		out->restarts = true;
		return;
	}
	chunk->cause = !out->restarts ? PT_DATA_FOLLOWS : out->restarts_as != 0 ? out->restarts_as : PT_DATA_RESTARTS;
	chunk->lost_bytes = slack_ns;
	chunk->len_bytes = (uint32_t)len_bytes;
	memcpy(chunk->bytes, bytes, len_bytes);
	out->sink->put(out->sink, chunk);
	out->restarts = false;
	out->restarts_as = 0;
	tell_time(out, to_ns);
}

static void emit_state(struct pt_emit *out, enum pt_state what, uint64_t ns, uint64_t pc, uint64_t since_ns)
{
	struct pt_chunk *chunk = take(out, PT_CHUNK_STATE, ns, ns);

	if (chunk == NULL) {
		out->restarts = true;	/* the decoder must not join what this would have kept apart */
		return;
	}
	chunk->cause = (uint16_t)what;
	chunk->len_bytes = since_ns < ns ? PT_STATE_SINCE_BYTES : PT_STATE_BYTES;
	pt_put_le64(chunk->bytes + PT_STATE_PC, pc);
	pt_put_le64(chunk->bytes + PT_STATE_SINCE, since_ns);
	out->sink->put(out->sink, chunk);
}

void pt_emit_state(struct pt_emit *out, enum pt_state what, uint64_t ns, uint64_t pc)
{
	emit_state(out, what, ns, pc, ns);
}

void pt_emit_found_halted(struct pt_emit *out, uint64_t since_ns, uint64_t ns, uint64_t pc)
{
	emit_state(out, PT_STATE_HALT, ns, pc, since_ns);
}

int pt_emit_halted(struct pt_emit *out, struct pt_target *target, unsigned core, struct pt_err *err)
{
	uint64_t pc = PT_UNKNOWN;

	if (target->ops->pc(target->state, core, &pc, err) < 0)
		return err->code;
	pt_emit_state(out, PT_STATE_HALT, out->told_ns, pc);
	return 0;
}

void pt_emit_clock(struct pt_emit *out, uint64_t ticks, uint64_t ns, uint64_t error_ns)
{
	struct pt_chunk *chunk = take(out, PT_CHUNK_CLOCK, ns, ns);

	if (chunk == NULL)
		return;
	chunk->len_bytes = PT_CLOCK_BYTES;
	pt_put_le64(chunk->bytes + PT_CLOCK_TICKS, ticks);
	pt_put_le64(chunk->bytes + PT_CLOCK_NS, ns);
	pt_put_le64(chunk->bytes + PT_CLOCK_ERROR_NS, error_ns);
	out->sink->put(out->sink, chunk);
}

bool pt_emit_reserve(struct pt_emit *out, unsigned n)
{
	while (out->n_reserved < n) {
		struct pt_chunk *chunk = out->sink->take(out->sink);

		if (chunk == NULL)
			return false;
		out->reserved[out->n_reserved++] = chunk;
	}
	return true;
}

/* What is reserved can only leave as a chunk: it says nothing about no time. */
static void use_up(struct pt_emit *out)
{
	while (out->n_reserved > 1)
		pt_emit_data(out, out->told_ns, out->told_ns, "", 0);
}

void pt_emit_end(struct pt_emit *out)
{
	struct pt_chunk *chunk = NULL;

	if (out->ended)
		return;
	use_up(out);
	emit_cost(out);
	for (int i = 0; chunk == NULL && i < END_TRIES; i++) {
		chunk = take(out, PT_CHUNK_END, out->told_ns, out->told_ns);
		if (chunk == NULL)
			/* the analysis thread works in real time */
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	out->ended = true;
	if (chunk != NULL)
		out->sink->put(out->sink, chunk);
}

static void note_failure(struct pt_emit *out, uint64_t now_ns, int rc)
{
	if (out->failing_since_ns == PT_UNKNOWN)
		out->failing_since_ns = now_ns;
	out->fault = rc == PT_EPROTO			 ? PT_LOSS_SILENT
		     : rc == PT_EBUSY			 ? PT_LOSS_TAKEN
		     : rc == PT_EIO || rc == PT_ETIMEOUT ? PT_LOSS_PROBE
							 : PT_LOSS_RESET;
}

/* The end is a loss though no time has passed since the last chunk: what was on its way is lost. */
static void lose_at_once(struct pt_emit *out)
{
	struct pt_chunk loss = {
		.kind = PT_CHUNK_LOSS, .cause = (uint16_t)out->fault, .lost_bytes = PT_UNKNOWN, .source = out->source,
		.core = out->core, .from_ns = out->told_ns, .to_ns = out->told_ns,
	};

	if (!out->ended)
		out->sink->lose(out->sink, &loss);
}

int pt_emit_failed(struct pt_emit *out, uint64_t now_ns, int rc)
{
	if (rc == PT_EINTERRUPTED)
		return rc;
	note_failure(out, now_ns, rc);
	if ((rc == PT_EFAULT || rc == PT_ETIMEOUT || rc == PT_EPROTO) &&
	    now_ns - out->failing_since_ns < GIVE_UP_MS * PT_NS_PER_MS)
		return TRY_AGAIN_US;
	if (now_ns > out->told_ns)
		pt_emit_loss(out, out->fault, now_ns);
	else
		lose_at_once(out);
	pt_emit_end(out);
	return rc;
}

void pt_emit_rest(struct pt_emit *out, uint64_t now_ns, int rc, enum pt_loss cause)
{
	if (rc < 0 && rc != PT_EINTERRUPTED)
		note_failure(out, now_ns, rc);
	pt_emit_loss(out, out->failing_since_ns != PT_UNKNOWN ? out->fault : cause, now_ns);
}

void pt_emit_works(struct pt_emit *out, uint64_t now_ns, bool was_reset)
{
	bool silent = out->fault == PT_LOSS_SILENT; /* power that comes back resets, too: why the
							 * time is lost says more */

	if (out->failing_since_ns != PT_UNKNOWN)
		pt_emit_loss(out, silent ? PT_LOSS_SILENT : was_reset ? PT_LOSS_RESET : PT_LOSS_PROBE, now_ns);
	out->failing_since_ns = PT_UNKNOWN;
}

int pt_emit_asleep(struct pt_emit *out, uint64_t now_ns)
{
	pt_emit_loss(out, PT_LOSS_SLEEP, now_ns);
	out->failing_since_ns = PT_UNKNOWN;
	return TRY_AGAIN_US;
}

uint64_t pt_random(uint64_t *state, uint64_t below)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % below;
}

uint64_t pt_random_delay(uint64_t *state, uint64_t period)
{
	return pt_random(state, period + 1) + pt_random(state, period + 1);
}
