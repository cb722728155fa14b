/* Timing rules from a file, as the setting that the pipeline takes. */
#ifndef PT_LIMITS_FILE_H
#define PT_LIMITS_FILE_H

#include <stdbool.h>

#include "base/error.h"

/* "limits=RULES", to be freed. NULL: the file cannot be read (PT_EIO), is no file of at most 64 KiB, or a rule in it is
 * wrong (PT_EARG; the sentence names file and line, and quotes nothing of it). pipes: path may be a pipe or a device,
 * which is waited for (pt_file_read_text()). Blocks for as long as the disk takes. */
char *pt_limits_word(const char *path, bool pipes, struct pt_err *err);

#endif
