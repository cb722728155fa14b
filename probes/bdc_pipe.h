/* The protocol of the probe that our virtual boards have for BDC and trace pins: bytes on BKGD and levels of pins, in packets.
 * No product speaks it; it stands for what a probe made for the purpose could do. All numbers little-endian.
 *
 * A request is a row of operations; a response begins with PT_PIPE_STATUS and the number of operations done (u8 each), then
 * what the operations answered, in order. An operation that fails ends the request. */
#ifndef PT_PROBES_BDC_PIPE_H
#define PT_PROBES_BDC_PIPE_H

enum pt_pipe_op {
	PT_PIPE_INFO = 0x01,		/* answers u16 most bytes of a packet, u8 packets it queues, u8 length, that much text */
	PT_PIPE_SEND = 0x02,		/* u8 n, n bytes: to the target */
	PT_PIPE_RECEIVE = 0x03,		/* u8 n: answers n bytes from the target */
	PT_PIPE_ACK = 0x04,		/* u16 ms at most: wait for the target's ACK pulse; answers u8: 1 ACK, 2 long ACK */
	PT_PIPE_CYCLES = 0x05,		/* u16: BDCSI cycles of rest */
	PT_PIPE_SYNC = 0x06,		/* answers u32: BDCSI Hz as measured, 0: no answer. The probe sends at that rate from here on */
	PT_PIPE_DRIVE = 0x07,		/* u8 pins, u8 values, bits of enum pt_pipe_pin: 0 drives low, 1 lets go */
	PT_PIPE_DELAY = 0x08,		/* u32 us */
	PT_PIPE_POLL = 0x09,		/* u24 address (big-endian, as sent), u8 mask, u8 value, u32 us: READ_MEM.B again and
					 * again until (byte & mask) == value; answers u8: 1 it came, 0 time is over, u8: the byte */
	PT_PIPE_CAPTURE = 0x10,		/* u32 least samples a second: begin; answers u32: samples a second (0: too fast for it),
					 * u64 ns: its clock. Lines: 0 PDO, 1 PDOCLK */
	PT_PIPE_CAPTURED = 0x11,	/* u16 most runs: answers u8 1: nothing more comes, u64 ns of the first sample, u32 samples
					 * lost before it, u16 n, n u32 runs as in wire_pins.h */
	PT_PIPE_CAPTURE_STOP = 0x12,
};

enum pt_pipe_status {
	PT_PIPE_DONE,
	PT_PIPE_NO_ACK,
	PT_PIPE_BAD_REQUEST,		/* unknown, cut short, or more than a response holds */
	PT_PIPE_NO_TARGET,		/* no power at the target */
};

enum pt_pipe_pin { PT_PIPE_BKGD = 1, PT_PIPE_RESET = 2, PT_PIPE_POWER = 4 };

#endif
