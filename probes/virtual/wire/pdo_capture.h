/* A logic capture of PDO and PDOCLK, as a probe makes it: levels at a constant rate, as runs of equal ones, in a buffer
 * of its own that has an end. A host that reads too slowly finds samples missing, counted. The runs are those of
 * probes/wires/pins.h: PDO in bit 24, PDOCLK in bit 25, the number of samples below. */
#ifndef PT_VIRTUAL_WIRE_PDO_CAPTURE_H
#define PT_VIRTUAL_WIRE_PDO_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/virtual/unit/s12z/s12z_pdo.h"
#include "probes/virtual/frame/pace.h"

enum { PT_VPDO_RUNS = 1 << 20, PT_VPDO_MAX_HZ = 400000000, PT_VPDO_PDO = 1 << 24, PT_VPDO_PDOCLK = 1 << 25 };

struct pt_vpdo_capture {
	struct pt_vpace *pace;
	struct pt_vpdo *pdo;
	struct pt_vpdo_listener listener;
	uint32_t sample_hz;
	uint32_t levels;		/* since sample `at` */
	uint64_t at, begin;		/* samples since the board's time 0: up to where runs are made; the first one */
	uint64_t head_at;		/* sample at which the oldest run begins */
	uint64_t lost;			/* samples before it that found no room */
	bool on, ended, full;		/* full: until the host has taken everything */
	uint32_t *run;			/* ring */
	size_t head, n_runs;
};

void pt_vpdo_capture_init(struct pt_vpdo_capture *capture, struct pt_vpace *pace);
void pt_vpdo_capture_fini(struct pt_vpdo_capture *capture);
/* Returns the samples per second: the least that is asked for or more; 0: more than it takes, or no memory. */
uint32_t pt_vpdo_capture_start(struct pt_vpdo_capture *capture, uint32_t least_hz);
void pt_vpdo_capture_stop(struct pt_vpdo_capture *capture);

struct pt_vpdo_captured {
	uint64_t from_ns;		/* of the first run, on the link's clock */
	uint64_t lost;			/* samples lost just before it */
};
/* Begin to take runs: what is said before the first of them. */
void pt_vpdo_capture_read(struct pt_vpdo_capture *capture, struct pt_vpdo_captured *what);
/* The run i behind the oldest; 0: none. */
uint32_t pt_vpdo_capture_peek(const struct pt_vpdo_capture *capture, size_t i);
void pt_vpdo_capture_pop(struct pt_vpdo_capture *capture);
/* Nothing is left, and nothing more comes. */
bool pt_vpdo_capture_over(const struct pt_vpdo_capture *capture);

#endif
