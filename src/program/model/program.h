/* The program under test, as described by its ELF: functions, lines, code bytes, symbols. Read once, then constant and
 * shared between threads. Independent of targets: addresses are numbers. */
#ifndef PT_PROGRAM_H
#define PT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "isa/isa.h"
#include "base/params.h"

struct pt_function {
	const char *name;	/* for people: C++ and Rust names demangled */
	uint64_t address;	/* run address, without Thumb bit */
	uint64_t size;		/* bytes; if the ELF says 0: up to the next symbol */
	const char *file;	/* or NULL */
	uint32_t line;		/* 0: unknown */
	const char *linkage;	/* as in the symbol table; NULL in a description: the same as name */
};

struct pt_segment {
	uint64_t addr, size;	/* load address and size in bytes */
	const uint8_t *bytes;	/* size of them; NULL: zeroed by the start-up code (.bss), addr = run */
	bool code, writable;
	uint64_t run;		/* run address: differs from addr for data and code that start-up code copies */
};

/* From addr on, up to the next mark, there is code, or data inside code (literal pools, jump tables). */
struct pt_code_mark { uint64_t addr; bool code; };

struct pt_program;

/* First member of data that another module attaches to the program; freed with the program. */
struct pt_kept { void (*free)(struct pt_kept *kept); };

/* A program without an ELF, for tests and images; all of it is copied. Functions and marks in any order; without
 * marks every code segment is code from end to end. */
struct pt_program_desc {
	const char *name;
	const struct pt_segment *segments;
	size_t n_segments;
	const struct pt_function *functions;
	size_t n_functions;
	const struct pt_code_mark *marks;
	size_t n_marks;
	uint64_t vectors;	/* address of the vector table; PT_UNKNOWN: none */
	unsigned elf_machine;	/* processor; 0: not known, so the code cannot be decoded */
};

struct pt_program *pt_program_from_desc(const struct pt_program_desc *desc);

/* Limits: size of an ELF, and bytes of code that are mapped. */
enum { PT_PROGRAM_MAX_BYTES = 64 << 20, PT_PROGRAM_MAX_CODE = 16 << 20 };

/* Open an ELF. Errors: PT_EIO cannot be read (with the system's reason), PT_EARG not an ELF, not for elf_machine
 * (the sentence names both machines; 0 = any), or damaged. A stripped ELF opens: it has the
 * functions that its code calls (pt_program_unnamed()), and pt_program_warning() says so. Nothing in the file is
 * trusted. */
struct pt_program *pt_program_open(const char *path, unsigned elf_machine, struct pt_err *err);
/* The same with settings of pt_program_params (settings.h); NULL: all defaults. If the ELF lacks symbols or DWARF,
 * searches a separate debug file; a file that does not belong to the ELF is refused with a warning. */
struct pt_program *pt_program_open_with(const char *path, unsigned elf_machine, const struct pt_params *settings,
					struct pt_err *err);
/* The same from memory (a built-in demo firmware, a file in a capture); name is for messages. bytes are copied. */
struct pt_program *pt_program_from_bytes(const char *name, const uint8_t *bytes, size_t len_bytes, unsigned elf_machine,
					 struct pt_err *err);
/* Marks the program as sent by a client that may not access this host's files: source files named in it are not opened.
 * A name below a folder (host/named_file.h) implies that. Call it before the program is shared. */
void pt_program_confine(struct pt_program *program);
bool pt_program_is_confined(const struct pt_program *program);
/* Marks that the program is not the one that it is taken for: views that show its names say so. Call it before the
 * program is shared. */
void pt_program_doubt(struct pt_program *program);
bool pt_program_is_doubted(const struct pt_program *program);
/* Sets the settings of a program that was opened without; call it before the program is shared. They are copied. */
void pt_program_set_settings(struct pt_program *program, const struct pt_params *settings);
/* Its settings; NULL: all defaults. */
const struct pt_params *pt_program_settings(const struct pt_program *program);
struct pt_program *pt_program_ref(struct pt_program *program);	/* any thread */
void pt_program_unref(struct pt_program *program);		/* NULL is fine */

#define PT_PROGRAM_DEMO "built-in demo"	/* path of a virtual board's program without elf= */
const char *pt_program_path(const struct pt_program *program);
const char *pt_program_shown_path(const struct pt_program *program);	/* for people: pt_harmless() */
/* Sets the name that reports show. Call it before the program is shared. False: no room; the old name is kept. */
bool pt_program_call(struct pt_program *program, const char *name);
/* The separate debug file that has symbols or lines; NULL: none. */
const char *pt_program_debug_path(const struct pt_program *program);
const char *pt_program_build_id(const struct pt_program *program);	/* hex; "" without one */
/* hash of the ELF file, hex; "": not from an ELF */
const char *pt_program_sha256(const struct pt_program *program);
/* Its processor, from the ELF header and, for Arm, from build attributes. */
const struct pt_arch *pt_program_arch(const struct pt_program *program);
/* Never NULL: pt_isa_none if its code cannot be decoded. */
const struct pt_isa *pt_program_isa(const struct pt_program *program);
bool pt_program_is_big_endian(const struct pt_program *program);
/* 4 or 8: the class of the ELF; 4 without one */
unsigned pt_program_address_bytes(const struct pt_program *program);
/* PT_EARG, naming both machines, if the ELF is not for elf_machine. */
int pt_program_check_machine(const struct pt_program *program, unsigned elf_machine, struct pt_err *err);
/* Number of functions without a symbol. They were found by calls in the code; their names are their addresses
 * ("0x00000a14"), and their ends are guesses. */
size_t pt_program_unnamed(const struct pt_program *program);
const char *pt_program_warning(const struct pt_program *program);	/* "stripped: ..."; NULL: nothing to say */
const struct pt_function *pt_program_functions(const struct pt_program *program, size_t *n);	/* by address */
/* The innermost function at addr, or NULL. */
const struct pt_function *pt_program_function_at(const struct pt_program *program, uint64_t addr);
/* True: the len_bytes of text are the function's name, its linkage name, or its name without parameters ("motor::run"
 * for "motor::run(int)"). Spaces are ignored, so that a name can be one word. */
bool pt_function_is(const struct pt_function *function, const char *text, size_t len_bytes);
/* Length of the first name in a comma-separated list: the commas of "f<a, b>(int, int)" belong to the name. */
size_t pt_function_list_first(const char *list);
/* What is loaded, sorted by load address. */
const struct pt_segment *pt_program_segments(const struct pt_program *program, size_t *n);
/* The same without the bytes between sections, which a loader need not write: this can be compared with a chip. */
const struct pt_segment *pt_program_loads(const struct pt_program *program, size_t *n);
bool pt_program_symbol(const struct pt_program *program, const char *name, uint64_t *addr, uint64_t *size);
const struct pt_code_mark *pt_program_marks(const struct pt_program *program, size_t *n);	/* by run address */
/* Source position of an address. False: DWARF has none. */
bool pt_program_line(const struct pt_program *program, uint64_t addr, const char **file, uint32_t *line);
/* A code point as users write it: "main", "main+0x1c", "motor::run+4", "uart.c:120" (the file by as many of its last
 * path components as are unique; the lowest address that the line has code at), "0x1234". PT_EARG, with a sentence: no
 * such symbol, offset beyond the function, several files of this name, a line without code (it names the next one
 * with), a line with code in several functions (it names them), not an address of the program's code. */
int pt_program_point(const struct pt_program *program, const char *text, uint64_t *addr, struct pt_err *err);
/* Vector table entry in the ELF: handler of exception n (isa.h) without Thumb bit, or PT_UNKNOWN. */
uint64_t pt_program_vector(const struct pt_program *program, unsigned n);
uint64_t pt_program_reset(const struct pt_program *program);	/* where the core starts, or PT_UNKNOWN */
/* The same for a table that the core was observed to use. */
uint64_t pt_program_vector_in(const struct pt_program *program, uint64_t table, unsigned n);
/* The span that the running program uses beyond its sections: [end of .bss, initial stack pointer). False: unknown, or
 * not in the program, because the core does not get it from the vector table. */
bool pt_program_stack_span(const struct pt_program *program, uint64_t *from, uint64_t *to);

#endif
