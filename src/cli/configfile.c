/* Line by line; the options know what a key means. */
#include "cli/configfile.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* "[board NAME]". One board is served, so a second is a mistake here and no small one: its words would be mixed up. */
static int section(struct pt_options *options, char *line, struct pt_err *err)
{
	size_t len = strlen(line);
	char *name;

	if (strncmp(line, "[board", 6) != 0 || (line[6] != ' ' && line[6] != '\t') || line[len - 1] != ']')
		return pt_fail(err, PT_EARG, "%.60s is not a section: the only one is [board NAME]", line);
	line[len - 1] = '\0';
	name = strip(line + 6);
	if (*name == '\0')
		return pt_fail(err, PT_EARG, "a board needs a name: [board NAME]");
	if (options->n_boards++ > 0)
		return pt_fail(err, PT_EARG, "a second board, %.60s: this version serves one", name);
	return 0;
}

static int setting(struct pt_options *options, const char *subcommand, char *line, struct pt_err *err)
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
	return pt_options_add(options, subcommand, key, value, err);
}

/* The line at *text without its end, stripped; *text goes on behind it, NULL behind the last. */
static char *take_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	if (end != NULL)
		*end = '\0';
	*text = end != NULL ? end + 1 : NULL;
	return strip(line);
}

static int parse_line(struct pt_options *options, const char *subcommand, char *line, struct pt_err *err)
{
	if (*line == '\0' || *line == '#' || *line == ';')
		return 0;
	return *line == '[' ? section(options, line, err) : setting(options, subcommand, line, err);
}

/* The lines that named the probes; 0: the command line did. */
struct probe_lines { unsigned line[PT_MAX_PROBES]; };

static int parse_numbered(struct pt_options *options, const char *subcommand, char *line, unsigned n,
			  struct probe_lines *probes, struct pt_err *err)
{
	size_t before = pt_options_count_probes(options);
	int rc = parse_line(options, subcommand, line, err);

	if (pt_options_count_probes(options) > before)
		probes->line[before] = n;
	return rc;
}

/* The next probe from *i on whose address makes no sense; false: there is none. *i goes on behind it. */
static bool find_wrong_probe(const struct pt_options *options, const struct probe_lines *probes, size_t *i,
			     unsigned *line, struct pt_err *err)
{
	while (*i < pt_options_count_probes(options)) {
		*line = probes->line[*i];
		if (pt_options_check_probe(options, (*i)++, err) < 0 && *line != 0)
			return true;
	}
	return false;
}

int pt_configfile_parse(struct pt_options *options, const char *subcommand, const char *name, char *text,
			struct pt_err *err)
{
	struct probe_lines probes = { { 0 } };
	unsigned line;
	size_t i = 0;

	for (unsigned n = 1; text != NULL; n++)
		if (parse_numbered(options, subcommand, take_line(&text), n, &probes, err) < 0)
			return pt_wrap(err, "%s:%u", name, n);
	pt_options_replace_aliases(options);
	if (find_wrong_probe(options, &probes, &i, &line, err))
		return pt_wrap(err, "%s:%u", name, line);
	return 0;
}

static size_t count_mistakes(struct pt_options *options, const char *name, char *text)
{
	struct probe_lines probes = { { 0 } };
	struct pt_err err = { 0 };
	size_t n_wrong = 0, i = 0;
	unsigned line;

	for (unsigned n = 1; text != NULL; n++)
		if (parse_numbered(options, NULL, take_line(&text), n, &probes, &err) < 0) {
			pt_error("%s:%u: %s", name, n, err.msg);
			n_wrong++;
		}
	pt_options_replace_aliases(options);
	for (; find_wrong_probe(options, &probes, &i, &line, &err); n_wrong++)
		pt_error("%s:%u: %s", name, line, err.msg);
	return n_wrong;
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

/* The text of the file that is to be read, and its path; to be freed. NULL with err: it cannot be read; without: there is
 * none. */
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
