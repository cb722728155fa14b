/* Flash programming by RSP's vFlash: erase and write only collect, done() does everything and verifies. So after a
 * refusal, a wrong file or a client that dies in the middle the flash is unchanged. */
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
void pt_cortexm_flash_forget(void *state);	/* drops what was collected; call it also before the state is freed */

#endif
