#include "host/output_of.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/harmless.h"

extern char **environ;

enum { SAID_BYTES = 400 };

struct running {
	pid_t pid;
	int out, said;			/* -1: at its end */
	char error[SAID_BYTES];		/* the beginning of its standard error */
	size_t error_bytes;
};

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* A group of its own, so that its children can be killed, too. Returns 0 or errno. */
static int spawn(const char *const *words, int out, int said, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int rc;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, said, STDERR_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	rc = posix_spawnp(pid, words[0], &files, &attr, (char *const *)words, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return rc;
}

/* The program gets copies of its ends alone. */
static int make_pipe(int fds[2])
{
	if (pipe(fds) < 0)
		return -1;
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	fcntl(fds[1], F_SETFD, FD_CLOEXEC);
	return 0;
}

static int start(const char *const *words, struct running *r, struct pt_err *err)
{
	int out[2], said[2], rc;

	if (make_pipe(out) < 0)
		return pt_fail(err, PT_EIO, "no pipe: %s", strerror(errno));
	if (make_pipe(said) < 0) {
		close(out[0]);
		close(out[1]);
		return pt_fail(err, PT_EIO, "no pipe: %s", strerror(errno));
	}
	rc = spawn(words, out[1], said[1], &r->pid);
	close(out[1]);
	close(said[1]);
	r->out = out[0];
	r->said = said[0];
	if (rc == 0)
		return 0;
	close(r->out);
	close(r->said);
	if (rc == ENOENT)
		return pt_fail(err, PT_EUNSUPPORTED, "%s is not installed, or not in PATH", words[0]);
	return pt_fail(err, PT_EIO, "%s cannot be started: %s", words[0], strerror(rc));
}

/* Takes what there is of one of its two streams. Returns bytes, 0 at the end of it. */
static size_t take(struct running *r, int *fd, struct pt_text *out)
{
	char bytes[16384];
	ssize_t n = read(*fd, bytes, sizeof(bytes));

	if (n < 0 && errno == EINTR)
		return 1;
	if (n <= 0) {
		close(*fd);
		*fd = -1;
		return 0;
	}
	if (fd == &r->out) {
		pt_text_bytes(out, bytes, (size_t)n);
	} else {
		size_t room = sizeof(r->error) - 1 - r->error_bytes, part = (size_t)n < room ? (size_t)n : room;

		memcpy(r->error + r->error_bytes, bytes, part);
		r->error_bytes += part;
	}
	return (size_t)n;
}

static int read_to_the_end(struct running *r, const char *name, uint64_t deadline_ms, size_t most_bytes,
			   struct pt_text *out, struct pt_err *err)
{
	uint64_t until_ms = now_ms() + deadline_ms;

	while (r->out >= 0 || r->said >= 0) {
		struct pollfd fds[2] = { { .fd = r->out, .events = POLLIN }, { .fd = r->said, .events = POLLIN } };
		uint64_t ms = now_ms();

		if (ms >= until_ms || poll(fds, 2, (int)(until_ms - ms < 1000 ? until_ms - ms : 1000)) < 0) {
			if (ms < until_ms && errno == EINTR)
				continue;
			return pt_fail(err, PT_ETIMEOUT, "%s was not done in %" PRIu64 " s, and was ended", name,
				       deadline_ms / 1000);
		}
		if (fds[0].revents != 0)
			take(r, &r->out, out);
		if (fds[1].revents != 0)
			take(r, &r->said, out);
		if (out->overflow || out->len_bytes > most_bytes)
			return pt_fail(err, PT_ENOMEM, "%s printed more than %zu MB, and was ended", name,
				       most_bytes >> 20);
	}
	return 0;
}

static int end(struct running *r, const char *name, int rc, struct pt_err *err)
{
	int status = 0;

	if (rc < 0)
		kill(-r->pid, SIGKILL);
	if (r->out >= 0)
		close(r->out);
	if (r->said >= 0)
		close(r->said);
	while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (rc < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
		return rc;
	r->error[strcspn(r->error, "\n")] = '\0';
	return pt_fail(err, PT_EIO, "%s failed: %s", name,
		       r->error[0] != '\0' ? pt_harmless(r->error, "") : "it does not say why");
}

int pt_output_of(const char *const *words, uint64_t deadline_ms, size_t most_bytes, struct pt_text *out,
		 struct pt_err *err)
{
	struct running r = { .out = -1, .said = -1 };

	if (start(words, &r, err) < 0)
		return err->code;
	return end(&r, words[0], read_to_the_end(&r, words[0], deadline_ms, most_bytes, out, err), err);
}
