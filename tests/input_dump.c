#include "config_text.h"
#include "input_dump.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decoder.h"
#include "trace/formats.h"
#include "base/util.h"

struct source { const struct pt_decoder *decoder; uint64_t state[1024]; uint64_t told_ns; };

struct dump { char *out; size_t size, len; bool several; struct source source[PT_INPUTS_SOURCES]; };

static void __attribute__((format(printf, 2, 3))) say(struct dump *d, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(d->out + d->len, d->size - d->len, fmt, args);
	va_end(args);
	d->len = d->len + (size_t)n < d->size ? d->len + (size_t)n : d->size - 1;
}

static void configure(struct dump *d, struct source *s, const struct pt_chunk *c)
{
	const char *text = (const char *)c->bytes, *value;
	char format[32];
	int len = pt_config_look_up(text, c->len_bytes, "format", &value);

	snprintf(format, sizeof(format), "%.*s", len > 0 ? len : 0, len > 0 ? value : "");
	s->decoder = pt_decoder_find(format);
	s->told_ns = PT_UNKNOWN;
	if (s->decoder != NULL && s->decoder->state_bytes > sizeof(s->state))
		abort();
	if (s->decoder != NULL)
		decoder_init(s->decoder, s->state, c->source, c->core, text, c->len_bytes);
	for (size_t at = 0, n; at < c->len_bytes; at += n + 1) {
		const char *end = memchr(text + at, '\n', c->len_bytes - at);

		n = end != NULL ? (size_t)(end - (text + at)) : c->len_bytes - at;
		if (strncmp(text + at, "line.", 5) == 0 || strncmp(text + at, "tick_hz", 7) == 0)
			say(d, "%.*s\n", (int)n, text + at);
	}
}

static void print_batch(struct dump *d, struct pt_batch *batch)
{
	char line[160];

	for (size_t i = 0; i < batch->n_events; i++) {
		if (d->several)
			say(d, "%u ", batch->event[i].source);
		say(d, "%s\n", pt_event_print(&batch->event[i], line, sizeof(line)));
	}
	batch->n_events = 0;
}

static void data(struct dump *d, struct source *s, const struct pt_chunk *c)
{
	static struct pt_batch batch;

	if (s->told_ns != PT_UNKNOWN && s->told_ns != c->from_ns)
		say(d, "untiled\n");
	s->told_ns = c->to_ns;
	batch.n_events = 0;
	if (c->cause != PT_DATA_FOLLOWS)
		s->decoder->gap(s->state, PT_GAP_RESTART, 0, 0, &batch);
	for (size_t taken = 0; taken < c->len_bytes;) {
		taken += s->decoder->feed(s->state, c->bytes + taken, c->len_bytes - taken, &batch);
		print_batch(d, &batch);
	}
	print_batch(d, &batch);
}

static void loss(struct dump *d, struct source *s, const struct pt_chunk *c)
{
	if (s->told_ns != PT_UNKNOWN && s->told_ns != c->from_ns)
		say(d, "untiled\n");
	s->told_ns = c->to_ns;
	if (c->lost_bytes != PT_UNKNOWN)
		say(d, "lost %llu bytes\n", (unsigned long long)c->lost_bytes);
	else
		say(d, "lost\n");
}

static void end(struct dump *d, struct source *s)
{
	static struct pt_batch batch;

	batch.n_events = 0;
	if (s->decoder != NULL)
		s->decoder->flush(s->state, &batch);
	print_batch(d, &batch);
	say(d, "end\n");
}

static void take(struct dump *d, const struct pt_chunk *c)
{
	struct source *s = &d->source[c->source % PT_INPUTS_SOURCES];

	if (c->kind == PT_CHUNK_CONFIG)
		configure(d, s, c);
	else if (c->kind == PT_CHUNK_DATA && s->decoder != NULL)
		data(d, s, c);
	else if (c->kind == PT_CHUNK_LOSS)
		loss(d, s, c);
	else if (c->kind == PT_CHUNK_END)
		end(d, s);
}

char *input_dump(struct pt_inputs_set *set, bool several, char *out, size_t size)
{
	struct dump *d = calloc(1, sizeof(*d));
	const struct pt_chunk *chunk;
	struct pt_err err;
	int item;

	out[0] = '\0';
	d->out = out;
	d->size = size;
	d->several = several;
	while ((item = pt_inputs_next(set, &chunk, &err)) != PT_INPUT_END) {
		if (item == PT_INPUT_CHUNK)
			take(d, chunk);
		else
			say(d, "%s%s\n", item < 0 ? "error: " : "reset", item < 0 ? err.msg : "");
	}
	free(d);
	return out;
}
