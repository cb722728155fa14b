/* The MDM through a child process that takes XSDB's documented commands (UG1725): mb_drrd, mb_drwr, mdm_drrd, mdm_drwr.
 *
 * XSDB is a Tcl shell whose own output is meant for people, so each command is sent in a line that prints its result
 * after a number of ours:
 *	puts "proftap 12 [catch {mb_drrd -which 0 0x76 36} r] $r"
 * answers "proftap 12 0 0000001F4"; with 1 instead of 0 the command failed, and the text says why. Other lines are
 * XSDB's own output; the last one is kept for error messages. Commands are pipelined, at most MOST_OPEN without an
 * answer. stderr goes to stdout. At the end the child gets the command exit, and is killed if it does not end. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "targets/microblaze/mdm.h"
#include "targets/microblaze/settings.h"
#include "base/util.h"

extern char **environ;

enum { MOST_WORDS = 8, MOST_OPEN = 64, SLICE_MS = 50, FIRST_FACTOR = 5, EXIT_WAIT_MS = 200 };

static uint64_t monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* --- the child */

static int spawn(struct pt_mdm_xsdb *x, struct pt_err *err)
{
	char *words[MOST_WORDS + 1] = { NULL }, command[sizeof(x->command)], *save = NULL;
	posix_spawn_file_actions_t files;
	int fd[2], rc;

	snprintf(command, sizeof(command), "%s", x->command);
	for (size_t n = 0; n < MOST_WORDS; n++) {
		words[n] = strtok_r(n == 0 ? command : NULL, " ", &save);
		if (words[n] == NULL)
			break;
	}
	if (words[0] == NULL)
		return pt_fail(err, PT_EARG, "mdm.xsdb names no program");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0)
		return pt_fail(err, PT_EIO, "xsdb: %s", strerror(errno));
	posix_spawn_file_actions_init(&files);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&files, fd[1], i);
	rc = posix_spawnp(&x->pid, words[0], &files, NULL, words, environ);
	posix_spawn_file_actions_destroy(&files);
	close(fd[1]);
	if (rc != 0) {
		close(fd[0]);
		return pt_fail(err, PT_EIO, "cannot start %s: %s", words[0], strerror(rc));
	}
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	x->fd = fd[0];
	return 0;
}

/* Waits a short time for the child to end, then kills it. */
static int reap(struct pt_mdm_xsdb *x)
{
	uint64_t until_ms = monotonic_ms() + EXIT_WAIT_MS;
	int status = 0;

	while (waitpid(x->pid, &status, WNOHANG) == 0) {
		if (monotonic_ms() >= until_ms)
			kill(x->pid, SIGKILL);
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
	}
	x->pid = 0;
	return status;
}

static void xsdb_close(struct pt_mdm *mdm)
{
	struct pt_mdm_xsdb *x = &mdm->xsdb;

	if (x->fd < 0)
		return;
	send(x->fd, "exit\n", 5, MSG_NOSIGNAL);
	close(x->fd);
	x->fd = -1;
	if (x->pid > 0)
		reap(x);
}

static int gone(struct pt_mdm_xsdb *x, struct pt_err *err)
{
	int status = 0;

	close(x->fd);
	x->fd = -1;
	if (x->pid > 0)
		status = reap(x);
	return pt_fail(err, PT_EIO, "xsdb has ended (%s %d)%s%s; start the profile anew to start it again",
		       WIFSIGNALED(status) ? "signal" : "status",
		       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
		       x->last[0] != '\0' ? "; its last words: " : "", x->last);
}

/* --- lines */

/* Sends the whole text. The child reads between commands, so its input may be full for a while. */
static int send_all(struct pt_mdm_xsdb *x, const char *text, size_t len, struct pt_err *err)
{
	uint64_t until_ms = monotonic_ms() + x->timeout_ms;

	while (len > 0) {
		ssize_t n = send(x->fd, text, len, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return gone(x, err);
		if (n > 0) {
			text += n;
			len -= (size_t)n;
			continue;
		}
		if (monotonic_ms() >= until_ms)
			return pt_fail(err, PT_EIO, "xsdb takes no commands any more");
		poll(&(struct pollfd){ .fd = x->fd, .events = POLLOUT }, 1, SLICE_MS);
	}
	return 0;
}

/* Takes the first complete line of what was received; a line longer than the buffer is cut. */
static bool take_line(struct pt_mdm_xsdb *x, char *line, size_t room)
{
	char *end = memchr(x->in, '\n', x->n_in);
	size_t len = end != NULL ? (size_t)(end - x->in) : x->n_in, copied = len < room ? len : room - 1;

	if (end == NULL && x->n_in < sizeof(x->in))
		return false;
	memcpy(line, x->in, copied);
	line[copied] = '\0';
	line[strcspn(line, "\r")] = '\0';
	len += end != NULL;
	memmove(x->in, x->in + len, x->n_in - len);
	x->n_in -= len;
	return true;
}

static int next_line(struct pt_mdm_xsdb *x, uint64_t until_ms, char *line, size_t room, struct pt_err *err)
{
	while (!take_line(x, line, room)) {
		ssize_t n = recv(x->fd, x->in + x->n_in, sizeof(x->in) - x->n_in, 0);

		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return gone(x, err);
		if (n > 0) {
			x->n_in += (size_t)n;
			continue;
		}
		if (monotonic_ms() >= until_ms)
			return pt_fail(err, PT_ETIMEOUT, "xsdb has not answered for %u ms%s%s", (unsigned)x->timeout_ms,
				       x->last[0] != '\0' ? "; its last words: " : "", x->last);
		poll(&(struct pollfd){ .fd = x->fd, .events = POLLIN }, 1, SLICE_MS);
	}
	return 0;
}

/* Waits for the answer to command number seq; older answers are of commands that timed out. text: the rest after the
 * status. */
static int answer(struct pt_mdm_xsdb *x, uint32_t seq, uint64_t until_ms, char *text, size_t room, struct pt_err *err)
{
	char line[PT_XSDB_LINE];
	unsigned number, failed;
	int at;

	for (;;) {
		if (next_line(x, until_ms, line, sizeof(line), err) < 0)
			return err->code;
		at = -1;
		/* an interactive shell prints its prompt first */
		if (strstr(line, "proftap ") == NULL ||
		    sscanf(strstr(line, "proftap "), "proftap %u %u%n", &number, &failed, &at) != 2 || at < 0) {
			if (line[0] != '\0')
				snprintf(x->last, sizeof(x->last), "%.150s", line);
			continue;
		}
		if (number != seq)
			continue;
		snprintf(text, room, "%s", strstr(line, "proftap ") + at + (strstr(line, "proftap ")[at] == ' '));
		return failed == 0 ? 0 : pt_fail(err, PT_EFAULT, "xsdb: %s", text);
	}
}

static int ask(struct pt_mdm_xsdb *x, uint32_t timeout_ms, const char *command, struct pt_err *err)
{
	char line[PT_XSDB_LINE], text[PT_XSDB_LINE];
	uint32_t seq = ++x->seq;
	int len = snprintf(line, sizeof(line), "puts \"proftap %" PRIu32 " [catch {%s} r] $r\"; flush stdout\n", seq,
			   command);

	if (send_all(x, line, (size_t)len, err) < 0)
		return err->code;
	return answer(x, seq, monotonic_ms() + timeout_ms, text, sizeof(text), err);
}

/* --- start */

static int xsdb_open(struct pt_mdm *mdm, const struct pt_params *settings, struct pt_err *err)
{
	const char *program = pt_params_text(settings, &pt_mb_settings[PT_MDM_XSDB]);
	const struct pt_param *target = &pt_mb_settings[PT_MDM_XSDB_TARGET];
	struct pt_mdm_xsdb *x = &mdm->xsdb;
	char command[200];

	if (program == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "mdm.xsdb=PROGRAM is missing: AMD's xsdb");
	*x = (struct pt_mdm_xsdb){ .fd = -1 };
	snprintf(x->command, sizeof(x->command), "%s", program);
	x->timeout_ms = (uint32_t)(pt_params_number(settings, &pt_mb_settings[PT_MDM_XSDB_TIMEOUT]) / PT_NS_PER_MS);
	if (spawn(x, err) < 0)
		return err->code;
	snprintf(command, sizeof(command), "connect -url tcp:%s:%" PRIu64,
		 pt_params_text(settings, &pt_mb_settings[PT_MDM_XSDB_HOST]),
		 pt_params_number(settings, &pt_mb_settings[PT_MDM_TCF_PORT]));
	if (ask(x, FIRST_FACTOR * x->timeout_ms, command, err) < 0)
		goto close;
	if (pt_params_given(settings, target))
		snprintf(x->prefix, sizeof(x->prefix), "-target-id %" PRIu64 " ", pt_params_number(settings, target));
	else if (ask(x, x->timeout_ms, "targets -set -filter {name =~ \"MicroBlaze Debug Module*\"}", err) < 0)
		goto close;
	return 0;
close:
	xsdb_close(mdm);
	return pt_wrap(err, "%.60s", program);
}

/* --- registers */

static int put_command(const struct pt_mdm *mdm, const struct pt_mdm_op *op, uint32_t i, uint32_t seq, char *line)
{
	uint64_t value = op->values != NULL && op->what == PT_MDM_WRITE ? op->values[i] : op->value;
	const char *name = op->own ? (op->what == PT_MDM_READ ? "mdm_drrd" : "mdm_drwr")
				   : (op->what == PT_MDM_READ ? "mb_drrd" : "mb_drwr");
	char which[24] = "", data[24] = "";

	if (!op->own)
		snprintf(which, sizeof(which), "-which %d ", mdm->selected > 0 ? mdm->selected : 0);
	if (op->what == PT_MDM_WRITE)
		snprintf(data, sizeof(data), "0x%" PRIx64 " ", value);
	return snprintf(line, PT_XSDB_LINE,
			"puts \"proftap %" PRIu32 " [catch {%s %s%s0x%02x %s%u} r] $r\"; flush stdout\n", seq, name,
			mdm->xsdb.prefix, which, op->command, data, op->bits);
}

static int parse_value(const char *text, const struct pt_mdm_op *op, uint64_t *value, struct pt_err *err)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 16);
	while (*end == ' ')
		end++;
	if (end == text || *end != '\0' || errno != 0 || (op->bits < 64 && *value >> op->bits != 0))
		return pt_fail(err, PT_EPROTO, "xsdb: \"%.60s\" is no value of %u bits", text, op->bits);
	return 0;
}

/* Runs accesses first to end - 1 of one operation: sends all commands, then reads the answers up to the first
 * failure. */
static int run_part(struct pt_mdm *mdm, struct pt_mdm_op *op, uint32_t first, uint32_t end, struct pt_err *err)
{
	struct pt_mdm_xsdb *x = &mdm->xsdb;
	char line[PT_XSDB_LINE], text[PT_XSDB_LINE];
	uint32_t seq = x->seq + 1;
	struct pt_err own = { 0 };

	for (uint32_t i = first; i < end; i++) {
		int len = put_command(mdm, op, i, ++x->seq, line);

		if (send_all(x, line, (size_t)len, err) < 0)
			return err->code;
	}
	for (uint32_t i = first; i < end; i++) {
		int rc = answer(x, seq + (i - first), monotonic_ms() + x->timeout_ms, text, sizeof(text), &own);

		if (rc == 0 && op->what == PT_MDM_READ)
			rc = parse_value(text, op, &op->value, &own);
		if (rc < 0) {
			*err = own;
			return rc;
		}
		if (op->what == PT_MDM_READ && op->values != NULL)
			op->values[i] = op->value;
	}
	return 0;
}

static int xsdb_run(struct pt_mdm *mdm, struct pt_mdm_op *ops, size_t n_ops, size_t *n_done, struct pt_err *err)
{
	if (mdm->xsdb.fd < 0)
		return pt_fail(err, PT_EIO, "xsdb has ended");
	for (; *n_done < n_ops; (*n_done)++) {
		struct pt_mdm_op *op = &ops[*n_done];
		uint32_t n = op->n > 0 ? op->n : 1;

		op->sent_ns = pt_mdm_now_ns(mdm);
		for (uint32_t first = 0, end; first < n; first = end) {
			end = n - first > MOST_OPEN ? first + MOST_OPEN : n;
			if (run_part(mdm, op, first, end, err) < 0)
				return err->code;
		}
		op->done_ns = pt_mdm_now_ns(mdm);
	}
	return 0;
}

static void xsdb_describe(const struct pt_mdm *mdm, char *line, size_t room)
{
	snprintf(line, room, "%s (pid %d)", mdm->xsdb.command, mdm->xsdb.pid);
}

const struct pt_mdm_access pt_mdm_xsdb = {
	.name = "xsdb",
	.open = xsdb_open,
	.close = xsdb_close,
	.run = xsdb_run,
	.describe = xsdb_describe,
};
