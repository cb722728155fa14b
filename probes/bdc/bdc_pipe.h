/* The protocol of the probe that our virtual boards have for BDC and trace pins: bytes on BKGD and levels of pins, in
 * packets. No product speaks it; it stands for what a probe made for the purpose could do. All numbers little-endian,
 * unless said.
 *
 * A request:  u8 sequence (the host's, any), u8 flags (PT_PIPE_CHAINED), then a row of operations.
 * A response: u8 sequence of its request, u8 enum pt_pipe_status, u8 number of operations done, then what these
 * answered, in
 *             order. One response for each request, in order; also for one that was skipped or that makes no sense.
 *
 * The status is that of the first operation that ended the request early, and none behind it is carried out;
 * PT_PIPE_NO_ACK and PT_PIPE_NO_TARGET: that operation is not counted and answers nothing. PT_PIPE_LONG_ACK and
 * PT_PIPE_EXPIRED: it is counted, and has answered. */
#ifndef PT_PROBES_BDC_PIPE_H
#define PT_PROBES_BDC_PIPE_H

enum { PT_PIPE_REQUEST_HEAD = 2, PT_PIPE_RESPONSE_HEAD = 3 };	/* bytes */

/* Do nothing (PT_PIPE_SKIPPED) when the request before this one did not end with PT_PIPE_DONE: so rows of requests may
 * be sent without waiting, and what stands behind a failure is not done. The first request ever counts as after a good
 * one. */
enum { PT_PIPE_CHAINED = 1 };

enum pt_pipe_op {
	PT_PIPE_INFO = 0x01,		/* answers u16 most bytes of a packet, u8 packets it
					 * queues, u8 length, that much text */
	PT_PIPE_SEND = 0x02,		/* u8 n, n bytes: to the target */
	PT_PIPE_RECEIVE = 0x03,		/* u8 n: answers n bytes from the target */
	PT_PIPE_ACK = 0x04,		/* u16 ms at most: wait for the target's ACK pulse to what was sent last; one
					 * that has come already counts, once. Answers u8: 1 ACK, 2 long ACK. Not come:
					 * PT_PIPE_NO_ACK */
	PT_PIPE_CYCLES = 0x05,		/* u16: BDCSI cycles of rest */
	PT_PIPE_SYNC = 0x06,		/* answers u32: BDCSI Hz as measured, 0: no answer. The probe sends at that rate
					 * from here on */
	PT_PIPE_DRIVE = 0x07,		/* u8 pins, u8 values, bits of enum pt_pipe_pin: 0 drives
					 * low, 1 lets go (POWER: off, on) */
	PT_PIPE_DELAY = 0x08,		/* u32 us */
	PT_PIPE_POLL = 0x09,		/* u24 address (big-endian, as sent), u8 mask, u8 value, u8 1: the target sends
					 * ACK, u32 us: READ_MEM.B again and again until (byte & mask) == value, at
					 * least once; answers u8: 1 it came, 0 time is over (PT_PIPE_EXPIRED), u8: the
					 * last byte */
	PT_PIPE_CHECK = 0x0a,		/* ends the request with PT_PIPE_LONG_ACK if one came since its begin, or since
					 * the CHECK before */
	PT_PIPE_CAPTURE = 0x10,		/* u32 least samples a second: begin, and forget what is there; answers u32:
					 * samples a second (0: too fast for it), u64 ns: its clock, when the first
					 * sample is taken. Lines: 0 PDO, 1 PDOCLK */
	PT_PIPE_CAPTURED = 0x11,	/* u16 most bytes of runs: answers u8 1: nothing more comes, u64 ns of the first
					 * sample of these, u32 samples lost before it, u16 n, n bytes of runs. A run:
					 * u8, bit 7 PDOCLK, bit 6 PDO, bits 5:0 how many samples, up to 47; 0: u24
					 * samples follow; 48 + 4 (a - 1) + b - 1: a samples, then b samples with PDOCLK
					 * the other way round, 1 to 4 of each, as bits at full speed make them. A run
					 * may go on in the next */
	PT_PIPE_CAPTURE_STOP = 0x12,	/* what was taken up to here can still be fetched */
};

enum pt_pipe_status {
	PT_PIPE_DONE,
	PT_PIPE_NO_ACK,
	PT_PIPE_BAD_REQUEST,		/* unknown, cut short, or answers more than a packet holds */
	PT_PIPE_NO_TARGET,		/* no power at the target */
	PT_PIPE_LONG_ACK,
	PT_PIPE_EXPIRED,
	PT_PIPE_SKIPPED,
};

enum pt_pipe_pin { PT_PIPE_BKGD = 1, PT_PIPE_RESET = 2, PT_PIPE_POWER = 4 };

#endif
