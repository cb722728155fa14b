/* One line per message: the line is built first and written at once, so threads do not mix. */
#include "host/log.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/harmless.h"
#include "base/text.h"
#include "base/util.h"
#include "host/journal.h"

enum { LEAST_COLUMNS = 40 };	/* on a narrower terminal lines are broken anyway */

enum { PATIENCE_MS = 1000 };

static atomic_uint dropped;	/* lines dropped because the pipe was full */
static atomic_int level = PT_LOG_INFO;
static atomic_uint channels;
static atomic_bool adds_times, is_journal, progress_stands;
static _Thread_local const char *about = "";	/* a board */
static const char erase_line[] = "\r\033[K";	/* Source: ECMA-48, EL */

static const struct { const char *word; int level; unsigned channel; } words_known[] = {
	{ "error", PT_LOG_ERROR, 0 },	   { "warn", PT_LOG_WARN, 0 },
	{ "info", PT_LOG_INFO, 0 },	   { "debug", PT_LOG_DEBUG, 0 },
	{ "gdb", PT_LOG_DEBUG, PT_LOG_GDB }, { "usb", PT_LOG_DEBUG, PT_LOG_USB },
	{ "dap", PT_LOG_DEBUG, PT_LOG_DAP }, { "trace", PT_LOG_DEBUG, PT_LOG_TRACE },
	{ "http", PT_LOG_DEBUG, PT_LOG_HTTP },
};

bool pt_log_set(const char *words)
{
	int new_level = atomic_load(&level);
	unsigned new_channels = 0;

	while (*words != '\0') {
		size_t len = strcspn(words, ","), i = 0;

		while (i < PT_LEN(words_known) &&
		       (strlen(words_known[i].word) != len || strncmp(words_known[i].word, words, len) != 0))
			i++;
		if (i == PT_LEN(words_known))
			return false;
		new_level = words_known[i].level;
		new_channels |= words_known[i].channel;
		words += len + (words[len] == ',');
	}
	atomic_store(&level, new_level);
	atomic_store(&channels, new_channels);
	return true;
}

static void put_time(char *out, size_t room)
{
	struct timespec now;
	struct tm utc;
	size_t n;

	out[0] = '\0';
	if (!atomic_load(&adds_times) || clock_gettime(CLOCK_REALTIME, &now) < 0 || gmtime_r(&now.tv_sec, &utc) == NULL)
		return;
	n = strftime(out, room, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(out + n, room - n, ".%03ldZ ", now.tv_nsec / 1000000);
}

unsigned pt_log_columns(void)
{
	struct winsize size;

	if (!isatty(STDERR_FILENO) || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0)
		return 0;
	return size.ws_col >= LEAST_COLUMNS ? size.ws_col : 0;
}

static void break_lines(const char *text, unsigned columns, struct pt_text *out)
{
	for (size_t len; columns != 0 && *text != '\0'; text += len) {
		len = strcspn(text, "\n");
		pt_text_wrapped(out, text, len, columns, 0);
		len += text[len] == '\n';
	}
}

/* A pipe that no program reads must not stop the daemon: a line is dropped if it cannot be written at once. Only the
 * first such line waits, if it is an error, because it may be the last message. A pipe that is ready for writing takes
 * a whole line (pipe(7), PIPE_BUF). */
static bool has_room(int at)
{
	struct pollfd out = { .fd = STDERR_FILENO, .events = POLLOUT };
	int ms = at == PT_LOG_ERROR && atomic_load(&dropped) == 0 ? PATIENCE_MS : 0, rc;

	do
		rc = poll(&out, 1, ms);
	while (rc < 0 && errno == EINTR);
	if (rc == 0)
		atomic_fetch_add(&dropped, 1);
	return rc != 0;		/* if standard error is broken or closed, the write fails */
}

static void put_dropped(char *out, size_t room)
{
	unsigned n = atomic_exchange(&dropped, 0);

	out[0] = '\0';
	if (n > 0)
		snprintf(out, room, "(%u earlier message%s lost: standard error was full)\n", n,
			 n > 1 ? "s are" : " is");
}

/* Source: syslog(3), LOG_ERR to LOG_DEBUG. */
static bool to_journal(int at, const char *line)
{
	static const int priorities[] = {
		[PT_LOG_ERROR] = 3, [PT_LOG_WARN] = 4, [PT_LOG_INFO] = 6, [PT_LOG_DEBUG] = 7
	};

	return atomic_load(&is_journal) && pt_journal_send(priorities[at], about, line);
}

static void say(int at, const char *prefix, const char *fmt, va_list args)
{
	char line[2048], time[40], lost[80];	/* line: room for a whole error message with its prefix */
	struct pt_text broken = { 0 };
	bool over_progress;
	int n;

	if (at > atomic_load(&level))
		return;
	put_time(time, sizeof(time));
	n = snprintf(line, sizeof(line), "%s%s", time, prefix);
	vsnprintf(line + n, sizeof(line) - (size_t)n, fmt, args);
	pt_harmless(line, "\n\t");	/* names from outside must not control the terminal */
	if (to_journal(at, line))
		return;
	break_lines(line, pt_log_columns(), &broken);
	if (has_room(at)) {
		put_dropped(lost, sizeof(lost));
		over_progress = atomic_exchange(&progress_stands, false);
		fprintf(stderr, "%s%s%s%s", over_progress ? erase_line : "", lost,
			broken.len_bytes > 0 ? broken.bytes : line, broken.len_bytes > 0 ? "" : "\n");
	}
	pt_text_free(&broken);
}

bool pt_progress_shows(void)
{
	return atomic_load(&level) >= PT_LOG_INFO && isatty(STDERR_FILENO);
}

void pt_progress(const char *fmt, ...)
{
	char line[160];
	va_list args;

	if (!pt_progress_shows())
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	line[strcspn(line, "\n")] = '\0';
	pt_harmless(line, "\n\t");
	if (line[0] == '\0' && !atomic_load(&progress_stands))
		return;
	atomic_store(&progress_stands, line[0] != '\0');
	fprintf(stderr, "%s%s", erase_line, line);
	fflush(stderr);
}

void pt_log_add_times(void)
{
	atomic_store(&is_journal, pt_journal_is_stderr());
	atomic_store(&adds_times, !isatty(STDERR_FILENO) && !atomic_load(&is_journal));
}

void pt_log_board(const char *name)
{
	about = name;
}

#define SAY(at, prefix)                                                                                                \
	do {                                                                                                           \
		va_list args;                                                                                          \
		va_start(args, fmt);                                                                                   \
		say(at, prefix, fmt, args);                                                                            \
		va_end(args);                                                                                          \
	} while (0)

void pt_error(const char *fmt, ...)
{
	SAY(PT_LOG_ERROR, "error: ");
}

void pt_warn(const char *fmt, ...)
{
	SAY(PT_LOG_WARN, "warning: ");
}

void pt_info(const char *fmt, ...)
{
	SAY(PT_LOG_INFO, "");
}

void pt_debug(enum pt_log_channel channel, const char *fmt, ...)
{
	if (pt_log_wants(channel))
		SAY(PT_LOG_DEBUG, "debug: ");
}

bool pt_log_wants(enum pt_log_channel channel)
{
	return (atomic_load(&channels) & channel) != 0;
}
