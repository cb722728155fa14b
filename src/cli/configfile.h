/* The configuration file: what a lab machine would otherwise type every time. INI: "key = value" lines, '#' or ';'
 * before a comment, "[board NAME]" before the lines of a board; what comes ahead of the first section holds for all. Keys are the options of the command line without their
 * dashes, or any config key; what the command line gives wins. "alias.NAME = URI" names a probe: --probe NAME. */
#ifndef PT_CONFIGFILE_H
#define PT_CONFIGFILE_H

#include "cli/options.h"

#define PT_CONFIG_PATH "/etc/proftap.conf"
#define PT_CONFIG_ENV "PROFTAP_CONFIG"	/* in the environment: a path in its stead; /dev/null: none */

/* Read --config FILE, else what PT_CONFIG_ENV names, else PT_CONFIG_PATH if it is there, for a subcommand that has --config.
 * PT_EARG: the sentence names file and line; PT_EIO: one of the first two cannot be read. */
int pt_configfile_read(struct pt_options *options, const char *subcommand, struct pt_err *err);
/* Reports each mistake in that file, of all options, and whether there are any on standard output. PT_EARG, PT_EIO: there
 * is no file, it cannot be read, or has mistakes: what to say behind them. */
int pt_configfile_check(struct pt_options *options, struct pt_err *err);
/* The text of such a file, name being for messages. text is changed. With several boards a mistake in a section is that
 * section's fault alone, and no error here. */
int pt_configfile_parse(struct pt_options *options, const char *subcommand, const char *name, char *text,
			struct pt_err *err);

#endif
