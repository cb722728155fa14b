/* Files for captures: which name (named_file.h opens it), and never over something that is no capture. Any thread. */
#ifndef PT_CAPTURE_FILE_H
#define PT_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Opens path for writing from the front, its old content still there, locked against other writers. Without replace a
 * file that exists stays and path.1, path.2 ... is tried. *name: what it is called, to be freed; *created: it is new.
 * Returns the descriptor, or PT_EARG (the system's reason; or it exists and is no capture), PT_EBUSY, PT_ENOMEM. */
int pt_capture_file_open(const char *path, bool replace, char **name, bool *created, struct pt_err *err);

/* A file without a name in $TMPDIR, else /var/tmp: gone when it is closed. Returns the descriptor or PT_EARG. */
int pt_capture_file_spool(struct pt_err *err);

/* Copies len_bytes from the front of fd to path: complete, durable and in place of an older capture, or not at all.
 * PT_EARG: path is something else than an empty file or a capture, or cannot be written; PT_EIO: writing failed. */
int pt_capture_file_copy(int fd, uint64_t len_bytes, const char *path, bool replace, struct pt_err *err);

/* The folder's entry for path is durable, too. Errors do not matter: then it is not. */
void pt_capture_file_sync_folder(const char *path);

/* All of bytes, however many calls it takes. Returns how many were written; fewer: errno says why. */
size_t pt_capture_file_write(int fd, const uint8_t *bytes, size_t len_bytes);

#endif
