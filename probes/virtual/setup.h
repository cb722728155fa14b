/* A virtual board on the cable of a virtual probe, as a virtual URI describes them: what a model link, the TCP server
 * and the emulated USB device of the tests have in common. */
#ifndef PT_VIRTUAL_SETUP_H
#define PT_VIRTUAL_SETUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/params.h"
#include "probes/virtual/boards.h"
#include "probes/virtual/probe/engine.h"
#include "probes/virtual/frame/faults.h"
#include "probes/virtual/frame/flow_log.h"
#include "probes/virtual/frame/swo_log.h"
#include "probes/virtual/frame/write_log.h"
#include "probes/virtual/frame/pace.h"

/* How a kind of link behaves; the model of a cable between host and probe. A request is on the wire for packet_ns, one
 * after the other; its response is with the host turnaround_ns after the probe has finished it, and packet_ns after
 * the response before it. A protocol whose requests and responses may be longer than a packet of the wire pays for each
 * of them.
 * Source: the link table of the design. */
struct pt_vlink_kind {
	const char *name;
	size_t wire_bytes;		/* a packet on the cable */
	size_t packet_bytes;		/* the longest request, and the longest response */
	unsigned depth;			/* requests outstanding, and the packet count that the probe reports */
	uint64_t packet_ns, turnaround_ns;
	bool fixed_packets;		/* HID: responses are padded */
	uint16_t trace_bytes;		/* of a packet of an endpoint for trace; 0: there can be none */
};

struct pt_vsetup {
	const struct pt_vboard_ops *ops;
	struct pt_vboard *board;
	struct pt_vflow_log *flow_log;	/* NULL: none */
	struct pt_vwrite_log *write_log;	/* the same */
	struct pt_vswo_log *swo_log;		/* the same */
	struct pt_params *settings;
	struct pt_vlink_kind link_kind;
	const struct pt_vlink_kind *link;	/* the same */
	struct pt_vpace pace;
	struct pt_vfaults faults;
	int faults_fd;			/* faults-from; -1: there is none */
	char faults_line[256];		/* as far as it has come */
	size_t faults_len;
	bool faults_told;		/* a line is taken, and its faults are not over */
	const char *driver;		/* of pt_vboard_probe() */
	const struct pt_vengine_ops *engine;
	void *engine_state;
	char product[64];		/* what the probe calls itself; begins with PT_LINK_VIRTUAL_PRODUCT */
};

/* name_and_query: what stands behind "virtual:". setup must not move while it is open: its parts point at one another.
 * Reads the file that elf= names. PT_EARG: no such board (the sentence lists them), unknown or wrong word, ELF that
 * cannot be read or is not for the board; PT_ENOMEM. After an error nothing is to be closed. */
int pt_vsetup_open(struct pt_vsetup *setup, const char *name_and_query, struct pt_err *err);
void pt_vsetup_close(struct pt_vsetup *setup);

/* The probe takes a request; see pt_vengine_ops.process. */
void pt_vsetup_process(struct pt_vsetup *setup, const uint8_t *request, size_t len_bytes, uint64_t at_ns,
		       pt_vrespond *respond, void *arg);
/* What happens to the next packet from the host, which is counted. Takes what has come from faults-from before. */
enum pt_vfault pt_vsetup_fault(struct pt_vsetup *setup);
/* For pt_vsetup_open() and _close(). path NULL: there is none. PT_EARG: it is no FIFO. */
int pt_vsetup_open_faults(struct pt_vsetup *setup, const char *path, struct pt_err *err);
void pt_vsetup_close_faults(struct pt_vsetup *setup);
/* How long a request or response is on the cable. */
uint64_t pt_vsetup_cable_ns(const struct pt_vsetup *setup, size_t len_bytes);

#endif
