/* The loop in RAM that programs longwords while the next ones are on their way: two buffers, each handed over by
 * writing its word count and given back by the loop with 0. Its work area in RAM and the core's registers are put back
 * when it stops. */
#ifndef PT_CORTEXM_FLASH_LOADER_H
#define PT_CORTEXM_FLASH_LOADER_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct pt_cortexm;

enum {
	PT_LOADER_DATA_BYTES = 1024,
	PT_LOADER_BUFFER_BYTES = 8 + PT_LOADER_DATA_BYTES,	/* le32 words, 0 = free; le32 flash address; the words */
	PT_LOADER_CODE_BYTES = 128,
	PT_LOADER_AREA_BYTES = PT_LOADER_CODE_BYTES + 2 * PT_LOADER_BUFFER_BYTES,
	PT_LOADER_REGISTERS = 17,
};

struct pt_loader {
	struct pt_cortexm *cm;
	uint32_t area;		/* in the target's RAM */
	unsigned next;		/* buffer to fill */
	uint64_t registers[PT_LOADER_REGISTERS], primask;
	uint8_t saved[PT_LOADER_AREA_BYTES];
};

/* The core is halted. PT_ESTATE: the chip's RAM is not known or too small. */
int pt_loader_start(struct pt_loader *loader, struct pt_cortexm *cm, struct pt_err *err);
/* Program len_bytes (a multiple of 4) at addr. Returns when the last piece is handed over. PT_EPROTO: refused. */
int pt_loader_put(struct pt_loader *loader, uint32_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_err *err);
int pt_loader_finish(struct pt_loader *loader, struct pt_err *err);	/* all of it is programmed */
int pt_loader_stop(struct pt_loader *loader, struct pt_err *err);	/* halted, everything put back; always after start */

#endif
