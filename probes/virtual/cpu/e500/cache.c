/* L1 caches as tags: what is in them decides how long an access takes and what the events say; the bytes always are in
 * RAM. Replacement is by age; the part's is a tree that comes close to it. Source: E500CORERM 11.1-11.3 */
#include <string.h>

#include "probes/virtual/cpu/e500/core.h"

/* Puts line first. True: it was there. Else what it drives out is in *out (0: nothing), with *dirty. */
static bool use(struct l1 *l1, uint32_t line, uint32_t *out, bool *dirty)
{
	uint32_t *tag = l1->tag[line % L1_SETS];
	bool *written = l1->dirty[line % L1_SETS];
	unsigned way = 0;
	bool hit, was_dirty;

	while (way < L1_WAYS - 1 && tag[way] != line + 1)
		way++;
	hit = tag[way] == line + 1;
	*out = hit ? 0 : tag[way];
	was_dirty = written[way];
	*dirty = !hit && was_dirty;
	memmove(tag + 1, tag, way * sizeof(*tag));
	memmove(written + 1, written, way * sizeof(*written));
	tag[0] = line + 1;
	written[0] = hit && was_dirty;
	return hit;
}

static void drop(struct l1 *l1, uint32_t line)
{
	for (unsigned way = 0; way < L1_WAYS; way++)
		if (l1->tag[line % L1_SETS][way] == line + 1)
			l1->tag[line % L1_SETS][way] = 0;
}

static void lasted(struct pt_ve500 *cpu, unsigned event, uint32_t cycles)
{
	cpu->cycle += cycles;
	if (cpu->watcher.lasted != NULL)
		cpu->watcher.lasted(cpu->watcher.arg, event, cycles, cpu->msr);
}

void pt_e5_data_line(struct pt_ve500 *cpu, uint32_t pa, uint8_t wimge, enum access access)
{
	uint32_t line = pa >> LINE_SHIFT, out;
	bool dirty;

	if ((wimge & I_NHIBITED) != 0) {
		cpu->events[EV_BUS]++;
		cpu->events[EV_BUS_D]++;
		lasted(cpu, EV_LONG_LOAD_MISS, cpu->timing.l1_miss);
		return;
	}
	cpu->cycle += access == LOAD ? cpu->timing.load_hit : 0;
	if (!use(&cpu->dcache, line, &out, &dirty)) {
		cpu->events[EV_DL1_RELOADS]++;
		cpu->events[EV_BUS]++;
		cpu->events[EV_BUS_D]++;
		cpu->events[EV_DL1_CASTOUTS] += dirty;
		cpu->events[EV_BUS_CASTOUTS] += dirty;
		lasted(cpu, EV_LONG_LOAD_MISS, cpu->timing.l1_miss);
	}
	if (access == STORE && (wimge & W_THROUGH) == 0)
		cpu->dcache.dirty[line % L1_SETS][0] = true;
}

/* One fetch brings a line's worth; the next line is the next fetch. */
void pt_e5_fetch_line(struct pt_ve500 *cpu, uint32_t pa, uint8_t wimge)
{
	uint32_t line = pa >> LINE_SHIFT, out;
	bool dirty;

	cpu->fetch_line = line + 1;
	cpu->events[EV_FETCHES]++;
	if ((wimge & I_NHIBITED) == 0 && use(&cpu->icache, line, &out, &dirty))
		return;
	cpu->events[EV_IL1_RELOADS]++;
	cpu->events[EV_BUS]++;
	cpu->events[EV_BUS_I]++;
	lasted(cpu, EV_LONG_FETCH_MISS, cpu->timing.fetch_miss);
}

void pt_e5_data_flush(struct pt_ve500 *cpu, uint32_t pa)
{
	drop(&cpu->dcache, pa >> LINE_SHIFT);
}

void pt_e5_fetch_flush(struct pt_ve500 *cpu, uint32_t pa)
{
	drop(&cpu->icache, pa >> LINE_SHIFT);
	cpu->fetch_line = 0;
}
