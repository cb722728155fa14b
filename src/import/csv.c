/* Lines from a CSV as logic analysers and oscilloscopes write it: a row for each sample, or for each change with its
 * time in a column. Sources: files of sigrok-cli 0.7.2 (names in "; Channels (2/2): a, b", "META samplerate: N", headings that
 * are units), of Saleae Logic 2 ("Time [s],Channel 0,Channel 1"), of DSView ("; Sample rate: 100 MHz", "Time(s),0,1").
 *
 * What a column is, the first rows decide: a line of one bit, a number, or no level (analog), which is left out. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"
#include "import/csv_fields.h"
#include "import/lines.h"
#include "import/sr_metadata.h"
#include "import/text_lines.h"

enum { LOOK_BYTES = 32768, MOST_HEAD_ROWS = 1000 };
#define PS_PER_S UINT64_C(1000000000000)

enum { LINES, COLUMNS, TIME_COLUMN, TIME_UNIT, SAMPLERATE };
static const struct pt_param rows[] = {
	[LINES] = { "lines", PT_PARAM_LIST, NULL, NULL, 0, 0, "vcd, sr, csv: take only these lines (names, a,b,c)" },
	[COLUMNS] = { "columns", PT_PARAM_LIST, NULL, NULL, 0, 0,
		      "csv: take only these columns, from 1, under these names (2:pdo,3:pdoclk)" },
	[TIME_COLUMN] = { "time-column", PT_PARAM_NUMBER, NULL, NULL, 0, PT_CSV_FIELDS,
			  "csv: the column that has the time, from 1 (0: none); else the one whose heading begins so" },
	[TIME_UNIT] = { "time-unit", PT_PARAM_CHOICE, NULL, "s|ms|us|ns|ps", 0, 0,
			"csv: unit of the time, where its heading does not say; else s" },
	[SAMPLERATE] = { "samplerate", PT_PARAM_HZ, NULL, NULL, 1, 1000000000000000,
			 "sr, csv: samples per second, where the file does not say" },
};

struct column { int line; bool wide, analog, seen, known; uint64_t value; };	/* line -1: not taken */

struct csv {
	struct pt_infile *file;
	struct pt_stream stream;
	struct pt_notes notes;
	struct pt_lines lines;
	char separator;
	struct pt_csv_row row;
	size_t row_bytes;		/* of it, before it was split */
	uint64_t row_number, samples;	/* samples: rows of levels so far */
	uint64_t samplerate_hz;
	char names[PT_CSV_ROW_BYTES];	/* of the comment that has them, "" none */
	struct column column[PT_CSV_FIELDS];
	size_t n_columns, time;		/* time: a column; n_columns: none */
	int exponent;			/* of ten, of the unit of the time in s */
	int64_t first_ps;		/* of a file whose times begin below 0 */
	uint64_t ticks;
	size_t at;			/* the next column of the row */
	bool has_row;			/* a row of levels is in row */
};

/* --- the head ----------------------------------------------------------------------------------------------------- */

static bool next_row(struct csv *c)
{
	bool more = pt_text_line(c->file, &c->stream, &c->notes, c->row.text, sizeof(c->row.text), &c->row_number);

	c->row_bytes = more ? strlen(c->row.text) : 0;
	return more;
}

/* "; Samplerate: 1 MHz", "; Sample rate: 100 MHz", "META samplerate: 1000000"; "; Channels (2/2): a, b". */
static bool is_comment(struct csv *c, struct pt_err *err)
{
	const char *text = c->row.text, *value = strchr(text, ':');
	size_t blanks = strspn(text, "; #\t");

	if (text[0] != ';' && text[0] != '#' && strncmp(text, "META", 4) != 0)
		return text[strspn(text, " \t\r")] == '\0';
	if (value == NULL)
		return true;
	if (strncasecmp(text + blanks, "channels", 8) == 0)
		snprintf(c->names, sizeof(c->names), "%s", value + 1);
	else if (strstr(text, "amplerate") != NULL || strstr(text, "ample rate") != NULL)
		pt_sr_rate(value + 1, &c->samplerate_hz, err);
	return true;
}

/* Names may be numbers, too ("Time(s),0,1"). */
static bool is_heading(const struct csv *c)
{
	bool words = false;
	int64_t ps;
	uint64_t value;

	for (size_t i = 0; i < c->row.n_fields; i++)
		words |= pt_csv_level(c->row.field[i], &value) == PT_CSV_NO_LEVEL &&
			 !pt_csv_time(c->row.field[i], 0, &ps);
	return words;
}

static void find_time(struct csv *c, const struct pt_params *s)
{
	static const char *const units[] = { "s", "ms", "us", "ns", "ps" };
	const char *unit = pt_params_text(s, &rows[TIME_UNIT]);
	int exponent = 1;

	c->time = c->n_columns;
	if (pt_params_given(s, &rows[TIME_COLUMN]))
		c->time = (size_t)pt_params_number(s, &rows[TIME_COLUMN]) - 1;
	else
		for (size_t i = c->n_columns; i-- > 0;)
			if (strncasecmp(c->row.field[i], "time", 4) == 0)
				c->time = i;
	c->time = c->time < c->n_columns ? c->time : c->n_columns;
	if (c->time < c->n_columns)
		exponent = pt_csv_unit(c->row.field[c->time]);
	for (size_t i = 0; unit != NULL && i < PT_LEN(units); i++)
		if (strcmp(unit, units[i]) == 0)
			exponent = -3 * (int)i;
	c->exponent = exponent <= 0 ? exponent : 0;
}

/* --- columns ------------------------------------------------------------------------------------------------------ */

/* What the first rows say of each column. */
static void look_ahead(struct csv *c)
{
	static const char nothing[] = "";
	const uint8_t *bytes;
	size_t n = pt_infile_look(c->file, LOOK_BYTES, &bytes), len;
	struct pt_csv_row row;

	n = n < LOOK_BYTES ? n : LOOK_BYTES;
	for (const uint8_t *end; n > 0 && (end = memchr(bytes, '\n', n)) != NULL; bytes += len + 1, n -= len + 1) {
		len = (size_t)(end - bytes);
		snprintf(row.text, sizeof(row.text), "%.*s", len < sizeof(row.text) ? (int)len : 0,
			 len < sizeof(row.text) ? (const char *)bytes : nothing);
		pt_csv_split(&row, c->separator);
		for (size_t i = 0; i < row.n_fields && i < c->n_columns; i++) {
			uint64_t value;
			enum pt_csv_level level = pt_csv_level(row.field[i], &value);

			c->column[i].analog |= level == PT_CSV_NO_LEVEL;
			c->column[i].wide |= value > 1;
		}
	}
}

/* The n-th word of a list of names, from 0; "" behind the last. */
static void word_of(const char *list, size_t n, char *out, size_t size)
{
	for (; n > 0 && *list != '\0'; n--)
		list += strcspn(list, ",") + (list[strcspn(list, ",")] == ',');
	list += strspn(list, " ");
	snprintf(out, size, "%.*s", (int)strcspn(list, ",\r\n"), list);
}

/* "2:pdo,3:pdoclk": the name of column i, from 0; false: not taken. */
static bool mapped(const char *columns, size_t i, char *out, size_t size)
{
	char word[PT_LINES_NAME_BYTES + 8], *name;

	for (size_t n = 0;; n++) {
		word_of(columns, n, word, sizeof(word));
		if (word[0] == '\0')
			return false;
		if (strtoul(word, &name, 10) != i + 1)
			continue;
		if (*name == ':')
			snprintf(out, size, "%s", name + 1);
		return true;
	}
}

static int check_columns(const struct csv *c, const char *columns, struct pt_err *err)
{
	char word[PT_LINES_NAME_BYTES + 8], *end;

	for (size_t n = 0; columns != NULL; n++) {
		unsigned long number;

		word_of(columns, n, word, sizeof(word));
		if (word[0] == '\0')
			break;
		number = strtoul(word, &end, 10);
		if (end == word || (*end != ':' && *end != '\0'))
			return pt_fail(err, PT_EARG, "columns: '%.40s' is not N:NAME, as in columns=2:pdo,3:pdoclk",
				       word);
		if (number < 1 || number > c->n_columns)
			return pt_fail(err, PT_EARG, "columns: there is no column %lu; there are 1 to %zu", number,
				       c->n_columns);
		if (number - 1 == c->time)
			return pt_fail(err, PT_EARG, "columns: column %lu has the time", number);
	}
	return 0;
}

static void name_of(const struct csv *c, size_t i, size_t n_before, bool headed, char *out, size_t size)
{
	if (c->names[0] != '\0')
		word_of(c->names, n_before, out, size);
	else
		snprintf(out, size, "%s", headed ? c->row.field[i] : "");
	if (out[0] == '\0')
		snprintf(out, size, "%zu", i + 1);
	for (char *at = out; *at != '\0'; at++)
		if ((unsigned char)*at <= ' ' || *at == ',' || *at == 127)
			*at = '_';
}

/* The row has the headings, or is the first one of levels. */
static int take_columns(struct csv *c, const struct pt_params *s, bool headed, struct pt_err *err)
{
	const char *columns = pt_params_text(s, &rows[COLUMNS]);
	size_t n_analog = 0, n_before = 0;

	if (check_columns(c, columns, err) < 0)
		return err->code;
	for (size_t i = 0; i < c->n_columns; i++) {
		struct column *column = &c->column[i];
		char name[PT_LINES_NAME_BYTES];
		bool counts = headed && strcmp(c->row.field[i], "samples") == 0;	/* sigrok's time, which is always 0 */

		column->line = -1;
		if (i == c->time || counts)
			continue;
		name_of(c, i, n_before++, headed, name, sizeof(name));
		if (columns != NULL && !mapped(columns, i, name, sizeof(name)))
			continue;
		if (column->analog)
			n_analog++;
		else
			column->line = pt_lines_add(&c->lines, &c->stream.config, name, "", column->wide ? 64 : 1);
	}
	if (n_analog > 0)
		pt_notes_add(&c->notes, "%zu columns are no levels (analog, text) and were left out", n_analog);
	return pt_lines_finish(&c->lines, &c->stream.config, &c->notes, err);
}

static int take_rate(struct csv *c, const struct pt_params *s, struct pt_err *err)
{
	uint64_t hz = pt_params_number(s, &rows[SAMPLERATE]);

	c->stream.tick_hz = c->time < c->n_columns ? PS_PER_S : hz != 0 ? hz : c->samplerate_hz;
	if (c->stream.tick_hz == 0)
		return pt_fail(
			err, PT_EARG,
			"it has no column with the time, and does not say how fast it was sampled; give samplerate=HZ, or "
			"time-column=N");
	pt_text_add(&c->stream.config, "tick_hz=%" PRIu64 "\n", c->stream.tick_hz);
	return 0;
}

static int read_head(struct csv *c, const struct pt_params *s, struct pt_err *err)
{
	bool headed;

	do
		if (!next_row(c))
			return pt_infile_failed(c->file, err) < 0 ? err->code
								  : pt_fail(err, PT_EARG, "it has no row of levels");
	while (is_comment(c, err) && c->row_number < MOST_HEAD_ROWS);
	c->separator = pt_csv_separator(c->row.text);
	pt_csv_split(&c->row, c->separator);
	c->n_columns = c->row.n_fields;
	headed = is_heading(c);
	find_time(c, s);
	look_ahead(c);
	if (take_columns(c, s, headed, err) < 0 || take_rate(c, s, err) < 0)
		return err->code;
	c->has_row = !headed;
	return 0;
}

/* --- levels ------------------------------------------------------------------------------------------------------- */

static void wrong(struct csv *c, const char *why)
{
	pt_stream_lose(&c->stream, c->row_bytes);
	pt_notes_add(&c->notes, "line %" PRIu64 ": %s; left out", c->row_number, why);
}

/* When the row is; false: it makes no sense. */
static bool take_time(struct csv *c)
{
	int64_t ps;

	if (c->time == c->n_columns) {
		c->ticks = c->samples++;
		return true;
	}
	if (!pt_csv_time(c->row.field[c->time], c->exponent, &ps)) {
		wrong(c, "its time is no number");
		return false;
	}
	if (c->samples++ == 0)
		c->first_ps = ps < 0 ? ps : 0;
	if (__builtin_sub_overflow(ps, c->first_ps, &ps) || ps < 0 || (uint64_t)ps < c->ticks) {
		wrong(c, "its time is before that of the line before");
		return false;
	}
	c->ticks = (uint64_t)ps;
	return true;
}

/* A row of levels, split, into row; false: the file has ended. */
static bool take_row(struct csv *c)
{
	while (c->has_row || next_row(c)) {
		bool split = c->has_row;

		c->has_row = false;
		if (!split && is_comment(c, NULL))
			continue;
		if (!split)
			pt_csv_split(&c->row, c->separator);
		if (c->row.n_fields < c->n_columns)
			wrong(c, "it has fewer columns than the first");
		else if (take_time(c))
			return true;
	}
	return false;
}

/* The level of a column; false: as before. */
static bool take_level(struct csv *c, size_t i, struct pt_stream_record *record)
{
	struct column *column = &c->column[i];
	uint64_t value;
	enum pt_csv_level level = pt_csv_level(c->row.field[i], &value);
	bool known = level == PT_CSV_KNOWN && (column->wide || value <= 1);

	if (!known && level != PT_CSV_UNKNOWN)
		wrong(c, "a level is no number that can be used");
	value = known ? value : 0;
	if (column->seen && column->known == known && column->value == value)
		return false;
	column->seen = true;
	column->known = known;
	column->value = value;
	pt_stream_line(record, c->ticks, (unsigned)column->line, value, !known ? 0 : column->wide ? 8 : 1);
	return true;
}

static int pull(void *state, struct pt_stream_record *record, struct pt_err *err)
{
	struct csv *c = state;

	for (;;) {
		for (; c->at < c->n_columns; c->at++)
			if (c->column[c->at].line >= 0 && take_level(c, c->at, record)) {
				c->at++;
				return 1;
			}
		if (!take_row(c))
			break;
		c->at = 0;
	}
	record->ticks = c->time == c->n_columns ? c->samples : c->ticks;
	pt_notes_end(&c->notes);
	return pt_infile_failed(c->file, err);
}

/* --- the driver --------------------------------------------------------------------------------------------------- */

static bool recognise(const uint8_t *bytes, size_t len_bytes)
{
	char text[256];

	snprintf(text, sizeof(text), "%.*s", (int)(len_bytes < sizeof(text) ? len_bytes : sizeof(text) - 1),
		 (const char *)bytes);
	if (text[0] == ';')
		return strstr(text, "sigrok") != NULL || strstr(text, "CSV") != NULL;
	return strncasecmp(text + (text[0] == '"'), "time", 4) == 0 && strpbrk(text, ",;\t") != NULL;
}

static void close_csv(void *state)
{
	struct csv *c = state;

	pt_stream_fini(&c->stream);
	pt_infile_close(c->file);
}

static int open_csv(void *state, struct pt_infile *file, const struct pt_input_setup *setup, struct pt_err *err)
{
	struct csv *c = state;

	c->file = file;
	c->lines.list = pt_params_text(setup->settings, &rows[LINES]);
	pt_notes_init(&c->notes, setup);
	c->stream = (struct pt_stream){ .pull = pull, .state = c };
	pt_stream_config(&c->stream.config, PT_FORMAT_LINES, "csv", "file", setup);
	if (read_head(c, setup->settings, err) == 0) {
		c->at = c->n_columns;
		return 0;
	}
	close_csv(c);
	return err->code;
}

static int next(void *state, struct pt_chunk *chunk, struct pt_err *err)
{
	return pt_stream_next(&((struct csv *)state)->stream, chunk, err);
}

const struct pt_input_ops pt_input_csv = {
	.name = "csv",
	.help = "levels of a logic analyser, a row for each sample or change",
	.params = rows,
	.n_params = PT_LEN(rows),
	.state_bytes = sizeof(struct csv),
	.recognise = recognise,
	.open = open_csv,
	.next = next,
	.close = close_csv,
};
