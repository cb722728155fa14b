/* Wire dap over a wire jtag: the debug port is a TAP of the chain (JTAG-DP). For probes that offer jtag but no dap;
 * probe.c inserts it, so that all users of wire dap work over any JTAG cable. Board thread only.
 *
 * Source: Arm IHI 0031 (ADIv5.2), chapters on the DP and the JTAG-DP. */
#ifndef PT_PROBES_JTAG_DAP_H
#define PT_PROBES_JTAG_DAP_H

#include "base/params.h"
#include "probes/wires/link.h"
#include "probes/wires/dap.h"
#include "probes/wires/jtag.h"

struct pt_jtag_dap;

/* settings: words of pt_jtag_params, may be NULL; copied. The other arguments outlive it. NULL: no memory. */
struct pt_jtag_dap *pt_jtag_dap_new(const struct pt_jtag_ops *jtag, void *wire, struct pt_link *link,
				    const struct pt_params *settings);
bool pt_jtag_dap_connected(const struct pt_jtag_dap *dap);	/* whether a debug port was found */
void pt_jtag_dap_free(struct pt_jtag_dap *dap);		/* NULL is fine */

enum { PT_JTAG_DAP_WORD_CLOCKS = 40 };	/* per word of a block: 35 bits and the states around them */

/* Their state is a struct pt_jtag_dap. connect() takes any line. If a list returns FAULT, everything after the last
 * check may have failed: JTAG reports errors only on request, which is once in 256 accesses and at the end of a
 * list. */
extern const struct pt_dap_ops pt_jtag_dap_ops;

#endif
