/* Wire jtag: scans of a chain of TAPs (IEEE 1149.1). Part of probe.h. Board thread only.
 *
 * An operation scans the whole chain. To reach one TAP of several use jtag_chain.h, which fills head_bits and tail_bits
 * for the others.
 *
 * First bit first: bit 0 of byte 0 is shifted first, into out as well as out of in. Between two batches the chain
 * rests in Run-Test/Idle, and TCK is stopped. */
#ifndef PT_PROBES_WIRE_JTAG_H
#define PT_PROBES_WIRE_JTAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum pt_jtag_do {
	PT_JTAG_RESET = 1,	/* Test-Logic-Reset by five clocks with TMS high, then Run-Test/Idle */
	PT_JTAG_IR,		/* n_bits through the instruction registers */
	PT_JTAG_DR,		/* n_bits through the data registers that the instructions selected */
	PT_JTAG_IDLE,		/* n_bits clocks in Run-Test/Idle, 1..PT_JTAG_MAX_BITS */
	PT_JTAG_DELAY,		/* waits for at least time_us in Run-Test/Idle; with or without clocks */
};

/* The state in which a scan ends. In each case the shifted bits take effect in Update. */
enum pt_jtag_end {
	PT_JTAG_TO_IDLE,	/* Run-Test/Idle */
	PT_JTAG_TO_NEXT,	/* the next scan follows from Update without Run-Test/Idle, one clock sooner; before
				 * other operations, and at the end of the list: as TO_IDLE */
};

enum { PT_JTAG_MAX_BITS = 1 << 20 };	/* limit of an operation, with head and tail; at least 1 */

struct pt_jtag_op {
	uint8_t what;		/* enum pt_jtag_do */
	uint8_t end;		/* enum pt_jtag_end */
	uint32_t n_bits;	/* IR, DR: of the addressed TAP; IDLE: clocks */
	uint32_t head_bits, tail_bits;	/* IR, DR: ones shifted before and after, for the TAPs nearer to TDO and to TDI;
					 * what comes out meanwhile is dropped. An IR of ones is BYPASS */
	const uint8_t *out;	/* TDI, (n_bits + 7) / 8 bytes; NULL: ones */
	uint8_t *in;		/* TDO, as many bytes, bits beyond n_bits are 0; NULL:
				 * not wanted. May be out */
	uint32_t time_us;	/* DELAY */
	uint64_t sent_ns, done_ns;	/* out: given to the probe not before sent_ns; result here at done_ns */
};

struct pt_jtag_ops {
	/* Connects the wire: port, clock, and PT_JTAG_RESET. Only this changes registers of TAPs. */
	int (*connect)(void *state, struct pt_err *err);
	/* Run a batch in order with as few packets and round trips as the probe allows.
	 *   timeout_ms  without any progress; delays are not counted
	 *   n_done      out: operations that completed, in order, also on error; those behind may have been done, too
	 * Returns 0 when all were done, or
	 *   PT_EARG      an operation that is not well-formed; nothing was done
	 *   PT_ETIMEOUT  no answer from the probe
	 *   PT_EPROTO    a reply that the protocol does not allow
	 *   PT_EINTERRUPTED, PT_EIO
	 * After an error the state of the chain is not known, so the driver resets it before the next batch: the
	 * instructions are then those of Test-Logic-Reset, and the caller begins with an IR scan. */
	int (*run)(void *state, struct pt_jtag_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		   struct pt_err *err);
	/* TCK. hz_used: from the probe, or as requested if it does not tell */
	int (*set_speed)(void *state, uint32_t hz, uint32_t *hz_used, struct pt_err *err);
	/* Sets the pins nTRST and nSRST; a pin that the probe does not have is ignored, PT_EUNSUPPORTED without either.
	 * nTRST takes the chain to Test-Logic-Reset, as an error does. */
	int (*set_reset)(void *state, bool trst, bool srst, struct pt_err *err);
};

#endif
