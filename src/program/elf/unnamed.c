/* Functions that no symbol names: all of them in a stripped ELF, some in one that is stripped in part.
 *
 * The code is walked from where it is entered for certain: the vector table, the entry point, and every function that
 * has a symbol. What it calls on the way, where no symbol names a function, is one; its name is its address. Then
 * code that was not come by and that a constant of the image points to, if it looks as functions begin: what is
 * called through pointers. Where a function ends is not stated: it reaches to the next one. One that is only jumped
 * to is not found, and is taken for a part of the one before.
 *
 * Bounded: a byte for each unit of the code, and each unit is walked once. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "program/code/codemap.h"
#include "program/elf/elf_parts.h"
#include "base/util.h"

enum { MAX_AREAS = 64, MOST_TARGETS = 1024, NAME_BYTES = 20, MOST_PASSES = 4 };
enum { CODE = 1, NAMED = 2, SEEN = 4, ENTRY = 8 };	/* of a unit */

struct area {			/* a segment with code */
	uint64_t base, n_units;
	const uint8_t *bytes;
	uint8_t *flags;
};

struct search {
	struct pt_program *program;
	const struct pt_isa *isa;
	struct area area[MAX_AREAS];
	size_t n_areas;
	uint64_t *todo;			/* addresses where a walk is due */
	size_t n_todo, room;
	uint64_t before[PT_ISA_MOST_BEFORE];	/* what was walked last, the nearest first; of one stretch */
	size_t n_before;
	uint64_t lowest;		/* the lowest function behind the vectors */
	uint64_t vectors;
};

static uint8_t *flags_at(struct search *s, uint64_t addr)
{
	for (size_t i = 0; i < s->n_areas; i++) {
		const struct area *area = &s->area[i];
		uint64_t at = addr - area->base;

		if (at / s->isa->unit_bytes < area->n_units)
			return at % s->isa->unit_bytes == 0 ? &area->flags[at / s->isa->unit_bytes] : NULL;
	}
	return NULL;
}

static uint64_t end_of(const struct search *s, const struct area *area)
{
	return area->base + area->n_units * s->isa->unit_bytes;
}

/* --- areas -------------------------------------------------------------------------------------------------------- */

static bool covered(const struct search *s, const struct pt_segment *segment)
{
	for (size_t i = 0; i < s->n_areas; i++)
		if (segment->run < end_of(s, &s->area[i]) && s->area[i].base < segment->run + segment->size)
			return true;
	return false;
}

static void set(const struct search *s, uint64_t from, uint64_t to, uint8_t flag)
{
	for (size_t i = 0; i < s->n_areas; i++) {
		const struct area *area = &s->area[i];
		uint64_t unit = s->isa->unit_bytes, end = end_of(s, area);
		uint64_t begins = from > area->base ? from : area->base, ends = to < end ? to : end;

		for (uint64_t at = begins; at < ends; at += unit)
			area->flags[(at - area->base) / unit] |= flag;
	}
}

static void find_code(const struct search *s)
{
	const struct pt_program *p = s->program;

	if (p->n_marks == 0)
		set(s, 0, UINT64_MAX, CODE);
	for (size_t i = 0; i < p->n_marks; i++)
		if (p->marks[i].code)
			set(s, p->marks[i].addr, i + 1 < p->n_marks ? p->marks[i + 1].addr : UINT64_MAX, CODE);
}

/* By address, so that what several cover is gone over once. */
static void find_named(const struct search *s)
{
	uint64_t done = 0;

	for (size_t i = 0; i < s->program->n_functions; i++) {
		const struct pt_function *f = &s->program->functions[i];
		uint64_t from = f->address > done ? f->address : done, to = f->address + (f->size > 0 ? f->size : 1);

		if (from >= to)
			continue;
		set(s, from, to, NAMED);
		done = to;
	}
}

static bool find_areas(struct search *s)
{
	const struct pt_program *p = s->program;
	uint64_t left_bytes = PT_PROGRAM_MAX_CODE;

	for (size_t i = 0; i < p->n_segments && s->n_areas < MAX_AREAS; i++) {
		const struct pt_segment *segment = &p->segments[i];
		uint64_t n_units = segment->size / s->isa->unit_bytes;

		if (!segment->code || segment->bytes == NULL || segment->run % s->isa->unit_bytes != 0 ||
		    n_units == 0 || segment->size > left_bytes || segment->run + segment->size < segment->run ||
		    covered(s, segment))
			continue;
		s->area[s->n_areas] = (struct area){ segment->run, n_units, segment->bytes, calloc(n_units, 1) };
		if (s->area[s->n_areas++].flags == NULL)
			return false;
		left_bytes -= segment->size;
	}
	find_code(s);
	find_named(s);
	return true;
}

/* --- the walk ----------------------------------------------------------------------------------------------------- */

/* Code that was not seen yet: now it is. */
static bool take(struct search *s, uint64_t addr)
{
	uint8_t *flags = flags_at(s, addr);

	if (flags == NULL || (*flags & (CODE | SEEN)) != CODE)
		return false;
	*flags |= SEEN;
	return true;
}

static void walk_later(struct search *s, uint64_t addr)
{
	if (!take(s, addr))
		return;
	if (s->n_todo == s->room) {
		size_t room = s->room > 0 ? 2 * s->room : 256;
		uint64_t *todo = realloc(s->todo, room * sizeof(*todo));

		if (todo == NULL)
			return;		/* what it calls is not found */
		s->todo = todo;
		s->room = room;
	}
	s->todo[s->n_todo++] = addr;
}

static struct pt_insn decode(struct search *s, uint64_t addr, unsigned *under)
{
	struct pt_insn insn = { .flow = PT_FLOW_INVALID, .target = PT_UNKNOWN };

	for (size_t i = 0; i < s->n_areas; i++)
		if (addr - s->area[i].base < end_of(s, &s->area[i]) - s->area[i].base)
			pt_isa_decode_next(s->isa, addr, s->area[i].bytes + (addr - s->area[i].base),
					   (size_t)(end_of(s, &s->area[i]) - addr), under, &insn);
	return insn;
}

static void enter(struct search *s, uint64_t addr)
{
	uint8_t *flags = flags_at(s, addr);
	unsigned under = 0;

	if (flags == NULL || (*flags & CODE) == 0 || decode(s, addr, &under).flow == PT_FLOW_INVALID)
		return;
	*flags |= ENTRY;
	if (addr > s->vectors && addr < s->lowest)
		s->lowest = addr;
	walk_later(s, addr);
}

/* Does it look as if a function began there? */
static bool looks_so(struct search *s, uint64_t addr)
{
	for (size_t i = 0; s->isa->begins != NULL && i < s->n_areas; i++) {
		const struct area *area = &s->area[i];
		uint64_t at = addr - area->base;

		if (at < end_of(s, area) - area->base)
			return s->isa->begins(area->bytes, (size_t)at, area->bytes + at,
					      (size_t)(end_of(s, area) - addr));
	}
	return false;
}

static const uint8_t *constant_bytes(const void *arg, uint64_t addr, size_t len_bytes)
{
	const struct pt_program *program = arg;

	for (size_t i = 0; i < program->n_segments; i++)
		if (program->segments[i].writable && addr - program->segments[i].run < program->segments[i].size)
			return NULL;
	return pt_program_bytes_at(program, addr, len_bytes);
}

/* A table leads on inside the function, which began at from; a single address may be another function's. */
static void computed_jump(struct search *s, uint64_t addr, uint64_t from)
{
	uint64_t targets[MOST_TARGETS];
	struct pt_isa_jump jump = {
		.addr = addr, .before = s->before + 1, .n_before = s->n_before - 1, .from = from, .to = UINT64_MAX,
		.bytes = constant_bytes, .arg = s->program,
	};
	size_t n = s->isa->jump_targets != NULL ? s->isa->jump_targets(&jump, targets, MOST_TARGETS) : 0;

	if (n == 1 && looks_so(s, targets[0]))
		enter(s, targets[0]);
	for (size_t i = 0; i < n; i++)
		walk_later(s, targets[i]);
}

static void remember(struct search *s, uint64_t addr)
{
	s->n_before += s->n_before < PT_ISA_MOST_BEFORE;
	memmove(s->before + 1, s->before, (s->n_before - 1) * sizeof(s->before[0]));
	s->before[0] = addr;
}

/* False: it does not go on behind itself. */
static bool follow(struct search *s, uint64_t addr, uint64_t from, const struct pt_insn *insn)
{
	switch (insn->flow) {
	case PT_FLOW_CALL:
	case PT_FLOW_INDIRECT_CALL:	/* which is said to go somewhere */
		enter(s, insn->target);
		return true;
	case PT_FLOW_BRANCH_IF:
		walk_later(s, insn->target);
		return true;
	case PT_FLOW_BRANCH:
		walk_later(s, insn->target);
		return insn->conditional;
	case PT_FLOW_INDIRECT:
		if (insn->target != PT_UNKNOWN)
			walk_later(s, insn->target);
		else
			computed_jump(s, addr, from);
		return insn->conditional;
	case PT_FLOW_RETURN:
	case PT_FLOW_EXCEPTION_RETURN:
		return insn->conditional;
	default:
		return insn->flow != PT_FLOW_INVALID;
	}
}

static void walk(struct search *s, uint64_t addr)
{
	uint64_t from = addr;
	unsigned under = 0;
	struct pt_insn insn;

	s->n_before = 0;
	do {
		insn = decode(s, addr, &under);
		remember(s, addr);
		if (!follow(s, addr, from, &insn))
			return;
		addr += insn.len_bytes;
	} while (take(s, addr));
}

static void walk_all(struct search *s)
{
	while (s->n_todo > 0)
		walk(s, s->todo[--s->n_todo]);
}

/* --- where it begins ---------------------------------------------------------------------------------------------- */

/* The table ends at the first function behind its beginning, whatever its length is said to be. */
static void enter_vectors(struct search *s, const struct pt_vectors *found)
{
	uint64_t end = s->vectors + 4 * (uint64_t)s->isa->n_vectors;

	if (found->bytes < end - found->addr)
		end = found->addr + found->bytes;
	for (unsigned n = s->isa->stack_in_vectors ? 1 : 0; n < s->isa->n_vectors; n++) {
		uint64_t entry = s->isa->vector_entry(s->vectors, n);
		const uint8_t *bytes = pt_program_bytes_at(s->program, entry, 4);

		if (entry < s->vectors || entry + 4 > end || entry + 4 > s->lowest || bytes == NULL)
			continue;
		enter(s, pt_program_target(s->program, s->isa, bytes));
		walk_all(s);
	}
}

static bool is_instruction(struct search *s, uint64_t addr)
{
	const uint8_t *flags = flags_at(s, addr);

	return flags != NULL && (*flags & SEEN) != 0;
}

static bool is_new_code(struct search *s, uint64_t addr)
{
	const uint8_t *flags = flags_at(s, addr);

	return flags != NULL && (*flags & (CODE | SEEN | NAMED)) == CODE;
}

/* Does the word at this place in the segment point to a function that is known? */
static bool points_to_one(struct search *s, const struct pt_segment *segment, uint64_t at)
{
	uint64_t to = at + 4 <= segment->size ? pt_program_target(s->program, s->isa, segment->bytes + at) : PT_UNKNOWN;
	const uint8_t *flags = flags_at(s, to);
	const struct pt_function *named = flags != NULL ? pt_program_function_at(s->program, to) : NULL;

	return (flags != NULL && (*flags & ENTRY) != 0) || (named != NULL && named->address == to);
}

/* Words that are no instructions, as in the vector table. Beside a pointer to a function there mostly is another one:
 * then it may look as it will. Returns how many led to something new. */
static size_t enter_pointers(struct search *s, const struct pt_segment *segment)
{
	size_t n = 0;

	for (uint64_t at = (4 - segment->run % 4) % 4; segment->bytes != NULL && at + 4 <= segment->size; at += 4) {
		uint64_t to = pt_program_target(s->program, s->isa, segment->bytes + at);

		if (!is_new_code(s, to) || is_instruction(s, segment->run + at) ||
		    is_instruction(s, segment->run + at + 2))
			continue;
		if (!looks_so(s, to) && !points_to_one(s, segment, at + 4) &&
		    (at < 4 || !points_to_one(s, segment, at - 4)))
			continue;
		enter(s, to);
		walk_all(s);
		n += !is_new_code(s, to);
	}
	return n;
}

/* What is found may make a neighbour of what was passed over. */
static void enter_all_pointers(struct search *s)
{
	size_t n = 1;

	for (unsigned pass = 0; n > 0 && pass < MOST_PASSES; pass++) {
		n = 0;
		for (size_t i = 0; i < s->program->n_segments; i++)
			n += enter_pointers(s, &s->program->segments[i]);
	}
}

static void begin(struct search *s, const struct pt_elf_reader *r)
{
	const struct pt_program *p = s->program;

	for (size_t i = p->n_functions; i-- > 0;)
		if (p->functions[i].address > s->vectors)
			s->lowest = p->functions[i].address;
	for (size_t i = 0; i < p->n_functions; i++)
		walk_later(s, p->functions[i].address);
	if (r->header.e_entry != 0)
		/* Thumb bit */
		enter(s, r->header.e_machine == EM_ARM ? r->header.e_entry & ~UINT64_C(1) : r->header.e_entry);
	walk_all(s);
	if (r->vectors.addr != PT_UNKNOWN)
		enter_vectors(s, &r->vectors);
	if (s->isa->begins != NULL)
		enter_all_pointers(s);
}

/* --- where instructions begin ------------------------------------------------------------------------------------- */

static bool begins_stretch(struct search *s, const struct area *area, uint64_t i, uint64_t *behind)
{
	struct pt_insn insn;
	unsigned under = 0;
	bool begins = i != *behind;

	if ((area->flags[i] & SEEN) == 0)
		return false;
	insn = decode(s, area->base + i * s->isa->unit_bytes, &under);
	*behind = i + insn.len_bytes / s->isa->unit_bytes;
	return begins;
}

static size_t find_stretches(struct search *s, struct pt_code_mark *out)
{
	size_t n = 0;

	for (size_t k = 0; k < s->n_areas; k++) {
		const struct area *area = &s->area[k];

		for (uint64_t i = 0, behind = 0; i < area->n_units; i++)
			if (begins_stretch(s, area, i, &behind)) {
				if (out != NULL)
					out[n] = (struct pt_code_mark){ area->base + i * s->isa->unit_bytes, true };
				n++;
			}
	}
	return n;
}

static int by_mark_address(const void *a, const void *b)
{
	const struct pt_code_mark *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->code - y->code;
}

/* Where nothing tells data in the code from code, a literal pool read as instructions would take the first half of what
 * is behind it: so each stretch that was walked begins with a mark. Without any marks all was code. */
static void mark_stretches(struct search *s)
{
	struct pt_program *p = s->program;
	size_t n = find_stretches(s, NULL), more = p->n_marks == 0 ? 2 * s->n_areas : 0;
	struct pt_code_mark *marks = realloc(p->marks, (p->n_marks + n + more + 1) * sizeof(*marks));

	if (marks == NULL)
		return;
	p->marks = marks;
	for (size_t i = 0; more > 0 && i < s->n_areas; i++) {
		marks[2 * i] = (struct pt_code_mark){ s->area[i].base, true };
		marks[2 * i + 1] = (struct pt_code_mark){ end_of(s, &s->area[i]), false };
	}
	p->n_marks += more;
	p->n_marks += find_stretches(s, marks + p->n_marks);
	qsort(marks, p->n_marks, sizeof(*marks), by_mark_address);
}

/* --- what was found ----------------------------------------------------------------------------------------------- */

/* Units from i on up to the next function, without data at the end. */
static uint64_t units_of(const struct area *area, uint64_t i)
{
	uint64_t end = i + 1, code_end = end;

	for (; end < area->n_units && (area->flags[end] & (ENTRY | NAMED)) == 0; end++)
		if ((area->flags[end] & CODE) != 0)
			code_end = end + 1;
	return code_end - i;
}

static size_t find_in(const struct search *s, const struct area *area, struct pt_function *out, size_t room)
{
	size_t n = 0;

	for (uint64_t i = 0; i < area->n_units && n < room; i++)
		if ((area->flags[i] & (ENTRY | NAMED)) == ENTRY)
			out[n++] = (struct pt_function){
				.address = area->base + i * s->isa->unit_bytes,
				.size = units_of(area, i) * s->isa->unit_bytes,
			};
	return n;
}

/* One piece of memory for all names, as the bound of the arena counts pieces of an ELF. */
static bool name_them(struct pt_program *p, struct pt_function *found, size_t n)
{
	char *names = malloc(n * NAME_BYTES), *kept;

	for (size_t i = 0; names != NULL && i < n; i++)
		snprintf(names + i * NAME_BYTES, NAME_BYTES, "0x%08" PRIx64, found[i].address);
	kept = names != NULL ? pt_arena_copy(&p->arena, names, n * NAME_BYTES) : NULL;
	for (size_t i = 0; kept != NULL && i < n; i++)
		found[i].name = found[i].linkage = kept + i * NAME_BYTES;
	free(names);
	return kept != NULL;
}

static int by_address(const void *a, const void *b)
{
	const struct pt_function *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void keep(struct search *s)
{
	struct pt_program *p = s->program;
	size_t room = p->n_functions < PT_MAX_FUNCTIONS ? PT_MAX_FUNCTIONS - p->n_functions : 0, n = 0, most = 0;
	struct pt_function *all;

	for (size_t i = 0; i < s->n_areas; i++)
		for (uint64_t k = 0; k < s->area[i].n_units; k++)
			most += (s->area[i].flags[k] & (ENTRY | NAMED)) == ENTRY;
	if (most > room)
		most = room;
	all = most > 0 ? realloc(p->functions, (p->n_functions + most + 1) * sizeof(*all)) : NULL;
	if (all == NULL)
		return;
	p->functions = all;
	for (size_t i = 0; i < s->n_areas; i++)
		n += find_in(s, &s->area[i], all + p->n_functions + n, most - n);
	if (!name_them(p, all + p->n_functions, n))
		return;
	p->n_unnamed = n;
	p->n_functions += n;
	qsort(all, p->n_functions, sizeof(*all), by_address);
}

void pt_elf_find_unnamed(struct pt_elf_reader *r)
{
	struct search *s = pt_alloc(sizeof(*s));

	s->program = r->program;
	s->isa = r->program->isa;
	s->lowest = UINT64_MAX;
	if (s->isa != &pt_isa_none && find_areas(s)) {
		s->vectors = s->isa->vector_table(r->vectors.addr, r->vectors.named);
		begin(s, r);
		keep(s);
		if (r->n_mapping == 0)
			mark_stretches(s);
	}
	for (size_t i = 0; i < s->n_areas; i++)
		free(s->area[i].flags);
	free(s->todo);
	free(s);
}
