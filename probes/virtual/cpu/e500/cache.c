/* Caches as tags: what is in them decides how long an access takes and what the events say; the bytes always are in
 * RAM. Replacement is by age; the part's is a tree that comes close to it. Source: E500CORERM 11.1-11.3
 *
 * e500mc and e5500 have an L2 behind the L1 (backside): a miss of the L1 is looked up and, missed there, too,
 * allocated in both; a line that the L1 casts out is written to the L2. The e6500's L1 data cache writes through and
 * allocates for loads alone: each store is an access of the L2, for which the core does not wait. UNVERIFIED, as are
 * all cycles. */
#include <stdlib.h>
#include <string.h>

#include "probes/virtual/cpu/e500/core.h"

static bool make(struct cache *cache, unsigned n_bytes, unsigned n_ways, unsigned line_shift)
{
	cache->n_ways = n_ways;
	cache->n_sets = n_ways != 0 ? n_bytes / n_ways >> line_shift : 0;
	cache->line = calloc((size_t)cache->n_sets * n_ways + 1, sizeof(*cache->line));
	return cache->line != NULL;
}

bool pt_e5_caches_new(struct pt_ve500 *cpu)
{
	const struct pt_ve500_kind *kind = cpu->kind;

	return make(&cpu->icache, L1_BYTES, L1_WAYS, kind->line_shift) &&
	       make(&cpu->dcache, L1_BYTES, L1_WAYS, kind->line_shift) &&
	       make(&cpu->l2, (unsigned)kind->l2_kib << 10, kind->l2_ways, kind->line_shift);
}

void pt_e5_caches_free(struct pt_ve500 *cpu)
{
	free(cpu->icache.line);
	free(cpu->dcache.line);
	free(cpu->l2.line);
}

static void empty(struct cache *cache)
{
	memset(cache->line, 0, (size_t)cache->n_sets * cache->n_ways * sizeof(*cache->line));
}

void pt_e5_caches_reset(struct pt_ve500 *cpu)
{
	empty(&cpu->icache);
	empty(&cpu->dcache);
	empty(&cpu->l2);
}

/* Puts number first in its set. True: it was there. Else what it drives out is in *out (tag 0: nothing). */
static bool use(struct cache *cache, uint32_t number, struct line *out)
{
	struct line *set = cache->line + (size_t)(number % cache->n_sets) * cache->n_ways, first = { number + 1, false };
	unsigned way = 0;
	bool hit;

	while (way < cache->n_ways - 1 && set[way].tag != number + 1)
		way++;
	hit = set[way].tag == number + 1;
	*out = set[way];
	if (hit) {
		first = set[way];
		*out = (struct line){ 0 };
	}
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = first;
	return hit;
}

static struct line *newest(struct cache *cache, uint32_t number)
{
	return cache->line + (size_t)(number % cache->n_sets) * cache->n_ways;
}

static bool has(struct cache *cache, uint32_t number)
{
	for (unsigned way = 0; way < cache->n_ways; way++)
		if (newest(cache, number)[way].tag == number + 1)
			return true;
	return false;
}

static void drop(struct cache *cache, uint32_t number)
{
	for (unsigned way = 0; way < cache->n_ways; way++)
		if (newest(cache, number)[way].tag == number + 1)
			newest(cache, number)[way] = (struct line){ 0 };
}

static void lasted(struct pt_ve500 *cpu, unsigned event, uint32_t cycles)
{
	cpu->core.cycle += cycles;
	if (cpu->watcher.lasted != NULL)
		cpu->watcher.lasted(cpu->watcher.arg, event, cycles, cpu->msr);
}

/* A transaction on the bus behind all caches that belong to the core. */
static void request(struct pt_ve500 *cpu, bool fetch)
{
	if (cpu->variant == PT_VE500_CORE_E6500) {
		cpu->events[EV_COREQ]++;
		cpu->events[fetch ? EV_COREQ_I : EV_COREQ_D]++;
	} else {
		cpu->events[EV_BUS]++;
		cpu->events[fetch ? EV_BUS_I : EV_BUS_D]++;
	}
}

/* --- L2 of e500mc and e5500 */

static void cast_out_of_l2(struct pt_ve500 *cpu, const struct line *out)
{
	cpu->events[EV_L2_CASTOUTS] += out->tag != 0 && out->dirty;
	cpu->events[EV_BUS_CASTOUTS] += out->tag != 0 && out->dirty;
}

static bool in_backside(struct pt_ve500 *cpu, uint32_t number, bool fetch)
{
	struct line out;
	bool hit = use(&cpu->l2, number, &out);

	cpu->events[EV_L2_ACCESSES]++;
	cpu->events[fetch ? EV_L2_FETCHES : EV_L2_DATA]++;
	cpu->events[EV_L2_HITS] += hit;
	cpu->events[fetch ? EV_L2_FETCH_HITS : EV_L2_DATA_HITS] += hit;
	cpu->events[EV_L2_DIRTY_HITS] += hit && !fetch && newest(&cpu->l2, number)->dirty;
	cpu->events[EV_L2_LINEFILLS] += !hit;
	cpu->events[EV_L2_VICTIMS] += !hit;
	cpu->events[EV_L2_ALLOCATIONS] += !hit;
	cpu->events[fetch ? EV_L2_FETCH_ALLOCATIONS : EV_L2_DATA_ALLOCATIONS] += !hit;
	cast_out_of_l2(cpu, &out);
	return hit;
}

/* Of the L1 data cache, into the L2. One that was driven out of there before is allocated again. */
static void cast_out(struct pt_ve500 *cpu, const struct line *dirty)
{
	struct line out;

	cpu->events[EV_DL1_CASTOUTS]++;
	if (cpu->kind->l2_kib == 0) {
		cpu->events[EV_BUS_CASTOUTS]++;
		return;
	}
	if (!use(&cpu->l2, dirty->tag - 1, &out)) {
		cpu->events[EV_L2_VICTIMS]++;
		cpu->events[EV_L2_ALLOCATIONS]++;
		cpu->events[EV_L2_DATA_ALLOCATIONS]++;
		cpu->events[EV_L2_DIRTY_ALLOCATIONS]++;
		cast_out_of_l2(cpu, &out);
	}
	newest(&cpu->l2, dirty->tag - 1)->dirty = true;
}

/* --- the shared L2 of an e6500 */

/* The model has one thread: what is the cluster's is the thread's, 9 numbers on or, behind ACCESSES, 8. */
static void count_shared(struct pt_ve500 *cpu, unsigned event)
{
	cpu->events[event]++;
	cpu->events[event + (event < EV_S2_ACCESSES ? 9 : 8)]++;
}

static bool in_shared(struct pt_ve500 *cpu, uint32_t number, enum access access)
{
	bool fetch = access == FETCH, hit;
	struct line out;

	hit = use(&cpu->l2, number, &out);
	cpu->events[fetch ? EV_LINK_I : EV_LINK_D]++;
	cpu->events[EV_S2_ACCESSES]++;
	count_shared(cpu, EV_S2_DEMAND);
	count_shared(cpu, hit ? EV_S2_HITS : EV_S2_MISSES);
	count_shared(cpu, fetch ? EV_S2_FETCHES : EV_S2_DATA);
	cpu->events[EV_COREQ] += out.tag != 0 && out.dirty;
	if (!hit) {
		count_shared(cpu, fetch ? EV_S2_FETCH_MISSES : EV_S2_DATA_MISSES);
		cpu->events[EV_S2_RELOADS]++;
		if (access == STORE)
			count_shared(cpu, EV_S2_STORE_ALLOCATIONS);
	}
	if (access == STORE)
		newest(&cpu->l2, number)->dirty = true;
	return hit;
}

/* Where a line comes from that the L1 has not; returns for how long the core waits. */
static uint32_t reload(struct pt_ve500 *cpu, uint32_t number, enum access access, uint32_t cycles)
{
	bool hit = false;

	if (cpu->variant == PT_VE500_CORE_E6500)
		hit = in_shared(cpu, number, access);
	else if (cpu->kind->l2_kib != 0)
		hit = in_backside(cpu, number, access == FETCH);
	if (!hit)
		request(cpu, access == FETCH);
	return hit ? cpu->timing.l2_hit : cycles;
}

/* --- accesses */

static void count_miss(struct pt_ve500 *cpu, enum access access)
{
	if (cpu->variant != PT_VE500_CORE_E6500)
		return;
	cpu->events[EV_L1_MISSES]++;
	cpu->events[access == STORE ? EV_L1_STORE_MISSES : EV_L1_LOAD_MISSES]++;
	cpu->events[EV_LOAD_QUEUE] += access == LOAD;
}

static void store_through(struct pt_ve500 *cpu, uint32_t number)
{
	if (!has(&cpu->dcache, number))
		count_miss(cpu, STORE);
	reload(cpu, number, STORE, 0);
}

void pt_e5_data_line(struct pt_ve500 *cpu, uint32_t pa, uint8_t wimge, enum access access)
{
	uint32_t number = pa >> cpu->kind->line_shift;
	struct line out;

	if ((wimge & I_NHIBITED) != 0) {
		request(cpu, false);
		lasted(cpu, EV_LONG_LOAD_MISS, cpu->timing.l1_miss);
		return;
	}
	if (access == STORE && cpu->kind->writes_through) {
		store_through(cpu, number);
		return;
	}
	cpu->core.cycle += access == LOAD ? cpu->timing.load_hit : 0;
	if (!use(&cpu->dcache, number, &out)) {
		cpu->events[EV_DL1_RELOADS]++;
		count_miss(cpu, access);
		if (out.tag != 0 && out.dirty)
			cast_out(cpu, &out);
		lasted(cpu, EV_LONG_LOAD_MISS, reload(cpu, number, access, cpu->timing.l1_miss));
	}
	if (access == STORE && (wimge & W_THROUGH) == 0)
		newest(&cpu->dcache, number)->dirty = true;
}

/* One fetch brings a line's worth; the next line is the next fetch. */
void pt_e5_fetch_line(struct pt_ve500 *cpu, uint32_t pa, uint8_t wimge)
{
	uint32_t number = pa >> cpu->kind->line_shift, cycles = cpu->timing.fetch_miss;
	struct line out;

	cpu->fetch_line = number + 1;
	cpu->events[EV_FETCHES]++;
	if ((wimge & I_NHIBITED) == 0 && use(&cpu->icache, number, &out))
		return;
	cpu->events[EV_IL1_RELOADS]++;
	cpu->events[EV_L1_FETCH_MISSES]++;
	if ((wimge & I_NHIBITED) == 0)
		cycles = reload(cpu, number, FETCH, cycles);
	else
		request(cpu, true);
	lasted(cpu, EV_LONG_FETCH_MISS, cycles);
}

void pt_e5_data_flush(struct pt_ve500 *cpu, uint32_t pa)
{
	drop(&cpu->dcache, pa >> cpu->kind->line_shift);
}

void pt_e5_fetch_flush(struct pt_ve500 *cpu, uint32_t pa)
{
	drop(&cpu->icache, pa >> cpu->kind->line_shift);
	cpu->fetch_line = 0;
}
