#include "targets/arm/semihost.h"

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

enum { BKPT_AB = 0xbeab, PIECE_BYTES = 256, APPLICATION_EXIT = 0x20026, TICKS_PER_S = 1000000000, MODE_BINARY = 1 };

/* Extensions: the magic and one byte of features, SYS_EXIT_EXTENDED and separate stdout and stderr. */
static const char features[] = { 'S', 'H', 'F', 'B', 0x03 };

/* --- the core ----------------------------------------------------------------------------------------------------- */

static uint16_t row_of(struct pt_target *target, const char *name)
{
	size_t n;
	const struct pt_register *rows = target->ops->registers(target->state, &n);
	uint16_t i = 0;

	while (i < n && strcmp(rows[i].name, name) != 0)
		i++;
	return i < n ? i : UINT16_MAX;
}

int pt_semihost_look(struct pt_target *target, unsigned core, struct pt_semihost_call *call, struct pt_err *err)
{
	uint16_t rows[] = { row_of(target, "r0"), row_of(target, "r1"), row_of(target, "pc") };
	struct pt_mem *mem = target->ops->mem(target->state, core);
	struct pt_err ignored;
	uint64_t values[3];
	uint8_t bytes[16];

	*call = (struct pt_semihost_call){ 0 };
	if (rows[0] == UINT16_MAX || rows[1] == UINT16_MAX || rows[2] == UINT16_MAX)
		return 0; /* not an Arm core */
	if (target->ops->read_registers(target->state, core, rows, 3, values, err) < 0)
		return err->code;
	if (pt_mem_read(mem, values[2], bytes, 2, &ignored) < 0 || pt_le16(bytes) != BKPT_AB)
		return 0;
	call->op = (uint32_t)values[0];
	call->arg = (uint32_t)values[1];
	if (pt_mem_read(mem, call->arg, bytes, sizeof(bytes), &ignored) < 0)
		return 1; /* many take no block; those that do find it empty */
	for (size_t i = 0; i < PT_LEN(call->word); i++)
		call->word[i] = pt_le32(bytes + 4 * i);
	return 1;
}

int pt_semihost_answer(struct pt_target *target, unsigned core, int32_t result, uint64_t *pc, struct pt_err *err)
{
	uint16_t rows[] = { row_of(target, "r0"), row_of(target, "pc") };
	uint64_t values[2] = { (uint32_t)result };

	if (target->ops->read_registers(target->state, core, &rows[1], 1, &values[1], err) < 0)
		return err->code;
	values[1] += 2;
	*pc = values[1];
	return target->ops->write_registers(target->state, core, rows, 2, values, err);
}

/* --- handles and names -------------------------------------------------------------------------------------------- */

struct pt_semihost_file *pt_semihost_file(struct pt_semihost *sh, uint32_t handle)
{
	return handle >= 1 && handle <= PT_SEMIHOST_FILES && sh->file[handle - 1].kind != PT_SH_FREE
		       ? &sh->file[handle - 1]
		       : NULL;
}

int pt_semihost_add_file(struct pt_semihost *sh, enum pt_semihost_kind kind, int fd)
{
	for (int i = 0; i < PT_SEMIHOST_FILES; i++) {
		if (sh->file[i].kind != PT_SH_FREE)
			continue;
		sh->file[i] = (struct pt_semihost_file){ .kind = kind, .fd = fd };
		return i + 1;
	}
	sh->last_errno = EMFILE;
	return PT_SEMIHOST_FAILED;
}

/* Text on the console. */
static void say(struct pt_semihost *sh, const char *text, size_t len_bytes)
{
	if (sh->say != NULL && len_bytes > 0)
		sh->say(sh->arg, text, len_bytes);
}

static void refuse(struct pt_semihost *sh, uint32_t op, int why, const char *what)
{
	char line[400];

	sh->last_errno = why;
	if (sh->told[op & 0xff])
		return;
	sh->told[op & 0xff] = true;
	snprintf(line, sizeof(line), "semihosting: %s\n", what);
	pt_warn("%.*s", (int)strlen(line) - 1, line);
	say(sh, line, strlen(line));
}

static int read_name(struct pt_semihost *sh, struct pt_mem *mem, uint32_t addr, uint32_t len,
		     char name[PT_SEMIHOST_NAME_BYTES], struct pt_err *err)
{
	name[0] = '\0';
	if (len >= PT_SEMIHOST_NAME_BYTES) {
		sh->last_errno = ENAMETOOLONG;
		return 0;
	}
	if (len > 0 && pt_mem_read(mem, addr, name, len, err) < 0)
		return err->code;
	name[len] = '\0';
	return 0;
}

/* One plain name in the directory: nothing that leads out of it, and no link (O_NOFOLLOW). */
static bool plain(const char *name)
{
	return name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL;
}

/* A descriptor of the directory, or -1: there is none for the program. */
static int open_dir(struct pt_semihost *sh, uint32_t op, const char *name)
{
	char what[360];
	int dir;

	if (sh->dir[0] == '\0' || !plain(name)) {
		snprintf(what, sizeof(what),
			 sh->dir[0] == '\0'
				 ? "the program asks for the file %.100s: no directory is given to it (proftap "
				   "--semihost-dir DIR)"
				 : "the program asks for %.100s: names are plain, in %.200s",
			 name, sh->dir);
		refuse(sh, op, EACCES, what);
		return -1;
	}
	dir = open(sh->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		sh->last_errno = errno;
	return dir;
}

int pt_semihost_open_special(struct pt_semihost *sh, struct pt_mem *mem, const struct pt_semihost_call *call,
			     char name[PT_SEMIHOST_NAME_BYTES], int32_t *result, struct pt_err *err)
{
	uint32_t mode = call->word[1];

	*result = PT_SEMIHOST_FAILED;
	if (read_name(sh, mem, call->word[0], call->word[2], name, err) < 0)
		return err->code;
	if (mode > 11 || name[0] == '\0') {
		if (mode > 11)
			sh->last_errno = EINVAL;
		else if (call->word[2] == 0)
			sh->last_errno = ENOENT; /* one that is too long said so itself */
		return 0;
	}
	if (strcmp(name, ":tt") == 0)
		*result = pt_semihost_add_file(sh,
					       mode < 4	  ? PT_SH_IN
					       : mode < 8 ? PT_SH_OUT
							  : PT_SH_ERR,
					       (int)(mode / 4));
	else if (strcmp(name, ":semihosting-features") == 0)
		*result = mode <= MODE_BINARY ? pt_semihost_add_file(sh, PT_SH_FEATURES, -1) : PT_SEMIHOST_FAILED;
	else
		return 1;
	return 0;
}

static int sys_open(struct pt_semihost *sh, struct pt_mem *mem, const struct pt_semihost_call *call, int32_t *result,
		    struct pt_err *err)
{
	static const int flags[] = { O_RDONLY,
				     O_RDWR,
				     O_WRONLY | O_CREAT | O_TRUNC,
				     O_RDWR | O_CREAT | O_TRUNC,
				     O_WRONLY | O_CREAT | O_APPEND,
				     O_RDWR | O_CREAT | O_APPEND };
	char name[PT_SEMIHOST_NAME_BYTES];
	int rc = pt_semihost_open_special(sh, mem, call, name, result, err), dir, fd;
	struct stat what;

	if (rc != 1)
		return rc;
	dir = open_dir(sh, call->op, name);
	if (dir < 0)
		return 0;
	fd = openat(dir, name, flags[call->word[1] / 2] | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
	if (fd < 0)
		sh->last_errno = errno;
	else if (fstat(fd, &what) < 0 || !S_ISREG(what.st_mode))
		sh->last_errno = EACCES;
	else
		*result = pt_semihost_add_file(sh, PT_SH_FILE, fd);
	if (*result < 0 && fd >= 0)
		close(fd);
	close(dir);
	return 0;
}

/* --- reading and writing ------------------------------------------------------------------------------------------ */

/* How many bytes the host takes; less than n is an error's or a full disk's. */
static size_t put_bytes(struct pt_semihost *sh, struct pt_semihost_file *file, const uint8_t *bytes, size_t n)
{
	ssize_t done;

	if (file->kind == PT_SH_OUT || file->kind == PT_SH_ERR) {
		say(sh, (const char *)bytes, n);
		return n;
	}
	done = file->kind == PT_SH_FILE ? write(file->fd, bytes, n) : -1;
	if (done < 0)
		sh->last_errno = file->kind == PT_SH_FILE ? errno : EBADF;
	return done > 0 ? (size_t)done : 0;
}

static size_t get_bytes(struct pt_semihost *sh, struct pt_semihost_file *file, uint8_t *bytes, size_t n)
{
	size_t left = sizeof(features) - file->at;
	ssize_t done = 0;

	if (file->kind == PT_SH_FEATURES) {
		n = n < left ? n : left;
		memcpy(bytes, features + file->at, n);
		file->at += (uint32_t)n;
		return n;
	}
	if (file->kind == PT_SH_FILE)
		done = read(file->fd, bytes, n);
	if (done < 0)
		sh->last_errno = errno;
	return done > 0 ? (size_t)done : 0; /* the console's input is at its end */
}

/* Both return how many bytes were not transferred. One call moves PT_SEMIHOST_MOST_BYTES at most: the program asks
 * again. */
static int transfer(struct pt_semihost *sh, struct pt_mem *mem, const struct pt_semihost_call *call, int32_t *result,
		    struct pt_err *err)
{
	struct pt_semihost_file *file = pt_semihost_file(sh, call->word[0]);
	uint32_t most = call->word[2] < PT_SEMIHOST_MOST_BYTES ? call->word[2] : PT_SEMIHOST_MOST_BYTES, at = 0;
	uint8_t bytes[PIECE_BYTES];

	*result = file == NULL ? PT_SEMIHOST_FAILED : (int32_t)call->word[2];
	if (file == NULL)
		sh->last_errno = EBADF;
	while (file != NULL && at < most) {
		size_t n = most - at < sizeof(bytes) ? most - at : sizeof(bytes), done;

		if (call->op == PT_SYS_WRITE && pt_mem_read(mem, call->word[1] + at, bytes, n, err) < 0)
			return err->code;
		done = call->op == PT_SYS_WRITE ? put_bytes(sh, file, bytes, n) : get_bytes(sh, file, bytes, n);
		if (call->op == PT_SYS_READ && done > 0 && pt_mem_write(mem, call->word[1] + at, bytes, done, err) < 0)
			return err->code;
		at += (uint32_t)done;
		if (done < n)
			break;
	}
	if (file != NULL)
		*result = (int32_t)(call->word[2] - at);
	return 0;
}

int pt_semihost_text_bytes(struct pt_mem *mem, uint32_t addr, size_t most, size_t *n, struct pt_err *err)
{
	char bytes[PIECE_BYTES];

	for (*n = 0; *n < most;) {
		size_t len =
			PIECE_BYTES - (addr + *n) % PIECE_BYTES; /* never over the end of memory that ends evenly */
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

static int write_text(struct pt_semihost *sh, struct pt_mem *mem, uint32_t addr, size_t n, struct pt_err *err)
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

static int write_console(struct pt_semihost *sh, struct pt_mem *mem, const struct pt_semihost_call *call,
			 int32_t *result, struct pt_err *err)
{
	size_t n = 1;

	*result = (int32_t)call->op; /* they return nothing: r0 stays as it is */
	if (call->op == PT_SYS_WRITE0 && pt_semihost_text_bytes(mem, call->arg, PT_SEMIHOST_MOST_BYTES, &n, err) < 0)
		return err->code;
	return write_text(sh, mem, call->arg, n, err);
}

/* --- files, the rest ---------------------------------------------------------------------------------------------- */

static int32_t of_host(struct pt_semihost *sh, int64_t rc)
{
	if (rc < 0)
		sh->last_errno = errno;
	return rc < 0 || rc > INT32_MAX ? PT_SEMIHOST_FAILED : (int32_t)rc;
}

static int32_t on_file(struct pt_semihost *sh, const struct pt_semihost_call *call)
{
	struct pt_semihost_file *file = pt_semihost_file(sh, call->word[0]);
	struct stat what;
	int rc;

	if (file == NULL) {
		sh->last_errno = EBADF;
		return PT_SEMIHOST_FAILED;
	}
	switch (call->op) {
	case PT_SYS_CLOSE:
		rc = file->kind == PT_SH_FILE ? close(file->fd) : 0;
		file->kind = PT_SH_FREE;
		return of_host(sh, rc);
	case PT_SYS_ISTTY:
		return file->kind == PT_SH_IN || file->kind == PT_SH_OUT || file->kind == PT_SH_ERR;
	case PT_SYS_FLEN:
		if (file->kind == PT_SH_FEATURES)
			return (int32_t)sizeof(features);
		return file->kind != PT_SH_FILE	    ? 0
		       : fstat(file->fd, &what) < 0 ? of_host(sh, -1)
						    : of_host(sh, what.st_size);
	default: /* SEEK */
		if (file->kind == PT_SH_FEATURES && call->word[1] <= sizeof(features)) {
			file->at = call->word[1];
			return 0;
		}
		if (file->kind != PT_SH_FILE) {
			sh->last_errno = ESPIPE;
			return PT_SEMIHOST_FAILED;
		}
		return of_host(sh, lseek(file->fd, call->word[1], SEEK_SET)) < 0 ? PT_SEMIHOST_FAILED : 0;
	}
}

static int on_names(struct pt_semihost *sh, struct pt_mem *mem, const struct pt_semihost_call *call, int32_t *result,
		    struct pt_err *err)
{
	char name[PT_SEMIHOST_NAME_BYTES], to[PT_SEMIHOST_NAME_BYTES] = "x";
	int dir;

	*result = PT_SEMIHOST_FAILED;
	if (read_name(sh, mem, call->word[0], call->word[1], name, err) < 0 ||
	    (call->op == PT_SYS_RENAME && read_name(sh, mem, call->word[2], call->word[3], to, err) < 0))
		return err->code;
	dir = open_dir(sh, call->op, plain(to) ? name : to);
	if (dir < 0)
		return 0;
	*result = of_host(sh, call->op == PT_SYS_REMOVE ? unlinkat(dir, name, 0) : renameat(dir, name, dir, to));
	close(dir);
	return 0;
}

static int put_out(struct pt_mem *mem, uint32_t addr, const void *bytes, size_t n, int32_t *result, struct pt_err *err)
{
	*result = 0;
	return pt_mem_write(mem, addr, bytes, n, err);
}

/* Where heap and stack are is the program's own affair: 0 says so. */
static int out_of_host(struct pt_semihost *sh, struct pt_mem *mem, const struct pt_semihost_call *call, uint64_t now_ns,
		       int32_t *result, struct pt_err *err)
{
	uint8_t bytes[16] = { 0 };
	char name[20];

	*result = PT_SEMIHOST_FAILED;
	switch (call->op) {
	case PT_SYS_TMPNAM:
		snprintf(name, sizeof(name), "tmp%03u", (unsigned)(call->word[1] & 0xff));
		return call->word[2] <= strlen(name) ? 0
						     : put_out(mem, call->word[0], name, strlen(name) + 1, result, err);
	case PT_SYS_GET_CMDLINE:
		pt_put_le32(bytes, 0);
		if (call->word[1] < 1)
			return 0;
		if (pt_mem_write(mem, call->word[0], bytes, 1, err) < 0) /* no words: an empty line */
			return err->code;
		return put_out(mem, call->arg + 4, bytes, 4, result, err);
	case PT_SYS_HEAPINFO:
		return put_out(mem, call->word[0], bytes, sizeof(bytes), result, err);
	default: /* ELAPSED */
		pt_put_le32(bytes, (uint32_t)(now_ns - sh->began_ns));
		pt_put_le32(bytes + 4, (uint32_t)((now_ns - sh->began_ns) >> 32));
		return put_out(mem, call->arg, bytes, 8, result, err);
	}
}

static void end(struct pt_semihost *sh, const struct pt_semihost_call *call)
{
	uint32_t reason = call->op == PT_SYS_EXIT ? call->arg : call->word[0];
	char line[100];

	if (sh->ended)
		return; /* let run again, it says so again */
	sh->ended = true;
	sh->status = reason != APPLICATION_EXIT ? 1 : call->op == PT_SYS_EXIT ? 0 : call->word[1];
	snprintf(line, sizeof(line),
		 reason == APPLICATION_EXIT ? "the program ended: exit status %u\n"
					    : "the program ended: reason 0x%x\n",
		 reason == APPLICATION_EXIT ? sh->status : reason);
	pt_info("semihosting: %.*s", (int)strlen(line) - 1, line);
	say(sh, line, strlen(line));
}

/* What needs neither memory nor names of the host. */
static int32_t answer(struct pt_semihost *sh, const struct pt_semihost_call *call, uint64_t now_ns)
{
	switch (call->op) {
	case PT_SYS_ISERROR:
		return (int32_t)call->word[0] < 0;
	case PT_SYS_CLOCK:
		return (int32_t)((now_ns - sh->began_ns) / 10000000 & INT32_MAX);
	case PT_SYS_TIME:
		return (int32_t)time(NULL);
	case PT_SYS_ERRNO:
		return sh->last_errno;
	case PT_SYS_TICKFREQ:
		return TICKS_PER_S;
	default:
		return on_file(sh, call);
	}
}

int pt_semihost_serve(struct pt_semihost *sh, struct pt_mem *mem, const struct pt_semihost_call *call, uint64_t now_ns,
		      int32_t *result, struct pt_err *err)
{
	char what[64];

	*result = PT_SEMIHOST_FAILED;
	switch (call->op) {
	case PT_SYS_OPEN:
		return sys_open(sh, mem, call, result, err);
	case PT_SYS_WRITEC:
	case PT_SYS_WRITE0:
		return write_console(sh, mem, call, result, err);
	case PT_SYS_WRITE:
	case PT_SYS_READ:
		return transfer(sh, mem, call, result, err);
	case PT_SYS_READC: /* nobody types */
		return 0;
	case PT_SYS_ISERROR:
	case PT_SYS_CLOSE:
	case PT_SYS_ISTTY:
	case PT_SYS_SEEK:
	case PT_SYS_FLEN:
	case PT_SYS_CLOCK:
	case PT_SYS_TIME:
	case PT_SYS_ERRNO:
	case PT_SYS_TICKFREQ:
		*result = answer(sh, call, now_ns);
		return 0;
	case PT_SYS_REMOVE:
	case PT_SYS_RENAME:
		return on_names(sh, mem, call, result, err);
	case PT_SYS_SYSTEM:
		refuse(sh, call->op, EPERM, "the program asks for a command of this host: refused");
		return 0;
	case PT_SYS_TMPNAM:
	case PT_SYS_GET_CMDLINE:
	case PT_SYS_HEAPINFO:
	case PT_SYS_ELAPSED:
		return out_of_host(sh, mem, call, now_ns, result, err);
	case PT_SYS_EXIT:
	case PT_SYS_EXIT_EXTENDED:
		end(sh, call);
		return 0;
	default:
		snprintf(what, sizeof(what), "operation 0x%x is not known", call->op);
		refuse(sh, call->op, ENOSYS, what);
		return 0;
	}
}

void pt_semihost_reset(struct pt_semihost *sh, uint64_t now_ns)
{
	for (size_t i = 0; i < PT_SEMIHOST_FILES; i++) {
		if (sh->file[i].kind == PT_SH_FILE)
			close(sh->file[i].fd);
		sh->file[i].kind = PT_SH_FREE;
	}
	memset(sh->told, 0, sizeof(sh->told));
	sh->last_errno = 0;
	sh->ended = false;
	sh->began_ns = now_ns;
}
