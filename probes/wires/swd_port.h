/* Wire dap for a driver that shifts bits of SWD: lists of operations as rows of transfers, run as a pipeline, with as
 * many requests at the probe as it takes, and answers in order. What a request looks like is the driver's; where
 * RDBUFF is read, what a transfer that was not OK leaves behind and how to go on after WAIT is the same for all, and
 * is here. Board thread only.
 *
 * Each transfer has its data phase, so a request of many goes out without waiting for an acknowledge: behind one that
 * was not OK the port does nothing more until its overrun flag is cleared, and the row goes on there.
 * Source: Arm IHI 0031, "Sticky overrun behavior". */
#ifndef PT_PROBES_SWD_PORT_H
#define PT_PROBES_SWD_PORT_H

#include "probes/wires/dap_list.h"
#include "probes/wires/link.h"
#include "probes/wires/swd_bits.h"

enum {
	PT_SWD_PORT_MAX_DEPTH = 16,
	PT_SWD_IDLE_CLOCKS = 8,		/* behind a row: the last write ends. Source: Arm IHI 0031, SWD, idle cycles */
};

struct pt_swd_port_ops {
	/* Collects replies of earlier calls. 0, PT_ETIMEOUT, PT_EPROTO, PT_EINTERRUPTED, PT_EIO. */
	int (*settle)(void *state, struct pt_err *err);
	/* A request of as many of n transfers as fit it and max_clocks (or 1), kept by the driver for send(). Behind
	 * the last of them come PT_SWD_IDLE_CLOCKS. Returns how many. */
	size_t (*pack)(void *state, const struct pt_dap_access *transfer, size_t n, uint32_t max_clocks);
	int (*send)(void *state, struct pt_err *err);
	/* The oldest answer, to a request of these n transfers, kept by the driver for taken(). ends: they were the
	 * last of their row. 0, PT_EPROTO when it does not fit them, or the link's error. */
	int (*receive)(void *state, const struct pt_dap_access *transfer, size_t n, bool ends, uint64_t deadline_ns,
		       struct pt_err *err);
	/* What the host took in the next transfer of that answer, as pt_swd_answer() takes it. */
	uint64_t (*taken)(void *state, const struct pt_dap_access *transfer);
};

struct pt_swd_port {
	const struct pt_swd_port_ops *ops;
	void *state;			/* the driver's */
	struct pt_link *link;
	unsigned depth;			/* requests outstanding at most, 1..PT_SWD_PORT_MAX_DEPTH */
	unsigned ack_offset;		/* as of pt_swd_answer() */
	uint32_t idle_clocks;		/* that the driver puts behind each transfer */
	uint32_t swclk_hz;		/* 0: the probe does not say */
	/* An ABORT waits for the transfers that come next, and goes in front of them: it is answered OK whatever the state
	 * of the port. The driver calls pt_swd_port_flush() before it closes. */
	bool defers_abort;
	uint32_t abort;			/* that waits; 0: none */
	struct pt_dap_list list;
	struct pt_dap_access transfer[2 * PT_DAP_LIST_MOST + 3];	/* the first is for going on after WAIT */
};

/* ops, state, link, depth and ack_offset are set. */
void pt_swd_port_init(struct pt_swd_port *port);
/* Clocks of a request at most, at the port's swclk_hz. */
uint32_t pt_swd_port_max_clocks(const struct pt_swd_port *port);
/* As pt_dap_ops.run and pt_dap_ops.write_abort. */
int pt_swd_port_run(struct pt_swd_port *port, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		    struct pt_err *err);
int pt_swd_port_abort(struct pt_swd_port *port, uint32_t value, struct pt_err *err);
/* Write the ABORT that waits, if there is one. */
int pt_swd_port_flush(struct pt_swd_port *port, struct pt_err *err);

#endif
