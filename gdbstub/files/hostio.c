/* Each packet is done at once, as an errand, or by the session, and ends in one reply: "F" and a result, or "F-1" and
 * one of GDB's error numbers. A report is made when its file is opened, and kept in memory, so that all of it is of one
 * moment. Source: GDB manual, "Host I/O Packets", "File-I/O constants". */
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
#include "control/changes.h"
#include "base/alloc.h"
#include "host/errand.h"
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

/* --- errands ------------------------------------------------------------------------------------------------------ */

static void run_work(void *data)
{
	struct pt_hostio_work *work = data;

	work->run(work);
}

static void free_work(struct pt_hostio_work *work)
{
	pt_files_unref(work->files);
	pt_params_free(work->symbols);
	free(work);
}

/* On the errand's thread, when the client is gone: closes its files. */
static void drop_work(void *data)
{
	struct pt_hostio_work *work = data;

	if (work->fd >= 0)
		close(work->fd);
	if (work->opens && work->result >= 0)
		close((int)work->result);
	pt_program_unref(work->program);
	free_work(work);
}

/* The file goes with the errand. */
static void give_up(const struct pt_hostio_errand *errand)
{
	pt_warn("gdb: %s: a file's disk does not answer", errand->client->rsp.peer);
	if (errand->file != NULL)
		*errand->file = (struct pt_gdb_file){ .fd = -1 };
	pt_hostio_reply_error(errand->client, EIO);
}

static void back(void *data, void *arg, bool late)
{
	struct pt_hostio_errand *errand = arg;

	(void)data;
	pt_rsp_release(&errand->client->rsp);
	if (late) {
		give_up(errand);
	} else {
		errand->after(errand);
		free_work(errand->work);
	}
	free(errand);
}

static const struct pt_errand_kind on_own_disk = { run_work, back, drop_work, .timeout_ms = PT_ERRAND_MS,
						   .place = PT_ERRAND_OWN };
static const struct pt_errand_kind on_named_disk = { run_work, back, drop_work, .timeout_ms = PT_ERRAND_MS };

static void just_reply(struct pt_hostio_errand *errand)
{
	pt_hostio_reply(errand->client, errand->work->result);
}

struct pt_hostio_errand *pt_hostio_errand_new(struct pt_gdb_client *client, struct pt_gdb_file *file,
					      void (*run)(struct pt_hostio_work *work),
					      void (*after)(struct pt_hostio_errand *errand))
{
	struct pt_hostio_errand *errand = pt_alloc(sizeof(*errand));
	struct pt_hostio_work *work = pt_alloc(sizeof(*work));

	*errand = (struct pt_hostio_errand){ client, file, work, after };
	work->run = run;
	work->files = pt_files_ref(client->stub->files);
	work->fd = file != NULL && file->open ? file->fd : -1;
	return errand;
}

void pt_hostio_send_off(struct pt_hostio_errand *errand, bool named)
{
	uv_loop_t *loop = errand->client->stub->loop;
	struct pt_err err;

	pt_rsp_hold(&errand->client->rsp);
	if (pt_errand_start(loop, named ? &on_named_disk : &on_own_disk, errand->work, errand, &err) == 0)
		return;
	pt_warn("gdb: %s: %s", errand->client->rsp.peer, err.msg);
	errand->work->result = -EIO;
	back(errand->work, errand, false);
}

/* --- closing ------------------------------------------------------------------------------------------------------ */

struct descriptor { int fd; };

static void close_run(void *data)
{
	close(((struct descriptor *)data)->fd);
	free(data);
}

static void closed(void *data, void *arg, bool late)
{
	(void)data;
	(void)arg;
	(void)late;
}

static void nothing_left(void *data)
{
	(void)data;
}

static const struct pt_errand_kind closing = { close_run, closed, nothing_left, .timeout_ms = PT_ERRAND_MS,
					       .place = PT_ERRAND_OWN, .always = true };

/* Closes fd on the thread of an errand, because the disk may not respond. No client waits for this. */
static void close_later(uv_loop_t *loop, int fd)
{
	struct descriptor *d = pt_alloc(sizeof(*d));
	struct pt_err err;

	d->fd = fd;
	if (pt_errand_start(loop, &closing, d, NULL, &err) < 0)
		close_run(d);
}

/* --- rights ------------------------------------------------------------------------------------------------------- */

/* The files belong to the board, and firmware.elf becomes the program for all clients. */
int pt_hostio_may_change(const struct pt_gdb_client *client)
{
	return client->stub->config.restricted ? EROFS : pt_gdb_looks_on(client) ? EBUSY : 0;
}

/* --- open files --------------------------------------------------------------------------------------------------- */

static struct pt_gdb_file *free_slot(struct pt_gdb_client *client)
{
	for (size_t i = 0; i < PT_GDB_FILES; i++)
		if (!client->files->file[i].open)
			return &client->files->file[i];
	return NULL;
}

/* The file of the packet's first argument; NULL: an error reply was sent. */
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

static void drop(uv_loop_t *loop, struct pt_gdb_file *file)
{
	if (file->fd >= 0)
		close_later(loop, file->fd);
	free(file->bytes);
	*file = (struct pt_gdb_file){ .fd = -1 };
}

struct pt_gdb_open_files *pt_gdb_files_new(void)
{
	return pt_alloc(sizeof(struct pt_gdb_open_files));
}

void pt_gdb_files_free(uv_loop_t *loop, struct pt_gdb_open_files *files)
{
	for (size_t i = 0; files != NULL && i < PT_GDB_FILES; i++)
		if (files->file[i].open)
			drop(loop, &files->file[i]);
	free(files);
}

/* --- names -------------------------------------------------------------------------------------------------------- */

/* hex name, then ",". False: no name, or an invalid one; an error reply was sent. */
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

static void unlink_run(struct pt_hostio_work *work)
{
	work->result = pt_files_unlink(work->files, work->name.name);
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

static void read_run(struct pt_hostio_work *work)
{
	work->result = pread(work->fd, work->bytes, work->len_bytes, (off_t)work->offset);
	if (work->result < 0)
		work->result = -errno;
}

static void was_read(struct pt_hostio_errand *errand)
{
	if (errand->work->result < 0)
		pt_hostio_reply(errand->client, errand->work->result);
	else
		reply_bytes(errand->client, errand->work->bytes, (size_t)errand->work->result);
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
	} else {
		errand = pt_hostio_errand_new(client, file, read_run, was_read);
		errand->work->offset = offset;
		errand->work->len_bytes = count < READ_AT_ONCE ? (size_t)count : READ_AT_ONCE;
		pt_hostio_send_off(errand, file->named);
	}
}

static void write_run(struct pt_hostio_work *work)
{
	work->result = pt_files_room(work->files, work->len_bytes);
	if (work->result == 0 && work->offset > PT_FILES_MOST_BYTES)
		work->result = -EFBIG;
	if (work->result < 0)
		return;
	work->result = pwrite(work->fd, work->bytes, work->len_bytes, (off_t)work->offset);
	if (work->result < 0)
		work->result = -errno;
}

static void after_write(struct pt_hostio_errand *errand)
{
	errand->file->torn |= errand->work->result < 0;
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
	    pt_rsp_left(args) > sizeof(errand->work->bytes)) {
		pt_hostio_reply_error(client, EINVAL);
		file->torn = true;
	} else if (file->fd < 0) {
		pt_hostio_reply_error(client, EBADF);
	} else if (pt_hostio_may_change(client) != 0) {	/* its rights have changed since it opened the file */
		pt_hostio_reply_error(client, pt_hostio_may_change(client));
		file->torn = true;
	} else {
		errand = pt_hostio_errand_new(client, file, write_run, after_write);
		errand->work->offset = offset;
		errand->work->len_bytes = pt_rsp_left(args);
		memcpy(errand->work->bytes, args->at, errand->work->len_bytes);
		pt_hostio_send_off(errand, file->named);
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

static void fstat_run(struct pt_hostio_work *work)
{
	struct stat info;

	work->result = fstat(work->fd, &info) < 0 ? -errno : 0;
	work->offset = work->result == 0 ? (uint64_t)info.st_size : 0;
}

static void after_fstat(struct pt_hostio_errand *errand)
{
	if (errand->work->result < 0)
		just_reply(errand);
	else
		reply_stat(errand->client, errand->work->offset);
}

static void handle_fstat(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_file *file = take_file(client, args);

	if (file == NULL)
		return;
	if (file->fd < 0)
		reply_stat(client, file->len_bytes);
	else
		pt_hostio_send_off(pt_hostio_errand_new(client, file, fstat_run, after_fstat), file->named);
}

/* --- close, delete ------------------------------------------------------------------------------------------------ */

static void symbols_run(struct pt_hostio_work *work)
{
	char final[sizeof(work->path)];

	if (pt_files_path(work->files, PT_HOSTIO_NEW_FIRMWARE, work->path, sizeof(work->path)) < 0 ||
	    pt_files_path(work->files, "firmware.elf", final, sizeof(final)) < 0)
		return;
	work->program = pt_program_open_with(work->path, work->elf_machine, work->symbols, &work->err);
	if (work->program != NULL && work->confined)
		pt_program_confine(work->program);
	if (work->program == NULL)
		unlink(work->path);
	else if (rename(work->path, final) == 0)
		pt_program_call(work->program, final);
}

/* From here on the new ELF is the program for all clients. */
static void symbols_read(struct pt_hostio_errand *errand)
{
	struct pt_gdb_client *client = errand->client;
	struct pt_hostio_work *work = errand->work;
	int rc = work->program != NULL ? pt_session_set_program(client->stub->config.session, work->program, &work->err)
				       : work->err.code;

	if (rc < 0 || work->program == NULL)
		pt_warn("gdb: %s: the firmware.elf that it sent gives no symbols: %s", client->rsp.peer, work->err.msg);
	else
		pt_changes_program(client->stub->config.changes, client->rsp.peer, work->program);
	pt_program_unref(work->program);
	pt_hostio_reply(client, rc == 0 && work->program != NULL ? 0 : rc == PT_ESTATE ? -EBUSY : -EINVAL);
}

static int find_machine(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)board;
	(void)err;
	rq->addr = target->ops->arch.elf_machine;
	return 0;
}

/* Without a target any ELF is accepted. */
static void read_symbols(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_hostio_errand *errand = pt_hostio_errand_new(rq->client, NULL, symbols_run, symbols_read);

	(void)err;
	errand->work->elf_machine = rc < 0 ? 0 : (unsigned)rq->addr;
	errand->work->symbols = pt_params_copy(rq->client->stub->config.symbols);
	errand->work->confined = !rq->client->rsp.own;
	pt_hostio_send_off(errand, false);
}

static void handle_close(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_file *file = take_file(client, args);
	bool is_new;

	if (file == NULL)
		return;
	file->torn |= file->written && pt_hostio_may_change(client) != 0;
	is_new = file->is_firmware && file->written && !file->torn;
	if (file->is_firmware && file->torn)
		pt_warn("gdb: %s: firmware.elf did not come whole: the symbols stay those that there were",
			client->rsp.peer);
	drop(client->stub->loop, file);
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
	if (name.kind == PT_HOSTIO_PROFILE || name.kind == PT_HOSTIO_CAPTURE) {
		pt_hostio_reply_error(client, EROFS);
	} else if (pt_hostio_may_change(client) != 0) {
		pt_hostio_reply_error(client, pt_hostio_may_change(client));
	} else {
		errand = pt_hostio_errand_new(client, NULL, unlink_run, just_reply);
		errand->work->name = name;
		pt_hostio_send_off(errand, false);
	}
}

/* There is one file system for all processes. */
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
