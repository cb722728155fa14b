/* The configuration file, for options that would be typed every time. INI: "key = value" lines, '#' or ';' before a
 * comment, "[board NAME]" before the lines of a board; lines before the first section apply to all. Keys are options of
 * the command line without dashes, or parameters; options on the command line win. "alias.NAME = URI" names a probe:
 * --probe NAME. */
#ifndef PT_CONFIGFILE_H
#define PT_CONFIGFILE_H

#include "cli/options.h"

#define PT_CONFIG_PATH "/etc/proftap.conf"
#define PT_CONFIG_ENV "PROFTAP_CONFIG"	/* environment variable: path to use instead; /dev/null: none */

/* Reads --config FILE, else the file in PT_CONFIG_ENV, else PT_CONFIG_PATH if it exists, for a subcommand that has
 * --config. PT_EARG: the sentence names file and line; PT_EIO: one of the first two cannot be read. */
int pt_configfile_read(struct pt_options *options, const char *subcommand, struct pt_err *err);
/* Prints each mistake in that file, for all options, and whether there are any, on standard output. PT_EARG, PT_EIO: no
 * file, not readable, or with mistakes: the sentence to print after them. */
int pt_configfile_check(struct pt_options *options, struct pt_err *err);
/* Reads the text of such a file; name is for messages. text is changed. With several boards a mistake in a section
 * concerns that board only, and is no error here. */
int pt_configfile_parse(struct pt_options *options, const char *subcommand, const char *name, char *text,
			struct pt_err *err);

#endif
