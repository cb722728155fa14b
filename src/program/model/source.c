/* See source.h. */
#include "program/model/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "host/whole_file.h"
#include "program/model/program.h"
#include "program/model/settings.h"

enum { PATH_BYTES = 4096, MAX_PLACES = 64, MAX_FILES = 65536, PATIENCE_MS = 5000 };

struct place { char *from, *to; size_t from_len; };	/* from NULL: to is a folder to search */

struct text {			/* a requested file */
	struct text *next;
	char *path, *found;	/* found NULL: missing, see why */
	char *why;
	uint8_t *bytes;
	size_t len_bytes;
	uint32_t *starts;	/* of each line; one more than there are lines */
	uint32_t n_lines;
};

struct pt_sources {
	struct place places[MAX_PLACES];
	size_t n_places, n_files, left_bytes;
	bool closed;		/* no files are opened */
	bool late;		/* a disk does not answer: no more files are opened */
	struct text *files;	/* most recently used first */
};

/* --- places ------------------------------------------------------------------------------------------------------- */

static int add_place(struct pt_sources *s, const char *word, size_t len, struct pt_err *err)
{
	const char *colon = memchr(word, ':', len);
	struct place *place = &s->places[s->n_places];
	size_t from_len = colon != NULL ? (size_t)(colon - word) : 0;

	if (s->n_places == MAX_PLACES)
		return pt_fail(err, PT_EARG, "source-path: at most %d places", MAX_PLACES);
	if (colon != NULL && (from_len == 0 || from_len + 1 == len))
		return pt_fail(err, PT_EARG, "source-path: '%.*s' is neither FROM:TO nor a folder",
			       len > 100 ? 100 : (int)len, word);
	while (from_len > 1 && word[from_len - 1] == '/')
		from_len--;
	*place = (struct place){ .from_len = from_len };
	if (colon != NULL)
		place->from = pt_strndup(word, from_len);
	place->to = colon != NULL ? pt_strndup(colon + 1, len - (size_t)(colon - word) - 1) : pt_strndup(word, len);
	s->n_places++;
	return 0;
}

struct pt_sources *pt_sources_new(const char *places, struct pt_err *err)
{
	struct pt_sources *s = pt_alloc(sizeof(*s));

	s->left_bytes = PT_SOURCE_MAX_BYTES;
	while (places != NULL && *places != '\0') {
		size_t len = strcspn(places, ",");

		if (len > 0 && add_place(s, places, len, err) < 0) {
			pt_sources_free(s);
			return NULL;
		}
		places += len + (places[len] == ',');
	}
	return s;
}

struct pt_sources *pt_sources_of(const struct pt_program *program, struct pt_err *err)
{
	struct pt_sources *s =
		pt_sources_new(pt_params_text(pt_program_settings(program), &pt_program_params[PT_PROGRAM_SOURCE_PATH]),
			       err);

	if (s != NULL)
		s->closed = program != NULL && pt_program_is_confined(program);
	return s;
}

static void free_text(struct text *t)
{
	free(t->path);
	free(t->found);
	free(t->why);
	free(t->bytes);
	free(t->starts);
	free(t);
}

void pt_sources_free(struct pt_sources *sources)
{
	if (sources == NULL)
		return;
	while (sources->files != NULL) {
		struct text *next = sources->files->next;

		free_text(sources->files);
		sources->files = next;
	}
	for (size_t i = 0; i < sources->n_places; i++) {
		free(sources->places[i].from);
		free(sources->places[i].to);
	}
	free(sources);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* True: read. Sets why if the file exists but cannot be read. */
static bool try(struct pt_sources *s, struct text *t, const char *path)
{
	size_t most = s->left_bytes < PT_SOURCE_MAX_FILE_BYTES ? s->left_bytes : PT_SOURCE_MAX_FILE_BYTES;
	struct pt_err err;

	if (s->late) {
		if (t->why == NULL)
			t->why = pt_strdup("it is not looked for: the disk of another one does not answer");
		return false;
	}
	t->bytes = pt_file_read_within(path, most, PATIENCE_MS, &t->len_bytes, &err);
	if (t->bytes == NULL) {
		s->late = err.code == PT_ETIMEOUT;	/* a report may have many files, all on the dead disk */
		if (err.code != PT_EIO && t->why == NULL)
			t->why = pt_strdup(err.msg);
		return false;
	}
	t->found = pt_strdup(path);
	s->left_bytes -= t->len_bytes;
	return true;
}

static bool try_joined(struct pt_sources *s, struct text *t, const char *folder, const char *rest)
{
	char path[PATH_BYTES];

	while (*rest == '/')
		rest++;
	return (size_t)snprintf(path, sizeof(path), "%s/%s", folder, rest) < sizeof(path) && try(s, t, path);
}

/* DIR/a/b/c.c, DIR/b/c.c, DIR/c.c. ".." components are not looked up. */
static bool search(struct pt_sources *s, struct text *t, const char *folder)
{
	for (const char *rest = t->path; rest != NULL; rest = strchr(rest, '/')) {
		rest += strspn(rest, "/");
		if (strncmp(rest, "../", 3) != 0 && *rest != '\0' && try_joined(s, t, folder, rest))
			return true;
	}
	return false;
}

static bool find(struct pt_sources *s, struct text *t)
{
	if (s->closed) {	/* its names could be any of this host's files */
		t->why = pt_strdup(
			"the program came from a client that is not the user who runs proftap: its sources are "
			"not looked for on this host");
		return false;
	}
	for (size_t i = 0; i < s->n_places; i++) {
		const struct place *p = &s->places[i];
		char after =
			p->from != NULL && strncmp(t->path, p->from, p->from_len) == 0 ? t->path[p->from_len] : 'x';

		if (p->from != NULL && (after == '/' || after == '\0' || strcmp(p->from, "/") == 0) &&
		    try_joined(s, t, p->to, t->path + p->from_len))
			return true;
	}
	if (try(s, t, t->path))
		return true;
	for (size_t i = 0; i < s->n_places; i++)
		if (s->places[i].from == NULL && search(s, t, s->places[i].to))
			return true;
	return false;
}

/* Lines end in LF, CR LF or at the end of the file. */
static bool find_lines(struct text *t)
{
	uint32_t n = 0;

	for (size_t i = 0; i < t->len_bytes; i++)
		n += t->bytes[i] == '\n';
	n += t->len_bytes > 0 && t->bytes[t->len_bytes - 1] != '\n';
	t->starts = calloc((size_t)n + 1, sizeof(*t->starts));
	if (t->starts == NULL)
		return false;
	t->n_lines = n;
	for (size_t i = 0, line = 1; i < t->len_bytes && line <= n; i++)
		if (t->bytes[i] == '\n' || i + 1 == t->len_bytes)
			t->starts[line++] = (uint32_t)i + 1;
	return true;
}

static struct text *read_text(struct pt_sources *s, const char *path)
{
	struct text *t;
	char why[PATH_BYTES + 64];

	if (s->n_files == MAX_FILES)
		return NULL;
	t = pt_alloc(sizeof(*t));
	t->path = pt_strdup(path);
	if (find(s, t) && !find_lines(t)) {
		free_text(t);
		return NULL;
	}
	if (t->found == NULL && t->why == NULL) {
		snprintf(why, sizeof(why), "there is no file %s (source-path=FROM:TO or source-path=DIR says where)",
			 path);
		t->why = pt_strdup(why);
	}
	s->n_files++;
	return t;
}

/* Finds the file and moves it to the front: most requests are for the same file as before. */
static struct text *text_of(struct pt_sources *s, const char *path)
{
	struct text *t;

	for (struct text **link = &s->files; *link != NULL; link = &(*link)->next)
		if (strcmp((*link)->path, path) == 0) {
			t = *link;
			*link = t->next;
			t->next = s->files;
			return s->files = t;
		}
	t = read_text(s, path);
	if (t != NULL) {
		t->next = s->files;
		s->files = t;
	}
	return t;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

const char *pt_source_line(struct pt_sources *sources, const char *path, uint32_t line, size_t *len_bytes)
{
	const struct text *t = text_of(sources, path);
	size_t from, to;

	*len_bytes = 0;
	if (t == NULL || line == 0 || line > t->n_lines)
		return NULL;
	from = t->starts[line - 1];
	to = t->starts[line];
	if (to > from && t->bytes[to - 1] == '\n')
		to--;
	if (to > from && t->bytes[to - 1] == '\r')
		to--;
	*len_bytes = to - from;
	return (const char *)t->bytes + from;
}

uint32_t pt_source_n_lines(struct pt_sources *sources, const char *path)
{
	const struct text *t = text_of(sources, path);

	return t != NULL ? t->n_lines : 0;
}

const char *pt_source_found(struct pt_sources *sources, const char *path)
{
	const struct text *t = text_of(sources, path);

	return t != NULL ? t->found : NULL;
}

const char *pt_source_missing(struct pt_sources *sources, const char *path)
{
	const struct text *t = text_of(sources, path);

	if (t == NULL)
		return "no memory for more source files";
	return t->found != NULL ? NULL : t->why != NULL ? t->why : "no memory for its name";
}
