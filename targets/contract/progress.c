#include "targets/contract/progress.h"

#include <stdio.h>

#include "host/log.h"
#include "base/util.h"

/* The step in bits 56-63, done in 28-55, total in 0-27: one word, so that the three go together. */
enum { DONE_SHIFT = 28, STEP_SHIFT = 56, LARGE = 64 };
#define MOST UINT32_C(0xfffffff)

static const struct {
	const char *doing, *what;
} words[] = {
	[PT_PROGRESS_NONE] = { "about to begin", "" },	     [PT_PROGRESS_COMPARES] = { "comparing", "sectors" },
	[PT_PROGRESS_ERASES] = { "erasing", "sectors" },     [PT_PROGRESS_PROGRAMS] = { "programming", "words" },
	[PT_PROGRESS_VERIFIES] = { "verifying", "sectors" },
};

void pt_progress_set(struct pt_progress *progress, enum pt_progress_step step, uint32_t done, uint32_t total)
{
	uint64_t packed = (uint64_t)step << STEP_SHIFT | (uint64_t)(done & MOST) << DONE_SHIFT | (total & MOST);
	uint64_t before;
	uint32_t quarter, last = 0;

	if (progress == NULL)
		return;
	before = atomic_exchange(&progress->packed, packed);
	if (total < LARGE || done >= total)
		return;
	if (before >> STEP_SHIFT == (uint64_t)step)
		last = (uint32_t)(((before >> DONE_SHIFT) & MOST) * 4 / total);
	quarter = (uint32_t)((uint64_t)done * 4 / total);
	if (quarter > last)
		pt_info("flash: %s, %u of %u %s (%u %%)", words[step].doing, (unsigned)done, (unsigned)total,
			words[step].what, (unsigned)((uint64_t)done * 100 / total));
}

void pt_progress_text(struct pt_progress *progress, char *text, size_t room)
{
	uint64_t packed = atomic_load(&progress->packed);
	unsigned step = (unsigned)(packed >> STEP_SHIFT), done = (unsigned)((packed >> DONE_SHIFT) & MOST);
	unsigned total = (unsigned)(packed & MOST);

	if (total == 0)
		snprintf(text, room, "%s", words[step].doing);
	else
		snprintf(text, room, "%s, %u of %u %s (%u %%)", words[step].doing, done, total, words[step].what,
			 (unsigned)((uint64_t)done * 100 / total));
}
