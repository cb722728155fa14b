/* Wire dap: ADIv5 transfers (Arm IHI 0031). Part of probe.h. Board thread only. */
#ifndef PT_PROBES_WIRE_DAP_H
#define PT_PROBES_WIRE_DAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum pt_dap_do {
	PT_DAP_READ = 1,	/* one register into *words */
	PT_DAP_WRITE,		/* one register from value */
	PT_DAP_READ_BLOCK,	/* n_words reads of the same register into words */
	PT_DAP_WRITE_BLOCK,	/* n_words writes of the same register from words */
	PT_DAP_POLL,		/* read until (register & mask) == value; in the probe if it can. Gives up after
				 * time_us, or at the end of a try of 5 ms */
	PT_DAP_DELAY,		/* waits for time_us in the probe, 1..65535 */
};

struct pt_dap_op {
	uint8_t what;		/* enum pt_dap_do */
	bool ap;		/* APnDP: the AP selected by SELECT, else the DP */
	uint8_t a;		/* A[3:2]: 0, 4, 8 or 0xc */
	uint32_t value, mask;
	uint32_t time_us;
	uint32_t *words;	/* read: out; WRITE_BLOCK: in; POLL: the last value, if not NULL */
	uint32_t n_words;
	uint64_t sent_ns, done_ns;	/* out: given to the probe not before sent_ns; result here at done_ns */
};

enum pt_dap_line { PT_DAP_SWD };	/* jtag: when a probe needs it */

struct pt_dap_ops {
	/* Connects the wire: port, clock, line reset with the JTAG-to-SWD switch. The caller makes the first DPIDR
	 * read. PT_EUNSUPPORTED: the probe, or what is on its chain, has no such port. */
	int (*connect)(void *state, enum pt_dap_line line, struct pt_err *err);
	/* Run a batch in order with as few packets and round trips as the probe allows.
	 *   timeout_ms  without any progress; delays and polls are not counted
	 *   ops      n_ops operations. After a PT_DAP_POLL only reads may follow (they are sent along, and thrown away
	 *            if the poll expires): else PT_EARG and nothing is sent.
	 *   n_done   out: operations that completed, in order, also on error
	 * Returns 0 when all were done or when a poll expired (n_done is then its index), or
	 *   PT_EFAULT    the DAP answered FAULT: sticky flags are set, the caller recovers; ops[*n_done] is the first
	 *                that may have failed (a posted write shows late)
	 *   PT_ETIMEOUT  no answer from the probe for timeout_ms, or WAIT for that long; sooner (100 ms) where the
	 *                probe gave up on WAIT and going on might repeat or skip an access. AP registers are then
	 *                unknown
	 *   PT_EPROTO    no acknowledge or parity error on the wire, or a reply that the protocol does not allow
	 *   PT_EINTERRUPTED, PT_EIO
	 * Whatever it returns, no response is outstanding afterwards, or the driver collects it at its next call. */
	int (*run)(void *state, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		   struct pt_err *err);
	int (*write_abort)(void *state, uint32_t value, struct pt_err *err);	/* DP ABORT, outside batches */
	/* Clocks n_bits, LSB first, on SWDIO (line reset, dormant wake-up). */
	int (*sequence)(void *state, const uint8_t *bits, size_t n_bits, struct pt_err *err);
	/* hz_used: as requested if the probe does not tell */
	int (*set_speed)(void *state, uint32_t hz, uint32_t *hz_used, struct pt_err *err);
	/* The nRESET pin; PT_EUNSUPPORTED without one. */
	int (*set_reset)(void *state, bool asserted, struct pt_err *err);
	bool own_taps;		/* JTAG: a debug port has a TAP of its own, and never answers together with others */
};

#endif
