/* Which ELFs a GDB was started with, by the words of its command line. Pure. */
#ifndef PT_GDBSTUB_GDB_WORDS_H
#define PT_GDBSTUB_GDB_WORDS_H

#include <stddef.h>

enum { PT_GDB_FILES_NAMED = 4, PT_GDB_FILE_BYTES = 1024 };

struct pt_gdb_named { char file[PT_GDB_FILES_NAMED][PT_GDB_FILE_BYTES]; size_t n; };

/* words: as the kernel keeps them, each ended by a zero byte, the first one GDB itself. The files as they are written
 * there, the one first that GDB has most likely read its symbols from: of the last command file or symbol-file
 * (-ex "file fw.elf"), of -s and -se, the first word that is no option, of -e. One that was named twice is listed once;
 * the names are not looked at. */
void pt_gdb_words_files(const char *words, size_t words_bytes, struct pt_gdb_named *named);

#endif
