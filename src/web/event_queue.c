/* Source: HTML Living Standard, server-sent events: lines "id:", "event:" and "data:", an empty line behind each. */
#include "web/event_queue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static size_t room_of(struct pt_event_queue *queue)
{
	memmove(queue->bytes, queue->bytes + queue->begin, queue->end - queue->begin);
	queue->end -= queue->begin;
	queue->begin = 0;
	return sizeof(queue->bytes) - queue->end;
}

void pt_event_queue_add(struct pt_event_queue *queue, uint64_t id, const char *event, const char *data)
{
	size_t room = room_of(queue) - (queue->ended ? 0 : PT_EVENT_QUEUE_LAST_BYTES);
	char head[80] = "";
	int n;

	if (queue->ended)
		return;
	if (id != 0)
		snprintf(head, sizeof(head), "id: %" PRIu64 "\n", id);
	n = snprintf(queue->bytes + queue->end, room, "%sevent: %s\ndata: %s\n\n", head, event, data);
	if (n < 0 || (size_t)n >= room)
		pt_event_queue_end(queue, "this client reads too slowly: events would be missing");
	else
		queue->end += (size_t)n;
}

void pt_event_queue_keep_alive(struct pt_event_queue *queue)
{
	static const char comment[] = ":\n\n";

	if (queue->ended || room_of(queue) < PT_EVENT_QUEUE_LAST_BYTES + sizeof(comment))
		return;
	memcpy(queue->bytes + queue->end, comment, sizeof(comment) - 1);
	queue->end += sizeof(comment) - 1;
}

void pt_event_queue_end(struct pt_event_queue *queue, const char *why)
{
	size_t room = room_of(queue);
	int n;

	if (queue->ended)
		return;
	queue->ended = true;
	n = snprintf(queue->bytes + queue->end, room, "event: end\ndata: {\"error\": \"%.150s\"}\n\n", why);
	if (n > 0 && (size_t)n < room)
		queue->end += (size_t)n;
}

size_t pt_event_queue_take(struct pt_event_queue *queue, char *out, size_t room_bytes)
{
	size_t n = queue->end - queue->begin;

	n = n < room_bytes ? n : room_bytes;
	memcpy(out, queue->bytes + queue->begin, n);
	queue->begin += n;
	return n;
}
