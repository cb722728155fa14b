/* What a new user reads first: `monitor` and `monitor profile` alone, in ten lines each. */
#include "control/commands.h"

#include "base/util.h"

static const struct { const char *line, *help; } all[] = {
	{ "profile run 2s", "profile for 2 s, and print where time went" },
	{ "profile start", "the same by hand: start, then `continue`" },
	{ "profile stop", "end it, and print the first ten functions" },
	{ "profile report calls", "the result in another view (help report)" },
	{ "status", "chip, core, probe, and what is being profiled" },
	{ "sources", "how this chip can be profiled, overhead" },
	{ "symbols FILE", "which program it runs, if --elf did not say" },
	{ "halt, go, reset", "the core by hand" },
	{ "help [WORD]", "all commands; or what any word here means" },
}, profile[] = {
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

static void say_step(struct pt_command *cmd, const char *line, const char *help)
{
	pt_command_say(cmd, "%s %-26s%s", cmd->ctx->ops->name, line, help);
}

static const char shorter[] = "A word may be shortened as long as one command fits: prof rep calls.";

static void first_steps(struct pt_command *cmd)
{
	for (size_t i = 0; i < PT_LEN(all); i++)
		say_step(cmd, all[i].line, all[i].help);
	pt_command_say(cmd, "%s", shorter);
	pt_command_done(cmd, 0, NULL);
}

static void profile_steps(struct pt_command *cmd)
{
	for (size_t i = 0; i < PT_LEN(profile); i++)
		say_step(cmd, profile[i].line, profile[i].help);
	pt_command_say(cmd, "%s", shorter);
	pt_command_done(cmd, 0, NULL);
}

const struct pt_command_row pt_command_first_steps = {
	.name = "", .usage = "", .help = "", .flags = PT_COMMAND_LOOKS_ONLY, .run = first_steps,
};
const struct pt_command_row pt_command_profile_steps = {
	.name = "profile", .usage = "", .help = "", .flags = PT_COMMAND_LOOKS_ONLY, .run = profile_steps,
};
