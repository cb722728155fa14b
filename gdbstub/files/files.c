#include "gdbstub/files/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

struct pt_files {
	atomic_uint refs;
	pthread_mutex_t lock;		/* guards the members below; never held during disk access */
	char dir[PT_FILES_PATH_BYTES];	/* "": not created yet */
};

struct pt_files *pt_files_new(void)
{
	struct pt_files *files = pt_alloc(sizeof(*files));

	atomic_init(&files->refs, 1);
	pthread_mutex_init(&files->lock, NULL);
	return files;
}

struct pt_files *pt_files_ref(struct pt_files *files)
{
	atomic_fetch_add_explicit(&files->refs, 1, memory_order_relaxed);
	return files;
}

void pt_files_unref(struct pt_files *files)
{
	if (files == NULL || atomic_fetch_sub_explicit(&files->refs, 1, memory_order_acq_rel) != 1)
		return;
	pthread_mutex_destroy(&files->lock);
	free(files);
}

/* False: there is none. */
static bool get_dir(struct pt_files *files, char dir[PT_FILES_PATH_BYTES])
{
	pthread_mutex_lock(&files->lock);
	memcpy(dir, files->dir, PT_FILES_PATH_BYTES);
	pthread_mutex_unlock(&files->lock);
	return dir[0] != '\0';
}

/* The first directory is kept. */
static bool set_dir(struct pt_files *files, char dir[PT_FILES_PATH_BYTES])
{
	bool is_first;

	pthread_mutex_lock(&files->lock);
	is_first = files->dir[0] == '\0';
	if (is_first)
		memcpy(files->dir, dir, PT_FILES_PATH_BYTES);
	else
		memcpy(dir, files->dir, PT_FILES_PATH_BYTES);
	pthread_mutex_unlock(&files->lock);
	return is_first;
}

static int make(struct pt_files *files, char dir[PT_FILES_PATH_BYTES])
{
	const char *tmp = getenv("TMPDIR");
	char made[PT_FILES_PATH_BYTES];

	if (get_dir(files, dir))
		return 0;
	if ((size_t)snprintf(dir, PT_FILES_PATH_BYTES, "%s/proftap-files-XXXXXX", tmp != NULL ? tmp : "/tmp") >=
	    PT_FILES_PATH_BYTES)
		return -ENAMETOOLONG;
	if (mkdtemp(dir) == NULL)
		return -errno;
	memcpy(made, dir, sizeof(made));
	if (!set_dir(files, dir))
		rmdir(made);
	return 0;
}

int pt_files_path(struct pt_files *files, const char *name, char *path, size_t room)
{
	char dir[PT_FILES_PATH_BYTES];
	int rc = make(files, dir);

	if (rc < 0)
		return rc;
	return (size_t)snprintf(path, room, "%s/%s", dir, name) < room ? 0 : -ENAMETOOLONG;
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
	char path[2 * PT_FILES_PATH_BYTES], dir[PT_FILES_PATH_BYTES];

	if (!get_dir(files, dir))
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return unlink(path) < 0 ? -errno : 0;
}

/* Calls each with every file; the directory has no others. */
static void visit(const char *folder, void (*each)(const char *path, void *arg), void *arg)
{
	char path[PT_FILES_PATH_BYTES + sizeof(((struct dirent *)NULL)->d_name) + 1];
	DIR *dir = opendir(folder);

	for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
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
	char dir[PT_FILES_PATH_BYTES];
	uint64_t used = 0;

	if (get_dir(files, dir))
		visit(dir, add_size, &used);
	return used + more_bytes > PT_FILES_MOST_BYTES || used + more_bytes < used ? -ENOSPC : 0;
}

static void remove_one(const char *path, void *arg)
{
	(void)arg;
	unlink(path);
}

void pt_files_remove(struct pt_files *files)
{
	char dir[PT_FILES_PATH_BYTES];

	if (!get_dir(files, dir))
		return;
	visit(dir, remove_one, NULL);
	rmdir(dir);
	pthread_mutex_lock(&files->lock);
	files->dir[0] = '\0';
	pthread_mutex_unlock(&files->lock);
}
