/* Accesses to memory as a command of OpenOCD's TCL port, and what its answer says. Pure.
 *
 * All accesses of a command are one script, so that they take one round trip:
 *	apply {{} {set a {};set c [catch {append a [chip.cpu read_memory 0x20000000 32 2] |;...;set e {}} e];
 *	return -code exit "proftap 7 $c $a!$e"}}
 * answers "proftap 7 0 0x12 0x13|...!", with a bar behind each access that was done. 1 instead of 0: one was refused,
 * and the text behind the mark says why. A poll that has expired has a question mark in place of its bar, and nothing
 * is done behind it. Variables are the script's own: the interpreter keeps nothing.
 * OpenOCD also prints the result of a command of this port to its log, and to each GDB whose target runs; only what
 * ends by `exit` is answered and not printed, and means nothing else there.
 * Source: OpenOCD 0.12, src/helper/command.c, command_run_line; src/server/tcl_server.c, tcl_input;
 * User's Guide 21.3 (Tcl RPC server), 15 (read_memory, write_memory, ms); Tcl's manual. */
#ifndef PT_TARGETS_REMOTE_TCL_TEXT_H
#define PT_TARGETS_REMOTE_TCL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	PT_TCL_VALUES = 1024,		/* of one command, read or written: OpenOCD does nothing else meanwhile */
	PT_TCL_PIECES = 64,
	PT_TCL_TEXT_BYTES = 24 * 1024,	/* of a command, and of its answer */
	PT_TCL_NAME_BYTES = 40,
};

/* Values of one width that are one access each. */
struct pt_tcl_piece {
	uint8_t what;			/* PT_MEM_READ, PT_MEM_WRITE, PT_MEM_POLL */
	uint8_t width_bytes;		/* 1, 2, 4; POLL: 4 */
	bool fixed;			/* all of them go to addr itself */
	uint32_t n;			/* values; POLL: 1 */
	uint64_t addr;			/* a multiple of width_bytes */
	uint8_t *bytes;			/* n * width_bytes, in target byte order; READ, POLL: out */
	uint32_t mask, match, time_us;	/* POLL, as of struct pt_mem_op */
};

struct pt_tcl_answer {
	size_t n_done;			/* pieces */
	bool expired;			/* the poll behind them has; its bytes are there */
	char refused[120];		/* why the piece behind them was; "" it was not */
};

/* A target's name as OpenOCD has it. False: it has characters that a script would not take as they are, or too many. */
bool pt_tcl_is_name(const char *name);
/* The command, NUL-terminated, without the byte that ends it. Returns its length, 0: it has no room. */
size_t pt_tcl_command(char *out, size_t room_bytes, uint32_t number, const char *target,
		      const struct pt_tcl_piece *pieces, size_t n_pieces, bool big_endian);
/* in: without its end. PT_EPROTO: it is no answer to this command (the sentence shows its beginning); the bytes of
 * pieces are then unspecified, as are those of pieces that were not done. */
int pt_tcl_answer(const char *in, size_t len_bytes, uint32_t number, const struct pt_tcl_piece *pieces, size_t n_pieces,
		  bool big_endian, struct pt_tcl_answer *out, struct pt_err *err);

#endif
