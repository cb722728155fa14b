/* All settings (--set KEY=VALUE, and KEY = VALUE of a configuration file) that are known without a target. */
#ifndef PT_CLI_SETTINGS_H
#define PT_CLI_SETTINGS_H

#include "base/error.h"
#include "base/params.h"

/* Calls each with every row, grouped by table. whose: "every profile", "probe jlink", "target cortexm", "source mtb of
 * target cortexm"; valid during the call only. A key may be in several tables. */
typedef void pt_setting_fn(void *arg, const char *whose, const struct pt_param *row);
void pt_settings_each(pt_setting_fn *each, void *arg);

/* PT_EARG: no table has that key (the sentence names the nearest), or every table that has it refuses the value (the
 * sentence is the last one's). With this a mistake in a configuration file is reported with its line. */
int pt_setting_check(const char *key, const char *value, struct pt_err *err);

#endif
