/* Names of functions and tasks in reports. */
#ifndef PT_REPORT_NAMES_H
#define PT_REPORT_NAMES_H

#include "profile/result/profile.h"

/* The name of a function id; "(no symbol)" for code without a function. */
const char *pt_name_of_function(const struct pt_profile *profile, uint16_t id);

/* The name of a task by its number in stacks and call events; "task 3", written to own, if it has no name. */
enum { PT_OWN_TASK_BYTES = 16 };
const char *pt_name_of_task(const struct pt_profile *profile, uint16_t task, char own[PT_OWN_TASK_BYTES]);

#endif
