#include "targets/contract/source_watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/door.h"
#include "base/util.h"
#include "targets/contract/emit.h"
#include "targets/contract/target.h"
#include "trace/formats.h"

enum {
	PLACES = 64, MOST_BYTES = 8, READS = 2,	/* of a place that takes several accesses */
	ROUNDS_MAX = 32, RECORDS = PT_CHUNK_BYTES / PT_LOOKS_BYTES,
	LOOK_MS = 2000, HELD_REST_US = 200000, REST_US = 50000, PROBE_DELAY_US = 20000, PERIOD_MAX_MS = 10000,
	/* What the link allows: a row of looks lasts so long, and a rest a fortieth of that. A link of 1 ms a packet takes a
	 * turn-around for each row; beside another source a row is what that has to wait for. */
	ROW_US = 40000, ROW_BESIDE_US = 4000, REST_PART = 40,
};

enum { ROUNDS, PERIOD, SHARE, N_PARAMS };
static const struct pt_param params[] = {
	[ROUNDS] = { .key = "rounds", .type = PT_PARAM_NUMBER, .min = 1, .max = ROUNDS_MAX,
		     .help = "looks at each variable in a row, as fast as the link allows; without it as many as last 40 ms, 4 ms "
			     "beside another source" },
	[PERIOD] = { .key = "period", .type = PT_PARAM_TIME, .max = PERIOD_MAX_MS * PT_NS_PER_MS,
		     .help = "mean time between such rows, which are 0 to twice that far apart; without it a fortieth of how "
			     "long a row lasts" },
	[SHARE] = { .key = "watch-share", .type = PT_PARAM_NUMBER, .standard = "25", .min = 1, .max = 90,
		    .help = "with SOURCE+watch: percent of the link that looks have at least, where the other source would "
			    "take all of it" },
};

unsigned pt_watch_share(const struct pt_params *settings)
{
	return (unsigned)pt_params_number(settings, &params[SHARE]);
}

struct place {
	uint64_t addr;
	uint32_t size_bytes;
	bool in_one;		/* one access */
};

struct watch {
	struct pt_target *target;
	struct pt_mem *mem;
	struct pt_emit out;
	struct place place[PLACES];
	size_t n_places;
	uint32_t n_rounds;
	uint64_t period_us, random;
	uint64_t probe_delay_us;	/* the longest that runs in the probe */
	bool held;
	uint64_t due_ns;	/* of the next batch; 0: it has not been drawn yet */
	struct pt_mem_op *ops;	/* of a batch: a delay, then the reads of its rounds */
	uint8_t *bytes;		/* MOST_BYTES for each of them */
	size_t n_ops;
};

/* --- a batch ------------------------------------------------------------------------------------------------------ */

static size_t reads_of(const struct place *place)
{
	return place->in_one ? 1 : READS;
}

static void plan(struct watch *w)
{
	size_t n = 1;

	for (size_t i = 0; i < w->n_places; i++)
		n += w->n_rounds * reads_of(&w->place[i]);
	w->ops = pt_alloc_array(n, sizeof(*w->ops));
	w->bytes = pt_alloc_array(n, MOST_BYTES);
	w->n_ops = n;
	n = 0;
	w->ops[n++].what = PT_MEM_DELAY;
	for (uint32_t round = 0; round < w->n_rounds; round++)
		for (size_t i = 0; i < w->n_places; i++)
			for (size_t k = 0; k < reads_of(&w->place[i]); k++, n++)
				w->ops[n] = (struct pt_mem_op){
					.what = PT_MEM_READ, .addr = w->place[i].addr, .bytes = w->bytes + n * MOST_BYTES,
					.len_bytes = w->place[i].size_bytes,
				};
}

/* The moment of a look is the middle of the time that it can have been at. */
static uint64_t middle(const struct pt_mem_op *op, uint64_t from_ns, uint64_t *error_ns)
{
	uint64_t sent_ns = op->sent_ns > from_ns ? op->sent_ns : from_ns;
	uint64_t done_ns = op->done_ns > sent_ns ? op->done_ns : sent_ns;

	if (done_ns - sent_ns > 2 * *error_ns)
		*error_ns = (done_ns - sent_ns + 1) / 2;
	return sent_ns + (done_ns - sent_ns) / 2;
}

static void put_record(uint8_t *record, const struct place *place, const struct pt_mem_op *op, uint64_t at_ns)
{
	bool torn = !place->in_one && memcmp(op[0].bytes, op[1].bytes, place->size_bytes) != 0;

	memset(record, 0, PT_LOOKS_BYTES);
	pt_put_le64(record + PT_LOOKS_TICKS, at_ns);
	record[PT_LOOKS_SIZE] = (uint8_t)(place->size_bytes | (torn ? PT_LOOKS_TORN : 0));
	pt_put_le64(record + PT_LOOKS_AT, place->addr);
	memcpy(record + PT_LOOKS_VALUE, op[0].bytes, place->size_bytes);
}

static void emit_batch(struct watch *w)
{
	uint64_t from_ns = w->ops[0].sent_ns + w->ops[0].time_us * UINT64_C(1000), to_ns = w->ops[w->n_ops - 1].done_ns;
	uint8_t records[RECORDS * PT_LOOKS_BYTES];
	uint64_t error_ns = 0;
	size_t n = 0;

	if (from_ns < w->ops[1].sent_ns)
		from_ns = w->ops[1].sent_ns;
	if (from_ns > to_ns)
		from_ns = to_ns;
	from_ns = pt_emit_batch_from(&w->out, from_ns, to_ns);
	for (size_t op = 1, place = 0; op < w->n_ops; place = (place + 1) % w->n_places) {
		put_record(records + n++ * PT_LOOKS_BYTES, &w->place[place], &w->ops[op],
			   middle(&w->ops[op], from_ns, &error_ns));
		op += reads_of(&w->place[place]);
	}
	pt_emit_loss(&w->out, PT_LOSS_REARM, from_ns);
	pt_emit_clock(&w->out, from_ns, from_ns, error_ns);
	pt_emit_data(&w->out, from_ns, to_ns, records, n * PT_LOOKS_BYTES);
}

static int look(struct watch *w, struct pt_err *err)
{
	int rc = pt_mem_run(w->mem, w->ops, w->n_ops, LOOK_MS, NULL, err);

	if (rc == 0) {
		pt_emit_works(&w->out, w->ops[0].sent_ns, false);
		return 0;
	}
	rc = pt_emit_failed(&w->out, pt_mem_now_ns(w->mem), rc);
	return rc < 0 && rc != PT_EINTERRUPTED ? pt_wrap(err, "watch") : rc;
}

/* The rest of a delay that the probe can do itself is its. A longer one is in pieces: a profile may end meanwhile. */
static int drain(void *state, struct pt_err *err)
{
	struct watch *w = state;
	uint64_t now_ns = pt_mem_now_ns(w->mem), left_us;
	int rc;

	if (w->held)
		return HELD_REST_US;
	if (w->due_ns == 0)
		w->due_ns = now_ns + 1000 * pt_random_delay(&w->random, w->period_us);
	left_us = w->due_ns > now_ns ? (w->due_ns - now_ns) / 1000 : 0;
	if (left_us > w->probe_delay_us)
		return left_us < REST_US ? (int)left_us : REST_US;
	w->ops[0].time_us = (uint32_t)left_us;
	rc = look(w, err);
	if (rc != 0)
		return rc;
	emit_batch(w);
	w->due_ns = 0;
	return 0;
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static int available(struct pt_target *target, struct pt_err *err)
{
	if (target->ops->mem(target->state, 0)->ops->while_running)
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED, "this target's memory can be read only while its core is halted");
}

static int take_places(struct watch *w, const struct pt_source_setup *setup, struct pt_err *err)
{
	size_t n_records, n_wanted = 0, n_spare = 0;

	if (setup->n_places == 0)
		return pt_fail(err, PT_EARG, "no variable is named; %s names some",
			       pt_by_door("--set variables=g_state,motor.mode", "variables=g_state,motor.mode"));
	for (size_t i = 0; i < setup->n_places; i++)
		n_wanted += !setup->places[i].spare;
	if (n_wanted > PLACES)
		return pt_fail(err, PT_EARG, "%zu variables are named, and %d are looked at at most", n_wanted, PLACES);
	for (size_t i = 0; i < setup->n_places; i++) {
		const struct pt_source_place *place = &setup->places[i];

		if (place->spare && n_spare++ >= PLACES - n_wanted)
			continue;
		if (place->size_bytes > MOST_BYTES)
			return pt_fail(err, PT_EARG,
				       "the variable at 0x%" PRIx64 " has %" PRIu32 " bytes, and %d are looked at at "
				       "most: name a member of it",
				       place->addr, place->size_bytes, MOST_BYTES);
		w->place[w->n_places++] = (struct place){
			place->addr, place->size_bytes,
			(place->size_bytes == 1 || place->size_bytes == 2 || place->size_bytes == 4) &&
				place->addr % place->size_bytes == 0,
		};
	}
	n_records = RECORDS / w->n_places;
	w->n_rounds = pt_params_given(setup->settings, &params[ROUNDS])
			      ? (uint32_t)pt_params_number(setup->settings, &params[ROUNDS])
			      : ROUNDS_MAX;
	w->n_rounds = w->n_rounds < n_records ? w->n_rounds : (uint32_t)n_records;
	return 0;
}

/* A variable that cannot be read is better said now than missed in the report. */
static int try_places(struct watch *w, struct pt_err *err)
{
	uint8_t bytes[MOST_BYTES];

	for (size_t i = 0; i < w->n_places; i++)
		if (pt_mem_read(w->mem, w->place[i].addr, bytes, w->place[i].size_bytes, err) < 0)
			return pt_wrap(err, "look at the variable at 0x%" PRIx64, w->place[i].addr);
	return 0;
}

static void unplan(struct watch *w)
{
	free(w->ops);
	free(w->bytes);
	w->ops = NULL;
	w->bytes = NULL;
}

/* How long a row lasts, with its turn-around, by one row. */
static int measure_row(struct watch *w, uint64_t *row_us, struct pt_err *err)
{
	uint64_t from_ns = pt_mem_now_ns(w->mem);
	int rc;

	plan(w);
	rc = pt_mem_run(w->mem, w->ops, w->n_ops, LOOK_MS, NULL, err);
	unplan(w);
	*row_us = (pt_mem_now_ns(w->mem) - from_ns) / 1000;
	return rc;
}

/* What the user does not say is as the link allows. */
static int choose_rate(struct watch *w, const struct pt_source_setup *setup, struct pt_err *err)
{
	uint64_t most_us = setup->shares_link ? ROW_BESIDE_US : ROW_US, row_us, n;
	bool rounds = pt_params_given(setup->settings, &params[ROUNDS]),
	     period = pt_params_given(setup->settings, &params[PERIOD]);

	if (period)
		w->period_us = pt_params_number(setup->settings, &params[PERIOD]) / 1000;
	if (rounds && period)
		return 0;
	if (measure_row(w, &row_us, err) < 0)
		return pt_wrap(err, "measure the link");
	n = row_us > most_us && !rounds ? w->n_rounds * most_us / row_us : w->n_rounds;
	n = n > 0 ? n : 1;
	if (!period)
		w->period_us = row_us * n / w->n_rounds / REST_PART;
	w->n_rounds = (uint32_t)n;
	return 0;
}

static int look_whether_held(struct watch *w, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_core_status now;

	if (w->target->ops->status(w->target->state, setup->core, &now, err) < 0)
		return err->code;
	w->held = now.state == PT_HALTED;
	return 0;
}

static int start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct watch *w = state;
	char lines[200];

	w->target = target;
	w->mem = target->ops->mem(target->state, 0);
	w->random = setup->seed;
	w->probe_delay_us = setup->shares_link ? 0 : PROBE_DELAY_US;
	pt_emit_init(&w->out, setup, pt_mem_now_ns(w->mem));
	if (available(target, err) < 0 || take_places(w, setup, err) < 0 || try_places(w, err) < 0 ||
	    choose_rate(w, setup, err) < 0 || look_whether_held(w, setup, err) < 0)
		return err->code;
	snprintf(lines, sizeof(lines),
		 "source=watch\nmode=sample\ntick_hz=1000000000\ntick_ppm=0\nrounds=%" PRIu32 "\nperiod_us=%" PRIu64
		 "\n"
		 "cost=the core never halts; the probe reads memory beside it, and nothing is written\n",
		 w->n_rounds, w->period_us);
	if (pt_emit_config(&w->out, setup, PT_FORMAT_WATCH, lines, err) < 0 ||
	    (w->held && pt_emit_halted(&w->out, target, setup->core, err) < 0))
		return err->code;
	plan(w);
	return 0;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static int write_bytes(void *state, uint64_t addr, const void *bytes, size_t len_bytes, struct pt_err *err)
{
	struct watch *w = state;
	struct pt_mem_op op = { .what = PT_MEM_WRITE, .addr = addr, .bytes = (void *)(uintptr_t)bytes, .len_bytes = len_bytes };
	uint8_t record[PT_LOOKS_BYTES] = { 0 };
	uint64_t error_ns = 0, at_ns;

	if (len_bytes > MOST_BYTES)
		return pt_fail(err, PT_EARG, "at most %d bytes are written at once", MOST_BYTES);
	if (pt_mem_run(w->mem, &op, 1, LOOK_MS, NULL, err) < 0)
		return err->code;
	at_ns = middle(&op, op.sent_ns, &error_ns);
	pt_put_le64(record + PT_LOOKS_TICKS, at_ns);
	record[PT_LOOKS_SIZE] = (uint8_t)(len_bytes | PT_LOOKS_WRITTEN);
	pt_put_le64(record + PT_LOOKS_AT, addr);
	memcpy(record + PT_LOOKS_VALUE, bytes, len_bytes);
	pt_emit_loss(&w->out, w->held ? PT_LOSS_HALTED : PT_LOSS_REARM, op.sent_ns);
	pt_emit_clock(&w->out, at_ns, at_ns, error_ns);
	pt_emit_data(&w->out, op.sent_ns, op.done_ns, record, sizeof(record));
	return 0;
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

static int on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct watch *w = state;
	uint64_t now_ns = pt_mem_now_ns(w->mem);

	(void)err;
	if (core != w->out.core)
		return 0;
	pt_emit_loss(&w->out,
		     w->held		      ? PT_LOSS_HALTED
		     : what == PT_STATE_RESET ? PT_LOSS_RESET
					      : PT_LOSS_REARM,
		     now_ns);
	if (what == PT_STATE_HALT || what == PT_STATE_RUN)
		w->held = what == PT_STATE_HALT;
	pt_emit_state(&w->out, what, now_ns, pc);
	return 0;
}

static int stop(void *state, struct pt_err *err)
{
	struct watch *w = state;

	(void)err;
	pt_emit_rest(&w->out, pt_mem_now_ns(w->mem), 0, w->held ? PT_LOSS_HALTED : PT_LOSS_REARM);
	pt_emit_end(&w->out);
	unplan(w);
	return 0;
}

const struct pt_source_ops pt_source_watch = {
	.name = "watch",
	.format = PT_FORMAT_WATCH,
	.modes = "sample",
	.titles = "looks at variables",
	.help = "variables by name, read now and then while the program runs; the core never halts. Beside another "
		"source, by the name SOURCE+watch",
	.of_places = true,
	.state_bytes = sizeof(struct watch),
	.params = params,
	.n_params = N_PARAMS,
	.available = available,
	.start = start,
	.drain = drain,
	.on_state = on_state,
	.write = write_bytes,
	.stop = stop,
};
