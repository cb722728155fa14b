/* A model of a remote_bitbang server in front of a virtual board: a character for each change of pins, JTAG as well as
 * SWD. Only reads of TDO and SWDIO are answered.
 *
 * Source: OpenOCD, remote_bitbang. Some hosts mean a sleep by d, as a writer of SWD pins does not: here it is what the
 * pins are set to. */
#ifndef PT_VIRTUAL_WIRE_REMOTE_BITBANG_H
#define PT_VIRTUAL_WIRE_REMOTE_BITBANG_H

#include "probes/virtual/probe/engine.h"
#include "probes/virtual/frame/faults.h"
#include "probes/virtual/frame/pace.h"

enum { PT_VBITBANG_MOST_BYTES = 2048 };	/* characters taken at once */

struct pt_vbitbang;
/* max_hz: two writes, low and high, take a period of it. NULL without memory. */
struct pt_vbitbang *pt_vbitbang_new(uint32_t max_hz, struct pt_vpace *pace, struct pt_vfaults *faults);
extern const struct pt_vengine_ops pt_vbitbang_engine;

#endif
