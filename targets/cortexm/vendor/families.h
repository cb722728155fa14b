/* The list of families, and what is asked of whichever a chip belongs to. */
#ifndef PT_CORTEXM_FAMILIES_H
#define PT_CORTEXM_FAMILIES_H

#include "targets/cortexm/core/family.h"

/* Whose access ports and ROM tables these are; NULL: of no family that these identify. */
const struct pt_cortexm_family *pt_cortexm_family_of(const struct pt_discovery *found);

/* TARGETSEL of the debug ports of all families that share a wire, as many as there is room for; returns how many. */
size_t pt_cortexm_shared_ports(uint32_t *ports, size_t room);

/* Of a part with several cores that share a wire, one of which this port is: the others'. Returns how many. */
size_t pt_cortexm_other_ports(uint32_t port, uint32_t *ports, size_t room);

/* What chip it is: core, name, memory map, and *family. wanted: a name that overrules what the chip says, or NULL;
 * PT_EARG lists the names. A chip that is not known is a core with memory that may be anything: it is debugged and
 * profiled all the same, but not programmed; its family stays as it was. */
int pt_cortexm_chip_identify(struct pt_cortexm_chip *chip, const struct pt_cortexm_family **family,
			     struct pt_discovery *found, struct pt_mem *mem, const char *wanted, struct pt_err *err);
/* The same, and its units, of the chip that the user named, if its family has them as a row and the ID registers of the chip
 * agree: no ROM table is read. may_go_on: the name is the beginning of one, as a board's is. False: it is to be looked
 * through; found and *family are as they were. */
bool pt_cortexm_chip_by_name(struct pt_cortexm_chip *chip, const struct pt_cortexm_family **family,
			     struct pt_discovery *found, struct pt_mem *mem, const char *name, bool may_go_on);
/* The same when nothing may be read: a locked chip. */
void pt_cortexm_chip_locked(struct pt_cortexm_chip *chip, const struct pt_cortexm_family *family);
/* Calls say with each family and each of its rows, with the documents that they are from. Any thread. */
void pt_cortexm_families_print(void (*say)(void *arg, const char *line), void *arg);
/* Discovery without an access port: in the table of a family that has one, else in the architecture's. */
int pt_cortexm_discover_tables(struct pt_discovery *found, struct pt_mem *mem, struct pt_err *err);

#endif
