/* Notes for flash and EEPROM until they are programmed (../flash.h). */
#ifndef PT_S12Z_FLASH_NOTES_H
#define PT_S12Z_FLASH_NOTES_H

#include <stdint.h>

enum { PT_FLASH_P, PT_FLASH_EEPROM, PT_FLASH_SPACES };

struct pt_s12z_flash_notes {		/* for one memory */
	uint8_t *image;		/* wanted contents of written bytes; NULL: nothing noted */
	uint8_t *written;	/* one entry per byte: 1 = to be programmed */
	uint8_t *erase;		/* one entry per sector: 1 = to be erased */
};

struct pt_flash_s12z { struct pt_s12z_flash_notes notes[PT_FLASH_SPACES]; };

void pt_s12z_flash_notes_free(struct pt_s12z_flash_notes *notes);	/* empties the notes */
void pt_flash_s12z_forget(void *state);	/* discards the notes; also called before the state is freed */

#endif
