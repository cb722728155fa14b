#include "targets/e500/settings.h"

const struct pt_param pt_e500_settings[PT_E500_N_SETTINGS] = {
	PT_REMOTE_PARAMS,
	[PT_E500_SET_CORE] = { "e500.core", PT_PARAM_CHOICE, "auto", "auto|v1|v2|mc|e5500|e6500", 0, 0,
		"which core it is; auto: by its PVR, else as the GDB server describes it (SPE and nothing else: v2)" },
	[PT_E500_SET_CLOCK] = { "e500.clock_hz", PT_PARAM_HZ, NULL, NULL, 0, 0,
		"clock of the core, to show cycles as seconds and to know how soon a counter wraps; core-clock says the same" },
	[PT_E500_SET_TB] = { "e500.tb_hz", PT_PARAM_HZ, NULL, NULL, 0, 0,
		"clock of the core's time base (platform clock / 8 on many parts), to show its ticks as seconds" },
	[PT_E500_SET_PATH] = { "e500.path", PT_PARAM_CHOICE, "auto", "auto|scratch", 0, 0,
		"the way to the performance monitor; auto: the first that works, those that halt nothing before others" },
	[PT_E500_SET_SCRATCH] = { "e500.scratch", PT_PARAM_SPAN, NULL, NULL, 0, 0,
		"RAM that the core may execute, for code that reads and writes PMRs while it is halted: ADDR:SIZE, 64 to "
		"512 bytes; what is there is put back each time" },
	[PT_E500_SET_RAM] = { "e500.ram", PT_PARAM_SPAN, NULL, NULL, 0, 0,
		"the board's RAM, ADDR:SIZE: without e500.scratch a profile takes what the ELF leaves free of it" },
	[PT_E500_SET_RESPECT_LINUX] = { "e500.respect_linux", PT_PARAM_FLAG, "on", NULL, 0, 0,
		"leave the performance monitor alone while Linux' perf counts with it" },
	[PT_E500_SET_REGNUM] = { "e500.regnum_base", PT_PARAM_NUMBER, "1000", NULL, 76, 60000,
		"GDB's number of the first PMR; more where the server has such a number itself" },
};
