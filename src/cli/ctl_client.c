#include "cli/ctl_client.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/stdio_bridge.h"
#include "host/log.h"
#include "host/probe_notes.h"

#define SERVICE_SOCKET "/run/proftap/control"

/* A service has a folder of its own. Source: systemd.exec(5), RUNTIME_DIRECTORY. */
bool pt_ctl_own_address(char address[PT_CTL_ADDRESS], bool make)
{
	const char *folder = getenv("RUNTIME_DIRECTORY");
	size_t at = (size_t)snprintf(address, PT_CTL_ADDRESS, "unix:");

	if (folder != NULL && folder[0] == '/')
		return snprintf(address + at, PT_CTL_ADDRESS - at, "%s/control", folder) < (int)(PT_CTL_ADDRESS - at);
	return pt_note_path("control", "", address + at, PT_CTL_ADDRESS - at, make);
}

/* --- connecting --------------------------------------------------------------------------------------------------- */

static int connect_own(struct pt_err *err)
{
	char address[PT_CTL_ADDRESS];
	int fd = -1;

	if (pt_ctl_own_address(address, false))
		fd = pt_stdio_bridge_connect(address, err);
	else
		pt_fail(err, PT_EIO, "this user has no folder for sockets (XDG_RUNTIME_DIR)");
	if (fd < 0 && access(SERVICE_SOCKET, F_OK) == 0)
		fd = pt_stdio_bridge_connect("unix:" SERVICE_SOCKET, err);
	if (fd >= 0)
		err->code = 0;
	else
		pt_wrap(err,
			"no daemon with boards in sections ([board NAME]) answers here (--control names another socket)");
	return fd;
}

static bool send_line(int fd, const char *line, size_t len_bytes)
{
	for (ssize_t n; len_bytes > 0; line += n, len_bytes -= (size_t)n) {
		n = send(fd, line, len_bytes, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			n = 0;
		if (n < 0)
			return false;
	}
	return true;
}

static int send_request(int fd, json_t *request, struct pt_err *err)
{
	char *text = json_dumps(request, JSON_COMPACT);
	bool sent;

	if (text == NULL)
		return pt_fail(err, PT_EARG, "the command has bytes that are not UTF-8");
	sent = send_line(fd, text, strlen(text)) && send_line(fd, "\n", 1);
	free(text);
	return sent ? 0 : pt_fail(err, PT_EIO, "the daemon closed the connection: %s", strerror(errno));
}

/* --- the answer --------------------------------------------------------------------------------------------------- */

static void on_interrupt(int signum)
{
	signal(signum, SIG_DFL);	/* read() has been interrupted; a second one ends the process */
}

static void watch_interrupt(void)
{
	struct sigaction action = { .sa_handler = on_interrupt };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
}

/* The next line, parsed; rest keeps what came behind it. NULL: the daemon has gone, or does not speak so. */
static json_t *read_line(int fd, struct pt_text *rest)
{
	static const char cancel[] = "{\"cancel\":true}\n";
	char buf[8192];

	for (;;) {
		char *end = rest->len_bytes > 0 ? memchr(rest->bytes, '\n', rest->len_bytes) : NULL;
		ssize_t n;

		if (end != NULL) {
			size_t len = (size_t)(end - rest->bytes);
			json_t *line = json_loadb(rest->bytes, len, 0, NULL);

			memmove(rest->bytes, end + 1, rest->len_bytes - len - 1);
			rest->len_bytes -= len + 1;
			return line;
		}
		n = read(fd, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			send_line(fd, cancel, sizeof(cancel) - 1);
		else if (n <= 0 || rest->overflow)
			return NULL;
		else
			pt_text_bytes(rest, buf, (size_t)n);
	}
}

static json_t *read_answer(int fd, struct pt_err *err)
{
	struct pt_text rest = { 0 };
	const char *progress;
	json_t *line;

	while ((line = read_line(fd, &rest)) != NULL) {
		progress = json_string_value(json_object_get(line, "progress"));
		if (progress == NULL)
			break;
		pt_progress("%.*s", (int)strcspn(progress, "\n"), progress);
		json_decref(line);
	}
	pt_progress("%s", "");
	pt_text_free(&rest);
	if (!json_is_object(line)) {
		json_decref(line);
		pt_fail(err, PT_EIO, "the daemon ended before it answered");
		return NULL;
	}
	if (json_integer_value(json_object_get(line, "code")) < 0)
		pt_fail(err, (int)json_integer_value(json_object_get(line, "code")), "%s",
			json_string_value(json_object_get(line, "error")));
	return line;
}

json_t *pt_ctl_ask(const struct pt_options *options, json_t *request, struct pt_err *err)
{
	int fd = options->control != NULL ? pt_stdio_bridge_connect(options->control, err) : connect_own(err);
	json_t *answer = NULL;

	if (fd >= 0) {
		watch_interrupt();
		if (send_request(fd, request, err) == 0)
			answer = read_answer(fd, err);
		close(fd);
	}
	json_decref(request);
	return answer;
}
