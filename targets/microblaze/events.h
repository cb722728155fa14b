/* What the performance counters can count. The numbers are those of UG984's table "Performance Monitoring Events" as
 * far as it was available: not verified, so the raw number is always shown, and "N" is a name of event N. */
#ifndef PT_MICROBLAZE_EVENTS_H
#define PT_MICROBLAZE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

enum { PT_MB_EVENTS = 64, PT_MB_FIRST_LATENCY = 57 }; /* from there on: latency counters only */

/* By number; names that formulas take. */
extern const char *const pt_mb_event_name[PT_MB_EVENTS];
/* The number of an event by its name or number, len bytes long; -1: no such event. */
int pt_mb_event_find(const char *name, size_t len);

#endif
