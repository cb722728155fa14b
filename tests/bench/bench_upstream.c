/* What being in front of another GDB server costs: round trips of a small packet, and 8 MiB of memory in packets as
 * GDB's dump asks for them, straight to a server, through a plain libuv pass-through (the floor), and through the
 * daemon. All three in one run, taken in turn, so that a busy machine is busy for all of them; ratios of the best. All
 * on one processor, so that no figure depends on where the others ran. usage: bench_upstream [PROFTAP] */
#define _GNU_SOURCE	/* CPU_SET */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "tests/bench/peers.h"

enum { DUMP_BYTES = 8 << 20, TRIPS = 5000, ROUNDS = 7 };

static const char *number(int port)
{
	static char text[16];

	snprintf(text, sizeof(text), "%d", port);
	return text;
}

/* --- children ----------------------------------------------------------------------------------------------------- */

static pid_t child(void)
{
	pid_t pid = fork();

	if (pid < 0)
		pt_bench_die("fork");
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static int start_daemon(const char *proftap, int port, pid_t *pid)
{
	int out[2], there = 0;
	char uri[64], line[128];
	FILE *said;

	if (pipe(out) < 0)
		pt_bench_die("pipe");
	snprintf(uri, sizeof(uri), "rsp:127.0.0.1:%d", port);
	*pid = child();
	if (*pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		execl(proftap, proftap, "serve", "--probe", uri, "--gdb", "127.0.0.1:0", "--print-ports", "--log",
		      "error", (char *)NULL);
		pt_bench_die(proftap);
	}
	close(out[1]);
	said = fdopen(out[0], "r");
	while (there == 0 && said != NULL && fgets(line, sizeof(line), said) != NULL)
		if (strncmp(line, "gdb ", 4) == 0)
			there = atoi(strrchr(line, ':') + 1);
	return there;
}

/* --- the client --------------------------------------------------------------------------------------------------- */

static void ask(int fd, const char *payload)
{
	static char in[2 * PT_BENCH_PACKET_BYTES];
	char out[128];
	size_t have = 0;
	ssize_t n;

	pt_bench_write(fd, out, pt_bench_frame(out, payload, strlen(payload)));
	do {
		if ((n = recv(fd, in + have, sizeof(in) - have, 0)) <= 0)
			pt_bench_die("recv");
		have += (size_t)n;
	} while (have < 4 || in[have - 3] != '#');
}

static double trips(int fd, unsigned n, unsigned bytes)
{
	uint64_t from = uv_hrtime();
	char packet[64];

	for (unsigned i = 0; i < n; i++) {
		snprintf(packet, sizeof(packet), "m%x,%x", i * bytes, bytes);
		ask(fd, packet);
	}
	return (double)(uv_hrtime() - from) / 1e3;
}

/* The last that we may use; children inherit it. */
static void pin(void)
{
	cpu_set_t set;
	int last = -1;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return;
	for (int i = 0; i < CPU_SETSIZE; i++)
		last = CPU_ISSET(i, &set) ? i : last;
	CPU_ZERO(&set);
	CPU_SET(last, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "direct", "libuv pass-through", "proftap" };
	enum { CHUNK = PT_BENCH_PACKET_BYTES / 2 - 16 };
	double least[3][2] = { { 1e18, 1e18 }, { 1e18, 1e18 }, { 1e18, 1e18 } };
	int port, floor_port, fd[3], listener = pt_bench_listen(&port), floor_listener = pt_bench_listen(&floor_port);
	pid_t pids[5];

	pin();
	for (int i = 0; i < 3; i++)	/* one for each connection: they wait in accept together */
		if ((pids[i] = child()) == 0)
			pt_bench_serve(listener);
	if ((pids[3] = child()) == 0)
		pt_bench_pass(floor_listener, number(port));
	fd[0] = pt_bench_dial(number(port));
	fd[1] = pt_bench_dial(number(floor_port));
	fd[2] = pt_bench_dial(number(start_daemon(argc > 1 ? argv[1] : "./proftap", port, &pids[4])));
	for (int i = 0; i < 3; i++) {
		ask(fd[i], "qSupported:");
		ask(fd[i], "QStartNoAckMode");
		ask(fd[i], "?");
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < 3; i++) {
			double us = trips(fd[i], TRIPS, 4) / TRIPS,
			       dump_us = trips(fd[i], DUMP_BYTES / CHUNK + 1, CHUNK);

			least[i][0] = us < least[i][0] ? us : least[i][0];
			least[i][1] = dump_us < least[i][1] ? dump_us : least[i][1];
		}
	for (int i = 0; i < 3; i++)
		printf("%-20s round trip %7.2f us, ratio to the floor %.3f; 8 MiB %8.2f ms, ratio to direct %.3f\n",
		       names[i], least[i][0], least[i][0] / least[1][0], least[i][1] / 1e3, least[i][1] / least[0][1]);
	printf("added latency: proftap %.2f us, libuv pass-through %.2f us, ratio %.3f\n", least[2][0] - least[0][0],
	       least[1][0] - least[0][0], (least[2][0] - least[0][0]) / (least[1][0] - least[0][0]));
	for (int i = 0; i < 5; i++) {
		kill(pids[i], i == 4 ? SIGINT : SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	return 0;
}
