/* Semihosting: what a program asks of its debugger by BKPT 0xAB, with the operation in r0 and its parameters in r1 or
 * at r1. Text goes to whoever listens on the board's console, files are those of one directory of this host; or
 * another one, a waiting GDB, serves what concerns files (gdbstub/packets/fileio.c). Everything that the program says is
 * untrusted.
 *
 * Board thread, the core is halted. Blocks for as long as the host's files do.
 * Source: Arm, Semihosting for AArch32 and AArch64 (2.0): operations, open modes, extensions. */
#ifndef PT_SEMIHOST_H
#define PT_SEMIHOST_H

#include "targets/contract/target.h"

enum {
	PT_SYS_OPEN = 0x01,
	PT_SYS_CLOSE,
	PT_SYS_WRITEC,
	PT_SYS_WRITE0,
	PT_SYS_WRITE,
	PT_SYS_READ,
	PT_SYS_READC,
	PT_SYS_ISERROR,
	PT_SYS_ISTTY,
	PT_SYS_SEEK,
	PT_SYS_FLEN = 0x0c,
	PT_SYS_TMPNAM,
	PT_SYS_REMOVE,
	PT_SYS_RENAME,
	PT_SYS_CLOCK,
	PT_SYS_TIME,
	PT_SYS_SYSTEM,
	PT_SYS_ERRNO,
	PT_SYS_GET_CMDLINE = 0x15,
	PT_SYS_HEAPINFO,
	PT_SYS_EXIT = 0x18,
	PT_SYS_EXIT_EXTENDED = 0x20,
	PT_SYS_ELAPSED = 0x30,
	PT_SYS_TICKFREQ,
};

enum {
	PT_SEMIHOST_FILES = 16,
	PT_SEMIHOST_NAME_BYTES = 256,
	PT_SEMIHOST_MOST_BYTES = 1 << 16, /* of a name; of one transfer */
	PT_SEMIHOST_FAILED = -1,
};

enum pt_semihost_mode { PT_SEMIHOST_OFF, PT_SEMIHOST_CONSOLE, PT_SEMIHOST_GDB };

/* What a handle is: the console, its input (which is at its end), a file of this host's or of GDB's, the extensions. */
enum pt_semihost_kind { PT_SH_FREE, PT_SH_IN, PT_SH_OUT, PT_SH_ERR, PT_SH_FILE, PT_SH_GDB, PT_SH_FEATURES };
struct pt_semihost_file {
	enum pt_semihost_kind kind;
	int fd;
	uint32_t at;
}; /* fd: this host's, or GDB's; at: of FEATURES */

struct pt_semihost {
	enum pt_semihost_mode mode;
	bool gdb_waits; /* an all-stop GDB has let the program run and waits: it may be asked */
	char dir[256]; /* "": no files */
	struct pt_semihost_file file[PT_SEMIHOST_FILES]; /* a handle is the index + 1 */
	int last_errno;
	uint64_t began_ns; /* of the probe's clock: the program's start, as far as we know */
	bool told[256]; /* this operation was refused, and the user was told so */
	bool ended; /* the program said so */
	uint32_t status; /* then: 0 is success */
	void (*say)(void *arg, const char *text, size_t len_bytes);
	void *arg;
};

struct pt_semihost_call {
	uint32_t op, arg, word[4];
};

/* Is the core at BKPT 0xAB? Returns 1 with the call, 0, or the target's error. */
int pt_semihost_look(struct pt_target *target, unsigned core, struct pt_semihost_call *call, struct pt_err *err);
/* Does what is asked; *result is for r0. Errors are the target's alone: what the host cannot do is a result. */
int pt_semihost_serve(struct pt_semihost *sh, struct pt_mem *mem, const struct pt_semihost_call *call, uint64_t now_ns,
		      int32_t *result, struct pt_err *err);
/* r0 = result, and behind the BKPT. */
int pt_semihost_answer(struct pt_target *target, unsigned core, int32_t result, uint64_t *pc, struct pt_err *err);
void pt_semihost_reset(struct pt_semihost *sh, uint64_t now_ns); /* the program begins anew: its files are closed */

/* For who serves files elsewhere. A handle's row, or NULL: there is none. */
struct pt_semihost_file *pt_semihost_file(struct pt_semihost *sh, uint32_t handle);
int pt_semihost_add_file(struct pt_semihost *sh, enum pt_semihost_kind kind, int fd); /* handle, or -1: no room */
/* The name that SYS_OPEN gives; what is no file is opened, *result told. 1: it is a file; 0: done. */
int pt_semihost_open_special(struct pt_semihost *sh, struct pt_mem *mem, const struct pt_semihost_call *call,
			     char name[PT_SEMIHOST_NAME_BYTES], int32_t *result, struct pt_err *err);
/* Bytes of text at addr up to a 0, which may be far: at most most. */
int pt_semihost_text_bytes(struct pt_mem *mem, uint32_t addr, size_t most, size_t *n, struct pt_err *err);

#endif
