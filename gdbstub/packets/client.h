/* A GDB, and what it has of the board. Its connection is in gdbstub/rsp; how it comes and goes, in gdbstub/client.c.
 * Loop thread, except run() of a request. A resume is "answered" when it has been done: its stop reply comes whenever the
 * core stops. */
#ifndef PT_GDBSTUB_PACKETS_CLIENT_H
#define PT_GDBSTUB_PACKETS_CLIENT_H

#include "gdbstub/packets/code_cache.h"
#include "gdbstub/packets/fileio.h"
#include "gdbstub/packets/stub.h"
#include "gdbstub/rsp/connection.h"

enum {
	PT_GDB_PACKET_BYTES = PT_RSP_PAYLOAD_BYTES,
	PT_GDB_MAX_BREAKS = 256,
	PT_GDB_MAX_CORES = 8,
	PT_GDB_STOP_TEXT_BYTES = 2048,
};

struct pt_gdb_client;

/* Work on the board. A client has three, each used for one thing at a time. */
struct pt_gdb_request {
	struct pt_job job;
	struct pt_gdb_client *client;
	bool pending;			/* on its way to the board and back */
	bool no_target;			/* out: the board had none */
	/* Board thread. May read its own fields and args, and fill frame. */
	int (*run)(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err);
	/* Loop thread; NULL: reply with frame, or with the error. */
	void (*after)(struct pt_gdb_request *rq, int rc, const struct pt_err *err);
	struct pt_rsp_frame frame;	/* opened with '$' before run() */
	struct pt_rsp_args args;	/* of the packet, which stays until it is answered */
	uint64_t addr, len;
	unsigned core;
	uint64_t task;			/* of core: 0, or the task that is meant; with stop: out, the one that runs */
	bool resume;			/* end of session: let the cores run */
	bool found;			/* out: the search has */
	bool found_running;		/* out: when attaching */
	unsigned n_cores;		/* the same */
	struct pt_break at;
	uint8_t *line;			/* of kept code, to be filled */
	char *document;			/* out: malloc'd */
	char stop[PT_GDB_STOP_TEXT_BYTES];	/* registers for a stop reply: "d:00040020;f:..." */
	uint64_t pc;			/* the same */
	bool passed;			/* out: no condition of the breakpoint was true, and the core runs again */
};

enum pt_gdb_run {
	PT_GDB_NONE,		/* no inferior: not attached, or it is gone */
	PT_GDB_HALTED,
	PT_GDB_RUNNING,		/* a resume awaits its stop reply */
	PT_GDB_NONSTOP,		/* each core for itself: nonstop.c */
};

/* What GDB inserted: as it asked for it, and as the target has it. Conditions: agent expressions one behind the other,
 * each with its length (2 bytes, little-endian) ahead; it stops when one is true. NULL: it always does. */
struct pt_gdb_break {
	struct pt_break asked, inserted;
	uint8_t *conditions;
	size_t conditions_bytes;
};

/* One of vCont's: c, s, t, or r with the range to step in. core PT_GDB_ALL_CORES: all that no earlier one was for. */
enum { PT_GDB_ALL_CORES = PT_GDB_MAX_CORES, PT_GDB_MAX_ACTIONS = 16 };
struct pt_gdb_action { char kind; unsigned core; uint64_t start, end; };

struct pt_gdb_stop_event { unsigned core; struct pt_core_status status; };

struct pt_monitor_call;
struct pt_gdb_proxy;
struct pt_gdb_document;
struct pt_gdb_history;
struct pt_gdb_open_files;
struct pt_gdb_thread_list;

/* What the GDB at the other end understands. query.c's, and the proxy's. */
struct pt_gdb_features { bool swbreak, hwbreak, error_message; };

/* The program, as this client has it. attach.c's; breaks: breakpoints.c's, code: memory.c's. */
struct pt_gdb_inferior {
	enum pt_gdb_run run;
	bool watches;			/* run is NONE, yet it may read memory: attach.c, --second watch */
	bool taken;			/* run is NONE, for another GDB took the target; GDB has yet to notice */
	bool found_running;		/* before we halted it: it runs on when the session ends without a word */
	unsigned core, n_cores;		/* core: Hg's choice, or where the task that it chose is taken to be */
	uint64_t task;			/* Hg's choice, 0: the core itself */
	uint64_t named;			/* the thread of the last stop reply; 0: none yet */
	bool attached;			/* by vAttach: GDB calls it process 1; else it makes up a number */
	struct pt_board_listener listener;
	struct pt_gdb_break breaks[PT_GDB_MAX_BREAKS];
	size_t n_breaks;
	uint8_t kinds_done;		/* of enum pt_break_kind, a bit each: of these a break has been inserted */
	struct pt_gdb_code code;
};

/* A resume or step, from its packet to its stop reply. run.c's; in non-stop nonstop.c's. */
struct pt_gdb_resume {
	bool under_way;			/* it is still on its way to the board */
	bool interrupted;		/* 0x03 came since */
	bool interrupts_next;		/* 0x03 came before it, and ends it: run.c */
	uint64_t heard_ms;		/* of the loop's clock: the last packet, or 0x03 */
	bool over_break;		/* a breakpoint whose condition may be false is being looked at */
	struct pt_gdb_request halt, stop;	/* stop: the registers of a stop reply */
	struct pt_gdb_stop_event stops[PT_GDB_MAX_CORES];	/* stops that were not reported yet, oldest first */
	unsigned n_stops;
	bool one;			/* the other cores stay halted */
	struct pt_gdb_unreported {	/* by core: a breakpoint that it met while GDB got another core's stop */
		bool waits;
		struct pt_core_status status;
		uint64_t pc;
	} unreported[PT_GDB_MAX_CORES];
	struct pt_gdb_fileio fileio;
};

/* nonstop.c's. */
struct pt_gdb_nonstop {
	bool wanted;			/* QNonStop:1 */
	bool notified;			/* a notification is out, and vStopped has yet to say that it was the last */
	uint8_t told;			/* cores that GDB knows to be halted, by bits */
	uint8_t pretended;		/* of those: only GDB thinks so */
	bool fresh;			/* GDB is still connecting */
	struct pt_gdb_action action[PT_GDB_MAX_CORES];	/* under way, by core */
	uv_timer_t timer;		/* the pretence must not last */
};

/* Where the server wants a token. auth.c's. */
struct pt_gdb_auth {
	bool locked;			/* it has yet to give the token: the server has no program for it */
	bool late;			/* it has given it: another server has not seen its handshake (proxy/late.c) */
	unsigned n_wrong;		/* tokens */
};

/* monitor.c's, live.c's. */
struct pt_gdb_command {
	struct pt_monitor_call *call;	/* the monitor command at work, or NULL */
	struct pt_gdb_live *live;	/* monitor profile live, or NULL */
	uv_timer_t timer, live_timer;	/* of a slow command; of live */
};

struct pt_gdb_client {
	struct pt_gdbstub *stub;
	struct pt_gdb_client *next;
	struct pt_rsp_connection rsp;
	unsigned n_timers;		/* that are being closed */
	struct pt_gdb_request request;	/* the current packet's */
	bool parked;			/* the packet waits for a leaving client's core */
	struct pt_os_tasks_waiter tasks;	/* for the program's tasks to be known; then: */
	void (*once_tasks_known)(struct pt_gdb_client *client);
	struct pt_gdb_auth auth;
	struct pt_gdb_features features;
	struct pt_gdb_inferior inferior;
	struct pt_gdb_resume resume;
	struct pt_gdb_nonstop nonstop;
	struct pt_gdb_command command;
	/* of rooms above this one */
	struct pt_gdb_document *document;
	struct pt_gdb_history *history;
	struct pt_gdb_open_files *files;
	struct pt_gdb_proxy *proxy;	/* its packets go to another GDB server: proxy.h; NULL: they do not */
	bool decided;			/* whether they do */
};

/* Do its packets go to another GDB server? */
static inline bool pt_gdb_is_proxied(const struct pt_gdb_client *client)
{
	return client->proxy != NULL;
}

/* Does GDB take all cores to be halted? */
static inline bool pt_gdb_is_halted(const struct pt_gdb_client *client)
{
	return client->inferior.run == PT_GDB_HALTED ||
	       (client->inferior.run == PT_GDB_NONSTOP &&
		client->nonstop.told == (uint8_t)((1u << client->inferior.n_cores) - 1));
}

/* May it change the target? A non-stop GDB may look at one that another GDB controls. */
static inline bool pt_gdb_controls(const struct pt_gdb_client *client)
{
	return client->inferior.run != PT_GDB_NONSTOP || client->stub->owner == client;
}

/* Does another client have the program? Then this one does not control it. */
static inline bool pt_gdb_is_second(const struct pt_gdb_client *client)
{
	return client->stub->owner != NULL && client->stub->owner != client;
}

/* Does it look at a program that another client controls? Then it changes nothing that others use. */
static inline bool pt_gdb_looks_on(const struct pt_gdb_client *client)
{
	return pt_gdb_is_second(client) && (client->inferior.watches || client->inferior.run != PT_GDB_NONE);
}

/* A non-stop GDB that learns of threads only after "?" takes them for a new program, and stops it to have a look. */
static inline bool pt_gdb_shows_threads(const struct pt_gdb_client *client)
{
	return client->inferior.run != PT_GDB_NONE || client->nonstop.wanted || client->inferior.watches;
}

/* --- answers: reply.c --------------------------------------------------------------------------------------------- */

void pt_gdb_reply(struct pt_gdb_client *client);		/* with client->rsp.frame, and on to the next packet */
void pt_gdb_reply_text(struct pt_gdb_client *client, const char *text);
/* "E01", or the sentence to a client that understands it. */
void pt_gdb_reply_error(struct pt_gdb_client *client, const struct pt_err *err);
/* The sentence to any client: for packets where even GDB 13 looks for it (Z, P, G, vAttach, vRun, vFlash). */
void pt_gdb_reply_sentence(struct pt_gdb_client *client, const struct pt_err *err);
void pt_gdb_reply_to_breakpoint(struct pt_gdb_client *client, const struct pt_err *err);	/* to Z */
/* The one or the other, by what the current packet is. */
void pt_gdb_reply_failure(struct pt_gdb_client *client, const struct pt_err *err);
void pt_gdb_send_sentence(struct pt_gdb_client *client, const struct pt_err *err);	/* the packet alone */
/* Text on the user's console, as O packets. Only while a resume or a monitor command awaits its reply. */
void pt_gdb_console(struct pt_gdb_client *client, const char *text, size_t len_bytes);

/* --- requests: request.c ------------------------------------------------------------------------------------------ */

typedef int pt_gdb_run_fn(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target,
			  struct pt_err *err);
typedef void pt_gdb_after_fn(struct pt_gdb_request *rq, int rc, const struct pt_err *err);

void pt_gdb_request_init(struct pt_gdb_request *rq, struct pt_gdb_client *client, bool urgent);
/* For after, of packets whose errors even GDB 13 shows (pt_gdb_reply_sentence): the answer, or why not. */
void pt_gdb_reply_checked(struct pt_gdb_request *rq, int rc, const struct pt_err *err);
/* As pt_os_tasks_wait(), also for a client that is leaving; it is all that the client waits for. */
bool pt_gdb_tasks_wait(struct pt_gdb_client *client, void (*then)(struct pt_gdb_client *client));
/* The tasks that are this client's threads; NULL: cores are. Board thread. */
const struct pt_threads *pt_gdb_threads_of(const struct pt_gdb_client *client);
/* The threads that this client is shown: all answers about threads come from here, and a stop reply names one of them
 * (pt_gdb_running_task), since GDB 13 aborts over a thread that its list lacks. The one that the last stop reply named
 * stays in the list until the program runs, also where the OS's data have changed. Errors are the target's, or
 * PT_ENOMEM. Board thread. */
int pt_gdb_threads_for(const struct pt_gdb_client *client, struct pt_target *target, struct pt_gdb_thread_list *list,
		       struct pt_err *err);
/* Goes to the board. Does nothing when the session has ended meanwhile. */
void pt_gdb_post(struct pt_gdb_request *rq, pt_gdb_run_fn *run, pt_gdb_after_fn *after);

#endif
