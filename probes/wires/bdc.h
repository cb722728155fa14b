/* Wire bdc: the single-wire background debug of the S12Z. Part of probe.h. Board thread only.
 * Source: S12ZVHY/S12ZVHL reference manual Rev. 1.05, chapter 5 (S12ZBDCV2).
 *
 * An operation is a BDC command, or several that belong together; the driver decides how it is transferred (raw bytes,
 * or commands of the probe's firmware), and waits between a command and its data: for ACK pulses if the probe sees
 * them, else for a fixed time. `can` tells in advance which operations a driver supports. */
#ifndef PT_PROBES_WIRE_BDC_H
#define PT_PROBES_WIRE_BDC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum pt_bdc_do {
	/* always available */
	PT_BDC_SYNC,		/* measures the target's clock; discards half a command,
				 * clears OVRUN. value: out, BDCSI Hz */
	PT_BDC_ACK_ENABLE, PT_BDC_ACK_DISABLE,
	PT_BDC_READ_BDCCSR, PT_BDC_WRITE_BDCCSR,	/* value: 16 bits, high byte first on the wire. usbdm knows the
							 * high byte only: reads give 0 in the low one, writes put 0xff
							 * there */
	PT_BDC_BACKGROUND,	/* halt; does not wait for BDMACT */
	/* non-intrusive: need ENBDC and an unsecured part; also while the core runs */
	PT_BDC_NOP,
	PT_BDC_SYNC_PC,		/* n samples of the running pc into bytes, le32 each; one that failed is 0xeeeeee, and
				 * is no error, but leaves NORESP in BDCCSR */
	PT_BDC_READ_MEM,	/* n elements of size_bytes from addr on: READ_MEM, then DUMP_MEM if the probe can */
	PT_BDC_READ_SAME,	/* n elements of size_bytes, all from addr: READ_MEM, then READ_SAME if the probe can */
	PT_BDC_WRITE_MEM,	/* n elements of size_bytes from addr on: WRITE_MEM, then FILL_MEM if the probe can */
	PT_BDC_READ_DBGTB,	/* n lines of the trace buffer, 8 bytes each, byte 0 (INFO) first. A probe without this
				 * command (usbdm) reads the words at 0x104: the same, except on parts without a trace
				 * buffer */
	/* in active background only */
	PT_BDC_GO,
	PT_BDC_STEP1,
	PT_BDC_GO_UNTIL,	/* returns when background is active again, or PT_ETIMEOUT */
	PT_BDC_READ_RN, PT_BDC_WRITE_RN,	/* crn; value: 32 bits, the register at the right */
	/* the host's or the probe's */
	PT_BDC_DELAY,		/* waits for at least time_us; in the probe if it can */
	PT_BDC_POLL,		/* read the byte at addr until (byte & mask) == value; gives up when time_us is over. In
				 * the probe if it can; then one try takes 5 ms at most. value: out, the last byte */
	PT_N_BDC_DOS,
};

/* BDCCSR. Source: as above, 5.3.2.1; places of STEAL, BDCCIS and of the low bits 7-5 and 2-0 are not verified. */
enum {
	PT_BDC_ENBDC = 0x8000, PT_BDC_BDMACT = 0x4000, PT_BDC_BDCCIS = 0x2000, PT_BDC_STEAL = 0x0800,
	PT_BDC_CLKSW = 0x0400,
	PT_BDC_UNSEC = 0x0200, PT_BDC_ERASE = 0x0100,
	PT_BDC_WAIT = 0x80, PT_BDC_STOP = 0x40, PT_BDC_RAMWF = 0x20, PT_BDC_OVRUN = 0x10, PT_BDC_NORESP = 0x08,
	PT_BDC_RDINV = 0x04, PT_BDC_ILLACC = 0x02, PT_BDC_ILLCMD = 0x01,
	PT_BDC_FLAGS = 0xff,		/* cleared by writing 1, but for OVRUN: SYNC */
	PT_BDC_ERRORS = PT_BDC_RAMWF | PT_BDC_OVRUN | PT_BDC_NORESP | PT_BDC_RDINV | PT_BDC_ILLACC | PT_BDC_ILLCMD,
};

struct pt_bdc_op {
	uint8_t what;		/* enum pt_bdc_do */
	uint8_t size_bytes;	/* of an element: 1, 2, 4 */
	uint8_t crn;		/* 0-7 D0-D7, 8 X, 9 Y, 10 SP, 11 PC, 12 CCR */
	bool ws;		/* the _WS forms of READ_MEM, READ_SAME, WRITE_MEM: without ACK, the status byte of each
				 * in the answer; status is then all of them, or-ed, and flags in it are no error of
				 * run(). Ignored by probes that have no such commands (usbdm): status is then 0 */
	uint8_t status;		/* out, with ws: BDCCSRL */
	uint8_t mask;		/* POLL */
	uint32_t addr;		/* 24 bits; the wire aligns nothing: a long lies at a multiple of 4, a word not at 3
				 * modulo 4 (nor does one of the n that follow it). Else PT_EARG */
	uint32_t value;		/* in or out, see above */
	uint32_t n;		/* elements, lines or samples; >= 1 */
	uint32_t time_us;	/* DELAY, POLL, GO_UNTIL */
	void *bytes;		/* reads: out; WRITE_MEM: in (not changed). As memory
				 * holds them: most significant first */
	uint64_t sent_ns, done_ns;	/* out: given to the probe not before sent_ns; result here at done_ns */
};

enum pt_bdc_mode { PT_BDC_NORMAL, PT_BDC_SPECIAL };	/* BKGD high, or low, when reset is released */

struct pt_bdc_ops {
	/* Connects the wire without stopping the core: leaves power as it is, does SYNC, enables ACK if this is best
	 * for the probe. bdcsi_hz: out. BDCCSR is not written, except by firmware that always does this (usbdm sets
	 * ENBDC). PT_EPROTO: no answer to SYNC (no power, no clock, not wired). */
	int (*connect)(void *state, uint32_t *bdcsi_hz, struct pt_err *err);
	/* Run a batch in order with as few packets and round trips as the probe allows.
	 *   timeout_ms  without any progress; delays, polls and GO_UNTIL are not counted
	 *   n_done      out: operations that completed, in order, also on error. What is behind a failed one was
	 *               not done, or its effect is that of READs only
	 * Returns 0 when all were done or when a poll expired (n_done is then its index), or
	 *   PT_EFAULT    the target refused: an error flag of BDCCSR is set (set_errors()), by this list or before;
	 *                the caller reads BDCCSR, and clears its flags. On a probe that uses no ACK (ACK_ENABLE is not
	 *                in can) n_done is the first operation that may have failed, and those behind it were done,
	 *                too; its lists end with a look at BDCCSR, unless there are only operations that are always
	 *                available
	 *   PT_ETIMEOUT  no ACK from the target, or no answer from the probe, for timeout_ms or sooner
	 *   PT_EPROTO    a reply that the protocol does not allow, no power at the target, or no answer to SYNC
	 *   PT_EUNSUPPORTED   an operation that is not in can; nothing was done
	 *   PT_EARG, PT_EINTERRUPTED, PT_EIO
	 * Whatever it returns, no response is outstanding afterwards, or the driver collects it at its next call. */
	int (*run)(void *state, struct pt_bdc_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		   struct pt_err *err);
	uint32_t (*can)(void *state);	/* bits 1 << enum pt_bdc_do */
	/* Sets which bits of BDCCSR are error flags; PT_BDC_ERRORS before. NULL: the probe's firmware decides. */
	void (*set_errors)(void *state, uint16_t errors);
	/* Reset by the pin (or by power where there is no pin, if the probe can), in normal or special
	 * mode; the core runs from its vector, or waits in active background before its first
	 * instruction. PT_EUNSUPPORTED without a pin. */
	int (*reset)(void *state, enum pt_bdc_mode mode, struct pt_err *err);
	/* Erase the whole part and leave it unsecured. Only on an explicit request of the user. NULL: impossible. */
	int (*mass_erase)(void *state, struct pt_err *err);
};

#endif
