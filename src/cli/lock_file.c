/* Only this user can write to the folder of notes, so their content can be trusted. */
#include "cli/lock_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "host/probe_notes.h"

struct pt_lock_file {
	int fd;			/* locked */
	char path[PATH_MAX];
};

struct pt_lock_file *pt_lock_file_new(const char *probe, const char *address, struct pt_err *err)
{
	struct pt_lock_file *lock = pt_alloc(sizeof(*lock));
	size_t len = strlen(address);

	lock->fd = pt_note_lock(probe, "", lock->path, sizeof(lock->path), err);
	if (lock->fd < 0) {
		free(lock);
		return NULL;
	}
	if (ftruncate(lock->fd, 0) == 0 && write(lock->fd, address, len) == (ssize_t)len)
		return lock;
	pt_fail(err, PT_EIO, "%s: %s", lock->path, strerror(errno));
	pt_lock_file_free(lock);
	return NULL;
}

void pt_lock_file_free(struct pt_lock_file *lock)
{
	if (lock == NULL)
		return;
	pt_note_unlock(lock->fd, lock->path);
	free(lock);
}

bool pt_lock_file_find(const char *probe, char *address, size_t room)
{
	return pt_note_find(probe, address, room);
}
