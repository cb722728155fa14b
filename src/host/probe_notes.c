/* See probe_notes.h. A text is written to a temporary name and renamed: a reader sees the old or the new text. */
#include "host/probe_notes.h"

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

#include "base/alloc.h"
#include "host/whole_file.h"

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
		mkdir(folder, 0700);	/* it may exist */
	return is_ours(folder);
}

bool pt_note_path(const char *probe, const char *suffix, char *path, size_t room, bool make)
{
	size_t len;

	if (!find_folder(path, room, make))
		return false;
	len = strlen(path);
	if (len + 1 + strlen(probe) + strlen(suffix) >= room)
		return false;
	path[len++] = '/';
	for (; *probe != '\0'; probe++)
		path[len++] = isalnum((unsigned char)*probe) || strchr(".-:", *probe) != NULL ? *probe : '_';
	strcpy(path + len, suffix);
	return true;
}

/* --- locks -------------------------------------------------------------------------------------------------------- */

/* Whether the note still has its name: if it was removed between open and lock, the lock is useless. */
static bool still_there(int fd, const char *path)
{
	struct stat ours, there;

	return fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino &&
	       ours.st_dev == there.st_dev;
}

int pt_note_lock(const char *probe, const char *suffix, char *path, size_t room, struct pt_err *err)
{
	if (!pt_note_path(probe, suffix, path, room, true))
		return pt_fail(err, PT_EIO, "no folder of one's own for notes (XDG_RUNTIME_DIR)");
	for (;;) {
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

		if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0) {
			pt_fail(err, errno == EWOULDBLOCK ? PT_EBUSY : PT_EIO, "%s: %s", path, strerror(errno));
			if (fd >= 0)
				close(fd);
			return err->code;
		}
		if (still_there(fd, path))
			return fd;
		close(fd);
	}
}

void pt_note_unlock(int fd, const char *path)
{
	unlink(path);	/* before close: a process that gets the lock then sees that the file is gone */
	close(fd);
}

bool pt_note_find(const char *probe, char *address, size_t room)
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

/* --- texts -------------------------------------------------------------------------------------------------------- */

struct pt_kept {
	int fd;			/* of the lock */
	char path[PATH_MAX], lock[PATH_MAX], fresh[PATH_MAX];
};

struct pt_kept *pt_kept_open(const char *probe, struct pt_err *err)
{
	struct pt_kept *k = pt_alloc(sizeof(*k));

	k->fd = pt_note_lock(probe, ".restore.lock", k->lock, sizeof(k->lock), err);
	if (k->fd < 0) {
		free(k);
		return NULL;
	}
	/* they fit: they are shorter than the lock's name */
	pt_note_path(probe, ".restore", k->path, sizeof(k->path), false);
	pt_note_path(probe, ".restore.new", k->fresh, sizeof(k->fresh), false);
	return k;
}

void pt_kept_close(struct pt_kept *kept)
{
	if (kept == NULL)
		return;
	pt_note_unlock(kept->fd, kept->lock);
	free(kept);
}

uint8_t *pt_kept_read(const struct pt_kept *kept, size_t most_bytes, size_t *len_bytes, struct pt_err *err)
{
	struct stat st;

	memset(err, 0, sizeof(*err));
	*len_bytes = 0;
	if (lstat(kept->path, &st) < 0 && errno == ENOENT)
		return NULL;
	return pt_file_read(kept->path, most_bytes, len_bytes, err);
}

static bool write_all(int fd, const char *text, size_t len_bytes)
{
	while (len_bytes > 0) {
		ssize_t n = write(fd, text, len_bytes);

		if (n <= 0)
			return false;
		text += n;
		len_bytes -= (size_t)n;
	}
	return true;
}

int pt_kept_write(struct pt_kept *kept, const char *text, size_t len_bytes, struct pt_err *err)
{
	bool ok;
	int fd;

	if (text == NULL)
		return unlink(kept->path) == 0 || errno == ENOENT
			       ? 0
			       : pt_fail(err, PT_EIO, "%s: %s", kept->path, strerror(errno));
	fd = open(kept->fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return pt_fail(err, PT_EIO, "%s: %s", kept->fresh, strerror(errno));
	ok = write_all(fd, text, len_bytes);
	ok = close(fd) == 0 && ok;
	if (ok && rename(kept->fresh, kept->path) == 0)
		return 0;
	pt_fail(err, PT_EIO, "%s: %s", kept->path, strerror(errno));
	unlink(kept->fresh);
	return err->code;
}
