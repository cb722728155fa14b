/* Shared by options.c (the command line) and options_file.c (a configuration file). */
#ifndef PT_OPTIONS_PARTS_H
#define PT_OPTIONS_PARTS_H

#include "cli/option_table.h"
#include "cli/options.h"

/* "key=value", or value alone if key is "". */
int pt_options_add_word(struct pt_options *options, const char *key, const char *value, struct pt_err *err);
int pt_options_take(struct pt_options *options, const struct pt_option *row, const char *value, struct pt_err *err);

#endif
