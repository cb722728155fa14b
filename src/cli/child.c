#include "cli/child.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "base/util.h"

enum { MOST_WORDS = 100, GRACE_MS = 10000 };

struct child {
	uv_process_t process;
	uv_timer_t timer;
	int64_t status;
	int signal;
	bool ended, late;
};

static void on_exit(uv_process_t *process, int64_t status, int signum)
{
	struct child *child = process->data;

	child->status = status;
	child->signal = signum;
	child->ended = true;
	uv_close((uv_handle_t *)process, NULL);
	uv_close((uv_handle_t *)&child->timer, NULL);
}

/* First SIGTERM, so that it can restore the chip. */
static void on_deadline(uv_timer_t *timer)
{
	struct child *child = timer->data;

	uv_process_kill(&child->process, child->late ? SIGKILL : SIGTERM);
	child->late = true;
}

static void read_back(FILE *file, struct pt_text *text)
{
	char piece[4096];
	size_t n;

	rewind(file);
	while ((n = fread(piece, 1, sizeof(piece), file)) > 0)
		pt_text_add(text, "%.*s", (int)n, piece);
}

static int spawn(struct child *child, uv_loop_t *loop, char **argv, FILE *out, FILE *said, struct pt_err *err)
{
	uv_stdio_container_t stdio[3] = {
		{ .flags = UV_IGNORE },
		{ .flags = UV_INHERIT_FD, .data.fd = fileno(out) },
		{ .flags = UV_INHERIT_FD, .data.fd = fileno(said) },
	};
	const uv_process_options_t how = {
		.exit_cb = on_exit, .file = argv[0], .args = argv, .stdio_count = PT_LEN(stdio), .stdio = stdio,
	};
	int rc;

	child->process.data = child;
	child->timer.data = child;
	rc = uv_spawn(loop, &child->process, &how);
	return rc < 0 ? pt_fail(err, PT_EIO, "start %s: %s", argv[0], uv_strerror(rc)) : 0;
}

static int verdict(const struct child *child, uint64_t deadline_ms, struct pt_err *err)
{
	if (child->late)
		return pt_fail(err, PT_ETIMEOUT, "it did not come to an end within %.0f s", (double)deadline_ms / 1e3);
	if (child->signal != 0)
		return pt_fail(err, PT_EIO, "it was ended by signal %d, which is a fault of proftap", child->signal);
	return (int)child->status;
}

static int run(char **argv, uint64_t deadline_ms, FILE *out, FILE *said, struct pt_err *err)
{
	struct child child = { .status = 0 };
	uv_loop_t loop;
	int rc;

	if (uv_loop_init(&loop) < 0)
		return pt_fail(err, PT_ENOMEM, "too few file descriptors");
	rc = spawn(&child, &loop, argv, out, said, err);
	if (rc == 0) {
		uv_timer_init(&loop, &child.timer);
		uv_timer_start(&child.timer, on_deadline, deadline_ms, GRACE_MS);
	} else {
		uv_close((uv_handle_t *)&child.process, NULL);
	}
	uv_run(&loop, UV_RUN_DEFAULT);
	uv_loop_close(&loop);
	return rc < 0 ? rc : verdict(&child, deadline_ms, err);
}

int pt_child_run(const char *const *words, uint64_t deadline_ms, struct pt_text *out, struct pt_text *said,
		 struct pt_err *err)
{
	char path[4096], *argv[MOST_WORDS + 2] = { path };
	size_t size = sizeof(path), n = 0;
	FILE *files[2] = { tmpfile(), tmpfile() };
	int rc;

	for (; n < MOST_WORDS && words[n] != NULL; n++)
		argv[n + 1] = (char *)words[n];
	if (uv_exepath(path, &size) < 0 || files[0] == NULL || files[1] == NULL) {
		rc = pt_fail(err, PT_EIO, "proftap cannot start itself again: /proc or /tmp is not there");
	} else {
		rc = run(argv, deadline_ms, files[0], files[1], err);
		read_back(files[0], out);
		read_back(files[1], said);
	}
	for (size_t i = 0; i < PT_LEN(files); i++)
		if (files[i] != NULL)
			fclose(files[i]);
	return rc;
}
