/* Timing rules from a file, as the setting that the pipeline takes. */
#ifndef PT_LIMITS_FILE_H
#define PT_LIMITS_FILE_H

#include "base/error.h"

/* "limits=RULES", to be freed. NULL: the file cannot be read (PT_EIO), is no file of at most 64 KiB, or a rule in it is
 * wrong (PT_EARG; the sentence names file and line). */
char *pt_limits_word(const char *path, struct pt_err *err);

#endif
