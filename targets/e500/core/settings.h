/* All settings of the target e500. */
#ifndef PT_E500_SETTINGS_H
#define PT_E500_SETTINGS_H

#include "base/params.h"
#include "targets/remote/remote.h"

enum pt_e500_setting {
	PT_E500_SET_CORE = PT_REMOTE_N_PARAMS,
	PT_E500_SET_CORE_CLOCK,
	PT_E500_SET_CLOCK,	/* its older name */
	PT_E500_SET_TB,
	PT_E500_SET_PATH,
	PT_E500_SET_SCRATCH,
	PT_E500_SET_SCRATCH_END,
	PT_E500_SET_SCRATCH_TRUST,
	PT_E500_SET_RAM,
	PT_E500_SET_DCSR_BASE,
	PT_E500_SET_DCSR_PROXY,
	PT_E500_SET_DCSR_STRIDE,
	PT_E500_SET_DCSR_CAPTURE,
	PT_E500_SET_AGENT,
	PT_E500_SET_AGENT_DEADLINE,
	PT_E500_SET_RESPECT_LINUX,
	PT_E500_SET_REGNUM,
	PT_E500_N_SETTINGS
};

extern const struct pt_param pt_e500_settings[PT_E500_N_SETTINGS];

/* A row of each source. */
#define PT_E500_CORE_PARAM                                                                                             \
	{                                                                                                              \
		"core", PT_PARAM_TEXT, NULL, NULL, 0, 0,                                                               \
			"which core, as the GDB server's threads are counted: its number from 0, or all, each with "   \
			"figures of its own"                                                                           \
	}

#endif
