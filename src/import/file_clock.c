#include "import/file_clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/util.h"
#include "trace/config.h"
#include "trace/formats.h"

struct pt_file_clock {
	struct pt_inputs_clock map;
	uint64_t shift_ns;
	char *assumed;
	bool one_anchor;
	bool anchor_due;		/* a source's second anchor: */
	uint64_t tick_hz[PT_INPUTS_SOURCES];
	struct pt_chunk due;		/* its times and source */
	uint64_t due_ticks;
};

struct pt_file_clock *pt_file_clock_new(const struct pt_inputs_clock *map, const char *assumed, bool one_anchor)
{
	struct pt_file_clock *c = pt_alloc(sizeof(*c));

	c->map = *map;
	c->assumed = pt_strdup(assumed);
	c->one_anchor = one_anchor;
	return c;
}

void pt_file_clock_free(struct pt_file_clock *c)
{
	if (c != NULL)
		free(c->assumed);
	free(c);
}

void pt_file_clock_shift(struct pt_file_clock *c, uint64_t ns)
{
	c->shift_ns += ns;
}

/* ns, with the shift in it, on the first file's clock. error_ns: of that; the line of the two points goes on outside. */
static uint64_t translate(const struct pt_file_clock *c, uint64_t ns, uint64_t *error_ns)
{
	const struct pt_inputs_clock *m = &c->map;
	double span = (double)(m->at_ns[1] - m->at_ns[0]), at = (double)(int64_t)(ns - c->shift_ns - m->at_ns[0]);
	double part = span > 0 ? at / span : 0, beyond = part < 0 ? -part : part > 1 ? part - 1 : 0;
	double error = fmax(m->error_ns[0], m->error_ns[1]) + beyond * (m->error_ns[0] + m->error_ns[1]);

	*error_ns = (uint64_t)ceil(fmin(error, 1e18));
	return ns + (uint64_t)llround(m->offset_ns[0] + part * (m->offset_ns[1] - m->offset_ns[0]));
}

static void take_config(struct pt_file_clock *c, struct pt_chunk *chunk)
{
	struct pt_text line = { .bytes = NULL };
	const char *text;
	int len = pt_config_look_up((const char *)chunk->bytes, chunk->len_bytes, "tick_hz", &text);
	char number[24];

	if (chunk->source < PT_INPUTS_SOURCES) {
		snprintf(number, sizeof(number), "%.*s", len > 0 ? len : 0, len > 0 ? text : "");
		c->tick_hz[chunk->source] = len > 0 ? strtoull(number, NULL, 10) : PT_NS_PER_S;
	}
	pt_text_add(&line, "assumed=%s\n", c->assumed);
	if (chunk->len_bytes + line.len_bytes <= PT_CHUNK_BYTES) {
		memcpy(chunk->bytes + chunk->len_bytes, line.bytes, line.len_bytes);
		chunk->len_bytes += (uint32_t)line.len_bytes;
	}
	pt_text_free(&line);
}

/* ns: on the file's own clock, with the shift. */
static void take_anchor(struct pt_file_clock *c, struct pt_chunk *chunk, uint64_t ns)
{
	uint64_t error_ns, ticks = pt_le64(chunk->bytes + PT_CLOCK_TICKS),
			   own = pt_le64(chunk->bytes + PT_CLOCK_ERROR_NS);
	uint64_t end_ns = c->map.at_ns[1] + c->shift_ns;

	pt_put_le64(chunk->bytes + PT_CLOCK_NS, translate(c, ns, &error_ns));
	pt_put_le64(chunk->bytes + PT_CLOCK_ERROR_NS, own != PT_UNKNOWN ? own + error_ns : own);
	if (!c->one_anchor || chunk->source >= PT_INPUTS_SOURCES || end_ns <= ns)
		return;
	c->due = *chunk;
	c->anchor_due = true;
	c->due_ticks = ticks + (uint64_t)((unsigned __int128)(end_ns - ns) * c->tick_hz[chunk->source] / PT_NS_PER_S);
}

void pt_file_clock_take(struct pt_file_clock *c, struct pt_chunk *chunk)
{
	uint64_t error_ns, ns;

	if (chunk->kind == PT_CHUNK_CONFIG)
		take_config(c, chunk);
	chunk->from_ns = translate(c, chunk->from_ns, &error_ns);
	chunk->to_ns = translate(c, chunk->to_ns, &error_ns);
	if (chunk->kind != PT_CHUNK_CLOCK || chunk->len_bytes < PT_CLOCK_BYTES)
		return;
	ns = pt_le64(chunk->bytes + PT_CLOCK_NS);
	take_anchor(c, chunk, ns);
}

bool pt_file_clock_next(struct pt_file_clock *c, struct pt_chunk *chunk)
{
	uint64_t error_ns;

	if (!c->anchor_due)
		return false;
	c->anchor_due = false;
	*chunk = c->due;
	pt_put_le64(chunk->bytes + PT_CLOCK_TICKS, c->due_ticks);
	pt_put_le64(chunk->bytes + PT_CLOCK_NS, translate(c, c->map.at_ns[1] + c->shift_ns, &error_ns));
	pt_put_le64(chunk->bytes + PT_CLOCK_ERROR_NS, error_ns);
	return true;
}

static bool read_time(const char *text, size_t len, double *ns)
{
	char copy[32];
	bool below = len > 0 && text[0] == '-';
	uint64_t value;
	struct pt_err unheard;

	if (len == 0 || len >= sizeof(copy))
		return false;
	snprintf(copy, sizeof(copy), "%.*s", (int)(len - below), text + below);
	if (pt_params_parse(PT_PARAM_TIME, copy, &value, &unheard) < 0)
		return false;
	*ns = below ? -(double)value : (double)value;
	return true;
}

int pt_file_clock_delay(const char *text, double *least_ns, double *most_ns, struct pt_err *err)
{
	const char *dots = strstr(text, "..");

	if (dots == NULL || !read_time(text, (size_t)(dots - text), least_ns) ||
	    !read_time(dots + 2, strlen(dots + 2), most_ns) || *least_ns > *most_ns)
		return pt_fail(err, PT_EARG, "sync-delay: %.40s is not MIN..MAX, as in 0..5us or -2us..0", text);
	return 0;
}
