/* What the files of the driver for FTDI's MPSSE share: mpsse.c (the device), mpsse_io.c (requests and answers),
 * mpsse_swd.c (wire dap by SWD), mpsse_jtag.c (wire jtag), mpsse_layouts.c (what is connected to its pins).
 *
 * A request is a piece of the stream of opcodes that ends with an opcode and makes at least one byte of answer; it is
 * always ended by "send what you have", so that the chip's latency timer does not matter.
 * Sources: FTDI AN_108 (opcodes), AN_129 (pins); ftdi.h of libftdi1 (control requests). */
#ifndef PT_PROBES_MPSSE_H
#define PT_PROBES_MPSSE_H

#include "probes/jtag/mpsse_layouts.h"
#include "probes/links/links.h"
#include "probes/wires/jtag_port.h"
#include "probes/wires/probe.h"
#include "probes/wires/swd_port.h"

enum {	/* opcodes: shifts, LSB first, out on the falling edge, in on the rising one */
	MPSSE_OUT_BYTES = 0x19, MPSSE_OUT_BITS = 0x1b, MPSSE_IN_BYTES = 0x28, MPSSE_IN_BITS = 0x2a,
	MPSSE_BOTH_BYTES = 0x39, MPSSE_BOTH_BITS = 0x3b, MPSSE_TMS = 0x4b, MPSSE_TMS_IN = 0x6b,
};
enum {	/* and others */
	MPSSE_SET_LOW = 0x80, MPSSE_READ_LOW, MPSSE_SET_HIGH, MPSSE_READ_HIGH, MPSSE_LOOP_ON, MPSSE_LOOP_OFF,
	MPSSE_DIVISOR, MPSSE_SEND_NOW, MPSSE_BASE_60M = 0x8a, MPSSE_THREE_PHASE_OFF = 0x8d, MPSSE_CLOCK_BITS,
	MPSSE_CLOCK_BYTES, MPSSE_ADAPTIVE_ON = 0x96, MPSSE_ADAPTIVE_OFF, MPSSE_BAD_OPCODE = 0xfa,
};
enum { MPSSE_TCK = 0x01, MPSSE_TDI = 0x02, MPSSE_TDO = 0x04, MPSSE_TMS_PIN = 0x08 };

enum {
	PT_MPSSE_MOST_BYTES = 16384,	/* of a request, and of its answer */
	MPSSE_MOST_OUTSTANDING = 4,	/* requests: enough that the chip never waits, and few enough that each
					 * answer has a transfer that waits for it */
};

struct pt_mpsse_chip {
	uint16_t release;		/* bcdDevice decides, not the product's number: clones have that, too */
	const char *name;
	bool fast;			/* H series: 60 MHz, adaptive clocking, clocks without data */
};

struct pt_mpsse {
	struct pt_link *link;
	const struct pt_mpsse_chip *chip;
	struct pt_mpsse_layout layout;
	uint16_t index;			/* of the channel, in control requests: 1 is A */
	uint16_t pins, outputs;		/* as last set: ACBUS in the high byte */
	bool adaptive, resistor;
	uint32_t hz;			/* TCK or SWCLK in use */

	/* mpsse_io.c */
	size_t request_bytes;		/* the longest in use */
	size_t packet_data;		/* bytes of answers in a packet on the cable */
	uint8_t out[PT_MPSSE_MOST_BYTES], in[PT_MPSSE_MOST_BYTES];
	size_t n_out, n_answer;		/* of the request that is built, and of the answer that it will have */
	size_t wanted[MPSSE_MOST_OUTSTANDING];	/* bytes of the answers that were not taken, a ring */
	unsigned oldest, debt;
	bool out_of_step;

	struct pt_jtag_port jtag;
	struct pt_swd_port swd;
	uint8_t release[6], drive[6];	/* opcodes that turn SWDIO around */
	size_t n_release, n_drive;
	size_t taken_at;		/* of the answer, up to where transfers were taken */
};

/* --- mpsse_io.c --------------------------------------------------------------------------------------------------- */

enum { MPSSE_ANSWER_MS = 400 };		/* no healthy chip takes longer, clocks apart */

/* The chip as it is when it comes from its plug: MPSSE on, pins as inputs, nothing outstanding. PT_EPROTO, PT_ETIMEOUT:
 * what is there is no MPSSE. */
int mpsse_start(struct pt_mpsse *m, struct pt_err *err);
void mpsse_stop(struct pt_mpsse *m);		/* a serial port again, no pin driven */
/* Collect what earlier calls left; after silence or nonsense find back into step. Called by each wire before its first
 * request. Errors as of pt_link_receive(). */
int mpsse_settle(struct pt_mpsse *m, struct pt_err *err);

/* A request is built in m->out. What makes a byte of answer counts it in m->n_answer. */
void mpsse_begin(struct pt_mpsse *m);
void mpsse_put(struct pt_mpsse *m, uint8_t byte);
void mpsse_put_all(struct pt_mpsse *m, const uint8_t *bytes, size_t n);
void mpsse_put_read(struct pt_mpsse *m);	/* the level of ADBUS: one byte of answer */
void mpsse_put_pins(struct pt_mpsse *m);	/* m->pins and m->outputs */
void mpsse_put_divisor(struct pt_mpsse *m);	/* of m->hz, which becomes what the chip can do */
void mpsse_put_out(struct pt_mpsse *m, const uint8_t *bits, uint32_t n_bits);	/* driven at TDI, none taken */
/* Sends what was built, ended. Answers come in order, into m->in; one of another length is PT_EPROTO. Returns its
 * length, or the link's error. */
int mpsse_send(struct pt_mpsse *m, struct pt_err *err);
int mpsse_receive(struct pt_mpsse *m, uint64_t deadline_ns, struct pt_err *err);
int mpsse_ask(struct pt_mpsse *m, struct pt_err *err);	/* both */

extern const struct pt_framing mpsse_framing;

/* --- the wires ---------------------------------------------------------------------------------------------------- */

void mpsse_swd_init(struct pt_mpsse *m);
void mpsse_jtag_init(struct pt_mpsse *m);
extern const struct pt_dap_ops mpsse_dap_ops;	/* their state is a struct pt_mpsse */
extern const struct pt_jtag_ops mpsse_jtag_ops;
int mpsse_set_speed(void *state, uint32_t hz, uint32_t *hz_used, struct pt_err *err);	/* of both */
int mpsse_set_pins(struct pt_mpsse *m, struct pt_err *err);	/* m->pins and m->outputs, at once */
void mpsse_swd_turns(struct pt_mpsse *m);	/* they have changed: opcodes that turn SWDIO around have them, too */
int mpsse_no_reset(struct pt_mpsse *m, const char *line, struct pt_err *err);	/* PT_EUNSUPPORTED: what to set */

#endif
