/* What the formats of the Common Trace Format 1.8 share: text of its metadata, and numbers of its streams. */
#ifndef PT_REPORT_CTF_PARTS_H
#define PT_REPORT_CTF_PARTS_H

#include "base/text.h"
#include "profile/result/profile.h"

/* Between quotes; what cannot stand in a string of TSDL becomes a blank. */
void pt_ctf_string(struct pt_text *out, const char *text);
/* " KEY = VALUE;" of each line of the caption, for env: who wrote it, what it is of, and that a board is a virtual one. */
void pt_ctf_env(struct pt_text *out, const struct pt_profile *profile);
void pt_ctf_number(struct pt_text *out, uint64_t value, unsigned n_bytes);	/* little-endian */

#endif
