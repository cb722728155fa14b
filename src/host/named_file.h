/* Opens files of this host that a user or a client names. No name makes the caller wait for a peer: a FIFO or a device is
 * opened without blocking, and refused unless the caller reads streams.
 *
 * "files:NAME" is NAME below the folder of --files. The kernel (openat2) keeps it there, whatever ".." or symbolic links
 * the name has. Servers add this prefix to names from clients of other users, and it stays until the file is opened. Any
 * other name is opened with the rights of the daemon's user. */
#ifndef PT_NAMEDFILE_H
#define PT_NAMEDFILE_H

#include <stdbool.h>

#include "base/error.h"

#define PT_NAMED_BELOW "files:"

/* Sets the folder of --files, before any thread opens a name; NULL: none. PT_EARG: not a folder, or the kernel cannot
 * keep names below it. */
int pt_named_set_folder(const char *folder, struct pt_err *err);
bool pt_named_has_folder(void);
static inline bool pt_named_is_below(const char *name)
{
	return __builtin_strncmp(name, PT_NAMED_BELOW, sizeof(PT_NAMED_BELOW) - 1) == 0;
}

enum pt_named_kind {
	PT_NAMED_FILE,		/* regular files, except those of /proc and /sys */
	PT_NAMED_STREAM,	/* also pipes and character devices */
};

/* flags: O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL. The descriptor does not block. Symbolic links are followed, except
 * in "files:" names, and for writing if another user has put the link into a sticky folder.
 * Returns the descriptor or a negated errno; EMEDIUMTYPE: another kind of file. Blocks as long as the disk takes. Any
 * thread. */
int pt_named_open(const char *name, int flags, enum pt_named_kind kind);
/* The folder that contains name, as a descriptor for the ...at() calls; *leaf: the last part of name. Returns as above. */
int pt_named_folder(const char *name, const char **leaf);
void pt_named_remove(const char *name);	/* ignores errors */
const char *pt_named_why(int error);	/* an errno of these functions, in words */
/* Sets err: name cannot be written, why (an errno of these functions), and what the user can do. Returns PT_EARG. */
int pt_named_cannot_write(const char *name, int error, struct pt_err *err);

#endif
