/* Words "key=value". A set holds the text of each value; text is checked when it is added and parsed again when it is
 * read, so a set can be copied, printed and replayed without knowing its rows. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/params.h"
#include "base/alloc.h"
#include "base/nearest.h"
#include "base/util.h"

enum { WORD_BYTES = 4096 };	/* the longest word taken */

struct entry {
	char *key, *value;
};

struct pt_params {
	struct entry *entry;
	size_t n_entries;
};

struct suffix {
	const char *name;
	uint64_t factor;
};

static const struct suffix number_suffixes[] = {
	{ "", 1 }, { "k", 1000 }, { "M", 1000000 }, { "Ki", 1024 }, { "Mi", 1048576 }, { NULL, 0 },
};
static const struct suffix time_suffixes[] = {	/* to ns */
	{ "ns", 1 }, { "us", 1000 }, { "ms", PT_NS_PER_MS }, { "s", PT_NS_PER_S }, { "min", 60 * PT_NS_PER_S },
	{ NULL, 0 },
};
static const struct suffix hz_suffixes[] = {
	{ "", 1 }, { "Hz", 1 }, { "k", 1000 }, { "kHz", 1000 }, { "M", 1000000 }, { "MHz", 1000000 },
	{ "hz", 1 }, { "khz", 1000 }, { "mhz", 1000000 }, { "Mhz", 1000000 }, { NULL, 0 },
};

/* --- parsing */

static bool is_digit(char c)
{
	return isdigit((unsigned char)c) != 0;
}

/* "12", "0x1f" or "1.5": the whole part and up to 9 digits after the point are stored separately until the suffix is
 * known, so that nothing is rounded. */
struct decimal {
	uint64_t whole, fraction, fraction_unit;	/* fraction / fraction_unit */
};

static bool digits(const char **text, uint64_t *out)
{
	char *end;

	if (!is_digit(**text))
		return false;
	if (strlen(*text) > 64)
		return false;
	int base = (*text)[0] == '0' && ((*text)[1] == 'x' || (*text)[1] == 'X') ? 16 : 10;
	unsigned long long v = strtoull(*text, &end, base);
	if (v == UINT64_MAX)	/* out of range, or the value of PT_UNKNOWN, which is not allowed */
		return false;
	*out = v;
	*text = end;
	return true;
}

static bool decimal(const char **text, struct decimal *out)
{
	*out = (struct decimal){ .fraction_unit = 1 };
	if (!digits(text, &out->whole))
		return false;
	if (**text != '.')
		return true;
	if (!is_digit(*++*text))
		return false;
	for (int i = 0; is_digit(**text); i++, ++*text) {
		if (i >= 9)
			return false;
		out->fraction = out->fraction * 10 + (uint64_t)(**text - '0');
		out->fraction_unit *= 10;
	}
	return true;
}

static bool scaled(const char *text, const struct suffix *suffixes, uint64_t *out)
{
	struct decimal d;
	uint64_t product, part;

	if (!decimal(&text, &d))
		return false;
	while (suffixes->name != NULL && strcmp(suffixes->name, text) != 0)
		suffixes++;
	if (suffixes->name == NULL || __builtin_mul_overflow(d.whole, suffixes->factor, &product) ||
	    __builtin_mul_overflow(d.fraction, suffixes->factor, &part))
		return false;
	if (part % d.fraction_unit != 0)	/* not a whole number of nanoseconds or hertz */
		return false;
	return !__builtin_add_overflow(product, part / d.fraction_unit, out);
}

static bool flag(const char *text, uint64_t *out)
{
	static const char *const words[][2] = { { "off", "on" }, { "no", "yes" }, { "0", "1" }, { "false", "true" } };

	for (size_t i = 0; i < PT_LEN(words); i++)
		for (uint64_t v = 0; v < 2; v++)
			if (strcmp(text, words[i][v]) == 0) {
				*out = v;
				return true;
			}
	return false;
}

static bool span(const char *text, uint64_t *addr, uint64_t *size)
{
	uint64_t end;

	return digits(&text, addr) && *text++ == ':' && scaled(text, number_suffixes, size) && *size > 0 &&
	       !__builtin_add_overflow(*addr, *size - 1, &end);
}

static const char *notation(enum pt_param_type type)
{
	switch (type) {
	case PT_PARAM_NUMBER:
		return "a number such as 100, 0x40 or 4k";
	case PT_PARAM_TIME:
		return "a time such as 500ms, 2s or 20us";
	case PT_PARAM_HZ:
		return "a frequency such as 48000000 or 48M";
	case PT_PARAM_FLAG:
		return "on or off";
	case PT_PARAM_SPAN:
		return "ADDR:SIZE such as 0x20001000:0x400";
	default:
		return "a word";
	}
}

int pt_params_parse(enum pt_param_type type, const char *text, uint64_t *out, struct pt_err *err)
{
	bool ok = false;

	if (type == PT_PARAM_NUMBER)
		ok = scaled(text, number_suffixes, out);
	else if (type == PT_PARAM_TIME)
		ok = scaled(text, time_suffixes, out) || (strcmp(text, "0") == 0 && (*out = 0, true));
	else if (type == PT_PARAM_HZ)
		ok = scaled(text, hz_suffixes, out);
	else if (type == PT_PARAM_FLAG)
		ok = flag(text, out);
	if (ok)
		return 0;
	if (type == PT_PARAM_TIME && scaled(text, number_suffixes, out))
		return pt_fail(err, PT_EARG, "%.40s of what? a time has a unit: %.40ss, %.40sms or %.40sus", text, text,
			       text, text);
	return pt_fail(err, PT_EARG, "'%.60s' is not %s", text, notation(type));
}

int pt_params_parse_seconds(const char *text, uint64_t *out, struct pt_err *err)
{
	char seconds[40];

	if (text[0] != '\0' && strspn(text, "0123456789.") == strlen(text) && strlen(text) < sizeof(seconds) - 1) {
		snprintf(seconds, sizeof(seconds), "%ss", text);
		text = seconds;
	}
	return pt_params_parse(PT_PARAM_TIME, text, out, err);
}

bool pt_params_is_unit_of_time(const char *word)
{
	return strcmp(word, "s") == 0 || strcmp(word, "ms") == 0 || strcmp(word, "us") == 0 || strcmp(word, "ns") == 0;
}

bool pt_params_is_unit_of_frequency(const char *word)
{
	static const char *const units[] = { "Hz", "kHz", "MHz", "GHz", "k", "M", "G" };

	for (size_t i = 0; i < PT_LEN(units); i++)
		if (strcasecmp(word, units[i]) == 0)
			return true;
	return false;
}

/* --- checking */

static bool is_choice(const char *choices, const char *value)
{
	size_t len = strlen(value);

	if (len == 0 || strchr(value, '|') != NULL)
		return false;
	for (const char *c = choices; c != NULL; c = strchr(c, '|')) {
		c += *c == '|';
		if (strncmp(c, value, len) == 0 && (c[len] == '|' || c[len] == '\0'))
			return true;
	}
	return false;
}

const char *pt_params_write(enum pt_param_type type, uint64_t value, char *out, size_t room)
{
	static const struct suffix hz[] = { { "Hz", 1 }, { "kHz", 1000 }, { "MHz", 1000000 }, { NULL, 0 } };
	static const struct suffix none[] = { { "", 1 }, { NULL, 0 } };
	const struct suffix *best = type == PT_PARAM_TIME ? time_suffixes : type == PT_PARAM_HZ ? hz : none;

	for (const struct suffix *s = best; s->name != NULL; s++)
		if (value % s->factor == 0 && s->factor <= PT_NS_PER_S)
			best = s;
	snprintf(out, room, "%llu%s", (unsigned long long)(value / best->factor), best->name);
	return out;
}

/* "48" for a clock of 48 MHz. */
static const char *forgotten_unit(const struct pt_param *row, const char *value)
{
	return row->type == PT_PARAM_HZ && strspn(value, "0123456789") == strlen(value)
		       ? "; did you mean MHz? Write 48M"
		       : "";
}

static int check_number(const struct pt_param *row, const char *value, struct pt_err *err)
{
	char least[40], most[40];
	uint64_t v;

	if (row->choices != NULL && is_choice(row->choices, value))
		return 0;
	if (pt_params_parse(row->type, value, &v, err) < 0)
		return pt_wrap(err, "%s%s%s", row->key, row->choices != NULL ? ", which may be a number or " : "",
			       row->choices != NULL ? row->choices : "");
	if ((row->min != 0 || row->max != 0) && (v < row->min || v > row->max))
		return pt_fail(err, PT_EARG, "%s: %.60s is out of range: %s to %s%s", row->key, value,
			       pt_params_write(row->type, row->min, least, sizeof(least)),
			       pt_params_write(row->type, row->max, most, sizeof(most)), forgotten_unit(row, value));
	return 0;
}

static int not_a_choice(const struct pt_param *row, const char *value, struct pt_err *err)
{
	char question[PT_NEAREST_QUESTION];
	struct pt_nearest near;

	pt_nearest_init(&near, value, strlen(value));
	pt_nearest_offer_list(&near, row->choices);
	return pt_fail(err, PT_EARG, "%s: '%.60s' is not one of %s%s", row->key, value, row->choices,
		       near.nearest[0] != '\0' ? pt_nearest_question(&near, question, sizeof(question)) : "");
}

static int check(const struct pt_param *row, const char *value, struct pt_err *err)
{
	uint64_t addr, size;

	switch (row->type) {
	case PT_PARAM_CHOICE:
		return is_choice(row->choices, value) ? 0 : not_a_choice(row, value, err);
	case PT_PARAM_SPAN:
		if (!span(value, &addr, &size))
			return pt_fail(err, PT_EARG, "%s: '%.60s' is not %s", row->key, value, notation(row->type));
		return 0;
	case PT_PARAM_TEXT:
	case PT_PARAM_LIST:
	case PT_PARAM_PLACE:
		return value[0] != '\0' ? 0 : pt_fail(err, PT_EARG, "%s: the value is missing", row->key);
	default:
		return check_number(row, value, err);
	}
}

static int unknown_key(const struct pt_param *rows, size_t n_rows, const char *word, size_t key_len, struct pt_err *err)
{
	char keys[800] = "", question[PT_NEAREST_QUESTION];
	struct pt_nearest near;
	size_t len = 0;

	pt_nearest_init(&near, word, key_len);
	for (size_t i = 0; i < n_rows; i++)
		pt_nearest_offer(&near, rows[i].key);
	for (size_t i = 0; i < n_rows && len < sizeof(keys); i++)
		len += (size_t)snprintf(keys + len, sizeof(keys) - len, "%s%s", i > 0 ? " " : "", rows[i].key);
	return pt_fail(err, PT_EARG, "there is no setting '%.*s'%sthere are: %s", key_len > 40 ? 40 : (int)key_len,
		       word, pt_nearest_question(&near, question, sizeof(question)), keys);
}

static const struct pt_param *find_row(const struct pt_param *rows, size_t n_rows, const char *key, size_t key_len)
{
	for (size_t i = 0; i < n_rows; i++)
		if (strncmp(rows[i].key, key, key_len) == 0 && rows[i].key[key_len] == '\0')
			return &rows[i];
	return NULL;
}

/* --- the set */

struct pt_params *pt_params_new(void)
{
	return pt_alloc(sizeof(struct pt_params));
}

void pt_params_free(struct pt_params *params)
{
	if (params == NULL)
		return;
	for (size_t i = 0; i < params->n_entries; i++) {
		free(params->entry[i].key);
		free(params->entry[i].value);
	}
	free(params->entry);
	free(params);
}

static struct entry *find(const struct pt_params *params, const char *key)
{
	for (size_t i = 0; params != NULL && i < params->n_entries; i++)
		if (strcmp(params->entry[i].key, key) == 0)
			return &params->entry[i];
	return NULL;
}

static void set(struct pt_params *params, const char *key, const char *value)
{
	struct entry *old = find(params, key);
	char *copy = pt_strdup(value);

	if (old != NULL) {
		free(old->value);
		old->value = copy;
		return;
	}
	params->entry = pt_realloc_array(params->entry, params->n_entries + 1, sizeof(*params->entry));
	params->entry[params->n_entries++] = (struct entry){ .key = pt_strdup(key), .value = copy };
}

struct pt_params *pt_params_copy(const struct pt_params *params)
{
	struct pt_params *copy = pt_params_new();

	for (size_t i = 0; params != NULL && i < params->n_entries; i++)
		set(copy, params->entry[i].key, params->entry[i].value);
	return copy;
}

int pt_params_add(struct pt_params *params, const struct pt_param *rows, size_t n_rows, const char *word,
		  struct pt_err *err)
{
	size_t key_len = strcspn(word, "=");
	const char *value = word[key_len] == '=' ? word + key_len + 1 : "on";
	const struct pt_param *row = find_row(rows, n_rows, word, key_len);

	if (row == NULL)
		return unknown_key(rows, n_rows, word, key_len, err);
	if (strlen(word) > WORD_BYTES)
		return pt_fail(err, PT_EARG, "%s: the value is longer than %d bytes", row->key, WORD_BYTES);
	if (word[key_len] != '=' && row->type != PT_PARAM_FLAG)
		return pt_fail(err, PT_EARG, "%s needs a value: %s=%s", row->key, row->key,
			       row->type == PT_PARAM_CHOICE ? row->choices : notation(row->type));
	if (check(row, value, err) < 0)
		return err != NULL ? err->code : PT_EARG;
	set(params, row->key, value);
	return 0;
}

/* --- reading */

const char *pt_params_text(const struct pt_params *params, const struct pt_param *row)
{
	const struct entry *given = find(params, row->key);

	return given != NULL ? given->value : row->standard;
}

uint64_t pt_params_number(const struct pt_params *params, const struct pt_param *row)
{
	const char *text = pt_params_text(params, row);
	uint64_t v = 0;

	return text != NULL && pt_params_parse(row->type, text, &v, NULL) == 0 ? v : 0;
}

bool pt_params_flag(const struct pt_params *params, const struct pt_param *row)
{
	return pt_params_number(params, row) != 0;
}

bool pt_params_span(const struct pt_params *params, const struct pt_param *row, uint64_t *addr, uint64_t *size)
{
	const char *text = pt_params_text(params, row);

	return text != NULL && span(text, addr, size);
}

bool pt_params_given(const struct pt_params *params, const struct pt_param *row)
{
	return find(params, row->key) != NULL;
}

void pt_params_help(const struct pt_param *rows, size_t n_rows, void (*say)(void *arg, const char *line), void *arg)
{
	char line[400];

	for (size_t i = 0; i < n_rows; i++) {
		const struct pt_param *row = &rows[i];
		const char *choices = row->type == PT_PARAM_CHOICE ? row->choices : NULL;

		snprintf(line, sizeof(line), "  %-18s %-12s %s%s%s%s", row->key,
			 row->standard != NULL ? row->standard : "-", row->help, choices != NULL ? " (" : "",
			 choices != NULL ? choices : "", choices != NULL ? ")" : "");
		say(arg, line);
	}
}
