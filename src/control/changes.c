#include "control/changes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/harmless.h"
#include "host/log.h"

enum {
	WHO_BYTES = 64, TEXT_BYTES = 160,
	LOOK_BACK = 8,			/* number of newest entries in which a repetition is searched */
	TOGETHER_MS = 10000,		/* a repetition later than this is an entry of its own */
	REST_MS = 1000,			/* the log gets the sum this long after the last repetition */
};

struct change {
	char who[WHO_BYTES], text[TEXT_BYTES];	/* text: for a span, what was done to it */
	struct timespec first, last;
	uint64_t last_ms;		/* on the loop's clock */
	uint64_t count, told;		/* told: how many of them are in the log */
	uint64_t addr, len_bytes;	/* of a span; 0 bytes: none */
};

struct pt_changes {
	uv_loop_t *loop;
	uv_timer_t timer;
	struct change kept[PT_CHANGES_KEPT];	/* ring */
	uint64_t n;			/* entries so far */
};

static struct change *at(struct pt_changes *c, uint64_t i)
{
	return &c->kept[i % PT_CHANGES_KEPT];
}

static void put_text(const struct change *change, char *out, size_t room)
{
	if (change->len_bytes > 0)
		snprintf(out, room, "%s %" PRIu64 " bytes at 0x%08" PRIx64, change->text, change->len_bytes,
			 change->addr);
	else
		snprintf(out, room, "%s", change->text);
}

static void tell(struct change *change)
{
	char text[TEXT_BYTES + 48];

	put_text(change, text, sizeof(text));
	if (change->count > 1)
		pt_info("change: %s: %s (%" PRIu64 " requests)", change->who, text, change->count);
	else
		pt_info("change: %s: %s", change->who, text);
	change->told = change->count;
}

static uint64_t oldest(const struct pt_changes *c)
{
	return c->n > PT_CHANGES_KEPT ? c->n - PT_CHANGES_KEPT : 0;
}

static void tell_sums(struct pt_changes *c)
{
	for (uint64_t i = c->n > LOOK_BACK ? c->n - LOOK_BACK : 0; i < c->n; i++)
		if (at(c, i)->told != at(c, i)->count)
			tell(at(c, i));
}

static void on_rest(uv_timer_t *timer)
{
	tell_sums(timer->data);
}

struct pt_changes *pt_changes_new(uv_loop_t *loop)
{
	struct pt_changes *c = pt_alloc(sizeof(*c));

	c->loop = loop;
	uv_timer_init(loop, &c->timer);
	c->timer.data = c;
	uv_unref((uv_handle_t *)&c->timer);
	return c;
}

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

void pt_changes_close(struct pt_changes *c)
{
	if (c == NULL)
		return;
	tell_sums(c);
	uv_close((uv_handle_t *)&c->timer, on_closed);
}

static bool goes_on(const struct pt_changes *c, const struct change *old, const struct change *new)
{
	return uv_now(c->loop) - old->last_ms < TOGETHER_MS && strcmp(old->who, new->who) == 0 &&
	       strcmp(old->text, new->text) == 0 && (old->len_bytes > 0) == (new->len_bytes > 0) &&
	       (new->len_bytes == 0 || old->addr + old->len_bytes == new->addr ||
		(old->addr == new->addr && old->len_bytes == new->len_bytes));
}

static void repeat(struct pt_changes *c, struct change *old, const struct change *new)
{
	if (old->addr != new->addr)
		old->len_bytes += new->len_bytes;
	old->count++;
	old->last = new->last;
	old->last_ms = uv_now(c->loop);
	uv_timer_start(&c->timer, on_rest, REST_MS, 0);
}

static void add(struct pt_changes *c, struct change *new)
{
	pt_harmless(new->who, "");
	pt_harmless(new->text, "");
	clock_gettime(CLOCK_REALTIME, &new->last);
	for (uint64_t i = c->n; i > oldest(c) && i + LOOK_BACK > c->n; i--)
		if (goes_on(c, at(c, i - 1), new)) {
			repeat(c, at(c, i - 1), new);
			return;
		}
	if (c->n >= LOOK_BACK && at(c, c->n - LOOK_BACK)->told != at(c, c->n - LOOK_BACK)->count)
		tell(at(c, c->n - LOOK_BACK));	/* its sum is final */
	new->first = new->last;
	new->last_ms = uv_now(c->loop);
	new->count = 1;
	*at(c, c->n++) = *new;
	tell(at(c, c->n - 1));
}

void pt_changes_note(struct pt_changes *c, const char *who, const char *fmt, ...)
{
	struct change change = { .count = 0 };
	va_list args;

	if (c == NULL)
		return;
	snprintf(change.who, sizeof(change.who), "%s", who);
	va_start(args, fmt);
	vsnprintf(change.text, sizeof(change.text), fmt, args);
	va_end(args);
	add(c, &change);
}

void pt_changes_wrote(struct pt_changes *c, const char *who, const char *how, uint64_t addr, uint64_t len_bytes)
{
	struct change change = { .addr = addr, .len_bytes = len_bytes };

	if (c == NULL || len_bytes == 0)	/* with 0 bytes GDB only asks whether it may write */
		return;
	snprintf(change.who, sizeof(change.who), "%s", who);
	snprintf(change.text, sizeof(change.text), "%s", how);
	add(c, &change);
}

void pt_changes_program(struct pt_changes *c, const char *who, const struct pt_program *program)
{
	const char *build_id = pt_program_build_id(program);

	pt_changes_note(c, who, "names from now on: %s, %s %.40s", pt_program_shown_path(program),
			build_id[0] != '\0' ? "build id" : "SHA-256",
			build_id[0] != '\0' ? build_id : pt_program_sha256(program));
}

/* In UTC, as in the daemon's log. */
static void put_time(const struct timespec *when, const char *format, char *out, size_t room)
{
	struct tm utc;

	out[0] = '\0';
	if (gmtime_r(&when->tv_sec, &utc) != NULL)
		strftime(out, room, format, &utc);
}

void pt_changes_print(const struct pt_changes *c, size_t n, struct pt_text *out)
{
	uint64_t from = c != NULL ? oldest(c) : 0;

	if (c == NULL || c->n == 0) {
		pt_text_add(out, "no client has changed anything in the target so far\n");
		return;
	}
	if (c->n - from > n)
		from = c->n - n;
	if (from > 0)
		pt_text_add(out, "(%" PRIu64 " earlier ones are in the daemon's log)\n", from);
	for (uint64_t i = from; i < c->n; i++) {
		const struct change *change = &c->kept[i % PT_CHANGES_KEPT];
		char when[40], until[40], text[TEXT_BYTES + 48];

		put_time(&change->first, "%Y-%m-%dT%H:%M:%SZ", when, sizeof(when));
		put_time(&change->last, "%H:%M:%SZ", until, sizeof(until));
		put_text(change, text, sizeof(text));
		pt_text_add(out, "%s  %s  %s", when, change->who, text);
		if (change->count > 1)
			pt_text_add(out, " (%" PRIu64 " requests until %s)", change->count, until);
		pt_text_add(out, "\n");
	}
}
