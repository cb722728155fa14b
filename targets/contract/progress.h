/* How far the board thread is with work that takes seconds, for other threads to read meanwhile. */
#ifndef PT_TARGETS_PROGRESS_H
#define PT_TARGETS_PROGRESS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum pt_progress_step {
	PT_PROGRESS_NONE,
	PT_PROGRESS_COMPARES,
	PT_PROGRESS_ERASES,
	PT_PROGRESS_PROGRAMS,
	PT_PROGRESS_VERIFIES
};

struct pt_progress {
	_Atomic uint64_t packed;
}; /* caller's; all zero: nothing has begun */

/* done of total pieces of this step; total 0: it is not known how many. Large steps are logged each quarter. NULL is
 * fine. */
void pt_progress_set(struct pt_progress *progress, enum pt_progress_step step, uint32_t done, uint32_t total);
/* "erasing, 12 of 64 sectors (18 %)"; any thread. */
void pt_progress_text(struct pt_progress *progress, char *text, size_t room);

#endif
