/* proftap check CAPTURE|--live --limits FILE: checks timing rules, for lab machines. Works as decode or profile does;
 * without other options it shows the results of the rules. */
#include "host/log.h"
#include "cli/app.h"
#include "cli/output.h"
#include "cli/commands/rerun.h"
#include "cli/subcommands.h"
#include "report/report.h"

static bool names_view(const struct pt_options *options)
{
	for (size_t i = 0; i < options->n_rest; i++)
		if (pt_query_knows(options->rest[i]))
			return true;
	return false;
}

static int run_check(const struct pt_options *options)
{
	struct pt_options with_view = *options;

	if (options->limits == NULL) {
		pt_error("check needs rules: --limits FILE, one rule a line, such as gross(adc_convert) in 5us..7us");
		return PT_EXIT_USAGE;
	}
	if (!names_view(options) && options->n_rest < PT_MAX_REST)
		with_view.rest[with_view.n_rest++] = "limits";
	return options->live ? pt_subcommand_profile.run(&with_view) : pt_decode_as("check", &with_view);
}

const struct pt_subcommand pt_subcommand_check = { "check", "FILE...|--live --limits FILE [--junit FILE]",
				       "check timing rules on a capture, or live; exit 1 on a violation",
	"proftap check --live --elf fw.elf --for 10s --limits rules --junit timing.xml\n"
	"    on the chip, now; rules has lines such as gross(adc_convert) < 7us\n"
	"proftap check run.ptcap --elf fw.elf --limits rules\n"
	"    on what --capture wrote\n",
	run_check };
