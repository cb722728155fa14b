#include "report/table/names.h"

const char *pt_name_of_function(const struct pt_profile *profile, uint16_t id)
{
	size_t n = 0;
	const struct pt_function *functions =
		profile->program != NULL ? pt_program_functions(profile->program, &n) : NULL;

	return id != PT_NO_FUNCTION && id <= n ? functions[id - 1].name : "(no symbol)";
}
