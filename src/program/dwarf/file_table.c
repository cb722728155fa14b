/* See file_table.h. */
#include "program/dwarf/file_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { SEEN_SLOTS = 256, FIRST_SLOTS = 256, NO_SLOT_USED = 0 };

struct pt_file_table {
	struct pt_arena *arena;
	const char **paths;
	uint32_t n, room;
	/* index + 1 by hash of the path; a power of two of them, at most half of them used */
	uint32_t *slots;
	uint32_t n_slots;
	struct { const char *address; uint32_t file; } seen[SEEN_SLOTS];	/* the last of each address' hash */
};

/* One component of len bytes onto the end of the path; returns the new end. */
static size_t append(char *out, size_t end, const char *part, size_t len)
{
	bool root = out[0] == '/';

	if (len == 0 || (len == 1 && part[0] == '.'))
		return end;
	if (len == 2 && part[0] == '.' && part[1] == '.' && end > root) {
		size_t last = end;

		while (last > 0 && out[last - 1] != '/')
			last--;
		if (end - last != 2 || memcmp(out + last, "..", 2) != 0)
			return last > root ? last - 1 : (size_t)root;
	} else if (len == 2 && part[0] == '.' && part[1] == '.' && root) {
		return end;	/* above the root is the root */
	}
	if (end > 0 && out[end - 1] != '/')
		out[end++] = '/';
	memcpy(out + end, part, len);
	return end + len;
}

void pt_path_plain(const char *path, char out[PT_PATH_BYTES])
{
	size_t len = strlen(path), end = 0;

	if (len >= PT_PATH_BYTES - 1)
		path += len - (PT_PATH_BYTES - 2);
	if (path[0] == '/')
		out[end++] = '/';
	while (*path != '\0') {
		size_t part = strcspn(path, "/");

		out[end] = '\0';
		end = append(out, end, path, part);
		path += part + (path[part] == '/');
	}
	out[end] = '\0';
}

struct pt_file_table *pt_file_table_new(struct pt_arena *arena)
{
	struct pt_file_table *table = pt_alloc(sizeof(*table));

	table->arena = arena;
	table->n_slots = FIRST_SLOTS;
	table->slots = calloc(table->n_slots, sizeof(*table->slots));
	if (table->slots == NULL) {
		pt_file_table_free(table);
		return NULL;
	}
	return table;
}

void pt_file_table_free(struct pt_file_table *table)
{
	if (table == NULL)
		return;
	free(table->slots);
	free(table->paths);
	free(table);
}

static uint32_t hash(const char *text)
{
	uint32_t h = 2166136261u;	/* FNV-1a */

	for (; *text != '\0'; text++)
		h = (h ^ (uint8_t)*text) * 16777619u;
	return h;
}

/* The slot that has the path, or the free one where it belongs. */
static uint32_t *slot_of(const struct pt_file_table *table, const char *path)
{
	uint32_t at = hash(path) & (table->n_slots - 1);

	while (table->slots[at] != NO_SLOT_USED && strcmp(table->paths[table->slots[at] - 1], path) != 0)
		at = (at + 1) & (table->n_slots - 1);
	return &table->slots[at];
}

static bool grow(struct pt_file_table *table)
{
	uint32_t *old = table->slots, room = table->room > 0 ? 2 * table->room : FIRST_SLOTS / 2;
	void *paths = realloc(table->paths, room * sizeof(*table->paths));

	if (paths == NULL)
		return false;
	table->paths = paths;
	table->slots = calloc(2 * (size_t)room, sizeof(*table->slots));
	if (table->slots == NULL) {
		table->slots = old;
		return false;
	}
	table->room = room;
	table->n_slots = 2 * room;
	free(old);
	for (uint32_t i = 0; i < table->n; i++)
		*slot_of(table, table->paths[i]) = i + 1;
	return true;
}

static uint32_t add_plain(struct pt_file_table *table, const char *path)
{
	uint32_t *slot = slot_of(table, path);

	if (*slot != NO_SLOT_USED)
		return *slot - 1;
	if (table->n == table->room) {
		if (!grow(table))
			return PT_NO_FILE;
		slot = slot_of(table, path);
	}
	table->paths[table->n] = pt_arena_name(table->arena, path);
	if (table->paths[table->n] == NULL)
		return PT_NO_FILE;
	*slot = ++table->n;
	return table->n - 1;
}

uint32_t pt_file_table_add(struct pt_file_table *table, const char *path)
{
	size_t at = ((uintptr_t)path >> 3) * 2654435761u % SEEN_SLOTS;
	char plain[PT_PATH_BYTES];

	if (table->seen[at].address != path) {
		pt_path_plain(path, plain);
		table->seen[at].file = add_plain(table, plain);
		table->seen[at].address = path;
	}
	return table->seen[at].file;
}

const char *pt_file_table_path(const struct pt_file_table *table, uint32_t file)
{
	return file < table->n ? table->paths[file] : NULL;
}

struct entry { const char *path; uint32_t old; };

static int by_path(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return strcmp(x->path, y->path);
}

/* Last component first; those that end in the same components stand side by side, as '/' sorts before all else. */
static int by_end(const void *a, const void *b)
{
	const struct pt_source_file *const *x = a, *const *y = b;
	size_t i = strlen((*x)->path), k = strlen((*y)->path);

	while (i > 0 && k > 0) {
		unsigned char c = (unsigned char)(*x)->path[--i], d = (unsigned char)(*y)->path[--k];

		if (c != d)
			return c == '/' ? -1 : d == '/' ? 1 : c - d;
	}
	return i > 0 ? 1 : k > 0 ? -1 : 0;
}

/* How much of a's end is also b's, in whole components. */
static size_t same_end(const char *a, const char *b)
{
	size_t i = strlen(a), k = strlen(b), len = i, same = 0;

	while (i > 0 && k > 0 && a[i - 1] == b[k - 1]) {
		i--;
		k--;
		if (a[i] == '/')
			same = len - i;
	}
	if ((i == 0 || a[i - 1] == '/') && (k == 0 || b[k - 1] == '/'))
		same = len - i;
	return same;
}

/* One component more than what others end in, too. */
static const char *short_name(const char *path, size_t shared)
{
	const char *at = path + strlen(path) - shared;

	while (at > path && at[-1] == '/')
		at--;
	while (at > path && at[-1] != '/')
		at--;
	return at == path + 1 ? path : at;
}

static bool name_files(struct pt_source_file *files, size_t n)
{
	struct pt_source_file **order = calloc(n + 1, sizeof(struct pt_source_file *));

	if (order == NULL)
		return false;
	for (size_t i = 0; i < n; i++)
		order[i] = &files[i];
	if (n > 0)
		qsort(order, n, sizeof(struct pt_source_file *), by_end);
	for (size_t i = 0; i < n; i++) {
		size_t before = i > 0 ? same_end(order[i]->path, order[i - 1]->path) : 0;
		size_t behind = i + 1 < n ? same_end(order[i]->path, order[i + 1]->path) : 0;

		order[i]->name = short_name(order[i]->path, before > behind ? before : behind);
	}
	free(order);
	return true;
}

bool pt_file_table_finish(struct pt_file_table *table, struct pt_source_file **files, size_t *n, uint32_t **old_to_new)
{
	struct entry *entries = calloc((size_t)table->n + 1, sizeof(*entries));
	bool done;

	*n = table->n;
	*files = calloc(*n + 1, sizeof(**files));
	*old_to_new = calloc(*n + 1, sizeof(**old_to_new));
	done = entries != NULL && *files != NULL && *old_to_new != NULL;
	for (uint32_t i = 0; done && i < *n; i++)
		entries[i] = (struct entry){ table->paths[i], i };
	if (done && *n > 0)
		qsort(entries, *n, sizeof(*entries), by_path);
	for (uint32_t i = 0; done && i < *n; i++) {
		(*files)[i].path = entries[i].path;
		(*old_to_new)[entries[i].old] = i;
	}
	done = done && name_files(*files, *n);
	free(entries);
	pt_file_table_free(table);
	if (done)
		return true;
	free(*files);
	free(*old_to_new);
	*files = NULL;
	*old_to_new = NULL;
	*n = 0;
	return false;
}
