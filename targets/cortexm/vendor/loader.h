/* Code that the core runs from RAM while its flash is worked on: the loop that programs longwords while the next ones
 * are on their way, and the one that sums up what the flash holds (flash_checksum.c). The work area in RAM and the
 * core's registers are restored when it closes.
 *
 * The loop of pt_ftfa_loader_start() has two buffers, used in turn: writing the word count passes one to the loop,
 * which returns it by writing 0. Use it inside a shield (pt_link_shield): it must not be interrupted. */
#ifndef PT_CORTEXM_FLASH_LOADER_H
#define PT_CORTEXM_FLASH_LOADER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pt_cortexm;

enum {
	PT_LOADER_DATA_BYTES = 1024,
	/* le32 words, 0 = free; le32 flash address, at last the end; the words */
	PT_LOADER_BUFFER_BYTES = 8 + PT_LOADER_DATA_BYTES,
	PT_LOADER_CODE_BYTES = 128,
	PT_LOADER_AREA_BYTES = PT_LOADER_CODE_BYTES + 2 * PT_LOADER_BUFFER_BYTES,
	PT_LOADER_REGISTERS = 17,
	PT_LOADER_SECTOR_BYTES = 1024,
	PT_LOADER_MAX_SUMS = (2 * PT_LOADER_BUFFER_BYTES - 8) / 8,
};

struct pt_ftfa_loader {
	struct pt_cortexm *cm;
	uint32_t area;		/* in the target's RAM */
	unsigned next;		/* buffer to fill */
	uint64_t registers[PT_LOADER_REGISTERS], primask;
	uint8_t saved[PT_LOADER_AREA_BYTES];
};

/* The core is halted before, and after pt_ftfa_loader_close(). PT_ESTATE: the chip's RAM is not known or too small. */
int pt_ftfa_loader_open(struct pt_ftfa_loader *loader, struct pt_cortexm *cm, struct pt_err *err);
/* halts, restores everything; call it always after open */
int pt_ftfa_loader_close(struct pt_ftfa_loader *loader, struct pt_err *err);

/* Starts the loop. pt_ftfa_loader_halt() ends it. */
int pt_ftfa_loader_start(struct pt_ftfa_loader *loader, struct pt_err *err);
int pt_ftfa_loader_halt(struct pt_ftfa_loader *loader, struct pt_err *err);
/* Programs len_bytes (a multiple of 4) at addr. Returns when the last piece was passed to the loop. PT_EPROTO:
 * refused. */
int pt_ftfa_loader_put(struct pt_ftfa_loader *loader, uint32_t addr, const uint8_t *bytes, size_t len_bytes,
		       struct pt_err *err);
/* waits until everything is programmed */
int pt_ftfa_loader_finish(struct pt_ftfa_loader *loader, struct pt_err *err);

/* For flash_checksum.c. */
/* The work area as bytes of memory, breakpoints not hidden. what: PT_MEM_READ or WRITE. */
int pt_ftfa_loader_access(struct pt_ftfa_loader *loader, unsigned what, uint32_t offset, uint8_t *bytes,
			  size_t len_bytes, struct pt_err *err);
/* Writes code to the start of the area and a word after PT_LOADER_CODE_BYTES, and runs it with these r0... */
int pt_ftfa_loader_run(struct pt_ftfa_loader *loader, const uint8_t *code, size_t code_bytes, uint32_t word,
		       const uint16_t *rows, const uint64_t *values, size_t n_rows, struct pt_err *err);
/* Waits until the word at this offset is 0, for in_ms at most: PT_ETIMEOUT, or PT_EPROTO: the core has stopped. */
int pt_ftfa_loader_wait(struct pt_ftfa_loader *loader, uint32_t offset, uint32_t in_ms, struct pt_err *err);

#endif
