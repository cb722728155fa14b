/* proftap ctl BOARD COMMAND: a command of monitor, executed by the daemon that has the board. */
#include <stdio.h>

#include "base/door.h"
#include "cli/app.h"
#include "cli/ctl_client.h"
#include "cli/output.h"
#include "cli/subcommands.h"
#include "host/log.h"

static json_t *make_request(const struct pt_options *options)
{
	struct pt_query query = { 0 };
	json_t *words = json_array();

	pt_output_fit_terminal(&query);
	for (size_t i = 1; i < options->n_rest; i++)
		json_array_append_new(words, json_string_nocheck(options->rest[i]));
	return json_pack("{s:s, s:o, s:i}", "board", options->rest[0], "words", words, "columns", (int)query.columns);
}

static int run_ctl(const struct pt_options *options)
{
	struct pt_err err = { 0 };
	json_t *answer;

	if (options->n_rest < 2) {
		pt_error(
			"ctl takes a board and a command, such as: proftap ctl motor profile run 2s; proftap status lists the "
			"boards");
		return PT_EXIT_USAGE;
	}
	answer = pt_ctl_ask(options, make_request(options), &err);
	if (answer != NULL && json_is_string(json_object_get(answer, "text")))
		fputs(json_string_value(json_object_get(answer, "text")), stdout);
	if (err.code != 0)
		pt_error("%s", err.msg);
	json_decref(answer);
	return err.code == 0 ? PT_EXIT_DONE : err.code == PT_EARG ? PT_EXIT_USAGE : PT_EXIT_DEVICE;
}

const struct pt_subcommand pt_subcommand_ctl = {
	"ctl", "BOARD COMMAND [WORD...]", "a monitor command, executed by the daemon that has the board",
	"proftap ctl motor profile run 2s\n"
	"    profiles the board motor of the service for two seconds\n"
	"proftap ctl motor help\n"
	"    the commands that this board has\n",
	run_ctl,
};
