/* Commands: requests to a board, its session and its program, each a line of words. Each is a row; GDB's monitor, the
 * command line and tests are doors to the same rows. Loop thread, except on_board().
 *
 * A command may take long, so each call is an object: run() begins it, and pt_command_done() ends it, at once or later.
 * The door creates the object, is notified of its end, and frees it. */
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
	PT_COMMAND_FIRST_ROWS = 10,	/* rows of the table shown at the end of a profile */
	/* of a file name as typed; named.c may make it longer */
	PT_COMMAND_NAME_BYTES = PT_COMMAND_LINE_BYTES - 32,
};

struct pt_changes;
struct pt_command;
typedef int pt_command_board_fn(struct pt_command *cmd, struct pt_board *board, struct pt_target *target,
				struct pt_err *err);
typedef void pt_command_after_fn(struct pt_command *cmd, int rc, const struct pt_err *err);

enum pt_command_flag {
	PT_COMMAND_LOOKS_ONLY = 1,	/* changes neither target, profile, settings nor files */
	PT_COMMAND_CONTROLS = 2,	/* halts, resumes, resets or alters the target */
	PT_COMMAND_CHANGES = 4,		/* changes the profile, or what is known of the program */
	PT_COMMAND_ASKS = 8,		/* without arguments it only shows */
	PT_COMMAND_NAMES_FILE = 16,	/* an argument may be the name of a file on this host */
	PT_COMMAND_EVEN_LOCKED = 32,	/* works on a locked chip, too */
};

struct pt_command_row {
	const char *name;	/* one word or two: "profile start" */
	/* The arguments, as help shows them. Words in small letters are keywords; VIEW is a view of a report. */
	const char *usage;
	const char *help;
	unsigned flags;
	const struct pt_param *(*param)(size_t i);	/* KEY=VALUE arguments: NULL behind the last; NULL: none */
	void (*run)(struct pt_command *cmd);
	void (*details)(struct pt_command *cmd);	/* more text for help on this row alone; NULL: nothing */
	const struct pt_target_word *word;		/* if the row is a target's own command; NULL */
};

/* Events to which a door may add a hint in the answer. */
enum pt_command_event {
	PT_COMMAND_RUNNING,		/* the cores were resumed */
	PT_COMMAND_RESET,
	PT_COMMAND_HALTED_AGAIN,	/* they ran for a while, and are halted at another place */
	PT_COMMAND_ERASED,
	PT_COMMAND_THREADS,		/* the user asked for the OS's tasks */
	PT_COMMAND_OTHER_WORDS,		/* help does not know the word */
};

/* All of them may be NULL but name. */
struct pt_door_ops {
	const char *name;	/* "monitor": what a line of words is called there */
	bool is_single;		/* the process ends after this command, and with it what the command started */
	const struct pt_command_row *rows;	/* commands of this door alone, ended by one without a name */
	bool (*serves)(void *door, const struct pt_command_row *row);	/* false: help leaves it out. NULL: all */
	/* Whether this user may make this call. Also asked for a line that is no command: then row.run is NULL. 0, or
	 * an error code, and err says why not. NULL: every user may. */
	int (*allows)(void *door, const struct pt_command *cmd, struct pt_err *err);
	uint16_t (*core)(void *door);		/* the core that the user has selected. NULL: PT_HISTORY_ANY */
	bool (*owned)(void *door);		/* a debugger controls the target. NULL: none does */
	/* If no program is known, looks for the ELF that the user's debugger has, and makes it the session's program if
	 * it is the one on the board. The answer says what was found; then then() is called, possibly before it
	 * returns. If the command was cancelled, it ends instead. NULL: there is no debugger */
	void (*find_program)(void *door, struct pt_command *cmd, void (*then)(struct pt_command *cmd));
	bool (*busy)(void *door);		/* the board is working for the door: ask nothing of it */
	void (*status)(void *door, struct pt_text *out);	/* adds lines to status */
	/* adapts a query to where the answer is shown: columns, colour, characters */
	void (*fit)(void *door, struct pt_query *query);
	const char *(*hint)(void *door, enum pt_command_event event);	/* NULL: no hint */
};

/* Made by the door; must exist longer than its commands. */
struct pt_command_ctx {
	uv_loop_t *loop;
	struct pt_board *board;
	struct pt_session *session;
	struct pt_recorder *recorder;
	struct pt_os_tasks *tasks;
	struct pt_changes *changes;		/* changes.h; NULL: the door has no log of changes */
	const struct pt_params *symbols;	/* settings for programs; NULL: all defaults */
	bool own;				/* the user is the one who runs proftap: may name any file of this
						 * host */
	/* Calls each with every option of the command line and its help. NULL: not known at this door */
	void (*options)(void (*each)(void *arg, const char *name, const char *help), void *arg);
	const char *user;			/* how messages call a user who is not the own user */
	const struct pt_door_ops *ops;
	void *door;
};

struct pt_command {
	const struct pt_command_ctx *ctx;
	struct pt_command_row row;		/* a copy; until it is found, name is the door's name */
	char line[PT_COMMAND_LINE_BYTES];	/* cut into words */
	const char *words[PT_COMMAND_WORDS];	/* behind the name */
	size_t n_words;
	struct pt_text out;			/* the answer */
	uint16_t columns;			/* width of the terminal that shows it; 0: not known, and lines are not
						 * wrapped */
	bool cancelled;				/* end early: skip what has not begun */
	/* for the row's functions */
	void *data;				/* freed with the command */
	char time[48];		/* profile.c: the duration, as typed or as the session reads it; "": not given */
	void (*cancel)(struct pt_command *cmd);	/* ends the command early; NULL: the command is short anyway */
	/* adds a line about its progress; NULL: "still at work" */
	void (*progress)(struct pt_command *cmd, struct pt_text *out);
	const char *hint;			/* hint of the door at the start, or NULL */
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

/* NULL: no memory, or the line has PT_COMMAND_LINE_BYTES or more. done: the answer is in out; rc < 0: err has the
 * reason; free the command with pt_command_free(), in done() or later. */
struct pt_command *pt_command_new(const struct pt_command_ctx *ctx, const char *line, size_t len_bytes,
				  void (*done)(struct pt_command *cmd, int rc, const struct pt_err *err), void *caller);
/* The same for a line that is split into words already. NULL also: more than PT_COMMAND_WORDS of them. */
struct pt_command *pt_command_new_words(const struct pt_command_ctx *ctx, const char *const *words, size_t n_words,
					void (*done)(struct pt_command *cmd, int rc, const struct pt_err *err),
					void *caller);
void pt_command_run(struct pt_command *cmd);	/* commands.c: once; done() may be called before it returns */
void pt_command_cancel(struct pt_command *cmd);		/* ends it early; done() is called as usual. Not after done() */
/* adds its progress to out, a line or more. Not after done() */
void pt_command_progress(struct pt_command *cmd, struct pt_text *out);
void pt_command_free(struct pt_command *cmd);

/* --- for rows ----------------------------------------------------------------------------------------------------- */

void pt_command_say(struct pt_command *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pt_command_say_line(void *cmd, const char *line);	/* the same, as a callback */
/* The answer is complete; if rc < 0 err has the reason. The command may have been freed when this returns. */
void pt_command_done(struct pt_command *cmd, int rc, const struct pt_err *err);
void pt_command_fail(struct pt_command *cmd, int rc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A pt_session_reply: the text is the answer, arg the command. */
void pt_command_session_reply(void *arg, int rc, const char *text, size_t len_bytes);
/* Adds complete lines (the last may lack its line feed), wrapped to the width of what shows the answer. */
void pt_command_add_lines(const struct pt_command *cmd, const char *text, size_t len_bytes, struct pt_text *out);
/* A pt_session_reply of a report, whose lines have the requested width already. */
void pt_command_session_table(void *arg, int rc, const char *text, size_t len_bytes);
bool pt_command_no_words(struct pt_command *cmd);	/* false: there are arguments, and the command has failed */
/* In named.c: the name by which to open a file that the user named. Valid as long as the command. NULL: the command has
 * failed; the error says what the user may name. */
const char *pt_command_name_file(struct pt_command *cmd, const char *name);
/* The same for file names in a profile's settings (capture=FILE), in place. */
bool pt_command_name_files(struct pt_command *cmd);
/* For other arguments about the host (folders, settings that only the own user may give). False: the command has
 * failed. */
bool pt_command_need_own(struct pt_command *cmd, const char *what);
/* Runs fn on the board thread (it may use say and data), then after(), or if that is NULL pt_command_done(). */
void pt_command_on_board(struct pt_command *cmd, pt_command_board_fn *on_board, pt_command_after_fn *after);
/* Calls the door's find_program(), or then() at once. */
void pt_command_find_program(struct pt_command *cmd, void (*then)(struct pt_command *cmd));
const char *pt_command_hint(const struct pt_command *cmd, enum pt_command_event event);	/* the door's; or NULL */
void pt_command_fit(const struct pt_command *cmd, struct pt_query *query);	/* the door's fit() */
/* Removes the words of a query from the command's arguments, beginning with number first. PT_EARG: a word is wrong.
 * Without top=N in the query that of the profile's start is used. */
int pt_command_take_query(struct pt_command *cmd, size_t first, struct pt_query *query, struct pt_err *err);
/* False: the format is not text, which is all that a console can show; the command has failed. */
bool pt_command_is_text(struct pt_command *cmd, const struct pt_query *query);
/* In profile.c: the second part of a status: what is being profiled, how much was observed and lost. */
void pt_command_profile_status(struct pt_command *cmd);
/* In profile.c: the parameters of profile start, and the text that help prints before them. */
const struct pt_param *pt_command_start_param(size_t i);
void pt_command_start_details(struct pt_command *cmd);
/* Removes the first argument that looks like a time ("2s", "for=2s", or "2 s" as two words) and stores it in cmd->time,
 * which this returns without "for=". NULL: there is none. */
const char *pt_command_take_time(struct pt_command *cmd);
void pt_command_run_for(struct pt_command *cmd,
			const char *time); /* profile_run.c: profile run; NULL: no time was given */
void pt_command_cancel_start(struct pt_command *cmd);	/* the same: cancel() until a profile has started */
/* Puts into err why the board has no target at present. */
void pt_command_why_no_target(const struct pt_board *board, struct pt_err *err);

#endif
