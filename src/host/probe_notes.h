/* Notes about a probe, in a folder of the user's: $XDG_RUNTIME_DIR/proftap, or /tmp/proftap-UID where there is none.
 * No other user may write there. Any thread; blocks for as long as the disk takes. */
#ifndef PT_PROBE_NOTES_H
#define PT_PROBE_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The note of a probe ("usb 1-4.2" and ".restore" are usb_1-4.2.restore). False: the folder is not there, or not ours
 * alone; make: it is made if need be. */
bool pt_note_path(const char *probe, const char *suffix, char *path, size_t room, bool make);
/* The note of a probe, opened, made if need be, and locked; path: out, where it is. Returns the file descriptor, or
 *   PT_EBUSY  another process holds the lock
 *   PT_EIO    the folder or the note cannot be written */
int pt_note_lock(const char *probe, const char *suffix, char *path, size_t room, struct pt_err *err);
void pt_note_unlock(int fd, const char *path);	/* takes the note away */

/* What is in the note without a suffix, as long as a process holds its lock: where the daemon that has this probe serves
 * GDB, or "stdio". False: none of this user has it. */
bool pt_note_find(const char *probe, char *address, size_t room);

/* A text that outlives the process. */
struct pt_kept;

/* PT_EBUSY: another process has this probe's; PT_EIO. */
struct pt_kept *pt_kept_open(const char *probe, struct pt_err *err);
void pt_kept_close(struct pt_kept *kept);	/* the text stays; NULL is fine */
/* For the caller to free(). NULL: there is none, and err->code is 0; or PT_EIO, or PT_EARG: it is longer than most. */
uint8_t *pt_kept_read(const struct pt_kept *kept, size_t most_bytes, size_t *len_bytes, struct pt_err *err);
/* In place of the one that is there, all of it or nothing. text NULL: there is none any more. */
int pt_kept_write(struct pt_kept *kept, const char *text, size_t len_bytes, struct pt_err *err);

#endif
