/* A GDB client, and its state of the board. gdbstub/rsp has its connection; gdbstub/client.c creates and frees it. Loop
 * thread, except run() of a request. A resume counts as answered when it is done: its stop reply comes later, when the
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

/* A request to the board thread. A client has three, each for one purpose at a time. */
struct pt_gdb_request {
	struct pt_job job;
	struct pt_gdb_client *client;
	bool pending;			/* posted, and not back yet */
	bool no_target;			/* out: the board had none */
	/* Board thread. May use its own members and args, and fill frame. */
	int (*run)(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err);
	/* Loop thread; NULL: reply with frame, or with the error. */
	void (*after)(struct pt_gdb_request *rq, int rc, const struct pt_err *err);
	struct pt_rsp_frame frame;	/* opened with '$' before run() */
	struct pt_rsp_args args;	/* of the packet, which is kept until it is answered */
	uint64_t addr, len;
	unsigned core;
	uint64_t task;			/* of core: 0, or the requested task; with stop: out, the task that runs */
	bool resume;			/* end of session: resume the cores */
	bool found;			/* out: the searched bytes were found */
	bool found_running;		/* out: cores were running at attach */
	unsigned n_cores;		/* the same */
	struct pt_break at;
	uint8_t *line;			/* of the code cache, to be filled */
	char *document;			/* out: malloc'd */
	char stop[PT_GDB_STOP_TEXT_BYTES];	/* registers of a stop reply: "d:00040020;f:..." */
	uint64_t pc;			/* the same */
	bool passed;			/* out: no condition of the breakpoint was true, and the core was resumed */
};

enum pt_gdb_run {
	PT_GDB_NONE,		/* no inferior: not attached, or lost */
	PT_GDB_HALTED,
	PT_GDB_RUNNING,		/* a resume awaits its stop reply */
	PT_GDB_NONSTOP,		/* each core separately: nonstop.c */
};

/* A breakpoint or watchpoint: as GDB requested it, and as the target has it. Conditions: a list of agent expressions,
 * each preceded by its length (2 bytes, little-endian); the core stops if one is true. NULL: it always stops. */
struct pt_gdb_break {
	struct pt_break asked, inserted;
	uint8_t *conditions;
	size_t conditions_bytes;
};

/* One action of vCont: c, s, t, or r with a range to step in. core PT_GDB_ALL_CORES: all cores without an earlier
 * action. */
enum { PT_GDB_ALL_CORES = PT_GDB_MAX_CORES, PT_GDB_MAX_ACTIONS = 16 };
struct pt_gdb_action { char kind; unsigned core; uint64_t start, end; };

struct pt_gdb_stop_event { unsigned core; struct pt_core_status status; };

struct pt_monitor_call;
struct pt_gdb_proxy;
struct pt_gdb_document;
struct pt_gdb_history;
struct pt_gdb_open_files;
struct pt_gdb_thread_list;

/* What this GDB supports. Set by query.c and the proxy. */
struct pt_gdb_features { bool swbreak, hwbreak, error_message; };

/* The inferior of this client. Set by attach.c; breaks: by breakpoints.c, code: by memory.c. */
struct pt_gdb_inferior {
	enum pt_gdb_run run;
	bool watches;			/* run is NONE, but the client may read memory: attach.c, --second watch */
	bool taken;			/* run is NONE because another GDB took the target; GDB has not noticed yet */
	bool found_running;		/* the cores ran before we halted them: they are resumed if the session ends
					 * without detach */
	unsigned core, n_cores;		/* core: selected by Hg, or where the selected task is taken to be */
	uint64_t task;			/* selected by Hg, 0: the core itself */
	uint64_t named;			/* thread of the last stop reply; 0: none yet */
	bool attached;			/* attached by vAttach: GDB calls it process 1; else GDB makes up a number */
	struct pt_board_listener listener;
	struct pt_gdb_break breaks[PT_GDB_MAX_BREAKS];
	size_t n_breaks;
	uint8_t kinds_done;		/* a bit for each enum pt_break_kind that was inserted at least once */
	struct pt_gdb_code code;
};

/* A resume or step, from its packet to its stop reply. Used by run.c; in non-stop by nonstop.c. */
struct pt_gdb_resume {
	bool under_way;			/* the board has not done it yet */
	bool interrupted;		/* 0x03 came after it */
	bool interrupts_next;		/* 0x03 came before it, and ends it: run.c */
	uint64_t heard_ms;		/* time of the last packet or 0x03, on the loop's clock */
	bool over_break;		/* at a breakpoint whose condition is being evaluated */
	struct pt_gdb_request halt, stop;	/* stop: reads the registers of a stop reply */
	struct pt_gdb_stop_event stops[PT_GDB_MAX_CORES];	/* stops that are not reported yet, oldest first */
	unsigned n_stops;
	bool one;			/* the other cores stay halted */
	struct pt_gdb_unreported {	/* by core: a breakpoint that it reached while another core's stop was
					 * reported */
		bool waits;
		struct pt_core_status status;
		uint64_t pc;
	} unreported[PT_GDB_MAX_CORES];
	struct pt_gdb_fileio fileio;
};

/* nonstop.c's. */
struct pt_gdb_nonstop {
	bool wanted;			/* QNonStop:1 */
	bool notified;			/* a notification was sent, and vStopped has not ended the sequence yet */
	uint8_t told;			/* bit per core: reported to GDB as halted */
	uint8_t pretended;		/* of those: reported as halted, but running */
	bool fresh;			/* GDB is still connecting */
	struct pt_gdb_action action[PT_GDB_MAX_CORES];	/* in progress, by core */
	uv_timer_t timer;		/* limits how long a core is pretended to be halted */
};

/* For a server that requires a token. Used by auth.c. */
struct pt_gdb_auth {
	bool locked;			/* it has not given the token: the server runs no command for it */
	bool late;			/* it gave the token late: the upstream server has not seen its handshake
					 * (proxy/late.c) */
	unsigned n_wrong;		/* tokens */
};

/* monitor.c's, live.c's. */
struct pt_gdb_command {
	struct pt_monitor_call *call;	/* the monitor command in progress, or NULL */
	struct pt_gdb_live *live;	/* monitor profile live, or NULL */
	uv_timer_t timer, live_timer;	/* for a slow command; for live */
};

struct pt_gdb_client {
	struct pt_gdbstub *stub;
	struct pt_gdb_client *next;
	struct pt_rsp_connection rsp;
	unsigned n_timers;		/* being closed */
	uint64_t since_ms;		/* it connected, on the loop's clock */
	struct pt_gdb_request request;	/* for the current packet */
	bool parked;			/* the packet waits until a client that leaves has released the core */
	struct pt_os_tasks_waiter tasks;	/* waits until the program's tasks are known; then: */
	void (*once_tasks_known)(struct pt_gdb_client *client);
	struct pt_gdb_auth auth;
	struct pt_gdb_features features;
	struct pt_gdb_inferior inferior;
	struct pt_gdb_resume resume;
	struct pt_gdb_nonstop nonstop;
	struct pt_gdb_command command;
	/* for parts above this folder */
	struct pt_gdb_document *document;
	struct pt_gdb_history *history;
	struct pt_gdb_open_files *files;
	struct pt_gdb_proxy *proxy;	/* its packets are forwarded to another GDB server: proxy.h; NULL: they are
					 * not */
	bool decided;			/* whether they are forwarded has been decided */
};

/* Are its packets forwarded to another GDB server? */
static inline bool pt_gdb_is_proxied(const struct pt_gdb_client *client)
{
	return client->proxy != NULL;
}

/* Does GDB believe that all cores are halted? */
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

/* Does another client have the inferior? Then this one does not control it. */
static inline bool pt_gdb_is_second(const struct pt_gdb_client *client)
{
	return client->stub->owner != NULL && client->stub->owner != client;
}

/* Does it look at a program that another client controls? Then it must not change what others use. */
static inline bool pt_gdb_looks_on(const struct pt_gdb_client *client)
{
	return pt_gdb_is_second(client) && (client->inferior.watches || client->inferior.run != PT_GDB_NONE);
}

/* A non-stop GDB that learns of threads only after "?" takes them for a new program, and stops it. */
static inline bool pt_gdb_shows_threads(const struct pt_gdb_client *client)
{
	return client->inferior.run != PT_GDB_NONE || client->nonstop.wanted || client->inferior.watches;
}

/* --- answers: reply.c --------------------------------------------------------------------------------------------- */

/* sends client->rsp.frame, and goes on to the next packet */
void pt_gdb_reply(struct pt_gdb_client *client);
void pt_gdb_reply_text(struct pt_gdb_client *client, const char *text);
/* Sends "E01", or the sentence to a client that accepts it. */
void pt_gdb_reply_error(struct pt_gdb_client *client, const struct pt_err *err);
/* Sends the sentence to any client: for packets where even GDB 13 accepts it (Z, P, G, vAttach, vRun, vFlash). */
void pt_gdb_reply_sentence(struct pt_gdb_client *client, const struct pt_err *err);
void pt_gdb_reply_to_breakpoint(struct pt_gdb_client *client, const struct pt_err *err);	/* to Z */
/* Uses one or the other, by the current packet. */
void pt_gdb_reply_failure(struct pt_gdb_client *client, const struct pt_err *err);
void pt_gdb_send_sentence(struct pt_gdb_client *client, const struct pt_err *err);	/* only sends the packet */
/* Sends text to the user's console, as O packets. Allowed only while a resume or a monitor command awaits its reply. */
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
/* Posts a request to the board. Does nothing if the session has ended. */
void pt_gdb_post(struct pt_gdb_request *rq, pt_gdb_run_fn *run, pt_gdb_after_fn *after);

#endif
