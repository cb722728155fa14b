/* For drivers of the wire stream: bytes that came and were not given yet, and the places where some are missing. Places
 * count bytes from the start of the stream: place n is in front of byte n. */
#ifndef PT_PROBES_WIRE_STREAM_BUFFER_H
#define PT_PROBES_WIRE_STREAM_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/wires/stream.h"

enum { PT_STREAM_HOLES = 8 };	/* more are joined */

struct pt_stream_hole {
	uint64_t first, last;		/* it is at one of these places, or something is missing at several of them */
	enum pt_stream_missing missing;	/* PERHAPS or SOME */
	uint64_t lost_bytes;		/* as in struct pt_stream_read */
};

struct pt_stream_buffer {
	uint8_t *bytes;
	size_t room;
	uint64_t came, given;		/* bytes since the start */
	enum pt_stream_missing otherwise;	/* of a read without a hole: NOTHING or UNSAID */
	struct pt_stream_hole hole[PT_STREAM_HOLES];	/* in order */
	size_t n_holes;
	uint32_t bad_frames;
	bool ended;			/* nothing comes behind what is in it */
	uint64_t checked;		/* bytes in front of this place are given, others wait; PT_UNKNOWN: all are given */
	bool more_soon;			/* bytes are with the probe, and will come when they are asked for */
	/* What is in it came over the pin before until_ns +- error_ns, and the probe had no more of it at empty_ns. */
	uint64_t until_ns, error_ns, empty_ns;
	uint64_t from_ns;		/* of the next read */
};

/* A new stream with room for so many bytes; fini() first if there was one. */
void pt_stream_buffer_init(struct pt_stream_buffer *buffer, size_t room, enum pt_stream_missing otherwise,
			   uint64_t now_ns);
void pt_stream_buffer_fini(struct pt_stream_buffer *buffer);	/* one that is all zero is fine */

size_t pt_stream_buffer_room(const struct pt_stream_buffer *buffer);
/* Where room bytes can be written before they are added. NULL: there is not so much room. */
uint8_t *pt_stream_buffer_tail(struct pt_stream_buffer *buffer, size_t room);
void pt_stream_buffer_added(struct pt_stream_buffer *buffer, size_t n);	/* to the tail */
/* Both at once; what has no room is dropped, and said to be lost. */
void pt_stream_buffer_add(struct pt_stream_buffer *buffer, const uint8_t *bytes, size_t n);

/* Something is missing between these places; they may lie ahead. */
void pt_stream_buffer_lose(struct pt_stream_buffer *buffer, struct pt_stream_hole hole);
/* The last that was said, if it was not given yet, may go on up to here. */
void pt_stream_buffer_lose_more(struct pt_stream_buffer *buffer, struct pt_stream_hole hole);
/* The probe has received so many bytes in all: holes that are known lie before. */
void pt_stream_buffer_received(struct pt_stream_buffer *buffer, uint64_t received);
/* All that is before now_ns +- error_ns is in the buffer (drained: the probe has no more), or waits in the probe. */
void pt_stream_buffer_timed(struct pt_stream_buffer *buffer, uint64_t now_ns, uint64_t error_ns, bool drained);

/* A read of the wire. Returns how many bytes. One whose hole ends ahead waits while more_soon. */
size_t pt_stream_buffer_give(struct pt_stream_buffer *buffer, uint8_t *bytes, size_t room, struct pt_stream_read *what);

#endif
