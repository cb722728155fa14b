/* Register fields of core debug as rows, for print-outs. See scs.h. */
#include <stdio.h>

#include "targets/cortexm/scs.h"

const struct pt_field pt_dhcsr_fields[] = {	/* 0xe000edf0. Source: DDI 0419, C1.6.3 */
	{ "C_DEBUGEN", 0, 1, "halting debug is on" },
	{ "C_HALT", 1, 1, "halt requested" },
	{ "C_STEP", 2, 1, "one instruction on resume" },
	{ "C_MASKINTS", 3, 1, "interrupts masked while stepping" },
	{ "S_REGRDY", 16, 1, "register transfer done" },
	{ "S_HALT", 17, 1, "halted" },
	{ "S_SLEEP", 18, 1, "asleep" },
	{ "S_LOCKUP", 19, 1, "locked up" },
	{ "S_RETIRE_ST", 24, 1, "executed since the last read" },
	{ "S_RESET_ST", 25, 1, "reset since the last read" },
	{ 0 },
};

const struct pt_field pt_demcr_fields[] = {	/* 0xe000edfc. Source: DDI 0419, C1.6.6 */
	{ "VC_CORERESET", 0, 1, "halt at the reset vector" },
	{ "VC_HARDERR", 10, 1, "halt on HardFault" },
	{ "TRCENA", 24, 1, "DWT on" },
	{ 0 },
};

const struct pt_field pt_dfsr_fields[] = {	/* 0xe000ed30. Source: DDI 0419, C1.6.2 */
	{ "HALTED", 0, 1, "halt request or step" },
	{ "BKPT", 1, 1, "breakpoint" },
	{ "DWTTRAP", 2, 1, "watchpoint" },
	{ "VCATCH", 3, 1, "vector catch" },
	{ "EXTERNAL", 4, 1, "halt from outside the core (EDBGRQ)" },
	{ 0 },
};

const struct pt_field pt_bpu_ctrl_fields[] = {	/* 0xe0002000. Source: DDI 0419, C1.9.3; DDI 0403, C1.11.3 */
	{ "ENABLE", 0, 1, "breakpoints on" },
	{ "NUM_CODE", 4, 4, "comparators, low bits" },
	{ "NUM_LIT", 8, 4, "literal comparators" },
	{ "NUM_CODE_HIGH", 12, 3, "comparators, high bits" },
	{ "REV", 28, 4, "0: addresses below 0x20000000, 1: any" },
	{ 0 },
};

const struct pt_field pt_dwt_ctrl_fields[] = {	/* 0xe0001000. Source: DDI 0419, C1.8.3 */
	{ "NUMCOMP", 28, 4, "comparators" },
	{ 0 },
};

char *pt_fields_print(const char *name, uint32_t value, const struct pt_field *fields, char *line, size_t size)
{
	int len = snprintf(line, size, "%s 0x%08x:", name, (unsigned)value);

	for (; fields->name != NULL && len > 0 && (size_t)len < size; fields++) {
		uint32_t field = pt_field_get(fields, value);

		if (field != 0)
			len += snprintf(line + len, size - (size_t)len, " %s=%u", fields->name, (unsigned)field);
	}
	return line;
}
