/* A JTAG driver's lists, run as a pipeline: as many packets with the probe as it takes, answers in order. What a
 * packet looks like is the driver's; where the row of clocks is cut, what is waited for and what an error leaves
 * behind is the same for all, and is here. Board thread only. */
#ifndef PT_PROBES_JTAG_PORT_H
#define PT_PROBES_JTAG_PORT_H

#include "probes/wires/jtag_batch.h"
#include "base/params.h"
#include "probes/wires/link.h"

enum { PT_JTAG_PORT_MAX_DEPTH = 16, PT_JTAG_ANSWER_MS = 400 };	/* no healthy probe takes longer, clocks apart */

struct pt_jtag_port_ops {
	/* Collect what earlier calls left with the probe. 0, PT_ETIMEOUT, PT_EPROTO, PT_EINTERRUPTED, PT_EIO. */
	int (*settle)(void *state, struct pt_err *err);
	/* A packet of at most max_bits clocks from the cursor on, kept by the driver for send(). n_bits: how many, 1
	 * or more. Returns its length. */
	size_t (*pack)(void *state, const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at,
		       uint32_t max_bits, uint32_t *n_bits);
	int (*send)(void *state, size_t len_bytes, struct pt_err *err);
	/* The oldest answer, kept by the driver for unpack(): its length, or the link's error. */
	int (*receive)(void *state, uint64_t deadline_ns, struct pt_err *err);
	/* The answer to a packet of n_bits clocks from the cursor on. 0, or PT_EPROTO with the sentence. */
	int (*unpack)(void *state, const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at,
		      uint32_t n_bits, size_t len_bytes, struct pt_err *err);
};

struct pt_jtag_port {
	const struct pt_jtag_port_ops *ops;
	void *state;			/* the driver's */
	struct pt_link *link;
	unsigned depth;			/* packets outstanding at most, 1..PT_JTAG_PORT_MAX_DEPTH */
	bool as_clock_needs;		/* fewer, where they keep TCK busy; see pt_jtag_port_set_depth() */
	uint32_t tck_hz;		/* 0: the server does not say */
	uint64_t seen_hz;		/* and this is what its answers look like; 0: not known yet */
	bool lost;			/* the state of the TAPs is not known: reset them first */
};

/* For servers on a stream, which read what was sent ahead when they are done with what came before: two packets, or as
 * many as keep TCK busy while an answer travels; no more than the link holds. limit-packets sets the number. What is
 * sent ahead waits in the sockets, and its answers, PT_JTAG_PORT_MAX_DEPTH packets at most, fit our own socket: so no
 * server can get stuck with an answer that is not taken while we are stuck with a request. */
void pt_jtag_port_set_depth(struct pt_jtag_port *port, const struct pt_link_info *info,
			    const struct pt_params *settings);
/* As pt_jtag_ops.run. */
int pt_jtag_port_run(struct pt_jtag_port *port, struct pt_jtag_op *ops, size_t n_ops, uint32_t timeout_ms,
		     size_t *n_done, struct pt_err *err);
/* A reset of the TAPs alone: what a connect ends with. */
int pt_jtag_port_reset(struct pt_jtag_port *port, struct pt_err *err);

#endif
