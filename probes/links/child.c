/* A child has one socket as its standard input and output. */
#include "probes/links/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/clock.h"
#include "base/util.h"

enum { FAREWELL_MS = 500 };

extern char **environ;

/* The child ignores no signal that we do, and is not hit by a Ctrl-C at our terminal. */
static int spawn(const char *command, int fd, pid_t *child)
{
	char *const argv[] = { "sh", "-c", (char *)(uintptr_t)command, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int rc;

	sigemptyset(&none);
	sigfillset(&all);
	sigdelset(&all, SIGKILL);
	sigdelset(&all, SIGSTOP);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fd, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, fd, STDOUT_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	rc = posix_spawn(child, "/bin/sh", &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

int pt_child_start(const char *command, pid_t *child, struct pt_err *err)
{
	int ends[2], rc;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return pt_fail(err, PT_EIO, "|%s: %s", command, strerror(errno));
	rc = spawn(command, ends[1], child);
	close(ends[1]);
	if (rc != 0) {
		close(ends[0]);
		return pt_fail(err, PT_EIO, "|%s: %s", command, strerror(rc));
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	return ends[0];
}

static bool has_ended(pid_t child, uint64_t until_ns)
{
	const struct timespec nap = { .tv_nsec = 2000000 };

	while (waitpid(child, NULL, WNOHANG) == 0) {
		if (pt_host_now_ns() >= until_ns)
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

void pt_child_reap(pid_t child)
{
	uint64_t now_ns = pt_host_now_ns();

	if (has_ended(child, now_ns + FAREWELL_MS / 2 * PT_NS_PER_MS))
		return;
	kill(-child, SIGTERM);
	if (has_ended(child, now_ns + FAREWELL_MS * PT_NS_PER_MS))
		return;
	kill(-child, SIGKILL);
	waitpid(child, NULL, 0);
}
