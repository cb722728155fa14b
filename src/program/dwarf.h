/* The DWARF of a program, for whoever reads of it what nobody needed when the ELF was opened: inline functions, types,
 * variables. The program keeps the bytes; each reader has libelf and libdw of its own over them, so several threads may
 * read one program at once, each through its own struct pt_dwarf. Within src/program alone: nobody else knows libdw. */
#ifndef PT_PROGRAM_DWARF_H
#define PT_PROGRAM_DWARF_H

#include <elfutils/libdw.h>

#include "program/program.h"

/* What compressed debug sections may unpack to: a file of a few kilobytes must not cost gigabytes. */
#define PT_DWARF_MAX_UNPACKED_BYTES ((uint64_t)4 * PT_PROGRAM_MAX_BYTES)

struct pt_dwarf { Elf *elf; Dwarf *dwarf; };

/* False: the program has no DWARF that can be read (a program from a description never has); *d is all NULL then. The
 * program must outlive *d. */
bool pt_dwarf_open(struct pt_dwarf *d, const struct pt_program *program);
void pt_dwarf_close(struct pt_dwarf *d);	/* after a failed open, too */

/* The same for an ELF that is open already, which stays the caller's; NULL: none. End it with dwarf_end(). */
Dwarf *pt_dwarf_of_elf(Elf *elf);

/* What a section takes in memory once it is unpacked; 0: there is none of this name. */
uint64_t pt_dwarf_section_bytes(Elf *elf, const char *name);

#endif
