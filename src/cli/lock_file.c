/* $XDG_RUNTIME_DIR/proftap, or /tmp/proftap-UID where there is none; nobody else may write there, so what a note says
 * can be believed. */
#include "cli/lock_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct pt_claim {
	int fd;			/* locked */
	char path[PATH_MAX];
};

static bool is_ours(const char *folder)
{
	struct stat st;

	return lstat(folder, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 077) == 0;
}

static bool find_folder(char *folder, size_t room, bool make)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	int n;

	if (runtime != NULL && runtime[0] == '/')
		n = snprintf(folder, room, "%s/proftap", runtime);
	else
		n = snprintf(folder, room, "/tmp/proftap-%u", (unsigned)geteuid());
	if (n < 0 || (size_t)n >= room)
		return false;
	if (make)
		mkdir(folder, 0700);	/* it may be there */
	return is_ours(folder);
}

/* "usb 1-4.2" is the note usb_1-4.2 */
static bool note_of(const char *probe, char *path, size_t room, bool make)
{
	size_t len;

	if (!find_folder(path, room, make))
		return false;
	len = strlen(path);
	if (len + 1 + strlen(probe) >= room)
		return false;
	path[len++] = '/';
	for (; *probe != '\0'; probe++)
		path[len++] = isalnum((unsigned char)*probe) || strchr(".-:", *probe) != NULL ? *probe : '_';
	path[len] = '\0';
	return true;
}

/* A note that is taken away between open and lock would be locked in vain. */
static bool still_there(int fd, const char *path)
{
	struct stat ours, there;

	return fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino &&
	       ours.st_dev == there.st_dev;
}

static int lock_note(const char *path)
{
	for (;;) {
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

		if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0) {
			int why = errno;

			if (fd >= 0)
				close(fd);
			errno = why;
			return -1;
		}
		if (still_there(fd, path))
			return fd;
		close(fd);
	}
}

struct pt_claim *pt_claim_new(const char *probe, const char *address, struct pt_err *err)
{
	struct pt_claim *claim = calloc(1, sizeof(*claim));
	size_t len = strlen(address);

	if (claim == NULL) {
		pt_fail(err, PT_ENOMEM, "no memory");
		return NULL;
	}
	if (!note_of(probe, claim->path, sizeof(claim->path), true)) {
		pt_fail(err, PT_EIO, "no folder of one's own for notes (XDG_RUNTIME_DIR)");
		goto free_claim;
	}
	claim->fd = lock_note(claim->path);
	if (claim->fd < 0) {
		pt_fail(err, errno == EWOULDBLOCK ? PT_EBUSY : PT_EIO, "%s: %s", claim->path, strerror(errno));
		goto free_claim;
	}
	if (ftruncate(claim->fd, 0) == 0 && write(claim->fd, address, len) == (ssize_t)len)
		return claim;
	pt_fail(err, PT_EIO, "%s: %s", claim->path, strerror(errno));
	pt_claim_free(claim);
	return NULL;
free_claim:
	free(claim);
	return NULL;
}

void pt_claim_free(struct pt_claim *claim)
{
	if (claim == NULL)
		return;
	unlink(claim->path);	/* first: whoever gets the lock then sees that it is in vain */
	close(claim->fd);
	free(claim);
}

bool pt_claim_find(const char *probe, char *address, size_t room)
{
	char path[PATH_MAX];
	ssize_t len = 0;
	bool held;
	int fd;

	if (!note_of(probe, path, sizeof(path), false))
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
