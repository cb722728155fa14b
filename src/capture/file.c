/* A file that a user names by mistake is not overwritten: only an empty file or another capture is. */
#include "base/door.h"
#include "config.h"	/* O_TMPFILE, mkostemp */
#include "base/alloc.h"

#include "capture/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/capture.h"
#include "host/named_file.h"
#include "base/util.h"

enum { MOST_NAMES = 10000, COPY_BYTES = 1 << 16 };

/* 0, or an error: why fd (an old file of that name) must not be overwritten. */
static int may_replace(int fd, const char *path, bool replace, struct pt_err *err)
{
	char magic[sizeof(PT_CAPTURE_MAGIC) - 1];
	struct stat st;

	if (fstat(fd, &st) < 0 || S_ISDIR(st.st_mode))
		return pt_named_cannot_write(path, EISDIR, err);
	if (st.st_size == 0)
		return 0;
	if (pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	    memcmp(magic, PT_CAPTURE_MAGIC, sizeof(magic)) == 0)
		return replace ? 0
			       : pt_fail(err, PT_EARG,
					 "%.200s is a capture, and is kept: %s overwrites it; or name another file",
					 path, pt_by_door("--replace", "the word replace behind it"));
	return pt_fail(err, PT_EARG, "%.200s exists, is not a capture, and is kept: name another file", path);
}

/* Two writers would damage one file. */
static int lock(int fd, const char *path, struct pt_err *err)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	return pt_fail(err, PT_EBUSY, "%.200s is being written by another process; name another file", path);
}

static int open_old(const char *path, struct pt_err *err)
{
	int fd = pt_named_open(path, O_RDWR, PT_NAMED_FILE);

	if (fd < 0)
		return pt_named_cannot_write(path, -fd, err);
	if (may_replace(fd, path, true, err) == 0 && lock(fd, path, err) == 0)
		return fd;
	close(fd);
	return err != NULL ? err->code : PT_EARG;
}

/* PT_ESTATE: a file of that name exists. */
static int open_new(const char *path, struct pt_err *err)
{
	int fd = pt_named_open(path, O_RDWR | O_CREAT | O_EXCL, PT_NAMED_FILE);

	if (fd == -EEXIST)
		return PT_ESTATE;
	if (fd < 0)
		return pt_named_cannot_write(path, -fd, err);
	(void)flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

/* Whether to try another name: path is a file, or a link, which is not followed. */
static bool stays(const char *path)
{
	int fd = pt_named_open(path, O_RDONLY, PT_NAMED_FILE);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || fd == -ELOOP || fd == -EACCES;
}

int pt_capture_file_open(const char *path, bool replace, char **name, bool *created, struct pt_err *err)
{
	int fd = PT_ESTATE;

	*name = pt_alloc(strlen(path) + 16);
	for (int i = 0; fd == PT_ESTATE && i < MOST_NAMES; i++) {
		sprintf(*name, i > 0 ? "%s.%d" : "%s", path, i);
		fd = open_new(*name, err);
		*created = fd >= 0;
		if (fd == PT_ESTATE && (replace || !stays(*name)))
			fd = open_old(*name, err);
	}
	if (fd == PT_ESTATE)
		pt_fail(err, PT_EARG, "%.200s and %d more of that name exist; name another file", path, MOST_NAMES - 1);
	if (fd >= 0)
		return fd;
	free(*name);
	*name = NULL;
	return err != NULL ? err->code : PT_EARG;
}

int pt_capture_file_spool(struct pt_err *err)
{
	const char *folder = getenv("TMPDIR");
	char path[512];
	int fd;

	if (folder == NULL || folder[0] != '/')
		folder = "/var/tmp";
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	/* for file systems without O_TMPFILE */
	snprintf(path, sizeof(path), "%s/proftap-XXXXXX", folder);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return pt_fail(err, PT_EARG, "no temporary file in %.200s: %s; $TMPDIR names another folder", folder,
			       strerror(errno));
	unlink(path);
	return fd;
}

size_t pt_capture_file_write(int fd, const uint8_t *bytes, size_t len_bytes)
{
	size_t done = 0;

	while (done < len_bytes) {
		ssize_t n = write(fd, bytes + done, len_bytes - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			errno = ENOSPC;
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
	}
	return done;
}

static int copy_bytes(int from, uint64_t len_bytes, int to, const char *path, struct pt_err *err)
{
	uint8_t *bytes = pt_alloc(COPY_BYTES);
	int rc = 0;

	for (uint64_t at = 0; rc == 0 && at < len_bytes;) {
		size_t want = len_bytes - at < COPY_BYTES ? (size_t)(len_bytes - at) : COPY_BYTES;
		ssize_t n = pread(from, bytes, want, (off_t)at);

		if (n <= 0)
			rc = pt_fail(err, PT_EIO, "the capture cannot be read again: %s",
				     n < 0 ? strerror(errno) : "it is cut");
		else if (pt_capture_file_write(to, bytes, (size_t)n) != (size_t)n)
			rc = pt_fail(err, PT_EIO, "%.200s: %s", path, strerror(errno));
		at += n > 0 ? (uint64_t)n : 0;
	}
	if (rc == 0 && fsync(to) < 0)
		rc = pt_fail(err, PT_EIO, "%.200s: %s", path, strerror(errno));
	free(bytes);
	return rc;
}

static int check_place(const char *path, bool replace, struct pt_err *err)
{
	int fd = pt_named_open(path, O_RDONLY, PT_NAMED_FILE), rc;

	if (fd == -ENOENT)
		return 0;
	if (fd == -EMEDIUMTYPE || fd == -ENXIO)
		return pt_fail(err, PT_EARG, "%.200s is not a regular file, and is kept; name another file", path);
	if (fd < 0)
		return pt_named_cannot_write(path, -fd, err);
	rc = may_replace(fd, path, replace, err);
	close(fd);
	return rc;
}

/* Opens a new file next to leaf: its descriptor and name; or -errno. */
static int open_part(int folder, const char *leaf, char part[NAME_MAX + 1])
{
	for (int i = 0; i < MOST_NAMES; i++) {
		uint32_t number = 0;
		int fd;

		if (getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0)
			number = (uint32_t)i;
		if (snprintf(part, NAME_MAX + 1, "%s.%08x", leaf, (unsigned)number) > NAME_MAX)
			return -ENAMETOOLONG;
		fd = openat(folder, part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (fd >= 0 || errno != EEXIST)
			return fd >= 0 ? fd : -errno;
	}
	return -EEXIST;
}

static int copy_into(int folder, const char *leaf, int fd, uint64_t len_bytes, const char *path, struct pt_err *err)
{
	char part[NAME_MAX + 1];
	int to = open_part(folder, leaf, part), rc;

	if (to < 0)
		return pt_named_cannot_write(path, -to, err);
	rc = copy_bytes(fd, len_bytes, to, path, err);
	close(to);
	if (rc == 0 && renameat(folder, part, folder, leaf) < 0)
		rc = pt_named_cannot_write(path, errno, err);
	if (rc < 0)
		(void)!unlinkat(folder, part, 0);
	return rc;
}

int pt_capture_file_copy(int fd, uint64_t len_bytes, const char *path, bool replace, struct pt_err *err)
{
	int folder, rc = check_place(path, replace, err);
	const char *leaf;

	if (rc < 0)
		return rc;
	folder = pt_named_folder(path, &leaf);
	if (folder < 0)
		return pt_named_cannot_write(path, -folder, err);
	rc = copy_into(folder, leaf, fd, len_bytes, path, err);
	close(folder);
	if (rc == 0)
		pt_capture_file_sync_folder(path);
	return rc;
}

void pt_capture_file_sync_folder(const char *path)
{
	const char *leaf;
	int folder = pt_named_folder(path, &leaf);
	int fd = folder >= 0 ? openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		(void)fsync(fd);
		close(fd);
	}
	if (folder >= 0)
		close(folder);
}
