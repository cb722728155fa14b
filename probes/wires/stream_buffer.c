#include "probes/wires/stream_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"

void pt_stream_buffer_init(struct pt_stream_buffer *buffer, size_t room, enum pt_stream_missing otherwise,
			   uint64_t now_ns)
{
	*buffer = (struct pt_stream_buffer){ .room = room, .otherwise = otherwise, .checked = PT_UNKNOWN };
	buffer->bytes = pt_alloc(room);
	buffer->from_ns = buffer->until_ns = buffer->empty_ns = now_ns;
}

void pt_stream_buffer_fini(struct pt_stream_buffer *buffer)
{
	free(buffer->bytes);
	buffer->bytes = NULL;
	buffer->room = 0;
}

static size_t held(const struct pt_stream_buffer *buffer)
{
	return (size_t)(buffer->came - buffer->given);
}

size_t pt_stream_buffer_room(const struct pt_stream_buffer *buffer)
{
	return buffer->room - held(buffer);
}

uint8_t *pt_stream_buffer_tail(struct pt_stream_buffer *buffer, size_t room)
{
	return room <= pt_stream_buffer_room(buffer) ? buffer->bytes + held(buffer) : NULL;
}

void pt_stream_buffer_added(struct pt_stream_buffer *buffer, size_t n)
{
	buffer->came += n;
}

void pt_stream_buffer_add(struct pt_stream_buffer *buffer, const uint8_t *bytes, size_t n)
{
	size_t room = pt_stream_buffer_room(buffer), fits = n < room ? n : room;

	memcpy(buffer->bytes + held(buffer), bytes, fits);
	buffer->came += fits;
	if (fits < n)
		pt_stream_buffer_lose(buffer, (struct pt_stream_hole){ buffer->came, buffer->came, PT_STREAM_SOME,
								       n - fits });
}

/* --- holes ------------------------------------------------------------------------------------------------------- */

static uint64_t sum_known(uint64_t a, uint64_t b)
{
	return a == PT_UNKNOWN || b == PT_UNKNOWN ? PT_UNKNOWN : a + b;
}

static void join_holes(struct pt_stream_hole *into, const struct pt_stream_hole *hole)
{
	if (hole->first < into->first)
		into->first = hole->first;
	if (hole->last > into->last)
		into->last = hole->last;
	if (into->missing != hole->missing)	/* how many are surely missing is not known then */
		into->lost_bytes = PT_UNKNOWN;
	else
		into->lost_bytes = sum_known(into->lost_bytes, hole->lost_bytes);
	if (hole->missing > into->missing)
		into->missing = hole->missing;
}

void pt_stream_buffer_lose(struct pt_stream_buffer *buffer, struct pt_stream_hole hole)
{
	struct pt_stream_hole *newest = buffer->n_holes > 0 ? &buffer->hole[buffer->n_holes - 1] : NULL;

	if (hole.first < buffer->given)
		hole.first = buffer->given;
	if (hole.last < hole.first)
		hole.last = hole.first;
	/* out of order, or at the place of the one before: one loss that was said twice, or two that cannot be told apart */
	if (newest != NULL &&
	    (buffer->n_holes == PT_STREAM_HOLES || hole.first < newest->first || hole.last <= newest->last))
		join_holes(newest, &hole);
	else
		buffer->hole[buffer->n_holes++] = hole;
}

void pt_stream_buffer_lose_more(struct pt_stream_buffer *buffer, struct pt_stream_hole hole)
{
	if (buffer->n_holes > 0)
		join_holes(&buffer->hole[buffer->n_holes - 1], &hole);
	else
		pt_stream_buffer_lose(buffer, hole);
}

static void drop_first_hole(struct pt_stream_buffer *buffer)
{
	buffer->n_holes--;
	memmove(buffer->hole, buffer->hole + 1, buffer->n_holes * sizeof(*buffer->hole));
}

/* The first hole, if these n bytes reach it: what is said of it, and how many bytes are given with it. */
static size_t judge_hole(struct pt_stream_buffer *buffer, size_t n, size_t room, struct pt_stream_read *what)
{
	struct pt_stream_hole *hole = &buffer->hole[0];
	size_t sure;

	if (buffer->n_holes == 0 || hole->first > buffer->given + n)
		return n;
	sure = hole->first > buffer->given ? (size_t)(hole->first - buffer->given) : 0;
	if (hole->last > buffer->given + n && sure > 0) {	/* what is sure goes by itself */
		what->sure_bytes = sure;
		return sure;
	}
	if (hole->last > buffer->given + n && n < room && buffer->more_soon && !buffer->ended)
		return what->sure_bytes = 0;
	what->missing = hole->missing;
	what->sure_bytes = sure;
	what->lost_bytes = hole->lost_bytes;
	if (hole->last > buffer->given + n && n == room) {	/* longer than a read: it is said again */
		hole->first = buffer->given + n;
		return n;
	}
	n = hole->last > buffer->given + n ? n : (size_t)(hole->last - buffer->given);
	drop_first_hole(buffer);
	return n;
}

/* --- out --------------------------------------------------------------------------------------------------------- */

void pt_stream_buffer_received(struct pt_stream_buffer *buffer, uint64_t received)
{
	for (size_t i = 0; i < buffer->n_holes; i++)
		if (buffer->hole[i].last > received && buffer->hole[i].first <= received)
			buffer->hole[i].last = received;
}

void pt_stream_buffer_timed(struct pt_stream_buffer *buffer, uint64_t now_ns, uint64_t error_ns, bool drained)
{
	buffer->until_ns = now_ns;
	if (drained) {
		buffer->empty_ns = now_ns;
		pt_stream_buffer_received(buffer, buffer->came);
	}
	buffer->error_ns = error_ns + (now_ns - buffer->empty_ns);
	buffer->more_soon = !drained;
}

size_t pt_stream_buffer_give(struct pt_stream_buffer *buffer, uint8_t *bytes, size_t room, struct pt_stream_read *what)
{
	size_t all = held(buffer), n = all < room ? all : room;

	if (buffer->checked < buffer->given + n)
		n = (size_t)(buffer->checked - buffer->given);
	*what = (struct pt_stream_read){
		.from_ns = buffer->from_ns, .to_ns = buffer->until_ns, .error_ns = buffer->error_ns,
		.missing = buffer->otherwise, .sure_bytes = n, .bad_frames = buffer->bad_frames,
	};
	n = judge_hole(buffer, n, room, what);
	if (what->missing == buffer->otherwise)
		what->sure_bytes = n;
	if (n > 0)
		memcpy(bytes, buffer->bytes, n);
	memmove(buffer->bytes, buffer->bytes + n, all - n);
	buffer->given += n;
	buffer->bad_frames = 0;
	buffer->from_ns = buffer->until_ns;
	what->ended = buffer->ended && n == all && buffer->n_holes == 0;
	return n;
}
