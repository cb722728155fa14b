/* Notes what is to be erased and written. See flash.h. */
#include <stdlib.h>
#include <string.h>

#include "targets/s12z/flash.h"
#include "base/util.h"

struct pt_flash_space pt_flash_s12z_space(const struct pt_s12z *z, int which)
{
	if (which == PT_FLASH_P)
		return (struct pt_flash_space){
			.addr = S12Z_FLASH_END - z->chip.flash_bytes, .bytes = z->chip.flash_bytes,
			.sector_bytes = S12Z_FLASH_SECTOR, .phrase_bytes = 8, .erase = 0x0a, .program = 0x06,
		};
	return (struct pt_flash_space){
		.addr = S12Z_EEPROM,
		.bytes = z->chip.eeprom_bytes,
		.sector_bytes = S12Z_EEPROM_SECTOR,
		.phrase_bytes = 2,
		.erase = 0x12,
		.program = 0x11,
	};
}

/* The memory that contains the whole span. */
static int find_space(const struct pt_s12z *z, uint64_t addr, uint64_t size, struct pt_flash_space *out,
		      struct pt_err *err)
{
	if (z->chip.flash_bytes == 0)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "%s: the size of the flash of this chip is not known (setting chip=); debugging "
			       "and profiling go on",
			       z->chip.name);
	for (int which = 0; which < PT_FLASH_SPACES; which++) {
		*out = pt_flash_s12z_space(z, which);
		if (addr >= out->addr && addr - out->addr <= out->bytes && size <= out->bytes - (addr - out->addr) &&
		    addr - out->addr < out->bytes)
			return which;
	}
	return pt_fail(err, PT_EARG, "0x%06llx, %llu bytes: not inside the flash of %u KiB or the EEPROM of %u bytes",
		       (unsigned long long)addr, (unsigned long long)size, (unsigned)(z->chip.flash_bytes / 1024),
		       (unsigned)z->chip.eeprom_bytes);
}

static int make_notes(struct pt_s12z_flash_notes *notes, const struct pt_flash_space *space, struct pt_err *err)
{
	if (notes->image != NULL)
		return 0;
	notes->image = malloc(space->bytes);
	notes->written = calloc(space->bytes, 1);
	notes->erase = calloc(space->bytes / space->sector_bytes, 1);
	if (notes->image != NULL && notes->written != NULL && notes->erase != NULL) {
		memset(notes->image, 0xff, space->bytes);	/* as erased: bytes that are not written stay 0xff */
		return 0;
	}
	pt_s12z_flash_notes_free(notes);
	return pt_fail(err, PT_ENOMEM, "out of memory");
}

int pt_flash_s12z_erase(void *state, uint64_t addr, uint64_t size, struct pt_err *err)
{
	struct pt_s12z *z = state;
	struct pt_flash_space space;
	int which = find_space(z, addr, size, &space, err);

	if (which < 0 || make_notes(&z->flash.notes[which], &space, err) < 0)
		return err->code;
	if ((addr - space.addr) % space.sector_bytes != 0 || size % space.sector_bytes != 0)
		return pt_fail(err, PT_EARG, "this memory is erased in sectors of %u bytes",
			       (unsigned)space.sector_bytes);
	memset(z->flash.notes[which].erase + (addr - space.addr) / space.sector_bytes, 1, size / space.sector_bytes);
	return 0;
}

static int check_lock(const struct pt_s12z *z, uint64_t addr, const uint8_t *bytes, size_t len_bytes,
		      struct pt_err *err)
{
	if (z->allow_lock || addr > S12Z_FSEC || S12Z_FSEC - addr >= len_bytes ||
	    !pt_ftmrz_locks(bytes[S12Z_FSEC - addr]))
		return 0;
	return pt_fail(err, PT_EPERM,
		       "0x%02x at 0x%06x (FSEC) would secure the part at its next reset; allow-lock=on writes it all "
		       "the same",
		       bytes[S12Z_FSEC - addr], S12Z_FSEC);
}

int pt_flash_s12z_write(void *state, uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_err *err)
{
	struct pt_s12z *z = state;
	struct pt_flash_space space;
	int which = find_space(z, addr, len_bytes, &space, err);

	if (which < 0 || make_notes(&z->flash.notes[which], &space, err) < 0 ||
	    check_lock(z, addr, bytes, len_bytes, err) < 0)
		return err->code;
	memcpy(z->flash.notes[which].image + (addr - space.addr), bytes, len_bytes);
	memset(z->flash.notes[which].written + (addr - space.addr), 1, len_bytes);
	return 0;
}

int pt_flash_s12z_done(void *state, struct pt_progress *progress, struct pt_err *err)
{
	struct pt_s12z *z = state;
	int rc;

	if (z->flash.notes[PT_FLASH_P].image == NULL && z->flash.notes[PT_FLASH_EEPROM].image == NULL)
		return 0;
	pt_link_shield(z->wire.link);	/* a half-written flash would be useless */
	rc = pt_ftmrz_program(z, progress, err);
	pt_link_unshield(z->wire.link);
	pt_flash_s12z_forget(z);
	return rc < 0 ? pt_wrap(err, "program the flash") : 0;
}
