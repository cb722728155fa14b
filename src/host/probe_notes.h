/* Files about a probe (notes), in a folder of the user: $XDG_RUNTIME_DIR/proftap, or else /tmp/proftap-UID. No other user
 * can write there. Any thread; blocks as long as the disk takes. */
#ifndef PT_PROBE_NOTES_H
#define PT_PROBE_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The path of a note (probe "usb 1-4.2" and suffix ".restore" give usb_1-4.2.restore). make: creates the folder if
 * necessary. False: there is no folder, or other users can write there. */
bool pt_note_path(const char *probe, const char *suffix, char *path, size_t room, bool make);
/* Opens a note, creates it if necessary, and locks it; path: out. Returns the file descriptor, or
 *   PT_EBUSY  another process holds the lock
 *   PT_EIO    the folder or the note cannot be written */
int pt_note_lock(const char *probe, const char *suffix, char *path, size_t room, struct pt_err *err);
void pt_note_unlock(int fd, const char *path);	/* removes the note */

/* The content of the note without a suffix, while a process holds its lock: the address at which the daemon that uses this
 * probe serves GDB, or "stdio". False: no process of this user holds it. */
bool pt_note_find(const char *probe, char *address, size_t room);

/* A text about a probe that stays when the process ends. */
struct pt_kept;

/* PT_EBUSY: another process has it open for this probe; PT_EIO. */
struct pt_kept *pt_kept_open(const char *probe, struct pt_err *err);
void pt_kept_close(struct pt_kept *kept);	/* the text stays; NULL is fine */
/* The text; the caller frees it. NULL: no text (err->code 0), PT_EIO, or PT_EARG: longer than most_bytes. */
uint8_t *pt_kept_read(const struct pt_kept *kept, size_t most_bytes, size_t *len_bytes, struct pt_err *err);
/* Replaces the text completely, or changes nothing. text NULL: removes it. */
int pt_kept_write(struct pt_kept *kept, const char *text, size_t len_bytes, struct pt_err *err);

#endif
