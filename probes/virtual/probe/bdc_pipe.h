/* A model of the firmware of our own virtual BDC probe (probes/bdc/bdc_pipe.h has its protocol) in front of a virtual
 * board. */
#ifndef PT_VIRTUAL_WIRE_BDC_PIPE_H
#define PT_VIRTUAL_WIRE_BDC_PIPE_H

#include "probes/virtual/probe/engine.h"
#include "probes/virtual/frame/faults.h"
#include "probes/virtual/frame/pace.h"

struct pt_vpipe;

struct pt_vpipe_config {
	size_t packet_bytes;		/* 64..PT_VENGINE_MAX_PACKET_BYTES */
	unsigned packet_count;		/* as INFO says it */
	const char *product;		/* the text of INFO; outlives the model */
	bool pins;			/* false: it knows none of the capture operations */
};

/* pace and faults stay the caller's and outlive the model; the board has a BDC. NULL without memory. */
struct pt_vpipe *pt_vpipe_new(const struct pt_vpipe_config *config, struct pt_vpace *pace, struct pt_vfaults *faults);
extern const struct pt_vengine_ops pt_vpipe_engine;	/* its state is a struct pt_vpipe */

#endif
