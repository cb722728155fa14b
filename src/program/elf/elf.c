/* Reading an ELF: everything in it is untrusted, so it is read into memory first (a file that shrinks under us cannot
 * hurt), libelf checks offsets against that memory, and what is kept is copied under a bound. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/code/codemap.h"
#include "program/elf/debugfile.h"
#include "program/dwarf/dwarf.h"
#include "host/whole_file.h"
#include "program/model/settings.h"
#include "program/elf/elf_parts.h"
#include "base/util.h"

enum { ARENA_EXTRA = 1 << 16 };
enum { MAX_SEGMENTS = 256 };

/* An Arm ELF that does not say its core is read without a cycle model: that of the wrong core would look right. Where it
 * runs, the target says which one it is. */
static const struct pt_isa *isa_of(const struct pt_arch *arch)
{
	bool silent = arch->elf_machine == PT_MACHINE_ARM && !pt_arch_decides(arch);

	return silent && (arch->profile == 0 || arch->profile == 'M') ? &pt_isa_thumb : pt_isa_find(arch);
}

static int read_header(struct pt_elf_reader *r, unsigned machine)
{
	if (elf_kind(r->elf) != ELF_K_ELF)
		return pt_fail(r->err, PT_EARG,
			       "%s is not an ELF file: name what the linker wrote, before it became .bin or .hex",
			       r->name);
	if (gelf_getehdr(r->elf, &r->header) == NULL)
		return pt_elf_damaged(r, elf_errmsg(-1));
	if (r->header.e_machine == PT_EM_S12Z_BINUTILS)
		r->header.e_machine = PT_EM_S12Z;
	if (pt_machine_check(r->name, r->header.e_machine, machine, r->err) < 0)
		return r->err->code;
	r->program->arch.elf_machine = r->header.e_machine;
	r->program->arch.big_endian = r->header.e_ident[EI_DATA] == ELFDATA2MSB;
	pt_elf_read_attributes(r);
	r->program->isa = isa_of(&r->program->arch);
	if (r->header.e_type != ET_EXEC && r->header.e_type != ET_DYN)
		return pt_fail(r->err, PT_EARG, "%s is not linked: an executable is needed", r->name);
	return 0;
}

static int add_segment(struct pt_elf_reader *r, const GElf_Phdr *ph)
{
	struct pt_segment s = {
		.addr = ph->p_paddr, .size = ph->p_filesz, .run = ph->p_vaddr,
		.code = (ph->p_flags & PF_X) != 0, .writable = (ph->p_flags & PF_W) != 0,
	};
	struct pt_program *p = r->program;

	if (ph->p_offset > r->len_bytes || ph->p_filesz > r->len_bytes - ph->p_offset)
		return pt_elf_damaged(r, "a segment ends behind the file");
	if (ph->p_memsz > UINT64_MAX - ph->p_vaddr || ph->p_filesz > UINT64_MAX - ph->p_paddr ||
	    ph->p_filesz > ph->p_memsz)
		return pt_elf_damaged(r, "a segment has an impossible size");
	if (s.size > 0) {
		s.bytes = r->bytes + ph->p_offset;
		p->segments[p->n_segments++] = s;
	}
	if (ph->p_memsz > ph->p_filesz) {
		s.bytes = NULL;
		s.addr = s.run = ph->p_vaddr + ph->p_filesz;
		s.size = ph->p_memsz - ph->p_filesz;
		s.code = false;
		p->segments[p->n_segments++] = s;
	}
	return 0;
}

static int read_segments(struct pt_elf_reader *r)
{
	size_t n;

	if (elf_getphdrnum(r->elf, &n) != 0)
		return pt_elf_damaged(r, elf_errmsg(-1));
	if (n > MAX_SEGMENTS)
		return pt_elf_damaged(r, "too many segments");
	r->program->segments = calloc(2 * n + 1, sizeof(*r->program->segments));
	if (r->program->segments == NULL)
		return pt_elf_no_room(r);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(r->elf, (int)i, &ph) == NULL)
			return pt_elf_damaged(r, elf_errmsg(-1));
		if (ph.p_type == PT_LOAD && add_segment(r, &ph) < 0)
			return r->err->code;
		if (ph.p_type == PT_ARM_EXIDX && r->header.e_machine == EM_ARM) {
			r->program->unwind = ph.p_vaddr;
			r->program->unwind_bytes = ph.p_filesz;
		}
	}
	return r->program->n_segments > 0 ? 0 : pt_elf_damaged(r, "it has nothing to load");
}

/* Functions in RAM often sit in a data section: what holds a function is code. */
static void find_code_segments(struct pt_program *p)
{
	for (size_t i = 0; i < p->n_segments; i++) {
		struct pt_segment *s = &p->segments[i];

		for (size_t k = 0; s->bytes != NULL && !s->code && k < p->n_functions; k++)
			s->code = p->functions[k].address - s->run < s->size;
	}
}

static void find_vectors(struct pt_elf_reader *r)
{
	const struct pt_program *p = r->program;
	uint64_t lowest = PT_UNKNOWN;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	while (elf_getshdrstrndx(r->elf, &names) == 0 && (scn = elf_nextscn(r->elf, scn)) != NULL) {
		const char *name = gelf_getshdr(scn, &sh) != NULL ? elf_strptr(r->elf, names, sh.sh_name) : NULL;

		if (name != NULL && pt_elf_in_memory(&sh) && pt_elf_names_vectors(name))
			pt_elf_found_vectors(r, sh.sh_addr, sh.sh_size);
	}
	for (size_t i = 0; i < p->n_segments; i++)
		if (p->segments[i].bytes != NULL && p->segments[i].run < lowest)
			lowest = p->segments[i].run;
	if (r->vectors.addr == PT_UNKNOWN)
		r->vectors = (struct pt_vectors){ lowest, UINT64_MAX, false };
}

static int read_build_id(struct pt_elf_reader *r)
{
	char text[PT_BUILD_ID_TEXT];

	pt_elf_build_id(r->elf, text);
	r->program->build_id = pt_arena_text(&r->program->arena, text);
	return r->program->build_id != NULL ? 0 : pt_elf_no_room(r);
}

/* What the program is made of, and where to look for more. */
struct origin {
	const char *name;
	struct pt_program_file file;
	const char *debug_name;			/* the debug file, if it is at hand */
	struct pt_program_file debug;		/* bytes NULL: it is not */
	const char *debug_dirs;			/* where it is looked for then; NULL: nowhere */
	unsigned elf_machine;
	bool vector_offset_given;
	uint8_t vector_offset;
};

static void find_debug_file(struct pt_elf_reader *r, struct origin *from)
{
	struct pt_program_file debug = from->debug;

	from->debug.bytes = NULL;
	if (debug.bytes != NULL)
		pt_debugfile_take(r, from->debug_name, debug);
	else if (from->debug_dirs != NULL && pt_debugfile_wanted(r))
		pt_debugfile_find(r, from->debug_dirs);
}

static void warn_of_unnamed(struct pt_program *p)
{
	bool stripped = p->n_functions == p->n_unnamed;
	char text[200];

	if (p->n_functions == 0) {
		pt_program_warn(p, "stripped: the ELF has no functions, so addresses stand for names");
	} else if (p->n_unnamed > 0) {
		snprintf(text, sizeof(text),
			 "%s%zu function%s no symbol, found by the code's calls: addresses stand for names, and "
			 "borders are guesses",
			 stripped ? "stripped: " : "", p->n_unnamed, p->n_unnamed == 1 ? " has" : "s have");
		pt_program_warn(p, text);
	}
}

static void warn_of_limits(struct pt_program *p)
{
	if (p->n_functions > PT_MAX_FUNCTIONS)
		pt_program_warn(p, "more than 65534 functions: those at the highest addresses have no numbers of their "
				   "own");
	warn_of_unnamed(p);
}

static int fill_program(struct pt_elf_reader *r, struct origin *from)
{
	struct pt_program *p = r->program;

	if (read_header(r, from->elf_machine) < 0 || read_segments(r) < 0 || read_build_id(r) < 0)
		return r->err->code;
	find_debug_file(r, from);
	if (pt_elf_read_symbols(r) < 0)
		return r->err->code;
	find_code_segments(p);
	find_vectors(r);
	pt_elf_find_unnamed(r);
	pt_program_seal(p, r->vectors);
	pt_elf_find_loads(r);
	p->dwarf = r->debug != NULL && pt_dwarf_section_bytes(r->elf, ".debug_info") == 0 ? &p->debug : &p->elf;
	pt_program_read_lines(p, p->dwarf == &p->debug ? r->debug : r->elf);
	warn_of_limits(p);
	return 0;
}

/* The bytes of from are the program's from here on. */
static struct pt_program *build(struct origin from, struct pt_err *err)
{
	struct pt_err ignored = { 0 };
	struct pt_elf_reader r = {
		.name = from.name, .bytes = from.file.bytes, .len_bytes = from.file.len_bytes,
		.vectors = { .addr = PT_UNKNOWN },
		.err = err != NULL ? err : &ignored,
	};
	int rc;

	r.elf = pt_elf_memory(from.file.bytes, from.file.len_bytes, &r.copy);
	r.program = pt_program_new(from.name, PT_ARENA_FACTOR * from.file.len_bytes + ARENA_EXTRA);
	if (r.program != NULL) {
		r.program->elf = from.file;
		r.program->vector_offset_given = from.vector_offset_given;
		r.program->vector_offset = from.vector_offset;
	}
	if (r.elf == NULL || r.program == NULL)
		rc = pt_fail(r.err, PT_EARG,
			     "%s is not an ELF file: name what the linker wrote, before it became .bin or .hex",
			     from.name);
	else
		rc = fill_program(&r, &from);
	free(r.drafts);
	free(r.marks);
	elf_end(r.elf);
	elf_end(r.debug);
	free(r.copy);
	free(r.debug_copy);
	free(from.debug.bytes);
	if (r.program == NULL) {
		free(from.file.bytes);
	} else if (rc < 0) {
		pt_program_unref(r.program);
		r.program = NULL;
	} else {
		pt_sha256_text(from.file.bytes, from.file.len_bytes, r.program->sha256);
	}
	return r.program;
}

static bool copy_file(struct pt_program_file *to, const uint8_t *bytes, size_t len_bytes, const char *name,
		      struct pt_err *err)
{
	*to = (struct pt_program_file){ malloc(len_bytes + 1), len_bytes };
	if (to->bytes == NULL) {
		pt_fail(err, PT_ENOMEM, "%s: no memory", name);
		return false;
	}
	memcpy(to->bytes, bytes, len_bytes);
	return true;
}

struct pt_program *pt_program_from_bytes(const char *name, const uint8_t *bytes, size_t len_bytes, unsigned elf_machine,
					 struct pt_err *err)
{
	struct origin from = { .name = name, .elf_machine = elf_machine };

	return copy_file(&from.file, bytes, len_bytes, name, err) ? build(from, err) : NULL;
}

struct pt_program *pt_program_from_two(const char *name, const uint8_t *bytes, size_t len_bytes, const char *debug_name,
				       const uint8_t *debug_bytes, size_t debug_len_bytes, struct pt_err *err)
{
	struct origin from = { .name = name, .debug_name = debug_name };

	if (!copy_file(&from.debug, debug_bytes, debug_len_bytes, debug_name, err))
		return NULL;
	if (!copy_file(&from.file, bytes, len_bytes, name, err)) {
		free(from.debug.bytes);
		return NULL;
	}
	return build(from, err);
}

struct pt_program *pt_program_open_with(const char *path, unsigned elf_machine, const struct pt_params *settings,
					struct pt_err *err)
{
	struct origin from = {
		.name = path, .debug_dirs = pt_params_text(settings, &pt_program_params[PT_PROGRAM_DEBUG_DIR]),
		.elf_machine = elf_machine,
		.vector_offset_given =
			settings != NULL && pt_params_given(settings, &pt_program_params[PT_PROGRAM_VECTOR_OFFSET]),
	};
	struct pt_program *program;

	if (from.vector_offset_given)
		from.vector_offset = (uint8_t)pt_params_number(settings, &pt_program_params[PT_PROGRAM_VECTOR_OFFSET]);

	from.file.bytes = pt_file_read(path, PT_PROGRAM_MAX_BYTES, &from.file.len_bytes, err);
	program = from.file.bytes != NULL ? build(from, err) : NULL;
	if (program != NULL)
		pt_program_set_settings(program, settings);
	return program;
}

struct pt_program *pt_program_open(const char *path, unsigned elf_machine, struct pt_err *err)
{
	return pt_program_open_with(path, elf_machine, NULL, err);
}
