/* Protocols on lines, decoded by sigrok-cli -P: CAN, LIN, UART, I2C, SPI and what else its decoders know, from any file that it
 * reads. Each different annotation ("uart-1 48", "can-1 ID: 291") becomes a line, high while it lasts, so that there are counts,
 * periods and latencies of it.
 *
 * sigrok-cli is another program, and what it prints is not trusted: it has a deadline, a bound on its output, and names are made
 * harmless. It says samples, whose rate it says, too. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "host/output_of.h"
#include "import/named_lines.h"

enum { DECODER, SHOW, READ_AS, TIME };
static const struct pt_param rows[] = {
	[DECODER] = { "sigrok", PT_PARAM_TEXT, NULL, NULL, 0, 0,
		      "sigrok: the decoder, as sigrok-cli -P has it: uart:rx=D0:baudrate=115200" },
	[SHOW] = { "sigrok-show", PT_PARAM_TEXT, NULL, NULL, 0, 0,
		   "sigrok: which annotations, as sigrok-cli -A has it (uart=rx-data); else all of the decoder" },
	[READ_AS] = { "sigrok-input", PT_PARAM_TEXT, NULL, NULL, 0, 0,
		      "sigrok: how it reads the file, as sigrok-cli -I has it (csv:samplerate=1000000)" },
	[TIME] = { "sigrok-time", PT_PARAM_TIME, "60s", NULL, 1, 3600000000000, "sigrok: sigrok-cli is ended after this time" },
};

enum { MOST_BYTES = 16 << 20, NAME_BYTES = PT_LINES_NAME_BYTES, MOST_WORDS = 12 };

/* --- the program --------------------------------------------------------------------------------------------------- */

static const char *text_of(const struct pt_input_setup *setup, unsigned row)
{
	return pt_params_text(setup->settings, &rows[row]);
}

static int run(const struct pt_input_setup *setup, const char *const *more, struct pt_text *out, struct pt_err *err)
{
	const char *words[MOST_WORDS + 1] = { "sigrok-cli" }, *as = text_of(setup, READ_AS);
	char *path = pt_alloc(strlen(setup->path) + 3);
	size_t n = 1;
	int rc;

	snprintf(path, strlen(setup->path) + 3, "%s%s", setup->path[0] == '-' ? "./" : "", setup->path);
	if (as != NULL) {
		words[n++] = "-I";
		words[n++] = as;
	}
	words[n++] = "-i";
	words[n++] = path;
	while (*more != NULL && n < MOST_WORDS)
		words[n++] = *more++;
	rc = pt_output_of(words, pt_params_number(setup->settings, &rows[TIME]) / 1000000, MOST_BYTES, out, err);
	free(path);
	return rc;
}

/* "Samplerate: 1000000000" */
static int read_rate(uint64_t *hz, const struct pt_input_setup *setup, struct pt_err *err)
{
	static const char *const show[] = { "--show", NULL };
	struct pt_text out = { .bytes = NULL };
	const char *at;
	int rc = run(setup, show, &out, err);

	if (rc == 0) {
		at = out.bytes != NULL ? strstr(out.bytes, "Samplerate: ") : NULL;
		*hz = at != NULL ? strtoull(at + strlen("Samplerate: "), NULL, 10) : 0;
		if (*hz == 0)
			rc = pt_fail(err, PT_EARG,
				     "sigrok-cli does not know the file's samplerate; sigrok-input= may say it "
				     "(csv:samplerate=1000000)");
	}
	pt_text_free(&out);
	return rc;
}

/* --- what it prints ------------------------------------------------------------------------------------------------ */

/* "108681-178126 uart-1: 48". False: it is something else. */
static bool take_line(struct pt_named_lines *s, char *text)
{
	char name[NAME_BYTES], *at = text;
	uint64_t from, to;
	char *colon;
	uint16_t line;

	if (*at < '0' || *at > '9')
		return false;
	from = strtoull(at, &at, 10);
	if (*at++ != '-' || *at < '0' || *at > '9')
		return false;
	to = strtoull(at, &at, 10);
	colon = strstr(at, ": ");
	if (*at++ != ' ' || colon == NULL || to < from || to > INT64_MAX - 1)
		return false;
	snprintf(name, sizeof(name), "%.*s %s", (int)(colon - at < 40 ? colon - at : 40), at, colon + 2);
	line = pt_named_line(s, name, false);
	pt_named_level(s, from, line, true);
	pt_named_level(s, to > from ? to : from + 1, line, false);
	return true;
}

static void take_output(struct pt_named_lines *s, struct pt_text *out)
{
	uint64_t strange = 0;
	char *rest = out->bytes, *line;

	while (rest != NULL && (line = strtok_r(rest, "\r\n", &rest)) != NULL)
		strange += !take_line(s, line);
	if (strange > 0)
		pt_notes_add(&s->notes, "%" PRIu64 " lines of sigrok-cli are no annotations; left out", strange);
}

static int decode(struct pt_named_lines *s, const struct pt_input_setup *setup, struct pt_err *err)
{
	char name[NAME_BYTES];
	const char *decoder = text_of(setup, DECODER), *show = text_of(setup, SHOW), *last = strrchr(decoder, ',');
	struct pt_text out = { .bytes = NULL };
	int rc;

	last = last != NULL ? last + 1 : decoder;	/* of several, the one on top */
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(last, ":"), last);
	const char *const words[] = { "-P", decoder, "-A", show != NULL ? show : name, "--protocol-decoder-samplenum", NULL };

	rc = run(setup, words, &out, err);
	if (rc == 0)
		take_output(s, &out);
	pt_text_free(&out);
	if (rc == 0 && s->n_changes == 0)
		return pt_fail(err, PT_EARG, "sigrok-cli -P %.80s finds nothing in it", decoder);
	return rc;
}

/* --- the file ------------------------------------------------------------------------------------------------------ */

static void close_sigrok(void *state)
{
	pt_named_fini(state);
}

static int open_sigrok(void *state, struct pt_infile *file, const struct pt_input_setup *setup, struct pt_err *err)
{
	struct pt_named_lines *s = state;
	uint64_t hz;

	pt_infile_close(file);		/* the other program reads it */
	pt_notes_init(&s->notes, setup);
	pt_stream_config(&s->stream.config, PT_FORMAT_LINES, "sigrok", "file", setup);
	if (text_of(setup, DECODER) == NULL)
		pt_fail(err, PT_EARG,
			"input=sigrok needs a decoder: sigrok=uart:rx=D0:baudrate=115200 (sigrok-cli -L lists them)");
	else if (strcmp(setup->path, "-") == 0)
		pt_fail(err, PT_EARG, "sigrok-cli reads a file, not standard input");
	else if (read_rate(&hz, setup, err) == 0 && decode(s, setup, err) == 0 &&
		 pt_named_begin(s, hz, "annotations", err) == 0)
		return 0;
	pt_named_fini(s);
	return err->code;
}

static int next(void *state, struct pt_chunk *chunk, struct pt_err *err)
{
	return pt_stream_next(&((struct pt_named_lines *)state)->stream, chunk, err);
}

const struct pt_input_ops pt_input_sigrok = {
	.name = "sigrok",
	.help = "protocols on lines, decoded by sigrok-cli",
	.params = rows,
	.n_params = PT_LEN(rows),
	.state_bytes = sizeof(struct pt_named_lines),
	.open = open_sigrok,
	.next = next,
	.close = close_sigrok,
};
