#include "base/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SHORTEST = 3 };	/* letters of a word that gets a suggestion: with two, any other would be similar */

void pt_nearest_init(struct pt_nearest *near, const char *word, size_t len_bytes)
{
	*near = (struct pt_nearest){ .word = word, .len_bytes = len_bytes, .n_typos = SIZE_MAX };
}

static bool is_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The smallest of three. */
static size_t least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Optimal string alignment: Levenshtein's distance, in which a swap of two neighbours counts as one mistake. */
static size_t count_typos(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][PT_NEAREST_BYTES], *before = rows[0], *last = rows[1], *now = rows[2];

	for (size_t j = 0; j <= b_len; j++)
		last[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *reused = before;

		now[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			now[j] = least(last[j - 1] + !is_same(a[i - 1], b[j - 1]), last[j] + 1, now[j - 1] + 1);
			if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]))
				now[j] = least(now[j], before[j - 2] + 1, SIZE_MAX);
		}
		before = last;
		last = now;
		now = reused;
	}
	return last[b_len];
}

static bool begins(const struct pt_nearest *near, const char *name, size_t len)
{
	size_t i = 0;

	while (i < near->len_bytes && i < len && is_same(near->word[i], name[i]))
		i++;
	return i == near->len_bytes && i >= 2;
}

void pt_nearest_offer_n(struct pt_nearest *near, const char *name, size_t len)
{
	bool is_beginning;
	size_t n;

	if (near->len_bytes == 0 || near->len_bytes >= PT_NEAREST_BYTES || len == 0 || len >= PT_NEAREST_BYTES)
		return;
	n = count_typos(near->word, near->len_bytes, name, len);
	is_beginning = begins(near, name, len);
	if (n > near->n_typos || (n == near->n_typos && (near->is_beginning || !is_beginning)))
		return;
	if (!is_beginning && (len < SHORTEST || n > (len + 1) / 3))
		return;
	near->n_typos = n;
	near->is_beginning = is_beginning;
	snprintf(near->nearest, sizeof(near->nearest), "%.*s", (int)len, name);
}

void pt_nearest_offer(struct pt_nearest *near, const char *name)
{
	pt_nearest_offer_n(near, name, strlen(name));
}

void pt_nearest_is(struct pt_nearest *near, const char *name)
{
	near->n_typos = 0;
	snprintf(near->nearest, sizeof(near->nearest), "%s", name);
}

void pt_nearest_offer_list(struct pt_nearest *near, const char *list)
{
	static const char between[] = "|, ";

	for (const char *at = list + strspn(list, between); *at != '\0'; at += strspn(at, between)) {
		size_t len = strcspn(at, between);

		pt_nearest_offer_n(near, at, len);
		at += len;
	}
}

const char *pt_nearest_question(const struct pt_nearest *near, char *out, size_t room)
{
	if (near->nearest[0] != '\0')
		snprintf(out, room, "; did you mean %s? ", near->nearest);
	else
		snprintf(out, room, "; ");
	return out;
}

const char *pt_did_you_mean(const char *word, const char *list, struct pt_question *question)
{
	struct pt_nearest near;

	pt_nearest_init(&near, word, strlen(word));
	pt_nearest_offer_list(&near, list);
	return pt_nearest_question(&near, question->text, sizeof(question->text));
}
