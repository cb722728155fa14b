/* The whole GDB server: a virtual board on a virtual clock, its session, recorder and tasks as `proftap serve` has them,
 * and two clients on sockets. Whatever they send, nothing breaks, a client that comes afterwards is answered, and all of
 * it can be closed. An input is a character for the board (its low three bits) and the kind of server (the rest), and then a
 * conversation, a step on each line:
 *   ">text"  a packet            ":text"  a monitor command      "!text"  these bytes as they are
 *   "."      time passes         "#"      hang up, come again    a leading "2" makes it the second client's
 *   "*text"  a step that stub_words.h makes of the tables of packets, commands and parameters, text being its seed
 * Clients are the daemon's own user, so an input runs in a folder of its own, which is removed at the end. PT_FUZZ_TALK=1 prints
 * the conversation, for those who write seeds. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/rsp_frame.h"
#include "base/util.h"
#include "cli/app.h"
#include "control/changes.h"
#include "gdbstub/gdbstub.h"
#include "host/log.h"
#include "host/named_file.h"
#include "stub_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

enum { N_CLIENTS = 3, LATE = 2, MOST_STEPS = 64, MOST_BYTES = 8192, ANSWER_MS = 30, ATTACH_MS = 1000, PAUSE_MS = 10, DEADLINE_MS = 60000, NOBODY = 65534 };

#ifdef PT_FUZZ_UPSTREAM
enum { FIRST_STEP = 2 };
#else
enum { FIRST_STEP = 1 };
#endif

struct peer { int fd; struct pt_rsp rsp; uint8_t payload[70000]; };

/* The kind of server: 16 times this and 0 to 7, so that '0' is a plain one. FAULTY: its probe has faults, and is pulled out. FOREIGN:
 * the clients are another user's, where root runs it. */
enum kind { FOREIGN = 1, FAULTY, PLAIN, RESTRICTED, WITH_TOKEN, SEMIHOSTING, RUNS_ON };

static enum kind kind;
static struct pt_app rig;
static struct pt_gdbstub *stub;
static struct pt_changes *changes;
static struct peer peers[N_CLIENTS];
static char folder[] = "/tmp/proftap-fuzz.XXXXXX";
static int home = -1;		/* where the fuzzer has its own files */

static void die(const char *why)
{
	fprintf(stderr, "fuzz_stub: %s\n", why);
	if (home >= 0 && fchdir(home) != 0)	/* libFuzzer leaves the input there */
		fprintf(stderr, "fuzz_stub: %s\n", strerror(errno));
	abort();
}

/* --- the folder that an input runs in ------------------------------------------------------------------------------ */

static void remove_folder(void)	/* it has no folders */
{
	DIR *dir = opendir(folder);

	for (struct dirent *file; dir != NULL && (file = readdir(dir)) != NULL;)
		if (file->d_name[0] != '.')
			unlinkat(dirfd(dir), file->d_name, 0);
	if (dir != NULL)
		closedir(dir);
	rmdir(folder);
}

static void make_folder(void)
{
	if (home >= 0)
		return;
	home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (home < 0 || mkdtemp(folder) == NULL)
		die("no folder for files");
	atexit(remove_folder);
	pt_log_set("error");
}

/* --- the loop ----------------------------------------------------------------------------------------------------- */

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void turn(const struct peer *peer)
{
	struct pollfd of[] = { { uv_backend_fd(rig.loop), POLLIN, 0 }, { peer != NULL ? peer->fd : -1, POLLIN, 0 } };
	int due = uv_backend_timeout(rig.loop);

	poll(of, PT_LEN(of), due >= 0 && due < 5 ? due : 5);
	uv_run(rig.loop, UV_RUN_NOWAIT);
}

/* --- clients ------------------------------------------------------------------------------------------------------ */

static void join_stub(struct peer *peer)
{
	const char *colon = strrchr(pt_gdbstub_address(stub), ':');
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(colon + 1)) };

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (kind == FOREIGN && seteuid(NOBODY) != 0)
		kind = PLAIN;
	peer->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (kind == FOREIGN && seteuid(0) != 0)
		die("root again");
	if (peer->fd < 0 || (connect(peer->fd, (struct sockaddr *)&to, sizeof(to)) < 0 && errno != EINTR)) {
		fprintf(stderr, "fuzz_stub: connect: %s\n", strerror(errno));
		die("the server does not listen");
	}
	fcntl(peer->fd, F_SETFL, O_NONBLOCK);
	pt_rsp_init(&peer->rsp, peer->payload, sizeof(peer->payload));
}

static void talk(const struct peer *peer, char way, const void *bytes, size_t n)
{
	if (getenv("PT_FUZZ_TALK") == NULL)
		return;
	fprintf(stderr, "%d %c %zu ", (int)(peer - peers), way, n);
	for (size_t i = 0; i < n && i < 200; i++)
		putc(((const char *)bytes)[i] < ' ' ? '.' : ((const char *)bytes)[i], stderr);
	putc('\n', stderr);
}

static void leave_stub(struct peer *peer)
{
	struct linger now = { .l_onoff = 1 };	/* a reset: no port stays taken */

	if (peer->fd >= 0) {
		setsockopt(peer->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		close(peer->fd);
	}
	peer->fd = -1;
}

static void send_bytes(struct peer *peer, const void *bytes, size_t n)
{
	const char *from = bytes;
	uint64_t end = now_ms() + DEADLINE_MS;

	while (n > 0 && peer->fd >= 0) {
		ssize_t rc = send(peer->fd, from, n, MSG_NOSIGNAL);

		if (rc < 0 && errno != EAGAIN) {
			leave_stub(peer);
			return;
		}
		if (now_ms() > end)
			die("what a client sends is not taken");
		if (rc > 0)
			from += rc, n -= (size_t)rc;
		else
			turn(NULL);
	}
}

/* True: a packet has come whole. It is acknowledged, needed or not. */
static bool receive(struct peer *peer)
{
	uint8_t in[4096];
	ssize_t n = peer->fd >= 0 ? recv(peer->fd, in, sizeof(in), 0) : -1;
	bool whole = false;

	if (n == 0)
		leave_stub(peer);
	for (ssize_t at = 0; at < n;) {
		enum pt_rsp_item item = PT_RSP_NONE;

		at += (ssize_t)pt_rsp_feed(&peer->rsp, in + at, (size_t)(n - at), &item);
		if (item == PT_RSP_DAMAGED)
			die("a packet with a wrong checksum was sent");
		whole = whole || item == PT_RSP_PACKET;
		if (item == PT_RSP_PACKET)
			talk(peer, '<', peer->payload, peer->rsp.len_bytes);
	}
	if (whole)
		send_bytes(peer, "+", 1);
	return whole;
}

static bool await_packet(struct peer *peer, unsigned ms)
{
	uint64_t end = now_ms() + ms;

	while (peer->fd >= 0 && now_ms() < end) {
		turn(peer);
		if (receive(peer))
			return true;
	}
	return false;
}

static void send_packet(struct peer *peer, const void *bytes, size_t n)
{
	struct pt_rsp_frame frame = { 0 };

	pt_rsp_begin(&frame, '$');
	pt_rsp_raw(&frame, bytes, n);
	pt_rsp_end(&frame);
	send_bytes(peer, frame.bytes, frame.len_bytes);
	pt_rsp_free(&frame);
}

static void send_monitor(struct peer *peer, const uint8_t *text, size_t n)
{
	struct pt_rsp_frame frame = { 0 };

	pt_rsp_begin(&frame, '$');
	pt_rsp_text(&frame, "qRcmd,");
	pt_rsp_hex(&frame, text, n);
	pt_rsp_end(&frame);
	send_bytes(peer, frame.bytes, frame.len_bytes);
	pt_rsp_free(&frame);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

#ifndef PT_FUZZ_UPSTREAM
static const struct board { const char *uri, *elf; } boards[] = {	/* elf: in tests/firmware; NULL: the demo of the board, without symbols */
	{ "virtual:kl27", NULL }, { "virtual:s12zvm", NULL }, { "virtual:microblaze?freq=500000", NULL }, { "virtual:e500?freq=500000", NULL },
	{ "virtual:cm4", "cm4_zephyr.elf" }, { "virtual:kl27?variant=second-core", "cores.elf" },
	{ "virtual:e500?cores=2&freq=500000", "e500_demo.elf" }, { "virtual:kl27", "semihost.elf" },
};
#endif

/* elf: a path or NULL */
static void open_app(const char *uri, const char *elf)
{
#ifdef PT_FUZZ_UPSTREAM
	const char *set = "upstream-patience=200ms";
#else
	const char *set = kind == SEMIHOSTING ? "semihost=gdb" : "seed=1";
#endif
	char setting[40], *argv[] = { (char[]){ "serve" }, (char[]){ "--files" }, folder, (char[]){ "--set" }, setting, NULL };
	struct pt_app_kind wants = { .virtual_clock = kind == SEMIHOSTING ? "wall" : "virtual", .reopen = true };
	struct pt_options options;
	struct pt_err err = { 0 };

	snprintf(setting, sizeof(setting), "%s", set);
	if (pt_options_parse(&options, (int)PT_LEN(argv) - 1, argv, &err) < 0 || pt_named_set_folder(folder, &err) < 0)
		die(err.msg);
	options.probe[0] = uri;
	options.elf = elf;
	if (pt_app_open(&rig, &options, &wants, &err) != PT_EXIT_DONE)
		die(err.msg);
	pt_options_free(&options);
}

static void read_token(struct pt_token *token)	/* the word that seeds give: "auth the-token-of-the-fuzzer" */
{
	static const char path[] = "token.of.fuzz_stub";
	struct pt_err err = { 0 };
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || dprintf(fd, "the-token-of-the-fuzzer\n") < 0 || close(fd) < 0 ||
	    pt_token_read(token, path, &err) < 0)
		die("no file for the token");
	unlink(path);
}

static void open_all(const char *uri, const char *elf)
{
	static struct pt_token token;
	struct pt_gdbstub_config config = {
		.address = "127.0.0.1:0", .options = pt_options_each, .watch = kind != RUNS_ON,
		.attach = kind == RUNS_ON ? PT_ATTACH_RUN : PT_ATTACH_AUTO, .restricted = kind == RESTRICTED,
		.token = kind == WITH_TOKEN ? &token : NULL,
	};
	struct pt_err err = { 0 };

	if (kind == WITH_TOKEN)
		read_token(&token);
	open_app(uri, elf);
	config.board = rig.board;
	config.session = rig.session;
	config.recorder = rig.recorder;
	config.tasks = rig.tasks;
	config.symbols = rig.symbols;
	config.changes = changes = pt_changes_new(rig.loop);
	stub = pt_gdbstub_new(rig.loop, &config, &err);
	if (stub == NULL)
		die(err.msg);
	for (size_t i = 0; i < N_CLIENTS; i++)
		peers[i].fd = -1;
}

#ifndef PT_FUZZ_UPSTREAM
static void open_board(const struct board *board)
{
	const char *srcdir = getenv("srcdir");
	char path[1024], absolute[PATH_MAX], uri[200];

	snprintf(uri, sizeof(uri), "%s%s%s", board->uri,
		 kind == FAULTY ? strchr(board->uri, '?') != NULL ? "&" : "?" : "",
		 kind == FAULTY ? "fault=stall@200,short@300,lost@400,late@500,unplug@700" : "");
	if (board->elf == NULL) {
		open_all(uri, NULL);
		return;
	}
	snprintf(path, sizeof(path), "%s/tests/firmware/%s", srcdir != NULL ? srcdir : ".", board->elf);
	if (fchdir(home) != 0 || realpath(path, absolute) == NULL || chdir(folder) != 0)
		die("no firmware");
	open_all(uri, absolute);
}
#endif

static void on_closed(void *arg)
{
	*(bool *)arg = true;
}

static void close_all(void)
{
	uint64_t end = now_ms() + DEADLINE_MS;
	bool closed = false;

	for (size_t i = 0; i < N_CLIENTS; i++)
		leave_stub(&peers[i]);
	pt_gdbstub_close(stub, on_closed, &closed);
	while (!closed) {
		turn(NULL);
		if (now_ms() > end)
			die("the server does not close");
	}
	pt_changes_close(changes);
	pt_app_close(&rig);
}

static void do_step(const uint8_t *line, size_t n);

static void do_made_step(const uint8_t *seed, size_t n)
{
	char line[WORDS_LINE_BYTES];
	uint32_t state = 2166136261u;	/* FNV-1a of the text */

	for (size_t i = 0; i < n; i++)
		state = (state ^ seed[i]) * 16777619u;
	state |= 1;
	do_step((const uint8_t *)line, words_line(&state, line) - 1);
}

static void do_step(const uint8_t *line, size_t n)
{
	struct peer *peer = &peers[n > 0 && line[0] == '2'];
	unsigned ms = ANSWER_MS;

	if (n > 0 && line[0] == '*') {
		do_made_step(line + 1, n - 1);
		return;
	}

	if (peer == &peers[1])
		line++, n--;
	if (n > 0 && line[0] == '<')
		talk(peer, '=', line, n);
#ifdef PT_FUZZ_UPSTREAM
	if (n > 0 && line[0] == '<')	/* an answer of fuzz_upstream's server */
		upstream_give(line + 1, n - 1);
#endif
	if (n == 0 || line[0] == '*' || line[0] == '<')
		return;
	talk(peer, '>', line, n);
	if (peer->fd < 0) {
		join_stub(peer);
		ms = ATTACH_MS;		/* the board is being opened, too */
	}
	if (line[0] == '>')
		send_packet(peer, line + 1, n - 1);
	else if (line[0] == ':')
		send_monitor(peer, line + 1, n - 1);
	else if (line[0] == '#')
		leave_stub(peer);
	else if (line[0] != '.')
		send_bytes(peer, line + 1, n - 1);
	await_packet(peer, line[0] == '.' ? PAUSE_MS : ms);
}

/* Whatever the others have done, one who comes now hears from the server: an answer, or why it is sent away. */
static void expect_service(void)
{
	struct peer *late = &peers[LATE];

	leave_stub(&peers[0]);
	join_stub(late);
	send_packet(late, "qSupported", strlen("qSupported"));
	if (!await_packet(late, DEADLINE_MS))
		die("a client that comes afterwards is not answered");
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	if (in_bytes < 2 || in_bytes > MOST_BYTES)
		return 0;
	make_folder();
	if (chdir(folder) != 0)
		die("cannot enter the folder for files");
#ifdef PT_FUZZ_UPSTREAM
	kind = (enum kind)(in[1] >> 4);
	open_all(upstream_start(in, in_bytes), NULL);
#else
	kind = (enum kind)(in[0] >> 4);
	open_board(&boards[in[0] % PT_LEN(boards)]);
#endif
	for (size_t at = FIRST_STEP, steps = 0; at < in_bytes && steps < MOST_STEPS; steps++) {
		const uint8_t *end = memchr(in + at, '\n', in_bytes - at);
		size_t n = end != NULL ? (size_t)(end - (in + at)) : in_bytes - at;

		do_step(in + at, n);
		at += n + 1;
	}
	expect_service();
	close_all();
#ifdef PT_FUZZ_UPSTREAM
	upstream_stop();
#endif
	if (fchdir(home) != 0)
		die("cannot leave the folder for files");
	return 0;
}
