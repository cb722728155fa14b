/* Names as people write them: C++ (Itanium ABI) and Rust (legacy and v0) symbols demangled. By libiberty where it is
 * built in, else not at all. Pure; any thread. */
#ifndef PT_PROGRAM_DEMANGLE_H
#define PT_PROGRAM_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Longer symbols, and symbols with a longer result, are not demangled: a few bytes of substitutions can expand to
 * gigabytes of text, and the ELF is not trusted. */
enum { PT_DEMANGLE_MAX_BYTES = 1024, PT_DEMANGLE_TEXT_BYTES = 4096 };

/* Demangles linkage into text, with a terminating 0. False: not mangled, over a bound, or built without libiberty; text
 * is unspecified then. *spent_bytes, if not NULL, grows by the bytes read and written, also on failure, for callers
 * with a budget. */
bool pt_demangle(const char *linkage, char text[PT_DEMANGLE_TEXT_BYTES], size_t *spent_bytes);

#endif
