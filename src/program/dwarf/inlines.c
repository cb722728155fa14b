/* See inlines.h. The trees of all units are walked once; what counts are the bodies of functions that are in the
 * program (the linker leaves the DWARF of discarded ones in place, at addresses from 0 up), and the ranges in them. */
#include "program/dwarf/inlines.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "program/model/demangle.h"
#include "program/dwarf/dwarf.h"
#include "program/dwarf/file_table.h"
#include "base/util.h"

/* A tree may hang together in circles, and a list of ranges may be shared by all. */
enum { MAX_DIES = 8 << 20, MAX_DEPTH = 192, MAX_CALLS = 1 << 20, MAX_RANGES = 2 << 20, MAX_PIECES = 32 };
enum { MAX_TEXT_BYTES = 64 << 20, ORIGIN_SLOTS = 4096 };

struct pt_inlines {
	struct pt_program *program;
	struct pt_arena *arena;
	struct pt_inline *calls;
	struct pt_inline_range *ranges;
	struct pt_source_file *files;	/* behind those of the program */
	size_t n_calls, n_ranges, n_files, n_program_files;
	const char *warning;
};

struct piece { uint64_t from, to; uint32_t id, depth; };

struct origin {			/* of an inlined body: the function */
	Dwarf_Off offset;	/* 0: none */
	const char *name, *linkage;
	uint32_t file, line;
};

struct walker {
	struct pt_inlines *out;
	struct pt_file_table *files;
	struct pt_line_guard guard;
	struct piece *pieces;
	size_t n_pieces, pieces_room, calls_room;
	struct { uint64_t from, to; } body[MAX_PIECES];	/* of the function that is walked */
	size_t n_body;
	Dwarf_Files *unit_files;
	size_t n_unit_files, left_dies, left_ranges;
	struct origin origins[ORIGIN_SLOTS];	/* the last with each hash */
};

static void give_up(struct walker *w)
{
	w->out->warning = "there are more inlined calls than are read, so that some are missing";
	w->left_dies = 0;
}

/* --- one inlined call --------------------------------------------------------------------------------------------- */

static uint32_t number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (dwarf_attr(die, name, &attr) == NULL || dwarf_formudata(&attr, &value) != 0 || value >= UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

static uint32_t file_of_unit(struct walker *w, uint32_t index)
{
	const char *path = index < w->n_unit_files ? dwarf_filesrc(w->unit_files, index, NULL, NULL) : NULL;

	return path != NULL ? pt_file_table_add(w->files, path) : PT_NO_FILE;
}

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, name, &attr) != NULL ? dwarf_formstring(&attr) : NULL;
}

static void name_origin(struct walker *w, Dwarf_Die *die, struct origin *o)
{
	const char *name = dwarf_diename(die), *linkage = text_of(die, DW_AT_linkage_name), *file = NULL;
	char text[PT_DEMANGLE_TEXT_BYTES];
	Dwarf_Die unit;
	int line;

	if (dwarf_diecu(die, &unit, NULL, NULL) != NULL && pt_line_guard_allows(&w->guard, &unit))
		file = dwarf_decl_file(die);

	if (linkage == NULL)
		linkage = text_of(die, DW_AT_MIPS_linkage_name);
	if (linkage != NULL && pt_demangle(linkage, text, NULL))
		name = text;
	if (name == NULL)
		name = linkage != NULL ? linkage : "?";
	o->name = pt_arena_name(w->out->arena, name);
	o->linkage = linkage != NULL ? pt_arena_name(w->out->arena, linkage) : o->name;
	o->file = file != NULL ? pt_file_table_add(w->files, file) : PT_NO_FILE;
	o->line = dwarf_decl_line(die, &line) == 0 && line > 0 ? (uint32_t)line : 0;
}

/* The function whose body it is; a body without one is nobody's, under the offset of its own. */
static const struct origin *origin_of(struct walker *w, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin = *die;
	struct origin *o;

	if (dwarf_attr(die, DW_AT_abstract_origin, &attr) != NULL && dwarf_formref_die(&attr, &origin) == NULL)
		origin = *die;
	o = &w->origins[dwarf_dieoffset(&origin) % ORIGIN_SLOTS];
	if (o->offset != dwarf_dieoffset(&origin) || o->name == NULL) {
		o->offset = dwarf_dieoffset(&origin);
		name_origin(w, &origin, o);
	}
	return o->name != NULL && o->linkage != NULL ? o : NULL;
}

static uint32_t add_call(struct walker *w, Dwarf_Die *die, uint32_t parent)
{
	struct pt_inlines *out = w->out;
	const struct origin *o = origin_of(w, die);

	if (out->n_calls == w->calls_room && w->calls_room < MAX_CALLS) {
		void *calls = realloc(out->calls, 2 * w->calls_room * sizeof(*out->calls));

		if (calls != NULL) {
			out->calls = calls;
			w->calls_room *= 2;
		}
	}
	if (o == NULL || out->n_calls == w->calls_room) {
		give_up(w);
		return parent;
	}
	out->calls[out->n_calls] = (struct pt_inline){
		.name = o->name, .linkage = o->linkage, .parent = parent, .depth = out->calls[parent].depth + 1,
		.call_file = file_of_unit(w, number(die, DW_AT_call_file)),
		.call_line = number(die, DW_AT_call_line), .call_column = number(die, DW_AT_call_column),
		.decl_file = o->file, .decl_line = o->line,
	};
	return (uint32_t)out->n_calls++;
}

static void add_piece(struct walker *w, uint64_t from, uint64_t to, uint32_t id)
{
	if (w->n_pieces == w->pieces_room) {
		size_t room = w->pieces_room > 0 ? 2 * w->pieces_room : 1024;
		void *pieces = room <= MAX_RANGES ? realloc(w->pieces, room * sizeof(*w->pieces)) : NULL;

		if (pieces == NULL) {
			give_up(w);
			return;
		}
		w->pieces = pieces;
		w->pieces_room = room;
	}
	w->pieces[w->n_pieces++] = (struct piece){ from, to, id, w->out->calls[id].depth };
}

/* What of the range lies in the function's body. */
static void clip_piece(struct walker *w, uint64_t from, uint64_t to, uint32_t id)
{
	for (size_t i = 0; i < w->n_body; i++) {
		uint64_t begins = from > w->body[i].from ? from : w->body[i].from;
		uint64_t ends = to < w->body[i].to ? to : w->body[i].to;

		if (begins < ends)
			add_piece(w, begins, ends, id);
	}
}

static void add_pieces(struct walker *w, Dwarf_Die *die, uint32_t id)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &from, &to)) > 0) {
		if (w->left_ranges == 0) {
			give_up(w);
			return;
		}
		w->left_ranges--;
		clip_piece(w, from, to, id);
	}
}

/* --- the trees ---------------------------------------------------------------------------------------------------- */

/* The pieces of the function that begin where the program has one: its code, and its cold part elsewhere. */
static void find_body(struct walker *w, Dwarf_Die *die)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;

	w->n_body = 0;
	while (w->n_body < MAX_PIECES && w->left_ranges > 0 && (at = dwarf_ranges(die, at, &base, &from, &to)) > 0) {
		const struct pt_function *f = pt_program_function_at(w->out->program, from);

		w->left_ranges--;
		if (f == NULL || f->address != from || to <= from)
			continue;
		w->body[w->n_body].from = from;
		w->body[w->n_body++].to = to - from < f->size ? to : f->address + f->size;
	}
}

static void walk_children(struct walker *w, Dwarf_Die *die, uint32_t parent, unsigned depth);

static void walk_function(struct walker *w, Dwarf_Die *die, unsigned depth)
{
	if (!dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges))
		return;
	find_body(w, die);
	if (w->n_body > 0)
		walk_children(w, die, PT_NO_INLINE, depth);
	w->n_body = 0;
}

static void walk_die(struct walker *w, Dwarf_Die *die, uint32_t parent, unsigned depth)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_inlined_subroutine:
		if (w->n_body == 0)
			break;
		if (w->out->calls[parent].depth < PT_INLINE_MAX_DEPTH) {
			parent = add_call(w, die, parent);
			if (w->left_dies > 0)
				add_pieces(w, die, parent);
		}
		walk_children(w, die, parent, depth);
		break;
	case DW_TAG_subprogram:
		if (w->n_body == 0)	/* nested functions come with a body of their own, elsewhere */
			walk_function(w, die, depth);
		break;
	case DW_TAG_lexical_block: case DW_TAG_try_block: case DW_TAG_catch_block: case DW_TAG_with_stmt:
		if (w->n_body > 0)
			walk_children(w, die, parent, depth);
		break;
	case DW_TAG_namespace: case DW_TAG_module: case DW_TAG_class_type: case DW_TAG_structure_type:
	case DW_TAG_union_type: case DW_TAG_enumeration_type: case DW_TAG_variant_part:
		if (w->n_body == 0)
			walk_children(w, die, parent, depth);
		break;
	}
}

static void walk_children(struct walker *w, Dwarf_Die *die, uint32_t parent, unsigned depth)
{
	Dwarf_Die child;

	if (depth == MAX_DEPTH || !dwarf_haschildren(die) || dwarf_child(die, &child) != 0)
		return;
	do {
		if (w->left_dies == 0)
			return;
		if (--w->left_dies == 0)
			give_up(w);
		walk_die(w, &child, parent, depth + 1);
	} while (dwarf_siblingof(&child, &child) == 0);
}

static void walk_units(struct walker *w, Dwarf *dwarf)
{
	Dwarf_Off offset = 0, next;
	size_t header_bytes;
	Dwarf_Die die;

	while (w->left_dies > 0 && dwarf_nextcu(dwarf, offset, &next, &header_bytes, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(dwarf, offset + header_bytes, &die) != NULL) {
			if (!pt_line_guard_allows(&w->guard, &die) ||
			    dwarf_getsrcfiles(&die, &w->unit_files, &w->n_unit_files) != 0)
				w->n_unit_files = 0;
			walk_children(w, &die, PT_NO_INLINE, 0);
		}
		if (next <= offset)
			break;
		offset = next;
	}
}

/* --- pieces to ranges --------------------------------------------------------------------------------------------- */

static int outer_first(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->to != y->to)
		return x->to > y->to ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void put_range(struct pt_inlines *out, uint64_t from, uint64_t to, uint32_t id)
{
	struct pt_inline_range *last = out->n_ranges > 0 ? &out->ranges[out->n_ranges - 1] : NULL;

	if (from >= to)
		return;
	if (last != NULL && last->to == from && last->id == id)
		last->to = to;
	else
		out->ranges[out->n_ranges++] = (struct pt_inline_range){ from, to, id };
}

/* The pieces as a stack of sheets, seen from above: a later one lies on those that are still open, and ends with
 * them. */
static void flatten(struct pt_inlines *out, struct piece *pieces, size_t n, struct piece **open)
{
	uint64_t at = 0;
	size_t n_open = 0;

	for (size_t i = 0; i < n; i++) {
		struct piece *p = &pieces[i];

		for (; n_open > 0 && open[n_open - 1]->to <= p->from; n_open--) {
			put_range(out, at, open[n_open - 1]->to, open[n_open - 1]->id);
			at = open[n_open - 1]->to > at ? open[n_open - 1]->to : at;
		}
		if (n_open > 0) {
			put_range(out, at, p->from, open[n_open - 1]->id);
			p->to = p->to < open[n_open - 1]->to ? p->to : open[n_open - 1]->to;
		}
		at = p->from;
		open[n_open++] = p;
	}
	for (; n_open > 0; n_open--) {
		put_range(out, at, open[n_open - 1]->to, open[n_open - 1]->id);
		at = open[n_open - 1]->to > at ? open[n_open - 1]->to : at;
	}
}

static bool make_ranges(struct walker *w)
{
	struct piece **open = calloc(w->n_pieces + 1, sizeof(struct piece *));

	w->out->ranges = calloc(2 * w->n_pieces + 1, sizeof(*w->out->ranges));
	if (open == NULL || w->out->ranges == NULL) {
		free(open);
		return false;
	}
	if (w->n_pieces > 0)
		qsort(w->pieces, w->n_pieces, sizeof(*w->pieces), outer_first);
	flatten(w->out, w->pieces, w->n_pieces, open);
	free(open);
	return true;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static int by_path(const void *a, const void *b)
{
	const struct pt_source_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

/* The program's index of a file, or one behind them. */
static uint32_t settle(struct pt_inlines *out, const struct pt_source_file *file)
{
	const struct pt_source_file *known = pt_program_files(out->program, &out->n_program_files), *found = NULL;

	if (out->n_program_files > 0)
		found = bsearch(file, known, out->n_program_files, sizeof(*known), by_path);
	if (found != NULL)
		return (uint32_t)(found - known);
	out->files[out->n_files] = *file;
	return (uint32_t)(out->n_program_files + out->n_files++);
}

static uint32_t translate(const uint32_t *new_index, const uint32_t *settled, uint32_t file)
{
	return file != PT_NO_FILE ? settled[new_index[file]] : PT_NO_FILE;
}

/* Files that the program knows keep its indices; the others move to the front of out->files. */
static bool settle_files(struct walker *w)
{
	struct pt_inlines *out = w->out;
	uint32_t *new_index, *settled;
	size_t n;
	bool done = pt_file_table_finish(w->files, &out->files, &n, &new_index);

	w->files = NULL;
	if (!done)
		return false;
	settled = calloc(n + 1, sizeof(*settled));
	for (size_t i = 0; settled != NULL && i < n; i++)
		settled[i] = settle(out, &out->files[i]);
	for (size_t i = 1; settled != NULL && i < out->n_calls; i++) {
		out->calls[i].call_file = translate(new_index, settled, out->calls[i].call_file);
		out->calls[i].decl_file = translate(new_index, settled, out->calls[i].decl_file);
	}
	done = settled != NULL;
	free(new_index);
	free(settled);
	return done;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static bool read_all(struct walker *w, Dwarf *dwarf, Elf *elf)
{
	w->files = pt_file_table_new(w->out->arena);
	if (w->files == NULL)
		return false;
	pt_line_guard_init(&w->guard, elf);
	walk_units(w, dwarf);
	pt_line_guard_fini(&w->guard);
	return make_ranges(w) && settle_files(w);
}

static bool read_program(struct pt_inlines *out)
{
	struct walker *w = pt_alloc(sizeof(*w));
	struct pt_dwarf d = { NULL, NULL, NULL };
	bool done = true;

	if (pt_dwarf_open(&d, out->program)) {
		*w = (struct walker){ .out = out, .calls_room = 1, .left_dies = MAX_DIES, .left_ranges = MAX_RANGES };
		done = read_all(w, d.dwarf, d.elf);
		pt_file_table_free(w->files);
		free(w->pieces);
	}
	pt_dwarf_close(&d);
	free(w);
	return done;
}

struct pt_inlines *pt_inlines_new(const struct pt_program *program)
{
	struct pt_inlines *out = pt_alloc(sizeof(*out));

	out->arena = pt_alloc(sizeof(*out->arena));
	out->calls = pt_alloc(sizeof(*out->calls));
	if (program != NULL)
		out->program = pt_program_ref((struct pt_program *)(uintptr_t)program);
	out->arena->room_bytes = MAX_TEXT_BYTES;
	out->n_calls = 1;
	if (program == NULL || read_program(out))
		return out;
	pt_inlines_free(out);
	return NULL;
}

void pt_inlines_free(struct pt_inlines *inlines)
{
	if (inlines == NULL)
		return;
	if (inlines->arena != NULL)
		pt_arena_free(inlines->arena);
	free(inlines->arena);
	free(inlines->calls);
	free(inlines->ranges);
	free(inlines->files);
	pt_program_unref(inlines->program);
	free(inlines);
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

const char *pt_inlines_warning(const struct pt_inlines *inlines)
{
	return inlines->warning;
}

const struct pt_inline *pt_inlines_calls(const struct pt_inlines *inlines, size_t *n)
{
	*n = inlines->n_calls;
	return inlines->calls;
}

const struct pt_inline_range *pt_inlines_ranges(const struct pt_inlines *inlines, size_t *n)
{
	*n = inlines->n_ranges;
	return inlines->ranges;
}

uint32_t pt_inlines_at(const struct pt_inlines *inlines, uint64_t addr)
{
	size_t low = 0, high = inlines->n_ranges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (inlines->ranges[middle].from <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && addr < inlines->ranges[low - 1].to ? inlines->ranges[low - 1].id : PT_NO_INLINE;
}

const struct pt_source_file *pt_inlines_file(const struct pt_inlines *inlines, uint32_t file)
{
	size_t n = 0;
	const struct pt_source_file *known = inlines->program != NULL ? pt_program_files(inlines->program, &n) : NULL;

	if (file < n)
		return &known[file];
	return file - n < inlines->n_files ? &inlines->files[file - n] : NULL;
}

static const char *path_of(const struct pt_inlines *inlines, uint32_t file)
{
	const struct pt_source_file *f = pt_inlines_file(inlines, file);

	return f != NULL ? f->path : NULL;
}

size_t pt_inlines_frames(const struct pt_inlines *inlines, uint64_t addr, struct pt_frame *frames, size_t room)
{
	const struct pt_function *f = inlines->program != NULL ? pt_program_function_at(inlines->program, addr) : NULL;
	struct pt_frame at = { 0 };
	size_t n = 0;

	if (f == NULL)
		return 0;
	pt_program_line(inlines->program, addr, &at.file, &at.line);
	for (uint32_t id = pt_inlines_at(inlines, addr); id != PT_NO_INLINE; id = inlines->calls[id].parent) {
		const struct pt_inline *call = &inlines->calls[id];

		if (n++ < room)
			frames[n - 1] = (struct pt_frame){ call->name, call->linkage, at.file, at.line, call->decl_line,
							   id };
		at.file = path_of(inlines, call->call_file);
		at.line = call->call_line;
	}
	if (n++ < room)
		frames[n - 1] = (struct pt_frame){ f->name, f->linkage, at.file, at.line, f->line, PT_NO_INLINE };
	return n;
}
