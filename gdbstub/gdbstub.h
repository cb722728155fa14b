/* The GDB side: listens on an address, speaks RSP with each client, turns its packets into board jobs and session
 * requests. Loop thread; never blocks. Everything a client sends is untrusted. */
#ifndef PT_GDBSTUB_H
#define PT_GDBSTUB_H

#include <uv.h>

#include "base/error.h"
#include "control/command.h"
#include "gdbstub/packets/stub_config.h"
#include "host/token.h"

struct pt_gdbstub;

/* Commands of monitor that only a GDB client has; ended by one without a name. */
extern const struct pt_command_row pt_gdbstub_rows[];

/* PT_EBUSY: the address is in use (the sentence says by what and what to do), PT_EPERM, PT_EARG. */
struct pt_gdbstub *pt_gdbstub_new(uv_loop_t *loop, const struct pt_gdbstub_config *config, struct pt_err *err);
const char *pt_gdbstub_address(const struct pt_gdbstub *stub);	/* with the actual port */
const char *pt_gdbstub_also(const struct pt_gdbstub *stub);	/* the second one; NULL: there is none */
/* A warning about the address for the user; NULL: only this machine can reach it. */
const char *pt_gdbstub_warning(const struct pt_gdbstub *stub);
/* A GDB that is connected. */
struct pt_gdbstub_user {
	const char *peer;		/* valid during the call */
	bool has_program;		/* it controls the target */
	uint64_t connected_s;		/* for how long */
};
void pt_gdbstub_each_user(const struct pt_gdbstub *stub, void (*each)(void *arg, const struct pt_gdbstub_user *user),
			  void *arg);
const char *pt_gdbstub_owner(const struct pt_gdbstub *stub);	/* the peer that has the program; NULL: none */
void pt_gdbstub_close(struct pt_gdbstub *stub, void (*on_closed)(void *arg), void *arg);

#endif
