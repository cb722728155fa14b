/* Programming of flash and EEPROM for RSP's vFlash packets: erase and write only take notes; done() erases, programs
 * and verifies. So a refusal, a wrong file or a client that disconnects half-way leaves the memory unchanged.
 *
 * The code for the controller (FTMRZ) is based on general knowledge of the family; its chapter was not available. The
 * addresses of its registers and its commands are UNVERIFIED. Each command's result is checked, and the written data is
 * read back. */
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

/* A memory programmed by the controller. */
struct pt_flash_space {
	uint32_t addr, bytes;		/* bytes 0: missing, or size unknown */
	uint32_t sector_bytes;
	uint8_t phrase_bytes;		/* programming unit and alignment, in bytes */
	uint8_t erase, program;		/* commands */
};
struct pt_flash_space pt_flash_s12z_space(const struct pt_s12z *z, int which);

/* --- flash_ftmrz.c */
/* The flash configuration field; its byte FSEC can secure the part at the next reset. Source: general knowledge,
 * UNVERIFIED. */
enum { S12Z_CONFIG = 0xfffe08, S12Z_FSEC = 0xfffe0f, S12Z_FSEC_OPEN = 0xfe };
bool pt_ftmrz_locks(uint8_t fsec);
/* Executes the notes: reset and halt, erase, program, verify. Leaves the core halted at its reset vector. */
int pt_ftmrz_program(struct pt_s12z *z, struct pt_progress *progress, struct pt_err *err);

#endif
