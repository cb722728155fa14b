/* The Kinetis MDM-AP: checks whether the chip is secured, mass erase, holds the core at its reset vector. Board thread
 * only. */
#ifndef PT_CORTEXM_KINETIS_SECURITY_H
#define PT_CORTEXM_KINETIS_SECURITY_H

#include "targets/cortexm/core/cortexm.h"

/* PT_ESTATE: the chip is secured; the sentence says what to do. Reads nothing but the MDM-AP. */
int pt_kinetis_security_check(struct pt_cortexm *cm, struct pt_err *err);
int pt_kinetis_security_mass_erase(struct pt_cortexm *cm, struct pt_err *err);
/* Holds the core at the reset vector, with the reset pin released, so that the core can be reached; hold false: it runs
 * from there. Does nothing on a chip without this access port. */
int pt_kinetis_security_hold_core(struct pt_cortexm *cm, bool hold, struct pt_err *err);

#endif
