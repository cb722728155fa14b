/* The sources of the family, each in its file. */
#ifndef PT_CORTEXM_SOURCES_H
#define PT_CORTEXM_SOURCES_H

#include "targets/contract/source.h"

extern const struct pt_source_ops pt_source_mtb, pt_source_pcsr, pt_source_mtb_pcsr, pt_source_cyccnt;

#endif
