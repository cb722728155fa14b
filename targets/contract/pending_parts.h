/* What pending.c and its text share. */
#ifndef PT_TARGETS_PENDING_PARTS_H
#define PT_TARGETS_PENDING_PARTS_H

#include "targets/contract/pending.h"
#include "targets/contract/target.h"

struct pt_pending {
	void (*keep)(void *arg, const char *text, size_t len_bytes);
	void (*told)(void *arg, const char *text);	/* NULL: nothing hears of it */
	void *told_arg;
	void *arg;
	char target[24], chip[120];
	struct pt_pending_row *row;	/* rows of a unit beside each other */
	size_t n;
};

void pt_pending_add(struct pt_pending *pending, const struct pt_pending_row *row);	/* behind the others */
void pt_pending_drop_row(struct pt_pending *pending, size_t i);
void pt_pending_keep(struct pt_pending *pending);
void pt_pending_text(const struct pt_pending *pending, struct pt_text *out);

#endif
