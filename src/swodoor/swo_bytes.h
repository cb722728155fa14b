/* What other programs get of a profile's pin SWO, made of its chunks: the ITM's bytes as they came, and the text that the
 * program writes to stimulus port 0. Pure.
 *
 * A packet goes out when it is whole, so that no reader makes one of a half and of what follows a hole. Where bytes are missing
 * the raw stream says so in its own words: a synchronisation packet, which ends whatever a reader takes for half sent, and an
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
	uint16_t source;		/* whose bytes go out: the first that has any; the others' do not, as a stream is of one */
	bool has_source, begun;
	uint8_t part[PT_ITM_MOST_BYTES];	/* of a packet that is not whole yet */
	uint8_t n_part;
};

/* Gives what the chunk adds to either, in order. data is for the call alone. */
struct pt_swo_sink {
	void (*raw)(void *arg, const uint8_t *data, size_t len_bytes);
	void (*text)(void *arg, const uint8_t *data, size_t len_bytes);
	void *arg;
};
void pt_swo_bytes_take(struct pt_swo_bytes *s, const struct pt_chunk *chunk, const struct pt_swo_sink *sink);

#endif
