#include "report/table/names.h"

#include <stdio.h>

#include "profile/analyses/signals/tasks.h"

const char *pt_name_of_function(const struct pt_profile *profile, uint16_t id)
{
	size_t n = 0;
	const struct pt_function *functions =
		profile->program != NULL ? pt_program_functions(profile->program, &n) : NULL;

	return id != PT_NO_FUNCTION && id <= n ? functions[id - 1].name : "(no symbol)";
}

const char *pt_name_of_task(const struct pt_profile *profile, uint16_t task, char own[PT_OWN_TASK_BYTES])
{
	for (size_t i = 0; profile->tasks != NULL && i < profile->tasks->n_tasks; i++)
		if (profile->tasks->task[i].kind == PT_TASK_TOLD && profile->tasks->task[i].id == task)
			return profile->tasks->task[i].name;
	snprintf(own, PT_OWN_TASK_BYTES, "task %u", task);
	return own;
}
