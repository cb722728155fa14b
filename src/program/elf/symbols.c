/* The symbol table of an ELF: names, functions, and where code and data lie.
 *
 * Mapping symbols of the Arm ABI ($t, $a, $d; Arm IHI 0044, 4.5.5) distinguish code from literal pools and jump
 * tables. An ELF without them counts its executable sections as code from end to end. */
#include <stdlib.h>
#include <string.h>

#include "program/code/exits.h"
#include "program/model/demangle.h"
#include "program/elf/elf_parts.h"

struct pt_function_draft {
	struct pt_function function;
	uint64_t limit;		/* end of its section */
	int rank;		/* of several at one address the highest is kept */
};

struct pt_mark_draft {		/* sections come first, symbols then; the later of two at one address holds */
	struct pt_code_mark mark;
	size_t order;
};

static int add_mark(struct pt_elf_reader *r, uint64_t addr, bool code)
{
	if (r->n_marks == r->n_marks_room) {
		size_t room = r->n_marks_room > 0 ? 2 * r->n_marks_room : 256;
		void *marks = realloc(r->marks, room * sizeof(*r->marks));

		if (marks == NULL)
			return pt_elf_no_room(r);
		r->marks = marks;
		r->n_marks_room = room;
	}
	r->marks[r->n_marks] = (struct pt_mark_draft){ { addr, code }, r->n_marks };
	r->n_marks++;
	return 0;
}

/* Does the section put bytes into memory? Those of a debug file are all said to be empty, but where they lie tells. */
static bool has_bytes(const struct pt_elf_reader *r, Elf *elf, const GElf_Shdr *sh)
{
	GElf_Shdr full = *sh;

	full.sh_type = SHT_PROGBITS;
	return elf == r->elf ? pt_elf_in_memory(sh)
			     : pt_elf_in_memory(&full) && pt_program_bytes_at(r->program, sh->sh_addr, 1) != NULL;
}

/* A stripped ELF may have no sections left; its debug file has them still. */
static int mark_sections(struct pt_elf_reader *r)
{
	Elf *elf = r->debug != NULL && elf_nextscn(r->elf, NULL) == NULL ? r->debug : r->elf;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) == NULL || !has_bytes(r, elf, &sh))
			continue;
		if (add_mark(r, sh.sh_addr, (sh.sh_flags & SHF_EXECINSTR) != 0 && r->n_mapping == 0) < 0 ||
		    add_mark(r, sh.sh_addr + sh.sh_size, false) < 0)
			return r->err->code;
	}
	return 0;
}

enum { RANK_FUNCTION = 4 };

/* A global name beats a weak one beats a local one; declared functions beat bare labels. */
static int rank_of(const GElf_Sym *sym)
{
	static const int binding[] = { [STB_LOCAL] = 0, [STB_GLOBAL] = 2, [STB_WEAK] = 1 };
	unsigned bind = GELF_ST_BIND(sym->st_info);

	return (GELF_ST_TYPE(sym->st_info) == STT_FUNC ? RANK_FUNCTION : 0) +
	       (bind < sizeof(binding) / sizeof(binding[0]) ? binding[bind] : 0);
}

/* Labels of assembler code count as functions where nobody took the trouble to declare them. */
static bool is_function(const GElf_Sym *sym, const GElf_Shdr *sh, const char *name)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return type == STT_FUNC || (type == STT_NOTYPE && GELF_ST_BIND(sym->st_info) != STB_LOCAL &&
				    (sh->sh_flags & SHF_EXECINSTR) != 0 && !pt_elf_names_vectors(name));
}

static int add_function(struct pt_elf_reader *r, const GElf_Sym *sym, const char *name)
{
	uint64_t addr = r->header.e_machine == EM_ARM ? sym->st_value & ~UINT64_C(1) : sym->st_value;	/* Thumb bit */
	GElf_Shdr sh;

	if (sym->st_shndx >= SHN_LORESERVE || gelf_getshdr(elf_getscn(r->symbols, sym->st_shndx), &sh) == NULL ||
	    !has_bytes(r, r->symbols, &sh) || addr - sh.sh_addr >= sh.sh_size || !is_function(sym, &sh, name) ||
	    pt_is_exit_name(name))
		return 0;
	r->drafts[r->n_drafts++] = (struct pt_function_draft){
		.function = { .name = name, .address = addr, .size = sym->st_size },
		.limit = sh.sh_addr + sh.sh_size,
		.rank = rank_of(sym),
	};
	return 0;
}

/* $t, $a and $d, alone or followed by a dot. */
static bool is_mapping(const struct pt_elf_reader *r, const char *name)
{
	return r->header.e_machine == EM_ARM && name[0] == '$' &&
	       (name[1] == 't' || name[1] == 'a' || name[1] == 'd') && (name[2] == '\0' || name[2] == '.');
}

/* Does a mapping symbol tell of memory that can hold code? In what is not loaded, as .debug_frame, its value is an
 * offset, and no address. Code in a section that is not said to be executable has a $t all the same. */
static bool maps_code(const struct pt_elf_reader *r, const GElf_Sym *sym, const char *name)
{
	GElf_Shdr sh;

	return sym->st_shndx < SHN_LORESERVE && gelf_getshdr(elf_getscn(r->symbols, sym->st_shndx), &sh) != NULL &&
	       has_bytes(r, r->symbols, &sh) && ((sh.sh_flags & SHF_EXECINSTR) != 0 || name[1] == 't');
}

static int add_symbol(struct pt_elf_reader *r, const GElf_Sym *sym, const char *name)
{
	struct pt_symbol *s = &r->program->symbols[r->program->n_symbols];

	if (is_mapping(r, name)) {
		r->n_mapping += maps_code(r, sym, name);
		return 0;
	}
	if (sym->st_shndx == SHN_UNDEF || name[0] == '\0')
		return 0;
	if (pt_elf_names_vectors(name))
		pt_elf_found_vectors(r, sym->st_value, sym->st_size);
	*s = (struct pt_symbol){ pt_arena_name(&r->program->arena, name), sym->st_value, sym->st_size };
	if (s->name == NULL)
		return pt_elf_no_room(r);
	r->program->n_symbols++;
	return add_function(r, sym, s->name);
}

static int add_mapping(struct pt_elf_reader *r, const GElf_Sym *sym, const char *name)
{
	return is_mapping(r, name) && maps_code(r, sym, name) ? add_mark(r, sym->st_value, name[1] == 't') : 0;
}

static int walk_symbols(struct pt_elf_reader *r, Elf_Data *data, const GElf_Shdr *sh, size_t n,
			int (*add)(struct pt_elf_reader *r, const GElf_Sym *sym, const char *name))
{
	for (size_t i = 1; i < n; i++) {
		const char *name;
		GElf_Sym sym;

		if (gelf_getsym(data, (int)i, &sym) == NULL)
			return pt_elf_damaged(r, elf_errmsg(-1));
		name = elf_strptr(r->symbols, sh->sh_link, sym.st_name);
		if (name == NULL)
			return pt_elf_damaged(r, "a symbol without a name");
		if (add(r, &sym, name) < 0)
			return r->err->code;
	}
	return 0;
}

static int by_address_then_rank(const void *a, const void *b)
{
	const struct pt_function_draft *x = a, *y = b;

	if (x->function.address != y->function.address)
		return x->function.address < y->function.address ? -1 : 1;
	if (x->rank != y->rank)
		return y->rank - x->rank;
	if (x->function.size != y->function.size)
		return x->function.size > y->function.size ? -1 : 1;
	return strcmp(x->function.name, y->function.name);
}

/* A bare label inside a declared function is a place to jump to, not a function. */
static bool inside_another(const struct pt_function_draft *d, const struct pt_function *before)
{
	return before != NULL && d->rank < RANK_FUNCTION && d->function.address - before->address < before->size;
}

/* Of several names for one address the best stays, in place. */
static void drop_aliases(struct pt_elf_reader *r)
{
	size_t n = 0;

	if (r->n_drafts > 0)
		qsort(r->drafts, r->n_drafts, sizeof(*r->drafts), by_address_then_rank);
	for (size_t i = 0; i < r->n_drafts; i++) {
		const struct pt_function *before = n > 0 ? &r->drafts[n - 1].function : NULL;

		if (before != NULL && before->address == r->drafts[i].function.address)
			continue;
		if (!inside_another(&r->drafts[i], before))
			r->drafts[n++] = r->drafts[i];
	}
	r->n_drafts = n;
}

/* What demangling may cost in all, in bytes written: seconds for a hostile file, out of reach for others. */
enum { DEMANGLE_BUDGET_BYTES = 32 << 20 };

/* A name that finds no room stays as the linker has it. */
static void name_functions(struct pt_elf_reader *r)
{
	char text[PT_DEMANGLE_TEXT_BYTES];
	size_t spent = 0;

	for (size_t i = 0; i < r->program->n_functions; i++) {
		struct pt_function *f = &r->program->functions[i];
		const char *display = NULL;

		f->linkage = f->name;
		if (spent < DEMANGLE_BUDGET_BYTES && pt_demangle(f->linkage, text, &spent))
			display = pt_arena_name(&r->program->arena, text);
		if (display != NULL)
			f->name = display;
	}
}

/* Is what a vector has a jump? BRAI and its like, behind an IMM where the target is far. Source: UG984, instructions. */
static bool is_jump(const struct pt_elf_reader *r, uint64_t at)
{
	enum { VECTOR_BYTES = 8, IMM = 0x2c, BRI = 0x2e };
	const uint8_t *bytes = pt_program_bytes_at(r->program, at, VECTOR_BYTES);
	unsigned first = r->header.e_ident[EI_DATA] == ELFDATA2LSB ? 3 : 0;	/* the byte with the opcode */

	return bytes != NULL &&
	       (bytes[first] >> 2 == BRI || (bytes[first] >> 2 == IMM && bytes[first + 4] >> 2 == BRI));
}

/* Where the vector ends that a bare label of a MicroBlaze's names: each has two words, and those behind it have no symbol
 * where one file has them all. Source: UG984, Reset, Interrupts, Exceptions, and Break. */
static uint64_t end_of_vector(const struct pt_elf_reader *r, const struct pt_function_draft *d)
{
	enum { VECTOR_BYTES = 8, VECTORS_BYTES = 0x28 };
	uint64_t at = d->function.address;

	if (r->header.e_machine != EM_MICROBLAZE || d->rank >= RANK_FUNCTION || at >= VECTORS_BYTES ||
	    at % VECTOR_BYTES != 0 || !is_jump(r, at))
		return UINT64_MAX;
	return at + VECTOR_BYTES;
}

/* A function without a size ends at the next one; none reaches out of its section. */
static int keep_functions(struct pt_elf_reader *r)
{
	struct pt_program *p = r->program;

	drop_aliases(r);
	p->functions = calloc(r->n_drafts + 1, sizeof(*p->functions));
	if (p->functions == NULL)
		return pt_elf_no_room(r);
	for (; p->n_functions < r->n_drafts; p->n_functions++) {
		const struct pt_function_draft *d = &r->drafts[p->n_functions];
		struct pt_function *f = &p->functions[p->n_functions];
		uint64_t end = d->limit;

		*f = d->function;
		if (p->n_functions + 1 < r->n_drafts && d[1].function.address < end)
			end = d[1].function.address;
		if (end_of_vector(r, d) < end)
			end = end_of_vector(r, d);
		if (f->size == 0)
			f->size = end - f->address;
		if (f->size > d->limit - f->address)
			f->size = d->limit - f->address;
	}
	return 0;
}

static int by_address_then_order(const void *a, const void *b)
{
	const struct pt_mark_draft *x = a, *y = b;

	if (x->mark.addr != y->mark.addr)
		return x->mark.addr < y->mark.addr ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* The last word on each address stays, and of those only what changes anything. */
static int keep_marks(struct pt_elf_reader *r)
{
	struct pt_program *p = r->program;

	p->marks = calloc(r->n_marks + 1, sizeof(*p->marks));
	if (p->marks == NULL)
		return pt_elf_no_room(r);
	if (r->n_marks > 0)
		qsort(r->marks, r->n_marks, sizeof(*r->marks), by_address_then_order);
	for (size_t i = 0; i < r->n_marks; i++) {
		bool last = i + 1 == r->n_marks || r->marks[i + 1].mark.addr != r->marks[i].mark.addr;

		if (last && (p->n_marks == 0 || p->marks[p->n_marks - 1].code != r->marks[i].mark.code))
			p->marks[p->n_marks++] = r->marks[i].mark;
	}
	return 0;
}

static Elf_Data *symbols_of(Elf *elf, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while (elf != NULL && (scn = elf_nextscn(elf, scn)) != NULL)
		if (gelf_getshdr(scn, sh) != NULL && sh->sh_type == SHT_SYMTAB && sh->sh_entsize > 0)
			return elf_getdata(scn, NULL);
	return NULL;
}

static Elf_Data *find_symbols(struct pt_elf_reader *r, GElf_Shdr *sh)
{
	Elf_Data *data = symbols_of(r->elf, sh);

	r->symbols = r->elf;
	if (data == NULL && r->debug != NULL) {
		data = symbols_of(r->debug, sh);
		r->symbols = r->debug;
	}
	return data;
}

int pt_elf_read_symbols(struct pt_elf_reader *r)
{
	GElf_Shdr sh;
	Elf_Data *data = find_symbols(r, &sh);
	size_t n = data != NULL ? data->d_size / sh.sh_entsize : 0;

	r->drafts = calloc(n + 1, sizeof(*r->drafts));
	r->program->symbols = calloc(n + 1, sizeof(*r->program->symbols));
	if (r->drafts == NULL || r->program->symbols == NULL)
		return pt_elf_no_room(r);
	if (walk_symbols(r, data, &sh, n, add_symbol) < 0 || mark_sections(r) < 0 ||
	    walk_symbols(r, data, &sh, n, add_mapping) < 0 || keep_functions(r) < 0 || keep_marks(r) < 0)
		return r->err->code;
	name_functions(r);
	return 0;
}
