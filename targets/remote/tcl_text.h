/* Encodes memory accesses as a command of OpenOCD's TCL port, and parses its answer. Pure.
 *
 * All accesses of a command are one script, so that they take one round trip:
 *	apply {{} {set a {};set c [catch {append a [chip.cpu read_memory 0x20000000 32 2] |;...;set e {}} e];
 *	return -code exit "proftap 7 $c $a!$e"}}
 * answers "proftap 7 0 0x12 0x13|...!", with a bar behind each access that was done. 1 instead of 0: one was refused,
 * and the text behind the mark says why. A poll that has expired has a question mark in place of its bar, and nothing
 * is done behind it. Variables are local: the interpreter keeps nothing. OpenOCD also prints the result of a command of
 * this port to its log, and to each GDB whose target runs. Only the result of a script that ends with `exit` is sent
 * without being printed; `exit` has no other effect there. Source: OpenOCD 0.12, src/helper/command.c,
 * command_run_line; src/server/tcl_server.c, tcl_input; User's Guide 21.3 (Tcl RPC server), 15 (read_memory,
 * write_memory, ms); Tcl's manual. */
#ifndef PT_TARGETS_REMOTE_TCL_TEXT_H
#define PT_TARGETS_REMOTE_TCL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	PT_TCL_VALUES = 1024,		/* values of one command: OpenOCD does nothing else meanwhile */
	PT_TCL_PIECES = 64,
	PT_TCL_TEXT_BYTES = 24 * 1024,	/* capacity for a command or an answer */
	PT_TCL_NAME_BYTES = 40,
};

/* Several values of one width, each one access. */
struct pt_tcl_piece {
	uint8_t what;			/* PT_MEM_READ, PT_MEM_WRITE, PT_MEM_POLL */
	uint8_t width_bytes;		/* 1, 2, 4; POLL: 4 */
	bool fixed;			/* all accesses use addr itself */
	uint32_t n;			/* values; POLL: 1 */
	uint64_t addr;			/* a multiple of width_bytes */
	uint8_t *bytes;			/* n * width_bytes, in target byte order; READ, POLL: out */
	uint32_t mask, match, time_us;	/* POLL, as of struct pt_mem_op */
};

struct pt_tcl_answer {
	size_t n_done;			/* pieces */
	bool expired;			/* the poll after them expired; its bytes are set */
	char refused[120];		/* why the piece after them failed; "": it did not */
};

/* Checks a target's name. False: it is too long, or has characters that need quoting in a script. */
bool pt_tcl_is_name(const char *name);
/* Makes the command: NUL-terminated, without the end byte. Returns its length; 0: it does not fit. */
size_t pt_tcl_command(char *out, size_t room_bytes, uint32_t number, const char *target,
		      const struct pt_tcl_piece *pieces, size_t n_pieces, bool big_endian);
/* in: without the end byte. PT_EPROTO: not an answer to this command (the message shows its beginning). The bytes of
 * pieces are then unspecified, like those of pieces that were not done. */
int pt_tcl_answer(const char *in, size_t len_bytes, uint32_t number, const struct pt_tcl_piece *pieces, size_t n_pieces,
		  bool big_endian, struct pt_tcl_answer *out, struct pt_err *err);

#endif
