#include "profile/flow/entered.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/util.h"

enum { MOST_BYTES = 256 };	/* of a first piece */

struct piece {			/* [begin, end): executed once for each entry of the handler that begins there */
	uint64_t begin, end;
	double per_cycle;
	uint16_t handler;
};

struct pt_entered {
	size_t n;
	struct piece piece[];
};

static const struct pt_code_span *span_at(const struct pt_codemap *map, uint64_t address)
{
	for (size_t i = 0; i < map->n_spans; i++)
		if (address - map->span[i].base < map->span[i].end - map->span[i].base)
			return &map->span[i];
	return NULL;
}

static bool comes_back(const struct pt_code_unit *unit)
{
	return unit->flow == PT_FLOW_NEXT || unit->flow == PT_FLOW_CALL || unit->flow == PT_FLOW_INDIRECT_CALL;
}

static bool returns(const struct pt_code_unit *unit)
{
	return unit->flow == PT_FLOW_RETURN || unit->flow == PT_FLOW_EXCEPTION_RETURN;
}

/* The first unit behind `first`, and before `end`, to which some jump leads. */
static size_t next_target(const struct pt_code_span *span, unsigned shift, size_t first, size_t end)
{
	size_t n = (size_t)(span->end - span->base) >> shift;

	for (size_t i = 0; i < n; i++) {
		const struct pt_code_unit *unit = &span->code[i];
		size_t to = ((size_t)unit->target - 1) >> shift;

		if (unit->len_units == 0 || unit->target == PT_FAR_TARGET || unit->target == PT_ANY_TARGET)
			continue;
		if (to > first && to < end)
			end = to;
	}
	return end;
}

/* Up to the first place where not all entries come by, or some do twice. */
static void measure(const struct pt_codemap *map, const struct pt_flow_settings *settings, struct piece *piece)
{
	const struct pt_code_span *span = span_at(map, piece->begin);
	unsigned shift = (unsigned)__builtin_ctz(map->isa->unit_bytes);
	size_t first, u, end;
	double cycles;

	if (span == NULL)
		return;
	first = u = (size_t)(piece->begin - span->base) >> shift;
	end = next_target(span, shift, first, first + (MOST_BYTES >> shift));
	while (u < end && span->code[u].len_units > 0 && span->code[u].function == piece->handler &&
	       comes_back(&span->code[u]))
		u += span->code[u].len_units;
	cycles = 0;
	if (u < end && span->code[u].function == piece->handler && returns(&span->code[u])) {
		u += span->code[u].len_units;
		cycles = settings->exception_return_cycles;
	}
	cycles += pt_sum_cycles(span->code[u].sums - span->code[first].sums);
	piece->end = span->base + ((uint64_t)u << shift);
	piece->per_cycle = cycles > 0 ? settings->sampled_entry_cycles / cycles : 0;
}

static bool is_new(const struct pt_entered *e, uint64_t address)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->piece[i].begin == address)
			return false;
	return true;
}

struct pt_entered *pt_entered_new(const struct pt_codemap *map, const struct pt_flow_settings *settings)
{
	struct pt_entered *e;

	if (map->program == NULL || settings->sampled_entry_cycles == 0)
		return NULL;
	e = pt_alloc(sizeof(*e) + map->isa->n_vectors * sizeof(e->piece[0]));
	for (unsigned n = map->isa->reset + 1; n < map->isa->n_vectors; n++) {
		uint64_t address = pt_program_vector(map->program, n);
		struct piece *piece = &e->piece[e->n];
		bool in_code;

		if (address == PT_UNKNOWN || !is_new(e, address))
			continue;
		*piece = (struct piece){ .begin = address, .handler = pt_codemap_function(map, address, &in_code) };
		measure(map, settings, piece);
		e->n += piece->per_cycle > 0 && piece->handler != PT_NO_FUNCTION;
	}
	return e;
}

void pt_entered_free(struct pt_entered *entered)
{
	free(entered);
}

double pt_entered_at(const struct pt_entered *entered, uint64_t address, uint16_t *handler)
{
	for (size_t i = 0; entered != NULL && i < entered->n; i++) {
		const struct piece *piece = &entered->piece[i];

		if (address - piece->begin < piece->end - piece->begin) {
			*handler = piece->handler;
			return piece->per_cycle;
		}
	}
	return 0;
}

uint64_t pt_entered_handler(const struct pt_entered *entered, size_t i, uint16_t *handler)
{
	if (entered == NULL || i >= entered->n)
		return PT_UNKNOWN;
	*handler = entered->piece[i].handler;
	return entered->piece[i].begin;
}
