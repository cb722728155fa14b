/* Several files in one text: an archive in the format ustar (POSIX.1, pax), without owners and times, so that the same
 * input gives the same bytes. For formats of several files. */
#ifndef PT_REPORT_TAR_H
#define PT_REPORT_TAR_H

#include <stddef.h>

#include "base/text.h"

/* Append a file; name has no more than 99 bytes. */
void pt_tar_add(struct pt_text *out, const char *name, const void *bytes, size_t len_bytes);
void pt_tar_end(struct pt_text *out);

struct pt_tar_file { char name[100]; const char *bytes; size_t len_bytes; };
/* Reads the file at *at of an archive that pt_tar_add() made, and moves *at behind it. False: no more, or damaged. */
bool pt_tar_next(const char *archive, size_t len_bytes, size_t *at, struct pt_tar_file *file);

#endif
