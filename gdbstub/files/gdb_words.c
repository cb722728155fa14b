/* Source: GDB manual, "Mode Options" and "File Options"; an option may have one dash or two, its value behind "=" or in
 * the next word, and its name may be shortened. */
#include "gdbstub/files/gdb_words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

enum what { NOTHING, VALUE, COMMAND, SYMBOLS, EXEC, PROGRAM, KINDS };	/* VALUE: ignored */

struct reader {
	char last[KINDS][PT_GDB_FILE_BYTES];	/* by the kind of option; "": none given */
	bool args;				/* after --args the program's own arguments follow */
};

static const struct { const char *name; enum what what; } options[] = {
	{ "s", SYMBOLS }, { "se", SYMBOLS }, { "symbols", SYMBOLS }, { "e", EXEC }, { "exec", EXEC },
	{ "ex", COMMAND }, { "eval-command", COMMAND }, { "iex", COMMAND }, { "init-eval-command", COMMAND },
	{ "eiex", COMMAND }, { "early-init-eval-command", COMMAND }, { "x", VALUE }, { "command", VALUE },
	{ "ix", VALUE }, { "init-command", VALUE }, { "eix", VALUE }, { "early-init-command", VALUE },
	{ "c", VALUE }, { "core", VALUE }, { "p", VALUE }, { "pid", VALUE }, { "d", VALUE }, { "directory", VALUE },
	{ "cd", VALUE }, { "D", VALUE }, { "data-directory", VALUE }, { "i", VALUE }, { "interpreter", VALUE },
	{ "ui", VALUE }, { "t", VALUE }, { "tty", VALUE }, { "b", VALUE }, { "l", VALUE }, { "annotate", VALUE },
};

/* Matches exactly, or by three or more letters of one. */
static enum what find_option(const char *name, size_t len)
{
	for (size_t i = 0; i < PT_LEN(options); i++)
		if (strlen(options[i].name) == len && memcmp(options[i].name, name, len) == 0)
			return options[i].what;
	for (size_t i = 0; i < PT_LEN(options); i++)
		if (len >= 3 && strncmp(options[i].name, name, len) == 0)
			return options[i].what;
	return NOTHING;
}

/* A word that is too long to be stored is not a file name. */
static void keep(struct reader *r, enum what what, const char *name, size_t len)
{
	if (len > 0 && len < PT_GDB_FILE_BYTES)
		snprintf(r->last[what], PT_GDB_FILE_BYTES, "%.*s", (int)len, name);
}

/* The file of "file -readnow 'a b.elf'". */
static void take_command(struct reader *r, const char *line)
{
	static const char *const commands[] = { "file", "symbol-file", "exec-file", "exec", "add-symbol-file" };
	size_t len, at = strspn(line, " \t");
	bool found = false;

	len = strcspn(line + at, " \t");
	for (size_t i = 0; i < PT_LEN(commands); i++)
		found |= strlen(commands[i]) == len && memcmp(commands[i], line + at, len) == 0;
	while (found && line[at] != '\0') {
		at += len;
		at += strspn(line + at, " \t");
		len = strcspn(line + at, " \t");
		if (line[at] == '"' || line[at] == '\'') {
			keep(r, COMMAND, line + at + 1, strcspn(line + at + 1, line[at] == '"' ? "\"" : "'"));
			return;
		}
		if (line[at] != '-') {
			keep(r, COMMAND, line + at, len);
			return;
		}
	}
}

static void take_value(struct reader *r, enum what what, const char *value)
{
	if (what == COMMAND)
		take_command(r, value);
	else if (what != NOTHING && what != VALUE)
		keep(r, what, value, strlen(value));
}

/* The first word that is not an option is the program; the words after it are a core file, a process, or its
 * arguments. */
static void take_word(struct reader *r, const char *word)
{
	if (r->last[PROGRAM][0] == '\0')
		keep(r, PROGRAM, word, strlen(word));
}

static void read_words(struct reader *r, const char *words, size_t words_bytes)
{
	const char *end = words + words_bytes;
	enum what open = NOTHING;

	for (const char *word = words + strlen(words) + 1; word < end; word += strlen(word) + 1) {
		size_t dashes = strspn(word, "-"), len = strcspn(word, "=");
		enum what what;

		if (open != NOTHING) {
			take_value(r, open, word);
			open = NOTHING;
			continue;
		}
		if (r->args || dashes == 0 || dashes > 2 || word[dashes] == '\0') {
			take_word(r, word);
			continue;
		}
		r->args = strcmp(word + dashes, "args") == 0;
		what = find_option(word + dashes, len - dashes);
		if (word[len] == '=')
			take_value(r, what, word + len + 1);
		else
			open = what;
	}
}

void pt_gdb_words_files(const char *words, size_t words_bytes, struct pt_gdb_named *named)
{
	static const enum what order[] = { COMMAND, SYMBOLS, PROGRAM, EXEC };
	struct reader r = { .args = false };

	named->n = 0;
	if (words_bytes == 0 || words[words_bytes - 1] != '\0')
		return;
	read_words(&r, words, words_bytes);
	for (size_t i = 0; i < PT_LEN(order); i++) {
		const char *file = r.last[order[i]];
		bool known = file[0] == '\0';

		for (size_t k = 0; k < named->n; k++)
			known |= strcmp(named->file[k], file) == 0;
		if (!known)
			strcpy(named->file[named->n++], file);
	}
}
