/* The board's directory on this host, for files of `remote put`. It is created when first needed and removed with the
 * server. Names are plain (hostio_names.h); symbolic links are not followed. Blocks; any thread. */
#ifndef PT_GDBSTUB_FILES_H
#define PT_GDBSTUB_FILES_H

#include <stddef.h>
#include <stdint.h>

enum { PT_FILES_PATH_BYTES = 160 };
#define PT_FILES_MOST_BYTES (UINT64_C(512) << 20)	/* limit of all files together */

struct pt_files;

struct pt_files *pt_files_new(void);	/* creates no directory yet */
struct pt_files *pt_files_ref(struct pt_files *files);
void pt_files_unref(struct pt_files *files);	/* leaves files on the disk as they are */

/* Each function returns 0 or more, or -errno. flags: O_RDONLY, O_WRONLY, O_CREAT, ... of this host. */
int pt_files_open(struct pt_files *files, const char *name, int flags);	/* a descriptor */
int pt_files_path(struct pt_files *files, const char *name, char *path, size_t room);	/* creates the directory */
int pt_files_unlink(struct pt_files *files, const char *name);
/* -ENOSPC: more_bytes more would exceed the limit. */
int pt_files_room(struct pt_files *files, uint64_t more_bytes);
void pt_files_remove(struct pt_files *files);	/* removes the directory and all files in it */

#endif
