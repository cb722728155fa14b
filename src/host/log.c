/* One line per message: the line is built first and written at once, so threads do not mix. */
#include "host/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

static atomic_int level = PT_LOG_INFO;
static atomic_uint channels;

static const struct { const char *word; int level; unsigned channel; } words_known[] = {
	{ "error", PT_LOG_ERROR, 0 },	   { "warn", PT_LOG_WARN, 0 },
	{ "info", PT_LOG_INFO, 0 },	   { "debug", PT_LOG_DEBUG, 0 },
	{ "gdb", PT_LOG_DEBUG, PT_LOG_GDB }, { "usb", PT_LOG_DEBUG, PT_LOG_USB },
	{ "dap", PT_LOG_DEBUG, PT_LOG_DAP }, { "trace", PT_LOG_DEBUG, PT_LOG_TRACE },
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

/* Names and texts from outside must not drive the terminal, nor look like lines of ours. */
static void keep_printable(char *line)
{
	for (unsigned char *at = (unsigned char *)line; *at != '\0'; at++)
		if ((*at < ' ' && *at != '\n' && *at != '\t') || *at == 0x7f)
			*at = '?';
}

static void say(int at, const char *prefix, const char *fmt, va_list args)
{
	char line[2048];	/* a whole sentence of an error, and what was said before it */
	int n;

	if (at > atomic_load(&level))
		return;
	n = snprintf(line, sizeof(line), "%s", prefix);
	vsnprintf(line + n, sizeof(line) - (size_t)n, fmt, args);
	keep_printable(line);
	fprintf(stderr, "%s\n", line);
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
