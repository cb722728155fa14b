/* Line by line; the options know what a key means. */
#include "cli/configfile.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int pt_configfile_parse(struct pt_options *options, const char *subcommand, const char *name, char *text,
			struct pt_err *err)
{
	unsigned n = 1;

	for (char *next, *line = text; line != NULL; line = next, n++) {
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		line = strip(line);
		if (*line == '\0' || *line == '#' || *line == ';')
			continue;
		if ((*line == '[' ? section(options, line, err) : setting(options, subcommand, line, err)) < 0)
			return pt_wrap(err, "%s:%u", name, n);
	}
	pt_options_replace_aliases(options);
	return 0;
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

int pt_configfile_read(struct pt_options *options, const char *subcommand, struct pt_err *err)
{
	const char *named = options->config != NULL ? options->config : getenv(PT_CONFIG_ENV);
	const char *path = named != NULL ? named : PT_CONFIG_PATH;
	char *text;
	size_t len;
	int rc;

	if (!pt_options_has("config", subcommand) || (named == NULL && access(path, F_OK) < 0))
		return 0;
	text = (char *)pt_file_read_text(path, MAX_BYTES, &len, err);
	if (text == NULL)
		rc = cannot_read(options->config != NULL, named != NULL, err);
	else if (strlen(text) != len)
		rc = pt_fail(err, PT_EARG, "%s is not a text: a configuration file has option = value, one a line",
			     path);
	else
		rc = pt_configfile_parse(options, subcommand, path, text, err);
	free(text);
	return rc;
}
