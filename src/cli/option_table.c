#include "cli/option_table.h"

#include <string.h>

#include "base/util.h"
#include "cli/options.h"

const struct pt_option pt_option_table[] = {
	{ "probe", "URI",
	  "a probe: virtual:kl27, an address that proftap probes lists, or an alias; several are used together",
	  .kind = PT_OPTION_PROBE, .value = PT_VALUE_PROBE,
	  .taken_by = "serve, monitor, profile, check, restore, board, selftest" },
	{ "board", "NAME",
	  "a board by its name; `proftap boards` lists them",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, board), .value = PT_VALUE_BOARD,
	  .taken_by = "serve, monitor, profile, check, restore" },
	{ "target", "NAME",
	  "the kind of chip; found out if not given",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, target), .value = PT_VALUE_TARGET,
	  .taken_by = "serve, monitor, profile, check, restore, selftest" },
	{ "elf", "FILE",
	  "symbols; for a virtual board also its firmware; '': none, rows are addresses",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, elf), .value = PT_VALUE_FILE,
	  .used_by = "serve, monitor, profile, check, decode, diff, selftest" },
	{ "gdb", "ADDR",
	  "where GDB connects: HOST:PORT, unix:PATH or stdio (127.0.0.1:3333)",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, gdb), .value = PT_VALUE_ADDRESS,
	  .taken_by = "serve" },
	{ "attach", "auto|run|halt",
	  "whether a connecting GDB halts the core (auto)",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, attach), .value = PT_VALUE_CHOICE,
	  .taken_by = "serve" },
	{ "second", "watch|none",
	  "what a second all-stop GDB gets: memory to read, or a refusal (watch)",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, second), .value = PT_VALUE_CHOICE,
	  .taken_by = "serve" },
	{ "allow", "USER,@GROUP",
	  "other users who may connect to a unix socket",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, allow),
	  .taken_by = "serve" },
	{ "swo", "ADDR",
	  "where to serve the bytes of pin SWO (source=swo), for orbuculum and cortex-debug",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, swo), .value = PT_VALUE_ADDRESS,
	  .taken_by = "serve" },
	{ "swo-text", "ADDR",
	  "where to serve the text that the program writes to port 0 of its ITM",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, swo_text), .value = PT_VALUE_ADDRESS,
	  .taken_by = "serve" },
	{ "allow-remote", NULL,
	  "listen on an address that other machines may reach; see doc/security.md",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, allow_remote),
	  .taken_by = "serve, board" },
	{ "allow-unidentified", NULL,
	  "serve remote_bitbang on TCP, whose clients and web pages look alike",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, allow_unidentified),
	  .taken_by = "board" },
	{ "token-file", "FILE",
	  "holds the token that a GDB client must give first: monitor auth TOKEN",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, token_file), .value = PT_VALUE_FILE,
	  .taken_by = "serve" },
	{ "files", "DIR",
	  "where clients of other users may name files; without it they may name none",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, files), .value = PT_VALUE_FOLDER,
	  .taken_by = "serve" },
	{ "restrict", NULL,
	  "clients may look, and change neither target nor host nor profile",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, restricted),
	  .taken_by = "serve" },
	{ "semihost-dir", "DIR",
	  "Cortex-M: where the program's files are (semihosting)",
	  .kind = PT_OPTION_WORD, .value = PT_VALUE_FOLDER,
	  .taken_by = "serve, monitor, profile, check" },
	{ "config", "FILE",
	  "options for every run, option = value a line ($PROFTAP_CONFIG, else /etc/proftap.conf)",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, config), .value = PT_VALUE_FILE,
	  .taken_by = "serve, monitor, profile, check, restore, probes, board, selftest", .not_in_file = true },
	{ "check-config", NULL,
	  "report all mistakes in the configuration file, do nothing else",
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
	  .taken_by = "profile, check" },
	{ "mode", "NAME",
	  "how the source works",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, mode), .value = PT_VALUE_MODE,
	  .taken_by = "profile, check" },
	{ "reset", NULL,
	  "start from the reset vector",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, reset),
	  .taken_by = "profile, check" },
	{ "analysis", "NAME",
	  "which analyses to make: lines, tree, ... or all",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, analysis), .value = PT_VALUE_ANALYSIS,
	  .used_by = "profile, check, decode" },
	{ "format", "NAME",
	  "of the report: text, json, csv, html, ...; without it as the name of --output ends",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, format), .value = PT_VALUE_FORMAT,
	  .used_by = "profile, decode, diff" },
	{ "output", "FILE",
	  "where the report goes (-o); without it to standard output",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, output), .value = PT_VALUE_NEW_FILE,
	  .used_by = "profile, check, decode, diff", .letter = 'o' },
	{ "capture", "FILE",
	  "write the raw trace to FILE, for proftap decode",
	  .kind = PT_OPTION_WORD, .value = PT_VALUE_NEW_FILE,
	  .used_by = "serve, profile, check" },
	{ "replace", NULL,
	  "overwrite the file of --capture, or of --output, that is an older capture",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, replace),
	  .taken_by = "profile, check, decode, diff, selftest" },
	{ "limits", "FILE",
	  "timing rules to check: exit 1 when one is violated",
	  .kind = PT_OPTION_LIMITS, .value = PT_VALUE_FILE,
	  .used_by = "serve, profile, check, decode" },
	{ "orti", "FILE",
	  "tasks, ISRs and services of an OSEK or AUTOSAR system",
	  .kind = PT_OPTION_ORTI, .value = PT_VALUE_FILE,
	  .used_by = "serve, monitor, profile, check, decode" },
	{ "junit", "FILE",
	  "what became of the rules, as JUnit XML",
	  .kind = PT_OPTION_FIELD, .at = offsetof(struct pt_options, junit), .value = PT_VALUE_NEW_FILE,
	  .taken_by = "check" },
	{ "live", NULL,
	  "profile now, instead of reading a capture",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, live),
	  .taken_by = "check" },
	{ "strict", NULL,
	  "a rule that the data cannot decide fails (the default)",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, strict),
	  .taken_by = "check" },
	{ "lenient", NULL,
	  "a rule that the data cannot decide is only reported",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, lenient),
	  .taken_by = "check" },
	{ "self-check", NULL,
	  "check the laws of a report in place of printing it; exit 1 on a violation",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, self_check),
	  .taken_by = "decode" },
	{ "max-loss", "PERCENT",
	  "exit 4 when more trace than this was lost to faults",
	  .kind = PT_OPTION_PERCENT,
	  .used_by = "profile, check, decode" },
	{ "core-clock", "HZ",
	  "the core's clock, to turn modelled cycles into seconds",
	  .kind = PT_OPTION_WORD,
	  .used_by = "serve, monitor, profile, check, decode, selftest" },
	{ "mtb-ram", "ADDR:SIZE",
	  "where the MTB may write; found from the ELF if not given",
	  .kind = PT_OPTION_WORD,
	  .used_by = "serve, monitor, profile, check" },
	{ "connect", "under-reset",
	  "hold the chip in reset while attaching",
	  .kind = PT_OPTION_WORD, .value = PT_VALUE_CHOICE,
	  .used_by = "serve, monitor, profile, check" },
	{ "seed", "N",
	  "seed of the random times between bursts, and of virtual boards",
	  .kind = PT_OPTION_WORD,
	  .used_by = "serve, monitor, profile, check" },
	{ "set", "KEY=VALUE",
	  "a setting: `proftap manual settings` lists them",
	  .kind = PT_OPTION_SET, .value = PT_VALUE_SETTING,
	  .used_by = "serve, monitor, profile, check, decode, diff, selftest", .not_in_file = true },
	{ "report", "FILE", "where the report goes; without it to standard output", .kind = PT_OPTION_FIELD,
	  .at = offsetof(struct pt_options, report), .value = PT_VALUE_NEW_FILE, .taken_by = "selftest" },
	{ "intrusive", NULL, "try also sources that halt the core, or disturb the program in another way",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, intrusive), .taken_by = "selftest" },
	{ "json", NULL,
	  "print JSON",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, json),
	  .taken_by = "probes, events" },
	{ "measure", NULL,
	  "time each that is free: round trip and words a second, beside what the cables allow",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, measure),
	  .taken_by = "probes" },
	{ "network", NULL,
	  "list also J-Links on the network: sends a broadcast to each network that this machine is on",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, network),
	  .taken_by = "probes" },
	{ "udev", NULL,
	  "print rules for udev, by which a user may open the probes",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, udev),
	  .taken_by = "drivers" },
	{ "log", "LEVEL",
	  "error, warn, info, debug, with channels: debug,gdb,usb,dap,trace",
	  .kind = PT_OPTION_LOG, .value = PT_VALUE_LOG },
	{ "print-ports", NULL,
	  "print the addresses in use to standard output",
	  .kind = PT_OPTION_FLAG, .at = offsetof(struct pt_options, print_ports),
	  .taken_by = "serve, board" },
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

/* list NULL: all are in it */
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
