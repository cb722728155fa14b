/* What a client of /api/events has not read yet, as server-sent events: bounded, whole events only. A client that lets it run full gets
 * one last event that says so, and is ended: it would miss some without a word. Pure. */
#ifndef PT_EVENT_QUEUE_H
#define PT_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PT_EVENT_QUEUE_BYTES = 1 << 16, PT_EVENT_QUEUE_LAST_BYTES = 256 };	/* the last ones are kept for the last event */

struct pt_event_queue {		/* all zero: empty */
	char bytes[PT_EVENT_QUEUE_BYTES];
	size_t begin, end;
	bool ended;		/* nothing is added any more */
};

/* An event of one line; data has no line feed. id 0: it has none. */
void pt_event_queue_add(struct pt_event_queue *queue, uint64_t id, const char *event, const char *data);
/* Adds a comment, by which a client that is gone is noticed. */
void pt_event_queue_keep_alive(struct pt_event_queue *queue);
/* The last event: why is a sentence without quotes and backslashes. */
void pt_event_queue_end(struct pt_event_queue *queue, const char *why);
/* Returns how many bytes; 0: there are none. */
size_t pt_event_queue_take(struct pt_event_queue *queue, char *out, size_t room_bytes);

#endif
