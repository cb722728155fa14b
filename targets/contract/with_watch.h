/* SOURCE+watch: variables are looked at (source_watch.h) beside any other source, by the scheduler of the link
 * (shared_link.h). Board thread only. */
#ifndef PT_TARGETS_WITH_WATCH_H
#define PT_TARGETS_WITH_WATCH_H

#include "targets/contract/source.h"

enum { PT_WITH_WATCH_NAME = 40, PT_WITH_WATCH_MEMBERS = 4 };

/* What the caller keeps for as long as ops is used. */
struct pt_with_watch {
	struct pt_source_ops ops;
	char name[PT_WITH_WATCH_NAME];	/* "pcsr+watch" */
	const struct pt_source_ops *members[PT_WITH_WATCH_MEMBERS + 1];
};

/* "pcsr+watch": how long the name of the other source is; 0: it is no such name. */
size_t pt_with_watch_named(const char *name);
/* Makes it, of a source; its start takes that one as beside of struct pt_source_setup. */
void pt_with_watch_make(struct pt_with_watch *with, const struct pt_source_ops *source);

#endif
