/* The line table of a program: which source line each stretch of code belongs to. Part of the program: constant, any
 * thread, complete when the program is. Empty if the ELF has no DWARF. */
#ifndef PT_PROGRAM_LINETABLE_H
#define PT_PROGRAM_LINETABLE_H

#include "program/model/program.h"

enum { PT_NO_FILE = UINT32_MAX };

struct pt_source_file {
	/* with its compilation directory in front, "." and ".." taken out; unique in the table */
	const char *path;
	const char *name;	/* for display: the fewest last components of path that are unique */
};

struct pt_line_range {		/* 32 bytes */
	uint64_t from, to;	/* run addresses [from, to), never empty, inside one function */
	uint32_t file;		/* index into pt_program_files(); PT_NO_FILE where line is 0 */
	uint32_t line;		/* 0: the compiler says that this code belongs to no line */
	uint32_t function;	/* index into pt_program_functions(): the innermost where symbols nest */
	uint16_t column;	/* 0: unknown */
	uint16_t discriminator : 15;	/* tells blocks of one line apart; 0: the only one, or unknown */
	uint16_t is_stmt : 1;	/* a recommended place for a breakpoint */
};

/* Sorted by address, without overlaps. Code between two ranges has no line information. */
const struct pt_line_range *pt_program_lines(const struct pt_program *program, size_t *n);
/* The range that addr lies in; NULL: none. */
const struct pt_line_range *pt_program_line_at(const struct pt_program *program, uint64_t addr);
const struct pt_source_file *pt_program_files(const struct pt_program *program, size_t *n);	/* by path */

/* The lines that have code, once for each function with code of the line: the "executable lines" of coverage. By file,
 * line, function. */
struct pt_code_line { uint32_t file, line, function; };
/* An array of *n for the caller to free(); NULL: no memory. Takes time in proportion to the table: call it once. */
struct pt_code_line *pt_program_code_lines(const struct pt_program *program, size_t *n);

#endif
