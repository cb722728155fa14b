/* A virtual board on the cable of a virtual probe, as a virtual URI describes them: what a model link, the TCP server
 * and the emulated USB device of the tests have in common. */
#ifndef PT_VIRTUAL_WIRE_RIG_H
#define PT_VIRTUAL_WIRE_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "params.h"
#include "probes/virtual/board.h"
#include "probes/virtual/wire/cmsis_dap.h"

/* How a kind of link behaves; the model of a cable between host and probe. A request is on the wire for packet_ns, one
 * after the other; its response is with the host turnaround_ns after the probe has finished it, and packet_ns after
 * the response before it. Source: the link table of the design. */
struct pt_vlink_kind {
	const char *name;
	size_t packet_bytes;
	unsigned depth;			/* requests outstanding, and the packet count that the probe reports */
	uint64_t packet_ns, turnaround_ns;
	bool fixed_packets;		/* HID: responses are padded */
};

struct pt_vrig {
	const struct pt_vboard_ops *ops;
	struct pt_vboard *board;
	struct pt_params *settings;
	const struct pt_vlink_kind *link;
	struct pt_vpace pace;
	struct pt_vfaults faults;
	struct pt_vdap *dap;
};

/* name_and_query: what stands behind "virtual:". rig must not move while it is open: its parts point at one another.
 * Reads the file that elf= names. PT_EARG: no such board (the sentence lists them), unknown or wrong word, ELF that
 * cannot be read or is not for the board; PT_ENOMEM. After an error nothing is to be closed. */
int pt_vrig_open(struct pt_vrig *rig, const char *name_and_query, struct pt_err *err);
void pt_vrig_close(struct pt_vrig *rig);

#endif
