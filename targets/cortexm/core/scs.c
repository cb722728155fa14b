/* Register fields of core debug as rows, for print-outs. See scs.h. */
#include <stdio.h>

#include "targets/cortexm/core/scs.h"

const struct pt_field pt_demcr_fields[] = {	/* 0xe000edfc. Source: DDI 0419, C1.6.6 */
	{ "VC_CORERESET", 0, 1, "halt at the reset vector" },
	{ "VC_HARDERR", 10, 1, "halt on HardFault" },
	{ "TRCENA", 24, 1, "DWT on" },
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
