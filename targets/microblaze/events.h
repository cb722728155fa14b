/* The events of the performance counters. The numbers are from UG984's table "Performance Monitoring Events" as far as
 * it was available. UNVERIFIED: so the raw number is always shown, and "N" also names event N. */
#ifndef PT_MICROBLAZE_EVENTS_H
#define PT_MICROBLAZE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

enum { PT_MB_EVENTS = 64, PT_MB_FIRST_LATENCY = 57 }; /* from here on: latency counters only */

/* By number; names that are valid in formulas. */
extern const char *const pt_mb_event_name[PT_MB_EVENTS];
/* The number of an event by its name or number, len bytes long; -1: no such event. */
int pt_mb_event_find(const char *name, size_t len);

#endif
