/* See whole_file.h. */
#include "host/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* What comes, until it ends; most_bytes and one more at most. NULL with err set. */
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
