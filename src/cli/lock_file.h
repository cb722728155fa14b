/* Which daemon has which probe: a daemon that opens one leaves a note with its address for GDB in a folder of the
 * user's, so that another proftap of that user joins it instead of competing for the probe. A note is locked as long as
 * its daemon runs; a note without a lock is stale. */
#ifndef PT_LOCK_FILE_H
#define PT_LOCK_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct pt_lock_file;

/* probe: its place, as in struct pt_link_info; address: "127.0.0.1:3333", "unix:PATH" or "stdio". PT_EBUSY: another
 * daemon has it. PT_EIO: the folder or the note cannot be written, so other daemons will not find this one. */
struct pt_lock_file *pt_lock_file_new(const char *probe, const char *address, struct pt_err *err);
void pt_lock_file_free(struct pt_lock_file *lock);	/* removes the note; NULL is fine */

/* The GDB address of the daemon that has this probe. False: no daemon of this user has it. */
bool pt_lock_file_find(const char *probe, char *address, size_t room);

#endif
