/* Samples by several events: of each source of samples a histogram of its own, by function, with its intervals. The
 * functions' own figures are of the first of them (core_profile.c); where there is one only, nothing is made here. */
#ifndef PT_PROFILE_SAMPLED_H
#define PT_PROFILE_SAMPLED_H

#include "profile/stats/stat.h"
#include "program/model/program.h"

enum { PT_SAMPLED_SOURCES = 32, PT_SAMPLED_NAME = 40 };

struct pt_sampled_event {		/* a source of samples */
	char name[PT_SAMPLED_NAME];	/* the event that its samples are taken by; "time" */
	uint64_t every;			/* events to a sample, in the mean; 0: not said, or by time */
	uint16_t core;
	uint64_t samples;		/* of a core that was awake */
	double effective;		/* independent samples that would give the same intervals; 0: not known */
};

struct pt_sampled_row {			/* a function's part in an event */
	const struct pt_function *function;	/* NULL: code that no function owns */
	size_t event;
	uint64_t samples;
	struct pt_share share;		/* of the event's */
};

struct pt_sampled {
	const struct pt_sampled_event *event;	/* in the order of sources */
	size_t n_events;		/* less than 2: there are no rows */
	/* function by function, of each the events one after the other; functions with the largest part in any event
	 * first */
	const struct pt_sampled_row *row;
	size_t n_rows;
};

#endif
