/* Reads it line by line; the options know what a key means. */
#include "cli/configfile.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/sections.h"
#include "host/log.h"
#include "host/whole_file.h"

enum { MAX_BYTES = 1 << 16 };

static char *strip(char *text)
{
	size_t len;

	while (isspace((unsigned char)*text))
		text++;
	len = strlen(text);
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	return text;
}

/* What is read, and the mistakes found. */
struct reading {
	struct pt_options *options, *section;	/* section: the present section; the options themselves before the first
						 * section */
	const char *subcommand, *name;
	bool all;				/* report every mistake */
	size_t n_wrong;
	struct pt_err fault;			/* the first mistake before the sections */
};

static void note_mistake(struct reading *r, struct pt_options *where, unsigned line, struct pt_err *err)
{
	struct pt_err *fault = where == r->options ? &r->fault : &where->fault;

	r->n_wrong++;
	pt_wrap(err, "%s:%u", r->name, line);
	if (r->all)
		pt_error("%s", err->msg);
	if (fault->code == 0)
		*fault = *err;
}

/* "[board NAME]"; lines of other sections belong to no board. */
static int begin_section(struct reading *r, char *line, unsigned n, struct pt_err *err)
{
	size_t len = strlen(line);
	bool is_board = strncmp(line, "[board", 6) == 0 && (line[6] == ' ' || line[6] == '\t') && line[len - 1] == ']';
	struct pt_options *section;
	char *name = line;

	if (is_board) {
		line[len - 1] = '\0';
		name = strip(line + 6);
	}
	section = pt_section_begin(r->options, name, n, err);
	r->section = section != NULL ? section : r->options;
	if (section == NULL)
		return err->code;
	if (!is_board)
		return pt_fail(err, PT_EARG, "%.60s is not a section: the only one is [board NAME]", line);
	return *name == '\0' ? pt_fail(err, PT_EARG, "a board needs a name: [board NAME]") : err->code;
}

/* Settings for the whole daemon. */
static bool is_for_all(const char *key)
{
	return strcmp(key, "log") == 0 || strcmp(key, "files") == 0 || strcmp(key, "print-ports") == 0;
}

static int take_setting(struct reading *r, char *line, struct pt_err *err)
{
	char *equals = strchr(line, '='), *key, *value;
	size_t len;

	if (equals == NULL)
		return pt_fail(err, PT_EARG, "\"%.60s\" is not option = value, such as core-clock = 48M", line);
	*equals = '\0';
	key = strip(line);
	value = strip(equals + 1);
	len = strlen(value);
	if (len >= 2 && value[0] == '"' && value[len - 1] == '"') {
		value[len - 1] = '\0';
		value++;
	}
	if (*key == '\0' || *value == '\0')
		return pt_fail(err, PT_EARG, "%s has no %s", *key == '\0' ? "a line" : key,
			       *key == '\0' ? "key" : "value");
	if (r->section != r->options && is_for_all(key))
		return pt_fail(err, PT_EARG, "%s is for all boards: put it before the first [board NAME]", key);
	return pt_options_add(strncmp(key, "alias.", 6) == 0 ? r->options : r->section, r->subcommand, key, value, err);
}

/* Takes the next line, without its end and stripped; *text moves behind it, to NULL after the last. */
static char *take_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	if (end != NULL)
		*end = '\0';
	*text = end != NULL ? end + 1 : NULL;
	return strip(line);
}

static void parse_line(struct reading *r, char *line, unsigned n)
{
	size_t before = pt_options_count_probes(r->section);
	struct pt_err err = { 0 };

	if (*line == '\0' || *line == '#' || *line == ';')
		return;
	if (*line == '[' ? begin_section(r, line, n, &err) : take_setting(r, line, &err))
		note_mistake(r, r->section, n, &err);
	else if (*line != '[' && pt_options_count_probes(r->section) > before)
		r->section->probe_line[before] = n;
}

/* Probes of the command line have no line number. */
static void check_probes(struct reading *r, struct pt_options *of)
{
	struct pt_err err = { 0 };

	for (size_t i = 0; i < pt_options_count_probes(of); i++)
		if (of->probe_line[i] != 0 && pt_options_check_probe(of, i, &err) < 0)
			note_mistake(r, of, of->probe_line[i], &err);
}

static void read_lines(struct reading *r, char *text)
{
	struct pt_err err = { 0 };
	unsigned line;

	r->section = r->options;
	for (unsigned n = 1; text != NULL; n++)
		parse_line(r, take_line(&text), n);
	pt_sections_complete(r->options);
	check_probes(r, r->options);
	for (size_t i = 0; i < r->options->n_boards; i++) {
		struct pt_options *section = r->options->boards[i];

		if (section->probe[0] != NULL && section->probe[0] != r->options->probe[0])
			check_probes(r, section);
		if (pt_section_check(r->options, i, &line, &err) < 0)
			note_mistake(r, section, line, &err);
	}
}

/* Only the daemon serves several boards: other subcommands about a board must say which. */
static void check_one_is_meant(struct reading *r)
{
	const struct pt_options *options = r->options;

	if (strcmp(r->subcommand, "serve") != 0 && pt_options_has("probe", r->subcommand) &&
	    options->probe[0] == NULL && options->board == NULL)
		pt_fail(&r->fault, PT_EARG, "%s has %u boards, and %s is about one: name it with --probe or --board",
			r->name, options->n_boards, r->subcommand);
}

int pt_configfile_parse(struct pt_options *options, const char *subcommand, const char *name, char *text,
			struct pt_err *err)
{
	struct reading r = { .options = options, .subcommand = subcommand, .name = name };

	read_lines(&r, text);
	/* The daemon serves the other boards; in a file for one board any mistake is an error. */
	for (size_t i = 0; i < options->n_boards && r.fault.code == 0; i++)
		if (options->n_boards == 1 || strcmp(subcommand, "serve") != 0)
			r.fault = options->boards[i]->fault;
	if (options->n_boards == 1)
		pt_sections_adopt(options);
	else if (r.fault.code == 0 && options->n_boards > 1)
		check_one_is_meant(&r);
	if (r.fault.code != 0)
		*err = r.fault;
	return r.fault.code;
}

static size_t count_mistakes(struct pt_options *options, const char *name, char *text)
{
	struct reading r = { .options = options, .name = name, .all = true };

	read_lines(&r, text);
	return r.n_wrong;
}

static int cannot_read(bool by_option, bool by_environment, struct pt_err *err)
{
	pt_advise(err, "a configuration file has option = value, one a line, such as core-clock = 48M");
	if (by_option)
		return pt_wrap(err, "--config");
	if (by_environment)
		return pt_wrap(err, "$%s", PT_CONFIG_ENV);
	return pt_wrap(err, "config");
}

/* The text of the file to read, and its path; to be freed. NULL with err: cannot be read; NULL without: there is no
 * file. */
static char *read_text(const struct pt_options *options, const char **path, struct pt_err *err)
{
	const char *named = options->config != NULL ? options->config : getenv(PT_CONFIG_ENV);
	char *text;
	size_t len;

	*path = named != NULL ? named : PT_CONFIG_PATH;
	if (named == NULL && access(*path, F_OK) < 0)
		return NULL;
	text = (char *)pt_file_read_text(*path, MAX_BYTES, &len, err);
	if (text == NULL) {
		cannot_read(options->config != NULL, named != NULL, err);
	} else if (strlen(text) != len) {
		pt_fail(err, PT_EARG, "%s is not a text: a configuration file has option = value, one a line", *path);
		free(text);
		text = NULL;
	}
	return text;
}

int pt_configfile_read(struct pt_options *options, const char *subcommand, struct pt_err *err)
{
	struct pt_err why = { 0 };
	const char *path;
	char *text;
	int rc;

	if (!pt_options_has("config", subcommand))
		return 0;
	text = read_text(options, &path, &why);
	rc = text != NULL ? pt_configfile_parse(options, subcommand, path, text, &why) : why.code;
	free(text);
	if (rc < 0)
		*err = why;
	return rc;
}

int pt_configfile_check(struct pt_options *options, struct pt_err *err)
{
	struct pt_err why = { 0 };
	const char *path;
	char *text = read_text(options, &path, &why);
	size_t n_wrong = text != NULL ? count_mistakes(options, path, text) : 0;

	if (text == NULL && why.code < 0)
		*err = why;
	else if (text == NULL)
		pt_fail(err, PT_EARG, "there is no %s, and neither --config nor $%s names another", path,
			PT_CONFIG_ENV);
	else if (n_wrong > 0)
		pt_fail(err, PT_EARG, "%s: %zu line%s wrong", path, n_wrong, n_wrong == 1 ? " is" : "s are");
	else
		printf("%s: no mistake was found\n", path);
	free(text);
	return text == NULL || n_wrong > 0 ? err->code : 0;
}
