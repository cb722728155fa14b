#include "cli/option_table.h"

#include <string.h>

#include "base/util.h"
#include "cli/options.h"

const struct pt_option pt_option_table[] = {
	{ "probe", "URI",
	  "virtual:kl27, or an address from `proftap probes`",
	  .kind = PT_OPTION_PROBE, .value = PT_VALUE_PROBE,
	  .taken_by = "serve, monitor, profile, top, check, restore, board, selftest" },
	{ "board", "NAME",
	  "a board by its name; `proftap boards` lists them",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, board), .value = PT_VALUE_BOARD,
	  .taken_by = "serve, monitor, profile, top, check, restore" },
	{ "target", "NAME",
	  "the kind of chip; found out if not given",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, target), .value = PT_VALUE_TARGET,
	  .taken_by = "serve, monitor, profile, top, check, restore, selftest", .seldom = true },
	{ "elf", "FILE",
	  "symbols; '': none, rows are addresses",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, elf), .value = PT_VALUE_FILE,
	  .used_by = "serve, monitor, profile, top, check, decode, diff, selftest" },
	{ "gdb", "ADDR",
	  "HOST:PORT, unix:PATH or stdio (127.0.0.1:3333)",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, gdb), .value = PT_VALUE_ADDRESS,
	  .taken_by = "serve" },
	{ "attach", "auto|run|halt",
	  "whether a connecting GDB halts the core (auto)",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, attach), .value = PT_VALUE_CHOICE,
	  .taken_by = "serve", .seldom = true },
	{ "second", "watch|none",
	  "what a second all-stop GDB gets: memory to read, or a refusal (watch)",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, second), .value = PT_VALUE_CHOICE,
	  .taken_by = "serve", .seldom = true },
	{ "allow", "USER,@GROUP",
	  "other users who may connect to a unix socket",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, allow),
	  .taken_by = "serve", .seldom = true },
	{ "swo", "ADDR",
	  "where to serve the bytes of pin SWO (source=swo), for orbuculum and cortex-debug",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, swo), .value = PT_VALUE_ADDRESS,
	  .taken_by = "serve", .seldom = true },
	{ "swo-text", "ADDR",
	  "where to serve the text that the program writes to port 0 of its ITM",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, swo_text), .value = PT_VALUE_ADDRESS,
	  .taken_by = "serve", .seldom = true },
	{ "http", "ADDR",
	  "reports by HTTP, at HOST:PORT or unix:PATH",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, http), .value = PT_VALUE_ADDRESS,
	  .taken_by = "serve" },
	{ "http-host", "NAME,NAME",
	  "names by which HTTP clients call this machine, besides addresses and localhost",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, http_host),
	  .taken_by = "serve", .seldom = true },
	{ "control", "unix:PATH",
	  "the daemon's socket for status and ctl; there is one by itself where boards are in sections",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, control), .value = PT_VALUE_ADDRESS,
	  .taken_by = "serve, status, ctl", .seldom = true },
	{ "allow-remote", NULL,
	  "listen where other machines can connect",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, allow_remote),
	  .taken_by = "serve, board" },
	{ "allow-unidentified", NULL,
	  "serve remote_bitbang on TCP, whose clients and web pages look alike",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, allow_unidentified),
	  .taken_by = "board", .seldom = true },
	{ "token-file", "FILE",
	  "the token that a client gives by monitor auth TOKEN",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, token_file), .value = PT_VALUE_FILE,
	  .taken_by = "serve" },
	{ "files", "DIR",
	  "where clients of other users may name files; without it they may name none",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, files), .value = PT_VALUE_FOLDER,
	  .taken_by = "serve", .seldom = true },
	{ "restrict", NULL,
	  "clients may look, and change neither target nor host nor profile",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, restricted),
	  .taken_by = "serve", .seldom = true },
	{ "semihost-dir", "DIR",
	  "Cortex-M: where the program's files are (semihosting)",
	  .kind = PT_OPTION_WORD, .value = PT_VALUE_FOLDER,
	  .taken_by = "serve, monitor, profile, top, check", .seldom = true },
	{ "config", "FILE",
	  "options for every run, option = value a line ($PROFTAP_CONFIG, else /etc/proftap.conf)",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, config), .value = PT_VALUE_FILE,
	  .taken_by = "serve, monitor, profile, top, check, restore, probes, board, selftest", .not_in_file = true, .seldom = true },
	{ "check-config", NULL,
	  "only report the mistakes in the configuration file",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, check_config),
	  .taken_by = "serve", .not_in_file = true },
	{ "listen", "ADDR",
	  "where to serve the probe protocol (127.0.0.1:4441)",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, listen), .value = PT_VALUE_ADDRESS,
	  .taken_by = "board" },
	{ "for", "TIME",
	  "how long the core runs meanwhile: 500ms, 2s",
	  .kind = PT_OPTION_TIME,
	  .taken_by = "profile, check" },
	{ "source", "NAME",
	  "where the trace comes from",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, source), .value = PT_VALUE_SOURCE,
	  .taken_by = "profile, top, check" },
	{ "mode", "NAME",
	  "how the source works",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, mode), .value = PT_VALUE_MODE,
	  .taken_by = "profile, top, check", .seldom = true },
	{ "reset", NULL,
	  "start from the reset vector",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, reset),
	  .taken_by = "profile, top, check" },
	{ "analysis", "NAME",
	  "which analyses to make: lines, tree, ... or all",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, analysis), .value = PT_VALUE_ANALYSIS,
	  .used_by = "profile, top, check, decode", .seldom = true },
	{ "format", "NAME",
	  "text, json, csv, html, ...; else as --output ends",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, format), .value = PT_VALUE_FORMAT,
	  .used_by = "profile, decode, diff" },
	{ "output", "FILE",
	  "where the report goes (-o)",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, output), .value = PT_VALUE_NEW_FILE,
	  .used_by = "profile, check, decode, diff", .letter = 'o' },
	{ "capture", "FILE",
	  "write the raw trace to FILE, for proftap decode",
	  .kind = PT_OPTION_WORD, .value = PT_VALUE_NEW_FILE,
	  .used_by = "serve, profile, top, check" },
	{ "replace", NULL,
	  "overwrite an older capture of that name",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, replace),
	  .taken_by = "profile, top, check, decode, diff, selftest", .seldom = true },
	{ "limits", "FILE",
	  "timing rules to check: exit 1 if one is violated",
	  .kind = PT_OPTION_LIMITS, .value = PT_VALUE_FILE,
	  .used_by = "serve, profile, top, check, decode" },
	{ "orti", "FILE",
	  "tasks, ISRs and services of an OSEK or AUTOSAR OS",
	  .kind = PT_OPTION_ORTI, .value = PT_VALUE_FILE,
	  .used_by = "serve, monitor, profile, top, check, decode", .seldom = true },
	{ "junit", "FILE",
	  "the results of the rules, as JUnit XML",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, junit), .value = PT_VALUE_NEW_FILE,
	  .taken_by = "check" },
	{ "live", NULL,
	  "profile now, instead of reading a capture",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, live),
	  .taken_by = "check" },
	{ "strict", NULL,
	  "a rule that the data cannot decide fails (default)",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, strict),
	  .taken_by = "check", .seldom = true },
	{ "lenient", NULL,
	  "a rule that the data cannot decide is only reported",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, lenient),
	  .taken_by = "check" },
	{ "self-check", NULL,
	  "check the laws of a report; exit 1 on a violation",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, self_check),
	  .taken_by = "decode" },
	{ "max-loss", "PERCENT",
	  "exit 4 if more trace than this was lost to faults",
	  .kind = PT_OPTION_PERCENT,
	  .used_by = "profile, check, decode", .seldom = true },
	{ "core-clock", "HZ",
	  "the core's clock: turns cycles into seconds",
	  .kind = PT_OPTION_WORD,
	  .used_by = "serve, monitor, profile, top, check, decode, selftest" },
	{ "mtb-ram", "ADDR:SIZE",
	  "where the MTB may write; found from the ELF if not given",
	  .kind = PT_OPTION_WORD,
	  .used_by = "serve, monitor, profile, top, check", .seldom = true },
	{ "connect", "under-reset",
	  "hold the chip in reset while attaching",
	  .kind = PT_OPTION_WORD, .value = PT_VALUE_CHOICE,
	  .used_by = "serve, monitor, profile, top, check", .seldom = true },
	{ "seed", "N",
	  "seed of the random times between bursts, and of virtual boards",
	  .kind = PT_OPTION_WORD,
	  .used_by = "serve, monitor, profile, top, check", .seldom = true },
	{ "set", "KEY=VALUE",
	  "a setting: `proftap manual settings` lists them",
	  .kind = PT_OPTION_SET, .value = PT_VALUE_SETTING,
	  .used_by = "serve, monitor, profile, top, check, decode, diff, selftest", .not_in_file = true },
	{ "report", "FILE", "where the report goes; without it to standard output", .kind = PT_OPTION_FIELD,
	  .at = offsetof(struct pt_options, report), .value = PT_VALUE_NEW_FILE, .taken_by = "selftest" },
	{ "intrusive", NULL, "also try sources that disturb the program",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, intrusive), .taken_by = "selftest" },
	{ "json", NULL,
	  "print JSON",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, json),
	  .taken_by = "probes, events, status" },
	{ "measure", NULL,
	  "time each free one: round trip, words per second",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, measure),
	  .taken_by = "probes" },
	{ "network", NULL,
	  "also list J-Links on the network, by a broadcast",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, network),
	  .taken_by = "probes" },
	{ "udev", NULL,
	  "print udev rules that let a user open the probes",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, udev),
	  .taken_by = "drivers" },
	{ "log", "LEVEL",
	  "error, warn, info, debug, with channels: debug,gdb,usb,dap,trace,http",
	  .kind = PT_OPTION_LOG, .value = PT_VALUE_LOG, .seldom = true },
	{ "print-ports", NULL,
	  "print the addresses in use to standard output",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, print_ports),
	  .taken_by = "serve, board", .seldom = true },
	{ "version", NULL,
	  "print the version (-V)",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, version),
	  .used_by = "", .letter = 'V', .not_in_file = true },
	{ "help", NULL,
	  "print this (-h)",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, help),
	  .used_by = "", .letter = 'h', .not_in_file = true },
};
const size_t pt_n_options = PT_LEN(pt_option_table);
_Static_assert(PT_LEN(pt_option_table) <= PT_MAX_OPTIONS, "a bit of given for each");

const struct pt_option *pt_option_named(const char *name)
{
	for (size_t i = 0; i < pt_n_options; i++)
		if (strcmp(pt_option_table[i].name, name) == 0)
			return &pt_option_table[i];
	return NULL;
}

const struct pt_option *pt_option_of_letter(int letter)
{
	for (size_t i = 0; i < pt_n_options; i++)
		if (pt_option_table[i].letter != '\0' && pt_option_table[i].letter == letter)
			return &pt_option_table[i];
	return NULL;
}

/* list NULL: it is in it */
static bool is_in(const char *subcommand, const char *list)
{
	size_t len = strlen(subcommand);

	for (const char *at = list; at != NULL; at = strchr(at, ' ')) {
		at += *at == ' ';
		if (strncmp(at, subcommand, len) == 0 && (at[len] == ',' || at[len] == '\0'))
			return true;
	}
	return list == NULL;
}

bool pt_option_taken_by(const struct pt_option *option, const char *subcommand)
{
	return is_in(subcommand, option->taken_by);
}

bool pt_option_used_by(const struct pt_option *option, const char *subcommand)
{
	return pt_option_taken_by(option, subcommand) && is_in(subcommand, option->used_by);
}

const char *pt_option_users(const struct pt_option *option)
{
	return option->used_by != NULL ? option->used_by : option->taken_by;
}
