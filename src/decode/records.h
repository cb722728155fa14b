/* What decoders of records share, foremost of the streams that we make ourselves: records of some bytes, always as
 * many, or the first of which say how many. */
#ifndef PT_DECODE_OWN_H
#define PT_DECODE_OWN_H

#include "decode/decoder.h"
#include "trace/formats.h"

struct pt_own {
	struct pt_event blank;	/* what all our events have in common */
	uint8_t part[PT_VALUES_MOST_BYTES];
	uint8_t part_bytes;
};

enum { PT_OWN_UNKNOWN = 0, PT_OWN_DAMAGED = -1 };

struct pt_own_format {
	/* How long the record is that begins with n bytes of part, 1 to sizeof(part of struct pt_own); UNKNOWN: too few
	 * to say; DAMAGED: no record begins so, and the next one is looked for behind. */
	int (*length)(const uint8_t *part, size_t n);
	/* Its events: at most PT_DECODER_ROOM. */
	void (*record)(struct pt_own *own, struct pt_batch *out);
};

struct pt_event *pt_own_add(struct pt_own *own, struct pt_batch *out, enum pt_event_kind kind);

/* As in struct pt_decoder. What the core does is nothing to these streams. */
void pt_own_init(void *own, uint16_t source, uint16_t core, const struct pt_config *config);
size_t pt_own_feed(struct pt_own *own, const struct pt_own_format *format, const uint8_t *bytes, size_t len_bytes,
		   struct pt_batch *out);
void pt_own_gap(void *own, enum pt_gap cause, uint64_t ns, uint64_t bytes, struct pt_batch *out);
void pt_own_state(void *own, enum pt_state what, uint64_t pc, struct pt_batch *out);
void pt_own_flush(void *own, struct pt_batch *out);

#endif
