/* monitor: one row per command, and what carries a command from its packet to its reply. Loop thread, except
 * on_board().
 *
 * A command may take its time. GDB can be interrupted while it waits, without a word to us, and then takes whatever
 * comes next for the reply to something else. So a command that takes longer than a moment sends one O packet of
 * progress and then nothing at all until GDB's "-" has come, which a waiting GDB sends every 2 s; and a new packet
 * abandons the command. An answer goes out in one packet where it fits, for the same reason. */
#ifndef PT_GDBSTUB_MONITOR_H
#define PT_GDBSTUB_MONITOR_H

#include "gdbstub/packets/client.h"
#include "base/error.h"
#include "base/text.h"
#include "report/table/query.h"

/* --- for the connection ------------------------------------------------------------------------------------------- */

void pt_monitor_abandon(struct pt_gdb_client *client);	/* nobody waits for the command any more */
void pt_monitor_interrupt(struct pt_gdb_client *client);	/* 0x03: it ends early, with its reply */
void pt_monitor_alive(struct pt_gdb_client *client);	/* "-": GDB still waits for it */

/* monitor_live.c */
void pt_gdb_live_stop(struct pt_gdb_client *client);

/* --- for the commands --------------------------------------------------------------------------------------------- */

enum {
	PT_MONITOR_LINE_BYTES = 1024,
	PT_MONITOR_MAX_WORDS = 32,
	PT_MONITOR_NAME_BYTES = PT_MONITOR_LINE_BYTES - 32,	/* of a file, as it is typed; rights.h may add to it */
};

struct pt_monitor_call;
typedef int pt_monitor_board_fn(struct pt_monitor_call *call, struct pt_board *board, struct pt_target *target,
				struct pt_err *err);
typedef void pt_monitor_after_fn(struct pt_monitor_call *call, int rc, const struct pt_err *err);

struct pt_monitor_word {
	const char *name;	/* one word or two: "profile start" */
	const char *args;	/* as help shows them */
	const char *help;
	/* Ends in pt_monitor_done(), at once or later. */
	void (*run)(struct pt_monitor_call *call);
	void (*details)(struct pt_monitor_call *call);	/* said by help for just this word; NULL: nothing */
	unsigned flags;
};

/* CONTROLS: halts, resumes or alters the target; not for a client while another has the program. CHANGES: alters the
 * profile, or what the daemon knows of the program; not for a client that looks at another's program. ASKS: without
 * words it only shows, and any client may. */
enum { PT_MONITOR_CONTROLS = 1, PT_MONITOR_CHANGES = 2, PT_MONITOR_ASKS = 4 };

/* Each file of commands has such a list, ended by a row without a name; monitor.c has the list of lists. */
extern const struct pt_monitor_word pt_monitor_auth_words[], pt_monitor_board_words[], pt_monitor_profile_words[],
	pt_monitor_run_words[],
	pt_monitor_live_words[], pt_monitor_symbols_words[], pt_monitor_exits_words[], pt_monitor_limits_words[],
	pt_monitor_orti_words[], pt_monitor_take_words[], pt_monitor_semihost_words[], pt_monitor_threads_words[],
	pt_monitor_history_words[], pt_monitor_help_words[];

struct pt_monitor_call {
	struct pt_gdb_client *client;
	const struct pt_monitor_word *word;
	char line[PT_MONITOR_LINE_BYTES];	/* cut into words */
	const char *words[PT_MONITOR_MAX_WORDS];	/* behind the name */
	size_t n_words;
	char named[PT_MONITOR_LINE_BYTES + 32 * PT_MONITOR_MAX_WORDS];	/* names of files: rights.h */
	size_t named_bytes;
	struct pt_text out;		/* what the answer will be */
	bool abandoned;
	/* the command's own */
	void *data;			/* freed with the call */
	void (*cancel)(struct pt_monitor_call *call);	/* end early; NULL: it ends soon anyway */
	void (*progress)(struct pt_monitor_call *call, struct pt_text *out);	/* a line; NULL: "still at work" */
	struct pt_job job;
	pt_monitor_board_fn *on_board;
	pt_monitor_after_fn *after;
	/* monitor.c's */
	bool no_target, done, quiet;
	struct pt_err err;
};

void pt_monitor_say(struct pt_monitor_call *call, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The answer is complete; err tells why it failed when rc < 0. The call is gone afterwards. */
void pt_monitor_done(struct pt_monitor_call *call, int rc, const struct pt_err *err);
void pt_monitor_fail(struct pt_monitor_call *call, int rc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A pt_session_reply: the text is the answer, arg the call. */
void pt_monitor_session_reply(void *arg, int rc, const char *text, size_t len_bytes);
/* Work on the board thread (it may say, and use data), then after(), NULL: pt_monitor_done(). */
void pt_monitor_on_board(struct pt_monitor_call *call, pt_monitor_board_fn *on_board, pt_monitor_after_fn *after);
/* Takes the words of a query out of the call's, from the first on. PT_EARG: one of them is wrong. The top=N of the
 * start holds where the query has none. */
int pt_monitor_take_query(struct pt_monitor_call *call, size_t first, struct pt_query *query, struct pt_err *err);
/* monitor_profile.c: the end of a status: what is being profiled, and how much was seen and lost. */
void pt_monitor_profile_status(struct pt_monitor_call *call);
struct pt_session *pt_monitor_session(const struct pt_monitor_call *call);
struct pt_board *pt_monitor_board(const struct pt_monitor_call *call);

/* monitor.c, for help and for wrong words: calls each with every row, in order. */
bool pt_monitor_is_open(const struct pt_monitor_word *word);	/* to a client that has not given the token */
void pt_monitor_each_word(void (*each)(void *arg, const struct pt_monitor_word *word), void *arg);

#endif
