/* Reads a file, pipe or memory block from front to back. Only one window of it is in memory, however long it is. One
 * thread at a time. */
#ifndef PT_INFILE_H
#define PT_INFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { PT_INFILE_WINDOW = 256 << 10 };	/* bytes */

struct pt_infile;

/* path "-": standard input. PT_EARG: it cannot be opened, or is a folder (with the system's reason). */
struct pt_infile *pt_infile_open(const char *path, struct pt_err *err);
struct pt_infile *pt_infile_from_bytes(const uint8_t *bytes, size_t len_bytes);	/* the caller's; NULL: no memory */
void pt_infile_close(struct pt_infile *file);	/* NULL is fine */

/* Shows the next bytes without consuming them: at least want (0..PT_INFILE_WINDOW), fewer only at the end of the file or
 * after a read error. Returns their number; *bytes is valid until the next call. */
size_t pt_infile_look(struct pt_infile *file, size_t want, const uint8_t **bytes);
void pt_infile_take(struct pt_infile *file, size_t n_bytes);	/* consumes bytes that pt_infile_look() has shown */
uint64_t pt_infile_offset(const struct pt_infile *file);	/* of the next byte */
/* For readers that need random access, before anything is consumed: a descriptor of their own (-1: not a file), or the
 * memory block (NULL: not made from memory). */
int pt_infile_descriptor(const struct pt_infile *file);
const uint8_t *pt_infile_memory(const struct pt_infile *file, size_t *len_bytes);
/* 0, or PT_EIO: the apparent end of the file was a read error. */
int pt_infile_failed(const struct pt_infile *file, struct pt_err *err);

#endif
