#include "host/sparing.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "host/log.h"

enum { KINDS = 16, LINE_BYTES = 512 };

struct kind { const char *what; uint64_t n_said, n_left_out; };

struct pt_sparing {
	const char *part;
	uv_timer_t timer;		/* runs from the first message on */
	struct kind kinds[KINDS];	/* since then */
	size_t n_kinds;
};

/* The last entry counts all kinds that do not fit. */
static struct kind *find_kind(struct pt_sparing *s, const char *what)
{
	static const char rest[] = "something else";

	for (size_t i = 0; i < s->n_kinds; i++)
		if (strcmp(s->kinds[i].what, what) == 0)
			return &s->kinds[i];
	if (s->n_kinds == KINDS)
		return &s->kinds[KINDS - 1];
	s->kinds[s->n_kinds] = (struct kind){ .what = s->n_kinds < KINDS - 1 ? what : rest };
	return &s->kinds[s->n_kinds++];
}

static void tell_sums(struct pt_sparing *s)
{
	char line[LINE_BYTES];
	size_t len = 0;

	for (size_t i = 0; i < s->n_kinds && len < sizeof(line); i++)
		if (s->kinds[i].n_left_out > 0)
			len += (size_t)snprintf(line + len, sizeof(line) - len, "%s%" PRIu64 " x %s",
						len > 0 ? ", " : "", s->kinds[i].n_left_out, s->kinds[i].what);
	if (len > 0)
		pt_warn("%s: not shown within %d s: %s", s->part, PT_SPARING_MS / 1000, line);
	s->n_kinds = 0;
}

/* Counts begin anew, so a message that continues is logged once a period. */
static void on_over(uv_timer_t *timer)
{
	tell_sums(timer->data);
}

struct pt_sparing *pt_sparing_new(uv_loop_t *loop, const char *part)
{
	struct pt_sparing *s = pt_alloc(sizeof(*s));

	s->part = part;
	uv_timer_init(loop, &s->timer);
	uv_unref((uv_handle_t *)&s->timer);
	s->timer.data = s;
	return s;
}

/* Whether to log this message: true for the first ones of a kind. Later ones are counted. */
static bool is_said(struct pt_sparing *s, const char *what, uint64_t most)
{
	struct kind *kind;
	bool said;

	if (s == NULL)
		return true;
	if (!uv_is_active((uv_handle_t *)&s->timer))
		uv_timer_start(&s->timer, on_over, PT_SPARING_MS, 0);
	kind = find_kind(s, what);
	said = kind->n_said < most;
	kind->n_said += said;
	kind->n_left_out += !said;
	return said;
}

#define LINE(line)                                                                                                     \
	do {                                                                                                           \
		va_list args;                                                                                          \
		va_start(args, fmt);                                                                                   \
		vsnprintf(line, sizeof(line), fmt, args);                                                              \
		va_end(args);                                                                                          \
	} while (0)

void pt_sparing_warn(struct pt_sparing *s, const char *kind, const char *fmt, ...)
{
	bool said = is_said(s, kind, 1);
	char line[LINE_BYTES];

	LINE(line);
	if (said)
		pt_warn("%s", line);
	else
		pt_debug(PT_LOG_GDB, "%s", line);
}

void pt_sparing_info(struct pt_sparing *s, const char *kind, const char *fmt, ...)
{
	bool said = is_said(s, kind, PT_SPARING_NEWS);
	char line[LINE_BYTES];

	LINE(line);
	if (said)
		pt_info("%s", line);
	else
		pt_debug(PT_LOG_GDB, "%s", line);
}

static void on_timer_closed(uv_handle_t *timer)
{
	free(timer->data);
}

void pt_sparing_close(struct pt_sparing *s)
{
	if (s == NULL)
		return;
	tell_sums(s);
	uv_close((uv_handle_t *)&s->timer, on_timer_closed);
}
