#include "board/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "host/log.h"
#include "base/util.h"

enum { PIECE_BYTES = 256, TICKS_PER_S = 1000000000, MODE_BINARY = 1 };

/* Extensions: the magic and one byte of features, SYS_EXIT_EXTENDED and separate stdout and stderr. */
static const char features[] = { 'S', 'H', 'F', 'B', 0x03 };

/* --- handles and names -------------------------------------------------------------------------------------------- */

struct pt_host_file *pt_host_file(struct pt_host *sh, uint32_t handle)
{
	return handle >= 1 && handle <= PT_HOST_FILES && sh->file[handle - 1].kind != PT_HOST_FD_FREE
		       ? &sh->file[handle - 1]
		       : NULL;
}

int pt_host_add_file(struct pt_host *sh, enum pt_host_kind kind, int fd)
{
	for (int i = 0; i < PT_HOST_FILES; i++) {
		if (sh->file[i].kind != PT_HOST_FD_FREE)
			continue;
		sh->file[i] = (struct pt_host_file){ .kind = kind, .fd = fd };
		return i + 1;
	}
	sh->last_errno = EMFILE;
	return PT_HOST_FAILED;
}

/* Writes to the console. */
static void say(struct pt_host *sh, const char *text, size_t len_bytes)
{
	if (sh->say != NULL && len_bytes > 0)
		sh->say(sh->arg, text, len_bytes);
}

static void refuse(struct pt_host *sh, uint32_t number, int why, const char *what)
{
	char line[400];

	sh->last_errno = why;
	if (sh->told[number & 0xff])
		return;
	sh->told[number & 0xff] = true;
	snprintf(line, sizeof(line), "semihosting: %s\n", what);
	pt_warn("%.*s", (int)strlen(line) - 1, line);
	say(sh, line, strlen(line));
}

static int read_name(struct pt_host *sh, struct pt_mem *mem, uint32_t addr, uint32_t len, char name[PT_HOST_NAME_BYTES],
		     struct pt_err *err)
{
	name[0] = '\0';
	if (len >= PT_HOST_NAME_BYTES) {
		sh->last_errno = ENAMETOOLONG;
		return 0;
	}
	if (len > 0 && pt_mem_read(mem, addr, name, len, err) < 0)
		return err->code;
	name[len] = '\0';
	return 0;
}

/* A file name without a path, so it cannot leave the directory; links are not followed (O_NOFOLLOW). */
static bool plain(const char *name)
{
	return name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL;
}

/* A descriptor of the directory, or -1: the program has none. */
static int open_dir(struct pt_host *sh, uint32_t number, const char *name)
{
	char what[360];
	int dir;

	if (sh->dir[0] == '\0' || !plain(name)) {
		snprintf(
			what, sizeof(what),
			sh->dir[0] == '\0'
				? "the program asks for the file %.100s: it has no directory (give it one: proftap --semihost-dir DIR)"
				: "the program asks for %.100s: only names without a path are allowed, in %.200s",
			name, sh->dir);
		refuse(sh, number, EACCES, what);
		return -1;
	}
	dir = open(sh->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		sh->last_errno = errno;
	return dir;
}

int pt_host_open_special(struct pt_host *sh, struct pt_mem *mem, const struct pt_host_call *call,
			 char name[PT_HOST_NAME_BYTES], int32_t *result, struct pt_err *err)
{
	uint32_t mode = call->word[1];

	*result = PT_HOST_FAILED;
	if (read_name(sh, mem, call->word[0], call->word[2], name, err) < 0)
		return err->code;
	if (mode > 11 || name[0] == '\0') {
		if (mode > 11)
			sh->last_errno = EINVAL;
		else if (call->word[2] == 0)
			sh->last_errno = ENOENT; /* a name that is too long was reported already */
		return 0;
	}
	if (strcmp(name, ":tt") == 0)
		*result = pt_host_add_file(sh,
					   mode < 4   ? PT_HOST_FD_IN
					   : mode < 8 ? PT_HOST_FD_OUT
						      : PT_HOST_FD_ERR,
					   (int)(mode / 4));
	else if (strcmp(name, ":semihosting-features") == 0)
		*result = mode <= MODE_BINARY ? pt_host_add_file(sh, PT_HOST_FD_FEATURES, -1) : PT_HOST_FAILED;
	else
		return 1;
	return 0;
}

static int sys_open(struct pt_host *sh, struct pt_mem *mem, const struct pt_host_call *call, int32_t *result,
		    struct pt_err *err)
{
	static const int flags[] = { O_RDONLY,
				     O_RDWR,
				     O_WRONLY | O_CREAT | O_TRUNC,
				     O_RDWR | O_CREAT | O_TRUNC,
				     O_WRONLY | O_CREAT | O_APPEND,
				     O_RDWR | O_CREAT | O_APPEND };
	char name[PT_HOST_NAME_BYTES];
	int rc = pt_host_open_special(sh, mem, call, name, result, err), dir, fd;
	struct stat what;

	if (rc != 1)
		return rc;
	dir = open_dir(sh, call->number, name);
	if (dir < 0)
		return 0;
	fd = openat(dir, name, flags[call->word[1] / 2] | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
	if (fd < 0)
		sh->last_errno = errno;
	else if (fstat(fd, &what) < 0 || !S_ISREG(what.st_mode))
		sh->last_errno = EACCES;
	else
		*result = pt_host_add_file(sh, PT_HOST_FD_FILE, fd);
	if (*result < 0 && fd >= 0)
		close(fd);
	close(dir);
	return 0;
}

/* --- reading and writing ------------------------------------------------------------------------------------------ */

/* Returns how many bytes were written; fewer than n after an error or on a full disk. */
static size_t put_bytes(struct pt_host *sh, struct pt_host_file *file, const uint8_t *bytes, size_t n)
{
	ssize_t done;

	if (file->kind == PT_HOST_FD_OUT || file->kind == PT_HOST_FD_ERR) {
		say(sh, (const char *)bytes, n);
		return n;
	}
	done = file->kind == PT_HOST_FD_FILE ? write(file->fd, bytes, n) : -1;
	if (done < 0)
		sh->last_errno = file->kind == PT_HOST_FD_FILE ? errno : EBADF;
	return done > 0 ? (size_t)done : 0;
}

static size_t get_bytes(struct pt_host *sh, struct pt_host_file *file, uint8_t *bytes, size_t n)
{
	size_t left = sizeof(features) - file->at;
	ssize_t done = 0;

	if (file->kind == PT_HOST_FD_FEATURES) {
		n = n < left ? n : left;
		memcpy(bytes, features + file->at, n);
		file->at += (uint32_t)n;
		return n;
	}
	if (file->kind == PT_HOST_FD_FILE)
		done = read(file->fd, bytes, n);
	if (done < 0)
		sh->last_errno = errno;
	return done > 0 ? (size_t)done : 0; /* the console has no input */
}

/* Both return the number of bytes not transferred. A call moves at most PT_HOST_MOST_BYTES: the program calls again for
 * the rest. */
static int transfer(struct pt_host *sh, struct pt_mem *mem, const struct pt_host_call *call, int32_t *result,
		    struct pt_err *err)
{
	struct pt_host_file *file = pt_host_file(sh, call->word[0]);
	uint32_t most = call->word[2] < PT_HOST_MOST_BYTES ? call->word[2] : PT_HOST_MOST_BYTES, at = 0;
	uint8_t bytes[PIECE_BYTES];

	*result = file == NULL ? PT_HOST_FAILED : (int32_t)call->word[2];
	if (file == NULL)
		sh->last_errno = EBADF;
	while (file != NULL && at < most) {
		size_t n = most - at < sizeof(bytes) ? most - at : sizeof(bytes), done;

		if (call->op == PT_HOST_WRITE && pt_mem_read(mem, call->word[1] + at, bytes, n, err) < 0)
			return err->code;
		done = call->op == PT_HOST_WRITE ? put_bytes(sh, file, bytes, n) : get_bytes(sh, file, bytes, n);
		if (call->op == PT_HOST_READ && done > 0 && pt_mem_write(mem, call->word[1] + at, bytes, done, err) < 0)
			return err->code;
		at += (uint32_t)done;
		if (done < n)
			break;
	}
	if (file != NULL)
		*result = (int32_t)(call->word[2] - at);
	return 0;
}

int pt_host_text_bytes(struct pt_mem *mem, uint32_t addr, size_t most, size_t *n, struct pt_err *err)
{
	char bytes[PIECE_BYTES];

	for (*n = 0; *n < most;) {
		size_t len = PIECE_BYTES - (addr + *n) % PIECE_BYTES; /* so that no access crosses the end of memory */
		const char *end;

		if (pt_mem_read(mem, addr + *n, bytes, len, err) < 0)
			return err->code;
		end = memchr(bytes, 0, len);
		*n += end != NULL ? (size_t)(end - bytes) : len;
		if (end != NULL)
			return 0;
	}
	*n = most;
	return 0;
}

static int write_text(struct pt_host *sh, struct pt_mem *mem, uint32_t addr, size_t n, struct pt_err *err)
{
	char bytes[PIECE_BYTES];

	for (size_t at = 0; at < n; at += sizeof(bytes)) {
		size_t len = n - at < sizeof(bytes) ? n - at : sizeof(bytes);

		if (pt_mem_read(mem, addr + at, bytes, len, err) < 0)
			return err->code;
		say(sh, bytes, len);
	}
	return 0;
}

static int write_console(struct pt_host *sh, struct pt_mem *mem, const struct pt_host_call *call, int32_t *result,
			 struct pt_err *err)
{
	size_t n = 1;

	*result = (int32_t)call->number; /* these operations return nothing: the register keeps its value */
	if (call->op == PT_HOST_WRITE0 && pt_host_text_bytes(mem, call->arg, PT_HOST_MOST_BYTES, &n, err) < 0)
		return err->code;
	return write_text(sh, mem, call->arg, n, err);
}

/* --- files, the rest ---------------------------------------------------------------------------------------------- */

static int32_t of_host(struct pt_host *sh, int64_t rc)
{
	if (rc < 0)
		sh->last_errno = errno;
	return rc < 0 || rc > INT32_MAX ? PT_HOST_FAILED : (int32_t)rc;
}

static int32_t on_file(struct pt_host *sh, const struct pt_host_call *call)
{
	struct pt_host_file *file = pt_host_file(sh, call->word[0]);
	struct stat what;
	int rc;

	if (file == NULL) {
		sh->last_errno = EBADF;
		return PT_HOST_FAILED;
	}
	switch (call->op) {
	case PT_HOST_CLOSE:
		rc = file->kind == PT_HOST_FD_FILE ? close(file->fd) : 0;
		file->kind = PT_HOST_FD_FREE;
		return of_host(sh, rc);
	case PT_HOST_ISTTY:
		return file->kind == PT_HOST_FD_IN || file->kind == PT_HOST_FD_OUT || file->kind == PT_HOST_FD_ERR;
	case PT_HOST_FLEN:
		if (file->kind == PT_HOST_FD_FEATURES)
			return (int32_t)sizeof(features);
		return file->kind != PT_HOST_FD_FILE ? 0
		       : fstat(file->fd, &what) < 0  ? of_host(sh, -1)
						     : of_host(sh, what.st_size);
	default: /* SEEK */
		if (file->kind == PT_HOST_FD_FEATURES && call->word[1] <= sizeof(features)) {
			file->at = call->word[1];
			return 0;
		}
		if (file->kind != PT_HOST_FD_FILE) {
			sh->last_errno = ESPIPE;
			return PT_HOST_FAILED;
		}
		return of_host(sh, lseek(file->fd, call->word[1], SEEK_SET)) < 0 ? PT_HOST_FAILED : 0;
	}
}

static int on_names(struct pt_host *sh, struct pt_mem *mem, const struct pt_host_call *call, int32_t *result,
		    struct pt_err *err)
{
	char name[PT_HOST_NAME_BYTES], to[PT_HOST_NAME_BYTES] = "x";
	int dir;

	*result = PT_HOST_FAILED;
	if (read_name(sh, mem, call->word[0], call->word[1], name, err) < 0 ||
	    (call->op == PT_HOST_RENAME && read_name(sh, mem, call->word[2], call->word[3], to, err) < 0))
		return err->code;
	dir = open_dir(sh, call->number, plain(to) ? name : to);
	if (dir < 0)
		return 0;
	*result = of_host(sh, call->op == PT_HOST_REMOVE ? unlinkat(dir, name, 0) : renameat(dir, name, dir, to));
	close(dir);
	return 0;
}

static int put_out(struct pt_mem *mem, uint32_t addr, const void *bytes, size_t n, int32_t *result, struct pt_err *err)
{
	*result = 0;
	return pt_mem_write(mem, addr, bytes, n, err);
}

/* HEAPINFO returns zeros: the program places heap and stack itself. */
static int out_of_host(struct pt_host *sh, struct pt_mem *mem, const struct pt_host_call *call, uint64_t now_ns,
		       int32_t *result, struct pt_err *err)
{
	uint8_t bytes[16] = { 0 };
	char name[20];

	*result = PT_HOST_FAILED;
	switch (call->op) {
	case PT_HOST_TMPNAM:
		snprintf(name, sizeof(name), "tmp%03u", (unsigned)(call->word[1] & 0xff));
		return call->word[2] <= strlen(name) ? 0
						     : put_out(mem, call->word[0], name, strlen(name) + 1, result, err);
	case PT_HOST_GET_CMDLINE:
		pt_put_le32(bytes, 0);
		if (call->word[1] < 1)
			return 0;
		if (pt_mem_write(mem, call->word[0], bytes, 1, err) < 0) /* without arguments the line is empty */
			return err->code;
		return put_out(mem, call->arg + 4, bytes, 4, result, err);
	case PT_HOST_HEAPINFO:
		return put_out(mem, call->word[0], bytes, sizeof(bytes), result, err);
	default: /* ELAPSED */
		pt_put_le32(bytes, (uint32_t)(now_ns - sh->began_ns));
		pt_put_le32(bytes + 4, (uint32_t)((now_ns - sh->began_ns) >> 32));
		return put_out(mem, call->arg, bytes, 8, result, err);
	}
}

static void end(struct pt_host *sh, const struct pt_host_call *call)
{
	bool by_itself = call->word[0] != 0;
	char line[100];

	if (sh->ended)
		return; /* if it is resumed, it makes the same request again */
	sh->ended = true;
	sh->status = by_itself ? call->word[1] : 1;
	snprintf(line, sizeof(line),
		 by_itself ? "the program ended: exit status %u\n" : "the program ended: reason 0x%x\n", call->word[1]);
	pt_info("semihosting: %.*s", (int)strlen(line) - 1, line);
	say(sh, line, strlen(line));
}

/* Operations that need neither memory nor file names. */
static int32_t answer(struct pt_host *sh, const struct pt_host_call *call, uint64_t now_ns)
{
	switch (call->op) {
	case PT_HOST_ISERROR:
		return (int32_t)call->word[0] < 0;
	case PT_HOST_CLOCK:
		return (int32_t)((now_ns - sh->began_ns) / 10000000 & INT32_MAX);
	case PT_HOST_TIME:
		return (int32_t)time(NULL);
	case PT_HOST_ERRNO:
		return sh->last_errno;
	case PT_HOST_TICKFREQ:
		return TICKS_PER_S;
	default:
		return on_file(sh, call);
	}
}

int pt_host_serve(struct pt_host *sh, struct pt_mem *mem, const struct pt_host_call *call, uint64_t now_ns,
		  int32_t *result, struct pt_err *err)
{
	char what[64];

	*result = PT_HOST_FAILED;
	switch (call->op) {
	case PT_HOST_OPEN:
		return sys_open(sh, mem, call, result, err);
	case PT_HOST_WRITEC:
	case PT_HOST_WRITE0:
		return write_console(sh, mem, call, result, err);
	case PT_HOST_WRITE:
	case PT_HOST_READ:
		return transfer(sh, mem, call, result, err);
	case PT_HOST_READC: /* nobody types */
		return 0;
	case PT_HOST_ISERROR:
	case PT_HOST_CLOSE:
	case PT_HOST_ISTTY:
	case PT_HOST_SEEK:
	case PT_HOST_FLEN:
	case PT_HOST_CLOCK:
	case PT_HOST_TIME:
	case PT_HOST_ERRNO:
	case PT_HOST_TICKFREQ:
		*result = answer(sh, call, now_ns);
		return 0;
	case PT_HOST_REMOVE:
	case PT_HOST_RENAME:
		return on_names(sh, mem, call, result, err);
	case PT_HOST_SYSTEM:
		refuse(sh, call->number, EPERM, "the program asks to run a command on this host: refused");
		return 0;
	case PT_HOST_TMPNAM:
	case PT_HOST_GET_CMDLINE:
	case PT_HOST_HEAPINFO:
	case PT_HOST_ELAPSED:
		return out_of_host(sh, mem, call, now_ns, result, err);
	case PT_HOST_EXIT:
		end(sh, call);
		return 0;
	default:
		snprintf(what, sizeof(what), "operation 0x%x is unknown", call->number);
		refuse(sh, call->number, ENOSYS, what);
		return 0;
	}
}

void pt_host_reset(struct pt_host *sh, uint64_t now_ns)
{
	for (size_t i = 0; i < PT_HOST_FILES; i++) {
		if (sh->file[i].kind == PT_HOST_FD_FILE)
			close(sh->file[i].fd);
		sh->file[i].kind = PT_HOST_FD_FREE;
	}
	memset(sh->told, 0, sizeof(sh->told));
	sh->last_errno = 0;
	sh->ended = false;
	sh->began_ns = now_ns;
}
