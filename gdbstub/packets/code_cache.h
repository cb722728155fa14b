/* Caches code that was read while the core was halted, until it runs. After each stop GDB reads the same instructions
 * dozens of times, two or four bytes at a time, and each read would be a round trip. Only flash and ROM are cached:
 * they do not change by themselves. Loop thread, unless a comment says otherwise. */
#ifndef PT_GDBSTUB_CODE_H
#define PT_GDBSTUB_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "targets/contract/target.h"

enum { PT_GDB_LINE_BYTES = 256, PT_GDB_N_LINES = 16, PT_GDB_MAX_CODE_SPANS = 8 };

struct pt_gdb_code {
	struct { uint64_t addr; bool valid; uint8_t bytes[PT_GDB_LINE_BYTES]; } line[PT_GDB_N_LINES];
	struct { uint64_t addr, size; } span[PT_GDB_MAX_CODE_SPANS];
	size_t n_spans;
	unsigned next;		/* the line to be filled next */
	bool stale;		/* the line was invalidated while being filled */
};

/* Sets which memory may be cached. Board thread, while the loop has a request pending. */
void pt_gdb_code_spans(struct pt_gdb_code *code, struct pt_target *target);
void pt_gdb_code_forget(struct pt_gdb_code *code);

/* The bytes, or NULL: not cached. */
const uint8_t *pt_gdb_code_find(const struct pt_gdb_code *code, uint64_t addr, uint64_t len);
/* The buffer of a whole cache line around these bytes, to be read from *line_addr; NULL: not cacheable. It becomes
 * valid with pt_gdb_code_filled(). One at a time. */
uint8_t *pt_gdb_code_room(struct pt_gdb_code *code, uint64_t addr, uint64_t len, uint64_t *line_addr);
void pt_gdb_code_filled(struct pt_gdb_code *code);

#endif
