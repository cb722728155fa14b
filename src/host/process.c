/* A process is read through a descriptor of its folder in /proc: if another process gets the same number meanwhile, it
 * is not mistaken for the first. Source: proc(5). */
#define _GNU_SOURCE /* O_PATH */
#include "host/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PROCESSES = 16384, MOST_FDS = 4096, MOST_PARENTS = 4 };

/* -1: no such process, or another user's. */
static int open_process(const char *number)
{
	char path[40];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s", number);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || (fstat(fd, &st) == 0 && st.st_uid == geteuid()))
		return fd;
	close(fd);
	return -1;
}

static ssize_t read_entry(int process, const char *entry, char *bytes, size_t room)
{
	int fd = openat(process, entry, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -1;
	while (n > 0 && len < room) {
		n = read(fd, bytes + len, room - len);
		len += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	return n < 0 ? -1 : (ssize_t)len;
}

static bool has_socket(int process, unsigned long inode)
{
	int folder = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *fds = folder >= 0 ? fdopendir(folder) : NULL;
	char wanted[40], link[40];
	const struct dirent *entry;
	bool found = false;

	if (fds == NULL && folder >= 0)
		close(folder);
	snprintf(wanted, sizeof(wanted), "socket:[%lu]", inode);
	for (int i = 0; fds != NULL && !found && i < MOST_FDS && (entry = readdir(fds)) != NULL; i++) {
		ssize_t n = readlinkat(dirfd(fds), entry->d_name, link, sizeof(link) - 1);

		if (n > 0)
			link[n] = '\0';
		found = n > 0 && strcmp(link, wanted) == 0;
	}
	if (fds != NULL)
		closedir(fds);
	return found;
}

/* Returns the pid of the process that has the socket; 0: no process of ours has it. */
static pid_t find_owner(unsigned long inode)
{
	DIR *processes = opendir("/proc");
	const struct dirent *entry;
	pid_t owner = 0;

	for (int i = 0; processes != NULL && owner == 0 && i < MOST_PROCESSES; i++) {
		int process;

		entry = readdir(processes);
		if (entry == NULL)
			break;
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		process = open_process(entry->d_name);
		if (process >= 0 && has_socket(process, inode))
			owner = (pid_t)strtol(entry->d_name, NULL, 10);
		if (process >= 0)
			close(process);
	}
	if (processes != NULL)
		closedir(processes);
	return owner;
}

/* 0: not known. The name in the line may contain blanks and parentheses. */
static pid_t parent_of(int process)
{
	char line[512];
	ssize_t n = read_entry(process, "stat", line, sizeof(line) - 1);
	const char *behind;
	int parent = 0;

	line[n > 0 ? n : 0] = '\0';
	behind = strrchr(line, ')');
	if (behind == NULL || sscanf(behind + 1, " %*c %d", &parent) != 1)
		return 0;
	return parent;
}

static bool ends_in(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return strstr(slash != NULL ? slash + 1 : path, name) != NULL;
}

/* Compares the name of the program's file, or, if a loader runs it, the first word of its command line. */
static bool is_called(int process, const char *words, const char *name)
{
	char file[PATH_MAX];
	ssize_t n = readlinkat(process, "exe", file, sizeof(file) - 1);

	file[n > 0 ? n : 0] = '\0';
	return ends_in(file, name) || ends_in(words, name);
}

static bool read_process(int process, const char *name, struct pt_process *found)
{
	ssize_t n = read_entry(process, "cmdline", found->words, sizeof(found->words));

	while (n > 0 && found->words[n - 1] != '\0')	/* the last word is cut */
		n--;
	if (n <= 0 || !is_called(process, found->words, name))
		return false;
	found->words_bytes = (size_t)n;
	n = readlinkat(process, "cwd", found->folder, sizeof(found->folder) - 1);
	found->folder[n > 0 ? n : 0] = '\0';
	return true;
}

bool pt_process_find(const struct pt_peer_end *end, const char *name, struct pt_process *found)
{
	pid_t pid = end->pid > 0 ? end->pid : end->inode != 0 ? find_owner(end->inode) : 0;

	for (int i = 0; pid > 1 && i <= MOST_PARENTS; i++) {
		char number[20];
		int process;
		bool is_it;

		snprintf(number, sizeof(number), "%d", (int)pid);
		process = open_process(number);
		if (process < 0)
			return false;
		found->pid = pid;
		is_it = read_process(process, name, found);
		pid = parent_of(process);
		close(process);
		if (is_it)
			return true;
	}
	return false;
}
