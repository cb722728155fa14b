/* The control door: proftap status and proftap ctl, on a unix socket of the daemon. A request is a line of JSON, and so is what
 * comes back:
 *
 *   {"status":true}                                            {"code":0,"boards":[{"name":"motor","state":"attached",...}]}
 *   {"board":"motor","words":["profile","run"],"columns":100}  {"progress":"..."}, each second; {"code":0,"text":"..."}
 *   {"cancel":true}                                            nothing: ends that command early, and its answer comes
 *
 * code < 0: an error of base/error.h, and "error" has the sentence. One request at a time: the next
 * one comes when the answer was read, else the connection is closed. A client that goes ends its command.
 * Loop thread. All that a client sends is untrusted. */
#ifndef PT_CTL_DOOR_H
#define PT_CTL_DOOR_H

#include <jansson.h>
#include <uv.h>

#include "control/changes.h"
#include "control/command.h"
#include "host/peers.h"

struct pt_ctl_door;

/* A board of the daemon, as it is at the moment. */
struct pt_ctl_board {
	const char *name;
	const char *why_not;			/* why it is not served; NULL: it is, and the members below are there */
	struct pt_command_ctx ctx;		/* all but own, user, ops and door */
	const struct pt_peers *allow;		/* users besides the daemon's own who may call its commands; NULL: none */
	bool restricted;			/* clients may look, but change nothing */
	const char *owner;			/* the GDB that controls the target; NULL: none does */
};

struct pt_ctl_config {
	const char *address;			/* "unix:PATH" */
	const struct pt_peers *allow;		/* users who may connect; NULL: the daemon's own */
	/* Board i, in their order. False: there are no more. */
	bool (*board)(void *arg, size_t i, struct pt_ctl_board *out);
	/* Its clients, as an array of objects. */
	json_t *(*clients)(void *arg, size_t i);
	void *arg;
};

/* PT_EARG, PT_EBUSY, PT_EPERM. */
struct pt_ctl_door *pt_ctl_door_new(uv_loop_t *loop, const struct pt_ctl_config *config, struct pt_err *err);
const char *pt_ctl_door_address(const struct pt_ctl_door *door);
/* Cancels commands, ends all connections, then on_closed, and the door is freed. Boards are closed after that. */
void pt_ctl_door_close(struct pt_ctl_door *door, void (*on_closed)(void *arg), void *arg);

#endif
