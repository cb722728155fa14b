/* What the files of Host I/O share: hostio.c has the packets, hostio_open.c what opening a name means. Loop thread, but
 * for an errand's run(). */
#ifndef PT_GDBSTUB_HOSTIO_PARTS_H
#define PT_GDBSTUB_HOSTIO_PARTS_H

#include "gdbstub/files/hostio.h"
#include "gdbstub/files/hostio_names.h"

/* An ELF that is being sent takes the place of the one in use only when it is one. */
#define PT_HOSTIO_NEW_FIRMWARE ".firmware.elf.new"

enum { PT_GDB_FILES = 8 };	/* open at once */

/* An open file of host I/O: a report in memory (fd -1), or a file on the disk. */
struct pt_gdb_file {
	/* torn: a piece that was written to it is missing; named: it is not in our own folder */
	bool open, written, is_firmware, torn, named;
	int fd;
	char *bytes;
	size_t len_bytes;
};

/* A client's. */
struct pt_gdb_open_files {
	struct pt_gdb_file file[PT_GDB_FILES], *opening;	/* opening: the one that waits for the session */
};

/* One thing to do with a file, on a thread: all that the thread has, its own even when no connection waits for it any
 * more (host/errand.h). */
struct pt_hostio_work {
	void (*run)(struct pt_hostio_work *work);
	struct pt_files *files;		/* a reference */
	int fd;				/* of an open file; -1: none */
	struct pt_hostio_name name;
	int flags;
	uint64_t offset;
	size_t len_bytes;
	int64_t result;			/* or an errno, negated */
	bool opens;			/* result is a descriptor */
	char path[512];
	struct pt_program *program;
	struct pt_params *symbols;	/* settings for it */
	unsigned elf_machine;
	bool confined;			/* it came from another user */
	struct pt_err err;
	uint8_t bytes[PT_GDB_PACKET_BYTES];
};

/* What waits for it, and what became of it. */
struct pt_hostio_errand {
	struct pt_gdb_client *client;
	struct pt_gdb_file *file;	/* whose; NULL: no open one's */
	struct pt_hostio_work *work;
	void (*after)(struct pt_hostio_errand *errand);	/* not called where the disk does not answer */
};

/* It is freed behind its after(). */
struct pt_hostio_errand *pt_hostio_errand_new(struct pt_gdb_client *client, struct pt_gdb_file *file,
					      void (*run)(struct pt_hostio_work *work),
					      void (*after)(struct pt_hostio_errand *errand));
/* named: a user or a client has chosen the disk. The client asks until it is back. */
void pt_hostio_send_off(struct pt_hostio_errand *errand, bool named);

/* 0, or the errno that says why this client may send and delete no files: others use them. */
int pt_hostio_may_change(const struct pt_gdb_client *client);

void pt_hostio_reply_error(struct pt_gdb_client *client, int error);	/* an errno */
void pt_hostio_reply(struct pt_gdb_client *client, int64_t result);	/* or an errno, negated */

/* file: a free one of the client's. gdb_flags: of vFile:open. The reply comes when it is open, or cannot be. */
void pt_hostio_open(struct pt_gdb_client *client, struct pt_gdb_file *file, const struct pt_hostio_name *name,
		    uint64_t gdb_flags);

#endif
