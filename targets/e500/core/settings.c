#include "targets/e500/core/settings.h"

const struct pt_param pt_e500_settings[PT_E500_N_SETTINGS] = {
	PT_REMOTE_PARAMS,
	[PT_E500_SET_CORE] = { "e500.core", PT_PARAM_CHOICE, "auto", "auto|v1|v2|mc|e5500|e6500", 0, 0,
			       "which core it is; auto: by its PVR, else as the GDB server describes it (SPE and "
			       "nothing else: v2)" },
	[PT_E500_SET_CORE_CLOCK] = { "core-clock", PT_PARAM_HZ, NULL, "measure", 1000, 10000000000,
				     "clock of the core, to show cycles as seconds and to know how soon a counter wraps" },
	[PT_E500_SET_CLOCK] = { "e500.clock_hz", PT_PARAM_HZ, NULL, NULL, 0, 0, "an older name of core-clock" },
	[PT_E500_SET_TB] = { "e500.tb_hz", PT_PARAM_HZ, NULL, NULL, 0, 0,
			     "clock of the core's time base (platform clock / 8 on many parts), to show its ticks as "
			     "seconds" },
	[PT_E500_SET_PATH] = { "e500.path", PT_PARAM_CHOICE, "auto", "auto|dcsr|agent|scratch", 0, 0,
			       "the way to the performance monitor; auto: the first that works, those that halt "
			       "nothing before others" },
	[PT_E500_SET_SCRATCH] = { "e500.scratch", PT_PARAM_SPAN, NULL, NULL, 0, 0,
				  "RAM that the core may execute, for code that reads and writes PMRs while it is "
				  "halted: ADDR:SIZE, 64 to 512 bytes; what is there is put back each time" },
	[PT_E500_SET_SCRATCH_END] = { "e500.scratch.end", PT_PARAM_CHOICE, "auto", "auto|trap|break", 0, 0,
				      "how that code ends: in the trap that GDB plants as a breakpoint, or at a "
				      "breakpoint of the server's for one that leaves traps to the program (two "
				      "packets more); auto: break for QEMU" },
	[PT_E500_SET_SCRATCH_TRUST] = { "e500.scratch.trust", PT_PARAM_FLAG, "off", NULL, 0, 0,
					"run that code without looking first whether mfpmr traps: for a system whose "
					"handler emulates it, which changes SRR0 and SRR1" },
	[PT_E500_SET_RAM] = { "e500.ram", PT_PARAM_SPAN, NULL, NULL, 0, 0,
			      "the board's RAM, ADDR:SIZE: without e500.scratch a profile takes what the ELF leaves "
			      "free of it" },
	[PT_E500_SET_DCSR_BASE] = { "e500.dcsr.base", PT_PARAM_NUMBER, NULL, NULL, 0, 0,
				    "QorIQ: address of the debug space (device tree: fsl,dcsr), in memory that the GDB "
				    "server reads while the core runs" },
	[PT_E500_SET_DCSR_PROXY] = { "e500.dcsr.proxy", PT_PARAM_NUMBER, "0x40000", NULL, 0, 0,
				     "where in it the first core's proxy is (device tree: fsl,dcsr-...-sb-proxy; the "
				     "standard is that of its example)" },
	[PT_E500_SET_DCSR_STRIDE] = { "e500.dcsr.stride", PT_PARAM_NUMBER, "0x1000", NULL, 0, 0,
				      "from one core's proxy to the next" },
	[PT_E500_SET_DCSR_CAPTURE] = { "e500.dcsr.capture", PT_PARAM_TEXT, "free", NULL, 0, 0,
				       "what captures the counters' copies of e500mc and e5500 (not verified): free: "
				       "nothing has to; pcc: a read of the "
				       "captured PC; OFFSET=VALUE: that is written to the proxy. Copies that do not "
				       "move are not used" },
	[PT_E500_SET_AGENT] = { "e500.agent.addr", PT_PARAM_NUMBER, NULL, NULL, 0, UINT32_MAX,
				"where proftap's agent is in the target's memory (scripts/agent); without it, where "
				"the ELF has its symbol proftap_agent" },
	[PT_E500_SET_AGENT_DEADLINE] = { "e500.agent.deadline", PT_PARAM_TIME, "500ms", NULL, 1000000, 10000000000,
					 "how long the agent may take to publish counters or do what it is asked for: "
					 "its timer's period and more" },
	[PT_E500_SET_RESPECT_LINUX] = { "e500.respect_linux", PT_PARAM_FLAG, "on", NULL, 0, 0,
					"leave the performance monitor alone while Linux' perf counts with it" },
	[PT_E500_SET_REGNUM] = { "e500.regnum_base", PT_PARAM_NUMBER, "1000", NULL, 76, 60000,
				 "GDB's number of the first PMR; more where the server has such a number itself" },
};
