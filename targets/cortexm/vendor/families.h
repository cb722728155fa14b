/* The list of families, and what the target needs from the family of a chip. */
#ifndef PT_CORTEXM_FAMILIES_H
#define PT_CORTEXM_FAMILIES_H

#include "targets/cortexm/core/family.h"

/* The family that has these access ports and ROM tables; NULL: these identify none. */
const struct pt_cortexm_family *pt_cortexm_family_of(const struct pt_discovery *found);

/* TARGETSEL of the debug ports of all families that share a wire, up to room; returns their number. */
size_t pt_cortexm_shared_ports(uint32_t *ports, size_t room);

/* For a part whose cores share a wire: the ports of the other cores. Returns their number. */
size_t pt_cortexm_other_ports(uint32_t port, uint32_t *ports, size_t room);

/* Identifies the chip: core, name, memory map, and *family. wanted: a name that takes precedence over the chip's, or
 * NULL; PT_EARG lists the names. An unknown chip is a core with memory of unknown kind: it can be debugged and
 * profiled, but not programmed; *family is left as it was. */
int pt_cortexm_chip_identify(struct pt_cortexm_chip *chip, const struct pt_cortexm_family **family,
			     struct pt_discovery *found, struct pt_mem *mem, const char *wanted, struct pt_err *err);
/* The same, with its units, for a chip that the user named, if its family has a row for them and the chip's ID
 * registers agree: no ROM table is read. may_go_on: the name is the beginning of a chip's name, as a board gives it.
 * False: the ROM tables must be read; found and *family are unchanged. */
bool pt_cortexm_chip_by_name(struct pt_cortexm_chip *chip, const struct pt_cortexm_family **family,
			     struct pt_discovery *found, struct pt_mem *mem, const char *name, bool may_go_on);
/* The same for a locked chip, from which nothing may be read. */
void pt_cortexm_chip_locked(struct pt_cortexm_chip *chip, const struct pt_cortexm_family *family);
/* Calls say with each family and each of its rows, with their source documents. Any thread. */
void pt_cortexm_families_print(void (*say)(void *arg, const char *line), void *arg);
/* Discovery without an access port: by the table of a family that has one, else by the architecture's. */
int pt_cortexm_discover_tables(struct pt_discovery *found, struct pt_mem *mem, struct pt_err *err);

#endif
