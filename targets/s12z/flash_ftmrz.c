/* The flash controller FTMRZ: commands through FCCOB, one phrase of 8 bytes (EEPROM: a word) each; many commands in a
 * batch on the wire, each with its own read of FSTAT. UNVERIFIED: see flash.h. */
#include <stdlib.h>
#include <string.h>

#include "targets/s12z/flash.h"
#include "base/util.h"

enum {	/* registers */
	FCLKDIV = 0x380, FCCOBIX = 0x382, FSTAT = 0x386, FCCOB = 0x38c,	/* FCCOB0 to FCCOB5, words */
};
enum { FCLKDIV_LOADED = 0x80, FSTAT_CCIF = 0x80, FSTAT_ACCERR = 0x20, FSTAT_FPVIOL = 0x10, FSTAT_MGSTAT = 0x03 };
enum { FSTAT_CLEAR = FSTAT_ACCERR | FSTAT_FPVIOL, FSTAT_ERRORS = FSTAT_CLEAR | FSTAT_MGSTAT };
enum { MOST_WORDS = 6, AT_ONCE = 8, ERASE_US = 100000, PROGRAM_US = 5000, TRIES = 10, READ_BYTES = 4096 };

bool pt_ftmrz_locks(uint8_t fsec)
{
	return (fsec & 3) != 2;	/* SEC: only 10 is unsecured */
}

/* --- commands ----------------------------------------------------------------------------------------------------- */

struct command { uint8_t index, fccob[2 * MOST_WORDS], launch, fstat; };
enum { OPS = 5 };

static void make_command(struct command *c, uint8_t code, uint32_t addr, const uint8_t *data, size_t n_bytes)
{
	memset(c, 0, sizeof(*c));
	c->index = (uint8_t)(1 + n_bytes / 2);
	c->fccob[0] = code;
	pt_put_be24(c->fccob + 1, addr);
	if (n_bytes > 0)
		memcpy(c->fccob + 4, data, n_bytes);
	c->launch = FSTAT_CCIF;
}

static size_t put_command(struct pt_bdc_op *op, struct command *c, uint32_t time_us)
{
	op[0] = (struct pt_bdc_op){
		.what = PT_BDC_WRITE_MEM, .size_bytes = 1, .addr = FCCOBIX, .n = 1, .bytes = &c->index
	};
	op[1] = (struct pt_bdc_op){ .what = PT_BDC_WRITE_MEM, .size_bytes = 2, .addr = FCCOB, .n = c->index + 1u,
				    .bytes = c->fccob };
	op[2] = (struct pt_bdc_op){
		.what = PT_BDC_WRITE_MEM, .size_bytes = 1, .addr = FSTAT, .n = 1, .bytes = &c->launch
	};
	op[3] = (struct pt_bdc_op){ .what = PT_BDC_POLL,
				    .size_bytes = 1,
				    .addr = FSTAT,
				    .mask = FSTAT_CCIF,
				    .value = FSTAT_CCIF,
				    .time_us = time_us };
	op[4] = (struct pt_bdc_op){
		.what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = FSTAT, .n = 1, .bytes = &c->fstat
	};
	return OPS;
}

static int judge(struct pt_s12z *z, const struct command *c, struct pt_err *err)
{
	uint32_t addr = pt_be24(c->fccob + 1);
	struct pt_err ignored = { 0 };

	if ((c->fstat & FSTAT_ERRORS) == 0)
		return 0;
	pt_s12z_put8(z, FSTAT, FSTAT_CLEAR, &ignored);
	return pt_fail(err, PT_EPROTO, "the flash controller refuses command 0x%02x at 0x%06x: %s (FSTAT 0x%02x)",
		       c->fccob[0], (unsigned)addr,
		       (c->fstat & FSTAT_FPVIOL) != 0	? "it is protected"
		       : (c->fstat & FSTAT_ACCERR) != 0 ? "it does not accept it"
							: "the memory did not take it",
		       c->fstat);
}

/* Runs n <= AT_ONCE commands, one after the other. Waits for each command to end. */
static int run_commands(struct pt_s12z *z, struct command *c, size_t n, uint32_t time_us, struct pt_err *err)
{
	struct pt_bdc_op op[AT_ONCE * OPS];
	size_t n_ops = 0, done = 0;

	for (size_t i = 0; i < n; i++)
		n_ops += put_command(op + n_ops, &c[i], time_us);
	for (int tries = 0; done < n_ops; tries++) {
		size_t now = 0;

		if (tries == TRIES)
			return pt_fail(err, PT_ETIMEOUT, "the flash controller does not get ready");
		if (pt_wire_s12z_run(&z->wire, op + done, n_ops - done, &now, err) < 0)
			return pt_wrap(err, "command the flash controller");
		tries = now > 0 ? 0 : tries;
		done += now;
	}
	for (size_t i = 0; i < n; i++)
		if (judge(z, &c[i], err) < 0)
			return err->code;
	return 0;
}

/* FCLK must be about 1 MHz: FDIV is the bus clock in MHz minus one, with the step at .6 MHz. FDIV can be written only
 * once after a reset. */
static int set_clock(struct pt_s12z *z, struct pt_err *err)
{
	uint8_t fclkdiv = 0, fstat = 0;
	uint32_t mhz10 = z->flash_bus_hz / 100000, fdiv = mhz10 < 16 ? 0 : (mhz10 - 6) / 10;

	if (pt_s12z_get8(z, FCLKDIV, &fclkdiv, err) < 0 || pt_s12z_get8(z, FSTAT, &fstat, err) < 0)
		return pt_wrap(err, "read the registers of the flash controller");
	if ((fclkdiv & FCLKDIV_LOADED) == 0 && pt_s12z_put8(z, FCLKDIV, (uint8_t)(fdiv & 0x3f), err) < 0)
		return pt_wrap(err, "set the clock of the flash controller");
	if ((fstat & FSTAT_CCIF) == 0)
		return pt_fail(err, PT_ETIMEOUT, "the flash controller is busy (FSTAT 0x%02x)", fstat);
	return (fstat & FSTAT_CLEAR) != 0 ? pt_s12z_put8(z, FSTAT, FSTAT_CLEAR, err) : 0;
}

/* --- what is left to do ------------------------------------------------------------------------------------------- */

/* Erasing also erases the configuration field, and a blank FSEC secures the part: programs the unsecured value unless
 * the notes give one. */
static void keep_open(struct pt_s12z *z, const struct pt_flash_space *space)
{
	struct pt_s12z_flash_notes *notes = &z->flash.notes[PT_FLASH_P];
	uint32_t at = S12Z_FSEC - space->addr;

	if (notes->image == NULL || space->bytes == 0 || !notes->erase[at / space->sector_bytes] || notes->written[at])
		return;
	notes->image[at] = S12Z_FSEC_OPEN;
	notes->written[at] = 1;
}

/* Skips sectors that already hold the wanted contents. */
static int leave_same_alone(struct pt_s12z *z, const struct pt_flash_space *space, struct pt_s12z_flash_notes *notes,
			    struct pt_err *err)
{
	uint8_t seen[S12Z_FLASH_SECTOR];

	for (uint32_t at = 0; at < space->bytes; at += space->sector_bytes) {
		if (!notes->erase[at / space->sector_bytes])
			continue;
		if (pt_mem_read(&z->mem, space->addr + at, seen, space->sector_bytes, err) < 0)
			return err->code;
		if (memcmp(seen, notes->image + at, space->sector_bytes) != 0)
			continue;
		notes->erase[at / space->sector_bytes] = 0;
		memset(notes->written + at, 0, space->sector_bytes);
	}
	return 0;
}

static int erase(struct pt_s12z *z, const struct pt_flash_space *space, const struct pt_s12z_flash_notes *notes,
		 struct pt_progress *progress, struct pt_err *err)
{
	struct command c;
	uint32_t n = 0, done = 0;

	for (uint32_t i = 0; i < space->bytes / space->sector_bytes; i++)
		n += notes->erase[i] != 0;
	for (uint32_t at = 0; at < space->bytes; at += space->sector_bytes) {
		if (!notes->erase[at / space->sector_bytes])
			continue;
		pt_progress_set(progress, PT_PROGRESS_ERASES, done++, n);
		make_command(&c, space->erase, space->addr + at, NULL, 0);
		if (run_commands(z, &c, 1, ERASE_US, err) < 0)
			return pt_wrap(err, "erase the sector at 0x%06x", (unsigned)(space->addr + at));
	}
	return 0;
}

/* True: this phrase has bytes to program. Erased bytes are 0xff and need no programming. */
static bool wanted(const struct pt_flash_space *space, const struct pt_s12z_flash_notes *notes, uint32_t at)
{
	bool any = false;

	for (unsigned i = 0; i < space->phrase_bytes; i++)
		any |= notes->written[at + i] != 0 && notes->image[at + i] != 0xff;
	return any;
}

static int program(struct pt_s12z *z, const struct pt_flash_space *space, const struct pt_s12z_flash_notes *notes,
		   struct pt_progress *progress, struct pt_err *err)
{
	struct command c[AT_ONCE];
	uint32_t all = 0, done = 0;
	size_t n = 0;

	for (uint32_t at = 0; at < space->bytes; at += space->phrase_bytes)
		all += wanted(space, notes, at);
	for (uint32_t at = 0; at < space->bytes; at += space->phrase_bytes) {
		if (wanted(space, notes, at))
			make_command(&c[n++], space->program, space->addr + at, notes->image + at, space->phrase_bytes);
		if (n == AT_ONCE || (n > 0 && at + space->phrase_bytes >= space->bytes)) {
			pt_progress_set(progress, PT_PROGRESS_PROGRAMS, done, all);
			if (run_commands(z, c, n, PROGRAM_US, err) < 0)
				return err->code;
			done += (uint32_t)n;
			n = 0;
		}
	}
	return 0;
}

static int verify(struct pt_s12z *z, const struct pt_flash_space *space, const struct pt_s12z_flash_notes *notes,
		  struct pt_err *err)
{
	static const size_t most = READ_BYTES;
	uint8_t seen[READ_BYTES];

	for (uint32_t at = 0; at < space->bytes; at += (uint32_t)most) {
		size_t n = space->bytes - at < most ? space->bytes - at : most;

		if (memchr(notes->written + at, 1, n) == NULL)
			continue;
		if (pt_mem_read(&z->mem, space->addr + at, seen, n, err) < 0)
			return err->code;
		for (size_t i = 0; i < n; i++)
			if (notes->written[at + i] && seen[i] != notes->image[at + i])
				return pt_fail(err, PT_EPROTO, "0x%06x holds 0x%02x, not 0x%02x",
					       (unsigned)(space->addr + at + i), seen[i], notes->image[at + i]);
	}
	return 0;
}

static int program_space(struct pt_s12z *z, int which, struct pt_progress *progress, struct pt_err *err)
{
	struct pt_flash_space space = pt_flash_s12z_space(z, which);
	struct pt_s12z_flash_notes *notes = &z->flash.notes[which];

	if (notes->image == NULL)
		return 0;
	if (which == PT_FLASH_P)
		keep_open(z, &space);
	pt_progress_set(progress, PT_PROGRESS_COMPARES, 0, 0);
	if (leave_same_alone(z, &space, notes, err) < 0 || erase(z, &space, notes, progress, err) < 0 ||
	    program(z, &space, notes, progress, err) < 0)
		return err->code;
	pt_progress_set(progress, PT_PROGRESS_VERIFIES, 0, 0);
	return verify(z, &space, notes, err);
}

int pt_ftmrz_program(struct pt_s12z *z, struct pt_progress *progress, struct pt_err *err)
{
	if (pt_s12z_reset(z, PT_RESET_INIT, err) < 0 || set_clock(z, err) < 0)
		return err->code;
	for (int which = 0; which < PT_FLASH_SPACES; which++)
		if (program_space(z, which, progress, err) < 0)
			return err->code;
	return 0;
}
