/* Values for histograms, put down as they come and added together: a program has thousands of histograms, which no
 * cache holds, and to wait for each by itself costs more than all else that is made of a value. */
#ifndef PT_PROFILE_HISTLOG_H
#define PT_PROFILE_HISTLOG_H

#include "profile/stats/stat.h"

enum { PT_HISTLOG_VALUES = 1024 };

struct pt_histlog {		/* zero: empty */
	size_t n;
	struct { struct pt_hist *hist; uint64_t value; } later[PT_HISTLOG_VALUES];
};

/* All that was put down. Before anybody looks at a histogram. */
void pt_histlog_flush(struct pt_histlog *log);

static inline void pt_histlog_add(struct pt_histlog *log, struct pt_hist *hist, uint64_t value)
{
	if (__builtin_expect(log->n == PT_HISTLOG_VALUES, 0))
		pt_histlog_flush(log);
	log->later[log->n].hist = hist;
	log->later[log->n++].value = value;
}

#endif
