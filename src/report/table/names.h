/* What things are called in reports. */
#ifndef PT_REPORT_NAMES_H
#define PT_REPORT_NAMES_H

#include "profile/result/profile.h"

/* The name of a function id; "(no symbol)" for code that no function owns. */
const char *pt_name_of_function(const struct pt_profile *profile, uint16_t id);

/* The name of a task by its number, as stacks and steps have it; "task 3", in own, where nothing names it. */
enum { PT_OWN_TASK_BYTES = 16 };
const char *pt_name_of_task(const struct pt_profile *profile, uint16_t task, char own[PT_OWN_TASK_BYTES]);

#endif
