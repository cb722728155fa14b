/* Collects what is to be erased and written. See flash.h. */
#include <stdlib.h>
#include <string.h>

#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/vendor/flash.h"
#include "base/util.h"

enum { SECTOR_BYTES = 1024, LONGWORD_BYTES = 4 };

static int check_span(const struct pt_cortexm *cm, uint64_t addr, uint64_t size, struct pt_err *err)
{
	if (cm->family == NULL || cm->family->flash == NULL || cm->chip.flash_bytes == 0)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "%s: how to program the flash of this chip is not known; "
			       "debugging and profiling go on",
			       cm->chip.name);
	if (addr > cm->chip.flash_bytes || size > cm->chip.flash_bytes - addr)
		return pt_fail(err, PT_EARG, "0x%08llx, %llu bytes: not inside the flash of %u KiB",
			       (unsigned long long)addr, (unsigned long long)size,
			       (unsigned)(cm->chip.flash_bytes / 1024));
	return 0;
}

static int make_notes(struct pt_cortexm *cm, struct pt_err *err)
{
	struct pt_cortexm_flash *flash = &cm->flash_unit;

	if (flash->image != NULL)
		return 0;
	flash->image = malloc(cm->chip.flash_bytes);
	flash->written = calloc(cm->chip.flash_bytes / LONGWORD_BYTES, 1);
	flash->sector = calloc(cm->chip.flash_bytes / SECTOR_BYTES, 1);
	if (flash->image != NULL && flash->written != NULL && flash->sector != NULL) {
		/* the erased value, for bytes that are not written */
		memset(flash->image, 0xff, cm->chip.flash_bytes);
		return 0;
	}
	pt_cortexm_flash_forget(cm);
	return pt_fail(err, PT_ENOMEM, "out of memory");
}

void pt_cortexm_flash_forget(void *state)
{
	struct pt_cortexm *cm = state;

	free(cm->flash_unit.image);
	free(cm->flash_unit.written);
	free(cm->flash_unit.sector);
	memset(&cm->flash_unit, 0, sizeof(cm->flash_unit));
}

int pt_cortexm_flash_erase(void *state, uint64_t addr, uint64_t size, struct pt_err *err)
{
	struct pt_cortexm *cm = state;

	if (check_span(cm, addr, size, err) < 0 || make_notes(cm, err) < 0)
		return err->code;
	if (addr % SECTOR_BYTES != 0 || size % SECTOR_BYTES != 0)
		return pt_fail(err, PT_EARG, "flash is erased in sectors of %d bytes", SECTOR_BYTES);
	memset(cm->flash_unit.sector + addr / SECTOR_BYTES, PT_SECTOR_ERASE, size / SECTOR_BYTES);
	return 0;
}

int pt_cortexm_flash_write(void *state, uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_err *err)
{
	struct pt_cortexm *cm = state;
	struct pt_cortexm_flash *flash = &cm->flash_unit;

	if (check_span(cm, addr, len_bytes, err) < 0 || make_notes(cm, err) < 0)
		return err->code;
	if (!cm->allow_lock && cm->family->flash->check(addr, bytes, len_bytes, err) < 0)
		return err->code;
	memcpy(flash->image + addr, bytes, len_bytes);
	for (uint64_t at = addr; at < addr + len_bytes; at++)
		flash->written[at / LONGWORD_BYTES] = 1;
	return 0;
}

int pt_cortexm_flash_done(void *state, struct pt_progress *progress, struct pt_err *err)
{
	struct pt_cortexm *cm = state;
	int rc;

	if (cm->flash_unit.image == NULL)
		return 0;
	pt_link_shield(cm->adi.link);	/* half-written flash is useless */
	rc = cm->family->flash->program(cm, progress, err);
	pt_link_unshield(cm->adi.link);
	pt_cortexm_flash_forget(cm);
	return rc < 0 ? pt_wrap(err, "program the flash") : 0;
}
