/* Messages for the user, on stderr, one line each, beginning with the part of the program: "mtb: ...".
 * Any thread. Details of single packets belong to channels, which are off unless --log names them. */
#ifndef PT_LOG_H
#define PT_LOG_H

#include <stdbool.h>

enum pt_log_channel {
	PT_LOG_GDB = 1 << 0,	/* every RSP packet */
	PT_LOG_USB = 1 << 1,	/* every probe packet */
	PT_LOG_DAP = 1 << 2,	/* every DAP batch */
	PT_LOG_TRACE = 1 << 3,	/* every chunk */
	PT_LOG_HTTP = 1 << 4,	/* every HTTP request */
};

enum pt_log_level { PT_LOG_ERROR, PT_LOG_WARN, PT_LOG_INFO, PT_LOG_DEBUG };

/* words: "error", "warn", "info" (default), "debug", then optional channels: "debug,gdb,usb".
 * Returns false, and changes nothing, on an unknown word. */
bool pt_log_set(const char *words);

void pt_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pt_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pt_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pt_debug(enum pt_log_channel channel, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Shows the progress of a long operation in a line below the messages, if standard error is a terminal. The next message
 * or progress line replaces it; "" removes it. */
void pt_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool pt_progress_shows(void);	/* false: skip computing an expensive line */
/* From now on each message begins with its time in UTC, or goes to the systemd journal, where standard error is that
 * (journal.h). No effect on a terminal. */
void pt_log_add_times(void);
/* The board that the messages of this thread are about from now on; "": none. Its name goes to the journal with them. The caller's
 * memory. */
void pt_log_board(const char *name);
/* The width of the terminal that shows the messages; they are broken between words there. 0: no terminal, unknown width,
 * or too narrow to break lines. */
unsigned pt_log_columns(void);
bool pt_log_wants(enum pt_log_channel channel);	/* false: skip computing an expensive message */

#endif
