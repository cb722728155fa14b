/* Faults injected into the model of a probe and its cable, at a stated transfer or packet:
 * "wait@100+3,stall@20" makes SWD transfers 100 to 102 answer WAIT and packet 20 go without a response. More may come
 * while the board runs; theirs are counted from then. */
#ifndef PT_VIRTUAL_WIRE_FAULTS_H
#define PT_VIRTUAL_WIRE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum pt_vfault {
	PT_VFAULT_NONE,
	/* Counted in SWD transfers of the probe, retries included, or in BDC commands; the first is 1. */
	/* acknowledged WAIT, nothing done; BDC: the target does not hear it, and there is no ACK */
	PT_VFAULT_WAIT,
	PT_VFAULT_FAULT,	/* acknowledged FAULT, STICKYERR set; BDC: refused, ILLACC set */
	PT_VFAULT_RESET,	/* the chip's reset pin is low meanwhile */
	PT_VFAULT_POWER,	/* the chip has no power meanwhile */
	PT_VFAULT_CLOCK,	/* the chip has no clock meanwhile; BDC only */
	/* Counted in packets from the host, the first is 1. */
	PT_VFAULT_STALL,	/* done, but the response never comes */
	PT_VFAULT_SHORT,	/* the second half of the response is missing */
	PT_VFAULT_WRONG,	/* the response is to another command */
	PT_VFAULT_UNPLUG,	/* the probe is gone, until its link is opened anew */
	PT_VFAULT_LOST,		/* the request never reaches the probe */
	PT_VFAULT_LATE,		/* the response comes so much later */
	PT_VFAULT_CUT,		/* half of the response, and the probe is gone */
};

enum { PT_VFAULTS_MAX = 16 };
#define PT_VFAULT_LATE_NS UINT64_C(300000000)

struct pt_vfaults {
	struct { enum pt_vfault kind; uint64_t at, count; } row[PT_VFAULTS_MAX];
	size_t n_rows;
	uint64_t transfers, packets;	/* how many there have been */
};

/* text: "KIND@NUMBER[+COUNT]" separated by commas; NULL or empty: none. PT_EARG names what is wrong. */
int pt_vfaults_parse(struct pt_vfaults *faults, const char *text, struct pt_err *err);

/* The same while the board runs: instead of the rows that there were, and counted from the next transfer or packet. */
int pt_vfaults_from_now(struct pt_vfaults *faults, const char *text, struct pt_err *err);
/* The last transfer or packet with a fault is past. */
bool pt_vfaults_are_over(const struct pt_vfaults *faults);

/* What happens to that SWD transfer or that packet; the first row that says so counts. */
enum pt_vfault pt_vfault_of_transfer(struct pt_vfaults *faults, uint64_t transfer);
enum pt_vfault pt_vfault_of_packet(struct pt_vfaults *faults, uint64_t packet);

#endif
