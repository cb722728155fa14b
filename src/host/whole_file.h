/* A whole file in memory. Read once, so that a change on the disk meanwhile cannot hurt the parser. */
#ifndef PT_PROGRAM_FILE_H
#define PT_PROGRAM_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The bytes of path, for the caller to free(), with one zero byte behind them that *len_bytes does not count. NULL:
 *   PT_EIO   cannot be opened or read (with the system's reason)
 *   PT_EARG  not a regular file, or larger than most_bytes
 * Blocks for as long as the disk takes, but never on a FIFO or a device. */
uint8_t *pt_file_read(const char *path, size_t most_bytes, size_t *len_bytes, struct pt_err *err);

/* Likewise, and from a pipe or a terminal, too ("/dev/stdin", what a shell makes of "<(command)"), as long as
 * something comes within PT_FILE_WAIT_MS: PT_ETIMEOUT. */
enum { PT_FILE_WAIT_MS = 10000 };
uint8_t *pt_file_read_text(const char *path, size_t most_bytes, size_t *len_bytes, struct pt_err *err);

/* As pt_file_read(), for a thread that others wait for: PT_ETIMEOUT where the disk has not answered within timeout_ms, or
 * does not answer PT_FILE_MOST_LATE others either. */
enum { PT_FILE_MOST_LATE = 16 };
uint8_t *pt_file_read_within(const char *path, size_t most_bytes, unsigned timeout_ms, size_t *len_bytes,
			     struct pt_err *err);

#endif
