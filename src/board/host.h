/* Serves a program's requests to its debugger (targets/contract/host_call.h) on this host: text goes to the board's
 * consoles, files are in one directory. A waiting GDB may serve file requests instead (gdbstub/packets/fileio.c). All
 * input from the program is untrusted.
 *
 * Board thread, with the core halted. Blocks while the host's file operations do. Source: Arm, Semihosting for AArch32
 * and AArch64 (2.0): operations, open modes, extensions. */
#ifndef PT_BOARD_HOST_H
#define PT_BOARD_HOST_H

#include <stdbool.h>

#include "targets/contract/host_call.h"
#include "targets/contract/mem.h"

enum {
	PT_HOST_FILES = 16,
	PT_HOST_NAME_BYTES = 256,
	PT_HOST_MOST_BYTES = 1 << 16, /* of a name; of one transfer */
};

enum pt_host_mode { PT_HOST_OFF, PT_HOST_CONSOLE, PT_HOST_GDB };

/* What a handle refers to: the console, its input (always empty), a file of this host or of GDB, the extensions. */
enum pt_host_kind { PT_HOST_FD_FREE, PT_HOST_FD_IN, PT_HOST_FD_OUT, PT_HOST_FD_ERR, PT_HOST_FD_FILE, PT_HOST_FD_GDB,
		    PT_HOST_FD_FEATURES };
struct pt_host_file {
	enum pt_host_kind kind;
	int fd;
	uint32_t at;
}; /* fd: of this host, or of GDB; at: position in FEATURES */

struct pt_host {
	enum pt_host_mode mode;
	bool gdb_waits; /* an all-stop GDB has resumed the program and waits, so it can be asked */
	char dir[256]; /* "": no files */
	struct pt_host_file file[PT_HOST_FILES]; /* a handle is the index + 1 */
	int last_errno;
	uint64_t began_ns; /* on the probe's clock: start of the program, as far as known */
	bool told[256]; /* the user was told that this operation was refused */
	bool ended; /* the program has exited */
	uint32_t status; /* its exit status: 0 is success */
	void (*say)(void *arg, const char *text, size_t len_bytes);
	void *arg;
};

/* Serves a request; *result is for the program. Returns only errors of the target: an error of the host becomes a
 * result. */
int pt_host_serve(struct pt_host *sh, struct pt_mem *mem, const struct pt_host_call *call, uint64_t now_ns,
		  int32_t *result, struct pt_err *err);
void pt_host_reset(struct pt_host *sh, uint64_t now_ns); /* the program starts again: closes its files */

/* For requests that GDB serves. The entry of a handle, or NULL. */
struct pt_host_file *pt_host_file(struct pt_host *sh, uint32_t handle);
int pt_host_add_file(struct pt_host *sh, enum pt_host_kind kind, int fd); /* returns the handle, or -1: table full */
/* Reads the file name of PT_HOST_OPEN; opens it if it is no file, and sets *result. 1: it is a file; 0: done. */
int pt_host_open_special(struct pt_host *sh, struct pt_mem *mem, const struct pt_host_call *call,
			 char name[PT_HOST_NAME_BYTES], int32_t *result, struct pt_err *err);
/* Length of the text at addr up to its terminating 0; at most most. */
int pt_host_text_bytes(struct pt_mem *mem, uint32_t addr, size_t most, size_t *n, struct pt_err *err);

#endif
