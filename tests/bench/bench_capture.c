/* How fast is a capture written and read, and in how much memory? Beside it the same bytes through write() and read()
 * alone, on the same disk, made durable once at the end. Run by make bench; PT_BENCH_CAPTURE_MB: how much (300). */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/read.h"
#include "capture/write.h"
#include "base/util.h"

struct any_chunk { struct pt_chunk chunk; uint8_t bytes[PT_CHUNK_BYTES]; };

static char path[256];
static uint64_t n_chunks;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what)
{
	perror(what);
	unlink(path);
	exit(1);
}

/* Branches of a loop of 64 that now and then goes another way, as a program's are. */
static const struct any_chunk *make(uint64_t n)
{
	static struct any_chunk any;
	static uint32_t seed = 1, at;

	any.chunk = (struct pt_chunk){ .from_ns = n * 1000, .to_ns = (n + 1) * 1000, .kind = PT_CHUNK_DATA,
				       .len_bytes = PT_CHUNK_BYTES };
	for (size_t i = 0; i < PT_CHUNK_BYTES; i += 8) {
		seed = seed * 1664525 + 1013904223;
		pt_put_le32(any.bytes + i, 0x1000 + 40 * at);
		at = seed >> 28 != 0 ? (at + 1) % 64 : seed >> 8 & 0x3ff;
		pt_put_le32(any.bytes + i + 4, 0x1000 + 40 * at + 4);
	}
	return &any;
}

/* --- each in a process of its own, for its memory ----------------------------------------------------------------- */

static void write_plain(void)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (uint64_t n = 0; n < n_chunks; n++)
		if (write(fd, make(n)->bytes, PT_CHUNK_BYTES) != PT_CHUNK_BYTES)
			die("write");
	if (fdatasync(fd) < 0 || close(fd) < 0)
		die("sync");
}

static void write_capture(bool compress)
{
	struct pt_params *settings = pt_params_new();
	struct pt_capture *capture;
	struct pt_err err = { 0 };
	char word[300];

	snprintf(word, sizeof(word), "capture=%s", path);
	pt_params_add(settings, pt_capture_params, pt_n_capture_params, word, &err);
	pt_params_add(settings, pt_capture_params, pt_n_capture_params, "capture-replace=on", &err);
	pt_params_add(settings, pt_capture_params, pt_n_capture_params,
		      compress ? "capture-compress=on" : "capture-compress=off", &err);
	capture = pt_capture_new(settings, "", &err);
	if (capture == NULL)
		die(err.msg);
	for (uint64_t n = 0; n < n_chunks; n++)
		pt_capture_put(capture, &make(n)->chunk);
	pt_capture_sync(capture);
	if (pt_capture_failed(capture, &err))
		die(err.msg);
	pt_capture_unref(capture);
	pt_params_free(settings);
}

static void write_uncompressed(void) { write_capture(false); }
static void write_compressed(void) { write_capture(true); }

static void read_plain(void)
{
	static uint8_t bytes[1 << 18];
	int fd = open(path, O_RDONLY);

	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
	close(fd);
}

static void read_capture(void)
{
	static struct any_chunk any;
	struct pt_err err = { 0 };
	struct pt_infile *file = pt_infile_open(path, &err);
	struct pt_capture_reader *reader = file != NULL ? pt_capture_read(file, NULL, NULL, &err) : NULL;
	uint64_t n = 0;

	if (reader == NULL)
		die(err.msg);
	while (pt_capture_read_next(reader, &any.chunk, &err) == PT_CAPTURE_CHUNK)
		n++;
	if (n != n_chunks)
		die("chunks are missing");
	pt_capture_read_close(reader);
}

static double run(const char *name, void (*what)(void), double plain_s)
{
	double began_s = now_s(), s, mb = (double)n_chunks * PT_CHUNK_BYTES / 1e6;
	struct rusage usage;
	struct stat st = { 0 };
	int status;
	pid_t child = fork();

	if (child == 0) {
		what();
		_exit(0);
	}
	if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		die(name);
	s = now_s() - began_s;
	stat(path, &st);
	printf("%-26s %7.0f MB/s  %5.2f of plain  file %.2f of the trace  %ld KiB\n", name, mb / s,
	       plain_s > 0 ? plain_s / s : 1.0, (double)st.st_size / 1e6 / mb, usage.ru_maxrss);
	return s;
}

int main(void)
{
	const char *mb = getenv("PT_BENCH_CAPTURE_MB"), *folder = getenv("TMPDIR");
	double plain_s;

	n_chunks = (mb != NULL ? strtoull(mb, NULL, 10) : 300) * 1000000 / PT_CHUNK_BYTES;
	snprintf(path, sizeof(path), "%s/proftap-bench-%d", folder != NULL ? folder : "/var/tmp", (int)getpid());
	plain_s = run("write() and fdatasync()", write_plain, 0);
	run("read()", read_plain, 0);
	unlink(path);
	run("capture written", write_uncompressed, plain_s);
	run("capture read", read_capture, 0);
	run("capture written, zstd", write_compressed, plain_s);
	run("capture read, zstd", read_capture, 0);
	unlink(path);
	return 0;
}
