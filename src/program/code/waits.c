/* Where code waits for an interrupt. */
#include <stdlib.h>

#include "base/alloc.h"
#include "program/code/codemap.h"
#include "program/model/program_parts.h"

static bool waits_at(const struct pt_codemap *map, const struct pt_segment *segments, size_t n_segments, uint64_t addr)
{
	for (size_t i = 0; i < n_segments; i++) {
		uint64_t offset = addr - segments[i].run;

		if (segments[i].bytes != NULL && offset < segments[i].size)
			return map->isa->waits(segments[i].bytes + offset, segments[i].size - offset);
	}
	return false;
}

static void find_in(struct pt_codemap *map, const struct pt_code_span *span, const struct pt_segment *segments,
		    size_t n_segments)
{
	const struct pt_code_unit *unit = span->code;

	for (uint64_t addr = span->base; addr < span->end && map->n_waits < PT_CODEMAP_WAITS;
	     addr += map->isa->unit_bytes, unit++)
		if (unit->len_units != 0 && unit->flow == PT_FLOW_NEXT && waits_at(map, segments, n_segments, addr))
			map->wait[map->n_waits++] = addr;
}

void pt_codemap_find_waits(struct pt_codemap *map)
{
	size_t n = 0;
	const struct pt_segment *segments = map->program != NULL ? pt_program_segments(map->program, &n) : NULL;

	map->wait = pt_alloc_array(PT_CODEMAP_WAITS, sizeof(*map->wait));
	for (size_t i = 0; i < map->n_spans; i++)
		find_in(map, &map->span[i], segments, n);
}
