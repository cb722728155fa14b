/* Programming of flash and EEPROM, as RSP's vFlash has it: erase and write only take note, done() does it all and
 * verifies. So a refusal, a wrong file or a client that dies half-way leaves the memory as it was.
 *
 * The controller (FTMRZ) is written from general knowledge of the family, its chapter could not be read: addresses of
 * its registers and its commands are UNVERIFIED. Each command's result is checked, and what was written is read
 * back. */
#ifndef PT_S12Z_FLASH_H
#define PT_S12Z_FLASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "targets/s12z/core/s12z.h"

struct pt_progress;

int pt_flash_s12z_erase(void *state, uint64_t addr, uint64_t size, struct pt_err *err);
int pt_flash_s12z_write(void *state, uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_err *err);
int pt_flash_s12z_done(void *state, struct pt_progress *progress, struct pt_err *err);

/* A memory that the controller programs. */
struct pt_flash_space {
	uint32_t addr, bytes;		/* bytes 0: not there, or of unknown size */
	uint32_t sector_bytes;
	uint8_t phrase_bytes;		/* programmed at once, at a multiple of it */
	uint8_t erase, program;		/* commands */
};
struct pt_flash_space pt_flash_s12z_space(const struct pt_s12z *z, int which);

/* --- flash_ftmrz.c */
/* The flash configuration field, in which a byte secures the part at its next reset. Source: general knowledge,
 * UNVERIFIED. */
enum { S12Z_CONFIG = 0xfffe08, S12Z_FSEC = 0xfffe0f, S12Z_FSEC_OPEN = 0xfe };
bool pt_ftmrz_locks(uint8_t fsec);
/* Do what the notes say: reset and halt, erase, program, verify. The core is halted at its reset vector afterwards. */
int pt_ftmrz_program(struct pt_s12z *z, struct pt_progress *progress, struct pt_err *err);

#endif
