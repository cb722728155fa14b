/* Wire pins: levels of trace pins, captured while the target runs. Part of probe.h. Board thread only.
 *
 * Levels are taken at a constant rate and given as runs of equal levels, so that pins that rest take no room. */
#ifndef PT_PROBES_WIRE_PINS_H
#define PT_PROBES_WIRE_PINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pt_link;

enum { PT_PINS_MOST_LINES = 8 };

/* A run of equal levels: the first wanted line in bit 24, the second in bit 25 ...; how many samples below, 1 and
 * more. */
typedef uint32_t pt_pins_run;
enum { PT_PINS_LEVELS = 24 };
#define PT_PINS_SAMPLES UINT32_C(0xffffff)

struct pt_pins_want {
	const char *line[PT_PINS_MOST_LINES];	/* as the probe names its channels: "0", "D0", "pdo" */
	size_t n_lines;
	uint32_t least_hz;	/* samples a second that are needed; the probe may take more */
	/* the link whose clock from_ns is of; NULL: that of the probe itself. Read on the board thread */
	struct pt_link *clock;
};

struct pt_pins_read {
	uint64_t from_ns;	/* about when the first sample of these runs was taken; error as below. A recording
				 * counts from start() on: PT_UNKNOWN is its error */
	uint64_t error_ns;
	uint64_t lost_samples;	/* taken but not given, before these runs: the probe or the host was too slow */
	/* nothing more comes: stopped, a file at its end, an instrument that stopped by itself */
	bool ended;
};

struct pt_pins_ops {
	/* Begin to capture. sample_hz: out, the rate in use. PT_EARG: no such line (the sentence lists them), or the
	 * probe cannot take so many samples a second (it says how many); PT_EBUSY: it captures already; PT_ETIMEOUT,
	 * PT_EPROTO, PT_EINTERRUPTED, PT_EIO. A capture ends with stop(), also after an error of read(), or with the
	 * probe. */
	int (*start)(void *state, const struct pt_pins_want *want, uint32_t *sample_hz, struct pt_err *err);
	/* Up to room runs that continue those before. Returns how many, 0 = none within timeout_ms, or none any more
	 * (ended); or PT_EINTERRUPTED, PT_ETIMEOUT, PT_EPROTO, PT_EIO (the probe is gone; what was captured before has
	 * been given). */
	int (*read)(void *state, pt_pins_run *runs, size_t room, uint32_t timeout_ms, struct pt_pins_read *what,
		    struct pt_err *err);
	/* Stop; what was captured up to now can still be read until `ended`. */
	int (*stop)(void *state, struct pt_err *err);
	/* The line behind index i, as start() takes it; NULL: no more. For lists and messages. */
	const char *(*line)(void *state, size_t i);
};

#endif
