/* Builds the code map: one sweep per code segment through marks, functions and instructions. */
#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bigmem.h"
#include "program/code/landings.h"
#include "program/model/program_parts.h"
#include "base/util.h"

enum { MAX_SPANS = 64 };

static_assert((PT_MOST_REACH * 255 + PT_ISA_MOST_TAKEN_CYCLES) * PT_SHORT_RUNS <= PT_SUM_CYCLES_MASK &&
		      (PT_MOST_REACH + 1) * PT_SHORT_RUNS <= UINT16_MAX,
	      "sums of short runs do not carry");

/* The current position in the sorted functions and marks during the sweep of a span. */
struct cursor {
	const struct pt_program *program;
	const struct pt_function *functions;
	const struct pt_code_mark *marks;
	size_t n_functions, n_marks, function, mark;
	bool code;		/* what the last mark says */
	uint64_t until;		/* address of the next mark */
	uint16_t id;		/* function of all addresses from the last request up to id_until */
	uint64_t id_until;
	unsigned under;		/* number of following conditional instructions */
};

/* True: a span covers the address already. */
static bool covered(const struct pt_codemap *map, const struct pt_segment *s)
{
	for (size_t i = 0; i < map->n_spans; i++)
		if (s->run < map->span[i].end && map->span[i].base < s->run + s->size)
			return true;
	return false;
}

/* The part of a segment from its first code to its last. False: it has none. */
static bool trim(const struct pt_program *program, const struct pt_segment *s, uint64_t unit, uint64_t *from,
		 uint64_t *to)
{
	const struct pt_code_mark *marks;
	uint64_t end = s->run + s->size;
	size_t n;

	*from = s->run;
	*to = end;
	marks = pt_program_marks(program, &n);
	if (n > 0) {
		*from = end;
		*to = s->run;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t begins = marks[i].addr > s->run ? marks[i].addr : s->run;
		uint64_t ends = i + 1 < n && marks[i + 1].addr < end ? marks[i + 1].addr : end;

		if (!marks[i].code || begins >= ends)
			continue;
		*from = begins < *from ? begins : *from;
		*to = ends;
	}
	*from += (unit - *from % unit) % unit;
	return *to > *from && *to - *from >= unit;
}

static void next_mark(struct cursor *c, uint64_t addr)
{
	while (c->mark < c->n_marks && c->marks[c->mark].addr <= addr)
		c->code = c->marks[c->mark++].code;
	c->until = c->mark < c->n_marks ? c->marks[c->mark].addr : PT_UNKNOWN;
}

static void find_function(struct cursor *c, uint64_t addr)
{
	const struct pt_function *f;
	size_t id;

	while (c->function < c->n_functions && c->functions[c->function].address <= addr)
		c->function++;
	id = c->function > 0 ? pt_program_enclosing(c->program, c->function - 1, addr) : 0;
	c->id = id <= PT_MAX_FUNCTIONS ? (uint16_t)id : PT_NO_FUNCTION;
	c->id_until = c->function < c->n_functions ? c->functions[c->function].address : PT_UNKNOWN;
	f = id > 0 ? &c->functions[id - 1] : NULL;
	if (f != NULL && f->address + f->size < c->id_until)
		c->id_until = f->address + f->size;
}

/* Addresses come in ascending order. */
static inline uint16_t function_at(struct cursor *c, uint64_t addr)
{
	if (addr >= c->id_until)
		find_function(c, addr);
	return c->id;
}

static bool breaks_flow(const struct pt_insn *insn)
{
	return insn->flow != PT_FLOW_NEXT && insn->flow != PT_FLOW_BRANCH_IF && !insn->conditional;
}

static uint8_t leave_cycles(const struct pt_insn *insn)
{
	if ((insn->flow & PT_FLOW_LEAVES) == 0)
		return 0;
	return insn->taken_cycles < PT_ISA_MOST_TAKEN_CYCLES ? insn->taken_cycles : PT_ISA_MOST_TAKEN_CYCLES;
}

static uint32_t target_of(const struct pt_code_span *span, const struct pt_insn *insn)
{
	if ((insn->flow & PT_FLOW_LEAVES) == 0)
		return PT_FAR_TARGET;
	if (insn->target == PT_UNKNOWN || insn->flow == PT_FLOW_INDIRECT || insn->flow == PT_FLOW_INDIRECT_CALL)
		return PT_ANY_TARGET;
	if (insn->target - span->base >= span->end - span->base)
		return PT_FAR_TARGET;
	return (uint32_t)(insn->target - span->base) + 1;
}

/* An instruction does not extend beyond a mark. If instructions can have any length, so that data between functions may
 * look like one, it does not extend beyond a function's beginning either. */
static uint64_t limit(const struct pt_codemap *map, const struct cursor *c, uint64_t addr, uint64_t end)
{
	size_t next = c->function;

	if (c->until < end)
		end = c->until;
	while (map->isa->unit_bytes == 1 && next < c->n_functions && c->functions[next].address <= addr)
		next++;
	if (map->isa->unit_bytes == 1 && next < c->n_functions && c->functions[next].address < end)
		end = c->functions[next].address;
	return end;
}

/* Decodes what begins at addr; data and undecodable code is one unit without an instruction. */
static void decode_at(const struct pt_codemap *map, struct cursor *c, const uint8_t *bytes, uint64_t addr, uint64_t end,
		      struct pt_insn *insn)
{
	insn->flow = PT_FLOW_INVALID;
	if (!c->code)
		c->under = 0;
	else
		pt_isa_decode_next(map->isa, addr, bytes, (size_t)(limit(map, c, addr, end) - addr), &c->under, insn);
	if (insn->flow == PT_FLOW_INVALID)
		*insn = (struct pt_insn){ .target = PT_UNKNOWN, .flow = PT_FLOW_INVALID };
}

/* Numbers the call at unit; the number is stored in its second unit, where no instruction begins. */
static void number_site(struct pt_codemap *map, struct pt_code_unit *unit)
{
	if (unit->flow == PT_FLOW_CALL && unit->target != PT_FAR_TARGET && unit->len_units > 1 &&
	    map->n_sites < PT_CALL_SITES)
		unit[1].target = PT_CALL_SITE + map->n_sites++;
}

static unsigned n_instructions(const struct pt_insn *insn)
{
	if (insn->len_bytes == 0)
		return 0;
	return insn->instructions > 0 ? insn->instructions : 1;
}

/* The shift from bytes to units, to avoid a division in the loop over all code. */
static unsigned shift_of(const struct pt_isa *isa)
{
	return (unsigned)__builtin_ctz(isa->unit_bytes);
}

/* bytes: of the span, from its base on. */
static void sweep(struct pt_codemap *map, struct pt_code_span *span, const uint8_t *bytes, struct cursor *c)
{
	uint64_t unit = map->isa->unit_bytes, n = (span->end - span->base) / unit;
	unsigned shift = shift_of(map->isa);
	struct pt_code_unit sum = { .target = PT_FAR_TARGET, .flow = PT_FLOW_INVALID };	/* of what is before */

	for (uint64_t i = 0; i < n;) {
		struct pt_code_unit *code = &span->code[i], first = sum;
		uint64_t addr = span->base + i * unit;
		struct pt_insn insn;
		uint64_t units;

		next_mark(c, addr);
		decode_at(map, c, bytes + i * unit, addr, span->end, &insn);
		units = insn.len_bytes >> shift;
		first.flow = insn.flow & 15;
		first.len_units = (unsigned)units & PT_ISA_MOST_UNITS;
		first.leave_cycles = leave_cycles(&insn);
		first.plain = units > 0;
		first.target = target_of(span, &insn);
		first.function = function_at(c, addr);
		*code = first;
		sum.sums += ((uint64_t)n_instructions(&insn) << PT_SUM_INSTRUCTIONS) + insn.cycles +
			    ((uint64_t)breaks_flow(&insn) << PT_SUM_BREAKS);
		sum.sums &= ~UINT64_C(0) >> (64 - PT_SUM_REACH);
		for (i++; units > 1; units--, i++) {
			span->code[i] = sum;
			span->code[i].function = function_at(c, span->base + i * unit);
		}
		number_site(map, code);
	}
	span->code[n] = sum;
}

/* True: the instruction at unit leads out of its function, or to an unknown place. */
static bool departs(const struct pt_code_span *span, const struct pt_code_unit *unit, unsigned shift)
{
	unsigned leaves = unit->flow & PT_FLOW_LEAVES;

	if (leaves == 0 || leaves != (PT_FLOW_BRANCH & PT_FLOW_LEAVES))
		return leaves != 0;
	return unit->target == PT_ANY_TARGET || unit->target == PT_FAR_TARGET ||
	       span->code[(unit->target - 1) >> shift].function != unit->function;
}

/* Fills in properties that depend on the instructions that follow. */
static void look_ahead(struct pt_code_span *span, unsigned shift)
{
	for (uint64_t i = (span->end - span->base) >> shift; i-- > 0;) {
		struct pt_code_unit *unit = &span->code[i];
		const struct pt_code_unit *next = unit + unit->len_units;
		uint64_t reach = 0;

		if (unit->len_units == 0)
			continue;
		if (pt_sum_breaks(next->sums - unit->sums) == 0 && next->len_units > 0 &&
		    next->function == unit->function)
			reach = unit->len_units + pt_codemap_reach(next);
		unit->sums |= (reach < PT_MOST_REACH ? reach : PT_MOST_REACH) << PT_SUM_REACH;
		unit->departs = departs(span, unit, shift);
	}
}

/* Works from the end to the beginning. */
static bool find_ways(const struct pt_codemap *map, struct pt_code_span *span)
{
	uint64_t unit = map->isa->unit_bytes;
	size_t n = (size_t)((span->end - span->base) / unit);

	span->way = calloc(n + 1, sizeof(*span->way));
	if (span->way == NULL)
		return false;
	for (size_t i = n; i-- > 0;) {
		const struct pt_code_unit *code = &span->code[i];
		unsigned len = code->len_units, ahead;

		if (code->flow != PT_FLOW_NEXT || len == 0)
			continue;
		ahead = len + span->way[i + len];
		span->way[i] = (uint16_t)(ahead <= PT_WAY ? ahead : len);
	}
	return true;
}

/* Marks doubtful jumps. */
static void mark_doubtful(const struct pt_codemap *map, struct pt_code_span *span, const uint8_t *bytes)
{
	uint64_t unit = map->isa->unit_bytes;

	for (uint64_t i = 0; i < (span->end - span->base) / unit; i++) {
		struct pt_insn insn = { .doubtful = false };

		if ((span->code[i].flow & PT_FLOW_LEAVES) == 0 || span->code[i].len_units == 0)
			continue;
		map->isa->decode(span->base + i * unit, bytes + i * unit, span->code[i].len_units * unit, &insn);
		if (insn.doubtful)
			span->way[i] = PT_WAY_DOUBTFUL;
	}
}

static size_t code_entries(const struct pt_code_span *span, uint64_t unit_bytes)
{
	size_t padded = (size_t)((span->end - span->base) / unit_bytes + 1 + PT_CODEMAP_PAD);
	size_t masked = (size_t)(span->offset_mask / unit_bytes + 1);

	return padded > masked ? padded : masked;
}

static uint32_t offset_mask(uint64_t bytes)
{
	uint32_t mask = 1;

	while (mask < bytes)	/* at most PT_PROGRAM_MAX_CODE */
		mask = mask << 1 | 1;
	return mask;
}

static bool add_span(struct pt_codemap *map, const struct pt_segment *s, struct cursor *c, uint64_t *left_bytes)
{
	struct pt_code_span *span = &map->span[map->n_spans];
	uint64_t unit = map->isa->unit_bytes, from, to;

	if (!trim(map->program, s, unit, &from, &to) || to - from > *left_bytes)
		return true;
	to -= (to - from) % unit;
	*span = (struct pt_code_span){ .base = from, .end = to, .offset_mask = offset_mask(to - from) };
	span->code = pt_big_calloc(code_entries(span, unit), sizeof(*span->code));
	if (span->code == NULL)
		return false;
	*left_bytes -= to - from;
	c->function = c->mark = 0;
	c->id_until = 0;
	c->code = c->n_marks == 0;
	sweep(map, span, s->bytes + (from - s->run), c);
	look_ahead(span, shift_of(map->isa));
	map->n_spans++;
	if (!map->isa->silent_jumps)
		return true;
	if (!find_ways(map, span))
		return false;
	mark_doubtful(map, span, s->bytes + (from - s->run));
	return true;
}

static bool add_spans(struct pt_codemap *map)
{
	uint64_t left_bytes = PT_PROGRAM_MAX_CODE;
	const struct pt_segment *segments;
	struct cursor c = { .program = map->program };
	size_t n;

	c.functions = pt_program_functions(map->program, &c.n_functions);
	c.marks = pt_program_marks(map->program, &c.n_marks);
	segments = pt_program_segments(map->program, &n);
	for (size_t i = 0; i < n && map->n_spans < MAX_SPANS; i++)
		if (segments[i].code && segments[i].bytes != NULL && !covered(map, &segments[i]) &&
		    !add_span(map, &segments[i], &c, &left_bytes))
			return false;
	return true;
}

static int by_base(const void *a, const void *b)
{
	const struct pt_code_span *x = a, *y = b;

	return x->base < y->base ? -1 : x->base > y->base;
}

/* Marks the handlers, except reset's, which is never entered. */
static void mark_handlers(struct pt_codemap *map)
{
	for (unsigned n = map->isa->reset + 1; n < map->isa->n_vectors; n++) {
		uint64_t addr = pt_program_vector(map->program, n);
		struct pt_code_unit *unit = (struct pt_code_unit *)(uintptr_t)pt_codemap_at(map, addr);

		if (unit != NULL)
			unit->plain = 0;
	}
}

uint64_t pt_codemap_target(const struct pt_codemap *map, uint64_t addr)
{
	const struct pt_code_unit *unit = pt_codemap_at(map, addr);
	struct pt_insn insn;
	const uint8_t *bytes;

	if (unit == NULL || unit->len_units == 0)
		return PT_UNKNOWN;
	bytes = pt_program_bytes_at(map->program, addr, unit->len_units * map->isa->unit_bytes);
	if (bytes == NULL)
		return PT_UNKNOWN;
	map->isa->decode(addr, bytes, unit->len_units * map->isa->unit_bytes, &insn);
	return insn.target;
}

/* For a map without entries: looks in the program's own lists. */
static uint16_t function_of_program(const struct pt_program *program, uint64_t addr, bool *in_code)
{
	const struct pt_function *f = pt_program_function_at(program, addr);
	const struct pt_segment *s = program->segments;
	size_t id = f != NULL ? (size_t)(f - program->functions) + 1 : PT_NO_FUNCTION;

	for (size_t i = 0; i < program->n_segments && !*in_code; i++)
		*in_code = s[i].code && addr - s[i].run < s[i].size;
	return id <= PT_MAX_FUNCTIONS ? (uint16_t)id : PT_NO_FUNCTION;
}

uint16_t pt_codemap_function(const struct pt_codemap *map, uint64_t addr, bool *in_code)
{
	const struct pt_code_unit *unit = pt_codemap_at(map, addr);

	*in_code = unit != NULL;
	if (unit != NULL)
		return unit->function;
	if (map->isa == &pt_isa_none && map->program != NULL)
		return function_of_program(map->program, addr, in_code);
	return PT_NO_FUNCTION;
}

static void drop(struct pt_codemap *map)
{
	for (size_t i = 0; map->span != NULL && i < map->n_spans; i++) {
		pt_big_free(map->span[i].code,
			    code_entries(&map->span[i], map->isa->unit_bytes) * sizeof(*map->span[i].code));
		free(map->span[i].way);
	}
	free(map->span);
	free(map->wait);
	free(map->landing);
	free(map);
}

static void drop_kept(struct pt_kept *kept)
{
	drop((struct pt_codemap *)kept);
}

/* Does not take a reference of the program. */
static struct pt_codemap *make(const struct pt_program *program, const struct pt_isa *isa)
{
	struct pt_codemap *map = pt_alloc(sizeof(*map));

	map->isa = isa;
	map->program = program;
	map->span = pt_alloc_array(MAX_SPANS, sizeof(*map->span));
	if (program != NULL && isa != &pt_isa_none && !add_spans(map)) {
		drop(map);
		return NULL;
	}
	qsort(map->span, map->n_spans, sizeof(*map->span), by_base);
	if (program != NULL)
		mark_handlers(map);
	pt_codemap_find_landings(map);
	pt_codemap_find_waits(map);
	return map;
}

struct pt_codemap *pt_codemap_new(const struct pt_program *program, const struct pt_isa *isa)
{
	struct pt_codemap *map = make(program, isa);

	if (map != NULL && program != NULL)
		pt_program_ref((struct pt_program *)(uintptr_t)program);
	return map;
}

struct pt_codemap *pt_codemap_of(struct pt_program *program, const struct pt_isa *isa)
{
	struct pt_kept *kept = atomic_load_explicit(&program->map, memory_order_acquire);
	struct pt_codemap *map;

	if (kept != NULL)
		return (struct pt_codemap *)kept;
	map = make(program, isa);
	if (map == NULL)
		return NULL;
	map->kept.free = drop_kept;
	if (atomic_compare_exchange_strong_explicit(&program->map, &kept, &map->kept, memory_order_acq_rel,
						    memory_order_acquire))
		return map;
	drop(map);	/* another thread was faster */
	return (struct pt_codemap *)kept;
}

void pt_codemap_free(struct pt_codemap *map)
{
	const struct pt_program *held = map != NULL && map->kept.free == NULL ? map->program : NULL;

	if (map == NULL)
		return;
	drop(map);
	pt_program_unref((struct pt_program *)(uintptr_t)held);
}

static bool begins_function(const struct pt_codemap *map, uint64_t addr)
{
	bool in_code;
	uint16_t id = pt_codemap_function(map, addr, &in_code);
	size_t n = 0;
	const struct pt_function *functions = map->program != NULL ? pt_program_functions(map->program, &n) : NULL;

	return id != PT_NO_FUNCTION && id <= n && functions[id - 1].address == addr;
}

uint64_t pt_codemap_handler(const struct pt_codemap *map, uint64_t addr)
{
	const struct pt_code_unit *unit = pt_codemap_at(map, addr);
	uint64_t at = addr, target;

	if (begins_function(map, addr))
		return addr;
	if (unit != NULL && unit->flow == PT_FLOW_NEXT && unit->len_units > 0) {	/* a prefix */
		at += (uint64_t)unit->len_units * map->isa->unit_bytes;
		unit = pt_codemap_at(map, at);
	}
	target = unit != NULL && unit->len_units > 0 && unit->flow == PT_FLOW_BRANCH ? pt_codemap_target(map, at)
										     : PT_UNKNOWN;
	return target != PT_UNKNOWN && begins_function(map, target) ? target : addr;
}
