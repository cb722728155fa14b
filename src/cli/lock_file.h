/* Which probe is whose: a daemon that has one open leaves a note with where GDB can reach it, in a folder of the
 * user's, so that another proftap of the same user joins it instead of fighting for the probe. A note is locked as long
 * as its daemon lives; one that nobody holds is stale. */
#ifndef PT_LOCK_FILE_H
#define PT_LOCK_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct pt_lock_file;

/* probe: where it is, as struct pt_link_info has it; address: "127.0.0.1:3333", "unix:PATH" or "stdio". PT_EBUSY:
 * another has it. Else PT_EIO: the folder or the note cannot be written, and nobody will find us. */
struct pt_lock_file *pt_lock_file_new(const char *probe, const char *address, struct pt_err *err);
void pt_lock_file_free(struct pt_lock_file *lock);	/* takes the note away; NULL is fine */

/* Where the daemon that has this probe serves GDB. False: none of ours has it. */
bool pt_lock_file_find(const char *probe, char *address, size_t room);

#endif
