/* The values of options: checks one, and lists those that are possible. */
#ifndef PT_OPTION_VALUES_H
#define PT_OPTION_VALUES_H

#include "base/error.h"
#include "cli/option_table.h"

/* Checks what can be checked without opening anything. PT_EARG; the sentence names the nearest valid value. An alias of
 * a probe must be replaced before. */
int pt_option_check_value(const struct pt_option *option, const char *value, struct pt_err *err);
/* The same, and whether a file to be read, or a folder, exists. PT_EARG. */
int pt_option_check_there(const struct pt_option *option, const char *value, struct pt_err *err);
/* Calls each with every value that is known; none for files, addresses and numbers. */
void pt_option_each_value(const struct pt_option *option, void (*each)(void *arg, const char *value), void *arg);

#endif
