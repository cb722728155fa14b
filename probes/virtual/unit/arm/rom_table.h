/* A CoreSight ROM table page: entries from 0, identification at the end (Arm IHI 0029, class 1). */
#ifndef PT_VIRTUAL_UNIT_ROM_TABLE_H
#define PT_VIRTUAL_UNIT_ROM_TABLE_H

#include <stddef.h>

#include "probes/virtual/frame/bus.h"
#include "probes/virtual/unit/arm/coresight.h"

struct pt_vrom_table {
	struct pt_vcoresight ids;
	const uint32_t *entry;	/* [31:12] signed offset from this page, bit 1 format, bit 0 present; no end mark */
	size_t n_entries;
};

extern const struct pt_vunit_ops pt_vrom_table_ops;	/* the unit is a const struct pt_vrom_table */

#endif
