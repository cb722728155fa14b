/* Addresses to listening sockets: what is one, what is not, what is in the way, and that a client gets in. */
#define _GNU_SOURCE	/* setresuid, setgroups */
#include <arpa/inet.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "host/listen.h"

static uv_loop_t loop;
static struct pt_listener listener;
static union pt_stream peer;
static int accepted;
static struct pt_err err;
static char folder[] = "/tmp/proftap-listen-XXXXXX", socket_path[64], unix_address[80];

static void setup(void)
{
	ck_assert_int_eq(uv_loop_init(&loop), 0);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(socket_path, sizeof(socket_path), "%s/s", folder);
	snprintf(unix_address, sizeof(unix_address), "unix:%s", socket_path);
	accepted = 0;
}

static void teardown(void)
{
	if (listener.open)
		pt_listener_close(&listener, NULL);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
	unlink(socket_path);
	rmdir(folder);
	strcpy(folder, "/tmp/proftap-listen-XXXXXX");
}

static void on_connection(uv_stream_t *stream, int status)
{
	ck_assert_int_eq(status, 0);
	ck_assert_ptr_eq(stream->data, &accepted);
	ck_assert_int_eq(pt_listener_accept(&listener, &peer, &accepted), 0);
	accepted++;
	uv_close(&peer.handle, NULL);
	pt_listener_close(&listener, NULL);
}

static int listen_on(const char *address)
{
	return pt_listen(&listener, &loop, address, on_connection, &accepted, &err);
}

static const struct { const char *address; int rc; } addresses[] = {
	{ "127.0.0.1:0", 0 }, { "localhost:0", 0 }, { ":0", 0 }, { "127.0.0.1", PT_EARG }, { "127.0.0.1:", PT_EARG },
	{ "127.0.0.1:70000", PT_EARG }, { "127.0.0.1:-1", PT_EARG }, { "127.0.0.1:x", PT_EARG }, { "", PT_EARG },
	{ "unix:", PT_EARG }, { "unix:/no/such/folder/s", PT_EARG }, { "192.0.2.1:0", PT_EARG },
	{ "127.8.9.10:0", 0 }, { "0.0.0.0:0", PT_EARG }, { "[::]:0", PT_EARG },
	{ "[::ffff:0.0.0.0]:0", PT_EARG }, { "0:0", PT_EARG },
};

START_TEST(address_is_taken_or_refused)
{
	ck_assert_msg(listen_on(addresses[_i].address) == addresses[_i].rc, "%s: %s", addresses[_i].address, err.msg);
	if (addresses[_i].rc == 0)
		ck_assert_str_ne(listener.address + strlen(listener.address) - 2, ":0");
}
END_TEST

START_TEST(other_machines_are_let_in_by_permission_alone)
{
	ck_assert_int_eq(listen_on("0.0.0.0:0"), PT_EARG);
	ck_assert_ptr_nonnull(strstr(err.msg, "--allow-remote"));
	ck_assert(!listener.open);
	listener.allow_remote = true;
	ck_assert_int_eq(listen_on("127.0.0.1:0"), 0);
	ck_assert(!listener.is_remote);
	pt_listener_close(&listener, NULL);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(listen_on("0.0.0.0:0"), 0);
	ck_assert(listener.is_remote);
	listener.allow_remote = false;
}
END_TEST

static void connect_client(uv_connect_t *request, int status)
{
	uv_close((uv_handle_t *)request->handle, NULL);
	ck_assert_int_eq(status, 0);
}

START_TEST(tcp_client_gets_in)
{
	uv_tcp_t client;
	uv_connect_t request;
	struct sockaddr_in at;

	ck_assert_int_eq(listen_on("127.0.0.1:0"), 0);
	uv_ip4_addr("127.0.0.1", atoi(strchr(listener.address, ':') + 1), &at);
	uv_tcp_init(&loop, &client);
	uv_tcp_connect(&request, &client, (struct sockaddr *)&at, connect_client);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(accepted, 1);
}
END_TEST

START_TEST(unix_client_gets_in)
{
	uv_pipe_t client;
	uv_connect_t request;

	ck_assert_int_eq(listen_on(unix_address), 0);
	ck_assert_str_eq(listener.address, unix_address);
	uv_pipe_init(&loop, &client, 0);
	uv_pipe_connect(&request, &client, socket_path, connect_client);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(accepted, 1);
	ck_assert_int_ne(access(socket_path, F_OK), 0);
}
END_TEST

/* While the loop is at something else: nobody is kept out by those who come at once. Where the queue is full a client on
 * TCP tries again a second later. */
START_TEST(many_may_come_at_once)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd[100];

	ck_assert_int_eq(listen_on(unix_address), 0);
	strcpy(at.sun_path, socket_path);
	for (size_t i = 0; i < PT_LEN(fd); i++) {
		fd[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		ck_assert_msg(connect(fd[i], (struct sockaddr *)&at, sizeof(at)) == 0, "client %zu", i);
	}
	for (size_t i = 0; i < PT_LEN(fd); i++)
		close(fd[i]);
}
END_TEST

START_TEST(an_address_in_use_is_busy)
{
	struct pt_listener second = { 0 };

	ck_assert_int_eq(listen_on("127.0.0.1:0"), 0);
	ck_assert_int_eq(pt_listen(&second, &loop, listener.address, on_connection, NULL, &err), PT_EBUSY);
	ck_assert_ptr_nonnull(strstr(err.msg, "in use"));
	ck_assert(second.open);
	pt_listener_close(&second, NULL);
	uv_run(&loop, UV_RUN_NOWAIT);
}
END_TEST

START_TEST(a_stale_socket_is_replaced)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(at.sun_path, socket_path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	close(fd);
	ck_assert_int_eq(listen_on(unix_address), 0);
}
END_TEST

START_TEST(a_file_in_the_way_stays)
{
	FILE *file = fopen(socket_path, "w");

	fclose(file);
	ck_assert_int_eq(listen_on(unix_address), PT_EBUSY);
	ck_assert_int_eq(access(socket_path, F_OK), 0);
}
END_TEST

/* --- who may connect ---------------------------------------------------------------------------------------------- */

static const struct { const char *list; int rc; size_t n_users, n_groups; } lists[] = {
	{ "root", 0, 1, 0 }, { "root,1234,@root,@4321", 0, 2, 2 }, { "", PT_EARG, 0, 0 }, { "root,", PT_EARG, 0, 0 },
	{ "@", PT_EARG, 0, 0 }, { "no such user", PT_EARG, 0, 0 }, { "@no-such-group", PT_EARG, 0, 0 },
	{ "12345678901", PT_EARG, 0, 0 },
	{ "a-name-of-more-than-sixty-four-letters-is-none-that-a-system-will-ever-have", PT_EARG, 0, 0 },
	{ "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", 0, PT_MAX_PEERS, 0 },
	{ "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", PT_EARG, PT_MAX_PEERS, 0 },
};

START_TEST(reads_who_may)
{
	struct pt_peers peers;

	ck_assert_msg(pt_peers_parse(&peers, lists[_i].list, &err) == lists[_i].rc, "%s: %s", lists[_i].list, err.msg);
	if (lists[_i].rc == 0)
		ck_assert(peers.n_users == lists[_i].n_users && peers.n_groups == lists[_i].n_groups);
}
END_TEST

/* Another user at the other end of a socket pair, whose ends have the ids of whoever makes them. */
static bool may_as(const struct pt_peers *peers, uid_t user, gid_t group, gid_t other_group)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int server = socket(AF_UNIX, SOCK_STREAM, 0), fd, status;
	char who[PT_PEER_TEXT], want[PT_PEER_TEXT];
	bool may;
	pid_t child;

	strcpy(at.sun_path, socket_path);
	ck_assert_int_eq(bind(server, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(chmod(folder, 0755) + chmod(socket_path, 0666) + listen(server, 1), 0);
	child = fork();
	if (child == 0) {
		bool became = setgroups(1, &other_group) == 0 && setresgid(group, group, group) == 0 &&
			      setresuid(user, user, user) == 0;
		int client = socket(AF_UNIX, SOCK_STREAM, 0);

		_exit(!became || connect(client, (struct sockaddr *)&at, sizeof(at)) != 0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	fd = accept(server, NULL, NULL);
	may = pt_peers_may(peers, fd, who);
	snprintf(want, sizeof(want), "uid %u, pid %d", (unsigned)user, (int)child);
	ck_assert_str_eq(who, want);
	close(fd);
	close(server);
	unlink(socket_path);
	return may;
}

START_TEST(asks_the_kernel)
{
	enum { SOMEBODY = 54321, OTHER = 54322, GROUP = 54323, ELSE = 54324 };
	struct pt_peers user = { .user = { OTHER, SOMEBODY }, .n_users = 2 };
	struct pt_peers group = { .group = { GROUP }, .n_groups = 1 };
	char who[PT_PEER_TEXT];

	ck_assert(!pt_peers_may(NULL, STDIN_FILENO + 1000, who));
	if (geteuid() != 0) {
		fprintf(stderr, "SKIPPED: only root can be somebody else, so nobody was refused\n");
		return;
	}
	ck_assert(may_as(NULL, 0, 0, 0) && !may_as(NULL, SOMEBODY, ELSE, ELSE));
	ck_assert(may_as(&user, SOMEBODY, ELSE, ELSE) && !may_as(&user, GROUP, ELSE, ELSE));
	ck_assert(may_as(&group, SOMEBODY, GROUP, ELSE) && may_as(&group, SOMEBODY, ELSE, GROUP));
	ck_assert(!may_as(&group, SOMEBODY, ELSE, ELSE) && !may_as(&group, GROUP, ELSE, ELSE));
}
END_TEST

/* --- is it us? ---------------------------------------------------------------------------------------------------- */

static const struct { const char *listen, *connect; } ends[] = {
	{ "127.0.0.1", "127.0.0.1" }, { "::1", "::1" }, { "::", "::1" }, { "::", "127.0.0.1" }, { "0.0.0.0", "127.0.0.1" },
	{ "::", "::ffff:127.0.0.1" }, { "127.0.0.1", "::ffff:127.0.0.1" }, { "/", "/" },
};

static socklen_t make_address(const char *text, in_port_t port, struct sockaddr_storage *at)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)at;
	struct sockaddr_in *v4 = (struct sockaddr_in *)at;

	memset(at, 0, sizeof(*at));
	if (text[0] == '/') {
		at->ss_family = AF_UNIX;
		strcpy(((struct sockaddr_un *)at)->sun_path, socket_path);
		return sizeof(struct sockaddr_un);
	}
	at->ss_family = strchr(text, ':') != NULL ? AF_INET6 : AF_INET;
	ck_assert_int_eq(inet_pton(at->ss_family, text,
				   at->ss_family == AF_INET6 ? (void *)&v6->sin6_addr : &v4->sin_addr),
			 1);
	if (at->ss_family == AF_INET6)
		v6->sin6_port = port;
	else
		v4->sin_port = port;
	return at->ss_family == AF_INET6 ? sizeof(*v6) : sizeof(*v4);
}

/* The one that listens here; -1: the host does not have that kind of address. */
static int listen_at(const char *text, struct sockaddr_storage *at)
{
	socklen_t len = make_address(text, 0, at);
	int fd = socket(at->ss_family, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)at, len) < 0)
		return -1;
	ck_assert_int_eq(listen(fd, 1), 0);
	len = sizeof(*at);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)at, &len), 0);
	return fd;
}

static bool connect_to(const char *text, const struct sockaddr_storage *listening, int *fd)
{
	struct sockaddr_storage at;
	socklen_t len = make_address(text, ((const struct sockaddr_in *)listening)->sin_port, &at);

	*fd = socket(at.ss_family, SOCK_STREAM, 0);
	return *fd >= 0 && connect(*fd, (struct sockaddr *)&at, len) == 0;
}

START_TEST(knows_its_own_user)
{
	struct sockaddr_storage at;
	int server = listen_at(ends[_i].listen, &at), client, fd;

	if (server < 0)
		return;		/* no IPv6 here */
	ck_assert(connect_to(ends[_i].connect, &at, &client));
	fd = accept(server, NULL, NULL);
	ck_assert_msg(pt_peer_is_own(fd), "%s at %s", ends[_i].connect, ends[_i].listen);
	close(client);
	if (ends[_i].listen[0] != '/')	/* a connection that no process has any more is shown as root's */
		ck_assert(!pt_peer_is_own(fd));
	close(fd);
	close(server);
}
END_TEST

START_TEST(knows_another_user)
{
	struct sockaddr_storage at;
	int server = listen_at(ends[_i].listen, &at), client, fd, go[2], status;
	char byte;
	pid_t child;

	if (server < 0 || geteuid() != 0)
		return;
	ck_assert_int_eq(chmod(folder, 0755), 0);
	if (ends[_i].listen[0] == '/')
		ck_assert_int_eq(chmod(socket_path, 0666), 0);
	ck_assert_int_eq(pipe(go), 0);
	child = fork();
	if (child == 0) {
		close(go[1]);
		_exit(setresuid(54321, 54321, 54321) != 0 || !connect_to(ends[_i].connect, &at, &client) ||
		      read(go[0], &byte, 1) != 0);
	}
	close(go[0]);
	fd = accept(server, NULL, NULL);
	ck_assert_msg(!pt_peer_is_own(fd), "%s at %s", ends[_i].connect, ends[_i].listen);
	close(go[1]);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	close(fd);
	close(server);
}
END_TEST

START_TEST(no_socket_is_nobodys)
{
	ck_assert(!pt_peer_is_own(-1));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("listen");
	TCase *tc = tcase_create("listen");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, address_is_taken_or_refused, 0, PT_LEN(addresses));
	tcase_add_test(tc, other_machines_are_let_in_by_permission_alone);
	tcase_add_test(tc, tcp_client_gets_in);
	tcase_add_test(tc, unix_client_gets_in);
	tcase_add_test(tc, many_may_come_at_once);
	tcase_add_test(tc, an_address_in_use_is_busy);
	tcase_add_test(tc, a_stale_socket_is_replaced);
	tcase_add_test(tc, a_file_in_the_way_stays);
	tcase_add_loop_test(tc, reads_who_may, 0, PT_LEN(lists));
	tcase_add_test(tc, asks_the_kernel);
	tcase_add_loop_test(tc, knows_its_own_user, 0, PT_LEN(ends));
	tcase_add_loop_test(tc, knows_another_user, 0, PT_LEN(ends));
	tcase_add_test(tc, no_socket_is_nobodys);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
