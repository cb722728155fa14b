/* See settings.h. */
#include "program/model/settings.h"

#include <string.h>

#include "base/util.h"

const struct pt_param pt_program_params[PT_N_PROGRAM_PARAMS] = {
	[PT_PROGRAM_DEBUG_DIR] = { .key = "debug-dir", .type = PT_PARAM_LIST, .standard = "/usr/lib/debug",
		.help = "folders with separate debug files, by build-id and by path (DIR,DIR)" },
	[PT_PROGRAM_SOURCE_PATH] = { .key = "source-path", .type = PT_PARAM_LIST,
		.help = "where sources are now: FROM:TO replaces a folder, DIR is searched (FROM:TO,DIR)" },
	[PT_PROGRAM_EXITS] = { .key = "exits", .type = PT_PARAM_LIST,
		.help = "where functions end, instead of what analysis finds (FUNCTION:POINT+POINT,FUNCTION:POINT)" },
	[PT_PROGRAM_VECTOR_OFFSET] = { .key = "vector-offset", .type = PT_PARAM_NUMBER, .max = 1,
		.help = "S12Z: the byte of a vector's four at which the 24 bits of the handler's address begin; 1 if "
			"nothing is said (not verified)" },
};

bool pt_program_names_folders(const char *word)
{
	static const int rows[] = { PT_PROGRAM_DEBUG_DIR, PT_PROGRAM_SOURCE_PATH };
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < PT_LEN(rows); i++) {
		const char *key = pt_program_params[rows[i]].key;

		if (strlen(key) == len && strncmp(key, word, len) == 0)
			return true;
	}
	return false;
}
