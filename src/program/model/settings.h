/* The settings of a program: where to look for related files, and what the user knows better than analysis. */
#ifndef PT_PROGRAM_SETTINGS_H
#define PT_PROGRAM_SETTINGS_H

#include "base/params.h"

enum { PT_PROGRAM_DEBUG_DIR, PT_PROGRAM_SOURCE_PATH, PT_PROGRAM_EXITS, PT_PROGRAM_VECTOR_OFFSET, PT_N_PROGRAM_PARAMS };
extern const struct pt_param pt_program_params[PT_N_PROGRAM_PARAMS];
bool pt_program_names_folders(const char *word);	/* its value names folders of this host */

#endif
