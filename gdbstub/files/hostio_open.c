/* What opening a name means: a file on the disk, a report or a capture that is made for it, the program's ELF. */
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

static const char *disk_name(const struct pt_hostio_errand *errand)
{
	bool new_firmware = errand->name.kind == PT_HOSTIO_FIRMWARE && writes(errand->flags);

	return new_firmware ? PT_HOSTIO_NEW_FIRMWARE : errand->name.name;
}

static void open_run(struct pt_hostio_errand *errand)
{
	struct pt_files *files = errand->client->stub->files;

	if (errand->path[0] == '\0')
		errand->result = pt_files_open(files, disk_name(errand), errand->flags);
	else
		errand->result = pt_named_open(errand->path, O_RDONLY, PT_NAMED_FILE);
}

static void opened(struct pt_hostio_errand *errand)
{
	struct pt_gdb_file *file = errand->file;

	if (errand->result < 0) {
		file->open = false;
		pt_hostio_reply(errand->client, errand->result);
		return;
	}
	file->fd = (int)errand->result;
	file->written = writes(errand->flags);
	file->is_firmware = errand->name.kind == PT_HOSTIO_FIRMWARE;
	reply_opened(errand->client, file);
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
	struct pt_hostio_errand *errand = pt_hostio_errand_new(client, open_run, opened);

	if (errand == NULL) {
		file->open = false;
		return;
	}
	errand->file = file;
	errand->name = *name;
	errand->flags = flags;
	snprintf(errand->path, sizeof(errand->path), "%s", path);
	pt_hostio_send_off(errand);
}

/* The copy has its own name only until it is open. */
static void capture_opened(struct pt_hostio_errand *errand)
{
	if (errand->result >= 0)
		unlink(errand->path);
	opened(errand);
}

static void on_saved(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_gdb_client *client = arg;
	struct pt_hostio_errand *errand;

	pt_rsp_release(&client->rsp);
	if (rc < 0) {
		pt_info("gdb: %s: remote get capture: %.*s", client->rsp.peer, (int)len_bytes, text);
		client->files->opening->open = false;
		pt_hostio_reply_error(client, ENOENT);
		return;
	}
	errand = pt_hostio_errand_new(client, open_run, capture_opened);
	if (errand == NULL) {
		client->files->opening->open = false;
		return;
	}
	errand->file = client->files->opening;
	snprintf(errand->path, sizeof(errand->path), "%s/.capture", client->stub->files->dir);
	pt_hostio_send_off(errand);
}

static void open_capture(struct pt_gdb_client *client)
{
	char path[PT_FILES_PATH_BYTES + 16];
	int rc = pt_files_path(client->stub->files, ".capture", path, sizeof(path));

	if (rc < 0) {
		client->files->opening->open = false;
		pt_hostio_reply_error(client, -rc);
		return;
	}
	pt_rsp_hold(&client->rsp);
	pt_session_save(client->stub->config.session, path, on_saved, client);
}

/* The ELF of the program in use, wherever it is; or the one that was put. */
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

	if ((read_only || client->stub->config.restricted) && (writes(flags) || (flags & O_CREAT) != 0)) {
		pt_hostio_reply_error(client, EROFS);
		return;
	}
	*file = (struct pt_gdb_file){ .open = true, .fd = -1 };
	client->files->opening = file;
	if (name->kind == PT_HOSTIO_PROFILE) {
		pt_rsp_hold(&client->rsp);
		pt_session_report(client->stub->config.session, &name->query, on_report, client);
	} else if (name->kind == PT_HOSTIO_CAPTURE) {
		open_capture(client);
	} else if (name->kind == PT_HOSTIO_FIRMWARE) {
		open_firmware(client, file, name, flags);
	} else {
		open_disk(client, file, name, flags, "");
	}
}
