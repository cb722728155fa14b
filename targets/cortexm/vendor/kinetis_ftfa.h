/* The flash controller FTFA of Kinetis L. Source: NXP KL27 Sub-Family Reference Manual, FTFA. */
#ifndef PT_CORTEXM_FLASH_FTFA_H
#define PT_CORTEXM_FLASH_FTFA_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pt_progress;

struct pt_cortexm;

#define FTFA_BASE UINT64_C(0x40020000)
enum { FTFA_FSTAT = 0, FTFA_FCCOB = 4 };
enum { FSTAT_CCIF = 0x80, FSTAT_CLEAR = 0x70, FSTAT_ERRORS = 0x71 };
enum { FTFA_PROGRAM_LONGWORD = 0x06, FTFA_ERASE_SECTOR = 0x09 };
enum { FTFA_CONFIG = 0x400, FTFA_FSEC = 0x40c };	/* flash configuration field */

/* PT_EPERM: these bytes would secure the chip at its next reset, or disable mass erase. */
int pt_ftfa_check_lock(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_err *err);

/* Programs what cm has collected: resets and halts, erases, programs, verifies. The core is halted at its reset vector
 * afterwards. PT_EPROTO: the controller refused a command or what was read back differs (the sentence has the
 * address). */
int pt_ftfa_program(struct pt_cortexm *cm, struct pt_progress *progress, struct pt_err *err);

/* PT_EPROTO, with FSTAT in the sentence: the command at addr failed. */
int pt_ftfa_check_status(uint32_t fstat, uint32_t addr, struct pt_err *err);

#endif
