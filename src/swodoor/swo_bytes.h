/* The data of a profile's pin SWO for other programs, from its chunks: the raw bytes of the ITM, and the text that the
 * program writes to stimulus port 0. Pure.
 *
 * Only complete packets are sent, so no reader combines half a packet with what follows a hole. Where bytes are
 * missing, the raw stream contains a synchronisation packet, which ends an incomplete packet at the reader, and an
 * overflow packet. */
#ifndef PT_SWO_BYTES_H
#define PT_SWO_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/chunk.h"
#include "trace/itm_packets.h"

enum { PT_SWO_SOURCES = 32 };

struct pt_swo_bytes {		/* all zero: no source yet */
	bool is_itm[PT_SWO_SOURCES];
	struct pt_itm_packets packets;
	uint16_t source;		/* the first source with such bytes; those of other sources are not sent,
					 * because the stream is that of one source */
	bool has_source, begun;
	uint8_t part[PT_ITM_MOST_BYTES];	/* an incomplete packet */
	uint8_t n_part;
};

/* Gets what a chunk adds to each of the two streams, in order. data is valid during the call only. */
struct pt_swo_sink {
	void (*raw)(void *arg, const uint8_t *data, size_t len_bytes);
	void (*text)(void *arg, const uint8_t *data, size_t len_bytes);
	void *arg;
};
void pt_swo_bytes_take(struct pt_swo_bytes *s, const struct pt_chunk *chunk, const struct pt_swo_sink *sink);

#endif
