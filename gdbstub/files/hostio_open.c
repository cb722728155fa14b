/* Opens a name: a file on disk, a report or a capture that is made at that time, or the program's ELF. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gdbstub/files/files.h"
#include "gdbstub/files/hostio_parts.h"
#include "host/log.h"
#include "host/named_file.h"

enum { GDB_WRONLY = 1, GDB_RDWR = 2, GDB_APPEND = 8, GDB_CREAT = 0x200, GDB_TRUNC = 0x400, GDB_EXCL = 0x800 };

static void reply_opened(struct pt_gdb_client *client, const struct pt_gdb_file *file)
{
	pt_hostio_reply(client, (pt_gdb_is_proxied(client) ? PT_GDB_OWN_FDS : 0) + (file - client->files->file));
}

static bool writes(int flags)
{
	return (flags & (O_WRONLY | O_RDWR)) != 0;
}

static const char *disk_name(const struct pt_hostio_work *work)
{
	bool new_firmware = work->name.kind == PT_HOSTIO_FIRMWARE && writes(work->flags);

	return new_firmware ? PT_HOSTIO_NEW_FIRMWARE : work->name.name;
}

static void open_run(struct pt_hostio_work *work)
{
	if (work->path[0] == '\0')
		work->result = pt_files_open(work->files, disk_name(work), work->flags);
	else
		work->result = pt_named_open(work->path, O_RDONLY, PT_NAMED_FILE);
}

static void opened(struct pt_hostio_errand *errand)
{
	struct pt_gdb_file *file = errand->file;
	struct pt_hostio_work *work = errand->work;

	if (work->result < 0) {
		file->open = false;
		pt_hostio_reply(errand->client, work->result);
		return;
	}
	file->fd = (int)work->result;
	file->written = writes(work->flags);
	file->is_firmware = work->name.kind == PT_HOSTIO_FIRMWARE;
	file->named = work->name.kind == PT_HOSTIO_FIRMWARE && work->path[0] != '\0';
	reply_opened(errand->client, file);
}

static struct pt_hostio_errand *new_opening(struct pt_gdb_client *client, struct pt_gdb_file *file,
					    void (*run)(struct pt_hostio_work *work))
{
	struct pt_hostio_errand *errand = pt_hostio_errand_new(client, file, run, opened);

	errand->work->opens = true;
	return errand;
}

static void on_report(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_gdb_client *client = arg;
	struct pt_gdb_file *file = client->files->opening;

	pt_rsp_release(&client->rsp);
	file->bytes = rc < 0 ? NULL : malloc(len_bytes + 1);
	if (file->bytes == NULL) {
		if (rc < 0)
			pt_info("gdb: %s: remote get: %.*s", client->rsp.peer, (int)len_bytes, text);
		file->open = false;
		pt_hostio_reply_error(client, rc < 0 ? ENOENT : EIO);
		return;
	}
	memcpy(file->bytes, text, len_bytes);
	file->len_bytes = len_bytes;
	reply_opened(client, file);
}

static void open_disk(struct pt_gdb_client *client, struct pt_gdb_file *file, const struct pt_hostio_name *name,
		      int flags, const char *path)
{
	struct pt_hostio_errand *errand = new_opening(client, file, open_run);

	errand->work->name = *name;
	errand->work->flags = flags;
	snprintf(errand->work->path, sizeof(errand->work->path), "%s", path);
	pt_hostio_send_off(errand, path[0] != '\0');
}

/* --- the capture, as a copy in our own folder --------------------------------------------------------------------- */

static void find_copy(struct pt_hostio_work *work)
{
	work->result = pt_files_path(work->files, ".capture", work->path, sizeof(work->path));
}

/* The copy's name is removed when it is open. */
static void open_copy(struct pt_hostio_work *work)
{
	find_copy(work);
	if (work->result < 0)
		return;
	open_run(work);
	if (work->result >= 0)
		unlink(work->path);
}

static void on_saved(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_gdb_client *client = arg;

	pt_rsp_release(&client->rsp);
	if (rc < 0) {
		pt_info("gdb: %s: remote get capture: %.*s", client->rsp.peer, (int)len_bytes, text);
		client->files->opening->open = false;
		pt_hostio_reply_error(client, ENOENT);
		return;
	}
	pt_hostio_send_off(new_opening(client, client->files->opening, open_copy), false);
}

static void save_copy(struct pt_hostio_errand *errand)
{
	struct pt_gdb_client *client = errand->client;

	if (errand->work->result < 0) {
		errand->file->open = false;
		pt_hostio_reply(client, errand->work->result);
		return;
	}
	pt_rsp_hold(&client->rsp);
	pt_session_save(client->stub->config.session, errand->work->path, true, on_saved, client);
}

/* The ELF of the program in use, wherever it is stored; or the one that was sent. */
static void open_firmware(struct pt_gdb_client *client, struct pt_gdb_file *file, const struct pt_hostio_name *name,
			  int flags)
{
	const struct pt_program *program = pt_session_program(client->stub->config.session);
	bool reads = !writes(flags);

	open_disk(client, file, name, flags, reads && program != NULL ? pt_program_path(program) : "");
}

static int host_flags(uint64_t flags)
{
	int out = (flags & GDB_RDWR) != 0 ? O_RDWR : (flags & GDB_WRONLY) != 0 ? O_WRONLY : O_RDONLY;

	out |= (flags & GDB_APPEND) != 0 ? O_APPEND : 0;
	out |= (flags & GDB_CREAT) != 0 ? O_CREAT : 0;
	out |= (flags & GDB_TRUNC) != 0 ? O_TRUNC : 0;
	return out | ((flags & GDB_EXCL) != 0 ? O_EXCL : 0);
}

void pt_hostio_open(struct pt_gdb_client *client, struct pt_gdb_file *file, const struct pt_hostio_name *name,
		    uint64_t gdb_flags)
{
	int flags = host_flags(gdb_flags);
	bool read_only = name->kind == PT_HOSTIO_PROFILE || name->kind == PT_HOSTIO_CAPTURE;
	int error = read_only ? EROFS : pt_hostio_may_change(client);

	if (error != 0 && (writes(flags) || (flags & (O_CREAT | O_TRUNC)) != 0)) {
		pt_hostio_reply_error(client, error);
		return;
	}
	*file = (struct pt_gdb_file){ .open = true, .fd = -1 };
	client->files->opening = file;
	if (name->kind == PT_HOSTIO_PROFILE) {
		pt_rsp_hold(&client->rsp);
		pt_session_report(client->stub->config.session, &name->query, on_report, client);
	} else if (name->kind == PT_HOSTIO_CAPTURE) {
		pt_hostio_send_off(pt_hostio_errand_new(client, file, find_copy, save_copy), false);
	} else if (name->kind == PT_HOSTIO_FIRMWARE) {
		open_firmware(client, file, name, flags);
	} else {
		open_disk(client, file, name, flags, "");
	}
}
