/* The source swo: see targets/contract/source.h. */
#ifndef PT_CORTEXM_SOURCE_SWO_H
#define PT_CORTEXM_SOURCE_SWO_H

#include "targets/contract/source.h"

extern const struct pt_source_ops pt_source_swo;

#endif
