#include "gdbstub/files/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int make(struct pt_files *files)
{
	const char *tmp = getenv("TMPDIR");
	char dir[PT_FILES_PATH_BYTES];

	if (files->dir[0] != '\0')
		return 0;
	if ((size_t)snprintf(dir, sizeof(dir), "%s/proftap-files-XXXXXX", tmp != NULL ? tmp : "/tmp") >= sizeof(dir))
		return -ENAMETOOLONG;
	if (mkdtemp(dir) == NULL)
		return -errno;
	memcpy(files->dir, dir, sizeof(dir));
	return 0;
}

int pt_files_path(struct pt_files *files, const char *name, char *path, size_t room)
{
	int rc = make(files);

	if (rc < 0)
		return rc;
	return (size_t)snprintf(path, room, "%s/%s", files->dir, name) < room ? 0 : -ENAMETOOLONG;
}

int pt_files_open(struct pt_files *files, const char *name, int flags)
{
	char path[2 * PT_FILES_PATH_BYTES];
	int rc = pt_files_path(files, name, path, sizeof(path));

	if (rc < 0)
		return rc;
	rc = open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
	return rc < 0 ? -errno : rc;
}

int pt_files_unlink(struct pt_files *files, const char *name)
{
	char path[2 * PT_FILES_PATH_BYTES];

	if (files->dir[0] == '\0')
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/%s", files->dir, name);
	return unlink(path) < 0 ? -errno : 0;
}

/* Calls each with every file; the directory has no others. */
static void visit(const struct pt_files *files, void (*each)(const char *path, void *arg), void *arg)
{
	char path[PT_FILES_PATH_BYTES + sizeof(((struct dirent *)NULL)->d_name) + 1];
	DIR *dir = files->dir[0] != '\0' ? opendir(files->dir) : NULL;

	for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
		snprintf(path, sizeof(path), "%s/%s", files->dir, entry->d_name);
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			each(path, arg);
	}
	if (dir != NULL)
		closedir(dir);
}

static void add_size(const char *path, void *arg)
{
	struct stat info;

	if (lstat(path, &info) == 0 && S_ISREG(info.st_mode))
		*(uint64_t *)arg += (uint64_t)info.st_size;
}

int pt_files_room(struct pt_files *files, uint64_t more_bytes)
{
	uint64_t used = 0;

	visit(files, add_size, &used);
	return used + more_bytes > PT_FILES_MOST_BYTES || used + more_bytes < used ? -ENOSPC : 0;
}

static void remove_one(const char *path, void *arg)
{
	(void)arg;
	unlink(path);
}

void pt_files_remove(struct pt_files *files)
{
	visit(files, remove_one, NULL);
	if (files->dir[0] != '\0')
		rmdir(files->dir);
	files->dir[0] = '\0';
}
