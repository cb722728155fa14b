/* Shared by the files of Host I/O: hostio.c has the packets, hostio_open.c opens names. Loop thread, except an errand's
 * run(). */
#ifndef PT_GDBSTUB_HOSTIO_PARTS_H
#define PT_GDBSTUB_HOSTIO_PARTS_H

#include "gdbstub/files/hostio.h"
#include "gdbstub/files/hostio_names.h"

/* A new ELF replaces the one in use only after it was received and checked. */
#define PT_HOSTIO_NEW_FIRMWARE ".firmware.elf.new"

enum { PT_GDB_FILES = 8 };	/* open at the same time */

/* An open file: a report in memory (fd -1), or a file on disk. */
struct pt_gdb_file {
	/* torn: a part that was written to it is missing; named: it is not in our own folder */
	bool open, written, is_firmware, torn, named;
	int fd;
	char *bytes;
	size_t len_bytes;
};

/* A client's. */
struct pt_gdb_open_files {
	struct pt_gdb_file file[PT_GDB_FILES], *opening;	/* opening: waits for the session */
};

/* One operation on a file, on another thread. The thread owns all of this, because the connection may end first
 * (host/errand.h). */
struct pt_hostio_work {
	void (*run)(struct pt_hostio_work *work);
	struct pt_files *files;		/* a reference */
	int fd;				/* of an open file; -1: none */
	struct pt_hostio_name name;
	int flags;
	uint64_t offset;
	size_t len_bytes;
	int64_t result;			/* or -errno */
	bool opens;			/* result is a descriptor */
	char path[512];
	struct pt_program *program;
	struct pt_params *symbols;	/* settings for it */
	unsigned elf_machine;
	bool confined;			/* the file came from another user */
	struct pt_err err;
	uint8_t bytes[PT_GDB_PACKET_BYTES];
};

/* The request that waits for the operation, and the result. */
struct pt_hostio_errand {
	struct pt_gdb_client *client;
	struct pt_gdb_file *file;	/* the file it works on; NULL: none that is open */
	struct pt_hostio_work *work;
	void (*after)(struct pt_hostio_errand *errand);	/* not called if the disk does not answer */
};

/* It is freed after its after(). */
struct pt_hostio_errand *pt_hostio_errand_new(struct pt_gdb_client *client, struct pt_gdb_file *file,
					      void (*run)(struct pt_hostio_work *work),
					      void (*after)(struct pt_hostio_errand *errand));
/* named: a user or a client chose the file, so the disk may be any. The client handles no packets until it is done. */
void pt_hostio_send_off(struct pt_hostio_errand *errand, bool named);

/* 0, or the errno for a client that may not send or delete files, because other clients use them. */
int pt_hostio_may_change(const struct pt_gdb_client *client);

void pt_hostio_reply_error(struct pt_gdb_client *client, int error);	/* an errno */
void pt_hostio_reply(struct pt_gdb_client *client, int64_t result);	/* or -errno */

/* file: an unused one of this client. gdb_flags: of vFile:open. The reply is sent when it is open, or has failed. */
void pt_hostio_open(struct pt_gdb_client *client, struct pt_gdb_file *file, const struct pt_hostio_name *name,
		    uint64_t gdb_flags);

#endif
