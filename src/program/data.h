/* The inside of a program, for the files of this folder alone: elf.c and lines.c fill it, program.c answers from it.
 * Written while it is built, constant once it is handed out. */
#ifndef PT_PROGRAM_DATA_H
#define PT_PROGRAM_DATA_H

#include <stdatomic.h>

#include "program/program.h"
#include "sha256.h"

struct pt_symbol { const char *name; uint64_t addr, size; };
struct pt_line_row { uint64_t addr; const char *file; uint32_t line, order; };	/* up to the next row or function */

/* Memory that lives as long as the program, up to a bound: what an ELF makes us copy cannot exceed it. */
struct pt_arena { struct pt_arena_block *blocks; size_t used_bytes, room_bytes; };

/* A whole file, kept: segments point into it, and DWARF is read from it when somebody asks (dwarf.h). */
struct pt_program_file { uint8_t *bytes; size_t len_bytes; };

struct pt_program {
	atomic_uint refs;
	struct pt_arena arena;		/* strings; segment bytes of a description */
	struct pt_program_file elf;	/* bytes NULL: from a description */
	struct pt_program_file debug;	/* where symbols and DWARF are when they are not in elf; else bytes NULL */
	const char *path, *build_id, *warning;
	struct pt_function *functions;	/* by address, no two at the same */
	struct pt_segment *segments;	/* by addr */
	struct pt_symbol *symbols;	/* by name */
	struct pt_code_mark *marks;	/* by address; stable: the later of two at one address holds */
	struct pt_line_row *rows;	/* by address, each inside a function */
	size_t n_functions, n_segments, n_symbols, n_marks, n_rows;
	char sha256[PT_SHA256_TEXT];	/* of the ELF's bytes; "": not from an ELF */
	unsigned machine;		/* e_machine; 0: not from an ELF */
	uint64_t vectors;		/* or PT_UNKNOWN */
	unsigned n_vectors;		/* words that can be vectors */
};

/* An empty program that may copy room_bytes into its arena; NULL: no memory. */
struct pt_program *pt_program_new(const char *path, size_t room_bytes);
/* Copies of the caller's bytes; NULL when the bound is reached. */
void *pt_arena_copy(struct pt_arena *arena, const void *bytes, size_t len_bytes);
const char *pt_arena_text(struct pt_arena *arena, const char *text);

/* Sort what was filled in and derive the rest. Functions are sorted and unique already. */
void pt_program_seal(struct pt_program *program, uint64_t vectors, uint64_t vectors_bytes);

/* The function that addr lies in, or NULL. */
const struct pt_function *pt_program_function_at(const struct pt_program *program, uint64_t addr);
/* The bytes of the image at a run address, len_bytes of them; NULL if it has not all of them. */
const uint8_t *pt_program_bytes_at(const struct pt_program *program, uint64_t run, size_t len_bytes);

struct Elf;
/* Fill program->rows from the DWARF of elf, as far as there is any that makes sense. Functions must be there. */
void pt_program_read_lines(struct pt_program *program, struct Elf *elf);

#endif
