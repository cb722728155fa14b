/* Which ELFs a GDB was started with, by its command line. Pure. */
#ifndef PT_GDBSTUB_GDB_WORDS_H
#define PT_GDBSTUB_GDB_WORDS_H

#include <stddef.h>

enum { PT_GDB_FILES_NAMED = 4, PT_GDB_FILE_BYTES = 1024 };

struct pt_gdb_named { char file[PT_GDB_FILES_NAMED][PT_GDB_FILE_BYTES]; size_t n; };

/* words: as the kernel keeps them, each ended by a zero byte, beginning with GDB itself. Adds the files as they are
 * written there, first the one that GDB has most likely read its symbols from: of the last command file or symbol-file
 * (-ex "file fw.elf"), of -s and -se, the first argument that is no option, of -e. A file is listed once; whether it
 * exists is not checked. */
void pt_gdb_words_files(const char *words, size_t words_bytes, struct pt_gdb_named *named);

#endif
