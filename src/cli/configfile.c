/* Line by line; the options know what a key means. */
#include "cli/configfile.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/settings.h"
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

int pt_configfile_parse(struct pt_options *options, const char *subcommand, const char *name, char *text,
			struct pt_err *err)
{
	for (unsigned n = 1; text != NULL; n++)
		if (parse_line(options, subcommand, take_line(&text), err) < 0)
			return pt_wrap(err, "%s:%u", name, n);
	pt_options_replace_aliases(options);
	return 0;
}

/* Of a line that is no mistake: its key is known to sources alone, or to nothing. */
static void look_at_key(const char *name, unsigned n, const char *key)
{
	bool known = true;
	struct pt_err ignored = { 0 };

	if (isalpha((unsigned char)*key) && strncmp(key, "alias.", 6) != 0 && !pt_options_has(key, "serve") &&
	    !pt_options_has(key, "profile") && !pt_options_has(key, "check"))
		pt_setting_check(key, "", &known, &ignored);
	if (!known)
		pt_warn("%s:%u: %s is a setting of a source, or a mistake: only a start of the source can tell", name,
			n, key);
}

static size_t count_mistakes(struct pt_options *options, const char *name, char *text)
{
	size_t n_wrong = 0;

	for (unsigned n = 1; text != NULL; n++) {
		struct pt_err err = { 0 };
		char *line = take_line(&text), key[40];

		snprintf(key, sizeof(key), "%.*s", (int)strcspn(line, " \t="), line);
		if (parse_line(options, NULL, line, &err) < 0) {
			pt_error("%s:%u: %s", name, n, err.msg);
			n_wrong++;
		} else {
			look_at_key(name, n, key);
		}
	}
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
