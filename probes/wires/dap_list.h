/* Splits lists of dap operations into rows of single accesses, for wires that have only these: a JTAG-DP behind a
 * chain, SWD pins. A delay ends a row, and ABORT if it is not an access; a poll ends it with its first reads. Overrun
 * detection is added to each write of CTRL/STAT, so that a wire may send a row without waiting for each acknowledge:
 * after one that is not OK the port ignores the following accesses. Board thread only. Source: Arm IHI 0031, "Sticky
 * overrun behavior". */
#ifndef PT_PROBES_DAP_LIST_H
#define PT_PROBES_DAP_LIST_H

#include "probes/wires/link.h"
#include "probes/wires/dap.h"

enum { PT_DAP_LIST_MOST = 4128, PT_DAP_LIST_USUAL = 256 };

struct pt_dap_access {
	bool ap, read;
	uint8_t a;
	uint32_t value;
	uint32_t *word;		/* destination of the word read; NULL: nowhere */
};

struct pt_dap_list_ops {
	/* Does all n accesses, 1..list->most, in order. PT_ETIMEOUT: the port was busy for timeout_ms; else as
	 * pt_dap_ops.run. */
	int (*run)(void *state, const struct pt_dap_access *access, size_t n, uint32_t timeout_ms, struct pt_err *err);
	int (*write_abort)(void *state, uint32_t value, struct pt_err *err);
};

struct pt_dap_list {
	const struct pt_dap_list_ops *ops;
	void *state;
	struct pt_link *link;
	size_t most;		/* accesses of a row, 1..PT_DAP_LIST_MOST; 0: PT_DAP_LIST_USUAL */
	bool aborts_in_row;	/* ABORT is an access like others */
	uint32_t ctrl;		/* CTRL/STAT as last written */
	struct pt_dap_access access[PT_DAP_LIST_MOST];
};

/* Checks that each operation is valid, and that the list can be run. PT_EARG says what is wrong. */
int pt_dap_check(const struct pt_dap_op *ops, size_t n_ops, struct pt_err *err);

/* As pt_dap_ops.run. If a list fails, everything from the beginning of the row on may have been done. */
int pt_dap_list_run(struct pt_dap_list *list, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		    struct pt_err *err);

#endif
