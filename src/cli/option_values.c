#include "cli/option_values.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nearest.h"
#include "cli/named_boards.h"
#include "host/listen.h"
#include "probes/registry.h"
#include "profile/result/analysis.h"
#include "report/report.h"
#include "targets/registry.h"

typedef void value_fn(void *arg, const char *value);

/* Every word of "a|b|c". */
static void each_word(const char *list, value_fn *each, void *arg)
{
	char word[60];

	for (size_t len; *list != '\0'; list += len + (list[len] == '|')) {
		len = strcspn(list, "|");
		snprintf(word, sizeof(word), "%.*s", (int)len, list);
		each(arg, word);
	}
}

static void each_source(bool modes, value_fn *each, void *arg)
{
	for (size_t t = 0; t < pt_n_targets; t++) {
		size_t n;
		const struct pt_source_ops *const *sources = pt_targets[t]->sources(NULL, &n);

		for (size_t i = 0; i < n; i++) {
			if (modes)
				each_word(sources[i]->modes, each, arg);
			else
				each(arg, sources[i]->name);
		}
	}
}

static void each_probe(value_fn *each, void *arg)
{
	char scheme[60];

	each(arg, "usb:");
	for (size_t i = 0; i < pt_n_probe_drivers; i++) {
		const char *address = pt_probe_drivers[i]->address;

		if (address == NULL)
			continue;
		snprintf(scheme, sizeof(scheme), "%.*s:", (int)strcspn(address, ":"), address);
		each(arg, scheme);
	}
	pt_probe_each_virtual(each, arg);
}

void pt_option_each_value(const struct pt_option *option, value_fn *each, void *arg)
{
	switch (option->value) {
	case PT_VALUE_CHOICE:
		each_word(option->argument, each, arg);
		break;
	case PT_VALUE_PROBE:
		each_probe(each, arg);
		break;
	case PT_VALUE_TARGET:
		for (size_t i = 0; i < pt_n_targets; i++)
			each(arg, pt_targets[i]->name);
		break;
	case PT_VALUE_BOARD:
		for (size_t i = 0; i < pt_n_named_boards; i++)
			each(arg, pt_named_boards[i].name);
		break;
	case PT_VALUE_SOURCE:
	case PT_VALUE_MODE:
		each_source(option->value == PT_VALUE_MODE, each, arg);
		break;
	case PT_VALUE_ANALYSIS:
		each_word("standard|all|none", each, arg);
		for (size_t i = 0; pt_analyses[i] != NULL; i++)
			each(arg, pt_analyses[i]->name);
		break;
	case PT_VALUE_FORMAT:
		for (size_t i = 0; pt_formats[i] != NULL; i++)
			each(arg, pt_formats[i]->name);
		break;
	case PT_VALUE_LOG:
		each_word("error|warn|info|debug", each, arg);
		break;
	default:
		break;
	}
}

struct wanted {
	const char *value;
	bool found;
	struct pt_nearest near;
};

static void compare(void *arg, const char *value)
{
	struct wanted *wanted = arg;

	wanted->found |= strcmp(value, wanted->value) == 0;
	pt_nearest_offer(&wanted->near, value);
}

/* "it takes auto|run|halt, not hlt; did you mean halt?" */
static int check_known(const struct pt_option *option, const char *value, struct pt_err *err)
{
	struct wanted wanted = { .value = value };
	char question[PT_NEAREST_QUESTION];

	pt_nearest_init(&wanted.near, value, strlen(value));
	pt_option_each_value(option, compare, &wanted);
	if (wanted.found)
		return 0;
	pt_nearest_question(&wanted.near, question, sizeof(question));
	question[strlen(question) - 1] = '\0';		/* nothing follows */
	if (wanted.near.nearest[0] == '\0')
		question[0] = '\0';
	if (option->value == PT_VALUE_CHOICE)
		return pt_fail(err, PT_EARG, "it takes %s, not %.100s%s", option->argument, value, question);
	return pt_fail(err, PT_EARG, "there is no %s \"%.100s\"%s", option->name, value, question);
}

static int check_analyses(const struct pt_option *option, const char *list, struct pt_err *err)
{
	char name[60];
	int rc = 0;

	for (size_t len; rc == 0 && *list != '\0'; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		snprintf(name, sizeof(name), "%.*s", (int)len, list);
		rc = check_known(option, name, err);
	}
	return rc;
}

int pt_option_check_value(const struct pt_option *option, const char *value, struct pt_err *err)
{
	switch (option->value) {
	case PT_VALUE_ADDRESS:
		return strcmp(value, "stdio") == 0 && strcmp(option->name, "gdb") == 0 ? 0
										       : pt_listen_check(value, err);
	case PT_VALUE_PROBE:
		return pt_probe_check_uri(value, err);
	case PT_VALUE_BOARD:
		return pt_named_board_find(value, err) != NULL ? 0 : err->code;
	case PT_VALUE_ANALYSIS:
		return check_analyses(option, value, err);
	case PT_VALUE_CHOICE:
	case PT_VALUE_TARGET:
	case PT_VALUE_SOURCE:
	case PT_VALUE_MODE:
	case PT_VALUE_FORMAT:
		return check_known(option, value, err);
	default:
		return 0;
	}
}

int pt_option_check_there(const struct pt_option *option, const char *value, struct pt_err *err)
{
	struct stat there;
	bool is_folder = option->value == PT_VALUE_FOLDER;

	if (pt_option_check_value(option, value, err) < 0)
		return err->code;
	if ((!is_folder && option->value != PT_VALUE_FILE) || value[0] == '\0')
		return 0;
	if (stat(value, &there) < 0)
		return pt_fail(err, PT_EARG, "%.200s: %s", value, strerror(errno));
	if (is_folder != S_ISDIR(there.st_mode))
		return pt_fail(err, PT_EARG, "%.200s is %s", value,
			       is_folder ? "not a folder" : "a folder, not a file");
	return 0;
}
