/* A virtual board that is a pin SWO and nothing else: it sends one byte after the other, each of which can be computed,
 * so that a test can say what is missing in what came of them. */
#ifndef PT_TESTS_SWO_PIN_H
#define PT_TESTS_SWO_PIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/virtual/frame/pace.h"
#include "probes/virtual/frame/swo.h"
#include "probes/wires/stream.h"

struct swo_pin {
	struct pt_vpace pace;
	struct pt_vswo pin;
	enum pt_vswo_coding coding;
	uint64_t bit_ps, gap_ns;	/* the rate; the line rests so long between two bytes */
	uint64_t on_ns, off_ns;		/* it sends for so long, and then rests; off_ns 0: always */
	uint64_t begin_ns;		/* of the next byte */
	uint64_t n_sent;
	uint64_t stop_at;		/* bytes, then it rests for good; 0: never */
};

void swo_pin_init(struct swo_pin *rig, uint32_t bits_per_s);
uint8_t swo_pin_byte(uint64_t i);	/* that it sends as number i */

/* What came of it by reads of the wire, and where they said that something is missing. */
struct swo_got {
	uint8_t *bytes;
	size_t n, room;
	struct { size_t first, last; enum pt_stream_missing missing; uint64_t lost_bytes; } hole[4096];
	size_t n_holes;
	uint64_t bad_frames, until_ns;
	bool ended, any_unsaid;
};

void swo_got_init(struct swo_got *got);
void swo_got_fini(struct swo_got *got);
void swo_got_add(struct swo_got *got, const uint8_t *bytes, size_t n, const struct pt_stream_read *what);

struct swo_verdict {
	uint64_t first;			/* the number of the first byte that came */
	uint64_t next;			/* of the one behind the last */
	uint64_t n_missing;		/* between them */
	size_t n_gaps, n_false_holes;	/* places where some are missing; SOME that was said where none is */
};

/* Are the bytes those of the pin, from some number on that is from at least, but for what is said to be missing? Fails the
 * test if not. */
void swo_got_check(const struct swo_got *got, uint64_t from, uint64_t n_sent, struct swo_verdict *out);

#endif
