/* Nodes are compared by device and inode, not by name: a device may have several names. Source: proc(5). */
#include "host/owners.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PROCESSES = 16384, MOST_FDS = 4096, MOST_NODES = 4 };

struct nodes { struct stat st[MOST_NODES]; size_t n; };

static bool is_one_of(const struct nodes *nodes, const struct stat *open)
{
	for (size_t i = 0; i < nodes->n; i++)
		if (nodes->st[i].st_dev == open->st_dev && nodes->st[i].st_ino == open->st_ino)
			return true;
	return false;
}

static bool has_open(const char *pid, const struct nodes *nodes)
{
	char path[64];
	const struct dirent *entry;
	bool found = false;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	fds = opendir(path);
	for (int i = 0; fds != NULL && !found && i < MOST_FDS && (entry = readdir(fds)) != NULL; i++) {
		struct stat st;

		found = entry->d_name[0] != '.' && fstatat(dirfd(fds), entry->d_name, &st, 0) == 0 &&
			is_one_of(nodes, &st);
	}
	if (fds != NULL)
		closedir(fds);
	return found;
}

static void name_process(struct pt_owner *owner)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)owner->pid);
	f = fopen(path, "re");
	if (f == NULL || fgets(owner->name, sizeof(owner->name), f) == NULL)
		snprintf(owner->name, sizeof(owner->name), "a program");
	if (f != NULL)
		fclose(f);
	for (char *at = owner->name; *at != '\0'; at++)
		if (*at < ' ' || *at > '~')
			*at = at[0] == '\n' && at[1] == '\0' ? '\0' : '?';
}

static int by_number(const void *a, const void *b)
{
	const struct pt_owner *one = a, *other = b;

	return (one->pid < other->pid) - (one->pid > other->pid);
}

size_t pt_owners_of(const char *const *nodes, size_t n_nodes, struct pt_owner *out, size_t max)
{
	struct nodes all = { .n = 0 };
	const struct dirent *entry;
	size_t n = 0;
	DIR *processes;

	for (size_t i = 0; i < n_nodes && all.n < MOST_NODES; i++)
		all.n += stat(nodes[i], &all.st[all.n]) == 0;
	processes = all.n > 0 ? opendir("/proc") : NULL;
	for (int i = 0; processes != NULL && n < max && i < MOST_PROCESSES; i++) {
		entry = readdir(processes);
		if (entry == NULL)
			break;
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || !has_open(entry->d_name, &all))
			continue;
		out[n].pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (out[n].pid == getpid())	/* this process has just tried to open it */
			continue;
		name_process(&out[n++]);
	}
	if (processes != NULL)
		closedir(processes);
	if (n > 0)
		qsort(out, n, sizeof(*out), by_number);
	return n;
}

const char *pt_owners_say(const struct pt_owner *owners, size_t n, char *text, size_t room)
{
	size_t len =
		(size_t)snprintf(text, room, "%s", n == 0 ? "another program, which this user may not look at" : "");

	for (size_t i = 0; i < n && len < room; i++)
		len += (size_t)snprintf(text + len, room - len, "%s%s (process %d)", i > 0 ? ", " : "", owners[i].name,
					(int)owners[i].pid);
	return text;
}
