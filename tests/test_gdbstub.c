/* The server end of RSP, over a real socket, with a board that does what the test says. A row is a conversation:
 *   ">text"  send this packet              "<text"  the next packet is this
 *   "~text"  the next packet begins so     "="      no packet comes
 *   "!text"  send these bytes as they are  "#name"  something happens, see happen()
 *   ":text"  send this monitor command     "(text"  the next packet is hex that begins so
 *                                          "[text"  the same, behind an O
 * A leading "2" makes it the second client's. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

#include "fake_gdb_board.h"
#include "base/first_bytes.h"
#include "gdbstub/gdbstub.h"
#include "harness.h"
#include "base/rsp_frame.h"

enum { N_CLIENTS = 2, DEADLINE_MS = 5000, SILENCE_MS = 30 };

static struct peer { int fd; bool owes_sign; struct pt_rsp rsp; uint8_t payload[70000]; } peers[N_CLIENTS];
static uv_loop_t loop;
static struct pt_gdbstub *stub;
static struct pt_recorder *recorder;
static struct pt_os_tasks *tasks;
static bool stub_closed, quit_told;

/* --- the other end ------------------------------------------------------------------------------------------------ */

static void turn(void)
{
	uv_run(&loop, UV_RUN_NOWAIT);
	poll(NULL, 0, 1);
}

static int connect_tcp(void)
{
	const char *colon = strrchr(pt_gdbstub_address(stub), ':');
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(colon + 1)) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static void join(struct peer *peer)
{
	peer->fd = connect_tcp();
	peer->owes_sign = false;
	pt_rsp_init(&peer->rsp, peer->payload, sizeof(peer->payload));
	turn();
}

static uint32_t patience_ms;	/* for the first bytes; 0: as it is by default */

static void set_up(enum pt_attach attach)
{
	struct pt_gdbstub_config config = { .address = "127.0.0.1:0", .attach = attach, .patience_ms = patience_ms };
	struct pt_err err;

	uv_loop_init(&loop);
	config.board = fake_board_new(&loop);
	config.session = fake_session_new();
	config.recorder = recorder = pt_recorder_new(config.session);
	config.tasks = tasks = pt_os_tasks_new(&loop, config.board, config.session);
	stub = pt_gdbstub_new(&loop, &config, &err);
	ck_assert_msg(stub != NULL, "%s", err.msg);
	for (size_t i = 0; i < N_CLIENTS; i++)
		join(&peers[i]);
}

static void on_closed(void *arg)
{
	*(bool *)arg = true;
}

static void tear_down(void)
{
	fake.hold_jobs = false;
	fake_go_on();
	stub_closed = false;
	pt_gdbstub_close(stub, on_closed, &stub_closed);
	for (int ms = 0; ms < DEADLINE_MS && !stub_closed; ms++)
		turn();
	ck_assert(stub_closed);
	for (size_t i = 0; i < N_CLIENTS; i++)
		close(peers[i].fd);
	pt_os_tasks_close(tasks, on_closed, &stub_closed);
	pt_recorder_close(recorder, on_closed, &stub_closed);
	fake_board_free();
	while (uv_run(&loop, UV_RUN_NOWAIT) != 0)
		;
	ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static void send_bytes(struct peer *peer, const void *bytes, size_t n)
{
	const char *from = bytes;

	for (size_t sent = 0; sent < n;) {
		ssize_t rc = send(peer->fd, from + sent, n - sent, MSG_NOSIGNAL);

		if (rc > 0)
			sent += (size_t)rc;
		else
			turn();
	}
}

static void send_packet(struct peer *peer, const void *bytes, size_t n)
{
	struct pt_rsp_frame frame = { 0 };

	pt_rsp_begin(&frame, '$');
	pt_rsp_binary(&frame, bytes, n);
	pt_rsp_end(&frame);
	send_bytes(peer, frame.bytes, frame.len_bytes);
	pt_rsp_free(&frame);
}

static void put_hex(char *out, const char *text)
{
	for (; *text != '\0'; text++, out += 2)
		sprintf(out, "%02x", (uint8_t)*text);
}

static void send_monitor(struct peer *peer, const char *command)
{
	char packet[256] = "qRcmd,";

	put_hex(packet + strlen(packet), command);
	send_packet(peer, packet, strlen(packet));
}

/* False: nothing within ms. Acks are passed over. */
static bool next_packet(struct peer *peer, int ms)
{
	for (int i = 0; i < ms; i++) {
		enum pt_rsp_item item = PT_RSP_NONE;
		uint8_t byte;

		turn();
		while (recv(peer->fd, &byte, 1, 0) == 1) {
			pt_rsp_feed(&peer->rsp, &byte, 1, &item);
			if (item == PT_RSP_PACKET)
				return true;
			ck_assert(item != PT_RSP_DAMAGED && item != PT_RSP_OVERSIZE);
		}
	}
	return false;
}

static void hang_up(struct peer *peer)
{
	struct linger now = { .l_onoff = 1 };

	setsockopt(peer->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));	/* a reset, as from a killed GDB */
	close(peer->fd);
	for (int i = 0; i < 10; i++)
		turn();
	join(peer);
}

/* The server closes it, whatever it still says. */
static void await_end(struct peer *peer)
{
	for (int ms = 0; ms < DEADLINE_MS; ms++) {
		uint8_t byte;
		ssize_t n;

		turn();
		while ((n = recv(peer->fd, &byte, 1, 0)) > 0)
			;
		if (n == 0 || errno != EAGAIN)
			return;
	}
	ck_abort_msg("it is not closed");
}

/* A profile run has begun, and waits until its time is over. */
static void await_wait(void)
{
	for (int ms = 0; ms < DEADLINE_MS && !fake_waits(); ms++)
		turn();
	ck_assert_msg(fake_waits(), "no profile run waits");
}

static void happen(struct peer *peer, const char *what)
{
	char big[0x4001];

	for (int i = 0; i < 3; i++)
		turn();		/* what was sent before has arrived */
	if (strcmp(what, "breakpoint 120") == 0)
		fake_core_stops(PT_HALT_BREAK_HW, 0x120, 0x120);
	else if (strcmp(what, "watchpoint 20000010") == 0)
		fake_core_stops(PT_HALT_WATCH_WRITE, 0x20000010, 0x130);
	else if (strcmp(what, "bkpt") == 0)
		fake_core_stops(PT_HALT_BKPT, PT_UNKNOWN, 0x140);
	else if (strcmp(what, "trace full") == 0)
		fake_core_stops(PT_HALT_TRACE, PT_UNKNOWN, 0x140);
	else if (strcmp(what, "unplug") == 0)
		fake_board_says(PT_BOARD_CLOSED, "the probe was unplugged");
	else if (strcmp(what, "replug") == 0)
		fake_board_says(PT_BOARD_READY, "");
	else if (strcmp(what, "locked") == 0)
		fake_board_says(PT_BOARD_LOCKED, "the chip is secured");
	else if (strcmp(what, "stop in resume") == 0)
		fake.stop_in_resume = 0x120;
	else if (strcmp(what, "halt fails") == 0)
		fake.fail_halt = PT_ETIMEOUT;
	else if (strcmp(what, "halt works") == 0)
		fake.fail_halt = 0;
	else if (strcmp(what, "resume fails") == 0)
		fake.fail_resume = PT_EFAULT;
	else if (strcmp(what, "hold") == 0)
		fake.hold_jobs = true;
	else if (strcmp(what, "go on") == 0)
		fake.hold_jobs = false, fake_go_on();
	else if (strcmp(what, "it waits") == 0)
		await_wait();
	else if (strcmp(what, "time up") == 0)
		await_wait(), fake_time_up();
	else if (strcmp(what, "is closed") == 0)
		await_end(peer);
	else if (strcmp(what, "hang up") == 0)
		hang_up(peer);
	else if (strcmp(what, "oversize") == 0)
		memset(big, 'm', sizeof(big)), send_packet(peer, big, sizeof(big));
	else if (strcmp(what, "halted before") == 0)
		fake.core.state = PT_HALTED;
	else if (strcmp(what, "wait 1100") == 0)
		for (int i = 0; i < 1100; i++)
			turn();
	else
		ck_abort_msg("unknown event %s", what);
}

/* What a command that takes long says of itself. On a busy machine any profile run does: GDB answers with a sign of life,
 * and what the command ends with comes behind that. */
static bool is_progress(const struct peer *peer)
{
	static const char profiling[] = "O70726f66696c696e67", so_far[] = "207320736f20666172";	/* " s so far" */
	const char *text = (const char *)peer->payload;

	return strncmp(text, profiling, strlen(profiling)) == 0 || (text[0] == 'O' && strstr(text, so_far) != NULL);
}

static void expect(const char *name, struct peer *peer, const char *step)
{
	char hex[2048] = "O";
	const char *want = step + 1;
	bool whole = *step == '<';

	if (*step == '[' || *step == '(') {
		put_hex(hex + 1, step + 1);
		want = *step == '[' ? hex : hex + 1;
	}
	do {
		if (peer->owes_sign)
			send_bytes(peer, "-", 1);
		ck_assert_msg(next_packet(peer, DEADLINE_MS), "%s: nothing came for %s", name, step);
		peer->owes_sign = is_progress(peer) && strncmp((char *)peer->payload, want, strlen(want)) != 0;
	} while (peer->owes_sign);
	ck_assert_msg(strncmp((char *)peer->payload, want, strlen(want)) == 0 &&
			      (!whole || peer->rsp.len_bytes == strlen(want)),
		      "%s: not %s but %s", name, step, peer->payload);
}

static void play(const char *name, const char *const *steps)
{
	for (; *steps != NULL; steps++) {
		const char *text = *steps;
		struct peer *peer = &peers[*text == '2'];

		text += *text == '2';
		if (*text == '>')
			send_packet(peer, text + 1, strlen(text + 1));
		else if (*text == ':')
			send_monitor(peer, text + 1);
		else if (*text == '!')
			send_bytes(peer, text + 1, strlen(text + 1));
		else if (*text == '#')
			happen(peer, text + 1);
		else if (*text == '=')
			ck_assert_msg(!next_packet(peer, SILENCE_MS) || (peer->owes_sign = is_progress(peer)),
				      "%s: not expected: %s", name, peer->payload);
		else
			expect(name, peer, text);
	}
}

/* --- conversations ------------------------------------------------------------------------------------------------ */

#define CORE_REGISTERS(pc)                                                                                             \
	"00:00000000;01:00000000;02:00000000;03:00000000;04:00000000;05:00000000;06:00000000;07:00000000;"             \
	"08:00000000;09:00000000;0a:00000000;0b:00000000;0c:00000000;0d:00000000;0e:00000000;0f:" pc ";19:00000000;"
#define STOP(signal, reason, pc) "T" signal "thread:1;" reason CORE_REGISTERS(pc)
#define ATTACHED ">QStartNoAckMode", "<OK", ">qSupported:swbreak+;hwbreak+", "~PacketSize=4000;", ">!", "<OK", \
	">?", "<" STOP("05", "", "00010000")
#define NEW_GDB ">QStartNoAckMode", "<OK", ">qSupported:error-message+", "~PacketSize=4000;"
#define MAX_STEPS 40
#define NOISE8 "\xff\xfe\xff\xfe\xff\xfe\xff\xfe"
#define NOISE NOISE8 NOISE8 NOISE8 NOISE8 NOISE8 NOISE8 NOISE8 NOISE8	/* 64 */

static const struct { const char *name; const char *steps[MAX_STEPS]; } talks[] = {
	/* handshake */
	{ "unknown packets", { ">vMustReplyEmpty", "<", ">QTinit", "<", ">qTStatus", "<", ">@", "<" } },
	{ "acks until told otherwise", { ">!", "<OK", "!-", "<OK", "!+", "!-", "=", ">QStartNoAckMode", "<OK", "!+-",
	  "=" } },
	{ "error-message only if both know it", { ">qSupported:swbreak+",
	  "<PacketSize=4000;QStartNoAckMode+;QNonStop+;vContSupported+;"
	  "swbreak+;hwbreak+;ConditionalBreakpoints+;qXfer:features:read+;qXfer:memory-map:read+;qXfer:threads:read+;qXfer:btrace:read+;qXfer:btrace-conf:read+;Qbtrace:bts+;Qbtrace:off+;Qbtrace-conf:bts:size+;"
	  "qXfer:osdata:read+;qXfer:exec-file:read+;binary-upload+" } },
	{ "attach, ask, detach", { ATTACHED, ">qC", "<QC1", ">qfThreadInfo", "<m1", ">qsThreadInfo", "<l", ">Hg1",
	  "<OK", ">Hc-1", "<OK", ">Hg2", "<E01", ">T1", "<OK", ">T2", "<E01", ">qAttached", "<1", ">qOffsets",
	  "<Text=0;Data=0;Bss=0", ">qSymbol::", "<OK", ">qThreadExtraInfo,1", "~636f72652030", ">D", "<OK", ">g",
	  "~E.no program is attached" } },
	{ "why, again", { ATTACHED, ">?", "<" STOP("05", "", "00010000") } },
	{ "attach and kill", { ">vAttach;1", "~T05thread:1;", ">vKill;a410", "<OK", ">vAttach;1", "~T05", ">k", ">qC",
	  "<" } },
	{ "another process", { ">vAttach;2", "~E.there is one program" } },
	{ "run again", { ATTACHED, ">vRun;", "<" STOP("05", "", "40000000"), ">R00", ">?", "<" STOP("05", "",
	  "40000000") } },
	/* registers */
	{ "registers", { ATTACHED, ">P0=78563412", "<OK", ">p0", "<78563412", ">p19", "<00000000", ">p1a", "<00000000",
	  ">p20", "<E01", ">p", "<E01", ">p0x", "<E01", ">P0=7856", "~E.P for r0 without its 32 bits", ">P0", "<E01",
	  ">P0=7856341g", "~E.P for r0" } },
	{ "all registers", { ATTACHED, ">G01000000", "~E.G with 8 digits", ">Gzz", "~E.G with", ">gx", "<" } },
	/* memory */
	/* the check value of CRC-32/MPEG-2 is a public one */
	{ "sums", { ATTACHED, ">M20000000,9:313233343536373839", "<OK", ">qCRC:20000000,9", "<C376e6e7", ">qCRC:20000000,0",
	  "<Cffffffff", ">qCRC:20000000", "<E01", ">qCRC:20001ff0,20", "<E01", ">qCRC:0,ffffffffff", "<E01" } },
	{ "searches", { ATTACHED, ">M20001ffc,4:deadbeef", "<OK", ">qSearch:memory:20001000;1000;\xde\xad\xbe\xef", "<1,20001ffc",
	  ">qSearch:memory:20001000;fff;\xde\xad\xbe\xef", "<0", ">qSearch:memory:20001000;1000;", "<E01",
	  ">qSearch:memory:20001000;2000;zzzzzz", "<E01", ">qSearch:memory:20000000;0;a", "<0",
	  /* where one piece ends and the next begins */
	  ">M00001ffe,4:deadbeef", "<OK", ">qSearch:memory:0;3000;\xde\xad\xbe\xef", "<1,1ffe" } },
	{ "memory", { ATTACHED, ">m20000000,4", "<00010203", ">X20000000,2:\x01\x02", "<OK", ">M20000002,2:aabb", "<OK",
	  ">m20000000,4", "<0102aabb", ">x20000000,2", "<b\x01\x02", ">X20000000,0:", "<OK", ">m20000000,0", "<" } },
	{ "memory that ends", { ATTACHED, ">m20001ffe,10", "<feff", ">m20002000,4", "<E01", ">x20002000,4", "<E01" } },
	{ "lengths that lie", { ATTACHED, ">m0,", "<E01", ">m,4", "<E01", ">m0", "<E01", ">m0,4,4", "<E01",
	  ">X0,4:ab", "<E01", ">X0,2:abcd", "<E01", ">X0,ffffffffffffffff:", "<E01", ">M0,2:aa", "<E01", ">M0,2:aagg",
	  "<E01", ">M0,8000000000000001:aa", "<E01", ">m0,11111111111111111", "<E01", ">vFlashWrite:0", "<E01",
	  ">vFlashWrite:", "<E01", ">vFlashErase:0", "<E01", ">mffffffffffffffff,ff", "<E01" } },
	{ "a read is as long as a packet at most", { ATTACHED, ">m0,ffffffff", "~0000000000" } },
	/* run control */
	{ "continue to a breakpoint", { ATTACHED, ">Z1,120,2", "<OK", ">vCont;c:1", "=", "#breakpoint 120",
	  "<" STOP("05", "hwbreak:;", "20010000") } },
	{ "software breakpoint in flash", { ATTACHED, ">Z0,120,2", "<OK", ">vCont;c", "=", "#breakpoint 120",
	  "<" STOP("05", "swbreak:;", "20010000") } },
	{ "a stop elsewhere is plain", { ATTACHED, ">Z1,122,2", "<OK", ">vCont;c", "=", "#breakpoint 120",
	  "<" STOP("05", "", "20010000") } },
	{ "a removed breakpoint is nobody's", { ATTACHED, ">Z1,120,2", "<OK", ">z1,120,2", "<OK", ">c", "=",
	  "#breakpoint 120", "<" STOP("05", "", "20010000") } },
	{ "a BKPT of the program", { ATTACHED, ">c", "=", "#bkpt", "<" STOP("05", "", "40010000") } },
	{ "a watchpoint", { ATTACHED, ">Z2,20000010,4", "<OK", ">c", "=", "#watchpoint 20000010",
	  "<" STOP("05", "watch:20000010;", "30010000") } },
	{ "a full trace buffer is not the user's", { ATTACHED, ">c", "=", "#trace full", "=" } },
	{ "a stop that comes with the resume", { ATTACHED, ">Z1,120,2", "<OK", "#stop in resume", ">vCont;c",
	  "<" STOP("05", "hwbreak:;", "20010000") } },
	{ "interrupt", { ATTACHED, ">vCont;c", "=", "!\003", "<" STOP("02", "", "00010000") } },
	{ "interrupt at once behind the resume", { ATTACHED, ">vCont;c", "!\003", "<" STOP("02", "",
	  "00010000"), "=" } },
	{ "interrupt twice, one answer", { ATTACHED, ">vCont;c", "!\003\003", "~T02", "!\003", "=" } },
	{ "interrupt while halted is nothing", { ATTACHED, "!\003", "=", ">m20000000,1", "<00" } },
	{ "interrupt meets a stop: one answer", { ATTACHED, ">vCont;c", "=", "#hold", "#breakpoint 120", "!\003",
	  "#go on", "~T0", "=" } },
	{ "interrupt that fails, then works", { ATTACHED, ">vCont;c", "=", "#halt fails", "!\003",
	  "[interrupt: it does not halt\n", "#halt works", "!\003", "~T02", "=" } },
	{ "interrupt that fails, a halt that comes late", { ATTACHED, ">vCont;c", "=", "#halt fails", "!\003",
	  "[interrupt: ", "#bkpt", "~T02", "=" } },
	{ "resume that fails is a stop with a reason", { ATTACHED, "#resume fails", ">vCont;c",
	  "[resume: it does not run\n", "<T00thread:1;" } },
	{ "a second resume while running", { ATTACHED, ">vCont;c", "=", ">vCont;c", "<E01", "!\003", "~T02" } },
	{ "memory while running", { ATTACHED, ">vCont;c", "=", ">m20000000,1", "<00", ">g", "<E01", "!\003", "~T02" } },
	{ "step", { ATTACHED, ">vCont;s:1;c", "<" STOP("05", "", "02010000"), ">s", "~T05", ">S05", "~T05" } },
	{ "step from elsewhere", { ATTACHED, ">s200", "<" STOP("05", "", "02020000"), ">S05;300", "<" STOP("05", "",
	  "02030000") } },
	{ "step through a range", { ATTACHED, ">vCont;r100,110:1", "<" STOP("05", "", "10010000") } },
	{ "a breakpoint in the range", { ATTACHED, ">Z1,104,2", "<OK", ">vCont;r100,110", "<" STOP("05", "",
	  "04010000") } },
	{ "vCont that makes no sense", { ATTACHED, ">vCont?", "<vCont;c;C;s;S;t;r", ">vCont;", "<E01", ">vCont;q",
	  "<E01",
	  ">vCont;c:9", "<E01", ">vCont;r1", "<E01", ">vCont;c;", "<E01", ">vCont;cc", "<E01", ">vCont;C", "<E01" } },
	/* Ctrl-C that comes before the resume */
	{ "0x03 while halted ends the next resume, once", { ATTACHED, "!\003", "=", ">vCont;c", "<" STOP("02", "", "00010000"),
	  ">vCont;c", "=", "!\003", "~T02" } },
	{ "0x03 while halted, then a step", { ATTACHED, "!\003", ">m20000000,1", "<00", ">vCont;s:1",
	  "<" STOP("02", "", "00010000"), ">vCont;s:1", "<" STOP("05", "", "02010000") } },
	{ "0x03 while halted, then a range, and c at an address", { ATTACHED, "!\003", ">vCont;r100,110:1",
	  "<" STOP("02", "", "00010000"), "!\003", ">c104", "<" STOP("02", "", "04010000") } },
	{ "0x03 while halted, forgotten with a command of the user's", { ATTACHED, "!\003", ":halt", "(core 0: halted",
	  ">vCont;s", "<" STOP("05", "", "02010000") } },
	{ "0x03 while halted, forgotten with the session", { ATTACHED, "!\003", ">D", "<OK", ">vAttach;1", "~T05",
	  ">vCont;s", "~T05" } },
	{ "0x03 while halted, and another client", { ATTACHED, "!\003", ">D", "<OK", "2>vAttach;1", "2~T05", "2>vCont;s",
	  "2~T05" } },
	{ "0x03 without a program", { NEW_GDB, "!\003", ">?", "~T05", ">vCont;s", "~T05" } },
	{ "0x03 beside a breakpoint goes without it", { ATTACHED, ">Z1,120,2", "<OK", ">vCont;c", "=", "#hold",
	  "#breakpoint 120", "!\003", "=", "#go on", "<" STOP("02", "", "20010000") } },
	{ "vCtrlC and vCont;t while halted are done at once", { ATTACHED, ">vCtrlC", "<OK", ">vCont;t", "<OK", ">vCont;s",
	  "~T05" } },
	/* breakpoints */
	{ "no comparator is left", { ATTACHED, ">Z1,100,2", "<OK", ">Z1,102,2", "<OK", ">Z1,104,2",
	  "<E..both comparators are taken", ">z1,100,2", "<OK", ">Z1,104,2", "<OK", ">z1,100,2", "<OK" } },
	{ "no comparator is left, to a GDB that shows all of an error", { NEW_GDB, ">!", "<OK", ">?", "~T05", ">Z1,100,2", "<OK",
	  ">Z1,102,2", "<OK", ">Z1,104,2", "<E.both comparators are taken", ">z1,100,2", "<OK", ">z1,102,2", "<OK" } },
	{ "what this target never does", { ATTACHED, ">Z4,20000000,4", "<", ">Z5,0,4", "<E01", ">Z1,100", "<E01" } },
	{ "inserting twice", { ATTACHED, ">Z0,20000100,2", "<OK", ">Z0,20000100,2", "<OK", ">z0,20000100,2", "<OK",
	  ">z0,20000100,2", "<OK" } },
	/* flash */
	{ "load", { ATTACHED, ">vFlashErase:00000400,00000400", "<OK", ">vFlashWrite:400:ab", "<OK", ">vFlashDone",
	  "<OK", ">m400,3", "<6162ff" } },
	{ "load elsewhere", { ATTACHED, ">vFlashErase:20000000,400", "<E.memtype", ">vFlashWrite:8000:a",
	  "<E.memtype" } },
	{ "load while running", { ATTACHED, ">vCont;c", ">vFlashErase:0,400",
	  "~E.flash is written while the core is halted", "!\003", "~T02" } },
	{ "load without the program", { NEW_GDB, ">vFlashErase:0,400", "<E.no program is attached: attach 1 comes first" } },
	/* documents */
	{ "target.xml in pieces", { ">qXfer:features:read:target.xml:0,6", "<m<?xml ",
	  ">qXfer:features:read:target.xml:6,7",
	  "<mversion", ">qXfer:features:read:target.xml:fffffff,10", "<l", ">qXfer:features:read:other.xml:0,10",
	  "<E00", ">qXfer:features:read:target.xml:0", "<E01", ">qXfer:auxv:read::0,10", "<" } },
	{ "threads", { ">qXfer:threads:read::0,1000", "<l<threads/>", ATTACHED, ">qXfer:threads:read::0,1000",
	  "<l<?xml version=\"1.0\"?>\n<threads>\n<thread id=\"1\" core=\"0\" name=\"core 0\">FAKE1 &#60;Cortex-M0+&#62;"
	  "</thread>\n</threads>\n" } },
	/* the board comes and goes */
	{ "no board", { "#unplug", ">?", "<W00", ">qfThreadInfo", "<l", ">qC", "<", ">g", "~E.no program is attached", ">vAttach;1",
	  "<E.the probe was unplugged", "#replug", ">vAttach;1", "~T05" } },
	{ "unplugged while running", { ATTACHED, ">c", "=", "#unplug", "[the probe was unplugged",
	  "[\n", "<X09", ">g", "~E.no program is attached", "#replug", ">vRun;", "~T05" } },
	{ "unplugged while halted", { ATTACHED, "#unplug", ">g", "~E.no program is attached", ">D", "<OK" } },
	/* bad packets */
	{ "too large", { NEW_GDB, "#oversize", "<E.a packet of more than 16384 bytes", ">!", "<OK" } },
	{ "damaged", { NEW_GDB, "!$!#00", "<E.a packet was damaged on its way", ">!", "<OK" } },
	{ "damaged, with acks", { ">!", "<OK", "!+$!#00", "=", ">!", "<OK" } },
	/* what is no GDB */
	{ "a web page", { "!POST / HTTP/1.1\r\n\r\n+$?#3f+$vKill;1#6e", "#is closed", "2>!", "2<OK" } },
	{ "a method of its own", { "!$R00#b2 / HTTP/1.1\r\n", "#is closed" } },
	{ "a method that is a packet", { "!$qC#b4 / HTTP/1.1\r\n\r\n$?#3f", "#is closed" } },
	{ "damaged at first", { "!+$!#00", "#is closed" } },
	{ "in pieces", { "!+", "!+$", "!?#3", "=", "!f", "~T05" } },
	{ "an interrupt comes first", { "!\003\003", "=", ">!", "<OK" } },
	{ "line noise is passed over", { ">!", "<OK", "!+\r\n\xff\xf3\xfe", ">!", "<OK" } },
	{ "so much noise is none", { ">!", "<OK", "!+" NOISE, ">!", "<OK", "!+" NOISE "\xff", "#is closed" } },
	{ "text between packets", { ATTACHED, "!+hello", "#is closed", "2>?", "2~T05" } },
	{ "a second packet before the first reply is no GDB", { "!+$qC#b4$R00#b2", "#is closed" } },
	{ "packets on top of each other", { ">!", "<OK", ">!", ">qAttached", ">m0,4", ">!", "<OK", "<1", "<E01", "<OK" } },
	{ "a GDB that connects hears that there is no board", { NEW_GDB, "#unplug", ">QNonStop:0",
	  "<E.the probe was unplugged", ">QNonStop:1", "<E.the probe was unplugged", "#replug", ">QNonStop:0", "<OK" } },
	{ "a locked chip may be connected to", { NEW_GDB, "#locked", ">QNonStop:0", "<OK" } },
	/* two clients */
	{ "a second all-stop client is refused in words", { ATTACHED, "2>QNonStop:0",
	  "2~E.another GDB has the target (127.0.0.1 port ", "2>QNonStop:1", "2<OK" } },
	{ "a second client resets and halts nothing", { ATTACHED, "2:reset", "2[reset: another GDB controls the target (127",
	  "2<E01", "2:halt", "2[halt: another GDB", "2<E01", "2>QNonStop:1", "2<OK", "2>vRun;",
	  "2~E.another GDB has the target (" } },
	{ "one program, two clients", { ATTACHED, "2>?", "2<W00", "2>qfThreadInfo", "2<l", "2>g", "2~E.no program",
	  "2>vAttach;1", "2~E.another GDB has the target (127.0.0.1 port ", ">D", "<OK", "2>vAttach;1", "2~T05" } },
	{ "the second waits while the first is leaving", { ATTACHED, ">c", "=", "#hold", "#hang up", "2>?", "2=",
	  "#go on", "2~T05" } },
};

START_TEST(talks_as_written)
{
	set_up(PT_ATTACH_AUTO);
	play(talks[_i].name, talks[_i].steps);
	tear_down();
}
END_TEST

static const struct { const char *name; const char *steps[MAX_STEPS]; } monitors[] = {
	{ "a wrong word gets the right ones",
	  { ":hello", "[\"hello\" is not a monitor", "<E01" } },
	{ "the sentence to those who take it", { NEW_GDB,
	  ":hello", "~E.\"hello\" is not a monitor command; there are: help, "
	  "profile start, profile stop, profile status, profile reset, profile report, profile save, sources, profile run, "
	  "symbols, exits, profile limits, profile write, orti, halt, go, reset, status, speed, erase" } },
	{ "a wrong second word", { NEW_GDB, ":profile go", "<E.\"profile go\" is not a monitor command; there are: "
	  "profile start, profile stop, profile status, profile reset, profile report, profile save, profile run, "
	  "profile limits, profile write, profile live" } },
	{ "no words, odd digits, no digits", { NEW_GDB, ">qRcmd,", "(monitor profile run 2s", ">qRcmd,6",
	  "<E.malformed packet", ">qRcmd,zz", "<E.malformed packet" } },
	{ "a word where none belongs", { NEW_GDB, ":halt now", "~E.halt takes no words",
	  ":profile stop now", "~E.profile stop takes no words" } },
	{ "an answer is one packet", { ":sources", "(mtb\n" } },
	{ "start and stop", { ":profile start", "(profiling\n", ":profile stop", "(TABLE\n" } },
	{ "report", { ":profile report", "(TABLE\n" } },
	{ "status, and how much was seen", { ":profile status", "(profile: none\nTABLE\n" } },
	{ "halt and go", { ":halt", "(core 0: halted at 0x00000100", ":go", "(running\n" } },
	{ "with the board closed", { NEW_GDB, "#unplug", ":halt", "<E.the probe was unplugged", ":sources",
	  "(mtb\n" } },
	{ "mass erase asks first", { NEW_GDB, ":erase", "~E.erase takes all programs" } },
	{ "mass erase of a locked chip", { NEW_GDB, "#locked", ":erase everything", "(all flash" } },
	{ "run, from a halted core", { ATTACHED, ":profile run 1s", "=", "#time up",
	  "(TABLE\nThe core is halted again" } },
	{ "run, and the core does not halt again", { ATTACHED, ":profile run 1s", "=", "#halt fails", "#time up",
	  "[TABLE\nprofile run: halt the core again: it does not halt\n" } },
	{ "run of a core that runs", { ":profile run 1s", "=", "#halt fails", "#time up", "(TABLE\n" } },
	{ "run, abandoned by a new packet", { ATTACHED, ":profile run 1s", "=", ">m20000000,1", "<00", "=" } },
	{ "run, ended by 0x03", { ATTACHED, ":profile run 1s", "#it waits", "=", "!\003", "(TABLE\n" } },
	{ "run, ended by the core", { ATTACHED, ":profile run 1s", "#it waits", "#bkpt", "(the core halted by it" } },
	{ "run with a wrong time", { NEW_GDB, ":profile run", "~E.profile run for how long?",
	  ":profile run 3x", "~E.profile run: " } },
	{ "slow: progress, silence, the answer after a sign of life", { ATTACHED, ":profile run 1s", "#wait 1100",
	  "[profiling\nprofile run: ", "#time up", "=", "!-", "(TABLE\n", "=" } },
	{ "slow: more progress", { ATTACHED, ":profile run 1s", "#wait 1100", "[pr", "=", "!-", "[pr", "=",
	  "!-", "[pr", "#time up", "=", "!-", "(TABLE\n" } },
	{ "slow: abandoned after the progress", { ATTACHED, ":profile run 1s", "#wait 1100", "[pr", "#time up",
	  "=", ">m20000000,1", "<00", "=" } },
	{ "live prints only while the target runs", { ATTACHED, ":profile start", "(profiling\n",
	  ":profile live 100ms", "(the", "#wait 1100", "=", ">vCont;c", "[TABLE\n",
	  "[TABLE\n", "!\003", "#wait 1100" } },
	{ "live, wrong", { NEW_GDB, ":profile live", "~E.profile live TIME", ":profile live 1ms",
	  "<E.profile live: at least 100 ms", ":profile live off", "<OK" } },
	{ "exits, wrong", { NEW_GDB, ":exits", "<E.exits takes the name of a function: exits main", ":exits main",
	  "<E.exits: no symbols yet: monitor symbols FILE" } },
	{ "orti, wrong", { NEW_GDB, ":orti", "~E.orti takes a FILE on the host", ":orti a b c", "~E.orti takes a FILE",
	  ":orti x.orti", "~E.orti: no symbols yet: monitor symbols FILE", ":orti off", "(no tasks for the next profile\n" } },
	{ "symbols that are not there", { NEW_GDB, ":symbols /none", "~E.symbols: " } },
	{ "symbols with settings", { NEW_GDB, ":symbols /none debug-dir=/x,/y source-path=/a:/b exits=f:1", "~E.symbols: ",
	  ":symbols /none more=1", "~E.symbols FILE (without spaces in its path): " } },
};

START_TEST(monitors_as_written)
{
	set_up(PT_ATTACH_AUTO);
	play(monitors[_i].name, monitors[_i].steps);
	tear_down();
}
END_TEST

/* Exits of a real ELF; its place is known only now. */
START_TEST(lists_exits)
{
	static char symbols[512], by_hand[600], wrong[600];
	const char *srcdir = getenv("srcdir");
	const char *const steps[] = {
		NEW_GDB, symbols, "(", ":exits none", "~E.exits: the program has no function none",
		":exits careful", "(careful(int), 0x00000188: 1 exit\n_Z7carefuli_EXIT_  0x000001a6  ",
		":exits motor::Drive::run(int, motor::Drive const&) const",
		"(motor::Drive::run(int, motor::Drive const&) const, 0x00000110: 1 exit\n",
		":exits _Z4hangv", "(hang() never ends\n",
		by_hand, "(", ":exits careful", "(careful(int), 0x00000188: 1 exit\n_Z7carefuli_EXIT_  0x00000188  ",
		wrong, "(", ":exits careful", "~E.exits: no function is called 'nobody'", NULL,
	};

	snprintf(symbols, sizeof(symbols), ":symbols %s/tests/firmware/shapes.elf", srcdir != NULL ? srcdir : ".");
	snprintf(by_hand, sizeof(by_hand), "%s exits=careful:0x188", symbols);
	snprintf(wrong, sizeof(wrong), "%s exits=nobody:1", symbols);
	set_up(PT_ATTACH_AUTO);
	play("exits", steps);
	tear_down();
}
END_TEST

static const char *in_srcdir(const char *command, const char *name, char text[600])
{
	const char *srcdir = getenv("srcdir");

	snprintf(text, 600, "%s%s/tests/%s", command, srcdir != NULL ? srcdir : ".", name);
	return text;
}

/* What start-up code would have done. */
static void load_data(const char *elf)
{
	const struct pt_segment *segments;
	struct pt_program *program;
	char path[600];
	size_t n;

	program = pt_program_open(in_srcdir("", elf, path), 0, NULL);
	ck_assert_ptr_nonnull(program);
	segments = pt_program_segments(program, &n);
	for (size_t i = 0; i < n; i++)
		if (segments[i].bytes != NULL && segments[i].run >= FAKE_RAM &&
		    segments[i].run + segments[i].size <= FAKE_RAM + FAKE_RAM_BYTES)
			memcpy(fake.ram + (segments[i].run - FAKE_RAM), segments[i].bytes, segments[i].size);
	pt_program_unref(program);
}

START_TEST(reads_orti_files)
{
	static char symbols[600], good[600], wrong[600], says[1000], refused[800];
	const char *const steps[] = {
		NEW_GDB, in_srcdir(":symbols ", "firmware/vars.elf", symbols), "(",
		in_srcdir(":orti ", "fuzz/corpus/orti/sample_a.orti", good), says,
		in_srcdir(":orti ", "firmware/vars.elf", wrong), refused, NULL,
	};
	char path[600];

	snprintf(
		says, sizeof(says),
		"(%s: Demo_ORTI, 3 objects\nthe state of 1 task is not followed: STATE of T_10ms = \"tcb[1].flags & 0x3U\": "
		"it is calculated from tcb[1].flags: watch that, and calculate again\n"
		"core 0: running task: trace os_cur, 1 bytes at 0x20000214\n"
		"  NO_TASK (none), Init Task, T_10ms\n",
		in_srcdir("", "fuzz/corpus/orti/sample_a.orti", path));
	snprintf(refused, sizeof(refused), "~E.orti: %s: this is no ORTI file",
		 in_srcdir("", "firmware/vars.elf", path));
	set_up(PT_ATTACH_AUTO);
	play("orti", steps);
	ck_assert_ptr_nonnull(strstr(fake.orti, "RUNNINGTASK = \"(unsigned char)os_cur\""));
	ck_assert_ptr_null(strchr(fake.orti, '\n'));
	play("off", (const char *const[]){ ":orti off", "(no tasks", NULL });
	ck_assert_str_eq(fake.orti, "");
	tear_down();
}
END_TEST

/* The corrected file is written, and is an ORTI file again. */
START_TEST(corrects_an_id_behind_a_pointer)
{
	static char symbols[600], pointer[600], keep[1400], again[800], kept[] = "/tmp/pt_orti_XXXXXX";
	const char *const running[] = {
		NEW_GDB, in_srcdir(":symbols ", "firmware/vars.elf", symbols), "(",
		in_srcdir(":orti ", "fuzz/corpus/orti/pointer.orti", pointer),
		"[", "<E01", NULL,	/* first what was found, then why it cannot go on */
	};
	const char *const halted[] = { keep, "(", again, "(", keep, "[", "<E01", NULL };
	char said[700];

	set_up(PT_ATTACH_AUTO);
	load_data("firmware/vars.elf");
	play("running", running);
	ck_assert_str_eq(fake.orti, "");
	ck_assert_ptr_nonnull(mkdtemp(kept));
	snprintf(said, sizeof(said), "%s/new.orti", kept);
	snprintf(keep, sizeof(keep), "%s %s", pointer, said);
	snprintf(again, sizeof(again), ":orti %s", said);
	play("halt", (const char *const[]){ ":halt", "(", NULL });
	play("halted", halted);
	ck_assert_ptr_nonnull(strstr(fake.orti, "\"Control\" = \"&tcb_control\""));
	ck_assert_ptr_nonnull(strstr(fake.orti, "RUNNINGTASK = \"pActiveTCB\""));
	ck_assert_int_eq(unlink(said), 0);
	rmdir(kept);
	tear_down();
}
END_TEST

START_TEST(finds_the_tasks_of_a_known_os)
{
	static char symbols[600], none[600];
	const char *const steps[] = {
		NEW_GDB,
		in_srcdir(":symbols ", "firmware/rtos_threadx.elf", symbols),
		"(",
		":orti auto",
		"(ThreadX: 3 tasks\n  0x20000010  prio   4  waits for a queue",
		in_srcdir(":symbols ", "firmware/vars.elf", none),
		"(",
		":orti auto",
		"~E.orti: the symbols of the ELF are of no operating system known here",
		NULL,
	};

	set_up(PT_ATTACH_AUTO);
	load_data("firmware/rtos_threadx.elf");
	play("auto", steps);
	ck_assert_ptr_nonnull(strstr(fake.orti, "RUNNINGTASK = \"_tx_thread_current_ptr\""));
	ck_assert_msg(strstr(fake.orti, "\"producer\" = \"&producer\"") != NULL, "%s", fake.orti);
	tear_down();
}
END_TEST

/* The frame that the port for ARMv7-M leaves of consumer: EXC_RETURN, r4-r11, and what the hardware stacks. */
START_TEST(shows_tasks_as_threads)
{
	static char symbols[600];
	const char *const steps[] = {
		NEW_GDB, in_srcdir(":symbols ", "firmware/rtos_threadx.elf", symbols), "(", ">?", "~T05thread:200000a0;core:0;",
		">qC", "<QC200000a0", ">qfThreadInfo", "<m20000010,200000a0,20000130",
		">qXfer:threads:read::0,1000",
		"<l<?xml version=\"1.0\"?>\n<threads>\n"
		"<thread id=\"20000010\" name=\"consumer\">waits for a queue, priority 4</thread>\n"
		"<thread id=\"200000a0\" core=\"0\" name=\"producer\">running, priority 5</thread>\n"
		"<thread id=\"20000130\" name=\"System Timer Thread\">suspended, priority 0</thread>\n</threads>\n",
		">Hg20000010", "<OK", ">p4", "<01000044", ">pf", "<34120000", ">pd", "<440b0020", ">P4=78563412", "<OK",
		">p4", "<78563412", ">Pd=00000000", "~E.sp of a task that does not run", ">Hg20000130", "<OK", ">p4", "<xxxxxxxx",
		">T20000130", "<OK", ">T7777", "~E.there is no such thread", ">vCont;s:200000a0;c", "~T05thread:200000a0;core:0;",
		">p4", "<00000000", ">D", "<OK", NULL,
	};
	uint8_t *frame = fake.ram + 0xb00;

	set_up(PT_ATTACH_AUTO);
	load_data("firmware/rtos_threadx.elf");
	pt_put_le32(frame, 0xfffffffd);
	for (uint32_t i = 1; i < 17; i++)
		pt_put_le32(frame + 4 * i, 0x44000000 + i);
	pt_put_le32(frame + 4 * 15, 0x1234);
	pt_put_le32(frame + 4 * 16, 0x01000000);
	play("threads", steps);
	ck_assert_uint_eq(pt_le32(frame + 4), 0x12345678);
	tear_down();
}
END_TEST

/* --- what is left behind ------------------------------------------------------------------------------------------ */

static const struct { const char *name, *steps[MAX_STEPS]; enum pt_run_state want; } ends[] = {
	{ "while halted", { ATTACHED, ">Z1,120,2", "<OK", "#hang up" }, PT_RUNNING },
	{ "while running", { ATTACHED, ">Z1,120,2", "<OK", ">Z2,20000000,4", "<OK", ">vCont;c", "=",
	  "#hang up" }, PT_RUNNING },
	{ "before the resume came back", { ATTACHED, ">Z1,120,2", "<OK", "#hold", ">vCont;c", "#hang up",
	  "#go on" }, PT_RUNNING },
	{ "in a flash write", { ATTACHED, ">vFlashErase:0,400", "<OK", "#hold", ">vFlashWrite:0:ab", "#hang up",
	  "#go on" }, PT_RUNNING },
	{ "in a monitor command", { ATTACHED, ":profile run 1s", "=", "#hang up" }, PT_RUNNING },
	{ "while live waits for a table", { ATTACHED, ":profile live 100ms", "(the", ">c", "=",
	  "#hang up" }, PT_RUNNING },
	{ "found halted, left halted", { "#halted before", ATTACHED, "#hang up" }, PT_HALTED },
	{ "found halted, made to run", { "#halted before", ATTACHED, ">vCont;c", "=", "#hang up" }, PT_HALTED },
	{ "found halted, detached", { "#halted before", ATTACHED, ">D", "<OK" }, PT_RUNNING },
	{ "killed", { ATTACHED, ">vKill;a410", "<OK" }, PT_RUNNING },
};

START_TEST(leaves_the_board_as_it_was)
{
	set_up(PT_ATTACH_AUTO);
	play(ends[_i].name, ends[_i].steps);
	for (int i = 0; i < 20; i++)
		turn();
	ck_assert_msg(fake.core.state == ends[_i].want, "%s", ends[_i].name);
	ck_assert_uint_eq(fake.n_breaks, 0);
	ck_assert_uint_eq(fake.n_leaves, 1);
	play(ends[_i].name, (const char *const[]){ ">vAttach;1", "!+", "~T05", ">m20000000,1", "<00", NULL });
	tear_down();
}
END_TEST

/* top=N of the start is for all reports that do not say otherwise; run has the words of a report, too. */
START_TEST(reports_as_the_start_said)
{
	static const struct { const char *words, *view; uint32_t top; } asked[] = {
		{ ":profile report", "", 3 }, { ":profile report calls", "calls", 3 }, { ":profile report top=7", "", 7 },
		{ ":profile report top=0", "", 0 },
	};

	set_up(PT_ATTACH_AUTO);
	play("start", (const char *const[]){ NEW_GDB, ":profile start source=mtb top=3 mode=burst", "(profiling\n", NULL });
	ck_assert_str_eq(fake.words, "source=mtb mode=burst");
	for (size_t i = 0; i < PT_LEN(asked); i++) {
		play("report", (const char *const[]){ asked[i].words, "(TABLE\n", NULL });
		ck_assert_str_eq(fake.query.view, asked[i].view);
		ck_assert_uint_eq(fake.query.top, asked[i].top);
	}
	play("others", (const char *const[]){ ":profile report nonsense", "~E.profile report: there is no view 'nonsense'",
		":profile stop", "(TABLE\n", ":profile start top=many", "~E.profile start: top: 'many'", ":profile start", "(profiling\n",
		":profile report", "(TABLE\n", NULL });
	ck_assert_uint_eq(fake.query.top, 0);
	play("run", (const char *const[]){ ":profile stop", "(TABLE\n", ">vAttach;1", "~T05",
		":profile run 1s irqs top=2 mode=halt sort=count", "=", "#time up", "(TABLE\n", NULL });
	ck_assert_str_eq(fake.words, "mode=halt");
	ck_assert_str_eq(fake.query.view, "irqs");
	ck_assert_str_eq(fake.query.sort, "count");
	ck_assert_uint_eq(fake.query.top, 2);
	tear_down();
}
END_TEST

START_TEST(keeps_the_profile)
{
	static const char *const steps[] = { ATTACHED, ":profile start", "(profiling\n", "#hang up", NULL };

	set_up(PT_ATTACH_AUTO);
	play("profile", steps);
	ck_assert_int_eq(fake.session, PT_SESSION_RUNNING);
	tear_down();
	ck_assert_int_eq(fake.session, PT_SESSION_RUNNING);
}
END_TEST

START_TEST(does_not_halt_unasked)
{
	set_up(PT_ATTACH_RUN);
	play("attach run", (const char *const[]){ ">!", "<OK", "!+", ">?", "<W00", "!+", ":sources", "(mtb\n",
						  "!+", NULL });
	ck_assert_uint_eq(fake.n_halts, 0);
	play("attach run", (const char *const[]){ ">vAttach;1", "~T05", "!+", NULL });
	ck_assert_uint_eq(fake.n_halts, 1);
	tear_down();
}
END_TEST

/* --- connections that do not say what they are -------------------------------------------------------------------- */

static const struct { const char *name, *bytes; } strangers[] = {
	{ "silence", "" }, { "an interrupt", "\003" }, { "half a packet", "+$?#3" },
	{ "a web page", "POST / HTTP/1.1\r\n\r\n+$?#3f" },
	{ "a method that is a packet", "$k#6b / HTTP/1.1\r\n\r\n+$?#3f" },
};

START_TEST(strangers_halt_nothing)
{
	set_up(PT_ATTACH_HALT);
	send_bytes(&peers[0], strangers[_i].bytes, strlen(strangers[_i].bytes));
	for (int i = 0; i < 20; i++)
		turn();
	ck_assert_msg(fake.n_halts == 0, "%s", strangers[_i].name);
	play(strangers[_i].name, (const char *const[]){ "2>?", "2~T05", NULL });
	ck_assert_uint_eq(fake.n_halts, 1);
	tear_down();
}
END_TEST

START_TEST(silence_is_short)
{
	static const char *const steps[] = { "2>!", "2<OK", "#is closed", "2>!", "2<OK", NULL };

	patience_ms = 100;
	set_up(PT_ATTACH_AUTO);
	play("silence", steps);
	patience_ms = 0;
	tear_down();
}
END_TEST

/* The oldest makes place for the newest, and a GDB that was there all the time stays. */
START_TEST(silent_connections_are_few)
{
	int fd[PT_FIRST_MOST_PEERS];

	set_up(PT_ATTACH_AUTO);
	play("many", (const char *const[]){ "2>!", "2<OK", NULL });
	for (size_t i = 0; i < PT_LEN(fd); i++) {
		fd[i] = connect_tcp();
		turn();
	}
	await_end(&peers[0]);
	join(&peers[0]);
	play("many", (const char *const[]){ ">!", "<OK", "2>!", "2<OK", NULL });
	for (size_t i = 0; i < PT_LEN(fd); i++)
		close(fd[i]);
	tear_down();
}
END_TEST

START_TEST(reads_all_registers)
{
	char want[1 + 8 * FAKE_N_ROWS] = "", packet[2 + 8 * FAKE_N_ROWS];

	set_up(PT_ATTACH_AUTO);
	play("attach", (const char *const[]){ ATTACHED, NULL });
	for (size_t i = 0; i < FAKE_N_ROWS; i++)
		sprintf(want + 8 * i, "%02zxa00000", i);
	snprintf(packet, sizeof(packet), "G%s", want);
	send_packet(&peers[0], packet, strlen(packet));
	play("G", (const char *const[]){ "<OK", ">g", NULL });
	ck_assert(next_packet(&peers[0], DEADLINE_MS));
	ck_assert_str_eq((char *)peers[0].payload, want);
	ck_assert_uint_eq(fake.registers[FAKE_PC], 0xa00f);
	ck_assert_uint_eq(fake.n_pc_writes, 1);
	fake.fail_registers = PT_EFAULT;
	play("g", (const char *const[]){ ">g", NULL });
	ck_assert(next_packet(&peers[0], DEADLINE_MS));
	ck_assert_uint_eq(strspn((char *)peers[0].payload, "x"), 8 * FAKE_N_ROWS);
	tear_down();
}
END_TEST

START_TEST(reads_a_packet_full_of_memory)
{
	set_up(PT_ATTACH_AUTO);
	play("attach", (const char *const[]){ ATTACHED, ">m0,ffffffff", NULL });
	ck_assert(next_packet(&peers[0], DEADLINE_MS));
	ck_assert_uint_eq(peers[0].rsp.len_bytes, 0x4000);
	memset(fake.flash, '}', sizeof(fake.flash));
	play("x", (const char *const[]){ ">x0,ffffffff", NULL });
	ck_assert(next_packet(&peers[0], DEADLINE_MS));
	ck_assert_uint_eq(peers[0].rsp.len_bytes, 1 + 0x2000);
	ck_assert_uint_eq(peers[0].payload[0x2000], '}');
	tear_down();
}
END_TEST

/* Code is read once per halt, whatever GDB asks; and anew after everything that may have changed it. */
static const struct { const char *name, *steps[MAX_STEPS]; unsigned n_reads; } looks[] = {
	{ "again and again", { ATTACHED, ">m100,2", "<0000", ">m102,4", "<00000000", ">x1f0,2", "~b", ">m100,10",
	  "~00" }, 1 },
	{ "over a border", { ATTACHED, ">m1fe,4", "<00000000", ">m1fe,4", "<00000000" }, 2 },
	{ "RAM is not code", { ATTACHED, ">m20000000,2", "<0001", ">m20000000,2", "<0001" }, 2 },
	{ "after a step", { ATTACHED, ">m100,2", "<0000", ">s", "~T05", ">m100,2", "<0000" }, 2 },
	{ "while running", { ATTACHED, ">m100,2", "<0000", ">c", "=", ">m100,2", "<0000", "!\003", "~T02", ">m100,2",
	  "<0000" }, 3 },
	{ "after a write", { ATTACHED, ">m100,2", "<0000", ">X100,2:ab", "<OK", ">m100,2", "<6162" }, 2 },
	{ "after a load", { ATTACHED, ">m400,2", "<0000", ">vFlashErase:400,400", "<OK", ">m400,2", "<ffff",
	  ">vFlashWrite:400:ab", "<OK", ">m400,2", "<6162" }, 3 },
	{ "after a monitor command", { ATTACHED, ">m100,2", "<0000", ":sources", "(mtb", ">m100,2", "<0000" }, 2 },
};

START_TEST(reads_code_once)
{
	set_up(PT_ATTACH_AUTO);
	play(looks[_i].name, looks[_i].steps);
	ck_assert_msg(fake.n_reads == looks[_i].n_reads, "%s: %u reads", looks[_i].name, fake.n_reads);
	tear_down();
}
END_TEST

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16;
}

/* Random bytes and random packets: nothing may happen but replies, and afterwards it works as before. */
START_TEST(survives_noise)
{
	static const char *const heads[] = {
		"m", "M", "X", "x", "G", "P", "p", "Z", "z", "H", "T", "s", "c", "vCont;", "vFlashWrite:", "vFlashErase:",
		"qXfer:", "qXfer:features:read:target.xml:", "qRcmd,", "vAttach;",
	};
	static const char tail[] = "0123456789abcdef,:;=-.x\003\x7f";
	uint32_t seed = 12345;

	set_up(PT_ATTACH_AUTO);
	play("attach", (const char *const[]){ ATTACHED, NULL });
	for (int round = 0; round < 3000; round++) {
		char text[64];
		size_t n = strlen(strcpy(text, heads[next_random(&seed) % PT_LEN(heads)]));

		for (size_t more = next_random(&seed) % 24; more > 0; more--)
			text[n++] = tail[next_random(&seed) % (sizeof(tail) - 1)];
		send_packet(&peers[0], text, n);
		send_bytes(&peers[0], "\003", 1);
		uv_run(&loop, UV_RUN_NOWAIT);
		while (recv(peers[0].fd, peers[0].payload, sizeof(peers[0].payload), 0) > 0)
			;
	}
	happen(&peers[0], "hang up");
	for (int i = 0; i < 50; i++)
		turn();
	play("after the noise", (const char *const[]){ ">vAttach;1", "~T05", "!+", ">m20000000,1", "~", NULL });
	tear_down();
}
END_TEST

/* --- addresses ---------------------------------------------------------------------------------------------------- */

static const struct { const char *address; int want; const char *says; } addresses[] = {
	{ "nonsense", PT_EARG, "HOST:PORT" },
	{ "127.0.0.1:", PT_EARG, "HOST:PORT" },
	{ "127.0.0.1:99999", PT_EARG, "HOST:PORT" },
	{ "127.0.0.1:12x", PT_EARG, "HOST:PORT" },
	{ "192.0.2.1:0", PT_EARG, "192.0.2.1:0" },
	{ "unix:", PT_EARG, "path" },
	{ "unix:/nowhere/at/all", PT_EPERM + 100, "" },
};

START_TEST(refuses_addresses)
{
	struct pt_gdbstub_config config = { .address = addresses[_i].address };
	struct pt_err err = { 0 };

	uv_loop_init(&loop);
	ck_assert(pt_gdbstub_new(&loop, &config, &err) == NULL);
	if (addresses[_i].want < 0)
		ck_assert_int_eq(err.code, addresses[_i].want);
	ck_assert_msg(strstr(err.msg, addresses[_i].says) != NULL, "%s", err.msg);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

START_TEST(says_what_to_do_about_a_taken_port)
{
	struct pt_gdbstub_config config = { 0 };
	struct pt_err err;

	set_up(PT_ATTACH_AUTO);
	config.address = pt_gdbstub_address(stub);
	ck_assert(pt_gdbstub_new(&loop, &config, &err) == NULL);
	ck_assert_int_eq(err.code, PT_EBUSY);
	ck_assert_ptr_nonnull(strstr(err.msg, "127.0.0.1:0"));
	tear_down();
}
END_TEST

/* A socket that nobody serves is in the way of nobody; one that is served is. */
START_TEST(replaces_a_stale_socket)
{
	char path[] = "/tmp/proftap-test-XXXXXX", address[64];
	struct pt_gdbstub_config config = { .address = address };
	struct pt_gdbstub *first, *second;
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct pt_err err;
	int fd = mkstemp(path);

	close(fd);
	unlink(path);
	snprintf(address, sizeof(address), "unix:%s", path);
	strcpy(at.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	close(fd);	/* the file stays */
	uv_loop_init(&loop);
	config.board = fake_board_new(&loop);
	first = pt_gdbstub_new(&loop, &config, &err);
	ck_assert_msg(first != NULL, "%s", err.msg);
	ck_assert_str_eq(pt_gdbstub_address(first), address);
	second = pt_gdbstub_new(&loop, &config, &err);
	ck_assert(second == NULL && err.code == PT_EBUSY);
	pt_gdbstub_close(first, NULL, NULL);
	fake_board_free();
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

static void on_quit(void *arg)
{
	(void)arg;
	quit_told = true;
}

START_TEST(serves_standard_input)
{
	struct pt_gdbstub_config config = { .address = "stdio", .on_quit = on_quit };
	int ends_of[2], saved[2] = { dup(0), dup(1) };
	struct pt_err err;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_of), 0);
	dup2(ends_of[0], 0);
	dup2(ends_of[0], 1);
	close(ends_of[0]);
	uv_loop_init(&loop);
	config.board = fake_board_new(&loop);
	config.session = fake_session_new();
	config.recorder = recorder = pt_recorder_new(config.session);
	config.tasks = tasks = pt_os_tasks_new(&loop, config.board, config.session);
	stub = pt_gdbstub_new(&loop, &config, &err);
	ck_assert_msg(stub != NULL, "%s", err.msg);
	peers[0].fd = ends_of[1];
	fcntl(ends_of[1], F_SETFL, O_NONBLOCK);
	pt_rsp_init(&peers[0].rsp, peers[0].payload, sizeof(peers[0].payload));
	play("stdio", (const char *const[]){ ATTACHED, NULL });
	close(ends_of[1]);
	for (int ms = 0; ms < DEADLINE_MS && !quit_told; ms++)
		turn();
	ck_assert(quit_told);
	ck_assert_int_eq(fake.core.state, PT_RUNNING);
	pt_gdbstub_close(stub, NULL, NULL);
	fake_board_free();
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
	dup2(saved[0], 0);
	dup2(saved[1], 1);
}
END_TEST

START_TEST(lets_a_client_go_that_does_not_read)
{
	set_up(PT_ATTACH_AUTO);
	play("attach", (const char *const[]){ ATTACHED, NULL });
	for (int i = 0; i < 20000 && fake.core.state == PT_HALTED; i++) {
		struct pt_rsp_frame frame = { 0 };

		pt_rsp_begin(&frame, '$');
		pt_rsp_text(&frame, "m0,2000");
		pt_rsp_end(&frame);
		send(peers[0].fd, frame.bytes, frame.len_bytes, MSG_NOSIGNAL);
		pt_rsp_free(&frame);
		uv_run(&loop, UV_RUN_NOWAIT);
	}
	ck_assert_int_eq(fake.core.state, PT_RUNNING);
	tear_down();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("gdbstub");
	TCase *tc = tcase_create("conversations");

	tcase_set_timeout(tc, 30);
	tcase_add_loop_test(tc, talks_as_written, 0, PT_LEN(talks));
	tcase_add_test(tc, lists_exits);
	tcase_add_test(tc, reads_orti_files);
	tcase_add_test(tc, corrects_an_id_behind_a_pointer);
	tcase_add_test(tc, finds_the_tasks_of_a_known_os);
	tcase_add_test(tc, shows_tasks_as_threads);
	tcase_add_loop_test(tc, monitors_as_written, 0, PT_LEN(monitors));
	tcase_add_loop_test(tc, strangers_halt_nothing, 0, PT_LEN(strangers));
	tcase_add_test(tc, silence_is_short);
	tcase_add_test(tc, silent_connections_are_few);
	tcase_add_loop_test(tc, leaves_the_board_as_it_was, 0, PT_LEN(ends));
	tcase_add_test(tc, reports_as_the_start_said);
	tcase_add_test(tc, keeps_the_profile);
	tcase_add_test(tc, does_not_halt_unasked);
	tcase_add_test(tc, reads_all_registers);
	tcase_add_test(tc, reads_a_packet_full_of_memory);
	tcase_add_loop_test(tc, reads_code_once, 0, PT_LEN(looks));
	tcase_add_test(tc, survives_noise);
	tcase_add_loop_test(tc, refuses_addresses, 0, PT_LEN(addresses));
	tcase_add_test(tc, says_what_to_do_about_a_taken_port);
	tcase_add_test(tc, replaces_a_stale_socket);
	tcase_add_test(tc, serves_standard_input);
	tcase_add_test(tc, lets_a_client_go_that_does_not_read);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
