/* Semihosting by File-I/O: what the program asks of files and of its console is asked of the GDB that waits for it to
 * stop, in place of a stop reply. GDB reads and writes the target's memory meanwhile, and ends with F; then the
 * program runs on. 0x03 waits until then: GDB says by itself whether it was interrupted.
 * Source: GDB manual, "File-I/O Remote Protocol Extension". */
#ifndef PT_GDBSTUB_FILEIO_H
#define PT_GDBSTUB_FILEIO_H

#include "board/board.h"

struct pt_gdb_client;
struct pt_gdb_request;

enum { PT_GDB_FILEIO_BYTES = 160 };

/* It runs on, or was interrupted, or has stepped: then rq has what a stop reply needs. */
typedef void pt_gdb_fileio_done(struct pt_gdb_client *client, const struct pt_gdb_request *rq);

struct pt_gdb_fileio {
	pt_gdb_fileio_done *done;
	bool asked; /* out of a stop: text is to be sent in place of the stop reply */
	bool active; /* it was, and its F has not come */
	unsigned core;
	enum pt_host_how how;
	struct pt_host_call call;
	char text[PT_GDB_FILEIO_BYTES]; /* "Fwrite,1,20000010,5" */
	unsigned step; /* of SYS_FLEN's three questions */
	int64_t at, size; /* the same: where the file stood; its end */
	uint32_t scratch; /* SYS_READC: memory below the stack, and what was in it */
	uint8_t kept[4];
	/* of F */
	int64_t result;
	int error;
	bool interrupted;
};

/* Board thread, the core has just halted for a client that waits. Returns 1: it had asked what could be answered at
 * once, and runs again; 0: fileio.asked tells; or the target's error. */
int pt_gdb_fileio_ask(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, enum pt_host_how how,
		      struct pt_err *err);
/* Loop thread: sends what is asked; done() when GDB has done its part. */
void pt_gdb_fileio_send(struct pt_gdb_client *client, pt_gdb_fileio_done *done);
/* Board thread: whether a client waits that can be asked. */
void pt_gdb_fileio_waits(struct pt_board *board, bool waits);

#endif
