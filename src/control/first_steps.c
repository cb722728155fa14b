/* The first text for a new user: `monitor` and `monitor profile` alone, in ten lines each. */
#include "control/commands.h"

#include "base/util.h"

struct step { const char *line, *help; };

static const struct step all[] = {
	{ "profile run 2s", "profile for 2 s, and print where time went" },
	{ "profile start", "the same by hand: start, then `continue`" },
	{ "profile stop", "end it, and print the first ten functions" },
	{ "profile report calls", "the result in another view (help report)" },
	{ "status", "chip, core, probe, and what is being profiled" },
	{ "sources", "how this chip can be profiled, overhead" },
	{ "symbols FILE", "which program it runs, if --elf did not say" },
	{ "halt, go, reset", "the core by hand" },
	{ "help [WORD]", "all commands; or what any word here means" },
};

static const struct step profile[] = {
	{ "profile run 2s", "profile for 2 s, and print where time went" },
	{ "profile start [for=2s]", "start, and end after 2 s; then `continue`" },
	{ "profile status", "how much was seen and lost so far" },
	{ "profile report", "the table so far: functions" },
	{ "profile report calls", "another view (help report)" },
	{ "profile stop", "end it, and print the first ten functions" },
	{ "profile reset", "forget what was counted, go on profiling" },
	{ "profile save FILE", "keep the trace, for proftap decode" },
	{ "help profile start", "every setting; sources: those of each source" },
};

/* For proftap monitor, whose session ends after its command. */
static const struct step single[] = {
	{ "profile run 2s", "profile for 2 s, and print where time went" },
	{ "profile run 2s calls", "the result in another view (help report)" },
	{ "status", "chip, core, probe" },
	{ "sources", "how this chip can be profiled, overhead" },
	{ "halt, go, reset", "the core by hand" },
	{ "help profile run", "every setting; sources: those of each source" },
	{ "help [WORD]", "all commands; or what any word here means" },
};

static void say_step(struct pt_command *cmd, const char *line, const char *help)
{
	pt_command_say(cmd, "%s %-26s%s", cmd->ctx->ops->name, line, help);
}

static void say_steps(struct pt_command *cmd, const struct step *steps, size_t n)
{
	if (cmd->ctx->ops->is_single) {
		steps = single;
		n = PT_LEN(single);
	}
	for (size_t i = 0; i < n; i++)
		say_step(cmd, steps[i].line, steps[i].help);
	pt_command_say(cmd, "A word may be shortened as long as one command fits: %s.",
		       cmd->ctx->ops->is_single ? "prof run 2s" : "prof rep calls");
	pt_command_done(cmd, 0, NULL);
}

static void first_steps(struct pt_command *cmd)
{
	say_steps(cmd, all, PT_LEN(all));
}

static void profile_steps(struct pt_command *cmd)
{
	say_steps(cmd, profile, PT_LEN(profile));
}

const struct pt_command_row pt_command_first_steps = {
	.name = "", .usage = "", .help = "", .flags = PT_COMMAND_LOOKS_ONLY, .run = first_steps,
};
const struct pt_command_row pt_command_profile_steps = {
	.name = "profile", .usage = "", .help = "", .flags = PT_COMMAND_LOOKS_ONLY, .run = profile_steps,
};
