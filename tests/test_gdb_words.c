/* The ELFs on GDB's command line, and the process at the other end of a connection. */
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/util.h"
#include "gdbstub/files/gdb_words.h"
#include "harness.h"
#include "host/process.h"

/* words with "|" between them; files likewise */
static const struct { const char *words, *files; } cases[] = {
	{ "gdb", "" },
	{ "gdb|fw.elf", "fw.elf" },
	{ "/opt/bin/arm-none-eabi-gdb|-q|-nx|build/fw.elf|core", "build/fw.elf" },
	{ "gdb|-ex|target extended-remote :3333|fw.elf|-batch", "fw.elf" },
	{ "gdb|-x|commands.gdb|--command=other.gdb|-ix|a|-iex|set x|fw.elf", "fw.elf" },
	{ "gdb|-d|src|-cd|..|--directory=x|--interpreter=mi3|-i|mi|-b|9600|-l|5|-tty|/dev/null|fw.elf", "fw.elf" },
	{ "gdb|--args|fw.elf|-s|not.elf", "fw.elf" },
	{ "gdb|-se|both.elf", "both.elf" },
	{ "gdb|--se=both.elf|--readnow", "both.elf" },
	{ "gdb|-symbols=s.elf|-e|e.elf|p.elf", "s.elf|p.elf|e.elf" },
	{ "gdb|--symb|s.elf|--exec=e.elf", "s.elf|e.elf" },
	{ "gdb|-ex|file a.elf|-ex|continue|p.elf", "a.elf|p.elf" },
	{ "gdb|-ex|  symbol-file -readnow  b.elf 0x1000|--eval-command=file c.elf", "c.elf" },
	{ "gdb|-ex|file 'a b.elf'", "a b.elf" },
	{ "gdb|-ex|file \"a b.elf\"", "a b.elf" },
	{ "gdb|-ex|file", "" },
	{ "gdb|-ex|file -", "" },
	{ "gdb|-ex|filex a.elf|-ex|info file a.elf", "" },
	{ "gdb|fw.elf|-ex|file fw.elf", "fw.elf" },
	{ "gdb|-s", "" },
	{ "gdb|-|--|fw.elf", "-" },	/* what is no file is found out by who opens it */
	{ "gdb||fw.elf", "fw.elf" },
};

START_TEST(files_of_a_command_line)
{
	char words[400], files[400] = "";
	struct pt_gdb_named named;
	size_t len = strlen(cases[_i].words);

	memcpy(words, cases[_i].words, len + 1);
	for (size_t i = 0; i < len; i++)
		words[i] = words[i] == '|' ? '\0' : words[i];
	pt_gdb_words_files(words, len + 1, &named);
	for (size_t i = 0, at = 0; i < named.n; i++)
		at += (size_t)snprintf(files + at, sizeof(files) - at, "%s%s", i > 0 ? "|" : "", named.file[i]);
	ck_assert_str_eq(files, cases[_i].files);
}
END_TEST

/* Not whole, nothing at all, and a name that is longer than any. */
START_TEST(odd_command_lines)
{
	static char words[2 * PT_GDB_FILE_BYTES];
	struct pt_gdb_named named;

	pt_gdb_words_files("gdb\0fw.elf", 10, &named);
	ck_assert_uint_eq(named.n, 0);
	pt_gdb_words_files("", 0, &named);
	ck_assert_uint_eq(named.n, 0);
	memset(words, 'x', sizeof(words) - 1);
	memcpy(words, "gdb", 4);
	pt_gdb_words_files(words, sizeof(words), &named);
	ck_assert_uint_eq(named.n, 0);
}
END_TEST

/* We are at both ends of this connection; the program's file is test_gdb_words. */
static void finds_us(int fd)
{
	static struct pt_process found;
	struct pt_peer_end end;
	char folder[PATH_MAX];

	ck_assert(pt_peer_is_own(fd));
	ck_assert(pt_peer_find_end(fd, &end));
	ck_assert(pt_process_find(&end, "test_gdb_words", &found));
	ck_assert_int_eq(found.pid, getpid());
	ck_assert_str_eq(found.folder, getcwd(folder, sizeof(folder)));
	ck_assert_uint_eq(found.words[found.words_bytes - 1], '\0');
	ck_assert_ptr_nonnull(strstr(found.words, "test_gdb_words"));
	ck_assert(!pt_process_find(&end, "no-such-program", &found));
}

START_TEST(the_other_end_of_a_unix_socket)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	finds_us(pair[0]);
	close(pair[0]);
	close(pair[1]);
}
END_TEST

START_TEST(the_other_end_of_a_tcp_socket)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0), server;

	ck_assert_int_eq(bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&at, &len), 0);
	ck_assert_int_eq(connect(client, (struct sockaddr *)&at, len), 0);
	server = accept(listener, NULL, NULL);
	ck_assert_int_ge(server, 0);
	finds_us(server);
	close(server);
	close(client);
	close(listener);
}
END_TEST

/* A number that no process has, another user's process if there is one, and nothing. */
START_TEST(no_such_process)
{
	static struct pt_process found;
	struct pt_peer_end end = { .pid = 0x7ffffff0 };

	ck_assert(!pt_process_find(&end, "", &found));
	end = (struct pt_peer_end){ .inode = 1 };
	ck_assert(!pt_process_find(&end, "", &found));
	end = (struct pt_peer_end){ 0 };
	ck_assert(!pt_process_find(&end, "", &found));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("gdb_words");
	TCase *tc = tcase_create("gdb_words");

	tcase_add_loop_test(tc, files_of_a_command_line, 0, (int)PT_LEN(cases));
	tcase_add_test(tc, odd_command_lines);
	tcase_add_test(tc, the_other_end_of_a_unix_socket);
	tcase_add_test(tc, the_other_end_of_a_tcp_socket);
	tcase_add_test(tc, no_such_process);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
