/* Whether a program is the one on the board. For a program that the user did not name. */
#ifndef PT_ON_BOARD_H
#define PT_ON_BOARD_H

#include "program/model/program.h"
#include "targets/contract/target.h"

enum pt_on_board {
	PT_ON_BOARD_UNKNOWN,	/* it cannot be compared; why gives the reason */
	PT_ON_BOARD_OTHER,	/* the board has other content at its addresses */
	PT_ON_BOARD_ID,		/* its build-id is there */
	PT_ON_BOARD_BYTES,	/* n_bytes of its code, at several places, are there */
};

struct pt_on_board_answer {
	enum pt_on_board what;
	uint64_t at, n_bytes;
	char why[200];
};

/* Compares the build-id, if it is loaded, else samples of the code. Reads target memory while the core is halted or
 * runs, and changes nothing. Board thread. */
void pt_on_board(struct pt_program *program, struct pt_target *target, struct pt_on_board_answer *answer);

#endif
