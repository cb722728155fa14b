/* Reads timing rules from a file, and makes them a setting for the pipeline. */
#ifndef PT_LIMITS_FILE_H
#define PT_LIMITS_FILE_H

#include <stdbool.h>

#include "base/error.h"

/* "limits=RULES", to be freed. NULL: the file cannot be read (PT_EIO), is larger than 64 KiB or not a text file, or a
 * rule in it is wrong (PT_EARG; the sentence names file and line, and quotes nothing of it). pipes: path may be a pipe
 * or a device, whose data are waited for (pt_file_read_text()). Blocks as long as the disk needs. */
char *pt_limits_word(const char *path, bool pipes, struct pt_err *err);

#endif
