/* One way to open a file of this host that a user or a client names. No name makes the caller wait for a peer: a FIFO
 * or a device is opened without blocking, and refused unless the caller reads streams.
 *
 * "files:NAME" is NAME below the folder of --files: the kernel keeps it there, whatever ".." or symbolic links it has
 * (openat2). Doors write the names of clients that are not the daemon's own user so; the name stays so on its way to
 * whatever opens it. Any other name is opened as the daemon's user may. */
#ifndef PT_NAMEDFILE_H
#define PT_NAMEDFILE_H

#include <stdbool.h>

#include "base/error.h"

#define PT_NAMED_BELOW "files:"

/* The folder of --files, before any thread opens a name; NULL: none. PT_EARG: it is no folder, or the kernel cannot
 * keep names below it. */
int pt_named_set_folder(const char *folder, struct pt_err *err);
bool pt_named_has_folder(void);
static inline bool pt_named_is_below(const char *name)
{
	return __builtin_strncmp(name, PT_NAMED_BELOW, sizeof(PT_NAMED_BELOW) - 1) == 0;
}

enum pt_named_kind {
	PT_NAMED_FILE,		/* regular files, none of which is a window into the kernel (/proc, /sys) */
	PT_NAMED_STREAM,	/* and pipes, and character devices */
};

/* flags: O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL. The descriptor does not block. A symbolic link is followed, but
 * never by a name below a folder, and for writing not one that another user has put into a sticky folder.
 * Returns the descriptor, or an errno, negated; EMEDIUMTYPE: it is of another kind. Blocks for as long as the disk
 * takes. Any thread. */
int pt_named_open(const char *name, int flags, enum pt_named_kind kind);
/* The folder that name is in, as a descriptor for the ...at() calls, and the name's last part in *leaf. Likewise. */
int pt_named_folder(const char *name, const char **leaf);
void pt_named_remove(const char *name);	/* what was made in vain; errors do not matter */
const char *pt_named_why(int error);	/* an errno of these, in words */
/* name cannot be written because of an errno of these: why, and what the user does next. Returns PT_EARG. */
int pt_named_cannot_write(const char *name, int error, struct pt_err *err);

#endif
