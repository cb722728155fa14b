/* The DWARF of a program, for what is read only when it is needed: inline functions, types, variables. The program
 * keeps the bytes; each reader has libelf and libdw of its own over them, so several threads may read one program at
 * once, each through its own struct pt_dwarf. Within src/program alone: no other part knows libdw. */
#ifndef PT_PROGRAM_DWARF_H
#define PT_PROGRAM_DWARF_H

#include <elfutils/libdw.h>
#include <gelf.h>

#include "program/model/program.h"

/* What compressed debug sections may unpack to: a file of a few kilobytes must not cost gigabytes. */
#define PT_DWARF_MAX_UNPACKED_BYTES ((uint64_t)4 * PT_PROGRAM_MAX_BYTES)

struct pt_dwarf { Elf *elf; Dwarf *dwarf; uint8_t *copy; };

/* False: the program has no DWARF that can be read (a program from a description never has); *d is all NULL then. The
 * program must outlive *d. */
bool pt_dwarf_open(struct pt_dwarf *d, const struct pt_program *program);
void pt_dwarf_close(struct pt_dwarf *d);	/* after a failed open, too */

/* libelf over bytes that are not to change. Unpacking sections changes their headers in place, so an ELF with
 * compressed ones is opened over *copy, which is to be freed after elf_end(); else *copy is NULL. NULL: no ELF, or no
 * memory. */
Elf *pt_elf_memory(const uint8_t *bytes, size_t len_bytes, uint8_t **copy);

/* The same for an ELF that is open already, which stays the caller's; NULL: none. End it with dwarf_end(). */
Dwarf *pt_dwarf_of_elf(Elf *elf);

/* Line tables may be read as long as all of them together are not more than a whole section can be. Units of a hostile
 * file can have tables that overlap, each as long as the section, and libdw keeps a hundred bytes for each byte of
 * every one. So ask before dwarf_getsrclines(), dwarf_getsrcfiles() and dwarf_decl_file(). */
enum { PT_MAX_LINE_TABLE_BYTES = 8 << 20 };
struct pt_line_guard {
	const uint8_t *bytes;		/* .debug_line */
	size_t len_bytes;
	bool big_endian;
	uint8_t *seen;			/* a bit for each offset at which a table was allowed */
	uint64_t left_bytes;
	bool refused;			/* a table, or the section as a whole */
};
/* After pt_dwarf_of_elf(), which unpacks. Without a section, or with one too large, nothing is allowed. */
void pt_line_guard_init(struct pt_line_guard *guard, Elf *elf);
void pt_line_guard_fini(struct pt_line_guard *guard);
bool pt_line_guard_allows(struct pt_line_guard *guard, Dwarf_Die *unit);

/* What a compressed section takes in memory once it is unpacked; 0: it is not compressed. name may be NULL. */
uint64_t pt_dwarf_unpacked_bytes(Elf_Scn *scn, const GElf_Shdr *sh, const char *name);
/* What the section of this name takes in memory; 0: there is none of this name. */
uint64_t pt_dwarf_section_bytes(Elf *elf, const char *name);

#endif
