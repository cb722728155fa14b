/* Values as text, for logs of any origin. One record a line, words between blanks:
 *
 *   TIME_NS SPACE:ADDRESS SIZE VALUE [PC]
 *
 * SPACE is memory, port or line; SIZE in bytes, 1 to 8, with an r behind it if the value was read, not written.
 * Numbers are decimal or 0x...; a value may be negative. What follows a # is not read. Times do not go back. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/text_lines.h"
#include "trace/event.h"
#include "base/util.h"

enum { LINE_BYTES = 256, MOST_WORDS = 5 };

struct values {
	struct pt_infile *file;
	struct pt_stream stream;
	struct pt_notes notes;
	uint64_t line, last_ns;
};

/* --- a line ------------------------------------------------------------------------------------------------------- */

struct line { char text[LINE_BYTES]; char *word[MOST_WORDS + 1]; size_t n_words; };

static void split(struct line *line)
{
	char *rest = line->text, *word;

	line->text[strcspn(line->text, "#")] = '\0';
	line->n_words = 0;
	while (line->n_words <= MOST_WORDS && (word = strtok_r(rest, " \t\r", &rest)) != NULL)
		line->word[line->n_words++] = word;
}

static bool number(const char *text, uint64_t *out)
{
	char *end;
	int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;

	if (text[0] < '0' || text[0] > '9' || strlen(text) > 22)
		return false;
	*out = strtoull(text, &end, base);
	return *end == '\0' && *out != UINT64_MAX;
}

static bool space(const char *text, uint8_t *how, const char **address)
{
	static const struct { const char *name; enum pt_value_space space; } names[] = {
		{ "memory:", PT_SPACE_MEMORY }, { "mem:", PT_SPACE_MEMORY }, { "port:", PT_SPACE_PORT },
		{ "line:", PT_SPACE_LINE },
	};

	for (size_t i = 0; i < PT_LEN(names); i++)
		if (strncmp(text, names[i].name, strlen(names[i].name)) == 0) {
			*how = (uint8_t)(names[i].space * 2);
			*address = text + strlen(names[i].name);
			return true;
		}
	return false;
}

static bool size(const char *text, uint8_t *how, uint8_t *n_bytes)
{
	if (text[0] < '1' || text[0] > '8')
		return false;
	if (text[1] != '\0' && strcmp(text + 1, "r") != 0 && strcmp(text + 1, "w") != 0)
		return false;
	*n_bytes = (uint8_t)(text[0] - '0');
	*how |= text[1] != 'r';
	return true;
}

static bool value(const char *text, unsigned n_bytes, uint64_t *out)
{
	uint64_t most = n_bytes == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * n_bytes)) - 1;
	bool negative = text[0] == '-';

	if (!number(text + negative, out) || *out > (negative ? most / 2 + 1 : most))
		return strcmp(text, "0xffffffffffffffff") == 0 && n_bytes == 8 && (*out = UINT64_MAX, true);
	*out = (negative ? -*out : *out) & most;
	return true;
}

/* What makes no sense in it; NULL: it is in record. */
static const char *parse(const struct line *line, struct pt_stream_record *record)
{
	uint64_t at, v, pc = 0;
	uint8_t how = 0, n_bytes = 0;
	const char *address;

	if (line->n_words < 4 || line->n_words > MOST_WORDS)
		return "TIME_NS SPACE:ADDRESS SIZE VALUE [PC] is what a line has";
	if (!number(line->word[0], &record->ticks) || record->ticks > INT64_MAX)
		return "the time is no number of ns";
	if (!space(line->word[1], &how, &address) || !number(address, &at))
		return "the place is not memory:ADDRESS, port:N or line:N";
	if (!size(line->word[2], &how, &n_bytes))
		return "the size is not 1 to 8 bytes, with an r if it was read";
	if (!value(line->word[3], n_bytes, &v))
		return "the value is no number, or does not fit its size";
	if (line->n_words > 4 && !number(line->word[4], &pc))
		return "the pc is no number";
	record->n_bytes = line->n_words > 4 ? PT_VALUES_MOST_BYTES : PT_VALUES_PC;
	record->bytes[PT_VALUES_HOW] = line->n_words > 4 ? how | PT_VALUES_HAS_PC : how;
	record->bytes[PT_VALUES_SIZE] = n_bytes;
	pt_put_le64(record->bytes + PT_VALUES_AT, at);
	pt_put_le64(record->bytes + PT_VALUES_VALUE, v);
	pt_put_le64(record->bytes + PT_VALUES_PC, pc);
	return NULL;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static int pull(void *state, struct pt_stream_record *record, struct pt_err *err)
{
	struct values *v = state;
	struct line line;
	const char *wrong;
	size_t len;

	while (pt_text_line(v->file, &v->stream, &v->notes, line.text, sizeof(line.text), &v->line)) {
		len = strlen(line.text);
		split(&line);
		if (line.n_words == 0)
			continue;
		wrong = parse(&line, record);
		if (wrong == NULL && record->ticks < v->last_ns)
			wrong = "its time is before that of the line before";
		if (wrong != NULL) {
			pt_notes_add(&v->notes, "line %" PRIu64 ": %s; left out", v->line, wrong);
			pt_stream_lose(&v->stream, len);
			continue;
		}
		v->last_ns = record->ticks;
		pt_put_le64(record->bytes + PT_VALUES_TICKS, record->ticks);
		return 1;
	}
	record->ticks = v->last_ns;
	pt_notes_end(&v->notes);
	return pt_infile_failed(v->file, err);
}

static bool recognise(const uint8_t *bytes, size_t len_bytes)
{
	struct pt_stream_record record;
	struct line line;

	while (len_bytes > 0) {
		const uint8_t *end = memchr(bytes, '\n', len_bytes);
		size_t len = end != NULL ? (size_t)(end - bytes) : len_bytes;

		if (len >= LINE_BYTES || memchr(bytes, '\0', len) != NULL)
			return false;
		memcpy(line.text, bytes, len);
		line.text[len] = '\0';
		split(&line);
		if (line.n_words > 0)
			return parse(&line, &record) == NULL;
		len += end != NULL;
		bytes += len;
		len_bytes -= len;
	}
	return false;
}

static int open_values(void *state, struct pt_infile *file, const struct pt_input_setup *setup, struct pt_err *err)
{
	struct values *v = state;

	(void)err;
	v->file = file;
	pt_notes_init(&v->notes, setup);
	v->stream = (struct pt_stream){ .pull = pull, .state = v, .tick_hz = PT_NS_PER_S };
	pt_stream_config(&v->stream.config, PT_FORMAT_VALUES, "values", "file", setup);
	pt_text_add(&v->stream.config, "tick_hz=%" PRIu64 "\n", v->stream.tick_hz);
	return 0;
}

static int next(void *state, struct pt_chunk *chunk, struct pt_err *err)
{
	return pt_stream_next(&((struct values *)state)->stream, chunk, err);
}

static void close_values(void *state)
{
	struct values *v = state;

	pt_stream_fini(&v->stream);
	pt_infile_close(v->file);
}

const struct pt_input_ops pt_input_values = {
	.name = "values",
	.help = "text: TIME_NS SPACE:ADDRESS SIZE VALUE [PC]",
	.state_bytes = sizeof(struct values),
	.recognise = recognise,
	.open = open_values,
	.next = next,
	.close = close_values,
};
