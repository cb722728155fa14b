/* Shared by the formats of the Common Trace Format 1.8: text of the metadata, and numbers of the streams. */
#ifndef PT_REPORT_CTF_PARTS_H
#define PT_REPORT_CTF_PARTS_H

#include "base/text.h"
#include "profile/result/profile.h"

/* Adds a quoted string; characters that are invalid in TSDL become blanks. */
void pt_ctf_string(struct pt_text *out, const char *text);
/* Adds " KEY = VALUE;" for each line of the caption, for env: what wrote the file, what it describes, and whether the
 * board is virtual. */
void pt_ctf_env(struct pt_text *out, const struct pt_profile *profile);
void pt_ctf_number(struct pt_text *out, uint64_t value, unsigned n_bytes);	/* little-endian */

#endif
