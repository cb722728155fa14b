/* Each packet is one errand, done at once, on the pool, or by the session, and ends in one reply: "F" and a result, or
 * "F-1" and one of GDB's error numbers. A report is made when its file is opened and lies in memory, so that what is
 * read is of one moment. Source: GDB manual, "Host I/O Packets", "File-I/O constants". */
#include "gdbstub/files/hostio.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gdbstub/packets/packet.h"
#include "gdbstub/files/files.h"
#include "gdbstub/files/hostio_parts.h"
#include "host/log.h"
#include "base/util.h"

enum { GDB_UNKNOWN_ERROR = 9999, STAT_BYTES = 64, READ_AT_ONCE = PT_GDB_PACKET_BYTES - 64 };

/* --- replies ------------------------------------------------------------------------------------------------------ */

static int gdb_errno(int error)
{
	static const struct { int host, gdb; } rows[] = {
		{ EPERM, 1 }, { ENOENT, 2 }, { EINTR, 4 }, { EIO, 5 }, { EBADF, 9 }, { EACCES, 13 }, { EFAULT, 14 },
		{ EBUSY, 16 }, { EEXIST, 17 }, { ENODEV, 19 }, { ENOTDIR, 20 }, { EISDIR, 21 }, { EINVAL, 22 },
		{ ENFILE, 23 }, { EMFILE, 24 }, { EFBIG, 27 }, { ENOSPC, 28 }, { ESPIPE, 29 }, { EROFS, 30 },
		{ ENOSYS, 88 }, { ENAMETOOLONG, 91 }, { ELOOP, 13 },	/* a symbolic link: not followed */
	};

	for (size_t i = 0; i < PT_LEN(rows); i++)
		if (rows[i].host == error)
			return rows[i].gdb;
	return GDB_UNKNOWN_ERROR;
}

void pt_hostio_reply_error(struct pt_gdb_client *client, int error)
{
	pt_rsp_begin(&client->rsp.frame, '$');
	pt_rsp_text(&client->rsp.frame, "F-1,%x", gdb_errno(error));
	pt_gdb_reply(client);
}

void pt_hostio_reply(struct pt_gdb_client *client, int64_t result)
{
	if (result < 0) {
		pt_hostio_reply_error(client, (int)-result);
		return;
	}
	pt_rsp_begin(&client->rsp.frame, '$');
	pt_rsp_text(&client->rsp.frame, "F%" PRIx64, (uint64_t)result);
	pt_gdb_reply(client);
}

static void reply_bytes(struct pt_gdb_client *client, const void *bytes, size_t len_bytes)
{
	len_bytes = pt_rsp_escaped_fit(bytes, len_bytes, READ_AT_ONCE);
	pt_rsp_begin(&client->rsp.frame, '$');
	pt_rsp_text(&client->rsp.frame, "F%zx;", len_bytes);
	pt_rsp_binary(&client->rsp.frame, bytes, len_bytes);
	pt_gdb_reply(client);
}

/* --- the pool ----------------------------------------------------------------------------------------------------- */

static void on_pool(uv_work_t *work)
{
	struct pt_hostio_errand *errand = work->data;

	errand->run(errand);
}

static void back(uv_work_t *work, int status)
{
	struct pt_hostio_errand *errand = work->data;

	(void)status;
	pt_rsp_release(&errand->client->rsp);
	errand->after(errand);
	free(errand);
}

static void just_reply(struct pt_hostio_errand *errand)
{
	pt_hostio_reply(errand->client, errand->result);
}

struct pt_hostio_errand *pt_hostio_errand_new(struct pt_gdb_client *client,
					      void (*run)(struct pt_hostio_errand *errand),
					      void (*after)(struct pt_hostio_errand *errand))
{
	struct pt_hostio_errand *errand = calloc(1, sizeof(*errand));

	if (errand == NULL) {
		pt_hostio_reply_error(client, EIO);
		return NULL;
	}
	errand->client = client;
	errand->run = run;
	errand->after = after;
	errand->work.data = errand;
	return errand;
}

void pt_hostio_send_off(struct pt_hostio_errand *errand)
{
	pt_rsp_hold(&errand->client->rsp);
	if (uv_queue_work(errand->client->stub->loop, &errand->work, on_pool, back) < 0) {
		errand->result = -EIO;
		back(&errand->work, 0);
	}
}

/* --- open files --------------------------------------------------------------------------------------------------- */

static struct pt_gdb_file *free_slot(struct pt_gdb_client *client)
{
	for (size_t i = 0; i < PT_GDB_FILES; i++)
		if (!client->files->file[i].open)
			return &client->files->file[i];
	return NULL;
}

/* The file that a packet names first; else the reply is on its way. */
static struct pt_gdb_file *take_file(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	uint64_t fd;

	if (!pt_rsp_number(args, &fd)) {
		pt_hostio_reply_error(client, EINVAL);
		return NULL;
	}
	fd -= pt_gdb_is_proxied(client) ? PT_GDB_OWN_FDS : 0;
	if (fd >= PT_GDB_FILES || !client->files->file[fd].open) {
		pt_hostio_reply_error(client, EBADF);
	} else {
		return &client->files->file[fd];
	}
	return NULL;
}

static void drop(struct pt_gdb_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->bytes);
	*file = (struct pt_gdb_file){ .fd = -1 };
}

struct pt_gdb_open_files *pt_gdb_files_new(void)
{
	return calloc(1, sizeof(struct pt_gdb_open_files));
}

void pt_gdb_files_free(struct pt_gdb_open_files *files)
{
	for (size_t i = 0; files != NULL && i < PT_GDB_FILES; i++)
		if (files->file[i].open)
			drop(&files->file[i]);
	free(files);
}

/* --- names -------------------------------------------------------------------------------------------------------- */

/* hex name, then ",". False: no name, or one that stands for nothing; the reply is on its way. */
static bool take_name(struct pt_gdb_client *client, struct pt_rsp_args *args, struct pt_hostio_name *name)
{
	uint8_t path[256];
	struct pt_err err = { .code = 0 };
	size_t len = 0;

	while (len < pt_rsp_left(args) && args->at[len] != ',')
		len++;
	if (len % 2 != 0 || len / 2 >= sizeof(path) || !pt_rsp_bytes(args, path, len / 2)) {
		pt_hostio_reply_error(client, EINVAL);
		return false;
	}
	path[len / 2] = '\0';
	if (strlen((char *)path) != len / 2 || pt_hostio_parse((char *)path, name, &err) < 0) {
		pt_debug(PT_LOG_GDB, "gdb: %s: %s", client->rsp.peer,
			 strlen((char *)path) != len / 2 ? "a zero in a name" : err.msg);
		pt_hostio_reply_error(client, err.code == PT_EARG ? ENOENT : EACCES);
		return false;
	}
	return true;
}

static void unlink_run(struct pt_hostio_errand *errand)
{
	errand->result = pt_files_unlink(errand->client->stub->files, errand->name.name);
}

static void handle_open(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_file *file = free_slot(client);
	struct pt_hostio_name name;
	uint64_t flags, mode;

	if (!take_name(client, args, &name))
		return;
	if (!pt_rsp_take(args, ",") || !pt_rsp_number(args, &flags) || !pt_rsp_take(args, ",") ||
	    !pt_rsp_number(args, &mode))
		pt_hostio_reply_error(client, EINVAL);
	else if (file == NULL)
		pt_hostio_reply_error(client, EMFILE);
	else
		pt_hostio_open(client, file, &name, flags);
}

/* --- read, write -------------------------------------------------------------------------------------------------- */

static void read_run(struct pt_hostio_errand *errand)
{
	errand->result = pread(errand->file->fd, errand->bytes, errand->len_bytes, (off_t)errand->offset);
	if (errand->result < 0)
		errand->result = -errno;
}

static void was_read(struct pt_hostio_errand *errand)
{
	if (errand->result < 0)
		pt_hostio_reply(errand->client, errand->result);
	else
		reply_bytes(errand->client, errand->bytes, (size_t)errand->result);
}

static void read_memory(struct pt_gdb_client *client, const struct pt_gdb_file *file, uint64_t offset, uint64_t count)
{
	uint64_t left = offset < file->len_bytes ? file->len_bytes - offset : 0;

	reply_bytes(client, file->bytes + (left > 0 ? offset : 0), (size_t)(count < left ? count : left));
}

static void handle_read(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_file *file = take_file(client, args);
	struct pt_hostio_errand *errand;
	uint64_t count, offset;

	if (file == NULL)
		return;
	if (!pt_rsp_take(args, ",") || !pt_rsp_number(args, &count) || !pt_rsp_take(args, ",") ||
	    !pt_rsp_number(args, &offset) || offset > INT64_MAX) {
		pt_hostio_reply_error(client, EINVAL);
	} else if (file->fd < 0) {
		read_memory(client, file, offset, count);
	} else if ((errand = pt_hostio_errand_new(client, read_run, was_read)) != NULL) {
		errand->file = file;
		errand->offset = offset;
		errand->len_bytes = count < READ_AT_ONCE ? (size_t)count : READ_AT_ONCE;
		pt_hostio_send_off(errand);
	}
}

static void write_run(struct pt_hostio_errand *errand)
{
	errand->result = pt_files_room(errand->client->stub->files, errand->len_bytes);
	if (errand->result == 0 && errand->offset > PT_FILES_MOST_BYTES)
		errand->result = -EFBIG;
	if (errand->result < 0)
		return;
	errand->result = pwrite(errand->file->fd, errand->bytes, errand->len_bytes, (off_t)errand->offset);
	if (errand->result < 0)
		errand->result = -errno;
}

static void after_write(struct pt_hostio_errand *errand)
{
	errand->file->torn |= errand->result < 0;
	just_reply(errand);
}

static void handle_write(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_file *file = take_file(client, args);
	struct pt_hostio_errand *errand;
	uint64_t offset;

	if (file == NULL)
		return;
	if (!pt_rsp_take(args, ",") || !pt_rsp_number(args, &offset) || !pt_rsp_take(args, ",") ||
	    pt_rsp_left(args) > sizeof(errand->bytes)) {
		pt_hostio_reply_error(client, EINVAL);
		file->torn = true;
	} else if (file->fd < 0) {
		pt_hostio_reply_error(client, EBADF);
	} else if ((errand = pt_hostio_errand_new(client, write_run, after_write)) != NULL) {
		errand->file = file;
		errand->offset = offset;
		errand->len_bytes = pt_rsp_left(args);
		memcpy(errand->bytes, args->at, errand->len_bytes);
		pt_hostio_send_off(errand);
	}
}

/* --- stat --------------------------------------------------------------------------------------------------------- */

static void put_be(uint8_t *at, uint64_t value, size_t n)
{
	while (n-- > 0) {
		at[n] = (uint8_t)value;
		value >>= 8;
	}
}

/* GDB's struct stat: numbers of 4 and 8 bytes, big-endian. */
static void reply_stat(struct pt_gdb_client *client, uint64_t size)
{
	enum { MODE = 8, NLINK = 12, SIZE = 28, BLOCK_BYTES = 36, BLOCKS = 44, BLOCK = 512, REGULAR = 0100600 };
	uint8_t stat[STAT_BYTES] = { 0 };

	put_be(stat + MODE, REGULAR, 4);
	put_be(stat + NLINK, 1, 4);
	put_be(stat + SIZE, size, 8);
	put_be(stat + BLOCK_BYTES, BLOCK, 8);
	put_be(stat + BLOCKS, (size + BLOCK - 1) / BLOCK, 8);
	reply_bytes(client, stat, sizeof(stat));
}

static void handle_fstat(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_file *file = take_file(client, args);
	struct stat info;

	if (file == NULL)
		return;
	if (file->fd < 0)
		reply_stat(client, file->len_bytes);
	else if (fstat(file->fd, &info) < 0)	/* of an open file: it waits for nothing */
		pt_hostio_reply_error(client, errno);
	else
		reply_stat(client, (uint64_t)info.st_size);
}

/* --- close, delete ------------------------------------------------------------------------------------------------ */

static void symbols_run(struct pt_hostio_errand *errand)
{
	struct pt_files *files = errand->client->stub->files;
	char final[sizeof(errand->path)];

	if (pt_files_path(files, PT_HOSTIO_NEW_FIRMWARE, errand->path, sizeof(errand->path)) < 0 ||
	    pt_files_path(files, "firmware.elf", final, sizeof(final)) < 0)
		return;
	errand->program = pt_program_open_with(errand->path, errand->elf_machine, errand->client->stub->config.symbols,
					       &errand->err);
	if (errand->program != NULL && !errand->client->rsp.own)
		pt_program_confine(errand->program);
	if (errand->program == NULL)
		unlink(errand->path);
	else if (rename(errand->path, final) == 0)
		pt_program_call(errand->program, final);
}

/* A program that somebody sent is the one that everybody means from here on. */
static void symbols_read(struct pt_hostio_errand *errand)
{
	struct pt_gdb_client *client = errand->client;
	int rc = errand->program != NULL
			 ? pt_session_set_program(client->stub->config.session, errand->program, &errand->err)
			 : errand->err.code;

	if (rc < 0)
		pt_warn("gdb: %s: the firmware.elf that it sent gives no symbols: %s", client->rsp.peer,
			errand->err.msg);
	else
		pt_info("gdb: %s: symbols are those of the firmware.elf that it sent", client->rsp.peer);
	pt_program_unref(errand->program);
	pt_hostio_reply(client, rc == 0 ? 0 : rc == PT_ESTATE ? -EBUSY : -EINVAL);
}

static int find_machine(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)board;
	(void)err;
	rq->addr = target->ops->arch.elf_machine;
	return 0;
}

/* Without a target any ELF will do. */
static void read_symbols(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_hostio_errand *errand = pt_hostio_errand_new(rq->client, symbols_run, symbols_read);

	(void)err;
	if (errand == NULL)
		return;
	errand->elf_machine = rc < 0 ? 0 : (unsigned)rq->addr;
	pt_hostio_send_off(errand);
}

static void handle_close(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_file *file = take_file(client, args);
	bool is_new;

	if (file == NULL)
		return;
	is_new = file->is_firmware && file->written && !file->torn;
	if (file->is_firmware && file->torn)
		pt_warn("gdb: %s: firmware.elf did not come whole: the symbols stay those that there were",
			client->rsp.peer);
	drop(file);
	if (is_new)
		pt_gdb_post(&client->request, find_machine, read_symbols);
	else
		pt_hostio_reply(client, 0);
}

static void handle_unlink(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_hostio_name name;
	struct pt_hostio_errand *errand;

	if (!take_name(client, args, &name))
		return;
	if (name.kind == PT_HOSTIO_PROFILE || name.kind == PT_HOSTIO_CAPTURE || client->stub->config.restricted) {
		pt_hostio_reply_error(client, EROFS);
	} else if ((errand = pt_hostio_errand_new(client, unlink_run, just_reply)) != NULL) {
		errand->name = name;
		pt_hostio_send_off(errand);
	}
}

/* There is one file system, whoever asks. */
static void handle_setfs(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	pt_hostio_reply(client, 0);
}

static void handle_hostio(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	static const struct { const char *name; pt_gdb_handler *handle; } rows[] = {
		{ "open:", handle_open }, { "pread:", handle_read }, { "pwrite:", handle_write },
		{ "close:", handle_close }, { "fstat:", handle_fstat }, { "unlink:", handle_unlink },
		{ "setfs:", handle_setfs },
	};

	for (size_t i = 0; i < PT_LEN(rows); i++) {
		if (pt_rsp_take(args, rows[i].name)) {
			rows[i].handle(client, args);
			return;
		}
	}
	pt_gdb_reply_text(client, "");
}

const struct pt_packet_row pt_packets_hostio[] = {
	{ "vFile:", PT_PACKET_CONNECTING | PT_PACKET_LOOKS, handle_hostio },	/* questions */
	{ 0 },
};
