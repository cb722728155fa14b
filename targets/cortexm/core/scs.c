/* Register fields of core debug as rows, for print-outs. See scs.h. */
#include <stdio.h>

#include "targets/cortexm/core/scs.h"

const struct pt_field pt_demcr_fields[] = {	/* 0xe000edfc. Source: DDI 0419, C1.6.6 */
	{ "VC_CORERESET", 0, 1, "halt at the reset vector" },
	{ "VC_MMERR", 4, 1, "halt on MemManage" },
	{ "VC_NOCPERR", 5, 1, "halt where the FPU is off" },
	{ "VC_CHKERR", 6, 1, "halt on UsageFault by a check" },
	{ "VC_STATERR", 7, 1, "halt on UsageFault by state" },
	{ "VC_BUSERR", 8, 1, "halt on BusFault" },
	{ "VC_INTERR", 9, 1, "halt on a fault at the entry of an exception" },
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
