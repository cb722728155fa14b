/* What the files of the driver of the wire rsp share: gdb_server.c makes the connection's acquaintance,
 * gdb_server_grant.c has a packet and its answer, gdb_server_run.c how the target runs and stops. Board thread. */
#ifndef PT_PROBES_GDB_SERVER_PARTS_H
#define PT_PROBES_GDB_SERVER_PARTS_H

#include "probes/rsp/rsp_stops.h"
#include "probes/rsp/rsp_stream.h"
#include "probes/wires/probe.h"
#include "probes/wires/rsp.h"

enum { PT_SERVER_IN_BYTES = 2 * PT_RSP_PACKET_BYTES, PT_SERVER_ANSWER_MS = 1000 };

struct gdb_server {
	struct pt_link *link;
	struct pt_rsp_stream *stream;
	struct pt_rsp_facts facts;
	unsigned holds;
	uint32_t patience_ms;
	uint32_t target_mv;		/* 0: not known */
	bool chose;			/* we have sent an H packet in this turn */
	bool stops;			/* non-stop: we have asked for a stop */
	unsigned n_hidden;		/* threads that stand because of us, of which no client has heard */
	uint8_t in[PT_SERVER_IN_BYTES];
	size_t in_bytes;
};

/* --- gdb_server_grant.c -------------------------------------------------------------------------------------- */

uint64_t pt_server_from_now(uint32_t ms);	/* a deadline of the host's clock */
/* Several calls in one turn; may be nested. What a client had chosen stands again after the last leave. */
int pt_server_enter(struct gdb_server *g, struct pt_err *err);
void pt_server_leave(struct gdb_server *g);
void pt_server_restore_choice(struct gdb_server *g);	/* now, as afterwards it cannot be asked */
/* Within a turn: one packet and its answer, as struct pt_rsp_ops.ask has it. */
int pt_server_exchange(struct gdb_server *g, const void *request, size_t len_bytes, struct pt_rsp_answer *answer,
		       uint32_t timeout_ms, struct pt_err *err);
/* The next packet that is no notification, into in. Its length behind the mark. */
int pt_server_receive(struct gdb_server *g, uint64_t deadline_ns, struct pt_err *err);
bool pt_server_is_console(const struct gdb_server *g);	/* what was received */
bool pt_server_take_stop(struct gdb_server *g);		/* the same: the stop of a target that ran is noted */
bool pt_server_pass_on(struct gdb_server *g);		/* the same, to the client; false: there is none */
bool pt_server_note_stop(struct gdb_server *g);		/* the same, if it is one of non-stop (a notification) */
/* The same, a notification, to the client; without one it is pt_server_poll() that acknowledges it. */
void pt_server_tell_note(struct gdb_server *g);
void pt_server_pass_stop(struct gdb_server *g, const char *stop);	/* this one, as a notification, to the client */
struct pt_rsp_run pt_server_run_of(struct gdb_server *g);
bool pt_server_is_non_stop(struct gdb_server *g);
int pt_server_ask(void *state, const void *request, size_t len_bytes, struct pt_rsp_answer *answer, uint32_t timeout_ms,
		  struct pt_err *err);

/* --- black_magic.c ------------------------------------------------------------------------------------------------ */

extern const struct pt_param pt_black_magic_params[];
/* It has no target yet: finds one and attaches to it, unless the settings say that the user does. PT_ESTATE: there is
 * none. */
int pt_black_magic_attach(struct gdb_server *g, const struct pt_params *settings, struct pt_err *err);

/* --- gdb_server_run.c: as in struct pt_rsp_ops -------------------------------------------------------------------- */

int pt_server_resume(void *state, const char *packet, struct pt_err *err);
int pt_server_interrupt(void *state, struct pt_err *err);
int pt_server_poll(void *state, uint32_t wait_ms, struct pt_rsp_run *out, struct pt_err *err);
int pt_server_go_on(void *state, struct pt_err *err);
int pt_server_run_for(void *state, const char *packet, uint32_t timeout_ms, struct pt_err *err);

#endif
