/* What a program asks of its debugger (targets/contract/host_call.h), served by this host: text goes to the listeners
 * of the board's console, files are those of one directory; or another one, a waiting GDB, serves what concerns files
 * (gdbstub/packets/fileio.c). Everything that the program says is untrusted.
 *
 * Board thread, the core is halted. Blocks for as long as the host's files do.
 * Source: Arm, Semihosting for AArch32 and AArch64 (2.0): operations, open modes, extensions. */
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

/* What a handle is: the console, its input (which is at its end), a file of this host's or of GDB's, the extensions. */
enum pt_host_kind { PT_HOST_FD_FREE, PT_HOST_FD_IN, PT_HOST_FD_OUT, PT_HOST_FD_ERR, PT_HOST_FD_FILE, PT_HOST_FD_GDB,
		    PT_HOST_FD_FEATURES };
struct pt_host_file {
	enum pt_host_kind kind;
	int fd;
	uint32_t at;
}; /* fd: this host's, or GDB's; at: of FEATURES */

struct pt_host {
	enum pt_host_mode mode;
	bool gdb_waits; /* an all-stop GDB has let the program run and waits: it may be asked */
	char dir[256]; /* "": no files */
	struct pt_host_file file[PT_HOST_FILES]; /* a handle is the index + 1 */
	int last_errno;
	uint64_t began_ns; /* of the probe's clock: the program's start, as far as we know */
	bool told[256]; /* this operation was refused, and the user was told so */
	bool ended; /* the program said so */
	uint32_t status; /* then: 0 is success */
	void (*say)(void *arg, const char *text, size_t len_bytes);
	void *arg;
};

/* Does what is asked; *result is for the program. Errors are the target's alone: what the host cannot do is a result. */
int pt_host_serve(struct pt_host *sh, struct pt_mem *mem, const struct pt_host_call *call, uint64_t now_ns,
		  int32_t *result, struct pt_err *err);
void pt_host_reset(struct pt_host *sh, uint64_t now_ns); /* the program begins anew: its files are closed */

/* For who serves files elsewhere. A handle's row, or NULL: there is none. */
struct pt_host_file *pt_host_file(struct pt_host *sh, uint32_t handle);
int pt_host_add_file(struct pt_host *sh, enum pt_host_kind kind, int fd); /* handle, or -1: no room */
/* The name that PT_HOST_OPEN gives; what is no file is opened, *result told. 1: it is a file; 0: done. */
int pt_host_open_special(struct pt_host *sh, struct pt_mem *mem, const struct pt_host_call *call,
			 char name[PT_HOST_NAME_BYTES], int32_t *result, struct pt_err *err);
/* Bytes of text at addr up to a 0, which may be far: at most most. */
int pt_host_text_bytes(struct pt_mem *mem, uint32_t addr, size_t most, size_t *n, struct pt_err *err);

#endif
