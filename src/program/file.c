/* See file.h. */
#include "program/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

uint8_t *pt_file_read(const char *path, size_t most_bytes, size_t *len_bytes, struct pt_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);	/* a FIFO must not hold us */
	uint8_t *bytes = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		pt_fail(err, PT_EIO, "open %s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		pt_fail(err, PT_EARG, "%s is not a file", path);
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
