/* The performance counters of a core: assignment of events, start, reading, and detection. Used by source_counters.c.
 * Board thread; the core must be selected. Errors are those of pt_mdm_run(). Source: UG984, "Performance Monitoring",
 * table of items by width. */
#ifndef PT_MICROBLAZE_COUNTERS_UNIT_H
#define PT_MICROBLAZE_COUNTERS_UNIT_H

#include "targets/microblaze/microblaze.h"

enum { PT_COUNTERS_MOST = 55, PT_COUNTERS_MOST_WANTED = 64, PT_COUNTERS_MOST_ITEMS = 7 };
enum { PT_PCSR_OVERFLOW = 2, PT_PCSR_FULL = 1 };

struct pt_counters_wanted {
	uint8_t event[PT_COUNTERS_MOST_WANTED];
	unsigned n, places;		/* places: hardware counters for these */
};

struct pt_counters_unit {
	struct pt_mdm *mdm;
	struct pt_mb_written *written;
	struct pt_counters_wanted events, latencies;
	unsigned bits;			/* C_DEBUG_COUNTER_WIDTH */
	unsigned n_groups, group;	/* groups that take turns; the current group */
};

struct pt_counters_reading {
	uint64_t at_ns, error_ns;	/* time of the sample, and its error */
	uint64_t status[PT_COUNTERS_MOST], item[PT_COUNTERS_MOST * PT_COUNTERS_MOST_ITEMS];
};

unsigned pt_counters_groups(const struct pt_counters_wanted *w);
/* Index of the wanted event in place i of the group; PT_COUNTERS_MOST_WANTED: the place is unused. A list that fits
 * into one group has the same places in each group. */
unsigned pt_counters_in(const struct pt_counters_wanted *w, unsigned group, unsigned i);
unsigned pt_counters_event_items(const struct pt_counters_unit *u);	/* items read per counter */
unsigned pt_counters_latency_items(const struct pt_counters_unit *u);

/* Stops and clears all counters, sets the group's events, and starts. at_ns: time of the start, with the error
 * error_ns. */
int pt_counters_unit_start(struct pt_counters_unit *u, uint64_t *at_ns, uint64_t *error_ns, struct pt_err *err);
int pt_counters_unit_stop(struct pt_counters_unit *u, struct pt_err *err);
struct pt_mdm_op pt_counters_unit_end(void);	/* the write that stops */
int pt_counters_unit_read(struct pt_counters_unit *u, struct pt_counters_reading *r, struct pt_err *err);
bool pt_counters_unit_is_zero(const struct pt_counters_unit *u, const struct pt_counters_reading *r);
/* Tests whether a mark written to the first counter can be read back. Stops counting, and leaves the mark in the
 * counter. */
int pt_counters_unit_check(struct pt_counters_unit *u, bool *answers, struct pt_err *err);

#endif
