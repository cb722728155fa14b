/* The words that the address of every virtual board takes. */
#include <stdio.h>
#include <string.h>

#include "probes/virtual/frame/board.h"
#include "base/util.h"

const struct pt_param pt_vboard_params[] = {
	{ .key = "elf", .type = PT_PARAM_TEXT,
	  .help = "firmware to run, an ELF file; without it the board's built-in demo" },
	{ .key = "clock", .type = PT_PARAM_CHOICE, .standard = "wall", .choices = "wall|virtual",
	  .help = "wall: real time, as near as the model's speed allows; virtual: time passes only with link traffic "
		  "and waits, repeatable; profile and monitor of the command line take virtual where the address does not say; microblaze and e500 "
"always take wall" },
	{ .key = "swclk", .type = PT_PARAM_HZ, .standard = "4000000", .min = 1000, .max = 100000000,
	  .help = "fastest clock of the probe, SWCLK or TCK, and its clock until the host sets a slower one" },
	{ .key = "link", .type = PT_PARAM_CHOICE, .standard = "bulk-hs", .choices = "hid-fs|bulk-fs|bulk-hs|tcp",
	  .help = "packet size, depth and times of the link to the probe" },
	{ .key = "seed", .type = PT_PARAM_NUMBER, .standard = "0",
	  .help = "a number other than 0 lets the board run a pseudo-random time under 20 ms before the host comes" },
	{ .key = "core-drift", .type = PT_PARAM_NUMBER, .standard = "30", .max = 10000,
	  .help = "how many ppm the core's clock is faster than it says, as the probe's clock has it; crystals are some "
		  "tens off, and then samples at fixed distances meet every phase of what the core does again and again; "
		  "0: both are in step" },
	{ .key = "fault", .type = PT_PARAM_LIST,
	  .help = "KIND@NUMBER[+COUNT],...: wait, fault, reset, power, clock at an SWD transfer or BDC command; stall, "
		  "short, wrong, lost, late, cut, unplug at a packet" },
	{ .key = "faults-from", .type = PT_PARAM_TEXT,
	  .help = "a FIFO: each line that comes is such a list, in place of the one before, and counts from then" },
	{ .key = "flow-log", .type = PT_PARAM_TEXT,
	  .help = "a file for every change of flow of the first core, with its cycles (tests/truth reads it)" },
	{ .key = "write-log", .type = PT_PARAM_TEXT,
	  .help = "kl27: a file for every write of a debugger to memory or registers (tests compare monitor log with it)" },
	{ .key = "swo-log", .type = PT_PARAM_TEXT,
	  .help = "cm4, cm7: a file for every byte of the pin SWO (tests compare what a probe received with it)" },
	{ .key = "probe", .type = PT_PARAM_TEXT,
	  .help = "which probe it has on its cable; boards that may have several list them above, the default first" },
	{ .key = "jlink", .type = PT_PARAM_CHOICE, .standard = "v9", .choices = "v9|ob|v10|v5",
	  .help = "probe=jlink: its model; ob has little memory, v10 is a high-speed device, v5 has JTAG alone" },
	{ .key = "jlink-flaws", .type = PT_PARAM_LIST,
	  .help = "probe=jlink: pads (bytes behind each answer), joins (an answer of full packets is not ended), full (no "
		  "connection is free), shrinks (its memory does, untold), deaf (SWD not clocked before a host has "
		  "registered), unpowered (no supply at the target)" },
	{ .key = "stlink", .type = PT_PARAM_CHOICE, .standard = "v2j37",
	  .choices = "v2j37|v2j20|v2j24|v2j27|v2j31|v21|v3j2|v3j7",
	  .help = "with probe=stlink: its generation, and the version of its firmware; a V3 is a high-speed device" },
	{ .key = "ftdi", .type = PT_PARAM_CHOICE, .standard = "ft2232h", .choices = "ft2232h|ft232h|ft4232h|ft2232c|clone",
	  .help = "probe=ftdi: its chip; clone: one that says it is an FT2232C and has no MPSSE" },
	{ .key = "wiring", .type = PT_PARAM_CHOICE, .standard = "auto", .choices = "auto|tied|resistor|open|jtag|rtck",
	  .help = "probe=ftdi: SWDIO on ADBUS1 and ADBUS2, directly (tied), by a resistor in front of ADBUS1, or on ADBUS1 "
		  "alone (open); jtag: TDI, TDO, TMS on ADBUS1 to 3; rtck: and RTCK on ADBUS7; auto: tied where there is a debug port, else jtag" },
	{ .key = "pins", .type = PT_PARAM_FLAG, .standard = "on",
	  .help = "off: the probe offers no trace pins, and another one may" },
	{ .key = "variant", .type = PT_PARAM_TEXT,
	  .help = "another chip of the family, or one with something missing; the board lists them" },
};
const size_t pt_n_vboard_params = PT_LEN(pt_vboard_params);

const struct pt_param *pt_vboard_param(const char *key)
{
	for (size_t i = 0; i < PT_LEN(pt_vboard_params); i++)
		if (strcmp(pt_vboard_params[i].key, key) == 0)
			return &pt_vboard_params[i];
	return NULL;
}

uint32_t pt_vboard_drift_ppm(const struct pt_params *settings)
{
	return (uint32_t)pt_params_number(settings, pt_vboard_param("core-drift"));
}

const struct pt_param *pt_vboard_row(const struct pt_vboard_ops *ops, const char *key)
{
	for (size_t i = 0; i < ops->n_params; i++)
		if (strcmp(ops->params[i].key, key) == 0)
			return &ops->params[i];
	return NULL;
}

int pt_vboard_add_word(const struct pt_vboard_ops *ops, struct pt_params *settings, const char *word,
		       struct pt_err *err)
{
	char key[32];

	snprintf(key, sizeof(key), "%.*s", (int)strcspn(word, "="), word);
	if (pt_vboard_row(ops, key) != NULL)
		return pt_params_add(settings, ops->params, ops->n_params, word, err);
	return pt_params_add(settings, pt_vboard_params, pt_n_vboard_params, word, err);
}
