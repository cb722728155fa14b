/* Every driver of foreign files on arbitrary bytes: nothing may break, reading comes to an end in bounded memory, and
 * what comes out tiles. The first byte chooses the driver, up to the first newline stand settings; the rest is the
 * file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/importer.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

struct any_chunk { struct pt_chunk chunk; uint8_t bytes[PT_CHUNK_BYTES]; };
struct told { bool known; uint64_t ns; };

static void on_note(void *arg, const char *text)
{
	(void)arg;
	if (strlen(text) > 600)
		abort();
}

static void check(const struct pt_chunk *c, struct told *told)
{
	if (c->len_bytes > PT_CHUNK_BYTES)
		abort();
	if (c->kind != PT_CHUNK_DATA && c->kind != PT_CHUNK_LOSS)
		return;
	if (c->to_ns < c->from_ns || (told->known && c->from_ns != told->ns))
		abort();
	*told = (struct told){ true, c->to_ns };
}

/* A ZIP of 100 KB holds 100 MB of samples; here it is enough to see some. */
static void read_through(const struct pt_input_ops *ops, void *state)
{
	static struct any_chunk got;
	struct told told = { false, 0 };
	struct pt_err err = { 0 };
	int item = PT_INPUT_CHUNK;
	size_t n;

	for (size_t items = 0; item > 0 && items < 2000; items++) {
		item = ops->next(state, &got.chunk, &err);
		if (item < 0 && err.msg[0] == '\0')
			abort();
		if (item == PT_INPUT_CHUNK && strcmp(ops->name, "capture") != 0)
			check(&got.chunk, &told);
	}
	if (ops->lines != NULL && ops->lines(state, &n) == NULL)
		abort();
}

static void add_words(struct pt_params *settings, const struct pt_input_ops *ops, const char *text, size_t len)
{
	char words[256];

	snprintf(words, sizeof(words), "%.*s", (int)len, text);
	for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
		pt_params_add(settings, ops->params, ops->n_params, word, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	const uint8_t *line = in_bytes > 0 ? memchr(in, '\n', in_bytes) : NULL;
	struct pt_params *settings;
	const struct pt_input_ops *ops;
	struct pt_err err = { 0 };
	size_t n = 0, head;
	void *state;

	if (line == NULL || line - in > 200)
		return 0;
	while (pt_inputs[n] != NULL)
		n++;
	ops = pt_inputs[(uint8_t)(in[0] - '0') % n];	/* a digit means the same when there are more */
	if (strcmp(ops->name, "sigrok") == 0)	/* runs another program */
		return 0;
	head = (size_t)(line - in);
	settings = pt_params_new();
	add_words(settings, ops, (const char *)in + 1, head > 0 ? head - 1 : 0);
	state = calloc(1, ops->state_bytes);
	in += head + 1;
	in_bytes -= head + 1;
	if (ops->recognise != NULL)
		ops->recognise(in, in_bytes < 512 ? in_bytes : 512);
	if (ops->open(state, pt_infile_from_bytes(in, in_bytes),
		      &(struct pt_input_setup){ "a file", settings, on_note, NULL }, &err) == 0) {
		read_through(ops, state);
		ops->close(state);
	} else if (err.msg[0] == '\0') {
		abort();
	}
	free(state);
	pt_params_free(settings);
	return 0;
}
