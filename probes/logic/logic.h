/* A logic analyser, or what one has recorded, by libsigrok: the driver "logic", which offers the wire pins. Its link
 * moves no packets: it is a clock, and what ends waiting. One idea per file:
 *   logic.c         the driver and its link; board thread
 *   logic_runs.c    samples to runs, and the bounded buffer between two threads
 *   logic_sigrok.c  the instrument or the file, and the thread that libsigrok's session runs on
 *   logic_list.c    which instruments are plugged in
 *   logic_none.c    in place of all of these where libsigrok is missing */
#ifndef PT_PROBES_LOGIC_H
#define PT_PROBES_LOGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/error.h"
#include "probes/wires/probe.h"

/* What stands behind "logic:": a session file, or driver=NAME&conn=CONN (standard: the first FX2-class analyser).
 * Its connect() may block 1 s: PT_EARG, PT_EIO, PT_ETIMEOUT (an analyser that gets its firmware first: that goes
 * on, and a later try finds it ready), PT_EUNSUPPORTED (built without libsigrok). */
extern const struct pt_probe_ops pt_logic_ops;

/* --- logic_list.c ------------------------------------------------------------------------------------------------- */

struct sr_context;
/* libsigrok's; NULL: there is none */
struct sr_dev_driver *pt_logic_driver(struct sr_context *sigrok, const char *name);
extern const char *const pt_logic_usb_drivers[];	/* of libsigrok, that look at USB alone; NULL-terminated */
/* What these drivers find, at most room; how many. One that libsigrok does not have finds nothing. An analyser that
 * another program has open is not disturbed. May block some seconds. */
size_t pt_logic_list(const char *const *drivers, struct pt_logic_found *out, size_t room);

/* --- logic_runs.c: one thread puts samples in, another takes runs out --------------------------------------------- */

struct pt_logic_runs {
	uv_mutex_t lock;
	uv_cond_t change;
	/* under the lock */
	pt_pins_run *ring;		/* a run of no sample is a place of loss: two more words have how many */
	uint32_t head, tail;		/* free-running */
	bool wait_for_room;		/* a recording waits; an instrument loses */
	bool closed;			/* closed by the reader: what is put is discarded */
	bool ended;			/* nothing more is put */
	bool interrupted;
	uint64_t lost;			/* not in the ring yet */
	/* the producer's */
	unsigned bit[PT_PINS_MOST_LINES];	/* of a sample, for each wanted line */
	size_t n_lines;
	pt_pins_run last;		/* under way; 0 samples: none */
};

int pt_logic_runs_init(struct pt_logic_runs *runs, struct pt_err *err);	/* PT_ENOMEM */
void pt_logic_runs_fini(struct pt_logic_runs *runs);
void pt_logic_runs_begin(struct pt_logic_runs *runs, const unsigned *bits, size_t n_lines, bool wait_for_room);
/* The producer: n samples of unit bytes each, little-endian. */
void pt_logic_runs_put(struct pt_logic_runs *runs, const uint8_t *samples, size_t unit, uint64_t n);
void pt_logic_runs_end(struct pt_logic_runs *runs);	/* and what is under way is given */
void pt_logic_runs_close(struct pt_logic_runs *runs);	/* the consumer: a producer that waits for room goes on */
/* The consumer: up to room runs, or the samples lost before the next ones (then none). Waits until there is something,
 * until the end, or until_ns of the host's clock. Returns how many, or PT_EINTERRUPTED. */
int pt_logic_runs_take(struct pt_logic_runs *runs, pt_pins_run *out, size_t room, uint64_t *lost, bool *ended,
		       uint64_t until_ns, struct pt_err *err);
void pt_logic_runs_interrupt(struct pt_logic_runs *runs);	/* any thread */
int pt_logic_runs_sleep(struct pt_logic_runs *runs, uint64_t until_ns, struct pt_err *err);	/* 0, PT_EINTERRUPTED */

/* --- logic_sigrok.c ----------------------------------------------------------------------------------------------- */

enum { PT_LOGIC_MOST_CHANNELS = 64 };

struct pt_logic_channel { char name[32]; unsigned bit; };

struct pt_logic_device;	/* opaque */

/* file NULL: an instrument, of this driver and connection (NULL: the first). */
struct pt_logic_device *pt_logic_device_open(const char *file, const char *driver, const char *conn,
					     struct pt_err *err);
void pt_logic_device_close(struct pt_logic_device *device);	/* ends what runs */
bool pt_logic_device_is_recording(const struct pt_logic_device *device);
void pt_logic_device_describe(const struct pt_logic_device *device, char *product, char *where, size_t room);
size_t pt_logic_device_channels(const struct pt_logic_device *device, const struct pt_logic_channel **out);
/* Samples go into runs, from a thread of its own, until the recording's end or stop. at least least_hz; hz: out. */
int pt_logic_device_start(struct pt_logic_device *device, struct pt_logic_runs *runs, uint32_t least_hz, uint32_t *hz,
			  struct pt_err *err);
void pt_logic_device_stop(struct pt_logic_device *device);	/* waits for the thread */
/* Between which times of the host's clock the first sample was taken; false: none has come yet. */
bool pt_logic_device_began(struct pt_logic_device *device, uint64_t *from_ns, uint64_t *to_ns);

#endif
