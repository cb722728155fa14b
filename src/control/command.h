/* Commands: what a user can ask of a board, its session and its program by a line of words. Each is a row; GDB's
 * monitor, the command line and tests are doors to the same rows. Loop thread, except on_board().
 *
 * A command may take its time, so a call of it is an object: run() begins it, and pt_command_done() ends it, at once or
 * later. The door made it, hears of its end, and frees it. */
#ifndef PT_COMMAND_H
#define PT_COMMAND_H

#include "board/board.h"
#include "report/report.h"
#include "session/os_tasks.h"
#include "session/recorder.h"
#include "session/session.h"

enum {
	PT_COMMAND_LINE_BYTES = 1024,
	PT_COMMAND_WORDS = 32,
	PT_COMMAND_FIRST_ROWS = 10,	/* of the table that a profile ends with */
	PT_COMMAND_NAME_BYTES = PT_COMMAND_LINE_BYTES - 32,	/* of a file, as it is typed; named.c may add to it */
};

struct pt_changes;
struct pt_command;
typedef int pt_command_board_fn(struct pt_command *cmd, struct pt_board *board, struct pt_target *target,
				struct pt_err *err);
typedef void pt_command_after_fn(struct pt_command *cmd, int rc, const struct pt_err *err);

enum pt_command_flag {
	PT_COMMAND_LOOKS_ONLY = 1,	/* changes neither the target, nor the profile, nor a setting, nor a file */
	PT_COMMAND_CONTROLS = 2,	/* halts, resumes, resets or alters the target */
	PT_COMMAND_CHANGES = 4,		/* alters the profile, or what is known of the program */
	PT_COMMAND_ASKS = 8,		/* without words it only shows */
	PT_COMMAND_NAMES_FILE = 16,	/* a word of it may be the name of a file on this host */
	PT_COMMAND_EVEN_LOCKED = 32,	/* works on a chip that is locked, too */
};

struct pt_command_row {
	const char *name;	/* one word or two: "profile start" */
	/* The words behind it, as help shows them. What begins with a small letter is meant as it is written; VIEW is a
	 * view of a report. */
	const char *usage;
	const char *help;
	unsigned flags;
	const struct pt_param *(*param)(size_t i);	/* KEY=VALUE of usage: NULL behind the last; NULL: none */
	void (*run)(struct pt_command *cmd);
	void (*details)(struct pt_command *cmd);	/* said by help for just this row; NULL: nothing */
	const struct pt_target_word *word;		/* of a target's own row; NULL */
};

/* What a door may have to add to an answer. */
enum pt_command_event {
	PT_COMMAND_RUNNING,		/* the cores were let run */
	PT_COMMAND_RESET,
	PT_COMMAND_HALTED_AGAIN,	/* they ran for a while, and are halted elsewhere */
	PT_COMMAND_ERASED,
	PT_COMMAND_THREADS,		/* a list of the OS's tasks was asked for */
	PT_COMMAND_OTHER_WORDS,		/* help has nothing more */
};

/* All of them may be NULL but name. */
struct pt_door_ops {
	const char *name;	/* "monitor": what a line of words is called there */
	bool is_single;		/* there is no command after this one: what it starts ends with it */
	const struct pt_command_row *rows;	/* of the door alone, ended by one without a name */
	bool (*serves)(void *door, const struct pt_command_row *row);	/* false: help leaves it out. NULL: all */
	/* May this user call it so? Asked of a line that is no command, too: then row.run is NULL. Else a code, and err
	 * says why not. NULL: every user may. */
	int (*allows)(void *door, const struct pt_command *cmd, struct pt_err *err);
	uint16_t (*core)(void *door);		/* that the user has chosen. NULL: PT_HISTORY_ANY */
	bool (*owned)(void *door);		/* a debugger controls the target. NULL: none does */
	/* Looks for the ELF that the user's debugger has, where none is known, and makes it the session's program if it is
	 * the one on the board. Says in the answer what came of it, then calls then(), also at once. A command that was cancelled ends instead. NULL: there is no debugger */
	void (*find_program)(void *door, struct pt_command *cmd, void (*then)(struct pt_command *cmd));
	bool (*busy)(void *door);		/* the board is at work for the door, and nothing is asked of it */
	void (*status)(void *door, struct pt_text *out);	/* lines for status */
	void (*fit)(void *door, struct pt_query *query);	/* to what shows the answer: columns, colour, signs */
	const char *(*hint)(void *door, enum pt_command_event event);	/* NULL: nothing is to be added */
};

/* Made by the door, outlives its commands. */
struct pt_command_ctx {
	uv_loop_t *loop;
	struct pt_board *board;
	struct pt_session *session;
	struct pt_recorder *recorder;
	struct pt_os_tasks *tasks;
	struct pt_changes *changes;		/* changes.h; NULL: the door has no log of changes */
	const struct pt_params *symbols;	/* settings for programs; NULL: all defaults */
	bool own;				/* it is the user that runs proftap: may name any file of this host */
	/* Calls each with every option of the command line and what it is. NULL: none are known here */
	void (*options)(void (*each)(void *arg, const char *name, const char *help), void *arg);
	const char *user;			/* how sentences call a user that is not */
	const struct pt_door_ops *ops;
	void *door;
};

struct pt_command {
	const struct pt_command_ctx *ctx;
	struct pt_command_row row;		/* a copy; name: the door's before it is found */
	char line[PT_COMMAND_LINE_BYTES];	/* cut into words */
	const char *words[PT_COMMAND_WORDS];	/* behind the name */
	size_t n_words;
	struct pt_text out;			/* what the answer will be */
	uint16_t columns;			/* of what shows it; 0: not known, and no line is broken */
	bool cancelled;				/* to end early: what has not begun yet need not */
	/* the row's own */
	void *data;				/* freed with the command */
	char time[48];		/* profile.c: for how long, as the user has it or as the session reads it; "": not given */
	void (*cancel)(struct pt_command *cmd);	/* end early; NULL: it ends soon anyway */
	void (*progress)(struct pt_command *cmd, struct pt_text *out);	/* a line; NULL: "still at work" */
	const char *hint;			/* what the door had to add when it began, or NULL */
	/* command.c's, and named.c's */
	char named[PT_COMMAND_LINE_BYTES + 32 * PT_COMMAND_WORDS];	/* names of files */
	size_t named_bytes;
	struct pt_job job;
	pt_command_board_fn *on_board;
	pt_command_after_fn *after;
	bool no_target;
	void (*done)(struct pt_command *cmd, int rc, const struct pt_err *err);
	void *caller;				/* the door's */
};

/* --- for doors ---------------------------------------------------------------------------------------------------- */

/* NULL: no memory, or the line has PT_COMMAND_LINE_BYTES or more. done: the answer is in out, and rc < 0: err says why
 * it failed; then pt_command_free() is due, in done() or later. */
struct pt_command *pt_command_new(const struct pt_command_ctx *ctx, const char *line, size_t len_bytes,
				  void (*done)(struct pt_command *cmd, int rc, const struct pt_err *err), void *caller);
/* The same, of words that are words already. NULL also: more than PT_COMMAND_WORDS of them. */
struct pt_command *pt_command_new_words(const struct pt_command_ctx *ctx, const char *const *words, size_t n_words,
					void (*done)(struct pt_command *cmd, int rc, const struct pt_err *err),
					void *caller);
void pt_command_run(struct pt_command *cmd);	/* commands.c: once; done() may be called before it returns */
void pt_command_cancel(struct pt_command *cmd);		/* not after done(): end early. done() is called all the same */
void pt_command_progress(struct pt_command *cmd, struct pt_text *out);	/* the same: a line, or some */
void pt_command_free(struct pt_command *cmd);

/* --- for rows ----------------------------------------------------------------------------------------------------- */

void pt_command_say(struct pt_command *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pt_command_say_line(void *cmd, const char *line);	/* the same, as a callback */
/* The answer is complete; err tells why it failed when rc < 0. The command may be gone afterwards. */
void pt_command_done(struct pt_command *cmd, int rc, const struct pt_err *err);
void pt_command_fail(struct pt_command *cmd, int rc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A pt_session_reply: the text is the answer, arg the command. */
void pt_command_session_reply(void *arg, int rc, const char *text, size_t len_bytes);
/* Whole lines, the last of which may lack its end, broken where they do not fit what shows the answer. */
void pt_command_add_lines(const struct pt_command *cmd, const char *text, size_t len_bytes, struct pt_text *out);
/* A pt_session_reply of a report, whose lines are as wide as was asked for. */
void pt_command_session_table(void *arg, int rc, const char *text, size_t len_bytes);
bool pt_command_no_words(struct pt_command *cmd);	/* false: there are some, and the command has failed */
/* named.c: the name by which a file that the user names is to be opened. It lives as long as the command. NULL: the
 * command has failed, with a sentence that says what the user may name. */
const char *pt_command_name_file(struct pt_command *cmd, const char *name);
/* The same for words of a profile (capture=FILE), in place. */
bool pt_command_name_files(struct pt_command *cmd);
/* Other words of the host's (folders, what only the own user may say). False: the command has failed. */
bool pt_command_need_own(struct pt_command *cmd, const char *what);
/* Work on the board thread (it may say, and use data), then after(), NULL: pt_command_done(). */
void pt_command_on_board(struct pt_command *cmd, pt_command_board_fn *on_board, pt_command_after_fn *after);
/* The door's find_program(), or then() at once. */
void pt_command_find_program(struct pt_command *cmd, void (*then)(struct pt_command *cmd));
const char *pt_command_hint(const struct pt_command *cmd, enum pt_command_event event);	/* the door's; or NULL */
void pt_command_fit(const struct pt_command *cmd, struct pt_query *query);	/* the door's fit() */
/* Takes the words of a query out of the command's, from the first on. PT_EARG: one of them is wrong. The top=N of the
 * start holds where the query has none. */
int pt_command_take_query(struct pt_command *cmd, size_t first, struct pt_query *query, struct pt_err *err);
/* False, and the command has failed: the query's format is no text, and a console shows nothing else. */
bool pt_command_is_text(struct pt_command *cmd, const struct pt_query *query);
/* profile.c: the end of a status: what is being profiled, and how much was seen and lost. */
void pt_command_profile_status(struct pt_command *cmd);
/* The same: the keys of profile start, and what help says ahead of them. */
const struct pt_param *pt_command_start_param(size_t i);
void pt_command_start_details(struct pt_command *cmd);
/* The first of the words that looks like a time ("2s", "for=2s"), with its unit where that stands apart ("2 s"), goes, and
 * is kept in cmd->time, which this returns without "for=". NULL: there is none. */
const char *pt_command_take_time(struct pt_command *cmd);
void pt_command_run_for(struct pt_command *cmd,
			const char *time); /* profile_run.c: profile run; NULL: no time was given */
void pt_command_cancel_start(struct pt_command *cmd);	/* the same: cancel() until a profile has started */
/* Puts into err why the board has no target at present. */
void pt_command_why_no_target(const struct pt_board *board, struct pt_err *err);

#endif
