/* What the files of the remote_bitbang driver share: bitbang.c (the device, wire jtag) and bitbang_swd.c (wire dap by
 * SWD). */
#ifndef PT_PROBES_BITBANG_H
#define PT_PROBES_BITBANG_H

#include "probes/wires/jtag_port.h"
#include "probes/wires/probe.h"
#include "probes/wires/swd_port.h"
#include "probes/wires/exchange.h"

enum { PT_BITBANG_MOST_BYTES = 2040 };		/* of a request */

struct pt_bitbang {
	struct pt_exchange exchange;
	struct pt_jtag_port port;
	struct pt_swd_port swd;
	size_t swd_bytes;		/* of the request that pack left in out */
	const uint8_t *levels;		/* of the answer, up to where they were taken */
	size_t request_bytes;		/* the longest that the link takes, PT_BITBANG_MOST_BYTES at most */
	uint32_t most_bits;
	uint8_t out[PT_BITBANG_MOST_BYTES];
};

/* Letters that read a level. */
size_t pt_bitbang_reads(const uint8_t *request, size_t len_bytes);
/* At least one read, and never as many as the question that finds back into step has. Returns the new length: one
 * more letter at most. */
size_t pt_bitbang_end_packet(uint8_t *out, size_t len_bytes);
/* Is the answer in b->turn.in one to a packet of so many reads? PT_EPROTO. */
int pt_bitbang_check(struct pt_bitbang *b, size_t n_reads, size_t len_bytes, struct pt_err *err);
/* A packet of its own: letters, and its answer. */
int pt_bitbang_ask(struct pt_bitbang *b, const char *letters, struct pt_err *err);

extern const struct pt_dap_ops pt_bitbang_dap_ops;	/* their state is a struct pt_bitbang */
void pt_bitbang_swd_init(struct pt_bitbang *b);

#endif
