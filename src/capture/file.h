/* Opens files for captures: chooses the name (named_file.h opens it), and never overwrites anything but a capture. Any
 * thread. */
#ifndef PT_CAPTURE_FILE_H
#define PT_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Opens path for writing from the start, locked against other writers; its old content is still there. Without replace
 * an existing file is kept, and path.1, path.2 ... are tried. *name: of the opened file, to be freed; *created: the
 * file is new. Returns the descriptor, or PT_EARG (the system's reason; or the file exists and is not a capture),
 * PT_EBUSY, PT_ENOMEM. */
int pt_capture_file_open(const char *path, bool replace, char **name, bool *created, struct pt_err *err);

/* A file without a name in $TMPDIR, else /var/tmp: gone when it is closed. Returns the descriptor or PT_EARG. */
int pt_capture_file_spool(struct pt_err *err);

/* Copies the first len_bytes of fd to path: complete and durable, replacing an older capture, or not at all. PT_EARG:
 * path is neither an empty file nor a capture, or cannot be written; PT_EIO: writing failed. */
int pt_capture_file_copy(int fd, uint64_t len_bytes, const char *path, bool replace, struct pt_err *err);

/* Makes the directory entry of path durable, too. An error is ignored: the entry is not durable then. */
void pt_capture_file_sync_folder(const char *path);

/* Writes all of bytes, in as many calls as needed. Returns how many were written; fewer: errno says why. */
size_t pt_capture_file_write(int fd, const uint8_t *bytes, size_t len_bytes);

#endif
