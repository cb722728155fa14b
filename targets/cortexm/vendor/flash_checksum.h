/* Compares the flash with its intended contents. The core computes sums of its sectors, which takes a fraction of the
 * time of reading them through the probe. Sectors that differ are read and compared. */
#ifndef PT_CORTEXM_FLASH_SUM_H
#define PT_CORTEXM_FLASH_SUM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pt_cortexm;
struct pt_ftfa_loader;

/* The sum of one sector, PT_LOADER_SECTOR_BYTES long. A single word that differs always shows; two sectors that have
 * nothing to do with each other have the same sum once in 2^64. */
uint64_t pt_ftfa_sum(const uint8_t *sector);
/* The sums of n sectors from addr on, by the core. Sums is in host byte order. The core is halted before and after. */
int pt_ftfa_loader_sums(struct pt_ftfa_loader *loader, uint32_t addr, size_t n, uint64_t *sums, struct pt_err *err);

/* Before erasing: finds the sectors that are blank, or already have their contents. Notes it in cm's flash notes. */
int pt_ftfa_judge(struct pt_cortexm *cm, struct pt_ftfa_loader *loader, struct pt_err *err);
/* After: every longword that was written, and every sector that was erased. loader: NULL reads everything.
 * PT_EPROTO: the sentence has the address and both values. */
int pt_ftfa_verify(struct pt_cortexm *cm, struct pt_ftfa_loader *loader, struct pt_err *err);

#endif
