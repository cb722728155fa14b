/* Runs a JTAG driver's lists as a pipeline: as many packets outstanding as the probe takes, answers in order. The
 * driver makes the packets; how the row of clocks is divided, what is waited for, and the recovery after errors are
 * common, and here. Board thread only. */
#ifndef PT_PROBES_JTAG_PORT_H
#define PT_PROBES_JTAG_PORT_H

#include "probes/wires/jtag_batch.h"
#include "base/params.h"
#include "probes/wires/link.h"

enum { PT_JTAG_PORT_MAX_DEPTH = 16, PT_JTAG_ANSWER_MS = 400 };	/* no healthy probe takes longer, besides the clocks */

struct pt_jtag_port_ops {
	/* Collects replies of earlier calls. 0, PT_ETIMEOUT, PT_EPROTO, PT_EINTERRUPTED, PT_EIO. */
	int (*settle)(void *state, struct pt_err *err);
	/* Makes a packet of at most max_bits clocks from the cursor on, which the driver keeps for send(). n_bits: the
	 * number of clocks, 1 or more. Returns its length. */
	size_t (*pack)(void *state, const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at,
		       uint32_t max_bits, uint32_t *n_bits);
	int (*send)(void *state, size_t len_bytes, struct pt_err *err);
	/* Receives the oldest answer, which the driver keeps for unpack(): returns its length, or the link's error. */
	int (*receive)(void *state, uint64_t deadline_ns, struct pt_err *err);
	/* Evaluates the answer to a packet of n_bits clocks from the cursor on. 0, or PT_EPROTO with the sentence. */
	int (*unpack)(void *state, const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at,
		      uint32_t n_bits, size_t len_bytes, struct pt_err *err);
};

struct pt_jtag_port {
	const struct pt_jtag_port_ops *ops;
	void *state;			/* the driver's */
	struct pt_link *link;
	unsigned depth;			/* limit of outstanding packets, 1..PT_JTAG_PORT_MAX_DEPTH */
	bool as_clock_needs;		/* fewer, if they keep TCK busy; see pt_jtag_port_set_depth() */
	uint32_t tck_hz;		/* 0: the server does not tell it */
	uint64_t seen_hz;		/* then this is the estimate from its answers; 0: not known yet */
	bool lost;			/* the state of the TAPs is unknown: reset them first */
};

/* For servers on a stream, which read a packet when the previous one is done: two packets, or as many as keep TCK busy
 * during the travel time of an answer; no more than the link holds. limit-packets sets the number. Waiting packets are
 * in the sockets, and their answers, PT_JTAG_PORT_MAX_DEPTH at most, fit the receiving socket: so there is no deadlock
 * of a server that cannot send an answer and a client that cannot send a request. */
void pt_jtag_port_set_depth(struct pt_jtag_port *port, const struct pt_link_info *info,
			    const struct pt_params *settings);
/* As pt_jtag_ops.run. */
int pt_jtag_port_run(struct pt_jtag_port *port, struct pt_jtag_op *ops, size_t n_ops, uint32_t timeout_ms,
		     size_t *n_done, struct pt_err *err);
/* Resets only the TAPs; the last step of a connect. */
int pt_jtag_port_reset(struct pt_jtag_port *port, struct pt_err *err);

#endif
