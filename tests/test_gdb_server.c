/* What the driver of the wire rsp promises, as tests/test_probe_contract.c has it for the others: each call is made
 * with each fault at each packet it sends. Here the link is a real connection, because the loop polls it, and the
 * device a thread at its other end. The right code comes back, and the next call works, or the connection is gone for
 * good, and another one can be made; a close leaves no connection and no descriptor. One clause is another one here: an
 * interrupt cuts no packet, whose answer would be taken for that to the next; it waits for what may be cut. No time is
 * measured: patience is short where nothing comes, and else as long as it takes. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness.h"
#include "probes/rsp/rsp_stream.h"
#include "host/clock.h"
#include "probes/registry.h"

enum { DEADLINE_S = 60, ENDLESS_BYTES = 1 << 20 };

/* --- the device --------------------------------------------------------------------------------------------------- */

enum fault { FINE, SILENT, LATE, CUT, NOISE, CHECKSUM, ENDLESS, CLOSES, CLOSES_IN_PACKET };

static struct {
	char dir[32], path[64];
	int listener;
	pthread_t thread;
	atomic_int fault, fault_at, n_packets, n_connected, given_up, greets, tells_unasked;
} device;

static void put(int fd, const char *bytes, size_t n)
{
	for (ssize_t done; n > 0; bytes += done, n -= (size_t)done)
		if ((done = send(fd, bytes, n, MSG_NOSIGNAL)) <= 0)
			return;
}

static void put_packet(int fd, const char *payload)
{
	char frame[256];
	uint8_t sum = 0;

	for (const char *at = payload; *at != '\0'; at++)
		sum = (uint8_t)(sum + (uint8_t)*at);
	put(fd, frame, (size_t)snprintf(frame, sizeof(frame), "$%s#%02x", payload, sum));
}

static void put_answer(int fd, const char *question)
{
	static const struct { const char *question, *answer; } rows[] = {
		{ "qSupported", "PacketSize=400;QStartNoAckMode+" }, { "QStartNoAckMode", "OK" }, { "?", "S05" },
		{ "vCont?", "vCont;c;s" }, { "m0,4", "01020304" }, { "c", "S05" }, { "g", "00" }, { "\x03", "S02" },
	};

	if (atomic_load(&device.tells_unasked) && strchr("?c\x03", question[0]) == NULL)
		put_packet(fd, "T0bthread:02;");
	if (strncmp(question, "qRcmd,", 6) == 0) {
		put_packet(fd, "O6f6e65");
		put_packet(fd, "O74776f");
		put_packet(fd, "OK");
		return;
	}
	for (size_t i = 0; i < PT_LEN(rows); i++)
		if (strncmp(question, rows[i].question, strlen(rows[i].question)) == 0) {
			put_packet(fd, rows[i].answer);
			return;
		}
	put_packet(fd, "");
}

/* False: the connection is over. */
static bool misbehave(int fd, enum fault fault, const char *question)
{
	static const char http[] = "HTTP/1.1 400 Bad Request\r\n";
	static char endless[ENDLESS_BYTES];

	switch (fault) {
	case LATE:
		while (!atomic_load(
			&device.given_up)) /* whoever asked may be slower than any time that is waited here */
			usleep(1000);
		put_answer(fd, question);
		break;
	case CUT:
		put(fd, "$0102", 5);
		break;
	case NOISE:
		put(fd, http, sizeof(http) - 1);
		break;
	case CHECKSUM:
		for (int i = 0; i < 8; i++)	/* with acknowledgements it is asked for again */
			put(fd, "$01020304#00", 12);
		break;
	case ENDLESS:
		memset(endless, '0', sizeof(endless));
		endless[0] = '$';
		put(fd, endless, sizeof(endless));
		break;
	case CLOSES_IN_PACKET:
		put(fd, "$0102", 5);
		return false;
	case CLOSES:
		return false;
	default:
		break;
	}
	return true;
}

static bool take(int fd, const char *question)
{
	if (atomic_fetch_add(&device.n_packets, 1) == atomic_load(&device.fault_at))
		return misbehave(fd, (enum fault)atomic_exchange(&device.fault, FINE), question);
	put(fd, "+", 1);
	put_answer(fd, question);
	return true;
}

static void talk(int fd)
{
	char in[1024], *begin, *end;
	size_t have = 0;
	ssize_t n;

	if (atomic_load(&device.greets))
		put_packet(fd, "T02thread:01;");
	while ((n = recv(fd, in + have, sizeof(in) - 1 - have, 0)) > 0) {
		have += (size_t)n;
		in[have] = '\0';
		if (memchr(in, 0x03, have) != NULL) {
			have = 0;
			put_answer(fd, "\x03");
		}
		while (have > 0 && (begin = strchr(in, '$')) != NULL && (end = strchr(begin, '#')) != NULL &&
		       end + 3 <= in + have) {
			*end = '\0';
			if (!take(fd, begin + 1))
				return;
			have -= (size_t)(end + 3 - in);
			memmove(in, end + 3, have + 1);
		}
	}
}

static void *serve(void *arg)
{
	int fd;

	(void)arg;
	while ((fd = accept(device.listener, NULL, NULL)) >= 0) {
		atomic_fetch_add(&device.n_connected, 1);
		talk(fd);
		close(fd);
		atomic_fetch_sub(&device.n_connected, 1);
	}
	return NULL;
}

static void setup(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	strcpy(device.dir, "/tmp/gdb-server-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(device.dir));
	snprintf(device.path, sizeof(device.path), "%s/gdb", device.dir);
	memcpy(at.sun_path, device.path, sizeof(device.path));
	device.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(device.listener, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(device.listener, 8), 0);
	pthread_create(&device.thread, NULL, serve, NULL);
}

static void teardown(void)
{
	shutdown(device.listener, SHUT_RDWR);
	pthread_join(device.thread, NULL);
	close(device.listener);
	unlink(device.path);
	rmdir(device.dir);
}

/* --- the calls ---------------------------------------------------------------------------------------------------- */

static struct pt_probe *open_server(bool nothing_comes, struct pt_err *err)
{
	struct pt_param patience = pt_probe_params[PT_PROBE_PATIENCE];
	struct pt_params *settings = pt_params_new();
	struct pt_probe *probe = NULL;
	struct pt_link *link;
	char address[80];

	patience.min = 0;
	ck_assert_int_eq(pt_params_add(settings, &patience, 1,
				       nothing_comes ? "upstream-patience=20ms" : "upstream-patience=60s", err),
			 0);
	snprintf(address, sizeof(address), "unix:%s", device.path);
	link = pt_rsp_link_open(address, err);
	if (link != NULL)
		probe = pt_probe_open_link(&pt_gdb_server_ops, link, settings, err);
	pt_params_free(settings);
	return probe;
}

static int ask(struct pt_probe *probe, const char *question, const char *wanted, struct pt_err *err)
{
	uint8_t text[64];
	struct pt_rsp_answer answer = { .bytes = text, .room_bytes = sizeof(text) };
	void *wire;
	int rc = pt_probe_rsp(probe, &wire)->ask(wire, question, strlen(question), &answer, 1, err);

	if (rc == 0 && (answer.len_bytes != strlen(wanted) || memcmp(text, wanted, answer.len_bytes) != 0))
		return pt_fail(err, PT_EPROTO, "%.*s for %s", (int)answer.len_bytes, (char *)text, question);
	return rc;
}

static int run_read(struct pt_probe *probe, struct pt_err *err)
{
	return ask(probe, "m0,4", "01020304", err);
}

static int run_command(struct pt_probe *probe, struct pt_err *err)
{
	return ask(probe, "qRcmd,78", "onetwo", err);
}

static int run_held(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_rsp_ops *rsp = pt_probe_rsp(probe, &wire);
	int rc = rsp->hold(wire, err);

	if (rc < 0)
		return rc;
	rc = ask(probe, "g", "00", err);
	rc = rc == 0 ? run_read(probe, err) : rc;
	rsp->release(wire);
	return rc;
}

static int run_to_stop(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_rsp_ops *rsp = pt_probe_rsp(probe, &wire);
	struct pt_rsp_run run = { 0 };
	int rc = rsp->resume(wire, "c", err);

	rc = rc == 0 ? rsp->poll(wire, 20, &run, err) : rc;
	return rc == 0 && run.running ? pt_fail(err, PT_ETIMEOUT, "it runs on") : rc;
}

/* A target that was let run is stopped; what came too late is not the answer to what is asked now. */
static bool works_again(struct pt_probe *probe)
{
	void *wire;
	const struct pt_rsp_ops *rsp = pt_probe_rsp(probe, &wire);
	struct pt_rsp_run run = { .running = true };
	struct pt_err err;

	if (rsp->poll(wire, 0, &run, &err) == 0 && run.running) {
		rsp->interrupt(wire, &err);
		rsp->poll(wire, 20, &run, &err);
	}
	return run_read(probe, &err) == 0;
}

/* --- faults ------------------------------------------------------------------------------------------------------- */

static const struct { enum fault fault; int rc; bool nothing_comes; } faults[] = {
	{ SILENT, PT_ETIMEOUT, true }, { LATE, PT_ETIMEOUT, true }, { CUT, PT_ETIMEOUT, true },
	{ NOISE, PT_ETIMEOUT, true }, { CHECKSUM, PT_EPROTO, false }, { ENDLESS, PT_EIO, false },
	{ CLOSES, PT_EIO, false }, { CLOSES_IN_PACKET, PT_EIO, false },
};

static const struct {
	const char *name;
	int (*run)(struct pt_probe *probe, struct pt_err *err);
	int packets;
} calls[] = {
	{ "read", run_read, 1 }, { "command", run_command, 1 }, { "two in a turn", run_held, 2 },
	{ "run", run_to_stop, 1 },
};

static struct pt_probe *open_fine(bool nothing_comes)
{
	uint64_t until_ns = pt_host_now_ns() + DEADLINE_S * PT_NS_PER_S;
	struct pt_probe *probe = NULL;
	struct pt_err err;

	while (probe == NULL && pt_host_now_ns() < until_ns)	/* short patience, busy machine */
		probe = open_server(nothing_comes, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	return probe;
}

/* At the packet behind so many more. */
static void break_at(enum fault fault, int packets)
{
	atomic_store(&device.given_up, false);
	atomic_store(&device.fault, fault);
	atomic_store(&device.fault_at, atomic_load(&device.n_packets) + packets);
}

static void call_with_fault(size_t f, size_t c, int at)
{
	uint64_t until_ns = pt_host_now_ns() + DEADLINE_S * PT_NS_PER_S;
	struct pt_err err = { 0 };
	struct pt_probe *probe;
	bool works = false;
	int rc;

	atomic_store(&device.fault_at, -1);
	probe = open_fine(faults[f].nothing_comes);
	break_at(faults[f].fault, at);
	rc = calls[c].run(probe, &err);
	atomic_store(&device.given_up, true);
	ck_assert_msg(rc == faults[f].rc, "%s, fault %d at packet %d: %d (%s)", calls[c].name, faults[f].fault, at, rc,
		      err.msg);
	ck_assert_int_ne(err.msg[0], '\0');
	atomic_store(&device.fault_at, -1);
	if (rc == PT_EIO)
		for (size_t i = 0; i < PT_LEN(calls); i++)
			ck_assert_int_eq(calls[i].run(probe, &err), PT_EIO);
	else
		while (!works && pt_host_now_ns() < until_ns)
			works = works_again(probe);
	ck_assert_msg(rc == PT_EIO || works, "%s after fault %d at packet %d", calls[c].name, faults[f].fault, at);
	pt_probe_close(probe);
	probe = open_fine(false);
	ck_assert_int_eq(run_read(probe, &err), 0);
	pt_probe_close(probe);
}

START_TEST(survives_faults_in_calls)
{
	for (size_t c = 0; c < PT_LEN(calls); c++)
		for (int at = 0; at < calls[c].packets; at++)
			call_with_fault((size_t)_i, c, at);
}
END_TEST

START_TEST(survives_faults_in_open)
{
	for (int at = 0; at < 4; at++) {	/* qSupported, QStartNoAckMode, ?, vCont? */
		struct pt_err err = { 0 };
		struct pt_probe *probe;

		break_at(faults[_i].fault, at);
		probe = open_server(faults[_i].nothing_comes, &err);
		atomic_store(&device.given_up, true);
		ck_assert_msg(probe == NULL, "opened in spite of fault %d at packet %d", faults[_i].fault, at);
		ck_assert_msg(err.code == faults[_i].rc, "fault %d at packet %d: %d (%s)", faults[_i].fault, at,
			      err.code, err.msg);
		atomic_store(&device.fault_at, -1);
		pt_probe_close(open_fine(false));
	}
}
END_TEST

static unsigned n_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* The server's own descriptor of the connection, too. */
static void expect_nothing_left(unsigned n_before)
{
	uint64_t until_ns = pt_host_now_ns() + DEADLINE_S * PT_NS_PER_S;

	while (atomic_load(&device.n_connected) > 0 && pt_host_now_ns() < until_ns)
		usleep(1000);
	ck_assert_int_eq(atomic_load(&device.n_connected), 0);
	ck_assert_uint_eq(n_descriptors(), n_before);
}

/* At rest, while a target runs whose stop nobody waits for, and after a call that found the fault. */
START_TEST(a_close_leaves_nothing)
{
	unsigned n_before = n_descriptors();

	for (int what = 0; what < 3; what++) {
		struct pt_err err = { 0 };
		struct pt_probe *probe;
		void *wire;

		atomic_store(&device.fault_at, -1);
		probe = open_fine(faults[_i].nothing_comes);
		break_at(faults[_i].fault, 0);
		if (what == 1)
			ck_assert_int_eq(pt_probe_rsp(probe, &wire)->resume(wire, "c", &err), 0);
		else if (what == 2)
			ck_assert_int_eq(run_read(probe, &err), faults[_i].rc);
		pt_probe_close(probe);
		atomic_store(&device.given_up, true);
		expect_nothing_left(n_before);
	}
}
END_TEST

START_TEST(an_interrupt_cuts_no_packet)
{
	struct pt_err err = { 0 };
	struct pt_probe *probe;

	atomic_store(&device.fault_at, -1);
	probe = open_fine(false);
	for (size_t i = 0; i < PT_LEN(calls); i++) {
		pt_probe_interrupt(probe);
		ck_assert_msg(calls[i].run(probe, &err) == 0, "%s: %s", calls[i].name, err.msg);
	}
	ck_assert_int_eq(pt_link_wait(pt_probe_link(probe), pt_link_now_ns(pt_probe_link(probe)) + PT_NS_PER_S, &err),
			 PT_EINTERRUPTED);
	pt_probe_close(probe);
}
END_TEST

/* A machine that stops because somebody connects, and is heard of before there is a question: not its answer. */
START_TEST(a_stop_may_come_before_any_answer)
{
	struct pt_rsp_facts facts;
	struct pt_err err = { 0 };
	struct pt_probe *probe;
	void *wire;

	atomic_store(&device.fault_at, -1);
	atomic_store(&device.greets, true);
	probe = open_fine(false);
	pt_probe_rsp(probe, &wire)->facts(wire, &facts);
	ck_assert_uint_eq(facts.packet_bytes, 0x400);
	ck_assert(facts.no_ack && facts.vcont);
	for (size_t i = 0; i < PT_LEN(calls); i++)
		ck_assert_msg(calls[i].run(probe, &err) == 0, "%s: %s", calls[i].name, err.msg);
	pt_probe_close(probe);
	atomic_store(&device.greets, false);
}
END_TEST

/* QEMU's user mode: a thread beside gets a signal while the target stands. Its stop is the answer to nothing. */
START_TEST(a_stop_of_another_thread_answers_nothing)
{
	struct pt_err err = { 0 };
	struct pt_probe *probe;

	atomic_store(&device.fault_at, -1);
	probe = open_fine(false);
	atomic_store(&device.tells_unasked, true);
	for (size_t i = 0; i < PT_LEN(calls); i++)
		ck_assert_msg(calls[i].run(probe, &err) == 0, "%s: %s", calls[i].name, err.msg);
	pt_probe_close(probe);
	atomic_store(&device.tells_unasked, false);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("gdb_server");
	TCase *tc = tcase_create("faults");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 2 * DEADLINE_S);
	tcase_add_loop_test(tc, survives_faults_in_calls, 0, PT_LEN(faults));
	tcase_add_loop_test(tc, survives_faults_in_open, 0, PT_LEN(faults));
	tcase_add_loop_test(tc, a_close_leaves_nothing, 0, PT_LEN(faults));
	tcase_add_test(tc, an_interrupt_cuts_no_packet);
	tcase_add_test(tc, a_stop_may_come_before_any_answer);
	tcase_add_test(tc, a_stop_of_another_thread_answers_nothing);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
