/* See whole_file.h. */
#include "host/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "host/named_file.h"

/* All bytes of an open file of size_bytes; NULL with errno set. */
static uint8_t *read_all(int fd, size_t size_bytes, size_t *len_bytes)
{
	uint8_t *bytes = malloc(size_bytes + 1);
	ssize_t n = 1;

	*len_bytes = 0;
	while (bytes != NULL && n > 0 && *len_bytes < size_bytes) {
		n = read(fd, bytes + *len_bytes, size_bytes - *len_bytes);
		*len_bytes += n > 0 ? (size_t)n : 0;
	}
	if (n < 0) {
		free(bytes);
		return NULL;
	}
	if (bytes != NULL)
		bytes[*len_bytes] = 0;
	return bytes;
}

/* Reads until the end, at most most_bytes + 1 bytes. NULL with err set. */
static uint8_t *read_pipe(int fd, const char *path, size_t most_bytes, size_t *len_bytes, struct pt_err *err)
{
	uint8_t *bytes = malloc(most_bytes + 2);
	ssize_t n = 1;

	*len_bytes = 0;
	if (bytes == NULL)
		pt_fail(err, PT_ENOMEM, "no memory for %s", path);
	while (bytes != NULL && n != 0 && *len_bytes <= most_bytes) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		int rc = poll(&ready, 1, PT_FILE_WAIT_MS);

		if (rc == 0) {
			pt_fail(err, PT_ETIMEOUT, "nothing came from %s for %d s", path, PT_FILE_WAIT_MS / 1000);
			break;
		}
		n = rc < 0 ? -1 : read(fd, bytes + *len_bytes, most_bytes + 1 - *len_bytes);
		if (n < 0 && errno != EAGAIN && errno != EINTR) {
			pt_fail(err, PT_EIO, "read %s: %s", path, strerror(errno));
			break;
		}
		*len_bytes += n > 0 ? (size_t)n : 0;
	}
	if (bytes != NULL && n != 0 && *len_bytes > most_bytes)
		pt_fail(err, PT_EARG, "%s is too large: at most %zu KiB are read", path, most_bytes >> 10);
	if (bytes != NULL && n == 0) {
		bytes[*len_bytes] = 0;
		return bytes;
	}
	free(bytes);
	return NULL;
}

static uint8_t *read_file(const char *path, size_t most_bytes, bool pipes, size_t *len_bytes, struct pt_err *err)
{
	int fd = pt_named_open(path, O_RDONLY, pipes ? PT_NAMED_STREAM : PT_NAMED_FILE);
	uint8_t *bytes = NULL;
	struct stat st;

	if (fd == -EMEDIUMTYPE || fd == -EISDIR) {
		pt_fail(err, PT_EARG, "%s is not a file", path);
	} else if (fd < 0 || fstat(fd, &st) < 0) {
		pt_fail(err, PT_EIO, "open %s: %s", path, pt_named_why(fd < 0 ? -fd : errno));
	} else if (!S_ISREG(st.st_mode)) {
		bytes = read_pipe(fd, path, most_bytes, len_bytes, err);
	} else if ((uintmax_t)st.st_size > most_bytes) {
		pt_fail(err, PT_EARG, "%s is too large: at most %zu MiB are read", path, most_bytes >> 20);
	} else {
		bytes = read_all(fd, (size_t)st.st_size, len_bytes);
		if (bytes == NULL)
			pt_fail(err, PT_EIO, "read %s: %s", path, strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	return bytes;
}

uint8_t *pt_file_read(const char *path, size_t most_bytes, size_t *len_bytes, struct pt_err *err)
{
	return read_file(path, most_bytes, false, len_bytes, err);
}

uint8_t *pt_file_read_text(const char *path, size_t most_bytes, size_t *len_bytes, struct pt_err *err)
{
	return read_file(path, most_bytes, true, len_bytes, err);
}

/* --- with a deadline ---------------------------------------------------------------------------------------------- */

/* Shared with the thread that reads, which may outlast its caller: the one that uses it last frees it. */
struct reading {
	char *path;
	size_t most_bytes, len_bytes;
	uint8_t *bytes;
	struct pt_err err;
	pthread_mutex_t lock;	/* guards the members below */
	pthread_cond_t news;
	bool done, left;
};

static atomic_uint n_late;

static void free_reading(struct reading *r)
{
	pthread_cond_destroy(&r->news);
	pthread_mutex_destroy(&r->lock);
	free(r->bytes);
	free(r->path);
	free(r);
}

static void *read_on_thread(void *arg)
{
	struct reading *r = arg;
	bool left;

	r->bytes = pt_file_read(r->path, r->most_bytes, &r->len_bytes, &r->err);
	pthread_mutex_lock(&r->lock);
	r->done = true;
	left = r->left;
	pthread_cond_signal(&r->news);
	pthread_mutex_unlock(&r->lock);
	if (left) {
		atomic_fetch_sub(&n_late, 1);
		free_reading(r);
	}
	return NULL;
}

static struct reading *new_reading(const char *path, size_t most_bytes)
{
	struct reading *r = pt_alloc(sizeof(*r));
	pthread_condattr_t clock;

	r->path = pt_strdup(path);
	r->most_bytes = most_bytes;
	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&r->news, &clock);
	pthread_condattr_destroy(&clock);
	return r;
}

static bool start_reading(struct reading *r)
{
	pthread_attr_t attributes;
	pthread_t thread;
	bool started;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	started = pthread_create(&thread, &attributes, read_on_thread, r) == 0;
	pthread_attr_destroy(&attributes);
	return started;
}

/* False: not done in time; the thread frees it. */
static bool wait_for_reading(struct reading *r, unsigned timeout_ms)
{
	struct timespec until;
	bool done;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += timeout_ms / 1000;
	until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&r->lock);
	while (!r->done && pthread_cond_timedwait(&r->news, &r->lock, &until) != ETIMEDOUT)
		;
	done = r->done;
	r->left = !done;
	if (!done)
		atomic_fetch_add(&n_late, 1);
	pthread_mutex_unlock(&r->lock);
	return done;
}

uint8_t *pt_file_read_within(const char *path, size_t most_bytes, unsigned timeout_ms, size_t *len_bytes,
			     struct pt_err *err)
{
	struct reading *r;
	uint8_t *bytes;

	*len_bytes = 0;
	r = atomic_load(&n_late) < PT_FILE_MOST_LATE ? new_reading(path, most_bytes) : NULL;
	if (r != NULL && !start_reading(r)) {
		free_reading(r);
		return pt_file_read(path, most_bytes, len_bytes, err);
	}
	if (r == NULL || !wait_for_reading(r, timeout_ms)) {
		pt_fail(err, PT_ETIMEOUT, "%s: its disk does not answer", path);
		return NULL;
	}
	bytes = r->bytes;
	r->bytes = NULL;
	*len_bytes = r->len_bytes;
	if (bytes == NULL && err != NULL)
		*err = r->err;
	free_reading(r);
	return bytes;
}
