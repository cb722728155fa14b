/* Programming of flash, as RSP's vFlash has it: erase and write only take note, done() does it all and verifies. So a
 * refusal, a wrong file or a client that dies half-way leaves the flash as it was. */
#ifndef PT_CORTEXM_FLASH_H
#define PT_CORTEXM_FLASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pt_cortexm;
struct pt_progress;

int pt_cortexm_flash_erase(void *state, uint64_t addr, uint64_t size, struct pt_err *err);
int pt_cortexm_flash_write(void *state, uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_err *err);
int pt_cortexm_flash_done(void *state, struct pt_progress *progress, struct pt_err *err);
void pt_cortexm_flash_forget(void *state);	/* what was noted; also before the state is freed */

#endif
