/* Messages for the person at the terminal, on stderr, one line each, the part first: "mtb: ...".
 * Any thread. Per-byte detail sits behind a channel, off unless --log names it. */
#ifndef PT_LOG_H
#define PT_LOG_H

#include <stdbool.h>

enum pt_log_channel {
	PT_LOG_GDB = 1 << 0,	/* every RSP packet */
	PT_LOG_USB = 1 << 1,	/* every probe packet */
	PT_LOG_DAP = 1 << 2,	/* every DAP batch */
	PT_LOG_TRACE = 1 << 3,	/* every chunk */
};

enum pt_log_level { PT_LOG_ERROR, PT_LOG_WARN, PT_LOG_INFO, PT_LOG_DEBUG };

/* words: "error", "warn", "info" (default), "debug", then optional channels: "debug,gdb,usb".
 * Returns false, and changes nothing, on an unknown word. */
bool pt_log_set(const char *words);

void pt_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pt_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pt_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pt_debug(enum pt_log_channel channel, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* How far something is that takes its time: a line below the messages, where standard error is a terminal; else
 * nothing. The next message, or the next such line, takes its place; "" takes it away. */
void pt_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool pt_progress_shows(void);	/* ask before a costly one */
/* From now on each message begins with its time, UTC: for a daemon whose messages are a log. Not on a terminal, and not
 * in the systemd journal, which has the time of each line. Source: systemd.exec(5), JOURNAL_STREAM. */
void pt_log_add_times(void);
/* Of the terminal that the messages go to; 0: it is none, does not say, or is too
 * narrow to break lines for. Messages are broken between words there. */
unsigned pt_log_columns(void);
bool pt_log_wants(enum pt_log_channel channel);	/* ask before a costly print-out */

#endif
