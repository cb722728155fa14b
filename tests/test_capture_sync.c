/* How much can a loss of power take? The writer of captures runs on a clock of this test's, and what it asks of the
 * disk is seen: uv_hrtime(), uv_cond_timedwait() and fdatasync() are those below. Nothing that was put may wait for
 * the disk for longer than a second of that clock, whether more comes or not. */
#define _GNU_SOURCE	/* RTLD_NEXT */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "capture/write.h"
#include "harness.h"

enum { CHUNKS = 300, DATA_BYTES = 100, RECORD_BYTES = PT_CAPTURE_HEAD_BYTES + DATA_BYTES, STEP_MS = 10, PATIENCE_S = 60 };

static _Atomic uint64_t clock_ns;
static pthread_t main_thread;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* guards what follows */
static struct { uint64_t end_bytes, put_ns; } put[CHUNKS];	/* where its record ends in the file */
static size_t n_put, n_durable;
static uint64_t longest_ns;
static unsigned n_syncs;

uint64_t uv_hrtime(void)
{
	return clock_ns;
}

static void advance_to(uint64_t ns)
{
	uint64_t now = clock_ns;

	while (now < ns && !atomic_compare_exchange_weak(&clock_ns, &now, ns))
		;
}

/* The writer's waits end early, and their time has passed then. */
int uv_cond_timedwait(uv_cond_t *cond, uv_mutex_t *mutex, uint64_t timeout_ns)
{
	static int (*real)(uv_cond_t *, uv_mutex_t *, uint64_t);
	uint64_t until_ns = clock_ns + timeout_ns;
	int rc;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "uv_cond_timedwait");
	if (pthread_equal(pthread_self(), main_thread))
		return real(cond, mutex, timeout_ns);
	rc = real(cond, mutex, PT_NS_PER_MS);
	if (rc == UV_ETIMEDOUT)
		advance_to(until_ns);
	return rc;
}

int fdatasync(int fd)
{
	struct stat st = { .st_size = 0 };

	if (fstat(fd, &st) < 0)
		return -1;
	pthread_mutex_lock(&lock);
	n_syncs++;
	for (; n_durable < n_put && put[n_durable].end_bytes <= (uint64_t)st.st_size; n_durable++)
		if (clock_ns - put[n_durable].put_ns > longest_ns)
			longest_ns = clock_ns - put[n_durable].put_ns;
	pthread_mutex_unlock(&lock);
	return 0;
}

static void a_little_later(time_t *since)
{
	const struct timespec pause = { .tv_nsec = 200000 };

	if (*since == 0)
		*since = time(NULL);
	ck_assert_msg(time(NULL) - *since < PATIENCE_S, "nothing happens");
	nanosleep(&pause, NULL);
}

static uint64_t file_bytes(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return (uint64_t)st.st_size;
}

static void put_chunk(struct pt_capture *capture, unsigned kind, uint64_t at_ns, const void *bytes, size_t len_bytes)
{
	static union { struct pt_chunk chunk; uint8_t room[sizeof(struct pt_chunk) + DATA_BYTES]; } one;

	one.chunk = (struct pt_chunk){ .kind = (uint16_t)kind, .from_ns = at_ns, .to_ns = at_ns + 1, .lost_bytes = PT_UNKNOWN,
				       .len_bytes = (uint32_t)len_bytes };
	memcpy(one.chunk.bytes, bytes, len_bytes);
	pt_capture_put(capture, &one.chunk);
}

static struct pt_capture *open_capture(const char *path)
{
	static const char config[] = "format=mtb\nsource=mtb\n";
	struct pt_params *settings = pt_params_new();
	struct pt_capture *capture;
	struct pt_err err;
	char word[160];

	snprintf(word, sizeof(word), "capture=%s", path);
	ck_assert_int_eq(pt_params_add(settings, pt_capture_params, pt_n_capture_params, word, &err), 0);
	ck_assert_int_eq(pt_params_add(settings, pt_capture_params, pt_n_capture_params, "capture-compress=off", &err),
			 0);
	capture = pt_capture_new(settings, "program=proftap\n", &err);
	ck_assert_msg(capture != NULL, "%s", err.msg);
	pt_params_free(settings);
	put_chunk(capture, PT_CHUNK_CONFIG, 0, config, strlen(config));
	pt_capture_sync(capture);
	return capture;
}

START_TEST(what_was_put_is_durable_within_a_second)
{
	static const uint8_t zeros[DATA_BYTES];
	char folder[] = "/tmp/proftap-test-XXXXXX", path[64];
	struct pt_capture *capture;
	uint64_t end_bytes;
	time_t since = 0;
	bool all = false;

	main_thread = pthread_self();
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a.ptc", folder);
	capture = open_capture(path);
	end_bytes = file_bytes(path);
	for (size_t i = 0; i < CHUNKS; i++) {
		end_bytes += RECORD_BYTES;
		pthread_mutex_lock(&lock);
		put[n_put].end_bytes = end_bytes;
		put[n_put++].put_ns = clock_ns;
		pthread_mutex_unlock(&lock);
		put_chunk(capture, PT_CHUNK_DATA, i + 1, zeros, sizeof(zeros));
		for (since = 0; file_bytes(path) < end_bytes;)
			a_little_later(&since);
		ck_assert_uint_eq(file_bytes(path), end_bytes);
		advance_to(clock_ns + STEP_MS * PT_NS_PER_MS);
	}
	for (since = 0; !all; a_little_later(&since)) {	/* nobody asks for it, and nothing more comes */
		pthread_mutex_lock(&lock);
		all = n_durable == CHUNKS;
		pthread_mutex_unlock(&lock);
	}
	ck_assert_uint_gt(n_syncs, 2);
	/* the clock may go on by a step or two between the writer's decision and its call */
	ck_assert_msg(longest_ns <= PT_NS_PER_S + 2 * STEP_MS * PT_NS_PER_MS, "%.3f s", (double)longest_ns / 1e9);
	pt_capture_unref(capture);
	unlink(path);
	rmdir(folder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("capture_sync");
	TCase *tc = tcase_create("capture_sync");

	tcase_set_timeout(tc, 180);
	tcase_add_test(tc, what_was_put_is_durable_within_a_second);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
