/* What other programs get of a profile's pin SWO, made of its chunks: the ITM's bytes as they came, and the text that the
 * program writes to stimulus port 0. Pure.
 *
 * Where bytes are missing, the raw stream says so in its own words, so that no reader puts the two ends together: a
 * synchronisation packet that ends whatever was half sent, and an overflow packet. */
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
};

/* Gives what the chunk adds to either, in order. data is for the call alone. */
struct pt_swo_sink {
	void (*raw)(void *arg, const uint8_t *data, size_t len_bytes);
	void (*text)(void *arg, const uint8_t *data, size_t len_bytes);
	void *arg;
};
void pt_swo_bytes_take(struct pt_swo_bytes *s, const struct pt_chunk *chunk, const struct pt_swo_sink *sink);

#endif
