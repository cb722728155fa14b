/* Frees the notes. */
#include "targets/s12z/core/flash_notes.h"

#include <stdlib.h>
#include <string.h>

#include "targets/s12z/core/s12z.h"

void pt_s12z_flash_notes_free(struct pt_s12z_flash_notes *notes)
{
	free(notes->image);
	free(notes->written);
	free(notes->erase);
	memset(notes, 0, sizeof(*notes));
}

void pt_flash_s12z_forget(void *state)
{
	struct pt_s12z *z = state;

	for (int which = 0; which < PT_FLASH_SPACES; which++)
		pt_s12z_flash_notes_free(&z->flash.notes[which]);
}
