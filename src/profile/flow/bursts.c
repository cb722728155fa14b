#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/flow/bursts.h"

#include "base/alloc.h"

enum {
	STRAIGHT_BYTES = 32,	/* how far behind a wait the first packet may come from */
	MOST_SHORT = 100,	/* one whole burst in so many may be shorter than the cut */
	MOST_LONG = 20,		/* one waking period in so many may be longer than its burst */
};

struct level { double x, xx; };		/* sums over bursts that reached it */

struct function {
	uint64_t cycles;	/* in the burst so far */
	struct level *level;	/* PT_BURST_LEVELS; NULL until it runs */
	struct pt_cluster_sum waking;
	bool touched;
	bool waits;		/* it holds a wait-for-interrupt */
};

struct pt_bursts {
	const struct pt_codemap *map;
	struct pt_flow_settings settings;
	struct function *function;
	uint16_t *touched;	/* functions of the burst so far */
	size_t n_functions, n_touched;

	uint64_t limit[PT_BURST_LEVELS];	/* cycles */
	uint64_t reached[PT_BURST_LEVELS];	/* bursts armed awake that did */
	uint64_t awake_armed;
	uint64_t whole, whole_reached[PT_BURST_LEVELS];	/* the whole ones among them */

	bool open, first, asleep, slept;	/* slept: and has gone to sleep again */
	enum pt_burst_chosen chosen;
	struct piece { uint16_t id; uint32_t cycles; } *kept;	/* a ring: the last of a burst whose end is chosen */
	size_t n_kept;		/* put so far */
	uint64_t last;		/* where the last run of it went */
	uint64_t at;		/* cycles of the burst so far */
	unsigned next;		/* level not reached yet */

	uint64_t all, asleep_armed, cut_short;
	uint64_t wakings_long;	/* asleep-armed ones that did not see the core sleep again */
	struct pt_cluster_total wakings;
};

/* --- waits */

/* Does straight code lead from a wait to addr, and soon? */
static bool behind_a_wait(const struct pt_bursts *b, uint64_t addr)
{
	const struct pt_code_unit *here = pt_codemap_at(b->map, addr), *there;

	for (size_t i = 0; here != NULL && i < b->map->n_waits; i++) {
		if (addr - b->map->wait[i] == 0 || addr - b->map->wait[i] > STRAIGHT_BYTES)
			continue;
		there = pt_codemap_at(b->map, b->map->wait[i]);
		if (there != NULL && pt_sum_breaks(here->sums - there->sums) == 0)
			return true;
	}
	return false;
}

/* The same the other way: does straight code lead from addr to a wait, and soon? */
static bool before_a_wait(const struct pt_bursts *b, uint64_t addr)
{
	const struct pt_code_unit *here = pt_codemap_at(b->map, addr), *there;

	for (size_t i = 0; here != NULL && i < b->map->n_waits; i++) {
		if (b->map->wait[i] - addr > STRAIGHT_BYTES)
			continue;
		there = pt_codemap_at(b->map, b->map->wait[i]);
		if (there != NULL && pt_sum_breaks(there->sums - here->sums) == 0)
			return true;
	}
	return false;
}

static bool passes_a_wait(const struct pt_bursts *b, const struct pt_run *run)
{
	for (size_t i = 0; i < b->map->n_waits; i++)
		if (b->map->wait[i] - run->begin < run->end - run->begin)
			return true;
	return false;
}

/* --- one burst */

static struct function *touch(struct pt_bursts *b, uint16_t id)
{
	struct function *f = &b->function[id];

	if (!f->touched) {
		f->touched = true;
		b->touched[b->n_touched++] = id;
	}
	if (f->level == NULL)
		f->level = pt_alloc_array(PT_BURST_LEVELS, sizeof(*f->level));
	return f;
}

static void reach(struct pt_bursts *b)
{
	for (size_t i = 0; i < b->n_touched; i++) {
		struct function *f = &b->function[b->touched[i]];

		f->level[b->next].x += (double)f->cycles;
		f->level[b->next].xx += (double)f->cycles * (double)f->cycles;
	}
	b->reached[b->next++]++;
}

static void advance(struct pt_bursts *b, uint16_t id, uint64_t cycles)
{
	struct function *f = touch(b, id);

	while (!b->asleep && b->next < PT_BURST_LEVELS && b->at + cycles >= b->limit[b->next]) {
		uint64_t part = b->limit[b->next] - b->at;

		cycles -= part;
		b->at += part;
		f->cycles += part;
		reach(b);
	}
	b->at += cycles;
	f->cycles += cycles;
}

/* A burst armed asleep is a waking period, up to the next sleep. */
static void end_waking(struct pt_bursts *b)
{
	for (size_t i = 0; i < b->n_touched; i++) {
		struct function *f = &b->function[b->touched[i]];

		pt_cluster_add(&f->waking, (double)f->cycles, (double)b->at);
	}
	pt_cluster_add_total(&b->wakings, (double)b->at);
	b->slept = true;
}

static void keep(struct pt_bursts *b, uint16_t id, uint32_t cycles)
{
	b->kept[b->n_kept++ % PT_BURST_KEPT] = (struct piece){ id, cycles };
}

/* Its last run is known: from there back. */
static void cut_backwards(struct pt_bursts *b)
{
	size_t n = b->n_kept < PT_BURST_KEPT ? b->n_kept : PT_BURST_KEPT;

	b->asleep = before_a_wait(b, b->last);
	for (size_t i = 1; i <= n && b->next < PT_BURST_LEVELS && !b->asleep; i++) {
		const struct piece *piece = &b->kept[(b->n_kept - i) % PT_BURST_KEPT];

		advance(b, piece->id, piece->cycles);
	}
}

static void one(struct pt_bursts *b, const struct pt_run *run)
{
	uint32_t entry = run->left == PT_LEFT_EXCEPTION	   ? b->settings.exception_entry_cycles
			 : run->left == PT_LEFT_TAIL_CHAIN ? b->settings.tail_chain_cycles
							   : 0;

	if (entry > run->cycles)
		entry = run->cycles;
	if (b->chosen == PT_BURST_END) {
		b->first = false;
		b->last = run->next;
		keep(b, run->function, run->cycles - entry);
		if (entry != 0)
			keep(b, run->next_function, entry);
		return;
	}
	if (b->first) {
		b->first = false;
		b->asleep = behind_a_wait(b, run->begin);
	} else if (b->asleep && !b->slept && b->function[run->function].waits && passes_a_wait(b, run)) {
		end_waking(b);
	}
	advance(b, run->function, run->cycles - entry);
	if (entry != 0)			/* the handler's, as in execution.h */
		advance(b, run->next_function, entry);
}

/* Nothing that follows in this burst matters. */
static bool settled(const struct pt_bursts *b)
{
	if (b->chosen == PT_BURST_END)
		return false;
	return b->asleep ? b->slept : b->next == PT_BURST_LEVELS;
}

bool pt_bursts_wants(const struct pt_bursts *b)
{
	return b->open && !settled(b);
}

void pt_bursts_feed(struct pt_bursts *b, const struct pt_run *run, size_t n_runs)
{
	for (size_t i = 0; i < n_runs && pt_bursts_wants(b); i++)
		if (run[i].end != run[i].begin || run[i].left != PT_LEFT_GAP)
			one(b, &run[i]);
}

void pt_bursts_begin(struct pt_bursts *b, enum pt_burst_chosen chosen)
{
	b->open = b->first = true;
	b->chosen = chosen;
	b->n_kept = 0;
	b->asleep = b->slept = false;
	b->at = 0;
	b->next = 0;
}

void pt_bursts_end(struct pt_bursts *b, bool whole)
{
	if (b->open && !b->first && b->chosen == PT_BURST_END)
		cut_backwards(b);
	if (b->open && !b->first) {
		b->all++;
		b->cut_short += !whole;
		b->asleep_armed += b->asleep;
		b->awake_armed += !b->asleep;
		b->wakings_long += b->asleep && !b->slept && b->chosen == PT_BURST_BEGINNING;
		if (whole && !b->asleep) {
			b->whole++;
			for (unsigned k = 0; k < b->next; k++)
				b->whole_reached[k]++;
		}
	}
	for (size_t i = 0; i < b->n_touched; i++) {
		b->function[b->touched[i]].touched = false;
		b->function[b->touched[i]].cycles = 0;
	}
	b->n_touched = 0;
	b->open = false;
}

/* --- results */

/* The longest cut that nearly all whole bursts reach; -1: none. */
static int cut_of(const struct pt_bursts *b)
{
	int cut = -1;

	for (int k = 0; k < PT_BURST_LEVELS; k++)
		if (b->reached[k] >= 2 && (b->whole - b->whole_reached[k]) * MOST_SHORT <= b->whole)
			cut = k;
	return cut;
}

static bool by_wakeups(const struct pt_bursts *b)
{
	return b->awake_armed < PT_BURST_FEW && b->wakings.n >= PT_BURST_FEW &&
	       b->wakings_long * MOST_LONG <= b->wakings.n;
}

struct pt_bursts_summary pt_bursts_summary(const struct pt_bursts *b)
{
	struct pt_bursts_summary s = { .all = b->all, .asleep = b->asleep_armed, .cut_short = b->cut_short };
	int cut = cut_of(b);

	s.by_wakeups = by_wakeups(b);
	s.estimated = s.by_wakeups || cut >= 0;
	if (s.by_wakeups) {
		s.used = b->wakings.n;
	} else if (cut >= 0) {
		s.used = b->reached[cut];
		s.cycles = b->limit[cut];
	}
	return s;
}

struct pt_share pt_bursts_share(const struct pt_bursts *b, uint16_t function)
{
	const struct function *f = &b->function[function];
	int cut = cut_of(b);
	struct pt_cluster_total total;
	struct pt_cluster_sum sum = { 0 };
	double y;

	if (by_wakeups(b))
		return pt_cluster_share(&b->wakings, &f->waking);
	if (cut < 0)
		return (struct pt_share){ .share = NAN, .lo = 0, .hi = 1 };
	y = (double)b->limit[cut];
	total = (struct pt_cluster_total){ .n = b->reached[cut], .y = y * (double)b->reached[cut],
					   .yy = y * y * (double)b->reached[cut] };
	if (f->level != NULL)
		sum = (struct pt_cluster_sum){ f->level[cut].x, f->level[cut].xx, f->level[cut].x * y };
	return pt_cluster_share(&total, &sum);
}

/* --- life */

struct pt_bursts *pt_bursts_new(size_t n_functions, const struct pt_codemap *map,
				const struct pt_flow_settings *settings)
{
	struct pt_bursts *b = pt_alloc(sizeof(*b));

	b->map = map;
	b->settings = *settings;
	b->n_functions = n_functions;
	b->function = pt_alloc_array(n_functions, sizeof(*b->function));
	b->touched = pt_alloc_array(n_functions, sizeof(*b->touched));
	for (int k = 0; k < PT_BURST_LEVELS; k++)
		b->limit[k] = (uint64_t)llround(PT_BURST_SHORTEST * pow(2, k / 4.0));
	b->kept = pt_alloc_array(PT_BURST_KEPT, sizeof(*b->kept));
	for (size_t i = 0; i < map->n_waits; i++)
		b->function[pt_codemap_at(map, map->wait[i])->function].waits = true;
	return b;
}

void pt_bursts_free(struct pt_bursts *b)
{
	if (b == NULL)
		return;
	for (size_t i = 0; i < b->n_functions; i++)
		free(b->function[i].level);
	free(b->function);
	free(b->touched);
	free(b->kept);
	free(b);
}
