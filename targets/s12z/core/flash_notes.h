/* What is noted for flash and EEPROM until it is done (../flash.h). */
#ifndef PT_S12Z_FLASH_NOTES_H
#define PT_S12Z_FLASH_NOTES_H

#include <stdint.h>

enum { PT_FLASH_P, PT_FLASH_EEPROM, PT_FLASH_SPACES };

struct pt_s12z_flash_notes {		/* of one memory */
	uint8_t *image;		/* as it is to be where it is written; NULL: nothing noted */
	uint8_t *written;	/* a byte for each byte: 1 = to be programmed */
	uint8_t *erase;		/* a byte for each sector: 1 = to be erased */
};

struct pt_flash_s12z { struct pt_s12z_flash_notes notes[PT_FLASH_SPACES]; };

void pt_s12z_flash_notes_free(struct pt_s12z_flash_notes *notes);	/* and nothing is noted then */
void pt_flash_s12z_forget(void *state);	/* what was noted; also before the state is freed */

#endif
