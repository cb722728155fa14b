/* Whether the value of a setting makes sense, before anything is opened: so that a configuration file is refused with its
 * line. The tables that are known without a chip are asked; sources have settings of their own, which their start checks. */
#ifndef PT_CLI_SETTINGS_H
#define PT_CLI_SETTINGS_H

#include <stdbool.h>

#include "base/error.h"

/* PT_EARG: tables have that key, and each refuses the value; the sentence is the last one's. known: out, whether any has it;
 * may be NULL. */
int pt_setting_check(const char *key, const char *value, bool *known, struct pt_err *err);

#endif
