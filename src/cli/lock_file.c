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

struct pt_claim {
	int fd;			/* locked */
	char path[PATH_MAX];
};

struct pt_claim *pt_claim_new(const char *probe, const char *address, struct pt_err *err)
{
	struct pt_claim *claim = pt_alloc(sizeof(*claim));
	size_t len = strlen(address);

	claim->fd = pt_note_lock(probe, "", claim->path, sizeof(claim->path), err);
	if (claim->fd < 0) {
		free(claim);
		return NULL;
	}
	if (ftruncate(claim->fd, 0) == 0 && write(claim->fd, address, len) == (ssize_t)len)
		return claim;
	pt_fail(err, PT_EIO, "%s: %s", claim->path, strerror(errno));
	pt_claim_free(claim);
	return NULL;
}

void pt_claim_free(struct pt_claim *claim)
{
	if (claim == NULL)
		return;
	pt_note_unlock(claim->fd, claim->path);
	free(claim);
}

bool pt_claim_find(const char *probe, char *address, size_t room)
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
