/* The lines above a table: a headline, or that of two profiles that are compared, in no more of the terminal than
 * PT_HEAD_ROWS, however narrow it is. Pure. */
#ifndef PT_REPORT_TEXT_HEAD_H
#define PT_REPORT_TEXT_HEAD_H

#include "base/text.h"
#include "profile/result/profile.h"
#include "report/table/query.h"

enum { PT_HEAD_ROWS = 5 };

/* In full if that fits; else in brief (headline.h); if that does not fit either, lines are cut, the accuracy last. */
void pt_head_write(const struct pt_profile *profile, const struct pt_query *query, struct pt_text *out);
/* One block for both: two titles, then lines that both share. */
void pt_head_write_pair(const struct pt_profile *a, const struct pt_profile *b, const struct pt_query *query,
			struct pt_text *out);
/* The lines without the warning, not limited to PT_HEAD_ROWS. */
void pt_head_write_facts(const struct pt_profile *profile, const struct pt_query *query, struct pt_text *out);

#endif
