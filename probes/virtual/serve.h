/* A virtual board's probe on the network, for other programs, in real time: CMSIS-DAP over TCP, or the packets of
 * whatever probe the board has, in the same frames; a probe whose protocol is a stream by itself (XVC, remote_bitbang)
 * as it is.
 *
 * One host has the probe at a time; the next one waits until it has left. A host that does not begin in the protocol
 * is disconnected before anything of it is carried out; one that says nothing has no probe (base/first_bytes.h).
 * Loop thread. Source: framing as in OpenOCD's cmsis_dap_tcp.c. */
#ifndef PT_VIRTUAL_SERVE_H
#define PT_VIRTUAL_SERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/error.h"
#include "probes/virtual/setup.h"

struct pt_vserve;

enum { PT_VSERVE_REMOTE = 1, PT_VSERVE_UNIDENTIFIED = 2 };
/* allow: REMOTE, an address that other machines may reach; UNIDENTIFIED, a protocol on TCP whose hosts cannot be told
 * from others (remote_bitbang).
 * board: what stands behind "virtual:"; its clock is "wall" and its link "tcp" unless it says otherwise (the link gives
 * packet size and count; its times are those of the network). address: see listen.h. NULL: PT_EARG, PT_EBUSY, PT_EPERM,
 * PT_ENOMEM with the sentence. */
struct pt_vserve *pt_vserve_new(uv_loop_t *loop, const char *board, const char *address, unsigned allow,
				struct pt_err *err);
/* Another engine in its place, whose state is freed by it, also on failure. */
struct pt_vserve *pt_vserve_engine(uv_loop_t *loop, const struct pt_vengine_ops *engine, void *state,
				   const struct pt_vlink_kind *link, const char *address, unsigned allow,
				   struct pt_err *err);
void pt_vserve_host(struct pt_vserve *serve);	/* it serves this process alone: nothing is said of hosts */
const char *pt_vserve_what(const struct pt_vserve *serve);	/* what it serves, for the user */
const char *pt_vserve_address(const struct pt_vserve *serve);	/* with the real port */
bool pt_vserve_is_remote(const struct pt_vserve *serve);	/* other machines may reach it */

/* Real time that the board has not seen: no host was connected, or the model was slower than the chip. */
uint64_t pt_vserve_slip_ns(const struct pt_vserve *serve);

/* Disconnects the host and frees everything on the loop; on_closed may be NULL. */
void pt_vserve_close(struct pt_vserve *serve, void (*on_closed)(void *arg), void *arg);

#endif
