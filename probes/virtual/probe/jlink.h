/* The firmware of a virtual J-Link: a stream of commands on one endpoint, whose length follows from the command, and
 * their answers on another. Shifts move pins in front of SWD or JTAG of a virtual board.
 *
 * A bit that the host does not drive is sampled behind the rising edge of its clock: in the clock of a turnaround the
 * target's first bit is there already.
 *
 * Sources: what libjaylink, probe-rs and Black Magic Probe hosted send, and RM08001 through those who cite it; the
 * exchange of OpenOCD 0.12 with an emulated device. */
#ifndef PT_VIRTUAL_PROBE_JLINK_H
#define PT_VIRTUAL_PROBE_JLINK_H

#include <stdint.h>

#include "base/error.h"
#include "probes/virtual/frame/faults.h"
#include "probes/virtual/frame/pace.h"
#include "probes/virtual/probe/engine.h"

enum {
	PT_VJLINK_MOST_BITS = 65535,	/* of a shift */
	PT_VJLINK_MOST_BYTES = 4 + 2 * (PT_VJLINK_MOST_BITS / 8 + 1),	/* of a command */
};

struct pt_vjlink_kind {
	const char *name;		/* as jlink= names it */
	const char *version;
	uint16_t usb_pid;
	bool high_speed;
	uint32_t caps, hw_version;
	uint32_t base_hz;
	uint16_t min_divider;
	uint32_t memory_bytes;		/* that are free */
	uint32_t interfaces;		/* bit 0 JTAG, bit 1 SWD */
};
/* NULL: there is no such kind. */
const struct pt_vjlink_kind *pt_vjlink_kind(const char *name);

/* What such a device, or another of its kind, may do to a host. */
enum {
	PT_VJLINK_PADS = 1 << 0,	/* 16 bytes behind each answer */
	PT_VJLINK_JOINS = 1 << 1,	/* no empty packet ends an answer of full packets: the next answer follows in it */
	PT_VJLINK_FULL = 1 << 2,	/* no place for another connection */
	PT_VJLINK_SHRINKS = 1 << 3,	/* a quarter of the memory is free once the host has asked how much is */
	PT_VJLINK_DEAF = 1 << 4,	/* SWD is not clocked for a host that has not registered */
	PT_VJLINK_UNPOWERED = 1 << 5,	/* no supply at the target */
};
/* "pads,full"; NULL and "": none. PT_EARG names what is wrong. */
int pt_vjlink_flaws(const char *text, unsigned *flaws, struct pt_err *err);

struct pt_vjlink_config {
	const struct pt_vjlink_kind *kind;
	unsigned flaws;
	uint32_t max_hz;		/* as fast as the cable is; the probe may be slower */
	uint32_t memory_bytes;		/* 0: of the kind */
};

struct pt_vjlink;
/* pace and faults outlive it. NULL only without memory. */
struct pt_vjlink *pt_vjlink_new(const struct pt_vjlink_config *config, struct pt_vpace *pace,
				struct pt_vfaults *faults);
uint64_t pt_vjlink_swo_lost(const struct pt_vjlink *jlink);	/* bytes of SWO, so far */
extern const struct pt_vengine_ops pt_vjlink_engine;

#endif
