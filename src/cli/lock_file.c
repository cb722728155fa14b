/* Nobody else may write into the folder of notes, so what a note says can be believed. */
#include "cli/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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
	char path[PATH_MAX];
	ssize_t len = 0;
	bool held;
	int fd;

	if (!pt_note_path(probe, "", path, sizeof(path), false))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	held = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	if (held)
		len = read(fd, address, room - 1);
	close(fd);
	address[len > 0 ? len : 0] = '\0';
	return len > 0;
}
