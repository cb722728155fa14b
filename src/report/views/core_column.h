/* The column "core" of tables with rows per core: empty if there is only one core. For views alone. */
#ifndef PT_REPORT_VIEWS_CORE_COLUMN_H
#define PT_REPORT_VIEWS_CORE_COLUMN_H

#include "report/table/view.h"
#include "base/util.h"

#define PT_CORE_COLUMN { "core", "core", PT_UNIT_COUNT, PT_ALWAYS }

static inline struct pt_value pt_core_value(size_t n_cores, uint16_t core)
{
	return (struct pt_value){ .u = n_cores > 1 ? core : PT_UNKNOWN,
				  .basis = n_cores > 1 ? PT_BASIS_EXACT : PT_BASIS_NONE };
}

#endif
