#include "profile/analyses/calls/history.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "profile/result/analysis.h"
#include "base/util.h"

struct history {
	struct pt_history result[PT_RUN_CORES];	/* by who came first; there always is one */
	struct pt_history_run *ring[PT_RUN_CORES];
	size_t n;
	const struct pt_codemap *map;
};

/* --- the ring ----------------------------------------------------------------------------------------------------- */

static bool add_core(struct history *h, uint16_t core)
{
	struct pt_history_run *ring;

	if (h->n == PT_RUN_CORES)
		return false;
	ring = pt_realloc_array(NULL, PT_HISTORY_RUNS, sizeof(*ring));
	h->ring[h->n] = ring;
	h->result[h->n++] = (struct pt_history){ .ring = ring, .room = PT_HISTORY_RUNS, .map = h->map, .core = core };
	return true;
}

/* Its place; PT_RUN_CORES: there is no room for one more. */
static size_t place_of(struct history *h, uint16_t core)
{
	size_t i = 0;

	if (h->result[0].seen == 0)
		h->result[0].core = core;
	while (i < h->n && h->result[i].core != core)
		i++;
	return i < h->n || add_core(h, core) ? i : PT_RUN_CORES;
}

static void add(struct pt_history *r, struct pt_history_run *ring, const struct pt_run *run)
{
	size_t slot = r->first + r->n;

	if (r->n < r->room)
		r->n++;
	else
		r->first = r->first + 1 < r->room ? r->first + 1 : 0;
	ring[slot < r->room ? slot : slot - r->room] = (struct pt_history_run){
		run->begin, run->end, run->next, run->left,
	};
	r->seen++;
}

static void take_runs(void *analysis, const struct pt_run *run, size_t n, uint16_t core, struct pt_timestamp from)
{
	struct history *h = analysis;
	size_t at = place_of(h, core);

	(void)from;
	for (size_t i = 0; i < n && at < PT_RUN_CORES; i++)
		if (!pt_run_is_time(&run[i]))
			add(&h->result[at], h->ring[at], &run[i]);
}

const struct pt_history *pt_history_of(const struct pt_history *histories, size_t n, uint16_t core)
{
	if (n > 0 && (core == PT_HISTORY_ANY || histories[0].seen == 0))
		return &histories[0];
	for (size_t i = 0; i < n; i++)
		if (histories[i].core == core)
			return &histories[i];
	return NULL;
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

uint64_t pt_history_last(const struct pt_codemap *map, uint64_t begin, uint64_t end)
{
	const struct pt_code_unit *unit = pt_codemap_at(map, begin);
	uint64_t addr = begin;

	while (unit != NULL && unit->len_units != 0) {
		uint64_t next = addr + unit->len_units * (uint64_t)map->isa->unit_bytes;

		if (next >= end)
			break;
		unit += unit->len_units;
		addr = next;
	}
	return addr;
}

struct blocks {			/* written round and round: the last ones stay */
	struct pt_history_block *out;
	size_t room, n;
	uint64_t end;		/* of the last one, if what comes may go on there; PT_UNKNOWN: it does not */
};

static void put(struct blocks *b, uint64_t begin, uint64_t last, bool gap)
{
	b->out[b->n++ % b->room] = (struct pt_history_block){ begin, last, gap };
}

/* A debugger that stopped the core for a moment did not end the stretch. */
static void put_run(struct blocks *b, const struct pt_codemap *map, const struct pt_history_run *run)
{
	bool goes_on = b->n > 0 && b->end == run->begin, ran = run->end > run->begin;

	if (ran && goes_on)
		b->out[(b->n - 1) % b->room].last = pt_history_last(map, run->begin, run->end);
	else if (ran)
		put(b, run->begin, pt_history_last(map, run->begin, run->end), false);
	b->end = (run->left == PT_LEFT_DEBUG || run->left == PT_LEFT_NEXT) && (ran || goes_on) ? run->end : PT_UNKNOWN;
}

static void end_at(struct blocks *b, uint64_t pc)
{
	if (pc == PT_UNKNOWN)
		return;
	if (b->n > 0 && b->end == pc)
		b->out[(b->n - 1) % b->room].last = pc;
	else
		put(b, pc, pc, false);
}

/* Turn [i, j) round. */
static void turn(struct pt_history_block *out, size_t i, size_t j)
{
	for (; i < j; i++) {
		struct pt_history_block block = out[i];

		out[i] = out[--j];
		out[j] = block;
	}
}

/* The ring of blocks, with its oldest first. */
static size_t in_order(struct blocks *b)
{
	size_t first;

	if (b->n <= b->room)
		return b->n;
	first = b->n % b->room;
	turn(b->out, 0, first);
	turn(b->out, first, b->room);
	turn(b->out, 0, b->room);
	return b->room;
}

size_t pt_history_blocks(const struct pt_history *h, uint64_t since, uint64_t pc, struct pt_history_block *out,
			 size_t room)
{
	uint64_t oldest = h->seen - h->n;
	struct blocks b = { .out = out, .room = room, .end = PT_UNKNOWN };
	bool gap = false;

	if (room == 0)
		return 0;
	for (size_t i = since > oldest ? (size_t)(since - oldest) : 0; i < h->n; i++) {
		const struct pt_history_run *run = pt_history_at(h, i);

		if (gap)
			put(&b, run->begin, run->begin, true);
		put_run(&b, h->map, run);
		gap = run->left == PT_LEFT_GAP;
	}
	if (gap && pc != PT_UNKNOWN)
		put(&b, pc, pc, true);
	end_at(&b, pc);
	return in_order(&b);
}

uint64_t pt_history_from(const struct pt_history *h, uint64_t number)
{
	uint64_t oldest = h->seen - h->n;

	return number >= oldest && number < h->seen ? pt_history_at(h, (size_t)(number - oldest))->begin : PT_UNKNOWN;
}

/* --- the analysis ------------------------------------------------------------------------------------------------- */

static void give(void *analysis, struct pt_profile *profile)
{
	const struct history *h = analysis;

	profile->history = h->result;
	profile->n_histories = h->n;
}

static void history_free(void *analysis)
{
	struct history *h = analysis;

	for (size_t i = 0; i < h->n; i++)
		free(h->ring[i]);
	free(h);
}

static void *history_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct history *h = pt_alloc(sizeof(*h));

	(void)err;
	h->map = setup->map;
	add_core(h, 0);
	return h;
}

const struct pt_analysis pt_analysis_history = {
	.name = "history", .help = "the last stretches of code, for a debugger", .open = history_new,
	.close = history_free, .runs = take_runs, .result = give,
};
