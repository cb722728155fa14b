/* Semihosting by File-I/O: requests of the program about files and its console are sent to the GDB that waits for a
 * stop, in place of a stop reply. GDB reads and writes target memory meanwhile, and ends with F; then the program is
 * resumed. 0x03 waits until then: F says whether it was interrupted. Source: GDB manual, "File-I/O Remote Protocol
 * Extension". */
#ifndef PT_GDBSTUB_FILEIO_H
#define PT_GDBSTUB_FILEIO_H

#include "board/board.h"

struct pt_gdb_client;
struct pt_gdb_request;

enum { PT_GDB_FILEIO_BYTES = 160 };

/* The program was resumed, or was interrupted, or has stepped: in these cases rq has the stop reply. */
typedef void pt_gdb_fileio_done(struct pt_gdb_client *client, const struct pt_gdb_request *rq);

struct pt_gdb_fileio {
	pt_gdb_fileio_done *done;
	bool asked; /* set by a stop: send text in place of the stop reply */
	bool active; /* sent, and F has not come yet */
	unsigned core;
	enum pt_host_how how;
	struct pt_host_call call;
	char text[PT_GDB_FILEIO_BYTES]; /* "Fwrite,1,20000010,5" */
	unsigned step; /* number of the request: SYS_FLEN needs three */
	int64_t at, size; /* for SYS_FLEN: position in the file; its end */
	uint32_t scratch; /* SYS_READC: memory below the stack that is used, and its old content */
	uint8_t kept[4];
	/* of F */
	int64_t result;
	int error;
	bool interrupted;
};

/* Board thread, when the core has just halted and a client waits. Returns 1: the request was served at once, and the
 * core was resumed; 0: fileio.asked says whether GDB must be asked; or the target's error. */
int pt_gdb_fileio_ask(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, enum pt_host_how how,
		      struct pt_err *err);
/* Loop thread: sends the request to GDB; calls done() after GDB's answer. */
void pt_gdb_fileio_send(struct pt_gdb_client *client, pt_gdb_fileio_done *done);
/* Board thread: says whether a client waits that can serve requests. */
void pt_gdb_fileio_waits(struct pt_board *board, bool waits);

#endif
