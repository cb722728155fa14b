/* Separate debug files: symbols and DWARF that a stripped ELF has not, in a file of their own, as distributions and
 * build systems ship them.
 *
 * Looked for where GDB does: under each debug folder at .build-id/NN/NNN….debug by the ELF's build-id; by the name in
 * .gnu_debuglink next to the ELF, in .debug there, and under each debug folder at the ELF's own path. A file is taken
 * when its build-id is the ELF's, or, where the ELF has none, when its CRC is the link's; what does not fit is refused
 * with a warning. It is as untrusted as the ELF, and the ELF cannot make us open files elsewhere: a link with a '/' in
 * it is no link. Source: GDB manual, "Debugging Information in Separate Files". */
#ifndef PT_PROGRAM_DEBUGFILE_H
#define PT_PROGRAM_DEBUGFILE_H

#include "program/elf/elf_parts.h"

/* What r->elf lacks. */
bool pt_debugfile_wanted(const struct pt_elf_reader *r);
/* Find one and hand it to pt_debugfile_take(). dirs: comma-separated folders. Header, segments and build-id of the ELF
 * are read already. Not to find any is no error; a refused one is a warning of the program. */
void pt_debugfile_find(struct pt_elf_reader *r, const char *dirs);
/* Check a candidate and make it the program's debug file. In any case file.bytes are no longer the caller's. */
bool pt_debugfile_take(struct pt_elf_reader *r, const char *path, struct pt_program_file file);

#endif
