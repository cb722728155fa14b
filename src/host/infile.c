/* Bytes stay in the window until pt_infile_take() consumes them; when more are needed, the rest moves to the front and
 * the window is filled up. */
#include "host/infile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/util.h"

struct pt_infile {
	int fd;			/* -1: memory */
	const uint8_t *whole;
	size_t whole_bytes;
	const uint8_t *memory;	/* not consumed yet */
	size_t memory_bytes;
	bool at_end;
	int error;		/* errno of the read that failed; 0: none */
	uint64_t offset;	/* of the byte at `at` in the file */
	size_t at, n_bytes;	/* position in the window, and its fill */
	uint8_t window[PT_INFILE_WINDOW];
};

static int refuse_folder(int fd, const char *path, struct pt_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	return pt_fail(err, PT_EARG, "%.200s is a folder, not a file", path);
}

struct pt_infile *pt_infile_open(const char *path, struct pt_err *err)
{
	int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct pt_infile *file;

	if (fd < 0) {
		pt_fail(err, PT_EARG, "%.200s cannot be read: %s", path, strerror(errno));
		return NULL;
	}
	if (refuse_folder(fd, path, err) < 0) {
		close(fd);
		return NULL;
	}
	file = pt_alloc(sizeof(*file));
	file->fd = fd;
	return file;
}

struct pt_infile *pt_infile_from_bytes(const uint8_t *bytes, size_t len_bytes)
{
	struct pt_infile *file = pt_alloc(sizeof(*file));

	file->fd = -1;
	file->whole = file->memory = bytes;
	file->whole_bytes = file->memory_bytes = len_bytes;
	return file;
}

void pt_infile_close(struct pt_infile *file)
{
	if (file == NULL)
		return;
	if (file->fd >= 0)
		close(file->fd);
	free(file);
}

static ssize_t read_more(struct pt_infile *file, uint8_t *to, size_t room)
{
	size_t n = room < file->memory_bytes ? room : file->memory_bytes;

	if (file->fd >= 0)
		return read(file->fd, to, room);
	if (n > 0)
		memcpy(to, file->memory, n);
	file->memory += n;
	file->memory_bytes -= n;
	return (ssize_t)n;
}

static void fill(struct pt_infile *file)
{
	memmove(file->window, file->window + file->at, file->n_bytes);
	file->at = 0;
	while (file->n_bytes < sizeof(file->window) && !file->at_end) {
		ssize_t n = read_more(file, file->window + file->n_bytes, sizeof(file->window) - file->n_bytes);

		if (n > 0)
			file->n_bytes += (size_t)n;
		else if (n == 0)
			file->at_end = true;
		else if (errno != EINTR)
			file->error = errno;
		if (file->error != 0)
			file->at_end = true;
	}
}

size_t pt_infile_look(struct pt_infile *file, size_t want, const uint8_t **bytes)
{
	if (file->n_bytes < want && !file->at_end)
		fill(file);
	*bytes = file->window + file->at;
	return file->n_bytes;
}

void pt_infile_take(struct pt_infile *file, size_t n_bytes)
{
	file->at += n_bytes;
	file->n_bytes -= n_bytes;
	file->offset += n_bytes;
}

uint64_t pt_infile_offset(const struct pt_infile *file)
{
	return file->offset;
}

int pt_infile_descriptor(const struct pt_infile *file)
{
	struct stat st;

	return file->fd >= 0 && fstat(file->fd, &st) == 0 && S_ISREG(st.st_mode) ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0)
										 : -1;
}

const uint8_t *pt_infile_memory(const struct pt_infile *file, size_t *len_bytes)
{
	*len_bytes = file->whole_bytes;
	return file->fd < 0 ? file->whole : NULL;
}

int pt_infile_failed(const struct pt_infile *file, struct pt_err *err)
{
	return file->error == 0 ? 0
				: pt_fail(err, PT_EIO, "reading failed at byte %llu: %s",
					  (unsigned long long)(file->offset + file->n_bytes), strerror(file->error));
}
