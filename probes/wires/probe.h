/* A probe: opened from a URI, offers wires. Each wire is an ops table; operations are batched, because round trips take
 * most of the time. Board thread only, except pt_probe_interrupt().
 *
 * To add a driver: one file with a struct pt_probe_ops, and one word in PT_PROBE_DRIVERS; its URI is in its ops.
 * tests/test_probe_contract.c wants a device for it, and does the rest. */
#ifndef PT_PROBES_PROBE_H
#define PT_PROBES_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/params.h"
#include "probes/wires/link.h"
#include "probes/wires/bdc.h"
#include "probes/wires/dap.h"
#include "probes/wires/jtag.h"
#include "probes/wires/pins.h"
#include "probes/wires/rsp.h"
#include "probes/wires/stream.h"
#include "probes/wires/usb_id.h"

/* --- probes ------------------------------------------------------------------------------------------------------ */

enum pt_wire { PT_WIRE_DAP, PT_WIRE_JTAG, PT_WIRE_BDC, PT_WIRE_PINS, PT_WIRE_RSP, PT_WIRE_STREAM, PT_N_WIRES };

enum { PT_PROBE_FIRMWARE_TEXT = 64 };

struct pt_probe_info {
	struct pt_link_info link;
	char name[16];			/* driver */
	char firmware[PT_PROBE_FIRMWARE_TEXT], protocol[16];	/* from the probe; empty if it does not tell */
	char chip[16];			/* for a probe that is a chip without firmware: its name; else empty */
	size_t packet_bytes;		/* in use */
	unsigned packet_count;		/* limit of outstanding packets */
	/* The ways in which it can reach a chip. Set from the driver's ops before info(); a driver whose devices differ
	 * corrects it. */
	bool swd, jtag, bdc;
	bool swo;			/* it receives SWO; the next three members describe this */
	char swo_codings[24];		/* "uart", "uart manchester"; empty: unknown */
	uint32_t swo_most_bps;		/* its fastest rate; 0: unknown before a rate is set */
	uint32_t swo_ring_bytes;	/* size of its buffer; 0: unknown */
	bool in_turns;			/* each register takes a round trip; only memory is read in blocks */
	uint32_t target_mv;		/* the target's supply as measured by the probe, millivolts; 0: unknown */
	uint32_t speed_hz;
};

struct pt_framing;

/* A probe on the network that answered a search. Any machine may answer: texts are printable, but not trusted. */
struct pt_network_probe {
	char address[48];		/* for tcp= */
	char product[72], serial[16];
};

struct pt_probe_ops {
	const char *name;		/* in URIs and logs: "cmsis-dap" */
	const char *help;		/* a description in one line */
	/* The syntax of its URIs: "osbdm:[serial=S|usb=BUS-PORT]". The part before the colon is name. NULL: it has no
	 * URIs of its own (see probes/registry.c). */
	const char *address;
	const struct pt_framing *framing;	/* of a server on a stream; of a driver with usb: for tcp= */
	/* Makes the link from the part of the URI after the colon. NULL: it is a stream (framing), or on USB. */
	struct pt_link *(*connect)(const char *rest, struct pt_err *err);
	const struct pt_framing *usb_stream;	/* framing of the answers of an FTDI chip (probes/links/ftdi.h) */
	/* Which of the chip's interfaces to use, counted from that of its row in usb: from a setting, or the product's
	 * string. NULL: the row's. PT_EARG: an invalid setting */
	int (*channel)(const struct pt_params *settings, const char *product, uint16_t pid, struct pt_err *err);
	/* For chips that are also in devices that are not probes: whether the product's string says that this is a
	 * probe. Others are opened only by an address with the driver's name, or one that identifies the device. NULL:
	 * all are */
	bool (*is_probe)(const char *product, uint16_t pid);
	const struct pt_usb_id *usb;	/* the devices that are its; NULL: it is found nowhere on USB */
	size_t n_usb;
	/* Both ends know the length of a packet: on bulk there is no empty packet after one that fills its last USB
	 * packet, and a response is read with exactly the room of receive(). */
	bool sized;
	/* Searches all networks of this machine for such probes, and calls found for each answer, perhaps twice for a
	 * probe. May block 1 s. Returns the number of networks; or PT_EIO. NULL: they cannot be searched. */
	int (*discover)(void (*found)(void *arg, const struct pt_network_probe *at), void *arg, struct pt_err *err);
	size_t raw_serial;		/* serial numbers of this length are bytes, shown as hexadecimal; 0: none are */
	const struct pt_param *params;	/* settings of its own, besides pt_probe_params */
	size_t n_params;
	bool other_links;		/* its addresses may have tcp= and link= */
	size_t state_bytes;		/* allocated, zeroed and freed by probe.c */
	/* Connects to the device behind link; may block 1 s. A failed open releases everything itself: close() is not
	 * called. probe.c owns the link, and closes it after close() or a failed open. */
	int (*open)(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err);
	void (*close)(void *state);
	/* Fills the members that it knows; link is filled already, the driver may add what the link cannot know. */
	void (*info)(void *state, struct pt_probe_info *out);
	const struct pt_dap_ops *dap;	/* NULL: not offered; the same for each wire */
	const struct pt_jtag_ops *jtag;
	bool jtag_first;		/* most of these devices have only JTAG: transport=auto is JTAG */
	const struct pt_bdc_ops *bdc;
	const struct pt_pins_ops *pins;
	const struct pt_rsp_ops *rsp;
	const struct pt_stream_ops *stream;
};

struct pt_probe;	/* a driver and its link */

enum pt_probe_param {	/* index into pt_probe_params */
	PT_PROBE_SPEED, PT_PROBE_LIMIT_PACKETS, PT_PROBE_ATOMIC, PT_PROBE_WAIT_RETRY, PT_PROBE_MATCH_RETRY,
	PT_PROBE_IDLE_CYCLES, PT_PROBE_BDC_ACK, PT_PROBE_PATIENCE, PT_PROBE_TRANSPORT,
	PT_N_PROBE_PARAMS
};

extern const struct pt_param pt_probe_params[];	/* speed, limits and quirks that hold for any driver */
extern const size_t pt_n_probe_params;

/* Opens a driver on a link. Takes the link, also after an error. To open an address use pt_probe_open() of
 * probes/registry.h, which has the same settings and errors. */
struct pt_probe *pt_probe_open_link(const struct pt_probe_ops *ops, struct pt_link *link,
				    const struct pt_params *settings, struct pt_err *err);
void pt_probe_close(struct pt_probe *probe);	/* NULL is fine */

/* A board may have several probes, for example one for BDC and a logic analyser on the trace pins: a wire that `first`
 * does not offer is taken from the first joined probe that does. Takes over `other`, which is closed with `first`. */
void pt_probe_join(struct pt_probe *first, struct pt_probe *other);
struct pt_probe *pt_probe_next(struct pt_probe *probe);	/* the one that joined after it; NULL: none */
void pt_probe_hide(struct pt_probe *probe, enum pt_wire wire);	/* as if the probe did not offer the wire */
/* Checks that each of them is still there. Takes interrupts that are pending at any of them. 0, or PT_EIO with which
 * one is gone. */
int pt_probe_look(struct pt_probe *first, struct pt_err *err);

/* The ops of the wire and the state to pass to them; NULL: neither the probe nor a joined one offers the wire. A probe
 * with only jtag, or with transport=jtag, offers dap over it (jtag_dap.h). */
const struct pt_dap_ops *pt_probe_dap(struct pt_probe *probe, void **state);
const struct pt_jtag_ops *pt_probe_jtag(struct pt_probe *probe, void **state);
const struct pt_bdc_ops *pt_probe_bdc(struct pt_probe *probe, void **state);
const struct pt_pins_ops *pt_probe_pins(struct pt_probe *probe, void **state);
const struct pt_rsp_ops *pt_probe_rsp(struct pt_probe *probe, void **state);
/* If a joined probe has only this wire, it is used. */
const struct pt_stream_ops *pt_probe_stream(struct pt_probe *probe, void **state);

void pt_probe_info(struct pt_probe *probe, struct pt_probe_info *out);
struct pt_link *pt_probe_link(struct pt_probe *probe);	/* for its clock, wait and traffic */
void pt_probe_interrupt(struct pt_probe *probe);	/* any thread; also the joined probes */

/* The measured speed of a probe, for `monitor speed` and the listing. Needs a connected wire with a target that
 * answers: it reads DPIDR, which disturbs nothing, for up to 0.5 s on the slowest links. */
struct pt_probe_speed {
	uint64_t round_trip_ns;		/* a round trip for one register; the best of several */
	uint32_t words_per_s;		/* a long block of registers, pipelined */
	uint32_t swclk_hz;		/* the clock computed from the time per word: 46 clocks a word by SWD, 40
					 * through a JTAG-DP; without a debug port, clocks in Run-Test/Idle are
					 * measured, 32 a word */
	bool at_least;			/* the link is slower than the wire, so the clock may be higher */
	bool in_turns;			/* as in struct pt_probe_info: words_per_s is not the rate of memory reads */
};
/* Errors as of pt_dap_ops.run. */
int pt_probe_measure(struct pt_probe *probe, struct pt_probe_speed *out, struct pt_err *err);

/* Computed limits of the cables: words per second of long blocks. */
struct pt_probe_limit {
	uint32_t link_words_per_s;	/* packets of this size on this USB, with nothing else on the bus; 0: unknown */
	uint32_t wire_words_per_s;	/* words at the wire's clock without a pause; 0: unknown */
};
void pt_probe_limit(struct pt_probe *probe, struct pt_probe_limit *out);

/* The same for wire bdc: reads BDCCSR, which disturbs nothing, and measures the target's clock by SYNC. */
struct pt_probe_bdc_speed {
	uint64_t round_trip_ns;		/* a round trip for one BDCCSR; the best of several */
	uint32_t commands_per_s;	/* many of them in one list */
	uint32_t bdcsi_hz;		/* the target's clock, which is the wire's: it cannot be set */
};
/* Errors as of pt_bdc_ops.run. */
int pt_probe_measure_bdc(struct pt_probe *probe, struct pt_probe_bdc_speed *out, struct pt_err *err);

/* A logic analyser that is plugged in: it captures the pins of a trace port. */
struct pt_logic_found {
	char uri[128];		/* opens it: "logic:driver=fx2lafw" */
	char product[64], serial[64], where[64];	/* serial, where: "" if it does not say */
	unsigned n_lines;
};

#endif
