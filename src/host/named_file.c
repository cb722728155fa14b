#define _GNU_SOURCE /* O_PATH */
#include "host/named_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/util.h"

static int below_fd = -1; /* the folder of --files; set before there are threads */

/* --- the folder of --files ---------------------------------------------------------------------------------------- */

/* Opens a folder below the one of --files; path "": the folder itself. */
static int open_below(const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	long fd = below_fd >= 0 ? syscall(SYS_openat2, below_fd, path[0] != '\0' ? path : ".", &how, sizeof(how)) : -1;

	if (below_fd < 0)
		return -EACCES;
	return fd >= 0 ? (int)fd : -errno;
}

int pt_named_set_folder(const char *folder, struct pt_err *err)
{
	int fd;

	if (below_fd >= 0)
		close(below_fd);
	below_fd = folder != NULL ? open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	if (folder == NULL)
		return 0;
	if (below_fd < 0)
		return pt_fail(err, PT_EARG, "%.200s is no folder to keep files in: %s", folder, strerror(errno));
	fd = open_below("");
	if (fd >= 0)
		close(fd);
	return fd >= 0 ? 0 : pt_fail(err, PT_EARG, "names cannot be kept below %.200s: %s", folder, pt_named_why(-fd));
}

bool pt_named_has_folder(void)
{
	return below_fd >= 0;
}

/* --- a name's folder ---------------------------------------------------------------------------------------------- */

int pt_named_folder(const char *name, const char **leaf)
{
	bool below = pt_named_is_below(name);
	const char *path = below ? name + strlen(PT_NAMED_BELOW) : name, *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	int fd;

	*leaf = slash != NULL ? slash + 1 : path;
	if ((*leaf)[0] == '\0' || strcmp(*leaf, ".") == 0 || strcmp(*leaf, "..") == 0)
		return path[0] == '\0' ? -ENOENT : -EISDIR;
	if ((size_t)(*leaf - path) >= sizeof(folder))
		return -ENAMETOOLONG;
	snprintf(folder, sizeof(folder), "%.*s", (int)(*leaf - path), path);
	if (below)
		return open_below(folder);
	fd = open(folder[0] != '\0' ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 ? fd : -errno;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* A link may be followed if the folder is not sticky, or if the link is our own: in a sticky folder other users cannot
 * replace it. */
static bool may_follow(int folder, const char *leaf)
{
	struct stat of_folder, link;

	if (fstat(folder, &of_folder) < 0 || fstatat(folder, leaf, &link, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	return (of_folder.st_mode & S_ISVTX) == 0 || link.st_uid == geteuid();
}

static int open_leaf(int folder, const char *leaf, int flags, bool below)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY;
	int fd = openat(folder, leaf, flags | (below || writes ? O_NOFOLLOW : 0), 0666);

	if (fd < 0 && errno == ELOOP && !below && writes && may_follow(folder, leaf))
		fd = openat(folder, leaf, flags, 0666);
	return fd >= 0 ? fd : -errno;
}

static int open_in_folder(const char *name, int flags, bool below)
{
	const char *leaf;
	int folder = pt_named_folder(name, &leaf), fd;

	if (folder < 0)
		return folder;
	fd = open_leaf(folder, leaf, flags, below);
	close(folder);
	return fd;
}

/* In these file systems a regular file may be a setting of the kernel, or the memory of another process. */
static bool is_of_kernel(int fd)
{
	static const long magics[] = { PROC_SUPER_MAGIC,   SYSFS_MAGIC,	     DEBUGFS_MAGIC,    TRACEFS_MAGIC,
				       CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, SECURITYFS_MAGIC, BPF_FS_MAGIC };
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return false;
	for (size_t i = 0; i < PT_LEN(magics); i++)
		if ((long)fs.f_type == magics[i])
			return true;
	return false;
}

static int check_kind(int fd, enum pt_named_kind kind)
{
	struct stat what;

	if (fstat(fd, &what) < 0)
		return -errno;
	if (S_ISDIR(what.st_mode))
		return -EISDIR;
	if (S_ISREG(what.st_mode) && !is_of_kernel(fd))
		return 0;
	if (kind == PT_NAMED_STREAM && (S_ISCHR(what.st_mode) || S_ISFIFO(what.st_mode)))
		return 0;
	return -EMEDIUMTYPE;
}

int pt_named_open(const char *name, int flags, enum pt_named_kind kind)
{
	bool below = pt_named_is_below(name);
	int fd, rc;

	flags |= O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	if (below || (flags & O_ACCMODE) != O_RDONLY)
		fd = open_in_folder(name, flags, below);
	else if ((fd = openat(AT_FDCWD, name, flags)) < 0)	/* the folder matters to those who write alone */
		fd = -errno;
	rc = fd >= 0 ? check_kind(fd, below ? PT_NAMED_FILE : kind) : fd;
	if (rc < 0 && fd >= 0)
		close(fd);
	return rc < 0 ? rc : fd;
}

void pt_named_remove(const char *name)
{
	const char *leaf;
	int folder = pt_named_folder(name, &leaf);

	if (folder < 0)
		return;
	(void)!unlinkat(folder, leaf, 0);
	close(folder);
}

const char *pt_named_why(int error)
{
	switch (error) {
	case EMEDIUMTYPE:
	case ENXIO: /* a FIFO that no process reads, or a socket */
		return "it is not a regular file";
	case EXDEV:
		return "it leads out of the folder of --files";
	case ELOOP:
		return "it is, or leads through, a symbolic link that is not followed";
	case ENOSYS:
		return "this kernel has no openat2 (Linux 5.6 has it)";
	default:
		return strerror(error);
	}
}

static const char *what_helps(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return "make its folder first, or name a file in one that exists";
	case EISDIR:
		return "name a file in it";
	case EACCES:
	case EPERM:
	case EROFS:
		return "name a file where this user may write";
	case ENOSPC:
	case EDQUOT:
		return "make room, or name a file on another disk";
	case ELOOP:
		return "name the file itself";
	case EEXIST:
		return "name a new file";
	default:
		return "name another file";
	}
}

int pt_named_cannot_write(const char *name, int error, struct pt_err *err)
{
	pt_fail(err, PT_EARG, "%.200s cannot be written: %s", name, pt_named_why(error));
	return pt_advise(err, "%s", what_helps(error));
}
