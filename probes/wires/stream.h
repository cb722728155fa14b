/* Wire stream: bytes that a target sends at a rate, while it runs: SWO. Part of probe.h. Board thread only.
 *
 * What a probe may lose without a word decides whether a number is true, so each read says what is missing, or may be,
 * and where: see struct pt_stream_read. */
#ifndef PT_PROBES_WIRE_STREAM_H
#define PT_PROBES_WIRE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pt_link;

enum pt_stream_coding { PT_STREAM_UART = 1, PT_STREAM_MANCHESTER };

struct pt_stream_want {
	enum pt_stream_coding coding;
	uint32_t bits_per_s;
	/* the link whose clock from_ns and to_ns are of; NULL: that of the probe itself. Read on the board thread */
	struct pt_link *clock;
};

enum pt_stream_missing {
	PT_STREAM_NOTHING,	/* the probe says that nothing is missing */
	PT_STREAM_UNSAID,	/* it has no way to say so, and there is no sign that something is */
	PT_STREAM_PERHAPS,	/* it has no way to say so, and its buffer was so full that something may be */
	PT_STREAM_SOME,		/* it says that it dropped some */
};

/* Of the bytes of one read: the first sure_bytes continue those of the reads before, with nothing missing in front of
 * them or among them. Where something is missing it is behind those: among the rest of these bytes, or at their end. */
struct pt_stream_read {
	uint64_t from_ns, to_ns;	/* these bytes came over the pin between these two: the end of the read before, and
					 * now, each +- error_ns */
	uint64_t error_ns;
	enum pt_stream_missing missing;
	size_t sure_bytes;
	uint64_t lost_bytes;		/* PERHAPS, SOME: how many; PT_UNKNOWN. UNSAID: 0 */
	uint32_t bad_frames;		/* bytes without a stop bit, breaks: the rate is wrong, or the pin is not SWO; as the
					 * probe counts, 1 of one that says no more than that there were some */
	bool ended;			/* nothing more comes: stopped, or a file or a connection at its end */
};

struct pt_stream_ops {
	/* Begin to receive. bits_per_s: out, the rate in use, which need not be the one that was wanted: the caller decides
	 * whether it will do. What came before is thrown away. PT_EARG: not this coding, or no rate near this one (the
	 * sentence says which there are); PT_EBUSY: it receives already, or another program does; PT_ETIMEOUT,
	 * PT_EPROTO, PT_EINTERRUPTED, PT_EIO. It goes on until stop(), also after an error of read(), or until the probe
	 * is closed. */
	int (*start)(void *state, const struct pt_stream_want *want, uint32_t *bits_per_s, struct pt_err *err);
	/* Up to room bytes that continue those before. Returns how many, 0 = none within timeout_ms or none any more
	 * (ended); or PT_EINTERRUPTED, PT_ETIMEOUT, PT_EPROTO, PT_EIO (what had come was given). After an error other than
	 * PT_EINTERRUPTED the next read says PERHAPS or SOME, unless the driver knows better. */
	int (*read)(void *state, uint8_t *bytes, size_t room, uint32_t timeout_ms, struct pt_stream_read *what,
		    struct pt_err *err);
	/* Stop; what has come up to now can still be read until `ended`. */
	int (*stop)(void *state, struct pt_err *err);
	/* How long nothing may be read without loss at this rate, microseconds: its buffer's length; 0: not known. */
	uint32_t (*patience_us)(void *state, uint32_t bits_per_s);
};

#endif
