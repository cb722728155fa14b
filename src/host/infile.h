/* A file, pipe or piece of memory read from front to back through one small window: whatever its length, no more than
 * the window is in memory. One thread at a time. */
#ifndef PT_INFILE_H
#define PT_INFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { PT_INFILE_WINDOW = 256 << 10 };	/* the most that can be looked at together */

struct pt_infile;

/* path "-": standard input. PT_EARG: it cannot be opened, or is a folder (with the system's reason). */
struct pt_infile *pt_infile_open(const char *path, struct pt_err *err);
struct pt_infile *pt_infile_from_bytes(const uint8_t *bytes, size_t len_bytes);	/* the caller's; NULL: no memory */
void pt_infile_close(struct pt_infile *file);	/* NULL is fine */

/* The next bytes without taking them: at least want of them (0..PT_INFILE_WINDOW), fewer only at the end of the file or
 * when reading it failed. Returns how many there are; *bytes is valid until the next call. */
size_t pt_infile_look(struct pt_infile *file, size_t want, const uint8_t **bytes);
void pt_infile_take(struct pt_infile *file, size_t n_bytes);	/* of those that were looked at */
uint64_t pt_infile_offset(const struct pt_infile *file);	/* of the next byte */
/* For readers that must go to and fro, nothing being taken yet: a descriptor of their own (-1: it is no file), or the
 * memory that the file is made of (NULL: it is not). */
int pt_infile_descriptor(const struct pt_infile *file);
const uint8_t *pt_infile_memory(const struct pt_infile *file, size_t *len_bytes);
/* 0, or PT_EIO: what looked like the end was a failure to read. */
int pt_infile_failed(const struct pt_infile *file, struct pt_err *err);

#endif
