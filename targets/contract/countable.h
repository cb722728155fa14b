/* What the counters of one kind of core can count, for a list of it. Pure data, no target has to be attached; any
 * thread. */
#ifndef PT_TARGETS_COUNTABLE_H
#define PT_TARGETS_COUNTABLE_H

#include <stdbool.h>
#include <stddef.h>

struct pt_countable {
	unsigned number;
	const char *prefix;		/* "C0": on which counters */
	const char *work;		/* "Spec": work that is thrown away counts, too; "" if it is not known */
	const char *name, *meaning, *source;
	char perf[160];			/* perf's names of it, with commas between them; "" */
	bool threshold;			/* counts what lasts longer than a threshold */
	bool expected_only;		/* no list of this core has it */
};

struct pt_countable_list {
	const char *core;		/* "e500mc" */
	const char *note;		/* what the words of its rows mean, a sentence */
	/* The next row from *at on, which begins with 0 and moves on. False: no more. */
	bool (*next)(const struct pt_countable_list *list, size_t *at, struct pt_countable *out);
};

#endif
