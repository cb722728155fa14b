/* See csv_fields.h. */
#include "import/csv_fields.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"

enum { PS_DIGITS = 12, MOST_EXPONENT = 40 };

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t\r\"");
	len = strlen(text);
	while (len > 0 && strchr(" \t\r\"", text[len - 1]) != NULL)
		text[--len] = '\0';
	return text;
}

void pt_csv_split(struct pt_csv_row *row, char separator)
{
	char *at = row->text, *end;

	row->n_fields = 0;
	while (at != NULL && row->n_fields < PT_CSV_FIELDS) {
		end = strchr(at, separator);
		if (end != NULL)
			*end = '\0';
		row->field[row->n_fields] = trim(at);
		if (end == NULL && row->n_fields > 0 && row->field[row->n_fields][0] == '\0')
			break;
		row->n_fields++;
		at = end != NULL ? end + 1 : NULL;
	}
}

static size_t count(const char *text, char c)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += *text == c;
	return n;
}

char pt_csv_separator(const char *text)
{
	static const char separators[] = { ',', ';', '\t' };
	char best = ',';

	for (size_t i = 1; i < sizeof(separators); i++)
		if (count(text, separators[i]) > count(text, best))
			best = separators[i];
	return best;
}

enum pt_csv_level pt_csv_level(const char *text, uint64_t *value)
{
	bool prefixed = text[0] == '0' && text[1] != '\0';
	int base = prefixed && (text[1] | 32) == 'x' ? 16 : prefixed && (text[1] | 32) == 'b' ? 2 : 10;
	char *end;

	*value = 0;
	if (text[0] == '\0' || (text[1] == '\0' && strchr("xXzZ-", text[0]) != NULL))
		return PT_CSV_UNKNOWN;
	if (text[0] < '0' || text[0] > '9' || strlen(text) > 66)
		return PT_CSV_NO_LEVEL;
	*value = strtoull(base == 10 ? text : text + 2, &end, base);
	return *end == '\0' && end > text + 1 - (base == 10) ? PT_CSV_KNOWN : PT_CSV_NO_LEVEL;
}

/* Digits in front of the point and behind it, as far as ps go; the rest is cut off. shift: of the point, to the right. */
static bool add_digits(const char *text, size_t n_whole, size_t n, int shift, int64_t *ps)
{
	int64_t sum = 0;
	int place = (int)n_whole + shift + PS_DIGITS;	/* how many digits count */

	for (int i = 0; i < place; i++) {
		int digit = i < (int)n ? text[i] - '0' : 0;

		if (i >= (int)n && sum == 0)
			break;
		if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, digit, &sum))
			return false;
	}
	*ps = sum;
	return true;
}

bool pt_csv_time(const char *text, int exponent, int64_t *ps)
{
	char digits[48];
	size_t n = 0, n_whole;
	bool negative = text[0] == '-';
	char *end;
	long power = 0;

	text += negative || text[0] == '+';
	for (; *text >= '0' && *text <= '9' && n < sizeof(digits); text++)
		digits[n++] = *text;
	n_whole = n;
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++)
			if (n < sizeof(digits))
				digits[n++] = *text;
	if (n > 0 && (*text | 32) == 'e') {
		power = strtol(text + 1, &end, 10);
		text = end;
	}
	if (n == 0 || *text != '\0' || power < -MOST_EXPONENT || power > MOST_EXPONENT ||
	    !add_digits(digits, n_whole, n, (int)power + exponent, ps))
		return false;
	if (negative)
		*ps = -*ps;
	return true;
}

int pt_csv_unit(const char *heading)
{
	static const struct { const char *name; int exponent; } units[] = {
		{ "s", 0 }, { "ms", -3 }, { "us", -6 }, { "ns", -9 }, { "ps", -12 },
	};
	const char *open = strpbrk(heading, "[(");

	for (size_t i = 0; open != NULL && i < PT_LEN(units); i++) {
		size_t len = strlen(units[i].name);

		if (strncasecmp(open + 1, units[i].name, len) == 0 && strchr("])", open[1 + len]) != NULL)
			return units[i].exponent;
	}
	return 1;
}
