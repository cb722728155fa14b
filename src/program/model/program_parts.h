/* The internals of a program, private to this folder: elf.c and lines.c fill them, program.c reads them. Written while
 * the program is built, constant after that. */
#ifndef PT_PROGRAM_DATA_H
#define PT_PROGRAM_DATA_H

#include <stdatomic.h>

#include "program/model/linetable.h"
#include "base/sha256.h"

struct pt_symbol { const char *name; uint64_t addr, size; };

/* Memory that lives as long as the program, with a bound on what an ELF can make us copy. */
struct pt_arena { struct pt_arena_block *blocks; size_t used_bytes, room_bytes; };

/* A whole file in memory: segments point into it, and DWARF is read from it at the first use (dwarf.h). */
struct pt_program_file { uint8_t *bytes; size_t len_bytes; };

struct pt_program {
	atomic_uint refs;
	_Atomic(struct pt_kept *) map;	/* pt_codemap_of(); NULL: not asked for yet */
	struct pt_arena arena;		/* strings; segment bytes of a description */
	struct pt_program_file elf;	/* bytes NULL: from a description */
	struct pt_program_file debug;	/* a separate debug file with what elf lacks; bytes NULL: none */
	const struct pt_program_file *dwarf;	/* the one of the two that has the DWARF; NULL: from a description */
	const char *path, *shown_path, *build_id, *debug_path;	/* debug_path: of debug, or NULL */
	struct pt_params *settings;	/* as opened; NULL: all defaults */
	const char *warning;		/* sentences separated by "; "; or NULL */
	struct pt_function *functions;	/* sorted by address, unique */
	uint32_t *around;		/* for each: index + 1 of the closest enclosing function; 0: none */
	struct pt_segment *segments;	/* by addr */
	struct pt_segment *loads;	/* by addr; NULL: the segments */
	struct pt_symbol *symbols;	/* by name */
	struct pt_code_mark *marks;	/* by address, stable sort: the later of two at one address holds */
	struct pt_line_range *lines;	/* by address */
	struct pt_source_file *files;	/* by path */
	size_t n_functions, n_segments, n_loads, n_symbols, n_marks, n_lines, n_files;
	size_t n_unnamed;		/* functions found by unnamed.c */
	char sha256[PT_SHA256_TEXT];	/* of the ELF's bytes; "": not from an ELF */
	bool confined;			/* pt_program_confine() */
	bool doubted;			/* pt_program_doubt() */
	struct pt_arch arch;		/* its processor, as far as the ELF says */
	uint64_t vectors;		/* or PT_UNKNOWN */
	uint64_t vectors_end;		/* end of the vector table */
	uint64_t unwind, unwind_bytes;	/* Arm's unwind table, .ARM.exidx; 0 bytes: none */
	bool vector_offset_given;	/* the setting replaces the isa's value */
	uint8_t vector_offset;
	const struct pt_isa *isa;	/* of arch */
};

/* An empty program that may copy room_bytes into its arena; NULL: no memory. */
struct pt_program *pt_program_new(const char *path, size_t room_bytes);
/* Copies the caller's bytes; NULL: the bound is reached. */
void *pt_arena_copy(struct pt_arena *arena, const void *bytes, size_t len_bytes);
const char *pt_arena_text(struct pt_arena *arena, const char *text);
/* Copies a name from a file, made safe for display by pt_harmless(). */
const char *pt_arena_name(struct pt_arena *arena, const char *name);
void pt_arena_free(struct pt_arena *arena);	/* frees the blocks, not the struct */

/* The handler that an entry of the vector table leads to, by the isa and setting vector-offset; PT_UNKNOWN: none. */
uint64_t pt_program_target(const struct pt_program *program, const struct pt_isa *isa, const uint8_t entry[4]);

/* The registered number, missing in older elf.h; the number that GNU ld writes. */
enum { PT_EM_S12Z = 249, PT_EM_S12Z_BINUTILS = 0x4def };
/* PT_EARG, naming both, if the machine of the file `name` is not the wanted one; wanted 0: any. */
int pt_machine_check(const char *name, unsigned is, unsigned wanted, struct pt_err *err);

/* Appends a sentence to the program's warning. */
void pt_program_warn(struct pt_program *program, const char *sentence);

/* What is known of the vector table. addr PT_UNKNOWN: nothing. named: by a symbol; else it is the lowest address of
 * all. */
struct pt_vectors { uint64_t addr, bytes; bool named; };

/* Sorts the data and derives the rest. Functions are sorted and unique already. */
void pt_program_seal(struct pt_program *program, struct pt_vectors vectors);

/* The innermost of function i and its enclosing functions that contains addr, as index + 1; 0: none. addr is not before
 * i. */
size_t pt_program_enclosing(const struct pt_program *program, size_t i, uint64_t addr);
/* len_bytes bytes of the image at a run address; NULL: not all of them are in the image. */
const uint8_t *pt_program_bytes_at(const struct pt_program *program, uint64_t run, size_t len_bytes);

/* pt_program_from_bytes() with a separate debug file, which is taken if it belongs to the ELF. Accepts any machine. */
struct pt_program *pt_program_from_two(const char *name, const uint8_t *bytes, size_t len_bytes, const char *debug_name,
				       const uint8_t *debug_bytes, size_t debug_len_bytes, struct pt_err *err);

struct Elf;
/* Fills program->lines and files from the DWARF of elf, as far as it is valid. Functions must be filled in before. */
void pt_program_read_lines(struct pt_program *program, struct Elf *elf);

#endif
