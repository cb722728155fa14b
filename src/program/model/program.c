/* A program under test: stores what elf.c found, and looks it up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/named_file.h"
#include "base/harmless.h"
#include "base/alloc.h"
#include "program/model/program_parts.h"
#include "base/util.h"

struct pt_arena_block {
	struct pt_arena_block *next;
	_Alignas(8) uint8_t bytes[];
};

void *pt_arena_copy(struct pt_arena *arena, const void *bytes, size_t len_bytes)
{
	struct pt_arena_block *block;

	if (len_bytes > arena->room_bytes - arena->used_bytes)
		return NULL;
	block = malloc(sizeof(*block) + len_bytes);
	if (block == NULL)
		return NULL;
	arena->used_bytes += len_bytes;
	block->next = arena->blocks;
	arena->blocks = block;
	return len_bytes > 0 ? memcpy(block->bytes, bytes, len_bytes) : block->bytes;
}

const char *pt_arena_text(struct pt_arena *arena, const char *text)
{
	return pt_arena_copy(arena, text, strlen(text) + 1);
}

const char *pt_arena_name(struct pt_arena *arena, const char *name)
{
	char *copy = pt_arena_copy(arena, name, strlen(name) + 1);

	return copy != NULL ? pt_harmless(copy, "") : NULL;
}

void pt_arena_free(struct pt_arena *arena)
{
	while (arena->blocks != NULL) {
		struct pt_arena_block *block = arena->blocks;

		arena->blocks = block->next;
		free(block);
	}
}

struct pt_program *pt_program_new(const char *path, size_t room_bytes)
{
	struct pt_program *program = pt_alloc(sizeof(*program));

	atomic_init(&program->refs, 1);
	program->arena.room_bytes = room_bytes + 2 * (strlen(path) + 1);
	program->path = pt_arena_text(&program->arena, path);
	program->shown_path = pt_arena_name(&program->arena, path);
	program->build_id = "";
	program->vectors = PT_UNKNOWN;
	program->isa = &pt_isa_none;
	if (program->shown_path == NULL) {
		pt_program_unref(program);
		return NULL;
	}
	return program;
}

void pt_program_warn(struct pt_program *program, const char *sentence)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s%s%s", program->warning != NULL ? program->warning : "",
		 program->warning != NULL ? "; " : "", sentence);
	program->warning = pt_arena_text(&program->arena, text);
}

struct pt_program *pt_program_ref(struct pt_program *program)
{
	atomic_fetch_add_explicit(&program->refs, 1, memory_order_relaxed);
	return program;
}

void pt_program_unref(struct pt_program *program)
{
	struct pt_kept *map;

	if (program == NULL || atomic_fetch_sub_explicit(&program->refs, 1, memory_order_acq_rel) != 1)
		return;
	map = atomic_load_explicit(&program->map, memory_order_relaxed);
	if (map != NULL)
		map->free(map);
	pt_arena_free(&program->arena);
	free(program->functions);
	free(program->segments);
	free(program->loads);
	free(program->symbols);
	free(program->marks);
	free(program->around);
	free(program->lines);
	free(program->files);
	pt_params_free(program->settings);
	free(program->elf.bytes);
	free(program->debug.bytes);
	free(program);
}

static int by_load_address(const void *a, const void *b)
{
	const struct pt_segment *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int by_name(const void *a, const void *b)
{
	const struct pt_symbol *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static bool is_in(const struct pt_function *f, uint64_t addr)
{
	return addr - f->address < f->size;
}

size_t pt_program_enclosing(const struct pt_program *program, size_t i, uint64_t addr)
{
	for (i++; i > 0 && !is_in(&program->functions[i - 1], addr);)
		i = program->around != NULL ? program->around[i - 1] : 0;
	return i;
}

/* Symbols nest if assembler code names parts of a function; this is rare and not deep. Deeper nesting is cut off, to
 * keep look-ups fast. */
static void find_around(struct pt_program *p)
{
	enum { MAX_NESTED = 16 };
	uint8_t *depth = calloc(p->n_functions + 1, 1);

	p->around = calloc(p->n_functions + 1, sizeof(*p->around));
	for (size_t i = 1; depth != NULL && p->around != NULL && i < p->n_functions; i++) {
		size_t around = pt_program_enclosing(p, i - 1, p->functions[i].address);

		if (around > 0 && depth[around - 1] < MAX_NESTED) {
			p->around[i] = (uint32_t)around;
			depth[i] = depth[around - 1] + 1;
		}
	}
	free(depth);
}

const struct pt_function *pt_program_function_at(const struct pt_program *program, uint64_t addr)
{
	size_t low = 0, high = program->n_functions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (program->functions[middle].address <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	low = low > 0 ? pt_program_enclosing(program, low - 1, addr) : 0;
	return low > 0 ? &program->functions[low - 1] : NULL;
}

const uint8_t *pt_program_bytes_at(const struct pt_program *program, uint64_t run, size_t len_bytes)
{
	for (size_t i = 0; i < program->n_segments; i++) {
		const struct pt_segment *s = &program->segments[i];

		if (s->bytes != NULL && run >= s->run && run - s->run < s->size &&
		    len_bytes <= s->size - (run - s->run))
			return s->bytes + (run - s->run);
	}
	return NULL;
}

/* The table ends at the first function after its beginning, whatever length is given. */
static void keep_vectors(struct pt_program *program, struct pt_vectors found)
{
	uint64_t most = 4 * (uint64_t)program->isa->n_vectors;

	program->vectors = program->isa->vector_table(found.addr, found.named);
	if (program->vectors == PT_UNKNOWN)
		return;
	program->vectors_end = program->vectors + most;
	if (found.bytes < most && found.addr + found.bytes < program->vectors_end)
		program->vectors_end = found.addr + found.bytes;
	for (size_t i = 0; i < program->n_functions; i++)
		if (program->functions[i].address > program->vectors) {
			if (program->functions[i].address < program->vectors_end)
				program->vectors_end = program->functions[i].address;
			break;
		}
}

void pt_program_seal(struct pt_program *program, struct pt_vectors found)
{
	if (program->n_segments > 0)
		qsort(program->segments, program->n_segments, sizeof(*program->segments), by_load_address);
	if (program->n_symbols > 0)
		qsort(program->symbols, program->n_symbols, sizeof(*program->symbols), by_name);
	find_around(program);
	program->vectors = PT_UNKNOWN;
	if (found.addr != PT_UNKNOWN)
		keep_vectors(program, found);
}

const char *pt_program_path(const struct pt_program *program)
{
	return program->path;
}

const char *pt_program_shown_path(const struct pt_program *program)
{
	return program->shown_path;
}

bool pt_program_call(struct pt_program *program, const char *name)
{
	const char *copy = pt_arena_text(&program->arena, name), *shown = pt_arena_name(&program->arena, name);

	if (copy == NULL || shown == NULL)
		return false;
	program->path = copy;
	program->shown_path = shown;
	return true;
}

void pt_program_doubt(struct pt_program *program)
{
	program->doubted = true;
}

bool pt_program_is_doubted(const struct pt_program *program)
{
	return program->doubted;
}

void pt_program_confine(struct pt_program *program)
{
	program->confined = true;
}

bool pt_program_is_confined(const struct pt_program *program)
{
	return program->confined || pt_named_is_below(program->path);
}

void pt_program_set_settings(struct pt_program *program, const struct pt_params *settings)
{
	pt_params_free(program->settings);
	program->settings = settings != NULL ? pt_params_copy(settings) : NULL;
}

const struct pt_params *pt_program_settings(const struct pt_program *program)
{
	return program->settings;
}

const char *pt_program_debug_path(const struct pt_program *program)
{
	return program->debug_path;
}

const char *pt_program_build_id(const struct pt_program *program)
{
	return program->build_id;
}

const char *pt_program_sha256(const struct pt_program *program)
{
	return program->sha256;
}

size_t pt_program_unnamed(const struct pt_program *program)
{
	return program->n_unnamed;
}

const char *pt_program_warning(const struct pt_program *program)
{
	return program->warning;
}

const struct pt_function *pt_program_functions(const struct pt_program *program, size_t *n)
{
	*n = program->n_functions;
	return program->functions;
}

const struct pt_segment *pt_program_segments(const struct pt_program *program, size_t *n)
{
	*n = program->n_segments;
	return program->segments;
}

const struct pt_segment *pt_program_loads(const struct pt_program *program, size_t *n)
{
	*n = program->loads != NULL ? program->n_loads : program->n_segments;
	return program->loads != NULL ? program->loads : program->segments;
}

const struct pt_code_mark *pt_program_marks(const struct pt_program *program, size_t *n)
{
	*n = program->n_marks;
	return program->marks;
}

bool pt_program_symbol(const struct pt_program *program, const char *name, uint64_t *addr, uint64_t *size)
{
	struct pt_symbol key = { .name = name }, *found = NULL;

	if (program->n_symbols > 0)
		found = bsearch(&key, program->symbols, program->n_symbols, sizeof(key), by_name);
	if (found == NULL)
		return false;
	*addr = found->addr;
	*size = found->size;
	return true;
}

/* The four bytes of exception n in the table; NULL: it has none. */
static const uint8_t *vector_bytes(const struct pt_program *program, uint64_t table, uint64_t end, unsigned n)
{
	uint64_t entry = program->isa->vector_entry(table, n);

	if (table == PT_UNKNOWN || n >= program->isa->n_vectors || entry < table || entry + 4 > end)
		return NULL;
	return pt_program_bytes_at(program, entry, 4);
}

uint64_t pt_program_target(const struct pt_program *program, const struct pt_isa *isa, const uint8_t entry[4])
{
	return isa->vector_target(entry, program->vector_offset_given ? program->vector_offset : isa->vector_offset);
}

static uint64_t handler(const struct pt_program *program, const uint8_t *bytes, unsigned n)
{
	if (bytes == NULL || (n == 0 && program->isa->stack_in_vectors))
		return PT_UNKNOWN;
	return pt_program_target(program, program->isa, bytes);
}

uint64_t pt_program_vector(const struct pt_program *program, unsigned n)
{
	return handler(program, vector_bytes(program, program->vectors, program->vectors_end, n), n);
}

uint64_t pt_program_reset(const struct pt_program *program)
{
	return pt_program_vector(program, program->isa->reset);
}

uint64_t pt_program_vector_in(const struct pt_program *program, uint64_t table, unsigned n)
{
	return handler(program, vector_bytes(program, table, UINT64_MAX, n), n);
}

bool pt_program_stack_span(const struct pt_program *program, uint64_t *from, uint64_t *to)
{
	const uint8_t *entry = program->isa->stack_in_vectors
				       ? vector_bytes(program, program->vectors, program->vectors_end, 0)
				       : NULL;
	uint64_t top = entry != NULL ? pt_le32(entry) : 0, end = 0;

	for (size_t i = 0; i < program->n_segments; i++) {
		const struct pt_segment *s = &program->segments[i];

		if (s->writable && s->run < top && s->size <= top - s->run && s->run + s->size > end)
			end = s->run + s->size;
	}
	*from = end;
	*to = top;
	return end != 0;
}
