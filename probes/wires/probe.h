/* A probe: opened from a URI, offers wires. Each wire is an ops table; batching is in the contract, because round
 * trips are what takes time. Board thread only, except pt_probe_interrupt().
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
	char firmware[PT_PROBE_FIRMWARE_TEXT], protocol[16];	/* as the probe says; empty where it does not */
	char chip[16];			/* of a probe that is a chip without firmware: its name; empty for others */
	size_t packet_bytes;		/* in use */
	unsigned packet_count;		/* outstanding packets in use */
	/* What it can reach a chip by. Set before info() as the driver's ops say; a driver whose devices differ corrects
	 * it. */
	bool swd, jtag, bdc;
	bool swo;			/* it receives SWO; the three below are of that */
	char swo_codings[24];		/* "uart", "uart manchester"; empty: it does not say */
	uint32_t swo_most_bps;		/* its fastest rate; 0: it does not say before it is asked for one */
	uint32_t swo_ring_bytes;	/* what it holds between two reads; 0: not known */
	bool in_turns;			/* a register takes a round trip each; only memory goes in blocks */
	uint32_t target_mv;		/* the target's supply as the probe measures it, millivolts; 0: it does not say */
	uint32_t speed_hz;
};

struct pt_framing;

/* A probe on the network, as it answers a search. Any machine may answer: texts can be printed, and nothing else holds. */
struct pt_network_probe {
	char address[48];		/* for tcp= */
	char product[72], serial[16];
};

struct pt_probe_ops {
	const char *name;		/* in URIs and logs: "cmsis-dap" */
	const char *help;		/* what it is, in a line */
	/* How a URI names one, as a sentence lists it: "osbdm:[serial=S|usb=BUS-PORT]". What is before the colon is name.
	 * NULL: no URI of its own leads to it (probes/registry.c has what does). */
	const char *address;
	const struct pt_framing *framing;	/* a server on a stream, whose answers are so framed; of a driver with usb: by tcp= */
	/* Makes the link of what follows the colon of such a URI. NULL: it is a stream (framing), or on USB. */
	struct pt_link *(*connect)(const char *rest, struct pt_err *err);
	const struct pt_framing *usb_stream;	/* of a chip of FTDI's: its answers are so framed (probes/links/ftdi.h) */
	/* Which of the chip's interfaces is meant, counted from that of its row of usb: a setting, or what the product's
	 * string says. NULL: the row's. PT_EARG: a setting that makes no sense */
	int (*channel)(const struct pt_params *settings, const char *product, uint16_t pid, struct pt_err *err);
	/* Such a chip is in many devices that are no probe: does the product's string say that this is one? Another is
	 * opened only by an address that has the driver's name, or says which device. NULL: all are */
	bool (*is_probe)(const char *product, uint16_t pid);
	const struct pt_usb_id *usb;	/* the devices that are its; NULL: it is found nowhere on USB */
	size_t n_usb;
	/* Both ends know how long a packet is: on bulk one that fills its last USB packet is not ended by an empty one, and
	 * a response is fetched with exactly the room that receive() has. */
	bool sized;
	/* Asks every network that this machine is on for such probes, and calls found for each answer, maybe twice for one
	 * probe. May block 1 s. Returns on how many networks; or PT_EIO. NULL: they cannot be searched. */
	int (*discover)(void (*found)(void *arg, const struct pt_network_probe *at), void *arg, struct pt_err *err);
	size_t raw_serial;		/* a serial number of so many characters is bytes, shown as hexadecimal; 0: none is */
	const struct pt_param *params;	/* settings of its own, besides pt_probe_params */
	size_t n_params;
	bool other_links;		/* tcp= and link= of its address choose among ways to it */
	size_t state_bytes;		/* the core allocates this much, zeroed, and frees it */
	/* Talk to the device behind link; may block 1 s. A failed open undoes its own work: no close() follows.
	 * The link is the core's: it closes it after close() or a failed open. */
	int (*open)(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err);
	void (*close)(void *state);
	/* Fills what it knows; link is filled already, the driver may add what the link cannot know of its device. */
	void (*info)(void *state, struct pt_probe_info *out);
	const struct pt_dap_ops *dap;	/* NULL: not offered; so for every wire */
	const struct pt_jtag_ops *jtag;
	bool jtag_first;		/* most devices of this kind have JTAG alone: transport=auto is JTAG */
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

/* A driver over a link. Takes the link, also on failure. An address is opened by pt_probe_open() of probes/registry.h,
 * whose settings and errors are these. */
struct pt_probe *pt_probe_open_link(const struct pt_probe_ops *ops, struct pt_link *link,
				    const struct pt_params *settings, struct pt_err *err);
void pt_probe_close(struct pt_probe *probe);	/* NULL is fine */

/* A board may have several probes, say one for BDC and a logic analyser on the trace pins: what `first` does not offer
 * comes from the first of those that joined it and does. Takes over `other`, which is closed with `first`. */
void pt_probe_join(struct pt_probe *first, struct pt_probe *other);
struct pt_probe *pt_probe_next(struct pt_probe *probe);	/* the one that joined after it; NULL: none */
void pt_probe_hide(struct pt_probe *probe, enum pt_wire wire);	/* as if it did not offer the wire */
/* Is each of them still there? Takes interrupts that are pending at any of them. 0, or PT_EIO with
 * which one is gone. */
int pt_probe_look(struct pt_probe *first, struct pt_err *err);

/* The wire's ops and the state to pass to them; NULL when neither the probe nor one that joined it offers the wire. A
 * probe with jtag alone, or with transport=jtag, offers dap over it (jtag_dap.h). */
const struct pt_dap_ops *pt_probe_dap(struct pt_probe *probe, void **state);
const struct pt_jtag_ops *pt_probe_jtag(struct pt_probe *probe, void **state);
const struct pt_bdc_ops *pt_probe_bdc(struct pt_probe *probe, void **state);
const struct pt_pins_ops *pt_probe_pins(struct pt_probe *probe, void **state);
const struct pt_rsp_ops *pt_probe_rsp(struct pt_probe *probe, void **state);
/* Of a probe that has this wire alone, if there is one. */
const struct pt_stream_ops *pt_probe_stream(struct pt_probe *probe, void **state);

void pt_probe_info(struct pt_probe *probe, struct pt_probe_info *out);
struct pt_link *pt_probe_link(struct pt_probe *probe);	/* for its clock, wait and traffic */
void pt_probe_interrupt(struct pt_probe *probe);	/* any thread; those that joined it, too */

/* What a probe really does, for `monitor speed` and the listing. Needs a connected wire with a target that answers:
 * it reads DPIDR, which disturbs nothing, for up to 0.5 s on the slowest links. */
struct pt_probe_speed {
	uint64_t round_trip_ns;		/* one register, there and back; the best of several */
	uint32_t words_per_s;		/* a long block of registers, pipelined */
	uint32_t swclk_hz;		/* the clock that the time per word amounts to: 46 clocks a word by SWD, 40
					 * through a JTAG-DP; with no debug port, clocks in Run-Test/Idle are timed, 32
					 * a word */
	bool at_least;			/* the link is slower than the wire, so the clock may be higher */
	bool in_turns;			/* as in struct pt_probe_info: words_per_s says nothing of memory */
};
/* Errors as of pt_dap_ops.run. */
int pt_probe_measure(struct pt_probe *probe, struct pt_probe_speed *out, struct pt_err *err);

/* What the cables allow at most, computed: words a second of long blocks. */
struct pt_probe_limit {
	uint32_t link_words_per_s;	/* packets of this size on this USB, with nothing else on the bus; 0: not known */
	uint32_t wire_words_per_s;	/* words at the wire's clock without a pause; 0: not known */
};
void pt_probe_limit(struct pt_probe *probe, struct pt_probe_limit *out);

/* The same of wire bdc: it reads BDCCSR, which disturbs nothing, and measures the target's clock by SYNC. */
struct pt_probe_bdc_speed {
	uint64_t round_trip_ns;		/* one BDCCSR, there and back; the best of several */
	uint32_t commands_per_s;	/* many of them in one list */
	uint32_t bdcsi_hz;		/* the target's clock, which the wire runs at: it cannot be set */
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
