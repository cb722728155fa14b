/* What the files that read an ELF share while they do: elf.c (headers, segments, vectors), symbols.c (functions,
 * marks) and debugfile.c (the file that has what the ELF has not). Every function returns 0, or the code of r->err. */
#ifndef PT_PROGRAM_READER_H
#define PT_PROGRAM_READER_H

#include <gelf.h>

#include "program/model/program_parts.h"

struct pt_elf_reader {
	const char *name;		/* for messages */
	const uint8_t *bytes;		/* the whole file */
	size_t len_bytes;
	Elf *elf;
	/* what elf and debug are open over, if not the program's bytes (pt_elf_memory()) */
	uint8_t *copy, *debug_copy;
	Elf *debug;			/* the separate debug file, or NULL (debugfile.h) */
	GElf_Ehdr header;
	struct pt_program *program;
	struct pt_vectors vectors;	/* addr PT_UNKNOWN until they are named */
	struct pt_err *err;

	Elf *symbols;			/* symbols.c: the one of the two that has a symbol table */
	struct pt_function_draft *drafts;
	struct pt_mark_draft *marks;
	size_t n_drafts, n_marks, n_marks_room, n_mapping;
};

int pt_elf_damaged(struct pt_elf_reader *r, const char *what);
int pt_elf_no_room(struct pt_elf_reader *r);
/* Does the section put bytes into memory? */
bool pt_elf_in_memory(const GElf_Shdr *sh);

enum { PT_BUILD_ID_TEXT = 2 * 64 + 1 };
/* In hex; "" without one. */
void pt_elf_build_id(Elf *elf, char text[PT_BUILD_ID_TEXT]);

/* What is copied out of a file is at most this many times its size: names can share their bytes. */
enum { PT_ARENA_FACTOR = 4 };

/* The build attributes of an Arm ELF into r->program->arch (attributes.c). */
void pt_elf_read_attributes(struct pt_elf_reader *r);

/* Symbols, functions and marks into r->program. */
int pt_elf_read_symbols(struct pt_elf_reader *r);

/* Functions that no symbol names into r->program (unnamed.c): once symbols, code segments and vectors are known. For
 * want of memory there are none. */
void pt_elf_find_unnamed(struct pt_elf_reader *r);

/* Once the segments are sorted: what of them is loaded. Leaves program->loads NULL where that cannot be told. */
void pt_elf_find_loads(struct pt_elf_reader *r);

/* Is this what start-up files call the vector table? */
bool pt_elf_names_vectors(const char *name);
void pt_elf_found_vectors(struct pt_elf_reader *r, uint64_t addr, uint64_t bytes);

#endif
