/* The access port of Kinetis chips that reaches their locks. */
#ifndef PT_CORTEXM_KINETIS_H
#define PT_CORTEXM_KINETIS_H

#include "targets/arm/discovery.h"

enum { PT_MDM_NONE = 0xff };

/* The AP that is a Kinetis MDM-AP, or PT_MDM_NONE. Source: NXP AN4835, 4. */
uint8_t pt_kinetis_mdm_ap(const struct pt_discovery *found);

#endif
