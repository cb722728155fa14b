/* Several sources of one target that work side by side: the scheduler of the link that they share. A source is one
 * source to those above it; a struct pt_source_ops that is made of others has these functions, and a start of its own
 * that names the members.
 *
 * Each member has a weight. Of those that have something to do, the one that had least of the link for its weight is
 * next: a source that rests most of the time works when it likes, and one that never rests has what is left; none
 * gets less than its part while it wants more. What each had is reported with its cost (COST chunks, link_ns). A
 * member that fails for good ends alone, as long as another one works. Board thread only. */
#ifndef PT_TARGETS_SHARED_LINK_H
#define PT_TARGETS_SHARED_LINK_H

#include "targets/contract/source.h"

enum { PT_SHARED_LINK_MOST = 4 };

struct pt_shared_link {
	struct pt_target *target;
	struct pt_sink *sink;
	struct pt_shared_link_member {
		const struct pt_source_ops *ops;
		void *state;		/* NULL: it has ended */
		unsigned weight;
		uint16_t source, core;
		uint64_t due_ns;	/* nothing to do before */
		uint64_t link_ns;	/* of the link that it had */
	} member[PT_SHARED_LINK_MOST];
	size_t n_members;
	uint64_t started_ns, told_ns;	/* told: the last COST */
};

/* Starts one more. weight > 0. After an error those that were started before go on, until stop. */
int pt_shared_link_add(struct pt_shared_link *t, struct pt_target *target, const struct pt_source_setup *setup,
		       const struct pt_source_ops *ops, unsigned weight, struct pt_err *err);

/* As in struct pt_source_ops; state is a struct pt_shared_link. */
int pt_shared_link_drain(void *state, struct pt_err *err);
int pt_shared_link_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err);
bool pt_shared_link_behind(const void *state);
int pt_shared_link_write(void *state, uint64_t addr, const void *bytes, size_t len_bytes, struct pt_err *err);
int pt_shared_link_stop(void *state, struct pt_err *err);

#endif
