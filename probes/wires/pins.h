/* Wire pins: levels of trace pins, captured while the target runs. Part of probe.h. Board thread only.
 *
 * Levels are sampled at a constant rate and returned as runs of equal levels, so constant pins need no space. */
#ifndef PT_PROBES_WIRE_PINS_H
#define PT_PROBES_WIRE_PINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pt_link;

enum { PT_PINS_MOST_LINES = 8 };

/* A run of equal levels: the first wanted line in bit 24, the second in bit 25 ...; below, the number of samples, at
 * least 1. */
typedef uint32_t pt_pins_run;
enum { PT_PINS_LEVELS = 24 };
#define PT_PINS_SAMPLES UINT32_C(0xffffff)

struct pt_pins_want {
	const char *line[PT_PINS_MOST_LINES];	/* channel names of the probe: "0", "D0", "pdo" */
	size_t n_lines;
	uint32_t least_hz;	/* required samples per second; the probe may take more */
	/* the link whose clock from_ns is of; NULL: that of the probe itself. Read on the board thread */
	struct pt_link *clock;
};

struct pt_pins_read {
	uint64_t from_ns;	/* approximate time of the first sample of these runs; error as below. For a recording
				 * it is the time since start(), with the error PT_UNKNOWN */
	uint64_t error_ns;
	uint64_t lost_samples;	/* samples dropped before these runs: the probe or the host was too slow */
	/* no more data: stopped, end of the file, or the instrument stopped by itself */
	bool ended;
};

struct pt_pins_ops {
	/* Starts capturing. sample_hz: out, the rate in use. PT_EARG: no such line (the sentence lists them), or a rate
	 * that the probe does not reach (it tells its limit); PT_EBUSY: already capturing; PT_ETIMEOUT, PT_EPROTO,
	 * PT_EINTERRUPTED, PT_EIO. A capture ends with stop(), also after an error of read(), or when the probe is
	 * closed. */
	int (*start)(void *state, const struct pt_pins_want *want, uint32_t *sample_hz, struct pt_err *err);
	/* Returns up to room runs, which continue the previous ones. Returns their number, 0: none within timeout_ms,
	 * or no more (ended); or PT_EINTERRUPTED, PT_ETIMEOUT, PT_EPROTO, PT_EIO (the probe is gone; all earlier runs
	 * were returned). */
	int (*read)(void *state, pt_pins_run *runs, size_t room, uint32_t timeout_ms, struct pt_pins_read *what,
		    struct pt_err *err);
	/* Stops; data captured before can still be read until `ended`. */
	int (*stop)(void *state, struct pt_err *err);
	/* The name of line i, for start(); NULL: no more. For lists and messages. */
	const char *(*line)(void *state, size_t i);
};

#endif
