/* Kinetis L flash: commands, the lock in the configuration field, and the whole run of reset, erase, program, verify.
 * Longwords go through a loop in RAM (loader.c), because a command costs four words on the wire for one of data;
 * where that does not start they go one by one. What is in the flash already is left alone (flash_checksum.c).
 * Source: NXP KL27 Sub-Family Reference Manual, FTFA; command codes and byte order as OpenOCD and pyOCD agree. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/log.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/vendor/kinetis_ftfa.h"
#include "targets/cortexm/vendor/loader.h"
#include "targets/cortexm/vendor/flash_checksum.h"
#include "base/util.h"

enum { SECTOR_BYTES = 1024, LONGWORD_BYTES = 4, BATCH_MS = 1000, POLL_US = 5000, COMMAND_MS = 2000,
       GAP_BYTES = 32 };

static const struct pt_field fsec_sec = { "SEC", 0, 2, "2: not secured" };
static const struct pt_field fsec_meen = { "MEEN", 4, 2, "2: mass erase disabled" };
static const uint8_t fsec_open = 0xfe;

/* --- the lock ----------------------------------------------------------------------------------------------------- */

int pt_ftfa_check_lock(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_err *err)
{
	uint32_t fsec;

	if (addr > FTFA_FSEC || FTFA_FSEC - addr >= len_bytes)
		return 0;
	fsec = bytes[FTFA_FSEC - addr];
	if (pt_field_get(&fsec_sec, fsec) == 2 && pt_field_get(&fsec_meen, fsec) != 2)
		return 0;
	return pt_fail(err, PT_EPERM,
		       "the flash configuration at 0x%x has FSEC 0x%02x: that would %s; the setting "
		       "allow-lock=on permits it",
		       FTFA_CONFIG, (unsigned)fsec,
		       pt_field_get(&fsec_sec, fsec) != 2 ? "secure the chip" : "disable its mass erase for ever");
}

/* An erased configuration field means secured: if it is erased and not written, it gets the value for open. */
static void keep_open(struct pt_cortexm_flash *flash)
{
	if (!flash->sector[FTFA_CONFIG / SECTOR_BYTES] || flash->written[FTFA_FSEC / LONGWORD_BYTES])
		return;
	flash->image[FTFA_FSEC] = fsec_open;
	flash->written[FTFA_FSEC / LONGWORD_BYTES] = 1;
}

/* --- commands ----------------------------------------------------------------------------------------------------- */

int pt_ftfa_check_status(uint32_t fstat, uint32_t addr, struct pt_err *err)
{
	if ((fstat & FSTAT_ERRORS) == 0)
		return 0;
	return pt_fail(err, PT_EPROTO, "the flash controller refuses 0x%08x (FSTAT 0x%02x%s)", (unsigned)addr,
		       (unsigned)(fstat & 0xff), (fstat & 0x10) != 0 ? ", protected" : "");
}

static struct pt_mem_op write_op(uint64_t addr, uint8_t *bytes, size_t len_bytes)
{
	return (struct pt_mem_op){ .what = PT_MEM_WRITE, .width_bytes = len_bytes == 1 ? 1 : 4, .addr = addr,
				   .bytes = bytes, .len_bytes = len_bytes };
}

/* Run ops, the last of which polls for CCIF. An expired poll is repeated, because a command cannot be cancelled. */
static int run_to_idle(struct pt_cortexm *cm, struct pt_mem_op *ops, size_t n_ops, uint32_t *fstat, struct pt_err *err)
{
	uint64_t deadline_ns = pt_mem_now_ns(cm->mem) + COMMAND_MS * PT_NS_PER_MS;
	size_t at = 0;

	while (at < n_ops) {
		size_t n_done = 0;

		if (pt_mem_run(cm->mem, ops + at, n_ops - at, BATCH_MS, &n_done, err) < 0)
			return err->code;
		at += n_done;
		if (at < n_ops && pt_mem_now_ns(cm->mem) >= deadline_ns)
			return pt_fail(err, PT_ETIMEOUT, "the flash controller does not finish (FSTAT 0x%02x)",
				       (unsigned)(ops[n_ops - 1].match_seen & 0xff));
	}
	*fstat = ops[n_ops - 1].match_seen;
	return 0;
}

static struct pt_mem_op idle_poll(void)
{
	return (struct pt_mem_op){ .what = PT_MEM_POLL, .addr = FTFA_BASE, .mask = FSTAT_CCIF, .match = FSTAT_CCIF,
				   .time_us = POLL_US };
}

/* Runs a command, and waits for its end. FCCOB0 is the command, 1..3 the address, 4..7 the data; in memory they stand
 * as two little-endian words. */
static int run_command(struct pt_cortexm *cm, uint8_t command, uint32_t addr, uint32_t data, struct pt_err *err)
{
	uint8_t clear = FSTAT_CLEAR, launch = FSTAT_CCIF, fccob[8];
	struct pt_mem_op ops[] = {
		write_op(FTFA_BASE + FTFA_FSTAT, &clear, 1),
		write_op(FTFA_BASE + FTFA_FCCOB, fccob, sizeof(fccob)),
		write_op(FTFA_BASE + FTFA_FSTAT, &launch, 1),
		idle_poll(),
	};
	uint32_t fstat = 0;

	pt_put_le32(fccob, (uint32_t)command << 24 | (addr & 0xffffff));
	pt_put_le32(fccob + 4, data);
	if (run_to_idle(cm, ops, PT_LEN(ops), &fstat, err) < 0)
		return err->code;
	return pt_ftfa_check_status(fstat, addr, err);
}

/* --- erase, program, verify --------------------------------------------------------------------------------------- */

static int erase(struct pt_cortexm *cm, struct pt_progress *progress, struct pt_err *err)
{
	const uint8_t *sector = cm->flash_unit.sector;
	uint32_t n = 0, done = 0;

	for (uint32_t addr = 0; addr < cm->chip.flash_bytes; addr += SECTOR_BYTES)
		n += sector[addr / SECTOR_BYTES] == PT_SECTOR_ERASE;
	for (uint32_t addr = 0; addr < cm->chip.flash_bytes; addr += SECTOR_BYTES) {
		if (sector[addr / SECTOR_BYTES] != PT_SECTOR_ERASE)
			continue;
		pt_progress_set(progress, PT_PROGRESS_ERASES, done++, n);
		if (run_command(cm, FTFA_ERASE_SECTOR, addr, 0, err) < 0)
			return pt_wrap(err, "erase the sector at 0x%08x", (unsigned)addr);
	}
	return 0;
}

/* Whether this longword must be programmed. All ones is the erased value. */
static bool wanted(const struct pt_cortexm *cm, uint32_t addr)
{
	const struct pt_cortexm_flash *flash = &cm->flash_unit;

	return flash->written[addr / LONGWORD_BYTES] && flash->sector[addr / SECTOR_BYTES] != PT_SECTOR_SAME &&
	       pt_le32(flash->image + addr) != UINT32_MAX;
}

/* Programming a few longwords of ones costs less than a separate buffer for the words after them. */
static bool goes_on(const struct pt_cortexm *cm, uint32_t addr)
{
	for (uint32_t i = 0; i < GAP_BYTES && addr + i < cm->chip.flash_bytes; i += LONGWORD_BYTES) {
		if (!cm->flash_unit.written[(addr + i) / LONGWORD_BYTES])
			return false;
		if (wanted(cm, addr + i))
			return true;
	}
	return false;
}

/* The next stretch of longwords at or behind *addr; false: none. */
static bool next_stretch(const struct pt_cortexm *cm, uint32_t *addr, uint32_t *len_bytes)
{
	uint32_t end = cm->chip.flash_bytes;

	while (*addr < end && !wanted(cm, *addr))
		*addr += LONGWORD_BYTES;
	for (*len_bytes = 0; *addr + *len_bytes < end && goes_on(cm, *addr + *len_bytes);)
		*len_bytes += LONGWORD_BYTES;
	return *len_bytes != 0;
}

static uint32_t count_wanted(const struct pt_cortexm *cm)
{
	uint32_t n = 0;

	for (uint32_t addr = 0; addr < cm->chip.flash_bytes; addr += LONGWORD_BYTES)
		n += wanted(cm, addr);
	return n;
}

static int program_slowly(struct pt_cortexm *cm, struct pt_progress *progress, struct pt_err *err)
{
	uint32_t n = count_wanted(cm), done = 0;

	for (uint32_t addr = 0; addr < cm->chip.flash_bytes; addr += LONGWORD_BYTES) {
		if (!wanted(cm, addr))
			continue;
		pt_progress_set(progress, PT_PROGRESS_PROGRAMS, done++, n);
		if (run_command(cm, FTFA_PROGRAM_LONGWORD, addr, pt_le32(cm->flash_unit.image + addr), err) < 0)
			return err->code;
	}
	return 0;
}

static int program_fast(struct pt_cortexm *cm, struct pt_ftfa_loader *loader, struct pt_progress *progress,
			struct pt_err *err)
{
	uint32_t addr = 0, len_bytes, n = count_wanted(cm), done = 0;
	int rc = 0;

	while (rc == 0 && next_stretch(cm, &addr, &len_bytes)) {
		uint32_t most = PT_LOADER_DATA_BYTES;	/* a long stretch in pieces, to show progress */

		len_bytes = len_bytes < most ? len_bytes : most;
		pt_progress_set(progress, PT_PROGRESS_PROGRAMS, done < n ? done : n, n);
		done += len_bytes / LONGWORD_BYTES;
		rc = pt_ftfa_loader_put(loader, addr, cm->flash_unit.image + addr, len_bytes, err);
		addr += len_bytes;
	}
	return rc == 0 ? pt_ftfa_loader_finish(loader, err) : rc;
}

/* Whether another method may succeed: after any error but a lost probe. */
static bool try_otherwise(const struct pt_err *why, const char *how)
{
	if (why->code == PT_EIO)
		return false;
	pt_warn("flash: %s: %s", how, why->msg);
	return true;
}

static int program(struct pt_cortexm *cm, struct pt_ftfa_loader *loader, struct pt_progress *progress,
		   struct pt_err *err)
{
	struct pt_err why = { 0 };

	if (loader != NULL && pt_ftfa_loader_start(loader, &why) == 0) {
		if (program_fast(cm, loader, progress, err) < 0)
			return err->code;
		return pt_ftfa_loader_halt(loader, err);
	}
	if (loader != NULL && !try_otherwise(&why, "the loader does not start, programming word by word"))
		return *err = why, why.code;
	return program_slowly(cm, progress, err);
}

static int rewrite(struct pt_cortexm *cm, struct pt_ftfa_loader *loader, struct pt_progress *progress,
		   struct pt_err *err)
{
	struct pt_err why = { 0 };

	pt_progress_set(progress, PT_PROGRESS_COMPARES, 0, 0);
	if (loader != NULL && pt_ftfa_judge(cm, loader, &why) < 0 && !try_otherwise(&why, "erasing every sector"))
		return *err = why, why.code;
	if (erase(cm, progress, err) < 0 || program(cm, loader, progress, err) < 0)
		return err->code;
	pt_progress_set(progress, PT_PROGRESS_VERIFIES, 0, 0);
	return pt_ftfa_verify(cm, loader, err);
}

int pt_ftfa_program(struct pt_cortexm *cm, struct pt_progress *progress, struct pt_err *err)
{
	struct pt_mem_op poll = idle_poll();
	struct pt_ftfa_loader loader;
	struct pt_err why = { 0 };
	uint32_t fstat;
	int rc;

	keep_open(&cm->flash_unit);
	if (pt_cortexm_reset(cm, PT_RESET_INIT, err) < 0 || run_to_idle(cm, &poll, 1, &fstat, err) < 0)
		return err->code;
	if (pt_ftfa_loader_open(&loader, cm, &why) < 0) {
		if (!try_otherwise(&why, "no help by code in RAM"))
			return *err = why, why.code;
		return rewrite(cm, NULL, progress, err);
	}
	rc = rewrite(cm, &loader, progress, err);
	if (pt_ftfa_loader_close(&loader, &why) == 0 || rc < 0)
		return rc;
	*err = why;
	return why.code;
}
