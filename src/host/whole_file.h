/* Reads a whole file into memory, once, so that a change on the disk cannot confuse the parser. */
#ifndef PT_PROGRAM_FILE_H
#define PT_PROGRAM_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The bytes of path; the caller frees them. A zero byte follows them, which *len_bytes does not count. NULL:
 *   PT_EIO   cannot be opened or read (with the system's reason)
 *   PT_EARG  not a regular file, or larger than most_bytes
 * Blocks as long as the disk takes, but never on a FIFO or a device. */
uint8_t *pt_file_read(const char *path, size_t most_bytes, size_t *len_bytes, struct pt_err *err);

/* The same, and also from a pipe or a terminal ("/dev/stdin", a shell's "<(command)"). PT_ETIMEOUT: no data for
 * PT_FILE_WAIT_MS. */
enum { PT_FILE_WAIT_MS = 10000 };
uint8_t *pt_file_read_text(const char *path, size_t most_bytes, size_t *len_bytes, struct pt_err *err);

/* As pt_file_read(), for a thread on which others wait. PT_ETIMEOUT: the disk has not answered within timeout_ms, or
 * PT_FILE_MOST_LATE earlier reads still wait for it. */
enum { PT_FILE_MOST_LATE = 16 };
uint8_t *pt_file_read_within(const char *path, size_t most_bytes, unsigned timeout_ms, size_t *len_bytes,
			     struct pt_err *err);

#endif
