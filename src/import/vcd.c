/* Value change dump. Source: IEEE 1364, clause 18 (four-state VCD), and what simulators and sigrok write.
 *
 * A scalar is a line of one bit; a vector one of as many bits as it has, in parts of 64; a value with x or z in it is
 * not known. A dump may be of any length; what is kept is the variables that were chosen. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/lines.h"
#include "base/util.h"

enum { ID_BYTES = 16, MOST_VARS = PT_LINES_MOST, SLOTS = 1024, TOKEN_BYTES = 4160, MOST_BITS = 4096, PART_BITS = 64,
       MOST_DEPTH = 64 };

struct var {
	char id[ID_BYTES];
	uint32_t n_bits;
	uint16_t line, n_parts;
};

struct level { uint64_t value; bool known, seen; };

struct vcd {
	struct pt_infile *file;
	struct pt_stream stream;
	struct pt_notes notes;
	struct pt_lines lines;
	struct var var[MOST_VARS];
	size_t n_vars;
	uint16_t slot[SLOTS];		/* index + 1 of a variable; 0: free */
	struct level level[PT_LINES_MOST];

	/* the header */
	char path[PT_LINES_NAME_BYTES];
	size_t depth, at_depth[MOST_DEPTH];	/* length of the path at each */
	uint64_t ticks_factor;
	bool scaled;
	size_t n_others;		/* variables of kinds that are no levels */

	/* the way through */
	uint64_t line, time;
	bool told_back;
	char token[TOKEN_BYTES + 1];
	size_t token_len;
	bool token_cut;
	const struct var *changing;	/* its new value is bits; NULL: none */
	char bits[MOST_BITS + 1];
	size_t n_bits;
	unsigned part;
};

/* --- tokens ------------------------------------------------------------------------------------------------------- */

static bool is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_spaces(struct vcd *v)
{
	const uint8_t *bytes;
	size_t n, i = 1;

	while (i > 0 && (n = pt_infile_look(v->file, 1, &bytes)) > 0) {
		for (i = 0; i < n && is_space(bytes[i]); i++)
			v->line += bytes[i] == '\n';
		pt_infile_take(v->file, i);
		i = i == n;		/* there may be more */
	}
}

/* The next word into v->token, cut at TOKEN_BYTES; false: the file has ended. */
static bool next_token(struct vcd *v)
{
	const uint8_t *bytes;
	size_t n, i = 0;

	skip_spaces(v);
	v->token_len = 0;
	v->token_cut = false;
	do {
		n = pt_infile_look(v->file, TOKEN_BYTES, &bytes);
		for (i = 0; i < n && !is_space(bytes[i]); i++)
			if (v->token_len < TOKEN_BYTES)
				v->token[v->token_len++] = (char)bytes[i];
			else
				v->token_cut = true;
		pt_infile_take(v->file, i);
	} while (i == n && n > 0);
	v->token[v->token_len] = '\0';
	return v->token_len > 0;
}

static bool token_is(const struct vcd *v, const char *word)
{
	return strcmp(v->token, word) == 0;
}

static void skip_to_end(struct vcd *v)
{
	while (next_token(v) && !token_is(v, "$end"))
		;
}

/* --- the header --------------------------------------------------------------------------------------------------- */

static int truncated(struct pt_err *err)
{
	return pt_fail(err, PT_EARG, "it ends within its header");
}

/* "10 ns", or "10ns". */
static int read_timescale(struct vcd *v, struct pt_err *err)
{
	static const struct { const char *name; uint64_t hz; } units[] = {
		{ "s", 1 }, { "ms", 1000 }, { "us", 1000000 }, { "ns", 1000000000 }, { "ps", 1000000000000 },
		{ "fs", 1000000000000000 },
	};
	char text[32] = "", *unit;
	uint64_t n;

	while (next_token(v) && !token_is(v, "$end"))
		if (strlen(text) + v->token_len < sizeof(text))
			memcpy(text + strlen(text), v->token, v->token_len + 1);
	n = strtoull(text, &unit, 10);
	for (size_t i = 0; i < PT_LEN(units); i++)
		if ((n == 1 || n == 10 || n == 100) && strcmp(unit, units[i].name) == 0) {
			v->scaled = true;
			v->stream.tick_hz = units[i].hz;
			v->ticks_factor = n;
			return 0;
		}
	return pt_fail(err, PT_EARG,
		       "line %" PRIu64 ": $timescale is 1, 10 or 100 and s, ms, us, ns, ps or fs, not '%s'", v->line,
		       text);
}

static int read_scope(struct vcd *v, struct pt_err *err)
{
	size_t len = strlen(v->path);

	if (!next_token(v) || !next_token(v))
		return truncated(err);
	if (v->depth == MOST_DEPTH)
		return pt_fail(err, PT_EARG, "line %" PRIu64 ": scopes are more than %d deep", v->line, MOST_DEPTH);
	v->at_depth[v->depth++] = len;
	snprintf(v->path + len, sizeof(v->path) - len, "%.100s.", v->token);
	skip_to_end(v);
	return 0;
}

static int leave_scope(struct vcd *v)
{
	if (v->depth > 0)
		v->path[v->at_depth[--v->depth]] = '\0';
	skip_to_end(v);
	return 0;
}

static size_t hash(const char *id)
{
	uint32_t h = 2166136261u;	/* FNV-1a */

	for (; *id != '\0'; id++)
		h = (h ^ (uint8_t)*id) * 16777619u;
	return h % SLOTS;
}

/* The slot of id: a variable's, or free. */
static uint16_t *find_slot(struct vcd *v, const char *id)
{
	size_t at = hash(id);

	while (v->slot[at] != 0 && strcmp(v->var[v->slot[at] - 1].id, id) != 0)
		at = (at + 1) % SLOTS;
	return &v->slot[at];
}

static bool has_room(const struct vcd *v, const char *name, unsigned n_parts)
{
	return v->n_vars < MOST_VARS && v->lines.n_lines + n_parts <= PT_LINES_MOST &&
	       v->stream.config.len_bytes + n_parts * (strlen(name) + PT_LINES_ROOM) <= PT_CHUNK_BYTES;
}

/* All parts of it, or none. An id that is known already has another name here. */
static void take_var(struct vcd *v, const char *id, const char *name, uint32_t n_bits)
{
	uint16_t *slot = find_slot(v, id);
	unsigned n_parts = (n_bits + PART_BITS - 1) / PART_BITS;
	struct var *var = &v->var[v->n_vars];

	if (*slot != 0)
		return;
	if (!has_room(v, name, n_parts)) {
		v->lines.n_left_out++;
		return;
	}
	for (unsigned i = 0; i < n_parts; i++) {
		unsigned low = i * PART_BITS, high = low + PART_BITS < n_bits ? low + PART_BITS : n_bits;
		char range[32] = "";
		int line;

		if (n_parts > 1)
			snprintf(range, sizeof(range), "[%u:%u]", high - 1, low);
		line = pt_lines_add(&v->lines, &v->stream.config, name, range, high - low);
		if (line < 0)
			return;		/* not wanted: none of the parts is */
		if (i == 0)
			var->line = (uint16_t)line;
	}
	snprintf(var->id, sizeof(var->id), "%.15s", id);
	var->n_bits = n_bits;
	var->n_parts = (uint16_t)n_parts;
	*slot = (uint16_t)++v->n_vars;
}

static bool is_level(const char *type)
{
	static const char *const others[] = { "real", "realtime", "string", "event", "parameter", "real_parameter" };

	for (size_t i = 0; i < PT_LEN(others); i++)
		if (strcmp(type, others[i]) == 0)
			return false;
	return true;
}

static void clean(char *name)
{
	for (; *name != '\0'; name++)
		if ((unsigned char)*name <= ' ' || *name == ',' || *name == 127)
			*name = '_';
}

/* $var TYPE WIDTH ID NAME [RANGE] $end; the range may be joined to the name. */
static int read_var(struct vcd *v, struct pt_err *err)
{
	char word[5][PT_LINES_NAME_BYTES] = { "", "", "", "", "" }, name[3 * PT_LINES_NAME_BYTES];
	size_t n = 0;
	uint64_t n_bits;

	while (next_token(v) && !token_is(v, "$end")) {
		if (n < PT_LEN(word))
			snprintf(word[n], sizeof(word[n]), "%.127s", v->token);
		n++;
	}
	n_bits = strtoull(word[1], NULL, 10);
	if (n < 4 || n_bits == 0)
		return pt_fail(err, PT_EARG, "line %" PRIu64 ": $var has a type, a width, an id and a name", v->line);
	snprintf(name, sizeof(name), "%s%s%s", v->path, word[3], n_bits == 1 && word[4][0] == '[' ? word[4] : "");
	name[PT_LINES_NAME_BYTES - 1] = '\0';
	clean(name);
	if (!is_level(word[0]))
		v->n_others++;
	else if (n_bits > MOST_BITS || strlen(word[2]) >= ID_BYTES)
		pt_notes_add(&v->notes, "%s: %" PRIu64 " bits, id %.20s: more than is read here; left out", name,
			     n_bits, word[2]);
	else
		take_var(v, word[2], name, (uint32_t)n_bits);
	return 0;
}

static int read_command(struct vcd *v, bool *done, struct pt_err *err)
{
	*done = token_is(v, "$enddefinitions");
	if (token_is(v, "$timescale"))
		return read_timescale(v, err);
	if (token_is(v, "$scope"))
		return read_scope(v, err);
	if (token_is(v, "$upscope"))
		return leave_scope(v);
	if (token_is(v, "$var"))
		return read_var(v, err);
	if (v->token[0] != '$')
		return pt_fail(err, PT_EARG, "line %" PRIu64 ": '%.40s' is no VCD header", v->line, v->token);
	skip_to_end(v);
	return 0;
}

static int read_header(struct vcd *v, struct pt_err *err)
{
	bool done = false;

	while (!done) {
		if (!next_token(v))
			return pt_infile_failed(v->file, err) < 0 ? err->code : truncated(err);
		if (read_command(v, &done, err) < 0)
			return err->code;
	}
	if (!v->scaled)
		pt_notes_add(&v->notes, "it has no $timescale; taken as 1 ns");
	if (v->n_others > 0)
		pt_notes_add(&v->notes, "%zu variables are no levels (real, string, event) and were left out",
			     v->n_others);
	return pt_lines_finish(&v->lines, &v->stream.config, &v->notes, err);
}

/* --- changes ------------------------------------------------------------------------------------------------------ */

/* A change may be among it, or a time. */
static void wrong(struct vcd *v, const char *why)
{
	pt_stream_lose(&v->stream, v->token_len);
	pt_notes_add(&v->notes, "line %" PRIu64 ": '%.40s': %s; left out", v->line, v->token, why);
}

static void take_time(struct vcd *v)
{
	uint64_t time = 0;
	char *end;

	time = strtoull(v->token + 1, &end, 10);
	if (end == v->token + 1 || *end != '\0' || v->token[1] == '-' ||
	    __builtin_mul_overflow(time, v->ticks_factor, &time) || time > INT64_MAX) {
		wrong(v, "no time that can be used");
	} else if (time < v->time) {
		wrong(v, "time goes back");
	} else {
		v->time = time;
	}
}

/* A variable that was not chosen, or never declared, is nothing to us. */
static void change(struct vcd *v, const char *id, const char *bits, size_t n_bits)
{
	uint16_t slot = strlen(id) < ID_BYTES ? *find_slot(v, id) : 0;

	if (slot == 0)
		return;
	v->changing = &v->var[slot - 1];
	v->part = 0;
	v->n_bits = n_bits;
	memcpy(v->bits, bits, n_bits);
}

static bool are_bits(const char *bits)
{
	return bits[0] != '\0' && bits[strspn(bits, "01xXzZuUwWhHlL-")] == '\0';
}

static void take_vector(struct vcd *v)
{
	char bits[MOST_BITS + 1];
	size_t n = v->token_len - 1;
	bool usable = !v->token_cut && n <= MOST_BITS && are_bits(v->token + 1);

	if (usable)
		memcpy(bits, v->token + 1, n);
	else
		wrong(v, "no bits that can be used");
	if (next_token(v) && usable)
		change(v, v->token, bits, n);
}

static void take_token(struct vcd *v)
{
	switch (v->token[0]) {
	case '#':
		take_time(v);
		break;
	case '0': case '1': case 'x': case 'X': case 'z': case 'Z':
		change(v, v->token + 1, v->token, 1);
		break;
	case 'b': case 'B':
		take_vector(v);
		break;
	case 'r': case 'R': case 's': case 'S':
		next_token(v);		/* whose it is */
		break;
	case '$':
		if (!token_is(v, "$dumpvars") && !token_is(v, "$dumpall") && !token_is(v, "$dumpon") &&
		    !token_is(v, "$dumpoff") && !token_is(v, "$end"))
			skip_to_end(v);
		break;
	default:
		wrong(v, "no change and no time");
	}
}

/* Bit i of the new value, from the right: what was not written is 0, or x if the leftmost is no bit. */
static char bit_at(const struct vcd *v, uint32_t i)
{
	char left = v->bits[0];

	if (i < v->n_bits)
		return v->bits[v->n_bits - 1 - i];
	return left == '0' || left == '1' ? '0' : 'x';
}

static struct level level_of(const struct vcd *v, unsigned part, uint32_t *n_bits)
{
	uint32_t all = v->changing->n_bits, low = part * PART_BITS;
	uint32_t high = low + PART_BITS < all ? low + PART_BITS : all;
	struct level level = { .known = true, .seen = true };

	*n_bits = high - low;
	for (uint32_t i = low; i < high; i++) {
		char bit = bit_at(v, i);

		level.known &= bit == '0' || bit == '1';
		level.value |= (uint64_t)(bit == '1') << (i - low);
	}
	if (!level.known)
		level.value = 0;
	return level;
}

/* The next part that is another than before; false: no more. */
static bool next_part(struct vcd *v, struct pt_stream_record *record)
{
	while (v->changing != NULL && v->part < v->changing->n_parts) {
		uint32_t n_bits;
		unsigned part = v->part++, line = v->changing->line + part;
		struct level level = level_of(v, part, &n_bits), *last = &v->level[line];

		if (last->seen && last->known == level.known && last->value == level.value)
			continue;
		*last = level;
		pt_stream_line(record, v->time, line, level.value, level.known ? (n_bits + 7) / 8 : 0);
		return true;
	}
	v->changing = NULL;
	return false;
}

static int pull(void *state, struct pt_stream_record *record, struct pt_err *err)
{
	struct vcd *v = state;

	while (!next_part(v, record)) {
		if (!next_token(v)) {
			record->ticks = v->time;
			pt_notes_end(&v->notes);
			return pt_infile_failed(v->file, err);
		}
		take_token(v);
	}
	return 1;
}

/* --- the driver --------------------------------------------------------------------------------------------------- */

static bool recognise(const uint8_t *bytes, size_t len_bytes)
{
	static const char *const words[] = {
		"$date", "$version", "$comment", "$timescale", "$scope", "$var", "$enddefinitions", "$attrbegin",
	};
	size_t at = 0;

	while (at < len_bytes && is_space(bytes[at]))
		at++;
	for (size_t i = 0; i < PT_LEN(words); i++)
		if (len_bytes - at > strlen(words[i]) && memcmp(bytes + at, words[i], strlen(words[i])) == 0)
			return is_space(bytes[at + strlen(words[i])]);
	return false;
}

static void close_vcd(void *state)
{
	struct vcd *v = state;

	pt_stream_fini(&v->stream);
	pt_infile_close(v->file);
}

static int open_vcd(void *state, struct pt_infile *file, const struct pt_input_setup *setup, struct pt_err *err)
{
	struct vcd *v = state;

	v->file = file;
	v->line = 1;
	v->ticks_factor = 1;
	v->lines.list = pt_params_text(setup->settings, &pt_lines_param);
	pt_notes_init(&v->notes, setup);
	v->stream = (struct pt_stream){ .pull = pull, .state = v, .tick_hz = PT_NS_PER_S };
	pt_stream_config(&v->stream.config, PT_FORMAT_LINES, "vcd", "file", setup);
	if (read_header(v, err) < 0) {
		close_vcd(v);
		return err->code;
	}
	pt_text_add(&v->stream.config, "tick_hz=%" PRIu64 "\n", v->stream.tick_hz);
	return 0;
}

static int next(void *state, struct pt_chunk *chunk, struct pt_err *err)
{
	return pt_stream_next(&((struct vcd *)state)->stream, chunk, err);
}

const struct pt_input_ops pt_input_vcd = {
	.name = "vcd",
	.help = "value change dump",
	.params = &pt_lines_param,
	.n_params = 1,
	.state_bytes = sizeof(struct vcd),
	.recognise = recognise,
	.open = open_vcd,
	.next = next,
	.close = close_vcd,
};
