/* Finds names similar to one that does not exist. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "targets/e500/core/events.h"

enum { LONGEST = 48, MOST_NEAR = 8, FAR = 1000, INSIDE = 1 };

static bool begins(const char *name, const char *text, size_t len)
{
	return strncasecmp(name, text, len) == 0;
}

static bool is_inside(const char *name, const char *text, size_t len)
{
	for (; strlen(name) >= len; name++)
		if (begins(name, text, len))
			return true;
	return false;
}

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Edit distance: letters to insert, delete or change. */
static unsigned edits(const char *a, const char *b)
{
	unsigned row[LONGEST + 1];
	size_t n = strlen(b);

	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (unsigned i = 0; a[i] != '\0'; i++) {
		unsigned diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 1; j <= n; j++) {
			bool same = tolower((unsigned char)a[i]) == tolower((unsigned char)b[j - 1]);
			unsigned was = row[j];

			row[j] = least(row[j] + 1, row[j - 1] + 1, diagonal + !same);
			diagonal = was;
		}
	}
	return row[n];
}

/* 0: the name begins with the text. FAR or more: not similar. */
static unsigned distance(const char *name, const char *text)
{
	size_t len = strlen(text);
	unsigned n;

	if (len < 2 || len > LONGEST || strlen(name) > LONGEST)
		return FAR;
	if (begins(name, text, len))
		return 0;
	if (len > 2 && is_inside(name, text, len))
		return INSIDE;
	n = edits(text, name);
	return n * 3 <= len ? INSIDE + n : FAR;
}

struct nearest { const char **names; unsigned far[MOST_NEAR]; size_t n, room; };

/* Inserts the name after those of equal distance. */
static void take(struct nearest *near, const char *name, const char *text)
{
	unsigned far = distance(name, text);
	size_t at = near->n;

	while (at > 0 && near->far[at - 1] > far)
		at--;
	if (far >= FAR || at == near->room)
		return;
	near->n += near->n < near->room;
	for (size_t i = near->n - 1; i > at; i--) {
		near->names[i] = near->names[i - 1];
		near->far[i] = near->far[i - 1];
	}
	near->names[at] = name;
	near->far[at] = far;
}

size_t pt_e500_events_near(enum pt_e500_core core, const char *text, const char **names, size_t n)
{
	struct nearest near = { .names = names, .room = n < MOST_NEAR ? n : MOST_NEAR };
	const char *alias;
	unsigned number;

	for (size_t i = 0; i < pt_e500_n_events; i++)
		if (pt_e500_has(&pt_e500_events[i], core))
			take(&near, pt_e500_events[i].name, text);
	for (size_t i = 0; (alias = pt_e500_alias(core, i, &number)) != NULL; i++)
		take(&near, alias, text);
	return near.n;
}
