/* The configuration file: what a lab machine would otherwise type every time. INI: "key = value" lines, '#' or ';'
 * before a comment, "[board NAME]" before the words of a board. Keys are the options of the command line without their
 * dashes, or any config key; what the command line gives wins. */
#ifndef PT_CONFIGFILE_H
#define PT_CONFIGFILE_H

#include "options.h"

#define PT_CONFIG_PATH "/etc/proftap.conf"

/* Read --config FILE, else PT_CONFIG_PATH if it is there, for a verb that has --config. PT_EARG: the sentence names file
 * and line; PT_EIO: --config names a file that cannot be read. */
int pt_configfile_read(struct pt_options *options, const char *verb, struct pt_err *err);
/* The text of such a file, name being for messages. text is changed. */
int pt_configfile_parse(struct pt_options *options, const char *verb, const char *name, char *text, struct pt_err *err);

#endif
