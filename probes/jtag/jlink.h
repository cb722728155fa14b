/* J-Link, what the files of its driver share. One idea per file:
 *   jlink.c         the device: open, what it says about itself, its lines, both wires' set-up
 *   jlink_io.c      commands and answers kept in step, whatever goes wrong
 *   jlink_shift.c   transfers of SWD and clocks of JTAG as shifts
 *   jlink_swo.c     wire stream: SWO
 *   jlink_network.c those on the network
 * Source: libjaylink, probe-rs, Black Magic Probe hosted, OpenOCD's jlink; names as in RM08001 (EMU_CMD_...). */
#ifndef PT_PROBES_JLINK_H
#define PT_PROBES_JLINK_H

#include "probes/wires/exchange.h"
#include "probes/wires/jtag_port.h"
#include "probes/wires/probe.h"
#include "probes/wires/stream_buffer.h"
#include "probes/wires/swd_port.h"

enum {
	JLINK_VERSION = 0x01, JLINK_SET_SPEED = 0x05, JLINK_GET_STATE = 0x07, JLINK_REGISTER = 0x09,
	JLINK_GET_SPEEDS = 0xc0, JLINK_SELECT_IF = 0xc7, JLINK_SHIFT_2 = 0xce, JLINK_SHIFT_3 = 0xcf,
	JLINK_GET_FREE_MEMORY = 0xd4, JLINK_RESET_LOW = 0xdc, JLINK_RESET_HIGH = 0xdd, JLINK_TRST_LOW = 0xde,
	JLINK_TRST_HIGH = 0xdf, JLINK_GET_CAPS = 0xe8, JLINK_SWO = 0xeb, JLINK_GET_CAPS_EX = 0xed, JLINK_GET_HW_VERSION = 0xf0,
};
enum {	/* bits of the capabilities */
	JLINK_CAP_HW_VERSION = 1, JLINK_CAP_SPEEDS = 9, JLINK_CAP_FREE_MEMORY = 11, JLINK_CAP_SELECT_IF = 17, JLINK_CAP_SWO = 23,
	JLINK_CAP_REGISTER = 27, JLINK_CAP_CAPS_EX = 31,
};
enum jlink_interface { JLINK_JTAG, JLINK_SWD, JLINK_NO_INTERFACE };

enum {
	JLINK_MOST_BITS = 65535,	/* of a shift: its length has two bytes */
	JLINK_SHIFT_HEAD = 4,
	JLINK_COMMAND_BYTES = JLINK_SHIFT_HEAD + 2 * (JLINK_MOST_BITS / 8 + 1),
	JLINK_USB_PACKET = 64,
	JLINK_NETWORK_PORT = 19020,	/* TCP, and UDP for a search. Source: libjaylink */
};

struct jlink_swo {			/* jlink_swo.c */
	bool active;			/* from start() to stop() */
	uint32_t ring_bytes;
	struct pt_link *clock;		/* of the times */
	struct pt_stream_buffer buffer;
};

struct jlink {
	struct pt_exchange exchange;
	struct pt_jtag_port port;
	struct pt_swd_port swd;
	uint16_t usb_pid;
	char firmware[PT_PROBE_FIRMWARE_TEXT];
	uint32_t caps, hw_version;	/* 0: it does not say */
	uint32_t interfaces;		/* bits 1 << enum jlink_interface */
	uint32_t target_mv;
	uint16_t handle;		/* of our connection; 0: none */
	uint32_t most_bits, jtag_bits;	/* of a shift, and of one by JTAG */
	uint32_t jtag_bits_asked;	/* by a setting; 0: as is known to work */
	struct jlink_swo swo;
	bool lines_are_ours;		/* nRESET and nTRST are as this host wants them */
	enum jlink_interface interface;	/* that is selected */
	uint32_t asked_hz, hz;		/* the clock as it was asked for, and as it is */
	uint32_t base_hz, min_divider;	/* 0: it does not say */
	bool old_jtag;			/* by CE, which has no status */

	/* jlink_io.c */
	uint8_t in[PT_EXCHANGE_BYTES];	/* the last answer */
	size_t in_bytes;
	/* jlink_shift.c */
	uint8_t out[JLINK_COMMAND_BYTES];	/* the shift that is packed next */
	size_t out_bytes;
	uint32_t at_bit;		/* of the answer, up to where transfers were taken */
	/* The line reset and the switch to SWD go in front of the transfers that come next: they wait; they are in front of
	 * the oldest shift whose answer has not come. */
	bool selects, selected;
};

/* --- commands and answers (jlink_io.c) ---------------------------------------------------------------------------- */

void jlink_io_init(struct jlink *j, struct pt_link *link);
extern const struct pt_framing jlink_framing;	/* over TCP */
/* A server on the network speaks first. PT_EBUSY: it has no free connection; PT_EPROTO: it is no J-Link. */
int jlink_await_hello(struct jlink *j, struct pt_err *err);
int jlink_settle(struct jlink *j, struct pt_err *err);
/* A command that has no answer. */
int jlink_tell(struct jlink *j, const uint8_t *command, size_t n_bytes, struct pt_err *err);
/* A command and the first n_want bytes of its answer, in j->in. 0, PT_ETIMEOUT, PT_EPROTO, PT_EINTERRUPTED, PT_EIO. */
int jlink_ask(struct jlink *j, const uint8_t *command, size_t n_bytes, size_t n_want, struct pt_err *err);
/* n_want bytes of the same answer behind the first n_taken of those before. */
int jlink_ask_more(struct jlink *j, size_t n_taken, size_t n_want, struct pt_err *err);
/* The oldest answer: n_want bytes; what a device pads it with is dropped. */
int jlink_receive(struct jlink *j, size_t n_want, uint64_t deadline_ns, struct pt_err *err);

/* --- shifts (jlink_shift.c) --------------------------------------------------------------------------------------- */

/* Of a device with so much memory free; jtag_bits 0: as is known to work. PT_EPROTO: no shift fits. */
int jlink_shift_init(struct jlink *j, uint32_t memory_bytes, uint32_t jtag_bits, struct pt_err *err);
/* After its clock has changed. */
void jlink_shift_set_clock(struct jlink *j);
/* Levels on SWDIO, or on TMS with TDI high. */
int jlink_shift_levels(struct jlink *j, const uint8_t *bits, size_t n_bits, struct pt_err *err);
extern const struct pt_swd_port_ops jlink_swd_port_ops;
extern const struct pt_jtag_port_ops jlink_jtag_port_ops;

/* --- wire stream (jlink_swo.c) ------------------------------------------------------------------------------------ */

extern const struct pt_stream_ops jlink_stream_ops;	/* their state is a struct jlink */
void jlink_swo_close(struct jlink *j);

/* --- those on the network (jlink_network.c) ----------------------------------------------------------------------- */

/* As of struct pt_probe_ops. */
int jlink_discover(void (*found)(void *arg, const struct pt_network_probe *at), void *arg, struct pt_err *err);
/* All of out but its address. False: this is no J-Link's answer. */
bool jlink_network_parse(const uint8_t *bytes, size_t n_bytes, struct pt_network_probe *out);

#endif
