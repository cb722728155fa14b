/* OpenOCD's TCL port against a server that says what a row has: what is asked, what is believed, and what becomes of
 * answers that are wrong, late, or never come. Whether OpenOCD takes the commands is for test_upstream_openocd. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"
#include "host/clock.h"
#include "targets/remote/tcl.h"
#include "targets/remote/tcl_text.h"

enum { MOST = 16, DEADLINE_S = 60, PATIENCE_MS = DEADLINE_S * 1000, SHORT_MS = 500 };
enum { STEADY = 0x1000, WORD = 0x410cc601 };	/* an address, and what is there */

/* --- the server --------------------------------------------------------------------------------------------------- */

enum how { SAYS, SAYS_HALF, CLOSES, FLOODS, IS_SILENT };

static struct {
	int listener, peer;
	uint16_t port;
	pthread_t thread;
	pthread_mutex_t lock;
	bool ends;
	char name[64], steady[64];	/* what it answers about itself, and where STEADY is read */
	struct { enum how how; const char *text; } say[MOST];	/* to other commands in turn; # is the number */
	size_t n_say, n_said, n_met;	/* n_met: connections */
	char heard[MOST][PT_TCL_TEXT_BYTES];
	size_t n_heard;
} server;

static void tell(const char *text, const char *command)
{
	const char *number = strstr(command, "proftap ");

	for (; *text != '\0'; text++) {
		bool named = *text == '#' && number != NULL;
		size_t len = named ? strspn(number + 8, "0123456789") : 1;

		ck_assert_int_eq(send(server.peer, named ? number + 8 : text, len, MSG_NOSIGNAL), (ssize_t)len);
	}
}

static void hang_up(void)
{
	if (server.peer >= 0)
		close(server.peer);
	server.peer = -1;
}

static void flood(void)
{
	static char much[2 * PT_TCL_TEXT_BYTES];

	memset(much, '1', sizeof(much));
	if (send(server.peer, much, sizeof(much), MSG_NOSIGNAL) < 0)
		hang_up();
}

static void reply(const char *command)
{
	enum how how = SAYS;
	const char *text;

	if (strstr(command, "target current") != NULL) {
		text = server.name;
	} else if (strstr(command, "read_memory 0x1000 32 1] |;set e") != NULL) {
		text = server.steady;
	} else {
		ck_assert_msg(server.n_say > 0, "asked without being expected to: %s", command);
		if (server.n_heard < MOST)
			strcpy(server.heard[server.n_heard++], command);
		server.n_said += server.n_said < server.n_say;	/* the last one is said again */
		how = server.say[server.n_said - 1].how;
		text = server.say[server.n_said - 1].text;
	}
	if (how == FLOODS)
		flood();
	else if (how != IS_SILENT)
		tell(text, command);
	if (how == SAYS)
		tell("\x1a", command);
	if (how == CLOSES)
		hang_up();
}

static void listen_to_peer(void)
{
	static char in[PT_TCL_TEXT_BYTES];
	static size_t n;
	ssize_t got = recv(server.peer, in + n, sizeof(in) - n, 0);
	char *end;

	if (got <= 0) {
		n = 0;
		hang_up();
		return;
	}
	n += (size_t)got;
	end = memchr(in, 0x1a, n);
	if (end == NULL)
		return;
	*end = '\0';
	n = 0;				/* one command at a time */
	reply(in);
}

static void *serve(void *arg)
{
	(void)arg;
	for (;;) {
		struct pollfd fds[2] = { { .fd = server.listener, .events = POLLIN },
					 { .fd = server.peer, .events = POLLIN } };

		poll(fds, 2, 10);
		pthread_mutex_lock(&server.lock);
		if (server.ends)
			break;
		if ((fds[0].revents & POLLIN) != 0) {
			hang_up();
			server.peer = accept(server.listener, NULL, NULL);
			server.n_met++;
		} else if (server.peer >= 0 && fds[1].revents != 0) {
			listen_to_peer();
		}
		pthread_mutex_unlock(&server.lock);
	}
	pthread_mutex_unlock(&server.lock);
	return NULL;
}

static void open_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				  .sin_port = htons(server.port) };
	socklen_t len = sizeof(at);
	int one = 1;

	server.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(server.listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	ck_assert_int_eq(bind(server.listener, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(server.listener, 4), 0);
	ck_assert_int_eq(getsockname(server.listener, (struct sockaddr *)&at, &len), 0);
	server.port = ntohs(at.sin_port);
	ck_assert_int_eq(pthread_create(&server.thread, NULL, serve, NULL), 0);
}

static void close_port(void)
{
	pthread_mutex_lock(&server.lock);
	server.ends = true;
	pthread_mutex_unlock(&server.lock);
	pthread_join(server.thread, NULL);
	hang_up();
	close(server.listener);
	server.ends = false;
}

static void says(enum how how, const char *text)
{
	pthread_mutex_lock(&server.lock);
	server.say[server.n_say].how = how;
	server.say[server.n_say++].text = text;
	pthread_mutex_unlock(&server.lock);
}

/* --- the client --------------------------------------------------------------------------------------------------- */

static struct pt_tcl *tcl;
static struct pt_err err;
static uint8_t bytes[64];
static size_t n_done;
static uint64_t fault_addr;
static int knows;		/* 1, 0, or an error */

static int known(void *arg, unsigned n, uint64_t *addr, uint8_t word[4], struct pt_err *e)
{
	(void)arg;
	if (knows < 0)
		return pt_fail(e, knows, "halt it once");
	*addr = STEADY;
	pt_put_le32(word, WORD);
	return n == 0 ? knows : 0;
}

static void make(bool big_endian, uint32_t patience_ms)
{
	char address[32];
	struct pt_tcl_setup setup = { .address = address, .patience_ms = patience_ms, .big_endian = big_endian,
				      .known = known };

	pt_tcl_free(tcl);
	snprintf(address, sizeof(address), "127.0.0.1:%u", server.port);
	tcl = pt_tcl_new(&setup, &err);
	ck_assert_ptr_nonnull(tcl);
}

static void setup(void)
{
	memset(&server, 0, sizeof(server));
	pthread_mutex_init(&server.lock, NULL);
	server.peer = -1;
	strcpy(server.name, "chip.cpu");
	snprintf(server.steady, sizeof(server.steady), "proftap # 0 0x%x|!", WORD);
	knows = 1;
	open_port();
	make(false, PATIENCE_MS);
}

static void teardown(void)
{
	pt_tcl_free(tcl);
	tcl = NULL;
	close_port();
}

static int run(struct pt_mem_op *ops, size_t n)
{
	fault_addr = PT_UNKNOWN;
	return pt_tcl_run(tcl, ops, n, 0, &n_done, &fault_addr, &err);
}

static struct pt_mem_op read_op(uint64_t addr, size_t len)
{
	return (struct pt_mem_op){ .what = PT_MEM_READ, .addr = addr, .bytes = bytes, .len_bytes = len };
}

static int read_some(size_t len)
{
	struct pt_mem_op op = read_op(0x20000000, len);

	memset(bytes, 0xee, sizeof(bytes));
	return run(&op, 1);
}

/* It has to work again, within the deadline. */
static void read_again(const char *answer, uint32_t want)
{
	uint64_t until_ns = pt_host_now_ns() + DEADLINE_S * PT_NS_PER_S;
	int rc;

	says(SAYS, answer);
	while ((rc = read_some(4)) == PT_ETIMEOUT && pt_host_now_ns() < until_ns)
		poll(NULL, 0, 20);
	ck_assert_msg(rc == 0, "%s", err.msg);
	ck_assert_uint_eq(pt_le32(bytes), want);
}

/* --- what is asked ------------------------------------------------------------------------------------------------ */

START_TEST(a_batch_is_one_command)
{
	uint8_t out[] = { 1, 0, 0, 0x80, 2, 0, 0, 0 }, a[8], b[3], c[8];
	struct pt_mem_op ops[] = {
		{ .what = PT_MEM_READ, .width_bytes = 4, .addr = 0x20000000, .bytes = a, .len_bytes = 8 },
		{ .what = PT_MEM_WRITE, .width_bytes = 4, .addr = 0xf0000004, .bytes = out, .len_bytes = 8 },
		{ .what = PT_MEM_READ, .addr = 0x20000011, .bytes = b, .len_bytes = 3 },
		{ .what = PT_MEM_READ, .width_bytes = 4, .fixed = true, .addr = 0xe000101c, .bytes = c,
		  .len_bytes = 8 },
		{ .what = PT_MEM_POLL, .addr = 0xf0000004, .mask = 0x80000000, .match = 0, .time_us = 4500 },
	};

	says(SAYS, "proftap # 0 0x11223344 0x5||0xa|0xb0c|0x1 0x2 |0x7f|!");
	ck_assert_msg(run(ops, 5) == 0, "%s", err.msg);
	ck_assert_uint_eq(n_done, 5);
	ck_assert_uint_eq(server.n_heard, 1);
	ck_assert_str_eq(
		server.heard[0],
		"apply {{} {set a {};set c [catch {append a [chip.cpu read_memory 0x20000000 32 2] |;"
		"chip.cpu write_memory 0xf0000004 32 {0x80000001 0x2 };append a |;"
		"append a [chip.cpu read_memory 0x20000011 8 1] |;append a [chip.cpu read_memory 0x20000012 16 1] |;"
		"set i 2;while {$i>0} {append a [chip.cpu read_memory 0xe000101c 32 1] { };incr i -1};append a |;"
		"set t [ms];while {([set v [chip.cpu read_memory 0xf0000004 32 1]]&0x80000000)!=0x0} "
		"{if {[ms]-$t>5} {append a $v ?;error {}}};append a $v |;"
		"set e {}} e];return -code exit \"proftap 2 $c $a!$e\"}}");
	ck_assert_mem_eq(a, "\x44\x33\x22\x11\5\0\0\0", 8);
	ck_assert_mem_eq(b, "\x0a\x0c\x0b", 3);
	ck_assert_mem_eq(c, "\1\0\0\0\2\0\0\0", 8);
	ck_assert_uint_eq(ops[4].match_seen, 0x7f);
	ck_assert(ops[0].sent_ns <= ops[0].done_ns && ops[4].done_ns == ops[0].done_ns);
}
END_TEST

START_TEST(big_endian_memory)
{
	snprintf(server.steady, sizeof(server.steady), "proftap # 0 0x%x|!", __builtin_bswap32(WORD));
	make(true, PATIENCE_MS);
	says(SAYS, "proftap # 0 0x11223344|0x5566|!");
	ck_assert_msg(read_some(6) == 0, "%s", err.msg);
	ck_assert_mem_eq(bytes, "\x11\x22\x33\x44\x55\x66", 6);
}
END_TEST

/* 1024 values at a time: OpenOCD is deaf to everybody else meanwhile. */
START_TEST(much_goes_in_several_commands)
{
	static uint8_t much[4 * PT_TCL_VALUES + 4];
	static char answer[16 + 4 * PT_TCL_VALUES];
	struct pt_mem_op op = { .what = PT_MEM_READ, .addr = 0x20000000, .bytes = much, .len_bytes = sizeof(much) };
	int at = snprintf(answer, sizeof(answer), "proftap # 0 ");

	for (int i = 0; i < PT_TCL_VALUES; i++)
		at += snprintf(answer + at, sizeof(answer) - (size_t)at, i > 0 ? " 0x7" : "0x7");
	strcpy(answer + at, "|!");
	says(SAYS, answer);
	says(SAYS, "proftap # 0 0x9|!");
	ck_assert_msg(run(&op, 1) == 0, "%s", err.msg);
	ck_assert_uint_eq(server.n_heard, 2);
	ck_assert_ptr_nonnull(strstr(server.heard[0], " read_memory 0x20000000 32 1024]"));
	ck_assert_ptr_nonnull(strstr(server.heard[1], " read_memory 0x20001000 32 1]"));
	ck_assert_uint_eq(pt_le32(much + sizeof(much) - 8), 7);
	ck_assert_uint_eq(pt_le32(much + sizeof(much) - 4), 9);
}
END_TEST

START_TEST(a_poll_expires)
{
	struct pt_mem_op ops[] = { read_op(0x20000000, 4),
				   { .what = PT_MEM_POLL, .addr = 0xf0000004, .mask = 1, .match = 0, .time_us = 1000 },
				   read_op(0x20000004, 4) };

	says(SAYS, "proftap # 1 0x5|0x80000001?!");
	ck_assert_msg(run(ops, 3) == 0, "%s", err.msg);
	ck_assert_uint_eq(n_done, 1);
	ck_assert_uint_eq(ops[1].match_seen, 0x80000001);
}
END_TEST

START_TEST(a_refused_access_says_where)
{
	struct pt_mem_op ops[] = { read_op(0x20000000, 4), read_op(0x60000000, 4), read_op(0x20000000, 4) };

	says(SAYS, "proftap # 1 0x5|!read_memory: failed to read memory");
	ck_assert_int_eq(run(ops, 3), PT_EFAULT);
	ck_assert_uint_eq(n_done, 1);
	ck_assert_uint_eq(fault_addr, 0x60000000);
	ck_assert_msg(strstr(err.msg, "read memory at 0x60000000: ") != NULL &&
			      strstr(err.msg, "failed to read") != NULL,
		      "%s", err.msg);
	read_again("proftap # 0 0x6|!", 6);
	ck_assert_uint_eq(server.n_met, 1);
}
END_TEST

START_TEST(what_makes_no_sense_is_not_asked)
{
	struct pt_mem_op op = read_op(0x20000002, 4);

	op.width_bytes = 4;
	ck_assert_int_eq(run(&op, 1), PT_EARG);
	ck_assert_uint_eq(server.n_met, 0);
}
END_TEST

/* Who asks without wanting to know why leaves the reason to monitor status. */
START_TEST(nobody_asks_why)
{
	struct pt_mem_op op = read_op(0x20000000, 4);
	char line[256];

	strcpy(server.name, "");
	ck_assert_int_eq(pt_tcl_run(tcl, &op, 1, 0, &n_done, &fault_addr, NULL), PT_ETIMEOUT);
	pt_tcl_describe(tcl, line, sizeof(line));
	ck_assert_msg(strstr(line, "the name of a target was expected") != NULL, "%s", line);
}
END_TEST

/* --- what is believed --------------------------------------------------------------------------------------------- */

static const struct { const char *name, *target, *steady; int knows; const char *sentence; } proofs[] = {
	{ "another core", "chip.cpu", "proftap # 0 0x410fc241|!", 1, "not the same one (upstream-tcl-target=NAME)" },
	{ "refused", "chip.cpu", "proftap # 1 !read_memory: failed to read memory", 1, "failed to read memory" },
	{ "an old OpenOCD", "chip.cpu", "invalid command name \"apply\"", 1, "it answers \"invalid command name" },
	{ "no target", "", "proftap # 0 0x410cc601|!", 1, "the name of a target was expected" },
	{ "a name that is a script", "a;shutdown", "", 1, "the name of a target was expected" },
	{ "nothing to compare with", "chip.cpu", "", PT_ESTATE, "halt it once" },
	{ "nothing known", "chip.cpu", "", 0, "nothing is known to compare" },
};

START_TEST(not_believed)
{
	strcpy(server.name, proofs[_i].target);
	strcpy(server.steady, proofs[_i].steady);
	knows = proofs[_i].knows;
	ck_assert_int_eq(read_some(4), PT_ETIMEOUT);
	ck_assert_msg(strstr(err.msg, proofs[_i].sentence) != NULL, "%s: %s", proofs[_i].name, err.msg);
	ck_assert_uint_eq(server.n_heard, 0);	/* and so nothing is read by it */
	strcpy(server.name, "chip.cpu");
	snprintf(server.steady, sizeof(server.steady), "proftap # 0 0x%x|!", WORD);
	knows = 1;
	read_again("proftap # 0 0x6|!", 6);
}
END_TEST

START_TEST(a_bad_name_is_refused)
{
	const struct pt_tcl_setup bad = { .address = "127.0.0.1", .target = "a b", .known = known };

	ck_assert_ptr_null(pt_tcl_new(&bad, &err));
	ck_assert_int_eq(err.code, PT_EARG);
}
END_TEST

/* --- what goes wrong ---------------------------------------------------------------------------------------------- */

static const struct { const char *name, *answer; } nonsense[] = {
	{ "nothing", "" },
	{ "too few", "proftap # 0 0x1|!" },
	{ "too many", "proftap # 0 0x1 0x2 0x3|!" },
	{ "no mark", "proftap # 0 0x1 0x2!" },
	{ "no end", "proftap # 0 0x1 0x2|" },
	{ "more behind it", "proftap # 0 0x1 0x2|! more" },
	{ "another number", "proftap 77 0 0x1 0x2|!" },
	{ "no number", "0x1 0x2" },
	{ "decimal", "proftap # 0 1 2|!" },
	{ "too wide", "proftap # 0 0x100000000 0x2|!" },
	{ "negative", "proftap # 0 -0x1 0x2|!" },
	{ "no digits", "proftap # 0 0x 0x2|!" },
	{ "another state", "proftap # 2 0x1 0x2|!" },
	{ "failed, but all done", "proftap # 1 0x1 0x2|!" },
	{ "expired without a poll", "proftap # 1 0x1 0x2?!" },
	{ "OpenOCD's error", "Error: Target not examined yet" },
};

START_TEST(nonsense_is_no_data)
{
	says(SAYS, nonsense[_i].answer);
	ck_assert_msg(read_some(8) == PT_ETIMEOUT, "%s", nonsense[_i].name);
	ck_assert_msg(strstr(err.msg, "it answers \"") != NULL, "%s: %s", nonsense[_i].name, err.msg);
	ck_assert_uint_eq(n_done, 0);
	read_again("proftap # 0 0x6|!", 6);
	ck_assert_uint_eq(server.n_met, 2);	/* connected to anew, and proven again */
}
END_TEST

START_TEST(a_late_answer_is_thrown_away)
{
	size_t n_heard;

	make(false, SHORT_MS);
	read_again("proftap # 0 0x5|!", 5);
	says(SAYS_HALF, "proftap # 0 0x1");
	ck_assert_int_eq(read_some(4), PT_ETIMEOUT);
	ck_assert_msg(strstr(err.msg, "has not answered") != NULL, "%s", err.msg);
	n_heard = server.n_heard;
	ck_assert_int_eq(read_some(4), PT_ETIMEOUT);
	ck_assert_uint_eq(server.n_heard, n_heard);	/* while one is under way there is no other */
	pthread_mutex_lock(&server.lock);
	ck_assert_int_eq(send(server.peer, "|!\x1a", 3, MSG_NOSIGNAL), 3);
	pthread_mutex_unlock(&server.lock);
	read_again("proftap # 0 0x6|!", 6);
}
END_TEST

static const struct { enum how how; const char *sentence; } ends[] = {
	{ CLOSES, "it closed the connection" }, { FLOODS, "does not speak OpenOCD's TCL RPC" },
};

START_TEST(one_that_ends_is_looked_for_again)
{
	says(ends[_i].how, "proftap # 0 0x1");
	ck_assert_int_eq(read_some(4), PT_ETIMEOUT);
	ck_assert_msg(strstr(err.msg, ends[_i].sentence) != NULL, "%s", err.msg);
	read_again("proftap # 0 0x6|!", 6);
}
END_TEST

START_TEST(one_that_is_gone_and_returns)
{
	uint64_t until_ns = pt_host_now_ns() + DEADLINE_S * PT_NS_PER_S;
	char line[256];

	read_again("proftap # 0 0x6|!", 6);
	close_port();
	do
		ck_assert_int_eq(read_some(4), PT_ETIMEOUT);
	while (strstr(err.msg, "Connection refused") == NULL && pt_host_now_ns() < until_ns);
	pt_tcl_describe(tcl, line, sizeof(line));
	ck_assert_msg(strstr(line,
			     "Connection refused: no server listens there; start it, or name its port (tried again") !=
			      NULL,
		      "%s", line);
	knows = PT_ESTATE;		/* it runs now; it has been compared before */
	open_port();
	read_again("proftap # 0 0x7|!", 7);
	pt_tcl_describe(tcl, line, sizeof(line));
	ck_assert_msg(strstr(line, "target chip.cpu") != NULL, "%s", line);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tcl");
	TCase *tc = tcase_create("tcl");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 2 * DEADLINE_S);
	tcase_add_test(tc, a_batch_is_one_command);
	tcase_add_test(tc, big_endian_memory);
	tcase_add_test(tc, much_goes_in_several_commands);
	tcase_add_test(tc, a_poll_expires);
	tcase_add_test(tc, a_refused_access_says_where);
	tcase_add_test(tc, what_makes_no_sense_is_not_asked);
	tcase_add_test(tc, nobody_asks_why);
	tcase_add_loop_test(tc, not_believed, 0, PT_LEN(proofs));
	tcase_add_test(tc, a_bad_name_is_refused);
	tcase_add_loop_test(tc, nonsense_is_no_data, 0, PT_LEN(nonsense));
	tcase_add_test(tc, a_late_answer_is_thrown_away);
	tcase_add_loop_test(tc, one_that_ends_is_looked_for_again, 0, PT_LEN(ends));
	tcase_add_test(tc, one_that_is_gone_and_returns);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
