/* A model of the firmware of an ST-Link V2, V2-1 or V3, in front of a virtual board: commands of 16 bytes, each with
 * data behind it, or with a reply, or with neither. It knows registers of the debug port and memory, no bits on the
 * wire; how an access went is the answer to another command. Several versions, as what they can do differs.
 *
 * Where the facts leave open what the firmware does, this model does what a host may not count on:
 *  - an access port that was not opened (F2 4B) is refused, from the version on that has that command;
 *  - a length that is odd, but for a single byte, hangs the probe until it is plugged in again;
 *  - behind a WAIT it does not try again;
 *  - TAR counts as the access port has it, and a block across its border wraps; but by SWD, from V2J32 on, the firmware sees
 *    to that (OpenOCD 0.12 reads 4 KiB of a Cortex-M0+ at once).
 * Source: the host code of OpenOCD, pyOCD, probe-rs and stlink-tools. */
#ifndef PT_VIRTUAL_WIRE_STLINK_H
#define PT_VIRTUAL_WIRE_STLINK_H

#include <stdbool.h>

#include "probes/virtual/probe/engine.h"
#include "probes/virtual/frame/faults.h"
#include "probes/virtual/frame/pace.h"

enum { PT_VSTLINK_MOST_BYTES = 9856, PT_VSTLINK_VID = 0x0483 };

/* What stlink= of a virtual board names. */
struct pt_vstlink_kind {
	const char *name;
	uint8_t v, j, s;		/* generation, version of the debug part; s: of SWIM, or of mass storage */
	uint8_t m, b;			/* V3: mass storage, bridge */
	uint16_t pid;
};
const struct pt_vstlink_kind *pt_vstlink_kind(const char *name);	/* NULL: there is none */

struct pt_vstlink;

/* pace and faults stay the caller's and outlive the model; the board has a debug port. NULL without memory. */
struct pt_vstlink *pt_vstlink_new(const struct pt_vstlink_kind *kind, uint32_t max_hz, struct pt_vpace *pace,
				  struct pt_vfaults *faults);
uint64_t pt_vstlink_swo_lost(const struct pt_vstlink *st);	/* bytes of SWO, so far: it has no way to say so */
extern const struct pt_vengine_ops pt_vstlink_engine;	/* its state is a struct pt_vstlink */

#endif
