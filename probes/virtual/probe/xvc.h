/* A model of an XVC server (Xilinx Virtual Cable 1.0) in front of a virtual board: getinfo, settck and shift. Requests
 * and answers follow each other on the stream as they are.
 *
 * Source: XilinxVirtualCable, README. */
#ifndef PT_VIRTUAL_WIRE_XVC_H
#define PT_VIRTUAL_WIRE_XVC_H

#include "probes/virtual/probe/engine.h"
#include "probes/virtual/frame/pace.h"

enum {
	PT_VXVC_VECTOR_BYTES = 1024,	/* TMS, and TDI */
	PT_VXVC_MOST_BYTES = 10 + 2 * PT_VXVC_VECTOR_BYTES,	/* of a request */
};

struct pt_vxvc;
/* max_tck_hz: the clock until the host asks for a slower one. NULL without memory. */
struct pt_vxvc *pt_vxvc_new(uint32_t max_tck_hz, struct pt_vpace *pace);
extern const struct pt_vengine_ops pt_vxvc_engine;

#endif
