#include "targets/contract/with_watch.h"

#include <stdio.h>
#include <string.h>

#include "targets/contract/shared_link.h"
#include "targets/contract/source_watch.h"

/* Chunks of looks have a number that no source has that numbers its own from 0 on, one for each core. */
enum { WATCH_SOURCE = 31, ALL_OF_THE_OTHER = 100 };

static const char suffix[] = "+watch";

size_t pt_with_watch_named(const char *name)
{
	size_t len = strlen(name), end = sizeof(suffix) - 1;

	return len > end && strcmp(name + len - end, suffix) == 0 ? len - end : 0;
}

/* A source that is made of others has them on this link already: their weights are 100 together. */
static int start_other(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	const struct pt_source_ops *other = setup->beside;

	if (other->members != NULL)
		return other->start(state, target, setup, err);
	return pt_shared_link_add(state, target, setup, other, ALL_OF_THE_OTHER, err);
}

static int start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	unsigned percent = pt_watch_share(setup->settings);
	struct pt_source_setup own = *setup;
	struct pt_err ignored = { 0 };

	if (start_other(state, target, setup, err) < 0)
		return err->code;
	own.source = WATCH_SOURCE;
	if (pt_shared_link_add(state, target, &own, &pt_source_watch, ALL_OF_THE_OTHER * percent / (100 - percent),
			       err) == 0)
		return 0;
	pt_wrap(err, "%s", pt_source_watch.name);
	pt_shared_link_stop(state, &ignored);
	return err->code;
}

void pt_with_watch_make(struct pt_with_watch *with, const struct pt_source_ops *source)
{
	size_t n = 0;

	snprintf(with->name, sizeof(with->name), "%s%s", source->name, suffix);
	with->members[n++] = &pt_source_watch;
	for (size_t i = 0; source->members != NULL && source->members[i] != NULL && n < PT_WITH_WATCH_MEMBERS; i++)
		with->members[n++] = source->members[i];
	with->members[n] = NULL;
	with->ops = *source;
	with->ops.name = with->name;
	with->ops.recorder = NULL;
	with->ops.state_bytes = sizeof(struct pt_shared_link);
	with->ops.members = with->members;
	with->ops.start = start;
	with->ops.drain = pt_shared_link_drain;
	with->ops.on_state = pt_shared_link_on_state;
	with->ops.behind = pt_shared_link_behind;
	with->ops.write = pt_shared_link_write;
	with->ops.stop = pt_shared_link_stop;
}
