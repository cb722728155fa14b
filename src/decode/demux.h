/* Demultiplexers: between chunk and decoder, where the bytes of one source are those of several streams, each with a
 * decoder of its own. Pure, resumable at any byte, no input is an error. The pipeline makes one state for each source whose
 * CONFIG names such a format (pipeline/streams.c).
 *
 * To add one: a file that fills a struct pt_demux, one word in PT_DEMUXES. */
#ifndef PT_DECODE_DEMUX_H
#define PT_DECODE_DEMUX_H

#include <stddef.h>
#include <stdint.h>

#include "trace/config.h"

enum { PT_DEMUX_PIECES = 16, PT_DEMUX_BYTES = 16 };	/* feed() gives no more at a time */

struct pt_demux_piece {		/* bytes of one stream, in order */
	uint16_t stream;
	uint16_t len_bytes;
	const uint8_t *bytes;	/* until the next call */
	/* So many bytes of the port, before these, were in no frame that makes sense: each stream may lack some of them. */
	uint64_t lost_bytes;
};

struct pt_demux {
	const char *name;	/* the format, as in trace/formats.h: "tpiu" */
	size_t state_bytes;
	/* Prepare state, whatever it held; untrusted: a key that is missing or malformed has its default. */
	void (*init)(void *state, const struct pt_config *config);
	/* Take bytes up to the end of a frame, or all: how many. n_out: out, pieces that they complete, in order; the
	 * first has lost_bytes for all of them. */
	size_t (*feed)(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_demux_piece out[PT_DEMUX_PIECES],
		       size_t *n_out);
	/* What follows does not continue what was before, or nothing follows: what was half received is dropped. Returns
	 * how many bytes were taken that are in no piece and were not told. */
	uint64_t (*gap)(void *state);
};

#define PT_DEMUXES(X) X(tpiu)
#define X(demux) extern const struct pt_demux pt_demux_##demux;
PT_DEMUXES(X)
#undef X

const struct pt_demux *pt_demux_find(const char *name);	/* NULL: no such format in this version */

#endif
