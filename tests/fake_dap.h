/* A dap wire that ends in a register file: a DP, one AHB-AP whose memory is an array_mem, and for the rest of the APs
 * an ID register. It counts what the code under test does with the wire. */
#ifndef PT_TESTS_FAKE_DAP_H
#define PT_TESTS_FAKE_DAP_H

#include "probes/wires/link.h"
#include "probes/wires/probe.h"
#include "tests/array_mem.h"

struct fake_dap {
	struct array_mem memory;	/* also the clock */
	struct pt_link *link;
	uint32_t select, csw, tar, ctrl_stat, idr[8], base;
	uint32_t (*read_ap)(struct fake_dap *dap, uint8_t ap, uint8_t reg);	/* APs other than 0; may be NULL */
	void (*write_ap)(struct fake_dap *dap, uint8_t ap, uint8_t reg, uint32_t value);
	bool sticky, absent;		/* absent: nothing acknowledges, */
	bool deaf;			/* and afterwards not before a line reset */
	bool tar_moves_on_fault;	/* both kinds of AP exist */
	unsigned n_connects, n_runs, n_aborts, n_select, n_csw, n_tar, n_data, n_reset_pin;
	void *arg;
};

extern const struct pt_dap_ops fake_dap_ops;
extern const struct pt_probe_ops fake_dap_probe_ops;	/* a driver for the fake_dap that was made last */

void fake_dap_init(struct fake_dap *dap);	/* opens dap->link, over which a probe can be opened */
void fake_dap_fini(struct fake_dap *dap);	/* closes the link, unless a probe took it (dap->link NULL) */

#endif
